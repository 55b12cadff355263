"""Objects: JSON as models write it. This file owns which objects stand in a text and what spoils one.

Allowed beyond JSON, because the meaning is plain: trailing commas, single quotes, raw line breaks and unknown escapes
in strings, Python's ``True``, ``False``, ``None``. Kept apart from JSON, because it is not plain: doubled keys, NaN.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

DEPTH = 20
"""The most objects and lists within each other."""

TRIES = 400
"""The most opening brackets that are tried before a text is given up."""

Json: TypeAlias = "str | bool | Number | list[Json] | Table | None"


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it was written."""

    text: str


@dataclass(slots=True)
class Table:
    """An object: its members in order, and the keys that stand there more than once."""

    members: dict[str, "Json"]
    doubled: tuple[str, ...] = ()


class Malformed(ValueError):
    """Not an object; the text says where reading stopped."""


@dataclass(frozen=True, slots=True)
class Spot:
    """An object in a text, and where it stands."""

    table: Table
    start: int
    end: int


_BLANKS = re.compile(r"[ \t\n\r]*")
_WORD = re.compile(r"[-+]?(?:\d[\d.eE+-]{0,5000}|NaN|nan|Infinity|inf)(?![\w.])|true|false|null|True|False|None")
_PLAIN: Mapping[str, bool | None] = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
}
_PIECE: Mapping[str, re.Pattern[str]] = {
    mark: re.compile(rf"[^{mark}\\]+|\\u[0-9a-fA-F]{{4}}|\\.", re.DOTALL) for mark in "\"'"
}
_ESCAPES: Mapping[str, str] = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "/": "/",
    "\\": "\\",
    '"': '"',
    "'": "'",
}


def objects_in(text: str) -> list[Spot] | None:
    """The complete objects of the outer level in a text, in order; None where the text has too many broken ones."""
    spots: list[Spot] = []
    place = tries = 0
    while (start := text.find("{", place)) >= 0:
        try:
            table, end = _table(text, start + 1, 1)
            spots.append(Spot(table, start, end))
            place = end
        except Malformed:
            place, tries = start + 1, tries + 1
            if tries > TRIES:
                return None
    return spots


def _blanks(text: str, place: int) -> int:
    found = _BLANKS.match(text, place)
    return found.end() if found else place


def _value(text: str, place: int, depth: int) -> tuple[Json, int]:
    mark = text[place : place + 1]
    if mark in ("{", "[") and depth >= DEPTH:
        raise Malformed(f"too deep at {place}")
    if mark == "{":
        return _table(text, place + 1, depth + 1)
    if mark == "[":
        return _row(text, place + 1, depth + 1)
    if mark in ('"', "'") and mark:
        return _string(text, place + 1, mark)
    if found := _WORD.match(text, place):
        word = found[0]
        return (_PLAIN[word] if word in _PLAIN else Number(word)), found.end()
    raise Malformed(f"no value at {place}")


def _table(text: str, place: int, depth: int) -> tuple[Table, int]:
    table = Table({})
    place = _blanks(text, place)
    while text[place : place + 1] != "}":
        mark = text[place : place + 1]
        if mark not in _PIECE:
            raise Malformed(f"no key at {place}")
        name, place = _string(text, place + 1, mark)
        place = _blanks(text, place)
        if text[place : place + 1] != ":":
            raise Malformed(f"no colon at {place}")
        value, place = _value(text, _blanks(text, place + 1), depth)
        table.doubled += (name,) if name in table.members and name not in table.doubled else ()
        table.members[name] = value
        place = _next(text, place, "}")
    return table, place + 1


def _row(text: str, place: int, depth: int) -> tuple[list[Json], int]:
    row: list[Json] = []
    place = _blanks(text, place)
    while text[place : place + 1] != "]":
        value, place = _value(text, place, depth)
        row.append(value)
        place = _next(text, place, "]")
    return row, place + 1


def _next(text: str, place: int, closing: str) -> int:
    """The place after a comma, or of the closing bracket."""
    place = _blanks(text, place)
    if text[place : place + 1] == ",":
        return _blanks(text, place + 1)
    if text[place : place + 1] == closing:
        return place
    raise Malformed(f"no comma at {place}")


def _string(text: str, place: int, mark: str) -> tuple[str, int]:
    pieces: list[str] = []
    while piece := _piece(text, place, mark):
        pieces.append(_meaning(piece) if piece[0] == "\\" else piece)
        place += len(piece)
    if text[place : place + 1] != mark:
        raise Malformed(f"no end of the string at {place}")
    return _paired("".join(pieces)), place + 1


def _piece(text: str, place: int, mark: str) -> str:
    """The next characters of a string up to an escape, or one escape; "" at its end."""
    found = _PIECE[mark].match(text, place)
    return found[0] if found else ""


def _meaning(escape: str) -> str:
    """The character that an escape stands for; an unknown escape stands for itself."""
    return chr(int(escape[2:], 16)) if len(escape) == 6 else _ESCAPES.get(escape[1:], escape)


def _paired(text: str) -> str:
    """The text with escaped surrogate pairs as the characters that they stand for."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
