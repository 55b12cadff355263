"""The owner's settings for workers. This file owns what ``[limits]`` and ``[schedules]`` may hold."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from moot.core.errors import BriefError
from moot.models.names import PROVIDERS

KINDS = ("requests", "tokens", "in_flight")
TIMES = ("brief", "cron", "timezone", "owner")
MOST = 1_000_000_000
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What a provider allows to all workers together; None for no limit.

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
    """A debate that workers begin again and again.

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
    found: dict[str, Allowance] = {}
    for name, given in _tables("limits", value, where).items():
        if name not in PROVIDERS:
            raise BriefError(f"limits.{name[:60]} is no provider; there are {', '.join(PROVIDERS)}", where=where)
        _check(f"limits.{name}", given, KINDS, where)
        numbers: dict[str, int] = {}
        for kind, number in given.items():
            if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MOST:
                raise BriefError(f"limits.{name}.{kind} must be a whole number from 1 to {MOST:,}", where=where)
            numbers[kind] = number
        found[name] = Allowance(**numbers)
    return found


def read_schedules(value: object, path: Path) -> tuple[Schedule, ...]:
    """The settings of ``[schedules.NAME]``; whether the times can be, a worker says.

    Raises:
        BriefError: an unknown name, or a value that cannot be.
    """
    found: list[Schedule] = []
    for name, given in _tables("schedules", value, str(path)).items():
        place = f"schedules.{name[:60]}"
        if not _NAME.fullmatch(name):
            raise BriefError(f"{place} needs a name of 1 to 32 small letters, digits and -", where=str(path))
        _check(place, given, TIMES, str(path))
        texts = {key: text for key, text in given.items() if isinstance(text, str) and text}
        if len(texts) != len(given) or not {"brief", "cron"} <= set(texts):
            raise BriefError(f'{place} needs brief = "weekly.md" and cron = "0 9 * * mon", as texts', where=str(path))
        texts["brief"] = str(path.parent / Path(texts["brief"]).expanduser())
        found.append(Schedule(name=name, **texts))
    return tuple(found)


def _tables(name: str, value: object, where: str) -> Mapping[str, Mapping[str, object]]:
    tables = cast("dict[str, object]", value) if isinstance(value, dict) else {"": value}
    for key, given in tables.items():
        if not isinstance(given, dict):
            raise BriefError(f"{name} must be a table of tables: [{name}.{key[:60] or 'name'}]", where=where)
    return cast("Mapping[str, Mapping[str, object]]", tables)


def _check(place: str, given: Mapping[str, object], known: tuple[str, ...], where: str) -> None:
    if unknown := [key for key in given if key not in known]:
        raise BriefError(f"{place} has no setting {unknown[0][:60]!r}; there are {', '.join(known)}", where=where)
