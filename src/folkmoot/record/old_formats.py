"""What earlier code has written: side events of format 1, answers with unchecked numbers, sentences that were wrong."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, cast

from pydantic import TypeAdapter
from pydantic_core import from_json

from folkmoot.core.ask import Usage, amount
from folkmoot.core.brief import Limits
from folkmoot.core.event import (
    Allowed,
    Claimed,
    Closed,
    Event,
    Halted,
    Interjected,
    Keyed,
    Limited,
    Noted,
    Released,
    Reserved,
    Revoked,
    Shared,
    SideEvent,
)
from folkmoot.core.text import named, texts

ONE_IS_NEEDED = (", 1 is needed to go on", ", 1 are needed to go on")
"""The end of a debate with too few answers, as it is written and as it was."""


@cache
def _adapter(wanted: type[object]) -> TypeAdapter[Any]:
    return TypeAdapter(wanted)


def upcast(body: object) -> SideEvent:
    """The side event in the body of an interjection of format 1.

    Raises:
        ValueError, KeyError, TypeError: it contains none.
    """
    event: Interjected = _adapter(Interjected).validate_python(body)
    text = event.text
    match event.by:
        case "owner":
            claim = _object(text)
            return Claimed(owner=str(claim["owner"]), request=str(claim["request"]))
        case "share":
            link = _object(text)
            return _adapter(Shared).validate_python({name: link[name] for name in link if name != "revoked"})
        case "revoke":
            return Revoked(id=text)
        case "limits":
            return _adapter(Limited).validate_python(_object(text))
        case "allowed":
            return Allowed(limits=_adapter(Limits).validate_python(_object(text)))
        case "promise":
            return _adapter(Reserved).validate_python(_object(text))
        case "drop":
            return Released(debate=text)
        case "resolve" | "domain" | "forget" as noted:
            return Noted(what=noted, text=text)
        case key:
            request, _, number = text.partition(" ")
            return Keyed(key=key, request=request, number=int(number))


def _object(text: str) -> dict[str, object]:
    return dict(from_json(text, allow_inf_nan=False))


def is_reworded(recorded: Event, event: Event) -> bool:
    """Whether a recorded fact is the one that a play makes, but for a sentence that was wrong once."""
    if not isinstance(event, Halted | Closed):
        return False
    return recorded == replace(event, reason=event.reason.replace(*ONE_IS_NEEDED))


def mended(body: object) -> object:
    """The body of an answer in today's form; earlier versions wrote a provider's data unchecked."""
    data = dict(cast("Mapping[str, object]", body))
    if "reply" in data:
        return {**data, "reply": mended(data["reply"])}
    data |= {name: named(data[name]) for name in ("model", "asked", "served", "finish") if name in data}
    if "seconds" in data:
        data["seconds"] = amount(data["seconds"]) or 0.0
    if "usage" in data:
        data["usage"] = Usage(**cast("dict[str, Any]", data["usage"])).cleaned()
    if "sources" in data:
        data["sources"] = texts(cast("Sequence[object]", data["sources"]))
    return data
