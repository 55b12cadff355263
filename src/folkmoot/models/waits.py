"""How long a provider asks to wait: in a header, in a field of the body, or in words, whichever it uses."""

import re
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import chain
from math import isfinite
from typing import cast

_UNITS: Mapping[str, float] = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}

_PART = r"(\d+(?:\.\d+)?)\s?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])"
_DURATION = re.compile(rf"(?i)(?:{_PART}[\s,]{{0,2}}(?:and\s)?){{1,4}}")
_PARTS = re.compile(f"(?i){_PART}")

_ASKED = re.compile(r"(?i)\b(?:re)?(?:try|tried|tries|wait|available|resets?|again|back)\b[^.\d]{0,60}(?=\d)")
"""What stands before a wait in words: ``Please try again in``, ``retry after``."""

_PER = re.compile(r"(?i)(?:\b(?:per|each|every|within|last|past|a)|/)\s*$")
"""What stands before a time that is no wait, but the one over which is counted."""

_WAITS = re.compile("retry|wait|reset|delay|estimatedtime|cooldown|backoff")
_COUNTS = re.compile("retries|count|max|attempt|limit")
"""What stands in the names of fields that are about waiting, and of those that count how often."""

_OF_KEY: Mapping[str, float] = {"ms": 0.001, "millis": 0.001, "milliseconds": 0.001, "minutes": 60.0, "hours": 3600.0}
"""The units with which the name of a field may end."""

_FOLD = re.compile(r"[^a-z]+")

EPOCH = 1e9
"""A number from which on it is no wait, but a time: seconds since 1970; a thousand times as much is milliseconds."""

LONGEST = 100
"""Characters of a wait."""

DEPTH = 6
"""How deep in the body of an error a wait may stand."""


def wait_seconds(
    headers: Mapping[str, str], body: object = None, words: str = "", now: float | None = None, *, busy: bool = False
) -> float | None:
    """The seconds that a provider asks to wait.

    Args:
        headers: the response's headers.
        body: its body as JSON that has been read; None where it is none.
        words: its words.
        now: seconds since 1970; None for the clock.
        busy: whether the status says that there were too many requests: any time in its words is a wait then.

    Returns:
        None where it says nothing, or nothing that can be: no number, a negative one, a date in the past.
    """
    clock = time.time() if now is None else now
    folded = {name.lower(): value for name, value in headers.items()}
    # The more exact one first.
    own = {
        name: folded[name] for name in sorted(folded, key=lambda name: not name.endswith("ms")) if not _is_limit(name)
    }
    found = chain(_in_body(own, clock), _in_body(body, clock), _in_words(words, busy=busy), _reset(folded, clock))
    return next(found, None)


def _is_limit(header: str) -> bool:
    return "ratelimit" in header.replace("-", "")


def _reset(headers: Mapping[str, str], now: float) -> Iterator[float]:
    """When a limit is free again, as headers such as ``x-ratelimit-reset-tokens`` say: of those that are used up, if
    that is known, the last one, else the first."""
    resets = [name for name in headers if _is_limit(name) and "reset" in name]
    known = {name: wait for name in resets if (wait := _time(headers[name], now)) is not None}
    used_up = [
        wait for name, wait in known.items() if headers.get(name.replace("reset", "remaining"), "").strip() == "0"
    ]
    if known:
        yield max(used_up) if used_up else min(known.values())
    # The header of the coming standard: ``"default";r=0;t=7``, formerly ``limit=9, remaining=0, reset=7``.
    if standard := re.search(r"\b(?:t|reset)\s*=\s*(\d+)", headers.get("ratelimit", "")):
        yield float(standard[1])


def _in_body(body: object, now: float, depth: int = DEPTH) -> Iterator[float]:
    """The waits in the fields of a body or in headers: ``retryDelay``, ``retry-after-ms``, those that it passes on."""
    if isinstance(body, list) and depth:
        for item in cast("list[object]", body)[:20]:
            yield from _in_body(item, now, depth - 1)
    elif isinstance(body, dict) and depth:
        for name, value in cast("dict[str, object]", body).items():
            key = _FOLD.sub("", name.lower())
            if _WAITS.search(key) and not _COUNTS.search(key) and isinstance(value, str | int | float):
                if not isinstance(value, bool) and (wait := _time(str(value), now)) is not None:
                    yield wait * next((size for unit, size in _OF_KEY.items() if key.endswith(unit)), 1.0)
            elif key == "headers" and isinstance(value, dict):
                passed_on = {text.lower(): str(told) for text, told in cast("dict[str, object]", value).items()}
                yield from _in_body(passed_on, now, 1)
                yield from _reset(passed_on, now)
            else:
                yield from _in_body(value, now, depth - 1)


def _in_words(words: str, *, busy: bool) -> Iterator[float]:
    """A wait that a sentence asks for; a bare number is one of seconds nowhere."""
    for asked in _ASKED.finditer(words[:2000]):
        if found := _DURATION.match(words, asked.end()):
            yield _duration(found[0])
    for found in _DURATION.finditer(words[:2000]) if busy else ():
        if not _PER.search(words, 0, found.start()):
            yield _duration(found[0])


def _time(text: str, now: float) -> float | None:
    """A wait in any notation: seconds, a duration such as ``6m0s`` or ``1 minute and 5 seconds``, a time."""
    text = text[:LONGEST].strip()
    if (number := _number(text)) is not None and number < EPOCH:
        return number
    if _DURATION.fullmatch(text):
        return _duration(text)
    try:
        if number is not None:
            moment = number / (1000 if number >= 1000 * EPOCH else 1)
        else:  # a date in HTTP's form or in ISO's; one without a zone is meant as UTC
            date = datetime.fromisoformat(text) if text[:4].isdigit() else parsedate_to_datetime(text)
            moment = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return moment - now if moment > now else None


def _duration(text: str) -> float:
    return sum(float(number) * _UNITS[_unit(unit.lower())] for number, unit in _PARTS.findall(text))


def _unit(word: str) -> str:
    return "ms" if word.startswith(("ms", "milli")) else word[0]


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) and number >= 0 else None
