"""What a debate would cost. This file owns the estimate; it plays the protocol with pretended answers.

The play is the real one, and so are the prompts; only the answers are made up. Once nobody ever agrees, which gives
the greatest number of calls, and once all agree at once, which gives the least.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from moot.core.ask import Ask, Reply
from moot.core.brief import Brief
from moot.core.event import Asked, Note, Replied
from moot.core.form import Field, Value
from moot.core.seat import Quote, Scene
from moot.core.transcript import Transcript
from moot.models.base import Model, Request
from moot.phases.base import Phase, Table, enter
from moot.seats.prompt import compose

WORDS = 250
"""Words of a pretended answer: the length that models give where nobody limits them is of this order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The most that one way of playing would use.

    Attributes:
        asks: questions put.
        calls: model calls, without repairs and retries.
        tokens: tokens in and out, output at its limit.
        cost: US dollars; None where a price is unknown.
        unpriced: the models whose price is unknown.
        phases: the paths of the phases, in order.
    """

    asks: int = 0
    calls: int = 0
    tokens: int = 0
    cost: float | None = 0.0
    unpriced: tuple[str, ...] = ()
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
    transcript = Transcript()
    quotes: list[Quote] = []
    asks = 0
    for step in enter(protocol, Table(brief=brief, transcript=transcript)):
        if not isinstance(step, Sequence):
            _note(transcript, step)
            continue
        for ask in step:
            transcript.apply(Asked(ask=ask))
        scenes = [_scene(ask, brief, transcript) for ask in step]
        for ask, scene in zip(step, scenes, strict=True):
            asks += 1
            if model := models.get(ask.to):
                messages = compose(ask, scene, model.traits)
                quotes.append(model.quote(Request(messages=messages, settings=scene.me.settings)))
            transcript.apply(Replied(key=ask.key, reply=_pretend(ask, asks, agree=agree)))
    return Estimate(
        asks=asks,
        calls=len(quotes),
        tokens=sum(quote.tokens for quote in quotes),
        cost=None if any(quote.cost is None for quote in quotes) else sum(quote.cost or 0.0 for quote in quotes),
        unpriced=tuple(dict.fromkeys(quote.model for quote in quotes if quote.cost is None)),
        phases=tuple(transcript.entered),
    )


def _note(transcript: Transcript, note: Note) -> None:
    transcript.apply(note)


def _scene(ask: Ask, brief: Brief, transcript: Transcript) -> Scene:
    about = tuple(transcript.get(key) for key in ask.about)
    return Scene(brief=brief, me=brief.participant(ask.to), turns=transcript.look(ask.view, ask.to), about=about)


def _pretend(ask: Ask, n: int, *, agree: bool) -> Reply:
    fields = {field.name: _value(field, n, agree=agree) for field in ask.form.fields} if ask.form else {}
    return Reply(text=("word " * WORDS).strip() + ("" if agree else f" {n}"), fields=fields)


def _value(field: Field, n: int, *, agree: bool) -> Value:
    match field.kind:
        case "choice":
            # The last choice is the one that goes on: CONTINUE stands behind SETTLED.
            return field.choices[0 if agree else (n if len(field.choices) > 2 else -1) % len(field.choices)]
        case "number":
            return field.low or 0.0
        case "flag":
            return False
        case "list":
            return ()
        case "text":
            return "the same" if agree else f"answer {n}"
