"""The templates of pages and files: Markdown and HTML, in which every text is escaped unless a filter has made it safe.

In a Markdown template ``{{ words }}`` is one line that shows the words as they are (``inline``). Gaps between blocks are
squeezed to one blank line, so a part without content leaves none; a text of somebody's own keeps its lines.
"""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast

from markupsafe import Markup

from folkmoot.core import labels, text
from folkmoot.report import markdown_text
from folkmoot.report.markdown_text import LONG

if TYPE_CHECKING:
    from jinja2 import BytecodeCache, Environment

_LINE_END = "\x1d"
"""Stands for a line's end within a text until the page is whole; ``clean`` leaves none of these in a text."""


def render_html(template: str, **values: object) -> str:
    """A page, or a part of one, in HTML; ``template`` is its path in this package."""
    return _environment("html").get_template(template).render(values)


def render_markdown(template: str, **values: object) -> str:
    """A page in Markdown; it ends with a line break."""
    page = _environment("markdown").get_template(template).render(values)
    return f"{_squeezed(page)}\n".replace(_LINE_END, "\n")


def _squeezed(page: str) -> str:
    return re.sub(r"\n{3,}", "\n\n", page).strip("\n")


@cache
def _environment(kind: str) -> "Environment":
    from jinja2 import Environment, FunctionLoader, StrictUndefined  # here for start-up time

    environment = Environment(
        bytecode_cache=_compiled_templates(kind),
        loader=FunctionLoader(_source),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown if kind == "markdown" else None,
    )
    if kind == "markdown":
        made = (safe_inline, safe_code, _block, _quoted, _lead, as_is, joined, listed)
        words = (text.about, text.counted, text.percent, labels.act_of, labels.duration, labels.ending, labels.noun)
        words += (labels.place, labels.protocol_in_words, markdown_text.capital, markdown_text.date, table)
        library = cast("Any", environment)  # jinja2 types these tables by what it puts into them itself
        library.filters.update({filter.__name__.removeprefix("safe").lstrip("_"): filter for filter in made})
        library.globals.update({word.__name__: word for word in words}, LONG=LONG)
        library.tests["multiline"] = _is_multiline
    return environment


def _source(template: str) -> str:
    return (files("folkmoot") / template).read_text("utf-8")


def _compiled_templates(kind: str) -> "BytecodeCache | None":
    """Templates that a process before has compiled, which takes a third of a second; None where none can be kept.

    What is compiled escapes as its environment does, so no other kind reads it.
    """
    from jinja2 import FileSystemBytecodeCache
    from jinja2.bccache import Bucket
    from platformdirs import user_cache_path

    class Kept(FileSystemBytecodeCache):
        def dump_bytecode(self, bucket: Bucket) -> None:
            with suppress(OSError):  # a folder that is gone or full since then costs time alone
                super().dump_bytecode(bucket)

    with suppress(OSError, RuntimeError):
        place = user_cache_path("folkmoot") / "templates"
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Kept(str(place), f"{kind}-%s.cache")
    return None


def _shown(value: object) -> object:
    """What an expression of a Markdown template shows: words that no filter has made safe are made one line of text."""
    return safe_inline(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def safe_inline(value: object, most: int | None = None) -> Markup:
    """One line of Markdown that shows the words as they are; see ``inline``."""
    return Markup(markdown_text.inline(str(value), most))


def safe_code(value: object) -> Markup:
    """One line of Markdown that shows the words as code; see ``code``."""
    return Markup(markdown_text.code(str(value)))


def _is_multiline(words: str) -> bool:
    return _LINE_END in words


def _block(value: object) -> Markup:
    return kept(markdown_text.block(str(value)))


def _quoted(value: object) -> Markup:
    return kept(markdown_text.quoted(_squeezed(str(value)).replace(_LINE_END, "\n")))


def _lead(value: object, name: object) -> Markup:
    return kept(markdown_text.lead(str(_shown(name)), str(value)))


def as_is(value: object) -> Markup:
    """What is Markdown already."""
    return Markup(value)


def joined(values: Iterable[object], between: str) -> Markup:
    """Texts in one line, with something between them."""
    return Markup(between.join(str(_shown(value)) for value in values))


def listed(values: Iterable[object]) -> Markup:
    """Texts in a sentence: ``Ann, Ben and Cid``."""
    return Markup(text.listed([str(_shown(value)) for value in values]))


def table(heads: Sequence[object], rows: Sequence[Sequence[object]], numbers: int = 0) -> Markup:
    """A table whose last columns, ``numbers`` of them, are aligned right; "" without rows."""
    cells = [[str(_shown(cell)) for cell in row] for row in (heads, *rows)]
    return Markup(markdown_text.table(cells[0], cells[1:], numbers=numbers))


def kept(words: str) -> Markup:
    """Markdown whose lines stay as they are."""
    return Markup(words.replace("\n", _LINE_END))
