"""Evaluations: does a debate pay? Statistics are those of ``folkmoot.evaluation``, questions those of ``app.questions``.

Read in this order: ``setup`` (what was asked for: the arms that are compared), ``scores`` (the plan and its scores),
``folder`` (their files), ``responses`` (answers and costs, read from records), ``blocks`` (what a question becomes on
record), ``matching`` (what is bought for the cost of a debate), ``grading`` (alone opens the keys), ``plan``, ``run``;
``inspect_bridge`` (tasks of Inspect as questions, and logs), ``task_samples`` (its samples as debates).
"""
