"""The engine: ``driver`` runs a play with agents and a ledger; ``calls`` budgets and records each model call;
``quorum`` goes on without whoever is late.
"""
