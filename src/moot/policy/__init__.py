"""Pure choices over ballots and transcripts.

Read in this order: ``rules`` (ballots become a decision), ``rankings``, ``rounds`` (who speaks next, and when rounds
end), ``spread`` (how far apart answers are), ``early_stop``, ``convergence``, ``pairing`` (who criticises whom),
``board_turns``.
"""
