"""Text for the terminal: cleaning, Markdown, numbers, times, colours, indentation and columns."""

import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from folkmoot.core.brief import Brief
from folkmoot.core.text import about, clean, flat, shorten

_INLINE = re.compile(
    r"\*\*(?P<bold>[^*\n]+?)\*\*|(?<![\w*])\*(?P<italic>[^*\s][^*\n]*?)\*(?![\w*])|`(?P<code>[^`\n]+)`"
)
_HEADING = re.compile(r"#{1,6} +")
_ITEM = re.compile(r"(\s*)([-*+•]|\d{1,3}[.)])\s+")


PLAIN_WIDTH = 100
"""Columns of plain lines where the output has no width."""


def console_for(*, plain: bool = False, stderr: bool = False, width: int = PLAIN_WIDTH) -> Console:
    """A console that shows the words of others literally; without escape codes if it is plain or not a terminal."""
    file = sys.stderr if stderr else sys.stdout
    terminal = file.isatty() and not plain and os.environ.get("TERM") != "dumb"
    return Console(
        file=file,
        force_terminal=terminal,
        color_system="auto" if terminal else None,
        no_color=None if terminal else True,
        width=None if file.isatty() or os.environ.get("COLUMNS") else width,
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
    )


def line(text: str) -> str:
    """A text of others in one line, without control or hidden characters."""
    return flat(clean(text))


def short(text: str, limit: int) -> str:
    """A text of others in one line, cut after this many characters and marked with "…"."""
    return shorten(line(text), limit)


def prose(text: str, style: str = "") -> list[Text]:
    """The text of others, line by line, with bold, italics, code, headings and lists of Markdown rendered.

    No word is lost: other Markdown stays as it is.
    """
    lines = clean(text).expandtabs(4).strip("\n").split("\n")
    return [
        _line(value.rstrip(), style) for n, value in enumerate(lines) if value.strip() or (n and lines[n - 1].strip())
    ]


def _line(words: str, style: str) -> Text:
    if match := _HEADING.match(words):
        return Text(words[match.end() :], style=f"{style} bold".strip())
    text = Text(style=style)
    at = 0
    for match in _INLINE.finditer(words):
        text.append(words[at : match.start()])
        kind = match.lastgroup or ""
        text.append(match[kind], style="bold cyan" if kind == "code" else kind)
        at = match.end()
    text.append(words[at:])
    return text


def item_indent(text: Text) -> int:
    """The indentation of the further lines of a list item."""
    match = _ITEM.match(text.plain)
    return match.end() if match else 0


def money(dollars: float | None) -> str:
    """US dollars; ``$?`` where the price is not known."""
    if dollars is None:
        return "$?"
    if 0 < dollars < 0.00005:
        return "<$0.0001"
    return f"${dollars:.4f}" if 0 < dollars < 0.0995 else f"${dollars:.2f}"


def usage_in_words(tokens: int, cost: float | None, estimated: float) -> tuple[str, str]:
    """The tokens and the cost of calls, as words; ``estimated`` is not 0 where a call's tokens were not counted."""
    return about(f"{amount(tokens)} tokens", estimated), about(money(cost), (estimated and cost) or 0)


def amount(number: int) -> str:
    """A large number in a few characters: 940, 9.4k, 94k, 1.2M."""
    if number < 1000:
        return str(number)
    if number < 999_500:
        return f"{number / 1000:.1f}k" if number < 9950 else f"{number / 1000:.0f}k"
    return f"{number / 1e6:.1f}M"


def local_time(at: float) -> str:
    """A point in time in the user's time zone."""
    return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M")


# Of medium lightness, so that they are readable on dark and on light backgrounds.
COLOURS: Sequence[str] = ("color(68)", "color(166)", "color(64)", "color(161)", "color(30)", "color(136)", "color(99)")
MODERATOR = "color(133)"
FAINT = "bright_black"
WARN = "color(136)"
BAD = "color(161)"
GOOD = "color(64)"


def colours(brief: Brief) -> dict[str, str]:
    """A colour for each participant, the same in every view of the debate."""
    others = (*brief.names("debater"), *brief.names("juror"), *brief.names("aide"))
    debaters = {name: COLOURS[n % len(COLOURS)] for n, name in enumerate(others)}
    return {**debaters, **dict.fromkeys(brief.names("moderator"), MODERATOR)}


@dataclass(frozen=True, slots=True)
class Indented:
    """Indents something: one mark before its first line, another before each further line; no trailing spaces."""

    inner: RenderableType
    first: str = "  "
    rest: str = "  "
    style: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Its lines."""
        width = max(8, options.max_width - max(len(self.first), len(self.rest)))
        mark = self.first
        for row in console.render_lines(self.inner, options.update(width=width, height=None), pad=False):
            row = _trimmed(row)
            if row or mark.strip():
                yield Segment(mark if row else mark.rstrip(), Style.parse(self.style) if self.style else None)
            yield from row
            yield Segment.line()
            mark = self.rest


def _trimmed(row: list[Segment]) -> list[Segment]:
    """A row without the trailing spaces that wrapping leaves."""
    while row and not row[-1].text.rstrip():
        row = row[:-1]
    return [*row[:-1], Segment(row[-1].text.rstrip(), row[-1].style)] if row else []


@dataclass(frozen=True, slots=True)
class Stack:
    """Things one below the other."""

    inner: tuple[RenderableType, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Each in turn."""
        yield from self.inner


def paragraphs(text: str, style: str = "") -> list[RenderableType]:
    """The text of others as paragraphs; list items have a hanging indent."""
    return [Indented(item, "", " " * item_indent(item)) for item in prose(text, style)]


def fields(pairs: Iterable[tuple[str, str]]) -> list[RenderableType]:
    """Named values, with the names in a column."""
    pairs = [(name, value) for name, value in pairs]
    wide = min(max((len(name) for name, _ in pairs), default=0), 16)
    rows: list[RenderableType] = []
    for name, value in pairs:
        label = f"{name:<{wide}}  "
        rows.append(Indented(Stack(tuple(paragraphs(value)) or (Text("–"),)), label, " " * len(label), FAINT))
    return rows


def joined(*parts: Text | str, between: str = " · ") -> Text:
    """Texts joined by dots; empty ones are left out."""
    return Text(between, style=FAINT).join(
        part if isinstance(part, Text) else Text(part, style=FAINT) for part in parts if part
    )


def print_all(renderables: Iterable[RenderableType]) -> None:
    """Print these on standard output."""
    console = console_for()
    for renderable in renderables:
        console.print(renderable)
