"""The command ``moot``, also as ``python -m moot``.

Ctrl-C while the command is loaded, or when it is done, ends the process at once and without a word: there is nothing to
finish then. In between the command decides what it means.
"""

import gc
import signal
import sys

GARBAGE = 50_000
"""New objects before the collector looks for garbage: what starting makes is none, and looking takes a tenth of it."""


def start() -> None:
    """Run the command; never returns."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.set_threshold(GARBAGE)
    from moot.cli.main import main  # here because it takes a moment

    try:
        signal.signal(signal.SIGINT, usual)
        main()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        if usual is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    start()
