"""Proofs at the desk. This file owns what a formal claim's verdict is, and when it is one.

A claim is *proved* where its opposite contradicts its premises, and those do not contradict each other; *refuted* where
there are values for which its premises hold and it does not. All else is *unknown*, or *not formalisable*.
"""

import asyncio
from collections.abc import Sequence
from fractions import Fraction

from moot.analysis.claim_arithmetic import MARK, TooLarge, declarations, domain, holds, smt, value, written
from moot.analysis.claim_language import parse
from moot.analysis.formal_claims import Checked, Claim
from moot.analysis.formula import Compare, NotFormal, Statement
from moot.analysis.smtlib import Script, read_script
from moot.app.export.prover import INSTALL, Answer, Prover, installed
from moot.core.text import listed

MOST, SECONDS = 100, 120.0
"""How many claims of a debate are checked, and the time for all of them."""

_EMPTY = "its premises contradict each other: from a contradiction everything follows"
_NOWHERE = "no values fulfil its premises and keep every divisor from being 0"


async def prove(claims: Sequence[Claim], prover: Prover | None = None, seconds: float = SECONDS) -> tuple[Checked, ...]:
    """Check claims, one after the other.

    Args:
        claims: the claims.
        prover: the solver to ask; None for one of its own.
        seconds: the time for all of them together.
    """
    clock = asyncio.get_running_loop().time
    until = clock() + seconds
    found: list[Checked] = []
    async with prover or Prover() as solver:
        for n, claim in enumerate(claims):
            if n >= MOST:
                found.append(_unknown(claim, f"it was not looked at: only the first {MOST} claims are"))
            elif clock() > until:
                found.append(_unknown(claim, f"it was not looked at: the {seconds:g} seconds for all claims are over"))
            else:
                found.append(await _check(claim, solver))
    return tuple(found)


async def _check(claim: Claim, prover: Prover) -> Checked:
    try:
        if claim.kind == "smtlib":
            if not claim.complete:
                raise NotFormal("the block does not end")
            return await _of_script(claim, read_script(claim.text), prover)
        statement = parse(claim.text)
        if not statement.names:
            return _computed(claim, statement)
        return await _of_statement(claim, statement, prover)
    except NotFormal as error:
        return Checked(claim=claim, verdict="not_formalisable", reason=str(error))
    except TooLarge as error:
        return _unknown(claim, str(error))


def _unknown(claim: Claim, reason: str) -> Checked:
    return Checked(claim=claim, verdict="unknown", reason=reason)


def _computed(claim: Claim, statement: Statement) -> Checked:
    """A claim without variables: exact fractions decide it."""
    given = [holds(each, {}) for each in statement.premises]
    true = holds(statement.conclusion, {})
    if not all(given):
        return _unknown(claim, _EMPTY)
    if true:
        return Checked(claim=claim, verdict="proved", reason="computed exactly")
    sides = statement.conclusion
    if isinstance(sides, Compare) and len(sides.terms) == 2:
        left, right = (written(value(each, {})) for each in sides.terms)
        return Checked(claim=claim, verdict="refuted", reason=f"on the left is {left}, on the right {right}")
    return Checked(claim=claim, verdict="refuted", reason="computed exactly")


async def _of_statement(claim: Claim, statement: Statement, prover: Prover) -> Checked:
    where = domain(statement)
    given = [*where, *(smt(each, statement.integers) for each in statement.premises)]
    goal = smt(statement.conclusion, statement.integers)
    if not installed():
        return _unknown(claim, INSTALL)
    declared = declarations(statement)
    against = await prover.ask(_script(declared, [*given, f"(not {goal})"]))
    if against.answer == "sat":
        return _refuted(claim, statement, against)
    if against.answer != "unsat":
        return _unknown(claim, against.why)
    if given and (empty := await _emptiness(prover, _script(declared, given))) is not None:
        return _unknown(claim, empty or (_NOWHERE if where else _EMPTY))
    premises = " that fulfil its premises" if statement.premises else ""
    divisors = " and make no divisor 0" if where and premises else " that make no divisor 0" if where else ""
    reason = f"true for all values of {listed(statement.names)}{premises}{divisors}"
    return Checked(claim=claim, verdict="proved", reason=reason)


def _refuted(claim: Claim, statement: Statement, found: Answer) -> Checked:
    """A claim with a counterexample; exact values are put in, and it counts only where the claim is false there."""
    values = {name: found.model.get(MARK + name, "0") for name in statement.names}
    shown = values
    if not any(each.startswith("about ") for each in values.values()):
        exact = {name: Fraction(each) for name, each in values.items()}
        if not all(holds(each, exact) for each in statement.premises) or holds(statement.conclusion, exact):
            return _unknown(claim, "the solver's counterexample is none")
        shown = {name: written(each) for name, each in exact.items()}
    return Checked(claim=claim, verdict="refuted", reason="there are values for which it is false", example=shown)


async def _of_script(claim: Claim, script: Script, prover: Prover) -> Checked:
    if not installed():
        return _unknown(claim, INSTALL)
    against = await prover.ask(_script(script.declarations, [*script.premises, f"(not {script.claim})"]))
    if against.answer == "error":
        raise NotFormal(f"the solver cannot read it: {against.why}")
    if against.answer == "sat":
        reason = "it does not follow from its premises" if script.premises else "it is false for some values"
        return Checked(claim=claim, verdict="refuted", reason=reason, example=against.model)
    if against.answer == "unknown":
        return _unknown(claim, against.why)
    if script.premises:
        if (empty := await _emptiness(prover, _script(script.declarations, script.premises))) is not None:
            return _unknown(claim, empty or _EMPTY)
        return Checked(claim=claim, verdict="proved", reason="it follows from its premises")
    return Checked(claim=claim, verdict="proved", reason="true for all values")


async def _emptiness(prover: Prover, script: str) -> str | None:
    """None where premises can hold together, "" where they contradict each other, else why that is unknown."""
    found = await prover.ask(script)
    if found.answer == "sat":
        return None
    return "" if found.answer == "unsat" else f"whether its premises can hold together is unknown: {found.why}"


def _script(declared: str, terms: Sequence[str]) -> str:
    return "\n".join([declared, *(f"(assert {term})" for term in terms)])
