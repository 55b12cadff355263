"""Statistics of evaluations: does a debate pay, on the same questions at equal cost? Pure functions of numbers.

Read in this order: ``quantiles``, ``paired`` (the difference of two arms with its interval), ``sign_tests`` (its p
value), ``power`` (what n questions can show), ``looks`` (several comparisons, and looks before the end), ``verdicts``
(the words), ``flips``, ``contributions`` (of each seat), ``voices`` (how many independent votes), ``gates`` (when to
debate), ``liars``, ``forecast_scores`` (of one forecast).

Differences are turned so that more is better: right answers minus right answers, or the rival's loss minus one's own.
"""
