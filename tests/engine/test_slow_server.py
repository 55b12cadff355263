"""A server of one's own that answers one call after the other: what counts as a turn's time, what is kept, when it ends."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pytest

from folkmoot.agents.llm import NO_TIME, OUT_OF_TIME, REPAIRED, ModelAgent
from folkmoot.core.agent import Agent, Quote, Recorder
from folkmoot.core.ask import Field, Form, Usage
from folkmoot.core.brief import Brief, Limits, Participant
from folkmoot.core.errors import Refused, Unavailable
from folkmoot.core.event import Called, Replied
from folkmoot.engine.driver import DriverOptions, StopRequest
from folkmoot.models.base import Model, Request, Traits
from folkmoot.models.layers import QUEUE, ResilientModel
from folkmoot.models.transport import Gate
from folkmoot.phases.base import Phase
from folkmoot.phases.speak import Everyone, Floor
from folkmoot.protocols.known import build
from folkmoot.testing.replay import Harness, HeldDebate
from tests.kits.acting import failed
from tests.kits.clock import jumping

SEAT = "llamacpp:tiny"
THREE = tuple(Participant(name=name, seat=SEAT) for name in ("Ann", "Bo", "Cy"))
BALLOT = Form(name="ballot", fields=(Field(name="VOTE", kind="choice", choices=("tea", "coffee")),))
VOTE = Everyone(act="vote", task="Vote.", form=BALLOT)
SPEAK = Everyone(act="argue", task="Speak.")


@dataclass(kw_only=True)
class SlowServer:
    """A server with one slot: the others wait in its queue, as they do at llama.cpp.

    Attributes:
        reads: seconds until the first word of an answer.
        writes: seconds from there to its end, or what the call says.
        text: the answer to a call.
        sent: the calls that were sent.
        busy: those that are answered or wait for it, at most.
    """

    reads: float = 20.0
    writes: Callable[[Request], float] = lambda request: 30.0
    text: Callable[[Request], str | Exception] = lambda request: "Tea."
    sent: list[str] = field(default_factory=list[str])
    slot: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0
    busy: int = 0

    name = SEAT
    traits = Traits()
    drops = ()

    def quote(self, request: Request) -> Quote:
        return Quote(model=SEAT, tokens=10)

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        self.sent.append(request.call)
        self.waiting += 1
        self.busy = max(self.busy, self.waiting)
        try:
            async with self.slot:
                await asyncio.sleep(self.reads)
                text = self.text(request)
                if isinstance(text, Exception):
                    raise text
                recorder.delta(text)
                for _ in range(10):
                    await asyncio.sleep(self.writes(request) / 10)
                    recorder.delta(" ")
                return Called(key="", call=request.call, text=text, model=SEAT, usage=Usage(output_tokens=1))
        finally:
            self.waiting -= 1

    async def close(self) -> None:
        pass


def agents(server: SlowServer, gate: Gate, seconds: float) -> Mapping[str, Agent]:
    """Three whose answers come from one server."""
    model: Model = ResilientModel(server, gate=gate, queued=True)
    return {who.name: ModelAgent(model, seconds=seconds) for who in THREE}


async def run(
    server: SlowServer,
    seconds: float,
    *,
    phase: Phase = SPEAK,
    slots: int = 1,
    stop: StopRequest | None = None,
    lines: tuple[str, ...] = (),
    total: float | None = None,
) -> HeldDebate:
    limits = Limits(turn_seconds=seconds, total_seconds=total)
    brief = Brief(topic="Tea?", participants=THREE, limits=limits)
    place = Harness(brief=brief, protocol=phase, hosting=lambda: DriverOptions(stop=stop or StopRequest()))
    return await place.run(agents(server, Gate(slots), seconds), lines)


def replies(ran: HeldDebate) -> list[Replied]:
    return [entry.event for entry in ran.entries if isinstance(entry.event, Replied)]


@jumping
async def test_a_place_at_the_server_is_waited_for_without_end_of_the_turn() -> None:
    server = SlowServer()
    ran = await run(server, 40.0)
    assert [reply.reply.text for reply in replies(ran)] == ["Tea."] * 3
    assert (server.busy, failed(ran)) == (1, [])


@jumping
async def test_the_queue_of_the_server_itself_is_no_time_of_the_turn_either() -> None:
    server = SlowServer()
    ran = await run(server, 40.0, slots=3)  # as where another process has the slot
    assert (server.busy, failed(ran), len(replies(ran))) == (3, [], 3)


@jumping
async def test_two_debates_at_one_server_both_end() -> None:
    server = SlowServer()
    async with asyncio.TaskGroup() as group:
        both = [group.create_task(run(server, 40.0)) for _ in range(2)]
    assert [len(replies(task.result())) for task in both] == [3, 3]


@jumping
async def test_an_answer_that_goes_on_for_ever_ends_with_its_time_and_is_not_asked_for_again() -> None:
    server = SlowServer(writes=lambda request: 4000.0)
    ran = await run(server, 40.0)
    assert server.sent == ["answer"] * 3
    assert ran.transcript.paused
    assert (ran.transcript.paused.kind, ran.transcript.paused.cause) == ("unavailable", "timeout")


@jumping
async def test_a_server_that_never_says_a_word_is_left_after_the_time_for_that() -> None:
    server = SlowServer(reads=1e6)
    loop = asyncio.get_running_loop()
    began = loop.time()
    ran = await run(server, 40.0)
    assert (server.sent, ran.transcript.closed) == (["answer"] * 3, None)
    assert loop.time() - began == pytest.approx(3 * QUEUE * 40.0, rel=0.01)


# ---- what is kept ----------------------------------------------------------------------------------------------------


def unclear(request: Request) -> str:
    return "Both have their merits." if request.call == "answer" else "VOTE: tea"


@jumping
async def test_an_answer_is_kept_where_the_question_about_its_form_runs_out_of_time() -> None:
    server = SlowServer(text=unclear, writes=lambda request: 30.0 if request.call == "answer" else 500.0)
    ran = await run(server, 100.0, phase=VOTE)
    assert [(reply.reply.text, reply.reply.notes) for reply in replies(ran)] == [
        ("Both have their merits.", (OUT_OF_TIME,))
    ] * 3
    assert (failed(ran), server.sent.count("repair")) == ([], 3)


@jumping
async def test_no_question_about_the_form_begins_with_less_time_than_the_answer_took() -> None:
    server = SlowServer(text=unclear)
    ran = await run(server, 45.0, phase=VOTE)
    assert [reply.reply.notes for reply in replies(ran)] == [(NO_TIME,)] * 3
    assert server.sent == ["answer"] * 3


@jumping
async def test_with_enough_time_the_form_is_asked_for() -> None:
    ran = await run(SlowServer(text=unclear), 100.0, phase=VOTE)
    assert [(reply.reply.fields, reply.reply.notes) for reply in replies(ran)] == [({"VOTE": "tea"}, (REPAIRED,))] * 3


# ---- when all fail ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (Refused("too long", kind="too_long"), "too_long"),
        (Refused("no such field", kind="request"), "request"),
        (Unavailable("refused the key", kind="key"), "key"),
        (Unavailable("no credit", kind="quota"), "quota"),
    ],
)
@pytest.mark.parametrize("phase", [SPEAK, Floor(act="argue", task="Speak.")], ids=["at once", "in turn"])
def test_what_keeps_all_from_answering_pauses_the_debate(error: Exception, cause: str, phase: Phase) -> None:
    @jumping
    async def check() -> None:
        ran = await run(SlowServer(text=lambda request: error), 40.0, phase=phase)
        assert ran.transcript.paused
        assert (ran.transcript.paused.kind, ran.transcript.paused.cause) == ("unavailable", cause)
        assert failed(ran) == []
        resumed = await run(SlowServer(), 40.0, phase=phase, lines=ran.lines)
        assert len(replies(resumed)) == 3

    check()


@jumping
async def test_who_withholds_an_answer_has_answered_unless_all_do_at_the_first_question() -> None:
    withheld = Refused("will not say", kind="refused")
    ran = await run(SlowServer(text=lambda request: withheld), 40.0)
    assert ran.transcript.paused
    answers = iter(["Tea.", withheld, "Tea."])
    ran = await run(SlowServer(text=lambda request: next(answers)), 40.0, phase=Floor(act="argue", task="Speak."))
    assert (len(replies(ran)), [failure.kind for failure in failed(ran)]) == (2, ["refused"])


@jumping
async def test_one_that_fails_among_others_is_data() -> None:
    answers = iter(["Tea.", Unavailable("no credit", kind="quota"), "Tea."])
    ran = await run(SlowServer(text=lambda request: next(answers)), 40.0, phase=Floor(act="argue", task="Speak."))
    assert (len(replies(ran)), [failure.kind for failure in failed(ran)]) == (2, ["quota"])


# ---- a stop ----------------------------------------------------------------------------------------------------------


@jumping
async def test_a_stop_lets_the_call_in_flight_end_and_begins_no_other() -> None:
    stop, server = StopRequest(), SlowServer(text=unclear)
    asyncio.get_running_loop().call_later(10.0, setattr, stop, "reason", "interrupted")
    ran = await run(server, 100.0, phase=VOTE, stop=stop)
    assert (server.sent, replies(ran), failed(ran)) == (["answer"], [], [])
    assert ran.transcript.paused
    assert (ran.transcript.paused.reason, ran.transcript.paused.kind) == ("interrupted", "stopped")
    again = SlowServer(text=unclear)
    resumed = await run(again, 100.0, phase=VOTE, lines=ran.lines)
    assert [reply.reply.fields for reply in replies(resumed)] == [{"VOTE": "tea"}] * 3
    assert sorted(again.sent) == ["answer", "answer", "repair", "repair", "repair"], (
        "what is on record is not asked again"
    )


def test_a_whole_panel_ends_on_one_slot() -> None:
    @jumping
    async def check() -> None:
        phase = build("panel", Brief(topic="Tea?", participants=THREE))
        ran = await run(SlowServer(reads=1.0, writes=lambda request: 5.0), 60.0, phase=phase)
        assert ran.transcript.closed

    check()
