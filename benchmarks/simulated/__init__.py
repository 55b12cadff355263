"""Evaluations and voters of known truth: what many questions can show, and what talk and liars do to a vote.

Read in this order: ``__main__`` (the command), ``simulations`` (evaluations: whether intervals and verdicts keep what they
promise), ``worlds`` (voters), ``voter_table`` (voters under all protocols and rules).
"""
