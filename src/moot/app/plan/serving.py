"""The owner's settings for ``moot serve``. This file owns what ``[serve]`` may hold, in the user's own file alone."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import cast

from moot.core.errors import BriefError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_MARK = re.compile(r"sha256:([0-9a-f]{64})")
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:[0-9]{1,5})?")

SETTINGS = ("tokens", "hosts", "most", "requests", "cost", "tokens_per_debate", "asks", "daily")


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """What the owner allows those who come over the network.

    Attributes:
        tokens: the hashes of the tokens of programs, by the name under which each owns its debates.
        hosts: further names under which this machine is reached, with a port where it is not the one that is served.
        most: debates at once.
        requests: requests a minute of one token.
        cost: US dollars of one debate at most; None for as much as its brief says.
        tokens_per_debate: tokens of one debate at most.
        asks: questions of one debate at most.
        daily: US dollars that one token may use in a day; None for no limit.
    """

    tokens: Mapping[str, str] = field(default_factory=lambda: MappingProxyType(dict[str, str]()))
    hosts: tuple[str, ...] = ()
    most: int = 8
    requests: int = 600
    cost: float | None = None
    tokens_per_debate: int | None = None
    asks: int | None = None
    daily: float | None = None


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
        found = f"serve has no setting {unknown[0][:60]!r}; there are {', '.join(SETTINGS)}"
        raise BriefError(found, where=where)
    usual = Serving()
    return Serving(
        tokens=_tokens(table.get("tokens", {}), where),
        hosts=_hosts(table.get("hosts", []), where),
        most=_whole("most", table, where, 100) or usual.most,
        requests=_whole("requests", table, where, 1_000_000) or usual.requests,
        cost=_money("cost", table, where),
        tokens_per_debate=_whole("tokens_per_debate", table, where, 1_000_000_000),
        asks=_whole("asks", table, where, 500),
        daily=_money("daily", table, where),
    )


def _tokens(value: object, where: str) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise BriefError('serve.tokens must be a table of names: [serve.tokens] ci = "sha256:…"', where=where)
    found: dict[str, str] = {}
    for name, text in cast("dict[str, object]", value).items():
        mark = _MARK.fullmatch(text) if isinstance(text, str) else None
        if not _NAME.fullmatch(name):
            raise BriefError(f"serve.tokens.{name[:60]} needs a name of 1 to 32 letters, digits, - and _", where=where)
        if mark is None:
            # What stands there may be the token itself, so it is not repeated.
            found_ = f"serve.tokens.{name} must be sha256: and 64 digits from 0 to f, the hash of the token"
            raise BriefError(found_, where=where)
        found[name] = mark[1]
    return found


def _hosts(value: object, where: str) -> tuple[str, ...]:
    hosts = cast("list[object]", value) if isinstance(value, list) else [value]
    if not all(isinstance(each, str) and _HOST.fullmatch(each) for each in hosts):
        raise BriefError('serve.hosts must be a list of names such as ["moot.example.org"]', where=where)
    return tuple(str(each).lower() for each in hosts)


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
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100_000:
        raise BriefError(f"serve.{name} must be US dollars, from 0 to 100,000", where=where)
    return float(value)
