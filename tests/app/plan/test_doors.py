"""The doors for programs: the public names, and what holds where nothing is said."""

import asyncio
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import folkmoot
from folkmoot.app.brief.reader import read_words
from folkmoot.app.export.reports import read_record, write_data, write_report
from folkmoot.app.plan.assignment import first_chat_model
from folkmoot.app.plan.checks import NOTHING, QUOTING
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.api import read_brief_argument
from folkmoot.app.run.prepare import LimitOverrides, Overrides, PreparedDebate, prepare
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.view_model import entry_views
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


def test_importing_folkmoot_costs_next_to_nothing() -> None:
    code = f"import sys, folkmoot; print([name for name in {HEAVY!r} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert ran.stdout.strip() == "[]"


def test_public_names() -> None:
    assert sorted(folkmoot.__all__) == list(folkmoot.__all__)
    assert set(folkmoot.__all__) <= set(dir(folkmoot))
    assert issubclass(folkmoot.RecordMismatch, folkmoot.RecordError)
    assert folkmoot.Brief(topic="Tea?").topic == "Tea?"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        getattr(folkmoot, "nothing")  # noqa: B009 - the name is unknown to the type checker


def test_run_takes_a_path_a_text_or_a_brief(tmp_path: Path) -> None:
    by_path = folkmoot.run(BRIEF, model=QUOTES)
    assert (by_path.status, by_path.decision and by_path.decision.winner) == ("decided", "buy")
    by_text = folkmoot.run("Tea or coffee?", model=[QUOTES], protocol="council")
    assert by_text.transcript.protocol == "council"
    people = (folkmoot.Participant(name="Ann", seat=QUOTES), folkmoot.Participant(name="Bob", seat=QUOTES))
    by_brief = folkmoot.run(folkmoot.Brief(topic="Tea?", participants=people), store=tmp_path / "other.sqlite")
    assert [participant.name for participant in by_brief.transcript.brief.participants] == ["Ann", "Bob"]  # type: ignore[union-attr]
    assert (tmp_path / "other.sqlite").exists()
    limited = folkmoot.run(folkmoot.Brief(topic="Tea?"), model=QUOTES, limits=folkmoot.Limits(asks=3))
    assert (limited.status, limited.kind) == ("paused", "limit")


async def test_run_inside_a_loop_names_the_other_door() -> None:
    with pytest.raises(folkmoot.FolkmootError, match=r"await folkmoot\.debate"):
        folkmoot.run("Tea or coffee?")
    outcome = await folkmoot.debate("Tea or coffee?", model=QUOTES)
    assert outcome.status == "no_decision"


async def ready(words: str, *, config: Config | None = None, **overrides: object) -> PreparedDebate:
    workspace = Workspace.at(Path("folkmoot.sqlite"))
    try:
        return await prepare(workspace, read_words(words), replace(Overrides(), **overrides), config=config)
    finally:
        await workspace.close()


async def test_the_model_is_the_callers_then_the_briefs_then_the_owners_then_quotes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write("---\nmodel: ollama:mine\n---\n# Is it?\n")
    seats = [
        participant.seat
        for participant in (await ready("b.md", models=("ollama:a", "ollama:b"))).plan.brief.participants
    ]
    assert seats == ["ollama:a", "ollama:b", "ollama:a"]
    assert (await ready("b.md")).plan.brief.participants[0].seat == "ollama:mine"
    monkeypatch.setenv("FOLKMOOT_MODEL", "ollama:owned")
    owned = await ready("Tea or coffee?")
    assert owned.plan.brief.participants[0].seat == "ollama:owned"
    assert owned.notes == (
        "The model is ollama:owned, from FOLKMOOT_MODEL.",
        "All 3 debaters are ollama:owned: among copies of one model a debate has gained nothing.",
    )
    none = await ready("Tea or coffee?", config=Config())
    assert none.plan.brief.participants[0].seat == QUOTES
    assert none.notes == (QUOTING, NOTHING)


MISFITS: list[tuple[str, dict[str, Any], str]] = [
    ("protocol: panel\nrounds: 5", {}, "b.md:3: panel has at most 3 rounds, not 5"),
    ("protocol: moderated\nstrategy: consensus", {}, "b.md:3: moderated cannot be decided by 'consensus'"),
    ("topology: ring", {}, "b.md:2: panel does not support a topology; arena does"),
    ("topology: ring", {"protocol": "council"}, "b.md:2: council does not support a topology"),
    ("protocol: socratic\nrounds: 0", {}, "b.md:3: socratic needs at least 1 round, not 0"),
    ("hub: Ann", {}, "b.md:2: panel does not support hub; arena does"),
    ("protocol: arena\ntopology: ring\nhub: Ann", {}, "b.md:4: hub goes with topology: star"),
    ("protocol: arena\ntopology: star\nhub: Zoe", {}, "b.md:4: 'Zoe' is not a debater; allowed are Ann, Bob"),
    (
        "protocol: arena\ntopology: ring\nsparsity: 0.5",
        {},
        "b.md:4: sparsity goes with topology: sparse or random-graph, not ring",
    ),
    ("protocol: arena\nsparsity: 0.5", {}, "b.md:3: sparsity goes with topology"),
    ("protocol: arena\ntopology: sparse\nsparsity: 2", {}, "b.md:4: sparsity must be from 0 to 1, not 2"),
    ("seed: 1", {"rounds": 5}, "panel has at most 3 rounds, not 5"),
    ("seed: 1", {"protocol": "duel"}, "no protocol is called 'duel'; there are panel"),
    ("seed: 1", {"protocol": "arena", "topology": "cube"}, "there is no topology 'cube'"),
    ("protocol: council\nstrategy: bogus", {}, "b.md:3:"),
    ("participants: [{name: Ann, model: 'nowhere:x'}, Bob]", {}, "b.md:2: Ann: "),
    ("participants: [{name: Ann, model: retriever}, Bob]", {}, "b.md:2: 1 debater (Bob); a debate needs 2 to 100"),
    (
        "participants: [{name: Ann, model: human, stand_in: 'nowhere:x'}, Bob]",
        {},
        "b.md:2: Ann: 'nowhere:x' has no known",
    ),
]


@pytest.mark.parametrize(("header", "overrides", "message"), MISFITS)
async def test_what_does_not_fit_names_its_line(header: str, overrides: dict[str, Any], message: str) -> None:
    words = write(f"---\n{header}\n---\n# Tea?\n\n## Ann\nrole: for\n\nYes.\n\n## Bob\nrole: against\n\nNo.\n")
    with pytest.raises(folkmoot.BriefError) as caught:
        await ready(words, models=(QUOTES,), **overrides)
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
        prepared = await ready("Tea or coffee?", config=Config())
    assert prepared.plan.brief.participants[1].seat == "ollama:qwen3:8b"
    assert "the first model of Ollama on this machine" in prepared.notes[0]


async def test_everybody_with_a_seat_needs_no_default() -> None:
    name = write("# Is it?\n\n## Ann (builtin:quotes)\nYes.\n\n## Bob (ollama:x)\nNo.\n")
    prepared = await ready(name, config=Config(model="ollama:never"))
    assert [participant.seat for participant in prepared.plan.brief.participants] == [QUOTES, "ollama:x"]


async def test_overrides_go_before_the_brief() -> None:
    caps = LimitOverrides(asks=40, tokens=9_000, cost=0.5, turn_seconds=7, total_seconds=60)
    prepared = await ready(str(BRIEF), models=(QUOTES,), rounds=0, seed=7, strategy="supermajority", caps=caps)
    limits = prepared.plan.brief.limits
    assert (limits.asks, limits.tokens, limits.cost, limits.turn_seconds) == (40, 9_000, 0.5, 7)
    assert (limits.total_seconds, prepared.plan.brief.seed) == (60, 7)
    assert prepared.costing.most.asks == 4
    ring = await ready("Tea or coffee?", models=(QUOTES,), protocol="arena", topology="ring", strategy="vote")
    assert ring.costing.most.asks == 3 + 2 * 6 + 3
    moderated = await ready("Tea or coffee?", models=(QUOTES,), protocol="moderated")
    assert moderated.plan.brief.names("moderator") == ("Moderator",)
    assert LimitOverrides().on(limits) == limits


async def test_dropped_settings_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-canary")
    name = write("# Is it?\n\n## Ann\npresence_penalty: 1\nseed: 3\n\nYes.\n\n## Bob\nNo.\n")
    prepared = await ready(name, models=("anthropic:claude-sonnet-4-5",))
    assert list(prepared.drops) == ["Ann"]
    assert "presence_penalty" in prepared.drops["Ann"]
    assert "stop" not in prepared.drops["Ann"]


@pytest.mark.parametrize("words", ["Tea or coffee", "喝茶还是喝咖啡？", "Tea?", "x" * 300 + " and so on"])
def test_questions_are_no_files(words: str) -> None:
    assert read_words(words).brief.topic == words


async def test_reports_are_written_from_the_record() -> None:
    outcome = folkmoot.debate(BRIEF, model=QUOTES)
    debate = (await outcome).debate
    workspace = Workspace.at(Path("folkmoot.sqlite"))
    async with asyncio.timeout(120):
        record = await read_record(workspace, debate)
        assert [entry async for entry in workspace.follow(debate)] == list(record.entries)
        assert await workspace.count_entries(debate) == len(record.entries)
        assert await workspace.count_entries("nobody") == 0
    await workspace.close()
    assert record.report.debate == debate
    assert write_data(record.report).startswith("{")
    assert write_report(record.report).startswith("# Should we")
    assert (await outcome_of(debate)).transcript.turns()
    assert next(view.turn.spoken.by for view in entry_views(record.entries) if view.turn) == "Finance"


async def outcome_of(debate: str) -> folkmoot.Outcome:
    workspace = Workspace.at(Path("folkmoot.sqlite"))
    try:
        return await workspace.resume(debate)
    finally:
        await workspace.close()


def test_a_brief_without_participants_gets_the_usual_ones() -> None:
    assert [
        participant.name for participant in read_brief_argument(folkmoot.Brief(topic="Tea?")).brief.participants
    ] == [
        "Advocate",
        "Skeptic",
        "Pragmatist",
    ]


async def test_a_damaged_record_hides_no_other(tmp_path: Path) -> None:
    workspace = Workspace.at(tmp_path / "damaged.sqlite")
    await workspace.store.append("broken", ['{"v":1,"seq":1'], after=0)
    await folkmoot.debate("Tea or coffee?", model=QUOTES, store=tmp_path / "damaged.sqlite")
    listed = await workspace.list()
    await workspace.close()
    assert sorted(summary.status == "damaged" for summary in listed) == [False, True]
