"""Streamed answers: which pieces are text, which are thinking, and when an answer is complete."""

from dataclasses import dataclass, replace

from folkmoot.core.agent import UNMARKED, Recorder
from folkmoot.core.ask import ToolCall, Usage
from folkmoot.core.errors import Refused, Unreadable
from folkmoot.core.event import Called
from folkmoot.core.repetition import LOOKED_AT, REPEATED, repeats_itself
from folkmoot.core.text import clean, clip, listed, named
from folkmoot.models.base import Message, Request
from folkmoot.models.names import ModelName
from folkmoot.models.prices import answer_cap, cost, count_tokens

MOST = 1_000_000
"""Characters after which an answer is cut off as garbled, whatever the provider was asked for."""

STEP = 500
"""After so many further characters it is looked whether an answer repeats itself."""

_THOUGHTS = (("<think>", "</think>"), ("<thinking>", "</thinking>"))


class AnswerStream:
    """Collects the pieces of one answer and shows its words.

    Once ``repeats`` is true the words say the same again and again, and whoever reads the stream reads no further.
    A thinking block at the very beginning is left out. Thinking goes to ``recorder.delta`` as "": a sign that it works
    without words. Tags further inside are words like any other: they may be quoted.
    """

    def __init__(self, name: ModelName, recorder: Recorder) -> None:
        self._name, self._say = name, recorder
        self.tools: list[ToolCall] = []
        self.thought = False
        self._words: list[str] = []
        self._held = ""
        self._close: str | None = ""  # "": at the beginning; None: among the words; else the tag that ends the thinking
        self._heard = self._unchecked = 0
        self.repeats = False

    @property
    def watched(self) -> bool:
        """Whether somebody sees the words now."""
        return self._say.watched

    @property
    def text(self) -> str:
        """The words so far."""
        return "".join(self._words) + (self._held if self._close == "" else "")

    def hear(self, piece: str) -> None:
        """Take a piece of the answer's text.

        Raises:
            Unreadable: the answer does not end.
        """
        self._heard += len(piece)
        self._check_length()
        if self._close is None:
            self._add_words(piece)
            return
        self._held += piece
        while self._advance():
            pass

    def think(self) -> None:
        """Take note that the model is thinking."""
        self.thought = True
        self._say.delta("")

    def want(self, name: str, arguments: str, id: str = "") -> None:
        """Take note of a tool that the model asks for; where the provider gives the call no name, it gets a number.

        Raises:
            Unreadable: the answer does not end.
        """
        self._heard += len(name) + len(arguments)
        self._check_length()
        self._say.delta("")
        self.tools.append(
            ToolCall(
                id=repair_surrogates(id) or f"call-{len(self.tools) + 1}",
                name=repair_surrogates(name),
                arguments=repair_surrogates(arguments),
            )
        )

    def _check_length(self) -> None:
        if self._heard > MOST:
            raise Unreadable(f"{self._name} gave more than {MOST:,} characters", kind="garbled")

    def _advance(self) -> bool:
        """Take one step through what is held; whether another one may follow."""
        return self._leave_out(self._close) if self._close else self._begin()

    def _begin(self) -> bool:
        self._held = start = self._held.lstrip()  # dropped at once: else each piece would look at all blanks again
        for opening, closing in _THOUGHTS:
            if start.startswith(opening):
                self._close, self._held = closing, start[len(opening) :]
                return True
        if not any(opening.startswith(start) for opening, _ in _THOUGHTS):
            self._close, self._held = None, ""
            self._add_words(start)
        return False

    def _leave_out(self, closing: str) -> bool:
        thought, end, words = self._held.partition(closing)
        self._close, self._held = ("", words) if end else (closing, thought[-len(closing) :])
        self.think()
        return bool(end)

    def _add_words(self, words: str) -> None:
        self._words.append(words)
        self._say.delta(words)
        self._unchecked += len(words)
        if self._unchecked >= STEP:
            self._unchecked = 0
            self.repeats = self.repeats or repeats_itself(self._last_words())

    def _last_words(self) -> str:
        """As many of the last words as show whether they repeat themselves."""
        size, pieces = 0, list[str]()
        for piece in reversed(self._words):
            pieces.append(piece)
            size += len(piece)
            if size >= LOOKED_AT:
                break
        return "".join(reversed(pieces))


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """What a provider says when an answer has ended.

    Attributes:
        usage: tokens as the provider counts them.
        written: input tokens written to the provider's cache.
        served: the model that says it answered; "" where nothing is said.
        finish: ``stop``, ``length``, ``filter``, any other mark by its name; "" where the stream ended without one.
    """

    usage: Usage = Usage()
    written: int = 0
    served: str = ""
    finish: str = ""


def final_answer(name: ModelName, request: Request, speech: AnswerStream, end: End) -> Called:
    """The answer as it goes on record, without the time it took.

    A stream that ended without a mark says so, and counts as cut off; so does one that was left since it repeated
    itself. Where the provider counts no tokens, what was reserved is booked as estimated. Tools that were not offered are not asked for, whatever the model writes.

    Raises:
        Refused: the provider withheld the answer.
        Unreadable: there are no words, and no tool is asked for.
    """
    text = repair_surrogates(speech.text)
    tools = tuple(speech.tools) if request.tools else ()
    if not text.strip() and not tools:
        raise _no_words(name, request, speech, end)
    finish = end.finish or (REPEATED if speech.repeats else UNMARKED)
    most = answer_cap(request.settings)
    if finish == REPEATED:  # its server ends when nobody reads on
        most = min(most, count_tokens([Message(role="assistant", text=text)]))
    usage = _usage_or_reserved(end.usage.cleaned(), request, str(name), most)
    written = Usage(input_tokens=end.written).cleaned().input_tokens if end.written else 0
    return Called(
        key="",
        call=request.call,
        text=text,
        model=str(name),
        served=named(end.served),
        usage=replace(usage, cost=cost(name, usage, written=written)),
        finish="tools" if tools else finish,
        tools=tools,
    )


def _no_words(name: ModelName, request: Request, speech: AnswerStream, end: End) -> Refused | Unreadable:
    """Why there are no words, as far as that shows. What would come out the same again is not paid twice."""
    if end.finish == "filter":
        return Refused(f"{name} withheld its answer", kind="refused")
    if speech.tools:
        tools = listed(list(dict.fromkeys(repr(clip(call.name, 80)) for call in speech.tools)))
        problem = f"{name} gave no words, but asked for a tool that it was not given: {tools}"
        return Unreadable(problem, kind="empty")
    room = f"{answer_cap(request.settings):,} tokens"
    if speech.thought and end.finish == "length":
        problem = f"{name} thought for all of its {room} and gave no words; allow more with max_tokens"
        return Unreadable(f"{problem}, or switch its thinking off", kind="empty")
    if speech.thought:
        advice = "switch its thinking off, or have its server tell thinking from words"
        return Unreadable(f"{name} thought, but gave no words; {advice}", kind="empty")
    if end.finish == "length":
        return Unreadable(f"{name} gave no words within {room}; allow more with max_tokens", kind="empty", again=True)
    mark = f", and ended with {end.finish!r}" if end.finish not in ("", "stop") else ""
    return Unreadable(f"{name} gave no words{mark}", kind="empty", again=True)


def _usage_or_reserved(usage: Usage, request: Request, model: str, most: int) -> Usage:
    """The usage with what was reserved in place of counts that are missing or cannot be; ``most``: of the answer."""
    input_tokens, output_tokens = usage.input_tokens, usage.output_tokens
    return Usage(
        input_tokens=input_tokens or count_tokens(request.messages, request.tools, model),
        output_tokens=output_tokens or most,
        cached_tokens=min(usage.cached_tokens, input_tokens),
        estimated=usage.estimated or not input_tokens or not output_tokens,
    )


def repair_surrogates(text: str) -> str:
    """A text that any store can hold: halves of a character that came apart are joined, lone ones replaced."""
    return clean(text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
