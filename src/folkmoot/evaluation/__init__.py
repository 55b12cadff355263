"""Statistics of evaluations: does a debate pay, on the same questions at equal cost? Pure functions of numbers.

Read in this order: ``quantiles``, ``paired`` (the difference of two arms with its interval and p value), ``power`` (what n
questions can show; several comparisons, and looks before the end), ``verdicts`` (the words), ``flips`` (answers that a
round has turned), ``gates`` (the threshold above which to debate).

Differences are turned so that more is better: right answers minus right answers, or the rival's loss minus one's own.
"""
