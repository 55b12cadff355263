"""How much is tried: some of many cases in `make test`, all of them in `make test-all`, which sets MOOT_MORE."""

import os

MORE = bool(os.environ.get("MOOT_MORE"))

STEP = 1 if MORE else 7
"""Of so many places at which a debate can be cut, one is tried."""
