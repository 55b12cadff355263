"""``python -m folkmoot.bench`` is the command ``folkmoot-bench``."""

from folkmoot.bench.command import main

main(prog_name="folkmoot-bench")
