"""Cut and resume: every protocol, at every entry; latency never changes a transcript; the guard names a mismatch."""

import asyncio
import hashlib
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.core.agent import Context, Recorder
from folkmoot.core.ask import Ask, Reply
from folkmoot.core.brief import Brief, Participant, Source
from folkmoot.core.errors import RecordError, RecordMismatch
from folkmoot.core.event import Called, Closed, Interjected, Paused, Replied
from folkmoot.protocols.known import KNOWN, Choices, build
from folkmoot.record.ledger import Ledger
from folkmoot.record.store import read
from folkmoot.testing.replay import Harness, SeededAgent, calls, essence
from tests.kits.thoroughness import STEP

PEOPLE = (
    Participant(name="Ann", role="for", seat="oracle", weight=0.9),
    Participant(name="Bob", role="against", seat="oracle", weight=0.6),
    Participant(name="Cy", seat="oracle"),
    Participant(name="Chair", seat="oracle", duty="moderator"),
)


def runner(name: str, *, options: tuple[str, ...] = (), choices: Choices | None = None) -> Harness:
    brief = Brief(
        topic="Tea or coffee?",
        background=(Source(name="facts.md", text="Tea is warm."),),
        participants=PEOPLE,
        options=options,
        seed=7,
    )
    return Harness(brief=brief, protocol=build(name, brief, choices), name=name)


def seats(oracle: SeededAgent) -> dict[str, SeededAgent]:
    return {person.name: oracle for person in PEOPLE}


CASES = [
    *((name, (), Choices()) for name in KNOWN),
    ("panel", ("tea", "coffee"), Choices(rounds=2)),
    ("arena", ("tea", "coffee"), Choices(topology="sparse")),
    ("council", (), Choices(strategy="consensus", rounds=1)),
    ("council", (), Choices(strategy="moderator", rounds=1)),
    ("council", (), Choices(strategy="weighted", rounds=0)),
]


@pytest.mark.parametrize(("name", "options", "choices"), CASES)
async def test_cut_at_every_entry_and_resumed_it_is_the_same_debate(
    name: str, options: tuple[str, ...], choices: Choices
) -> None:
    place = runner(name, options=options, choices=choices)
    whole = await place.run(seats(SeededAgent()))
    assert whole.transcript.closed
    for cut in range(0, len(whole.lines), STEP):
        oracle = SeededAgent()
        resumed = await place.run(seats(oracle), whole.lines[:cut])
        assert essence(resumed.transcript) == essence(whole.transcript), f"cut behind entry {cut}"
        finished = calls(whole.entries[:cut])
        assert not set(finished) & set(oracle.sent), "a finished call was paid twice"
        assert sorted(calls(resumed.entries)) == sorted(calls(whole.entries))


@settings(max_examples=25, deadline=None)
@given(name=st.sampled_from(sorted(KNOWN)), seed=st.integers(0, 10**6), order=st.integers(0, 10**6))
def test_latency_never_changes_a_transcript(name: str, seed: int, order: int) -> None:
    def late(key: str) -> float:
        return hashlib.sha256(f"{order}{key}".encode()).digest()[0] / 255 * 0.003

    place = runner(name)
    quick = asyncio.run(place.run(seats(SeededAgent(seed))))
    slow = asyncio.run(place.run(seats(SeededAgent(seed, latency=late))))
    assert essence(quick.transcript) == essence(slow.transcript)


class Heckler(SeededAgent):
    """An oracle that speaks up from outside, while the first of certain batches is being asked, once for each."""

    def __init__(self, ledger: Ledger, seed: int, share: int) -> None:
        super().__init__(seed, latency=lambda key: (_draw(seed, key) % 3) * 0.0005)
        self.ledger, self.share = ledger, share

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        remark = Interjected(by="Guest", text=f"what of {ask.key}?")
        texts = [turn.text for turn in self.ledger.transcript.turns("interject")]
        may = ask.key.endswith("#1") and _draw(self.seed, ask.key, "remark") % 100 < self.share
        if may and remark.text not in texts:
            await self.ledger.add(remark)
        return await super().answer(ask, context, recorder)


def _draw(*parts: object) -> int:
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:4])


@given(
    name=st.sampled_from(sorted(KNOWN)),
    seed=st.integers(0, 10**6),
    share=st.integers(0, 60),
    where=st.floats(0, 1, exclude_max=True),
)
def test_cut_anywhere_with_hecklers_and_latencies_it_is_the_same_debate(
    name: str, seed: int, share: int, where: float
) -> None:
    place = runner(name)

    def table(ledger: Ledger) -> dict[str, Heckler]:
        heckler = Heckler(ledger, seed, share)
        return dict.fromkeys([person.name for person in PEOPLE], heckler)

    whole = asyncio.run(place.run(table))
    cut = int(where * len(whole.lines))
    resumed = asyncio.run(place.run(table, whole.lines[:cut]))
    assert essence(resumed.transcript) == essence(whole.transcript)
    assert sorted(calls(resumed.entries)) == sorted(calls(whole.entries))


async def test_a_whole_record_is_only_read() -> None:
    place = runner("panel")
    whole = await place.run(seats(SeededAgent()))
    oracle = SeededAgent()
    again = await place.run(seats(oracle), whole.lines)
    assert oracle.sent == []
    assert again.lines == whole.lines


async def test_another_protocol_over_the_record_is_a_mismatch_that_names_the_entry() -> None:
    whole = await runner("panel").run(seats(SeededAgent()))
    other = runner("panel", choices=Choices(rounds=2))
    with pytest.raises(RecordMismatch, match="entry 1: the record has opened"):
        await other.run(seats(SeededAgent()), whole.lines[:9])


async def test_a_resumed_debate_says_so_once() -> None:
    place = runner("council")
    whole = await place.run(seats(SeededAgent()))
    cut = next(n for n, entry in enumerate(whole.entries, 1) if isinstance(entry.event, Called))
    resumed = await place.run(seats(SeededAgent()), whole.lines[:cut])
    assert [type(e.event).__name__ for e in resumed.entries].count("Resumed") == 1


CHANGES: list[tuple[Callable[[list[str]], list[str]], str]] = [
    (lambda lines: [lines[0], *lines[2:]], "entry 2 is missing"),
    (lambda lines: [lines[0], lines[1].replace("debate", "debbte"), *lines[2:]], "entry 2 has been changed"),
    (lambda lines: [lines[0], lines[1][:-3], *lines[2:]], "damaged"),
    (lambda lines: [lines[0].replace('"v":2', '"v":9'), *lines[1:]], "its format is 9"),
]


@pytest.mark.parametrize(("change", "message"), CHANGES)
async def test_a_changed_record_is_found(change: Callable[[list[str]], list[str]], message: str) -> None:
    whole = await runner("panel").run(seats(SeededAgent()))
    with pytest.raises(RecordError, match=message):
        read(tuple(change(list(whole.lines))))


async def test_the_last_events_are_ruled_and_closed() -> None:
    whole = await runner("moderated").run(seats(SeededAgent()))
    assert isinstance(whole.entries[-1].event, Closed)
    assert not any(isinstance(entry.event, Paused) for entry in whole.entries)
    assert sum(isinstance(entry.event, Replied) for entry in whole.entries) == len(whole.transcript.turns())
