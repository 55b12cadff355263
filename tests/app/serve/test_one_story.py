"""A ballot that could not be read is told alike on every surface: whose, that it is not readable, and what stood there."""

import html
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from io import StringIO
from pathlib import Path
from typing import cast

import pytest
import pytest_asyncio
from rich.console import Console

import folkmoot
from folkmoot.app.brief.presets import Preset
from folkmoot.app.endpoint.chat_answer import DebateState, chat_answer
from folkmoot.app.endpoint.chat_request import ChatRequest
from folkmoot.app.export.paper import memo
from folkmoot.app.export.recount import recount_entries
from folkmoot.app.export.reports import ReadRecord, make_report, write_data, write_report
from folkmoot.app.run.outcome import Outcome
from folkmoot.app.serve.frames import frames
from folkmoot.app.serve.view_model import entry_views
from folkmoot.cli.display.output import summary
from folkmoot.report.gaps import gaps
from folkmoot.report.receipt import receipt, receipt_page
from tests.app.serve.test_one_view import on_screen
from tests.mcp.mcp_kit import place, runner_in
from tests.web.web_kit import API, opened

OPTIONS = ("upgrade now", "move this year", "stay on-premises")
BARN = "rent a barn"
"""What stood in the way of Nora's ballot."""


def saying(*answers: str) -> Callable[[str], str]:
    """Somebody who gives these answers in turn, and the last one for ever."""
    left = [f"ANSWER: {answer}\nCONFIDENCE: 0.8\nARGUMENT: It pays." for answer in answers]
    return lambda prompt: left.pop(0) if len(left) > 1 else left[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the record is."""
    return tmp_path_factory.mktemp("story")


@pytest.fixture(scope="module")
def outcome(folder: Path) -> Outcome:
    """A panel of four; of what Nora says last no answer can be read."""
    models = {
        "Elif": saying(OPTIONS[0]),
        "Tariq": saying(OPTIONS[2], OPTIONS[0]),
        "Nora": saying(OPTIONS[1], BARN),
        "Jonas": saying(OPTIONS[1]),
    }
    people = tuple(folkmoot.Participant(name=name, model=model) for name, model in models.items())
    brief = folkmoot.Brief(topic="What about the servers?", participants=people, options=OPTIONS)
    return folkmoot.run(brief, store=folder / "folkmoot.sqlite")


def _record(outcome: Outcome) -> ReadRecord:
    assert outcome.record
    return make_report(outcome.record.entries, debate=outcome.debate, where="", last="{}")


def _terminal(outcome: Outcome) -> str:
    console = Console(width=10_000, file=StringIO())
    console.print(summary(_record(outcome), boxed=False))
    return cast("StringIO", console.file).getvalue()


def _endpoint(outcome: Outcome) -> str:
    assert outcome.record
    state = DebateState(
        debate=outcome.debate, entries=outcome.record.entries, transcript=outcome.transcript, runs=False
    )
    return chat_answer(state, ChatRequest(model="m", messages=()), Preset(name="p")).text


def _frame(outcome: Outcome) -> str:
    assert outcome.record
    (ruled,) = (frame for frame in frames(outcome.record.entries) if frame["kind"] == "ruled")
    return json.dumps(ruled["decision"], ensure_ascii=False)


def _receipt(outcome: Outcome) -> str:
    assert outcome.record
    return receipt_page(receipt(outcome.record.entries, debate=outcome.debate, head=""))


SURFACES: Mapping[str, Callable[[Outcome], str]] = {
    "warnings": lambda outcome: " ".join(outcome.warnings),
    "outcome as data": lambda outcome: json.dumps(outcome.to_dict()),
    "report": lambda outcome: outcome.report(),
    "report as a page": lambda outcome: write_report(_record(outcome).report),
    "report as data": lambda outcome: write_data(_record(outcome).report),
    "receipt": _receipt,
    "memo": lambda outcome: memo(_record(outcome)),
    "terminal, each entry": lambda outcome: on_screen(outcome.record.entries if outcome.record else ()),
    "terminal, the end": _terminal,
    "decision card": _frame,
    "endpoint": _endpoint,
}


def assert_told(text: str) -> None:
    """The whole story is in a text."""
    text = " ".join(html.unescape(text).replace("\\u201c", '"').split())
    assert "Nora" in text
    assert "not readable" in text
    assert BARN in text


@pytest.mark.parametrize("surface", SURFACES)
def test_every_surface_tells_whose_ballot_is_not_readable_and_what_stood_there(outcome: Outcome, surface: str) -> None:
    assert_told(SURFACES[surface](outcome))


@pytest_asyncio.fixture
async def web(folder: Path, outcome: Outcome) -> AsyncGenerator[Callable[[str], str]]:
    """What the server gives."""
    texts: dict[str, str] = {}
    async with opened(folder) as site:
        for path in ("", "/report.md", "/report.html", "/report.json", "/report.memo"):
            response = await site.me.get(f"{API}/debates/{outcome.debate}{path}")
            texts[path] = response.text if response.status_code == 200 else f"{response.status_code} {response.text}"
    yield texts.__getitem__


async def test_the_server_tells_it(web: Callable[[str], str]) -> None:
    for path in ("", "/report.md", "/report.html", "/report.json"):
        assert_told(web(path))


async def test_a_coding_agent_is_told(folder: Path, outcome: Outcome) -> None:
    async with runner_in(folder) as runner, place(runner, all_=True) as hall:
        assert_told(json.dumps(await hall.call("get_decision", id=outcome.debate)))
        turns = (await hall.call("get_debate", id=outcome.debate))["turns"]
    assert_told(json.dumps([turn for turn in turns if turn["missing"]]))


def test_it_counts_for_nobody(outcome: Outcome) -> None:
    assert outcome.decision
    (ballot,) = (ballot for ballot in outcome.decision.ballots if ballot.voter == "Nora")
    assert (ballot.state, ballot.choice) == ("unread", "")
    assert sum(outcome.decision.tally.values()) == 3
    assert "Nora" not in (*outcome.decision.support, *outcome.decision.dissent)
    for surface in ("report", "memo", "terminal, the end"):
        assert "3 of 4 ballots readable" in SURFACES[surface](outcome)


def test_its_reason_is_spelled_in_one_way(outcome: Outcome) -> None:
    assert outcome.decision
    assert outcome.record
    (gap,) = gaps(outcome.transcript)
    (ballot,) = (ballot for ballot in outcome.decision.ballots if ballot.voter == "Nora")
    turns = json.loads(outcome.report("json_log"))["turns"]
    (unread,) = (each for turn in turns for each in turn["unread"])
    assert ballot.reason == unread["why"] == gap.why
    recounted = recount_entries(outcome.record.entries, outcome.debate)
    assert recounted.uncounted == (gap.sentence,)


def test_whoever_may_not_read_the_words_is_told_without_them(outcome: Outcome) -> None:
    (gap,) = gaps(outcome.transcript, lambda turn: turn.by != "Nora")
    assert gap.ballot
    assert BARN not in gap.sentence


def test_the_turn_itself_says_it(outcome: Outcome) -> None:
    assert outcome.record
    unread = [view.turn.unread for view in entry_views(outcome.record.entries) if view.turn and view.turn.unread]
    assert [(gap.by, gap.answer) for gaps in unread for gap in gaps] == [("Nora", True)]
