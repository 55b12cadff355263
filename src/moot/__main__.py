"""``python -m moot`` is the command ``moot``."""

from moot.cli.main import main

main()
