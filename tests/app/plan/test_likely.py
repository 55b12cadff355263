"""What is likely sent for one answer: the questions of a search as they are really put, and one look-up."""

from dataclasses import replace

import pytest

from folkmoot.agents.llm import ModelAgent
from folkmoot.agents.search_tree import CANDIDATES, CLAIMS, STANDING
from folkmoot.agents.tree_search import SearchingAgent, most_calls
from folkmoot.app.plan.estimate import likely_requests, single_request
from folkmoot.app.plan.pretend import CALL, FOUND, MARKS, REPLY, UNKNOWN
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Reply
from folkmoot.core.brief import Brief, Participant, Search, Source
from folkmoot.core.transcript import Turn
from folkmoot.models.base import Request, Traits
from folkmoot.testing.conformance import Journal
from folkmoot.testing.scripted import ScriptedModel

LINE = "words " * REPLY
CLAIM = "words " * 20


def act(name: str = "argue") -> Ask:
    return Ask(key="/debate/argue#1", to="Ann", act=name, task="Argue.")


def see(ann: Participant, *, library: int = 0, turns: int = 1) -> Context:
    turn = Turn(key="/a#1", by="Bo", act="argue", number=1, reply=Reply(text="It is dear."))
    papers = (Source(name="study.md", text="words " * library),) if library else ()
    return Context(
        brief=Brief(topic="?", library=papers, participants=(ann, Participant(name="Bo"))),
        me=ann,
        turns=(turn,) * turns,
    )


def imagine(request: Request) -> str:
    """The answers that the estimate takes for granted, as a model would write them."""
    prompt = request.messages[-1].text
    if "CLAIMS:" in prompt:
        return "CLAIMS:\n" + "\n".join(f"- {CLAIM}{n}" for n in range(CLAIMS))
    return "CLARITY: 5\nEVIDENCE: 5\nORIGINALITY: 5\nSTANDING: 5" if "STANDING:" in prompt else LINE


async def test_the_questions_of_a_search_are_those_that_are_put() -> None:
    ann = Participant(name="Ann", search=Search(simulations=CLAIMS, depth=1))
    sent = list(likely_requests(act(), see(ann), Traits(), 180))
    model = ScriptedModel(imagine)
    seat = SearchingAgent(ModelAgent(model), model, Search(simulations=CLAIMS, depth=1))
    await seat.answer(act(), see(ann), Journal())
    assert {request_size.messages for request_size in sent} == {request.messages for request in model.history}
    assert [request_size.words for request_size in sent] == [20 * CLAIMS, *(REPLY, MARKS) * CLAIMS, 180]
    assert len(sent) == most_calls(Search(simulations=CLAIMS, depth=1))


@pytest.mark.parametrize(("simulations", "depth"), [(1, 1), (6, 1), (16, 1), (16, 2), (64, 4)])
def test_a_search_is_likely_to_take_no_more_calls_than_it_may(simulations: int, depth: int) -> None:
    search = Search(simulations=simulations, depth=depth)
    ann = Participant(name="Ann", search=search)
    assert 0.7 * most_calls(search) < len(list(likely_requests(act(), see(ann), Traits(), 180))) <= most_calls(search)
    assert len(list(likely_requests(act("vote"), see(ann), Traits(), 30))) == 1


def test_one_tool_is_used_once() -> None:
    ann = Participant(name="Ann", tools=("search",))
    first, last = likely_requests(act(), see(ann), Traits(), 180)
    assert [tool.name for tool in first.tools] == [tool.name for tool in last.tools] == ["search", "open_page"]
    assert (first.words, last.words) == (CALL, 180)
    assert last.messages[: len(first.messages)] == first.messages
    assert [message.role for message in last.messages[-2:]] == ["assistant", "tool"]
    assert len(last.messages[-1].text.split()) == FOUND["search"]


# fmt: off
SIZES: list[tuple[tuple[str, ...], int, int]] = [
    (("rag",), 5000, FOUND["rag"]),
    (("rag",), 50, 50),
    (("mcp:files",), 0, UNKNOWN),
    (("search", "mcp:files"), 0, (FOUND["search"] + UNKNOWN) // 2),
]
# fmt: on


@pytest.mark.parametrize(("tools", "library", "expected"), SIZES)
def test_the_size_of_what_is_found(tools: tuple[str, ...], library: int, expected: int) -> None:
    ann = Participant(name="Ann", tools=tools)
    *_, last = likely_requests(act(), see(ann, library=library), Traits(), 180)
    assert len(last.messages[-1].text.split()) == expected


@pytest.mark.parametrize(("turns", "calls"), [(1, 2), (0, 1)])
def test_tools_that_ask_the_model_do_so_as_often_as_they_are_chosen(turns: int, calls: int) -> None:
    ann = Participant(name="Ann", tools=("rag", "summarizer", "scorer"))
    aside = [
        likely_request
        for likely_request in likely_requests(act(), see(ann, library=9, turns=turns), Traits(), 180)
        if likely_request.share < 1
    ]
    assert [round(request_size.share, 2) for request_size in aside] == [0.33] * calls
    assert all(not request_size.tools for request_size in aside)


@pytest.mark.parametrize(("name", "traits"), [("vote", Traits()), ("argue", Traits(tools=False))])
def test_who_is_offered_no_tools_just_answers(name: str, traits: Traits) -> None:
    ann = Participant(name="Ann", tools=("search",))
    assert list(likely_requests(act(name), see(ann), traits, 30)) == list(
        single_request(act(name), see(ann), traits, 30)
    )


def test_the_forms_of_a_search_are_told_apart() -> None:
    assert CANDIDATES != STANDING
    ann = Participant(name="Ann", search=Search(simulations=1, depth=1), tools=("search",))
    context = see(ann)
    sent = list(likely_requests(act(), context, Traits(), 180))
    assert [bool(request_size.tools) for request_size in sent] == [False, False, False, True, True]
    assert "You have prepared this" in sent[-1].messages[len(sent[-2].messages) - 1].text
    plain = replace(context, me=replace(ann, search=None))
    assert len(list(likely_requests(act(), plain, Traits(), 180))) == 2
