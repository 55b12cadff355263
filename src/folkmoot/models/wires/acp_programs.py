"""The programs behind ``acp:NAME``: agents that people have by subscription and that speak the Agent Client Protocol.

They are started on this machine, so only the user's own settings name others than the usual ones.
"""

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from folkmoot.core.brief import AGENT_SESSIONS
from folkmoot.core.errors import BriefError
from folkmoot.core.named_tables import LOWER_CASE_OR_UNDERSCORE, check_table_keys, named_tables

KEYS = ("command", "mode", "env", "parallel", "cost")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


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


def read_programs(value: object, where: str) -> Mapping[str, AcpProgram]:
    """The settings of ``[acp.NAME]``.

    Args:
        value: what stands there.
        where: the file, for errors.

    Raises:
        BriefError: an unknown name, or a value that cannot be.
    """
    tables = named_tables("acp", value, where, example="claude", rule=LOWER_CASE_OR_UNDERSCORE)
    return {name: _program(f"acp.{name}", table, USUAL.get(name), where) for name, table in tables.items()}


def _program(place: str, table: Mapping[str, object], usual: AcpProgram | None, where: str) -> AcpProgram:
    check_table_keys(place, table, KEYS, where)
    command = table.get("command", list(usual.command) if usual else None)
    mode, env = table.get("mode", usual.mode if usual else ""), table.get("env", [])
    parallel, cost = table.get("parallel", 1), table.get("cost", "unknown")
    if not _are_texts(command) or not command:
        raise BriefError(f'{place}.command must be a list of texts, such as ["claude-agent-acp"]', where=where)
    if not isinstance(mode, str):
        raise BriefError(f"{place}.mode must be a text in quotes", where=where)
    if not _are_texts(env) or not all(_VARIABLE.fullmatch(text) for text in cast("list[str]", env)):
        raise BriefError(f"{place}.env must be a list of names of environment variables", where=where)
    minimum, maximum = AGENT_SESSIONS
    if isinstance(parallel, bool) or not isinstance(parallel, int) or not minimum <= parallel <= maximum:
        raise BriefError(f"{place}.parallel must be a whole number from {minimum} to {maximum}", where=where)
    if isinstance(cost, bool) or cost not in ("unknown", 0):
        raise BriefError(f'{place}.cost must be 0 for a flat rate, or "unknown"', where=where)
    return AcpProgram(
        command=tuple(cast("list[str]", command)),
        mode=mode,
        env=tuple(cast("list[str]", env)),
        parallel=parallel,
        free=cost == 0,
    )


def _are_texts(value: object) -> bool:
    items = cast("list[object]", value) if isinstance(value, list) else [None]
    return all(isinstance(item, str) and item and "\0" not in item for item in items)


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
