"""Ballots that name a candidate in the voter's own words: a bare letter, a translated label, the proposal itself."""

from collections.abc import Callable

import pytest

from folkmoot.agents.llm import ModelAgent
from folkmoot.core.agent import Agent, Context, proposed_words
from folkmoot.core.ask import Ask, Field, Form, Reply
from folkmoot.core.brief import Brief, View
from folkmoot.core.transcript import Turn
from folkmoot.models.base import Request
from folkmoot.phases.choices import Choices
from folkmoot.phases.vote import BALLOT, ballot_form
from folkmoot.protocols.known import build
from folkmoot.reading import read_vote
from folkmoot.testing.replay import Harness
from folkmoot.testing.scripted import Scripted, ScriptedModel
from tests.kits.players import ANN, BOB, CY

LABELS = ("Proposal A", "Proposal B", "Proposal C")
PROPOSALS = {
    "Proposal A": ("Build in house. Start in May.",),
    "Proposal B": ("Buy", "ANSWER: Buy\nARGUMENT: It is cheap."),
    "Proposal C": ("**Rent first**\nThen look again.",),
}


@pytest.mark.parametrize(
    "text",
    [
        "A has my vote.",
        "**A** gets my vote.",
        "In the end, A has my vote, though B is close.",
        "My vote goes to A.",
        "My vote: A",
        "I'm voting for A because it is cheaper than B.",
        "I vote for: A (Build in house)",
        "A has my support.",
        "Proposal A gets my backing",
        "I back A, not C.",
        "My support goes to A.",
        "A bekommt meine Stimme.",
        "Vorschlag A hat meine Unterstützung.",
        "Meine Stimme geht an Vorschlag A.",
        "Ma voix va à la proposition A.",
        "Je soutiens A.",
        "Mi voto va para A.",
        "A tiene mi apoyo.",
        "O meu voto vai para A.",
        "Il mio voto va ad A.",
        "Мой голос за A.",
        "Я поддерживаю A.",
        "Mój głos na A.",
        "我投A一票。",
        "我支持提案A。",
        "A案に投票します。",
        "A를 지지합니다.",
        "صوتي لـ A",
        "أؤيد A",
        "Oyumu A'ya veriyorum.",
        "A.",
    ],
)
def test_a_letter_names_its_proposal(text: str) -> None:
    assert read_vote(text, LABELS).choice == "Proposal A"


@pytest.mark.parametrize(
    "text",
    [
        "A had my vote until I read B.",
        "A has my vote if the budget holds.",
        "A has my vote. On second thought, B.",
        "Does A have my vote?",
        "Ann wrote: A has my vote.",
        "I can't say that A has my support.",
        "A has my support on costs, B on time.",
        "A has my support for now.",
        "I back A and B.",
        "I support A's timeline.",
        "I support A, but it needs work before it gets my vote.",
        "I support A, yet a vote is another matter.",
        "Ich unterstütze A, aber nur in der Sache.",
        "我支持A,但还没有投票。",
        "Ich unterstütze A nicht.",
        "A n'a pas ma voix.",
        "A tendría mi voto.",
        "A'yı desteklemiyorum.",
        "Grade: A",
        "A, B, C.",
        "Team A has my vote.",
        "Vitamin A has my support.",
        "A good plan has my vote.",
        "I vote for Plan A.",
        "I support neither.",
    ],
)
def test_a_letter_that_is_no_plain_vote_names_nobody(text: str) -> None:
    assert read_vote(text, LABELS).choice is None


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("I vote for: Build in house.", "Proposal A"),
        ("I vote for: “Build in house. Start in May.”", "Proposal A"),
        ("Build in house. Start in May.", "Proposal A"),
        ("ANSWER: Build in house. Start in May.\nARGUMENT: As before.", "Proposal A"),
        ("I vote for: buy", "Proposal B"),
        ("**Buy** has my vote.", "Proposal B"),
        ("I vote for: Rent first\n\nReason: Buy is dear.", "Proposal C"),
        ("My vote goes to “Rent first”, because it binds us to nothing.", "Proposal C"),
        ("I would buy if I could. I vote for: Rent first", "Proposal C"),
        ("I vote for: Build in house. On second thought, buy.", None),
        ("I vote for: Build in house, but only in May", None),
        ("I vote for: Buy, unless the price rises", None),
        ("I vote for: Buy. No, wait.", None),
        ("I vote for: Buy or Rent first", None),
        ("I vote for: Buy now", None),
        ("I vote for: not Buy", None),
        ("I vote for: Rent", None),
        ('Ben wrote: "I vote for: Buy"', None),
        ("Buy or rent first?", None),
    ],
)
def test_a_proposals_exact_words_name_it(text: str, choice: str | None) -> None:
    assert read_vote(text, LABELS, proposals=PROPOSALS).choice == choice


def test_words_that_two_proposals_have_name_neither() -> None:
    twice = {"Proposal A": ("Buy. Now.",), "Proposal B": ("Buy. Later.",)}
    assert read_vote("I vote for: Buy.", LABELS[:2], proposals=twice).choice is None
    assert read_vote("I vote for: Buy. Later.", LABELS[:2], proposals=twice).choice == "Proposal B"


def test_a_letter_that_is_another_ones_answer_names_neither() -> None:
    crossed = {"Proposal A": ("B",), "Proposal B": ("A",)}
    assert read_vote("I vote for: A", LABELS[:2], proposals=crossed).choice is None
    assert read_vote("I vote for: Proposal A", LABELS[:2], proposals=crossed).choice == "Proposal A"
    assert read_vote("I vote for: A", LABELS[:2], proposals={"Proposal A": ("A",)}).choice == "Proposal A"


def test_words_of_whoever_is_no_candidate_name_nobody() -> None:
    assert read_vote("I vote for: Buy", LABELS[:1], proposals=PROPOSALS).choice is None
    assert read_vote("I vote for: Buy", ("Ann", "Bob"), proposals={"Bob": ("Buy",)}).choice == "Bob"


def test_a_very_long_proposal_is_named_by_its_first_sentence() -> None:
    long = {"Proposal A": ("Build in house. " + "We have the people. " * 200,)}
    assert read_vote("I vote for: Build in house.", LABELS, proposals=long).choice == "Proposal A"


def test_support_is_no_vote_where_a_vote_stands() -> None:
    assert read_vote("I support Bob on costs. I vote for: Ann", ("Ann", "Bob")).choice == "Ann"
    assert read_vote("Bob has my support.", ("Ann", "Bob")).choice == "Bob"
    assert read_vote("Bob has my support.", ("Ann", "Bob"), strict=True).choice is None


def proposal(key: str, by: str, answer: str) -> Turn:
    """The turn of a proposal with that answer."""
    form = Form(name="draft", fields=(Field(name="ANSWER"),))
    ask = Ask(key=key, to=by, act="propose", task="Propose.", form=form)
    return Turn(
        key=key, by=by, act="propose", ask=ask, reply=Reply(text=f"ANSWER: {answer}", fields={"ANSWER": answer})
    )


def context(*, anonymous: bool = True) -> Context:
    """What a voter is shown: two proposals."""
    brief = Brief(topic="Build or buy?", participants=(ANN, BOB, CY))
    turns = (proposal("a", "Ann", "Build"), proposal("b", "Bob", "Buy"))
    return Context(brief=brief, me=CY, about=turns, view=View(anonymous=anonymous))


def ballot(*choices: str) -> Ask:
    """A ballot with these choices."""
    return Ask(key="v", to="Cy", act="vote", task="Vote.", form=ballot_form(choices), about=("a", "b"))


def test_a_ballot_over_proposals_knows_their_words() -> None:
    words = {"Proposal A": ("Build", "ANSWER: Build"), "Proposal B": ("Buy", "ANSWER: Buy")}
    assert proposed_words(ballot("Proposal A", "Proposal B"), context()) == words
    assert [*proposed_words(ballot("Ann", "Bob"), context(anonymous=False))] == ["Ann", "Bob"]
    assert proposed_words(ballot("yes", "no"), context()) == {}, "options are no labels of the proposals"
    assert proposed_words(Ask(key="v", to="Cy", act="vote", task="Vote."), context()) == {}


def answer_as(own: str) -> Callable[[Request], str]:
    """A model that proposes its own, and votes for Ann's plan in that plan's own words."""

    def answer(request: Request) -> str:
        question = request.messages[-1].text
        if f"{BALLOT}: " in question:
            return f"{BALLOT}: build in house"
        return "ISSUE: It is dear." if "ISSUE" in question else f"ANSWER: {own}\nARGUMENT: So it is."

    return answer


@pytest.mark.parametrize("scripted", [False, True])
async def test_an_arena_is_decided_by_a_proposals_exact_words(scripted: bool) -> None:
    brief = Brief(topic="Build or buy?", participants=(ANN, BOB, CY))
    plans = {"Ann": "Build in house.", "Bob": "Buy.", "Cy": "Rent."}
    models = {name: ScriptedModel(answer_as(plan)) for name, plan in plans.items()}
    agents: dict[str, Agent] = {name: ModelAgent(model) for name, model in models.items()}
    if scripted:
        agents["Cy"] = Scripted(lambda ask, _: f"{BALLOT}: Build in house." if ask.act == "vote" else "ANSWER: Rent.")
    debate = await Harness(brief=brief, protocol=build("arena", brief, Choices(rounds=0))).run(agents)
    decision = debate.transcript.decision
    assert decision is not None
    assert (decision.winner, [ballot.state for ballot in decision.ballots]) == ("Build in house.", ["cast"] * 3)
    assert not any(request.call == "repair" for model in models.values() for request in model.history)
