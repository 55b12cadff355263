"""People who are asked in place by a program: what they read, and what becomes of answers that cannot be used."""

import asyncio
import builtins
import io
import sys
import time

import pytest

from moot.core.ask import Ask
from moot.core.brief import Brief, Participant
from moot.core.errors import Unreadable, Waiting
from moot.core.form import Field, Form
from moot.core.seat import Scene
from moot.desk.inplace import Asking, InPlace, console

FLO = Participant(name="Flo", seat="human")
SCENE = Scene(brief=Brief(topic="Which \x1b[31mtea?", participants=(FLO,)), me=FLO)
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
    reply = await InPlace({"Flo": flo}).ask(put(FORM), SCENE)
    assert (reply.fields, reply.text) == ({"I pick": "B"}, "I pick: B")
    assert all(words in flo.read[0] for words in ("Topic: Which [31mtea?", "You are Flo.", "Choose.", "I pick: "))
    assert "\x1b" not in flo.read[0]


async def test_an_answer_that_cannot_be_used_is_asked_for_again_with_the_reason() -> None:
    flo = Person("neither", "A")
    assert (await InPlace({"Flo": flo}).ask(put(FORM), SCENE)).fields == {"I pick": "A"}
    assert "This cannot be used: the answer must say I pick" in flo.read[1]
    stubborn = Person("neither")
    reply = await InPlace({"Flo": stubborn}).ask(put(FORM), SCENE)
    assert (reply.text, dict(reply.fields), reply.unread) == ("neither", {}, ("I pick: no_form",))
    assert len(stubborn.read) == 3
    with pytest.raises(Unreadable, match="Flo gave no words"):
        await InPlace({"Flo": Person(" ")}).ask(put(), SCENE)


async def test_who_cannot_be_asked_here_is_waited_for() -> None:
    with pytest.raises(Waiting, match="Gus has to answer"):
        await InPlace({"Flo": Person("yes")}).ask(put(to="Gus"), SCENE)


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
    door = InPlace(people)
    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(door.ask(put(to=name), SCENE)) for name in people]
    assert [each.result().text for each in asked] == ["yes", "no"]
    assert busy == ["asked", "answered"] * 2


async def test_the_console_is_read_line_by_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("Mint.\n"))
    assert await console("Which tea?") == "Mint."
    assert "Which tea?" in capsys.readouterr().out
    with pytest.raises(Waiting, match="nobody sits at the console"):
        await console("Which tea?")


async def test_whoever_is_no_longer_waited_for_is_not_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(prompt: str = "") -> str:
        time.sleep(0.05)
        return "late"

    monkeypatch.setattr(builtins, "input", late)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await console("Which tea?")
    await asyncio.sleep(0.1)
