"""Read the tables of ``folkmoot.toml``: servers, providers' limits, schedules, MCP servers and Temporal.

Each table is a value of its own kind. An error names the setting, the file, and what is allowed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import cast
from urllib.parse import urlsplit

from folkmoot.core.brief import ASKS, COST, SERVED, TOKENS
from folkmoot.core.errors import BriefError
from folkmoot.core.extensions import PROVIDER, offered
from folkmoot.core.named_tables import ANY_CASE, LOWER_CASE, check_table_keys, check_table_name, named_tables
from folkmoot.models.names import PROVIDERS
from folkmoot.tools.mcp_servers import Server

_TOKEN_HASH = re.compile(r"sha256:([0-9a-f]{64})")
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:[0-9]{1,5})?")

_ORIGIN = re.compile(r"\*|[A-Za-z][A-Za-z0-9+.-]{0,30}://[A-Za-z0-9.:_\[\]-]{1,255}")

AMOUNTS = ("cost", "tokens_per_debate", "max_questions", "daily")
SETTINGS = ("tokens", "hosts", "origins", "parallel", "requests", *AMOUNTS, "default_preset", "documents")


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """What the owner allows clients over the network.

    Attributes:
        tokens: the hashes of the tokens of programs, by the name under which each owns its debates.
        hosts: further names under which this machine is reached, with a port where it is not the one that is served.
        origins: the addresses of web pages that may ask a debate by its model name; ``*`` for any page.
        most: debates in parallel.
        requests: requests a minute of one token.
        cost: US dollars of one debate at most; None for as much as its brief says.
        tokens_per_debate: tokens of one debate at most.
        asks: questions of one debate at most.
        daily: US dollars that one token may use in a day; None for no limit.
        default_preset: the preset that the model name ``folkmoot`` means; "" for none.
        documents: the folder with the files that debates of this machine were about, to say which have changed; None
            for no reading of files.
    """

    tokens: Mapping[str, str] = field(default_factory=lambda: MappingProxyType(dict[str, str]()))
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    most: int = 8
    requests: int = 600
    cost: float | None = None
    tokens_per_debate: int | None = None
    asks: int | None = None
    daily: float | None = None
    default_preset: str = ""
    documents: Path | None = None


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
    table = cast("dict[str, object]", value)
    if unknown := [name for name in table if name not in SETTINGS]:
        problem = f"serve has no setting {unknown[0][:60]!r}; there are {', '.join(SETTINGS)}"
        raise BriefError(problem, where=where)
    usual = Serving()
    return Serving(
        tokens=_read_tokens(table.get("tokens", {}), where),
        hosts=_read_hosts(table.get("hosts", []), where),
        origins=_read_origins(table.get("origins", []), where),
        most=_read_whole("parallel", table, where, SERVED.high) or usual.most,
        requests=_read_whole("requests", table, where, 1_000_000) or usual.requests,
        cost=_read_money("cost", table, where),
        tokens_per_debate=_read_whole("tokens_per_debate", table, where, TOKENS.high),
        asks=_read_whole("max_questions", table, where, ASKS.high),
        daily=_read_money("daily", table, where),
        default_preset=read_text("serve.default_preset", table.get("default_preset", ""), where),
        documents=_read_documents(table, where),
    )


NOTIFY = ("webhook", "format", "smtp", "sender", "mail", "people")
FORMATS = ("json", "slack", "discord")


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

    webhook: str = ""
    format: str = "json"
    smtp: str = ""
    sender: str = ""
    mail: tuple[str, ...] = ()
    people: Mapping[str, str] = field(default_factory=lambda: MappingProxyType(dict[str, str]()))


def read_notifying(value: object, where: str) -> Notifying:
    """The settings of ``[notify]``.

    Raises:
        BriefError: an unknown name, or a value that cannot be.
    """
    if not isinstance(value, dict):
        raise BriefError('notify must be a table: [notify] webhook = "https://…"', where=where)
    table = cast("dict[str, object]", value)
    check_table_keys("notify", table, NOTIFY, where)
    people = table.pop("people", {})
    if not isinstance(people, dict):
        raise BriefError('notify.people must be a table of names: people = {Ana = "ana@example.org"}', where=where)
    addresses = {
        name: read_text(f"notify.people.{name}", to, where) for name, to in cast("dict[str, object]", people).items()
    }
    texts = {name: read_text(f"notify.{name}", table.get(name, ""), where) for name in ("webhook", "smtp", "sender")}
    mail = read_texts("notify.mail", table["mail"], where) if "mail" in table else ()
    shape = read_text("notify.format", table.get("format", FORMATS[0]), where)
    if shape not in FORMATS:
        raise BriefError(f"notify.format must be one of {', '.join(FORMATS)}", where=where, code="bad_enum")
    if texts["webhook"] and not texts["webhook"].startswith(("https://", "http://")):
        raise BriefError("notify.webhook must be an address that begins with https://", where=where)
    if texts["smtp"] and not texts["smtp"].startswith(("smtp://", "smtps://")):
        raise BriefError('notify.smtp must be such as "smtp://user@mail.example.org:587"', where=where)
    if (mail or addresses) and not texts["smtp"]:
        raise BriefError("notify has addresses for mail, but no server; set notify.smtp", where=where)
    return Notifying(format=shape, mail=mail, people=addresses, **texts)


REVIEW = ("include", "exclude")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewing:
    """Which files ``folkmoot review`` looks at, by patterns in which ``*`` stands for anything, also ``/``.

    Attributes:
        include: only these; empty for all.
        exclude: not these.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


def read_reviewing(value: object, where: str) -> Reviewing:
    """The settings of ``[review]``.

    Raises:
        BriefError: an unknown name, or no list of patterns.
    """
    if not isinstance(value, dict):
        raise BriefError('review must be a table: [review] exclude = ["docs/*"]', where=where)
    table = cast("dict[str, object]", value)
    check_table_keys("review", table, REVIEW, where)
    return Reviewing(**{name: read_texts(f"review.{name}", item, where) for name, item in table.items()})


def _read_documents(table: Mapping[str, object], where: str) -> Path | None:
    text = read_text("serve.documents", table.get("documents", ""), where)
    folder = Path(text).expanduser() if text else None
    if folder and not folder.is_absolute():
        problem = 'serve.documents must be the whole path of a folder, such as "~/project"'
        raise BriefError(problem, where=where, code="out_of_range")
    return folder


def _read_tokens(value: object, where: str) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise BriefError('serve.tokens must be a table of names: [serve.tokens] ci = "sha256:…"', where=where)
    tokens: dict[str, str] = {}
    for name, text in cast("dict[str, object]", value).items():
        check_table_name("serve.tokens", name, where, ANY_CASE)
        hash_match = _TOKEN_HASH.fullmatch(text) if isinstance(text, str) else None
        if hash_match is None:
            # What stands there may be the token itself, so it is not repeated.
            problem = f"serve.tokens.{name} must be sha256: and 64 digits from 0 to f, the hash of the token"
            raise BriefError(problem, where=where)
        tokens[name] = hash_match[1]
    return tokens


def _read_hosts(value: object, where: str) -> tuple[str, ...]:
    hosts = cast("list[object]", value) if isinstance(value, list) else [value]
    if not all(isinstance(host, str) and _HOST.fullmatch(host) for host in hosts):
        raise BriefError('serve.hosts must be a list of names such as ["folkmoot.example.org"]', where=where)
    return tuple(str(host).lower() for host in hosts)


def _read_origins(value: object, where: str) -> tuple[str, ...]:
    origins = cast("list[object]", value) if isinstance(value, list) else [value]
    if not all(isinstance(origin, str) and _ORIGIN.fullmatch(origin) for origin in origins):
        wanted = 'a list of addresses without a path, such as ["https://chat.example.org"], or ["*"] for every page'
        raise BriefError(f"serve.origins must be {wanted}", where=where)
    return tuple(str(origin).lower() for origin in origins)


def _read_whole(name: str, table: Mapping[str, object], where: str, maximum: int) -> int | None:
    value = table.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= maximum:
        raise BriefError(f"serve.{name} must be a whole number from 1 to {maximum:,}", where=where)
    return value


def _read_money(name: str, table: Mapping[str, object], where: str) -> float | None:
    value = table.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not COST.low <= value <= COST.high:
        raise BriefError(f"serve.{name} must be US dollars, from {COST.low:g} to {COST.high:,g}", where=where)
    return float(value)


KINDS = ("requests", "tokens", "in_flight")
TIMES = ("brief", "cron", "timezone", "owner")


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
    for name, item in named_tables("limits", value, where, example="openai").items():
        if name not in PROVIDERS and name not in offered(PROVIDER):
            providers = ", ".join((*PROVIDERS, *offered(PROVIDER)))
            raise BriefError(f"limits.{name[:60]} is not a provider; there are {providers}", where=where)
        check_table_keys(f"limits.{name}", item, KINDS, where)
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
    for name, item in named_tables("schedules", value, str(path), example="weekly", rule=LOWER_CASE).items():
        place = f"schedules.{name}"
        check_table_keys(place, item, TIMES, str(path))
        texts = {key: text for key, text in item.items() if isinstance(text, str) and text}
        if len(texts) != len(item) or not {"brief", "cron"} <= set(texts):
            raise BriefError(f'{place} needs brief = "weekly.md" and cron = "0 9 * * mon", as texts', where=str(path))
        texts["brief"] = str(path.parent / Path(texts["brief"]).expanduser())
        schedules.append(Schedule(name=name, **texts))
    return tuple(schedules)


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

    address: str = "127.0.0.1:7233"
    namespace: str = "default"
    task_queue: str = "folkmoot"
    tls: bool = False
    timeout: float = 15.0


TEMPORAL = ("address", "namespace", "task_queue", "tls", "timeout")
_SERVER_ADDRESS = re.compile(r"[A-Za-z0-9.\[\]:-]{1,253}:[0-9]{1,5}")
_QUEUE_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}")


def read_temporal(value: object, where: str) -> TemporalSettings:
    """The settings of ``[temporal]``.

    Raises:
        BriefError: an unknown name, or a value that cannot be.
    """
    if not isinstance(value, dict):
        raise BriefError("temporal must be a table: [temporal]", where=where)
    table = cast("dict[str, object]", value)
    check_table_keys("temporal", table, TEMPORAL, where)
    usual = TemporalSettings()
    tls, timeout = table.get("tls", usual.tls), table.get("timeout", usual.timeout)
    if not isinstance(tls, bool):
        raise BriefError("temporal.tls must be true or false", where=where)
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 1 <= timeout <= 600:
        raise BriefError("temporal.timeout must be seconds, from 1 to 600", where=where)
    settings = TemporalSettings(
        address=read_text("temporal.address", table.get("address", usual.address), where),
        namespace=read_text("temporal.namespace", table.get("namespace", usual.namespace), where),
        task_queue=read_text("temporal.task_queue", table.get("task_queue", usual.task_queue), where),
        tls=tls,
        timeout=float(timeout),
    )
    if not _SERVER_ADDRESS.fullmatch(settings.address):
        raise BriefError("temporal.address must be a host and a port, such as 127.0.0.1:7233", where=where)
    for name, text in (("namespace", settings.namespace), ("task_queue", settings.task_queue)):
        if not _QUEUE_NAME.fullmatch(text):
            raise BriefError(f"temporal.{name} must have 1 to 100 letters, digits, dots, - and _", where=where)
    return settings


SERVER = ("command", "url", "pin", "env")
_PIN = re.compile(r"(?:sha256:)?([0-9a-f]{64})")


def read_servers(value: object, where: str) -> Mapping[str, Server]:
    """The settings of ``[mcp.NAME]``.

    Raises:
        BriefError: an unknown name, or a value that cannot be.
    """
    tables = named_tables("mcp", value, where, example="files", rule=ANY_CASE)
    return {name: _read_server(name, table, where) for name, table in tables.items()}


def _read_server(name: str, table: Mapping[str, object], where: str) -> Server:
    key = f"mcp.{name}"
    check_table_keys(key, table, SERVER, where)
    if ("command" in table) == ("url" in table):
        raise BriefError(f"{key} needs either a command or a url", where=where)
    pin = _PIN.fullmatch(read_text(f"{key}.pin", table.get("pin", ""), where))
    if table.get("pin") and not pin:
        raise BriefError(
            f"{key}.pin must be sha256: and 64 digits from 0 to f, as `folkmoot check` shows it", where=where
        )
    return Server(
        name=name,
        command=read_texts(f"{key}.command", table["command"], where) if "command" in table else (),
        url=read_address(f"{key}.url", read_text(f"{key}.url", table["url"], where) or " ", where)
        if "url" in table
        else "",
        pin=f"sha256:{pin[1]}" if pin else "",
        env=read_texts(f"{key}.env", table["env"], where) if "env" in table else (),
    )


def read_text(name: str, value: object, where: str) -> str:
    """A text.

    Raises:
        BriefError: it is none.
    """
    if not isinstance(value, str):
        raise BriefError(f"{name} must be a text in quotes", where=where)
    return value


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


def read_texts(name: str, value: object, where: str) -> tuple[str, ...]:
    """A list of texts; a command is never one text, so that no shell has to take it apart.

    Raises:
        BriefError: it is none.
    """
    items = cast("list[object]", value) if isinstance(value, list) else []
    texts = tuple(item for item in items if isinstance(item, str) and item and "\0" not in item)
    if not texts or len(texts) != len(items):
        raise BriefError(f'{name} must be a list of texts, such as ["program", "argument"]', where=where)
    return texts
