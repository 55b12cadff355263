"""The estimate: the protocol played with pretended answers."""

from dataclasses import replace

import pytest

from folkmoot.app.plan.estimate import TOKENS, estimate
from folkmoot.app.plan.simulation import WORDS, expected_words
from folkmoot.core.agent import Context, Quote
from folkmoot.core.ask import Ask, Field, Form, Reply
from folkmoot.core.brief import Brief, Participant, Settings, Source
from folkmoot.core.transcript import Turn
from folkmoot.models.base import Model, Request
from folkmoot.phases.choices import Extras
from folkmoot.protocols.known import Choices, build
from folkmoot.testing.scripted import ScriptedModel


class Priced(ScriptedModel):
    """A model that costs a cent a call, or nobody knows what."""

    def __init__(self, cost: float | None = 0.01, name: str = "scripted:a") -> None:
        super().__init__(lambda request: "", name=name)
        self.cost = cost

    def quote(self, request: Request) -> Quote:
        return Quote(model=self.name, tokens=100, cost=self.cost)


def brief(n: int, options: tuple[str, ...] = ()) -> Brief:
    people = tuple(Participant(name=f"P{i}", seat="scripted:a") for i in range(n))
    facts = Source(name="facts.md", text="Facts. " * 500)
    chair = Participant(name="Chair", seat="scripted:a", duty="moderator")
    return Brief(topic="?", background=(facts,), participants=(*people, chair), options=options)


@pytest.mark.parametrize(
    ("protocol", "n", "options", "rounds", "least", "most"),
    [
        ("panel", 3, ("a", "b"), 1, 3, 6),
        ("panel", 4, ("a", "b"), 3, 4, 16),
        ("panel", 3, ("a", "b", "c"), 2, 3, 9),
        ("panel", 3, (), 1, 3, 9),
        ("council", 3, (), 2, 12, 12),
        ("moderated", 2, (), 3, 3, 9),
        ("round_robin", 3, (), 2, 13, 13),
        ("arena", 3, (), 2, 3, 24),
    ],
)
def test_least_and_most_asks(
    protocol: str, n: int, options: tuple[str, ...], rounds: int, least: int, most: int
) -> None:
    parsed_brief = brief(n, options)
    costing = estimate(parsed_brief, build(protocol, parsed_brief, Choices(rounds=rounds)), {})
    assert (costing.least.asks, costing.most.asks) == (least, most)
    assert costing.most.calls == 0
    assert costing.most.phases[0] == "/debate"


def test_money_and_what_providers_can_cache() -> None:
    parsed_brief = brief(3)
    tree = build("panel", parsed_brief)
    models: dict[str, Model] = {f"P{i}": Priced() for i in range(3)}
    costing = estimate(parsed_brief, tree, models)
    assert costing.most.cost == pytest.approx(0.09)
    assert (costing.most.calls, costing.most.tokens, costing.most.unpriced) == (9, 900, ())
    # Eight of nine prompts begin with the background that all share.
    assert 0.5 < costing.most.repeated < 1
    apart: dict[str, Model] = {f"P{i}": Priced(name=f"scripted:{i}") for i in range(3)}
    assert estimate(parsed_brief, tree, apart).least.repeated == 0.0


def test_expected_tokens_are_prompts_and_answers_of_the_usual_length() -> None:
    parsed_brief = replace(brief(2), background=())
    tree = build("council", parsed_brief, Choices(rounds=1))
    models: dict[str, Model] = {f"P{i}": Priced() for i in range(2)}
    least, most = estimate(parsed_brief, tree, models).least, estimate(parsed_brief, tree, models).most
    assert least.calls == most.calls == 6
    answers = (4 * WORDS["propose"] + 2 * WORDS["vote"]) * TOKENS
    assert answers + 6 * 60 < most.expected < answers + 6 * 700
    assert abs(least.expected - most.expected) < 20
    brisk = replace(
        parsed_brief,
        participants=tuple(
            replace(participant, settings=Settings(max_tokens=10)) for participant in parsed_brief.participants
        ),
    )
    assert most.expected - estimate(brisk, tree, models).most.expected == pytest.approx(answers - 60, abs=4)


LENGTHS: list[tuple[str, Form | None, int]] = [
    ("argue", None, 180),
    ("vote", None, 30),
    ("mumble", None, 150),
    ("score", Form(name="f", fields=tuple(Field(name=f"F{i}") for i in range(6))), 90),
    ("score", Form(name="f", fields=(Field(name="F", kind="number"),)), 40),
    ("translate", None, 5),
]


@pytest.mark.parametrize(("act", "form", "expected"), LENGTHS)
def test_the_words_of_an_answer(act: str, form: Form | None, expected: int) -> None:
    turn = Turn(key="/a#1", by="P0", act="argue", reply=Reply(text="eins zwei drei vier fünf"))
    ask = Ask(key="/a#2", to="P0", act=act, task="", form=form)
    assert expected_words(ask, Context(brief=brief(2), me=Participant(name="P0"), about=(turn,))) == expected


def test_an_unknown_price_is_unknown() -> None:
    parsed_brief = brief(2)
    models: dict[str, Model] = {"P0": Priced(), "P1": Priced(None, "scripted:b")}
    costing = estimate(parsed_brief, build("panel", parsed_brief), models)
    assert costing.most.cost is None
    assert costing.most.unpriced == ("scripted:b",)


@pytest.mark.parametrize("seed", range(4))
def test_all_members_of_a_board_are_taken_to_speak_whomever_chance_draws(seed: int) -> None:
    parsed_brief = replace(brief(4), seed=seed)
    tree = build("board", parsed_brief, Choices(rounds=1, extras=Extras(anonymous_scoring=True)))
    messages, scores, verdicts = 4, 4 * 3, 4
    assert estimate(parsed_brief, tree, {}).most.asks == messages + scores + verdicts
