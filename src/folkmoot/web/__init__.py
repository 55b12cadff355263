"""The HTTP API and the web app; all state stays in the application and its records.

Read in this order: ``app`` (routes and guard joined), ``http_server``, ``site``, ``auth``, ``guard``,
``bodies``, ``debate_routes``, ``entry_routes``, ``read_routes``, ``learned_routes``, ``people_routes``, ``model_api`` (OpenAI's
interfaces), ``pages``; ``schemas`` and ``read_schemas`` are the types of requests and answers, ``problems`` the errors,
``cache`` what was read before.
"""
