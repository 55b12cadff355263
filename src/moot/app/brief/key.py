"""One key of a brief. This file owns what a setting may hold, and what is known of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "text", "name", "prose", "whole", "number", "flag", "choice", "choices", "texts", "several", "paths", "letters",
    "span", "term", "tools", "model", "models", "people", "table",
]  # fmt: skip
"""What a key holds: ``text`` one line; ``name`` a name; ``prose`` text of any length or a list of lines; ``whole`` a
whole number; ``choices`` one of the choices or a list of them; ``texts`` a list of texts; ``several`` one text or a
list; ``paths`` one file name or a list; ``letters`` one text or a list, kept to the letter; ``span`` a length of time
such as 10m, as servers of models take it; ``term`` a length of time such as 2d; ``tools`` yes, no or a list of choices;
``model`` provider:name; ``models`` one or a list of them; ``people`` a list of names or of tables with the keys of a
participant; ``table`` a table of the keys whose names begin with this one's and a point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key.

    Attributes:
        name: its documented name; that of a limit begins with ``limits.``, of a search's with ``search.``.
        kind: what it holds.
        help: what it means, in a sentence.
        aliases: other names that are read as well.
        low: the least number, or number of entries.
        high: the greatest number, number of entries, or number of characters.
        choices: the allowed words.
        example: a value as it is written in a brief.
        hints: words that people write when they mean this key; never read, only suggested.
        loose: whether case, blanks and hyphens of a choice do not matter.
        same: further words for choices, each with the choice that it means.
        further: choices beside these, which are looked up only when another word comes up.
    """

    name: str
    kind: Kind
    help: str
    aliases: tuple[str, ...] = ()
    low: float = 0
    high: float = 0
    choices: tuple[str, ...] = ()
    example: str = ""
    hints: tuple[str, ...] = ()
    loose: bool = False
    same: tuple[tuple[str, str], ...] = ()
    further: Callable[[], tuple[str, ...]] | None = None
