"""Measurements of Moot against what others recorded; the command ``moot-bench``."""
