"""Times (`python -m benchmarks`) and the papers' tables (`python -m benchmarks.papers`)."""
