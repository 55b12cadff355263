"""Formal claims: exact values of arithmetic claims, their translation to SMT-LIB, and scripts in SMT-LIB.

All arithmetic is that of real numbers; ``/`` never rounds.

A script states a claim if one assertion is named ``claim``: ``(assert (! F :named claim))``. All other assertions are
premises. Without that name it is not known what a script should show: its author may have asserted the claim or its
opposite. A solver receives only text that is written from the tokens read here, so commands that are not on the list
never reach it.

Source: the SMT-LIB Standard 2.6, theory Reals_Ints and chapter 3.
"""

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from folkmoot.analysis.claim_language import (
    Calc,
    Compare,
    Connective,
    Formula,
    Name,
    NotFormal,
    Number,
    Power,
    Sign,
    Statement,
    Term,
)

MOST_BITS = 12_000
"""The greatest size of a number's numerator and denominator."""

HIGHEST_FREE = 20
"""The greatest exponent over a variable."""

_LONG = 60

MARK = "v_"
"""How a variable's name begins in SMT-LIB, so that it is never one of SMT-LIB's own words."""

_SIGNS: Mapping[Sign, Callable[[Fraction, Fraction], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class TooLarge(ValueError):
    """A number is too large to compute with; the text says so."""


def holds(formula: Formula, values: Mapping[str, Fraction]) -> bool:
    """Whether a formula is true for these values of its variables.

    Raises:
        NotFormal: it divides by 0 there.
        TooLarge: a number has grown too large.
    """
    if isinstance(formula, Compare):
        terms = [value(term, values) for term in formula.terms]
        pairs = zip(formula.signs, terms, terms[1:], strict=False)
        return all(_SIGNS[sign](left, right) for sign, left, right in pairs)
    # Each part is worked out, also where the first would do: what divides by 0 is no statement.
    parts = [holds(part, values) for part in formula.parts]
    match formula.word:
        case "and":
            return all(parts)
        case "or":
            return any(parts)
        case "not":
            return not parts[0]
        case "implies":
            return not parts[0] or parts[1]
        case _:  # iff
            return parts[0] == parts[1]


def value(term: Term, values: Mapping[str, Fraction]) -> Fraction:
    """The value of a term for these values of its variables.

    Raises:
        NotFormal: it divides by 0 there.
        TooLarge: a number has grown too large.
    """
    match term:
        case Number(value=number):
            return _within_bits(number)
        case Name(name=name):
            return _within_bits(values[name])
        case Power(base=base, exponent=exponent):
            number = value(base, values)
            _check_bits(_bit_length(number) * exponent)
            return number**exponent
        case _:
            total = Fraction(0 if term.kind == "+" else 1)
            for sign, part in term.parts:
                total = _within_bits(_step(sign, total, value(part, values)))
            return total


def _step(sign: str, total: Fraction, number: Fraction) -> Fraction:
    if sign == "/" and not number:
        raise NotFormal("it divides by 0")
    match sign:
        case "+":
            return total + number
        case "-":
            return total - number
        case "*":
            return total * number
        case _:
            return total / number


def _bit_length(number: Fraction) -> int:
    return max(number.numerator.bit_length(), number.denominator.bit_length())


def _within_bits(number: Fraction) -> Fraction:
    _check_bits(_bit_length(number))
    return number


def _check_bits(bits: int) -> None:
    if bits > MOST_BITS:
        raise TooLarge("its numbers grow too large to be computed")


def format_number(number: Fraction) -> str:
    """A number as a person writes it, exactly: ``408``, ``0.25``, ``1/3``; for a very long one its length."""
    for digits in range(13):
        scaled = number * 10**digits
        if scaled.denominator == 1:
            text = f"{abs(scaled.numerator):0{digits + 1}d}"
            body = f"{text[: len(text) - digits]}.{text[len(text) - digits :]}" if digits else text
            break
    else:
        body = f"{abs(number.numerator)}/{number.denominator}"
    if len(body) > _LONG:
        return f"a number of {len(body)} digits"
    return f"-{body}" if number < 0 else body


# ---- SMT-LIB ---------------------------------------------------------------------------------------------------------


def declarations(statement: Statement) -> str:
    """The declarations of a claim's variables."""
    sorts = {name: "Int" if name in statement.integers else "Real" for name in statement.names}
    return "\n".join(f"(declare-const {MARK}{name} {sort})" for name, sort in sorts.items())


def to_smt(formula: Formula, integers: tuple[str, ...]) -> str:
    """A formula in SMT-LIB.

    Raises:
        NotFormal: it divides by a number that is 0, or has too high an exponent over a variable.
        TooLarge: a number has grown too large.
    """
    if isinstance(formula, Connective):
        word = {"implies": "=>", "iff": "="}.get(formula.word, formula.word)
        return f"({word} {' '.join(to_smt(part, integers) for part in formula.parts)})"
    terms = [_smt(term, integers) for term in formula.terms]
    pairs = zip(formula.signs, terms, terms[1:], strict=False)
    formulas = [
        f"(not (= {left} {right}))" if sign == "!=" else f"({sign} {left} {right})" for sign, left, right in pairs
    ]
    return formulas[0] if len(formulas) == 1 else f"(and {' '.join(formulas)})"


def domain(statement: Statement) -> tuple[str, ...]:
    """In SMT-LIB, each once, that no divisor with a variable in it is 0."""
    return tuple(dict.fromkeys(f"(not (= {_smt(term, statement.integers)} 0.0))" for term in divisors(statement)))


def divisors(statement: Statement) -> tuple[Term, ...]:
    """The divisors with a variable in them, each once."""
    parts = (*statement.premises, statement.conclusion)
    return tuple(dict.fromkeys(term for part in parts for term in _divisors(part)))


def _divisors(node: Formula | Term) -> Iterator[Term]:
    match node:
        case Compare(terms=parts) | Connective(parts=parts):
            for part in parts:
                yield from _divisors(part)
        case Calc(parts=parts):
            for sign, part in parts:
                yield from _divisors(part)
                if sign == "/" and not _is_fixed(part):
                    yield part
        case Power(base=base):
            yield from _divisors(base)
        case _:
            pass


def _is_fixed(term: Term) -> bool:
    """Whether a term contains no variable."""
    match term:
        case Calc(parts=parts):
            return all(_is_fixed(part) for _, part in parts)
        case Power(base=base):
            return _is_fixed(base)
        case _:
            return isinstance(term, Number)


def _smt(term: Term, integers: tuple[str, ...]) -> str:
    if isinstance(term, Number) or _is_fixed(term):
        return _literal(value(term, {}))
    match term:
        case Calc(kind="+", parts=parts):
            signed = ((sign, _smt(part, integers)) for sign, part in parts)
            return _call("+", [text if sign == "+" else f"(- {text})" for sign, text in signed])
        case Calc(parts=parts):
            above = _call("*", [_smt(part, integers) for sign, part in parts if sign == "*"])
            below = [_divisor(part, integers) for sign, part in parts if sign == "/"]
            return f"(/ {above} {_call('*', below)})" if below else above
        case Power(base=base, exponent=exponent):
            if exponent > HIGHEST_FREE:
                raise NotFormal(f"the exponent {exponent} over a variable is too high; {HIGHEST_FREE} is allowed")
            return f"(let ((b {_smt(base, integers)})) {_call('*', ['b'] * exponent)})"
        case _:
            return f"(to_real {MARK}{term.name})" if term.name in integers else f"{MARK}{term.name}"


def _divisor(term: Term, integers: tuple[str, ...]) -> str:
    if _is_fixed(term) and not value(term, {}):
        raise NotFormal("it divides by 0")
    return _smt(term, integers)


def _call(name: str, parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({name} {' '.join(parts)})"


def _literal(number: Fraction) -> str:
    above = f"{abs(number.numerator)}.0"
    sized = above if number.denominator == 1 else f"(/ {above} {number.denominator}.0)"
    return f"(- {sized})" if number < 0 else sized


LONGEST, DEEPEST = 20_000, 100
"""Characters of a script, depth of its brackets."""

CLAIM = "claim"
"""The name of the assertion that is the claim."""

_DECLARE = ("declare-const", "declare-fun", "declare-sort", "define-fun", "define-sort")
_IGNORED = ("set-logic", "set-info", "check-sat", "get-model", "get-info", "echo", "exit")
ALLOWED = (*_DECLARE, "assert", *_IGNORED)
"""The commands that may stand in a script; those from ``set-logic`` on change nothing, but ``exit`` ends it."""

_TOKEN = re.compile(
    r"[ \t\n]+|;[^\n]*"
    r'|(?P<token>[()]|"(?:[^"\\]|"")*"|\|[^|\\]*\||#x[0-9A-Fa-f]+|#b[01]+|:?[A-Za-z0-9~!@$%^&*_+=<>.?/-]+)'
)

Piece: TypeAlias = "str | list[Piece]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A script that states a claim, in SMT-LIB: its declarations, its premises and the claim as terms."""

    declarations: str
    premises: tuple[str, ...]
    claim: str


def read_script(text: str) -> Script:
    """Read a script.

    Raises:
        NotFormal: it is not SMT-LIB, too long or too deep, has a command that is not allowed, or states no claim.
    """
    if len(text) > LONGEST:
        raise NotFormal(f"it has {len(text)} characters; {LONGEST} are allowed")
    declared: list[str] = []
    premises: list[str] = []
    claims: list[str] = []
    for command in _commands(text):
        name = _command(command)
        if name == "exit":
            break
        if name in _DECLARE:
            declared.append(_write(command))
        elif name == "assert":
            if len(command) != 2:
                raise NotFormal("an (assert …) needs one term")
            term, label = _unnamed(command[1])
            (claims if label == CLAIM else premises).append(_write(term))
    if len(claims) != 1:
        many = "no assertion has" if not claims else f"{len(claims)} assertions have"
        raise NotFormal(f"{many} the name {CLAIM}; say what is claimed: (assert (! … :named {CLAIM}))")
    return Script(declarations="\n".join(declared), premises=tuple(premises), claim=claims[0])


def _commands(text: str) -> list[Piece]:
    """The brackets of the outermost level, read without recursion."""
    outer: list[Piece] = []
    ahead: list[list[Piece]] = [outer]
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if not match:
            raise NotFormal(f"{text[at]!r} at character {at + 1} is not SMT-LIB that is allowed here")
        at = match.end()
        token = match["token"]
        if token == "(":
            inner: list[Piece] = []
            ahead[-1].append(inner)
            ahead.append(inner)
            if len(ahead) > DEEPEST + 1:
                raise NotFormal(f"it is nested deeper than {DEEPEST} at character {at}")
        elif token == ")":
            ahead.pop()
            if not ahead:
                raise NotFormal(f"the bracket at character {at} closes nothing")
        elif token:
            ahead[-1].append(token)
    if len(ahead) > 1:
        raise NotFormal("a bracket is not closed")
    return outer


def _command(piece: Piece) -> str:
    name = piece[0] if isinstance(piece, list) and piece else piece
    if not isinstance(piece, list) or not isinstance(name, str) or name not in ALLOWED:
        raise NotFormal(f"{_shortened(name)} is not an allowed command; allowed are {', '.join(ALLOWED)}")
    return name


def _shortened(piece: Piece) -> str:
    text = _write(piece)
    return text if len(text) <= 40 else text[:39] + "…"


def _unnamed(term: Piece) -> tuple[Piece, str]:
    """A term without the annotations around it, and the name that they give it."""
    if not isinstance(term, list) or len(term) < 2 or term[0] != "!":
        return term, ""
    names = [value for key, value in pairwise(term) if key == ":named"]
    label = names[0] if names else ""
    return term[1], label.strip("|") if isinstance(label, str) else ""


def _write(piece: Piece) -> str:
    return piece if isinstance(piece, str) else f"({' '.join(_write(item) for item in piece)})"
