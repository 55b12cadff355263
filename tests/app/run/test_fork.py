"""Forks: what they keep, where they lead, and every change that can be made."""

from dataclasses import replace
from typing import Any

import pytest

from folkmoot.app.brief.reader import read_brief
from folkmoot.app.plan.next_steps import BY_HAND
from folkmoot.app.run.fork import Answer, Change, fork
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.agent import Agent
from folkmoot.core.brief import Brief, Participant, Source
from folkmoot.core.errors import BriefError, RecordError
from folkmoot.core.event import (
    Asked,
    Attempted,
    Called,
    Closed,
    Entry,
    Failed,
    Interjected,
    Opened,
    Paused,
    Replied,
    Resumed,
)
from folkmoot.core.transcript import Transcript, fold
from folkmoot.engine.driver import DriverOptions, StopRequest, debate
from folkmoot.protocols.known import KNOWN, build
from folkmoot.protocols.spec import dump, load
from folkmoot.record.ledger import Ledger
from folkmoot.record.store import chain_lines, decode
from folkmoot.testing.replay import SeededAgent, calls, essence
from folkmoot.testing.store_checks import InMemoryStore
from tests.kits.thoroughness import MORE, STEP, some

PEOPLE = (
    Participant(name="Ann", role="for", seat="ollama:old", weight=0.9),
    Participant(name="Bob", role="against", seat="ollama:old", weight=0.6),
    Participant(name="Cy", seat="ollama:old"),
    Participant(name="Chair", seat="ollama:old", duty="moderator"),
)


def opened(name: str) -> Opened:
    brief = Brief(
        topic="Tea or coffee?", background=(Source(name="f.md", text="Tea is warm."),), participants=PEOPLE, seed=7
    )
    return Opened(brief=brief, protocol=dump(build(name, brief)), name=name)


def desk_over(store: InMemoryStore) -> Workspace:
    return Workspace(store, clock=lambda: 1000.0)


async def go_on(workspace: Workspace, name: str, seat: Agent, opening: Opened | None = None) -> Transcript:
    """Hold a debate, or take it up where its record ends, with one seat for all."""
    ledger = Ledger(workspace.store, name, clock=workspace.clock)
    entries = await ledger.open()
    if entries:
        assert isinstance(entries[0].event, Opened)
        opening = entries[0].event
    assert opening
    seats = dict.fromkeys([participant.name for participant in opening.brief.participants], seat)
    return await debate(opening, load(opening.protocol), seats, ledger=ledger)


@pytest.mark.parametrize("name", some(KNOWN, 3))
async def test_a_fork_without_any_change_comes_to_the_same_from_every_entry(name: str) -> None:
    workspace = desk_over(InMemoryStore())
    whole = await go_on(workspace, "parent", SeededAgent(), opened(name))
    entries, lines = await workspace.entries("parent"), await workspace.lines("parent")
    for at in range(1, len(entries), max(STEP, 1 if len(entries) < 100 else 3)):
        workspace = desk_over(InMemoryStore({"parent": list(lines)}))
        forked = await fork(workspace, "parent", at=at)
        recorded_entries = await workspace.entries(forked)
        oracle = SeededAgent()
        assert essence(await go_on(workspace, forked, oracle)) == essence(whole), f"forked at entry {at}"
        assert not set(calls(recorded_entries)) & set(oracle.sent), "a finished call was paid twice"
        assert calls(recorded_entries) == calls(entries[:at])
        if not MORE or at % 7 == 1:
            await workspace.verify(forked)


# ---- what is kept --------------------------------------------------------------------------------------------------


def seqs(entries: tuple[Entry, ...], kind: type) -> list[int]:
    return [entry.seq for entry in entries if isinstance(entry.event, kind)]


async def panel(oracle: Agent | None = None) -> tuple[Workspace, Transcript]:
    """A panel that was held, under the id "parent"."""
    workspace = desk_over(InMemoryStore())
    return workspace, await go_on(workspace, "parent", oracle or SeededAgent(), opened("panel"))


async def kept_entries(workspace: Workspace, at: int | None = None, change: Change | None = None) -> tuple[Entry, ...]:
    return await workspace.entries(await fork(workspace, "parent", at=at, change=change))


async def test_a_try_without_its_end_is_not_taken_over_and_one_that_was_lost_is() -> None:
    workspace, _ = await panel()
    lines = list(await workspace.lines("parent"))
    entries = await workspace.entries("parent")
    first = seqs(entries, Attempted)[0]
    assert seqs(await kept_entries(workspace, first), Attempted) == []
    # The same try once more: the first of the two is lost for good.
    again = replace(entries[first - 1], seq=first + 1)
    twice = chain_lines([*entries[:first], again, *entries[first:]])
    workspace = desk_over(InMemoryStore({"parent": twice}))
    called = seqs(await workspace.entries("parent"), Called)[0]
    assert len(seqs(await kept_entries(workspace, called), Attempted)) == 2
    assert len(lines) + 1 == len(twice)


async def test_a_pause_at_the_end_is_not_taken_over_and_one_in_the_middle_is() -> None:
    workspace = desk_over(InMemoryStore())
    stop = StopRequest(reason="tired")
    opening = opened("panel")
    ledger = Ledger(workspace.store, "parent", clock=workspace.clock)
    await ledger.open()
    seats = dict.fromkeys([person.name for person in PEOPLE], SeededAgent())
    await debate(opening, load(opening.protocol), seats, ledger=ledger, options=DriverOptions(stop=stop))
    await go_on(workspace, "parent", SeededAgent())
    entries = await workspace.entries("parent")
    (paused,), (resumed,) = seqs(entries, Paused), seqs(entries, Resumed)
    assert len(await kept_entries(workspace, paused)) == paused - 1
    asks = resumed - paused - 1
    assert len(await kept_entries(workspace, resumed)) == paused - 1 + asks
    whole = await kept_entries(workspace, len(entries) - 1)
    assert (seqs(whole, Paused), seqs(whole, Resumed)) == ([paused], [resumed])


async def test_letters_to_the_parent_are_none_to_the_fork_and_a_pause_before_them_goes() -> None:
    workspace, _ = await panel()
    entries = await workspace.entries("parent")
    after = seqs(entries, Replied)[-1]
    word = Interjected(by="Guest", text="mind the cost", letter=3)
    events = [Paused(reason="tired"), word]
    begun = [*entries[:after], *(replace(entries[after], event=event) for event in events)]
    workspace = desk_over(InMemoryStore({"parent": chain_lines(begun)}))
    recorded_entries = await kept_entries(workspace, len(begun))
    assert recorded_entries[-1].event == replace(word, letter=0)
    assert seqs(recorded_entries, Paused) == []


async def test_questions_that_are_open_are_put_anew_and_what_was_said_keeps_its_time() -> None:
    workspace, _ = await panel()
    lines = [line.replace('"at":1000.000000', '"at":5.000000') for line in await workspace.lines("parent")]
    workspace = desk_over(InMemoryStore({"parent": chain_lines([decode(line) for line in lines])}))
    replied = seqs(await workspace.entries("parent"), Replied)[0]
    entries = await kept_entries(workspace, replied)
    done = next(entry.event.key for entry in entries if isinstance(entry.event, Replied))
    times = {entry.event.ask.key: entry.at for entry in entries if isinstance(entry.event, Asked)}
    assert times.pop(done) == 5.0
    assert set(times.values()) == {1000.0}
    assert {entry.at for entry in entries if not isinstance(entry.event, Asked)} == {5.0}


# ---- what is changed -----------------------------------------------------------------------------------------------


async def test_another_model_answers_from_there_on_and_what_it_had_begun_is_begun_anew() -> None:
    workspace, _ = await panel()
    entries = await workspace.entries("parent")
    called = next(entry.seq for entry in entries if isinstance(entry.event, Called) and "Ann" in entry.event.text)
    whole = await kept_entries(workspace, called)
    assert "Ann" in " ".join(entry.event.text for entry in whole if isinstance(entry.event, Called))
    recorded_entries = await kept_entries(workspace, called, Change(models={"Ann": "ollama:new", "": "builtin:quotes"}))
    first = recorded_entries[0].event
    assert isinstance(first, Opened)
    assert [participant.seat for participant in first.brief.participants] == ["ollama:new", *["builtin:quotes"] * 3]
    assert first.chosen == ("Ann by ollama:new in the fork", "all by builtin:quotes in the fork")
    assert not [entry for entry in recorded_entries if isinstance(entry.event, Called) and "Ann" in entry.event.text]


async def test_an_answer_is_replaced_and_the_rest_of_its_batch_stays() -> None:
    workspace, whole = await panel()
    turn = whole.turns("draft")[0]
    words = "ANSWER: cocoa\nCONFIDENCE: 1\nARGUMENT: It is sweet."
    forked = await fork(workspace, "parent", change=Change(answer=Answer(turn="t1", words=words)))
    entries = await workspace.entries(forked)
    transcript = fold(entries)
    drafts = transcript.turns("draft")
    assert drafts[0].reply
    assert (drafts[0].fields["ANSWER"], drafts[0].reply.asked, drafts[0].reply.notes) == ("cocoa", "human", (BY_HAND,))
    assert drafts[1:] == whole.turns("draft")[1:]
    assert turn.key not in calls(entries)
    await workspace.verify(forked)
    done = await go_on(workspace, forked, SeededAgent())
    assert done.closed
    assert done.turns("draft")[0].fields["ANSWER"] == "cocoa"
    by_fields = Answer(turn=turn.key, fields={"ANSWER": "cocoa", "CONFIDENCE": 1.0, "ARGUMENT": "It is sweet."})
    assert (
        fold(await kept_entries(workspace, change=Change(answer=by_fields))).turns("draft")[0].fields
        == drafts[0].fields
    )


async def test_a_question_that_nobody_has_answered_is_answered() -> None:
    workspace, _ = await panel()
    entries = await workspace.entries("parent")
    seq = seqs(entries, Attempted)[0] - 1
    cut = chain_lines(entries[:seq])
    workspace = desk_over(InMemoryStore({"parent": cut}))
    words = "ANSWER: cocoa\nCONFIDENCE: 1\nARGUMENT: It is sweet."
    recorded_entries = await kept_entries(workspace, change=Change(answer=Answer(turn="T1", words=words)))
    assert isinstance(recorded_entries[-1].event, Replied)
    failed = Failed(key=fold(entries).turns()[0].key, kind="timeout", reason="late")
    late = chain_lines([*entries[:seq], replace(entries[seq], event=failed)])
    workspace = desk_over(InMemoryStore({"parent": late}))
    recorded_entries = await kept_entries(workspace, change=Change(answer=Answer(turn="T1", words=words)))
    assert not fold(recorded_entries).failures()


BRIEF = """---
protocol: panel
limits: {{asks: 90}}
{extra}
---
# {topic}

## Background

Tea is warm.

## Ann
role: for
weight: 0.9

{persona}

## Bob
role: against
weight: 0.6

## Cy
role: neither

## Chair
duty: moderator
role: leads
"""


def change(topic: str = "Tea or cocoa?", persona: str = "You hurry.", extra: str = "") -> Change:
    return Change(brief=read_brief(BRIEF.format(topic=topic, persona=persona, extra=extra)))


async def test_a_changed_brief_keeps_what_its_own_play_asks_the_same() -> None:
    workspace, _ = await panel()
    last = len(await workspace.entries("parent")) - 1
    forked = await fork(workspace, "parent", at=last, change=change())
    first = (await workspace.entries(forked))[0].event
    assert isinstance(first, Opened)
    assert (first.brief.topic, first.brief.seed, first.brief.limits.asks) == ("Tea or cocoa?", 7, 90)
    assert [participant.seat for participant in first.brief.participants] == ["ollama:old"] * 4
    assert first.brief.participants[0].persona == "You hurry."
    assert first.chosen[-1] == "another brief in the fork"
    await workspace.verify(forked)
    assert (await go_on(workspace, forked, SeededAgent())).closed


async def test_where_a_changed_brief_goes_another_way_the_last_entry_that_can_be_kept_is_named() -> None:
    workspace, whole = await panel()
    last = len(await workspace.entries("parent")) - 1
    other = change(extra="seed: 3\nmodel: 'builtin:quotes'")
    with pytest.raises(BriefError, match=r"differs from entry (\d+) of parent on, .*; fork it at entry") as caught:
        await fork(workspace, "parent", at=last, change=other)
    earlier = int(str(caught.value).rpartition(" entry ")[2].split()[0])
    forked = await fork(workspace, "parent", at=earlier, change=other)
    await workspace.verify(forked)
    assert len(fold(await workspace.entries(forked)).turns()) < len(whole.turns())
    with pytest.raises(BriefError, match=rf"from entry {earlier + 1} "):
        await fork(workspace, "parent", at=earlier + 1, change=other)


async def test_participants_that_were_made_for_a_topic_stay_where_the_new_brief_describes_none() -> None:
    workspace, _ = await panel()
    forked = await fork(workspace, "parent", at=2, change=Change(brief=read_brief("Tea or cocoa?")))
    first = (await workspace.entries(forked))[0].event
    assert isinstance(first, Opened)
    assert [(participant.name, participant.seat) for participant in first.brief.participants] == [
        (person.name, person.seat) for person in PEOPLE[:3]
    ]


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"at": 0}, r"parent can be forked at entry 1 to \d+, not 0; with entry \d+ it is over"),
    ({"at": 999}, "not 999"),
    ({}, "say at which entry to fork"),
    ({"at": 3, "change": Change(answer=Answer(turn="T1", words="x"))}, "leave the entry out"),
    ({"at": 3, "change": Change(models={"Eve": "ollama:x"})}, "nobody is called 'Eve'; the participants are Ann, Bob,"),
    ({"at": 3, "change": Change(models={"Ann": "nowhere:x"})}, "Ann: "),
    ({"change": Change(answer=Answer(turn="T99", words="x"))}, r"has no turn 'T99'; its turns are T1 to T\d"),
    ({"change": Change(answer=Answer(turn="T1", words="  "))}, r"T1 \(Ann\): the answer is empty"),
    ({"change": Change(answer=Answer(turn="T1", words="CONFIDENCE: 4"))}, r"T1 \(Ann\): the answer must say"),
    ({"change": Change(answer=Answer(turn="T1", fields={"COLOUR": "red"}))}, r"T1 \(Ann\): "),
]


@pytest.mark.parametrize(("options", "message"), MISTAKES)
async def test_what_cannot_be_is_refused_and_nothing_is_stored(options: dict[str, Any], message: str) -> None:
    workspace, _ = await panel()
    with pytest.raises(BriefError, match=message):
        await fork(workspace, "parent", **options)
    assert len(await workspace.store.debates()) == 1


async def test_the_end_of_a_debate_and_debates_that_are_not_there_cannot_be_forked() -> None:
    workspace, _ = await panel()
    entries = await workspace.entries("parent")
    assert isinstance(entries[-1].event, Closed)
    with pytest.raises(BriefError, match=f"not {len(entries)}; with entry {len(entries)} it is over"):
        await fork(workspace, "parent", at=len(entries))
    with pytest.raises(RecordError, match="there is no debate 'nobody'"):
        await fork(workspace, "nobody", at=1)
    workspace = desk_over(InMemoryStore({"parent": chain_lines(entries[:1])}))
    with pytest.raises(BriefError, match="nobody has been asked yet"):
        await fork(workspace, "parent", change=Change(answer=Answer(turn="T1", words="x")))
    with pytest.raises(BriefError, match=r"1 to 1, not 2$"):
        await fork(workspace, "parent", at=2)
    word = replace(entries[1], event=Interjected(by="Guest", text="mind the cost"))
    workspace = desk_over(InMemoryStore({"parent": chain_lines([entries[0], word])}))
    with pytest.raises(BriefError, match="T1 is a message; only an answer can be replaced"):
        await fork(workspace, "parent", change=Change(answer=Answer(turn="T1", words="x")))


async def test_a_fork_of_a_fork_names_its_parent() -> None:
    workspace, whole = await panel()
    child = await fork(workspace, "parent", at=9)
    await go_on(workspace, child, SeededAgent())
    grandchild = await fork(workspace, child, at=5)
    listed = {summary.debate: summary.forked for summary in await workspace.list()}
    assert listed == {"parent": "", child: "parent@9", grandchild: f"{child}@5"}
    assert essence(await go_on(workspace, grandchild, SeededAgent())) == essence(whole)
