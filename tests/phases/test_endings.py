"""How debates end: votes, one judge in both orders, rankings, agreement, and no decision at all."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from folkmoot.core.agent import Context
from folkmoot.core.ask import ABSTAIN, Ask, Value
from folkmoot.core.brief import Brief, Participant, View
from folkmoot.core.decision import Decision
from folkmoot.core.errors import ProtocolError
from folkmoot.phases.base import Phase, Sequence
from folkmoot.phases.choices import STRATEGIES, Choices, Mediation
from folkmoot.phases.endings import ENDINGS, ending
from folkmoot.phases.verdict import FAIR, Keep, Pick, Rank
from folkmoot.phases.vote import BALLOT, labels
from folkmoot.protocols.formats import round_robin
from folkmoot.protocols.spec import dump, load
from folkmoot.report.markdown import markdown
from folkmoot.report.report import report
from folkmoot.testing.replay import Harness, HeldDebate, SeededAgent
from tests.kits.players import ANN, BOB, CHAIR, CY, Player, Script, resume_everywhere

PEOPLE = (ANN, BOB, CY, CHAIR)
Fields = Mapping[str, Value] | None


def the(name: str, *, people: tuple[Participant, ...] = PEOPLE, options: tuple[str, ...] = ()) -> tuple[Brief, Phase]:
    brief = Brief(topic="Tea?", participants=people, options=options)
    return brief, Sequence(parts=ending(brief, Choices(strategy=name)))


async def hold(
    name: str, script: Script, people: tuple[Participant, ...] = PEOPLE, options: tuple[str, ...] = ()
) -> tuple[Decision, HeldDebate, Player]:
    brief, tree = the(name, people=people, options=options)
    player = Player(script)
    debate = await Harness(brief=brief, protocol=tree).run({person.name: player for person in people})
    assert debate.transcript.decision
    return debate.transcript.decision, debate, player


def closing(answers: Mapping[str, str]) -> Script:
    """Closing statements with these answers, by debater; "?" has none, "!" fails."""

    def script(ask: Ask, context: Context) -> Fields:
        answer = answers.get(ask.to, "?")
        spoken: Mapping[str, Value] = {"ARGUMENT": f"because {ask.to}"}
        return None if answer == "!" else spoken if answer == "?" else {"ANSWER": answer, **spoken}

    return script


APART = closing({"Ann": "hot tea", "Bob": "coffee", "Cy": "water"})


# ---- a judge in both orders


def judged(*wishes: str) -> Script:
    """The judge wants these authors, in the first order and in the second; "-" abstains, "?" is unread, "!" fails."""

    def script(ask: Ask, context: Context) -> Fields:
        if ask.act != "vote":
            return APART(ask, context)
        assert ask.form
        wish = wishes[int(ask.key[-1]) - 1]
        by = [turn.by for turn in context.about]
        named = {"-": ABSTAIN, "Mallory": "Proposal Z"}.get(wish) or (labels(3)[by.index(wish)] if wish in by else "")
        values: Mapping[str, Value] = {"REASON": f"order {ask.key[-1]}"}
        return None if wish == "!" else {**values, BALLOT: named} if named else values

    return script


CHANGED = "the judge changed with the order: hot tea in the first, coffee in the second"
NO_VERDICT = "Chair gave no verdict in "
PICKS = [
    (("Ann", "Ann"), "decided", "hot tea", "Chair chose hot tea in both orders"),
    (("Cy", "Cy"), "decided", "water", "Chair chose water in both orders"),
    (("Ann", "Bob"), "tie", "", CHANGED),
    (("Ann", "-"), "no_decision", "", NO_VERDICT + "the second order"),
    (("?", "Bob"), "no_decision", "", NO_VERDICT + "the first order"),
    (("!", "!"), "no_decision", "", NO_VERDICT + "either order"),
    (("Mallory", "Mallory"), "no_decision", "", NO_VERDICT + "either order"),
    (("Ann", "Mallory"), "no_decision", "", NO_VERDICT + "the second order"),
]


@pytest.mark.parametrize(("wishes", "status", "winner", "how"), PICKS)
async def test_a_judge_decides_only_where_both_orders_agree(
    wishes: tuple[str, ...], status: str, winner: str, how: str
) -> None:
    decision, _, player = await hold("vote_based", judged(*wishes))
    assert (decision.status, decision.winner, decision.how, decision.rule) == (status, winner, how, "judge")
    assert decision.text == winner
    assert {minority.answer for minority in decision.minority} == {"hot tea", "coffee", "water"} - {winner}
    assert all(minority.by and minority.argument for minority in decision.minority)
    first, second = [(ask, context) for ask, context in player.asked if ask.act == "vote"]
    assert first[0].about == second[0].about[::-1]
    assert {turn.by for turn in first[1].about} == {"Ann", "Bob", "Cy"}
    assert all(ask.view == FAIR and ask.audience == ("Chair",) for ask, _ in (first, second))
    assert not any(turn.act == "vote" for turn in second[1].turns), "the second verdict must not see the first"
    if status == "decided":
        assert [ballot.reason for ballot in decision.ballots] == ["order 1", "order 2"]
        assert (decision.argument[:7], decision.share, decision.support) == ("because", 1.0, ("Chair",))


ALONE = [
    ({"Ann": "tea", "Bob": "!", "Cy": "!"}, "no_decision", "tea is the only proposal: there was no vote"),
    (
        {"Ann": "tea", "Bob": "Tea.", "Cy": "tea"},
        "decided",
        "all 3 who answered give the same answer: no vote was needed",
    ),
    ({"Ann": "!", "Bob": "!", "Cy": "!"}, "no_decision", "there is no proposal"),
]


@pytest.mark.parametrize(("answers", "status", "how"), ALONE)
async def test_where_there_is_nothing_to_choose_no_judge_is_asked(
    answers: Mapping[str, str], status: str, how: str
) -> None:
    decision, _, player = await hold("vote_based", closing(answers))
    assert (decision.status, decision.how) == (status, how)
    assert all(ask.to != "Chair" for ask, _ in player.asked)


# ---- a ranking


def ranked(scores: Mapping[str, float | str | None], fails: bool = False) -> Script:
    def script(ask: Ask, context: Context) -> Fields:
        if ask.act != "score":
            return APART(ask, context)
        at = {turn.by: "ABC"[n] for n, turn in enumerate(context.about)}
        values: dict[str, Value] = {f"Why {at[name]}": f"on {name}" for name in at if name != "Cy"}
        values.update({f"Proposal {at[name]}": score for name, score in scores.items() if score is not None})
        return None if fails else values

    return script


RANKS = [
    ({"Ann": 4.0, "Bob": 9.5, "Cy": 7}, "decided", "Bob", "Chair scores, of 10: Bob 9.5, Cy 7, Ann 4; on Bob: on Bob"),
    ({"Ann": 4, "Bob": 2, "Cy": 7}, "decided", "Cy", "Chair scores, of 10: Cy 7, Ann 4, Bob 2"),
    ({"Ann": 8, "Bob": 8, "Cy": 7}, "tie", "", "tie: Chair scores, of 10: Ann 8, Bob 8, Cy 7"),
    ({"Ann": 0, "Bob": 0, "Cy": 0}, "tie", "", "tie: Chair scores, of 10: Ann 0, Bob 0, Cy 0"),
    ({"Ann": 8, "Bob": None, "Cy": 7}, "no_decision", "", "Chair gave no score for Bob"),
    ({"Ann": 8, "Bob": 11, "Cy": "good"}, "no_decision", "", "Chair gave no score for Bob, Cy"),
]


@pytest.mark.parametrize(("scores", "status", "winner", "how"), RANKS)
async def test_a_ranking(scores: Mapping[str, float | str | None], status: str, winner: str, how: str) -> None:
    decision, debate, _ = await hold("ranked_reasons", ranked(scores))
    assert (decision.status, decision.winner, decision.how) == (status, winner, how)
    assert decision.tally == {
        name: float(score) for name, score in scores.items() if isinstance(score, int | float) and score <= 10
    }
    assert {minority.answer for minority in decision.minority} == {"Ann", "Bob", "Cy"} - {winner}
    (turn,) = debate.transcript.turns("score")
    assert turn.ask
    assert (turn.ask.view, turn.ask.audience) == (FAIR, ("Chair",))
    if winner:
        assert decision.text == {"Bob": "coffee", "Cy": "water"}[winner]


async def test_a_judge_who_fails_ranks_nobody() -> None:
    decision, *_ = await hold("ranked_reasons", ranked({}, fails=True))
    assert (decision.status, decision.how) == ("no_decision", "Chair gave no score for Ann, Bob, Cy")


@pytest.mark.parametrize("name", ["ranked_reasons", "vote_based"])
async def test_whom_the_judge_may_not_see_it_does_not_judge(name: str) -> None:
    chair = replace(CHAIR, hide=("Ann", "Bob"))
    decision, _, player = await hold(name, APART, (ANN, BOB, CY, chair))
    assert (decision.status, decision.how) == ("no_decision", "Chair has fewer than two statements to judge")
    assert all(ask.to != "Chair" for ask, _ in player.asked)
    assert len(decision.minority) == 3


async def test_one_whom_the_judge_may_not_see_cannot_win_by_it() -> None:
    chair = replace(CHAIR, hide=("Ann",))
    decision, _, player = await hold("ranked_reasons", ranked({"Bob": 1, "Cy": 2}), (ANN, BOB, CY, chair))
    assert (decision.winner, decision.tally) == ("Cy", {"Bob": 1.0, "Cy": 2.0})
    assert {turn.by for ask, context in player.asked if ask.act == "score" for turn in context.about} == {"Bob", "Cy"}


# ---- agreement, and none


SAME = {"Ann": "tea", "Bob": "Tea.", "Cy": "tea"}
AGREEMENTS: list[tuple[dict[str, str], str, str, str, list[str]]] = [
    (SAME, "decided", "tea", "all 3 give the same answer", []),
    ({**SAME, "Cy": "coffee"}, "no_decision", "", "different answers at the end: 2", ["tea", "coffee"]),
    (
        {"Ann": "tea", "Bob": "coffee", "Cy": "!"},
        "no_decision",
        "",
        "at the end: 2; 1 of 3 gave none",
        ["tea", "coffee"],
    ),
    ({**SAME, "Cy": "?"}, "no_decision", "", "at the end: 1; 1 of 3 gave none that could be read", ["tea", "Cy"]),
    ({**SAME, "Cy": "!"}, "no_decision", "", "at the end: 1; 1 of 3 gave none that could be read", ["tea"]),
    (dict.fromkeys(("Ann", "Bob", "Cy"), "!"), "no_decision", "", "at the end: 0; 3 of 3 gave none", []),
]


@pytest.mark.parametrize(("answers", "status", "winner", "how", "minority"), AGREEMENTS)
async def test_closings_decide_only_where_all_agree(
    answers: Mapping[str, str], status: str, winner: str, how: str, minority: list[str]
) -> None:
    decision, debate, player = await hold("agent_closing", closing(answers))
    assert (decision.status, decision.winner, decision.rule) == (status, winner, "unanimity")
    assert how in decision.how
    assert [minority.answer for minority in decision.minority] == minority
    assert sorted(name for minority in decision.minority for name in minority.by) == sorted(
        [] if winner else [turn.by for turn in debate.transcript.turns("close")]
    )
    assert [ask.act for ask, _ in player.asked] == ["close"] * 3


@pytest.mark.parametrize("answers", [SAME, {"Ann": "tea", "Bob": "?", "Cy": "!"}])
async def test_no_consensus_is_sought_even_where_there_is_one(answers: Mapping[str, str]) -> None:
    decision, *_ = await hold("no_consensus", closing(answers))
    assert (decision.status, decision.winner, decision.how) == ("no_decision", "", "no decision was sought")
    rows = [("tea", ("Ann", "Bob", "Cy"))] if answers is SAME else [("tea", ("Ann",)), ("Bob", ("Bob",))]
    assert [(minority.answer, minority.by) for minority in decision.minority] == rows
    assert decision.minority[0].argument == "because Ann"


# ---- votes


@pytest.mark.parametrize("name", ["vote", *STRATEGIES])
async def test_with_closed_options_the_closing_answers_are_the_votes(name: str) -> None:
    answers = closing({"Ann": "yes", "Bob": "yes", "Cy": "no"})
    ann = replace(ANN, weight=0.1), replace(BOB, weight=0.1), replace(CY, weight=0.9)
    decision, _, player = await hold(name, answers, (*ann, CHAIR), ("yes", "no"))
    wins = {"weighted": ("decided", "no"), "consensus": ("no_decision", ""), "unanimous": ("no_decision", "")}
    assert (decision.status, decision.winner) == wins.get(name, ("decided", "yes"))
    assert [ask.act for ask, _ in player.asked] == ["close"] * 3


async def test_open_answers_are_voted_on_without_names() -> None:
    def script(ask: Ask, context: Context) -> Fields:
        if ask.act != "vote":
            return APART(ask, context)
        return {BALLOT: labels(3)[[turn.by for turn in context.about].index("Bob")]}

    decision, _, player = await hold("supermajority", script)
    assert (decision.status, decision.winner, decision.support) == ("decided", "coffee", ("Ann", "Bob", "Cy"))
    assert [ask.view for ask, _ in player.asked if ask.act == "vote"] == [View(last=0, anonymous=True)] * 3


# ---- what is chosen, and what cannot be


@pytest.mark.parametrize(
    ("people", "mediation", "last"),
    [
        (PEOPLE, None, "Adopt"),
        (PEOPLE, Mediation(kind="active"), "Adopt"),
        (PEOPLE, Mediation(kind="silent"), "Vote"),
        (PEOPLE[:3], None, "Vote"),
    ],
)
def test_the_usual_ending(people: tuple[Participant, ...], mediation: Mediation | None, last: str) -> None:
    phases = ending(Brief(topic="?", participants=people), Choices(mediation=mediation))
    assert type(phases[-1]).__name__ == last


@pytest.mark.parametrize("style", ["neutral", "critical", "persuasive"])
def test_the_style_of_a_verdict(style: str) -> None:
    brief = Brief(topic="?", participants=PEOPLE)
    tasks = {
        text: str(dump(ending(brief, Choices(mediation=Mediation(kind="active", style=text)))[1])["task"])
        for text in ("neutral", "critical", "persuasive")
    }
    assert len(set(tasks.values())) == 3
    assert {"neutral": "fairly", "critical": "weakest", "persuasive": "win over"}[style] in tasks[style]


@pytest.mark.parametrize(
    ("name", "people", "about", "message"),
    [
        ("mediator_summary", PEOPLE[:3], "participants", "mediator_summary needs one moderator, not 0"),
        ("vote_based", PEOPLE[:3], "participants", "vote_based needs one moderator, not 0"),
        ("ranked_reasons", (*PEOPLE, replace(CHAIR, name="Vice")), "participants", "needs one moderator, not 2"),
        (
            "duel",
            PEOPLE,
            "strategy",
            "'duel' here; there are agent_closing, mediator_summary, vote, vote_based, ranked",
        ),
    ],
)
def test_what_cannot_end_a_debate(name: str, people: tuple[Participant, ...], about: str, message: str) -> None:
    with pytest.raises(ProtocolError, match=message) as error:
        the(name, people=people)
    assert error.value.about == about


@pytest.mark.parametrize("name", [*ENDINGS, *STRATEGIES])
@pytest.mark.parametrize("options", [(), ("yes", "no")])
async def test_cut_and_resumed_it_ends_the_same(name: str, options: tuple[str, ...]) -> None:
    brief = Brief(topic="Tea?", participants=PEOPLE, options=options, seed=5)
    tree = round_robin(brief, Choices(rounds=1, strategy=name))
    assert load(dump(tree)) == tree
    runner = Harness(brief=brief, protocol=tree)
    names = [person.name for person in PEOPLE]
    whole = await runner.run(dict.fromkeys(names, SeededAgent()))
    assert whole.transcript.decision
    await resume_everywhere(runner, whole, step=3)


async def test_a_judge_can_be_checked_from_the_report() -> None:
    _, ranking, _ = await hold("ranked_reasons", ranked({"Ann": 4.0, "Bob": 9.5, "Cy": 7}))
    page = markdown(report(ranking.entries, debate="d1"))
    assert "| Candidate | Score |\n| --- | ---: |\n| Ann | 4 |\n| Bob | 9.5 |\n| Cy | 7 |" in page
    assert "Chair scores, of 10: Bob 9.5, Cy 7, Ann 4" in page
    chair = replace(CHAIR, seat="ollama:one")
    _, picking, _ = await hold("vote_based", judged("Ann", "Bob"), (ANN, BOB, CY, chair))
    page = markdown(report(picking.entries, debate="d1"))
    assert CHANGED in page
    assert "| Chair | hot tea | order 1 |\n| Chair | coffee | order 2 |" in page
    assert "agreement of copies" not in page, "two verdicts of one judge are no two votes"


def test_defaults_stand_in_no_data() -> None:
    assert dump(Keep(acts=("close",))) == {"is": "Keep", "acts": ["close"]}
    assert set(dump(Pick(by="C", acts=("close",), task="?"))) == {"is", "by", "acts", "task"}
    assert set(dump(Rank(by="C", acts=("close",), task="?"))) == {"is", "by", "acts", "task"}
