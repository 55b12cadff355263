"""Terminal output: the live screen, questions to people, tables and results.

Read in this order: ``output`` (streams and the end of a debate), ``plan_view`` (before it), ``render`` (an entry
becomes lines), ``live_screen``, ``ask_people``, ``progress`` (a batch), ``queue_table``, ``debate_table``,
``side_by_side``, ``text_layout`` (small pieces).
"""
