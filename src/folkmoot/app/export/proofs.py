"""Check formal claims with a solver: run its process and decide whether a claim is proved, refuted or unknown.

What the solver is asked was written by strangers and goes into a large program in C++: so it runs apart, without the
secrets of the environment, and any failure of it becomes an answer that says so.

A claim is *proved* where its opposite contradicts its premises, and those do not contradict each other; *refuted* where
there are values for which its premises hold and it does not. All else is *unknown*, or *not formalisable*.
"""

import asyncio
import importlib.util
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Sequence
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from folkmoot.analysis.formal_claims import Checked, Claim, NotFormal, Script, read_script
from folkmoot.core.packages import missing_library

MOST = 100
"""How many claims of a debate are checked."""

SECONDS = 120.0
"""The time for all of them."""

STEPS = 1_000_000
"""The steps that one question may use, by Z3's own count: they end it at the same place on every machine."""

SOLVER_SECONDS = 20.0
"""The time that one question may use."""

_EMPTY = "its premises contradict each other: from a contradiction everything follows"

_PROGRAM = ("-P", "-m", "folkmoot.app.export.solver_process")
_KEPT = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "Z3_LIBRARY_PATH", "SYSTEMROOT")
_LONGEST = 64 * 1024
_GRACE = 1.0


class SolverAnswer(BaseModel):
    """What the solver says of a script.

    Attributes:
        answer: whether its assertions can hold together; ``error``: it cannot be read.
        why: the reason where it is unknown or an error.
        model: values for which they hold.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    answer: Literal["sat", "unsat", "unknown", "error"]
    why: str = ""
    model: dict[str, str] = {}


def installed() -> bool:
    """Whether there is a solver."""
    return importlib.util.find_spec("z3") is not None


class Prover:
    """Asks the solver, one question at a time; to be used in ``async with``.

    Args:
        program: what Python is started with.
        steps: the most work for a question.
        seconds: the most time for a question.
    """

    def __init__(
        self, program: tuple[str, ...] = _PROGRAM, *, steps: int = STEPS, seconds: float = SOLVER_SECONDS
    ) -> None:
        self._program, self._steps, self._seconds = program, steps, seconds
        self._child: Process | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._end()

    async def ask(self, script: str) -> SolverAnswer:
        """Whether the assertions of a script can hold together; never raises for what the script does."""
        question = {"script": script, "steps": self._steps, "milliseconds": int(self._seconds * 1000)}
        try:
            async with asyncio.timeout(self._seconds + _GRACE):
                line = await self._exchange_lines(json.dumps(question).encode() + b"\n")
        except TimeoutError:
            await self._end()
            return SolverAnswer(answer="unknown", why=f"no answer within {self._seconds:g} seconds")
        except ValueError:
            await self._end()
            return SolverAnswer(answer="unknown", why="the solver's answer is too long")
        if not line.endswith(b"\n"):
            await self._end()
            return SolverAnswer(answer="unknown", why="the solver crashed")
        try:
            return _with_reason(SolverAnswer.model_validate_json(line), self._seconds)
        except ValidationError:
            await self._end()
            return SolverAnswer(answer="unknown", why="the solver's answer cannot be read")

    async def _exchange_lines(self, question: bytes) -> bytes:
        """A line in, a line out; "" where the process has ended."""
        if self._child is None:
            environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
            self._child = await asyncio.create_subprocess_exec(
                sys.executable, *self._program, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=environment, limit=_LONGEST
            )
        child = self._child
        assert child.stdin
        assert child.stdout
        try:
            child.stdin.write(question)
            await child.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            return b""
        return await child.stdout.readline()

    async def _end(self) -> None:
        if self._child is None:
            return
        child, self._child = self._child, None
        if child.returncode is None:
            child.kill()
        await child.wait()
        if child.stdin:
            child.stdin.close()


def _with_reason(answer: SolverAnswer, seconds: float) -> SolverAnswer:
    """An answer with its reason in words."""
    words = {
        "timeout": f"no answer within {seconds:g} seconds",
        "canceled": "no answer within the maximum number of steps",
        "max. resource limit exceeded": "no answer within the maximum number of steps",
    }
    return answer.model_copy(update={"why": words.get(answer.why, answer.why)})


async def prove(claims: Sequence[Claim], prover: Prover | None = None, seconds: float = SECONDS) -> tuple[Checked, ...]:
    """Check claims, one after the other.

    Args:
        claims: the claims.
        prover: the solver to ask; None for one of its own.
        seconds: the time for all of them together.
    """
    clock = asyncio.get_running_loop().time
    until = clock() + seconds
    results: list[Checked] = []
    async with prover or Prover() as solver:
        for n, claim in enumerate(claims):
            if n >= MOST:
                results.append(_unknown_result(claim, f"it was not checked: only the first {MOST} claims are"))
            elif clock() > until:
                results.append(
                    _unknown_result(claim, f"it was not checked: the {seconds:g} seconds for all claims are over")
                )
            else:
                results.append(await _check(claim, solver))
    return tuple(results)


async def _check(claim: Claim, prover: Prover) -> Checked:
    try:
        if not claim.complete:
            raise NotFormal("the block does not end")
        return await _ask_both_ways(claim, read_script(claim.text), prover)
    except NotFormal as error:
        return Checked(claim=claim, verdict="not_formalisable", reason=str(error))


def _unknown_result(claim: Claim, reason: str) -> Checked:
    return Checked(claim=claim, verdict="unknown", reason=reason)


async def _ask_both_ways(claim: Claim, script: Script, prover: Prover) -> Checked:
    if not installed():
        return _unknown_result(claim, missing_library("its proof", "formal"))
    against = await prover.ask(_script(script.declarations, [*script.premises, f"(not {script.claim})"]))
    if against.answer == "error":
        raise NotFormal(f"the solver cannot read it: {against.why}")
    if against.answer == "sat":
        reason = "it does not follow from its premises" if script.premises else "it is false for some values"
        return Checked(claim=claim, verdict="refuted", reason=reason, example=against.model)
    if against.answer == "unknown":
        return _unknown_result(claim, against.why)
    if script.premises:
        if (empty := await _why_premises_fail(prover, _script(script.declarations, script.premises))) is not None:
            return _unknown_result(claim, empty or _EMPTY)
        return Checked(claim=claim, verdict="proved", reason="it follows from its premises")
    return Checked(claim=claim, verdict="proved", reason="true for all values")


async def _why_premises_fail(prover: Prover, script: str) -> str | None:
    """None where premises can hold together, "" where they contradict each other, else why that is unknown."""
    answer = await prover.ask(script)
    if answer.answer == "sat":
        return None
    return "" if answer.answer == "unsat" else f"it is unknown whether its premises can all be true: {answer.why}"


def _script(declared: str, terms: Sequence[str]) -> str:
    return "\n".join([declared, *(f"(assert {term})" for term in terms)])
