"""The commands of ``folkmoot``, a module for each group of them.

Read in this order: ``run`` (run, resume, again, fork), ``review_changes`` (review), ``check`` (new, check, models,
presets, plugins), ``show`` (show, recount, report, diff), ``records`` (list, verify, stale, store, import, delete),
``answer`` (answer, say), ``batch``, ``submit`` (submit, worker, queue), ``analyse`` (analyse, receipt), ``learn``
(learn, memory, resolve), ``standings`` (ratings, calibration, personas, relations), ``evaluate``, ``measure`` and
``eval_results`` (eval), ``serve`` (serve, mcp, skill).
"""
