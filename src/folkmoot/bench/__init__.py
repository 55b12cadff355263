"""Measurements of Folkmoot against what others recorded; the command ``folkmoot-bench``.

Read in this order: ``command`` (``__main__`` starts it) and ``text_cases``, texts beside what a careful reader makes
of them. The recorded data sets are in ``folkmoot.app.replays``.
"""
