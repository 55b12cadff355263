"""Statements of a vote: what stands in a text, and which one stands. This file owns how several are weighed.

Only the author's own, final, unconditional statement counts. What contradicts it, takes it back or renames it books
nothing, unless its words say that the later one stands.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from moot.answers import formulas, phrases, plain_text
from moot.answers.context import WINDOW, Mood, Page
from moot.answers.mentions import SHORT, Roster, undone
from moot.answers.values import Fault
from moot.core.form import ABSTAIN, Field, Value

_REST = re.compile(r"(?:です|だ|に|で|입니다|으로|로)?[\W_]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Something in a text that looks like a vote or an abstention.

    Attributes:
        value: the candidate, ``ABSTAIN``, or "" where no name was read.
        mood: whether it counts.
        reason: why it does not.
        start: where it begins.
        end: where its sentence ends.
        colon: whether it is the form's own formula with its colon.
    """

    value: str
    mood: Mood
    reason: str
    start: int
    end: int
    colon: bool = False


@dataclass(frozen=True, slots=True)
class Reader:
    """One text under reading."""

    asked: Field
    page: Page
    roster: Roster
    formula: re.Pattern[str]
    strict: bool
    speaker: str


def settle(reader: Reader, found: Sequence[Statement]) -> Value | Fault:
    """The one statement that stands."""
    words = reader.page.words
    echoes = [False] + [_echoes(words, earlier, later) for earlier, later in pairwise(found)]
    plains = [each for each, echo in zip(found, echoes, strict=True) if each.mood == "plain" and not echo]
    if not plains:
        doubtful = [each for each in found if each.mood == "unclear"] or found
        return Fault(doubtful[0].reason or "ambiguous")
    last = plains[-1]
    if phrases.TAKEN_BACK.search(words, max(0, last.end - 4)) or _renamed(reader, last) or undone(words[last.end :]):
        return Fault("ambiguous")
    for each in found:
        denied = each.reason == "negated" and each.value == last.value
        against = each.mood != "void" and each.value != last.value
        spared = last.value == ABSTAIN and each.reason == "unknown_name"
        if (denied or (against and not spared)) and not _superseded(reader.page, each, last):
            return Fault("ambiguous")
    if last.value == ABSTAIN:
        return ABSTAIN if reader.asked.abstain else Fault("not_allowed")
    if reader.strict and not any(each.colon and each.value == last.value for each in plains):
        return Fault("no_form")
    return last.value


def _echoes(words: str, earlier: Statement, later: Statement) -> bool:
    """Whether a statement goes on with what was just reported on the same line ("Ann repeats: I vote … I vote …")."""
    same = earlier.mood == "void" and earlier.reason == "quoted_only" and earlier.value == later.value
    return same and "\n" not in words[earlier.start : later.start]


def _renamed(reader: Reader, last: Statement) -> bool:
    """Whether a short sentence after the statement ends with another candidate's name ("Make that Bob.")."""
    words = reader.page.words
    behind = words[last.end : last.end + WINDOW]
    rows = re.split(r"[.!?…。！？\n]+\s*", behind)
    line = words[last.end - 1 : last.end] != "\n" and behind.split("\n")[0].strip()
    curt = re.split(r"[.!?…。！？]", line)[0] if line else ""
    harmless = phrases.ASIDE.search(curt) or formulas.SETTLING.search(curt)
    if 0 < len(curt.split()) <= 3 and not (formulas.CURT.match(curt) or harmless):
        return True
    for row in rows:
        bare = plain_text.key(row)
        joined = re.match(r"(?:or|and|no|rather|oder|und)\W+", bare)
        if joined and reader.roster.at(bare, joined.end())[0] not in ("", plain_text.key(last.value)):
            return True
        rivals = (
            reader.roster.rivals(row, plain_text.key(last.value)) if reader.roster.lasts and len(row) <= SHORT else []
        )
        beside = rivals and len(row.split()) <= 5 and formulas.PREFERS.search(row)
        if (beside or any(_REST.fullmatch(row, end) for _, end in rivals)) and not phrases.ASIDE.search(bare):
            return True
        name = next(
            (each for each in reader.roster.keys if bare.endswith(each) and each != plain_text.key(last.value)), ""
        )
        own = name in ("", reader.speaker) or phrases.ASIDE.search(bare)
        if not own and len(bare.split()) <= 3 + len(name.split()):
            return True
    return False


def _superseded(page: Page, earlier: Statement, last: Statement) -> bool:
    """Whether words between two statements, or the later one itself, say that the later one stands."""
    if earlier.start >= last.start:
        return False
    stop = min(len(page.words), last.start + 40)
    if phrases.CHANGED.search(page.words, earlier.end - 1, stop):
        return True
    before = page.sentence_start(earlier.start)
    final = phrases.FINAL.search(page.words, earlier.end - 1, stop)
    return final is not None and not phrases.FINAL.search(page.words, before, earlier.end)
