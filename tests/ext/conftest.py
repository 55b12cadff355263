"""The fixture that installs packages."""

from tests.ext.ext_kit import install

__all__ = ["install"]
