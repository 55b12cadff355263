"""Scores: who rates whom, what raters see, what it adds up to, and how it stands in a report."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Reply, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.event import Asked, Replied
from folkmoot.core.transcript import Transcript
from folkmoot.phases.base import Phase, Rounds, Sequence
from folkmoot.phases.score import Score, anonymous_scoring, live_scoring, reasoned_evaluation
from folkmoot.phases.speak import SPOKEN, Critique, Everyone, Floor
from folkmoot.phases.verdict import FAIR
from folkmoot.policy.pairing import Pairs
from folkmoot.protocols.compose import after_turns
from folkmoot.protocols.spec import dump, load
from folkmoot.report.course import Mean, Scores, scores
from folkmoot.report.markdown import chapter, markdown
from folkmoot.report.report import as_data, report
from folkmoot.testing.replay import Harness, HeldDebate, SeededAgent, essence
from tests.kits.players import ANN, BOB, CHAIR, CY, Player, Script

OPEN = Everyone(act="open", task="Open.")
ARGUE = Floor(act="argue", task="Argue.")
TALK = Sequence(parts=(OPEN, Rounds(each=ARGUE, most=2)))
Pair = tuple[str, str]


async def hold(tree: Phase, script: Script, *people: Participant) -> tuple[HeldDebate, Player]:
    brief = Brief(topic="Tea?", participants=people or (ANN, BOB, CY, CHAIR), seed=3)
    player = Player(script)
    debate = await Harness(brief=brief, protocol=load(dump(tree))).run(
        {participant.name: player for participant in brief.participants}
    )
    return debate, player


def rated(by: Mapping[str, Mapping[str, Value] | None]) -> Script:
    """Everybody speaks; raters give these fields, None fails."""
    nothing: Mapping[str, Value] = {}
    return lambda ask, context: by.get(ask.to, nothing) if ask.act == "score" else nothing


def pairs(player: Player) -> list[Pair]:
    """Who was asked to rate whom."""
    return [(ask.to, context.about[0].by) for ask, context in player.asked if ask.act == "score"]


# ---- who rates whom

MASKED = replace(BOB, hide=("Ann",))
EACH_OTHER = [(x, y) for y in ("Ann", "Bob", "Cy") for x in ("Ann", "Bob", "Cy") if x != y]
WHO: list[tuple[Score, tuple[Participant, ...], list[Pair]]] = [
    (Score(), (), EACH_OTHER),
    (Score(by=("Chair",)), (), [("Chair", "Ann"), ("Chair", "Bob"), ("Chair", "Cy")]),
    (
        Score(by=("Ann", "Chair")),
        (),
        [("Chair", "Ann"), ("Ann", "Bob"), ("Chair", "Bob"), ("Ann", "Cy"), ("Chair", "Cy")],
    ),
    (Score(), (ANN, MASKED, CY), [texts for texts in EACH_OTHER if texts != ("Bob", "Ann")]),
    (Score(acts=("close",)), (), []),
]


@pytest.mark.parametrize(("phase", "people", "expected"), WHO)
async def test_everybody_but_oneself_is_rated(
    phase: Score, people: tuple[Participant, ...], expected: list[Pair]
) -> None:
    debate, player = await hold(Sequence(parts=(TALK, phase)), rated({}), *people)
    assert sorted(pairs(player)) == sorted(expected)
    newest = {turn.key for turn in debate.transcript.latest("argue")}
    for ask, context in player.asked:
        if ask.act == "score":
            assert set(ask.about) <= newest
            assert (ask.view, ask.audience) == (FAIR, (ask.to,))
            assert not any(turn.act == "score" for turn in context.turns)


async def test_who_did_not_speak_is_not_rated() -> None:
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        spoken: Mapping[str, Value] = {}
        return None if ask.to == "Bob" and ask.act != "score" else spoken

    _, player = await hold(
        Sequence(parts=(TALK, anonymous_scoring(Brief(topic="?", participants=(ANN, BOB, CY))))), script
    )
    assert sorted(pairs(player)) == [("Ann", "Cy"), ("Bob", "Ann"), ("Bob", "Cy"), ("Cy", "Ann")]


# ---- live

LIVE: list[tuple[tuple[Participant, ...], list[Pair]]] = [
    ((ANN, BOB, CY, CHAIR), [("Chair", name) for name in ("Ann", "Bob", "Cy", "Bob", "Cy", "Ann")]),
    ((ANN, BOB, CY), [("Bob", "Ann"), ("Cy", "Bob"), ("Ann", "Cy"), ("Cy", "Bob"), ("Ann", "Cy"), ("Bob", "Ann")]),
    ((ANN, MASKED, CY), [("Cy", "Ann"), ("Cy", "Bob"), ("Ann", "Cy"), ("Cy", "Bob"), ("Ann", "Cy"), ("Cy", "Ann")]),
    ((ANN, replace(BOB, hide=("Ann",))), [("Ann", "Bob"), ("Ann", "Bob")]),
    ((ANN, BOB, replace(CHAIR, hide=("argue",))), []),
]


@pytest.mark.parametrize(("people", "expected"), LIVE)
async def test_each_turn_is_rated_when_it_is_made(people: tuple[Participant, ...], expected: list[Pair]) -> None:
    brief = Brief(topic="?", participants=people)
    rounds = Rounds(each=ARGUE, most=2)
    debate, player = await hold(after_turns(rounds, live_scoring(brief), SPOKEN), rated({}), *people)
    assert pairs(player) == expected
    on = [ask.about[0] for ask, _ in player.asked if ask.act == "score"]
    order = [turn.key for turn in debate.transcript.all() if turn.act == "argue"]
    assert on == [key for key in order if key in on], "in the order of speaking, right behind each turn"
    assert len(set(on)) == len(on)


async def test_who_criticises_is_rated_live_too_and_a_moderator_never() -> None:
    tree = Sequence(
        parts=(
            OPEN,
            Critique(of=("open",), pairs=Pairs(topology="ring"), task="?"),
            Everyone(act="argue", task="?", who=("Chair",)),
        )
    )
    brief = Brief(topic="?", participants=(ANN, BOB, CHAIR))
    _, player = await hold(after_turns(tree, live_scoring(brief), SPOKEN), rated({}), ANN, BOB, CHAIR)
    assert pairs(player) == [("Chair", "Ann"), ("Chair", "Bob"), ("Chair", "Ann"), ("Chair", "Bob")]


@pytest.mark.parametrize(
    ("people", "expected"), [((ANN, BOB, CHAIR), ["Chair"]), ((ANN, BOB), ["Ann", "Bob"])], ids=["mediator", "debaters"]
)
async def test_a_reasoned_evaluation(people: tuple[Participant, ...], expected: list[str]) -> None:
    phase = reasoned_evaluation(Brief(topic="?", participants=people))
    _, player = await hold(Sequence(parts=(TALK, phase)), rated({}), *people)
    evaluations = [(ask, context) for ask, context in player.asked if ask.act == "evaluate"]
    assert [ask.to for ask, _ in evaluations] == expected
    assert all(len(context.turns) == 6 for _, context in evaluations)
    assert all(
        ask.form and [field.name for field in ask.form.fields] == ["EVIDENCE", "FOCUS", "REPLIES"]
        for ask, _ in evaluations
    )


# ---- what it adds up to

GIVEN: dict[str, Mapping[str, Value] | None] = {
    "Ann": {"CLARITY": 8, "EVIDENCE": 6.0, "REASON": "sound"},
    "Bob": {"CLARITY": 4, "EVIDENCE": 11, "ORIGINALITY": True, "REASON": "thin"},
    "Cy": None,
}


async def test_means_say_of_how_many_numbers_they_are() -> None:
    debate, _ = await hold(Sequence(parts=(OPEN, Score())), rated(GIVEN), ANN, BOB, CY)
    score_table = scores(debate.transcript)
    assert score_table.criteria == ("Clarity", "Evidence")
    assert score_table.debaters == {
        "Ann": {"Clarity": Mean(value=4.0, n=1)},
        "Bob": {"Clarity": Mean(value=8.0, n=1), "Evidence": Mean(value=6.0, n=1)},
        "Cy": {"Clarity": Mean(value=6.0, n=2), "Evidence": Mean(value=6.0, n=1)},
    }
    assert score_table.raters == {
        "Ann": {"Clarity": Mean(value=8.0, n=2), "Evidence": Mean(value=6.0, n=2)},
        "Bob": {"Clarity": Mean(value=4.0, n=2)},
    }
    assert {(rating.by, rating.of, rating.reason) for rating in score_table.ratings} == {
        ("Ann", "Bob", "sound"), ("Ann", "Cy", "sound"), ("Bob", "Ann", "thin"), ("Bob", "Cy", "thin")
    }  # fmt: skip


async def test_ratings_come_the_same_from_a_cut_record() -> None:
    brief = Brief(topic="?", participants=(ANN, BOB, CY))
    tree = Sequence(parts=(after_turns(TALK, live_scoring(brief), SPOKEN), anonymous_scoring(brief)))
    runner = Harness(brief=brief, protocol=tree)
    names = [participant.name for participant in brief.participants]
    whole = await runner.run(dict.fromkeys(names, SeededAgent()))
    for cut in range(0, len(whole.lines), 7):
        resumed = await runner.run(dict.fromkeys(names, SeededAgent()), whole.lines[:cut])
        assert essence(resumed.transcript) == essence(whole.transcript)
        assert scores(resumed.transcript) == scores(whole.transcript)
    assert len(scores(whole.transcript).ratings) == 9 + 6


@given(st.lists(st.floats(0, 10), min_size=1, max_size=9))
def test_a_mean_lies_between_its_numbers(points: list[float]) -> None:
    transcript = Transcript(brief=Brief(topic="?", participants=(ANN, CHAIR)))
    opening = Ask(key="/debate/open#1", to="Ann", act="open", task="?")
    transcript.apply(Asked(ask=opening))
    for n, number in enumerate(points):
        ask = Ask(key=f"/debate/score#{n}", to="Chair", act="score", task="?", about=(opening.key,))
        transcript.apply(Asked(ask=ask))
        transcript.apply(Replied(key=ask.key, reply=Reply(text="", fields={"CLARITY": number})))
    mean = scores(transcript).debaters["Ann"]["Clarity"]
    assert mean.n == len(points)
    assert min(points) - 1e-9 <= mean.value <= max(points) + 1e-9
    assert f"| Chair | {mean.value:.1f} ({mean.n}) |" in chapter("scores", scores=scores(transcript))


def test_nobody_is_rated_by_a_ranking_or_by_nothing() -> None:
    transcript = Transcript()
    assert scores(transcript) == Scores()
    closing = [Ask(key=f"/debate/close#{n}", to=who, act="close", task="?") for n, who in enumerate(("Ann", "Bob"))]
    ask = Ask(key="/debate/rank#1", to="Chair", act="score", task="?", about=tuple(turn.key for turn in closing))
    for question in (*closing, ask):
        transcript.apply(Asked(ask=question))
    transcript.apply(Replied(key=ask.key, reply=Reply(text="", fields={"Proposal A": 3})))
    assert scores(transcript) == Scores()


async def test_the_report_has_the_means_and_each_reason() -> None:
    debate, _ = await hold(Sequence(parts=(OPEN, Score())), rated(GIVEN), ANN, BOB, CY)
    report_data = report(debate.entries, debate="d1")
    text = markdown(report_data)
    assert (
        "## Scores\n\nMeans on a scale from 0 to 10, with the number of ratings in brackets. "
        "Scores do not affect the decision." in text
    )
    assert "| Debater | Clarity | Evidence |\n| --- | ---: | ---: |\n| Ann | 4.0 (1) | – |" in text
    assert (
        "| Rated by | Clarity | Evidence |\n| --- | ---: | ---: |\n| Bob | 4.0 (2) | – |\n| Ann | 8.0 (2) | 6.0 (2) |"
        in text
    )
    assert "Bob, score on Ann's opening statement. *" in text
    assert as_data(report_data)["scores"]
    mute, _ = await hold(Sequence(parts=(OPEN, Score())), rated({}), ANN, BOB)
    words = markdown(report(mute.entries, debate="d1"))
    assert "Bob, score on Ann's opening statement. *Bob score" in words
    assert ("### Score\n" in text, "### Score\n" in words) == (True, False), "a heading stays where one is missing"
    silent, _ = await hold(OPEN, rated({}), ANN, BOB)
    assert "## Scores" not in markdown(report(silent.entries, debate="d1"))
