"""One damaged debate in a store: it is shown as damaged, with the reason, and hides no other."""

import asyncio
import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from folkmoot.app.brief.reader import read_brief
from folkmoot.app.run.access import Claim, claim
from folkmoot.app.run.prepare import Overrides, prepare
from folkmoot.app.run.runner import Runner
from folkmoot.app.run.start import find_generation
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.spending import Spending
from folkmoot.core.event import Asked, Entry, Interjected
from folkmoot.record.store import chain_lines, decode, encode
from folkmoot.testing.wire_formats import Plan
from tests.cli.commands import folkmoot, served
from tests.paths import RECORDS
from tests.web.web_kit import opened

GARBAGE = "no line of any record"
DAMAGES: Mapping[str, int] = {"first": 0, "middle": 5, "last": -1}


def lines(name: str) -> list[str]:
    return (RECORDS / f"v2-{name}.jsonl").read_text("utf-8").splitlines()


def unfinished() -> list[str]:
    """A record whose end is missing."""
    return lines("panel")[:-1]


def spoiled(texts: Sequence[str], where: str) -> list[str]:
    """The lines with one that is none."""
    spoilt = list(texts)
    spoilt[DAMAGES[where]] = GARBAGE
    return spoilt


def fill(path: Path, **records: Sequence[str]) -> None:
    """A store with these records."""

    async def write() -> None:
        workspace = Workspace.at(path)
        for debate, written in records.items():
            await workspace.store.append(debate.replace("__", "/"), written, after=0)
        await workspace.close()

    asyncio.run(write())


@pytest.fixture(params=[*DAMAGES])
def store(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A store with whole debates, and two that are damaged at the same place, one of them unfinished."""
    fill(
        tmp_path / "folkmoot.sqlite",
        before=lines("arena"),
        broken=spoiled(unfinished(), request.param),
        over=spoiled(lines("panel"), request.param),
        after=unfinished(),
    )
    return tmp_path


def test_the_list_shows_the_damaged_debate_and_all_others(store: Path) -> None:
    result = folkmoot(store, "list", "--json")
    assert result.exit_code == 0, result.output
    rows = {row["debate"]: row for row in json.loads(result.stdout)}
    assert {name: row["status"] for name, row in rows.items() if name != "over"} == {
        "before": "decided",
        "broken": "damaged",
        "after": "open",
    }
    assert "a line of the record is damaged" in rows["broken"]["reason"]
    assert rows["over"]["status"] == "damaged"
    assert "damaged" in folkmoot(store, "list").stdout


def test_a_damaged_debate_is_told_in_one_sentence(store: Path) -> None:
    for command in ("show", "report", "verify", "resume", "show --analysis", "show --recount", "report --receipt"):
        for debate in ("broken", "over"):
            result = folkmoot(store, *command.split(), debate)
            assert result.exit_code == 1, (command, result.output)
            assert "folkmoot: a line of the record is damaged" in result.stderr
            assert len(result.stderr.strip().splitlines()) == 1


def test_bytes_that_are_no_text_hide_no_other_debate(tmp_path: Path) -> None:
    fill(tmp_path / "folkmoot.sqlite", before=lines("arena"), broken=unfinished())
    with closing(sqlite3.connect(tmp_path / "folkmoot.sqlite")) as connection, connection:
        connection.execute("UPDATE folkmoot_line SET text = CAST(x'ff41' AS TEXT) WHERE debate = 'broken' AND seq = 4")
    result = folkmoot(tmp_path, "list", "--json")
    assert result.exit_code == 0, result.output
    assert {row["debate"] for row in json.loads(result.stdout)} == {"before", "broken"}
    assert folkmoot(tmp_path, "show", "before").exit_code == 0
    assert folkmoot(tmp_path, "verify", "before").exit_code == 0
    result = folkmoot(tmp_path, "verify", "broken")
    assert result.exit_code == 1
    assert "damaged" in result.output


def test_a_debate_that_is_whole_in_a_damaged_store_is_told(tmp_path: Path) -> None:
    path = tmp_path / "folkmoot.sqlite"
    fill(path, arena=lines("arena"))
    assert folkmoot(tmp_path, "verify", "arena").exit_code == 0
    with closing(sqlite3.connect(path)) as connection:
        root = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'folkmoot_summary_owner'"
        ).fetchone()[0]
    whole = path.read_bytes()
    path.write_bytes(whole[: (root - 1) * 4096] + b"\xff" * 4096 + whole[root * 4096 :])
    result = folkmoot(tmp_path, "verify", "arena")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert re.match(r"folkmoot: arena: \d+ entries, every hash is right, head \w{64}; but", result.stderr)
    assert "; but its store is damaged. The record " in result.stderr
    assert "Copy to a new store what can be read: folkmoot store copy" in result.stderr
    assert folkmoot(tmp_path, "store", "copy", str(path), str(tmp_path / "new.sqlite")).exit_code == 0
    assert folkmoot(tmp_path, "verify", "arena", "--store", str(tmp_path / "new.sqlite")).exit_code == 0


def test_an_analysis_names_the_damaged_debate_and_shows_the_others(store: Path) -> None:
    result = folkmoot(store, "show", "--analysis", "over", "before", "broken", "--json")
    assert result.exit_code == 1
    data = json.loads(result.stdout)
    assert [item["debate"] for item in data["debates"]] == ["before"]
    assert [*data["damaged"]] == ["over", "broken"]
    assert all("a line of the record is damaged" in reason for reason in data["damaged"].values())
    assert "folkmoot: broken is damaged: a line of the record" in result.stderr
    assert "# " in folkmoot(store, "show", "--analysis", "over", "before").stdout


def test_everything_else_is_learned(store: Path) -> None:
    result = folkmoot(store, "learn", "--rebuild")
    assert result.exit_code == 1
    assert "1 learned, 0 known already" in result.stdout
    assert "folkmoot: over: its record is damaged" in result.stderr
    assert folkmoot(store, "learn", "search", "x").exit_code == 0


async def test_the_api_lists_the_damaged_debate_and_all_others(store: Path) -> None:
    async with opened(store) as web:
        answer = await web.me.get("/api/v1/debates")
        assert answer.status_code == 200, answer.text
        rows = {row["id"]: row for row in answer.json()["debates"]}
        assert {name: row["status"] for name, row in rows.items()} == {
            "before": "decided",
            "broken": "damaged",
            "over": "damaged",
            "after": "open",
        }
        assert all("a line of the record is damaged" in rows[name]["reason"] for name in ("broken", "over"))
        alone = await web.me.get("/api/v1/debates/broken")
        assert (alone.status_code, alone.json()["code"]) == (409, "record")


async def test_a_damaged_claim_hides_no_debate_of_others(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        workspace = web.site.workspace
        for name in ("mine", "lost", "forged"):
            await workspace.store.append(name, lines("panel"), after=0)
        await claim(workspace, "mine", Claim(owner="ann"))
        await workspace.store.append("lost/access/letters", [GARBAGE], after=0)
        forged = Entry(seq=1, at=0.0, event=Interjected(by="owner", text="[]"))
        await workspace.store.append("forged/access/letters", [encode(forged)], after=0)
        answer = await web.ann.get("/api/v1/debates")
        assert answer.status_code == 200, answer.text
        assert [row["id"] for row in answer.json()["debates"]] == ["mine"]
        assert await Spending(Runner(workspace), 1.0).used("ann") == 0.0
        assert len((await web.me.get("/api/v1/debates")).json()["debates"]) == 3


def test_a_provider_that_counts_in_fractions_spoils_no_record(tmp_path: Path) -> None:
    half = Plan(text="ANSWER: Rent\nCONFIDENCE: 0.7\nARGUMENT: It is cheap.", usage=(12.5, 3.5, 0))  # type: ignore[arg-type]
    with served(lambda call: half) as wires:
        words = ("--model", "compatible:tiny", "--protocol", "panel", "--participants", "builtin")
        result = folkmoot(tmp_path, "run", "Rent or buy?", *words, FOLKMOOT_BASE_URL=f"{wires.url}/v1")
    assert result.exit_code == 0, result.output
    assert "Pydantic" not in result.output
    for command in ("verify", "show", "report"):
        assert folkmoot(tmp_path, command, "last").exit_code == 0
    assert "reported no usable token counts" in folkmoot(tmp_path, "report", "last").stdout
    assert folkmoot(tmp_path, "list").exit_code == 0


async def test_a_damaged_casting_keeps_nobody_from_a_new_one(tmp_path: Path) -> None:
    workspace = Workspace.at(tmp_path / "folkmoot.sqlite")
    ready = await prepare(workspace, read_brief("Rent or buy?"), Overrides(models=("ollama:tiny",)))
    for damage in (spoiled(lines("panel"), "middle"), orphaned()):
        first = await find_generation(workspace, ready)
        await workspace.store.append(first.debate, damage, after=0)
        second = await find_generation(workspace, ready)
        assert not second.begun
        assert second.debate != first.debate
    await workspace.close()


def orphaned() -> list[str]:
    """A record whose hashes are right, and whose answers answer nothing."""
    entries = [line for line in map(decode, lines("panel")) if not isinstance(line.event, Asked)]
    return chain_lines(entries)
