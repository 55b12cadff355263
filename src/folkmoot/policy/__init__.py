"""Pure choices over ballots and transcripts.

Read in this order: ``rules`` (ballots become a decision), ``rankings``, ``rounds`` (who speaks next, how far
apart answers are, and when rounds end), ``early_stop``, ``convergence``, ``pairing`` (who criticises whom),
``board_turns``.
"""
