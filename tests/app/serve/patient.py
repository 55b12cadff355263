"""The command ``folkmoot``, whose debates have more time for the answers in hand than any test has."""

from folkmoot.app.run.runner import Runner
from folkmoot.cli.main import main

if __name__ == "__main__":
    assert Runner.__init__.__kwdefaults__
    Runner.__init__.__kwdefaults__["grace"] = 600.0
    main()
