"""Programs without an event loop. This file owns how one waits for work that is asynchronous.

Doors into the desk: a path, a text or a brief becomes a debate. This file owns what counts as which.
"""

import asyncio
import re
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Literal, TypeVar

from moot.app.brief.default_participants import USUAL, debaters
from moot.app.brief.reader import Intake, read_brief
from moot.app.plan.settings import default_store, load_config
from moot.app.run.outcome import Outcome
from moot.app.run.prepare import Wishes
from moot.app.run.start import make_start, run_start
from moot.app.run.workspace import Workspace
from moot.core.brief import Brief, Limits
from moot.core.errors import BriefError, MootError
from moot.record.sqlite import is_open

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


_QUESTION = re.compile(r"\S\s+\S|[?？؟。！]\s*$")
"""What a question has and the name of a file has not: a blank, or a mark at its end."""

_ENDINGS = (".md", ".markdown", ".txt")


def read_words(words: str, folder: Path | None = None) -> Intake:
    """A brief from what was typed: the path of a file, or a question.

    Args:
        words: what was typed.
        folder: where the path begins; None for the current folder.

    Raises:
        BriefError: there is no such file, it cannot be read, or the brief has a mistake.
    """
    if not words.strip():
        raise BriefError("the brief is empty; name a file or put a question in quotes", code="missing_topic")
    path = (folder or Path()) / words
    if _is_file(path):
        return read_file(path)
    if not _QUESTION.search(words) or words.rstrip().lower().endswith(_ENDINGS):
        hint = "" if words.lower().endswith(_ENDINGS) or "/" in words else "; put a question in quotes"
        raise BriefError(f"there is no such file{hint}", where=words, code="no_file")
    return read_brief(words, name="question", folder=folder or Path())


def read_stream(stream: BinaryIO) -> Intake:
    """The brief in a stream, such as standard input; its files lie in the current folder.

    Raises:
        BriefError: it cannot be read, or has a mistake.
    """
    return _read(stream.read(), "standard input", Path())


def read_file(path: Path) -> Intake:
    """The brief in a file.

    Raises:
        BriefError: it cannot be read, or has a mistake.
    """
    if is_open(path):
        raise BriefError("this is a record that is in use", where=str(path), code="unsafe_path")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BriefError(f"cannot be read: {error.strerror or error}", where=str(path), code="no_file") from error
    return _read(data, str(path), path.parent)


def _read(data: bytes, name: str, folder: Path) -> Intake:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BriefError("this is no text in UTF-8", where=name, code="not_text") from error
    return read_brief(text, name=name, folder=folder)


def _is_file(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False  # too long for a name of a file: it is a question


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
    """Hold a debate to its end, or until it pauses; ``moot.run`` is the same for programs without an event loop.

    Args:
        brief: a Brief, the path of a brief, or the text of one; a question is one, too.
        model: ``provider:name``, or several that are taken in turn; empty for the brief's or the owner's.
        protocol: its name; "" for the brief's.
        store: the record's file, or the address of its database; None for the owner's.
        limits: what the debate may use; None for the brief's limits.
        cast: ``builtin`` for the built-in participants where none are described; "" lets a language model make them
            for the topic first, in a debate of its own on record (its id begins with ``cast-``), or takes those over
            that the same model has made for the same topic and background before; ``new`` has others made. Where
            that debate pauses, it is what is returned.

    Raises:
        BriefError: the brief, a model or a setting that cannot be used.
        ProtocolError: the protocol cannot be played with these participants.
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
    """Hold a debate to its end, or until it pauses; see ``moot.debate``.

    Raises:
        MootError: an event loop is running: await ``moot.debate`` there.
        BriefError: the brief, a model or a setting that cannot be used.
        ProtocolError: the protocol cannot be played with these participants.
    """
    held = debate(brief, model=model, protocol=protocol, store=store, limits=limits, cast=cast)
    return block(held, "moot.debate")
