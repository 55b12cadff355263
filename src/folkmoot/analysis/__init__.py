"""Analyses of one debate and of many, computed from records alone.

Read in this order: ``analysis`` (what belongs to one), ``agreement``, ``disagreement``, ``grounds``,
``decision_grounds``, ``review`` (the page), then ``formal_claims``.
``memory_lines`` says what was learned.
"""
