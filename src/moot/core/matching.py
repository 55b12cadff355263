"""When two answers are the same. This file owns how answers are compared; it compares meaning nowhere, only wording.

Why somebody voted. This file owns how a voter's reason is told from the formula of its ballot.
"""

import re
import unicodedata
from collections.abc import Iterable

from moot.core.ask import Value, shown
from moot.core.text import words
from moot.core.transcript import Turn, read_field

_WRAPS = ("**", "__", "~~", "*", "_", "`", '"', "'", ("“", "”"), ("‘", "’"), ("«", "»"), ("„", "“"))
_ENDS = (".", "!", ";", ":", *(wrap[-1] for wrap in _WRAPS))
"""How a text ends that may lose something; each text is compared many times, and few end so."""

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_POINT_ZERO = re.compile(r"(?<=\d)\.0+\b(?!\.?\d)")
_WORD = re.compile(r"[^\W\d]|[*_`~\"'”’»]")
"""What a stop other than a full stop must stand behind; behind a digit it may be a sign."""


def normalise(answer: Value) -> str:
    """An open answer without what does not make it another one.

    Case, blanks, marks around the whole, a stop at the end, ``1,000`` for 1000 and ``18.0`` for 18 make no difference.
    Whatever could matter stays: ``.5``, ``5!``, ``5'``, ``10³`` and ``~5`` are answers of their own.
    """
    text = ", ".join(answer) if isinstance(answer, tuple) else str(answer)
    text = " ".join(unicodedata.normalize("NFC", text).casefold().split())
    while text.endswith(_ENDS) and (bare := _unwrap(_unstop(text).strip())) != text:
        text = bare
    text = _THOUSANDS.sub("", text) if "," in text else text
    return _POINT_ZERO.sub("", text) if ".0" in text else text


def wording(turn: Turn, name: str = "ANSWER") -> str | None:
    """What a turn answers, as it is compared: a closed choice to the letter, open words normalised; None if unread."""
    value = read_field(turn, name)
    if value is None:
        return None
    fields = turn.ask.form.fields if turn.ask and turn.ask.form else ()
    closed = any(field.kind == "choice" for field in fields if field.name.casefold() == name.casefold())
    return str(value) if closed else normalise(value)


def alike(wordings: Iterable[str]) -> bool:
    """Whether there are at least two answers and all are the same."""
    given = list(wordings)
    return len(given) >= 2 and len(dict.fromkeys(given)) == 1 and given[0] != ""


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


def beside(turn: Turn) -> str:
    """The words of a ballot beside the lines that are its formula: the voter's reason."""
    formulas = [words(f"{name} {shown(value)}") for name, value in turn.fields.items()]
    for name, value in turn.fields.items():
        formulas += [words(each) for each in (name, *value)] if isinstance(value, tuple) else []
    lines = turn.text.split("\n")
    return "\n".join(line for line in lines if words(_NUMBER.sub("", line)) not in formulas).strip()
