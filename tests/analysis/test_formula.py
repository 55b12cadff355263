"""The language of formal claims: what it takes, what it refuses and where, and what a claim comes to."""

from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from folkmoot.analysis.claim_arithmetic import TooLarge, declarations, domain, format_number, holds, to_smt, value
from folkmoot.analysis.claim_language import Compare, Connective, NotFormal, parse
from folkmoot.app.export.solver_process import answer

NONE: tuple[str, ...] = ()


def true(text: str, **values: int) -> bool:
    claim = parse(text)
    exact = {name: Fraction(number) for name, number in values.items()}
    return all(holds(premise, exact) for premise in claim.premises) and holds(claim.conclusion, exact)


@pytest.mark.parametrize(
    "text",
    [
        "17 * 24 = 408",
        "17 × 24 == 400 + 8",
        "0.1 + 0.2 = 0.3",
        ".5 = 1/2",
        "5 % = 0.05",
        "12.5% * 1,250,000 = 156,250",
        "2 + 3 * 4 = 14",
        "(2 + 3) * 4 = 20",
        "10 - 3 - 2 = 5",
        "100 / 5 / 2 * 3 = 30",
        "-2 ** 2 = -4 and (-2)^2 = 4",
        "2 - -3 = 5",
        "2 ** 10 = 1024",
        "1 < 2 <= 2 < 3",
        "3 > 2 ≥ 2 and 3 ≠ 2",
        "not 1 > 2 and not (1 = 2)",
        "1 = 2 or 1 = 1 and 2 = 2",
        "NOT 1 = 2",
        "1 = 2 iff 2 = 1",
        "1 = 1 implies 2 = 2",
        "8 ÷ 2 · 3 − 1 = 11",
    ],
)
def test_what_is_true(text: str) -> None:
    assert true(text)


@pytest.mark.parametrize("text", ["17 * 24 = 409", "1/3 = 0.33", "1 < 3 < 2", "1 = 2 iff 1 = 1", "1 = 1 and not 2 = 2"])
def test_what_is_false(text: str) -> None:
    assert not true(text)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "at character 1 it ends where a number, a name or a bracket is expected"),
        ("17", "before character 3 there is a number where a statement is expected"),
        ("17 * = 3", "at character 6 there is '=' where a number, a name or a bracket is expected"),
        ("2x = 3", "at character 2 there is 'x' where an operator is expected"),
        ("17 % 5 = 2", "at character 6 there is '5' where an operator is expected"),
        ("1,5 = 1.5", "at character 2 there is ',' where an operator is expected"),
        ("1.000.000 = 1000000", "at character 6 there is '.000' where an operator is expected"),
        ("(1 = 1", "at character 7 it ends where a closing bracket is expected"),
        ("(1 = 1) + 1 = 2", "there is a statement where a number is expected"),
        ("not 3", "there is a number where a statement is expected"),
        ("1 and 2", "there is a number where a statement is expected"),
        ("1 ≠ 2 ≠ 3", "write two comparisons joined by and"),
        ("x costs $5", "'$' at character 9 is not part of a formula"),
        ("__import__('os')", "'_' at character 1 is not part of a formula"),
        ("x.real = 1", "'.' at character 2 is not part"),
        ("f(2) = 1", "at character 2 there is '(' where an operator is expected"),
        ("2 ** x = 4", "at character 6 there is 'x' where an exponent from 1 to 1000 is expected"),
        ("2 ** 0 = 1", "exponent from 1 to 1000"),
        ("2 ** 1001 = 1", "exponent from 1 to 1000"),
        ("2 ** 99999999999999999999 = 1", "exponent from 1 to 1000"),
        ("2 ** 0.5 = 1", "exponent from 1 to 1000"),
        ("2 ** 3 ** 4 = 1", "a bracket that says what belongs together"),
        ("1 = 1 implies 2 = 2 implies 3 = 3", "a bracket that says what belongs together"),
        ("x = 1 iff y = 1 implies x = y", "a bracket that says what belongs together"),
        ("integer : 1 = 1", "at character 9 there is ':' where a name is expected"),
        ("integer n 1 = 1", "where a comma or a colon is expected"),
        ("integer n: 1 = 1", "the integer n is not used"),
        ("integer " + "n" * 41 + ": 1 = 1", "more than 40 characters"),
        ("(" * 21 + "1" + ")" * 21 + " = 1", "nested deeper than 20 at character 22"),
        ("-" * 21 + "1 = 1", "nested deeper than 20"),
        ("not " * 21 + "1 = 1", "nested deeper than 20"),
        ("1 + " * 300 + "1 = 1", "it has 1205 characters; 1000 are allowed"),
    ],
)
def test_what_is_refused_and_where(text: str, wrong: str) -> None:
    with pytest.raises(NotFormal) as caught:
        parse(text)
    assert wrong in str(caught.value)


def test_premises_names_and_integers() -> None:
    claim = parse("integer n, m: n > 0 implies (m > n implies m * y > 0)")
    assert (claim.names, claim.integers, len(claim.premises)) == (("n", "m", "y"), ("n", "m"), 2)
    assert declarations(claim).split("\n")[1:] == ["(declare-const v_m Int)", "(declare-const v_y Real)"]
    assert isinstance(parse("not (x > 0 implies x > 1)").conclusion, Connective)


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("x + 1 > y - 2", "(> (+ v_x 1.0) (+ v_y (- 2.0)))"),
        ("-x = 1/3", "(= (- v_x) (/ 1.0 3.0))"),
        ("x < y <= -0.5", "(and (< v_x v_y) (<= v_y (- (/ 1.0 2.0))))"),
        ("x / y / 2 * 3 != 1", "(not (= (/ (* v_x 3.0) (* v_y 2.0)) 1.0))"),
        ("1 / (x / 2) = 1", "(= (/ 1.0 (/ v_x 2.0)) 1.0)"),
        ("(x + 1) ** 2 = 2 ** 3", "(= (let ((b (+ v_x 1.0))) (* b b)) 8.0)"),
        ("x ** 1 = 1 iff not x = 1", "(= (= (let ((b v_x)) b) 1.0) (not (= v_x 1.0)))"),
        ("(x = 1 implies x > 0) or x = 2 and x = 3", "(or (=> (= v_x 1.0) (> v_x 0.0)) (and (= v_x 2.0) (= v_x 3.0)))"),
    ],
)
def test_a_claim_in_smt_lib(text: str, script: str) -> None:
    assert to_smt(parse(text).conclusion, NONE) == script


def test_integers_are_numbers_like_others_and_divisors_are_not_0() -> None:
    claim = parse("integer n: n / (n - 1) + 1 / (x ** 2) + 3 / 2 + 1 / (n - 1) = 1 implies not 1 / x = 2")
    assert domain(claim) == (
        "(not (= (+ (to_real v_n) (- 1.0)) 0.0))",
        "(not (= (let ((b v_x)) (* b b)) 0.0))",
        "(not (= v_x 0.0))",
    )


@pytest.mark.parametrize("text", ["1 / 0 = 1", "1 / (2 - 2) = 1", "1 = 1 or 1 / 0 = 1"])
def test_a_division_by_0_is_no_claim(text: str) -> None:
    with pytest.raises(NotFormal, match="divides by 0"):
        true(text)
    with pytest.raises(NotFormal, match="divides by 0"):
        to_smt(parse(text.replace("1 /", "x /")).conclusion, NONE)


def test_numbers_do_not_grow_without_end() -> None:
    for text in ("(9 ** 1000) ** 1000 = 1", "9 ** 1000 * 9 ** 1000 * 9 ** 1000 * 9 ** 1000 = 1"):
        with pytest.raises(TooLarge):
            true(text)
    with pytest.raises(NotFormal, match="exponent 21 over a variable"):
        to_smt(parse("x ** 21 = 1").conclusion, NONE)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Fraction(408), "408"),
        (Fraction(0), "0"),
        (Fraction(-5, 2), "-2.5"),
        (Fraction(1, 20), "0.05"),
        (Fraction(-1, 3), "-1/3"),
        (Fraction(10**80), "a number of 81 digits"),
    ],
)
def test_a_number_in_words(number: Fraction, text: str) -> None:
    assert format_number(number) == text


@given(st.text(max_size=80) | st.text("0123456789.,+-*/^%()=<>! xandorti:", max_size=80))
def test_a_text_is_read_or_refused(text: str) -> None:
    with suppress(NotFormal, TooLarge):
        claim = parse(text)
        value_of = dict.fromkeys(claim.names, Fraction(3, 7))
        for compare in (*claim.premises, claim.conclusion):
            assert holds(compare, value_of) in (True, False)


# ---- agreement with others -------------------------------------------------------------------------------------------

Sum = tuple[str, Fraction]
NUMBERS = st.decimals(-999, 999, places=2).map(lambda decimal: (f"({decimal})", Fraction(decimal)))


def combine(inner: st.SearchStrategy[Sum]) -> st.SearchStrategy[Sum]:
    def join(sign: str, texts: Sum, other: Sum) -> Sum:
        if sign == "/" and not other[1]:
            sign = "+"
        results = {"+": texts[1] + other[1], "-": texts[1] - other[1], "*": texts[1] * other[1]}
        result = results[sign] if sign in results else texts[1] / other[1]
        return f"({texts[0]} {sign} {other[0]})", result

    def power(texts: Sum, n: int) -> Sum:
        return f"({texts[0]}) ** {n}", texts[1] ** n

    return st.builds(power, inner, st.integers(1, 4)) | st.builds(join, st.sampled_from("+-*/"), inner, inner)


@given(st.recursive(NUMBERS, combine, max_leaves=8))
def test_arithmetic_is_that_of_fractions(calculation: Sum) -> None:
    text, result = calculation
    assume(len(text) < 900)
    try:
        claim = parse(f"{text} = 0").conclusion
    except NotFormal as error:
        assume("deeper" not in str(error))
        raise
    assert isinstance(claim, Compare)
    with suppress(TooLarge):
        assert value(claim.terms[0], {}) == result


def pairs(words: list[str], inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds("({} {} {})".format, inner, st.sampled_from(words), inner)


TERMS = st.recursive(
    st.sampled_from(["x", "y", "n"]),
    lambda inner: pairs(["+", "-", "*", "/"], inner) | st.builds("({} ** {})".format, inner, st.integers(1, 3)),
    max_leaves=4,
)
FORMULAS = st.recursive(
    pairs(["=", "!=", "<", "<=", ">", ">="], TERMS),
    lambda inner: pairs(["and", "or", "implies", "iff"], inner) | st.builds("(not {})".format, inner),
    max_leaves=4,
)


@given(FORMULAS, st.tuples(*[st.fractions(-9, 9, max_denominator=9)] * 2), st.integers(-9, 9))
def test_the_solver_agrees_with_the_exact_value(text: str, reals: tuple[Fraction, ...], whole: int) -> None:
    values = {"x": reals[0], "y": reals[1], "n": Fraction(whole)}
    claim = parse(text)
    try:
        expected = all(holds(premise, values) for premise in claim.premises) and holds(claim.conclusion, values)
    except NotFormal:
        assume(False)  # it divides by 0
        return
    lines = ["(declare-const v_x Real)", "(declare-const v_y Real)", "(declare-const v_n Int)"]
    for name, number in values.items():
        sized = f"(/ {abs(number.numerator)}.0 {number.denominator}.0)" if name != "n" else str(abs(number.numerator))
        lines.append(f"(assert (= v_{name} {sized if number >= 0 else f'(- {sized})'}))")
    lines += [f"(assert {to_smt(compare, ('n',))})" for compare in (*claim.premises, claim.conclusion)]
    fields = answer({"script": "\n".join(lines), "steps": 1_000_000, "milliseconds": 5000})
    assert fields["answer"] == ("sat" if expected else "unsat")
