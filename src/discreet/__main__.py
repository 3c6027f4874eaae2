"""The command `discreet`, also as `python -m discreet`.

While the program loads there is nothing to clean up: Ctrl-C then ends the process at once and without a word. From where
work begins, `cli.work` listens to it.
"""

import gc
import signal

MANY = 100_000  # new objects; what loading a program makes stays to its end, so looking for garbage in it finds none


def main() -> None:
    """The entry point of the command."""
    gc.set_threshold(MANY, 20, 20)
    if (
        signal.getsignal(signal.SIGINT) is signal.default_int_handler
    ):  # not where Ctrl-C is ignored on purpose
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from discreet.cli.main import run

    run()


if __name__ == "__main__":
    main()
