"""What is checked of a simulated world: the invariants of ``simulator.invariants``, by what shows whether they hold.

Read in this order: ``answer_tokens`` (whose words an answer has), ``simulated_answers`` (what is said),
``record_facts`` (what the lines of a record say), ``answer_checks`` (what a model has said, read once more),
``answer_totals`` (what it has used), ``ruling_checks`` (decisions), ``course_checks`` (who is asked, and when a debate
halts or pauses), ``people_checks`` (the time of people), ``record_state`` (all of that, line by line), ``twin_worlds``
(two worlds that must have the same debate), ``breaker_checks`` (who is left out).
"""
