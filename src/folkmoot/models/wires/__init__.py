"""The formats in which models are asked and answer.

Read in this order: ``events`` (bytes to events), ``base`` (what all wires share), ``openai_chat``,
``anthropic_messages``, ``ollama_chat``, ``library`` (all other providers, through PydanticAI), ``acp_programs``,
``acp_process`` and ``acp_agent`` (agents on this machine that speak the Agent Client Protocol).
"""
