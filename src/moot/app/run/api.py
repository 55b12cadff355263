"""The public functions ``moot.run`` and ``moot.debate``: a path, a text or a Brief becomes a debate that runs.

``block`` is how programs without an event loop wait for asynchronous work.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeVar

from moot.app.brief.default_participants import USUAL, debaters
from moot.app.brief.reader import Intake, read_brief, read_file
from moot.app.plan.settings import default_store, load_config
from moot.app.run.outcome import Outcome
from moot.app.run.prepare import Wishes
from moot.app.run.start import make_start, run_start
from moot.app.run.workspace import Workspace
from moot.core.brief import Brief, Limits
from moot.core.errors import MootError

T = TypeVar("T")


def block(work: Coroutine[object, object, T], instead: str) -> T:
    """Wait for a coroutine in a program without an event loop.

    Args:
        work: the coroutine.
        instead: what can be awaited where a loop is running, such as ``moot.debate``.

    Raises:
        MootError: an event loop is running; nothing was done.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    work.close()
    raise MootError(f"an event loop is running: await {instead}(…) there")


def take(brief: Brief | Path | str) -> Intake:
    """What is to be debated, from a Brief, the path of a brief, or the text of one."""
    if isinstance(brief, Path):
        return read_file(brief)
    if isinstance(brief, str):
        return read_brief(brief, folder=Path())
    vacant = 0 if brief.participants else USUAL
    brief = replace(brief, participants=brief.participants or debaters())
    return Intake(
        brief=brief,
        protocol="",
        rounds=None,
        strategy="",
        topology="",
        model="",
        kind="text",
        given={"topic": brief.topic},
        vacant=vacant,
    )


async def debate(
    brief: Brief | Path | str,
    *,
    model: str | Sequence[str] = (),
    protocol: str = "",
    store: Path | str | None = None,
    limits: Limits | None = None,
    cast: Literal["", "builtin", "new"] = "",
) -> Outcome:
    """Run a debate to its end, or until it pauses; ``moot.run`` is the same for programs without an event loop.

    Args:
        brief: a Brief, the path of a brief, or the text of one; a question is one, too.
        model: ``provider:name``, or several that are taken in turn; empty for the brief's or the user's default.
        protocol: its name; "" for the brief's.
        store: the record's file, or the address of its database; None for the user's default.
        limits: what the debate may use; None for the brief's limits.
        cast: where the brief describes no participants: ``builtin`` for the built-in ones; "" to have a language model
            generate them first, in a debate of its own on record (its id begins with ``cast-``), or to take those
            that the same model generated earlier for the same topic and background; ``new`` to generate others.

    Returns:
        The outcome of the debate, or of the one that generates its participants where that one has paused.

    Raises:
        BriefError: the brief, a model or a setting cannot be used.
        ProtocolError: the protocol cannot run with these participants.
    """
    intake = take(brief)
    if limits is not None:
        intake = replace(intake, brief=replace(intake.brief, limits=limits))
    config = load_config()
    workspace = Workspace.at(store or config.store or default_store())
    workspace.config = config
    try:
        models = (model,) if isinstance(model, str) and model else tuple(model)
        start = await make_start(workspace, intake, Wishes(models=models, protocol=protocol, cast=cast), config)
        return await run_start(workspace, start, workspace.new_id(start.ready.plan))
    finally:
        await workspace.close()


def run(
    brief: Brief | Path | str,
    *,
    model: str | Sequence[str] = (),
    protocol: str = "",
    store: Path | str | None = None,
    limits: Limits | None = None,
    cast: Literal["", "builtin", "new"] = "",
) -> Outcome:
    """Run a debate to its end, or until it pauses; see ``moot.debate``.

    Raises:
        MootError: an event loop is running: await ``moot.debate`` there.
        BriefError: the brief, a model or a setting cannot be used.
        ProtocolError: the protocol cannot run with these participants.
    """
    running = debate(brief, model=model, protocol=protocol, store=store, limits=limits, cast=cast)
    return block(running, "moot.debate")
