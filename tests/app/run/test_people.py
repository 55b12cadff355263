"""People at the table: who is waited for, what they write, and what a process that holds the debate makes of it."""

import asyncio
import multiprocessing
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.agents.human import Contacts, Human
from folkmoot.app.brief.default_participants import TIMEKEEPER
from folkmoot.app.program.program_agents import register
from folkmoot.app.run.dispatcher import Job, QueueAway
from folkmoot.app.run.outcome import Outcome
from folkmoot.app.run.outcome import outcome as outcome_of
from folkmoot.app.run.people import answer, context_for, say
from folkmoot.app.run.record_reader import time_left, waiting
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Reply
from folkmoot.core.brief import Brief, Limits, Participant
from folkmoot.core.errors import BriefError, FolkmootError, RecordError
from folkmoot.core.event import Interjected, Opened, Replied
from folkmoot.core.transcript import fold
from folkmoot.engine.driver import DriverOptions, debate
from folkmoot.phases.speak import Everyone
from folkmoot.protocols.known import Choices
from folkmoot.protocols.spec import dump
from folkmoot.record.ledger import Ledger
from folkmoot.record.mailbox import Mailbox
from folkmoot.testing.store_checks import InMemoryStore
from tests.app.run.people_kit import QUOTES, Filling, Hand, Time, filled, person, table, workspace
from tests.kits.acting import Acts, slowly
from tests.kits.clock import jumping


def plan(place: Workspace, brief: Brief, protocol: str = "council", rounds: int | None = 0, strategy: str = "") -> Plan:
    return place.plan(brief, protocol=protocol, choices=Choices(rounds=rounds, strategy=strategy), models=(QUOTES,))


async def answer_all(place: Workspace, outcome: Outcome) -> Outcome:
    """Answer and take up again until the debate is over."""
    while outcome.status == "paused":
        assert outcome.kind == "waiting"
        for turn in await waiting(place, outcome.debate):
            assert turn.ask
            words, fields = filled(turn.ask)
            await answer(place, outcome.debate, words, who=turn.by, fields=fields)
        outcome = await place.resume(outcome.debate)
    return outcome


# fmt: off
PLACES: list[tuple[str, str, tuple[Participant, ...], tuple[str, ...], set[str]]] = [
    ("panel", "", (person("Ada"),), (), {"draft", "revise", "vote"}),
    ("panel", "", (person("June", duty="juror"),), ("yes", "no"), {"vote"}),
    ("council", "", (person("Ada"),), (), {"propose", "revise", "vote"}),
    ("council", "moderator", (person("Chair", duty="moderator"),), (), {"vote"}),
    ("council", "", (person("June", duty="juror"),), (), {"vote"}),
    ("arena", "", (person("Ada"),), (), {"propose", "critique", "revise"}),
    ("moderated", "", (person("Ada"), person("Chair", duty="moderator")), (), {"argue"}),
    ("moderated", "", (person("Chair", duty="moderator"),), (), {"moderate"}),
    ("round_robin", "", (person("Ada"),), (), {"argue", "close", "vote"}),
    ("round_robin", "", (person("June", duty="juror"),), (), {"vote"}),
    ("round_robin", "mediator_summary", (person("Chair", duty="moderator"),), (), {"moderate"}),
    ("round_robin", "vote_based", (person("Judge", duty="moderator"),), (), {"vote"}),
    ("round_robin", "ranked_reasons", (person("Judge", duty="moderator"),), (), {"score"}),
    ("socratic", "", (person("Ada"),), (), {"question", "close", "vote"}),
    ("chain_of_thought", "", (person("Ada"),), (), {"close", "vote"}),
    ("fishbowl", "", (person("Ada"),), (), {"close", "vote"}),
    ("open_fight", "", (person("Ada"),), (), {"bid", "close", "vote"}),
    ("bp_style", "", (person("Ada"),), (), {"argue", "vote"}),
    ("board", "", (person("Ada"), TIMEKEEPER), (), {"argue", "verdict"}),
    ("board", "", (person("Ada"), TIMEKEEPER), ("yes", "no"), {"argue", "verdict"}),
    ("board", "", (person("Ada"), person("Bo"), person("Tick", duty="moderator")), (), {"argue", "remind", "verdict"}),
]
# fmt: on


@pytest.mark.parametrize(("protocol", "strategy", "people", "options", "acts"), PLACES)
async def test_a_person_can_have_every_place(
    protocol: str, strategy: str, people: tuple[Participant, ...], options: tuple[str, ...], acts: set[str]
) -> None:
    brief = table(*people, options=options, others=3)
    place, door = workspace(), Filling()
    planned = plan(place, brief, protocol, 1, strategy)
    outcome = await place.run(planned, "here", interface=door)
    assert outcome.status != "paused"
    names = {participant.name for participant in people}
    mine = [turn for turn in outcome.transcript.turns() if turn.by in names]
    assert acts <= {turn.act for turn in mine}
    assert {turn.reply.asked for turn in mine if turn.reply} == {"human"}
    assert [ask.key for ask in door.asked] == [turn.key for turn in mine]
    assert not [turn for turn in outcome.transcript.failures() if turn.by in names]
    away = await answer_all(place, await place.run(planned, "away"))
    assert [(turn.key, turn.text, turn.fields) for turn in away.transcript.all()] == [
        (turn.key, turn.text, turn.fields) for turn in outcome.transcript.all()
    ]
    assert away.decision == outcome.decision
    assert (await place.verify("away"))[0] > 0
    await place.close()


async def test_a_vote_of_a_person_counts_with_its_weight() -> None:
    place, time = workspace(), Time()
    brief = table(person("June", duty="juror", weight=5.0), others=3)
    outcome = await place.run(plan(place, brief, strategy="weighted"), "tea")
    (turn,) = await waiting(place, "tea")
    assert turn.ask
    shown = await context_for(place, "tea", turn.key)
    third = [spoken_turn.by for spoken_turn in shown.about].index("Q2")
    reply = await answer(place, "tea", "ABC"[third])
    assert reply.fields == {"I vote for": f"Proposal {'ABC'[third]}"}
    outcome = await place.resume("tea")
    assert outcome.decision
    assert outcome.decision.winner == "Q2"
    assert outcome.decision.tally["Q2"] >= 5.0
    assert [ballot.weight for ballot in outcome.decision.ballots] == [0.5, 0.5, 0.5, 5.0]
    assert time.now == 1000.0


# ---- waiting and answering -----------------------------------------------------------------------------------------


async def test_a_debate_waits_over_the_end_of_its_process(tmp_path: Path) -> None:
    place = Workspace.at(tmp_path / "r.sqlite")
    outcome = await place.run(plan(place, table(person("Ada"))), "tea")
    assert (outcome.status, outcome.kind) == ("paused", "waiting")
    assert outcome.reason == "Ada has to answer (proposal): folkmoot answer tea"
    assert (await place.resume("tea")).reason == outcome.reason, "a resume without an answer waits on"
    await place.close()
    elsewhere = Workspace.at(tmp_path / "r.sqlite")
    assert [listed.debate for listed in await elsewhere.list()] == ["tea"]
    assert [turn.by for turn in await waiting(elsewhere, "tea")] == ["Ada"]
    await answer(elsewhere, "tea", "Tea.\x1b")
    assert await waiting(elsewhere, "tea") == ()
    assert await elsewhere.find("last") == "tea"
    await elsewhere.close()
    place = Workspace.at(tmp_path / "r.sqlite")
    outcome = await answer_all(place, await place.resume("tea"))
    assert outcome.transcript.get("/debate/propose#1").text == "Tea."
    assert outcome.transcript.closed
    await place.close()


async def test_two_people_are_waited_for_at_once() -> None:
    place = workspace()
    outcome = await place.run(plan(place, table(person("Ada"), person("Bo"))), "tea")
    assert outcome.reason == (
        "Ada has to answer (proposal): folkmoot answer tea; Bo has to answer (proposal): folkmoot answer tea"
    )
    assert [turn.by for turn in await waiting(place, "tea")] == ["Ada", "Bo"]
    with pytest.raises(BriefError, match=r"^Ada and Bo have open questions; say whose answer it is$"):
        await answer(place, "tea", "Tea.")
    with pytest.raises(BriefError, match=r"^'Q0' is not a person in this debate; there is Ada, Bo$"):
        await answer(place, "tea", "Tea.", who="Q0")
    await answer(place, "tea", "Tea by Bo.", who="bo")
    with pytest.raises(RecordError, match=r"^Bo has already answered$"):
        await answer(place, "tea", "Again.", who="Bo")
    await answer(place, "tea", "Tea by Ada.")
    outcome = await place.resume("tea")
    assert [turn.text for turn in outcome.transcript.turns("propose")][:2] == ["Tea by Ada.", "Tea by Bo."]
    await answer_all(place, outcome)
    with pytest.raises(
        RecordError,
        match=r"^the debate tea is over; read it with folkmoot show, or run its brief anew with folkmoot again$",
    ):
        await answer(place, "tea", "Tea.")
    with pytest.raises(RecordError, match=r"^there is no debate 'milk'$"):
        await answer(place, "milk", "Tea.")
    assert await waiting(place, "tea") == ()


async def test_of_two_questions_to_one_person_the_older_is_answered_first() -> None:
    """A judge is asked in both orders at once."""
    place = workspace()
    brief = table(person("Judge", duty="moderator"), others=2)
    await place.run(plan(place, brief, "round_robin", 1, "vote_based"), "tea")
    first, second = await waiting(place, "tea")
    for turn in (first, second):
        assert (await waiting(place, "tea"))[0].key == turn.key
        await answer(place, "tea", "B", fields={"REASON": "It is so."})
    outcome = await place.resume("tea")
    assert outcome.decision
    assert outcome.decision.status == "tie"
    with pytest.raises(RecordError, match="tea has no question 'x'"):
        await context_for(place, "tea", "x")


async def test_nobody_is_waited_for() -> None:
    place = workspace()
    brief = table(others=2)
    await place.run(plan(place, replace(brief, limits=Limits(asks=1))), "tea")
    with pytest.raises(RecordError, match=r"^tea does not wait for an answer$"):
        await answer(place, "tea", "Tea.")
    with pytest.raises(BriefError, match="'Ada' is not a person in this debate; there is nobody"):
        await answer(place, "tea", "Tea.", who="Ada")


async def test_what_cannot_be_read_is_refused_and_posts_nothing() -> None:
    place = workspace()
    await place.run(plan(place, table(person("Ada"), options=("yes", "no")), "panel"), "tea")
    with pytest.raises(BriefError, match=r"the answer must say .*ANSWER \(.*yes.*no.*\)"):
        await answer(place, "tea", "It depends.")
    assert len(await waiting(place, "tea")) == 1


async def test_of_two_answers_at_once_the_later_is_told() -> None:
    class Racing(InMemoryStore):
        """Lets somebody else be faster once."""

        async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
            if debate.endswith("/letters") and not after:
                other = Replied(key="/debate/propose#1", reply=by_other)
                await Mailbox(InMemoryStore(self.kept), "tea", clock=Time()).post(other)
            await super().append(debate, lines, after=after)

    by_other = Reply(text="Faster.", asked="human")
    place = workspace(store=Racing())
    await place.run(plan(place, table(person("Ada"))), "tea")
    with pytest.raises(RecordError, match=r"^Ada has already answered$"):
        await answer(place, "tea", "Slower.")
    assert (await place.resume("tea")).transcript.get("/debate/propose#1").text == "Faster."


async def test_an_answer_whose_debate_could_not_be_queued_queues_it_when_it_is_sent_again() -> None:
    class Queue:
        """A queue that cannot be reached the first time."""

        submitted = 0

        async def job(self, debate: str) -> Job:
            return Job(debate=debate, state="waiting")

        async def submit(self, debate: str, *, owner: str, priority: int) -> None:
            self.submitted += 1
            if self.submitted == 1:
                raise QueueAway("the queue cannot be reached")

    place, queue = workspace(), Queue()
    place.queue = queue  # pyright: ignore[reportAttributeAccessIssue]
    await place.run(plan(place, table(person("Ada"), person("Bo"))), "tea")
    with pytest.raises(QueueAway):
        await answer(place, "tea", "Tea.", who="Ada")
    with pytest.raises(RecordError, match=r"^Ada has already answered$"):
        await answer(place, "tea", "Tea.", who="Ada")
    assert queue.submitted == 2


# ---- deadlines -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stand_in", ["", QUOTES])
async def test_a_deadline_counts_over_restarts(stand_in: str) -> None:
    time, store = Time(), InMemoryStore()
    place = workspace(time, store)
    ada = person("Ada", deadline=600.0, stand_in=stand_in)
    await place.run(plan(place, table(ada, person("Bo"))), "tea")
    time.now += 599
    assert await time_left(place, "tea") == {"/debate/propose#1": 1.0}
    assert (await workspace(time, store).resume("tea")).kind == "waiting"
    time.now += 2
    assert [turn.by for turn in await waiting(place, "tea")] == ["Bo"]
    with pytest.raises(RecordError, match=r"^the time for the answer of Ada is over$"):
        await answer(place, "tea", "Tea.", who="Ada")
    await answer(place, "tea", "Coffee.", who="Bo")
    outcome = await workspace(time, store).resume("tea")
    turn = outcome.transcript.get("/debate/propose#1")
    if stand_in:
        assert turn.reply
        assert turn.reply.notes[-1] == "in place of Ada, whose time was up"
    else:
        assert turn.failure == "Ada gave no answer in time"
        assert outcome.transcript.get("/debate/propose#2").text == "Coffee."


async def test_two_late_people_are_not_out_of_reach() -> None:
    """Nobody came to the table: the debate fails, and does not wait for a provider."""
    time = Time()
    place = workspace(time)
    people = (person("Ada", deadline=1.0), person("Bo", deadline=1.0))
    await place.run(plan(place, table(*people, others=0)), "tea")
    time.now += 2
    outcome = await place.resume("tea")
    assert (outcome.status, outcome.reason) == ("failed", "0 of 2 answered, 1 is needed to go on")


@pytest.mark.parametrize("parallel", [1, 2])
async def test_stand_ins_go_through_the_gate_like_everybody(parallel: int) -> None:
    place, busy = workspace(time := Time()), [0]

    async def sam(prompt: str) -> str:
        busy.append(busy[-1] + 1)
        await asyncio.sleep(0.01)
        busy.append(busy[-1] - 1)
        return "Tea."

    register(place.pool, "sam", sam)
    people = tuple(person(name, deadline=1.0, stand_in="guest:sam") for name in ("Ada", "Bo", "Cy"))
    brief = replace(table(*people, others=0), limits=Limits(parallel=parallel))
    await place.run(plan(place, brief), "tea")
    time.now += 2
    outcome = await place.resume("tea")
    assert max(busy) == parallel
    assert [turn.text for turn in outcome.transcript.turns("propose")] == ["Tea."] * 3


# ---- speaking up ---------------------------------------------------------------------------------------------------


async def test_whoever_speaks_up_is_heard_and_nobody_speaks_for_others() -> None:
    place = workspace()
    await place.run(plan(place, table(person("Ada")), rounds=1), "tea")
    refused: list[tuple[str, str, str]] = [
        ("Q0", "Hm.", "'Q0' is the name of a participant; use another name"),
        ("qo", "Hm.", "'qo' is the name of a participant"),
        ("everybody", "Hm.", "the word has another meaning"),
        ("Zed", " \u200b ", "the message is empty"),
        ("Zed", "x" * 20_001, "this has 20,001 characters; at most 20,000 can be said at once"),
    ]
    for by, words, message in refused:
        with pytest.raises(BriefError, match=message):
            await say(place, "tea", by, words)
    assert await say(place, "tea", "Zed", " Think of \u202emilk. ") == 1
    assert await say(place, "tea", "ada", "And of me.") == 2
    outcome = await answer_all(place, await place.resume("tea"))
    turns = outcome.transcript.turns("interject")
    assert [(turn.by, turn.text) for turn in turns] == [("Zed", "Think of milk."), ("Ada", "And of me.")]
    with pytest.raises(
        RecordError,
        match=r"^the debate tea is over; read it with folkmoot show, or run its brief anew with folkmoot again$",
    ):
        await say(place, "tea", "Zed", "Too late.")
    assert (await place.verify("tea"))[0]


# ---- limits --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limits", [Limits(total_seconds=0.3), Limits(turn_seconds=0.05), Limits(parallel=1)])
@jumping
async def test_no_limit_breaks_off_a_person(limits: Limits) -> None:
    class Slow(Filling):
        async def ask(self, ask: Ask, context: Context) -> Reply:
            await asyncio.sleep(0.2)
            return await super().ask(ask, context)

    brief = table(person("Ada"), person("Bo"))
    place = workspace()
    planned = plan(place, replace(brief, limits=limits), rounds=1)
    outcome = await place.run(planned, "tea", interface=Slow())
    assert outcome.status != "paused"
    assert outcome.transcript.failures() == ()


async def test_a_limit_on_others_ends_the_asking_of_people() -> None:
    """Somebody else takes too long: the debate pauses, and the person can still answer by letter."""
    door, phase = Hand(None), Everyone(act="argue", task="Argue.")
    people = (Participant(name="Ann", seat="x"), person("Bob"))
    brief = Brief(topic="Tea?", participants=people, limits=Limits(total_seconds=0.05))
    ledger = Ledger(InMemoryStore(), "d", clock=Time())
    await ledger.open()
    seats = {"Ann": Acts(slowly), "Bob": Human(Contacts(interface=door))}
    hosting = DriverOptions(untimed=frozenset({"Bob"}))
    transcript = await debate(Opened(brief=brief, protocol=dump(phase)), phase, seats, ledger=ledger, options=hosting)
    assert transcript.paused
    assert transcript.paused.kind == "limit"
    assert door.let_go == ["/debate#2"]


async def test_a_limit_goes_before_waiting() -> None:
    brief = table(person("Ada"), person("Bo"))
    place = workspace()
    outcome = await place.run(plan(place, replace(brief, limits=Limits(asks=2))), "tea")
    assert (outcome.kind, outcome.reason) == ("limit", "the limit of 2 questions is reached")


# ---- two processes -------------------------------------------------------------------------------------------------


def hold_elsewhere(path: str) -> None:
    """What the other process does: hold the debate with a door at which nobody stands."""

    async def run() -> None:
        place = Workspace.at(Path(path))
        await place.run(plan(place, table(person("Ada")), rounds=1), "tea", interface=Hand(None))
        await place.close()

    asyncio.run(run())


async def test_one_process_holds_the_debate_and_another_says_and_answers(tmp_path: Path) -> None:
    child = multiprocessing.get_context("spawn").Process(target=hold_elsewhere, args=(str(tmp_path / "r.sqlite"),))
    await asyncio.to_thread(child.start)
    place = Workspace.at(tmp_path / "r.sqlite")
    try:
        await say_when_open(place)
        async with asyncio.timeout(120):
            while not (outcome := await look(place)).transcript.closed:
                for turn in await waiting(place, "tea"):
                    assert turn.ask
                    words, fields = filled(turn.ask)
                    await answer(place, "tea", words, fields=fields)
                await asyncio.sleep(0.05)
        await asyncio.to_thread(child.join, 10)
        assert child.exitcode == 0
        texts = [(turn.by, turn.text) for turn in outcome.transcript.all() if turn.by in ("Ada", "Zed")]
        assert texts[:3] == [("Ada", "Ada says tea."), ("Zed", "From elsewhere."), ("Ada", "Ada says tea.")]
        messages = [e.event for e in await place.entries("tea") if isinstance(e.event, Interjected)]
        assert messages == [Interjected(by="Zed", text="From elsewhere.", letter=1)]
        assert (await place.verify("tea"))[0]
    finally:
        child.kill()
        await place.close()


async def say_when_open(place: Workspace) -> None:
    async with asyncio.timeout(120):
        while True:
            try:
                if await waiting(place, "tea"):
                    break
            except FolkmootError:
                pass
            await asyncio.sleep(0.05)
    await say(place, "tea", "Zed", "From elsewhere.")


async def look(place: Workspace) -> Outcome:
    """How the debate stands, without taking it up."""
    return outcome_of("tea", fold(await place.entries("tea")))
