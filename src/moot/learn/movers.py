"""Who changed whose mind, and by what. This file owns how a change of answer is traced to those who brought it about.

A critique counts where its author accepted it: in the field that asks for that, by the letter or mark of the critique
or by its words. Where the form has no such field, the reason that the author gives for the change has to share words
with the critique. Without either nobody is credited.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from moot.core.text import clip, letter
from moot.core.transcript import Transcript, Turn, read_field
from moot.core.words import terms
from moot.learn.memory import Pattern
from moot.readers.stance import Change, Stand, alike, changes

ACCEPTED = "ACCEPT"
"""How the fields begin in which an author names what he accepts."""

ISSUE, SUGGESTION, BECAUSE = "ISSUE", "SUGGESTION", "BECAUSE"

SHARED = 2
"""So many words of a reason must stand in a critique that is credited with the change."""

_LABEL = re.compile(r"[\s*_(\[]*(?:critique\s+(\w+)|([a-z]{1,2}|t\d+)[\s*_]*(?:[:.,)\]–—-]|$))", re.IGNORECASE)
"""How a critique is named before what is said of it: ``A: …``, ``Critique A …``, ``T7 – …``; not ``A budget is …``."""

LONGEST = 600
"""Characters of a text that is remembered."""


def movers(transcript: Transcript, held: Mapping[str, Sequence[Stand]]) -> Mapping[tuple[str, str], int]:
    """How often one changed another's answer, by the names of both.

    Credited are the critics whose points were accepted, whoever is answered by name, and those whose earlier answer is
    the one that was taken over.
    """
    found: dict[tuple[str, str], int] = {}
    order = {turn.key: turn.number for turn in transcript.all()}
    for change in _changes(held):
        turn = transcript.get(change.key)
        by = {each.by for each in _accepted(transcript, turn)}
        if (target := transcript.target(turn)) is not None:
            by.add(target.by)
        by |= {
            name
            for name, stood in held.items()
            for each in stood
            if order[each.key] < turn.number and alike(each.answer, change.after)
        }
        for name in sorted(by - {change.by}):
            found[name, change.by] = found.get((name, change.by), 0) + 1
    return found


def patterns(
    transcript: Transcript, held: Mapping[str, Sequence[Stand]], seqs: Mapping[str, int]
) -> tuple[Pattern, ...]:
    """The critiques that worked, in the order of the changes.

    Args:
        transcript: of a closed debate.
        held: the answers of each debater.
        seqs: the entry of each turn's answer, by the turn's key.
    """
    return tuple(
        Pattern(
            critic=critique.by,
            author=change.by,
            issue=clip(_issue(critique), LONGEST),
            suggestion=clip(str(read_field(critique, SUGGESTION) or ""), LONGEST),
            before=clip(change.before, LONGEST),
            after=clip(change.after, LONGEST),
            because=clip(change.because, LONGEST),
            seq=seqs[critique.key],
        )
        for change in _changes(held)
        for critique in _accepted(transcript, transcript.get(change.key))
    )


def _changes(held: Mapping[str, Sequence[Stand]]) -> tuple[Change, ...]:
    return changes({name: tuple(stood) for name, stood in held.items()})


def _accepted(transcript: Transcript, turn: Turn) -> list[Turn]:
    """The critiques before that turn's author that it accepts."""
    laid = [transcript.get(key) for key in turn.about]
    critiques = [each for each in laid if each.act == "critique" and each.reply]
    fields = turn.ask.form.fields if turn.ask and turn.ask.form else ()
    names = [field.name for field in fields if field.name.upper().startswith(ACCEPTED)]
    if names:
        said = [text for name in names for text in _texts(turn, name)]
        return [each for n, each in enumerate(critiques) if any(_names(text, n, each) for text in said)]
    because = " ".join(_texts(turn, BECAUSE))
    return [each for each in critiques if _shares(because, each)]


def _names(text: str, n: int, critique: Turn) -> bool:
    """Whether a text begins with the letter or the mark of a critique, or shares words with it."""
    found = _LABEL.match(text)
    label = (found[1] or found[2]).upper() if found else ""
    return label in (letter(n), critique.mark) or (not label and _shares(text, critique))


def _shares(text: str, critique: Turn) -> bool:
    return len(set(terms(text)).intersection(terms(_issue(critique)))) >= SHARED


def _texts(turn: Turn, name: str) -> Iterator[str]:
    value = read_field(turn, name)
    if isinstance(value, tuple):
        yield from value
    elif value is not None:
        yield str(value)


def _issue(critique: Turn) -> str:
    return str(read_field(critique, ISSUE) or critique.text)
