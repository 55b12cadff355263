"""Claims in arithmetic and logic: their syntax trees, their grammar and its parser.

    claim    = ["integer" NAME {"," NAME} ":"] formula
    formula  = either ["implies" either | "iff" either]
    either   = both {"or" both}
    both     = negated {"and" negated}
    negated  = "not" negated | sum {SIGN sum}          SIGN: = != < <= > >=
    sum      = product {("+" | "-") product}
    product  = factor {("*" | "/") factor}
    factor   = "-" factor | atom [("**" | "^") WHOLE]
    atom     = NUMBER ["%"] | NAME | "(" formula ")"

Numbers are exact fractions: 0.1 is a tenth. A name means every real number, a declared one every integer.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NoReturn, TypeAlias, TypeGuard, cast

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
    """A sum (``+``) or a product (``*``); each part follows its sign: ``+ -`` or ``* /``."""

    kind: Literal["+", "*"]
    parts: "tuple[tuple[str, Term], ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """A term multiplied by itself; the exponent is from 1 to 1000."""

    base: "Term"
    exponent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """A chain of comparisons: each sign is between a term and the next."""

    terms: "tuple[Term, ...]"
    signs: tuple[Sign, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Connective:
    """Formulas joined by a word: one for ``not``, two for ``implies`` and ``iff``, from two for ``and`` and ``or``."""

    word: Word
    parts: "tuple[Formula, ...]"


Term: TypeAlias = Number | Name | Calc | Power
Formula: TypeAlias = Compare | Connective
Node: TypeAlias = Term | Formula


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A claim, read.

    Attributes:
        premises: what stands before the outermost ``implies``.
        conclusion: the part after it, else the whole.
        names: its variables, each once, as they come up.
        integers: those of them that stand for integers alone.
    """

    premises: tuple[Formula, ...]
    conclusion: Formula
    names: tuple[str, ...]
    integers: tuple[str, ...]


LONGEST, DEEPEST, HIGHEST, LONGEST_NAME = 1000, 20, 1000, 40
"""Characters of a claim, depth of its brackets and signs, greatest exponent, characters of a name."""

_TOKEN = re.compile(
    r"(?P<number>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
    r"|(?P<word>[A-Za-z][A-Za-z0-9_]*)"
    r"|(?P<sign>\*\*|[<>=!]=|[-+*/^%()=<>,:≤≥≠×·÷−])"
)
_ALIKE: Mapping[str, str] = {
    "==": "=",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "×": "*",
    "·": "*",
    "÷": "/",
    "−": "-",
    "^": "**",
}
_WORDS = ("and", "or", "not", "implies", "iff", "integer")
_SIGNS = ("=", "!=", "<", "<=", ">", ">=")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Token:
    kind: str
    text: str
    at: int


def parse(text: str) -> Statement:
    """Read a claim.

    Raises:
        NotFormal: it is not written in the language, or too long or too deep.
    """
    if len(text) > LONGEST:
        raise NotFormal(f"it has {len(text)} characters; {LONGEST} are allowed")
    return _Parser(_tokens(text)).statement()


def _tokens(text: str) -> tuple[_Token, ...]:
    tokens: list[_Token] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        match = _TOKEN.match(text, at)
        if not match:
            raise NotFormal(f"{text[at]!r} at character {at + 1} is not part of a formula")
        word = match[0]
        kind = str(match.lastgroup)
        if kind == "word" and word.casefold() in _WORDS:
            kind, word = "sign", word.casefold()
        tokens.append(_Token(kind=kind, text=_ALIKE.get(word, word), at=at + 1))
        at = match.end()
    return (*tokens, _Token(kind="end", text="", at=len(text) + 1))


class _Parser:
    """Goes through the tokens of one claim, from left to right, once."""

    def __init__(self, tokens: tuple[_Token, ...]) -> None:
        self._tokens, self._at, self._depth = tokens, 0, 0
        self._names: dict[str, None] = {}

    def statement(self) -> Statement:
        integers = self._integers()
        first = self._node()
        if self._next.kind != "end":
            self._fail("an operator")
        node = self._formula(first)
        premises: list[Formula] = []
        while isinstance(node, Connective) and node.word == "implies":
            premises.append(node.parts[0])
            node = node.parts[1]
        unused = [name for name in integers if name not in self._names]
        if unused:
            raise NotFormal(f"the integer {unused[0]} is not used")
        return Statement(premises=tuple(premises), conclusion=node, names=tuple(self._names), integers=tuple(integers))

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take_token(self, *texts: str) -> str:
        """The next token where it is one of these signs or words, else ""."""
        token = self._next
        if token.kind != "sign" or token.text not in texts:
            return ""
        self._at += 1
        return token.text

    def _fail(self, wanted: str) -> NoReturn:
        token = self._next
        actual = f"there is {token.text!r}" if token.text else "it ends"
        raise NotFormal(f"at character {token.at} {actual} where {wanted} is expected")

    def _integers(self) -> dict[str, None]:
        variables: dict[str, None] = {}
        if self._take_token("integer"):
            variables[self._word()] = None
            while self._take_token(","):
                variables[self._word()] = None
            if not self._take_token(":"):
                self._fail("a comma or a colon")
        return variables

    def _word(self) -> str:
        token = self._next
        if token.kind != "word":
            self._fail("a name")
        if len(token.text) > LONGEST_NAME:
            raise NotFormal(f"the name at character {token.at} has more than {LONGEST_NAME} characters")
        self._at += 1
        return token.text

    def _nested(self, read: Callable[[], Node]) -> Node:
        self._depth += 1
        if self._depth > DEEPEST:
            raise NotFormal(f"it is nested deeper than {DEEPEST} at character {self._next.at}")
        node = read()
        self._depth -= 1
        return node

    def _node(self) -> Node:
        node = self._or_expression()
        if word := self._take_token("implies", "iff"):
            node = Connective(word=cast(Word, word), parts=(self._formula(node), self._formula(self._or_expression())))
            if self._next.text in ("implies", "iff"):
                self._fail("a bracket that says what belongs together, or the end,")
        return node

    def _or_expression(self) -> Node:
        return self._operands("or", lambda: self._operands("and", self._negated))

    def _operands(self, word: Literal["and", "or"], read: Callable[[], Node]) -> Node:
        node = read()
        if self._next.text != word:
            return node
        parts = [self._formula(node)]
        while self._take_token(word):
            parts.append(self._formula(read()))
        return Connective(word=word, parts=tuple(parts))

    def _negated(self) -> Node:
        if self._take_token("not"):
            return Connective(word="not", parts=(self._formula(self._nested(self._negated)),))
        node = self._sum()
        if self._next.text not in _SIGNS:
            return node
        terms, signs = [self._term(node)], list[Sign]()
        while sign := self._take_token(*_SIGNS):
            signs.append(cast(Sign, sign))
            terms.append(self._term(self._sum()))
        if "!=" in signs and len(signs) > 1:
            raise NotFormal("!= cannot be in a chain of comparisons; write two comparisons joined by and")
        return Compare(terms=tuple(terms), signs=tuple(signs))

    def _sum(self) -> Node:
        return self._calc("+", ("+", "-"), lambda: self._calc("*", ("*", "/"), self._factor))

    def _calc(self, kind: Literal["+", "*"], signs: tuple[str, ...], read: Callable[[], Node]) -> Node:
        node = read()
        if self._next.text not in signs:
            return node
        parts = [(kind, self._term(node))]
        while sign := self._take_token(*signs):
            parts.append((sign, self._term(read())))
        return Calc(kind=kind, parts=tuple(parts))

    def _factor(self) -> Node:
        if self._take_token("-"):
            return Calc(kind="+", parts=(("-", self._term(self._nested(self._factor))),))
        node = self._atom()
        if not self._take_token("**"):
            return node
        base, token = self._term(node), self._next
        if token.kind != "number" or not token.text.isdigit() or not 1 <= int(token.text[:9]) <= HIGHEST:
            self._fail(f"an exponent from 1 to {HIGHEST}")
        self._at += 1
        if self._next.text == "**":
            self._fail("a bracket that says what belongs together, or the end,")
        return Power(base=base, exponent=int(token.text[:9]))

    def _atom(self) -> Node:
        token = self._next
        if token.kind == "number":
            self._at += 1
            value = Fraction(token.text.replace(",", ""))
            return Number(value=value / 100 if self._take_token("%") else value)
        if self._take_token("("):
            node = self._nested(self._node)
            if not self._take_token(")"):
                self._fail("a closing bracket")
            return node
        if token.kind != "word":
            self._fail("a number, a name or a bracket")
        name = self._word()
        self._names.setdefault(name)
        return Name(name=name)

    def _term(self, node: Node) -> Term:
        if _is_formula(node):
            raise NotFormal(f"before character {self._next.at} there is a statement where a number is expected")
        return cast(Term, node)

    def _formula(self, node: Node) -> Formula:
        if not _is_formula(node):
            raise NotFormal(f"before character {self._next.at} there is a number where a statement is expected")
        return node


def _is_formula(node: Node) -> TypeGuard[Formula]:
    return isinstance(node, Compare | Connective)
