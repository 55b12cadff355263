"""The built-in debater that needs no model, for demonstrations and tests: it quotes the brief's documents.

Read in this order: ``debater`` (the agent), ``speech`` (what it says in each act), ``answers_by_act`` (fields),
``reviewer`` (what it says of a change), ``schema_sample`` (an answer that fits a schema), ``evidence`` (which passages
it takes), ``material`` (passages, phrases, a lexicon).
"""
