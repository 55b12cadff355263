"""Pieces of the screen. This file owns how lines stand in, and which colour a speaker has."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from moot.cli.display.text import hang, prose
from moot.core.brief import Brief

# Of middle lightness, so that they can be read on dark and on light ground.
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
class Inset:
    """Something with a mark before its first line and another before each further one; nothing is padded behind."""

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
    """A row without blanks at its end, which wrapping leaves there."""
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
    """Words of others; the items of a list hang."""
    return [Inset(each, "", " " * hang(each)) for each in prose(text, style)]


def fields(pairs: Iterable[tuple[str, str]]) -> list[RenderableType]:
    """Named values: the names in a column where they are short, a long value beside its name."""
    pairs = [(name, value) for name, value in pairs]
    wide = min(max((len(name) for name, _ in pairs), default=0), 16)
    rows: list[RenderableType] = []
    for name, value in pairs:
        label = f"{name:<{wide}}  "
        rows.append(Inset(Stack(tuple(paragraphs(value)) or (Text("–"),)), label, " " * len(label), FAINT))
    return rows


def joined(*parts: Text | str, between: str = " · ") -> Text:
    """Texts with dots between them; the empty ones are left out."""
    return Text(between, style=FAINT).join(
        part if isinstance(part, Text) else Text(part, style=FAINT) for part in parts if part
    )
