"""Sentences of a text. This file owns where one ends: not behind "Dr.", "e.g.", an initial or "no. 5"."""

import re
from collections.abc import Iterator

from moot.core.words import listed

_END = re.compile(r"(?<![.!?…؟।])[.!?…؟।]+[\"'”’»)\]*_]*(?=\s)|[。！？｡]+[」』”’）]*")
_TITLES = listed("mr mrs ms dr prof st vs e.g i.e cf approx al gen rev hon capt col lt sgt ca")
_BEFORE_FIGURES = listed(
    "no nos p pp fig figs vol sec ch art eq nr para jan feb mar apr jun jul aug sep sept oct nov dec"
)


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a paragraph, each with the offset at which it begins; their blanks are as they stand."""
    start = 0
    for found in _END.finditer(text):
        if _ends(text, found.start(), found.end()):
            yield from _trim(text, start, found.end())
            start = found.end()
    yield from _trim(text, start, len(text))


def _ends(text: str, stop: int, end: int) -> bool:
    """Whether a sentence ends with the mark that stands between these offsets."""
    if text[stop] in "。！？｡":
        return True
    after = text[end : end + 9].lstrip()[:1]
    if after.islower():
        return False
    if text[stop:end] != ".":
        return True
    head = text[max(0, stop - 24) : stop].rsplit(None, 1)
    word = head[-1].lstrip("([\"'“‘").casefold() if head else ""
    if word in _TITLES or (word in _BEFORE_FIGURES and after.isdigit()):
        return False
    # An initial ("J. Smith") or a state ("U.S. Senate"): too little joined would be half a sentence.
    return not re.fullmatch(r"(?:[a-hj-z]|(?:[a-z]\.)+[a-z])", word)


def _trim(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    piece = text[start:end]
    bare = piece.lstrip()
    if bare:
        yield start + len(piece) - len(bare), bare.rstrip()
