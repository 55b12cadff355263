"""A chart as SVG: axes, dots with intervals, lines, bands and bars, in the colours of the page around it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final
from xml.etree.ElementTree import Element

from folkmoot.app.results.elements import element

LEFT, RIGHT, TOP, BOTTOM = 64.0, 20.0, 16.0, 52.0
TICKS: Final = 5
LETTER: Final = 7.2
"""Room for a letter of a label."""

LINE: Final = 15.0
"""Room for a line of labels."""

MARKS: Final = ("circle", "cross", "square", "triangle", "diamond")
"""Shapes of marks: colour is never the only signal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One axis: its label, from where to where, whether it is logarithmic, and the names of its places."""

    label: str
    low: float
    high: float
    log: bool = False
    names: Sequence[str] = ()

    def share(self, value: float) -> float:
        """How far along the axis a value lies, from 0 to 1."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> Iterator[tuple[float, str]]:
        """The values that have a mark, with their labels."""
        if self.names:
            yield from ((float(index), name) for index, name in enumerate(self.names))
        elif self.log:
            yield from ((value, f"{value:,.6g}") for value in _log_ticks(self.low, self.high))
        else:
            step = nice_step((self.high - self.low) / TICKS)
            first = math.ceil(self.low / step - 1e-9)
            for count in range(first, math.floor(self.high / step + 1e-9) + 1):
                yield count * step, f"{count * step:.6g}"


def nice_step(rough: float) -> float:
    """1, 2 or 5 times a power of ten, at least as large."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= rough * (1 - 1e-9))


def _log_ticks(low: float, high: float) -> Iterator[float]:
    power = 10.0 ** math.floor(math.log10(low))
    wide = high / low > 100
    while power <= high:
        yield from (power * digit for digit in ((1,) if wide else (1, 2, 5)) if low <= power * digit <= high)
        power *= 10


def axis(label: str, values: Sequence[float], *, log: bool = False, also: Sequence[float] = ()) -> Axis:
    """An axis around some values, with room at both ends.

    Args:
        label: of the axis.
        values: that must lie on it.
        log: whether it is logarithmic; all values are above 0 then.
        also: further values that must lie on it.
    """
    low, high = min((*values, *also)), max((*values, *also))
    if log:
        room = max((high / low) ** 0.08, 1.15)
        return Axis(label=label, low=low / room, high=high * room, log=True)
    room = (high - low) * 0.06 or abs(high) * 0.1 or 1.0
    return Axis(label=label, low=low - room, high=high + room)


BESIDE: Final = 0.04
"""The share of an axis between marks that would lie on each other."""


def spread(across: Axis, values: Sequence[float]) -> list[tuple[float, float]]:
    """Where marks stand on a logarithmic axis: those that would lie on each other stand side by side, in their order.

    Returns:
        For each value its place, and the last place of those that stand side by side with it.
    """
    step = (across.high / across.low) ** BESIDE
    groups: list[list[int]] = []
    for index in sorted(range(len(values)), key=lambda index: values[index]):
        if groups and values[index] < values[groups[-1][-1]] * step:
            groups[-1].append(index)
        else:
            groups.append([index])
    columns: dict[int, tuple[float, float]] = {}
    for group in groups:
        middle = math.prod(values[index] ** (1 / len(group)) for index in group)
        half = (len(group) - 1) / 2
        for number, index in enumerate(sorted(group)):
            columns[index] = middle * step ** (number - half), middle * step**half
    return [columns[index] for index in range(len(values))]


def places(label: str, names: Sequence[str]) -> Axis:
    """An axis of names, of which the first stands at 0."""
    return Axis(label=label, low=-0.6, high=len(names) - 0.4, names=names)


@dataclass(slots=True, kw_only=True)
class Chart:
    """A picture with two axes, to which marks are added.

    Attributes:
        title: what it shows; screen readers read it.
        x: the horizontal axis.
        y: the vertical axis; names stand from top to bottom.
        height: in the unit of the picture, which is 720 wide.
        left: room for the labels of the vertical axis.
        width: of the picture.
        shapes: what was added.
        labels: where words stand: left and right end, and height.
    """

    title: str
    x: Axis
    y: Axis
    height: float = 320.0
    left: float = LEFT
    width: float = 720.0
    shapes: list[Element] = field(default_factory=list[Element])
    labels: list[tuple[float, float, float]] = field(default_factory=list[tuple[float, float, float]])

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a point lies in the picture."""
        across = self.left + self.x.share(x) * (self.width - self.left - RIGHT)
        share = self.y.share(y) if self.y.names else 1 - self.y.share(y)
        return across, TOP + share * (self.height - TOP - BOTTOM)

    def dot(self, x: float, y: float, *, colour: int = 0, label: str = "", mark: int | None = None) -> None:
        """A mark with what it says when the pointer rests on it."""
        across, down = self.at(x, y)
        shape = MARKS[(colour if mark is None else mark) % len(MARKS)]
        title = [element("title", label)] if label else []
        self.shapes.append(element("path", *title, d=_mark(shape, across, down), class_=f"mark c{colour % 6}"))

    def interval(self, low: tuple[float, float], high: tuple[float, float], *, colour: int = 0) -> None:
        """A line between two points."""
        (x1, y1), (x2, y2) = self.at(*low), self.at(*high)
        self.shapes.append(element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=f"span c{colour % 6}"))

    def line(self, points: Sequence[tuple[float, float]], *, colour: int = 0, dashed: bool = False) -> None:
        """A line through points."""
        path = " ".join(f"{x:.2f},{y:.2f}" for x, y in (self.at(*point) for point in points))
        style = f"line c{colour % 6}{' dashed' if dashed else ''}"
        self.shapes.append(element("polyline", points=path, class_=style))

    def band(self, points: Sequence[tuple[float, float, float]], *, colour: int = 0) -> None:
        """The area between two lines: for each x the lower and the upper y."""
        upper = [self.at(x, high) for x, _, high in points]
        lower = [self.at(x, low) for x, low, _ in reversed(points)]
        path = " ".join(f"{x:.2f},{y:.2f}" for x, y in (*upper, *lower))
        self.shapes.append(element("polygon", points=path, class_=f"band c{colour % 6}"))

    def box(self, low: tuple[float, float], high: tuple[float, float], *, style: str, label: str = "") -> None:
        """A rectangle between two corners."""
        (x1, y1), (x2, y2) = self.at(*low), self.at(*high)
        title = [element("title", label)] if label else []
        size = {"width": max(abs(x2 - x1), 0.5), "height": max(abs(y2 - y1), 0.5)}
        self.shapes.append(element("rect", *title, x=min(x1, x2), y=min(y1, y2), class_=style, **size))

    def text(self, x: float, y: float, words: str) -> None:
        """Words beside a point, lower where other words stand there already."""
        across, down = self.at(x, y)
        room = len(words) * LETTER
        start = across - 8 - room if across > self.width * 0.7 else across + 8
        own = [line for left, right, line in self.labels if start < right and left < start + room]
        while any(abs(down - line) < LINE for line in own):
            down += LINE
        self.labels.append((start, start + room, down))
        anchor, edge = ("end", start + room) if start < across else ("start", start)
        self.shapes.append(element("text", words, x=edge, y=down - 7, text_anchor=anchor, class_="label"))

    def count(self, x: float, y: float, number: int) -> None:
        """A number in the middle of a cell."""
        across, down = self.at(x, y)
        self.shapes.append(element("text", str(number), x=across, y=down + 4, class_="count"))

    def svg(self) -> Element:
        """The picture."""
        ends = [self.left, self.width - RIGHT, TOP, self.height - BOTTOM]
        frame = [
            *(self._x_tick(value, words, ends) for value, words in self.x.ticks()),
            *(self._y_tick(value, words, ends) for value, words in self.y.ticks()),
            element("text", self.x.label, x=(ends[0] + ends[1]) / 2, y=self.height - 10, class_="axis"),
        ]
        if self.y.label:
            middle = (TOP + self.height - BOTTOM) / 2
            turned = f"rotate(-90 16 {middle:.2f})"
            frame.append(element("text", self.y.label, x=16, y=middle, transform=turned, class_="axis"))
        box = f"0 0 {self.width:g} {self.height:g}"
        return element("svg", *frame, *self.shapes, viewBox=box, role="img", aria_label=self.title)

    def _x_tick(self, value: float, words: str, ends: Sequence[float]) -> Element:
        across = self.left + self.x.share(value) * (ends[1] - ends[0])
        grid = element("line", x1=across, x2=across, y1=ends[2], y2=ends[3], class_="grid")
        return element("g", grid, element("text", words, x=across, y=ends[3] + 18, class_="tick middle"))

    def _y_tick(self, value: float, words: str, ends: Sequence[float]) -> Element:
        down = self.at(self.x.low, value)[1]
        grid = element("line", x1=ends[0], x2=ends[1], y1=down, y2=down, class_="grid")
        return element("g", grid, element("text", words, x=ends[0] - 8, y=down + 4, class_="tick end"))


def _mark(shape: str, x: float, y: float) -> str:
    """The outline of a mark around a point."""
    size = 5.0
    match shape:
        case "cross":
            return f"M{x - size:.2f} {y - size:.2f}l{2 * size} {2 * size}m0 {-2 * size}l{-2 * size} {2 * size}"
        case "square":
            return f"M{x - size:.2f} {y - size:.2f}h{2 * size}v{2 * size}h{-2 * size}z"
        case "triangle":
            return f"M{x:.2f} {y - size:.2f}l{size} {2 * size}h{-2 * size}z"
        case "diamond":
            return f"M{x:.2f} {y - size - 1:.2f}l{size} {size + 1}l{-size} {size + 1}l{-size} {-size - 1}z"
        case _:
            return f"M{x - size:.2f} {y:.2f}a{size} {size} 0 1 0 {2 * size} 0a{size} {size} 0 1 0 {-2 * size} 0z"
