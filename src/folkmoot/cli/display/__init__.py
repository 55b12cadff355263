"""Terminal output: the live screen, questions to people, tables and results.

Read in this order: ``output`` (modes, and the summary at the end of a debate), ``plan_view`` (before it), ``render`` (an
entry becomes lines), ``live_screen``, ``ask_people``, ``progress`` (a batch), ``debate_table``, ``side_by_side``,
``text_layout`` (small pieces).
"""
