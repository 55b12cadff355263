"""What can be set has one bound, wherever it is set: a brief, a command, a program, the HTTP API, the MCP server."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import click
import pytest
from pydantic import TypeAdapter

import folkmoot
from folkmoot.app.batch.batch_plan import Wanted, read_lines
from folkmoot.app.brief.program_values import Brief
from folkmoot.app.brief.schema import HEADER, LIMITS, PARTICIPANT, get_key
from folkmoot.app.serve.admission import LONGEST_FILE_NAME, MOST_REQUEST, MOST_SENT
from folkmoot.board import BoardMeeting, BoardMember, TimeKeeper
from folkmoot.cli.commands.run import again, resume, run
from folkmoot.core import brief as core
from folkmoot.core.brief import Bound, Limits, Whole
from folkmoot.core.errors import BriefError, FolkmootError
from folkmoot.council import AgentWrapper, DebateStep
from folkmoot.mcp import debate_tools
from folkmoot.pattern import DebatePattern, ReflectionPattern
from folkmoot.web.schemas import NewDebate
from tests.house.source import Source, dotted, nodes, parse, read_all
from tests.paths import ROOT

WHERE = "src/folkmoot/core/brief.py"
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
    for kind, bound in ((debate_tools.Rounds, core.ROUNDS), (debate_tools.Money, core.COST)):
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
        folkmoot.run("Tea or coffee?", model="builtin:quotes", store=tmp_path / "store", cast="builtin", **values)
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


# ---- the source: no bound a second time -----------------------------------------------------------------------------

NAMES = re.compile(r"(?:MOST|LEAST)_(?:ROUNDS|SEED|ASKS|COST|OPTIONS|PARTICIPANTS|DEBATERS|AGENTS|PARALLEL)")
BOUNDED = re.compile(r"rounds|seed|asks|tokens|cost|budget|parallel|_seconds$|interval|participants$|options$")


def breaches(source: Source) -> Iterator[str]:
    """Where a file states a bound of its own for what has one in the core."""
    for node in nodes(source.tree):
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and NAMES.fullmatch(target.id) for target in node.targets
        ):
            yield f"{source.path}:{node.lineno}: a bound of its own"
        if isinstance(node, ast.Call):
            yield from (f"{source.path}:{node.lineno}: {number}" for number in _numbers(node))
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and BOUNDED.search(node.target.id):
            for call in (part for part in ast.walk(node) if isinstance(part, ast.Call)):
                if any(isinstance(word.value, ast.Constant) for word in call.keywords if word.arg in SIDES):
                    yield f"{source.path}:{node.lineno}: {node.target.id} has numbers of its own"
        if isinstance(node, ast.Dict) and len(bounded_keys(node)) > 1:
            yield f"{source.path}:{node.lineno}: a table of bounds for {', '.join(bounded_keys(node))}"
        if isinstance(node, ast.Compare) and compares_with_a_bound(node):
            yield f"{source.path}:{node.lineno}: {ast.unparse(node)} has a number of its own"


def bounded_keys(table: ast.Dict) -> list[str]:
    """The names in a table that has a lowest and a highest number for each."""
    return [
        key.value
        for key, value in zip(table.keys, table.values, strict=True)
        if isinstance(key, ast.Constant)
        and key.value in EVERY
        and isinstance(value, ast.Tuple | ast.List | ast.Call)
        and len([part for part in ast.walk(value) if is_number(part)]) > 1
    ]


def compares_with_a_bound(compare: ast.Compare) -> bool:
    """Whether something that has bounds is compared with a number; 0 and 1 say whether there is any."""
    parts = (compare.left, *compare.comparators)
    orders = any(isinstance(sign, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for sign in compare.ops)
    names = {dotted(part.args[0] if isinstance(part, ast.Call) and part.args else part) for part in parts}
    numbers = [part for part in parts if is_number(part) and ast.unparse(part) not in ("0", "1")]
    return orders and bool(numbers) and bool({name.rpartition(".")[2] for name in names} & EVERY)


def is_number(node: ast.AST) -> bool:
    """Whether a number stands there."""
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)


def _numbers(call: ast.Call) -> Iterator[str]:
    """The names of keys and options that a call bounds by numbers."""
    words = {word.arg: word.value for word in call.keywords}
    function = dotted(call.func)
    if function == "Key" and isinstance(name := words.get("name"), ast.Constant):
        short = str(name.value).removeprefix("limits.")
        numbers = [words[side] for side in ("low", "high") if side in words]
        if short in {*SET, "participants", "options"} and any(isinstance(side, ast.Constant) for side in numbers):
            yield f"the key {short} has numbers of its own"
    if function == "click.option" and "type" in words and isinstance(kind := words["type"], ast.Call):
        option = next((part.value for part in call.args if isinstance(part, ast.Constant)), "")
        name = str(option).lstrip("-").replace("-", "_")
        if OPTIONS.get(name, name) in {*SET} and any(isinstance(part, ast.Constant) for part in kind.args):
            yield f"the option {option} has numbers of its own"
    if function == "whole" and len(call.args) > 3 and isinstance(call.args[3], ast.Constant):
        name = ast.unparse(call.args[0])
        yield from [f"{name} has a number of its own"] if BOUNDED.search(name.strip("'")) else []


SIDES = ("ge", "gt", "le", "lt")
EVERY = frozenset({*SET, "participants", "options"}) | {
    key.name for key in PARTICIPANT if key.kind in ("whole", "number")
}
"""All that has bounds in the core or in the table of keys."""

FAULTY = """
MOST_ROUNDS = 20
Key(name="rounds", low=0, high=20)
Key(name="limits.asks", low=1, high=ASKS.high)
click.option("--max-questions", type=click.IntRange(1, 500))
whole("rounds", rounds, 0, 20)
class Limits:
    asks: Annotated[int, Field(ge=1, le=500)]
    tokens: int = Field(ge=1, le=1000)
click.option("--parallel", type=click.IntRange(1, 100))
BOUNDS = {"asks": (1, 10_000), "tokens": Whole(1, 1_000_000)}
wrong = not 1 <= limits.asks <= 10_000
many = len(options) > 20
hot = settings.temperature > 2.0
"""
ALLOWED = """
left = limits.asks - used.asks if limits.asks > 0 else None
many = len(options) > 1
COSTS = {"asks": 3, "tokens": 500}
asks: int = 500
click.option("--parallel", type=click.IntRange(*SERVED))
"""


@pytest.mark.source
def test_no_bound_is_stated_a_second_time() -> None:
    lines = [line for source in read_all() if source.module and source.path != WHERE for line in breaches(source)]
    assert lines == []
    assert (ROOT / WHERE).is_file()


def test_the_rule_sees_a_second_statement() -> None:
    source = parse(FAULTY, "src/folkmoot/x.py")
    assert len(list(breaches(source))) == 12
    assert list(breaches(parse(ALLOWED, "src/folkmoot/x.py"))) == []


def test_the_form_sends_no_more_than_the_server_takes() -> None:
    limits = json.loads((ROOT / "frontend/src/limits.json").read_text("utf-8"))
    assert limits == {"files": MOST_SENT, "name": LONGEST_FILE_NAME, "request": MOST_REQUEST}
    script = (ROOT / "frontend/src/files.ts").read_text("utf-8")
    assert re.findall(r"const (\w+) = [\d *]+;", script) == ["REST"], "the form has no bound of its own"
