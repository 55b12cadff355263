"""Failures of guests. This file owns what an exception of somebody else's program becomes: an error of ours.

Packages name the same failures alike, so the names of the classes and their HTTP status tell which one it is. What the
exception says is passed on short, in one line, and without anything that looks like a key.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Literal, cast

from moot.core.errors import ModelError, Refused, Unavailable, Unreadable
from moot.core.text import hide
from moot.models.provider_errors import tell, wait_seconds

_NAMES = (
    ("Quota", "quota"),
    ("Timeout|TimedOut", "timeout"),
    ("Connect|NetworkError|RemoteProtocol", "connection"),
    ("RateLimit|ResourceExhausted|TooManyRequests|Throttl", "rate"),
    ("Authentication|PermissionDenied", "key"),
    ("ContextOverflow|ContextWindow", "too_long"),
    ("ContentFilter", "refused"),
    ("ModelNotFound", "not_found"),
    ("ModelInvalidRequest", "request"),
    ("ServerError|ServiceUnavailable|ModelUnavailable|Overloaded", "server"),
    ("UnexpectedModelBehavior|OutputParser", "garbled"),
)
"""Parts of the names of exceptions, the telling ones first, and what they mean."""

_LAST = (("ModelAPIError", "server"),)
"""The same where there is no status to tell more."""

_FULL = re.compile(r"(?i)context.(?:length|size|window)|prompt is too long")

_STATUS: Mapping[int, str] = {
    **dict.fromkeys((401, 403), "key"),
    402: "quota",
    404: "not_found",
    **dict.fromkeys((408, 504), "timeout"),
    413: "too_long",
    429: "rate",
}

_WORDS: Mapping[str, str] = {
    "timeout": "ran out of time",
    "connection": "got no connection",
    "rate": "was told that there are too many requests",
    "server": "was let down by a server",
    "quota": "has no quota left",
    "key": "was refused its key",
    "not_found": "was told that there is no such thing",
    "request": "made a request that was not taken",
    "too_long": "cannot hold a prompt of this length",
    "refused": "withheld its answer",
    "garbled": "made something that is no answer",
}

_AGAIN = frozenset({"timeout", "connection", "rate", "server", "garbled"})


class Translated:
    """Where a guest is at work: whatever it raises leaves as a ModelError. A cancellation passes.

    Args:
        who: ``guest:name``.
    """

    def __init__(self, who: str) -> None:
        self._who = who

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        """Translate.

        Raises:
            ModelError: the guest has failed.
        """
        task = asyncio.current_task()
        # A cancellation that nobody asked for is the guest's own affair; passed on, it would end the debate.
        stray = isinstance(error, asyncio.CancelledError) and task is not None and not task.cancelling()
        if isinstance(error, Exception) and not isinstance(error, ModelError):
            raise read_fault(self._who, error) from error
        if stray:
            raise ModelError(f"{self._who} was cancelled from within", kind="broken") from error
        return False


def read_fault(who: str, error: Exception) -> ModelError:
    """The error of ours for an exception of a guest.

    Args:
        who: ``guest:name``.
        error: what it raised; of a group the first one counts.
    """
    while isinstance(error, ExceptionGroup):
        error = cast("ExceptionGroup[Exception]", error).exceptions[0]
    said = tell(hide(str(error)))
    kind = _kind(error)
    if not kind:
        return ModelError(f"{who} raised {type(error).__name__}{said}", kind="broken")
    reason, again = f"{who} {_WORDS[kind]}{said}", kind in _AGAIN
    if kind == "garbled":
        return Unreadable(reason, kind=kind, again=again)
    if kind in ("request", "too_long", "refused"):
        return Refused(reason, kind=kind)
    return Unavailable(reason, kind=kind, again=again, retry_after=_wait(error) if kind == "rate" else None)


def _kind(error: Exception) -> str:
    """Which of the usual failures it is; "" for none."""
    if kind := _named(error, _NAMES):
        return kind
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", getattr(response, "status_code", None))
    if not isinstance(status, int) or status < 400:
        return _named(error, _LAST)
    if status in (400, 422) and _FULL.search(str(error)):
        return "too_long"
    return _STATUS.get(status, "server" if status >= 500 else "request")


def _named(error: Exception, known: Sequence[tuple[str, str]]) -> str:
    """What the names of its class, and of those it descends from, say; "" for nothing."""
    names = " ".join(each.__name__ for each in type(error).__mro__)
    return next((kind for part, kind in known if re.search(part, names)), "")


def _wait(error: Exception) -> float | None:
    """The seconds that the provider asks to wait, where the exception has its headers."""
    headers: object = getattr(error, "headers", None) or getattr(getattr(error, "response", None), "headers", None)
    return wait_seconds(cast("Mapping[str, str]", headers)) if isinstance(headers, Mapping) else None
