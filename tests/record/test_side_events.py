"""Side events: their codec, and that what stands beside records is read, listed, used and extended."""

import contextlib
import json
import sqlite3
from collections import Counter
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.app.export.copy_debates import copy_debates
from folkmoot.app.export.learned import add_note
from folkmoot.app.export.reports import read_record, write_report
from folkmoot.app.plan.learning import owner_messages
from folkmoot.app.run.access import (
    Claim,
    claim,
    claimed,
    note_allowance,
    note_limits,
    noted_allowance,
    noted_limits,
    revoke,
    share,
    shares,
)
from folkmoot.app.run.prepare import LimitOverrides
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.admission import RemarkQueue
from folkmoot.app.serve.spending import Reservations
from folkmoot.core.brief import Limits
from folkmoot.core.errors import BriefError, RecordConflict, RecordError, Unstorable
from folkmoot.core.event import (
    SIDE_EVENTS,
    Claimed,
    Entry,
    Interjected,
    Noted,
    Renamed,
    Requested,
    SideEntry,
    SideEvent,
)
from folkmoot.learn.lessons import notes
from folkmoot.record.sqlite import SqliteStore
from folkmoot.record.store import decode, decode_side, encode
from folkmoot.record.summary_fold import summarize
from folkmoot.testing.store_checks import InMemoryStore
from tests.paths import TESTS
from tests.record.test_codec import spoiled

CORPUS = TESTS / "record" / "data" / "side-events-v2.jsonl"
KEYED = "debate-a37ee6f014b9d3a6dde76e5c"
"""The debate that a program began under a key."""


def rows() -> list[tuple[str, int, str]]:
    data = [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()]
    return [(row["debate"], row["seq"], row["text"]) for row in data]


@pytest.fixture
async def store(tmp_path: Path) -> Path:
    """A file with the stored rows."""
    place = tmp_path / "folkmoot.sqlite"
    filled = SqliteStore.open(place)
    for stream, seq, text in rows():
        await filled.append(stream, [text], after=seq - 1)
    await filled.close()
    return place


def stored(place: Path) -> list[SideEvent]:
    with contextlib.closing(sqlite3.connect(place)) as link:
        lines = link.execute(
            "SELECT text FROM folkmoot_line WHERE debate LIKE '%_/letters' AND (debate LIKE '%/%/%' OR debate LIKE '@%')"
        )
        return [decode_side(text).event for (text,) in lines]


def test_the_corpus_holds_every_kind_of_side_event(store: Path) -> None:
    kinds = Counter(type(event) for event in stored(store))
    assert set(SIDE_EVENTS) - set(kinds) == {Requested}  # which stands in streams of its own
    assert {event.what for event in stored(store) if isinstance(event, Noted)} == {"resolve", "domain", "forget"}


async def test_what_stood_beside_the_records_means_what_it_meant(store: Path) -> None:
    workspace = Workspace.at(store)
    ended = next(item.debate for item in await workspace.list() if item.debate != KEYED)
    owned = await claimed(workspace, KEYED)
    assert (owned.owner, len(owned.request)) == ("ann", 64)
    assert await claimed(workspace, ended) == Claim()
    links = await shares(workspace, KEYED)
    assert [(link.right, link.who, link.revoked) for link in links] == [
        ("view", "", False),
        ("join", "Ada", False),
        ("join", "", True),
    ]
    assert all(len(link.mark) == 64 and link.at > 1e9 for link in links)
    assert await noted_limits(workspace, KEYED) == LimitOverrides(asks=40, cost=0.4)
    assert await noted_allowance(workspace, KEYED) == Limits(asks=50, cost=0.4)
    reserved = await Reservations(workspace.store, workspace.clock).of("ben")
    assert {debate: (item.amount, item.entries) for debate, item in reserved.items()} == {KEYED: (0.25, 3)}
    assert (await Reservations(workspace.store, workspace.clock).of("ann"))[KEYED].entries == 7
    known = notes(await owner_messages(workspace.store, ended).read())
    assert (known.truth, known.domain, known.forgotten) == ("Tea", "hot drinks", True)
    queue = RemarkQueue()
    # The remark was queued under this key before, so it is not queued again, and no other may be.
    assert await queue.say(workspace, KEYED, "Ann", "Think of the cups.", "owner ann remark-1") == 1
    with pytest.raises(RecordConflict, match="this key was used before with another request"):
        await queue.say(workspace, KEYED, "Ann", "Think of the pots.", "owner ann remark-1")
    await workspace.close()


async def test_the_debates_are_listed_verified_reported_resumed_and_copied(store: Path, tmp_path: Path) -> None:
    workspace = Workspace.at(store)
    status = {item.debate: item.status for item in await workspace.list()}
    ended = next(debate for debate in status if debate != KEYED)
    assert status == {KEYED: "paused", ended: "decided"}
    for debate in status:
        assert (await workspace.verify(debate))[0] == len(await workspace.entries(debate))
        assert "Tea or coffee" in write_report((await read_record(workspace, debate)).report)
    assert (await workspace.resume(KEYED)).kind == "waiting"
    assert (await workspace.verify(KEYED))[0] > 10
    target = SqliteStore.open(tmp_path / "copy.sqlite")
    copied = [item async for item in copy_debates(workspace.store, target)]
    assert [item.fault for item in copied] == [""] * len(copied)
    assert {info.debate for info in await target.debates()} == {info.debate for info in await workspace.store.debates()}
    await workspace.close()
    await target.close()


async def test_new_side_events_follow_the_old_ones(store: Path) -> None:
    workspace = Workspace.at(store)
    ended = next(item.debate for item in await workspace.list() if item.debate != KEYED)
    await claim(workspace, KEYED, Claim(owner="eve"))
    shared, _ = await share(workspace, KEYED, "view")
    assert await revoke(workspace, KEYED, (await shares(workspace, KEYED))[0].id)
    await note_limits(workspace, KEYED, LimitOverrides(asks=60))
    await note_allowance(workspace, KEYED, Limits(asks=61))
    await Reservations(workspace.store, workspace.clock).drop("ben", KEYED)
    await add_note(workspace, ended, "resolve", "Coffee")
    await workspace.close()
    again = Workspace.at(store, reading=True)
    assert (await claimed(again, KEYED)).owner == "ann"
    assert [link.revoked for link in await shares(again, KEYED)] == [True, False, True, False]
    assert (await shares(again, KEYED))[-1] == shared
    assert (await noted_limits(again, KEYED)).asks == 60
    assert await noted_allowance(again, KEYED) == Limits(asks=61)
    assert await Reservations(again.store, again.clock).of("ben") == {}
    assert notes(await owner_messages(again.store, ended).read()).truth == "Coffee"
    await again.close()


async def test_a_damaged_side_stream_is_not_copied_and_told_of(store: Path) -> None:
    source = SqliteStore.open(store)
    await source.append(
        "other/said/letters", [encode(Entry(seq=1, at=0.0, event=Interjected(by="Ann", text="x")))], after=0
    )
    copied = {item.debate: item.fault async for item in copy_debates(source, InMemoryStore())}
    assert "a line of the record is damaged" in copied.pop("other")
    assert set(copied.values()) == {""}
    await source.close()


# ---- the codec -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SIDE_EVENTS, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_every_side_event_survives_as_a_line(kind: type[SideEvent], data: st.DataObject) -> None:
    entry = SideEntry(seq=1, at=0.25, event=data.draw(st.from_type(kind)))
    assert decode_side(encode(entry)) == entry
    assert json.loads(encode(entry))["v"] == 2


@pytest.mark.parametrize("kind", SIDE_EVENTS, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_what_could_not_be_read_back_is_not_written(kind: type[SideEvent], data: st.DataObject) -> None:
    whole: Any = data.draw(st.from_type(kind))
    name = data.draw(st.sampled_from([field.name for field in fields(whole)]))
    with contextlib.suppress(Unstorable, BriefError):  # limits cannot even be made with such values
        entry = SideEntry(seq=1, at=0.25, event=replace(whole, **{name: spoiled(data, getattr(whole, name))}))
        assert decode_side(encode(entry)) == entry


def test_a_side_event_is_no_entry_of_a_record_nor_the_other_way_round() -> None:
    side = encode(SideEntry(seq=1, at=0.0, event=Claimed(owner="ann")))
    with pytest.raises(RecordError, match="damaged"):
        decode(side)
    remark = encode(Entry(seq=1, at=0.0, event=Interjected(by="Ann", text="Think of the cups.")))
    with pytest.raises(RecordError, match="damaged"):
        decode_side(remark)
    for version in (1, 3):
        with pytest.raises(RecordError, match=f"its format is {version}"):
            decode_side(side.replace('"v":2', f'"v":{version}'))


def test_the_last_name_of_a_debate_counts_and_a_damaged_one_none() -> None:
    names = [encode(SideEntry(seq=n, at=0.0, event=Renamed(name=name))) for n, name in enumerate(("One", "Two"), 1)]
    assert summarize("d/access/letters", names).name == "Two"
    assert summarize("d/access/letters", [names[0], names[1].replace('"name"', '"nam"')]).name == "One"
    other = encode(SideEntry(seq=1, at=0.0, event=Claimed(owner='the "renamed" one')))
    assert not summarize("d/access/letters", [other, names[0].replace('"name"', '"nam"')]).name
