"""An embedding model in a folder: a real one of four words, what it adds, how it fails, a debate that it measured."""

import asyncio
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from model2vec import StaticModel
from safetensors.numpy import load_file, save_file  # pyright: ignore[reportUnknownVariableType]
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from folkmoot.agents.toolkit import ToolUse
from folkmoot.app.plan.assignment import make_agents, make_similarity_agent, similarity_helper
from folkmoot.app.plan.settings import Config
from folkmoot.app.plan.toolbox import check_tools, tool_notes
from folkmoot.app.run.workspace import Workspace
from folkmoot.arena import ConvergenceDetector
from folkmoot.core.agent import Context, Quote
from folkmoot.core.ask import Ask, Reply, Usage
from folkmoot.core.brief import Brief, Limits, Participant, Source
from folkmoot.core.errors import BriefError, Unavailable
from folkmoot.core.event import Called, Halted, Replied
from folkmoot.core.transcript import Turn
from folkmoot.models.pool import Pool
from folkmoot.protocols.known import Choices
from folkmoot.testing.conformance import Journal
from folkmoot.testing.store_checks import InMemoryStore
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call, Wires
from folkmoot.tools.embeddings import Embeddings, LocalEmbeddings, SimilarityTool, embedder, likeness
from folkmoot.tools.rag import Rag
from tests.cli.commands import settle
from tests.kits.tools import CONTEXT
from tests.models.models_kit import HASTY, environment

WORDS = {
    "[UNK]": (0.0, 0.0),
    "coffee": (0.0, 1.0),
    "espresso": (0.1, 1.0),
    "cheap": (1.0, 0.3),
    "inexpensive": (1.0, 0.0),
}
TEXTS = (Source(name="a.md", text="Tea is inexpensive."), Source(name="b.md", text="Coffee grows in Brazil."))


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settle(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A model that knows four words, as model2vec saves it."""
    words = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    words.normalizer, words.pre_tokenizer = normalizers.Lowercase(), pre_tokenizers.Whitespace()
    StaticModel(np.array(list(WORDS.values()), dtype=np.float32), words).save_pretrained(tmp_path / "tiny")
    return tmp_path / "tiny"


def tool_use(journal: Journal | None = None) -> ToolUse:
    return ToolUse(context=CONTEXT, say=journal or Journal(), name="tool-1")


# ---- what it gives


async def test_it_finds_what_words_do_not_and_is_named_on_record_without_its_place(tiny: Path) -> None:
    journal, model = Journal(), embedder(f"model2vec:{tiny}")
    result = await Rag(TEXTS, model).use({"query": "espresso", "passages": 1}, tool_use(journal))
    assert result.sources == ("b.md:1",)
    assert list(journal.kept) == ["tool-1-embed-1", "tool-1-embed-2"]
    called = journal.kept["tool-1-embed-1"]
    assert (called.model, called.text, called.usage) == ("model2vec:tiny", "2 vectors", Usage())
    assert str(tiny) not in repr(journal.kept)
    assert model.quote(["tea"]) == Quote(model="model2vec:tiny", tokens=0, cost=0.0)
    await model.close()


async def test_vectors_are_of_length_one_of_whole_texts_and_none_of_what_it_does_not_know(tiny: Path) -> None:
    model = LocalEmbeddings(str(tiny))
    cheap, long, unknown = await model.embed(["Cheap!", "cheap " * 600 + "coffee " * 600, "milk"], tool_use())
    assert likeness(cheap, cheap) == pytest.approx(1)
    assert likeness(cheap, long) < 0.9, "more than its first 512 tokens count"
    assert unknown == ()
    assert await model.embed([], tool_use()) == ()


async def test_it_is_loaded_once(tiny: Path) -> None:
    model, journal = LocalEmbeddings(f"{tiny}/"), Journal()
    first = await model.embed(["cheap"], tool_use(journal))
    await model.close()
    shutil.rmtree(tiny)
    assert await model.embed(["cheap"], tool_use(journal)) == first
    assert list(journal.kept) == ["tool-1-embed-1", "tool-1-embed-2"], "vectors that went with a run are made again"


async def test_two_at_once_get_each_their_own(tiny: Path) -> None:
    model = LocalEmbeddings(str(tiny))
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(model.embed([word] * 200, tool_use())) for word in ("cheap", "coffee")]
    rows, other = (task.result() for task in tasks)
    assert len(set(rows)) == len(set(other)) == 1
    assert likeness(rows[0], other[0]) == pytest.approx(0.287, abs=0.001)


async def test_the_layout_of_sentence_transformers(tiny: Path) -> None:
    inner = tiny / "0_StaticEmbedding"
    inner.mkdir()
    vectors = load_file(tiny / "model.safetensors")["embeddings"]
    save_file({"embedding.weight": vectors}, inner / "model.safetensors")
    (tiny / "model.safetensors").unlink()
    (tiny / "tokenizer.json").rename(inner / "tokenizer.json")
    (tiny / "config.json").rename(tiny / "config_sentence_transformers.json")
    ((x, y),) = await LocalEmbeddings(str(tiny)).embed(["coffee"], tool_use())
    assert (x, y) == (0.0, 1.0)


@pytest.mark.system
def test_the_library_is_not_loaded_before_it_is_used(tiny: Path) -> None:
    code = f"""
import sys
from folkmoot.arena import ConvergenceDetector
import folkmoot.app.plan.toolbox
detector = ConvergenceDetector(embeddings="model2vec:{tiny}")
print("model2vec" in sys.modules)
detector.check_convergence({{"a": "cheap", "b": "inexpensive"}})
print(detector.method, "model2vec" in sys.modules)
"""
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert finished.stdout.split("\n") == ["False", "model2vec:tiny True", ""]


# ---- how it fails


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("model2vec:minishlab/potion-base-8M", "full path .* 'minishlab/potion-base-8M' is none, and nothing is down"),
        ("model2vec:tiny", "'tiny' is none"),
        ("model2vec:", "'' is none"),
        (" Model2Vec ", "'' is none"),
        ("model2vec:~/none", "there is no model of model2vec in .*/none: model.safetensors is missing"),
        ("model2vec:/", "there is no model of model2vec in /: "),
        ("model2vec:/a\0b", "there is no model of model2vec in "),
        (f"model2vec:/{'x' * 5000}", "there is no model of model2vec in "),
    ],
)
def test_what_is_no_folder_of_a_model(tiny: Path, name: str, message: str) -> None:
    with pytest.raises(BriefError, match=message):
        embedder(name)


def test_the_home_folder_may_be_short(tiny: Path) -> None:
    assert embedder("MODEL2VEC: ~/tiny ").name == "model2vec:tiny"
    assert isinstance(embedder("ollama:e"), Embeddings)


def test_without_the_library(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "model2vec", None)
    with pytest.raises(BriefError, match='pip install "model2vec'):
        embedder(f"model2vec:{tiny}")


BROKEN = [("tokenizer.json", "{"), ("model.safetensors", "x"), ("config.json", "[]"), ("README.md", "---\n: [\n---\n")]


@pytest.mark.parametrize(("file", "text"), [*BROKEN, ("tokenizer.json", ""), ("config.json", "{")])
async def test_a_folder_that_is_damaged_costs_only_the_vectors(tiny: Path, file: str, text: str) -> None:
    (tiny / file).write_text(text)
    model = LocalEmbeddings(str(tiny))
    result = await Rag(TEXTS, model).use({"query": "is tea inexpensive"}, tool_use())
    assert result.sources == ("a.md:1",)
    assert "(Searched without the embedding model: model2vec:tiny cannot be used: " in result.text
    assert str(tiny) not in result.text


async def test_a_folder_that_is_gone_is_looked_for_nowhere_else(tiny: Path) -> None:
    model, detector = LocalEmbeddings(str(tiny)), ConvergenceDetector(embeddings=f"model2vec:{tiny}")
    shutil.rmtree(tiny)
    with pytest.raises(Unavailable, match="model2vec:tiny cannot be used"):
        await model.embed(["cheap"], tool_use())
    assert detector.check_convergence({"a": "cheap", "b": "cheap"})
    assert detector.method == "words"


# ---- who uses it


@pytest.mark.parametrize(
    ("one", "other", "converged", "method"),
    [
        ("It is cheap.", "It is inexpensive.", True, "model2vec:tiny"),
        ("It is cheap.", "It is not cheap.", False, "model2vec:tiny"),
        ("It is cheap.", "It is coffee.", False, "model2vec:tiny"),
        ("ANSWER: Tea\nIt is cheap.", "ANSWER: Coffee\nIt is cheap.", False, "answers"),
    ],
)
def test_stances_first_text_second(tiny: Path, one: str, other: str, converged: bool, method: str) -> None:
    detector = ConvergenceDetector(embeddings=f"model2vec:{tiny}")
    assert detector.check_convergence({"a": one, "b": other}) is converged
    assert detector.check_convergence({"a": one, "b": other}) is converged, "the same in another loop"
    assert detector.method == method


async def test_the_instrument(tiny: Path) -> None:
    about = tuple(Turn(key=text, by="Ann", act="propose", reply=Reply(text=text)) for text in ("cheap", "coffee"))
    aide = Participant(name="Likeness", seat="likeness:model2vec:tiny", duty="aide")
    context = Context(brief=Brief(topic="?", participants=(aide,)), me=aide, about=about)
    ask = Ask(key="/debate/liken#1", to="Likeness", act="liken", task="Measure.")
    reply = await SimilarityTool(LocalEmbeddings(str(tiny))).answer(ask, context, Journal())
    assert reply.fields["OWN"] == pytest.approx(0.287, abs=0.001)
    assert reply.fields["METHOD"] == "model2vec:tiny"


ANN, BOB = Participant(name="Ann", seat="ollama:ann"), Participant(name="Bob", seat="ollama:bob")
BRIEF = Brief(topic="Tea or coffee?", participants=(ANN, BOB))


def test_the_record_names_the_model_and_the_settings_say_where_it_lies(tiny: Path) -> None:
    config = Config(embeddings=f"model2vec:{tiny}")
    helper = similarity_helper(replace(BRIEF, limits=Limits(cost=0.0)), ("stalled",), config)
    assert helper
    brief = replace(BRIEF, participants=(*BRIEF.participants, helper))
    assert brief.participants[-1].seat == "likeness:model2vec:tiny"
    assert isinstance(make_agents(brief, Pool(env={}), config=config)["Likeness"], SimilarityTool)
    for other in (None, Config(), Config(embeddings="ollama:e")):
        with pytest.raises(BriefError, match='measured by model2vec:tiny: set embeddings = "model2vec:" and '):
            make_similarity_agent(brief.participants[-1].seat, other)
    with pytest.raises(BriefError, match="has no known provider"):
        make_agents(replace(BRIEF, participants=(replace(ANN, seat=f"model2vec:{tiny}"), BOB)), Pool(env={}))


async def test_what_the_owner_is_told_of_documents(tiny: Path) -> None:
    config = Config(embeddings=f"model2vec:{tiny}")
    brief = replace(BRIEF, participants=(replace(ANN, tools=("rag",)), BOB), library=TEXTS, limits=Limits(cost=0.0))
    check_tools(brief, config)
    (note,) = await tool_notes(brief, config)
    text = "model2vec:tiny makes vectors of the documents on this machine; that takes no tokens and costs nothing."
    assert note == text


# ---- a debate that it measured


def opponents(call: Call) -> Plan:
    """Two who keep their answers, and say the second time in other words what they have said the first time."""
    if "ANSWER:" not in call.prompt:
        return Plan(text="Nothing to add.")
    again = "It is cheap." in call.prompt
    answer = "Tea" if call.body["model"] == "ann" else "Coffee"
    words = "Quite inexpensive!" if again else "It is cheap."
    return Plan(text=f"ANSWER: {answer}\nCONFIDENCE: 0.7\nARGUMENT: {words}")


async def test_a_debate_that_stalls_by_it_is_resumed_and_verified_and_has_not_converged(tiny: Path) -> None:
    config = Config(embeddings=f"model2vec:{tiny}")
    async with Wires(script=opponents).serve() as wires:
        workspace = Workspace(InMemoryStore(), pool=Pool(env=environment(wires.url), retry=HASTY), config=config)
        choices = Choices(until=("stalled",), rounds=4)
        helper = similarity_helper(BRIEF, choices.until, config)
        assert helper
        brief = replace(BRIEF, participants=(*BRIEF.participants, helper))
        plan = workspace.plan(brief, protocol="arena", choices=choices)
        outcome = await workspace.run(plan, "tea")
        events = [entry.event for entry in await workspace.entries("tea")]
        (reason,) = [event.reason for event in events if isinstance(event, Halted)]
        assert reason.startswith("stalled: everybody repeats itself (each 0.9")
        assert "by model2vec:tiny" in reason
        assert outcome.status != "decided", "they are as opposed as they were"
        items = [event for event in events if isinstance(event, Called) and event.model == "model2vec:tiny"]
        assert [called.usage for called in items] == [Usage()]
        lines = await workspace.lines("tea")
        assert str(tiny) not in "".join(lines)
        await workspace.verify("tea")
        numbers = [n for n, event in enumerate(events) if isinstance(event, Replied) and "liken" in event.key]
        for number in (numbers[0] - 2, numbers[0], numbers[0] + 1):
            again = Workspace(InMemoryStore(), pool=workspace.pool, config=config)
            await again.store.append("tea", lines[:number], after=0)
            await again.resume("tea")
            ends = [entry.event for entry in await again.entries("tea")]
            assert [halted.reason for halted in ends if isinstance(halted, Halted)] == [reason]
            await again.verify("tea")
        lost = Workspace(InMemoryStore(), pool=workspace.pool, config=Config())
        await lost.store.append("tea", lines[: numbers[0]], after=0)
        with pytest.raises(BriefError, match="measured by model2vec:tiny"):
            await lost.resume("tea")
        await workspace.close()
