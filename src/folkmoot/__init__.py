"""Folkmoot: structured debates among language models, on the record (public names).

They are imported when they are first used, so that ``import folkmoot`` costs next to nothing.

>>> import folkmoot
>>> outcome = folkmoot.run("examples/build-or-buy.md", model="builtin:quotes")
>>> outcome.status, outcome.decision.winner
('decided', 'buy')
>>> folkmoot.show(outcome.debate).reason == outcome.reason
True
>>> [row.debate for row in folkmoot.list()] == [outcome.debate]
True
"""

import importlib

TYPE_CHECKING = False  # as in typing, which would take longer to import than all else here

if TYPE_CHECKING:
    from collections.abc import Iterable

    from folkmoot.app.brief.program_values import Brief, Participant
    from folkmoot.app.plan.own_agents import register
    from folkmoot.app.run.api import alist, aresume, ashow, debate, resume, run, show
    from folkmoot.app.run.api import list_debates as list
    from folkmoot.app.run.outcome import Listed, Outcome
    from folkmoot.app.run.workspace import Workspace
    from folkmoot.core.brief import Limits, Settings, Source, View
    from folkmoot.core.decision import Decision
    from folkmoot.core.errors import (
        BriefError,
        FolkmootError,
        LimitReached,
        ModelError,
        ProtocolError,
        RecordConflict,
        RecordError,
        RecordMismatch,
        Refused,
        Unavailable,
        Unreadable,
        Waiting,
    )
    from folkmoot.record.in_memory import InMemoryStore

    __version__: str

del TYPE_CHECKING

__all__ = [
    "Brief",
    "BriefError",
    "Decision",
    "FolkmootError",
    "InMemoryStore",
    "LimitReached",
    "Limits",
    "Listed",
    "ModelError",
    "Outcome",
    "Participant",
    "ProtocolError",
    "RecordConflict",
    "RecordError",
    "RecordMismatch",
    "Refused",
    "Settings",
    "Source",
    "Unavailable",
    "Unreadable",
    "View",
    "Waiting",
    "Workspace",
    "alist",
    "aresume",
    "ashow",
    "debate",
    "list",
    "register",
    "resume",
    "run",
    "show",
]

_HOMES = (
    "folkmoot.app.brief.program_values",
    "folkmoot.core.brief",
    "folkmoot.core.decision",
    "folkmoot.core.errors",
    "folkmoot.app.run.workspace",
    "folkmoot.app.run.outcome",
    "folkmoot.app.plan.own_agents",
    "folkmoot.app.run.api",
    "folkmoot.record.in_memory",
)
"""Where the public names are defined; of two of one name the public one is first."""

_OTHERWISE = (("list", "list_debates"),)
"""Names that are another one where they are defined."""


def __getattr__(name: str) -> object:
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("folkmoot")
    if name in __all__:
        inside = dict(_OTHERWISE).get(name, name)
        for home in _HOMES:
            value: object = getattr(importlib.import_module(home), inside, None)
            if getattr(value, "__module__", "") == home:  # else it is only imported there
                globals()[name] = value
                return value
    raise AttributeError(f"module 'folkmoot' has no attribute {name!r}")


def __dir__() -> "Iterable[str]":
    return sorted({*globals(), *__all__})
