"""An embedding model: what it adds to a search, its bad days, and what its vectors cost."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from folkmoot.agents.toolkit import ToolUse
from folkmoot.core.agent import Quote
from folkmoot.core.ask import Usage
from folkmoot.core.brief import Source
from folkmoot.core.errors import BriefError, LimitReached, Unavailable
from folkmoot.core.event import Called
from folkmoot.testing.conformance import Journal
from folkmoot.testing.small_web import Answer, Visit, Web, as_json
from folkmoot.tools.embeddings import BATCH, Embeddings, likeness
from folkmoot.tools.rag import Rag
from tests.kits.tools import CONTEXT


def tool_use(journal: Journal | None = None) -> ToolUse:
    return ToolUse(context=CONTEXT, say=journal or Journal(), name="tool-1")


TEXTS = (Source(name="a.md", text="Tea costs two cents."), Source(name="b.md", text="Coffee grows in Brazil."))


def brew(visit: Visit) -> Answer:
    """An embedding model that knows that espresso is coffee."""
    texts: list[str] = json.loads(visit.body)["input"]
    vectors = [[0, 2.0] if "Coffee" in text or "espresso" in text else [3, 0.1] for text in texts]
    if visit.path == "/api/embed":
        return as_json({"embeddings": vectors})
    rows = [{"index": n, "embedding": vector} for n, vector in enumerate(vectors)]
    return as_json({"data": rows[::-1]})


def models(web: Web) -> dict[str, str]:
    return {"OLLAMA_HOST": web.url, "FOLKMOOT_BASE_URL": f"{web.url}/v1", "FOLKMOOT_API_KEY": "k"}


@pytest.mark.parametrize("name", ["ollama:nomic-embed-text", "compatible:e5"])
async def test_an_embedding_model_finds_what_words_do_not(name: str) -> None:
    async with Web(brew).serve() as web:
        embeddings = Embeddings(name, models(web))
        rag = Rag(TEXTS, embeddings)
        result = await rag.use({"query": "espresso", "passages": 1}, tool_use())
        assert result.sources == ("b.md:1",)
        assert len(web.visits) == 2
        await rag.use({"query": "espresso"}, tool_use())
        assert len(web.visits) == 3, "the documents are embedded once"
        await embeddings.close()
    wanted = "/api/embed" if name.startswith("ollama") else "/v1/embeddings"
    assert {visit.path for visit in web.visits} == {wanted}


async def test_many_texts_go_in_batches() -> None:
    async with Web(brew).serve() as web:
        embeddings = Embeddings("ollama:e", models(web))
        vectors = await embeddings.embed([f"tea {n}" for n in range(BATCH + 1)], tool_use(journal := Journal()))
        assert (len(vectors), len(web.visits)) == (BATCH + 1, 2)
        assert await embeddings.embed([], tool_use()) == ()
        await embeddings.close()
    assert list(journal.kept) == ["tool-1-embed-1", "tool-1-embed-2"]
    assert likeness(vectors[0], vectors[-1]) == pytest.approx(1)
    assert likeness(vectors[0], ()) == 0


FAULTY: list[Answer] = [
    Answer(status=404, body=b'{"error": "no such model"}', kind="application/json"),
    Answer(body=b"<p>hello", kind="text/html"),
    as_json({"embeddings": []}),
    as_json({"embeddings": [[1], [1, 2]]}),
    as_json({"embeddings": "none"}),
    Answer(body=b'{"embeddings": [[1], [1' + b"0" * 400 + b", 1]]}", kind="application/json"),
]


@pytest.mark.parametrize("answer", FAULTY)
async def test_without_its_model_the_documents_are_searched_by_words(answer: Answer) -> None:
    async with Web(lambda visit: answer).serve() as web:
        embeddings = Embeddings("ollama:e", models(web))
        result = await Rag(TEXTS, embeddings).use({"query": "price of tea"}, tool_use())
        await embeddings.close()
    assert result.sources == ("a.md:1",)
    assert "(Searched without the embedding model: ollama" in result.text


async def test_a_model_that_is_away() -> None:
    async with Web(brew).serve() as web:
        env = models(web)
    embeddings = Embeddings("ollama:e", env)
    with pytest.raises(Unavailable, match="ollama:e cannot be reached"):
        await embeddings.embed(["x"], tool_use())
    await embeddings.close()


async def test_what_is_no_number_is_no_vector() -> None:
    async with Web(lambda visit: as_json({"data": [{"embedding": ["a"]}, 5]})).serve() as web:
        embeddings = Embeddings("compatible:e", models(web))
        assert await embeddings.embed(["x"], tool_use()) == ((),)
        await embeddings.close()


@pytest.mark.parametrize(
    "numbers", ["[1e308, 1e308]", "[1e154, 1.3e154, 1.3e154]", "[NaN, 1]", "[Infinity, -Infinity]"]
)
async def test_numbers_without_bounds_harm_nobody(numbers: str) -> None:
    body = f'{{"embeddings": [{numbers}]}}'.encode()
    async with Web(lambda visit: Answer(body=body, kind="application/json")).serve() as web:
        embeddings = Embeddings("ollama:e", models(web))
        (vector,) = await embeddings.embed(["x"], tool_use())
        await embeddings.close()
    assert vector == () or likeness(vector, vector) == pytest.approx(1)


# ---- what vectors cost ----------------------------------------------------------------------------------------------


class Clerk(Journal):
    """A line that keeps the quotes, and lets nothing through that costs more than it may."""

    def __init__(self, most: float = 1.0) -> None:
        super().__init__()
        self.quotes: list[Quote] = []
        self.most = most

    async def call(self, name: str, quote: Quote, send: Callable[[], Awaitable[Called]]) -> Called:
        self.quotes.append(quote)
        if quote.cost is None or quote.cost > self.most:
            raise LimitReached(f"the price of {quote.model}")
        return await super().call(name, quote, send)


LARGE = "openai:text-embedding-3-large"
USED: list[tuple[str, dict[str, object], Usage]] = [
    ("ollama:e", {"prompt_eval_count": 3}, Usage(input_tokens=3)),
    ("ollama:e", {}, Usage(input_tokens=17, estimated=True)),
    (LARGE, {"usage": {"prompt_tokens": 1000}}, Usage(input_tokens=1000, cost=0.00013)),
    (
        "openai:text-embedding-3-large",
        {"usage": {"prompt_tokens": "?"}},
        Usage(input_tokens=17, cost=17 * 0.13e-6, estimated=True),
    ),
]


@pytest.mark.parametrize(("name", "fields", "usage"), USED)
async def test_every_request_is_a_call_on_record(name: str, fields: dict[str, object], usage: Usage) -> None:
    answer = as_json({"embeddings": [[1]], "data": [{"embedding": [1]}], **fields})
    async with Web(lambda visit: answer).serve() as web:
        env = {**models(web), "OPENAI_BASE_URL": web.url, "OPENAI_API_KEY": "k"}
        embeddings, clerk = Embeddings(name, env), Clerk()
        await embeddings.embed(["tea"], tool_use(clerk))
        await embeddings.close()
    called = clerk.kept["tool-1-embed-1"]
    assert (called.model, called.text) == (name, "1 vectors")
    assert called.usage == replace(usage, cost=pytest.approx(usage.cost))
    assert clerk.quotes == [embeddings.quote(["tea"])]


@pytest.mark.parametrize("name", [LARGE, "compatible:e5"])
async def test_what_a_limit_forbids_is_not_sent(name: str) -> None:
    async with Web(brew).serve() as web:
        embeddings = Embeddings(name, {**models(web), "OPENAI_BASE_URL": web.url, "OPENAI_API_KEY": "k"})
        with pytest.raises(LimitReached, match=name):
            await Rag(TEXTS, embeddings).use({"query": "espresso"}, tool_use(Clerk(most=0.0)))
        await embeddings.close()
    assert web.visits == []


async def test_vectors_that_went_with_their_run_are_asked_for_again_under_another_name() -> None:
    async with Web(brew).serve() as web:
        embeddings, journal = Embeddings("ollama:e", models(web)), Journal()
        first = await Rag(TEXTS, embeddings).use({"query": "espresso"}, tool_use(journal))
        again = await Rag(TEXTS, embeddings).use({"query": "espresso"}, tool_use(journal))
        await embeddings.close()
    assert first == again
    assert list(journal.kept) == [f"tool-1-embed-{n}" for n in (1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("name", "message"), [("anthropic:claude", "makes no embeddings"), ("nobody:x", "no known provider")]
)
def test_models_that_cannot_embed(name: str, message: str) -> None:
    with pytest.raises(BriefError, match=message):
        Embeddings(name, {"ANTHROPIC_API_KEY": "k"})
