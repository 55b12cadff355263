"""Tools: what a participant can look up or have done while it answers. This file owns what passes between them.

A tool call is part of an ask: it is on record before it is made and never made twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as a model is told of it.

    Attributes:
        name: letters, digits, ``_`` and ``-``; that of a tool from a server begins with the server's name.
        help: what it does, and when to use it.
        parameters: the JSON Schema of its arguments, an object.
    """

    name: str
    help: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A model asks for a tool.

    Attributes:
        id: the provider's name for this call; unique in one answer.
        name: the tool's name.
        arguments: its arguments as JSON text, as the model wrote them.
    """

    id: str
    name: str
    arguments: str = "{}"
