"""The tables of ``folkmoot.toml``: servers, providers' limits, schedules, MCP servers and Temporal.

Each table is a dataclass, by whose types it is checked (``app.brief.tables``). An error names the setting, the file, and
what is allowed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, cast
from urllib.parse import urlsplit

from msgspec import Meta

from folkmoot.app.brief.tables import (
    LOWER_CASE,
    LOWER_CASE_OR_UNDERSCORE,
    Text,
    Texts,
    check_name_of,
    named_tables,
    read_table,
    within,
)
from folkmoot.core.brief import AGENT_SESSIONS, ASKS, COST, SERVED, TOKENS
from folkmoot.core.errors import BriefError
from folkmoot.core.extensions import PROVIDER, offered
from folkmoot.models.names import PROVIDERS
from folkmoot.models.wires.acp_programs import USUAL, AcpProgram
from folkmoot.tools.mcp_servers import Server

Tokens: TypeAlias = Annotated[int, within(TOKENS)]
Dollars: TypeAlias = Annotated[
    float, Meta(ge=COST.low, le=COST.high, title=f"US dollars, from {COST.low:g} to {COST.high:,g}")
]
Host: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:[0-9]{1,5})?$",
        title='a list of names such as ["folkmoot.example.org"]',
    ),
]
Origin: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^(\*|[A-Za-z][A-Za-z0-9+.-]{0,30}://[A-Za-z0-9.:_\[\]-]{1,255})$",
        title='a list of addresses without a path, such as ["https://chat.example.org"], or ["*"] for every page',
    ),
]
TokenHash: TypeAlias = Annotated[
    str,
    Meta(pattern=r"^sha256:[0-9a-f]{64}$", title="sha256: and 64 digits from 0 to f, the hash of the token"),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """What the owner allows clients over the network.

    Attributes:
        tokens: the hashes of the tokens of programs, by the name under which each owns its debates.
        hosts: further names under which this machine is reached, with a port where it is not the one that is served.
        origins: the addresses of web pages that may ask a debate by its model name; ``*`` for any page.
        parallel: debates in parallel.
        requests: requests a minute of one token.
        cost: US dollars of one debate at most; None for as much as its brief says.
        tokens_per_debate: tokens of one debate at most.
        max_questions: questions of one debate at most.
        daily: US dollars that one token may use in a day; None for no limit.
        default_preset: the preset that the model name ``folkmoot`` means; "" for none.
        documents: the folder with the files that debates of this machine were about, to say which have changed; None
            for no reading of files.
    """

    tokens: Mapping[str, TokenHash] = field(default_factory=dict[str, str])
    hosts: tuple[Host, ...] = ()
    origins: tuple[Origin, ...] = ()
    parallel: Annotated[int, within(SERVED)] = 8
    requests: Annotated[int, Meta(ge=1, le=1_000_000)] = 600
    cost: Dollars | None = None
    tokens_per_debate: Tokens | None = None
    max_questions: Annotated[int, within(ASKS)] | None = None
    daily: Dollars | None = None
    default_preset: str = ""
    documents: Path | None = None


def read_serving(value: object, where: str) -> Serving:
    """The settings of ``[serve]``; tokens without what stands before their hashes.

    Args:
        value: what stands there.
        where: the file, for errors.

    Raises:
        BriefError: an unknown name, or a value that cannot be.
    """
    if isinstance(value, dict):
        table = cast("dict[str, object]", value)
        # One name needs no brackets, and no folder is none.
        listed = {name: [table[name]] for name in ("hosts", "origins") if isinstance(table.get(name), str)}
        value = {name: item for name, item in {**table, **listed}.items() if (name, item) != ("documents", "")}
        for name in cast("dict[str, object]", tokens) if isinstance(tokens := table.get("tokens"), dict) else ():
            check_name_of("serve.tokens", name, where)
    serving = read_table(Serving, "serve", value, where)
    return replace(
        serving,
        tokens={name: text.removeprefix("sha256:") for name, text in serving.tokens.items()},
        hosts=tuple(map(str.lower, serving.hosts)),
        origins=tuple(map(str.lower, serving.origins)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Notifying:
    """Who is told when it is somebody's turn, or a debate ends or is paused.

    Attributes:
        webhook: the address that gets a request; "" for none.
        format: of its body.
        smtp: the mail server, ``smtp://`` or ``smtps://``; "" for none.
        sender: from whom the mails come; "" for the address that they go to.
        mail: addresses that are told everything.
        people: the addresses of participants, who are told when it is their turn, with a link of their own.
    """

    webhook: Annotated[str, Meta(pattern="^(https?://.*)?$", title="an address that begins with https://")] = ""
    format: Literal["json", "slack", "discord"] = "json"
    smtp: Annotated[str, Meta(pattern="^(smtps?://.*)?$", title='such as "smtp://user@mail.example.org:587"')] = ""
    sender: str = ""
    mail: tuple[Text, ...] = ()
    people: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        if (self.mail or self.people) and not self.smtp:
            raise ValueError(" has addresses for mail, but no server; set notify.smtp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewing:
    """Which files ``folkmoot review`` looks at, by patterns in which ``*`` stands for anything, also ``/``.

    Attributes:
        include: only these; empty for all.
        exclude: not these.
    """

    include: tuple[Text, ...] = ()
    exclude: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """The limits of a provider for all workers together; None for no limit.

    Attributes:
        requests: calls in a minute.
        tokens: tokens in a minute, of questions and answers.
        in_flight: calls at once.
    """

    requests: Tokens | None = None
    tokens: Tokens | None = None
    in_flight: Tokens | None = None


def read_limits(value: object, where: str) -> Mapping[str, Allowance]:
    """The settings of ``[limits.PROVIDER]``.

    Raises:
        BriefError: an unknown name, or a value that cannot be.
    """
    tables = named_tables("limits", value, where, example="openai")
    for name in tables:
        if name not in PROVIDERS and name not in offered(PROVIDER):
            providers = ", ".join((*PROVIDERS, *offered(PROVIDER)))
            raise BriefError(f"limits.{name[:60]} is not a provider; there are {providers}", where=where)
    return {name: read_table(Allowance, f"limits.{name}", table, where) for name, table in tables.items()}


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
    brief: Text
    cron: Text
    timezone: str = ""
    owner: str = ""


def read_schedules(value: object, path: Path) -> tuple[Schedule, ...]:
    """The settings of ``[schedules.NAME]``; a worker checks the times.

    Raises:
        BriefError: an unknown name, or a value that cannot be.
    """
    tables = named_tables("schedules", value, str(path), example="weekly", rule=LOWER_CASE)
    schedules = [
        read_table(Schedule, f"schedules.{name}", table, str(path), name=name) for name, table in tables.items()
    ]
    return tuple(replace(each, brief=str(path.parent / Path(each.brief).expanduser())) for each in schedules)


QueueName: TypeAlias = Annotated[
    str, Meta(pattern="^[A-Za-z0-9_.-]{1,100}$", title="1 to 100 letters, digits, dots, - and _")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TemporalSettings:
    """The server that brings debates to workers. Its own variables, ``TEMPORAL_ADDRESS`` and others, come first.

    Attributes:
        address: host and port.
        namespace: where its workflows are.
        task_queue: what the names of its task queues begin with.
        tls: whether the connection is encrypted.
        timeout: seconds without a heartbeat after which another worker takes over a debate.
    """

    address: Annotated[
        str,
        Meta(pattern=r"^[A-Za-z0-9.\[\]:-]{1,253}:[0-9]{1,5}$", title="a host and a port, such as 127.0.0.1:7233"),
    ] = "127.0.0.1:7233"
    namespace: QueueName = "default"
    task_queue: QueueName = "folkmoot"
    tls: bool = False
    timeout: Annotated[float, Meta(ge=1, le=600, title="seconds, from 1 to 600")] = 15.0


def read_servers(value: object, where: str) -> Mapping[str, Server]:
    """The settings of ``[mcp.NAME]``.

    Raises:
        BriefError: an unknown name, or a value that cannot be.
    """
    tables = named_tables("mcp", value, where, example="files")
    return {name: _read_server(name, table, where) for name, table in tables.items()}


def _read_server(name: str, table: Mapping[str, object], where: str) -> Server:
    server = read_table(_McpServer, f"mcp.{name}", table, where)
    if (server.command is None) == (server.url is None):
        raise BriefError(f"mcp.{name} needs either a command or a url", where=where)
    return Server(
        name=name,
        command=server.command or (),
        url="" if server.url is None else read_address(f"mcp.{name}.url", server.url or " ", where),
        pin=server.pin and f"sha256:{server.pin.removeprefix('sha256:')}",
        env=server.env or (),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _McpServer:
    """A server as it stands in the file."""

    command: Texts | None = None
    url: str | None = None
    pin: Annotated[
        str,
        Meta(
            pattern="^((sha256:)?[0-9a-f]{64})?$",
            title="sha256: and 64 digits from 0 to f, as `folkmoot check` shows it",
        ),
    ] = ""
    env: Texts | None = None


Variable: TypeAlias = Annotated[
    str, Meta(pattern="^[A-Za-z_][A-Za-z0-9_]{0,99}$", title="a list of names of environment variables")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class _AcpProgram:
    """A program as it stands in the file."""

    command: Texts | None = None
    mode: str | None = None
    env: tuple[Variable, ...] = ()
    parallel: Annotated[int, within(AGENT_SESSIONS)] = 1
    cost: Annotated[Literal["unknown", 0], Meta(title='0 for a flat rate, or "unknown"')] = "unknown"


def read_programs(value: object, where: str) -> Mapping[str, AcpProgram]:
    """The settings of ``[acp.NAME]``; what they leave open is as usual.

    Raises:
        BriefError: an unknown name, or a value that cannot be.
    """
    programs: dict[str, AcpProgram] = {}
    for name, table in named_tables("acp", value, where, example="claude", rule=LOWER_CASE_OR_UNDERSCORE).items():
        own, usual = read_table(_AcpProgram, f"acp.{name}", table, where), USUAL.get(name)
        command = own.command or (usual.command if usual else None)
        if command is None:
            raise BriefError(f'acp.{name}.command must be a list of texts: ["claude-agent-acp"]', where=where)
        mode = (usual.mode if usual else "") if own.mode is None else own.mode
        programs[name] = AcpProgram(command=command, mode=mode, env=own.env, parallel=own.parallel, free=own.cost == 0)
    return programs


def read_address(name: str, value: str, where: str) -> str:
    """An address of HTTP without a password; "" where none is set.

    Raises:
        BriefError: it is none.
    """
    parts = urlsplit(value)
    try:
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and not parts.username
    except ValueError:
        usable = False
    if value and (not usable or re.search(r"\s", value)):
        raise BriefError(f"{name} must be an address without a password, such as http://127.0.0.1:8888", where=where)
    return value


KEYS: Mapping[str, Sequence[str]] = {
    "serve": tuple(Serving.__annotations__),
    "limits": tuple(Allowance.__annotations__),
    "review": tuple(Reviewing.__annotations__),
    "notify": tuple(Notifying.__annotations__),
    "schedules": tuple(name for name in Schedule.__annotations__ if name != "name"),
    "temporal": tuple(TemporalSettings.__annotations__),
    "mcp": tuple(_McpServer.__annotations__),
    "acp": tuple(_AcpProgram.__annotations__),
}
"""The settings that each table may hold."""
