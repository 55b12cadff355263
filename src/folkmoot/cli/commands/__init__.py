"""The commands of ``folkmoot``, a module for each group of them.

Read in this order: ``run`` (run, resume, again, fork), ``answer`` (answer, say), ``show`` (show, report, diff),
``records`` (list, store), ``verify``, ``check`` (new, check, models), ``config``, ``review_changes`` (review), ``batch``,
``worker``, ``serve`` (serve, mcp), ``learn``, ``standings``, ``evaluate`` (eval).
"""
