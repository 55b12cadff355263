"""Stops that compare claims and answers, and the moderator's gauge: when the rounds of a format end early."""

from collections.abc import Mapping
from typing import TypeAlias

import pytest

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Field, Form, Reply, Value
from folkmoot.core.brief import Brief, Participant, View
from folkmoot.core.event import Asked, Failed, Interjected, Replied
from folkmoot.core.transcript import Transcript
from folkmoot.phases.base import Rounds, Sequence
from folkmoot.phases.choices import ARGUING, CLAIMING, Choices, Condition, until
from folkmoot.phases.speak import SPOKEN, Everyone, speech
from folkmoot.policy.rounds import Alike, AnyOf, NothingNew, Settled
from folkmoot.protocols.compose import JUDGEMENT, with_judgement
from folkmoot.protocols.known import build
from folkmoot.testing.replay import Harness, HeldDebate, SeededAgent
from tests.kits.players import ANN, BOB, CHAIR, Player, Script, resume_everywhere

SPEECH = speech(())
QUESTION = Form(name="question", fields=(Field(name="QUESTION"),))

Said: TypeAlias = tuple[int, str, str, Mapping[str, Value] | str | None]
"""A turn: round, speaker, act, and its fields, or the words of a turn without a form, or None where it is missing."""


def transcript_of(*turns: Said) -> Transcript:
    transcript = Transcript()
    for n, (round, by, act, values) in enumerate(turns, start=1):
        key = f"/debate/rounds/round-{round}/floor#{n}" if round else f"/debate/open#{n}"
        form = None if isinstance(values, str) else SPEECH
        transcript.apply(Asked(ask=Ask(key=key, to=by, act=act, task="?", form=form)))
        if values is None:
            transcript.apply(Failed(key=key, kind="timeout", reason="late"))
        else:
            reply = Reply(text=values) if isinstance(values, str) else Reply(text="…", fields=values)
            transcript.apply(Replied(key=key, reply=reply))
    return transcript


def claims(claim: str, answer: str = "") -> dict[str, Value]:
    return {"CLAIM": claim, **({"ANSWER": answer} if answer else {})}


OPENING: tuple[Said, ...] = ((0, "Ann", "open", claims("Tea is warm.", "tea")), (0, "Bob", "open", claims("It wakes")))
ROUNDS: list[tuple[str, tuple[Said, ...], bool]] = [
    ("the opening alone is no two rounds", OPENING, False),
    ("nothing was said", (), False),
    ("both say NONE", (*OPENING, (1, "Ann", "argue", claims("none.")), (1, "Bob", "argue", claims("NONE"))), True),
    (
        "each repeats an earlier claim, of whomever, but for case and a stop",
        (*OPENING, (1, "Ann", "argue", claims("IT WAKES.")), (1, "Bob", "argue", claims("“It wakes”"))),
        True,
    ),
    (
        "one claim is new",
        (*OPENING, (1, "Ann", "argue", claims("It is old")), (1, "Bob", "argue", claims("none"))),
        False,
    ),
    (
        "a shared word is no restatement",
        (*OPENING, (1, "Ann", "argue", claims("Tea is warm and wakes.")), (1, "Bob", "argue", claims("none"))),
        False,
    ),
    ("a claim is unread", (*OPENING, (1, "Ann", "argue", {}), (1, "Bob", "argue", claims("none"))), False),
    ("a turn is missing", (*OPENING, (1, "Ann", "argue", None), (1, "Bob", "argue", claims("none"))), False),
    ("an answer has changed", (*OPENING, (1, "Ann", "argue", claims("none", "coffee"))), False),
    ("an answer is given again", (*OPENING, (1, "Ann", "argue", claims("none", "Tea."))), True),
    ("a first answer is another one", (*OPENING, (1, "Bob", "argue", claims("none", "coffee"))), False),
    ("without a form the words are the claim", (*OPENING, (1, "Ann", "question", "Why?")), False),
    ("the same words again are none", ((0, "Ann", "open", "Why?"), (1, "Ann", "question", "why?")), True),
    (
        "rounds without an opening: two are needed",
        ((1, "Ann", "argue", claims("a")), (2, "Ann", "argue", claims("A"))),
        True,
    ),
    ("one round is not enough", ((1, "Ann", "argue", claims("none")), (1, "Bob", "argue", claims("none"))), False),
    (
        "what was new in the round before does not count",
        (*OPENING, (1, "Ann", "argue", claims("new")), (2, "Ann", "argue", claims("New."))),
        True,
    ),
    ("what others than debaters do does not count", (*OPENING, (1, "Chair", "guide", "Stay on topic.")), False),
]


@pytest.mark.parametrize(("turns", "met"), [case[1:] for case in ROUNDS], ids=[case[0] for case in ROUNDS])
def test_nothing_new(turns: tuple[Said, ...], met: bool) -> None:
    reason = "the last round brought no new claim and no other answer" if met else ""
    assert NothingNew(acts=ARGUING).met(transcript_of(*turns)) == reason


def test_an_interjection_is_no_claim_of_a_round() -> None:
    transcript = transcript_of(*OPENING, (1, "Ann", "argue", claims("none")))
    transcript.apply(Interjected(by="Guest", text="Something new."))
    assert NothingNew(acts=(*ARGUING, "interject")).met(transcript) != ""
    assert NothingNew(acts=("interject",)).met(transcript) == ""


def test_turns_that_were_not_asked_for_an_answer_do_not_hide_the_answers_before_them() -> None:
    transcript = transcript_of((0, "Ann", "open", claims("a", "tea")), (0, "Bob", "open", claims("b", "Tea.")))
    ask = Ask(key="/debate/rounds/round-1/question#3", to="Ann", act="question", task="?", form=QUESTION)
    transcript.apply(Asked(ask=ask))
    transcript.apply(Replied(key=ask.key, reply=Reply(text="Why?", fields={"QUESTION": "Why?"})))
    assert Alike(acts=ARGUING).met(transcript) == "all 2 give the same answer"
    again = transcript_of(
        (0, "Ann", "open", claims("a", "tea")), (0, "Bob", "open", claims("b", "tea")), (1, "Bob", "argue", {})
    )
    assert Alike(acts=ARGUING).met(again) == "", "an answer that was asked for and not given is no agreement"


CONDITIONS: list[tuple[tuple[Condition, ...], object]] = [
    ((), None),
    (("rounds_exhausted",), None),
    (("consensus_reached",), Alike(acts=ARGUING)),
    (("no_new_arguments", "rounds_exhausted"), NothingNew(acts=CLAIMING)),
    (
        ("no_new_arguments", "consensus_reached"),
        AnyOf(stops=(Alike(acts=ARGUING), NothingNew(acts=CLAIMING))),
    ),
]


@pytest.mark.parametrize(("conditions", "stop"), CONDITIONS)
def test_conditions(conditions: tuple[Condition, ...], stop: object) -> None:
    assert until(Choices(until=conditions)) == stop


def test_everything_but_closing_statements_is_looked_at() -> None:
    assert (*ARGUING, "close") == SPOKEN
    assert set(ARGUING) - set(CLAIMING) == {"question"}


# ---- the gauge -----------------------------------------------------------------------------------------------------

SEATED = (ANN, BOB, CHAIR)


def brief(*people: Participant) -> Brief:
    return Brief(topic="Tea?", participants=people or SEATED)


async def run_debate(script: Script, *people: Participant, until: tuple[Condition, ...], rounds: int = 3) -> HeldDebate:
    parsed_brief = brief(*people)
    tree = build("round_robin", parsed_brief, Choices(until=until, rounds=rounds))
    return await Harness(brief=parsed_brief, protocol=tree).run(
        {participant.name: Player(script) for participant in parsed_brief.participants}
    )


def debate(gauge: Mapping[str, Value] | None) -> Script:
    """Everybody claims something new each time, and the moderator's gauge is given."""

    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        if ask.act == "gauge":
            return gauge
        return {"CLAIM": ask.key, "ANSWER": ask.to} if ask.act in SPOKEN else {}

    return script


GAUGES: list[tuple[tuple[Condition, ...], Mapping[str, Value] | None, str]] = [
    (("consensus_reached",), {"CONSENSUS": "REACHED", "NEW": "CLAIMS"}, "Chair judges that consensus is reached"),
    (("consensus_reached",), {"CONSENSUS": "OPEN", "NEW": "NONE"}, ""),
    (("no_new_arguments",), {"CONSENSUS": "OPEN", "NEW": "NONE"}, "Chair judges that nothing new was said"),
    (("no_new_arguments",), {"CONSENSUS": "REACHED", "NEW": "CLAIMS"}, ""),
    (("no_new_arguments",), {}, ""),
    (("no_new_arguments",), None, ""),
]


@pytest.mark.parametrize(("conditions", "gauge", "reason"), GAUGES)
async def test_the_moderators_gauge_ends_the_rounds(
    conditions: tuple[Condition, ...], gauge: Mapping[str, Value] | None, reason: str
) -> None:
    transcript = (await run_debate(debate(gauge), until=conditions)).transcript
    gauged = [turn for turn in transcript.all() if turn.act == "gauge"]
    assert transcript.halts == ({"/debate/rounds": reason} if reason else {})
    assert len(gauged) == (1 if reason else 2), "after the last round there is nothing left to end"
    assert transcript.closed


async def test_only_the_moderator_sees_the_gauge() -> None:
    parsed_brief = brief()
    player = Player(debate({"CONSENSUS": "OPEN", "NEW": "CLAIMS"}))
    tree = build("round_robin", parsed_brief, Choices(until=("consensus_reached",)))
    await Harness(brief=parsed_brief, protocol=tree).run(
        {participant.name: player for participant in parsed_brief.participants}
    )
    gauged = [ask for ask, _ in player.asked if ask.act == "gauge"]
    assert [(ask.to, ask.audience, ask.form, ask.view) for ask in gauged] == [
        ("Chair", ("Chair",), JUDGEMENT, View(numbered=True))
    ] * 2
    assert "after round 2." in gauged[1].task
    shown = [
        turn.act for ask, context in player.asked if ask.to != "Chair" for turn in (*context.turns, *context.about)
    ]
    assert "argue" in shown
    assert "gauge" not in shown


async def test_without_a_moderator_claims_and_answers_alone_end_the_rounds() -> None:
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        return {"CLAIM": "NONE" if "/round-" in ask.key else ask.to, "ANSWER": ask.to}

    transcript = (await run_debate(script, ANN, BOB, until=("no_new_arguments",))).transcript
    assert not transcript.turns("gauge")
    assert transcript.halts["/debate/rounds"] == "the last round brought no new claim and no other answer"
    assert len(transcript.turns("argue")) == 2


async def test_seats_that_fail_never_stall_the_debate() -> None:
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        return None if ask.to in ("Bob", "Chair") else {"CLAIM": "NONE"}

    transcript = (await run_debate(script, until=("no_new_arguments", "consensus_reached"))).transcript
    assert transcript.closed
    assert not transcript.halts


def test_rounds_that_end_for_their_own_reasons_are_not_gauged() -> None:
    chosen = Choices(until=("consensus_reached",))
    assert build("moderated", brief(), chosen) == build("moderated", brief(), Choices())
    speak = Everyone(act="argue", task="?")
    assert with_judgement(speak, brief(), chosen) == speak
    assert with_judgement(Rounds(each=speak, until=until(chosen)), brief(ANN, BOB), chosen) == Rounds(
        each=speak, until=until(chosen)
    )
    woven = with_judgement(Sequence(parts=(speak, Rounds(each=speak, until=until(chosen)))), brief(), chosen)
    assert isinstance(woven, Sequence)
    rounds = woven.parts[1]
    assert isinstance(rounds, Rounds)
    assert isinstance(rounds.until, AnyOf)
    assert [type(stop) for stop in rounds.until.stops] == [Alike, Settled]


async def test_a_gauged_debate_can_be_cut_anywhere() -> None:
    parsed_brief = brief()
    tree = build("round_robin", parsed_brief, Choices(until=("consensus_reached", "no_new_arguments"), rounds=2))
    place = Harness(brief=parsed_brief, protocol=tree)
    whole = await place.run({participant.name: SeededAgent(3) for participant in SEATED})
    await resume_everywhere(place, whole, seed=3)
