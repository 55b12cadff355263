"""Participants that were made before: when they take part again, when others are made, and what is paid."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import pytest

import folkmoot
from folkmoot.app.brief.reader import read_brief
from folkmoot.app.run.prepare import LimitOverrides, Overrides, prepare
from folkmoot.app.run.start import (
    Generated,
    Generation,
    find_generation,
    read_generation,
    run_generation,
    with_participants,
)
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.event import Attempted, Called, Erred
from folkmoot.engine.driver import StopRequest
from folkmoot.models.pool import Pool
from folkmoot.record.store import decode
from folkmoot.testing.store_checks import InMemoryStore
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call, Wires
from tests.cli.commands import folkmoot as command
from tests.cli.commands import served, settle, speak

MODEL = "openai:gpt-4o-mini"
QUESTION = "Should the school open on Saturdays?"
CAST = [
    {"name": "Ann", "stance": "FOR", "role": "Teacher", "persona": "You know the children."},
    {"name": "Bob", "stance": "AGAINST", "role": "Parent", "persona": "You fear the cost."},
    {"name": "Cy", "stance": "OTHER", "role": "Neighbour", "persona": "You want quiet."},
]


def reach(url: str) -> dict[str, str]:
    """Where the model is."""
    return {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "k"}


def casts(call: Call) -> bool:
    return "You are Casting" in json.dumps(call.body)


def play(call: Call) -> Plan:
    """Participants, where they are asked for, else a willing debater."""
    return Plan(text=json.dumps(CAST), usage=(300, 100, 0)) if casts(call) else speak(call)


@dataclass(slots=True)
class Place:
    """A record in memory, a server, and a clock that stands still."""

    wires: Wires
    kept: dict[str, list[str]]
    now: float = 1000.0

    async def find(self, text: str = QUESTION, *, new: bool = False, **overrides: LimitOverrides | int) -> Generation:
        workspace = self.workspace()
        return await find_generation(
            workspace, await prepare(workspace, read_brief(text), self.wish(**overrides)), new=new
        )

    async def make(self, text: str = QUESTION, *, new: bool = False) -> Generated:
        casting = await self.find(text, new=new)
        await run_generation(self.workspace(), casting)
        return await read_generation(self.workspace(), casting)

    def wish(self, **overrides: LimitOverrides | int) -> Overrides:
        return replace(Overrides(models=(MODEL,)), **overrides)

    def workspace(self) -> Workspace:
        pool = Pool(env=reach(self.wires.url))
        return Workspace(InMemoryStore(self.kept), pool=pool, clock=lambda: self.now)


@asynccontextmanager
async def place(answer: str = "") -> AsyncGenerator[Place]:
    wires = Wires(script=(lambda call: Plan(text=answer, usage=(1, 1, 0))) if answer else play)
    async with wires.serve():
        yield Place(wires=wires, kept={})


async def test_the_same_question_finds_those_who_were_made_for_it() -> None:
    async with place() as here:
        generated = await here.make()
        for again in (await here.find(), await here.find(seed=7), await here.find(caps=LimitOverrides(tokens=9000))):
            assert (again.debate, again.earlier) == (generated.generation.debate, True)
        for other in ("Should it open on Sundays?", f"---\npersona_count: 2\n---\n# {QUESTION}"):
            generation = await here.find(other)
            assert (generation.begun, generation.debate[:13] == generated.generation.debate[:13]) == (False, False)
        anew = await here.find(new=True)
        assert anew.debate.startswith(generated.generation.debate[:14])
        assert (anew.begun, anew.debate == generated.generation.debate) == (False, False)


async def test_the_newest_are_taken() -> None:
    async with place() as here:
        await here.make()
        second = await here.make(new=True)
        assert len(here.wires.calls) == 2
        assert (await here.find()).debate == second.generation.debate


async def test_an_answer_in_which_nobody_was_found_is_asked_for_again() -> None:
    async with place(answer="I would rather not.") as here:
        first = await here.make()
        second = await here.find()
    assert first.outcome.status != "paused"
    assert (second.begun, second.debate == first.generation.debate) == (False, False)


async def test_a_damaged_record_keeps_nobody_from_new_ones() -> None:
    async with place() as here:
        generated = await here.make()
        here.kept[generated.generation.debate][0] = here.kept[generated.generation.debate][0].replace(
            "Saturdays", "Sundays"
        )
        assert not (await here.find()).begun


async def test_what_broke_off_behind_the_answer_is_not_paid_again() -> None:
    async with place() as here:
        generated = await here.make()
        lines = here.kept[generated.generation.debate]
        answered = [isinstance(decode(line).event, Called) for line in lines].index(True)
        del lines[answered + 1 :]
        assert not (await here.find()).begun, "somebody may be at it"
        here.now += 121
        again = await here.make()
        assert (again.generation.begun, again.generation.earlier) == (True, False)
        assert again.outcome.transcript.turns("cast") == generated.outcome.transcript.turns("cast")
        assert sum(casts(call) for call in here.wires.calls) == 1


async def test_a_paused_casting_goes_on_under_the_limits_of_today() -> None:
    async with place() as here:
        workspace = here.workspace()
        paused = await run_generation(workspace, await here.find(caps=LimitOverrides(tokens=10)))
        assert (paused.status, paused.kind) == ("paused", "limit")
        casting = await here.find(caps=LimitOverrides(tokens=9000))
        assert (casting.debate, casting.begun) == (paused.debate, True)
        assert (await run_generation(workspace, casting)).status == "decided"


async def test_a_lost_try_counts_as_spent() -> None:
    key = "/debate/cast#1"
    tried = Attempted(key=key, call="answer", n=1, model="openai:x", tokens=9000, cost=0.2)
    async with place() as here:
        generated = await here.make()
        for event in (tried, Erred(key=key, call="answer", n=1, kind="timeout", reason="late")):
            generated.spent.apply(event)
        workspace, parsed, caps = here.workspace(), read_brief(QUESTION), LimitOverrides(tokens=20_000, cost=0.25)
        ready = await prepare(workspace, parsed, here.wish(caps=caps))
        _, overrides = with_participants(ready, generated)
        assert (overrides.caps.tokens, overrides.caps.cost) == (20_000 - 400 - 9000, pytest.approx(0.05 - 0.000105))
        earlier = replace(generated, generation=replace(generated.generation, earlier=True))
        filled, overrides = with_participants(ready, earlier)
        assert (overrides.caps.tokens, overrides.caps.cost) == (20_000, 0.25)
        assert f"generated by {MODEL} earlier, in debate {generated.generation.debate} (400 tokens" in filled.cast


async def test_lost_tries_are_read_from_the_record() -> None:
    tries: list[str] = []

    def fails_once(call: Call) -> Plan:
        tries.append(call.prompt)
        return Plan(text="Ann and Bob and Cy", fault="cut") if len(tries) == 1 else play(call)

    wires = Wires(script=fails_once)
    async with wires.serve():
        here = Place(wires=wires, kept={})
        generated = await here.make()
    assert len(tries) == 2
    assert generated.spent.tokens > 400 == generated.outcome.usage.input_tokens + generated.outcome.usage.output_tokens


def test_the_door_for_programs_takes_them_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settle(tmp_path).items():
        monkeypatch.setenv(name, value)
    with served(play) as wires:
        for name, value in reach(wires.url).items():
            monkeypatch.setenv(name, value)
        overrides: list[tuple[Literal["", "new"], int]] = [("", 1), ("", 1), ("new", 2)]
        for cast, number in overrides:
            came = folkmoot.run(QUESTION, model=MODEL, participants=cast)
            assert came.transcript.brief
            assert came.transcript.brief.names("debater") == ("Ann", "Bob", "Cy")
            assert sum(casts(call) for call in wires.calls) == number


def test_the_command_line_says_that_it_takes_them_over(tmp_path: Path) -> None:
    with served(play) as wires:
        words = (QUESTION, "-m", MODEL)
        env = reach(wires.url)
        assert command(tmp_path, "run", *words, "--no-report", "--plain", **env).exit_code == 0
        paid = sum(casts(call) for call in wires.calls)
        checked = " ".join(command(tmp_path, "check", *words, **env).output.split())
        again = command(tmp_path, "run", *words, "--no-report", "--plain", **env)
        assert sum(casts(call) for call in wires.calls) == paid == 1
        text = " ".join(again.output.split())
        assert "participants generated in cast-" in text
        assert "for others: --participants new" in text
        assert "Participants were generated by openai:gpt-4o-mini earlier, in debate cast-" in text
        assert "tokens, $0.00 more" not in text
        assert "The participants generated in cast-" in checked
        anew = command(tmp_path, "run", *words, "--no-report", "--plain", "--participants", "new", **env)
        assert "generating the participants used 400 tokens, $0.0001: folkmoot show cast-" in " ".join(
            anew.output.split()
        )
        shown = command(tmp_path, "check", *words, "--participants", "new", **env).output
        assert "participants generated in" not in " ".join(shown.split())


async def test_a_stop_before_the_question_costs_nothing() -> None:
    async with place() as here:
        paused = await run_generation(here.workspace(), await here.find(), stop=StopRequest(reason="stopped"))
        assert (paused.status, here.wires.calls) == ("paused", [])
        assert (await here.find(new=True)).debate == paused.debate
