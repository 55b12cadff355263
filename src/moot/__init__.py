"""Moot: structured debates among language models, on the record (public names).

They are imported when they are first used, so that ``import moot`` costs next to nothing.
"""

import importlib
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moot.app.program.program_agents import register
    from moot.app.run.api import debate, run
    from moot.app.run.outcome import Outcome
    from moot.app.run.workspace import Workspace
    from moot.core.brief import Brief, Limits, Participant, Settings, Source, View
    from moot.core.decision import Decision
    from moot.core.errors import (
        BriefError,
        LimitReached,
        ModelError,
        MootError,
        ProtocolError,
        RecordConflict,
        RecordError,
        RecordMismatch,
        Refused,
        Unavailable,
        Unreadable,
        Waiting,
    )

del TYPE_CHECKING

__all__ = [
    "Brief",
    "BriefError",
    "Decision",
    "LimitReached",
    "Limits",
    "ModelError",
    "MootError",
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
    "debate",
    "register",
    "run",
]

_HOMES = (
    "moot.core.brief",
    "moot.core.decision",
    "moot.core.errors",
    "moot.app.run.workspace",
    "moot.app.run.outcome",
    "moot.app.program.program_agents",
    "moot.app.run.api",
)
"""Where the public names are defined, the light modules first."""


_FORMER = (("Desk", "Workspace"), ("invite", "register"))
"""Names of earlier versions and what they are called now."""


def __getattr__(name: str) -> object:
    for former, now in _FORMER:
        if name == former:
            warnings.warn(f"moot.{former} is now called moot.{now}", DeprecationWarning, stacklevel=2)
            name = now
    if name in __all__:
        for home in _HOMES:
            found: object = getattr(importlib.import_module(home), name, None)
            if getattr(found, "__module__", "") == home:  # else it is only imported there
                globals()[name] = found
                return found
    raise AttributeError(f"module 'moot' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
