"""Words of models as HTML. This file owns what of Markdown may reach a page: no raw HTML, no images, no odd links.

Whatever a model writes is data. A link may leave the page only when somebody clicks it, and shows where it goes; an
image would ask its address at once, and could carry the debate there, so there are none.
"""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

LONGEST = 200_000
"""The most characters that are rendered; of more the rest is left out, and that is said."""

TAGS = frozenset(
    {"p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"}
    | {"h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"}
)
"""What a turn may be made of. Its headings stand under those of the page."""

SCHEMES = frozenset({"http", "https", "mailto"})


def hypertext(text: str) -> str:
    """Markdown of a model as safe HTML, its headings beneath those of the page; "" for nothing."""
    if not text.strip():
        return ""
    made = _reader(under=2).render(text[:LONGEST])
    if len(text) > LONGEST:
        made += f"<p>[{len(text) - LONGEST:,} more characters are in the record]</p>"
    return _clean(made)


def document(text: str, pictures: Mapping[str, str]) -> str:
    """A whole page of Markdown of ours, which quotes models, as safe HTML.

    Args:
        text: the page.
        pictures: what stands in the place of a fenced block, as HTML of ours, by the block's language.
    """
    reader = _reader(under=0)
    tokens = reader.parse(text.replace(_SIGN, ""))
    for token in tokens:
        if token.type == "fence" and token.info in pictures:
            token.type, token.tag, token.content = "code_block", "", f"{_SIGN}{token.info}"
    made = _clean(reader.renderer.render(tokens, reader.options, {}))
    for language, picture in pictures.items():
        made = made.replace(f"<pre><code>{_SIGN}{language}</code></pre>", picture)
    return made


_SIGN = "\N{OBJECT REPLACEMENT CHARACTER}"
"""What stands before the name of a picture until it is put in; no text keeps this sign."""


def _clean(made: str) -> str:
    import nh3  # here for start-up time: only hosts with pages need it

    return nh3.clean(
        made,
        tags={*TAGS, "h1", "h2"},
        attributes={"a": {"href", "title"}, "ol": {"start"}},
        url_schemes=set(SCHEMES),
        link_rel="noopener noreferrer nofollow",
    )


@cache
def _reader(under: int) -> "MarkdownIt":
    """Reads Markdown; headings stand so many levels below their own."""
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    reader = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True}).enable(
        ["table", "strikethrough"]
    )
    reader.disable("image")
    reader.validateLink = _can_leave

    def lower(tokens: list[Token]) -> None:
        for token in tokens:
            if token.type in ("heading_open", "heading_close"):
                token.tag = f"h{min(6, int(token.tag[1]) + under)}"
            elif token.type == "link_open":
                token.attrSet("title", str(token.attrGet("href")))
            lower(token.children or [])

    reader.core.ruler.push("lower", lambda state: lower(state.tokens))
    return reader


def _can_leave(url: str) -> bool:
    """Whether a link may stand: one of three schemes, to a host."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return False
    return parts.scheme in SCHEMES and bool(parts.netloc or parts.scheme == "mailto")
