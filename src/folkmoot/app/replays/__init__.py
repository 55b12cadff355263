"""Replays: evaluations of answers that others recorded, without a model.

Read in this order: ``replays`` (the table of the data sets), ``recorded_files`` (how their files are read), ``figures``
(ours beside the reference), ``forecast_data``, ``forecast_replay``, ``panel_replay``, ``judge_replay``; then those of
which figures are counted: ``contests``, ``judge_data``, ``panel_data``, ``solver_data``, ``translation_data``,
``preference_data``; and ``gate_folders`` (a gate learned on one folder and judged on another).
"""
