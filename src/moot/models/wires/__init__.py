"""The formats in which models are asked and answer.

Read in this order: ``events`` (bytes to events), ``base`` (what all wires share), ``openai_chat``,
``anthropic_messages``, ``ollama_chat``, and ``library`` (all other providers, through PydanticAI).
"""
