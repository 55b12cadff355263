"""Forms as text, both ways: how an answer is asked for, and how the fields of an answer are read.

Read in this order: ``layout`` (the public functions), ``plain_text``, ``values`` (one field), ``tags`` and
``json_answer`` and ``record_blocks`` (other layouts), ``shapes`` (odd ones), ``rulings`` (where a decision ends, and
whether it is put off or taken back), ``ballot_reader`` with ``blanks``, ``mentions``, ``candidates`` and
``own_words`` (a vote in running text),
``retraction`` (whether what follows takes a statement back; one notion for all readers), ``manual_form`` (answers that
people write). ``schemas`` has answers that must fit a JSON Schema, ``words`` word lists.
"""
