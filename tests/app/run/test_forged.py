"""Records that somebody has forged, with all hashes made anew: whoever reads them meets an error of ours, or none."""

import asyncio
import json
from collections.abc import Callable, Generator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest

from folkmoot.analysis.analysis import analyse
from folkmoot.app.export.learned import learn_all
from folkmoot.app.export.paper import memo, print_page, replay
from folkmoot.app.export.recount import recount_debate
from folkmoot.app.export.reports import compare, read_record, write_data, write_log, write_report
from folkmoot.app.export.signed_receipts import make_receipt
from folkmoot.app.run.record_reader import list_open_asks
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import LOGS
from folkmoot.core.errors import FolkmootError, RecordError
from folkmoot.record.store import digest
from folkmoot.testing.store_checks import InMemoryStore
from tests.cli.commands import folkmoot
from tests.kits.thoroughness import MORE
from tests.paths import RECORDS

Line = dict[str, Any]
Place = tuple[str | int, ...]

CORPUS = sorted((RECORDS).glob("*.jsonl"))
ODD: tuple[object, ...] = (
    None,
    True,
    -1,
    0,
    3,
    2.5,
    1e300,
    10**30,
    "",
    "x",
    "\0",
    "Ada",
    "/debate",
    "T1",
    [],
    ["x"],
    {},
    {"a": 1},
    [None],
)
FORGED = 120 if MORE else 40


def whole(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def chained(forged: Sequence[Line]) -> list[str]:
    """The lines of a record with numbers and hashes that are right."""
    lines: list[str] = []
    for seq, line in enumerate(forged, start=1):
        head = {"seq": seq, "prev": digest(lines[-1]) if lines else ""}
        lines.append(json.dumps(line | head, ensure_ascii=False))
    return lines


def places(value: object, at: Place = ()) -> Generator[Place]:
    """The ways to all values inside a value."""
    if at:
        yield at
    if isinstance(value, dict):
        for name, inner in cast("dict[str, object]", value).items():
            yield from places(inner, (*at, name))
    elif isinstance(value, list):
        for n, inner in enumerate(cast("list[object]", value)):
            yield from places(inner, (*at, n))


def found_at(value: Any, place: Place) -> Any:
    for step in place:
        value = value[step]
    return value


def forge(chance: Random) -> list[str]:
    """A record of the corpus with one to three things changed."""
    forged = whole(chance.choice(CORPUS))
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        position, other = chance.randrange(len(forged)), chance.randrange(len(forged))
        match chance.randrange(6):
            case 0:
                del forged[position]
            case 1:
                forged.insert(other, forged[position])
            case 2:
                forged[position], forged[other] = forged[other], forged[position]
            case n:
                forged[position] = respelled(forged[position], forged[other], chance, alike=n < 5)
    return chained(forged)


def respelled(line: Line, other: Line, chance: Random, *, alike: bool) -> Line:
    """A line with one value of its body changed: for another of the same type, or for something odd."""
    changed = cast(Line, json.loads(json.dumps(line)))
    place = chance.choice([*places(changed["body"])])
    inside = found_at(changed["body"], place[:-1])
    old = inside[place[-1]]
    kin = [item for item in map(partial(found_at, other["body"]), places(other["body"])) if type(item) is type(old)]
    inside[place[-1]] = chance.choice(kin) if alike and kin else chance.choice(ODD)
    return changed


async def written(workspace: Workspace, debate: str) -> None:
    """A report in every form, and every log."""
    record = await read_record(workspace, debate)
    for write in (write_report, write_data):
        write(record.report)
    for mode in LOGS:
        write_log(record, mode)
    memo(record)
    print_page(record)


async def played(workspace: Workspace, debate: str) -> None:
    replay(debate, await workspace.entries(debate))


async def analysed(workspace: Workspace, debate: str) -> None:
    analyse(await workspace.entries(debate), debate=debate)


async def set_beside(workspace: Workspace, debate: str) -> None:
    await compare(workspace, debate, "whole")


async def listed(workspace: Workspace, debate: str) -> None:
    shown, _ = await list_open_asks(workspace, await workspace.list())
    assert {summary.debate for summary in shown} == {debate, "whole"}


READERS: tuple[Callable[[Workspace, str], Any], ...] = (
    Workspace.verify,
    written,
    played,
    analysed,
    set_beside,
    listed,
    make_receipt,
    recount_debate,
)


@pytest.mark.parametrize("seed", range(4))
async def test_whoever_reads_a_forged_record_meets_no_other_error(seed: int) -> None:
    chance = Random(seed)
    refused: list[str] = []
    for _ in range(FORGED // 4):
        lines = forge(chance)
        workspace = Workspace(InMemoryStore(), clock=lambda: 0.0)
        await workspace.store.append("whole", chained(whole(CORPUS[0])), after=0)
        await workspace.store.append("d", lines, after=0)
        for read in READERS:
            try:
                await read(workspace, "d")
            except FolkmootError as error:
                refused.append(str(error))
    assert refused
    assert not [text for text in refused if "\n" in text]


def test_the_commands_tell_of_a_forged_record_in_one_sentence(tmp_path: Path) -> None:
    chance = Random(7)

    async def fill() -> None:
        workspace = Workspace.at(tmp_path / "folkmoot.sqlite")
        for n in range(12):
            await workspace.store.append(f"forged-{n}", forge(chance), after=0)
        await learn_all(workspace)
        await workspace.close()

    asyncio.run(fill())
    for n in range(12):
        for command in ("show", "verify", "report"):
            result = folkmoot(tmp_path, command, f"forged-{n}")
            assert result.exit_code in (0, 1), result.output
            assert "internal error" not in result.output
            assert len(result.stderr.splitlines()) == result.exit_code
    assert folkmoot(tmp_path, "list").exit_code == 0


UNFIT: tuple[tuple[str, Line, str], ...] = (
    ("asked", {"to": "Nobody"}, "asks 'Nobody', who is not a participant"),
    ("asked", {"about": ["/x"]}, "shows '/x' to"),
    ("replied", {"key": "/x"}, "answers '/x', but that was never asked"),
    ("called", {"key": "/x"}, "answers '/x', but that was never asked"),
    ("attempted", {"key": "/x"}, "answers '/x', but that was never asked"),
)


@pytest.mark.parametrize(("kind", "change", "message"), UNFIT)
async def test_an_entry_that_does_not_fit_is_named(kind: str, change: Line, message: str) -> None:
    forged = whole(next(path for path in CORPUS if any(line["kind"] == kind for line in whole(path))))
    seq = next(n for n, line in enumerate(forged, start=1) if line["kind"] == kind)
    body = forged[seq - 1]["body"]
    body.get("ask", body).update(change)
    workspace = Workspace(InMemoryStore())
    await workspace.store.append("d", chained(forged), after=0)
    with pytest.raises(RecordError, match=f"^entry {seq}: .*{message}"):
        await read_record(workspace, "d")


@pytest.mark.parametrize("kind", ["opened", "asked", "replied", "closed"])
async def test_an_entry_that_stands_there_twice_is_found(kind: str) -> None:
    forged = whole(CORPUS[0])
    n = next(n for n, line in enumerate(forged) if line["kind"] == kind)
    workspace = Workspace(InMemoryStore())
    await workspace.store.append("d", chained([*forged[: n + 1], forged[n], *forged[n + 1 :]]), after=0)
    with pytest.raises(RecordError, match=f"^entry {n + 2}: the record "):
        await read_record(workspace, "d")
    with pytest.raises(RecordError):
        await workspace.verify("d")
