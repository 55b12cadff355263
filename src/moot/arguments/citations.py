"""What turns rest on. This file owns when a source counts as cited: its words, or its name, stand in the turn.

A quotation of the background is ``"words" (name:line)``. It counts as found where the document of that name holds the
words, blanks aside. A source that a tool gave counts where the turn names it. Nothing is guessed from likeness.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from moot.arguments.uses import uses
from moot.core.brief import Brief, Source
from moot.core.event import Entry
from moot.core.form import shown
from moot.core.transcript import Transcript, Turn

QUOTED = re.compile(r"[\"“«]([^\"“”«»\n]{1,2000})[\"”»] \(([^\n]{1,200}?):(\d{1,7})\)")
"""A quotation with its source: ``"words" (name:line)``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A source that a turn cites.

    Attributes:
        key: of the turn.
        mark: its mark.
        by: who cites.
        source: the name of the document, or the address that a tool gave.
        words: the words that were quoted; "" where only the name stands in the turn.
        found: whether the source holds those words; True for a source that a tool gave in that turn.
    """

    key: str
    mark: str
    by: str
    source: str
    words: str = ""
    found: bool = True


def citations(entries: Sequence[Entry], transcript: Transcript) -> tuple[Citation, ...]:
    """All citations, turn by turn in the order of asking."""
    texts = documents(transcript.brief)
    given: dict[str, dict[str, None]] = {}
    for use in uses(entries, transcript):
        given.setdefault(use.key, {}).update(dict.fromkeys(use.sources))
    return tuple(each for turn in transcript.turns() for each in _of(turn, texts, given.get(turn.key, {})))


def documents(brief: Brief | None) -> dict[str, str]:
    """The texts that the brief gives to all, and those that a tool searches, by their names, blanks squeezed."""
    given: tuple[Source, ...] = (*brief.background, *brief.library) if brief else ()
    return {each.name: _squeezed(each.text) for each in given}


def quotations(text: str, texts: Mapping[str, str]) -> Iterator[tuple[str, str, bool]]:
    """What a text quotes: the document's name, the words, and whether that document holds them."""
    for words, name, _ in QUOTED.findall(text):
        if name in texts:
            yield name, words, _squeezed(words) in texts[name]


def spoken(turn: Turn) -> str:
    """Everything that stands in a turn: its words, and its fields where those are other words."""
    return "\n".join(dict.fromkeys((turn.text, *(shown(value) for value in turn.fields.values()))))


def _of(turn: Turn, texts: Mapping[str, str], given: Mapping[str, None]) -> Iterator[Citation]:
    if not texts and not given:
        return
    said = spoken(turn)
    for name, words, found in dict.fromkeys(quotations(said, texts)):
        yield Citation(key=turn.key, mark=turn.mark, by=turn.by, source=name, words=words, found=found)
    for source in given:
        if source in said:
            yield Citation(key=turn.key, mark=turn.mark, by=turn.by, source=source)


def _squeezed(text: str) -> str:
    return " ".join(text.split())
