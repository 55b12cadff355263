"""Results of evaluations: scores become a scoreboard, and the scoreboard becomes text, a page and files.

Read in this order: ``scoreboard`` (the values, and how they are made of scores), ``output`` (text, page and files), and
``past`` (debates on record as an evaluation).
"""
