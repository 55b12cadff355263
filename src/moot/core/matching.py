"""Comparing answers: when two answers count as the same, by wording only and never by meaning.

It also separates a voter's reason from the formula lines of its ballot.
"""

import re
import unicodedata
from collections.abc import Iterable

from moot.core.ask import Value, shown
from moot.core.text import words
from moot.core.transcript import Turn, read_field

_WRAPS = ("**", "__", "~~", "*", "_", "`", '"', "'", ("“", "”"), ("‘", "’"), ("«", "»"), ("„", "“"))
_ENDS = (".", "!", ";", ":", *(wrap[-1] for wrap in _WRAPS))
"""Endings that normalising may remove: a fast check, because each text is compared many times and few end so."""

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_POINT_ZERO = re.compile(r"(?<=\d)\.0+\b(?!\.?\d)")
_WORD = re.compile(r"[^\W\d]|[*_`~\"'”’»]")
"""What must come before a stop other than a full stop; after a digit it may be a sign."""


def normalise(answer: Value) -> str:
    """An open answer in the form in which it is compared.

    Case, blanks, marks around the whole, a stop at the end, ``1,000`` for 1000 and ``18.0`` for 18 make no difference.
    Everything that could matter stays: ``.5``, ``5!``, ``5'``, ``10³`` and ``~5`` are answers of their own.
    """
    text = ", ".join(answer) if isinstance(answer, tuple) else str(answer)
    text = " ".join(unicodedata.normalize("NFC", text).casefold().split())
    while text.endswith(_ENDS) and (bare := _unwrap(_unstop(text).strip())) != text:
        text = bare
    text = _THOUSANDS.sub("", text) if "," in text else text
    return _POINT_ZERO.sub("", text) if ".0" in text else text


def wording(turn: Turn, name: str = "ANSWER") -> str | None:
    """A turn's answer as it is compared: a choice exactly, open words normalised; None if it was not readable."""
    value = read_field(turn, name)
    if value is None:
        return None
    fields = turn.ask.form.fields if turn.ask and turn.ask.form else ()
    closed = any(field.kind == "choice" for field in fields if field.name.casefold() == name.casefold())
    return str(value) if closed else normalise(value)


def alike(wordings: Iterable[str]) -> bool:
    """Whether there are at least two answers and all are the same."""
    answers = list(wordings)
    return len(answers) >= 2 and len(set(answers)) == 1 and answers[0] != ""


def _unstop(text: str) -> str:
    bare = text.rstrip(".")
    if bare == text and _WORD.match((bare := text.rstrip("!;:"))[-1:]) is None:
        return text
    return bare


def _unwrap(text: str) -> str:
    for wrap in _WRAPS:
        opening, closing = wrap if isinstance(wrap, tuple) else (wrap, wrap)
        if text.startswith(opening) and text.endswith(closing):
            inner = text[len(opening) : len(text) - len(closing)]
            if inner and closing not in inner:
                return inner.strip()
    return text


_NUMBER = re.compile(r"^\s*\d{1,3}[.)]\s")


def voter_reason(turn: Turn) -> str:
    """The voter's reason: the text of a ballot without the lines that only state its fields."""
    formulas = [words(f"{name} {shown(value)}") for name, value in turn.fields.items()]
    for name, value in turn.fields.items():
        formulas += [words(text) for text in (name, *value)] if isinstance(value, tuple) else []
    lines = turn.text.split("\n")
    return "\n".join(line for line in lines if words(_NUMBER.sub("", line)) not in formulas).strip()
