"""Evaluations: does a debate pay? Statistics are those of ``moot.evaluation``.

Read in this order: ``scores`` (the plan of an evaluation and its scores, and their files), ``quantities`` (numbers in
answers), ``data_sets`` (questions with known answers, parted into questions and keys), ``question_files`` (which files
they are read from), ``arms`` (what is compared), ``responses`` (answers and costs, read from records), ``blocks`` (what
a question becomes on record), ``matching`` (independent answers at the cost of a debate), ``grading`` (alone opens the
keys), ``rubrics`` (answers judged by a model), ``eval_plan``, ``eval_run``; ``task_samples`` (samples of other
frameworks as debates), ``inspect_logs`` (an evaluation as logs of Inspect), ``voter_table`` (simulated voters under all
protocols and rules).
"""
