"""Evaluations: does a debate pay? Statistics are those of ``folkmoot.evaluation``, questions those of ``app.questions``.

Read in this order: ``arms`` (what is compared), ``setup`` (what was asked for), ``scores`` (the plan and its scores),
``folder`` (their files), ``responses`` (answers and costs, read from records), ``blocks`` (what a question becomes on
record), ``matching`` (what is bought for the cost of a debate), ``grading`` (alone opens the keys), ``plan``, ``run``;
``inspect_tasks`` (tasks of Inspect as questions), ``task_samples`` (its samples as debates).
"""
