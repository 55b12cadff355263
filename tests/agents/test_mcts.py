"""The search for arguments: it finds the best claim, costs what it says, and is the same however it is cut."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.agents.llm import ModelAgent
from folkmoot.agents.search_tree import CLAIMS, REPLIES, Node, best_line, descend, uct
from folkmoot.agents.tree_search import SearchingAgent, most_calls
from folkmoot.core.agent import Context, Recorder
from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.brief import Brief, Limits, Participant, Search
from folkmoot.core.errors import RecordError, Unavailable
from folkmoot.core.event import Called
from folkmoot.engine.driver import DriverOptions
from folkmoot.models.base import Request
from folkmoot.phases.speak import Everyone
from folkmoot.testing.conformance import Journal, check_agent
from folkmoot.testing.replay import Harness, essence
from folkmoot.testing.scripted import ScriptedModel

ANN, BOB = Participant(name="Ann", role="Buyer"), Participant(name="Bob")
SCENE = Context(brief=Brief(topic="Tea or coffee?", participants=(ANN, BOB), seed=7), me=ANN)
ASK = Ask(key="/debate#1", to="Ann", act="argue", task="Argue.")

Worth = Callable[[str], float]
"""What a line is worth, 0 to 10, by the id of its end."""


def toy(worth: Worth, claims: str = "- tea wakes\n- tea is cheap\n- tea keeps") -> Callable[[Request], str]:
    """A model that names claims, replies, judges by a function, and answers."""

    def script(request: Request) -> str:
        _, _, place = request.call.partition("search-")
        if place == "claims":
            return f"CLAIMS:\n{claims}"
        if place.endswith("-value"):
            return f"CLARITY: 5\nEVIDENCE: 5\nORIGINALITY: 5\nSTANDING: {worth(place.removesuffix('-value'))}"
        return f"said at {place}" if place else "My turn: tea."

    return script


def third(id: str) -> float:
    return 10 if id.startswith("3") else 2


async def look(
    script: Callable[[Request], str | Exception | Called], search: Search, journal: Journal | None = None
) -> tuple[ScriptedModel, Mapping[str, Any], Any]:
    """The model, the tree and the reply of one ask."""
    model, journal = ScriptedModel(script), journal or Journal()
    reply = await SearchingAgent(ModelAgent(model), model, search).answer(ASK, SCENE, journal)
    return model, json.loads(journal.kept["tree"].text), reply


async def test_the_best_claim_is_found_and_laid_before_the_speaker() -> None:
    model, tree, reply = await look(toy(third), Search(simulations=16, depth=2))
    assert (reply.text, reply.notes) == ("My turn: tea.", ())
    chosen = [node for node in tree["nodes"] if node["chosen"]]
    assert [node["id"].split(".")[0] for node in chosen] == ["3", "3", "3"]
    assert (chosen[0]["claim"], chosen[0]["by"], chosen[1]["by"]) == ("tea keeps", "Ann", "the strongest opponent")
    visits = {node["id"]: node["visits"] for node in tree["nodes"] if not node["parent"]}
    assert sum(visits.values()) == tree["simulations"] == tree["asked"] == 16
    assert visits["3"] > max(visits["1"], visits["2"])
    prompt = model.history[-1].messages[-1].text
    assert "Argue.\n\nYou have prepared this in private." in prompt
    assert "  Ann: tea keeps\n  the strongest opponent: said at 3." in prompt
    assert all("prepared this" not in request.messages[-1].text for request in model.history[:-1])


async def test_a_claim_that_a_strong_reply_breaks_is_not_chosen() -> None:
    def worth(id: str) -> float:
        return 6 if id.startswith("2") else 10 if id == "1.1" else 0

    _, tree, _ = await look(toy(worth, "- a trap\n- sound"), Search(simulations=40, depth=1))
    assert next(node["id"] for node in tree["nodes"] if node["chosen"]) == "2"
    replies = {node["id"]: node["visits"] for node in tree["nodes"]}
    assert replies["1.2"] > replies["1.1"]


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 64), st.integers(1, 4), st.integers(1, 6))
def test_a_search_costs_no_more_than_it_says(simulations: int, depth: int, claims: int) -> None:
    search = Search(simulations=simulations, depth=depth)
    named = "\n".join(f"- claim {n}" for n in range(claims))
    model, tree, reply = asyncio.run(look(toy(lambda id: len(id) % 7, named), search))
    assert len(model.history) <= most_calls(search)
    assert len({request.call for request in model.history}) == len(model.history)
    assert len(tree["calls"]) == len(model.history) - 1
    assert tree["simulations"] == simulations
    assert reply.usage.output_tokens == sum(len(script_text.split()) for script_text in _said(model))


def _said(model: ScriptedModel) -> list[str]:
    script = model._script  # pyright: ignore[reportPrivateUsage]
    assert callable(script)
    return [str(script(request)) for request in model.history]


@pytest.mark.parametrize(
    ("simulations", "depth", "most"), [(1, 1, 4), (1, 2, 5), (4, 1, 10), (16, 2, 42), (64, 1, 18), (64, 4, 1 + 184 + 1)]
)
async def test_the_bound_is_exact_where_there_are_claims_enough(simulations: int, depth: int, most: int) -> None:
    search = Search(simulations=simulations, depth=depth)
    assert most_calls(search) == most
    named = "\n".join(f"- claim {n}" for n in range(CLAIMS))
    model, _, _ = await look(toy(lambda id: 5, named), search)
    assert len(model.history) <= most
    if simulations <= CLAIMS or simulations == 64:
        assert len(model.history) == most


async def test_nothing_of_a_search_is_shown() -> None:
    journal = Journal()
    await look(toy(third), Search(simulations=2), journal)
    assert journal.pieces == ["My turn: tea."]
    assert (journal.kept["tree"].model, journal.kept["tree"].usage.output_tokens) == ("search:mcts", 0)


@pytest.mark.parametrize("act", ["vote", "critique", "moderate", "bid"])
async def test_only_speeches_are_searched_for(act: str) -> None:
    model = ScriptedModel(["Yes."])
    seat = SearchingAgent(ModelAgent(model), model, Search())
    reply = await seat.answer(replace(ASK, act=act), SCENE, Journal())
    assert (reply.text, len(model.history)) == ("Yes.", 1)


async def test_a_form_is_asked_for_in_the_turn_alone() -> None:
    def script(request: Request) -> str:
        return toy(third)(request) if request.call.startswith("search") else "ANSWER: Tea"

    form = Form(name="f", fields=(Field(name="ANSWER", kind="choice", choices=("Tea", "Coffee")),))
    model = ScriptedModel(script)
    seat = SearchingAgent(ModelAgent(model), model, Search(simulations=2))
    reply = await seat.answer(replace(ASK, form=form), SCENE, Journal())
    assert reply.fields == {"ANSWER": "Tea"}
    assert sum("ANSWER:" in request.messages[-1].text for request in model.history) == 1


# ---- what goes wrong --------------------------------------------------------------------------------------------


def failing(place: str) -> Callable[[Request], str | Exception]:
    def script(request: Request) -> str | Exception:
        return Unavailable("gone", kind="connection") if request.call == f"search-{place}" else toy(third)(request)

    return script


@pytest.mark.parametrize(
    ("place", "simulations", "prepared"),
    [("claims", 0, False), ("1.1", 2, True), ("3.1-value", 2, True), ("3.2", 3, True)],
)
async def test_where_the_model_fails_the_tree_is_used_as_it_stands(
    place: str, simulations: int, prepared: bool
) -> None:
    model, tree, reply = await look(failing(place), Search(simulations=8, depth=1))
    assert (reply.text, reply.notes) == ("My turn: tea.", ("the search ended early: gone",))
    assert (tree["simulations"], tree["stopped"]) == (simulations, "gone")
    assert ("prepared this" in model.history[-1].messages[-1].text) == prepared


@pytest.mark.parametrize("claims", ["nothing to say", "CLAIMS:", "CLAIMS:\n-  \n"])
async def test_a_model_that_names_no_claims_just_answers(claims: str) -> None:
    def script(request: Request) -> str:
        return claims if request.call == "search-claims" else "My turn: tea."

    model, tree, reply = await look(script, Search())
    assert (tree["nodes"], tree["stopped"]) == ([], "the model named no claims")
    assert (reply.text, len(model.history)) == ("My turn: tea.", 2)


async def test_claims_that_say_the_same_are_one() -> None:
    named = "\n".join(["- Tea  wakes.", "- tea wakes.", *(f"- claim {n}" for n in range(9))])
    _, tree, _ = await look(toy(third, named), Search(simulations=1))
    assert [node["claim"] for node in tree["nodes"] if not node["parent"]] == [
        "Tea wakes.", "claim 0", "claim 1", "claim 2",
    ]  # fmt: skip


async def test_a_judgement_that_cannot_be_read_counts_as_even() -> None:
    def script(request: Request) -> str:
        return "Hard to say." if request.call.endswith("-value") else toy(third)(request)

    _, tree, _ = await look(script, Search(simulations=3, depth=1))
    assert {node["value"] for node in tree["nodes"]} == {0.5}


class Slow(ScriptedModel):
    """A model that takes its time, more or less by chance."""

    pace = 0.02
    dice = Random(3)

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        await asyncio.sleep(self.pace * self.dice.random())
        return await super().complete(request, recorder)


async def test_a_search_leaves_time_for_the_answer() -> None:
    class Sluggish(Slow):
        async def complete(self, request: Request, recorder: Recorder) -> Called:
            if request.call != "answer":
                await asyncio.sleep(0.03)
            return await super().complete(request, recorder)

    model = Sluggish(toy(third))
    seat = SearchingAgent(ModelAgent(model), model, Search(simulations=64, depth=4), seconds=0.5)
    reply = await seat.answer(ASK, SCENE, Journal())
    assert reply.text == "My turn: tea."
    assert reply.notes == ("the search ended early: its share of the time was used up",)
    assert reply.seconds > 0.25


async def test_the_same_tree_whatever_the_latency() -> None:
    search = Search(simulations=12, depth=2)
    _, tree, _ = await look(toy(lambda id: 5), search)
    for _ in range(3):
        journal, model = Journal(), Slow(toy(lambda id: 5))
        model.pace = 0.004
        await SearchingAgent(ModelAgent(model), model, search).answer(ASK, SCENE, journal)
        assert json.loads(journal.kept["tree"].text) == tree


# ---- in a debate ------------------------------------------------------------------------------------------------


def runner(**limits: int) -> Harness:
    brief = Brief(topic="Tea?", participants=(ANN, BOB), limits=Limits(**limits))
    return Harness(brief=brief, protocol=Everyone(act="argue", task="Argue."))


def seats(sent: Counter[str]) -> dict[str, SearchingAgent | ModelAgent]:
    """Ann searches, Bob does not; what is sent is counted."""

    def script(request: Request) -> str:
        sent[request.call] += 1
        return toy(third)(request)

    model = ScriptedModel(script)
    search = SearchingAgent(ModelAgent(model), model, Search(simulations=4, depth=1))
    return {"Ann": search, "Bob": ModelAgent(ScriptedModel(["Coffee."]))}


async def test_no_call_is_sent_twice_wherever_a_debate_is_cut() -> None:
    sent = Counter[str]()
    whole = await runner().run(seats(sent))
    assert max(sent.values()) == 1
    for cut in range(1, len(whole.lines)):
        again = Counter[str]()
        resumed = await runner().run(seats(again), whole.lines[:cut])
        assert essence(resumed.transcript) == essence(whole.transcript)
        assert resumed.transcript.usage == whole.transcript.usage
        calls = {e.event.call for e in whole.entries[:cut] if isinstance(e.event, Called)} - {"answer"}
        assert not calls & set(again)


async def test_a_limit_pauses_and_a_resumed_search_grows_the_same_tree() -> None:
    whole = await runner().run(seats(Counter()))
    first, second = Counter[str](), Counter[str]()
    debate = await runner(tokens=700).run(seats(first))
    assert debate.transcript.paused
    assert debate.transcript.paused.kind == "limit"
    assert first["answer"] == 0
    more = replace(runner(tokens=700), hosting=lambda: DriverOptions(limits=Limits()))
    resumed = await more.run(seats(second), debate.lines)
    assert essence(resumed.transcript) == essence(whole.transcript)
    assert first["search-claims"] + second["search-claims"] == 1


async def test_a_record_that_lacks_calls_of_the_tree_is_damaged() -> None:
    journal = Journal()
    await look(toy(third), Search(simulations=1), journal)
    del journal.kept["search-1.1"]
    with pytest.raises(RecordError, match="not all calls"):
        await look(toy(third), Search(simulations=1), journal)


async def test_a_seat_that_searches_keeps_the_promise_of_seats() -> None:
    def script(request: Request) -> str:
        if request.call.startswith("search"):
            return toy(third)(request)
        vote = "I vote for" in request.messages[-1].text
        return "I vote for: Tea" if vote else '{"ANSWER": "Tea", "ARGUMENT": "It is warm."}'

    def seat() -> SearchingAgent:
        model = ScriptedModel(script)
        return SearchingAgent(ModelAgent(model), model, Search(simulations=2, depth=1))

    await check_agent(seat)


# ---- the tree ---------------------------------------------------------------------------------------------------


def grown(*values: float) -> Node:
    """A root with a claim for each value, each visited once."""
    root = Node("", "")
    for n, value in enumerate(values, start=1):
        root.children.append(Node(str(n), "c", root))
        root.children[-1].add_value(value)
    return root


def test_uct_is_the_published_formula() -> None:
    root = grown(0.2, 0.8)
    root.children[1].add_value(0.6)
    assert uct(root.children[0], 3) == pytest.approx(0.2 + (2 * 1.0986122886681098) ** 0.5)  # pyright: ignore[reportUnknownMemberType]
    assert uct(root.children[1], 3) == pytest.approx(0.7 + 1.0986122886681098**0.5)  # pyright: ignore[reportUnknownMemberType]
    reply = Node("1.1", "r", root.children[0])
    reply.add_value(0.2)
    assert uct(reply, 1) == pytest.approx(0.8)  # pyright: ignore[reportUnknownMemberType]


def test_ties_are_decided_by_chance_alone() -> None:
    root = grown(0.5, 0.5, 0.5)
    ways = {descend(root, REPLIES, Random(seed)).id for seed in range(30)}
    assert ways == {"1", "2", "3"}
    assert descend(grown(0.1, 0.9), REPLIES, Random(0)).id == "2"


def test_of_equals_the_better_is_said() -> None:
    assert [node.id for node in best_line(grown(0.3, 0.9, 0.4))] == ["2"]
    assert best_line(Node("", "")) == []
