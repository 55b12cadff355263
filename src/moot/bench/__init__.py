"""Measurements of Moot against what others recorded; the command ``moot-bench``.

Read in this order: ``command`` (``__main__`` starts it), ``figures`` (ours beside the reference), then the data sets:
``contests``, ``judge_data``, ``panel_data``, ``solver_data``, ``preference_data``; and ``text_cases``, texts beside
what a careful reader makes of them.
"""
