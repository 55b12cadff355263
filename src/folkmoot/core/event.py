"""Events: everything that can happen in a debate, as a closed set of plain values. Kinds and field names never change.

Events have no identity or time of their own; the ledger adds those in the ``Entry`` around an event.
Play events are produced by the phases and are the same whenever a record is replayed.
World events come from outside: answers, model calls, interjections, a pause.
Side events stand in streams beside a record: whose a debate is, its links, reservations, notes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from folkmoot.core.ask import Ask, Fields, Reply, ToolCall, Usage, Value, amount
from folkmoot.core.brief import Brief, Limits
from folkmoot.core.decision import Decision, Status
from folkmoot.core.text import clean, clean_data, named, texts


def extension_options(settings: Fields) -> Fields:
    """The settings for extensions: ``protocol_options.hats``, ``tool_options.dice.most``."""
    return {name: value for name, value in settings.items() if "_options." in name}


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A package that is no part of Folkmoot and that a debate uses.

    Attributes:
        name: its name, as an installer knows it.
        version: its version when the debate began.
        used_for: what it is used for: ``protocol six_hats``, ``rule star``, ``phase Steelman``.
    """

    name: str
    version: str = ""
    used_for: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name} {self.version}".strip()


# ---- play events -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The debate begins: the frozen brief, the phase tree as data, the version of the play, the protocol's name.

    ``settings`` are those of the brief's header that hold, by the names of their keys (``rounds``, ``turn_mode``,
    ``tool_options.dice.most``); what the brief itself holds is not among them. With ``protocol`` they are all that the
    phase tree was built from; without it a program made the tree. ``chosen`` says the same in words, for readers alone.
    ``forked`` is the debate and the entry that this one was forked from (``depot-3f2a1c@17``); "" for no fork.
    ``packages`` are the packages beside Folkmoot that the debate uses.
    ``place`` tells folders apart in which the documents may lie, and names none: four digits of a hash; "" if unknown.
    ``unseated`` are headings of the brief that look like people, but are part of the background: it describes nobody.
    """

    brief: Brief
    protocol: Mapping[str, object]
    version: int = 1
    name: str = ""
    settings: Fields = field(default_factory=dict[str, Value])
    chosen: tuple[str, ...] = ()
    forked: str = ""
    packages: tuple[Package, ...] = ()
    place: str = ""
    unseated: tuple[str, ...] = ()

    @property
    def log(self) -> str:
        """How the brief wants the result written beside the report; "" for the report alone."""
        return str(self.settings.get("logging_mode", ""))

    @property
    def options(self) -> Fields:
        """The settings for extensions; see ``extension_options``."""
        return extension_options(self.settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """A phase begins at this path (``/debate/rounds/round-2``)."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A participant is asked."""

    ask: Ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Halted:
    """The phase at this path, with all its parts, ends early."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled:
    """A decision is made."""

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
        cost: US dollars reserved for it; None if the price is unknown.
        prompt: tokens of the prompt, estimated from its characters; 0 if not estimated.
        item: what the request is called in a provider's batch; "" where it is sent by itself.
    """

    key: str
    call: str
    n: int
    model: str = ""
    tokens: int = 0
    cost: float | None = 0.0
    prompt: int = 0
    item: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """A call inside an ask, of a model or a tool, has ended with an answer; it is never sent again.

    Attributes:
        key: the ask's key.
        call: which of the ask's calls.
        text: the answer as received, cleaned of control characters.
        model: the requested model; of a tool ``tool:search``.
        served: the model that reports to have answered.
        usage: what it used.
        seconds: the duration.
        finish: why the answer ended: ``stop``, ``length``, ``filter``, ``tools``, ``unmarked`` (a stream ended without
            a reason), ``repeated`` (it said the same again and again, so the rest was not read), any other reason by
            the provider's own name, "" where no reasons are given. An answer is whole with ``stop``, ``tools`` and ""
            only.
        tools: the tool calls that the model requests, in order; they are made before it answers.
        sources: the sources of a tool's result: addresses, names of documents.
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

    def cleaned(self, key: str = "", call: str = "") -> "Called":
        """The same call, fit to be stored: texts cleaned, names clipped, impossible numbers replaced.

        Args:
            key: the ask's key; "" for its own.
            call: which of the ask's calls it is; "" for its own.
        """
        return Called(
            key=key or self.key,
            call=call or self.call,
            text=clean(self.text),
            model=named(self.model),
            served=named(self.served),
            usage=self.usage.cleaned(),
            seconds=amount(self.seconds) or 0.0,
            finish=named(self.finish),
            tools=clean_data(self.tools) if self.tools else (),
            sources=tuple(map(clean, texts(self.sources))) if self.sources else (),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Erred:
    """A try of a model call inside an ask ended without an answer.

    Attributes:
        key: the ask's key.
        call: which of the ask's calls.
        n: which try of that call.
        kind: the kind of the error; see ``core.errors.ModelError``.
        reason: the error in a sentence.
        wait: the seconds that the provider asked to wait; 0 where it did not.
    """

    key: str
    call: str
    n: int
    kind: str
    reason: str
    wait: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Replied:
    """A participant has answered an ask."""

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
    """Somebody outside the debate adds a remark; all participants see it from the next question on.

    ``letter`` is the number of the message in the mailbox that carried it; 0 for none. Each message is used once.
    ``to`` is the mark of the turn that it replies to; "" for none.
    """

    by: str
    text: str
    letter: int = 0
    to: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """The debate is paused and can be resumed: at a limit, by its owner, or because no provider is in reach.

    ``cause`` is the kind of ModelError that all who were asked have met: ``timeout``, ``key``, ``quota``; "" where they
    met several, and one of them may pass by itself. ``limit`` is the field of the limits that has to be raised, and
    ``most`` its value.
    """

    reason: str
    kind: str = ""
    cause: str = ""
    limit: str = ""
    most: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """The debate is resumed."""

    by: str = ""


TOOL = "tool:"
"""The prefix of ``Called.model`` for the result of a tool; the tool's name follows."""

TREE = "search:"
"""The prefix of ``Called.model`` for the tree of a search; the method follows."""

ASIDE = (TOOL, TREE)
"""The prefixes of ``Called.model`` for calls that no model answered."""

PlayEvent: TypeAlias = Opened | Entered | Asked | Halted | Ruled | Closed
WorldEvent: TypeAlias = Attempted | Called | Erred | Replied | Failed | Interjected | Paused | Resumed
Event: TypeAlias = PlayEvent | WorldEvent
Note: TypeAlias = Entered | Halted | Ruled
"""The events that a phase may yield, besides asks."""

PLAY_EVENTS = (Opened, Entered, Asked, Halted, Ruled, Closed)
WORLD_EVENTS = (Attempted, Called, Erred, Replied, Failed, Interjected, Paused, Resumed)
EVENTS: tuple[type[Event], ...] = (*PLAY_EVENTS, *WORLD_EVENTS)
KIND: Mapping[type[Event], str] = {item: item.__name__.lower() for item in EVENTS}
"""How a record names each kind of event: ``asked`` for Asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An event with its place and time in a record.

    Attributes:
        seq: 1, 2, 3 … without a gap.
        at: seconds since 1970, UTC. It is only a label; ``seq`` gives the order.
        event: what happened.
        prev: hash of the previous entry, as hexadecimal SHA-256 of its stored bytes ("" for the first).
    """

    seq: int
    at: float
    event: Event
    prev: str = ""


# ---- side events: stored beside a record, never in it ------------------------------------------------------------

Right: TypeAlias = Literal["view", "join", "own"]
"""What somebody may do with a debate, from the least to the most: whoever may join may view."""

NoteKind: TypeAlias = Literal["resolve", "domain", "forget", "finding"]
"""What an owner's note is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """Somebody owns a debate; the first claim counts.

    Attributes:
        owner: the name of the token by which it was made; "" for the person at the machine.
        request: the hash of the request, if it came with an idempotency key; "" for none.
    """

    owner: str = ""
    request: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """A share link to a debate is made.

    Attributes:
        id: the link's id, by which it is revoked.
        right: ``view`` or ``join``.
        who: with ``join``, the person in the debate for whom its holder answers; "" for somebody who only speaks up.
        at: when it was made, in seconds since 1970.
        until: when it ends, in seconds since 1970; None for never.
        mark: the hash of its secret.
    """

    id: str
    right: Right
    who: str = ""
    at: float = 0.0
    until: float | None = None
    mark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revoked:
    """The share link of that id is taken back."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """The owner gives a debate a name for lists and pages; "" for its topic again. The last one counts."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Limited:
    """The owner sets limits in the place of those of the brief; None leaves the brief's. The last ones count."""

    asks: int | None = None
    tokens: int | None = None
    cost: float | None = None
    turn_seconds: float | None = None
    total_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """What a debate may use in total, for the worker that runs it. The last one counts."""

    limits: Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserved:
    """Money is reserved for a debate of an owner, in the place of what was reserved for it before.

    Attributes:
        debate: the debate's id.
        amount: the most US dollars that it may use, with what it had used before.
        entries: how many entries its record had.
    """

    debate: str
    amount: float
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """What was reserved for that debate is free again."""

    debate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyed:
    """A remark was queued under an idempotency key.

    Attributes:
        key: the hash of the key.
        request: the hash of what was to be said, and by whom.
        number: the number of the message.
    """

    key: str
    request: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """The owner says something of a closed debate; of each kind the last one counts.

    Attributes:
        what: ``resolve`` for the right answer, ``domain`` for the kind of question, ``forget`` for nothing to learn,
            ``finding`` for whether a finding of a review was true, of which the last word on each finding counts.
        text: the answer, the name of the domain, or the finding with its truth (``F3 true``).
    """

    what: NoteKind
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """A program has asked for a debate through the name of a model.

    Attributes:
        digest: the hash of its owner, its key and its body; the client's retry has the same.
        request: the request as JSON, as it was used.
        turn: the hash of the conversation up to the last message of the user, by which the results of tools find the
            debate; "" where no tool can follow.
    """

    digest: str
    request: str
    turn: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Requests of debates are about to be sent to a provider as one batch.

    Attributes:
        job: our name of the batch.
        model: ``provider:name``, which all of them ask.
        items: what each request is called there; see ``Attempted.item``. One that an earlier batch has is of that one.
    """

    job: str
    model: str
    items: tuple[str, ...] = ()


BatchState: TypeAlias = Literal["sent", "unsent", "refused", "ended"]
"""What is known of a provider's batch: it has it, it never got it, it refused it as a whole, it is done with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batched:
    """What has become of a provider's batch; the last one counts.

    Attributes:
        job: our name of the batch.
        state: what is known of it.
        handle: what the provider calls it.
        kind: with ``refused``, the kind of the error.
        reason: with ``refused``, the error in a sentence.
    """

    job: str
    state: BatchState
    handle: str = ""
    kind: str = ""
    reason: str = ""


SideEvent: TypeAlias = (
    Claimed
    | Shared
    | Revoked
    | Renamed
    | Limited
    | Allowed
    | Reserved
    | Released
    | Keyed
    | Noted
    | Requested
    | Gathered
    | Batched
)
SIDE_EVENTS: tuple[type[SideEvent], ...] = get_args(SideEvent)
SIDE_KIND: Mapping[type[SideEvent], str] = {item: item.__name__.lower() for item in SIDE_EVENTS}
"""How a stream beside a record names each kind of side event: ``claimed`` for Claimed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideEntry:
    """A side event with its place and time in a stream beside a record; see ``Entry``."""

    seq: int
    at: float
    event: SideEvent
    prev: str = ""


# ---- signals: live, never stored -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A piece of the streamed answer to the ask ``key``. If the try fails, the pieces of its ask so far are void.

    ``first`` says whether nothing of this try came before it, shown or not. ``whole`` says whether it is all that was
    said so far, and stands in the place of all pieces before it.
    """

    key: str
    text: str
    first: bool = field(default=False, compare=False)
    whole: bool = False


Signal: TypeAlias = Delta
