"""Events: everything that can happen in a debate. This file owns the closed set; kinds and field names are for ever.

Events are plain values without identity or time; the ledger stamps those on the ``Entry`` around an event.
Play events are made by the phases and come out the same whenever a record is played again.
World events come from outside: answers, model calls, interjections, a pause.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from moot.core.ask import Ask, Reply, ToolCall, Usage, amount
from moot.core.brief import Brief
from moot.core.decision import Decision, Status
from moot.core.text import clean, named, texts

# ---- play events -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The debate begins: the frozen brief, the phase tree as data, the version of the play, the protocol's name.

    ``log`` is how the brief wants the result written beside the report; "" for the report alone. ``chosen`` is what
    was chosen about the protocol, in words for readers; what follows from it stands in the phase tree. ``forked`` is
    the debate and the entry that this one parted from (``depot-3f2a1c@17``); "" for one of its own.
    """

    brief: Brief
    protocol: Mapping[str, object]
    version: int = 1
    name: str = ""
    log: str = ""
    chosen: tuple[str, ...] = ()
    forked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """A phase begins at this path (``/debate/rounds/round-2``)."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question is put."""

    ask: Ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Halted:
    """The phase at this path, with all beneath it, ends before its time."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled:
    """A decision follows."""

    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """The debate is over."""

    status: Status
    reason: str = ""


# ---- world events ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempted:
    """A model call inside an ask is about to be sent.

    Attributes:
        key: the ask's key.
        call: which of the ask's calls: ``answer``, ``repair``, ``answer-2``, ``tool-1``.
        n: which try of that call, from 1.
        model: ``provider:name``; of a tool ``tool:search``.
        tokens: tokens reserved for it, input and most output together.
        cost: US dollars reserved for it; None where the price is unknown.
        prompt: tokens of the prompt as estimated by its letters; 0 where they were not, or in older records.
    """

    key: str
    call: str
    n: int
    model: str = ""
    tokens: int = 0
    cost: float | None = 0.0
    prompt: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """A call inside an ask, of a model or a tool, has ended with an answer; it is never sent again.

    Attributes:
        key: the ask's key.
        call: which of the ask's calls.
        text: the answer as it came, control characters mended.
        model: the model asked for; of a tool ``tool:search``.
        served: the model that says it answered.
        usage: what it used.
        seconds: how long it took.
        finish: why it stopped: ``stop``, ``length``, ``filter``, ``tools``, "" where the provider gave no reason.
        tools: the tools that the model asks for, in order; they are used before it answers.
        sources: where a tool's result comes from: addresses, names of documents.
    """

    key: str
    call: str
    text: str
    model: str = ""
    served: str = ""
    usage: Usage = Usage()
    seconds: float = 0.0
    finish: str = ""
    tools: tuple[ToolCall, ...] = ()
    sources: tuple[str, ...] = ()

    def mended(self) -> "Called":
        """The same as it can be stored: texts cleaned, names clipped, and no number that cannot be."""
        return replace(
            self,
            text=clean(self.text),
            model=named(self.model),
            served=named(self.served),
            usage=self.usage.mended(),
            seconds=amount(self.seconds) or 0.0,
            finish=named(self.finish),
            sources=tuple(map(clean, texts(self.sources))),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Erred:
    """A try of a model call inside an ask has ended without an answer."""

    key: str
    call: str
    n: int
    kind: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Replied:
    """An ask is answered."""

    key: str
    reply: Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """An ask ended without an answer: ``kind`` is one of ModelError's, or ``timeout``, ``broken``."""

    key: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Interjected:
    """Somebody who watches speaks up; everybody sees it from the next question on.

    ``letter`` is the number of the letter by which it came; 0 for none. It is taken from there once.
    """

    by: str
    text: str
    letter: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """The debate stands still and can be resumed: a limit, a stop by its owner, no provider in reach."""

    reason: str
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """Somebody takes the debate up again."""

    by: str = ""


TOOL = "tool:"
"""How the model of a call begins that is the result of a tool; its name follows."""

TREE = "search:"
"""How the model of a call begins that is the tree of a search; its method follows."""

ASIDE = (TOOL, TREE)
"""How the model of a call begins that is none of a model."""

PlayEvent: TypeAlias = Opened | Entered | Asked | Halted | Ruled | Closed
WorldEvent: TypeAlias = Attempted | Called | Erred | Replied | Failed | Interjected | Paused | Resumed
Event: TypeAlias = PlayEvent | WorldEvent
Note: TypeAlias = Entered | Halted | Ruled
"""What a phase may yield beside asks."""

PLAY_EVENTS = (Opened, Entered, Asked, Halted, Ruled, Closed)
WORLD_EVENTS = (Attempted, Called, Erred, Replied, Failed, Interjected, Paused, Resumed)
EVENTS: tuple[type[Event], ...] = (*PLAY_EVENTS, *WORLD_EVENTS)


def kind(event: Event) -> str:
    """The event's kind as it stands in a record: ``asked`` for Asked."""
    return type(event).__name__.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An event with its place and time in a record.

    Attributes:
        seq: 1, 2, 3 … without a gap.
        at: seconds since 1970, UTC; a label only: order comes from ``seq``.
        event: what happened.
        prev: hash of the entry before, as hexadecimal SHA-256 of its stored bytes ("" for the first).
    """

    seq: int
    at: float
    event: Event
    prev: str = ""


# ---- signals: live, never stored -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A piece of an answer in the making. A try that errs makes the pieces of its ask void."""

    key: str
    text: str


Signal: TypeAlias = Delta
