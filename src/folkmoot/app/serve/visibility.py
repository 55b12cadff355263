"""What a person with a share link may see of a debate.

A turn that is hidden from some participants is hidden from everybody outside. A person who answers for a participant
sees what that participant may read. A decision is visible to all. While a person is waited for, answers of the same
moment are sealed from everybody who came by a link, who may be that person or know them.
"""

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from folkmoot.core.agent import without_private_fields
from folkmoot.core.brief import is_person
from folkmoot.core.event import Asked, Attempted, Called, Closed, Entry, Erred, Event, Failed, Interjected, Replied
from folkmoot.core.transcript import Transcript, Turn

Reader: TypeAlias = str | None
"""Who hears: somebody in the debate by name; "" for anybody else; None for an owner, who reads the whole record."""

HIDDEN: Literal["hidden"] = "hidden"
"""The kind of a frame that says no more than that there is an entry."""


def may_read(transcript: Transcript, reader: Reader, turn: Turn) -> bool:
    """Whether a reader may see a turn."""
    if reader is None:
        return True
    return transcript.sees(reader, turn) if reader else not (turn.ask and turn.ask.audience)


def reads(transcript: Transcript, reader: Reader) -> Callable[[Turn], bool]:
    """Whether a reader may see a turn, and every word of it."""
    return lambda turn: (
        may_read(transcript, reader, turn) and (reader is None or without_private_fields(reader, turn) is turn)
    )


def may_know(transcript: Transcript, reader: Reader, event: Event) -> bool:
    """Whether a reader may know of the event that was applied last."""
    match event:
        case Asked(ask=ask):
            return may_read(transcript, reader, transcript.get(ask.key))
        case Attempted(key=key) | Called(key=key) | Erred(key=key) | Replied(key=key) | Failed(key=key):
            return may_read(transcript, reader, transcript.get(key))
        case Interjected():
            return may_read(transcript, reader, transcript.all()[-1])
        case _:
            return True


class AnswerVisibility:
    """Whether answers are hidden from a reader for now, entry by entry.

    One batch of asks is put at a time, so whatever is answered while a person is waited for was asked with it.

    Args:
        reader: who reads.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._waits: set[str] = set()

    @property
    def shut(self) -> bool:
        """Whether answers are hidden now."""
        return bool(self._waits)

    def apply(self, transcript: Transcript, event: Event) -> None:
        """Apply the event that the transcript applied last."""
        match event:
            case Asked(ask=ask) if self._reader is not None and transcript.brief is not None:
                if any(
                    is_person(participant)
                    for participant in transcript.brief.participants
                    if participant.name == ask.to
                ):
                    self._waits.add(ask.key)
            case Replied(key=key) | Failed(key=key):
                self._waits.discard(key)
            case Closed():
                self._waits.clear()
            case _:
                pass


def visible_entries(entries: Sequence[Entry], reader: Reader) -> Sequence[Entry]:
    """The entries up to the first hidden answer; all of them if nothing is hidden from the reader now."""
    transcript, seal = Transcript(), AnswerVisibility(reader)
    last: int | None = None
    for n, entry in enumerate(entries):
        transcript.apply(entry.event)
        seal.apply(transcript, entry.event)
        if not seal.shut:
            last = None
        elif last is None and isinstance(entry.event, Replied):
            last = n
    return entries if last is None else entries[:last]


def may_read_all(entries: Sequence[Entry], reader: Reader) -> bool:
    """Whether a reader may see every turn and every field of a debate now."""
    if reader is None:
        return True
    transcript, seal = Transcript(), AnswerVisibility(reader)
    for entry in entries:
        transcript.apply(entry.event)
        seal.apply(transcript, entry.event)
    return not seal.shut and may_read_turns(transcript, reader)


def may_read_turns(transcript: Transcript, reader: Reader) -> bool:
    """Whether a reader may see every turn and every field so far."""
    if reader is None:
        return True
    forms = [turn.ask.form for turn in transcript.all() if turn.ask and turn.ask.form]
    whispers = any(field.private for form in forms for field in form.fields)
    return not whispers and all(may_read(transcript, reader, turn) for turn in transcript.all())
