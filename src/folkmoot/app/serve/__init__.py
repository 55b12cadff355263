"""What the web server and the MCP server share, and what every screen says of an entry.

Read in this order: ``request_guard`` (hosts, foreign pages, tokens, rates), ``admission`` (a request becomes a debate),
``answer_types`` (what the API and the MCP tools answer alike),
``spending`` (what an owner may spend), ``visibility`` (what a share link shows),
``decision_memo`` (a decision on one page),
``brief_view`` (its brief, whole), ``prompt_view`` (what a participant was sent), ``view_model`` (what an
entry says, as the values of ``entry_view``), ``frames`` (the same as JSON for pages),
``live`` (viewers of a running debate), ``settle`` (wait for the end), ``hang_up`` (a closed terminal),
``server_parts`` (addresses, limits, shutdown).
"""
