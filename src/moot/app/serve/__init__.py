"""What the web server and the MCP server share.

Read in this order: ``request_guard`` (hosts, foreign pages, tokens, rates), ``admission`` (a request becomes a debate),
``answer_types`` (what the API and the MCP tools answer alike),
``spending`` (what an owner may spend), ``visibility`` (what a share link shows), ``view_model`` (entries for a page),
``server_parts`` (addresses, limits, shutdown).
"""
