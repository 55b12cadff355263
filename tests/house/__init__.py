"""The house rules as checks over the source tree."""
