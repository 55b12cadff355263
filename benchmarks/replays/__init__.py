"""Replays: data that others recorded, counted with Folkmoot and without a model, beside the figures of others.

``python -m benchmarks.replays deliberative_forecasts DATA`` makes the figures of the README again. The data are no part
of Folkmoot; DATA is their folder.

Read in this order: ``__main__`` (the command), ``data_sets`` (the table), ``recorded_files`` (how their files are read),
``figures`` (ours beside the reference); the forecasts: ``forecast_data``, ``forecast_replay``; panels:
``panel_data``, ``panel_replay``, ``vote_limit``, ``dawid_skene``, ``stopping``; judges: ``judge_data``, ``judge_replay``,
``judges``; then ``contests`` (with
``elections``), ``solver_data``, ``translation_data``, ``preference_data``.
"""
