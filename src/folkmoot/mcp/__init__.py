"""The MCP server for coding agents.

Read in this order: ``mcp_host`` (how it starts), ``tools``, ``tool_server``, ``task_extension`` (debates as tasks),
``summaries`` and ``tool_results`` (what is returned), ``clients``, ``http_guard``.
"""
