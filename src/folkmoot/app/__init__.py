"""The application: everything between a host (command line, web, MCP, Python API) and the engine.

Read in this order: ``brief`` (text to Brief), ``plan`` (models, agents, tools, cost), ``run`` (the life of a debate),
``export`` (reports and other files), ``review`` (reviews of changes), ``skills`` (guides for agents), then ``batch``,
``serve``, ``program``, ``evaluation`` and ``results``.
"""
