"""OpenAI's interfaces under ``/v1``, with a debate as the answer of a model name.

Read in this order: ``model_routes`` (models and chat completions), ``held_answers`` (what is sent while a debate runs),
``response_routes`` (responses: polled, stopped, followed).
"""
