"""When two answers are the same. This file owns how answers are compared; it compares meaning nowhere, only wording."""

import re
import unicodedata
from collections.abc import Iterable

from moot.core.form import Value

_MARKUP = re.compile(r"[*_`~\"'“”‘’«»]+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_POINT_ZERO = re.compile(r"(?<=\d)\.0+\b(?!\.?\d)")


def normalise(answer: Value) -> str:
    """An answer without what does not make it another one: case, markup, blanks, a final stop, ``1,000``, ``18.0``."""
    text = ", ".join(answer) if isinstance(answer, tuple) else str(answer)
    text = _MARKUP.sub("", unicodedata.normalize("NFKC", text).casefold())
    text = _POINT_ZERO.sub("", _THOUSANDS.sub("", text))
    return " ".join(text.split()).strip(" .!;:")


def alike(answers: Iterable[Value]) -> bool:
    """Whether there are at least two answers and all are the same."""
    wordings = [normalise(answer) for answer in answers]
    return len(wordings) >= 2 and len(dict.fromkeys(wordings)) == 1 and wordings[0] != ""
