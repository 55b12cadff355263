"""The terminal, the page and the tools say the same of each entry and of the outcome of whole debates."""

import re
from collections.abc import Sequence
from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import cast

import pytest
from rich.console import Console

from folkmoot.app.run.outcome import outcome
from folkmoot.app.serve.frames import Data, frames
from folkmoot.app.serve.view_model import entry_views
from folkmoot.cli.display.render import ViewState, entry_lines
from folkmoot.core.ask import Reply, Usage
from folkmoot.core.brief import HUMAN, Brief, Participant
from folkmoot.core.decision import Decision
from folkmoot.core.event import (
    Asked,
    Called,
    Closed,
    Entry,
    Erred,
    Failed,
    Halted,
    Interjected,
    Opened,
    Paused,
    Replied,
    Resumed,
    Ruled,
)
from folkmoot.core.text import words
from folkmoot.core.transcript import fold
from folkmoot.mcp.summaries import turns_after
from folkmoot.record.store import read
from folkmoot.report.conclusion import outcome_view
from folkmoot.report.report import report
from tests.kits.codes import coded
from tests.report.reports import Diary, ask

RECORDS = Path(__file__).parents[2] / "records"
ANN, CID = Participant(name="Ann", seat="acme:large"), Participant(name="Cid", seat=HUMAN)


def hard_day() -> tuple[Entry, ...]:
    """A fork in which a call fails and is sent again, a person answers, somebody is late, and nobody wins."""
    first, person, late = (
        ask(f"/debate/rounds/round-1/argue#{n}", who, "argue") for n, who in enumerate(("Ann", "Cid", "Ann"))
    )
    diary = Diary().add(
        Opened(brief=Brief(topic="Move?", participants=(ANN, CID)), protocol={}, name="panel", forked="old-1a2b3c@7"),
        Asked(ask=first),
        Erred(key=first.key, call="answer", n=1, kind="server", reason="the server is busy"),
        Called(key=first.key, call="answer", text="Go.", model="acme:large", usage=Usage(input_tokens=9, cost=0.5)),
        Called(key=first.key, call="tool-1", text="x", model="tool:search"),
        Replied(
            key=first.key,
            reply=Reply(text="SCORE: 3\nGo at once.", fields={"SCORE": 3}, unread=coded(["TARGET: none"])),
        ),
        Asked(ask=person),
        Paused(reason="Cid has to answer", kind="waiting"),
        Resumed(by="owner"),
        Replied(key=person.key, reply=Reply(text="Let us stay.", asked=HUMAN)),
        Interjected(by="Zoe", text="Mind the cost."),
        Asked(ask=late),
        Failed(key=late.key, kind="timeout", reason="no answer within 3 seconds"),
        Halted(path="/debate/rounds", reason="nobody moves"),
        Ruled(decision=Decision(status="tie", how="tie: go and stay have 1 each", tally={"go": 1, "stay": 1})),
        Closed(status="tie", reason="a tie"),
    )
    return tuple(diary.entries)


def whole(name: str) -> tuple[Entry, ...]:
    return read((RECORDS / name).read_text("utf-8").splitlines())


DEBATES = {
    **{path.stem: whole(path.name) for path in sorted(RECORDS.glob("v2-*.jsonl"))},
    "hard": hard_day(),
    "paused": hard_day()[:8],
    "broken off": hard_day()[:5],
}


def on_screen(entries: Sequence[Entry]) -> str:
    """What a terminal shows of a record."""
    state, console = ViewState(), Console(width=10_000, file=StringIO())
    for entry in entries:
        for part in entry_lines(state, state.take(entry)):
            console.print(part)
    return cast("StringIO", console.file).getvalue()


@pytest.mark.parametrize("name", DEBATES)
def test_every_screen_says_the_same_of_each_entry(name: str) -> None:
    entries = DEBATES[name]
    screen, pages = on_screen(entries), frames(entries)
    by_seq = {mcp_turn.seq: mcp_turn for mcp_turn in turns_after(entries, 0)[0]}
    shown_words = set(words(screen))
    for view, frame in zip(entry_views(entries), pages, strict=True):
        assert (frame["seq"], frame["kind"], frame.get("line", "")) == (view.seq, view.kind, view.line)
        if view.line and view.kind != "opened":
            assert view.line.casefold() in screen.casefold()
        if view.turn is None or view.kind == "asked":
            assert view.seq not in by_seq
            continue
        mcp_turn, turn, spoken = by_seq.pop(view.seq), view.turn, view.turn.spoken
        place = cast("Data", frame.get("turn", frame))
        assert (
            (place["mark"], place["by"], place["act"])
            == (mcp_turn.mark, mcp_turn.by, mcp_turn.act)
            == (turn.mark, spoken.by, turn.act)
        )
        assert mcp_turn.missing == (spoken.reason or "; ".join(gap.remark for gap in turn.unread))
        assert view.kind != "failed" or view.line == f"no answer: {mcp_turn.missing}"
        assert set(words(turn.speech.words)) <= set(words(mcp_turn.text))
        assert str(place.get("text", "")) == turn.speech.words
        if not spoken.private:
            assert set(words(re.sub(r"[*_`#~]", "", turn.speech.words))) <= shown_words
            assert all(remark in screen for remark in turn.remarks)
        if turn.ballot:
            assert mcp_turn.choice == ("abstains" if turn.ballot.abstains else ", ".join(turn.ballot.names))
            assert cast("Data", place["ballot"])["choice"] == (
                ["abstains"] if turn.ballot.abstains else list(turn.ballot.names)
            )
    assert not by_seq


@pytest.mark.parametrize("name", DEBATES)
def test_every_screen_says_the_same_of_the_outcome(name: str) -> None:
    entries = DEBATES[name]
    view, transcript = outcome_view(fold(entries)), fold(entries)
    reported, came = report(entries, debate="d"), outcome("d", transcript)
    assert reported.outcome.status == view.status
    assert (came.status, came.reason) == ("paused" if view.status == "open" else view.status, view.reason)
    total = reported.metrics.total
    assert (view.sums.asked, view.sums.missing, view.sums.calls) == (total.asks, total.missing, total.calls)
    assert (view.sums.tokens, view.sums.cost) == (total.input_tokens + total.output_tokens, total.cost)
    assert [frame["sums"] for frame in frames(entries) if "sums" in frame][-1] == asdict(view.sums)


def test_a_hard_day_reads_well() -> None:
    screen = on_screen(hard_day())
    for line in (
        "Ann: attempt 1 failed: the server is busy",
        "not readable: TARGET: ",
        "paused: Cid has to answer",
        "resumed by owner",
        "✗ no answer: timeout: no answer within 3 seconds",
        "No further round: nobody moves.",
    ):
        assert line in screen
    assert screen.count("SCORE") + screen.count("Score") == 1, "a field is told once"
    assert frames(hard_day())[0]["line"] == "forked from old-1a2b3c at entry 7"


def test_why_fields_were_not_read_is_said_in_words_and_once_for_all_of_one_reason() -> None:
    unread = ("ANSWER: no_form", "ARGUMENT: no_form", "CONFIDENCE: out_of_range", "TARGET: none")
    question = ask("/debate/draft#1", "Ann", "draft")
    diary = Diary().add(Opened(brief=Brief(topic="Move?", participants=(ANN, CID)), protocol={}, name="panel"))
    diary.add(
        Asked(ask=question),
        Replied(key=question.key, reply=Reply(text="Go.", unread=coded(unread), notes=("cut_off",))),
    )
    *_, view = entry_views(diary.entries)
    assert view.turn is not None
    assert [gap.fields for gap in view.turn.unread] == [("ANSWER", "ARGUMENT"), ("CONFIDENCE",), ("TARGET",)]
    told = zip(view.turn.unread, view.turn.remarks, strict=False)
    assert all(gap.why in remark and "not readable" in remark for gap, remark in told)
    assert view.turn.remarks[-1] == "cut off"
