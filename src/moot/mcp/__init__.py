"""The MCP server: coding agents put a question to a panel. This package owns its tools, resources and doors."""
