"""Participants made for the topic: what a model is asked, what is taken of its answer, and that nobody pays twice."""

import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

import moot
from moot.app.brief.reader import Intake, read_brief
from moot.app.run.api import take
from moot.app.run.prepare import LimitWishes, Ready, Wishes, prepare
from moot.app.run.start import Generated as Came
from moot.app.run.start import find_generation, read_generation, run_generation, with_participants
from moot.app.run.workspace import Workspace
from moot.engine.driver import StopRequest
from moot.testing.wire_formats import Plan
from moot.testing.wires import Call, Script, Wires
from tests.cli.commands import moot as command
from tests.cli.commands import served, settle, speak

MODEL = "ollama:tiny"
CAST = {
    "name_1": "Ann", "stance_1": "FOR", "role_1": "Teacher", "persona_1": "You know the children.",
    "name_2": "Bob", "stance_2": "AGAINST", "role_2": "Parent", "persona_2": "You fear the cost.",
    "name_3": "Cy", "stance_3": "OTHER", "role_3": "Neighbour", "persona_3": "You want quiet.",
    "why": "They see it from three sides.",
}  # fmt: skip
QUESTION = "Should the school open on Saturdays?"


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settle(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)


def makes(answer: object) -> Script:
    """A model that makes these participants, and debates as willingly as any."""

    def script(call: Call) -> Plan:
        if casts(call):
            return Plan(text=answer if isinstance(answer, str) else json.dumps(answer), usage=(300, 100, 0))
        return speak(call)

    return script


def casts(call: Call) -> bool:
    return "You are Casting" in json.dumps(call.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A desk at which participants were made."""

    workspace: Workspace
    intake: Intake
    ready: Ready
    came: Came
    wires: Wires

    def cast(self, wishes: Wishes | None = None) -> tuple[Intake, Wishes]:
        return with_participants(self.intake, wishes or Wishes(models=(MODEL,)), self.ready, self.came)


async def make(workspace: Workspace, ready: Ready) -> Came:
    """Have them made, or find those who were made before."""
    casting = await find_generation(workspace, ready)
    await run_generation(workspace, casting)
    return await read_generation(workspace, casting)


@asynccontextmanager
async def making(
    answer: object, monkeypatch: pytest.MonkeyPatch, text: str = QUESTION, wishes: Wishes | None = None
) -> AsyncGenerator[Made]:
    wires = Wires(script=makes(answer))
    async with wires.serve():
        monkeypatch.setenv("OLLAMA_HOST", wires.url)
        workspace = Workspace.at(Path("moot.sqlite"))
        intake = read_brief(text)
        ready = await prepare(workspace, intake, wishes or Wishes(models=(MODEL,)))
        came = await make(workspace, ready)
        yield Made(workspace=workspace, intake=intake, ready=ready, came=came, wires=wires)
        await workspace.close()


async def test_a_model_makes_the_participants(monkeypatch: pytest.MonkeyPatch) -> None:
    async with making(CAST, monkeypatch) as made:
        assert made.ready.caster == MODEL
        assert any("Participants will be made by ollama:tiny" in note for note in made.ready.notes)
        intake, wishes = made.cast()
        ready = await prepare(made.workspace, intake, wishes)
    people = [(each.name, each.role, each.persona, each.seat) for each in ready.plan.brief.participants]
    assert people == [
        ("Ann", "Teacher", "You know the children.", MODEL),
        ("Bob", "Parent", "You fear the cost.", MODEL),
        ("Cy", "Neighbour", "You want quiet.", MODEL),
    ]
    assert (ready.caster, intake.vacant) == ("", 0)
    came = made.came.outcome
    note = f"Participants were made by ollama:tiny in debate {came.debate} (400 tokens, free)"
    assert ready.notes[0] == f"{note}."
    assert ready.plan.opened().chosen == (note,)
    assert re.fullmatch("cast-[0-9a-f]{8}-[0-9a-f]{6}", came.debate)
    assert came.status == "decided"
    assert came.decision
    assert came.decision.text == "They see it from three sides."


# fmt: off
ODD: list[tuple[str, object, list[str], str]] = [
    ("no words for it", "I would rather not.", ["Advocate", "Skeptic", "Pragmatist"], "made no participants"),
    ("nobody opposes", CAST | {"stance_2": "FOR"}, ["Ann", "Bob", "Skeptic"], "; built-in: Skeptic."),
    ("no name", CAST | {"name_1": "everybody"}, ["Bob", "Cy", "Advocate"], "; built-in: Advocate."),
    ("names alike", CAST | {"name_3": "B\u043eb"}, ["Ann", "Bob", "Advocate"], "; built-in: Advocate."),
    ("roles alike", CAST | {"role_3": "TEACHER"}, ["Ann", "Bob", "Advocate"], "; built-in: Advocate."),
    ("personas alike", CAST | {"persona_3": "You know the children!"}, ["Ann", "Bob", "Advocate"], "; built-in"),
    ("no role", CAST | {"role_1": "…"}, ["Bob", "Cy", "Advocate"], "; built-in: Advocate."),
    ("no persona", CAST | {"persona_1": ""}, ["Bob", "Cy", "Advocate"], "; built-in: Advocate."),
    ("a moderator", CAST | {"name_1": "Mediator"}, ["Bob", "Cy", "Advocate"], "; built-in: Advocate."),
    ("the name of a built-in one", CAST | {"name_1": "Advocate", "persona_2": ""}, ["Advocate", "Cy", "Skeptic"],
     "; built-in: Skeptic."),
    ("nobody opposes, and the opponent's name is taken", CAST | {"name_1": "Skeptic", "stance_2": "FOR"},
     ["Skeptic", "Bob", "Advocate"], "; built-in: Advocate."),
]
# fmt: on


@pytest.mark.parametrize(("answer", "names", "note"), [each[1:] for each in ODD], ids=[each[0] for each in ODD])
async def test_built_in_ones_take_the_places_that_are_left(
    answer: object, names: list[str], note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with making(answer, monkeypatch) as made:
        intake, _ = made.cast()
    assert [each.name for each in intake.brief.participants] == names
    assert note in intake.notes[-1]


async def test_what_the_header_says_for_all_holds_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "---\npersona_count: 2\nlanguage: German\ncontext_scope: last_n_turns\ncontext_turns: 2\n---\n"
        f"# {QUESTION}\n\n## Moderator\nrole: The head\n"
    )
    long = CAST | {"persona_1": "You know. " * 1000, "name_2": "Moderator"}
    async with making(long, monkeypatch, text) as made:
        intake, _ = made.cast()
        prompts = [json.dumps(call.body) for call in made.wires.calls if casts(call)]
    ann, skeptic, moderator = intake.brief.participants
    assert (ann.name, skeptic.name, moderator.name) == ("Ann", "Skeptic", "Moderator")
    assert ann.language == skeptic.language == "German"
    assert ann.view
    assert ann.view.last == 2
    assert "more characters]" in ann.persona
    assert len(ann.persona) < 2100
    assert "Name 2 people" in prompts[0]
    assert "Speak German." in prompts[0]


async def test_what_it_cost_is_taken_off_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Wishes(models=(MODEL,), caps=LimitWishes(tokens=9000, cost=1.0, asks=40))
    async with making(CAST, monkeypatch, wishes=asked) as made:
        _, wishes = made.cast(asked)
    assert wishes.caps == LimitWishes(tokens=8600, cost=1.0, asks=40, turn_seconds=120.0)
    assert wishes.models == (MODEL,)
    async with making(CAST, monkeypatch, wishes=Wishes(models=(MODEL,), caps=LimitWishes(tokens=3000))) as made:
        _, wishes = made.cast()
    assert wishes.caps.tokens == 3000  # an earlier run has paid them


async def test_nobody_pays_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    wires = Wires(script=makes(CAST))
    async with wires.serve():
        monkeypatch.setenv("OLLAMA_HOST", wires.url)
        workspace = Workspace.at(Path("moot.sqlite"))
        ready = await prepare(workspace, read_brief(QUESTION), Wishes(models=(MODEL,)))
        paused = await run_generation(
            workspace, await find_generation(workspace, ready), stop=StopRequest(reason="stopped")
        )
        assert (paused.status, len(wires.calls)) == ("paused", 0)
        first = await make(workspace, ready)
        again = await make(workspace, ready)
        await workspace.close()
    assert (first.generation.earlier, again.generation.earlier) == (False, True)
    assert paused.debate == first.outcome.debate == again.outcome.debate
    assert first.outcome.transcript.turns("cast") == again.outcome.transcript.turns("cast")
    assert len(wires.calls) == 1


VACANT: list[tuple[str, int]] = [
    (QUESTION, 3),
    (f"---\npersona_count: 5\n---\n# {QUESTION}", 5),
    (f"# {QUESTION}\n\n## Moderator\nrole: x", 3),
    (f"# {QUESTION}\n\n## Ada\nrole: x\n\n## Bo\nrole: y", 0),
    (f"---\npersonas: [Ada, Bo]\npersona_count: 2\n---\n# {QUESTION}", 0),
]


@pytest.mark.parametrize(("text", "count"), VACANT)
def test_how_many_are_left_to_be_made(text: str, count: int) -> None:
    assert read_brief(text).vacant == count


def test_a_brief_of_a_program_may_leave_them_open() -> None:
    assert take(moot.Brief(topic=QUESTION)).vacant == 3
    assert take(moot.Brief(topic=QUESTION, participants=(moot.Participant(name="Ann"),))).vacant == 0


def test_the_door_for_programs_has_them_made(monkeypatch: pytest.MonkeyPatch) -> None:
    with served(makes(CAST)) as wires:
        monkeypatch.setenv("OLLAMA_HOST", wires.url)
        came = moot.run(QUESTION, model=MODEL)
        assert [each.name for each in came.transcript.brief.participants] == ["Ann", "Bob", "Cy"]  # type: ignore[union-attr]
        paid = len(wires.calls)
        built_in = moot.run(QUESTION, model=MODEL, cast="builtin")
        assert sum(casts(call) for call in wires.calls) == 1
        assert "Advocate" in built_in.transcript.brief.names("debater")  # type: ignore[union-attr]
        poor = moot.run(QUESTION, model=MODEL, limits=moot.Limits(tokens=10), cast="new")
    assert (poor.status, poor.kind) == ("paused", "limit")
    assert poor.debate.startswith("cast-")
    assert paid > 3


def test_the_command_line_has_them_made_and_says_so(tmp_path: Path) -> None:
    with served(makes(CAST)) as wires:
        words = ("run", QUESTION, "-m", MODEL, "--no-report", "--plain")
        ran = command(tmp_path, *words, OLLAMA_HOST=wires.url)
        assert ran.exit_code == 0, ran.output
        plain = " ".join(ran.output.split())
        assert "moot: asking ollama:tiny for the participants; for built-in ones: --cast builtin" in plain
        assert "Participants were made by ollama:tiny in debate" in plain
        assert "the participants took 400 tokens, $0.00 more: moot show" in plain
        quiet = command(tmp_path, *words[:-1], "--quiet", "--cast", "builtin", OLLAMA_HOST=wires.url)
        assert quiet.exit_code == 0, quiet.output
        assert sum(casts(call) for call in wires.calls) == 1
        poor = command(tmp_path, *words, "--max-tokens", "10", "--cast", "new", OLLAMA_HOST=wires.url)
    assert poor.exit_code == 4
    assert "no participants, so no debate: the limit" in poor.output


def test_check_says_that_they_will_be_made_and_sends_nothing(tmp_path: Path) -> None:
    with served(makes(CAST)) as wires:
        shown = command(tmp_path, "check", QUESTION, "-m", MODEL, OLLAMA_HOST=wires.url)
        data = json.loads(command(tmp_path, "check", QUESTION, "-m", MODEL, "--json", OLLAMA_HOST=wires.url).stdout)
        built_in = command(tmp_path, "check", QUESTION, "-m", MODEL, "--cast", "builtin", OLLAMA_HOST=wires.url)
    assert "Participants will be made by ollama:tiny; until then the built-in ones stand" in " ".join(
        shown.output.split()
    )
    assert "Participants will be made" not in built_in.output
    assert (data["participants_made_by"], data["kind"], wires.calls) == (MODEL, "text", [])
    quotes = command(tmp_path, "check", QUESTION, "-m", "builtin:quotes")
    assert "will be made" not in quotes.output
