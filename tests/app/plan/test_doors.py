"""The doors for programs: the public names, and what holds where nothing is said."""

import asyncio
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import moot
from moot.app.brief.reader import read_words
from moot.app.export.reports import read_record, spoken, write_report
from moot.app.plan.assignment import first_chat_model
from moot.app.plan.settings import Config
from moot.app.run.api import take
from moot.app.run.prepare import NOTHING, QUOTING, LimitWishes, Ready, Wishes, prepare
from moot.app.run.workspace import Workspace
from tests.cli.commands import BRIEF, served, settle

QUOTES = "builtin:quotes"


def write(text: str) -> str:
    """A brief in a file; its name."""
    Path("b.md").write_text(text, "utf-8")
    return "b.md"


HEAVY = ("pydantic", "click", "rich", "httpx", "httpx2", "ruamel", "asyncio", "sqlite3")


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settle(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)


def test_importing_moot_costs_next_to_nothing() -> None:
    code = f"import sys, moot; print([name for name in {HEAVY!r} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=20)
    assert ran.stdout.strip() == "[]"


def test_public_names() -> None:
    assert sorted(moot.__all__) == list(moot.__all__)
    assert set(moot.__all__) <= set(dir(moot))
    assert issubclass(moot.RecordMismatch, moot.RecordError)
    assert moot.Brief(topic="Tea?").topic == "Tea?"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        getattr(moot, "nothing")  # noqa: B009 - the name is unknown to the type checker


def test_run_takes_a_path_a_text_or_a_brief(tmp_path: Path) -> None:
    by_path = moot.run(BRIEF, model=QUOTES)
    assert (by_path.status, by_path.decision and by_path.decision.winner) == ("decided", "buy")
    by_text = moot.run("Tea or coffee?", model=[QUOTES], protocol="council")
    assert by_text.transcript.protocol == "council"
    people = (moot.Participant(name="Ann", seat=QUOTES), moot.Participant(name="Bob", seat=QUOTES))
    by_brief = moot.run(moot.Brief(topic="Tea?", participants=people), store=tmp_path / "other.sqlite")
    assert [each.name for each in by_brief.transcript.brief.participants] == ["Ann", "Bob"]  # type: ignore[union-attr]
    assert (tmp_path / "other.sqlite").exists()
    limited = moot.run(moot.Brief(topic="Tea?"), model=QUOTES, limits=moot.Limits(asks=3))
    assert (limited.status, limited.kind) == ("paused", "limit")


async def test_run_inside_a_loop_names_the_other_door() -> None:
    with pytest.raises(moot.MootError, match=r"await moot\.debate"):
        moot.run("Tea or coffee?")
    outcome = await moot.debate("Tea or coffee?", model=QUOTES)
    assert outcome.status == "no_decision"


async def ready(words: str, *, config: Config | None = None, **wishes: object) -> Ready:
    workspace = Workspace.at(Path("moot.sqlite"))
    try:
        return await prepare(workspace, read_words(words), replace(Wishes(), **wishes), config=config)
    finally:
        await workspace.close()


async def test_the_model_is_the_callers_then_the_briefs_then_the_owners_then_quotes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write("---\nmodel: ollama:mine\n---\n# Is it?\n")
    seats = [each.seat for each in (await ready("b.md", models=("ollama:a", "ollama:b"))).plan.brief.participants]
    assert seats == ["ollama:a", "ollama:b", "ollama:a"]
    assert (await ready("b.md")).plan.brief.participants[0].seat == "ollama:mine"
    monkeypatch.setenv("MOOT_MODEL", "ollama:owned")
    owned = await ready("Tea or coffee?")
    assert owned.plan.brief.participants[0].seat == "ollama:owned"
    assert owned.notes == (
        "The model is ollama:owned, from MOOT_MODEL.",
        "Participants will be made by ollama:owned; until then the built-in ones stand for them in the estimate.",
    )
    none = await ready("Tea or coffee?", config=Config())
    assert none.plan.brief.participants[0].seat == QUOTES
    assert none.notes == (QUOTING, NOTHING)


MISFITS: list[tuple[str, dict[str, Any], str]] = [
    ("protocol: panel\nrounds: 5", {}, "b.md:3: panel has at most 3 rounds, not 5"),
    ("protocol: moderated\nstrategy: consensus", {}, "b.md:3: moderated cannot be decided by 'consensus'"),
    ("topology: ring", {}, "b.md:2: panel takes no topology; arena does"),
    ("topology: ring", {"protocol": "council"}, "b.md:2: council takes no topology"),
    ("seed: 1", {"rounds": 5}, "panel has at most 3 rounds, not 5"),
    ("seed: 1", {"protocol": "duel"}, "no protocol is called 'duel'; there are panel"),
    ("seed: 1", {"protocol": "arena", "topology": "cube"}, "there is no topology 'cube'"),
    ("protocol: council\nstrategy: bogus", {}, "b.md:3:"),
    ("participants: [{name: Ann, model: 'nowhere:x'}, Bob]", {}, "b.md:2: Ann: "),
    ("participants: [{name: Ann, model: librarian}, Bob]", {}, "b.md:2: 1 debaters (Bob); a debate needs 2 to 30"),
    ("participants: [{name: Ann, model: human, stand_in: 'nowhere:x'}, Bob]", {}, "b.md:2: Ann: 'nowhere:x' names"),
]


@pytest.mark.parametrize(("header", "wishes", "message"), MISFITS)
async def test_what_does_not_fit_names_its_line(header: str, wishes: dict[str, Any], message: str) -> None:
    words = write(f"---\n{header}\n---\n# Tea?\n\n## Ann\nrole: for\n\nYes.\n\n## Bob\nrole: against\n\nNo.\n")
    with pytest.raises(moot.BriefError) as caught:
        await ready(words, models=(QUOTES,), **wishes)
    assert str(caught.value).startswith(message)


async def test_what_is_asked_for_and_not_done_is_said() -> None:
    people = "## Ann\nrole: for\n\nYes.\n\n## Bob\nrole: against\n\nNo.\n\n## Chair\nrole: chair\n\nHm."
    words = write(f"---\nprotocol: panel\n---\n# Tea?\n\n{people}")
    notes = " ".join((await ready(words, models=(QUOTES,))).notes)
    assert "panel never asks Chair, who stays silent." in notes


async def test_a_model_that_chats_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await first_chat_model() == ""
    with served(models=("all-minilm:latest", "bge-m3:latest", "qwen3:8b")) as wires:
        monkeypatch.setenv("OLLAMA_HOST", wires.url)
        assert await first_chat_model() == "ollama:qwen3:8b"
        found = await ready("Tea or coffee?", config=Config())
    assert found.plan.brief.participants[1].seat == "ollama:qwen3:8b"
    assert "the first of the Ollama on this machine" in found.notes[0]


async def test_everybody_with_a_seat_needs_no_default() -> None:
    name = write("# Is it?\n\n## Ann (builtin:quotes)\nYes.\n\n## Bob (ollama:x)\nNo.\n")
    found = await ready(name, config=Config(model="ollama:never"))
    assert [each.seat for each in found.plan.brief.participants] == [QUOTES, "ollama:x"]


async def test_wishes_go_before_the_brief() -> None:
    caps = LimitWishes(asks=40, tokens=9_000, cost=0.5, turn_seconds=7, total_seconds=60)
    found = await ready(str(BRIEF), models=(QUOTES,), rounds=0, seed=7, strategy="supermajority", caps=caps)
    limits = found.plan.brief.limits
    assert (limits.asks, limits.tokens, limits.cost, limits.turn_seconds) == (40, 9_000, 0.5, 7)
    assert (limits.total_seconds, found.plan.brief.seed) == (60, 7)
    assert found.costing.most.asks == 4
    ring = await ready("Tea or coffee?", models=(QUOTES,), protocol="arena", topology="ring", strategy="vote")
    assert ring.costing.most.asks == 3 + 2 * 6 + 3
    moderated = await ready("Tea or coffee?", models=(QUOTES,), protocol="moderated")
    assert moderated.plan.brief.names("moderator") == ("Moderator",)
    assert LimitWishes().on(limits) == limits


async def test_dropped_settings_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-canary")
    name = write("# Is it?\n\n## Ann\npresence_penalty: 1\nseed: 3\n\nYes.\n\n## Bob\nNo.\n")
    found = await ready(name, models=("anthropic:claude-sonnet-4-5",))
    assert list(found.drops) == ["Ann"]
    assert "presence_penalty" in found.drops["Ann"]
    assert "stop" not in found.drops["Ann"]


@pytest.mark.parametrize("words", ["Tea or coffee", "喝茶还是喝咖啡？", "Tea?", "x" * 300 + " and so on"])
def test_questions_are_no_files(words: str) -> None:
    assert read_words(words).brief.topic == words


async def test_reports_are_written_from_the_record() -> None:
    outcome = moot.debate(BRIEF, model=QUOTES)
    debate = (await outcome).debate
    workspace = Workspace.at(Path("moot.sqlite"))
    async with asyncio.timeout(20):
        found = await read_record(workspace, debate)
        assert [each async for each in workspace.follow(debate)] == list(found.entries)
        assert await workspace.count_entries(debate) == len(found.entries)
        assert await workspace.count_entries("nobody") == 0
    await workspace.close()
    assert found.report.debate == debate
    assert write_report(found.report, "json").startswith("{")
    assert write_report(found.report).startswith("# Should we")
    transcript = (await outcome_of(debate)).transcript
    assert spoken(transcript, transcript.turns()[0].key).by == "Finance"


async def outcome_of(debate: str) -> moot.Outcome:
    workspace = Workspace.at(Path("moot.sqlite"))
    try:
        return await workspace.resume(debate)
    finally:
        await workspace.close()


def test_a_brief_without_participants_gets_the_usual_ones() -> None:
    assert [each.name for each in take(moot.Brief(topic="Tea?")).brief.participants] == [
        "Advocate",
        "Skeptic",
        "Pragmatist",
    ]


async def test_a_damaged_record_hides_no_other(tmp_path: Path) -> None:
    workspace = Workspace.at(tmp_path / "damaged.sqlite")
    await workspace.store.append("broken", ['{"v":1,"seq":1'], after=0)
    await moot.debate("Tea or coffee?", model=QUOTES, store=tmp_path / "damaged.sqlite")
    listed = await workspace.list()
    await workspace.close()
    assert sorted(each.status == "damaged" for each in listed) == [False, True]


def test_names_of_earlier_versions_still_work_and_say_what_they_are_called_now() -> None:
    moot.__dict__.pop("Workspace", None)  # as if nobody had asked for it yet
    with pytest.warns(DeprecationWarning, match=r"moot\.Desk is now called moot\.Workspace"):
        assert vars(moot)["__getattr__"]("Desk") is moot.Workspace
    with pytest.raises(AttributeError, match="module 'moot' has no attribute 'Hall'"):
        vars(moot)["__getattr__"]("Hall")
