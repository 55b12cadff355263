"""Warnings about a decision: copies, families, no documents, no debate; the same on every surface."""

from typing import cast

import pytest

from folkmoot.app.serve.frames import frames
from folkmoot.core.brief import Brief, Participant, Source
from folkmoot.core.decision import Ballot, Decision, Status
from folkmoot.core.event import Entered, Halted, Opened, Ruled
from folkmoot.core.transcript import Transcript, fold
from folkmoot.report.conclusion import cautions, outcome_view
from folkmoot.report.report import report
from tests.report.reports import Diary, ask

FACTS = (Source(name="facts.md", text="Tea is warm."),)
NO_DOCUMENT = "No document was shared: they judged from memory, where a debate has helped least."


def voting(
    *seats: str, background: tuple[Source, ...] = FACTS, tools: tuple[str, ...] = (), halted: str = "", rounds: int = 0
) -> Diary:
    """Each answers with the model of its seat, and votes for the same."""
    people = tuple(Participant(name=f"P{n}", seat=seat, tools=tools) for n, seat in enumerate(seats))
    brief = Brief(topic="Tea?", participants=people, background=background)
    diary = Diary().add(Opened(brief=brief, protocol={}, name="panel"), Entered(path="/debate"))
    for n, who in enumerate(people, start=1):
        diary.say(ask(f"/debate/draft#{n}", who.name, "draft"), "yes", model=who.seat if ":" in who.seat else "")
    diary.add(Entered(path="/debate/rounds"))
    diary.add(*(Entered(path=f"/debate/rounds/round-{n}") for n in range(1, rounds + 1)))
    if halted:
        diary.add(Halted(path="/debate/rounds", reason=halted))
    ballots = tuple(Ballot(voter=who.name, choice="yes") for who in people)
    return diary.add(Ruled(decision=Decision(status="decided", winner="yes", ballots=ballots)))


def warned(diary: Diary) -> tuple[str, ...]:
    view = outcome_view(fold(diary.entries)).warnings
    notes = report(diary.entries, debate="d").outcome.notes
    assert notes == view, "the report says the same as the terminal, the API and the MCP server"
    ruled = next(frame for frame in reversed(frames(diary.entries)) if frame["kind"] == "ruled")
    assert cast("dict[str, object]", ruled["decision"])["warnings"] == list(view), "and so does the page"
    return view


@pytest.mark.parametrize(
    ("seats", "warning"),
    [
        (("a:x-1", "a:x-1"), "Both votes come from a:x-1: agreement of copies is weak evidence."),
        (
            ("ollama:qwen3:8b", "router:qwen/qwen3-32b", "ollama:qwen3:8b"),
            "All 3 votes come from one family of models (ollama:qwen3:8b and router:qwen/qwen3-32b): "
            "they are likely to err alike.",
        ),
        (("openai:gpt-4o", "anthropic:claude-sonnet-4"), ""),
        (
            ("openai:gpt-4o", "anthropic:claude-sonnet-4", "openai:gpt-4o"),
            "Effective votes: at most about 2 of 3 are independent, because they come from 2 models.",
        ),
        (
            ("openai:gpt-4o", "anthropic:claude-sonnet-4", "openai:gpt-5"),
            "Effective votes: at most about 2 of 3 are independent, because they come from 2 families of models.",
        ),
        (
            ("openai:gpt-4o", "openrouter:openrouter/auto"),
            "Effective votes: at most about 1 of 2 are independent, because which models answer for "
            "openrouter:openrouter/auto is not known.",
        ),
        (("openai:gpt-4o", "human", "openai:gpt-4o"), ""),
        (("a:x-1", "human"), ""),
        (("human", "human"), ""),
        (("a:x-1",), ""),
        (("oracle", "prophet"), ""),
    ],
)
def test_copies_and_families(seats: tuple[str, ...], warning: str) -> None:
    assert warned(voting(*seats)) == ((warning,) if warning else ())


def test_several_samples_of_one_participant_are_copies() -> None:
    diary = voting("a:x-1")
    ballots = tuple(Ballot(voter=f"P0 #{n}", choice="yes") for n in (1, 2, 3))
    diary.add(Ruled(decision=Decision(status="decided", winner="yes", ballots=ballots)))
    assert warned(diary) == ("All 3 votes come from a:x-1: agreement of copies is weak evidence.",)


@pytest.mark.parametrize(
    ("choices", "ends"),
    [
        (("yes", "no"), "even copies of one model did not agree."),
        (("yes", "yes"), "agreement of copies is weak evidence."),  # too few for a quorum, and those agree
    ],
)
@pytest.mark.parametrize("status", ["tie", "no_decision"])
def test_copies_that_decided_nothing_are_said_to_agree_only_if_they_do(
    status: Status, choices: tuple[str, ...], ends: str
) -> None:
    diary = voting("a:x-1", "a:x-1")
    ballots = tuple(Ballot(voter=f"P{n}", choice=choice) for n, choice in enumerate(choices))
    diary.add(Ruled(decision=Decision(status=status, ballots=ballots)))
    assert warned(diary) == (f"Both votes come from a:x-1: {ends}",)


def test_a_family_that_decided_nothing_is_not_said_to_err_alike() -> None:
    diary = voting("openai:gpt-4o", "openai:gpt-5")
    ballots = tuple(Ballot(voter=f"P{n}", choice=choice) for n, choice in enumerate(("yes", "no")))
    diary.add(Ruled(decision=Decision(status="tie", ballots=ballots)))
    assert warned(diary) == (
        "Both votes come from one family of models (openai:gpt-4o and openai:gpt-5): even they did not agree.",
    )


def test_pooled_forecasts_of_copies() -> None:
    diary = voting("a:x-1", "a:x-1")
    diary.add(Ruled(decision=Decision(status="decided", rule="mean", text="0.7", support=("P0", "P1"))))
    assert warned(diary) == ("Both forecasts come from a:x-1: agreement of copies is weak evidence.",)


@pytest.mark.parametrize(
    ("background", "tools", "seats", "warning"),
    [
        ((), (), ("a:x-1", "b:y-1"), NO_DOCUMENT),
        (FACTS, (), ("a:x-1", "b:y-1"), ""),
        ((), ("search",), ("a:x-1", "b:y-1"), ""),
        ((), (), ("a:x-1",), ""),
    ],
)
def test_no_shared_document(
    background: tuple[Source, ...], tools: tuple[str, ...], seats: tuple[str, ...], warning: str
) -> None:
    assert warned(voting(*seats, background=background, tools=tools)) == ((warning,) if warning else ())


def test_a_debate_that_did_not_take_place() -> None:
    saved = "all 2 give the same answer; 2 of 2 calls of the rounds saved"
    assert warned(voting("a:x-1", "b:y-1", halted=saved)) == ("No debate took place: all 2 give the same answer.",)
    assert warned(voting("a:x-1", "b:y-1", halted=saved, rounds=1)) == ()


def test_without_a_decision_there_is_nothing_to_warn_of() -> None:
    assert cautions(Transcript()) == ()
    assert outcome_view(fold(voting("a:x-1", "a:x-1").entries[:-1])).warnings == ()
