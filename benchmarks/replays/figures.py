"""Compare a figure of Folkmoot with its reference, and read numbers from texts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from folkmoot.learn.ratings import correlation

Aim: TypeAlias = Literal["equal", "at least"]
"""Whether ours has to be the reference, or may be better."""

OUT = "OUT OF REACH"
"""What is said where ours is not what is asked for."""


class Check(Protocol):
    """Something of ours beside its reference."""

    @property
    def reached(self) -> bool:
        """Whether ours is what is asked for."""
        ...

    @property
    def row(self) -> str:
        """The line of the table that shows it; "" where there is nothing to show."""
        ...

    @property
    def noun(self) -> str:
        """What it is: a figure, or a line."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SameLine:
    """A line of the reference, and whether ours is the same; only one that is missing is shown."""

    text: str
    reached: bool
    noun: str = "line"

    @property
    def row(self) -> str:
        """The line where it is missing."""
        return "" if self.reached else f"  {self.text}  {OUT}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One number of ours beside the number that somebody else computed from the same data.

    Attributes:
        name: what it is.
        ours: as Folkmoot computes it.
        reference: as it is printed; "" where reference.txt does not have it.
        aim: what is asked for, at the places that the reference is printed with.
        margin: how far off it may be all the same.
    """

    name: str
    ours: float
    reference: str
    aim: Aim = "equal"
    margin: float = 0.0
    noun: str = "figure"

    @property
    def row(self) -> str:
        """The figure, ours, what is asked for, the reference, and whether it is reached."""
        verdict = "ok" if self.reached else OUT
        return f"  {self.name:<68} {self.shown:>8} {self.asked:>6} {self.reference or 'none':>8}  {verdict}"

    @property
    def places(self) -> int:
        """Digits behind the reference's point."""
        return len(self.reference.partition(".")[2])

    @property
    def reached(self) -> bool:
        """Whether ours is what is asked for."""
        if not self.reference:
            return False
        gap = self.ours - float(self.reference)
        room = self.margin + 0.5 * 10**-self.places + 1e-9
        return gap >= -room if self.aim == "at least" else abs(gap) <= room

    @property
    def asked(self) -> str:
        """What is asked for, in a few signs."""
        if self.aim == "at least":
            return ">="
        return f"±{self.margin:g}" if self.margin else "="

    @property
    def shown(self) -> str:
        """Ours with as many places as the reference, three where there is none."""
        return f"{self.ours:.{self.places if self.reference else 3}f}"


def find(pattern: str, text: str) -> str:
    """The number in the first group of a pattern, as it is printed; "" where the text does not have it."""
    match = re.search(pattern, text)
    return match[1] if match else ""


def numbers(line: str) -> dict[str, str]:
    """The pairs of a line such as ``n= 92 mean 0.929 Brier 0.132`` or ``acc=0.377``: words and numbers as printed."""
    return dict(re.findall(r"([A-Za-z|][\w|()]*)[ =]+(-?\d+(?:\.\d+)?)(?![\w.]*[:\]])", line))


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """The parts of a text that begin with ``== ``: the head and what follows."""
    for part in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        yield head, body


def spearman(first: Mapping[str, float], other: Mapping[str, float]) -> float | None:
    """The rank correlation over the names in both (Spearman 1904), equal values sharing their mean rank.

    None for fewer than two names, or where all values of one are equal.
    """
    names = sorted(first.keys() & other.keys())
    return correlation(_ranks([first[name] for name in names]), _ranks([other[name] for name in names]))


def _ranks(values: Sequence[float]) -> list[float]:
    return [sum(item < value for item in values) + (values.count(value) + 1) / 2 for value in values]
