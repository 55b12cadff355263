"""What ``folkmoot config doctor`` looks at: versions, settings, store, web page, port, extras and models, as lines for an issue.

Nothing is written, and nothing is asked of a model unless that is wanted. The lines have no key, no address of a server
that is not on this machine, and ``~`` in the place of the home folder.
"""

import os
import platform
import re
import shutil
import socket
import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import metadata, resources
from pathlib import Path
from typing import Literal, TypeAlias

from folkmoot.app.plan.assignment import Available, find_models
from folkmoot.app.plan.model_check import ModelChecks
from folkmoot.app.plan.server_check import ServerCheck, check_servers
from folkmoot.app.plan.settings import Config, Where, default_store, load_config, open_store, user_file
from folkmoot.core.errors import BriefError, FolkmootError
from folkmoot.core.packages import required
from folkmoot.core.text import clean, counted, hide, listed
from folkmoot.models.names import Environment
from folkmoot.models.pool import Pool

State: TypeAlias = Literal["ok", "note", "fault"]

OLDEST = (3, 11)
"""The oldest Python that Folkmoot runs on."""

SCARCE = 200_000_000
"""Bytes of free disk below which a store is in danger."""

PAGES = "folkmoot.web"
"""The package that holds the built page; named as a text, for nothing here imports a host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What was found of one thing: ``fault`` where something doesn't work, ``note`` where something is left out."""

    subject: str
    state: State
    words: str

    def __str__(self) -> str:
        return f"{self.state:<6}{self.subject:<10}{self.words}"


async def examine(
    store: Where | None, port: int, *, seats: Sequence[str] = (), call: bool = False, env: Environment | None = None
) -> tuple[Line, ...]:
    """Look at everything, one line each; what doesn't work is a line too and ends nothing.

    Args:
        store: the place of the records that the user names; None for the one of the settings.
        port: the port that the page would be served on.
        seats: further models to try, beside those of the settings, such as ``openai:gpt-5.2``.
        call: whether one short question is put to each model; else they are only looked for.
        env: the environment; None for this process's.
    """
    config, lines = Config(), [*_versions()]
    try:
        config = load_config()
        files = [str(path) for path in (user_file(), Path("folkmoot.toml")) if path.is_file()]
        lines.append(Line(subject="settings", state="ok", words=listed(files) or "no folkmoot.toml, so the usual ones"))
    except BriefError as error:
        lines.append(Line(subject="settings", state="fault", words=str(error)))
    lines += [await _store(store or config.store or default_store()), _page(), _port(port), *_extras()]
    lines += [line async for line in _models(config, seats, call, env)]
    return tuple(replace(line, words=_shown(line.words)) for line in lines)


_ELSEWHERE = re.compile(r"(?<=://)(?!(?:localhost|127\.[\d.]+|\[::1\])(?![\w.@-]))[^\s'\"`,;)]+")
"""What follows the scheme of an address that is not on this machine."""


def _shown(words: str) -> str:
    """Words that may be published: on one line, without keys, others' addresses and the name of the home folder."""
    return _ELSEWHERE.sub("…", hide(" ".join(clean(words).replace(str(Path.home()), "~").split())))


def _versions() -> Iterator[Line]:
    yield Line(subject="folkmoot", state="ok", words=metadata.version("folkmoot"))
    where = f"{platform.python_version()}, {platform.system()} {platform.machine()}, SQLite {sqlite3.sqlite_version}"
    yield Line(subject="python", state="ok" if sys.version_info >= OLDEST else "fault", words=where)


async def _store(where: Where) -> Line:
    """Whether records can be read and written, and how much room there is."""
    file = where if isinstance(where, Path) else None
    place = str(file) if file else "PostgreSQL"
    try:
        store = open_store(where, reading=True)
        try:
            known = counted(len(await store.debates()), "debate")
        finally:
            await store.close()
        if file is None:
            return Line(subject="store", state="ok", words=f"{place}: {known}")
        folder = next(folder for folder in file.absolute().parents if folder.exists())
        free = shutil.disk_usage(folder).free
    except (FolkmootError, OSError) as error:
        return Line(subject="store", state="fault", words=f"{place}: {error}")
    words = f"{place}: {known}, {free / 1e9:.1f} GB free"
    # SQLite writes files beside the record too, so the folder has to be writable where the file is.
    for target in [file, folder] if file.exists() else [folder]:
        if not os.access(target, os.W_OK):
            words += f", but you may not write to {target}; name another: --store"
            return Line(subject="store", state="fault", words=words)
    if free < SCARCE:
        return Line(subject="store", state="fault", words=f"{words}: too little; free some, or name another: --store")
    return Line(subject="store", state="ok", words=words)


def _page() -> Line:
    if (resources.files(PAGES) / "dist" / "index.html").is_file():
        return Line(subject="page", state="ok", words="the web page is built")
    return Line(subject="page", state="note", words="the web page isn't built: make app in a clone, or install a wheel")


def _port(port: int) -> Line:
    with socket.socket() as probe:
        # Else a port whose last connections are still ending looks taken; on Windows it makes a taken port look free.
        if os.name != "nt":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return Line(subject="port", state="note", words=f"{port} is in use: folkmoot serve --port 0 takes another")
    return Line(subject="port", state="ok", words=f"{port} is free for folkmoot serve")


def _extras() -> Iterator[Line]:
    """The extras by whether all their libraries are here."""
    known = metadata.metadata("folkmoot").get_all("Provides-Extra") or ()
    lines = metadata.requires("folkmoot") or ()
    here = {extra: all(map(_is_installed, required(lines, extra))) for extra in known if extra != "bench"}
    if names := [extra for extra, there in here.items() if there]:
        yield Line(subject="extras", state="ok", words=f"here: {', '.join(names)}")
    if names := [extra for extra, there in here.items() if not there]:
        yield Line(subject="extras", state="note", words=f"not here: {', '.join(names)}")


def _is_installed(requirement: str) -> bool:
    name = re.match(r"[\w.-]+", requirement)
    try:
        return bool(name and metadata.version(name[0]))
    except metadata.PackageNotFoundError:
        return False


async def _models(config: Config, seats: Sequence[str], call: bool, env: Environment | None) -> AsyncIterator[Line]:
    """Keys by the names of their variables, servers of one's own, and the models that settings name."""
    reach = await find_models(env)
    for provider, name in reach.keys:
        yield Line(subject="key", state="ok", words=f"{provider}, from {name}")
    for words in reach.no_keys:
        yield Line(subject="key", state="fault", words=words)
    for server in reach.servers:
        if server.up:
            yield Line(subject="server", state="ok", words=f"{server.provider}: {counted(len(server.models), 'model')}")
        elif server.trouble:
            state = "fault" if server.wrong else "note"
            yield Line(subject="server", state=state, words=f"{server.provider}: {server.trouble}")
    named = [config.model, *config.fallback]
    for preset in config.presets.values():
        named += [*preset.models, preset.acting, preset.small]
    wanted = [*dict.fromkeys(filter(None, (*named, *seats)))]
    if not call:
        advice = "folkmoot config doctor --call asks each one short question"
        yield Line(subject="models", state="note", words=f"{counted(len(wanted), 'model')} named, none asked; {advice}")
        return
    for check in await check_servers(reach, env):
        yield _server_line(check)
    async for line in _asked(wanted, env):
        yield line
    if untried := _untried(reach, wanted):
        yield Line(
            subject="models",
            state="note",
            words=f"no model of {listed(untried)} is named; to try one: -m PROVIDER:NAME",
        )


def _server_line(check: ServerCheck) -> Line:
    slots = f"{check.model}: {counted(check.slots, 'call')} at once"
    context = f"{check.context:,} tokens of context" if check.context else "context not told"
    if check.fault:
        return Line(subject="server", state="fault", words=f"{slots}, {context}; {check.fault}")
    held = "keeps to schemas of answers" if check.schema else "ignores schemas of answers"
    return Line(subject="server", state="ok", words=f"{slots}, {context}, {held}, answered in {check.seconds:.1f} s")


async def _asked(seats: Sequence[str], env: Environment | None) -> AsyncIterator[Line]:
    """One short question to each model, one after the other."""
    pool, checks = Pool(env=env), ModelChecks()
    try:
        for seat in seats:
            check = await checks.check(pool, seat)
            yield Line(subject="model", state="ok" if check.answers else "fault", words=f"{seat}: {check.words}")
    finally:
        await pool.close()


def _untried(reach: Available, seats: Sequence[str]) -> list[str]:
    """The providers with a key of which no model was asked."""
    asked = {seat.partition(":")[0] for seat in seats}
    return [provider for provider, _ in reach.keys if provider not in asked]
