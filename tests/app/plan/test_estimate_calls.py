"""The number of calls in an estimate: no debate of its protocol has more, and the most stubborn has as many."""

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from itertools import product
from typing import get_args

import pytest

from folkmoot.agents.toolkit import ROUNDS, USES
from folkmoot.agents.tree_search import most_calls
from folkmoot.app.plan.estimate import calls_for, estimate
from folkmoot.core.ask import Ask, Reply, Value
from folkmoot.core.brief import Brief, Participant, Search, View
from folkmoot.core.errors import ProtocolError
from folkmoot.core.event import Asked, Replied
from folkmoot.core.transcript import Transcript
from folkmoot.models.base import Model
from folkmoot.phases.base import Phase, State, enter
from folkmoot.phases.choices import Choices, Extras, Mediation, MediatorKind
from folkmoot.protocols.known import ALONE, KNOWN, build
from folkmoot.testing.replay import Harness, SeededAgent
from folkmoot.testing.scripted import ScriptedModel
from tests.kits.thoroughness import MORE, some

GOING_ON: dict[str, Value] = {
    "STATUS": "CONTINUE",
    "CONSENSUS": "OPEN",
    "NEW": "CLAIMS",
    "CONSENT": "REJECT",
    "RESULT": "ERRORS",
    "Withdrawn": False,
}
"""What stubborn people say where they could end something."""

ALL = Extras(**{field.name: True for field in fields(Extras)})
KINDS: tuple[MediatorKind, ...] = get_args(MediatorKind)
EXTRAS = (Extras(), *(Extras(**{field.name: True}) for field in fields(Extras)), ALL)


def brief(n: int, options: tuple[str, ...] = (), *, moderator: bool = True) -> Brief:
    people = [Participant(name=f"P{i}", priority=i % 3) for i in range(n)]
    chair = [Participant(name="Chair", duty="moderator")] if moderator else []
    return Brief(topic="?", participants=(*people, *chair), options=options)


def stubborn(ask: Ask, count: int, earlier: int) -> dict[str, Value]:
    """Answers of people who never agree, always bid, and have something new each time; ``earlier`` times before."""
    values: dict[str, Value] = {}
    for field in ask.form.fields if ask.form else ():
        if (ask.act, field.name) == ("argue", "Verdict"):
            continue  # until the meeting is over
        match field.kind:
            case "number" if field.name == "PROBABILITY" and ask.to in ("P1", "P3"):
                values[field.name] = count / 1000  # far from the others, and never the same
            case "number":
                values[field.name] = 10.0 if field.high is None else field.high
            case "flag":
                values[field.name] = GOING_ON.get(field.name, True)
            case "list":
                values[field.name] = (f"point {count}",)
            case "choice" if field.name in GOING_ON:
                values[field.name] = GOING_ON[field.name]
            case "choice" if field.name == "ANSWER":
                place = int(ask.to.removeprefix("P")) if ask.to.startswith("P") else 0
                # Of two options the first two hold different ones, and all change their mind each time.
                values[field.name] = field.choices[(place + earlier) % len(field.choices)]
            case "choice":
                values[field.name] = field.choices[count % len(field.choices)]
            case "text":
                values[field.name] = f"{ask.to} {count}"
    return values


def hold(parsed_brief: Brief, tree: Phase) -> int:
    """How many questions the stubborn are asked."""
    transcript, count = Transcript(brief=parsed_brief), 0
    for step in enter(tree, State(brief=parsed_brief, transcript=transcript)):
        if not isinstance(step, Sequence):
            transcript.apply(step)
            continue
        for ask in step:
            transcript.apply(Asked(ask=ask))
        count += 1
        for ask in step:
            earlier = sum("ANSWER" in turn.fields for turn in transcript.turns(by=ask.to))
            reply = Reply(text=f"words {count}", fields=stubborn(ask, count, earlier))
            transcript.apply(Replied(key=ask.key, reply=reply))
    return len(transcript.all())


def combinations() -> Iterator[tuple[str, MediatorKind | None, Extras]]:
    """Each protocol with each mediator, and with each extra, and with all of them."""
    for name in KNOWN:
        for kind in KINDS:
            yield name, kind, Extras()
        for extras in EXTRAS:
            yield name, None, extras
        yield name, KINDS[4], ALL


def trees(parsed_brief: Brief, name: str, kind: MediatorKind | None, extras: Extras) -> Iterator[tuple[str, Phase]]:
    """The protocol with these, also with conditions that end its rounds and with summaries."""
    mediation = Mediation(kind=kind) if kind else None
    plain = Choices(rounds=2, mediation=mediation, extras=extras)
    for choices in (plain, replace(plain, until=("consensus_reached", "no_new_arguments"), summarize=2)):
        try:
            yield f"{name} {choices}", build(name, parsed_brief, choices)
        except ProtocolError as error:
            assert error.about  # noqa: PT017 - what does not go together is refused, and that is tested elsewhere


STUBBORN = [name for name in KNOWN if name != "findings"]
"""The protocols whose most asks follow from stubborn answers; of a review they follow from what is found."""


@pytest.mark.parametrize("name", some(STUBBORN, 3))
def test_the_most_stubborn_are_asked_as_often_as_is_estimated(name: str) -> None:
    parsed_brief = brief(3)
    checked = 0
    for _, kind, extras in some((combination for combination in combinations() if combination[0] == name), 4):
        for text, tree in trees(parsed_brief, name, kind, extras):
            assert estimate(parsed_brief, tree, {}).most.asks == hold(parsed_brief, tree), text
            checked += 1
    assert checked > (15 if MORE else 3)


@pytest.mark.parametrize("options", [("yes", "no"), ("a", "b", "c")])
@pytest.mark.parametrize("name", some((name for name in STUBBORN if name != "forecast"), 3))  # it takes no options
def test_so_are_the_most_stubborn_of_few_options(name: str, options: tuple[str, ...]) -> None:
    for n, extras in some(product((3, 4), EXTRAS), 3):
        parsed_brief = brief(n, options)
        tree = build(name, parsed_brief, Choices(rounds=2, extras=extras))
        assert estimate(parsed_brief, tree, {}).most.asks == hold(parsed_brief, tree), (n, extras)


@pytest.mark.parametrize("name", some(KNOWN, 3))
async def test_nobody_is_asked_more_often_or_less_often_than_is_estimated(name: str) -> None:
    for seed, (options, moderator) in some(enumerate(product(((), ("yes", "no")), (True, False))), 3):
        parsed_brief = brief(3, options, moderator=moderator)
        for extras in (Extras(), ALL):
            for text, tree in trees(parsed_brief, name, None, extras):
                costing = estimate(parsed_brief, tree, {})
                seats = {participant.name: SeededAgent(seed) for participant in parsed_brief.participants}
                debate = await Harness(brief=parsed_brief, protocol=tree).run(seats)
                count = len(debate.transcript.all())
                assert costing.least.asks <= count <= costing.most.asks, (text, options, moderator)


def test_masks_tongues_and_summaries_are_in_the_estimate() -> None:
    plain = brief(3)
    first, second, *others = plain.participants
    people = (
        replace(first, language="German", view=View(summary_only=True)),
        replace(second, hide=("P0", "round 1")),
        *others,
    )
    parsed_brief = replace(plain, participants=people)
    for name in KNOWN:
        tree = build(name, parsed_brief, Choices(rounds=2, extras=ALL))
        least = 15 if name == "chaired" else 5 if name in (*ALONE, "critique", "select") else 30  # they have no rounds
        least = 4 if name == "findings" else least
        assert estimate(parsed_brief, tree, {}).most.asks >= hold(parsed_brief, tree) > least, name
        assert estimate(parsed_brief, tree, {}).most.asked[-1] in ("Chair", "P0", "P1", "P2")


def test_calls_of_those_with_tools_or_a_search() -> None:
    search = Search(simulations=8, depth=2)
    plain, tools, asking, searching = (
        Participant(name="A"),
        Participant(name="B", tools=("search",)),
        Participant(name="C", tools=("summarizer",)),
        Participant(name="D", tools=("rag",), search=search),
    )
    speech, vote = Ask(key="/a#1", to="A", act="argue", task=""), Ask(key="/a#2", to="A", act="vote", task="")
    assert [calls_for(participant, speech) for participant in (plain, tools, asking)] == [
        1,
        1 + ROUNDS,
        1 + ROUNDS + USES,
    ]
    looking = most_calls(search) - 1
    assert calls_for(searching, speech) == looking + 1 + ROUNDS
    assert calls_for(searching, replace(speech, act="guide")) == 1 + ROUNDS
    assert {calls_for(participant, vote) for participant in (plain, tools, asking, searching)} == {1}


def test_calls_are_counted_and_paid() -> None:
    parsed_brief = Brief(topic="?", participants=(Participant(name="A", tools=("search",)), Participant(name="B")))
    tree = build("panel", parsed_brief, Choices(rounds=0))
    model = ScriptedModel(lambda request: "")
    models: dict[str, Model] = {"A": model, "B": model}
    costing = estimate(parsed_brief, tree, models)
    assert (costing.most.asks, costing.most.calls) == (4, 4 + ROUNDS)
    without = replace(parsed_brief, participants=(Participant(name="A"), Participant(name="B")))
    once = estimate(without, tree, models)
    assert (once.most.asks, once.most.calls) == (4, 4)
    assert once.most.tokens < costing.most.tokens
    assert once.most.expected < costing.most.expected
    assert costing.least.calls == once.least.calls, "nobody has to look anything up"
    assert costing.least.tokens == once.least.tokens
