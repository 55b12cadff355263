"""The MCP server for coding agents.

Read in this order: ``mcp_host`` (how it starts), ``tool_list``, ``tool_server``, ``debate_tools``, ``read_tools``,
``people_tools``, ``task_extension`` and ``task_results`` (debates as tasks), ``summaries`` and ``tool_results`` (what
is returned), ``clients``, ``http_guard``.
"""
