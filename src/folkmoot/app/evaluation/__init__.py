"""Evaluations: does a debate pay, on questions with known answers? The statistics are those of ``folkmoot.evaluation``.

Read in this order: ``questions`` (parted from their keys) and ``quantities`` (numbers in answers), ``setup`` (what was
asked for: the arms that are compared), ``scores`` (the plan and its scores), ``folder`` (their files), ``responses``
(answers and costs, read from records), ``blocks`` (what a question becomes on record), ``matching`` (what is bought for
the cost of a debate), ``grading`` (alone opens the keys), ``plan``, ``run``; ``scoreboard`` (what the scores say),
``output`` (as text, page and files), ``past`` (debates on record as an evaluation); ``inspect_bridge`` (tasks of Inspect
as questions, and logs), ``task_samples`` (its samples as debates).
"""
