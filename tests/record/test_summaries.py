"""Summaries of debates: what they say, and that a file has none but what its lines make, whatever happened to it."""

import asyncio
import contextlib
import itertools
import json
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.run.outcome import list_one
from folkmoot.app.serve.spending import spent
from folkmoot.core.brief import HUMAN
from folkmoot.core.errors import RecordConflict, RecordError
from folkmoot.core.event import Entry, Interjected
from folkmoot.core.transcript import fold
from folkmoot.record import sqlite_schema
from folkmoot.record.listing import Listing, ListQuery, Page, choose, page
from folkmoot.record.sqlite import SqliteStore
from folkmoot.record.store import StreamInfo, digest, encode, read
from folkmoot.record.summary_fold import NOBODY, Fold, summarize
from folkmoot.testing.store_checks import CHECKS, Check, InMemoryStore
from tests.kits.thoroughness import some
from tests.paths import RECORDS
from tests.record.test_side_events import KEYED, rows

NAMES = ("arena", "council", "moderated", "panel", "round_robin")


def lines(name: str) -> tuple[str, ...]:
    return tuple((RECORDS / f"v2-{name}.jsonl").read_text("utf-8").splitlines())


def table(place: Path, *statements: str) -> list[tuple[object, ...]]:
    """What the last statement gives."""
    with contextlib.closing(sqlite3.connect(place)) as link, link:
        return [row for statement in statements for row in link.execute(statement)]


async def agree(store: SqliteStore) -> None:
    """What is listed is what the lines say."""
    streams = [info.debate for info in await store.debates()]
    folds = [(name, summarize(name, await store.read(name))) for name in streams]
    for query in (ListQuery(), ListQuery(limit=3), ListQuery(status="decided"), ListQuery(owner="ann")):
        assert await store.page(query) == choose(folds, query)
    assert await store.names() == tuple(item.debate for item in choose(folds, ListQuery()).debates)


# ---- what a summary says ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_at_every_entry_a_summary_says_what_the_strict_readers_say(name: str) -> None:
    stored = lines(name)
    entries, growing = read(stored), Fold("d")
    for n, line in enumerate(stored, start=1):
        growing = Fold("d", growing.text)  # as a store keeps it between two appends
        growing.add(line)
        summary, transcript = growing.summary("d"), fold(entries[:n])
        assert transcript.brief
        assert (summary.entries, summary.topic, summary.protocol) == (n, transcript.brief.topic, transcript.protocol)
        assert (summary.at, summary.updated) == (entries[0].at, entries[n - 1].at)
        assert summary.spent == pytest.approx(spent(entries[:n]))
        usage = transcript.usage
        seats = {who.seat for who in transcript.brief.participants if who.seat not in ("", HUMAN)}
        assert (summary.tokens, summary.cost) == (usage.input_tokens + usage.output_tokens, usage.cost)
        assert summary.models == tuple(sorted({*seats, *itertools.chain(*transcript.models.values())}))
        assert summary.status == (transcript.closed.status if transcript.closed else "open")
        assert summary.over == bool(transcript.closed)
        decision = transcript.decision
        assert (summary.decision and summary.decision.winner) == (decision and decision.winner)
        assert growing.text == summarize("d", stored[:n]).text


def test_a_decision_says_which_answer_each_participant_voted_for() -> None:
    for name, votes in (("panel", (0, 0, 0, -1)), ("council", (2, 0, 1, -1))):
        decision = summarize("d", lines(name)).summary("d").decision
        assert decision
        assert decision.votes == votes, name
    ruled = next(json.loads(line) for line in lines("council") if '"kind":"ruled"' in line)
    decision = ruled["body"]["decision"]
    unread, elsewhere, outside = decision["ballots"]
    unread["state"] = "unread"
    elsewhere["choice"] = "nobody's answer"
    outside["voter"] = "somebody"
    stored = [*lines("council")[:1], json.dumps({**ruled, "seq": 2, "prev": digest(lines("council")[0])})]
    verdict = summarize("d", stored).summary("d").decision
    assert verdict
    assert verdict.votes == (-1, -1, -1, -1)


def test_a_person_is_waited_for_until_the_answer_is_on_record() -> None:
    debate = [text for stream, _, text in rows() if stream == KEYED]
    summary = summarize(KEYED, debate).summary(KEYED)
    assert (summary.status, summary.reason) == ("paused", "stopped")
    assert [(ask.name, ask.key) for ask in summary.waits] == [("Ada", "/debate/draft#1")]
    assert list_one(summary).waits_for == ("Ada",)
    asked_entry = next(entry for entry in read(debate) if entry.event.__class__.__name__ == "Asked")
    assert summary.waits[0].since == asked_entry.at


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (('"v":2', '"v":1'), "its format is 1"),
        (('"v":2', '"v":3'), "its format is 3"),
        (('"v":2', '"v":0'), "damaged"),
        (('"seq":3', '"seq":4'), "entry 3 is missing: the record continues with entry 4"),
        (('"prev":"', '"prev":"0'), "entry 2 has been changed: entry 3 carries another hash of it"),
        (('"kind":"', '"kind":"un'), "damaged"),
        (('"at":', '"at":-1'), "damaged"),
        (("{", "["), "damaged"),
    ],
)
def test_a_damaged_line_makes_a_damaged_debate(change: tuple[str, str], reason: str) -> None:
    stored = list(lines("panel"))
    stored[2] = stored[2].replace(*change, 1)
    summary = summarize("d", stored).summary("d")
    assert (summary.status, summary.topic, summary.entries) == (
        "damaged",
        "Tea or coffee? – “naïve” \U0001f375",
        len(stored),
    )
    assert re.search(reason, summary.reason), summary.reason


def changed(kind: str, **fields: object) -> list[str]:
    """A record whose first entry of that kind has other fields, and is no longer what its hash says."""
    stored = list(lines("panel"))
    place = next(n for n, line in enumerate(stored) if f'"kind":"{kind}"' in line)
    data = json.loads(stored[place])
    data["body"].update(fields)
    return [*stored[:place], json.dumps(data)]


@pytest.mark.parametrize(
    "stored",
    [
        changed("opened", name=5),
        changed("opened", brief={"topic": None}),
        changed("opened", brief=[]),
        changed("closed", status="won"),
        changed("ruled", decision={"winner": "Tea", "share": "all"}),
        changed("ruled", decision={"winner": "Tea", "share": True}),
        ["{}"],
    ],
    ids=range(7),
)
def test_what_a_list_shows_is_checked(stored: Sequence[str]) -> None:
    assert summarize("d", stored).summary("d").status == "damaged"


def test_the_first_entry_must_open_a_debate_and_streams_beside_one_only_say_who_owns_it() -> None:
    remark = encode(Entry(seq=1, at=0.0, event=Interjected(by="Ann", text="x")))
    assert summarize("d", [remark]).summary("d").reason == "d: the first entry does not open a debate"
    assert summarize("d/letters", [remark]).summary("d").status == "open"
    assert summarize("d/access/letters", [remark]).owner == NOBODY
    assert summarize("d/access/letters", ["no line"]).owner == NOBODY
    limits = next(text for stream, seq, text in rows() if stream == f"{KEYED}/access/letters" and seq == 2)
    assert summarize("d/access/letters", [limits]).owner == ""


def test_a_number_that_is_written_as_a_text_is_damage() -> None:
    """No program of ours writes one."""
    stored = list(lines("panel"))
    place = next(n for n, line in enumerate(stored) if '"kind":"ruled"' in line)
    data = json.loads(stored[place])
    data["body"]["decision"]["share"] = "0.5"
    summary = summarize("d", [*stored[:place], json.dumps(data)]).summary("d")
    assert summary.reason.startswith("a line of the record is damaged")


def test_a_participant_has_a_name() -> None:
    stored = list(lines("panel"))
    opened = json.loads(stored[0])
    opened["body"]["brief"]["participants"] = []
    stored[0] = json.dumps(opened)
    assert summarize("d", stored[:1]).summary("d").participants == ()
    opened["body"]["brief"]["participants"] = [{"name": ["Ann"]}]
    assert "damaged" in summarize("d", [json.dumps(opened)]).summary("d").reason


# ---- stores that only have what every store had before ---------------------------------------------------------------


class Plain:
    """A store of somebody who knows nothing of summaries."""

    def __init__(self, lines: dict[str, list[str]]) -> None:
        self._store = InMemoryStore(lines)

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        await self._store.append(debate, lines, after=after)

    async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
        return await self._store.read(debate, after=after, limit=limit)

    async def debates(self) -> tuple[StreamInfo, ...]:
        return await self._store.debates()

    async def close(self) -> None:
        await self._store.close()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_a_store_without_summaries_keeps_the_promise(check: Check) -> None:
    stored_lines: dict[str, dict[str, list[str]]] = {}

    async def open_store(name: str) -> Plain:
        return Plain(stored_lines.setdefault(name, {}))

    assert not isinstance(await open_store("any"), Listing)
    await check(open_store)


async def test_the_checks_notice_a_store_whose_list_is_behind(tmp_path: Path) -> None:
    class Late(SqliteStore):
        async def page(self, query: ListQuery) -> Page:
            right = await super().page(query)
            return replace(right, debates=right.debates[1:])

    async def open_store(name: str) -> Late:
        return Late.open(tmp_path / name)

    with pytest.raises(AssertionError, match="seed 0, ListQuery"):
        await CHECKS[-1](open_store)


# ---- kill -9 ---------------------------------------------------------------------------------------------------------

WRITER = """
import asyncio, os, signal, sys
from folkmoot.record import sqlite_schema
from folkmoot.record.sqlite import SqliteStore

keep, left = sqlite_schema.keep, int(sys.argv[2])

def dying(connection, new):
    global left
    left -= 1
    if left == 0 and sys.argv[3] == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    keep(connection, new)
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

sqlite_schema.keep = dying
lines = open(sys.argv[4], encoding="utf-8").read().splitlines()

async def write():
    store = SqliteStore.open(sys.argv[1])
    for n in range(4):
        for seq, line in enumerate(lines):
            await store.append(f"d{n}", [line], after=seq)
            print(n, seq + 1, flush=True)

asyncio.run(write())
"""


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("count", some([1, 2, 30, 71], 2))
async def test_a_killed_writer_leaves_lines_and_summaries_that_agree(tmp_path: Path, when: str, count: int) -> None:
    place = tmp_path / "folkmoot.sqlite"
    command = [sys.executable, "-c", WRITER, str(place), str(count), when, str(RECORDS / "v2-panel.jsonl")]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    store = SqliteStore.open(place)
    await agree(store)
    reports = [line.split() for line in done.stdout.splitlines()]
    assert sum([len(await store.read(f"d{n}")) for n in range(4)]) == len(reports) == count - 1
    await store.append("d0", lines("panel")[len(await store.read("d0")) :], after=len(await store.read("d0")))
    await agree(store)
    await store.close()


async def test_a_store_that_is_closed_or_missing_says_so(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "folkmoot.sqlite")
    await store.close()
    with pytest.raises(RecordError, match="it has been closed"):
        await page(store, ListQuery())


async def test_what_another_program_removes_or_writes_meanwhile_is_seen_by_the_next_append(tmp_path: Path) -> None:
    place, texts = tmp_path / "folkmoot.sqlite", lines("panel")
    store = SqliteStore.open(place)
    await store.append("d", texts[:2], after=0)
    await store.append("d", texts[2:3], after=2)
    table(place, "DELETE FROM folkmoot_line WHERE debate = 'd'", "DELETE FROM folkmoot_summary WHERE debate = 'd'")
    with pytest.raises(RecordConflict, match="has 0 entries"):
        await store.append("d", texts[3:4], after=3)
    await store.append("d", texts, after=0)
    await agree(store)
    await store.close()


async def test_more_debates_than_are_kept_in_mind_have_right_summaries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_schema, "MOST_KNOWN", 1)
    store, texts = SqliteStore.open(tmp_path / "folkmoot.sqlite"), lines("panel")
    for seq, line in enumerate(texts):
        for name in ("a", "b", "c"):
            await store.append(name, [line], after=seq)
    await agree(store)
    await store.close()
