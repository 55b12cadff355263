"""Briefs in lines of JSON. This file owns what a line may hold, and that each bad one is one error with its number."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, cast

from moot.app.batch.batch_plan import MOST, Item, called, make_item
from moot.app.brief.reader import MOST_BYTES
from moot.app.brief.schema import MOST_SEED
from moot.app.run.api import read_words
from moot.app.run.choosing import Wishes
from moot.core.errors import BriefError
from moot.record.sqlite import is_open


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_id(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[\w.-]{1,64}", value, re.ASCII) is not None


def _are_models(value: object) -> bool:
    each = cast("list[object]", value) if isinstance(value, list) else []
    return bool(each) and all(map(_is_text, each))


def _is_whole(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


_KEYS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "brief": (_is_text, "the path of a brief, or its Markdown"),
    "id": (_is_id, "1 to 64 letters, digits, . - and _"),
    "models": (_are_models, 'a list such as ["ollama:llama3.2"]'),
    "seed": (lambda value: _is_whole(value, MOST_SEED), f"a whole number from 0 to {MOST_SEED}"),
    "protocol": (_is_text, "a text"),
    "strategy": (_is_text, "a text"),
    "rounds": (lambda value: _is_whole(value, 20), "a whole number from 0 to 20"),
}
"""What a line may hold: how a value is checked, and what it must be in words."""


def read_lines(path: Path, wishes: Wishes, faults: list[str]) -> list[Item]:
    """The briefs of a file with one JSON object a line; paths in it begin in its folder.

    Args:
        path: the file.
        wishes: what is wanted where a line does not say.
        faults: what cannot be used is added here, with its line.

    Raises:
        BriefError: the file cannot be read.
    """
    if is_open(path):
        raise BriefError("this is a record that is in use", where=str(path), code="unsafe_path")
    try:
        with path.open("rb") as stream:
            return _read_lines(stream, str(path), path.parent, wishes, faults)
    except OSError as error:
        raise BriefError(f"cannot be read: {error.strerror or error}", where=str(path), code="no_file") from error


def read_stream(stream: BinaryIO, wishes: Wishes, faults: list[str]) -> list[Item]:
    """The same from standard input; paths begin in the current folder."""
    return _read_lines(BytesIO(stream.read()), "standard input", Path(), wishes, faults)


def _read_lines(stream: BinaryIO, name: str, folder: Path, wishes: Wishes, faults: list[str]) -> list[Item]:
    items: list[Item] = []
    lines: dict[str, int] = {}  # on which line each id stands
    n = 0
    while data := stream.readline(MOST_BYTES + 1):
        n += 1
        if n > 2 * MOST:
            raise BriefError(f"more than {2 * MOST:,} lines", where=name, code="too_large")
        if not data.strip():
            continue
        try:
            if len(data) > MOST_BYTES:
                raise BriefError(f"the line is longer than {MOST_BYTES:,} bytes; what follows is not read")
            item = _item(_object(data), wishes, folder, f"{name}:{n}")
            if (own := item.name) in lines:
                raise BriefError(f"the id {own} stands on line {lines[own]} already", code="duplicate_name")
        except BriefError as error:
            faults.append(f"{name}:{n}: {error}")
            if len(data) > MOST_BYTES:
                break
        else:
            lines[item.name] = n
            items.append(item)
    return items


def _object(data: bytes) -> Mapping[str, object]:
    """The object that a line holds, every value checked.

    Raises:
        BriefError: it is none, or holds what it may not.
    """
    try:
        value: object = json.loads(data.strip().decode("utf-8-sig"), object_pairs_hook=_once)
    except UnicodeDecodeError as error:
        raise BriefError("this is no text in UTF-8", code="not_text") from error
    except json.JSONDecodeError as error:
        raise BriefError(f"this is no JSON: {error.msg} at column {error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise BriefError("this is no JSON: a number too long, or nested too deeply") from error
    if not isinstance(value, dict):
        raise BriefError('a line must be an object such as {"brief": "hire.md"}', code="wrong_type")
    given = cast("dict[str, object]", value)
    for key, each in given.items():
        if key not in _KEYS:
            raise BriefError(f"there is no key {key[:60]!r}; there are {', '.join(_KEYS)}", code="unknown_key")
        fits, words = _KEYS[key]
        if not fits(each):
            raise BriefError(f"{key} must be {words}", code="wrong_type")
    if "brief" not in given:
        raise BriefError("the key brief is missing", code="missing_key")
    return given


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        double = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        raise BriefError(f"the key {double[:60]!r} stands there twice", code="duplicate_key")
    return found


def _item(given: Mapping[str, object], wishes: Wishes, folder: Path, where: str) -> Item:
    words = cast("str", given["brief"])
    intake = read_words(words, folder)
    models = tuple(cast("list[str]", given.get("models", ()))) or wishes.models
    wanted = replace(
        wishes,
        models=models,
        seed=cast("int | None", given.get("seed", wishes.seed)),
        protocol=cast("str", given.get("protocol", wishes.protocol)),
        strategy=cast("str", given.get("strategy", wishes.strategy)),
        rounds=cast("int | None", given.get("rounds", wishes.rounds)),
    )
    own = cast("str", given.get("id", ""))
    name = own or f"{called(words, intake)} (line {where.rpartition(':')[2]})"
    return make_item(intake, wanted, name=name, own=own, where=where)
