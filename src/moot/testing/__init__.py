"""Public test doubles and checks: ``scripted`` agents and models, ``replay``, ``conformance``, ``store_checks``."""
