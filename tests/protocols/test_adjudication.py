"""How ``bp_style`` is decided: by whom the teams are ranked, what is counted, and the result by team and by side."""

from collections.abc import Mapping, Sequence

import pytest

from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.decision import Decision
from folkmoot.core.errors import ProtocolError
from folkmoot.phases.choices import Choices, Mediation
from folkmoot.protocols import known, spec
from folkmoot.protocols.adjudication import VOTING
from folkmoot.protocols.parliament import assign_speeches, bp_style, teams_of
from folkmoot.report.markdown import markdown
from folkmoot.report.report import report
from folkmoot.testing.replay import Harness, HeldDebate, SeededAgent
from tests.kits.players import CHAIR, Player, Script, resume_everywhere

NAMES = ("Ann", "Bob", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal")
EIGHT = tuple(Participant(name=name) for name in NAMES)
JURY = tuple(Participant(name=name, duty="juror") for name in ("Ida", "Jo"))
OG, OO, CG, CO = "Opening Government", "Opening Opposition", "Closing Government", "Closing Opposition"


def ranking(ranked: Mapping[str, Sequence[str] | None]) -> Script:
    """Speeches with an answer; these voters rank so, None for a failure; the others give no ranking."""

    def script(ask: Ask, context: object) -> Mapping[str, Value] | None:
        if ask.act == "vote":
            texts = ranked.get(ask.to, ())
            return None if texts is None else {"REASON": f"{ask.to} saw it.", "RANKING": tuple(texts)} if texts else {}
        return {"ANSWER": "yes" if ask.to in NAMES[::2] else "no"} if ask.act == "argue" else {}

    return script


async def run_debate(
    people: Sequence[Participant], choices: Choices, script: Script, options: tuple[str, ...] = ()
) -> tuple[HeldDebate, Player]:
    brief = Brief(topic="Tea?", participants=tuple(people), options=options)
    player = Player(script)
    place = Harness(brief=brief, protocol=bp_style(brief, choices), name="bp_style")
    return await place.run(dict.fromkeys([person.name for person in people], player)), player


def decision_of(whole: HeldDebate) -> Decision:
    assert whole.transcript.decision
    return whole.transcript.decision


def ballots(player: Player) -> list[Ask]:
    return [ask for ask, _ in player.asked if ask.act == "vote"]


def test_the_four_teams() -> None:
    assert [(team.name, team.side, team.members) for team in teams_of(assign_speeches(NAMES))] == [
        (OG, "Government", ("Ann", "Cy")),
        (OO, "Opposition", ("Bob", "Dee")),
        (CG, "Government", ("Eve", "Gus")),
        (CO, "Opposition", ("Fay", "Hal")),
    ]
    assert [team.members for team in teams_of(assign_speeches(NAMES[:3]))] == [("Ann",), ("Bob",), ("Cy",), ("Bob",)]


async def test_the_adjudicator_ranks_four_teams_and_the_result_is_told_by_team_and_by_side() -> None:
    whole, player = await run_debate((*EIGHT, CHAIR), Choices(), ranking({"Chair": (CO, OG, OO, CG)}))
    decision = decision_of(whole)
    assert (decision.status, decision.winner, decision.text) == ("decided", CO, f"{CO} (Fay and Hal)")
    assert decision.tally == {OG: 2.0, OO: 1.0, CG: 0.0, CO: 3.0}
    assert decision.rule == "team points"
    assert decision.how == (
        f"1. {CO} (Fay and Hal), 3 points; 2. {OG} (Ann and Cy), 2 points; 3. {OO} (Bob and Dee), 1 point; "
        f"4. {CG} (Eve and Gus), 0 points; by side Opposition 4 points, Government 2 points"
    )
    assert [ballot.reason for ballot in decision.ballots] == ["Chair saw it."]
    assert not whole.transcript.turns("close"), "a side was drawn: nobody is asked what it holds itself"
    (ask,) = ballots(player)
    assert ask.to == "Chair"
    assert ask.view.anonymous


async def test_the_judge_replies_by_roles_and_knows_each_speech_by_its_mark() -> None:
    whole, player = await run_debate((*EIGHT, CHAIR), Choices(), ranking({"Chair": (CO, OG, OO, CG)}))
    (ask,) = ballots(player)
    assert ask.form
    assert [field.name for field in ask.form.fields] == [
        "Prime Minister",
        "Deputy Prime Minister",
        "Leader of the Opposition",
        "Deputy Leader of the Opposition",
        "Member of the Government",
        "Government Whip",
        "Member of the Opposition",
        "Opposition Whip",
        "REASON",
        "RANKING",
    ]
    marks = [turn.mark for turn in whole.transcript.turns("argue")]
    assert f"The speeches: {marks[0]} Prime Minister ({OG}), {marks[1]} Leader of the Opposition ({OO})" in ask.task
    assert ask.task.endswith("what its speech did, and what it missed.")
    text = markdown(report(whole.entries, debate="tea"))
    assert f"1. {CO} (Fay and Hal), 3 points" in text
    assert "by side Opposition 4 points, Government 2 points" in text
    assert "Minority answer" not in text


async def test_two_sides_can_be_level() -> None:
    whole, _ = await run_debate((*EIGHT, CHAIR), Choices(), ranking({"Chair": (OG, OO, CO, CG)}))
    assert decision_of(whole).how.endswith("by side level: Government 3 points, Opposition 3 points")


async def test_debaters_rank_all_teams_but_their_own() -> None:
    ranked = {
        **dict.fromkeys(("Ann", "Cy"), (CO, OO, CG)),
        **dict.fromkeys(("Bob", "Dee"), (OG, CO, CG)),
        **dict.fromkeys(("Eve", "Gus"), (CO, OG, OO)),
        **dict.fromkeys(("Fay", "Hal"), (OG, OO, CG)),
    }
    whole, player = await run_debate(EIGHT, Choices(), ranking(ranked))
    for ask in ballots(player):
        assert ask.form
        assert len(ask.form.fields[-1].choices) == 3
        assert {field.name for field in ask.form.fields} == {"REASON", "RANKING"}
    decision = decision_of(whole)
    own = {ballot.voter: ballot.ranks for ballot in decision.ballots}
    assert own["Ann"] == ((CO,), (OO, OG), (CG,))
    # By the ballots of Ann, Bob, Eve and Fay, two of each: whose own a team is, for them it stands in the middle.
    points = {OG: (1.5, 3, 1.5, 3), OO: (1.5, 1.5, 0, 1.5), CG: (0, 0, 1.5, 0), CO: (3, 1.5, 3, 1.5)}
    assert decision.tally == {team: 2 * sum(numbers) for team, numbers in points.items()}
    assert decision.status == "tie"
    assert decision.text == ""
    assert decision.how.startswith("tie: 1. ")
    assert whole.transcript.closed
    assert whole.transcript.closed.status == "tie"


async def test_of_two_debaters_each_ranks_the_other_side() -> None:
    whole, player = await run_debate(EIGHT[:2], Choices(), ranking({"Ann": (CO, OO), "Bob": (OG, CG)}))
    assert [set(ask.form.fields[-1].choices) for ask in ballots(player) if ask.form] == [{OO, CO}, {OG, CG}]
    decision = decision_of(whole)
    assert [ballot.ranks for ballot in decision.ballots] == [((CO,), (OG, CG), (OO,)), ((OG,), (OO, CO), (CG,))]
    assert decision.status == "tie"


@pytest.mark.parametrize(
    ("choices", "voters"),
    [
        (Choices(), ["Chair", "Ida", "Jo"]),
        (Choices(strategy="vote"), [*NAMES, "Ida", "Jo"]),
        (Choices(strategy="majority"), [*NAMES, "Ida", "Jo"]),
        (Choices(strategy="vote_based"), ["Chair", "Chair"]),
        (Choices(mediation=Mediation(kind="silent")), ["Ida", "Jo"]),
        (Choices(strategy="mediator_summary"), []),
        (Choices(strategy="no_consensus"), []),
        (Choices(strategy="agent_closing"), []),
    ],
)
async def test_who_ranks(choices: Choices, voters: list[str]) -> None:
    _, player = await run_debate((*EIGHT, *JURY, CHAIR), choices, ranking({}))
    asks = ballots(player)
    assert [ask.to for ask in asks] == voters
    chairs = [ask.to for ask in asks if ask.form and len(ask.form.fields) > 2]
    assert chairs == (["Chair"] if choices == Choices() else [])
    outside = ["Rank the four teams" in ask.task and "A team of your own" not in ask.task for ask in asks]
    assert all(outside) == (choices.strategy not in ("vote", "majority"))


async def test_without_a_moderator_jurors_rank_all_four() -> None:
    ranked = {"Ida": (OO, CG, OG, CO), "Jo": (OO, OG, CG, CO)}
    whole, player = await run_debate((*EIGHT, *JURY), Choices(), ranking(ranked))
    assert [ask.to for ask in ballots(player)] == ["Ida", "Jo"]
    assert decision_of(whole).winner == OO
    assert decision_of(whole).tally == {OG: 3.0, OO: 6.0, CG: 3.0, CO: 0.0}
    assert "2. Opening Government (Ann and Cy), 3 points; 2. Closing Government" in decision_of(whole).how


async def test_a_rule_for_votes_counts_first_places() -> None:
    ranked = {name: (OG, CO, OO) if name in ("Eve", "Gus") else (CG,) for name in NAMES}
    ranked |= dict.fromkeys(("Ida", "Jo"), (CG, OG, OO, CO))
    whole, _ = await run_debate((*EIGHT, *JURY), Choices(strategy="supermajority"), ranking(ranked))
    decision = decision_of(whole)
    assert (decision.winner, decision.rule, decision.tally[CG]) == (CG, "supermajority", 8.0)
    assert f"1. {CG} (Eve and Gus), 8 votes" in decision.how
    assert len(decision.dissent) == 2
    assert decision.dissent[0].startswith(f"Eve for {OG}")


@pytest.mark.parametrize(
    ("first", "second", "status", "how"),
    [
        ((CO, OG), (CO, CG), "decided", f"1. {CO}"),
        ((CO, OG), (OG, CO), "tie", f"the judge changed with the order: {CO} and {OG} came first"),
        ((CO, OG), (), "no_decision", "Chair gave no ranking in 1 order of 2"),
        ((), (), "no_decision", "Chair gave no ranking in 2 orders of 2"),
    ],
)
async def test_a_judge_is_asked_in_both_orders(
    first: Sequence[str], second: Sequence[str], status: str, how: str
) -> None:
    items = iter((first, second))

    def script(ask: Ask, context: object) -> Mapping[str, Value]:
        return {"RANKING": tuple(ranked)} if ask.act == "vote" and (ranked := next(items)) else {}

    whole, player = await run_debate((*EIGHT, CHAIR), Choices(strategy="vote_based"), script)
    texts, other = (ask.form.fields[-1].choices for ask in ballots(player) if ask.form)
    assert texts == other[::-1]
    assert (decision_of(whole).status, decision_of(whole).how[: len(how)]) == (status, how)


@pytest.mark.parametrize("order", [None, (), (CO, CO), (CO, "Nobody")])
async def test_a_ranking_that_is_none_decides_nothing(order: Sequence[str] | None) -> None:
    whole, _ = await run_debate((*EIGHT, CHAIR), Choices(), ranking({"Chair": order}))
    assert decision_of(whole).status == "no_decision"
    assert decision_of(whole).ballots[0].state == ("missing" if order is None else "unread")


@pytest.mark.parametrize(("answered", "text"), [(True, "no"), (False, f"{CO} (Fay and Hal)")])
async def test_with_options_the_answer_of_the_winning_team_is_the_decision(answered: bool, text: str) -> None:
    def script(ask: Ask, context: object) -> Mapping[str, Value] | None:
        if ask.act == "argue":
            return None if ask.to == "Ann" else {"ANSWER": "no"} if answered else {}
        return {"RANKING": (CO, OG, OO, CG)} if ask.act == "vote" else {}

    whole, player = await run_debate((*EIGHT, CHAIR), Choices(), script, options=("yes", "no"))
    assert decision_of(whole).text == text
    assert "Prime Minister (Opening Government)" not in ballots(player)[0].task.replace("Deputy Prime", "")


async def test_a_debate_without_a_speech_is_ranked_with_that_word() -> None:
    def script(ask: Ask, context: object) -> Mapping[str, Value] | None:
        return None if ask.act == "argue" else {}

    _, player = await run_debate((*EIGHT, CHAIR), Choices(), script)
    assert "No speech was given." in ballots(player)[0].task


async def test_perspectives_are_kept_by_the_answers_of_the_sides() -> None:
    whole, player = await run_debate((*EIGHT, CHAIR), Choices(strategy="no_consensus"), ranking({}))
    assert decision_of(whole).status == "no_decision"
    assert [minority.answer for minority in decision_of(whole).minority] == ["yes", "no"]
    assert not [ask for ask, _ in player.asked if ask.act == "close"]


async def test_a_verdict_of_the_moderator_is_asked_for_by_team() -> None:
    _, player = await run_debate((*EIGHT, CHAIR), Choices(strategy="mediator_summary"), ranking({}))
    (verdict,) = [ask for ask, _ in player.asked if ask.act == "moderate"]
    assert "each of the four teams" in verdict.task
    assert not [ask for ask, _ in player.asked if ask.act == "close"]


async def test_final_speeches_are_asked_for_where_they_are_chosen() -> None:
    _, player = await run_debate((*EIGHT, CHAIR), Choices(strategy="agent_closing"), ranking({}))
    assert len([ask for ask, _ in player.asked if ask.act == "close"]) == 8


def test_an_unknown_ending_is_refused() -> None:
    with pytest.raises(ProtocolError, match="no strategy is called 'toss' here; there are agent_closing"):
        bp_style(Brief(topic="Tea?", participants=EIGHT), Choices(strategy="toss"))


def test_the_tree_survives_as_data() -> None:
    brief = Brief(topic="Tea?", participants=(*EIGHT, CHAIR))
    for strategy in ("", "vote", "majority", "vote_based", "ranked_reasons"):
        tree = known.build("bp_style", brief, Choices(strategy=strategy))
        assert spec.load(spec.dump(tree)) == tree
    assert VOTING in str(spec.dump(known.build("bp_style", brief, Choices(strategy="vote"))))


async def test_cut_at_every_entry_and_resumed_it_is_the_same_debate() -> None:
    brief = Brief(topic="Tea?", participants=(*EIGHT[:4], *JURY, CHAIR))
    place = Harness(brief=brief, protocol=bp_style(brief, Choices()), name="bp_style")
    whole = await place.run(dict.fromkeys([participant.name for participant in brief.participants], SeededAgent()))
    assert whole.transcript.closed
    await resume_everywhere(place, whole, step=3)
