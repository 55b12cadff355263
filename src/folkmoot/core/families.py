"""Families of models: whose errors are likely to be the same, read from their names alone."""

import re
from collections.abc import Mapping

_SAME: Mapping[str, str] = {
    **dict.fromkeys(("o", "chatgpt", "codex", "davinci"), "gpt"),
    **dict.fromkeys(("mixtral", "codestral", "ministral", "magistral", "pixtral", "devstral"), "mistral"),
    **dict.fromkeys(("codellama", "meta-llama"), "llama"),
    **dict.fromkeys(("qwq", "qvq"), "qwen"),
    **dict.fromkeys(("codegemma",), "gemma"),
}
"""Words with which names of one family begin, besides that of the family."""


def family(model: str) -> str:
    """The family of a model: ``qwen`` of ``ollama:qwen3:8b`` and ``router:qwen/qwen3-32b``, ``gpt`` of ``openai:o3``.

    It is the word with which the name begins, so it is a guess: a vendor's families of different names count as
    different, and models of one vendor by different names may share their errors all the same.
    """
    name = model.partition(":")[2].rpartition("/")[2].casefold()
    begun = re.match(r"[^\W\d_]+", name)
    word = begun[0] if begun else name
    return _SAME.get(word, word)
