"""Artifacts: documents, tables and data that turns carry. This file owns what each of them is called."""

from collections.abc import Iterable
from typing import NamedTuple

from moot.core.text import clip
from moot.core.transcript import Turn, read_field

ARTIFACTS = "Artifacts"
"""The field that holds what a turn attaches; the name is compared without case."""

TITLE = 80
"""Characters of a title."""


class Artifact(NamedTuple):
    """What a turn attaches.

    Attributes:
        mark: what it is called by those who cite it: ``A3`` for what turn ``T3`` carries.
        turn: the turn that carries it.
        title: its first line, without the marks of a heading or a list.
        text: the whole of it.
    """

    mark: str
    turn: Turn
    title: str
    text: str


def artifacts(turns: Iterable[Turn]) -> tuple[Artifact, ...]:
    """The artifacts of these turns, in their order; a list of several is one artifact.

    The number is the turn's. So an artifact has one mark for everybody, however many turns each of them is shown.
    """
    found: list[Artifact] = []
    for turn in turns:
        value = read_field(turn, ARTIFACTS)
        text = "\n".join(f"- {each}" for each in value) if isinstance(value, tuple) else str(value or "")
        rows = [row.strip(" \t#*_`>|-") for row in text.splitlines()]
        if text.strip():
            title = next(filter(None, rows), "")
            found.append(Artifact(f"A{turn.number}", turn, clip(title, TITLE), text))
    return tuple(found)
