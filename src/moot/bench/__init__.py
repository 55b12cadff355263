"""Measurements of Moot against what others recorded; the command ``moot-bench``.

Read in this order: ``command``, ``figures`` (ours beside the reference), then the data sets: ``contests``,
``judge_data``, ``panel_data``.
"""
