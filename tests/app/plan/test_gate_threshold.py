"""`threshold: learned`: from resolved questions, judged on others, on record as a number, and never looked up again."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.brief.reader import read_brief
from folkmoot.app.export.learned import add_note
from folkmoot.app.plan.gate_threshold import ResolvedQuestion, choose_threshold, learn_threshold, read_questions
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.again import start_again
from folkmoot.app.run.prepare import Overrides, PreparedDebate, prepare
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.decision import Decision
from folkmoot.core.errors import BriefError, RecordError
from folkmoot.core.event import Closed, Opened, Replied
from folkmoot.learn.memory_store import MemoryStore
from folkmoot.models.custom import FunctionAgent
from folkmoot.testing.replay import essence
from folkmoot.testing.store_checks import InMemoryStore
from tests.cli.commands import settle
from tests.learn.lessons_kit import Paper

GOOD, POOR = "guest:good", "guest:poor"
FIVE = ("Ann", "Bob", "Cy", "Dee", "Eve")
PEOPLE = "".join(f"\n\n## {name}\nrole: {name}\n" for name in FIVE)
ONE_RIGHT, ALL_RIGHT = ("yes", "no", "no", "no", "no"), ("yes",) * 5


@pytest.fixture
async def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Workspace]:
    for name, value in settle(tmp_path).items():
        monkeypatch.setenv(name, value)
    place = Workspace.at(tmp_path / "record.sqlite")
    place.config = Config()
    for name, word in (("good", "yes"), ("poor", "no")):
        text = f"ANSWER: {word}\nCONFIDENCE: 0.8\nARGUMENT: It is cheap."
        place.pool.add_agent(name, FunctionAgent(name, lambda prompt, text=text: text))
    yield place
    await place.close()


def paper(
    first: Sequence[str], last: Sequence[str], decision: Decision | None, *, topic: str, seats: str = GOOD
) -> Paper:
    """A panel whose members gave these answers first and, if any, those last."""
    record = Paper(dict.fromkeys(FIVE[: len(first)], seats), topic=topic)
    assert isinstance(record.events[0], Opened)
    record.events[0] = replace(record.events[0], name="panel")
    for act, answers in (("propose", first), ("revise", last)):
        for name, answer in zip(FIVE, answers, strict=False):
            record.say(name, act, ANSWER=answer)
    return record.end(decision)


async def store(workspace: Workspace, debate: str, record: Paper, truth: str = "yes", at: float = 1000.0) -> None:
    await workspace.store.append(debate, record.lines(at), after=0)
    if truth:
        await add_note(workspace, debate, "resolve", truth)
    else:
        await add_note(workspace, debate, "domain", "tea")


def decided(word: str) -> Decision:
    return Decision(status="decided", winner="Ann" if word == "yes" else "Bob", text=word)


async def teach(workspace: Workspace, n: int) -> None:
    """So many questions; of ten, four are answered alike, and six are wrong until one debater has turned the others."""
    for i in range(n):
        split = i % 10 < 6
        first = ONE_RIGHT if split else ALL_RIGHT
        record = paper(first, ALL_RIGHT if split else (), decided("yes"), topic=f"Case {i}")
        await store(workspace, f"old{i}", record, at=1000.0 * i)


async def ready(workspace: Workspace, header: str = "protocol: gate\nthreshold: learned") -> PreparedDebate:
    text = f"---\noptions: [yes, no]\n{header}\n---\n# Tea?{PEOPLE}"
    return await prepare(workspace, read_brief(text, name="b.md"), Overrides(models=(GOOD, GOOD, GOOD, GOOD, POOR)))


async def test_what_resolved_questions_teach_decides_whether_there_is_a_debate(workspace: Workspace) -> None:
    await teach(workspace, 100)
    usual = await workspace.run((await ready(workspace, "protocol: gate")).plan, "usual")
    assert not usual.transcript.turns("revise")
    prepared = await ready(workspace)
    assert prepared.notes[0] == (
        "The threshold is 0.15, learned from 100 resolved questions: 0.0% wrong and 60% debated on questions that it "
        "was not learned from; the default 0.2 has 60.0% and 0%."
    )
    assert "threshold 0.15" in prepared.plan.chosen
    outcome = await workspace.run(prepared.plan, "new")
    assert len(outcome.transcript.turns("revise")) == 5
    opened = (await workspace.entries("new"))[0].event
    assert isinstance(opened, Opened)
    assert "'threshold': 0.15" in str(opened.protocol)
    assert "learned" not in str(opened.protocol)


async def test_what_is_learned_later_moves_no_debate_on_record(workspace: Workspace) -> None:
    await teach(workspace, 100)
    whole = await workspace.run((await ready(workspace)).plan, "new")
    lines, entries = await workspace.lines("new"), await workspace.entries("new")
    assert workspace.memory_place
    with MemoryStore.open(workspace.memory_place) as memory, MemoryStore.open("") as nothing:
        memory.replace(nothing)
    assert (await learn_threshold(workspace.store))[0] == 0.2
    for cut in range(2, len(lines)):
        if isinstance(entries[cut - 1].event, Replied):
            await workspace.store.append(f"cut{cut}", lines[:cut], after=0)
            resumed = await workspace.resume(f"cut{cut}")
            assert essence(resumed.transcript)[0] == essence(whole.transcript)[0]
    once_more = await start_again(workspace, "new", Overrides(rounds=2))
    assert "threshold 0.15" in once_more.plan.chosen


async def test_too_few_questions_leave_the_default_and_say_how_many_are_needed(workspace: Workspace) -> None:
    few = "The threshold is 0.2, the default: learning one needs 100 resolved questions, and there are"
    assert (await ready(workspace)).notes[0] == f"{few} 0."
    await teach(workspace, 99)
    record = paper(("yes", "no"), ("yes", "yes"), decided("yes"), topic="Coffee?")
    await workspace.store.append("unlearned", record.lines(), after=0)
    prepared = await ready(workspace)
    assert prepared.notes[0] == f"{few} 99; 1 closed debate is not learned; run folkmoot learn."
    assert "threshold 0.2" in prepared.plan.chosen
    assert not (await workspace.run(prepared.plan, "d")).transcript.turns("revise")
    assert await learn_threshold(InMemoryStore()) == (0.2, f"{few} 0.")


async def test_only_a_gate_learns_and_only_that_word_is_read(workspace: Workspace) -> None:
    with pytest.raises(BriefError, match=r"b\.md:4: forecast does not support threshold: learned; panel and gate do"):
        await ready(workspace, "protocol: forecast\nthreshold: learned")
    with pytest.raises(BriefError, match="a number or learned"):
        await ready(workspace, "protocol: gate\nthreshold: guessed")


async def test_memory_that_cannot_be_read_leaves_the_default(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> MemoryStore:
        raise RecordError("the disk is gone")

    monkeypatch.setattr(MemoryStore, "open", broken)
    sentence = "The threshold is 0.2, the default: memory cannot be read: the disk is gone."
    assert await learn_threshold(workspace.store) == (0.2, sentence)


TIE = Decision(status="tie", tally={"Ann": 1.0, "Bob": 1.0})
PAPERS: Mapping[str, tuple[Paper, str, tuple[float, float, float] | None]] = {
    "turned": (paper(("yes", "no", "no"), ("yes",) * 3, decided("yes"), topic="a"), "yes", (1 / 3, 1.0, 0.0)),
    "harmed": (paper(("yes", "no", "yes"), ("no",) * 3, decided("no"), topic="b"), "yes", (1 / 3, 0.0, 1.0)),
    "agreed": (paper(("yes", "yes"), (), decided("yes"), topic="c"), "yes", (0.0, 0.0, 0.0)),
    "left out": (paper(("yes", "no", "yes"), (), decided("yes"), topic="d"), "yes", None),
    "tied": (paper(("no", "no", "yes"), ("no", "yes", "maybe"), TIE, topic="e"), "yes", (1 / 3, 1.0, 2 / 3)),
    "undecided": (
        paper(("yes", "no"), ("yes", "no"), Decision(status="no_decision"), topic="f"),
        "yes",
        (0.5, 0.5, 1.0),
    ),
    "unknown": (paper(("yes", "no"), ("yes", "yes"), decided("yes"), topic="g"), "", None),
    "quoted": (paper(("yes", "no"), ("no", "no"), decided("no"), topic="h", seats="builtin:quotes"), "yes", None),
    "alone": (paper(("yes",), ("yes",), decided("yes"), topic="i"), "yes", None),
    "in words of its own": (
        paper(("yes", "no"), ("yes", "no"), Decision(status="decided", text="Tea, as ever."), topic="j"),
        "yes",
        None,
    ),
}


@pytest.mark.parametrize("name", PAPERS)
async def test_a_debate_counts_where_both_outcomes_are_known(workspace: Workspace, name: str) -> None:
    record, truth, wanted = PAPERS[name]
    await store(workspace, "old", record, truth)
    assert workspace.memory_place
    found_questions = read_questions(workspace.memory_place)
    rows = [(question.spread, question.without, question.debated) for question in found_questions]
    assert rows == ([pytest.approx(wanted)] if wanted else [])


async def test_a_question_asked_again_counts_once_and_late_first_answers_do_not(workspace: Workspace) -> None:
    assert workspace.memory_place
    await store(workspace, "one", paper(("yes", "no"), ("yes", "yes"), decided("yes"), topic="Tea?"), at=1000.0)
    await store(workspace, "two", paper(("yes", "yes"), (), decided("yes"), topic="tea?"), at=2000.0)
    assert [question.spread for question in read_questions(workspace.memory_place)] == [0.0]
    late = Paper({"Ann": GOOD, "Bob": GOOD}, topic="Late?")
    assert isinstance(late.events[0], Opened)
    late.events[0] = replace(late.events[0], name="panel")
    for who, act in (("Ann", "propose"), ("Ann", "revise"), ("Bob", "revise")):
        late.say(who, act, ANSWER="yes")
    await store(workspace, "late", late.end(decided("yes")))
    arena = Paper({"Ann": GOOD, "Bob": GOOD}, topic="Arena?")
    arena.say("Ann", "propose", ANSWER="yes")
    arena.say("Bob", "propose", ANSWER="yes")
    assert isinstance(arena.end(decided("yes")).events[-1], Closed)
    await store(workspace, "arena", arena)
    assert len(read_questions(workspace.memory_place)) == 1


def test_a_threshold_that_is_worse_on_other_questions_is_not_taken() -> None:
    noise = [
        ResolvedQuestion(spread=(0.1, 0.2, 0.4)[i % 3], without=float(i * 7 % 11 < 5), debated=float(i * 5 % 13 < 6))
        for i in range(120)
    ]
    threshold, sentence = choose_threshold(noise)
    assert (threshold, sentence.partition(", ")[0]) == (
        0.2,
        "The threshold is 0.2: one learned from 120 resolved questions is worse",
    )


async def test_a_question_never_teaches_its_own_threshold(workspace: Workspace) -> None:
    """It was debated before and is resolved: without it there are 99 questions, which are too few to learn from."""
    await teach(workspace, 100)
    assert (await learn_threshold(workspace.store))[0] == 0.15
    for topic in ("Case 3", " case 3 "):
        value, grounds = await learn_threshold(workspace.store, topic)
        assert (value, grounds.endswith("and there are 99.")) == (0.2, True)
    text = f"---\noptions: [yes, no]\nprotocol: panel\nthreshold: learned\n---\n# Case 3{PEOPLE}"
    prepared = await prepare(workspace, read_brief(text, name="b.md"), Overrides(models=(GOOD,)))
    assert "threshold 0.2" in prepared.plan.chosen


async def test_the_outcome_of_a_question_moves_nothing_in_its_own_debate(workspace: Workspace) -> None:
    """101 questions, of which the 101st could tip the choice either way: its own debate has the same threshold."""
    await teach(workspace, 100)
    sentences: list[tuple[float, str]] = []
    for at, word in ((1e6, "yes"), (2e6, "no")):
        record = paper(ONE_RIGHT, ALL_RIGHT, decided(word), topic="The last")
        await store(workspace, f"last{at:g}", record, truth="yes", at=at)
        sentences.append(await learn_threshold(workspace.store, "The last"))
    assert sentences[0] == sentences[1]
    assert (await learn_threshold(workspace.store))[1] != sentences[0][1]
