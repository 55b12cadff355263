"""How much processor time a block may take; wall time says too much about other programs."""

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager

TRACED = 5
"""How much longer a block may take while coverage traces it."""


@contextmanager
def within(seconds: float) -> Generator[None]:
    """The block takes at most so many seconds of the processor."""
    began = time.process_time()
    try:
        yield
    finally:
        assert time.process_time() - began < seconds * (TRACED if sys.gettrace() else 1)
