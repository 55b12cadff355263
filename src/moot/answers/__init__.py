"""Forms as text, both ways: how an answer is asked for, and how the fields of an answer are read.

Read in this order: ``layout`` (the public functions), ``plain_text``, ``values`` (one field), ``tags`` and
``json_answer`` (other layouts), ``section_shapes`` (odd ones), ``rulings`` (where a decision ends), ``ballot_reader``
with ``mentions`` (a vote in running text), ``manual_form`` (answers that people write). ``formulas``, ``phrases`` and
``ruling_words`` are word lists.
"""
