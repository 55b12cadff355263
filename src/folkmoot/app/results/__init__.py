"""Results of evaluations: scores become a scoreboard, and the scoreboard becomes text, a page and files.

Read in this order: ``score_rows`` (scores by arm and question), ``scoreboard`` (the values), ``scoring`` (from one to the
other), ``score_tables`` (text), ``score_page`` (HTML), ``score_files`` (all formats), ``past_debates`` (debates on record
as an evaluation), ``inspect_logs`` (logs of Inspect).
"""
