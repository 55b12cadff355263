"""News feeds: how RSS and Atom are read. Their content is foreign text.

The parser is the standard library's. A document type is refused, and with it every entity that could grow or reach
elsewhere. Tags are removed from every text.
"""

import asyncio
import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from folkmoot.core.errors import ToolError
from folkmoot.core.roles import News
from folkmoot.core.text import clean
from folkmoot.tools.fetch import MOST_BYTES, Fetcher

MOST_NEWS = 100
"""Pieces of news that are read of one feed."""

LONGEST = 2_000
"""Characters of a text of a feed."""

_ITEMS = ("item", "entry")
_MEANS: Mapping[str, str] = {
    "title": "title",
    "description": "text",
    "summary": "text",
    "content": "text",
    "link": "link",
    "pubdate": "when",
    "published": "when",
    "updated": "when",
}
"""What the elements of a piece of news are, in both formats."""


class Feeds:
    """The owner's feeds.

    Args:
        places: where each feed is, by its name: an address, or the path of a file.
        fetcher: fetches addresses; None for one that reaches public ones alone.
    """

    def __init__(self, places: Mapping[str, str], fetcher: Fetcher | None = None) -> None:
        self._places, self._fetcher = places, fetcher or Fetcher()

    async def news(self, name: str) -> tuple[News, ...]:
        """The news of a feed, in its order.

        Raises:
            ToolError: there is no such feed, it cannot be read, or it is no feed.
        """
        address = self._places.get(name)
        if address is None:
            raise ToolError("its owner has set no such feed")
        if re.match(r"https?://", address):
            return parse((await self._fetcher.fetch(address)).text.encode(), "utf-8")
        return parse(await asyncio.to_thread(_read, Path(address)))


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ToolError(f"{path.name}: {error.strerror or error}") from error
    if len(data) > MOST_BYTES:
        raise ToolError(f"{path.name} is larger than {MOST_BYTES // 1024 // 1024} MiB")
    return data


def parse(data: bytes, encoding: str | None = None) -> tuple[News, ...]:
    """The news in a feed, in the encoding that is given, else in the one that it names.

    Raises:
        ToolError: it is no feed, or has a document type.
    """
    reading = _Reading()
    parser = expat.ParserCreate(encoding)
    parser.StartDoctypeDeclHandler = reading.refuse
    parser.StartElementHandler = reading.start
    parser.EndElementHandler = reading.end
    parser.CharacterDataHandler = reading.words
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise ToolError(f"it is not a feed: line {error.lineno} cannot be read") from error
    except (LookupError, ValueError) as error:
        raise ToolError("it names an encoding that no feed has; UTF-8 is read") from error
    if not reading.root.endswith(("rss", "feed", "RDF")):
        raise ToolError("it is neither RSS nor Atom")
    return tuple(reading.found)


@dataclass(slots=True)
class _Reading:
    """A feed as far as it was read."""

    root: str = ""
    found: list[News] = field(default_factory=list[News])
    item: dict[str, str] | None = None
    depth: int = 0
    open: str = ""
    texts: list[str] = field(default_factory=list[str])
    size: int = 0

    def refuse(self, name: str, system: str | None, public: str | None, internal: int) -> None:
        """A document type."""
        raise ToolError("it has a document type, which feeds do not need")

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        self.root = self.root or name
        if self.item is None:
            if name in _ITEMS:
                self.item, self.depth = {}, 0
            return
        self.depth += 1
        if self.depth == 1:
            self.open, self.texts, self.size = _MEANS.get(name.casefold(), ""), [], 0
            if self.open == "link" and attributes.get("href") and attributes.get("rel", "alternate") == "alternate":
                self.item.setdefault("link", attributes["href"][:LONGEST])

    def words(self, text: str) -> None:
        """Characters."""
        if self.open and self.size < LONGEST:
            self.texts.append(text[: LONGEST - self.size])
            self.size += len(text)

    def end(self, name: str) -> None:
        """An element ends."""
        if self.item is None:
            return
        if self.depth == 0:
            if self.item.get("title") and len(self.found) < MOST_NEWS:
                self.found.append(News(**self.item))
            self.item = None
            return
        if self.depth == 1 and self.open:
            if text := _without_tags("".join(self.texts)):
                self.item.setdefault(self.open, text)
            self.open = ""
        self.depth -= 1


def _without_tags(text: str) -> str:
    """A text without tags, on one line."""
    return " ".join(clean(html.unescape(re.sub(r"<[^<>]*>", " ", text))).split())
