"""Replays: evaluations of answers that others recorded, without a model.

Read in this order: ``replays`` (the list of them, and the reference beside them), ``forecast_replay``,
``panel_replay``, ``judge_replay``, ``gate_folders`` (a gate learned on one folder and judged on another).
"""
