"""What a brief adds to any protocol: its place in the play, and that it can be cut and resumed anywhere."""

from dataclasses import replace
from itertools import groupby

import pytest

from folkmoot.core.brief import Brief, Participant, View
from folkmoot.phases.base import At, Phase, Rounds, Sequence
from folkmoot.phases.choices import Choices, Extras
from folkmoot.phases.revise import Mindful
from folkmoot.phases.speak import Everyone
from folkmoot.phases.vote import Count
from folkmoot.policy.rules import PLURALITY
from folkmoot.protocols.compose import add, summarise
from folkmoot.protocols.known import KNOWN, build
from folkmoot.protocols.spec import dump, load
from folkmoot.testing.replay import Harness, HeldDebate, SeededAgent
from tests.kits.players import resume_everywhere

ANN, BOB = Participant(name="Ann"), Participant(name="Bob")
CHAIR = Participant(name="Chair", duty="moderator")
GERMAN = replace(BOB, language="German")
FULL = (ANN, BOB, Participant(name="Cy"), Participant(name="Dan"), CHAIR)
ALL = Extras(
    live_scoring=True,
    anonymous_scoring=True,
    reasoned_evaluation=True,
    revision=True,
    self_reflection=True,
    evolution=True,
    interruptions=True,
)


def table(*people: Participant) -> Brief:
    return Brief(topic="Tea or coffee?", participants=people, seed=3)


async def run_debate(name: str, brief: Brief, choices: Choices) -> HeldDebate:
    place = Harness(brief=brief, protocol=build(name, brief, choices), name=name)
    return await place.run(dict.fromkeys([participant.name for participant in brief.participants], SeededAgent()))


def acts(debate: HeldDebate) -> str:
    """The acts that were asked, those that follow each other with the same path and act once."""
    turns = [turn for turn in debate.transcript.all() if turn.ask]
    return " ".join(act for (_, act), _ in groupby(turns, key=lambda turn: (turn.key.partition("#")[0], turn.act)))


@pytest.mark.parametrize(
    ("extras", "rounds"),
    [
        (Extras(), "open argue close vote"),
        (Extras(revision=True), "open argue reconsider revise close vote"),
        (Extras(evolution=True), "open argue strategy close vote"),
        (Extras(live_scoring=True), "open score argue score argue score close score vote"),
        (Extras(self_reflection=True), "open argue close vote reflect"),
        (Extras(anonymous_scoring=True), "open argue score close vote"),
        (Extras(reasoned_evaluation=True), "open argue evaluate close vote"),
    ],
)
async def test_each_extra_has_its_place(extras: Extras, rounds: str) -> None:
    debate = await run_debate("round_robin", table(ANN, BOB), Choices(rounds=1, extras=extras))
    assert acts(debate) == rounds


SWISS = replace(ANN, language="German"), replace(BOB, language="french"), CHAIR


@pytest.mark.parametrize(
    ("people", "language", "translated", "into"),
    [
        ((ANN, BOB), "", [], ""),
        ((ANN, GERMAN), "", ["Bob"], "the language in which the topic of this debate is put"),
        ((replace(ANN, language="german"), GERMAN), "", [], ""),
        ((replace(ANN, language="German"), GERMAN), "German", [], ""),
        ((replace(ANN, language="German"), GERMAN), "English", ["Ann", "Bob"], "English"),
        (SWISS, "", ["Ann", "Bob"], "the language in which the topic"),
        (SWISS, "French", ["Ann"], "French"),
        ((*SWISS[:2], replace(CHAIR, language="French")), "French", ["Ann"], "French"),
    ],
)
async def test_what_is_translated_is_said_in_another_language(
    people: tuple[Participant, ...], language: str, translated: list[str], into: str
) -> None:
    """Who speaks the language of the debate is not translated, nor is a debate in one language."""
    debate = await run_debate("round_robin", table(*people), Choices(rounds=1, language=language))
    asks = [turn.ask for turn in debate.transcript.turns("translate") if turn.ask]
    assert sorted({debate.transcript.get(ask.about[0]).by for ask in asks}) == translated
    assert all(ask.task.startswith(f"Translate the turn above into {into}") for ask in asks)


async def test_an_interruption_follows_a_turn() -> None:
    debate = await run_debate("round_robin", table(ANN, BOB), Choices(rounds=1, extras=Extras(interruptions=True)))
    assert acts(debate).startswith("open argue bid")


async def test_together_they_stand_in_a_fixed_order() -> None:
    extras = replace(ALL, interruptions=False, live_scoring=False)
    debate = await run_debate("round_robin", table(ANN, GERMAN), Choices(rounds=1, summarize=1, extras=extras))
    text = "open argue reconsider revise strategy summarize score evaluate close vote reflect translate"
    assert acts(debate) == text
    translated = {turn.about[0].split("#")[0].split("/")[-1] for turn in debate.transcript.turns("translate")}
    assert translated >= {"open", "floor", "reflect"}


async def test_revisions_and_interruptions_are_rated_like_other_turns() -> None:
    extras = Extras(live_scoring=True, revision=True, interruptions=True)
    debate = await run_debate("round_robin", table(ANN, BOB, CHAIR), Choices(rounds=2, extras=extras))
    rated = {debate.transcript.get(turn.about[0]).act for turn in debate.transcript.turns("score")}
    assert {"open", "argue", "revise", "interrupt", "answer", "close"} <= rated


@pytest.mark.parametrize("name", KNOWN)
def test_without_extras_a_protocol_is_what_it_was(name: str) -> None:
    brief = table(*FULL)
    tree = build(name, brief)
    assert add(tree, brief, Choices()) == tree


@pytest.mark.parametrize("name", KNOWN)
def test_every_protocol_takes_everything_and_can_be_stored(name: str) -> None:
    tree = build(name, table(*FULL), Choices(summarize=2, extras=ALL))
    assert load(dump(tree)) == tree


# ---- summaries -----------------------------------------------------------------------------------------------------


async def places(choices: Choices, *people: Participant) -> list[str]:
    debate = await run_debate("round_robin", table(*people), choices)
    return [turn.key.removeprefix("/debate/") for turn in debate.transcript.all() if turn.act == "summarize"]


async def test_every_so_many_rounds_there_is_a_summary() -> None:
    chosen = await places(Choices(rounds=5, summarize=2), ANN, BOB)
    assert chosen == ["rounds/round-2/summarize#1", "rounds/round-4/summarize#1"]


async def test_who_is_shown_only_summaries_gets_them_from_the_beginning() -> None:
    terse = replace(ANN, view=View(summary_only=True))
    always = ["summarize#1", "rounds/round-1/summarize#1", "rounds/round-2/summarize#1"]
    assert await places(Choices(rounds=2), terse, BOB) == always
    assert await places(Choices(rounds=2, summarize=2), terse, BOB) == [always[0], always[2]]
    assert await places(Choices(rounds=2), replace(ANN, view=View(last=3)), BOB) == []


def test_where_rounds_open_the_debate_nothing_is_summed_up_before_them() -> None:
    say = Everyone(act="argue", task="Argue.")
    rounds = Rounds(each=say)
    brief = table(replace(ANN, view=View(summary_only=True)), BOB)
    woven = summarise(Sequence(parts=(rounds, say)), brief, 0)
    assert isinstance(woven, Sequence)
    assert [part.name for part in woven.parts] == ["rounds", "argue"]
    assert summarise(rounds, brief, 0) == summarise(rounds, table(ANN, BOB), 1) != rounds


# ---- notes ---------------------------------------------------------------------------------------------------------


def leaves(tree: Phase) -> list[str]:
    if isinstance(tree, Sequence):
        return [leaf for part in tree.parts for leaf in leaves(part)]
    if isinstance(tree, Rounds | At):
        return leaves(tree.each)
    return [f"{type(tree).__name__} {tree.name}"]


def test_notes_stand_beside_every_question_that_is_no_decision() -> None:
    say = Everyone(act="argue", task="Argue.")
    tree = Sequence(parts=(say, Rounds(each=At(each=say, every=2)), Count(rule=PLURALITY, acts=("argue",))))
    woven = add(tree, table(ANN, BOB), Choices(extras=Extras(evolution=True)))
    assert leaves(woven) == ["Mindful argue", "Mindful argue", "Mindful strategy", "Count count"]
    assert Mindful(each=say).name == "argue"


# ---- cut and resume ------------------------------------------------------------------------------------------------

ONE_EACH = [
    Choices(rounds=1, extras=Extras(revision=True)),
    Choices(rounds=1, extras=Extras(evolution=True)),
    Choices(rounds=1, extras=Extras(self_reflection=True)),
    Choices(rounds=1, extras=Extras(interruptions=True)),
    Choices(rounds=1, extras=Extras(live_scoring=True)),
    Choices(rounds=1, extras=Extras(anonymous_scoring=True, reasoned_evaluation=True)),
    Choices(rounds=2, summarize=1),
    Choices(rounds=1, summarize=1, extras=ALL),
]


@pytest.mark.parametrize("choices", ONE_EACH)
async def test_cut_at_every_entry_and_resumed_it_is_the_same_debate(choices: Choices) -> None:
    brief = table(ANN, replace(GERMAN, hide=("Ann round 1",)), CHAIR)
    place = Harness(brief=brief, protocol=build("round_robin", brief, choices), name="round_robin")
    names = [participant.name for participant in brief.participants]
    whole = await place.run(dict.fromkeys(names, SeededAgent()))
    assert whole.transcript.closed
    await resume_everywhere(place, whole, step=1 if len(whole.lines) < 120 else 3)
