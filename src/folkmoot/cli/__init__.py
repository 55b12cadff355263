"""The command ``folkmoot``: ``main`` (which commands there are), ``options`` (shared ones), ``terminal`` (signals).

Each command has a module in ``commands``; what is shown on the screen is in ``display``.
"""
