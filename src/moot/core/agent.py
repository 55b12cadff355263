"""The Seat port: whoever answers for a participant. This file owns what passes between the engine and a seat."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Protocol

from moot.core.ask import Ask, Reply
from moot.core.brief import Brief, Participant, View
from moot.core.event import Called
from moot.core.transcript import Transcript, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a participant sees when it is asked.

    Attributes:
        brief: topic, background, rules, who takes part.
        me: the participant that is asked.
        turns: the turns of the log that the ask's view shows it, oldest first.
        about: the turns laid before it, in the order of presentation (``Ask.about``).
        view: how they are shown: the ask's view, narrowed by the participant's own.
    """

    brief: Brief
    me: Participant
    turns: tuple[Turn, ...] = ()
    about: tuple[Turn, ...] = ()
    view: View = View()


def context_of(brief: Brief, transcript: Transcript, ask: Ask) -> Context:
    """What a participant sees when it is asked; nothing that it must not see, whatever the ask says."""
    me = brief.participant(ask.to)
    view = ask.view.narrowed(me.view)
    about = [turn for turn in map(transcript.get, ask.about) if transcript.sees(me.name, turn)]
    seen = transcript.look(view, me.name)
    return Context(
        brief=brief,
        me=me,
        turns=tuple(open_to(me.name, turn) for turn in seen),
        about=tuple(open_to(me.name, turn) for turn in about),
        view=view,
    )


def open_to(who: str, turn: Turn) -> Turn:
    """The turn as somebody may read it: without the fields that are private to others.

    Where a form has such fields, its answer as it came may hold them anywhere; others read what is written anew from
    the fields that are theirs to read, and nothing of an answer that could not be read.
    """
    asked = turn.ask.form.fields if turn.ask and turn.ask.form else ()
    if turn.by == who or turn.reply is None or not any(field.private for field in asked):
        return turn
    hidden = {field.name for field in asked if field.private and turn.fields.get(field.to) != who}
    fields = {name: value for name, value in turn.fields.items() if name not in hidden}
    text = "\n".join(f"{name}: {value}" for name, value in fields.items())
    return replace(turn, reply=replace(turn.reply, text=text, fields=fields, unread=()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """What a call is expected to use at most.

    Attributes:
        model: what is called.
        tokens: tokens in and out.
        cost: US dollars; None where the price is unknown.
        prompt: of the tokens, those of the prompt, which are estimated; 0 where nothing is.
        worst: the most tokens that the prompt can be, whatever it holds; 0 where that is no more than the estimate.
        worst_cost: US dollars with so many.
    """

    model: str
    tokens: int = 0
    cost: float | None = 0.0
    prompt: int = 0
    worst: int = 0
    worst_cost: float | None = 0.0

    def at(self, prompt: int) -> "Quote":
        """The same call with another number of tokens in its prompt; the price goes with them."""
        more, range_ = prompt - self.prompt, self.worst - self.prompt
        if more <= 0 or range_ <= 0:
            return self
        cost = self.cost
        if cost is not None and self.worst_cost is not None:
            cost += (self.worst_cost - cost) * more / range_
        return replace(self, tokens=self.tokens + more, cost=cost, prompt=prompt)


class Recorder(Protocol):
    """The line from a seat to the engine while it answers one ask."""

    def delta(self, text: str) -> None:
        """Show a piece of the answer in the making; nothing is stored."""
        ...

    def done(self, name: str) -> Called | None:
        """The answer of a call, if it is on record already."""
        ...

    async def call(self, name: str, quote: Quote, send: Callable[[], Awaitable[Called]]) -> Called:
        """Send one model call, unless the record holds its answer already.

        What the quote names is reserved and the try is on record before ``send`` is awaited; the answer is
        on record before this returns. A cancelled try leaves no answer, so it will be sent again.
        ``send`` fills in everything of Called but ``key`` and ``call``, which the engine sets.

        Raises:
            LimitReached: a limit stands in the way; nothing was sent.
            ModelError: the call ended without an answer; it is on record and may be tried again.
        """
        ...


class Agent(Protocol):
    """Whoever answers: a model, a person, a tool, a librarian."""

    async def answer(self, ask: Ask, context: Context, say: Recorder) -> Reply:
        """Answer one ask.

        A seat that is cancelled must let the cancellation pass at once: nobody can end it from outside.

        Raises:
            ModelError: there is no answer; the engine books the ask as failed and the debate goes on.
            LimitReached: a limit stands in the way; the engine pauses the debate.
        """
        ...
