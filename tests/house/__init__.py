"""The house rules as checks over the source tree; ``tests/test_house.py`` runs them all."""
