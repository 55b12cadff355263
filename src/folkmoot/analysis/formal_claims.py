"""Formal claims in a record: which lines and fenced blocks state one.

    FORMAL CLAIM: 17 * 24 = 408

    ```smt2
    (declare-const x Real)
    (assert (! (>= (* x x) 0) :named claim))
    ```

Only an author's own words count: quotations, other code and thinking state nothing, nor do turns that report what
others said. Whether a claim is true is checked elsewhere.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from folkmoot.core.event import Entry, Interjected, Replied
from folkmoot.core.transcript import INTERJECTION, SUMMARY, Transcript, Turn, fold

LABEL = "FORMAL CLAIM:"
"""How a line begins that states a claim in arithmetic or logic."""

Kind: TypeAlias = Literal["formula", "smtlib"]
Verdict: TypeAlias = Literal["proved", "refuted", "unknown", "not_formalisable"]

_LINE = re.compile(rf" {{0,3}}(?:(?:[-+*]|\d{{1,3}}[.)]) +)?(?:\*\*)?{LABEL}(?:\*\*)?(?=\s)(.*)")
_FENCE = re.compile(r"\s*(?:(?:[-+*]|\d{1,9}[.)])\s+)?(`{3,}(?=[^`]*$)|~{3,})\s*([\w-]*)")
_THOUGHTS = re.compile(r"<(think|thinking)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_LANGUAGES = ("smt2", "smtlib", "smtlib2", "smt-lib", "smt-lib2")
_TOLD = ("recall", "translate", "gauge", SUMMARY)
"""The acts of turns whose words are those of others."""

_QUOTES = ("QUOTE", "WHERE", "SUMMARY", "ACCEPTS", "REJECTS")
"""The fields whose words are those of others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A claim that is stated formally.

    Attributes:
        by: who states it; "" for the brief.
        seq: the entry in which it stands.
        mark: the turn's mark; "" for the brief.
        source: the document of the brief in which it stands, ``topic`` for the question; "" in a turn.
        kind: whether it is a line in our own language or a script in SMT-LIB.
        text: its words.
        complete: whether the block was closed; of a line always.
    """

    by: str
    seq: int
    mark: str = ""
    source: str = ""
    kind: Kind
    text: str
    complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A claim and the result of its check.

    Attributes:
        claim: the claim.
        verdict: what it is.
        reason: why, in words.
        example: of a refuted claim, values of its variables for which it is false.
    """

    claim: Claim
    verdict: Verdict
    reason: str
    example: Mapping[str, str] = field(default_factory=dict[str, str])


def formal_claims(entries: Sequence[Entry]) -> tuple[Claim, ...]:
    """All claims that a record states formally, those of the brief first, then turn by turn in the order of asking.

    What a turn states twice in the same words is one claim.
    """
    transcript = fold(entries)
    return (
        *_of_brief(transcript),
        *(claim for seq, turn in _turns(entries, transcript) for claim in _of_turn(seq, turn)),
    )


def _of_brief(transcript: Transcript) -> Iterator[Claim]:
    brief = transcript.brief
    texts = [("topic", brief.topic), *((source.name, source.text) for source in brief.background)] if brief else []
    for source, text in texts:
        for kind, words, complete in dict.fromkeys(stated(text)):
            yield Claim(by="", seq=1, source=source, kind=kind, text=words, complete=complete)


def _turns(entries: Iterable[Entry], transcript: Transcript) -> Iterator[tuple[int, Turn]]:
    """The turns that speak for themselves, each with the entry that contains its words."""
    replied: dict[str, int] = {}
    outside: list[int] = []
    for entry in entries:
        match entry.event:
            case Replied(key=key):
                replied[key] = entry.seq
            case Interjected():
                outside.append(entry.seq)
            case _:
                pass
    numbers = iter(outside)
    for turn in transcript.turns():
        seq = next(numbers) if turn.act == INTERJECTION and turn.ask is None else replied[turn.key]
        if turn.act not in _TOLD:
            yield seq, turn


def _of_turn(seq: int, turn: Turn) -> Iterator[Claim]:
    claims = (item for text in _own_texts(turn) for item in stated(text))
    for kind, words, complete in dict.fromkeys(claims):
        yield Claim(by=turn.by, seq=seq, mark=turn.mark, kind=kind, text=words, complete=complete)


def _own_texts(turn: Turn) -> Iterator[str]:
    """The texts of a turn that are its author's own: the words without what a field quotes, then the fields.

    Of JSON and tags only the fields are words; the rest is written in another way.
    """
    form = turn.ask.form if turn.ask else None
    text, own = turn.text, list[str]()
    for name, value in turn.fields.items():
        words = value if isinstance(value, tuple) else (str(value),)
        if name.upper() not in _QUOTES:
            own += words
            continue
        for word in filter(None, words):
            text = text.replace(word, "")
    yield from own if own and form and form.layout in ("json", "tags") else (text, *own)


def stated(text: str) -> Iterator[tuple[Kind, str, bool]]:
    """The claims that a text states: the kind, the words, and whether they are all there."""
    fence, language, block, quotes = "", "", list[str](), 0
    for line in _THOUGHTS.sub("", text).split("\n"):
        if fence:
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                yield from _block(language, block, complete=True)
                fence, block = "", []
            else:
                block.append(line)
        elif match := _FENCE.match(line):
            fence, language = match[1], match[2].casefold()
        else:
            quotes = 0 if not line.strip() else quotes
            if quotes % 2 == 0 and (claim := _LINE.fullmatch(line)):
                yield "formula", _claim_text(claim[1]), True
            quotes += sum(map(line.count, '"„“”«»'))
    if fence:
        yield from _block(language, block, complete=False)


def _block(language: str, lines: Sequence[str], *, complete: bool) -> Iterator[tuple[Kind, str, bool]]:
    if language in _LANGUAGES:
        yield "smtlib", "\n".join(lines).strip("\n"), complete


def _claim_text(words: str) -> str:
    """A claim without the marks of code around it and the full stop after it."""
    formula_text = words.strip().removesuffix(".").strip()
    if len(formula_text) > 2 and formula_text[0] == formula_text[-1] == "`":
        formula_text = formula_text[1:-1].strip()
    return formula_text
