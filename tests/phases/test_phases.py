"""Phases and the known protocols: who is asked what, in which batch, and what is decided."""

from collections.abc import Mapping

import pytest

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant, View
from folkmoot.core.transcript import Turn
from folkmoot.phases.base import Phase, Rounds, Sequence
from folkmoot.phases.speak import Everyone
from folkmoot.phases.vote import BALLOT, Adopt, Count, Vote, labels
from folkmoot.policy.rules import PLURALITY, FirstProposal, Share
from folkmoot.protocols.known import Choices, build
from folkmoot.testing.replay import Harness, HeldDebate
from tests.kits.players import ANN, BOB, CHAIR, CY, Player, Script, hold, votes


def ballot_box(*between: Phase) -> Sequence:
    propose = Everyone(act="propose", task="Propose.")
    vote = Vote(rule=PLURALITY, acts=("propose", "revise"), task="Vote.")
    return Sequence(parts=(propose, *between, vote))


@pytest.mark.parametrize(
    ("chosen", "status", "winner"),
    [
        ({"Ann": "Bob", "Bob": "Bob", "Cy": "Ann"}, "decided", "Bob"),  # K1
        ({"Ann": "Bob", "Bob": "Ann", "Cy": "-"}, "tie", ""),  # K3
        ({"Ann": "-", "Bob": "-", "Cy": "-"}, "no_decision", ""),  # K5
        ({"Ann": "?", "Bob": "!", "Cy": "Cy"}, "decided", "Cy"),
    ],
)
@pytest.mark.parametrize("anonymous", [True, False])
async def test_a_vote(chosen: dict[str, str], status: str, winner: str, anonymous: bool) -> None:
    propose = Everyone(act="propose", task="Propose.")
    vote = Vote(rule=PLURALITY, acts=("propose",), task="Vote.", anonymous=anonymous)
    debate, player = await hold(Sequence(parts=(propose, vote)), votes(chosen))
    decision = debate.transcript.decision
    assert decision
    assert (decision.status, decision.winner) == (status, winner)
    assert [(b.voter, b.state) for b in decision.ballots] == [
        (who, {"-": "abstained", "?": "unread", "!": "missing"}.get(wish, "cast")) for who, wish in chosen.items()
    ]
    if winner:
        assert decision.text == f"{winner} propose /debate/propose#{['Ann', 'Bob', 'Cy'].index(winner) + 1}"
        assert winner not in [name for minority in decision.minority for name in minority.by]
        assert all(who in "".join(decision.dissent) for who, wish in chosen.items() if wish not in ("-?!" + winner))
    ballots = [ask for ask, _ in player.asked if ask.act == "vote"]
    assert all(ask.view == View(last=0, anonymous=anonymous) for ask in ballots)
    if anonymous:
        assert {ask.form.fields[0].choices for ask in ballots if ask.form} == {labels(3)}


async def test_the_order_of_proposals_is_drawn_for_each_voter_and_on_record() -> None:
    _, player = await hold(ballot_box(), votes({"Ann": "-", "Bob": "-", "Cy": "-"}), seed=5)
    orders = [ask.about for ask, _ in player.asked if ask.act == "vote"]
    assert len(set(orders)) > 1
    assert all(sorted(order) == sorted(orders[0]) for order in orders)


async def test_weights_go_onto_the_ballots() -> None:  # K17: a level that is not stated counts as 0.5
    brief = Brief(topic="?", participants=(Participant(name="Ann", weight=0.3), BOB, CY))
    place = Harness(brief=brief, protocol=build("council", brief, Choices(strategy="weighted", rounds=0)))
    player = Player(votes({"Ann": "Ann", "Bob": "-", "Cy": "-"}))
    debate = await place.run({participant.name: player for participant in brief.participants})
    assert debate.transcript.decision
    assert [b.weight for b in debate.transcript.decision.ballots] == [0.3, 0.5, 0.5]
    assert debate.transcript.decision.tally == {"Ann": 0.3, "Bob": 0.0, "Cy": 0.0}


async def test_the_revised_proposal_wins_or_the_first_where_that_is_asked_for() -> None:
    revise = Everyone(act="revise", task="Revise.")
    chosen = votes({"Ann": "Bob", "Bob": "Bob", "Cy": "Bob"})
    debate, _ = await hold(ballot_box(revise), chosen)
    assert debate.transcript.decision
    assert debate.transcript.decision.text == "Bob revise /debate/revise#2"
    first = Vote(rule=PLURALITY, acts=("propose", "revise"), task="Vote.", latest=False)
    debate, _ = await hold(Sequence(parts=(Everyone(act="propose", task="P"), revise, first)), chosen)
    assert debate.transcript.decision
    assert debate.transcript.decision.text == "Bob propose /debate/propose#2"


async def test_one_proposal_fails_and_the_debate_goes_on_with_the_rest() -> None:  # D9, R13
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        return (
            None
            if (ask.act, ask.to) == ("propose", "Bob")
            else votes({"Ann": "Cy", "Bob": "Cy", "Cy": "Cy"})(ask, context)
        )

    debate, player = await hold(ballot_box(), script)
    assert debate.transcript.decision
    assert debate.transcript.decision.winner == "Cy"
    assert list(debate.transcript.decision.tally) == ["Ann", "Cy"]
    assert all(len(ask.about) == 2 for ask, _ in player.asked if ask.act == "vote")
    assert [turn.key for turn in debate.transcript.failures()] == ["/debate/propose#2"]


@pytest.mark.parametrize(
    ("speaks", "how"),
    [(("Ann",), "Ann is the only proposal: there was no vote"), ((), "there is no proposal")],
)
async def test_no_vote_is_held_over_less_than_two_proposals(speaks: tuple[str, ...], how: str) -> None:  # F73
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        spoken: Mapping[str, Value] = {}
        return spoken if ask.to in speaks else None

    debate, _ = await hold(ballot_box(), script)
    assert debate.transcript.decision
    assert (debate.transcript.decision.status, debate.transcript.decision.how) == ("no_decision", how)


def answers(*rounds: str, vote: str = "-") -> Script:
    """Answers by round: ``"x y x"`` for Ann, Bob, Cy; ``?`` leaves the field out, ``!`` fails."""

    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        who = ["Ann", "Bob", "Cy"].index(ask.to)
        if ask.act == "vote":
            assert ask.form
            at = [turn.fields["ANSWER"] for turn in context.about].index(vote.split()[who])
            return {BALLOT: ask.form.fields[0].choices[at]}
        part = rounds[int(ask.key.split("round-")[1][0]) if "round-" in ask.key else 0].split()[who]
        confidence = 0.9 if who == 1 else 0.5
        plain: dict[str, Value] = {"ANSWER": part, "CONFIDENCE": confidence, "ARGUMENT": f"because {ask.to}"}
        empty: dict[str, Value] = {}
        return None if part == "!" else empty if part == "?" else plain

    return script


def panel(*options: str, rounds: int | None = None) -> Phase:
    return build("panel", Brief(topic="?", participants=(ANN, BOB, CY), options=options), Choices(rounds=rounds))


async def test_a_panel_that_agrees_at_once_asks_three_times_and_stops() -> None:
    debate, player = await hold(panel("yes", "no"), answers("yes yes yes"), options=("yes", "no"))
    decision = debate.transcript.decision
    assert decision
    assert (decision.status, decision.winner, decision.strength) == ("decided", "yes", "unanimous")
    assert len(player.asked) == 3
    assert debate.transcript.halts == {"/debate/rounds": "all 3 give the same answer; 3 of 3 calls of the rounds saved"}


async def test_a_panel_keeps_both_tallies_and_the_minority() -> None:
    debate, player = await hold(panel("yes", "no"), answers("yes no no", "no no yes"), options=("yes", "no"))
    decision = debate.transcript.decision
    assert decision
    assert (decision.winner, decision.tally, decision.first) == ("no", {"yes": 1.0, "no": 2.0}, {"yes": 1.0, "no": 2.0})
    assert decision.support == ("Ann", "Bob")
    assert decision.dissent == ("Cy for yes",)
    assert decision.argument == "because Bob"
    (minority,) = decision.minority
    assert (minority.answer, minority.by, minority.argument) == ("yes", ("Cy",), "because Cy")
    assert minority.share == pytest.approx(1 / 3)
    shown = [context.about for ask, context in player.asked if ask.act == "revise"]
    # each distinct answer once, by its most confident holder; authors hidden
    assert all(sorted(turn.by for turn in about) == ["Ann", "Bob"] for about in shown)
    assert all(ask.view.anonymous for ask, _ in player.asked if ask.act == "revise")


async def test_an_open_panel_votes_on_the_distinct_answers() -> None:
    script = answers("x y x", "x y z", vote="y y z")
    debate, player = await hold(panel(), script)
    decision = debate.transcript.decision
    assert decision
    assert (decision.winner, decision.text, decision.support) == ("y", "y", ("Ann", "Bob"))
    assert decision.first == {"x": 2.0, "y": 1.0}
    assert sum(ask.act == "vote" for ask, _ in player.asked) == 3
    assert {minority.answer for minority in decision.minority} == {"x", "z"}


async def test_an_open_panel_that_agrees_needs_no_vote() -> None:
    debate, player = await hold(panel(), answers("Wait. wait wait!"))
    decision = debate.transcript.decision
    assert decision
    assert (decision.status, decision.winner, decision.how) == (
        "decided",
        "Wait.",
        "all 3 who answered give the same answer: no vote was needed; no debate took place: all 3 give the same answer",
    )
    assert len(player.asked) == 3


@pytest.mark.parametrize(
    ("rounds", "status", "states"),
    [
        (("yes ! ?", "yes ! ?"), "no_decision", ["cast", "missing", "unread"]),
        (("? ? ?", "? ? ?"), "no_decision", ["unread", "unread", "unread"]),
        (("yes no ?", "yes no ?"), "tie", ["cast", "cast", "unread"]),
    ],
)
async def test_counting_answers_invents_none(rounds: tuple[str, ...], status: str, states: list[str]) -> None:
    debate, _ = await hold(panel("yes", "no"), answers(*rounds), options=("yes", "no"))
    decision = debate.transcript.decision
    assert decision
    assert decision.status == status
    assert [ballot.state for ballot in decision.ballots] == states
    assert decision.winner == ""
    assert {minority.answer for minority in decision.minority} <= {"yes", "no"}, "who cannot be read is no candidate"


async def test_counting_open_answers_without_any() -> None:
    phase = Sequence(parts=(Everyone(act="draft", task="?"), Count(rule=PLURALITY, acts=("draft",))))
    debate, _ = await hold(phase, answers("! ! !"))
    assert debate.transcript.decision
    assert debate.transcript.decision.how == "there is no proposal"


# ---- moderated, round robin, arena, council


def moderated(*rows: Mapping[str, Value] | None) -> Script:
    left = list(rows)
    return lambda ask, context: left.pop(0) if ask.act == "moderate" else {}


async def run(name: str, script: Script, choices: Choices | None = None) -> tuple[HeldDebate, Player]:
    brief = Brief(topic="?", participants=(ANN, BOB, CHAIR))
    player = Player(script)
    debate = await Harness(brief=brief, protocol=build(name, brief, choices)).run(
        dict.fromkeys(("Ann", "Bob", "Chair"), player)
    )
    return debate, player


GOES_ON: Mapping[str, Value] = {"STATUS": "CONTINUE"}
SETTLED: Mapping[str, Value] = {"STATUS": "SETTLED", "DECISION": "Buy."}


NOTHING: Mapping[str, Value] = {}
MODERATED: list[tuple[list[Mapping[str, Value] | None], int, str, str, str]] = [
    ([SETTLED], 3, "decided", "Buy.", "Chair gave the decision"),  # A1
    ([GOES_ON, GOES_ON, GOES_ON], 9, "no_decision", "", "Chair says CONTINUE: the rounds were used up"),  # A3
    ([NOTHING, NOTHING, NOTHING], 9, "no_decision", "", "Chair's STATUS could not be read"),  # A11
    ([GOES_ON, SETTLED], 6, "decided", "Buy.", "Chair gave the decision"),
    ([{"STATUS": "SETTLED"}], 3, "no_decision", "", "Chair gave no DECISION"),
    ([None, None, None], 9, "no_decision", "", "the moderator gave no answer"),
]


@pytest.mark.parametrize(("replies", "asks", "status", "text", "how"), MODERATED)
async def test_moderated(
    replies: list[Mapping[str, Value] | None], asks: int, status: str, text: str, how: str
) -> None:
    debate, player = await run("moderated", moderated(*replies))
    decision = debate.transcript.decision
    assert decision
    assert (len(player.asked), decision.status, decision.text, decision.how) == (asks, status, text, how)


async def test_everybody_argues_at_once_in_the_order_of_the_table() -> None:  # A13
    debate, player = await run("moderated", moderated(SETTLED))
    assert [turn.by for turn in debate.transcript.turns("argue")] == ["Ann", "Bob"]
    assert all(context.turns == () for ask, context in player.asked if ask.act == "argue")
    assert [ask.task[:16] for ask, _ in player.asked][:1] == ["This is round 1."]


async def test_round_robin_hears_all_before_and_moves_the_last_word() -> None:
    debate, player = await run(
        "round_robin", moderated({"SUMMARY": "both", "VERDICT": "Tea."}), choices=Choices(rounds=2)
    )
    floor = [(ask.to, len(context.turns)) for ask, context in player.asked if ask.act == "argue"]
    assert floor == [("Ann", 2), ("Bob", 3), ("Bob", 4), ("Ann", 5)]
    assert debate.transcript.decision
    assert (debate.transcript.decision.text, debate.transcript.decision.rule) == ("Tea.", "mediator")


async def test_adopting_from_nobody() -> None:
    debate, _ = await hold(Adopt(), answers("x x x"))
    assert debate.transcript.decision
    assert debate.transcript.decision.how == "the moderator gave no answer"


async def test_arena_revises_on_the_critiques_of_its_own_proposal() -> None:
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        return votes({"Ann": "Ann", "Bob": "Bob"})(ask, context) if ask.act == "vote" else {}

    debate, player = await run("arena", script, Choices(rounds=1, topology="ring"))
    critiques = [
        (ask.to, [turn.by for turn in context.about]) for ask, context in player.asked if ask.act == "critique"
    ]
    assert critiques == [("Ann", ["Bob"]), ("Bob", ["Ann"])]
    revisions = {
        ask.to: [(turn.by, turn.act) for turn in context.about] for ask, context in player.asked if ask.act == "revise"
    }
    assert revisions == {
        "Ann": [("Ann", "propose"), ("Bob", "critique")],
        "Bob": [("Bob", "propose"), ("Ann", "critique")],
    }
    assert debate.transcript.decision
    assert debate.transcript.decision.status == "no_decision", "neither has two thirds"


async def test_no_critique_without_two_proposals() -> None:
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        spoken: Mapping[str, Value] = {}
        return None if ask.to == "Bob" and ask.act == "propose" else spoken

    debate, player = await run("arena", script, Choices(rounds=1))
    assert [ask.act for ask, _ in player.asked].count("critique") == 0
    assert debate.transcript.closed


@pytest.mark.parametrize(
    ("strategy", "script", "status", "winner"),
    [
        ("moderator", {"Chair": "Bob"}, "decided", "Bob"),
        ("moderator", {"Chair": "?"}, "no_decision", ""),  # K21 without the fallback
        ("consensus", {"Ann": "Bob", "Bob": "Bob"}, "decided", "Bob"),
        ("consensus", {"Ann": "Ann", "Bob": "Bob"}, "no_decision", ""),
        ("majority", {"Ann": "Bob", "Bob": "Bob"}, "decided", "Bob"),
        ("absolute", {"Ann": "Bob", "Bob": "-"}, "decided", "Bob"),
    ],
)
async def test_council(strategy: str, script: dict[str, str], status: str, winner: str) -> None:
    debate, _ = await run("council", votes(script), Choices(strategy=strategy, rounds=1))
    assert debate.transcript.decision
    assert (debate.transcript.decision.status, debate.transcript.decision.winner) == (status, winner)


async def test_a_moderator_who_is_unclear_falls_back_only_where_that_is_asked_for() -> None:  # K21
    rule = FirstProposal(rule=Share(name="moderator"))
    vote = Vote(rule=rule, acts=("propose",), task="Select.", who=("Cy",))
    debate, _ = await hold(Sequence(parts=(Everyone(act="propose", task="P"), vote)), votes({"Cy": "?"}))
    assert debate.transcript.decision
    assert (debate.transcript.decision.winner, debate.transcript.decision.how) == (
        "Ann",
        "the only voter cast no vote; fallback: first proposal",
    )


async def test_two_parts_of_one_name_are_told_apart() -> None:
    part = Everyone(act="propose", task="P")
    debate, _ = await hold(Sequence(parts=(part, part, Rounds(each=part, most=1))), answers("x x x", "x x x"))
    keys = [turn.key for turn in debate.transcript.turns(by="Ann")]
    assert keys == ["/debate/propose#1", "/debate/propose-2#1", "/debate/rounds/round-1#1"]


def test_a_turn_without_an_ask_is_about_nothing() -> None:
    assert Turn(key="k", by="Ann", act="interject").about == ()


async def test_a_name_that_is_an_answer_hides_no_proposal() -> None:
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        if ask.act == "vote":
            return {}
        answers: dict[str, Mapping[str, Value]] = {"Ann": {}, "Bob": {"ANSWER": "Ann"}, "Cy": {"ANSWER": "x"}}
        return answers[ask.to]

    debate, player = await hold(panel(), script)
    assert {len(ask.about) for ask, _ in player.asked if ask.act == "vote"} == {3}
    assert debate.transcript.decision
    assert list(debate.transcript.decision.tally) == ["Ann", "Ann (Bob)", "x"]


async def test_options_that_look_alike_stay_apart() -> None:
    debate, _ = await hold(panel(".NET", "NET"), answers(".NET NET NET", ".NET NET NET"), options=(".NET", "NET"))
    decision = debate.transcript.decision
    assert decision
    assert (decision.winner, decision.tally, decision.first) == ("NET", {".NET": 1, "NET": 2}, {".NET": 1, "NET": 2})


async def test_an_agreement_of_too_few_is_no_quorum() -> None:
    five = tuple(Participant(name=name) for name in ("Ann", "Bob", "Cy", "Di", "Eve"))
    brief = Brief(topic="?", participants=five)

    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        return {"ANSWER": "tea"} if ask.to in ("Ann", "Bob") else None

    player = Player(script)
    debate = await Harness(brief=brief, protocol=build("panel", brief)).run(
        {participant.name: player for participant in five}
    )
    assert debate.transcript.decision
    assert debate.transcript.decision.status == "no_decision"
    assert debate.transcript.decision.how == (
        "no quorum: 2 of 5 ballots could be read; the tally is partial; "
        "no debate took place: all 2 give the same answer"
    )
