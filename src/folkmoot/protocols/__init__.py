"""The protocols: which phases a debate goes through.

Read in this order: ``known`` (all of them, and the moderated debate itself), ``compose`` (what
can be added to any), ``mediators``, ``spec`` (a tree as data and back). Then a module for each protocol:
``council``, ``arena``, ``chaired``, ``grouped``, ``board``; ``formats`` (round_robin, chain_of_thought),
``socratic``, ``parliament`` (bp_style) and ``adjudication`` (its decision), ``fishbowl``, ``open_fight``; and the
folder ``measured`` (panel and gate, single, sample, critique, select, forecast).
"""
