"""The functions of ``folkmoot``: what they take, what they refuse in one sentence, and what comes back."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import folkmoot
from folkmoot.app.brief.program_values import fit, plain
from folkmoot.app.export.reports import read_record, write_report
from folkmoot.app.run.api import read_brief_argument
from folkmoot.app.run.outcome import outcome as outcome_of
from folkmoot.app.run.record_reader import find_debate, short_ids
from folkmoot.app.run.workspace import Workspace
from folkmoot.board import BoardMeeting, BoardMember
from folkmoot.core import brief as core
from folkmoot.core.event import Entry
from folkmoot.council import AgentWrapper, Council, DebateStep
from folkmoot.pattern import DebatePattern
from tests.cli.commands import BRIEF, settle

QUOTES = "builtin:quotes"
ANY: Any = folkmoot  # what a type checker would refuse


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settle(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)


def tea(prompt: str) -> str:
    if "I vote for" in prompt:
        return "I vote for: Ann"
    return "ANSWER: tea\nCONFIDENCE: 0.9\nARGUMENT: It is warm."


async def coffee(prompt: str) -> str:
    return "ANSWER: coffee\nCONFIDENCE: 0.9\nARGUMENT: It wakes."


def settled(prompt: str) -> str:
    return "SUMMARY: Both agree.\nSTATUS: SETTLED\nDECISION: Tea."


def people(*names: str) -> tuple[folkmoot.Participant, ...]:
    return tuple(folkmoot.Participant(name=name, role="Drinks", model=tea) for name in names)


REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: ANY.run("nofile.md"), "nofile.md: there is no such file"),
    (lambda: ANY.run("briefs/hire"), "briefs/hire: there is no such file"),
    (lambda: ANY.run(42), "brief is 42; it must be a question, the text or the path of a brief, or a folkmoot.Brief"),
    (lambda: ANY.run("Tea?", limits={"csot": 1}), "limits has no 'csot'; did you mean 'cost'?"),
    (lambda: ANY.run("Tea?", limits={"cost": "1"}), "limits.cost is '1'; it must be a number"),
    (lambda: ANY.run("Tea?", limits=3), "limits is 3; it must be a folkmoot.Limits or a dictionary"),
    (lambda: ANY.Limits(cost="1"), "limits.cost is '1'; it must be a number"),
    (lambda: ANY.Limits(cost=True), "limits.cost is True; it must be a number"),
    (lambda: ANY.run("Tea?", model=QUOTES, protocol="panle"), "no protocol is called 'panle'; did you mean 'panel'?"),
    (lambda: ANY.run("Tea?", protocol=3), "protocol is 3; it must be a text"),
    (
        lambda: ANY.run("Tea?", model=QUOTES, strategy="majorty"),
        "panel cannot be decided by 'majorty'; did you mean 'majority'?",
    ),
    (lambda: ANY.run("Tea?", seed="x"), "seed is 'x'; it must be a whole number"),
    (lambda: ANY.run("Tea?", rounds=True), "rounds is 'True'; it must be a whole number"),
    (lambda: ANY.run("Tea?", rounds=21), "rounds must be from 0 to 20, not 21"),
    (lambda: ANY.run("Tea?", participants="bultin"), "participants is 'bultin'; did you mean 'builtin'?"),
    (lambda: ANY.run("Tea?", participants=0), "participants must be 'builtin' or 'new'; your own stand in a brief"),
    (
        lambda: ANY.run("Tea?", participants=[ANY.Participant(name="A")]),
        "participants must be 'builtin' or 'new'; your own stand in a brief: folkmoot.Brief(topic=…, participants=[…])",
    ),
    (lambda: ANY.run("Tea?", participants="bultin"), "participants is 'bultin'; did you mean 'builtin'?"),
    (lambda: ANY.run("Tea?", options="yes"), "brief.options is 'yes'; it must be a list"),
    (lambda: ANY.run("Tea?", store=3), "store is 3; it must be the path of a file, the address of a database, or"),
    (lambda: ANY.run("Tea?", on_event=3), "on_event is 3; it must be a plain function of one entry"),
    (
        lambda: ANY.run("Tea?", model=[QUOTES, 3]),
        "model is 3; it must be provider:name, or a function that takes one str",
    ),
    (lambda: ANY.run("Tea?", model="opnai:gpt-4o"), "did you mean 'openai'?"),
    (lambda: ANY.run(ANY.Brief(topic=42)), "brief.topic is 42; it must be a text"),
    (
        lambda: ANY.run(ANY.Brief(topic="Tea?", participants=("Ann",))),
        "brief.participants[0] is 'Ann'; it must be a folkmoot.Participant or a dictionary",
    ),
    (
        lambda: ANY.run(ANY.Brief(topic="Tea?", participants=({"role": "for"},))),
        "brief.participants[0] needs a name",
    ),
    (
        lambda: ANY.run(ANY.Brief(topic="Tea?", participants=({"name": "A", "duty": "moderater"},))),
        "brief.participants[0].duty is 'moderater'; did you mean 'moderator'?",
    ),
    (
        lambda: ANY.run(ANY.Brief(topic="Tea?", participants=({"name": "A", "duty": 3},))),
        "brief.participants[0].duty is 3; it must be one of debater, moderator, juror, aide",
    ),
    (
        lambda: ANY.run(ANY.Brief(topic="T?", participants=(ANY.Participant(name="A", model=tea, seat="human"),))),
        "A has both a model and a seat; leave out one of the two",
    ),
    (
        lambda: ANY.run(ANY.Brief(topic="T?", participants=(ANY.Participant(name="A", model=3),))),
        "A is an object of type int; an agent is a function",
    ),
    (lambda: ANY.Brief.load(3), "path is 3; it must be the path of a file"),
    (lambda: ANY.Brief.load("nofile.md"), "nofile.md: cannot be read"),
    (lambda: ANY.list(status="decidd"), "status is 'decidd'; did you mean 'decided'?"),
    (lambda: ANY.list(limit=0), "limit is 0; it must be a whole number from 1 to 1000000"),
    (lambda: ANY.list(limit=10**20), f"limit is {10**20}; it must be a whole number from 1 to 1000000"),
    (lambda: ANY.show(3), "debate is 3; it must be a text"),
]


@pytest.mark.parametrize(("call", "sentence"), REFUSED, ids=[sentence for _, sentence in REFUSED])
def test_a_wrong_argument_is_one_sentence_and_nothing_is_done(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(folkmoot.FolkmootError) as error:
        call()
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)
    assert folkmoot.list() == ()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: ANY.run("Tea?", models="a"), "folkmoot.run has no argument 'models'; did you mean 'model'?"),
        (lambda: ANY.resume("last", limit={}), "folkmoot.resume has no argument 'limit'; did you mean 'limits'?"),
        (lambda: ANY.show("last", x=1), "folkmoot.show has no argument 'x'; there are debate, store"),
        (
            lambda: ANY.Brief(topic="T?", protocol="arena"),
            "folkmoot.Brief has no argument 'protocol'; give it to folkmoot.run",
        ),
        (lambda: ANY.Brief(topics="T?"), "folkmoot.Brief has no argument 'topics'; did you mean 'topic'?"),
        (
            lambda: ANY.Participant(name="Ann", rol="x"),
            "folkmoot.Participant has no argument 'rol'; did you mean 'role'?",
        ),
        (lambda: ANY.list(stat=""), "folkmoot.list has no argument 'stat'; did you mean 'status'?"),
        (lambda: asyncio.run(ANY.debate("Tea?", models="a")), "folkmoot.debate has no argument 'models'; did you mean"),
        (lambda: asyncio.run(ANY.alist(x=1)), "folkmoot.alist has no argument 'x'; there are status, search, limit,"),
    ],
)
def test_an_unknown_argument_is_answered_with_those_that_there_are(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(TypeError) as error:
        call()
    assert str(error.value).startswith(sentence)


def test_a_file_is_read_by_its_name_and_a_question_is_none(tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text("---\nprotocol: council\n---\n# Tea or coffee?\n", "utf-8")
    assert read_brief_argument("tea.md").protocol == "council"
    for question in ("Tea/coffee, or neither?", "Mars", "Is Node.js slow?", "# Is it in a.md\nOr not?"):
        assert read_brief_argument(question).brief.topic


def test_a_list_a_dictionary_and_a_function_are_taken_where_values_are() -> None:
    brief = ANY.Brief(
        topic="Tea or coffee?",
        options=["tea", "coffee"],
        participants=[folkmoot.Participant(name="Ann", model=tea), {"name": "Bob", "model": coffee, "tools": []}],
        limits={"asks": 30, "turn_seconds": 9},
        background=[{"name": "a.md", "text": "Tea is warm."}],
    )
    outcome = folkmoot.run(brief, rounds=0)
    stored = outcome.transcript.brief
    assert stored
    assert type(stored) is core.Brief
    assert (stored.options, stored.limits.asks, stored.limits.turn_seconds) == (("tea", "coffee"), 30, 9)
    assert [who.seat for who in stored.participants] == ["guest:Ann", "guest:Bob"]
    assert [turn.fields["ANSWER"] for turn in outcome.transcript.turns("draft")] == ["tea", "coffee"]


def test_a_value_that_fits_is_passed_on_as_it_is() -> None:
    brief = core.Brief(topic="Tea?", participants=(core.Participant(name="Ann"),))
    assert plain(brief)[0] is brief
    assert fit({"cost": 1}, core.Limits, "limits") == core.Limits(cost=1)


def test_a_function_answers_wherever_a_participant_is_taken(tmp_path: Path) -> None:
    ann, bob = people("Ann", "Bob")
    whole = folkmoot.run("Tea or coffee?", model=[tea, partial(tea)])
    assert whole.status == "decided"
    step = DebateStep(agents=[AgentWrapper(ann), AgentWrapper(bob, name="Bob")], rounds=1)
    assert Council(name="Drinks", steps=[step]).run("Tea?")["votes"] == {"Ann": 2, "Bob": 0}
    argued = DebatePattern(llm=settled, max_rounds=1)
    assert argued.run("Tea?", [ann, bob]).outcome.status == "decided"
    board = BoardMeeting("Tea?", [BoardMember("Ann", agent=ann), BoardMember("Bob", agent=bob)], rounds=1)
    assert {who.seat for who in board.run().outcome.transcript.brief.participants[:2]} == {  # type: ignore[union-attr]
        "guest:Ann",
        "guest:Bob",
    }


async def test_one_workspace_seats_the_same_function_again(tmp_path: Path) -> None:
    workspace = folkmoot.Workspace.at(tmp_path / "own.sqlite")
    brief = folkmoot.Brief(topic="Tea?", participants=people("Ann", "Bob"))
    for _ in range(2):
        assert [who.seat for who in workspace.plan(brief).brief.participants] == ["guest:Ann", "guest:Bob"]
    with pytest.raises(folkmoot.BriefError, match="two agents are called Ann"):
        workspace.register("Ann", coffee)
    await workspace.close()


def test_a_loaded_brief_keeps_the_protocol_and_the_lines_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "b.md"
    file.write_text("---\nprotocol: council\nrounds: 1\nseed: 4\n---\n# Tea or coffee?\n", "utf-8")
    brief = folkmoot.Brief.load(file)
    assert (brief.topic, brief.seed) == ("Tea or coffee?", 4)
    outcome = folkmoot.run(replace(brief, options=("tea", "coffee")), model=QUOTES)
    assert outcome.transcript.protocol == "council"
    assert outcome.transcript.brief
    assert outcome.transcript.brief.options == ("tea", "coffee")
    assert read_brief_argument(brief).vacant == 3
    assert read_brief_argument(replace(brief, participants=people("Ann", "Bob"))).vacant == 0
    assert folkmoot.run(str(file), model=QUOTES).transcript.protocol == "council"
    assert folkmoot.run(brief, model=QUOTES, protocol="panel", seed=5).transcript.brief.seed == 5  # type: ignore[union-attr]


def test_an_outcome_is_short_in_print_plain_as_data_and_has_its_report(tmp_path: Path) -> None:
    outcome = folkmoot.run(BRIEF, model=QUOTES)
    assert str(outcome) == f"decided: buy (buy has 3 of 4) [{outcome.debate}]"
    assert len(repr(outcome)) < 4000
    data = json.loads(json.dumps(outcome.to_dict()))
    assert (data["status"], data["protocol"], data["decision"]["winner"]) == ("decided", "panel", "buy")
    assert data["turns"][0]["fields"]["ANSWER"]
    assert outcome.report() == folkmoot.show("last").report()
    assert "The proposal" in outcome.report() or "buy" in outcome.report()

    async def written() -> str:
        workspace = Workspace.at(tmp_path / "folkmoot.sqlite")
        record = await read_record(workspace, outcome.debate)
        await workspace.close()
        return write_report(record.report)

    assert outcome.report() == asyncio.run(written())
    tie = folkmoot.run("Tea or coffee?", model=QUOTES)
    assert str(tie).startswith("no decision: ")
    assert tie.to_dict()["decision"] is not None
    with pytest.raises(folkmoot.FolkmootError, match=r"read it with folkmoot\.show\('x'\)"):
        outcome_of("x", outcome.transcript).report()


def test_a_report_is_of_the_kind_that_the_brief_or_the_caller_names() -> None:
    plain = folkmoot.run("Tea or coffee?", model=tea)
    brief = "---\nlogging_mode: summary_only\n---\n# Tea or coffee?\n"
    short = folkmoot.run(brief, model=tea)
    assert len(short.report()) < len(plain.report())
    assert short.report("full_markdown").count("\n## ") == plain.report().count("\n## ")
    assert json.loads(short.report("json_log"))


def test_sections_that_look_like_people_and_are_none_are_told_with_the_result() -> None:
    outcome = folkmoot.run(
        "# Tea?\n\nIt keeps.\n\n## Pro\n\nArgue for it.\n\n## Contra\n\nArgue against it.\n", model=tea
    )
    (told,) = (warning for warning in outcome.warnings if "Contra" in warning)
    assert "role:" in told
    assert told in outcome.report()
    document = folkmoot.run("# Tea?\n\n## What it costs us in a whole year\n\n3\n\n## Pro\n\nx\n", model=tea)
    assert not any("Pro" in warning for warning in document.warnings)


def test_events_are_told_and_an_error_in_the_function_pauses_the_debate() -> None:
    entries: list[Entry] = []
    outcome = folkmoot.run("Tea or coffee?", model=tea, on_event=entries.append)
    assert tuple(entries) == outcome.record.entries  # type: ignore[union-attr]
    numbers: list[int] = []

    def fails(entry: Entry) -> None:
        numbers.append(entry.seq)
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        folkmoot.run("Tea or coffee?", model=[tea, coffee], on_event=fails)
    assert numbers == [1]
    paused = folkmoot.show("last")
    assert (paused.status, paused.kind, paused.reason) == ("paused", "stopped", "on_event raised LookupError")
    assert folkmoot.resume("last", agents={"tea": tea, "coffee": coffee}).status == "no_decision"


def test_a_paused_debate_is_resumed_with_more_and_with_its_functions() -> None:
    brief = folkmoot.Brief(topic="Tea or coffee?", participants=people("Ann", "Bob"))
    paused = folkmoot.run(brief, limits={"asks": 1})
    assert (paused.status, paused.kind) == ("paused", "limit")
    with pytest.raises(folkmoot.BriefError, match="guest:Ann belongs to a program"):
        folkmoot.resume(paused.debate, limits={"asks": 20})
    outcome = folkmoot.resume(paused.debate, limits={"asks": 20}, agents={"Ann": tea, "Bob": tea})
    assert outcome.status == "decided"
    assert folkmoot.resume(paused.debate).decision == outcome.decision
    with pytest.raises(folkmoot.RecordError, match="there is no debate 'nothing'"):
        folkmoot.resume("nothing")


def test_debates_are_listed_filtered_and_shown_by_short_names() -> None:
    first, second = folkmoot.run("Tea or coffee?", model=tea), folkmoot.run("Juice or milk?", model=QUOTES)
    assert [summary.debate for summary in folkmoot.list()] == [second.debate, first.debate]
    assert [summary.debate for summary in folkmoot.list(status="decided")] == [first.debate]
    assert [summary.debate for summary in folkmoot.list(search="MILK panel")] == [second.debate]
    assert [summary.debate for summary in folkmoot.list(limit=1)] == [second.debate]
    assert folkmoot.show("last~1").debate == first.debate
    assert folkmoot.show(first.debate.rpartition("-")[2]).debate == first.debate
    with pytest.raises(
        folkmoot.RecordError, match="there is no debate 'last~2'; see the 2 debates with: folkmoot list"
    ):
        folkmoot.show("last~2")


def test_a_list_says_which_debates_are_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    notes = tmp_path / "notes.md"
    notes.write_text("The lift fails twice a month.", "utf-8")
    (tmp_path / "lift.md").write_text("---\nbackground: [notes.md]\n---\n# Replace the lift?\n", "utf-8")
    folkmoot.run(Path("lift.md"), model=QUOTES)
    assert [listed.stale for listed in folkmoot.list()] == [False]
    notes.write_text("The lift was repaired.", "utf-8")
    assert [listed.stale for listed in folkmoot.list()] == [True]
    monkeypatch.chdir(tmp_path.parent)
    assert [listed.stale for listed in folkmoot.list()] == [False]


def test_short_ids_find_their_debates_and_helpers_are_not_the_last() -> None:
    ids = ("cast-0a1b2c3d-7f3a1c", "bus-7f3b00", "bus-7f3b11", "tea-900000", "plain")
    short = short_ids(ids)
    assert short == {ids[0]: "7f3a", ids[1]: "7f3b0", ids[2]: "7f3b1", ids[3]: "900", "plain": "pla"}
    assert [find_debate(short[debate], ids) for debate in ids] == list(ids)
    assert find_debate("last", ids) == "bus-7f3b00"
    assert find_debate("last~1", ids) == "bus-7f3b11"
    assert find_debate("last", ids[:1]) == ids[0]
    assert short_ids(("a-100000", "b-100000"))["a-100000"] == "a-100000"
    with pytest.raises(
        folkmoot.RecordError, match=r"'7f3' fits 3 debates: cast-0a1b2c3d-7f3a1c, bus-7f3b00, bus-7f3b11$"
    ):
        find_debate("7f3", ids)
    with pytest.raises(folkmoot.RecordError, match=r"'bus' fits 6 debates: .* …$"):
        find_debate("bus", [f"bus-{n}00000" for n in range(1, 7)])
    for name in ("", "zzz", "last~9"):
        with pytest.raises(folkmoot.RecordError, match="there is no debate"):
            find_debate(name, ids)
    with pytest.raises(folkmoot.RecordError, match="there is no debate 'last'; there are no debates yet"):
        find_debate("last", ())


async def test_the_other_forms_are_awaited() -> None:
    outcome = await folkmoot.debate("Tea or coffee?", model=tea, limits={"asks": 1})
    assert (await folkmoot.aresume("last", limits=folkmoot.Limits(), agents={"tea": tea})).status == "decided"
    assert (await folkmoot.ashow("last")).status == "decided"
    assert [summary.debate for summary in await folkmoot.alist()] == [outcome.debate]
    with pytest.raises(folkmoot.FolkmootError, match=r"await folkmoot\.alist"):
        folkmoot.list()


def test_the_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert folkmoot.__version__ == version("folkmoot")
