"""The command ``moot``, whose debates have more time for the answers in hand than any test has."""

from moot.app.run.runner import Runner
from moot.cli.main import main

if __name__ == "__main__":
    assert Runner.__init__.__kwdefaults__
    Runner.__init__.__kwdefaults__["grace"] = 600.0
    main()
