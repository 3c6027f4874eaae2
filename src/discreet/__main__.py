"""The command `discreet`, also as `python -m discreet`.

While the program loads there is nothing to clean up: Ctrl-C then ends the process at once and without a word. From where
work begins, `cli.work` listens to it.
"""

import signal


def main() -> None:
    """The entry point of the command."""
    if (
        signal.getsignal(signal.SIGINT) is signal.default_int_handler
    ):  # not where Ctrl-C is ignored on purpose
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from discreet.cli.main import run

    run()


if __name__ == "__main__":
    main()
