"""A participant whose words come from a language model. This file owns when an answer is asked for again.

A form that could not be read costs one repair question; what is unread after that stays unread.
"""

from collections.abc import Sequence
from dataclasses import replace

from moot.core.ask import Ask, Reply, Usage
from moot.core.brief import Participant
from moot.core.errors import ModelError, Unreadable
from moot.core.event import Called
from moot.core.form import Form
from moot.core.seat import Say, Scene
from moot.models.base import Message, Model, Request
from moot.seats.layout import Reading, read, repair
from moot.seats.prompt import compose, fit

TRUNCATED = "truncated"
REPAIRED = "asked again for the form"


class ModelSeat:
    """A seat that puts asks to a model.

    Args:
        model: the model, in its wrappers.
        seconds: the most time that one try may take.
    """

    def __init__(self, model: Model, *, seconds: float = 120.0) -> None:
        self._model, self._seconds = model, seconds

    async def answer(self, ask: Ask, scene: Scene, say: Say) -> Reply:
        """Answer one ask; see ``core.seat.Seat``."""
        messages = compose(ask, scene, self._model.traits)
        first = await self._send("answer", messages, scene.me, say)
        reading = _read(ask.form, first, scene.me.name)
        calls = [first]
        if ask.form and _is_wanting(ask.form, reading):
            question = Message(role="user", text=repair(ask.form, reading))
            again = fit((*messages, Message(role="assistant", text=first.text), question), self._model.traits)
            try:
                calls.append(await self._send("repair", again, scene.me, say))
            except ModelError as error:
                # The first answer was paid for and says what it says; it is not lost with the question about its form.
                return _reply(reading, calls, self._model.name, f"the question about the form failed: {error}")
            reading = _merge(reading, _read(ask.form, calls[1], scene.me.name))
        if not reading.text and not reading.fields:
            raise Unreadable(f"{self._model.name} gave no words", kind="empty")
        return _reply(reading, calls, self._model.name)

    async def _send(self, call: str, messages: Sequence[Message], me: Participant, say: Say) -> Called:
        request = Request(messages=tuple(messages), settings=me.settings, call=call, seconds=self._seconds)
        return await self._model.complete(request, say)


def _read(form: Form | None, called: Called, speaker: str) -> Reading:
    reading = read(form, called.text, speaker=speaker)
    if form and called.finish == "length":
        # What was cut off may have been a longer name or a "not": such a form counts as unread.
        return replace(reading, fields={}, unread=tuple(f"{field.name}: {TRUNCATED}" for field in form.fields))
    return reading


def _is_wanting(form: Form, reading: Reading) -> bool:
    """Whether a required field was not read."""
    return any(field.required and field.name not in reading.fields for field in form.fields)


def _merge(first: Reading, second: Reading) -> Reading:
    """The words of the first answer with the fields of both; the repaired ones go before."""
    fields = {**first.fields, **second.fields}
    unread = tuple(each for each in second.unread if each.split(":", 1)[0] not in fields)
    return replace(first, text=first.text or second.text, fields=fields, unread=unread)


def _reply(reading: Reading, calls: Sequence[Called], asked: str, *remarks: str) -> Reply:
    notes = [*([TRUNCATED] if calls[0].finish == "length" else []), *remarks]
    if len(calls) > 1:
        notes.append(REPAIRED)
    usage = Usage()
    for call in calls:
        usage = usage + call.usage
    return Reply(
        text=reading.text,
        fields=reading.fields,
        asked=asked,
        served=calls[-1].served,
        usage=usage,
        seconds=sum(call.seconds for call in calls),
        unread=reading.unread,
        notes=tuple(notes),
    )
