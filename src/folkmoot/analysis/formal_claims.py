"""Formal claims in a record: which fenced blocks state one in SMT-LIB, and what a script may contain.

    ```smt2
    (declare-const x Real)
    (assert (! (>= (* x x) 0) :named claim))
    ```

Only an author's own words count: quotations, other code and thinking state nothing, nor do turns that report what
others said. A script states a claim if one assertion has the name ``claim``; all others are premises. Without that name
nobody knows what it should show: its author may have asserted the claim or its opposite. Whether a claim is true is
checked elsewhere.

Source: the SMT-LIB Standard 2.6, chapter 3.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, TypeAlias

from folkmoot.core.event import Entry, Interjected, Replied
from folkmoot.core.transcript import INTERJECTION, SUMMARY, Transcript, Turn, fold

Verdict: TypeAlias = Literal["proved", "refuted", "unknown", "not_formalisable"]

_FENCE = re.compile(r"\s*(?:(?:[-+*]|\d{1,9}[.)])\s+)?(`{3,}(?=[^`]*$)|~{3,})\s*([\w-]*)")
_THOUGHTS = re.compile(r"<(think|thinking)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_LANGUAGES = ("smt2", "smtlib", "smtlib2", "smt-lib", "smt-lib2")
_REPORTING = ("recall", "translate", "gauge", SUMMARY)
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
        text: the script.
        complete: whether its block was closed.
    """

    by: str
    seq: int
    mark: str = ""
    source: str = ""
    text: str
    complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A claim and the result of its check.

    Attributes:
        claim: the claim.
        verdict: what it is.
        reason: why, in words.
        example: of a refuted claim, values for which it is false.
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
        for script, complete in dict.fromkeys(stated(text)):
            yield Claim(by="", seq=1, source=source, text=script, complete=complete)


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
        if turn.act not in _REPORTING:
            yield seq, turn


def _of_turn(seq: int, turn: Turn) -> Iterator[Claim]:
    claims = (item for text in _own_texts(turn) for item in stated(text))
    for script, complete in dict.fromkeys(claims):
        yield Claim(by=turn.by, seq=seq, mark=turn.mark, text=script, complete=complete)


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


def stated(text: str) -> Iterator[tuple[str, bool]]:
    """The scripts in a text's fenced blocks, and whether each block was closed."""
    fence, language, block = "", "", list[str]()
    for line in _THOUGHTS.sub("", text).split("\n"):
        if not fence:
            if match := _FENCE.match(line):
                fence, language, block = match[1], match[2].casefold(), []
        elif not line.strip().startswith(fence) or line.strip().strip(fence[0]):
            block.append(line)
        else:
            fence = ""
            if language in _LANGUAGES:
                yield "\n".join(block).strip("\n"), True
    if fence and language in _LANGUAGES:
        yield "\n".join(block).strip("\n"), False


# ---- scripts ---------------------------------------------------------------------------------------------------------

LONGEST = 20_000
"""Characters of a script."""

DEEPEST = 100
"""The depth of its brackets."""

CLAIM = "claim"
"""The name of the assertion that is the claim."""

_DECLARE = ("declare-const", "declare-fun", "declare-sort", "define-fun", "define-sort")
_IGNORED = ("set-logic", "set-info", "check-sat", "get-model", "get-info", "echo", "exit")
ALLOWED = (*_DECLARE, "assert", *_IGNORED)
"""The commands that may stand in a script; those from ``set-logic`` on change nothing, but ``exit`` ends it."""

_TOKEN = re.compile(
    r"[ \t\n]+|;[^\n]*"
    r'|(?P<token>[()]|"(?:[^"\\]|"")*"|\|[^|\\]*\||#x[0-9A-Fa-f]+|#b[01]+|:?[A-Za-z0-9~!@$%^&*_+=<>.?/-]+)'
)

Piece: TypeAlias = "str | list[Piece]"


class NotFormal(ValueError):
    """A text states no claim that a solver could be asked; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A script that states a claim, in SMT-LIB: its declarations, its premises and the claim as terms."""

    declarations: str
    premises: tuple[str, ...]
    claim: str


def read_script(text: str) -> Script:
    """Read a script, and write it anew from its tokens: no command that isn't allowed ever reaches the solver.

    Raises:
        NotFormal: it is not SMT-LIB, too long or too deep, has a command that is not allowed, or states no claim.
    """
    if len(text) > LONGEST:
        raise NotFormal(f"it has {len(text)} characters; {LONGEST} are allowed")
    declared: list[str] = []
    premises: list[str] = []
    claims: list[str] = []
    for command in _commands(text):
        name = _command(command)
        if name == "exit":
            break
        if name in _DECLARE:
            declared.append(_write(command))
        elif name == "assert":
            if len(command) != 2:
                raise NotFormal("an (assert …) needs one term")
            term, label = _unnamed(command[1])
            (claims if label == CLAIM else premises).append(_write(term))
    if len(claims) != 1:
        many = "no assertion has" if not claims else f"{len(claims)} assertions have"
        raise NotFormal(f"{many} the name {CLAIM}; say what is claimed: (assert (! … :named {CLAIM}))")
    return Script(declarations="\n".join(declared), premises=tuple(premises), claim=claims[0])


def _commands(text: str) -> list[Piece]:
    """The brackets of the outermost level, read without recursion."""
    outer: list[Piece] = []
    ahead: list[list[Piece]] = [outer]
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if not match:
            raise NotFormal(f"{text[at]!r} at character {at + 1} is not SMT-LIB that is allowed here")
        at = match.end()
        token = match["token"]
        if token == "(":
            inner: list[Piece] = []
            ahead[-1].append(inner)
            ahead.append(inner)
            if len(ahead) > DEEPEST + 1:
                raise NotFormal(f"it is nested deeper than {DEEPEST} at character {at}")
        elif token == ")":
            ahead.pop()
            if not ahead:
                raise NotFormal(f"the bracket at character {at} closes nothing")
        elif token:
            ahead[-1].append(token)
    if len(ahead) > 1:
        raise NotFormal("a bracket is not closed")
    return outer


def _command(piece: Piece) -> str:
    name = piece[0] if isinstance(piece, list) and piece else piece
    if not isinstance(piece, list) or not isinstance(name, str) or name not in ALLOWED:
        raise NotFormal(f"{_shortened(name)} is not an allowed command; allowed are {', '.join(ALLOWED)}")
    return name


def _shortened(piece: Piece) -> str:
    text = _write(piece)
    return text if len(text) <= 40 else text[:39] + "…"


def _unnamed(term: Piece) -> tuple[Piece, str]:
    """A term without the annotations around it, and the name that they give it."""
    if not isinstance(term, list) or len(term) < 2 or term[0] != "!":
        return term, ""
    names = [value for key, value in pairwise(term) if key == ":named"]
    label = names[0] if names else ""
    return term[1], label.strip("|") if isinstance(label, str) else ""


def _write(piece: Piece) -> str:
    return piece if isinstance(piece, str) else f"({' '.join(_write(item) for item in piece)})"
