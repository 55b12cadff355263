"""The tools ``search`` and ``open_page``: web search and the layout of its results.

The owner chooses the search engine; no brief can name its address. Results are foreign text with their address.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Protocol, TypeAlias, cast

from folkmoot.agents.toolkit import ToolResult, ToolUse
from folkmoot.core.ask import ToolSpec
from folkmoot.core.errors import BriefError, ToolError
from folkmoot.core.json_values import read_object
from folkmoot.core.packages import missing_library
from folkmoot.core.text import clean, clip
from folkmoot.tools.fetch import LONGEST_ADDRESS, Fetcher

RESULTS = 8
"""The most results of one search."""

USUAL = 5
LONGEST_QUERY = 300
"""Characters of a query: a few words, and too few to carry a document away."""

SECONDS = 15.0
"""Time for one search."""

MOST_BYTES = 4 * 1024 * 1024
_TITLE = 200
_EXCERPT = 400

SEARCH = ToolSpec(
    name="search",
    help="Searches the web. Gives titles, addresses and excerpts; open_page reads a result. Cite addresses you use.",
    parameters={
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for, in a few words."},
            "results": {"type": "integer", "minimum": 1, "maximum": RESULTS, "description": "How many results."},
        },
        "required": ["query"],
    },
)
OPEN_PAGE = ToolSpec(
    name="open_page",
    help="Reads a public page of the web, such as a result of search. Cite its address.",
    parameters={
        "type": "object",
        "properties": {"url": {"type": "string", "description": "The address, from http:// or https:// on."}},
        "required": ["url"],
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """One result of a search."""

    title: str
    address: str
    excerpt: str = ""


class SearchEngine(Protocol):
    """A search engine."""

    async def find(self, query: str, most: int) -> Sequence[SearchResult]:
        """The best results first, up to the limit.

        Raises:
            ToolError: the engine gave none of use.
        """
        ...


class Searxng:
    """A SearXNG server of the owner's, asked in JSON; its settings must allow that format.

    Args:
        url: its address.
    """

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")

    async def find(self, query: str, most: int) -> Sequence[SearchResult]:
        """Search; see ``SearchEngine``."""
        import httpx2  # deferred: it takes 0.1 s to load

        params = {"q": query, "format": "json"}
        try:
            async with httpx2.AsyncClient(trust_env=False, timeout=SECONDS) as client:
                request = client.build_request("GET", f"{self._url}/search", params=params)
                async with aclosing(await client.send(request, stream=True)) as response:
                    status, data = response.status_code, bytearray()
                    async for piece in response.aiter_bytes():
                        data += piece
                        if len(data) > MOST_BYTES:
                            raise ToolError("the search engine's answer is too large")
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise ToolError(f"the search engine cannot be reached: {clip(clean(str(error)), 200)}") from error
        if status == 403:
            raise ToolError("the search engine refuses JSON; its owner has to allow it under search.formats")
        if status != 200:
            raise ToolError(f"the search engine answers with the status {status}")
        results = read_object(bytes(data)).get("results")
        if not isinstance(results, list):
            raise ToolError("the search engine's answer is not a list of results")
        return _search_results(cast("list[object]", results), "url", "content")[:most]


Search: TypeAlias = Callable[[str, int], Sequence[object]]
"""A query and a number to results with ``title``, ``href`` and ``body``; it may block."""


def ask_duckduckgo(query: str, most: int) -> Sequence[object]:
    """Search by the library ``ddgs``.

    Raises:
        ToolError: there is no such library, or the engine did not answer it.
    """
    try:
        from ddgs.ddgs import DDGS  # deferred: it is optional
        from ddgs.exceptions import DDGSException
        from primp import PrimpError
    except ImportError:
        raise ToolError(_no_library()) from None
    try:
        with DDGS(timeout=int(SECONDS) - 5) as engine:
            return engine.text(query, max_results=most, backend="duckduckgo")
    except DDGSException as error:
        if "No results" in str(error):
            return []
        raise _no_answer_error(error) from error
    except PrimpError as error:
        raise _no_answer_error(error) from error


_STUMBLES = (ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError)
"""What code that takes a page or a setting to pieces raises where they are not as it thought."""


def _no_answer_error(error: Exception) -> ToolError:
    return ToolError(f"DuckDuckGo does not answer: {clip(_flat(str(error)), 200) or type(error).__name__}")


def _no_library() -> str:
    return missing_library("A search by DuckDuckGo", "search")


def need_duckduckgo() -> None:
    """Make sure that the library is there.

    Raises:
        BriefError: it is not; the sentence says how to install it.
    """
    if find_spec("ddgs") is None:
        raise BriefError(_no_library(), code="no_tool")


class DuckDuckGo:
    """DuckDuckGo, asked in a thread.

    Args:
        search: how it is asked.
    """

    def __init__(self, search: Search = ask_duckduckgo) -> None:
        self._search = search

    async def find(self, query: str, most: int) -> Sequence[SearchResult]:
        """Search; see ``SearchEngine``."""
        try:
            async with asyncio.timeout(SECONDS):
                results = await asyncio.to_thread(self._search, query, most)
        except TimeoutError:
            raise ToolError(f"DuckDuckGo did not answer within {SECONDS:g} seconds") from None
        except _STUMBLES as error:
            raise _no_answer_error(error) from error
        return _search_results(results, "href", "body")[:most]


def _search_results(results: Sequence[object], address: str, excerpt: str) -> list[SearchResult]:
    """Results of an engine; those without an address of the web are left out."""
    hits: list[SearchResult] = []
    for result in results:
        fields: Mapping[str, object] = cast("dict[str, object]", result) if isinstance(result, dict) else {}
        url, title, text = (_flat(fields.get(name)) for name in (address, "title", excerpt))
        if url.startswith(("https://", "http://")) and len(url) <= LONGEST_ADDRESS:
            hits.append(SearchResult(title=clip(title, _TITLE), address=url, excerpt=clip(text, _EXCERPT)))
    return hits


def _flat(value: object) -> str:
    return " ".join(clean(value).split()) if isinstance(value, str) else ""


class WebSearch:
    """The tool ``search``.

    Args:
        finder: the search engine.
    """

    spec = SEARCH

    def __init__(self, finder: SearchEngine) -> None:
        self._finder = finder

    async def use(self, arguments: Mapping[str, object], tool_use: ToolUse) -> ToolResult:
        """Search; see ``agents.toolkit.Tool``."""
        query = _flat(arguments["query"])
        if not query or len(query) > LONGEST_QUERY:
            raise ToolError(f"write what to look for in a few words, at most {LONGEST_QUERY} characters")
        wanted = arguments.get("results", USUAL)
        hits = await self._finder.find(query, min(RESULTS, max(1, wanted if isinstance(wanted, int) else USUAL)))
        if not hits:
            raise ToolError("nothing was found; try other words")
        shown = [
            f"{n}. {hit.title or hit.address}\n{hit.address}\n{hit.excerpt}" for n, hit in enumerate(hits, start=1)
        ]
        return ToolResult(text="\n\n".join(shown), sources=tuple(hit.address for hit in hits))


class OpenPage:
    """The tool ``open_page``.

    Args:
        fetcher: how pages are fetched.
    """

    spec = OPEN_PAGE

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher

    async def use(self, arguments: Mapping[str, object], tool_use: ToolUse) -> ToolResult:
        """Read a page; see ``agents.toolkit.Tool``."""
        page = await self._fetcher.fetch(str(arguments["url"]).strip())
        if not page.text.strip():
            raise ToolError("the page has no words; it may need a browser")
        return ToolResult(text=f"{page.title}\n\n{page.text}" if page.title else page.text, sources=(page.address,))
