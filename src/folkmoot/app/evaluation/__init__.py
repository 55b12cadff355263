"""Evaluations: does a debate pay? Statistics are those of ``folkmoot.evaluation``, questions those of ``app.questions``.

Read in this order: ``scores`` (the plan of an evaluation and its scores), ``eval_files`` (their files), ``arms`` (what
is compared), ``responses`` (answers and costs, read from records), ``blocks`` (what a question becomes on record),
``matching`` (independent answers at the cost of a debate), ``grading`` (alone opens the keys), ``learned_gate`` (a
debate only where other questions teach it), ``rubrics`` (answers judged by a model), ``eval_setup`` (what was asked
for), ``eval_plan``, ``eval_debates`` (debates under one budget), ``eval_run``; ``task_samples`` (samples of other
frameworks as debates).
"""
