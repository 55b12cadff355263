"""The tools search and open_page: engines, their bad days, and what reaches a model."""

import sys
import time
from collections.abc import Mapping, Sequence

import ddgs.ddgs
import pytest
from ddgs.engines.duckduckgo import Duckduckgo
from ddgs.exceptions import DDGSException
from primp import PrimpError

from folkmoot.agents.toolkit import ToolUse
from folkmoot.core.errors import BriefError, ToolError
from folkmoot.testing.conformance import Journal
from folkmoot.testing.small_web import Answer, Web, as_json, moved, page, searxng, serve_pages
from folkmoot.tools import web_search
from folkmoot.tools.fetch import Fetcher
from folkmoot.tools.web_search import (
    RESULTS,
    DuckDuckGo,
    OpenPage,
    SearchResult,
    Searxng,
    WebSearch,
    ask_duckduckgo,
    need_duckduckgo,
)
from tests.kits.tools import CONTEXT

ERRAND = ToolUse(context=CONTEXT, say=Journal(), name="tool-1")
HITS: list[Mapping[str, object]] = [
    {"title": "Tea\n costs", "url": "https://tea.example/costs", "content": "Two  cents\x1b[31m a cup.", "score": 3},
    {"title": "", "url": "http://b.example/", "content": None},
    {"title": "No page", "url": "javascript:alert(1)", "content": "x"},
    {"title": "No address", "content": "x"},
    {"title": "T" * 300, "url": "https://c.example/", "content": "e" * 1000},
    {"title": "Long address", "url": "https://d.example/" + "a" * 3000, "content": ""},
]


class Lookup:
    """A search engine that remembers what it was asked, and finds pages without end."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    async def find(self, query: str, most: int) -> Sequence[SearchResult]:
        self.asked.append((query, most))
        return [SearchResult(title=f"{n}", address=f"https://a.example/{n}") for n in range(most)]


# ---- the tool -------------------------------------------------------------------------------------------------------


async def test_results_are_laid_out_with_their_addresses() -> None:
    async with Web(searxng(HITS)).serve() as web:
        result = await WebSearch(Searxng(f"{web.url}/")).use({"query": " cost\nof  tea "}, ERRAND)
    assert result.text == (
        "1. Tea costs\nhttps://tea.example/costs\nTwo cents[31m a cup.\n\n"
        "2. http://b.example/\nhttp://b.example/\n\n\n"
        f"3. {'T' * 200} […cut: 100 more characters]\nhttps://c.example/\n{'e' * 400} […cut: 600 more characters]"
    )
    assert result.sources == ("https://tea.example/costs", "http://b.example/", "https://c.example/")
    assert web.visits[0].query == {"q": "cost of tea", "format": "json"}


@pytest.mark.parametrize(
    ("options", "most"), [({}, 5), ({"results": 99}, RESULTS), ({"results": 0}, 1), ({"results": "x"}, 5)]
)
async def test_there_are_as_many_results_as_asked_for(options: Mapping[str, object], most: int) -> None:
    shelf = Lookup()
    result = await WebSearch(shelf).use({"query": "tea", **options}, ERRAND)
    assert (shelf.asked, len(result.sources)) == ([("tea", most)], most)


@pytest.mark.parametrize("query", ["", " \n", "x" * 301, 7])
async def test_queries_that_are_refused_reach_no_engine(query: object) -> None:
    shelf = Lookup()
    with pytest.raises(ToolError, match="in a few words, at most 300 characters"):
        await WebSearch(shelf).use({"query": query}, ERRAND)
    assert shelf.asked == []


# ---- SearXNG --------------------------------------------------------------------------------------------------------

BAD: list[tuple[Answer, str]] = [
    (Answer(status=403), "refuses JSON; its owner has to allow it under search.formats"),
    (Answer(status=500), "answers with the status 500"),
    (moved("http://127.0.0.1:1/"), "answers with the status 302"),
    (page("<p>hello"), "is not a list of results"),
    (as_json({"results": "many"}), "is not a list of results"),
    (as_json({"results": []}), "nothing was found"),
    (as_json({"results": [1, "two", {"url": 5}]}), "nothing was found"),
    (Answer(body=b"x" * 65536, endless=True), "answer is too large"),
]


@pytest.mark.parametrize(("answer", "message"), BAD, ids=[text for _, text in BAD])
async def test_bad_days_of_an_engine(answer: Answer, message: str) -> None:
    async with Web(lambda visit: answer).serve() as web:
        with pytest.raises(ToolError, match=message):
            await WebSearch(Searxng(web.url)).use({"query": "tea"}, ERRAND)


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "http://[", "nonsense"])
async def test_an_engine_that_is_away(url: str) -> None:
    with pytest.raises(ToolError, match="the search engine cannot be reached"):
        await Searxng(url).find("tea", 3)


# ---- DuckDuckGo -----------------------------------------------------------------------------------------------------

RESULT_PAGE = """<html><body><div class="result results_links"><div class="links_main result__body">
<h2><a href="https://tea.example/">Tea</a></h2><a href="https://tea.example/">Two cents</a></div></div></body></html>"""


async def test_the_library_asks_duckduckgo_and_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real library, against a page of results on the loopback interface."""
    async with Web(serve_pages({"/html/": page(RESULT_PAGE)})).serve() as web:
        monkeypatch.setattr(Duckduckgo, "search_url", f"{web.url}/html/")
        hits = await DuckDuckGo().find("cost of tea", 3)
    assert [hit.address for hit in hits] == ["https://tea.example/"]
    assert hits[0].title == "Tea"
    assert [(visit.method, visit.path) for visit in web.visits] == [("POST", "/html/")]
    assert b"cost+of+tea" in web.visits[0].body


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (DDGSException("No results found."), ""),
        (DDGSException("rate limited"), "DuckDuckGo does not answer: rate limited"),
        (PrimpError("builder error"), "DuckDuckGo does not answer: builder error"),
        (ValueError("the page\nhas changed"), "DuckDuckGo does not answer: the page has changed"),
        (KeyError("href"), "DuckDuckGo does not answer: 'href'"),
        (AttributeError(), "DuckDuckGo does not answer: AttributeError"),
        (TypeError("x"), "DuckDuckGo does not answer: x"),
        (RuntimeError("can't start new thread"), "DuckDuckGo does not answer: can't start new thread"),
        (OverflowError("x"), "DuckDuckGo does not answer: x"),
        (OSError("no such file"), "DuckDuckGo does not answer: no such file"),
    ],
    ids=repr,
)
async def test_errors_of_the_library(monkeypatch: pytest.MonkeyPatch, error: Exception, message: str) -> None:
    def fail(self: object, query: str, **more: object) -> Sequence[object]:
        raise error

    monkeypatch.setattr(ddgs.ddgs.DDGS, "text", fail)
    if not message:
        assert await DuckDuckGo().find("tea", 3) == []
        return
    with pytest.raises(ToolError, match=message):
        await DuckDuckGo().find("tea", 3)


async def test_an_engine_that_stumbles_is_told() -> None:
    def stumble(query: str, most: int) -> Sequence[object]:
        raise ValueError("not as it was")

    with pytest.raises(ToolError, match="DuckDuckGo does not answer: not as it was"):
        await DuckDuckGo(stumble).find("tea", 3)


async def test_a_proxy_that_cannot_be_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DDGS_PROXY", "nonsense://x")
    with pytest.raises(ToolError, match=r"DuckDuckGo does not answer: .*proxy"):
        await DuckDuckGo().find("tea", 3)


async def test_a_search_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_search, "SECONDS", 0.05)

    def slow(query: str, most: int) -> Sequence[object]:
        time.sleep(0.2)
        return []

    with pytest.raises(ToolError, match="did not answer within"):
        await DuckDuckGo(slow).find("tea", 3)


def test_a_missing_library_is_one_sentence_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    need_duckduckgo()
    for name in ("ddgs", "ddgs.ddgs"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(BriefError, match=r'pip install .*"ddgs'):
        need_duckduckgo()
    with pytest.raises(ToolError, match=r'pip install .*"ddgs'):
        ask_duckduckgo("tea", 3)


# ---- pages ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("html", "text"), [("<title>T</title><p>Words.", "T\n\nWords."), ("<p>Words.", "Words.")])
async def test_a_page_is_opened(html: str, text: str) -> None:
    async with Web(serve_pages({"/a": page(html)})).serve() as web:
        result = await OpenPage(Fetcher(trusted=[web.authority])).use({"url": f" {web.url}/a "}, ERRAND)
    assert (result.text, result.sources) == (text, (f"{web.url}/a",))


async def test_pages_that_are_not_opened() -> None:
    async with Web(serve_pages({"/empty": page("<script>x</script>")})).serve() as web:
        with pytest.raises(ToolError, match="has no words"):
            await OpenPage(Fetcher(trusted=[web.authority])).use({"url": f"{web.url}/empty"}, ERRAND)
        with pytest.raises(ToolError, match="only the ports"):
            await OpenPage(Fetcher()).use({"url": f"{web.url}/empty"}, ERRAND)
    assert len(web.visits) == 1
