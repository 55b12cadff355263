"""The programs behind ``acp:NAME``: agents that people have by subscription and that speak the Agent Client Protocol.

They are started on this machine, so only the user's own settings name others than the usual ones.
"""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass

from folkmoot.core.errors import BriefError


@dataclass(frozen=True, slots=True, kw_only=True)
class AcpProgram:
    """A program that speaks the Agent Client Protocol.

    Attributes:
        command: the program and its arguments; no shell takes them apart.
        mode: the session mode that is set before anything is asked; "" for none.
        env: the environment variables that it gets beside the usual few.
        parallel: how many of it run at once.
        free: whether its owner says that an answer costs nothing more; else its price is unknown.
    """

    command: tuple[str, ...]
    mode: str = ""
    env: tuple[str, ...] = ()
    parallel: int = 1
    free: bool = False


USUAL: Mapping[str, AcpProgram] = {
    "claude": AcpProgram(command=("claude-agent-acp",), mode="plan"),
    "codex": AcpProgram(command=("codex-acp",), mode="read-only"),
    "gemini": AcpProgram(command=("gemini", "--acp"), mode="plan"),
}
"""What is started where the settings do not say otherwise, as of November 2026: each in a mode that only reads."""


def program_of(model: str, programs: Mapping[str, AcpProgram]) -> tuple[AcpProgram, str]:
    """The program behind a name such as ``claude`` or ``claude/opus``, and the model that it is told to use, or "".

    Raises:
        BriefError: there is no such program, or it is not on this machine.
    """
    name, _, wanted = model.partition("/")
    known = {**USUAL, **programs}
    if name not in known:
        raise BriefError(
            f"acp:{name} is no agent that is known here; there are {', '.join(known)}. "
            f'Name others in your own folkmoot.toml: [acp.{name}] command = ["program"]',
            code="bad_model",
        )
    program = known[name]
    if shutil.which(program.command[0]) is None:
        problem = f"acp:{name} needs the program {program.command[0]}, which is not on the PATH"
        raise BriefError(problem, code="no_program")
    return program, wanted
