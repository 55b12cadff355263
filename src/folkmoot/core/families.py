"""Families of models: whose errors are likely to be the same, read from their names alone."""

import re
from collections.abc import Iterable, Mapping

_SAME: Mapping[str, str] = {
    **dict.fromkeys(("o", "chatgpt", "codex", "davinci"), "gpt"),
    **dict.fromkeys(("mixtral", "codestral", "ministral", "magistral", "pixtral", "devstral"), "mistral"),
    **dict.fromkeys(("codellama", "meta-llama"), "llama"),
    **dict.fromkeys(("qwq", "qvq"), "qwen"),
    **dict.fromkeys(("codegemma",), "gemma"),
}
"""Words with which names of one family begin, besides that of the family."""


_MANY = re.compile(r"(?:auto|council|fugu|fusion|moa\b|panel)|.*(?:router|routing|mixture|ensembl|orchestrat)")
"""The names of those that ask other models: routers, panels, mixtures."""


def family(model: str) -> str:
    """The family of a model: ``qwen`` of ``ollama:qwen3:8b`` and ``router:qwen/qwen3-32b``, ``gpt`` of ``openai:o3``.

    It is the word with which the name begins, so it is a guess: a vendor's families of different names count as
    different, and models of one vendor by different names may share their errors all the same. Behind a name that
    stands for many models, such as a router or a debate, may be anyone: its family is unknown, "".
    """
    provider, _, full_name = model.casefold().partition(":")
    vendor, _, name = full_name.rpartition("/")
    # A gateway's own models are made of those of others.
    if _MANY.match(name) or vendor in (provider, "folkmoot") or name == "folkmoot":
        return ""
    begun = re.match(r"[^\W\d_]+", name)
    word = begun[0] if begun else name
    return _SAME.get(word, word)


def are_apart(one: str, other: str) -> bool:
    """Whether two models are of different families, as far as both are known."""
    return "" not in (family(one), family(other)) and family(one) != family(other)


def families_of(models: Iterable[str]) -> frozenset[str]:
    """The families of models that are known; a model whose family is not may be of any of them."""
    return frozenset(map(family, models)) - {""}
