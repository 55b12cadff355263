"""The HTTP API and the web app: a host over the application that holds no second state.

Read in this order: ``app`` (routes and guard joined), ``http_server``, ``site``, ``auth``, ``guard``,
``debate_routes``, ``entry_routes`` with ``live``, ``read_routes``, ``people_routes``, ``pages``; ``schemas`` and
``read_schemas`` are the types of requests and answers, ``problems`` the errors, ``cache`` what was read before.
"""
