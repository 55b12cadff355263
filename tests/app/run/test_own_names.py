"""Functions of a program answer under names: those of one factory, and those that are passed again to resume."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import folkmoot

SECTIONS = "## Ann\nrole: a\n\n## Bob\nrole: b\n\n## Cy\nrole: c\n"
BRIEF = f"---\nprotocol: panel\noptions: [tea, coffee, water]\n---\n# What?\n\n{SECTIONS}"


def holding(answer: str) -> Callable[[str], str]:
    def agent(prompt: str) -> str:
        return f"ANSWER: {answer}\nCONFIDENCE: 0.9\nARGUMENT: I like {answer}."

    return agent


class Holder:
    def __init__(self, answer: str) -> None:
        self.answer = answer

    def say(self, prompt: str) -> str:
        return holding(self.answer)(prompt)


def answers(outcome: folkmoot.Outcome) -> dict[str, object]:
    return {turn.by: turn.fields.get("ANSWER") for turn in outcome.transcript.turns("draft")}


def test_functions_of_one_factory_each_answer_for_their_participant() -> None:
    tea, coffee, water = map(holding, ("tea", "coffee", "water"))
    outcome = folkmoot.run(BRIEF, model=[tea, coffee, water], store=folkmoot.InMemoryStore())
    assert answers(outcome) == {"Ann": "tea", "Bob": "coffee", "Cy": "water"}
    outcome = folkmoot.run(BRIEF, model=[tea, coffee, tea], store=folkmoot.InMemoryStore())
    assert answers(outcome) == {"Ann": "tea", "Bob": "coffee", "Cy": "tea"}
    people = (folkmoot.Participant(name="agent", model=water), folkmoot.Participant(name="Bob"))
    brief = folkmoot.Brief(topic="What?", options=("tea", "coffee", "water"), participants=people)
    assert answers(folkmoot.run(brief, model=coffee, store=folkmoot.InMemoryStore())) == {
        "agent": "water",
        "Bob": "coffee",
    }


@pytest.mark.parametrize("model", [holding("tea"), partial(Holder.say, Holder("tea")), Holder("tea").say])
def test_a_function_for_all_is_passed_again_by_the_names_of_participants(model: Callable[[str], str]) -> None:
    store = folkmoot.InMemoryStore()
    paused = folkmoot.run(BRIEF, model=model, store=store, limits={"asks": 1})
    assert paused.status == "paused"
    again = {"Ann": model, "Bob": model, "Cy": model}
    resumed = folkmoot.resume(paused.debate, agents=again, store=store, limits={"asks": 50})
    assert (resumed.status, answers(resumed)) == ("decided", {"Ann": "tea", "Bob": "tea", "Cy": "tea"})


def test_a_method_is_passed_again_for_each_participant() -> None:
    store, holder = folkmoot.InMemoryStore(), Holder("coffee")
    paused = folkmoot.run(BRIEF, model=holder.say, store=store, limits={"asks": 1})
    again = {"Ann": holder.say, "Bob": holder.say, "Cy": holder.say}
    assert folkmoot.resume(paused.debate, agents=again, store=store, limits={"asks": 50}).status == "decided"


@pytest.mark.parametrize("agents", [3, ["Ann"], {3: holding("tea")}, "Ann"])
def test_agents_that_are_no_dictionary_of_names_are_refused(agents: Any) -> None:
    store = folkmoot.InMemoryStore()
    paused = folkmoot.run(BRIEF, model=holding("tea"), store=store, limits={"asks": 1})
    with pytest.raises(folkmoot.BriefError, match=r"^agents is .*; it must be a dictionary of names and agents$"):
        folkmoot.resume(paused.debate, agents=agents, store=store)


def test_one_who_answered_for_two_is_not_passed_as_two() -> None:
    store = folkmoot.InMemoryStore()
    paused = folkmoot.run(BRIEF, model=holding("tea"), store=store, limits={"asks": 1})
    with pytest.raises(folkmoot.BriefError, match="two agents are called agent; each needs a name of its own"):
        folkmoot.resume(paused.debate, agents={"Ann": holding("tea"), "Bob": holding("water")}, store=store)
    with pytest.raises(folkmoot.BriefError, match="guest:agent belongs to a program"):
        folkmoot.resume(paused.debate, agents={"Dan": holding("tea")}, store=store)
    assert folkmoot.resume(paused.debate, agents={"agent": holding("tea")}, store=store, limits={"asks": 50}).decision
