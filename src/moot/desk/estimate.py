"""What a debate would cost. This file owns the estimate; it plays the protocol with pretended answers.

The play is the real one, and so are the prompts; only the answers are made up. Once nobody ever agrees, which gives
the greatest number of calls, and once all agree at once, which gives the least.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from moot.core.ask import Ask, Reply
from moot.core.brief import Brief
from moot.core.event import Asked, Note, Replied
from moot.core.form import Field, Value
from moot.core.seat import Quote, scene
from moot.core.transcript import Transcript
from moot.models.base import Model, Request
from moot.phases.base import Phase, Table, enter
from moot.seats.prompt import compose

WORDS = 250
"""Words of a pretended answer: the length that models give where nobody limits them is of this order."""

NEAR = 32
"""How many earlier prompts to the same model are looked at for a common beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The most that one way of playing would use.

    Attributes:
        asks: questions put.
        calls: model calls, without repairs and retries.
        tokens: tokens in and out, output at its limit.
        cost: US dollars; None where a price is unknown.
        unpriced: the models whose price is unknown.
        repeated: the share of the input, 0 to 1, that repeats the beginning of an earlier prompt to the same model;
            providers with a prompt cache charge less for it.
        phases: the paths of the phases, in order.
    """

    asks: int = 0
    calls: int = 0
    tokens: int = 0
    cost: float | None = 0.0
    unpriced: tuple[str, ...] = ()
    repeated: float = 0.0
    phases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Costing:
    """The estimate of a debate: if all agree at once, and if nobody ever agrees."""

    least: Estimate
    most: Estimate


def estimate(brief: Brief, protocol: Phase, models: dict[str, Model]) -> Costing:
    """Play the protocol twice with pretended answers.

    Args:
        brief: the brief, everybody seated.
        protocol: the phase tree.
        models: the models by participant; who has none costs nothing.
    """
    return Costing(least=_play(brief, protocol, models, agree=True), most=_play(brief, protocol, models, agree=False))


def _play(brief: Brief, protocol: Phase, models: dict[str, Model], *, agree: bool) -> Estimate:
    transcript = Transcript(brief=brief)
    bill = _Bill()
    batches = asks = 0
    for step in enter(protocol, Table(brief=brief, transcript=transcript)):
        if not isinstance(step, Sequence):
            _note(transcript, step)
            continue
        batches += 1
        for ask in step:
            transcript.apply(Asked(ask=ask))
        scenes = [scene(brief, transcript, ask) for ask in step]
        for place, (ask, seen) in enumerate(zip(step, scenes, strict=True)):
            asks += 1
            if model := models.get(ask.to):
                bill.add(model, Request(messages=compose(ask, seen, model.traits), settings=seen.me.settings))
            # Alone in a batch nobody can disagree; the last choice is the one that goes on, as CONTINUE is.
            turn = 0 if agree else place + batches if len(step) > 1 else -1
            transcript.apply(Replied(key=ask.key, reply=_pretend(ask, turn, f"{batches}.{place}", agree=agree)))
    return bill.total(asks, tuple(transcript.entered))


@dataclass(slots=True)
class _Bill:
    """What the calls of one play come to."""

    quotes: list[Quote] = field(default_factory=list[Quote])
    sent: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    letters: int = 0
    repeated: int = 0

    def add(self, model: Model, request: Request) -> None:
        self.quotes.append(model.quote(request))
        prompt = "\0".join(message.text for message in request.messages)
        earlier = self.sent.setdefault(model.name, [])
        self.letters += len(prompt)
        self.repeated += max((_shared(prompt, each) for each in earlier[-NEAR:]), default=0)
        earlier.append(prompt)

    def total(self, asks: int, phases: tuple[str, ...]) -> Estimate:
        known = all(quote.cost is not None for quote in self.quotes)
        return Estimate(
            asks=asks,
            calls=len(self.quotes),
            tokens=sum(quote.tokens for quote in self.quotes),
            cost=sum(quote.cost or 0.0 for quote in self.quotes) if known else None,
            unpriced=tuple(dict.fromkeys(quote.model for quote in self.quotes if quote.cost is None)),
            repeated=self.repeated / self.letters if self.letters else 0.0,
            phases=phases,
        )


def _shared(one: str, other: str) -> int:
    """How many characters two texts share at their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one.startswith(other[:middle]):
            low = middle
        else:
            high = middle - 1
    return low


def _note(transcript: Transcript, note: Note) -> None:
    transcript.apply(note)


def _pretend(ask: Ask, turn: int, mark: str, *, agree: bool) -> Reply:
    fields = {each.name: _value(each, turn, mark) for each in ask.form.fields} if ask.form else {}
    return Reply(text=("word " * WORDS).strip() + ("" if agree else f" {mark}"), fields=fields)


def _value(field: Field, turn: int, mark: str) -> Value:
    match field.kind:
        case "choice":
            return field.choices[turn % len(field.choices)]
        case "number":
            return field.low or 0.0
        case "flag":
            return False
        case "list":
            return ()
        case "text":
            return f"answer {mark if turn else 'of all'}"
