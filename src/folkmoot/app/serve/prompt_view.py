"""The prompt of a turn, composed again from the record, and the raw answers of its calls: for the owner of a debate.

A record has no prompts, because they follow from it: they are what the participant could read, in the usual shape.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from folkmoot.agents.prompt import compose
from folkmoot.core.agent import context_of
from folkmoot.core.event import Asked, Called, Entry, Erred
from folkmoot.core.transcript import fold
from folkmoot.models.base import Traits


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptMessage:
    """A message that was sent: the role of its speaker, and the words."""

    role: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RawAnswer:
    """What came back for a call: the words as received, or why there are none."""

    call: str
    model: str
    text: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptView:
    """The prompt of a turn, and what came back.

    Attributes:
        key: the key of the question.
        entry: the number of its entry.
        messages: what was sent, as composed from the record; tools and settings of the model are not in it.
        answers: the answers in order, failed tries too.
    """

    key: str
    entry: int
    messages: tuple[PromptMessage, ...]
    answers: tuple[RawAnswer, ...]


def prompt_view(entries: Sequence[Entry], key: str) -> PromptView | None:
    """The prompt of the question with that key; None if there is no such question."""
    for index, entry in enumerate(entries):
        if isinstance(entry.event, Asked) and entry.event.ask.key == key:
            ask, transcript = entry.event.ask, fold(entries[: index + 1])
            break
    else:
        return None
    assert transcript.brief is not None
    messages = compose(ask, context_of(transcript.brief, transcript, ask), Traits())
    return PromptView(
        key=key,
        entry=entry.seq,
        messages=tuple(PromptMessage(role=message.role, text=message.text) for message in messages),
        answers=tuple(
            RawAnswer(
                call=event.call,
                model=event.model if isinstance(event, Called) else "",
                text=event.text if isinstance(event, Called) else "",
                error=event.reason if isinstance(event, Erred) else "",
            )
            for event in (entry.event for entry in entries)
            if isinstance(event, Called | Erred) and event.key == key
        ),
    )
