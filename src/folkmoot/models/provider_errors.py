"""Provider errors: a failure becomes one of Folkmoot's errors, with a kind, a wait, and whether to try again.

Exceptions of custom agents are translated here as well. A provider's message is passed on only after it is shortened
and cleared of the key.
"""

import asyncio
import json
import re
import time
from collections.abc import Mapping, Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime
from math import isfinite
from types import TracebackType
from typing import Literal, cast

from folkmoot.core.errors import ModelError, Refused, Unavailable, Unreadable
from folkmoot.core.text import clean, hide
from folkmoot.models.names import Key, ModelName

LONGEST = 200
"""Characters of a provider's own words that are passed on."""

ODD_SHAPE = "its JSON has another shape than this interface has"

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
        date = parsedate_to_datetime(text)
        # A date without a zone is meant as UTC.
        at = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    wait = at - (time.time() if now is None else now)
    return wait if wait > 0 else None


_QUOTA = frozenset(
    {"insufficient_quota", "billing_error", "billing_hard_limit_reached", "exceeded_current_quota_error"}
)
_FULL_PROMPT = frozenset({"context_length_exceeded", "request_too_large", "model_context_window_exceeded"})

_KINDS: Mapping[str, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    **dict.fromkeys(_QUOTA, 402),
    "permission_error": 403,
    "not_found_error": 404,
    **dict.fromkeys(_FULL_PROMPT, 413),
    **dict.fromkeys(("rate_limit_error", "rate_limit_exceeded", "tokens", "requests"), 429),
    **dict.fromkeys(("api_error", "server_error", "timeout_error"), 500),
    "overloaded_error": 529,
}
"""What providers call a kind of error, and the status that it has where it is an answer of its own."""


def error_words(body: object) -> tuple[int, str, str]:
    """What a provider says of an error: its status, 0 where it says none; the name of its kind; its own words.

    Args:
        body: the body of an answer or of an event: bytes, text, or JSON that has been read.
    """
    inner = _error_detail(body)
    if isinstance(inner, str):
        return 0, "", inner
    code, kind, words = inner.get("code"), inner.get("type"), inner.get("message") or inner.get("detail")
    names = [text for text in (code, kind, inner.get("status")) if isinstance(text, str) and text]
    if isinstance(words, list):
        parts = [cast("dict[str, object]", part) for part in cast("list[object]", words) if isinstance(part, dict)]
        words = "; ".join(text for part in parts if isinstance(text := part.get("msg"), str))
    status = code if isinstance(code, int) and not isinstance(code, bool) else 0
    known = next((text for text in names if text in _KINDS), next(iter(names), ""))
    return status, known, words if isinstance(words, str) else ""


_LAYERS = 6
"""How deep an error may lie in lists, in texts of JSON, and under ``error``."""


def _error_detail(body: object) -> dict[str, object] | str:
    """The object or the text that has the words of an error."""
    for _ in range(_LAYERS):
        if isinstance(body, bytes):
            body = body.decode("utf-8", "replace")
        if isinstance(body, str):
            try:
                inner: object = json.loads(body)
            except (ValueError, RecursionError):
                return body
            if not isinstance(inner, dict | list):
                return body
            body = cast("object", inner)
        if isinstance(body, list):
            body = next(iter(cast("list[object]", body)), None)
        if not isinstance(body, dict):
            return ""
        members = cast("dict[str, object]", body)
        body = members.get("error")
        if not isinstance(body, dict | str | list) or not body:
            return members
    return ""


def answer_error(
    name: ModelName, status: int, body: object, *, wait: float | None = None, key: Key | None = None
) -> ModelError:
    """The error for an answer that is no success; see ``status_error``.

    Args:
        name: the model that was asked.
        status: its HTTP status.
        body: its body.
        wait: seconds that the provider asks to wait.
        key: the key that was sent, which must not show.
    """
    _, kind, words = error_words(body)
    known_status = _KINDS.get(kind, 0)
    return status_error(name, known_status if known_status in (402, 413) else status, words, wait=wait, key=key)


def stream_error(name: ModelName, body: object, key: Key | None) -> ModelError:
    """The error that a provider sends in the middle of an answer, or with the status of a success."""
    status, kind, words = error_words(body)
    status = status if 400 <= status < 600 else _KINDS.get(kind, 0)
    return status_error(name, status, words, key=key) if status else broken_off_error(name, words, key)


def refuses_tools(status: int, words: str) -> bool:
    """Whether a provider says that a model takes no tools."""
    return status in (400, 404, 422) and any(mark in words.lower() for mark in _NO_TOOLS)


def status_error(
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
    their_words = provider_words(detail, key)
    lower = detail.lower()
    provider = name.provider.name
    if words := _not_a_provider(status, detail):
        return wrong_server_error(f"{provider} {words}{their_words}")
    if status in (401, 403):
        return Unavailable(f"{provider} refused the key{f' in {key.origin}' if key else ''} ({status})", kind="key")
    if status == 402:
        return Unavailable(f"{provider} says that the account has no quota left{their_words}", kind="quota")
    if status == 413 or (status in (400, 422, 500) and any(mark in lower for mark in _TOO_LONG)):
        return Refused(f"the prompt is too long for {name}{their_words}", kind="too_long")
    if refuses_tools(status, detail):
        return Refused(f"{name} does not support tools{their_words}", kind="request")
    if status == 400 and any(mark in lower for mark in _TLS_WANTED):
        return wrong_server_error(f"the server of {provider} speaks https, not http")
    if status == 404:
        return Unavailable(f"{provider} has no model {name.model!r}{their_words}", kind="not_found")
    if status == 429:
        return Unavailable(
            f"{provider} has had too many requests{their_words}", kind="rate", retry_after=wait, again=True
        )
    if status in (408, 409) or status >= 500:
        return Unavailable(f"{provider} failed ({status}){their_words}", kind="server", retry_after=wait, again=True)
    return Refused(f"{provider} refused the request ({status}){their_words}", kind="request")


_PAGE = re.compile(r"(?i)\s*<(?:!doctype|html|head|body|title)\b")
"""How a web page begins, which no provider answers with."""

_MARKUP = re.compile(r"(?is)<(script|style)\b.*?(?:</\1>|\Z)|<[^>]*(?:>|\Z)")


def _not_a_provider(status: int, detail: str) -> str:
    """What answers in the place of a provider, where its status or its words tell; asking again would find the same."""
    if status in (407, 511):
        return f"is behind a proxy that wants a log-in ({status})"
    if 300 <= status < 400:
        return f"sends on to another address ({status}), and is not followed; is the address right?"
    if status == 405:
        return "takes no questions at that address (405); is it right?"
    if 400 <= status < 500 and status not in (404, 408, 409, 429) and _PAGE.match(detail):
        return f"answers with a web page ({status}); is the address right?"
    return ""


def unreached_error(name: ModelName, url: str, detail: str, key: Key | None = None) -> Unavailable:
    """The error for a connection that could not be made or broke; the provider may have worked on the request."""
    sentence = f"no connection to {name.provider.name} at {url}{provider_words(detail, key)}"
    return Unavailable(sentence, kind="connection", again=True)


def wrong_server_error(reason: str) -> Unavailable:
    """The error for an address at which something else answers; asking again would find the same."""
    return Unavailable(reason, kind="address")


def broken_off_error(name: ModelName, detail: str, key: Key | None) -> Unavailable:
    """The error for an answer that the provider itself broke off, with no status to tell why."""
    return Unavailable(f"{name} broke off{provider_words(detail, key)}", kind="server", again=True)


def malformed_error(name: ModelName, detail: str, key: Key | None = None) -> Unreadable:
    """The error for an answer that is not what the wire promises, such as a page of HTML."""
    return Unreadable(
        f"{name} sent something that is no answer{provider_words(detail, key)}", kind="garbled", again=True
    )


def provider_words(detail: str, key: Key | None = None) -> str:
    """A provider's own words as the end of a sentence: one line, short, without the key; "" where there are none."""
    text = _MARKUP.sub(" ", detail).strip() if _PAGE.match(detail) else ""
    words = " ".join(clean(text or detail).split())
    if key:
        words = key.hide(words)
    return f": {words[:LONGEST]}{'…' if len(words) > LONGEST else ''}" if words else ""


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) and number >= 0 else None


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


class TranslatedErrors:
    """Where a guest is at work: whatever it raises leaves as a ModelError. A cancellation passes.

    Args:
        provider: ``guest:name``.
    """

    def __init__(self, provider: str) -> None:
        self._provider = provider

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
            raise read_fault(self._provider, error) from error
        if stray:
            raise ModelError(f"{self._provider} was cancelled from within", kind="broken") from error
        return False


def read_fault(provider: str, error: Exception) -> ModelError:
    """The error of ours for an exception of a guest.

    Args:
        provider: ``guest:name``.
        error: what it raised; of a group the first one counts.
    """
    while isinstance(error, ExceptionGroup):
        error = cast("ExceptionGroup[Exception]", error).exceptions[0]
    their_words = provider_words(hide(str(error)))
    kind = _kind(error)
    if not kind:
        return ModelError(f"{provider} raised {type(error).__name__}{their_words}", kind="broken")
    reason, again = f"{provider} {_WORDS[kind]}{their_words}", kind in _AGAIN
    if kind == "garbled":
        return Unreadable(reason, kind=kind, again=again)
    if kind in ("request", "too_long", "refused"):
        return Refused(reason, kind=kind)
    return Unavailable(reason, kind=kind, again=again, retry_after=_wait(error) if kind == "rate" else None)


def _kind(error: Exception) -> str:
    """Which of the usual failures it is; "" for none."""
    if kind := _kind_by_class(error, _NAMES):
        return kind
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", getattr(response, "status_code", None))
    if not isinstance(status, int) or status < 400:
        return _kind_by_class(error, _LAST)
    if status in (400, 422) and _FULL.search(str(error)):
        return "too_long"
    return _STATUS.get(status, "server" if status >= 500 else "request")


def _kind_by_class(error: Exception, known: Sequence[tuple[str, str]]) -> str:
    """What the names of its class, and of those it descends from, say; "" for nothing."""
    names = " ".join(item.__name__ for item in type(error).__mro__)
    return next((kind for part, kind in known if re.search(part, names)), "")


def _wait(error: Exception) -> float | None:
    """The seconds that the provider asks to wait, where the exception has its headers."""
    headers: object = getattr(error, "headers", None) or getattr(getattr(error, "response", None), "headers", None)
    return wait_seconds(cast("Mapping[str, str]", headers)) if isinstance(headers, Mapping) else None
