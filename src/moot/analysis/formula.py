"""Claims in arithmetic and logic. This file owns what they are: trees of numbers, variables, signs and words."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

Sign: TypeAlias = Literal["=", "!=", "<", "<=", ">", ">="]
Word: TypeAlias = Literal["and", "or", "not", "implies", "iff"]


class NotFormal(ValueError):
    """A claim that is not written in the language; its text says what is wrong, and where."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number."""

    value: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A variable."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Calc:
    """A sum (``+``) or a product (``*``); each part stands behind its sign: ``+ -`` or ``* /``."""

    kind: Literal["+", "*"]
    parts: "tuple[tuple[str, Term], ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """A term multiplied by itself; the exponent is from 1 to 1000."""

    base: "Term"
    exponent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """A chain of comparisons: each sign stands between a term and the next."""

    terms: "tuple[Term, ...]"
    signs: tuple[Sign, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """Formulas joined by a word: one for ``not``, two for ``implies`` and ``iff``, from two for ``and`` and ``or``."""

    word: Word
    parts: "tuple[Formula, ...]"


Term: TypeAlias = Number | Name | Calc | Power
Formula: TypeAlias = Compare | Joined
Node: TypeAlias = Term | Formula


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A claim, read.

    Attributes:
        premises: what stands before the outermost ``implies``.
        conclusion: what stands behind it, else the whole.
        names: its variables, each once, as they come up.
        integers: those of them that stand for integers alone.
    """

    premises: tuple[Formula, ...]
    conclusion: Formula
    names: tuple[str, ...]
    integers: tuple[str, ...]
