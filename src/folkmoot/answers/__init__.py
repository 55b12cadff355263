"""Forms as text, both ways: what a prompt asks for, and what an answer says.

Read in this order: ``layout`` (the public functions), ``own_words`` (whose words they are), ``values`` (one field),
``labels``, ``json_answer``, ``tags`` and ``record_blocks`` (the layouts), ``manual_form`` (people), ``schemas``.
No list of words of any language decides anything: an answer counts by its form alone.
"""
