"""People asked at the terminal at which their debate is held: silence, order, and everything that ends a question."""

import asyncio
import os
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from folkmoot.app.run.outcome import Outcome, outcome
from folkmoot.app.run.people import answer, say
from folkmoot.app.run.record_reader import waiting
from folkmoot.app.run.workspace import Workspace
from folkmoot.cli.display.ask_people import Terminal
from folkmoot.cli.display.live_screen import Screen
from folkmoot.cli.terminal import Interrupt, conduct
from folkmoot.core.ask import Ask
from folkmoot.core.brief import Brief, Participant, Source
from folkmoot.core.errors import RecordError
from folkmoot.core.event import Asked, Attempted, Entry, Interjected, Opened
from folkmoot.core.transcript import fold
from folkmoot.protocols.known import Choices
from folkmoot.testing.store_checks import InMemoryStore
from tests.cli.terminals import CTRL_D, Typist

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX terminals")

QUOTES = "builtin:quotes"
TEA = (("ARGUMENT", "It is cheap.\n"), ("", "\n"), ("CONFIDENCE", "\n"), ("ANSWER", "1\n"))


def person(name: str, deadline: float | None = None) -> Participant:
    return Participant(name=name, role="Drinks it", seat="human", deadline=deadline)


def brief(*people: Participant) -> Brief:
    bull = Participant(name="Bull", role="Speaks for tea", seat=QUOTES)
    facts = Source(name="facts.md", text="Tea is cheaper by $40 a month.")
    return Brief(topic="Tea or coffee?", background=(facts,), options=("tea", "coffee"), participants=(bull, *people))


class Table:
    """A debate held at the terminal of a typist."""

    def __init__(self) -> None:
        self.workspace = Workspace(InMemoryStore())
        self.typist = Typist()
        self.interrupt = Interrupt(say=self.typist.console.print)

    async def hold(self, brief: Brief | None = None, *, protocol: str = "panel") -> Outcome:
        """Run a debate, or go on with it where no brief is given."""
        self.workspace = Workspace(self.workspace.store)  # as another process would
        screen = Screen(self.typist.console, live=False)
        screen.in_place = True
        door = Terminal(self.workspace, "d", screen, self.typist.keyboard)
        self.interrupt.leave = door.leave
        if brief:
            plan = self.workspace.plan(brief, protocol=protocol, choices=Choices(), models=(QUOTES,))
            hold = self.workspace.run(plan, "d", stop=self.interrupt.stop, interface=door)
        else:
            for entry in await self.workspace.entries("d"):
                screen.load(entry)
            hold = self.workspace.resume("d", stop=self.interrupt.stop, interface=door)
        with screen:
            await conduct(self.workspace, "d", hold, screen, self.interrupt)
        return outcome("d", fold(await self.workspace.entries("d")))

    def order(self, *words: str) -> bool:
        """Whether these words were shown one behind the other."""
        places = [self.typist.out.getvalue().find(word) for word in words]
        assert -1 not in places, self.typist.out.getvalue()
        return places == sorted(places)


@pytest.fixture
async def table() -> AsyncIterator[Table]:
    table = Table()
    yield table
    await table.workspace.close()
    table.typist.close()


async def play(table: Table, brief: Brief | None, *steps: tuple[str, str]) -> Outcome:
    """Run a debate while somebody types."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(table.hold(brief))
        await table.typist.type(*steps)
    return task.result()


async def test_nobody_reads_answers_to_a_question_before_giving_his_own(table: Table) -> None:
    came = await play(table, brief(person("Ada"), person("Bo")), *TEA, ("Bo is asked", "It is cheap.\n"), *TEA[1:])
    assert (came.status, came.decision and came.decision.winner) == ("decided", "tea")
    assert table.order("Ada is asked", "Bo is asked", "─ drafts ─", "Bull Speaks for tea · draft")
    assert (
        "Ada Drinks it · draft · in person\n  Argument  It is cheap.\n  Answer    tea\n" in table.typist.out.getvalue()
    )


async def test_an_answer_from_elsewhere_closes_the_question(table: Table) -> None:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(table.hold(brief(person("Ada"))))
        await table.typist.type(("ARGUMENT", "2"))
        await answer(table.workspace, "d", "", fields={"ANSWER": "tea", "ARGUMENT": "By letter."})
    assert task.result().status == "decided"
    assert table.order("Ada is asked", "Ada is no longer asked here.", "By letter.")
    assert not await table.typist.keyboard.pasted()


async def test_a_question_ends_with_the_time_of_the_person(table: Table) -> None:
    came = await play(table, brief(person("Ada", deadline=0.4)), ("ARGUMENT", "2"))
    assert came.status == "no_decision"
    assert table.order(
        "until 2", "0 s left", "the time for the answer of Ada is over.", "no answer: timeout: Ada gave no"
    )


async def test_ctrl_d_leaves_one_question_open_and_the_others_are_asked(table: Table) -> None:
    steps = (("ARGUMENT", CTRL_D), ("Bo is asked", "It is cheap.\n"), *TEA[1:])
    came = await play(table, brief(person("Ada"), person("Bo")), *steps)
    assert (came.status, came.kind, came.reason) == (
        "paused",
        "waiting",
        "Ada has to answer (draft): folkmoot answer d",
    )
    assert [turn.by for turn in await waiting(table.workspace, "d")] == ["Ada"]
    assert (await play(table, None, *TEA)).status == "decided"


async def test_ctrl_c_leaves_all_questions_open(table: Table) -> None:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(table.hold(brief(person("Ada"), person("Bo"))))
        await table.typist.type(*TEA[:2])
        await table.typist.see("CONFIDENCE")
        table.interrupt.press()
    assert (task.result().kind, table.typist.out.getvalue().count("is asked")) == ("waiting", 1)
    assert [turn.by for turn in await waiting(table.workspace, "d")] == ["Ada", "Bo"]
    assert "> \nstopping after the answers in progress" in table.typist.out.getvalue()


async def test_a_request_to_end_closes_the_question_too(table: Table) -> None:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(table.hold(brief(person("Ada"))))
        await table.typist.see("> ")
        table.interrupt.terminate()
        table.interrupt.terminate()
    assert task.result().kind == "waiting"


async def test_what_was_said_meanwhile_is_shown_to_whoever_comes_back(table: Table) -> None:
    people = brief(replace(person("Ada"), duty="moderator"), Participant(name="Bear", seat=QUOTES))
    plan = table.workspace.plan(people, protocol="moderated", choices=Choices(), models=(QUOTES,))
    await table.workspace.run(plan, "d")
    steps = (("SUMMARY", "All said.\n"), ("", "\n"), ("STATUS", "1\n"), ("DECISION", "1\n"))
    came = await play(table, None, *steps)
    assert (came.status, came.decision and came.decision.text) == ("decided", "tea")
    assert table.order("resumed", "Ada is asked", "Bull · argument", "Bear · argument", "▌ Ada · Drinks it · review")


async def test_what_is_said_from_outside_stands_beside_the_question_that_is_open(table: Table) -> None:
    plan = table.workspace.plan(brief(person("Ada")), protocol="panel", choices=Choices(), models=(QUOTES,))
    await table.workspace.run(plan, "d")
    await say(table.workspace, "d", "Zed", "Think of the kettle.")
    async with asyncio.TaskGroup() as group:
        task = group.create_task(table.hold())
        await table.typist.type(*TEA[:2])
        await table.typist.see("CONFIDENCE")
        await say(table.workspace, "d", "Zoe", "The kettle is old.")
        await table.typist.type((r"Zoe \(viewer\)", "\n"), ("ANSWER", "1\n"))
    assert task.result().status == "decided"
    assert table.order("Ada is asked", "▌ Zed (viewer)", "▌ Ada · Drinks it", "> \n▌ Zoe (viewer)", "ANSWER")


async def test_a_terminal_that_is_closed_leaves_the_question_open(table: Table) -> None:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(table.hold(brief(person("Ada"))))
        await table.typist.see("> ")
        table.typist.hang_up()
    assert task.result().kind == "waiting"
    assert table.order("Ada is asked", "Bull Speaks for tea · draft", "paused")


async def test_an_answer_to_one_question_is_not_noted_for_the_next(table: Table) -> None:
    plan = table.workspace.plan(brief(person("Ada")), protocol="panel", choices=Choices(), models=(QUOTES,))
    await table.workspace.run(plan, "d")
    with pytest.raises(RecordError, match="Ada has been asked something else since; this answer was not stored"):
        await answer(table.workspace, "d", "tea", key="/debate/draft#9")
    assert [turn.by for turn in await waiting(table.workspace, "d")] == ["Ada"]


async def test_the_screen_does_not_stand_still_for_a_stand_in(table: Table) -> None:
    screen = Screen(table.typist.console, live=False)
    screen.in_place = True
    key = "/debate/draft#1"
    events = (
        Opened(brief=brief(person("Ada")), protocol={}, name="panel"),
        Asked(ask=Ask(key=key, to="Ada", act="draft", task="Go on.")),
        Interjected(by="Zed", text="The kettle!"),
    )
    for n, event in enumerate(events, start=1):
        screen.take(Entry(seq=n, at=0.0, event=event), "")
    assert "kettle" not in table.typist.out.getvalue()
    screen.take(Entry(seq=4, at=0.0, event=Attempted(key=key, call="answer", n=1)), "")
    assert "kettle" in table.typist.out.getvalue()
