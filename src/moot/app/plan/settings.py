"""The user's settings: where ``moot.toml`` is, what it and the environment may set, and what it may not.

Read from the environment, from ``moot.toml`` in the current folder, and from the user's own ``moot.toml``. The tables
``[serve]``, ``[limits]`` and ``[schedules]`` are read from the user's own file alone.

Keys of providers are no settings: they stay in the environment and never reach a file of Moot or a record. A
``moot.toml`` beside a brief may be anybody's, so it can neither start a program nor name an address: such settings
are read from the user's own file and from the environment alone.
"""

import os
import re
import tomllib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias, cast
from urllib.parse import urlsplit

from moot.app.plan.stores import Where, is_address, read_where
from moot.core.brief import ASKS, COST, SERVED, TOKENS
from moot.core.errors import BriefError, RecordError
from moot.core.extensions import PROVIDER, offered
from moot.models.names import PROVIDERS
from moot.models.wires.acp_programs import AcpProgram, read_programs
from moot.tools.mcp_servers import Server

if TYPE_CHECKING:
    from moot.app.brief.presets import Preset

_HOST_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_MARK = re.compile(r"sha256:([0-9a-f]{64})")
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:[0-9]{1,5})?")

AMOUNTS = ("cost", "tokens_per_debate", "max_questions", "daily")
SETTINGS = ("tokens", "hosts", "parallel", "requests", *AMOUNTS, "default_preset")

EARLIER_SETTINGS: Mapping[str, str] = {"most": "parallel", "asks": "max_questions"}
"""The earlier names of settings of ``[serve]``, which are still accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """What the owner allows clients over the network.

    Attributes:
        tokens: the hashes of the tokens of programs, by the name under which each owns its debates.
        hosts: further names under which this machine is reached, with a port where it is not the one that is served.
        most: debates in parallel.
        requests: requests a minute of one token.
        cost: US dollars of one debate at most; None for as much as its brief says.
        tokens_per_debate: tokens of one debate at most.
        asks: questions of one debate at most.
        daily: US dollars that one token may use in a day; None for no limit.
        default_preset: the preset that the model name ``moot`` means; "" for none.
    """

    tokens: Mapping[str, str] = field(default_factory=lambda: MappingProxyType(dict[str, str]()))
    hosts: tuple[str, ...] = ()
    most: int = 8
    requests: int = 600
    cost: float | None = None
    tokens_per_debate: int | None = None
    asks: int | None = None
    daily: float | None = None
    default_preset: str = ""


def read_serving(value: object, where: str) -> Serving:
    """The settings of ``[serve]``.

    Args:
        value: what stands there.
        where: the file, for errors.

    Raises:
        BriefError: an unknown name, or a value that cannot be.
    """
    if not isinstance(value, dict):
        raise BriefError("serve must be a table: [serve]", where=where)
    table: dict[str, object] = {}
    for name, item in cast("dict[str, object]", value).items():
        if (current := EARLIER_SETTINGS.get(name, name)) in table:
            raise BriefError(f"serve has {current} twice, under its earlier name too; keep one", where=where)
        table[current] = item
    if unknown := [name for name in table if name not in SETTINGS]:
        problem = f"serve has no setting {unknown[0][:60]!r}; there are {', '.join(SETTINGS)}"
        raise BriefError(problem, where=where)
    usual = Serving()
    return Serving(
        tokens=_tokens(table.get("tokens", {}), where),
        hosts=_hosts(table.get("hosts", []), where),
        most=_whole("parallel", table, where, SERVED.high) or usual.most,
        requests=_whole("requests", table, where, 1_000_000) or usual.requests,
        cost=_money("cost", table, where),
        tokens_per_debate=_whole("tokens_per_debate", table, where, TOKENS.high),
        asks=_whole("max_questions", table, where, ASKS.high),
        daily=_money("daily", table, where),
        default_preset=_text("serve.default_preset", table.get("default_preset", ""), where),
    )


def _tokens(value: object, where: str) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise BriefError('serve.tokens must be a table of names: [serve.tokens] ci = "sha256:…"', where=where)
    tokens: dict[str, str] = {}
    for name, text in cast("dict[str, object]", value).items():
        mark = _MARK.fullmatch(text) if isinstance(text, str) else None
        if not _HOST_NAME.fullmatch(name):
            raise BriefError(f"serve.tokens.{name[:60]} needs a name of 1 to 32 letters, digits, - and _", where=where)
        if mark is None:
            # What stands there may be the token itself, so it is not repeated.
            found_ = f"serve.tokens.{name} must be sha256: and 64 digits from 0 to f, the hash of the token"
            raise BriefError(found_, where=where)
        tokens[name] = mark[1]
    return tokens


def _hosts(value: object, where: str) -> tuple[str, ...]:
    hosts = cast("list[object]", value) if isinstance(value, list) else [value]
    if not all(isinstance(host, str) and _HOST.fullmatch(host) for host in hosts):
        raise BriefError('serve.hosts must be a list of names such as ["moot.example.org"]', where=where)
    return tuple(str(host).lower() for host in hosts)


def _whole(name: str, table: Mapping[str, object], where: str, most: int) -> int | None:
    value = table.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise BriefError(f"serve.{name} must be a whole number from 1 to {most:,}", where=where)
    return value


def _money(name: str, table: Mapping[str, object], where: str) -> float | None:
    value = table.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not COST.low <= value <= COST.high:
        raise BriefError(f"serve.{name} must be US dollars, from {COST.low:g} to {COST.high:,g}", where=where)
    return float(value)


KINDS = ("requests", "tokens", "in_flight")
TIMES = ("brief", "cron", "timezone", "owner")
_SCHEDULE_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """The limits of a provider for all workers together; None for no limit.

    Attributes:
        requests: calls in a minute.
        tokens: tokens in a minute, of questions and answers.
        in_flight: calls at once.
    """

    requests: int | None = None
    tokens: int | None = None
    in_flight: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A debate that workers start at set times.

    Attributes:
        name: what its debates' ids begin with.
        brief: the file of its brief, beside the settings where it is no absolute path.
        cron: when, as five fields of cron.
        timezone: where that is the time; "" for UTC.
        owner: who has it held; owners take turns.
    """

    name: str
    brief: str
    cron: str
    timezone: str = ""
    owner: str = ""


def read_limits(value: object, where: str) -> Mapping[str, Allowance]:
    """The settings of ``[limits.PROVIDER]``.

    Raises:
        BriefError: an unknown name, or a value that cannot be.
    """
    allowances: dict[str, Allowance] = {}
    for name, item in _tables("limits", value, where).items():
        if name not in PROVIDERS and name not in offered(PROVIDER):
            there = ", ".join((*PROVIDERS, *offered(PROVIDER)))
            raise BriefError(f"limits.{name[:60]} is not a provider; there are {there}", where=where)
        _check(f"limits.{name}", item, KINDS, where)
        numbers: dict[str, int] = {}
        for kind, number in item.items():
            if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= TOKENS.high:
                raise BriefError(f"limits.{name}.{kind} must be a whole number from 1 to {TOKENS.high:,}", where=where)
            numbers[kind] = number
        allowances[name] = Allowance(**numbers)
    return allowances


def read_schedules(value: object, path: Path) -> tuple[Schedule, ...]:
    """The settings of ``[schedules.NAME]``; a worker checks the times.

    Raises:
        BriefError: an unknown name, or a value that cannot be.
    """
    schedules: list[Schedule] = []
    for name, item in _tables("schedules", value, str(path)).items():
        place = f"schedules.{name[:60]}"
        if not _SCHEDULE_NAME.fullmatch(name):
            raise BriefError(f"{place} needs a name of 1 to 32 small letters, digits and -", where=str(path))
        _check(place, item, TIMES, str(path))
        texts = {key: text for key, text in item.items() if isinstance(text, str) and text}
        if len(texts) != len(item) or not {"brief", "cron"} <= set(texts):
            raise BriefError(f'{place} needs brief = "weekly.md" and cron = "0 9 * * mon", as texts', where=str(path))
        texts["brief"] = str(path.parent / Path(texts["brief"]).expanduser())
        schedules.append(Schedule(name=name, **texts))
    return tuple(schedules)


def _tables(name: str, value: object, where: str) -> Mapping[str, Mapping[str, object]]:
    tables = cast("dict[str, object]", value) if isinstance(value, dict) else {"": value}
    for key, item in tables.items():
        if not isinstance(item, dict):
            raise BriefError(f"{name} must be a table of tables: [{name}.{key[:60] or 'name'}]", where=where)
    return cast("Mapping[str, Mapping[str, object]]", tables)


def _check(place: str, table: Mapping[str, object], known: tuple[str, ...], where: str) -> None:
    if unknown := [key for key in table if key not in known]:
        raise BriefError(f"{place} has no setting {unknown[0][:60]!r}; there are {', '.join(known)}", where=where)


Engine: TypeAlias = Literal["", "searxng", "duckduckgo"]

NAMES = ("model", "fallback", "store", "search", "searxng_url", "embeddings", "learn", "schemas")
"""Settings that are texts, ``fallback`` also a list, two of them true or false; the others are tables, ``TABLES``."""

OWN = frozenset({"acp", "searxng_url", "embeddings", "mcp", "feeds", "serve", "limits", "schedules"})
"""Settings that only the user's own file may hold."""

ENGINES = ("searxng", "duckduckgo")
SERVER = ("command", "url", "pin", "env")
TABLES = ("acp", "mcp", "feeds", "serve", "limits", "schedules", "presets")
_YES, _NO = ("yes", "true", "on", "1"), ("no", "false", "off", "0")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_PIN = re.compile(r"(?:sha256:)?([0-9a-f]{64})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The user's settings.

    Attributes:
        model: the default model; "" where none is set.
        schemas: whether providers are asked to hold ballots and judgements to a JSON Schema.
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
        acp: the programs behind ``acp:NAME``, beside the usual ones.
        presets: the named sets of settings that briefs take, by name.
        origin: where each setting came from.
    """

    model: str = ""
    schemas: bool = False
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
    acp: Mapping[str, AcpProgram] = field(default_factory=lambda: MappingProxyType(dict[str, AcpProgram]()))
    presets: "Mapping[str, Preset]" = field(default_factory=lambda: MappingProxyType(dict[str, "Preset"]()))
    origin: tuple[tuple[str, str], ...] = ()


def user_file() -> Path:
    """The user's own file of settings."""
    import platformdirs  # here for start-up time: only commands that touch settings need it

    return Path(platformdirs.user_config_dir("moot")) / "moot.toml"


def load_config(folder: Path | None = None) -> Config:
    """The settings: environment before ``moot.toml`` in the folder before the user's own ``moot.toml``.

    Raises:
        BriefError: a file that is no TOML, or holds an unknown name, a value that cannot be, or a setting that only
            the user's own file may hold.
    """
    own, near = user_file(), (folder or Path()) / "moot.toml"
    looks = tuple(os.environ.get(f"MOOT_{name.upper()}") for name in NAMES)
    return _load(own, near, (os.getcwd(), os.path.expanduser("~"), _looks(own), _looks(near), looks))


def _looks(path: Path) -> tuple[int, ...]:
    """What a file looks like from outside, which changes with its content; nothing of one that is not there."""
    try:
        stat = path.stat()
    except OSError:
        return ()
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


@lru_cache(maxsize=8)
def _load(own: Path, near: Path, _: Hashable) -> Config:
    """The settings of these files, read again when they or the environment look otherwise."""
    sourced: dict[str, tuple[str, str]] = {}
    tables = Config()
    for path in (own, near):
        data = _read(path)
        if path is near and near.resolve() != own.resolve() and (foreign := OWN.intersection(data)):
            raise BriefError(f"{min(foreign)} can be set only in your own file, {own}", where=str(path))
        if path is near and near.resolve() != own.resolve() and is_address(str(data.get("store", ""))):
            raise BriefError(f"store can be an address only in your own file, {own}", where=str(path))
        tables = _take_tables(data, path, tables)
        sourced.update({name: (_text(name, value, str(path)), str(path)) for name, value in data.items()})
    for name in NAMES:
        if value := os.environ.get(f"MOOT_{name.upper()}"):
            sourced[name] = (value, f"MOOT_{name.upper()}")
    values = {name: value for name, (value, _) in sourced.items()}
    return replace(
        tables,
        model=values.get("model", ""),
        fallback=tuple(filter(None, (text.strip() for text in values.get("fallback", "").split(",")))),
        store=_where(*sourced.get("store", ("", ""))),
        search=_engine(*sourced.get("search", ("", ""))),
        searxng_url=_address("searxng_url", *sourced.get("searxng_url", ("", ""))),
        embeddings=values.get("embeddings", ""),
        schemas=_flag("schemas", *sourced.get("schemas", ("no", ""))),
        learn=_flag("learn", *sourced.get("learn", ("yes", ""))),
        origin=tuple((name, place) for name, (_, place) in sourced.items()),
    )


def _take_tables(data: dict[str, object], path: Path, before: Config) -> Config:
    """Take the tables out of what a file holds; what it does not hold stays as it was before."""
    where = str(path)
    return replace(
        before,
        mcp=_servers(data.pop("mcp", {}), where) or before.mcp,
        feeds=_feeds(data.pop("feeds", {}), where) or before.feeds,
        serve=read_serving(data.pop("serve"), where) if "serve" in data else before.serve,
        acp=read_programs(data.pop("acp", {}), where) or before.acp,
        limits=read_limits(data.pop("limits", {}), where) or before.limits,
        schedules=read_schedules(data.pop("schedules"), path) if "schedules" in data else before.schedules,
        presets={**before.presets, **_presets(data.pop("presets", None), where)},
    )


def _presets(value: object, where: str) -> "Mapping[str, Preset]":
    if value is None:
        return {}
    from moot.app.brief.presets import read_presets  # here for start-up time: few settings have presets

    return read_presets(value, where)


def default_store() -> Path:
    """The file of the record where none is set: ``moot.sqlite`` in the user's data directory."""
    import platformdirs

    return Path(platformdirs.user_data_dir("moot")) / "moot.sqlite"


COLLECTORS = (
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
)
"""The environment variables that name where traces and metrics are sent."""


def wants_telemetry() -> bool:
    """Whether the environment names a place to send traces or metrics to."""
    named = any(os.environ.get(name) for name in COLLECTORS)
    return named and os.environ.get("OTEL_SDK_DISABLED", "").lower() != "true"


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
    if name in ("learn", "schemas") and isinstance(value, bool):
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
    addresses: dict[str, str] = {}
    for name, place in cast("dict[str, object]", value).items():
        text = _text(f"feeds.{name[:60]}", place, where)
        if not _NAME.fullmatch(name):
            raise BriefError(f"feeds.{name[:60]} needs a name of 1 to 32 letters, digits, - and _", where=where)
        addresses[name] = _address(f"feeds.{name}", text, where) if "://" in text else str(Path(text).expanduser())
    return addresses


def _servers(value: object, where: str) -> dict[str, Server]:
    if not isinstance(value, dict):
        raise BriefError("mcp must be a table with a table for each server: [mcp.files]", where=where)
    return {name: _server(name, table, where) for name, table in cast("dict[str, object]", value).items()}


def _server(name: str, value: object, where: str) -> Server:
    table = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    place = f"mcp.{name[:60]}"
    if not _NAME.fullmatch(name):
        raise BriefError(f"{place} needs a name of 1 to 32 letters, digits, - and _", where=where)
    _check(place, table, SERVER, where)
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
    texts = tuple(word for word in words if isinstance(word, str) and word and "\0" not in word)
    if not texts or len(texts) != len(words):
        raise BriefError(f'{name} must be a list of texts, such as ["program", "argument"]', where=where)
    return texts
