"""Replays: evaluations of answers that others recorded, without a model.

Read in this order: ``replays`` (the list of them, and the reference beside them), ``figures`` (ours beside the
reference), ``forecast_replay``, ``panel_replay``, ``judge_replay``, then the data sets of which figures are counted:
``contests``, ``judge_data``, ``panel_data``, ``solver_data``, ``preference_data``; and ``gate_folders`` (a gate learned
on one folder and judged on another).
"""
