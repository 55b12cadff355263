"""HTML to text: the words of a page without what nobody sees.

Scripts, styles, navigation and invisible parts of a page are dropped, so that no hidden text reaches a model. Headings
keep their level as ``#`` and list items a hyphen, because passages are found by them.
"""

import re
from collections.abc import Iterator
from contextlib import suppress

from bs4 import BeautifulSoup, Tag
from bs4.dammit import EncodingDetector
from bs4.element import NavigableString, PageElement, PreformattedString

from folkmoot.core.text import clean, word_set
from folkmoot.tools.charsets import web_encoding

_DROPPED = word_set(
    "button canvas head iframe math nav noscript object script select style svg template textarea title",
)
_UNSEEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|(?:font-size|opacity)\s*:\s*0(?![.\d]*[1-9])", re.IGNORECASE
)
_HEADING = re.compile("h[1-6]")
_BLOCKS = word_set(
    "address article aside br caption center dd details div dt fieldset figcaption footer form header hr html main "
    "summary tbody tfoot thead tr"
)
_APART = word_set("blockquote dl figure ol p pre section table ul")
"""Blocks with an empty line around them."""

_BREAK = "\x1e"
"""The end of a line, of which many in a row are one; no text from outside can hold it."""

HEAD = 65_536
"""The first bytes of a page, in which it may name its encoding; browsers look at fewer."""

_OPENING = re.compile(r"<!--|<!\[|<(?P<shut>/?)(?P<name>script|style)\b", re.IGNORECASE)
_COMMENT_END = re.compile(r"--!?>")


def read_html(data: bytes, charset: str = "") -> tuple[str, str]:
    """The title and the words of a page.

    Args:
        data: the page.
        charset: the encoding that its server names; "" where none is named.
    """
    soup = BeautifulSoup(_closed(_decode(data, charset)), "html.parser")
    title = soup.title.get_text() if soup.title else ""
    for tag in soup.find_all(_is_unseen):
        tag.decompose()
    # A page with one main part says itself what is beside the point.
    parts = soup.find_all("main")
    text = "".join(_pieces(parts[0] if len(parts) == 1 else soup))
    text = re.sub(rf"(?: ?{_BREAK})+(?: (?! ))?(?:\| )?", "\n", text)
    text = re.sub(r"\n-\s+", "\n- ", re.sub(r"(?<![ \t])[ \t]+\n", "\n", text))
    return " ".join(clean(title).split()), re.sub(r"\n{3,}", "\n\n", text).strip("\n")


def _closed(page: str) -> str:
    """The page without comments and open tags: for the end of each the parser would search the whole rest.

    As in browsers, a comment without an end takes the rest of the page with it, and ``<![`` opens a comment. Within a
    script or a style, which are dropped anyway, there are no comments.
    """
    pieces: list[str] = []
    raw, at = "", 0
    while match := _OPENING.search(page, at):
        name = (match["name"] or "").lower()
        pieces.append(page[at : match.start()])
        at = match.end()
        if name:
            pieces.append(match[0])
            raw = raw if raw and raw != name else "" if match["shut"] else name
        elif match[0] == "<![":
            pieces.append("<!")
        elif not raw:
            end = _COMMENT_END.search(page, at - 2)
            at = end.end() if end else len(page)
    joined = "".join([*pieces, page[at:]])
    last = joined.rfind(">") + 1
    return joined[:last] + joined[last:].replace("<", "&lt;")


def _decode(data: bytes, charset: str) -> str:
    """The page's letters: by its server's word, else its own, else UTF-8, else as browsers take what names nothing."""
    declared = EncodingDetector.find_declared_encoding(data[:HEAD], is_html=True) or ""
    for encoding in (web_encoding(charset), web_encoding(declared), "utf-8-sig"):
        with suppress(UnicodeDecodeError):
            return data.decode(encoding or "utf-8-sig")
    return data.decode("windows-1252", "replace")


def _is_unseen(tag: Tag) -> bool:
    if tag.name in _DROPPED or tag.has_attr("hidden") or tag.get("aria-hidden") == "true":
        return True
    return bool(_UNSEEN.search(str(tag.get("style") or "")))


def _pieces(root: Tag) -> Iterator[str]:
    """The page's words with its line ends, in order; without recursion, for pages may be nested without end."""
    ahead: list[tuple[PageElement | str, bool]] = [(root, False)]
    while ahead:
        element, in_pre = ahead.pop()
        if isinstance(element, Tag):
            before, after = _frame(element)
            in_pre = in_pre or element.name == "pre"
            ahead += [(after, in_pre), *((inner, in_pre) for inner in reversed(element.contents)), (before, in_pre)]
        elif isinstance(element, NavigableString):
            if not isinstance(element, PreformattedString):  # a comment, a declaration
                yield clean(element) if in_pre else re.sub(r"\s+", " ", clean(element))
        else:
            yield str(element)


def _frame(tag: Tag) -> tuple[str, str]:
    """What stands before and after the words of a tag."""
    apart = f"{_BREAK}\n{_BREAK}"
    if _HEADING.fullmatch(tag.name):
        return f"{apart}{'#' * int(tag.name[1])} ", apart
    if tag.name in _APART:
        return apart, apart
    if tag.name == "li":
        return f"{_BREAK}- ", _BREAK
    if tag.name in ("td", "th"):
        return " | ", ""
    return (_BREAK, _BREAK) if tag.name in _BLOCKS else ("", "")
