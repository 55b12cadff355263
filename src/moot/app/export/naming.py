"""Documented events at the desk. This file owns how a host gets entries under their documented names."""
