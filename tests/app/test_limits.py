"""What can be set has one bound, wherever it is set: a brief, a command, a program, the HTTP API, the MCP server."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

import click
import pytest
from pydantic import TypeAdapter

import folkmoot
from folkmoot.app.batch.batch_plan import Wanted, read_lines
from folkmoot.app.brief.program_values import Brief
from folkmoot.app.brief.types import HEADER, LIMITS, get_key
from folkmoot.app.serve.admission import LONGEST_FILE_NAME, MOST_REQUEST, MOST_SENT
from folkmoot.board import BoardMeeting, BoardMember, TimeKeeper
from folkmoot.cli.commands.run import again, resume, run
from folkmoot.core import brief as core
from folkmoot.core.brief import Bound, Limits, Whole
from folkmoot.core.errors import BriefError, FolkmootError
from folkmoot.council import AgentWrapper, DebateStep
from folkmoot.mcp import tools
from folkmoot.pattern import DebatePattern, ReflectionPattern
from folkmoot.web.schemas import NewDebate
from tests.paths import ROOT

SET: Mapping[str, Whole | Bound] = {"rounds": core.ROUNDS, "seed": core.SEED, **core.LIMITS}
"""What can be set at several entrances, with its bound."""

OPTIONS = {"budget": "cost", "max_tokens": "tokens", "max_questions": "asks"}
"""Options of the command line that are called otherwise."""


def test_a_brief_takes_what_is_within_the_bounds() -> None:
    for name in SET:
        key = get_key(HEADER + LIMITS, name if name in ("rounds", "seed") else f"limits.{name}")
        assert (name, key.low, key.high) == (name, *SET[name])
    for name, bound in (("participants", core.PARTICIPANTS), ("options", core.OPTIONS)):
        assert (get_key(HEADER, name).low, get_key(HEADER, name).high) == bound
    for name in ("reminder_interval", "deadline_interval"):
        assert (get_key(HEADER, name).low, get_key(HEADER, name).high) == core.INTERVAL


def test_a_command_takes_what_is_within_the_bounds() -> None:
    checked: set[str] = set()
    for command in (run, resume, again):
        for param in command.params:
            name = OPTIONS.get(param.name or "", param.name or "")
            if name in SET:
                assert isinstance(param.type, click.IntRange | click.FloatRange)
                assert (name, param.type.min, param.type.max, param.type.min_open) == (name, *SET[name], False)
                checked.add(name)
    assert checked == {*SET} - {"parallel", "quorum", "grace"}, "all but those that stand in briefs alone"


def test_the_http_api_takes_what_is_within_the_bounds() -> None:
    schema = NewDebate.model_json_schema()
    fields = {**schema["$defs"]["Limits"]["properties"], "seed": schema["properties"]["seed"]}
    bounds = {
        name: next((kind["minimum"], kind["maximum"]) for kind in field["anyOf"] if "minimum" in kind)
        for name, field in fields.items()
    }
    assert bounds == {name: tuple(SET[name]) for name in bounds}
    assert {"asks", "tokens", "cost", "turn_seconds", "total_seconds", "seed"} == {*bounds}


def test_the_mcp_server_takes_what_is_within_the_bounds() -> None:
    for kind, bound in ((tools.Rounds, core.ROUNDS), (tools.Money, core.COST)):
        schema = TypeAdapter[Any](cast("Any", kind)).json_schema()
        assert next((part["minimum"], part["maximum"]) for part in schema["anyOf"] if "minimum" in part) == bound


def edges() -> Iterator[tuple[str, float]]:
    """The last value outside of each bound, on both sides."""
    for name, bound in SET.items():
        step = 1 if isinstance(bound, Whole) else 0.001
        yield from ((name, bound.low - step), (name, bound.high + step))


@pytest.mark.parametrize(("name", "value"), tuple(edges()))
def test_a_program_is_refused_what_is_out_of_bounds(
    name: str, value: float, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same sentence says what is allowed, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    low, high = SET[name]
    values: dict[str, Any] = {name: value} if name in ("rounds", "seed") else {"limits": {name: value}}
    with pytest.raises(BriefError) as caught:
        folkmoot.run(
            "Tea or coffee?", model="builtin:quotes", store=tmp_path / "store", participants="builtin", **values
        )
    text = str(caught.value)
    assert f"from {low:,g}" in text or "from 0" in text
    assert name in text
    if name not in ("rounds", "seed") and value >= 0:
        assert f"to {high:,.12g}" in text
        with pytest.raises(BriefError):
            folkmoot.run(Brief(topic="Tea?", limits=Limits(**{name: value})), model="builtin:quotes", store="store")  # pyright: ignore[reportArgumentType]
    if name == "seed":
        with pytest.raises(BriefError, match="seed must be from"):
            folkmoot.run(Brief(topic="Tea?", seed=int(value)), model="builtin:quotes", store="store")


def test_the_interfaces_of_programs_take_the_same_rounds() -> None:
    people = [AgentWrapper("builtin:quotes", name) for name in ("Ann", "Ben")]
    members = (BoardMember("Ann"), BoardMember("Ben"))
    for rounds in (core.ROUNDS.low - 1, core.ROUNDS.high + 1):
        for make in (
            lambda rounds=rounds: DebateStep(people, rounds=rounds),
            lambda rounds=rounds: DebatePattern(max_rounds=rounds),
            lambda rounds=rounds: ReflectionPattern(max_rounds=rounds),
            lambda rounds=rounds: BoardMeeting("Whom?", members, rounds=rounds),
        ):
            with pytest.raises(FolkmootError, match=f"rounds is {rounds}; it must be a whole number from [01] to 20"):
                make()
    for messages in (core.INTERVAL.low - 1, core.INTERVAL.high + 1):
        for keeper in (TimeKeeper(every=messages), TimeKeeper(deadline=messages)):
            with pytest.raises(BriefError, match=f"is {messages}; it must be a whole number from 1 to 200"):
                BoardMeeting("Whom?", members, timekeeper=keeper)


def test_a_batch_takes_the_same(tmp_path: Any) -> None:
    path = tmp_path / "briefs.jsonl"
    path.write_text('{"brief": "A?", "rounds": 21}\n{"brief": "A?", "seed": 2147483648}\n', "utf-8")
    faults: list[str] = []
    assert read_lines(path, Wanted(), faults) == []
    assert [fault.rpartition(": ")[2] for fault in faults] == [
        "rounds must be from 0 to 20, not 21",
        "seed must be from 0 to 2,147,483,647, not 2147483648",
    ]


def test_the_form_sends_no_more_than_the_server_takes() -> None:
    limits = json.loads((ROOT / "frontend/src/limits.json").read_text("utf-8"))
    assert limits == {"files": MOST_SENT, "name": LONGEST_FILE_NAME, "request": MOST_REQUEST}
