"""A value is taken or refused alike at every entrance: YAML, JSON, ``--set``, batches, Python, the HTTP API, MCP."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
from pydantic import TypeAdapter, ValidationError

from folkmoot.app.batch.batch_plan import Wanted, read_lines
from folkmoot.app.brief.reader import read_brief, read_settings
from folkmoot.app.brief.types import HEADER, LIMITS, PARTICIPANT, Key, get_key
from folkmoot.app.plan.checks import check_brief, check_number, check_topic
from folkmoot.app.serve.admission import read_remote
from folkmoot.core import brief as core
from folkmoot.core.brief import Brief, Limits, Participant, Search, Settings
from folkmoot.core.errors import BriefError
from folkmoot.mcp.tools import Money, Rounds
from folkmoot.web.problems import invalid
from folkmoot.web.schemas import NewDebate

ANN, BOB = Participant(name="Ann"), Participant(name="Bob")
BRIEF = Brief(topic="Tea or coffee?", participants=(ANN, BOB))
SETTINGS = tuple(field.name for field in fields(Settings))
SHARED = ("role", "persona", "weight", "priority", "language", *SETTINGS)
"""The keys of a participant that a program sets by fields of the same names."""

KEYS = (
    *(get_key(HEADER, name) for name in ("topic", "rules", "rounds", "seed", "options")),
    *LIMITS,
    *(get_key(PARTICIPANT, name) for name in (*SHARED, "search.simulations", "search.depth")),
)


def values(key: Key) -> Iterator[object]:
    """Values within the bounds of a key, at their edges and outside, and of other types."""
    chance = Random(key.name)
    low, high = key.low, key.high
    match key.type:
        case _ if key.type is int:
            yield from (int(low), int(high), int(low) - 1, int(high) + 1, chance.randint(int(low), int(high)))
        case _ if key.type is float:
            yield from (low, high, low - 0.001, high + 0.001, chance.uniform(low, high), -1e9, 1e16)
        case _ if key.is_list:
            most = int(high)
            yield from (
                ["a", "b"],
                [f"n{n}" for n in range(most)],
                [f"n{n}" for n in range(most + 1)],
                ["a", "x" * 999],
            )
            yield from ([[f"n{n}" for n in range(int(low) - 1)]] if low > 1 else [])
        case _ if key.name != "keep_alive":
            longest = int(high or 100)
            yield from ("a word", "a" * longest, "a" * (longest + 1) if high else "ab")
        case _:
            yield from ("10m", "1 hour", "-1")


def sentence(error: BaseException) -> str:
    """The sentence of an error without its place and the other names of its key."""
    text = re.sub(r"^(?:[^ ]*:\d+: |line \d+: |--set: |body: |Ann: )+", "", str(error))
    return re.sub(r"((?:\w|\.)+)(?: / [\w.]+)+", r"\1", text)


def refusal(work: Callable[..., object], *arguments: object) -> str:
    """The sentence with which something is refused; "" where it is taken."""
    try:
        work(*arguments)
    except BriefError as error:
        return sentence(error)
    return ""


def as_header(key: Key, value: object) -> Mapping[str, object]:
    """The header of a brief with a value under a key."""
    first, _, second = key.name.partition(".")
    own = {first: {second: value}} if second else {first: value}
    if key in PARTICIPANT:
        return {"topic": "Tea or coffee?", "participants": [{"name": "Ann", **own}, {"name": "Bob"}]}
    return {"topic": "Tea or coffee?", **own}


def as_yaml(key: Key, value: object) -> None:
    header = "\n".join(f"{name}: {json.dumps(item)}" for name, item in as_header(key, value).items())
    read_brief(f"---\n{header}\n---\n\nTea is warm.\n", name="b.md")


def as_json(key: Key, value: object) -> None:
    read_remote(cast(Any, as_header(key, value)))


def as_program(key: Key, value: object) -> None:
    accepted = tuple(cast("list[str]", value)) if isinstance(value, list) else value
    first, _, second = key.name.partition(".")
    change: dict[str, Any] = {second or first: accepted}
    if first == "limits":
        check_brief(replace(BRIEF, limits=Limits(**change)))
    elif first == "rounds":
        check_number("rounds", accepted)
    elif first == "topic":
        check_topic(str(accepted))
    elif key not in PARTICIPANT:
        check_brief(replace(BRIEF, **change))
    else:
        if first == "search":
            change = {"search": Search(**change)}
        elif first in SETTINGS:
            change = {"settings": Settings(**change)}
        check_brief(replace(BRIEF, participants=(replace(ANN, **change), BOB)))


@pytest.mark.parametrize("key", KEYS, ids=[key.name for key in KEYS])
def test_yaml_json_and_programs_refuse_the_same_in_the_same_words(key: Key) -> None:
    for value in values(key):
        wrong = refusal(as_yaml, key, value)
        assert refusal(as_json, key, value) == wrong, value
        assert refusal(as_program, key, value) == wrong, value
        if key in HEADER + LIMITS and key.name != "topic":
            assert refusal(read_settings, [f"{key.name}={json.dumps(value)}"]) == wrong, value


@pytest.mark.parametrize("name", ["rounds", "seed"])
def test_a_line_of_a_batch_refuses_the_same_in_the_same_words(name: str, tmp_path: Path) -> None:
    key, path = get_key(HEADER, name), tmp_path / "briefs.jsonl"
    others: tuple[object, ...] = ("two", None, True, 2.5, [], "")
    for value in (*values(key), *others):
        path.write_text(json.dumps({"brief": "Tea?", name: value}) + "\n", "utf-8")
        faults: list[str] = []
        read_lines(path, Wanted(), faults)
        expected = refusal(check_number, name, value)
        assert [sentence(BriefError(fault)) for fault in faults] == [expected] * bool(expected), value


@pytest.mark.parametrize(
    "name", ["seed", *(name for name in core.LIMITS if name not in ("parallel", "quorum", "grace"))]
)
def test_the_http_api_refuses_the_same_in_the_same_words(name: str) -> None:
    key = get_key(HEADER if name == "seed" else LIMITS, name if name == "seed" else f"limits.{name}")
    for value in (*values(key), "x"):
        body = {"brief": "Tea?", **({"seed": value} if name == "seed" else {"limits": {name: value}})}
        try:
            NewDebate.model_validate(body)
            wrong = ""
        except ValidationError as error:
            wrong = sentence(invalid([{**fault, "loc": ("body", *fault["loc"])} for fault in error.errors()]))
        assert wrong == refusal(as_yaml, key, value), value


def test_the_mcp_server_takes_the_same() -> None:
    for name, kind in (("rounds", Rounds), ("limits.cost", Money)):
        key = get_key(HEADER + LIMITS, name)
        for value in values(key):
            try:
                TypeAdapter[Any](cast(Any, kind)).validate_python(value)
                accepted = True
            except ValidationError:
                accepted = False
            assert accepted == (refusal(as_yaml, key, value) == ""), (name, value)


def test_the_deadline_of_a_person_has_the_same_end() -> None:
    year = 366 * 86_400.0
    check_brief(replace(BRIEF, participants=(replace(ANN, seat="human", deadline=year), BOB)))
    for seconds in (0.0, year + 1):
        problem = f"Ann: deadline must be from 1s to 366d, not {seconds:g}s"
        with pytest.raises(BriefError, match=re.escape(problem)):
            check_brief(replace(BRIEF, participants=(replace(ANN, seat="human", deadline=seconds), BOB)))
