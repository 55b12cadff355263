"""Bids: who is asked how, and which bid wins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.ask import Ask, Reply, Value
from folkmoot.core.brief import Brief, View
from folkmoot.core.event import Asked, Failed, Opened, Replied
from folkmoot.core.transcript import Transcript, Turn
from folkmoot.phases.base import State
from folkmoot.phases.bids import BID, ask_bids, winner
from tests.kits.players import ANN, BOB, CY

LOG = View(numbered=True)


def spoken(*speakers: str, act: str = "argue", answered: bool = True) -> Transcript:
    """A transcript in which these spoke, in this order."""
    transcript = Transcript()
    transcript.apply(Opened(brief=Brief(topic="Tea?", participants=(ANN, BOB, CY)), protocol={}))
    for n, name in enumerate(speakers, start=1):
        key = f"/debate/{act}#{n}"
        transcript.apply(Asked(ask=Ask(key=key, to=name, act=act, task="Speak.")))
        transcript.apply(
            Replied(key=key, reply=Reply(text="so")) if answered else Failed(key=key, kind="error", reason="ill")
        )
    return transcript


def table(transcript: Transcript) -> State:
    assert transcript.brief
    return State(brief=transcript.brief, transcript=transcript, path="/debate/rounds/round-2/floor")


def bid(by: str, urgency: Value | None, *, field: str = "URGENCY") -> Turn:
    return Turn(key=f"bid of {by}", by=by, act="bid", reply=Reply(text="", fields={field: urgency} if urgency else {}))


def test_a_batch_of_bids() -> None:
    at = table(spoken("Ann", "Bob"))
    bids = ask_bids(at, ("Cy", "Ann"), task="Round {round}: bid.", first=5, view=LOG)
    assert [ask.key for ask in bids] == ["/debate/rounds/round-2/floor#5", "/debate/rounds/round-2/floor#6"]
    assert [(ask.to, ask.act, ask.audience, ask.task, ask.view) for ask in bids] == [
        ("Cy", "bid", ("Cy",), "Round 2: bid.", LOG),
        ("Ann", "bid", ("Ann",), "Round 2: bid.", LOG),
    ]
    marks = [{field.name: field.choices for field in ask.form.fields if field.choices} for ask in bids if ask.form]
    assert marks == [{"TARGET": ("T1", "T2")}, {"TARGET": ("T2",)}]


def test_where_nothing_was_said_a_bid_has_no_target() -> None:
    (only,) = ask_bids(table(spoken()), ("Ann",), task="Bid.", first=1, view=LOG)
    assert only.form
    assert "TARGET" not in [field.name for field in only.form.fields]
    assert ask_bids(table(spoken()), (), task="Bid.", first=1, view=LOG) == []


def test_only_the_urgency_is_worth_a_repair() -> None:
    assert [(field.name, field.kind, field.required) for field in BID.fields] == [
        ("TARGET", "choice", False),
        ("QUOTE", "text", False),
        ("POINT", "text", False),
        ("URGENCY", "number", True),
    ]


@pytest.mark.parametrize(
    ("speakers", "bids", "best"),
    [
        ((), [("Ann", 3), ("Bob", 7), ("Cy", 5)], "Bob"),
        ((), [("Ann", 3), ("Bob", 3.5)], "Bob"),
        ((), [("Cy", 4), ("Ann", 4), ("Bob", 4)], "Cy"),  # the order of asking, not of the table
        (("Ann", "Bob", "Ann"), [("Ann", 4), ("Bob", 4)], "Bob"),  # who has spoken less
        (("Ann", "Bob"), [("Ann", 4), ("Bob", 4), ("Cy", 4)], "Cy"),
        (("Cy", "Cy"), [("Ann", 4), ("Cy", 5)], "Cy"),  # urgency first
        ((), [("Ann", 1)], "Ann"),
        ((), [("Ann", 0.9), ("Bob", 0)], None),
        ((), [("Ann", True), ("Bob", "ten")], None),
        ((), [("Ann", None), ("Bob", 1)], "Bob"),  # unread
        ((), [], None),
    ],
)
def test_the_strongest_bid(speakers: tuple[str, ...], bids: list[tuple[str, Value | None]], best: str | None) -> None:
    won = winner([bid(by, urgency) for by, urgency in bids], spoken(*speakers))
    assert (won.by if won else None) == best


@pytest.mark.parametrize(("act", "answered"), [("bid", True), ("argue", False), ("score", True)])
def test_what_is_no_speech_does_not_count_as_having_spoken(act: str, answered: bool) -> None:
    won = winner([bid("Ann", 2), bid("Bob", 2)], spoken("Ann", act=act, answered=answered))
    assert won
    assert won.by == "Ann"


def test_a_failed_bid_is_none_and_the_case_of_a_field_does_not_matter() -> None:
    failed = Turn(key="k", by="Ann", act="bid", failure="ill")
    won = winner([failed, bid("Bob", 1, field="Urgency")], spoken())
    assert won
    assert won.by == "Bob"


@given(
    st.lists(st.sampled_from(("Ann", "Bob", "Cy"))),
    st.dictionaries(st.sampled_from(("Ann", "Bob", "Cy")), st.floats(0, 10)),
)
def test_nobody_is_passed_over_who_bids_more_or_has_spoken_less(speakers: list[str], bids: dict[str, float]) -> None:
    won = winner([bid(by, urgency) for by, urgency in bids.items()], spoken(*speakers))
    if won is None:
        assert all(urgency < 1 for urgency in bids.values())
        return
    rank = [(-urgency, speakers.count(by), at) for at, (by, urgency) in enumerate(bids.items())]
    assert min(rank) == (-bids[won.by], speakers.count(won.by), list(bids).index(won.by))
