"""The user's settings, and the store of records that they name: what ``folkmoot.toml`` and the environment may set.

Read from the environment, from ``folkmoot.toml`` in the current folder, and from the user's own ``folkmoot.toml``. The tables
``[serve]``, ``[limits]``, ``[schedules]`` and ``[temporal]`` are read from the user's own file alone.

Keys of providers are no settings: they stay in the environment and never reach a file of Folkmoot or a record. A
``folkmoot.toml`` beside a brief may be anybody's, so it can neither start a program nor name an address: such settings
are read from the user's own file and from the environment alone.
"""

import os
import re
import tomllib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from folkmoot.app.brief.tables import Text, read_setting, read_table
from folkmoot.app.plan.settings_tables import (
    Allowance,
    Notifying,
    Reviewing,
    Schedule,
    Serving,
    TemporalSettings,
    read_address,
    read_limits,
    read_programs,
    read_schedules,
    read_servers,
    read_serving,
)
from folkmoot.core.brief import Schemas
from folkmoot.core.errors import BriefError, RecordError
from folkmoot.models.wires.acp_programs import AcpProgram
from folkmoot.record.sqlite import SqliteStore
from folkmoot.record.store import SCHEMES, Store, StreamInfo
from folkmoot.tools.mcp_servers import Server

if TYPE_CHECKING:
    from folkmoot.app.brief.presets import Preset

Where: TypeAlias = Path | str
"""The path of a SQLite file, or an address, ``postgresql://…``, as a text."""

StorePlace: TypeAlias = Where | Store
"""Where a program's records are kept: a place that is opened and closed, or a store that the program has opened."""

Engine: TypeAlias = Literal["", "searxng", "duckduckgo"]

NAMES = ("model", "fallback", "store", "search", "searxng_url", "embeddings", "learn", "schemas")
"""Settings that are texts, ``fallback`` also a list, ``learn`` true or false; the others are tables, ``TABLES``."""

OWN = frozenset({"acp", "searxng_url", "embeddings", "mcp", "serve", "limits", "schedules", "notify", "temporal"})
"""Settings that only the user's own file may hold."""

TABLES = ("acp", "mcp", "serve", "limits", "schedules", "notify", "temporal", "presets", "review")
_FLAGS: Mapping[str, bool] = {
    "yes": True,
    "true": True,
    "on": True,
    "1": True,
    "no": False,
    "false": False,
    "off": False,
    "0": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The user's settings.

    Attributes:
        model: the default model; "" where none is set.
        schemas: when providers are sent a form as a JSON Schema: with the first question, with the one about a form
            that was not read (``repair``), or never (``off``).
        fallback: the models that are asked in turn where a participant's own cannot be reached and names none.
        store: the record's file, or the address of a database; None for the user's data directory.
        search: the search engine; "" for SearXNG where its address is set, else DuckDuckGo.
        searxng_url: the address of the owner's SearXNG; "" where none is set.
        embeddings: the model that makes vectors of texts, served or in a folder; "" for none.
        mcp: the MCP servers by name.
        learn: whether what a debate teaches is learned when it ends.
        serve: what is allowed to those who come over the network.
        limits: what providers allow to all workers together, by the provider's name.
        schedules: the debates that workers begin at set times; None where nothing is said of them.
        temporal: the server that brings debates to workers.
        acp: the programs behind ``acp:NAME``, beside the usual ones.
        presets: the named sets of settings that briefs take, by name.
        notify: who is told of turns and endings.
        review: which files of a change are reviewed.
        origin: where each setting came from.
    """

    model: str = ""
    schemas: Schemas = "repair"
    fallback: tuple[Text, ...] = ()
    store: Where | None = None
    search: Engine = ""
    searxng_url: str = ""
    embeddings: str = ""
    mcp: Mapping[str, Server] = field(default_factory=dict[str, Server])
    learn: bool = True
    serve: Serving = field(default_factory=Serving)
    limits: Mapping[str, Allowance] = field(default_factory=dict[str, Allowance])
    schedules: tuple[Schedule, ...] | None = None
    temporal: TemporalSettings = field(default_factory=TemporalSettings)
    acp: Mapping[str, AcpProgram] = field(default_factory=dict[str, AcpProgram])
    presets: "Mapping[str, Preset]" = field(default_factory=dict[str, "Preset"])
    notify: Notifying = field(default_factory=Notifying)
    review: Reviewing = field(default_factory=Reviewing)
    origin: tuple[tuple[str, str], ...] = ()


def user_file() -> Path:
    """The user's own file of settings."""
    return _user_file(tuple(map(os.environ.get, _PLACES)))


_PLACES = ("XDG_CONFIG_HOME", "HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "WIN_PD_OVERRIDE_LOCAL_APPDATA")
"""The names in the environment that say where a user's settings are."""


@lru_cache(maxsize=8)
def _user_file(_: Hashable) -> Path:
    import platformdirs  # here for start-up time: only commands that touch settings need it

    return Path(platformdirs.user_config_dir("folkmoot")) / "folkmoot.toml"


def load_config(folder: Path | None = None) -> Config:
    """The settings: environment before ``folkmoot.toml`` in the folder before the user's own ``folkmoot.toml``.

    Raises:
        BriefError: a file that is no TOML, or holds an unknown name, a value that cannot be, or a setting that only
            the user's own file may hold.
    """
    own, near = user_file(), (folder or Path()) / "folkmoot.toml"
    looks = tuple(os.environ.get(f"FOLKMOOT_{name.upper()}") for name in NAMES)
    return _load(own, near, (os.getcwd(), os.path.expanduser("~"), _file_state(own), _file_state(near), looks))


def _file_state(path: Path) -> tuple[int, ...]:
    """What a file looks like from outside, which changes with its content; nothing of one that is not there."""
    try:
        stat = path.stat()
    except OSError:
        return ()
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


@lru_cache(maxsize=8)
def _load(own: Path, near: Path, _: Hashable) -> Config:
    """The settings of these files, read again when they or the environment look otherwise."""
    values: dict[str, Any] = {}
    origin: dict[str, str] = {}
    presets: dict[str, Preset] = {}
    for path in (own, near):
        data = _read(path)
        if path is near and near.resolve() != own.resolve() and (foreign := OWN.intersection(data)):
            raise BriefError(f"{min(foreign)} can be set only in your own file, {own}", where=str(path))
        if path is near and near.resolve() != own.resolve() and is_address(str(data.get("store", ""))):
            raise BriefError(f"store can be an address only in your own file, {own}", where=str(path))
        values |= {name: _setting(name, value, path) for name, value in data.items()}
        presets |= values.pop("presets", {})
        origin |= {name: str(path) for name in data if name in NAMES}
    for name in NAMES:
        if value := os.environ.get(variable := f"FOLKMOOT_{name.upper()}"):
            values[name], origin[name] = _setting(name, value, variable), variable
    return Config(**values, presets=presets, origin=tuple(origin.items()))


def _setting(name: str, value: object, place: Path | str) -> object:
    """A setting as it stands in a file, or in the environment, where all are texts."""
    where = str(place)
    match name:
        case "mcp":
            return read_servers(value, where)
        case "serve":
            return read_serving(value, where)
        case "acp":
            return read_programs(value, where)
        case "limits":
            return read_limits(value, where)
        case "schedules":
            return read_schedules(value, Path(place))
        case "notify":
            return read_table(Notifying, name, value, where)
        case "review":
            return read_table(Reviewing, name, value, where)
        case "temporal":
            return read_table(TemporalSettings, name, value, where)
        case "presets":
            from folkmoot.app.brief.presets import read_presets  # here for start-up time: few settings have presets

            return read_presets(value, where)
        case "store":
            return _store_place(read_setting(str, name, value, where), where)
        case "searxng_url":
            return read_address(name, read_setting(str, name, value, where), where)
        case "fallback" if isinstance(value, str):
            return tuple(text.strip() for text in value.split(",") if text.strip())
        case "learn" if isinstance(value, str):
            return read_setting(bool, name, _FLAGS.get(value), where)
        case _:
            return read_setting(Config.__annotations__[name], name, value, where)


def default_store() -> Path:
    """The file of the record where none is set: ``folkmoot.sqlite`` in the user's data directory."""
    import platformdirs

    return Path(platformdirs.user_data_dir("folkmoot")) / "folkmoot.sqlite"


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


def _store_place(value: str, where: str) -> Where | None:
    try:
        return read_where(value) if value else None
    except RecordError as error:
        raise BriefError(f"store: {error}", where=where) from error


# ---- the store of records --------------------------------------------------------------------------------------------


def is_address(where: Where) -> bool:
    """Whether this is the address of a database and not a path."""
    return isinstance(where, str) and where.startswith(SCHEMES)


def read_where(text: str) -> Where:
    """A place as it is written in a setting or at a terminal.

    Raises:
        RecordError: it looks like an address, but is none that can be used.
    """
    if is_address(text):
        show_where(text)
        return text
    if text == ":memory:":  # a file of that name is what nobody means
        raise RecordError(
            "The store :memory: would keep nothing: name a file. In Python, pass folkmoot.InMemoryStore()."
        )
    if "://" in text or re.match(r"(?i)postgres\w*:|[a-z][\w+.-]+:.*@", text):  # a mistyped one may hold a password
        scheme = text.partition(":")[0]
        raise RecordError(f"Records are kept in a file or at an address postgresql://…, not at {scheme}:….")
    return Path(text).expanduser()


def show_where(where: Where) -> str:
    """A place as it is shown to people: an address without its password.

    Raises:
        RecordError: it looks like an address, but is none that can be used.
    """
    read = where if isinstance(where, Path) or is_address(where) else read_where(where)
    if isinstance(read, Path):
        return str(read)
    from folkmoot.record.postgres_connection import read_place  # here for start-up time: most records are in files

    return read_place(read)


@dataclass(frozen=True, slots=True)
class NoStore:
    """An empty store for commands that only read, where there is no file yet. It creates no file."""

    path: Path

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        """See Store; always refused."""
        raise RecordError(f"There is no record {self.path}, and nothing can be written to it.")

    async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
        """See Store."""
        return ()

    async def debates(self) -> tuple[StreamInfo, ...]:
        """See Store."""
        return ()

    async def close(self) -> None:
        """See Store."""


def is_there(place: Where) -> bool:
    """Whether there are records: a file that is not empty; for a database always true."""
    try:
        return not isinstance(place, Path) or bool(place.stat().st_size)
    except FileNotFoundError:
        return False
    except OSError:
        return True  # what is wrong with it is said when it is opened


def lock_place(store: Store) -> str:
    """The name of the locks of a store's running debates; "" if there are none."""
    if isinstance(store, SqliteStore):
        return str(store.real_path)
    return str(getattr(store, "address", ""))


def open_store(where: Where, *, reading: bool = False) -> Store:
    """Open the store at a place; a database is connected when it is first needed.

    Args:
        where: the place.
        reading: the records are only read: no file is made, and one that cannot be written will do. Else a file is
            made if it is not there.

    Raises:
        RecordError: it cannot be opened, is no record, or a library is missing.
    """
    read = read_where(where) if isinstance(where, str) else where
    if isinstance(read, Path):
        return NoStore(read) if reading and not is_there(read) else SqliteStore.open(read, reading=reading)
    from folkmoot.record.postgres import PostgresStore  # here for start-up time

    return PostgresStore.open(read)
