"""The protocols: which phases a debate goes through.

Read in this order: ``known`` (all of them, and the panel and the moderated debate themselves), ``compose`` (what can be
added to any), ``mediators``, ``spec`` (a tree as data and back); then a module for each format.
"""
