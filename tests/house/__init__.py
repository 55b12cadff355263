"""The house rules as checks over the source tree; the tests marked ``source`` run them all."""
