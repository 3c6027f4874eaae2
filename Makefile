# make demo and make test install what they need into .venv; nothing else has to be there but Python 3.11+.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test check format lint types imports slow bench papers golden docs clean

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/pip install --quiet --editable ".[stats-packages,excel]" --group dev
	touch $(STAMP)

demo: $(STAMP)
	$(BIN)/discreet demo --folder demo-output

test: $(STAMP)
	$(BIN)/pytest -n 2 --dist worksteal -m "not slow"

slow: $(STAMP)
	$(BIN)/pytest -n 2 --dist worksteal -m slow

format: $(STAMP)
	$(BIN)/ruff format src tests benchmarks
	$(BIN)/ruff check --fix src tests benchmarks

lint: $(STAMP)
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/ruff check src tests benchmarks

types: $(STAMP)
	$(BIN)/mypy

imports: $(STAMP)
	$(BIN)/lint-imports

check: lint types imports test

bench: $(STAMP)
	$(BIN)/python -m benchmarks

papers: $(STAMP)
	$(BIN)/python -m benchmarks.papers

golden: $(STAMP)
	$(BIN)/pytest -n 2 tests/golden

docs: $(STAMP)
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) site demo-output .pytest_cache .mypy_cache .ruff_cache .hypothesis
