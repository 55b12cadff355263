"""What a closed terminal (SIGHUP) asks of a server or a worker: to stop as for SIGTERM, unless ``nohup`` started it."""

import os
import signal
from collections.abc import Sequence


def stop_signals() -> tuple[signal.Signals, ...]:
    """The signals that stop a program in order; SIGHUP is not among them where it is ignored, as under ``nohup``."""
    stops = (signal.SIGINT, signal.SIGTERM)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        return (*stops, signal.SIGHUP)
    return stops


def open_terminals() -> tuple[int, ...]:
    """The standard streams that are terminals."""
    return tuple(stream for stream in (0, 1, 2) if os.isatty(stream))


def leave_terminals(streams: Sequence[int]) -> None:
    """Let standard streams whose terminal is gone lead nowhere: writing to them would fail."""
    if streams:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in streams:
            os.dup2(nowhere, stream)
        os.close(nowhere)
