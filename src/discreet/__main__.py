"""`python -m discreet` is the command `discreet`."""

from discreet.cli.main import run

if __name__ == "__main__":
    run()
