"""Evaluations: does a debate pay? Statistics are those of ``folkmoot.evaluation``, questions those of ``app.questions``.

Read in this order: ``scores`` (the plan of an evaluation and its scores), ``eval_files`` (their folder), ``arms`` (what
is compared), ``responses`` (answers and costs, read from records), ``blocks`` (what a question becomes on record),
``matching`` (what is bought for the cost of a debate), ``grading`` (alone opens the keys), ``eval_setup`` (what was
asked for), ``eval_plan``, ``eval_run``; ``task_samples`` (samples of Inspect as debates).
"""
