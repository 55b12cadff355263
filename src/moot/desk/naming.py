"""Documented events at the desk. This file owns how a host gets entries under their documented names."""

from moot.readers.names import NAMES, Named, Namer

__all__ = ["NAMES", "Named", "Namer"]
