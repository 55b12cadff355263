"""Rulings: where a decision ends, whether it says that nothing is decided, and whether it is taken back below.

A decision is read from free words, so its end is not marked. What closes the meeting, invented turns, marks of model
templates and other labels are no part of it. Where the author takes the ruling back, neither decision nor status count.
"""

import re
from dataclasses import dataclass

from moot.answers.plain_text import fold, key
from moot.answers.values import Fault, Found
from moot.answers.words import ruling_words
from moot.core.ask import Field, Form

DECIDING = ("decision", "verdict")
"""The fields, compared without case, whose words become the decision of a debate."""

_RULE = re.compile(r"(?:-{3,}|\*{3,}|_{3,}|={3,}|~{3,}|#{3,}|[\u2014\u2500\u2501\u2550]{2,})")
_BULLET = re.compile(r"(?:[-*+•◦▪–—]|\(?(?:\d{1,3}|[a-zA-Z])[.)])[ \t]+|[|>]")
_LABEL = re.compile(
    r"(?P<head>#{1,6}[ \t]+)?[^\w\s*_`#<\[({\"'“„«]{0,4}[ \t]{0,3}(?P<open>\*\*|__|)"
    r"(?P<name>[^\W\d_][\w .'’/&-]{0,40}?)"
    r"[ \t]{0,3}(?P<shut>\*\*|__|)[ \t]*(?P<mark>[:：])(?P<close>\*\*|__|)(?=\s|\*|$|[^\x00-\x7f])(?P<rest>.*)"
)
_HEADING = re.compile(r"(?:#{1,6}[ \t]+(?P<a>.{1,60})|(?:\*\*|__)(?P<b>[^*_]{1,60}?)[:：]?(?:\*\*|__))")
_SENTENCE = re.compile(
    r"(?<=[.!?…])[\"')\]*_”’]*\s+|(?<=[。！？])\s*(?!\Z)|\n+|(?<=\S)[ \t]+[\u2013\u2014-]{1,2}[ \t]+(?=[A-ZÀ-Ý])"
)
_ENDED = re.compile(r"[.!?。！？…][\"'”’»」)\]*_`]*\s*$")
_YAML = re.compile(r"[|>][+-]?\d?[ \t]*\n")
_AROUND = " \t\"'`[](){}<>*_#-\u2013\u2014"
_PAIRS = ("[]", '""', "“”", "„“", "«»", "「」", "<>", "{}")
MOST = 9
"""The most courtesies that are cut."""
_ROLES = re.compile(
    r"(?:user|human|assistant|system|ai|model|bot|tool|parser|engine|(?:system )?note.*|moderator(?:'s)?.*)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The words of a decision and what stands behind them.

    Attributes:
        words: the decision.
        later: what the author says below it, under another label or a ruled line.
    """

    words: str
    later: str = ""


def settle(form: Form, found: Found) -> Found:
    """What was read of a ruling, with the decision cut where it ends; without it, and its status, if taken back."""
    asked = next((field for field in form.fields if is_decision(field)), None)
    if asked is None or not isinstance(raw := found.fields.get(asked.name), str):
        return found
    if asked.kind == "choice":
        return found
    ending = end_of(_unwrapped(raw))
    if is_taken_back(ending):
        return unbooked(form, found)
    del found.fields[asked.name]
    words = _unwrapped(ending.words)
    found.take(asked, Fault("empty") if not words or says_nothing(words) else words)
    return found


def unbooked(form: Form, found: Found) -> Found:
    """What was read of a ruling that is taken back: neither its status nor its decision."""
    for field in form.fields:
        if (field.kind == "choice" or is_decision(field)) and found.fields.pop(field.name, None) is not None:
            found.unread.append(f"{field.name}: ambiguous")
    return found


def is_decision(field: Field) -> bool:
    """Whether the words of a field become the decision."""
    return field.kind in ("text", "choice") and key(field.name) in DECIDING


def says_nothing(words: str) -> bool:
    """Whether words in place of a decision say that there is none."""
    first = next((sentence for sentence in _SENTENCE.split(fold(words)) if key(sentence)), "")
    return ruling_words.NOTHING_DECIDED.search(first.strip(_AROUND)) is not None


def is_taken_back(ending: Ending) -> bool:
    """Whether the author takes back the ruling in its own words, or below them."""
    sentences = [part for part in _SENTENCE.split(fold(ending.words)) if part and part.strip()]
    return any(
        ruling_words.TAKEN_BACK.search(sentence.strip())
        for sentence in (*sentences[1:], *_SENTENCE.split(fold(ending.later)))
        if sentence
    )


def end_of(raw: str) -> Ending:
    """Where a decision ends: at a ruled line, another label, somebody's turn, or what closes the meeting."""
    rows = raw.split("\n")
    start = next((number for number, row in enumerate(rows) if row.strip()), 0)
    above, stop, own = rows[start].rstrip(), len(rows), True
    for number in range(start + 1, len(rows)):
        row, gap = rows[number].strip(), not rows[number - 1].strip()
        if row and (what := _boundary(row, above[-9:], gap=gap)):
            stop, own = number, what == "own"
            break
        above = row or above
    words = _without_courtesies("\n".join(rows[start:stop]))
    return Ending(words=words, later="\n".join(rows[stop:]) if own else "")


def _boundary(row: str, above: str, *, gap: bool) -> str:
    """What a row below a decision begins: ``own`` for other words of the author's, ``turn`` for another's; else ""."""
    if _RULE.fullmatch(row):
        return "own"
    name, marked = _label(row)
    if not name:
        return ""
    if ruling_words.META.fullmatch(name) or ruling_words.TAKEN_BACK.search(name):
        return "own"
    if ruling_words.PART.search(name) or above.endswith((":", "：")):
        return ""
    if _ROLES.fullmatch(name):
        return "own" if name.startswith(("moderator", "note", "system note")) else "turn"
    if marked:
        return "own"
    return "turn" if (gap or _ENDED.search(above)) and len(name.split()) <= 3 and row[0].isupper() else ""


def _label(row: str) -> tuple[str, bool]:
    """The label that a row begins with, folded, and whether it is a heading, bold or in capitals; "" for none."""
    if _BULLET.match(row) and not row.startswith(("|", ">")):
        return "", False
    if heading := _HEADING.fullmatch(row):
        return _bare(heading["a"] or heading["b"]), True
    label = _LABEL.fullmatch(row)
    return (
        (_bare(label["name"]), bool(label["head"] or label["open"] or label["name"].isupper()))
        if label
        else ("", False)
    )


def _bare(name: str) -> str:
    return fold(name).strip(" :*_#")


def _without_courtesies(words: str) -> str:
    """The words without courtesies at their end."""
    words = words.rstrip()
    for _ in range(MOST):
        if not (cuts := [*_SENTENCE.finditer(words)]):
            break
        last = fold(words[cuts[-1].end() :]).strip()
        signed = words[: cuts[-1].start()].rstrip() != words and re.fullmatch(
            r"[\u2013\u2014~-]{0,2}\s*(?:the |your )?(?:moderator|chair(?:man|woman|person)?|judge)\W*", last
        )
        if last and not signed and not ruling_words.COURTESY.search(last) and re.search(r"\w", last):
            break
        words = words[: cuts[-1].start()].rstrip()
    return words


def _unwrapped(words: str) -> str:
    """The words without brackets, quotation marks or YAML's sign that stand around the whole of them."""
    bare = words.strip()
    if block := _YAML.match(bare):
        bare = "\n".join(row.strip() for row in bare[block.end() :].split("\n")).strip()
    while len(bare) > 2:
        pair = next((pair for pair in _PAIRS if bare[0] == pair[0] and bare[-1] == pair[1]), "")
        inside = bare[1:-1]
        if not pair or pair[0] in inside or pair[1] in inside:
            break
        bare = inside.strip()
    return bare
