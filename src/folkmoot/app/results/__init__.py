"""Results of evaluations: scores become a scoreboard, and that becomes sentences, tables, a page and files.

Read in this order: ``scoreboard`` (the data), ``score_rows`` (scores by arm and question), ``comparisons`` (debates
against rivals, verdicts), ``seat_measures`` (flips, contributions, votes), ``forecast_quality`` (calibration),
``cost_curve`` (what independent answers buy), ``scoring`` (all of it together), ``score_tables`` (words and tables),
``elements`` and ``chart`` (HTML and SVG), ``score_plots``, ``score_page``, ``score_files`` (all formats),
``inspect_logs`` (logs of Inspect); ``past_debates`` (debates on record as an evaluation), ``gate_folders`` (a gate
learned on one evaluation and judged on another).
"""
