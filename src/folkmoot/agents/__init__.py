"""Agents that answer for participants: language models and people, with what they are shown and may use.

Read in this order: ``prompt`` (a context becomes messages), ``llm`` (the agent of a model), ``human`` (the agent of a
person), ``toolkit`` (the Tool port and the tools in an agent's hands), ``acting`` (the agent of a model that answers a
caller of the model endpoint), ``tree_search`` and ``search_tree`` (an agent that searches for its next argument).
"""
