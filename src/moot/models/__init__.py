"""Language models behind one port.

Read in this order: ``base`` (the port), ``names`` (``provider:name``), ``pool`` (a name becomes a model with its
layers), ``layers`` (retry, limits, record), ``breaker``, ``stream``, the wires ``ollama`` and ``pydantic_ai_wire``,
``transport`` (HTTP), ``provider_errors``, ``prices``, ``discover``; ``custom`` and its two neighbours for agents of
other programs.
"""
