"""The appendix of a report that shows how arguments were looked for."""

import json

import pytest

from folkmoot.agents.llm import ModelAgent
from folkmoot.agents.tree_search import SearchingAgent
from folkmoot.core.ask import Ask
from folkmoot.core.brief import Brief, Participant, Search
from folkmoot.core.event import Asked, Called, Entry, Event
from folkmoot.models.base import Request
from folkmoot.phases.speak import Everyone
from folkmoot.report.lookups import SearchRun, searches
from folkmoot.report.markdown import chapter, markdown
from folkmoot.report.report import report
from folkmoot.testing.replay import Harness
from folkmoot.testing.scripted import Scripted, ScriptedModel

TREE = {
    "simulations": 3,
    "asked": 8,
    "depth": 1,
    "stopped": "gone",
    "nodes": [
        {"id": "1", "by": "Ann", "claim": "# tea *wakes*\n- and more", "visits": 2, "value": 0.625, "chosen": True},
        {"id": "1.1", "by": "the strongest opponent", "claim": "No.", "visits": 1, "value": 1, "chosen": True},
        {"id": "2", "by": "Ann", "claim": "tea keeps", "visits": 0, "value": None, "chosen": False},
    ],
}


def entries(*events: Event) -> list[Entry]:
    return [Entry(seq=n, at=0.0, event=event) for n, event in enumerate(events, start=1)]


ASKED = Asked(ask=Ask(key="/debate/rounds/round-2/argue#1", to="Ann", act="argue", task="Argue."))


def called(text: str, model: str = "search:mcts") -> Called:
    return Called(key=ASKED.ask.key, call="tree", text=text, model=model)


def test_a_tree_is_shown_as_a_list() -> None:
    (search_run,) = searches(entries(ASKED, called(json.dumps(TREE))))
    assert chapter("searches", runs=[search_run]).split("\n\n") == [
        "## Appendix: search for arguments",
        "### Ann, round 2: arguments",
        "Monte Carlo tree search, 3 of 8 simulations, 1 reply deep. The line in bold was chosen; values run from 0 to "
        "1, for Ann. It ended early: gone.",
        "- **\\# tea \\*wakes\\* - and more** (2 visits, value 0.62)\n"
        "  - **the strongest opponent: No.** (1 visit, value 1.00)\n"
        "- tea keeps (not judged)",
    ]


def test_nothing_is_shown_where_nobody_searched() -> None:
    assert searches(entries(ASKED, called(json.dumps(TREE), model="ollama:tiny"))) == ()


@pytest.mark.parametrize("text", ["", "[]", "3", "null", "{}", '{"nodes": 3}', json.dumps({**TREE, "nodes": [{}]})])
def test_what_is_no_tree_is_left_out(text: str) -> None:
    assert searches(entries(ASKED, called(text))) == ()


async def test_a_real_search_is_read_from_its_record() -> None:
    def script(request: Request) -> str:
        if request.call == "search-claims":
            return "CLAIMS:\n- tea wakes\n- tea keeps"
        return "STANDING: 7" if request.call.endswith("-value") else "Well."

    model = ScriptedModel(script)
    seat = SearchingAgent(ModelAgent(model), model, Search(simulations=6, depth=2))
    brief = Brief(topic="Tea?", participants=(Participant(name="Ann"),))
    debate = await Harness(brief=brief, protocol=Everyone(act="argue", task="Argue.")).run({"Ann": seat})
    (search_run,) = searches(debate.entries)
    assert isinstance(search_run, SearchRun)
    assert (search_run.by, search_run.simulations, search_run.asked, search_run.depth, search_run.stopped) == (
        "Ann",
        6,
        6,
        2,
        "",
    )
    assert sum(thought.visits for thought in search_run.thoughts if not thought.depth) == 6
    assert [thought.depth for thought in search_run.thoughts if thought.chosen] == [0, 1, 2]
    assert "6 of 6 simulations, 2 replies deep" in chapter("searches", runs=[search_run])


async def test_the_report_ends_with_the_searches() -> None:
    brief = Brief(topic="Tea?", participants=(Participant(name="Ann"),))
    debate = await Harness(brief=brief, protocol=Everyone(act="argue", task="Argue.")).run({"Ann": Scripted(["Tea."])})
    key = next(entry.event.ask.key for entry in debate.entries if isinstance(entry.event, Asked))
    tree = Entry(seq=9, at=0.0, event=Called(key=key, call="tree", text=json.dumps(TREE), model="search:mcts"))
    without, with_tree = (
        markdown(report(items, debate="d"))
        for items in (debate.entries, (*debate.entries[:-1], tree, debate.entries[-1]))
    )
    assert "Appendix" not in without
    assert with_tree.endswith("(1 visit, value 1.00)\n- tea keeps (not judged)\n")
