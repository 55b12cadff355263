"""Claims in SMT-LIB. This file owns which scripts state one, and what of them may reach a solver.

A script states a claim where one assertion has the name ``claim``: ``(assert (! F :named claim))``. All others are
premises. Nothing else says what a script is meant to show: its author may have asserted the claim or its opposite.

What reaches a solver is written anew from the tokens read here, so no command that is not in the list can.
Source: the SMT-LIB Standard 2.6, chapter 3.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from moot.analysis.formula import NotFormal

LONGEST, DEEPEST = 20_000, 100
"""Characters of a script, depth of its brackets."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A script that states a claim, in SMT-LIB: its declarations, its premises and the claim as terms."""

    declarations: str
    premises: tuple[str, ...]
    claim: str


def read_script(text: str) -> Script:
    """Read a script.

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
            raise NotFormal(f"{text[at]!r} at character {at + 1} is no SMT-LIB that is allowed here")
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
        raise NotFormal(f"{_short(name)} is no command that is allowed here: {', '.join(ALLOWED)}")
    return name


def _short(piece: Piece) -> str:
    text = _write(piece)
    return text if len(text) <= 40 else text[:39] + "…"


def _unnamed(term: Piece) -> tuple[Piece, str]:
    """A term without the notes around it, and the name that they give it."""
    if not isinstance(term, list) or len(term) < 2 or term[0] != "!":
        return term, ""
    names = [value for key, value in pairwise(term) if key == ":named"]
    label = names[0] if names else ""
    return term[1], label.strip("|") if isinstance(label, str) else ""


def _write(piece: Piece) -> str:
    return piece if isinstance(piece, str) else f"({' '.join(_write(each) for each in piece)})"
