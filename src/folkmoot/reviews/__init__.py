"""What a review is made of: the frozen artefact, checked citations, merged findings, their states, and its files.

Read in this order: ``artefact`` (what is reviewed, as text with line numbers), ``diff_reader`` (a diff to an artefact),
``citations`` (whether a quotation stands where it is said to), ``merging`` (findings at one place), ``states`` (the
table from answers to states), ``reviewed`` (a record folded to a review),
``review_data`` (a review as data, SARIF and text).
"""
