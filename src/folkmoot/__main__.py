"""The command ``folkmoot``, also as ``python -m folkmoot``.

Ctrl-C while the command is loaded, or when it is done, ends the process at once and without a word: there is nothing to
finish then. In between the command decides what it means.
"""

import gc
import os
import signal
import sys
from _thread import start_new_thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

GARBAGE = 50_000
"""New objects before the collector looks for garbage: what starting makes is none, and looking takes a tenth of it."""


def interrupt_again(lost: "UnraisableHookArgs") -> None:
    """Send Ctrl-C once more where Python has dropped it: in a callback of an import nothing can be raised.

    An object that was interrupted while it was made, such as an event loop, lacks what its end needs. That is no news.

    Args:
        lost: what could not be raised; all else is printed as usual.
    """
    half_made = lost.exc_type is AttributeError and getattr(lost.object, "__name__", "") == "__del__"
    if issubclass(lost.exc_type, KeyboardInterrupt):
        start_new_thread(os.kill, (os.getpid(), signal.SIGINT))
    elif not half_made:
        sys.__unraisablehook__(lost)


def start() -> None:
    """Run the command; never returns."""
    hook, sys.unraisablehook = sys.unraisablehook, interrupt_again
    before = "temporalio" in sys.modules  # in a process of somebody else's
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.set_threshold(GARBAGE)
    from folkmoot.cli.main import main  # here because it takes a moment

    try:
        signal.signal(signal.SIGINT, usual)
        main()
    except SystemExit as ending:
        if "temporalio" in sys.modules and not before and isinstance(ending.code, int | None):
            # The threads of its library abort some processes at their end, when all has been done.
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(ending.code or 0)
        raise
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        sys.unraisablehook = hook
        if usual is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    start()
