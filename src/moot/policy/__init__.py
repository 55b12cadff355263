"""Pure choices over ballots and transcripts.

Read in this order: ``rules`` (ballots become a decision), ``rankings``, ``stops`` (when rounds end), ``early_stop``,
``convergence``, ``turns`` (who speaks next), ``pairing`` (who criticises whom), ``board_turns``.
"""
