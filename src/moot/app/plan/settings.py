"""Settings of the owner. This file owns where they come from: environment, moot.toml here, moot.toml of the user.

Keys of providers are no settings: they stay in the environment and never reach a file of ours or a record. A
``moot.toml`` beside a brief may be anybody's, so it can neither start a program nor name an address: such settings
are read from the user's own file and from the environment alone.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias, cast
from urllib.parse import urlsplit

from moot.app.plan.serving import Serving, read_serving
from moot.app.plan.stores import Where, is_address, read_where
from moot.app.plan.working import Allowance, Schedule, read_limits, read_schedules
from moot.core.errors import BriefError, RecordError
from moot.tools.mcp_servers import Server

Engine: TypeAlias = Literal["", "searxng", "duckduckgo"]

NAMES = ("model", "fallback", "store", "search", "searxng_url", "embeddings", "learn")
"""Settings that are texts, ``fallback`` also a list, ``learn`` true or false; the others are tables, ``TABLES``."""

OWN = frozenset({"searxng_url", "embeddings", "mcp", "feeds", "serve", "limits", "schedules"})
"""Settings that only the user's own file may hold."""

ENGINES = ("searxng", "duckduckgo")
SERVER = ("command", "url", "pin", "env")
TABLES = ("mcp", "feeds", "serve", "limits", "schedules")
_YES, _NO = ("yes", "true", "on", "1"), ("no", "false", "off", "0")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_PIN = re.compile(r"(?:sha256:)?([0-9a-f]{64})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What the owner has set.

    Attributes:
        model: the default model; "" where none is set.
        fallback: the models that are asked in turn where a participant's own cannot be reached and names none.
        store: the record's file, or the address of a database; None for the user's data directory.
        search: the search engine; "" for SearXNG where its address is set, else DuckDuckGo.
        searxng_url: the address of the owner's SearXNG; "" where none is set.
        embeddings: the model that makes vectors of texts, served or in a folder; "" for none.
        mcp: the MCP servers by name.
        feeds: the RSS and Atom feeds by name, each an address or the path of a file.
        learn: whether what a debate teaches is learned when it ends.
        serve: what is allowed to those who come over the network.
        limits: what providers allow to all workers together, by the provider's name.
        schedules: the debates that workers begin at set times; None where nothing is said of them.
        origin: where each setting came from.
    """

    model: str = ""
    fallback: tuple[str, ...] = ()
    store: Where | None = None
    search: Engine = ""
    searxng_url: str = ""
    embeddings: str = ""
    mcp: Mapping[str, Server] = field(default_factory=lambda: MappingProxyType(dict[str, Server]()))
    feeds: Mapping[str, str] = field(default_factory=lambda: MappingProxyType(dict[str, str]()))
    learn: bool = True
    serve: Serving = field(default_factory=Serving)
    limits: Mapping[str, Allowance] = field(default_factory=lambda: MappingProxyType(dict[str, Allowance]()))
    schedules: tuple[Schedule, ...] | None = None
    origin: tuple[tuple[str, str], ...] = ()


def own_file() -> Path:
    """The user's own file of settings."""
    import platformdirs  # here for start-up time: only commands that touch settings need it

    return Path(platformdirs.user_config_dir("moot")) / "moot.toml"


def load_config(folder: Path | None = None) -> Config:
    """The settings: environment before ``moot.toml`` in the folder before the user's own ``moot.toml``.

    Raises:
        BriefError: a file that is no TOML, or holds an unknown name, a value that cannot be, or a setting that only
            the user's own file may hold.
    """
    own, near = own_file(), (folder or Path()) / "moot.toml"
    found: dict[str, tuple[str, str]] = {}
    tables = Config()
    for path in (own, near):
        data = _read(path)
        if path is near and near.resolve() != own.resolve() and (foreign := OWN.intersection(data)):
            raise BriefError(f"{min(foreign)} can be set only in your own file, {own}", where=str(path))
        if path is near and near.resolve() != own.resolve() and is_address(str(data.get("store", ""))):
            raise BriefError(f"store can be an address only in your own file, {own}", where=str(path))
        tables = _take_tables(data, path, tables)
        found.update({name: (_text(name, value, str(path)), str(path)) for name, value in data.items()})
    for name in NAMES:
        if value := os.environ.get(f"MOOT_{name.upper()}"):
            found[name] = (value, f"MOOT_{name.upper()}")
    said = {name: value for name, (value, _) in found.items()}
    return replace(
        tables,
        model=said.get("model", ""),
        fallback=tuple(filter(None, (each.strip() for each in said.get("fallback", "").split(",")))),
        store=_where(*found.get("store", ("", ""))),
        search=_engine(*found.get("search", ("", ""))),
        searxng_url=_address("searxng_url", *found.get("searxng_url", ("", ""))),
        embeddings=said.get("embeddings", ""),
        learn=_flag("learn", *found.get("learn", ("yes", ""))),
        origin=tuple((name, place) for name, (_, place) in found.items()),
    )


def _take_tables(data: dict[str, object], path: Path, before: Config) -> Config:
    """Take the tables out of what a file holds; what it does not hold stays as it was before."""
    where = str(path)
    return replace(
        before,
        mcp=_servers(data.pop("mcp", {}), where) or before.mcp,
        feeds=_feeds(data.pop("feeds", {}), where) or before.feeds,
        serve=read_serving(data.pop("serve"), where) if "serve" in data else before.serve,
        limits=read_limits(data.pop("limits", {}), where) or before.limits,
        schedules=read_schedules(data.pop("schedules"), path) if "schedules" in data else before.schedules,
    )


def default_store() -> Path:
    """The file of the record where none is set: ``moot.sqlite`` in the user's data directory."""
    import platformdirs

    return Path(platformdirs.user_data_dir("moot")) / "moot.sqlite"


def _read(path: Path) -> dict[str, object]:
    try:
        data: dict[str, object] = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise BriefError(f"cannot be read: {error}", where=str(path)) from error
    for name in data:
        if name not in (*NAMES, *TABLES):
            raise BriefError(f"there is no setting {name!r}; there are {', '.join((*NAMES, *TABLES))}", where=str(path))
    return data


def _text(name: str, value: object, where: str) -> str:
    if name == "fallback" and isinstance(value, list):
        return ",".join(_words(name, cast("list[object]", value), where))
    if name == "learn" and isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, str):
        raise BriefError(f"{name} must be a text in quotes", where=where)
    return value


def _flag(name: str, value: str, where: str) -> bool:
    if value not in (*_YES, *_NO):
        raise BriefError(f"{name} cannot be {value[:60]!r}; write true or false", where=where)
    return value in _YES


def _where(value: str, where: str) -> Where | None:
    try:
        return read_where(value) if value else None
    except RecordError as error:
        raise BriefError(f"store: {error}", where=where) from error


def _engine(value: str, where: str) -> Engine:
    if value not in ("", *ENGINES):
        raise BriefError(f"search cannot be {value[:60]!r}; there are {', '.join(ENGINES)}", where=where)
    return value


def _address(name: str, value: str, where: str) -> str:
    parts = urlsplit(value)
    try:
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and not parts.username
    except ValueError:
        usable = False
    if value and (not usable or re.search(r"\s", value)):
        raise BriefError(f"{name} must be an address without a password, such as http://127.0.0.1:8888", where=where)
    return value


def _feeds(value: object, where: str) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise BriefError('feeds must be a table of names: [feeds] news = "https://…"', where=where)
    found: dict[str, str] = {}
    for name, place in cast("dict[str, object]", value).items():
        text = _text(f"feeds.{name[:60]}", place, where)
        if not _NAME.fullmatch(name):
            raise BriefError(f"feeds.{name[:60]} needs a name of 1 to 32 letters, digits, - and _", where=where)
        found[name] = _address(f"feeds.{name}", text, where) if "://" in text else str(Path(text).expanduser())
    return found


# ---- MCP servers ----------------------------------------------------------------------------------------------------


def _servers(value: object, where: str) -> dict[str, Server]:
    if not isinstance(value, dict):
        raise BriefError("mcp must be a table with a table for each server: [mcp.files]", where=where)
    return {name: _server(name, table, where) for name, table in cast("dict[str, object]", value).items()}


def _server(name: str, value: object, where: str) -> Server:
    table = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    place = f"mcp.{name[:60]}"
    if not _NAME.fullmatch(name):
        raise BriefError(f"{place} needs a name of 1 to 32 letters, digits, - and _", where=where)
    if unknown := [key for key in table if key not in SERVER]:
        raise BriefError(f"{place} has no setting {unknown[0]!r}; there are {', '.join(SERVER)}", where=where)
    if ("command" in table) == ("url" in table):
        raise BriefError(f"{place} needs either a command or a url", where=where)
    pin = _PIN.fullmatch(_text(f"{place}.pin", table.get("pin", ""), where))
    if table.get("pin") and not pin:
        raise BriefError(
            f"{place}.pin must be sha256: and 64 digits from 0 to f, as `moot check` shows it", where=where
        )
    return Server(
        name=name,
        command=_words(f"{place}.command", table["command"], where) if "command" in table else (),
        url=_address(f"{place}.url", _text(f"{place}.url", table["url"], where) or " ", where)
        if "url" in table
        else "",
        pin=f"sha256:{pin[1]}" if pin else "",
        env=_words(f"{place}.env", table["env"], where) if "env" in table else (),
    )


def _words(name: str, value: object, where: str) -> tuple[str, ...]:
    """A list of texts; a command is never one text, so that no shell has to take it apart."""
    words = cast("list[object]", value) if isinstance(value, list) else []
    texts = tuple(each for each in words if isinstance(each, str) and each and "\0" not in each)
    if not texts or len(texts) != len(words):
        raise BriefError(f'{name} must be a list of texts, such as ["program", "argument"]', where=where)
    return texts
