"""People who are asked in place by a program: what they read, and what becomes of answers that cannot be used."""

import asyncio
import io
import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from folkmoot.app.program.in_place import Asking, ProgramInterface, ask_at_console
from folkmoot.app.program.program_agents import HumanAgent
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import BriefError, Waiting
from tests.kits.waiting import until

FLO = Participant(name="Flo", seat="human")
SCENE = Context(brief=Brief(topic="Which \x1b[31mtea?", participants=(FLO,)), me=FLO)
FORM = Form(name="ballot", layout="line", fields=(Field(name="I pick", kind="choice", choices=("A", "B")),))


def put(form: Form | None = None, to: str = "Flo") -> Ask:
    return Ask(key="/debate#1", to=to, act="vote", task="Choose.", form=form)


class Person:
    """Somebody with answers; asked once more than there are answers, the last one again."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.read: list[str] = []

    def __call__(self, question: str) -> str:
        self.read.append(question)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


async def test_a_person_reads_what_a_model_would_be_sent() -> None:
    flo = Person("B")
    reply = await ProgramInterface({"Flo": flo}).ask(put(FORM), SCENE)
    assert (reply.fields, reply.text) == ({"I pick": "B"}, "I pick: B")
    assert all(words in flo.read[0] for words in ("Topic: Which [31mtea?", "You are Flo.", "Choose.", "I pick: "))
    assert "\x1b" not in flo.read[0]


async def test_an_answer_that_cannot_be_used_is_asked_for_again_with_the_reason() -> None:
    flo = Person("neither", "A")
    assert (await ProgramInterface({"Flo": flo}).ask(put(FORM), SCENE)).fields == {"I pick": "A"}
    assert "This cannot be used: the answer must say I pick" in flo.read[1]
    stubborn = Person("neither")
    with pytest.raises(Waiting, match="none of 3 answers could be used"):
        await ProgramInterface({"Flo": stubborn}).ask(put(FORM), SCENE)
    assert len(stubborn.read) == 3
    with pytest.raises(Waiting, match="none of 3 answers could be used"):
        await ProgramInterface({"Flo": Person(" ")}).ask(put(), SCENE)


async def test_who_cannot_be_asked_here_is_waited_for() -> None:
    with pytest.raises(Waiting):
        await ProgramInterface({"Flo": Person("yes")}).ask(put(to="Gus"), SCENE)


def leaves(question: str) -> str:
    raise EOFError


async def leaves_at_once(question: str) -> str:
    raise EOFError


@pytest.mark.parametrize("asking", [leaves, leaves_at_once])
async def test_who_leaves_is_waited_for(asking: Asking) -> None:
    with pytest.raises(Waiting, match="no answer was given"):
        await ProgramInterface({"Flo": asking}).ask(put(), SCENE)


@pytest.mark.parametrize(("deadline", "seconds"), [(None, None), (90, 90.0), (0.5, 0.5), ("3d", 259_200.0)])
def test_a_deadline_is_seconds_or_words(deadline: float | str | None, seconds: float | None) -> None:
    assert HumanAgent("Flo", deadline=deadline).deadline == seconds


@pytest.mark.parametrize("deadline", [0, -1, float("nan"), float("inf"), "", "3", "0d", "soon"])
def test_a_deadline_that_cannot_be_is_refused_at_once(deadline: float | str) -> None:
    with pytest.raises(BriefError, match=r"^Flo: the deadline is .*; it must be seconds, more than 0, or a len"):
        HumanAgent("Flo", deadline=deadline)


async def test_one_person_is_asked_after_the_other() -> None:
    busy: list[str] = []

    async def slow(question: str) -> str:
        busy.append("asked")
        await asyncio.sleep(0.01)
        busy.append("answered")
        return "yes"

    def lazy(question: str) -> str:
        busy.append("asked")
        time.sleep(0.01)
        busy.append("answered")
        return "no"

    people: dict[str, Asking] = {"Flo": slow, "Gus": lazy}
    door = ProgramInterface(people)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(door.ask(put(to=name), SCENE)) for name in people]
    assert [task.result().text for task in tasks] == ["yes", "no"]
    assert busy == ["asked", "answered"] * 2


# ---- at the console ------------------------------------------------------------------------------------------------


class Seated:
    """Somebody at a terminal, or at a pipe, that this process takes for its own console."""

    def __init__(self, patch: pytest.MonkeyPatch, output: pytest.CaptureFixture[str], *, terminal: bool = True) -> None:
        self.ours, theirs = pty.openpty() if terminal else reversed(os.pipe())
        self._source, self._output = os.fdopen(theirs), output
        self.shown = ""
        patch.setattr(sys, "stdin", self._source)

    async def type(self, words: str, *, at: str = "") -> None:
        """Type words, once a prompt stands behind something that was shown since the last words."""
        read = len(self.shown)
        for _ in range(1000):
            self.shown += self._output.readouterr().out
            if re.search(f"{re.escape(at)}.*> $", self.shown[read:], re.DOTALL):
                os.write(self.ours, words.encode())
                return
            await asyncio.sleep(0.005)
        raise AssertionError(self.shown)

    def leave(self) -> None:
        """Close the terminal's window."""
        if self.ours >= 0:
            os.close(self.ours)
        self.ours = -1

    def close(self) -> None:
        """Give everything back."""
        self._source.close()
        self.leave()


@pytest.fixture(params=[True, False], ids=["terminal", "pipe"])
def seated(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Seated]:
    person = Seated(monkeypatch, capsys, terminal=request.param)
    yield person
    monkeypatch.undo()
    person.close()


async def test_an_answer_at_the_console_ends_with_an_empty_line(seated: Seated) -> None:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(ask_at_console("Which tea?"))
        await seated.type("Mint.\nOr none.\n\n", at="Which tea?\n\n(An empty line ends the answer.)\n")
    assert task.result() == "Mint.\nOr none."


async def test_what_is_typed_next_answers_the_question_that_is_open(
    seated: Seated, capsys: pytest.CaptureFixture[str]
) -> None:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(ask_at_console("Which tea?"))
        await seated.type("Min", at="Which tea?")
        await asyncio.sleep(0.05)
        task.cancel()
    assert capsys.readouterr().out == "\n(This question is no longer open.)\n"
    async with asyncio.TaskGroup() as group:
        task = group.create_task(ask_at_console("Which coffee?"))
        await seated.type("Black.\n\n", at="Which coffee?")
    assert task.result() == "Black."


async def test_one_question_is_open_at_a_time_whichever_door_it_comes_from(seated: Seated) -> None:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ProgramInterface({"Flo": input}).ask(put(), SCENE)) for _ in range(2)]
        await seated.type("Mint.\n\n", at="Which ")
        await until(lambda: tasks[0].done())
        assert [task.done() for task in tasks] == [True, False]
        await seated.type("Black.\n\n", at="You are Flo.")
    assert [task.result().text for task in tasks] == ["Mint.", "Black."]


async def test_nobody_sits_at_a_console_that_is_gone(seated: Seated) -> None:
    seated.leave()
    with pytest.raises(Waiting, match="there is no terminal to ask at"):
        await ask_at_console("Which tea?")


@pytest.mark.parametrize("stream", [None, io.StringIO("Mint.\n")])
async def test_nobody_sits_where_nothing_can_be_waited_for(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO | None
) -> None:
    monkeypatch.setattr(sys, "stdin", stream)
    with pytest.raises(Waiting, match="there is no terminal to ask at"):
        await ask_at_console("Which tea?")


async def test_a_file_can_hold_the_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = tmp_path / "typed"
    typed.write_text("Mint.\n\n" + "Coffee " * 1000, "utf-8")
    with typed.open(encoding="utf-8") as source:
        monkeypatch.setattr(sys, "stdin", source)
        assert await ask_at_console("Which tea?") == "Mint."
        assert await ask_at_console("What else?") == "Coffee " * 1000
        with pytest.raises(Waiting, match="there is no terminal to ask at"):
            await ask_at_console("Why?")


@pytest.mark.parametrize("seated", [True], indirect=True)
async def test_a_line_that_the_terminal_cuts_is_asked_for_again(seated: Seated) -> None:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(ProgramInterface({"Flo": ask_at_console}).ask(put(), SCENE))
        await seated.type("x" * 5000 + "\n")
        await seated.type("Mint.\n\n", at="This cannot be used: the terminal cuts lines after 4,095 bytes")
    assert task.result().text == "Mint."


@pytest.mark.system
@pytest.mark.parametrize("handler", ["None", "input"])
def test_a_program_whose_question_at_a_pipe_was_missed_ends_as_it_should(handler: str) -> None:
    program = f"""
import asyncio
from folkmoot.app.program.in_place import ProgramInterface, ask_at_console, ask_function
from folkmoot.app.program.program_agents import HumanAgent

async def main():
    try:
        await asyncio.wait_for(ask_function({handler} or ask_at_console, "Which tea?"), 0.05)
    except TimeoutError:
        print("late")

asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.wait(120) == 0
        assert process.stdout
        assert process.stdout.read().endswith(b"late\n")
