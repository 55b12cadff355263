"""Phases: parts of a debate as data, with a plain generator that plays them.

Read in this order: ``base`` (the port, and phases made of phases), ``speak``, ``vote``, ``endings``, ``choices``; then
``ranked_vote``, ``draws``, ``verdict``, ``consent``, ``score``, ``bids``, ``revise``, ``helpers``, ``shares``,
``reflection``.
"""
