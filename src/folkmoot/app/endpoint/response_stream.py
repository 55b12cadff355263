"""The stream of a response: what is new in the record, and the words of a model that answers, while it says them.

The numbers of events are their places among all events of the record. Words are sent in pieces that do not depend on
when they came, so they have the same numbers when the stream is taken up again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from folkmoot.app.endpoint.chat_answer import ChatAnswer, DebateState
from folkmoot.app.endpoint.chat_request import ChatRequest
from folkmoot.app.endpoint.live_words import LiveWords
from folkmoot.app.endpoint.responses_answer import (
    ANSWER_OF_NOTHING,
    Data,
    Event,
    ResponseFrame,
    end_event,
    is_over,
    item_events,
    message_begin,
    message_end,
    message_item,
    output_items,
    pieces_of,
    progress,
    reasoning_end,
    response_events,
    response_status,
    text_part,
    words_event,
)
from folkmoot.app.endpoint.responses_request import AGAIN


@dataclass(slots=True)
class ResponseStream:
    """The events of a response, each once.

    Args:
        frame: what stays the same of the response.
        request: the request that it answers.
    """

    frame: ResponseFrame
    request: ChatRequest
    over: bool = False
    _written: int = 0
    _live: LiveWords = field(init=False)
    _ready: list[str] = field(default_factory=list[str])
    _rest: str = ""
    _said: list[str] = field(default_factory=list[str])
    _spoken: list[Event] = field(default_factory=list[Event])
    _place: int = 0

    def __post_init__(self) -> None:
        """Begin with nothing said."""
        self._live = LiveWords(self.request)

    @property
    def number(self) -> int:
        """The number of the next event."""
        return self._written

    @property
    def speaks(self) -> bool:
        """Whether words of the answer have been sent before its end."""
        return bool(self._spoken)

    def look(self, state: DebateState, answer: ChatAnswer, *, ends: bool = False) -> list[tuple[int, Event]]:
        """What is new in the record, with its numbers.

        Args:
            state: the debate as it stands.
            answer: the answer as it stands.
            ends: whether the stream ends here although the debate goes on.
        """
        ended = is_over(response_status(state, answer)) or ends
        if self.over or (self._spoken and not ended):
            return []
        self.over = ended
        events = list(response_events(self.frame, state, answer, ends=ends))
        first = self._written - len(self._spoken)
        if events[first : self._written] != self._spoken:
            return self._number(self._instead(state, answer))
        return self._number(events[self._written :])

    def open(self, state: DebateState) -> list[tuple[int, Event]]:
        """End what is told about who has answered, and begin the message whose words follow."""
        new = self.look(state, ANSWER_OF_NOTHING)
        lines = progress(self.frame, state)
        self._place = 1 if lines else 0
        begun = [*reasoning_end(self.frame, lines), *message_begin(self._message, text_part(""), self._place)]
        self._spoken += begun
        return [*new, *self._number(begun)]

    def hear(self, words: str) -> bool:
        """Take a piece of the answer. Returns whether there are words to send; the last one may still grow."""
        *ready, self._rest = pieces_of(self._rest + self._live.take(words)) or [""]
        self._ready += ready
        return bool(self._ready)

    def say(self) -> list[tuple[int, Event]]:
        """The words that can be sent now."""
        new = [words_event(self._message, text_part(""), self._place, "delta", piece) for piece in self._ready]
        self._said += self._ready
        self._spoken += new
        self._ready.clear()
        return self._number(new)

    @property
    def _message(self) -> Data:
        return message_item(self.frame.debate, ANSWER_OF_NOTHING)

    def _number(self, events: list[Event]) -> list[tuple[int, Event]]:
        first, self._written = self._written, self._written + len(events)
        return list(enumerate(events, first))

    def _instead(self, state: DebateState, answer: ChatAnswer) -> list[Event]:
        """The end of a message that broke off, which cannot be taken back, and the answer that there is instead."""
        part = text_part("".join(self._said))
        broken: Data = {**self._message, "status": "incomplete", "content": [part]}
        return [*message_end(broken, part, self._place), *self._after(state, answer)]

    def _after(self, state: DebateState, answer: ChatAnswer) -> Iterator[Event]:
        status = response_status(state, answer)
        status = status if is_over(status) else "incomplete"
        items = list(output_items(self.frame, state, answer)) if status != "failed" else []
        for n, (kind, item) in enumerate(items):
            again: Data = {"id": f"{item['id']}{AGAIN}"} if kind == "message" else {}
            yield from item_events(self.frame, kind, {**item, **again}, n + 1)
        yield end_event(self.frame, state, answer, status)
