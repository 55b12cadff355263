"""A look around from the desk. This file owns which model of a server on this machine is taken unasked."""

import re

from moot.models.discover import Reach, look_around

__all__ = ["Reach", "first_chat_model", "look_around"]


_OTHER = re.compile(r"embed|minilm|\bbge\b|rerank|whisper|clip\b", re.IGNORECASE)
"""What the names of models that do not chat are recognised by."""


async def first_chat_model() -> str:
    """The first model of a running Ollama that can chat; "" where there is none."""
    reach = await look_around()
    models = (model for server in reach.servers if server.provider == "ollama" for model in server.models)
    return next((model for model in models if not _OTHER.search(model)), "")
