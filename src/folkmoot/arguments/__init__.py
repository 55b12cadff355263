"""What was claimed, by whom, and what each claim does to another.

Read in this order: ``positions`` (who answered what, and what changed it), ``unmarked`` (a claim in words alone),
``argument_map``, ``beliefs`` (how strong each answer is), ``tree`` (the map as data and for
Mermaid), ``outline`` (for pages in files), ``argdown`` (for other tools).
"""
