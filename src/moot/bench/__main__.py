"""``python -m moot.bench`` is the command ``moot-bench``."""

from moot.bench.command import main

main(prog_name="moot-bench")
