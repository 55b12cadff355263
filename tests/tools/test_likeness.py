"""The instrument that measures likeness: its numbers, its calls on record, and when a desk seats it."""

import json
from pathlib import Path

import pytest

from folkmoot.app.plan.assignment import make_agents, similarity_helper
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.api import read_brief_argument
from folkmoot.app.run.prepare import Overrides, PreparedDebate, prepare
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Reply
from folkmoot.core.brief import Brief, Limits, Participant
from folkmoot.core.errors import BriefError, Unavailable
from folkmoot.core.transcript import Turn
from folkmoot.models.pool import Pool
from folkmoot.testing.conformance import Journal
from folkmoot.testing.small_web import Answer, Visit, Web, as_json
from folkmoot.tools.embeddings import SimilarityTool, embedder, measure
from tests.cli.commands import settle

ASK = Ask(key="/debate/liken#1", to="Likeness", act="liken", task="Measure.")
AIDE = Participant(name="Likeness", seat="likeness:ollama:e", duty="aide")


def context(*texts: str) -> Context:
    about = tuple(
        Turn(key=f"k{n}", by="Ann", act="propose", reply=Reply(text="…", fields={"ARGUMENT": text}))
        for n, text in enumerate(texts)
    )
    return Context(brief=Brief(topic="?", participants=(AIDE,)), me=AIDE, about=about)


def vectors(visit: Visit) -> Answer:
    """Tea points one way, coffee another, cocoa away from tea."""
    values = {"tea": [2.0, 0.0], "coffee": [0.0, 3.0], "cocoa": [-1.0, 0.0]}
    return as_json({"embeddings": [values[text] for text in json.loads(visit.body)["input"]]})


@pytest.mark.parametrize(
    ("texts", "own", "between"),
    [
        (("tea", "tea", "coffee", "coffee"), 1.0, 0.0),
        (("tea", "coffee", "tea", "tea"), 0.0, 0.0),
        (("tea", "cocoa"), 0.0, 1.0),
    ],
)
async def test_numbers_and_calls(texts: tuple[str, ...], own: float, between: float) -> None:
    async with Web(vectors).serve() as web:
        journal = Journal()
        reply = await SimilarityTool(embedder("ollama:e", {"OLLAMA_HOST": web.url})).answer(
            ASK, context(*texts), journal
        )
    assert reply.fields == {"OWN": own, "BETWEEN": between, "METHOD": "ollama:e"}
    assert list(journal.kept) == ["tool-1-embed-1"]


async def test_without_its_model_there_is_no_answer() -> None:
    with pytest.raises(Unavailable, match="cannot be reached"):
        await SimilarityTool(embedder("ollama:e", {"OLLAMA_HOST": "http://127.0.0.1:9"})).answer(
            ASK, context("tea", "tea"), Journal()
        )


def test_what_rounding_makes_of_one_is_one() -> None:
    assert measure(((1.0, 1e-8), (1.0, 1e-8))) == (1.0, 1.0)


# ---- at the desk


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settle(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)


SET = Config(embeddings="ollama:e")
ADA, BO = Participant(name="Ada", seat="ollama:a"), Participant(name="Likeness", seat="ollama:b")


@pytest.mark.parametrize(
    ("until", "config", "limits", "aides"),
    [
        (("stalled",), SET, Limits(), ["Likeness (measured)"]),
        (("stalled",), Config(), Limits(), []),
        (("consensus_reached",), SET, Limits(), []),
        (("stalled",), Config(embeddings="compatible:e"), Limits(cost=1.0), []),
    ],
)
def test_when_there_is_an_instrument(
    until: tuple[str, ...], config: Config, limits: Limits, aides: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOLKMOOT_BASE_URL", "http://127.0.0.1:9/v1")
    helper = similarity_helper(Brief(topic="?", participants=(ADA, BO), limits=limits), until, config)
    assert ([helper.name] if helper else []) == aides


async def ready(text: str) -> PreparedDebate:
    workspace = Workspace.at(Path("folkmoot.sqlite"))
    try:
        return await prepare(workspace, read_brief_argument(text), Overrides(models=("ollama:a",)), config=SET)
    finally:
        await workspace.close()


async def test_a_brief_that_wants_it_gets_one_that_no_debater_is_told_of() -> None:
    plan = (
        await ready(
            "---\nprotocol: arena\ndebate_end_condition: stalled\n---\n# Tea?\n## Ada\nrole: a\n\n## Bo\nrole: b\n"
        )
    ).plan
    assert plan.brief.participants[-1] == Participant(
        name="Likeness", role="Measures how alike texts are", seat="likeness:ollama:e", duty="aide"
    )
    assert "Liken(who='Likeness'" in repr(plan.protocol)
    assert isinstance(make_agents(plan.brief, Pool(env={}))["Likeness"], SimilarityTool)


async def test_a_brief_cannot_seat_one_itself() -> None:
    with pytest.raises(BriefError, match="has no known provider of models"):
        await ready("# Tea?\n## Ada (likeness:ollama:e)\n\n## Bo\n")
