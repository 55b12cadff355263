"""What the server of tests/kits/forks.py imports once: Folkmoot as a whole.

A warning of an import is an error, as for the programs that import it themselves.
"""

import warnings
from importlib import import_module
from pkgutil import walk_packages

import folkmoot

LATER = ("folkmoot.inspect", "__main__")
"""What needs a package that few have, or does something when it is imported."""

with warnings.catch_warnings():
    warnings.simplefilter("error")
    for module in walk_packages(folkmoot.__path__, "folkmoot."):
        if not any(part in module.name for part in LATER):
            import_module(module.name)
