"""A word in each simulated answer that no other answer has, so that whoever shows it shows that answer."""

import hashlib
from collections.abc import Sequence
from functools import lru_cache

from folkmoot.core.ask import Value

NO_TOKEN = "word000000000"
"""Stands for any token: what is the same but for its token is written and read once."""


def draw(*parts: object) -> int:
    """A number that is always the same for the same things."""
    return _number(repr(parts).encode())


def draws(parts: Sequence[object], names: Sequence[str], last: str) -> list[int]:
    """``draw(*parts, name, last)`` for each name; ``last``, which may be long, is written once."""
    begin, end = "".join(f"{part!r}, " for part in parts), f", {last!r})".encode()
    return [_number(f"({begin}{name!r}".encode() + end) for name in names]


def _number(words: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(words, digest_size=6).digest())


@lru_cache(maxsize=4_096)
def token(debate: str, key: str) -> str:
    """The word that only the answer to that question has."""
    return f"word{draw(debate, key) % 10**9:09d}"


def without_token(value: Value, word: str) -> Value:
    """A value of a field with ``NO_TOKEN`` instead of its token."""
    if isinstance(value, tuple):
        return tuple(item.replace(word, NO_TOKEN) for item in value)
    return value.replace(word, NO_TOKEN) if isinstance(value, str) else value
