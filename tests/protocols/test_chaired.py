"""The protocol chaired: answers, rankings without names, and a synthesis that names what it took from whom."""

from collections.abc import Mapping, Sequence

import pytest

from folkmoot.answers.layout import read, repair_question
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.decision import Decision
from folkmoot.core.errors import ProtocolError
from folkmoot.protocols.known import Choices, build
from folkmoot.report.markdown import markdown
from folkmoot.report.report import report
from folkmoot.testing.replay import Harness, HeldDebate, SeededAgent
from tests.kits.players import ANN, BOB, CHAIR, CY, Player, resume_everywhere

PEOPLE = (ANN, BOB, CY, CHAIR)
NOBODY: Mapping[str, str] = {}


async def run_debate(
    adopted: Mapping[str, str] = NOBODY,
    *,
    people: Sequence[Participant] = PEOPLE,
    options: tuple[str, ...] = (),
    silent: str = "",
    lacks: str = "",
) -> tuple[HeldDebate, Player]:
    """A debate in which everybody ranks by name, and the chair takes those words from those authors."""

    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        if ask.act == silent or (silent == "all" and ask.act == "draft"):
            return None
        assert ask.form
        if ask.act == "draft":
            return {"ANSWER": options[0] if options else f"answer of {ask.to}", "ARGUMENT": f"argument of {ask.to}"}
        labels = {turn.by: f"Proposal {chr(65 + n)}" for n, turn in enumerate(context.about)}
        if ask.act == "vote":
            return {"REASON": "r", "RANKING": tuple(labels[name] for name in sorted(labels))}
        values: dict[str, Value] = {f"TAKEN FROM {label}": adopted.get(name, "NONE.") for name, label in labels.items()}
        values |= {"SYNTHESIS": "All in one.", "LEFT OUT": "the rest, for want of evidence"}
        values |= {"ANSWER": options[-1]} if options else {}
        return {name: value for name, value in values.items() if not (lacks and name.startswith(lacks))}

    brief = Brief(topic="Tea?", participants=tuple(people), options=options, seed=3)
    player = Player(script)
    place = Harness(brief=brief, protocol=build("chaired", brief), name="chaired")
    return await place.run(dict.fromkeys([person.name for person in people], player)), player


def decided(place: HeldDebate) -> Decision:
    assert place.transcript.decision
    return place.transcript.decision


def the(player: Player, act: str) -> list[tuple[Ask, Context]]:
    return [asks for asks in player.asked if asks[0].act == act]


async def test_the_synthesis_is_the_decision_and_names_its_sources() -> None:
    place, player = await run_debate({"Ann": "the pilot", "Cy": "the budget"})
    decision = decided(place)
    assert (decision.status, decision.rule, decision.text, decision.winner) == (
        "decided",
        "synthesis",
        "All in one.",
        "",
    )
    values = {"Ann": "from Ann: the pilot", "Cy": "from Cy: the budget"}
    parts = ["Chair wrote the synthesis", *(values[name] for name in decision.support)]
    assert decision.how == "; ".join([*parts, "left out: the rest, for want of evidence"])
    assert set(decision.support) == {"Ann", "Cy"}
    assert [(minority.answer, minority.by) for minority in decision.minority] == [("Bob", ("Bob",))]
    # Ann: Bob, Cy; Bob: Ann, Cy; Cy: Ann, Bob; a half of each duel for the own answer
    assert dict(decision.tally) == {"Ann": 4.0, "Bob": 3.0, "Cy": 2.0}
    assert [ballot.ranks for ballot in decision.ballots] == [
        (("Bob",), ("Cy",)),
        (("Ann",), ("Cy",)),
        (("Ann",), ("Bob",)),
    ]
    assert [ask.act for ask, _ in player.asked] == ["draft"] * 3 + ["vote"] * 3 + ["synthesize"]


async def test_the_chair_sees_answers_and_rankings_under_letters_alone() -> None:
    place, player = await run_debate({"Ann": "x"})
    ((ask, context),) = the(player, "synthesize")
    order = [place.transcript.get(key).by for key in ask.about]
    assert sorted(order) == ["Ann", "Bob", "Cy"]
    assert context.turns == ()
    assert ask.view.anonymous
    label = {name: f"Proposal {chr(65 + n)}" for n, name in enumerate(order)}
    points = f"the points (Borda): {label['Ann']} 4, {label['Bob']} 3, {label['Cy']} 2."
    assert f"3 rankings in all; {points}" in ask.task
    assert not any(name in ask.task for name in order)
    assert ask.form
    assert [field.name for field in ask.form.fields] == [
        "SYNTHESIS",
        *(f"TAKEN FROM Proposal {letter}" for letter in "ABC"),
        "LEFT OUT",
    ]
    assert all(field.required for field in ask.form.fields)


async def test_with_options_the_chair_names_one() -> None:
    place, _ = await run_debate(options=("tea", "coffee"))
    decision = decided(place)
    assert (decision.winner, decision.text, decision.argument) == ("coffee", "coffee", "All in one.")
    assert decision.how.startswith("Chair wrote the synthesis; it names nothing that it took; left out: ")


async def test_a_chair_that_does_not_say_what_it_took_is_named() -> None:
    place, _ = await run_debate({"Ann": "the pilot", "Bob": "the budget"}, lacks="TAKEN FROM Proposal A")
    decision = decided(place)
    ((first, *_),) = [turn.about for turn in place.transcript.turns("synthesize")]
    lost = place.transcript.get(first).by
    assert lost not in decision.support
    assert f"; it does not say what it took from {lost}; left out: " in decision.how
    assert f"it does not say what it took from {lost}" in markdown(report(place.entries, debate="d"))


async def test_a_chair_that_names_nobody_is_asked_once_more_and_then_the_decision_says_so() -> None:
    place, player = await run_debate(lacks="TAKEN FROM")
    ((ask, _),) = the(player, "synthesize")
    assert ask.form
    lacking = read(ask.form, "SYNTHESIS: All in one.\nLEFT OUT: The rest.")
    again = repair_question(ask.form, lacking)
    assert all(f"- TAKEN FROM Proposal {letter}: " in again for letter in "ABC")
    decision = decided(place)
    (order,) = [[place.transcript.get(key).by for key in turn.about] for turn in place.transcript.turns("synthesize")]
    text = f"it does not say what it took from {order[0]}, {order[1]} and {order[2]}; left out: "
    assert (decision.status, decision.support, text in decision.how) == ("decided", (), True)
    assert text in markdown(report(place.entries, debate="d"))


@pytest.mark.parametrize(
    ("options", "silent", "lacks", "how"),
    [
        ((), "synthesize", "", "Chair gave no answer"),
        ((), "", "SYNTHESIS", "Chair's SYNTHESIS could not be read"),
        (("tea", "coffee"), "", "ANSWER", "Chair's ANSWER could not be read"),
    ],
)
async def test_without_a_synthesis_there_is_no_decision(
    options: tuple[str, ...], silent: str, lacks: str, how: str
) -> None:
    place, _ = await run_debate(options=options, silent=silent, lacks=lacks)
    decision = decided(place)
    assert (decision.status, decision.how, decision.text) == ("no_decision", how, "")
    assert [minority.answer for minority in decision.minority] == ["Ann", "Bob", "Cy"]


async def test_without_rankings_the_chair_is_told_so() -> None:
    _, player = await run_debate(silent="vote", lacks="LEFT OUT")
    assert "Nobody has ranked them." in the(player, "synthesize")[0][0].task
    place, player = await run_debate(people=(ANN, BOB, CHAIR))
    assert not the(player, "vote")
    assert decided(place).status == "decided"


async def test_without_an_answer_the_debate_halts() -> None:
    place, player = await run_debate(silent="all")
    assert place.transcript.closed
    assert (place.transcript.closed.status, len(player.asked)) == ("failed", 3)


async def test_one_ranking_is_one() -> None:
    people = (ANN, BOB, CHAIR, Participant(name="Jo", duty="juror"))
    _, player = await run_debate(people=people)
    assert "1 ranking in all" in the(player, "synthesize")[0][0].task


async def test_whoever_may_not_see_an_answer_does_not_hear_the_synthesis_of_it() -> None:
    cy = Participant(name="Cy", hide=("Bob",))
    place, _ = await run_debate({"Bob": "the secret"}, people=(ANN, BOB, cy, CHAIR))
    (turn,) = place.transcript.turns("synthesize")
    assert turn.ask
    assert turn.ask.audience == ("Ann", "Bob", "Chair")
    assert not place.transcript.sees("Cy", turn)
    chair = Participant(name="Chair", duty="moderator", hide=("draft",))
    place, player = await run_debate(people=(ANN, BOB, CY, chair))
    assert (decided(place).how, the(player, "synthesize")) == ("Chair has no answer to draw on", [])


async def test_the_report_names_the_authors() -> None:
    place, _ = await run_debate({"Ann": "the pilot"})
    report_data = report(place.entries, debate="d")
    synthesis = report_data.parts[-1].turns[-1]
    labels = {on.by: on.label for on in synthesis.on}
    assert (f"Taken from Ann (shown as {labels['Ann']})", "the pilot") in synthesis.fields
    text = markdown(report_data)
    assert "| Ann | 2 | 4 |" in text
    assert "| Ann | Bob > Cy | r |" in text
    assert "**Minority answer:** the proposal of Bob\n" in text
    assert "Dissent" not in text


async def test_it_needs_one_moderator() -> None:
    with pytest.raises(ProtocolError, match="chaired needs one moderator, not 0"):
        build("chaired", Brief(topic="?", participants=(ANN, BOB, CY)))
    with pytest.raises(ProtocolError, match="chaired has its own order of speaking"):
        build("chaired", Brief(topic="?", participants=PEOPLE), Choices(turn_mode="random"))


async def test_cut_anywhere_and_resumed_it_is_the_same_debate() -> None:
    brief = Brief(topic="Tea?", participants=PEOPLE, options=("tea", "coffee"), seed=5)
    place = Harness(brief=brief, protocol=build("chaired", brief), name="chaired")
    whole = await place.run(dict.fromkeys([person.name for person in PEOPLE], SeededAgent()))
    await resume_everywhere(place, whole)
