"""The solver's process. This file owns its life: started when asked, ended when it is late, breaks or is done with.

What it is asked was written by strangers and goes into a large program in C++: so it runs apart, without the secrets of
the environment, and whatever befalls it is an answer that says so.
"""

import asyncio
import importlib.util
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError

INSTALL = 'its proof needs a library that is not installed: pip install "moot[formal]"'
STEPS, SECONDS = 1_000_000, 20.0
"""What one question may use: steps of Z3's own count, which end it the same on every machine, and time."""

_PROGRAM = ("-P", "-m", "moot.app.export.solver_process")
_KEPT = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "Z3_LIBRARY_PATH", "SYSTEMROOT")
_LONGEST = 64 * 1024
_GRACE = 1.0


class Answer(BaseModel):
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

    def __init__(self, program: tuple[str, ...] = _PROGRAM, *, steps: int = STEPS, seconds: float = SECONDS) -> None:
        self._program, self._steps, self._seconds = program, steps, seconds
        self._child: Process | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._end()

    async def ask(self, script: str) -> Answer:
        """Whether the assertions of a script can hold together; never raises for what the script does."""
        question = {"script": script, "steps": self._steps, "milliseconds": int(self._seconds * 1000)}
        try:
            async with asyncio.timeout(self._seconds + _GRACE):
                line = await self._put(json.dumps(question).encode() + b"\n")
        except TimeoutError:
            await self._end()
            return Answer(answer="unknown", why=f"no answer within {self._seconds:g} seconds")
        except ValueError:
            await self._end()
            return Answer(answer="unknown", why="the solver's answer is too long")
        if not line.endswith(b"\n"):
            await self._end()
            return Answer(answer="unknown", why="the solver broke down")
        try:
            return _told(Answer.model_validate_json(line), self._seconds)
        except ValidationError:
            await self._end()
            return Answer(answer="unknown", why="the solver's answer cannot be read")

    async def _put(self, question: bytes) -> bytes:
        """A line in, a line out; "" where the process has ended."""
        if self._child is None:
            kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
            self._child = await asyncio.create_subprocess_exec(
                sys.executable, *self._program, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=kept, limit=_LONGEST
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


def _told(answer: Answer, seconds: float) -> Answer:
    """An answer with its reason in words."""
    words = {
        "timeout": f"no answer within {seconds:g} seconds",
        "canceled": "no answer within the most steps of work",
        "max. resource limit exceeded": "no answer within the most steps of work",
    }
    return answer.model_copy(update={"why": words.get(answer.why, answer.why)})
