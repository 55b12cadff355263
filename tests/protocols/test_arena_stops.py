"""Every reason to stop early, in a debate that is played: what the record, the report and the screen say was saved."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.transcript import within
from folkmoot.phases.choices import Choices, Condition
from folkmoot.phases.vote import BALLOT
from folkmoot.protocols.known import build
from folkmoot.report.markdown import markdown
from folkmoot.report.report import report
from folkmoot.testing.replay import Harness, HeldDebate
from tests.cli.commands import QUOTES, folkmoot
from tests.kits.players import ANN, BOB, CHAIR, CY, Player, Script

DI, EVE = Participant(name="Di"), Participant(name="Eve")
FIVE = (ANN, BOB, CY, DI, EVE)
ROUNDS = 4


def vote(ask: Ask, context: Context, author: str) -> Mapping[str, Value]:
    assert ask.form
    return {BALLOT: ask.form.fields[0].choices[[turn.by for turn in context.about].index(author)]}


def restless(ask: Ask, context: Context) -> Mapping[str, Value] | None:
    """Everybody holds something else each time, votes for itself, and nobody is sure."""
    if ask.act == "gauge":
        return {"CONSENSUS": "OPEN", "NEW": "CLAIMS"}
    if ask.act == "vote":
        return vote(ask, context, ask.to)
    return {"ANSWER": f"{ask.to} at {ask.key}", "CONFIDENCE": 0.5, "ARGUMENT": f"{ask.key} speaks for it."}


def but(acts: tuple[str, ...], fields: Mapping[str, Value]) -> Script:
    """As the restless, but these acts give these fields besides; {name} stands for the author."""

    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        values = restless(ask, context)
        named = {key: field.format(name=ask.to) if isinstance(field, str) else field for key, field in fields.items()}
        return {**values, **named} if values and ask.act in acts else values

    return script


def for_ann(ask: Ask, context: Context) -> Mapping[str, Value] | None:
    return vote(ask, context, "Ann") if ask.act == "vote" else restless(ask, context)


SPOKEN = ("propose", "revise")
STOPS: list[tuple[Condition, tuple[Participant, ...], Script, str, int]] = [
    ("consensus_reached", (ANN, BOB, CY), but(SPOKEN, {"ANSWER": "tea"}), "all 3 give the same answer", 0),
    (
        "consensus_reached",
        (ANN, BOB, CHAIR),
        but(("gauge",), {"CONSENSUS": "REACHED"}),
        "Chair judges that consensus is reached",
        1,
    ),
    (
        "no_new_arguments",
        (ANN, BOB, CHAIR),
        but(("gauge",), {"NEW": "NONE"}),
        "Chair judges that nothing new was said",
        1,
    ),
    ("confidence_reached", (ANN, BOB), but(SPOKEN, {"CONFIDENCE": 0.95}), "all 2 state a confidence of 0.9 or more", 0),
    (
        "answers_unchanged",
        (ANN, BOB, CY),
        but(SPOKEN, {"ANSWER": "{name}'s"}),
        "nobody changed the answer since the round before",
        1,
    ),
    (
        "stalled",
        (ANN, BOB),
        but(SPOKEN, {"ANSWER": "{name}'s", "ARGUMENT": "{name} knows."}),
        "stalled: everybody repeats itself",
        1,
    ),
    (
        "majority_certain",
        FIVE,
        but(SPOKEN, {"ANSWER": "tea"}),
        "5 of 5 give one answer, which leads with a probability of 0.984",
        0,
    ),
]


async def hold(until: Condition, people: tuple[Participant, ...], script: Script, rounds: int = ROUNDS) -> HeldDebate:
    brief = Brief(topic="Tea or coffee?", participants=people, seed=3)
    choices = Choices(until=(until,), rounds=rounds, strategy="majority")
    place = Harness(brief=brief, protocol=build("arena", brief, choices))
    return await place.run(dict.fromkeys([person.name for person in people], Player(script)))


def asks(debate: HeldDebate, path: str) -> int:
    return sum(within(turn.key, path) for turn in debate.transcript.all())


@pytest.mark.parametrize(("until", "people", "script", "reason", "played"), STOPS)
async def test_rounds_that_end_early_say_what_was_saved(
    until: Condition, people: tuple[Participant, ...], script: Script, reason: str, played: int
) -> None:
    debate, whole = await hold(until, people, script), await hold(until, people, restless)
    assert whole.transcript.halts == {}, "rounds that are used up have saved nothing"
    every, here = asks(whole, "/debate/rounds"), asks(debate, "/debate/rounds")
    judging = every % ROUNDS != 0  # the last round has no look at whether another one should follow
    assert here == played * (every + judging) // ROUNDS
    halt = debate.transcript.halts["/debate/rounds"]
    assert halt.startswith(reason)
    assert halt.endswith(f"; {every - here} of {every} calls of the rounds saved"), "against a debate that went on"
    assert halt in markdown(report(debate.entries, debate="d")).replace("\\", "")


@pytest.mark.parametrize(
    ("until", "votes", "reason"),
    [
        ("lead_decided", 3, "the lead of Ann at /debate/rounds/round-1/revise#1 cannot be overturned"),
        ("majority_certain", 4, "Ann at /debate/rounds/round-1/revise#1 leads with a probability of 0.969"),
    ],
)
async def test_votes_that_end_early_say_what_was_saved(until: Condition, votes: int, reason: str) -> None:
    debate, whole = await hold(until, FIVE, for_ann, 1), await hold(until, FIVE, restless, 1)
    assert "/debate/vote" not in whole.transcript.halts
    assert (asks(debate, "/debate/vote"), asks(whole, "/debate/vote")) == (votes, 5)
    halt = debate.transcript.halts["/debate/vote"]
    assert halt == f"{reason}; {5 - votes} of 5 calls of the vote saved"
    assert halt in markdown(report(debate.entries, debate="d")).replace("\\", "")
    assert debate.transcript.decision
    assert debate.transcript.decision.winner == "Ann at /debate/rounds/round-1/revise#1"


async def test_rounds_that_are_used_up_end_for_no_other_reason() -> None:
    debate = await hold("rounds_exhausted", (ANN, BOB), but(SPOKEN, {"ANSWER": "tea", "CONFIDENCE": 1.0}))
    assert debate.transcript.halts == {}
    assert f"/debate/rounds/round-{ROUNDS}" in debate.transcript.entered


def test_the_screen_says_so_too(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text(
        "---\nprotocol: arena\nrounds: 4\ndebate_end_condition: answers_unchanged\n---\n# Tea?\n\n"
        "Tea is cheap. Coffee is quick. Tea keeps for a year. Coffee costs four times as much as tea.\n"
    )
    shown = " ".join(folkmoot(tmp_path, "run", "b.md", *QUOTES, "--full").output.split())
    match_ = re.search(r"(\d+) of (\d+) calls of the rounds saved", shown)
    assert match_
    assert int(match_[1]) < int(match_[2])
