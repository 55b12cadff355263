"""``python -m moot`` is the command ``moot``. This file owns nothing else."""

from moot.cli.main import main

main()
