"""Providers' failures. This file owns what they become: an error of ours with a kind, a wait, and whether to try again.

Nothing that a provider says is passed on unless it has been shortened and freed of the key.
"""

import time
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from math import isfinite

from moot.core.errors import ModelError, Refused, Unavailable, Unreadable
from moot.core.text import clean
from moot.models.names import Key, ModelName

LONGEST = 200
"""Characters of a provider's own words that are passed on."""

_TOO_LONG = (
    "context length",
    "context size",
    "context window",
    "prompt is too long",
    "reduce the length of the messages",
    "maximum number of tokens",
)

_TLS_WANTED = ("plain http request was sent to https port", "sent an http request to an https server")
"""What servers of TLS say to a plain request, with the status 400."""

_NO_TOOLS = ("support tool", "support function calling", "support function-calling", "tool choice requires")


def wait_seconds(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """The seconds that a provider asks to wait: ``retry-after-ms``, or ``retry-after`` as seconds or as a date.

    Args:
        headers: the response's headers, names in lower case or compared without case.
        now: seconds since 1970; None for the clock.

    Returns:
        None where it says nothing, or nothing that can be: no number, a negative one, a date in the past.
    """
    if (wait := _number(headers.get("retry-after-ms", ""))) is not None:
        return wait / 1000
    text = headers.get("retry-after", "")
    if (wait := _number(text)) is not None:
        return wait
    try:
        then = parsedate_to_datetime(text)
        # A date without a zone is meant as UTC.
        at = (then if then.tzinfo else then.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    wait = at - (time.time() if now is None else now)
    return wait if wait > 0 else None


def from_status(
    name: ModelName, status: int, detail: str, *, wait: float | None = None, key: Key | None = None
) -> ModelError:
    """The error for an HTTP status that is no success.

    Args:
        name: the model that was asked.
        status: the HTTP status, or the one that a provider uses for an error inside a stream.
        detail: the provider's own words.
        wait: seconds that it asks to wait.
        key: the key that was sent, which must not show.
    """
    said = tell(detail, key)
    lower = detail.lower()
    who = name.provider.name
    if status in (401, 403):
        return Unavailable(f"{who} refused the key{f' in {key.origin}' if key else ''} ({status})", kind="key")
    if status == 402:
        return Unavailable(f"{who} says that the account has no quota left{said}", kind="quota")
    if status == 413 or (status in (400, 422, 500) and any(mark in lower for mark in _TOO_LONG)):
        return Refused(f"the prompt is too long for {name}{said}", kind="too_long")
    if status in (400, 404, 422) and any(mark in lower for mark in _NO_TOOLS):
        return Refused(f"{name} takes no tools{said}", kind="request")
    if status == 400 and any(mark in lower for mark in _TLS_WANTED):
        return misled(f"the server of {who} speaks https, not http")
    if status == 404:
        return Unavailable(f"{who} has no model {name.model!r}{said}", kind="not_found")
    if status == 429:
        return Unavailable(f"{who} has had too many requests{said}", kind="rate", retry_after=wait, again=True)
    if status in (408, 409) or status >= 500:
        return Unavailable(f"{who} failed ({status}){said}", kind="server", retry_after=wait, again=True)
    return Refused(f"{who} will not take the request ({status}){said}", kind="request")


def unreached(name: ModelName, url: str, detail: str, key: Key | None = None) -> Unavailable:
    """The error for a connection that could not be made or broke; the provider may have worked on the request."""
    found = f"no connection to {name.provider.name} at {url}{tell(detail, key)}"
    return Unavailable(found, kind="connection", again=True)


def misled(reason: str) -> Unavailable:
    """The error for an address at which something else answers; asking again would find the same."""
    return Unavailable(reason, kind="address")


def broken(name: ModelName, detail: str, key: Key | None) -> Unavailable:
    """The error for an answer that the provider itself broke off, with no status to tell why."""
    return Unavailable(f"{name} broke off{tell(detail, key)}", kind="server", again=True)


def garbled(name: ModelName, detail: str, key: Key | None = None) -> Unreadable:
    """The error for an answer that is not what the wire promises, such as a page of HTML."""
    return Unreadable(f"{name} sent something that is no answer{tell(detail, key)}", kind="garbled", again=True)


def tell(detail: str, key: Key | None = None) -> str:
    """A provider's own words as the end of a sentence: one line, short, without the key; "" where there are none."""
    words = " ".join(clean(detail).split())
    if key:
        words = key.hide(words)
    return f": {words[:LONGEST]}{'…' if len(words) > LONGEST else ''}" if words else ""


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) and number >= 0 else None
