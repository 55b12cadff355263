"""The Agent port: what answers for a participant, what it is shown (``Context``) and how its calls are recorded."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from math import inf
from typing import Protocol, TypeGuard, runtime_checkable

from folkmoot.core.ask import Ask, Reply, Value
from folkmoot.core.brief import Brief, Participant, View
from folkmoot.core.event import Called
from folkmoot.core.text import letter
from folkmoot.core.transcript import Transcript, Turn, is_open_prose, read_field


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a participant sees when it is asked.

    Attributes:
        brief: topic, background, rules, who takes part.
        me: the participant that is asked.
        turns: the turns of the log that the ask's view shows, oldest first.
        about: the turns that the ask is about, in the order of presentation (``Ask.about``).
        view: how they are shown: the ask's view, narrowed by the participant's own.
    """

    brief: Brief
    me: Participant
    turns: tuple[Turn, ...] = ()
    about: tuple[Turn, ...] = ()
    view: View = View()


def context_of(brief: Brief, transcript: Transcript, ask: Ask) -> Context:
    """What a participant sees when it is asked. It never contains what the participant must not see."""
    me = brief.participant(ask.to)
    view = ask.view.narrowed(me.view)
    about = [turn for turn in map(transcript.get, ask.about) if transcript.sees(me.name, turn)]
    visible = transcript.look(view, me.name)
    return Context(
        brief=brief,
        me=me,
        turns=tuple([without_private_fields(me.name, turn) for turn in visible]),
        about=tuple([without_private_fields(me.name, turn) for turn in about]),
        view=view,
    )


def without_private_fields(reader: str, turn: Turn) -> Turn:
    """The turn as a participant may read it: without the fields that are private to others.

    The original text of an answer may contain private fields anywhere. So if the form has any, others read a text that
    is composed of the fields they may read, and nothing of an answer that was not readable, unless that is prose
    without any tag and without the name of a private field.
    """
    if turn.by == reader or turn.reply is None or turn.ask is None or turn.ask.form is None:
        return turn
    for_all, readers = turn.once("private fields", _private_fields)
    if for_all:
        return turn
    return turn.once(("open to", reader if reader in readers else ""), lambda turn: _as_read_by(reader, turn))


def _private_fields(turn: Turn) -> tuple[bool, tuple[Value | None, ...]]:
    """Whether all may read all of the turn; else who may read some of its private fields."""
    form = turn.ask.form if turn.ask else None
    private = [field for field in form.fields if field.private] if form else []
    if form is None or not private or is_open_prose(form, turn):
        return True, ()
    return False, tuple(turn.fields.get(field.to) for field in private)


def _as_read_by(reader: str, turn: Turn) -> Turn:
    """The turn as another may read it; "" is nobody to whom something in it is addressed."""
    form = turn.ask.form if turn.ask else None
    assert form is not None
    assert turn.reply is not None
    hidden = {field.name for field in form.fields if field.private and turn.fields.get(field.to) != reader}
    fields = {name: value for name, value in turn.fields.items() if name not in hidden}
    text = "\n".join(f"{name}: {value}" for name, value in fields.items())
    return replace(turn, reply=replace(turn.reply, text=text, fields=fields, unread=()))


def proposal_names(view: View, about: Sequence[Turn]) -> list[str]:
    """The names of the turns that a participant is asked about: "" for the author, else a letter and the act."""
    if not view.anonymous:
        return [""] * len(about)
    counted: dict[str, int] = {}
    names: list[str] = []
    for turn in about:
        word = "Critique" if turn.act == "critique" else "Proposal"
        counted[word] = counted.get(word, 0) + 1
        names.append(f"{word} {letter(counted[word] - 1)}")
    return names


def proposed_words(ask: Ask, context: Context) -> dict[str, tuple[str, ...]]:
    """By choice of a ballot over proposals, the words of each: its ANSWER, and its whole text; empty for other asks."""
    choices = next((field.choices for field in (ask.form.fields if ask.form else ()) if field.kind == "choice"), ())
    shown = (
        proposal_names(context.view, context.about) if context.view.anonymous else [turn.by for turn in context.about]
    )
    if not choices or list(choices) != shown:
        return {}
    answers = [read_field(turn, "ANSWER") for turn in context.about]
    return {
        choice: (*([answer] if isinstance(answer, str) else []), turn.text)
        for choice, turn, answer in zip(choices, context.about, answers, strict=True)
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """The most that a call is expected to use.

    Attributes:
        model: the model that is called.
        tokens: input and output tokens.
        cost: US dollars; None if the price is unknown.
        prompt: the estimated tokens of the prompt, which ``tokens`` includes; 0 if nothing is estimated.
        worst: the most tokens that the prompt can have; 0 if that is no more than the estimate.
        worst_cost: US dollars for a prompt of ``worst`` tokens.
        item: what the request is called in a provider's batch; "" where it is sent by itself.
    """

    model: str
    tokens: int = 0
    cost: float | None = 0.0
    prompt: int = 0
    worst: int = 0
    worst_cost: float | None = 0.0
    item: str = ""

    def at(self, prompt: int) -> "Quote":
        """The same call with another number of tokens in its prompt, and the cost to match.

        Where the price of a token of the prompt is not known, a shorter prompt changes nothing, and each token of a
        longer one costs as much as one of the whole call.
        """
        more, range_ = prompt - self.prompt, self.worst - self.prompt
        if not more or (range_ <= 0 and more < 0):
            return self
        cost = self.cost
        if cost is not None and range_ <= 0:
            cost *= 1 + more / max(1, self.tokens)
        elif cost is not None and self.worst_cost is not None:
            cost += (self.worst_cost - cost) * more / range_
        return Quote(
            model=self.model,
            tokens=self.tokens + more,
            cost=cost,
            prompt=prompt,
            worst=self.worst,
            worst_cost=self.worst_cost,
            item=self.item,
        )


class TurnTime:
    """The time that one answer has, as its agent and the layers of its model see it; here without an end."""

    @property
    def spent(self) -> float:
        """The seconds that have passed."""
        return 0.0

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return inf

    def waiting(self) -> AbstractContextManager[None]:
        """A context in which the time does not run: a call waits for its turn at a server."""
        return nullcontext()

    def keep(self, reply: Reply) -> None:
        """Keep an answer that is whole: it counts if the time ends before the agent has a better one."""


ANY_TIME = TurnTime()


def time_of(recorder: "Recorder") -> TurnTime:
    """The time of the answer that is recorded: the recorder's ``time``, where it has one."""
    return getattr(recorder, "time", ANY_TIME)


class Recorder(Protocol):
    """Records the model and tool calls of an agent while it answers one ask."""

    @property
    def watched(self) -> bool:
        """Whether somebody sees the pieces of an answer now; where nobody does, they may come later."""
        ...

    def delta(self, text: str) -> None:
        """Show a piece of the answer as it is generated; nothing is stored."""
        ...

    def done(self, name: str) -> Called | None:
        """The answer to a call, if the record has it already; else None."""
        ...

    async def call(self, name: str, quote: Quote, send: Callable[[], Awaitable[Called]]) -> Called:
        """Send one model call, unless the record has its answer already.

        Reserves the quote and records the try before ``send`` is awaited, and records the answer before it returns.
        A cancelled try leaves no answer, so it will be sent again.
        ``send`` sets all fields of Called except ``key`` and ``call``, which the engine sets.

        Raises:
            LimitReached: a limit does not allow the call; nothing was sent.
            ModelError: the call ended without an answer; that is recorded, and the call may be tried again.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PastTry:
    """The last try of a call that is on record without an answer: it failed, or its process ended before it did.

    Attributes:
        n: which try of the call, from 1.
        model: ``provider:name``, which was asked.
        ago: the seconds since it failed; where that is not on record, since it was sent.
        wait: the seconds that the provider asked to wait; 0 where it did not.
    """

    n: int
    model: str
    ago: float
    wait: float = 0.0


def past_try(recorder: "Recorder", name: str) -> PastTry | None:
    """The last try of a call without an answer, where the recorder reads a record."""
    tell: Callable[[str], PastTry | None] | None = getattr(recorder, "past_try", None)
    return tell(name) if tell else None


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchTry:
    """A try of a call that goes into a provider's batch.

    Attributes:
        item: what its request is called there.
        model: the model that it asks; "" where it is not on record yet.
        failures: how many tries of the call have failed there before.
        begun: whether the debate has had calls in batches before.
    """

    item: str
    model: str = ""
    failures: int = 0
    begun: bool = False


@runtime_checkable
class BatchRecorder(Recorder, Protocol):
    """A recorder whose calls can go into a provider's batch, and be answered after days and restarts."""

    def batch_try(self, name: str) -> BatchTry:
        """The try of a call whose answer is still awaited, else the one that would be next."""
        ...


def is_batch_recorder(recorder: Recorder) -> TypeGuard[BatchRecorder]:
    """As ``isinstance``, which looks for each member of the protocol, at each call of a model."""
    return hasattr(recorder, "batch_try")


UNMARKED = "unmarked"
"""Why a streamed answer ended without a reason: it may be whole, or cut off by a broken server or proxy."""


def is_cut_off(called: Called) -> bool:
    """Whether there may be more of an answer than has come: it is whole only where its provider says so.

    Who answers from within a program and says nothing of an end ("") has given all that there is.
    """
    return called.finish not in ("", "stop", "tools")


CONTINUE = "continue"
"""What the name of a call begins with that goes on with an answer which was cut off."""


class Agent(Protocol):
    """What answers for a participant: a model, a person, a function, a helper.

    An agent whose attribute ``records`` is true does nothing outside ``Recorder.call``, which makes the question
    durable together with the first try, and an answer before whatever follows from it is sent. For all others the
    question is durable before they are asked, and the answer of a call before it returns.
    """

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        """Answer one ask.

        An agent that is cancelled must let the cancellation through at once: nothing else can end it.

        Raises:
            ModelError: there is no answer; the engine records the ask as failed and the debate continues.
            LimitReached: a limit does not allow a call; the engine pauses the debate.
        """
        ...
