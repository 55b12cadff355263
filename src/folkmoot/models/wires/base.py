"""What all wires share: one request goes out, and its answer is read as it comes.

A wire says what to send and how to read the events of an answer. The rest stands here: the limits on what may come, the
end of an answer, errors, and the settings that a model turns out to refuse.
"""

import asyncio
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar, cast

import msgspec

from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.ask import ToolCall, Usage
from folkmoot.core.brief import Settings
from folkmoot.core.errors import ModelError, Refused, Unreadable
from folkmoot.core.event import Called
from folkmoot.core.json_values import read_json, read_object
from folkmoot.models import provider_errors
from folkmoot.models.adapter import Adapter
from folkmoot.models.base import Request, Traits
from folkmoot.models.http_port import HttpAnswer, Unreached
from folkmoot.models.names import Key, ModelName, unsent_settings
from folkmoot.models.stream import AnswerStream, End, final_answer
from folkmoot.models.transport import BoundedBody, ProviderConnection, read_error
from folkmoot.models.wires.events import Events, Lines
from folkmoot.models.wires.refused_parts import PartsOfWire, RefusedParts

T = TypeVar("T")

PIECE_SECONDS = 0.04
"""The most seconds between two reads of an answer: what has come meanwhile is read at once, as one piece."""

LAZY_SECONDS = 0.25
"""The same where nobody sees the pieces: there are fewer reads, and every limit, gap and break is noticed as before."""

STREAM_SECONDS, CROWD_SECONDS = 0.0002, 0.2
"""Where many answers stream at once: seconds between two reads of one, for each of them, and at most."""

PAUSE_SHARE = 0.1
"""The share of the time since an answer's first byte for which the next read waits, so that a short one is not late."""

SHORTEST_PAUSE = 0.001
"""Seconds below which a read does not wait."""

TAIL_SECONDS = 2.0
"""Seconds after the mark of an answer's end in which its counts may still come."""

LINGER_SECONDS = 0.05
"""Seconds after an answer's last event in which its body may end, so that the connection can be used again."""


_TEXT = frozenset({"", "text", "output_text", "text_delta"})
"""The types of parts that are words of the answer; all others are thinking, or nothing that can be read."""

_THINKING = re.compile(r"(?i)think|thought|reason|analysis|summary|commentary|signature|redacted")
"""What stands in the types of parts that are never words of the answer."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a content of any shape has.

    Attributes:
        words: those of the answer.
        unsure: those of parts of an unknown type, which may be words of the answer or thinking.
        more: whether there was something else.
    """

    words: str = ""
    unsure: str = ""
    more: bool = False

    @classmethod
    def of(cls, content: object, depth: int = 4) -> "Heard":
        """What stands in a text, a part, or a list of parts."""
        if isinstance(content, str):
            return cls(content)
        if not content or depth == 0 or not isinstance(content, dict | list):
            return cls()
        if isinstance(content, list):
            parts = [cls.of(item, depth - 1) for item in cast("list[object]", content)]
            words, unsure = (
                "".join(texts) for texts in zip(*((part.words, part.unsure) for part in parts), strict=True)
            )
            return cls(words, unsure, any(part.more for part in parts))
        part = cast("dict[str, object]", content)
        kind = str(part.get("type") or "")
        if part.get("thought") or _THINKING.search(kind):
            return cls(more=True)
        inner = cls.of(
            next((part[name] for name in ("text", "value", "content", "parts") if name in part), None), depth - 1
        )
        return inner if kind in _TEXT else cls(unsure=inner.words + inner.unsure, more=True)


class Reader(ABC, Generic[T]):
    """Reads the events of one answer.

    Args:
        name: the model that answers.
        speech: hears the words.
        key: the key that was sent, which must not show.

    Attributes:
        finish: why the answer ended, in our words; "" until that is said.
        done: whether nothing follows.
        usage: tokens as the provider counts them.
        written: input tokens that were written to the provider's cache.
        served: the model that says it answers.
        words: the words of the present read.
        unsure: words of parts of unknown types, which count where there are no others.
        thinks: whether the model thinks: there was something, but no words of the answer.
    """

    decoder: ClassVar[msgspec.json.Decoder[Any]]

    def __init__(self, name: ModelName, speech: AnswerStream, key: Key | None) -> None:
        self.name, self.speech, self.key = name, speech, key
        self.finish, self.done = "", False
        self.usage, self.written, self.served = Usage(), 0, ""
        self.words, self.unsure = list[str](), list[str]()
        self.thinks = False
        self._events: Events | Lines = self.split(name.provider.name)
        self._any = False
        self._start = b""

    def split(self, provider: str) -> Events | Lines:
        """What cuts the bytes into events."""
        return Events(provider)

    @abstractmethod
    def take(self, event: T) -> None:
        """Take one event."""
        ...

    @abstractmethod
    def is_empty(self, event: T) -> bool:
        """Whether an event has nothing of which an answer consists."""
        ...

    def hear(self, content: object) -> bool:
        """Take words of any shape; whether there are some."""
        heard = Heard(content) if isinstance(content, str) else Heard.of(content)
        if heard.words:
            self.words.append(heard.words)
        if heard.unsure:
            self.unsure.append(heard.unsure)
        self.thinks = self.thinks or heard.more
        return bool(heard.words)

    def asked(self) -> None:
        """Hand the tools on that the answer asks for; called once, at its end."""

    def feed(self, data: bytes) -> None:
        """Take bytes, cut anywhere; all words of them become one piece.

        Raises:
            ModelError: the provider breaks off, or what it sends is no answer.
        """
        if len(self._start) < provider_errors.LONGEST:
            self._start += data[: provider_errors.LONGEST]
        try:
            for raw in self._events.feed(data):
                if self.done:
                    break
                if raw.startswith(b"{"):  # as nearly all are
                    self.take(self.decode(raw))
                else:
                    self.read(raw)
        finally:
            # What was read before a fault counts.
            self._hand_on()

    def close(self, *, whole: bool = False) -> End:
        """What the provider says at the end.

        Args:
            whole: whether the answer came as a whole, and not as events.

        Raises:
            ModelError: not one event has come, or the last one is no event.
        """
        self._any = self._any or whole
        for raw in () if self.done else self._events.close():
            # Behind the mark of its end an answer is whole, whatever became of the rest.
            with suppress(Unreadable) if self.finish else nullcontext():
                self.read(raw)
        if not self._any:
            raise provider_errors.no_answer_error(self.name, self._start.decode("utf-8", "replace"), self.key)
        if self.unsure and not self.speech.text.strip() and not "".join(self.words).strip():
            self.words += self.unsure
        self._hand_on()
        self.asked()
        return End(usage=self.usage, written=self.written, served=self.served, finish=self.finish)

    def _hand_on(self) -> None:
        if self.words:
            self.speech.hear("".join(self.words))
            self.words.clear()
        elif self.thinks:
            self.speech.think()
        self.thinks = False

    def read(self, raw: bytes) -> None:
        """Take one event as it came. ``[DONE]`` is OpenAI's last one; OpenRouter sends it on Anthropic's wire too."""
        text = raw.strip()
        if text == b"[DONE]":
            self._any = self.done = True
        elif text[:1] in b"{[<" and text not in (b"", b"[]", b"{}"):
            self.take(self.decode(text))
        else:
            # No event of any wire: a sign of life such as ``ping`` or ``null``, or a sentence, which tells an error.
            words = text.decode("utf-8", "replace")
            self._raise_told(words if read_json(text) is None else read_json(text), empty=True)

    def decode(self, raw: bytes) -> T:
        """One event as its type.

        Raises:
            ModelError: it tells an error, wherever in it that stands: the status of the answer was that of a success.
                An event with nothing of an answer is one where it says something, else a sign of life.
        """
        if b"rror" in raw:
            self._raise_told(read_json(raw), empty=False)
        try:
            event = self.decoder.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            event = self._decode_again(raw)
        if self.is_empty(event):
            self._raise_told(read_json(raw), empty=True)
        else:
            self._any = True
        return event

    def _raise_told(self, event: object, *, empty: bool) -> None:
        if told := provider_errors.told_error(event, empty=empty):
            raise provider_errors.answer_error(self.name, 0, told, key=self.key)

    def _decode_again(self, raw: bytes) -> T:
        """One event as Python's own decoder reads it: that takes NaN, any number, and halves of characters."""
        try:
            return msgspec.convert(json.loads(raw.decode()), self.decoder.type)
        except msgspec.ValidationError as error:
            self._raise_told(read_json(raw), empty=True)
            raise provider_errors.malformed_error(self.name, provider_errors.ODD_SHAPE, self.key) from error
        except (ValueError, RecursionError) as error:
            answer = raw[: 2 * provider_errors.LONGEST].decode("utf-8", "replace")
            raise provider_errors.malformed_error(self.name, answer, self.key) from error


class WireModel(Adapter):
    """One model of a provider.

    Args:
        name: which model.
        connection: the way to the provider.
    """

    path: ClassVar[str]
    parts: ClassVar[PartsOfWire] = PartsOfWire()
    """What the wire calls the parts of its requests."""

    def __init__(self, name: ModelName, connection: ProviderConnection) -> None:
        provider = name.provider
        traits = Traits(alternate=provider.alternate, prefill=bool(provider.prefill))
        super().__init__(name, traits, unsent_settings(name))
        self._connection, self._tools, self._refused = connection, provider.tools, RefusedParts(self.parts)

    @property
    def traits(self) -> Traits:
        """What the wire takes; that a model takes no tools is known once it has refused them."""
        facts = self._connection.facts
        context = facts.context(self._name.model) if facts else 0
        return replace(self._traits, context=context, tools=self._tools)

    def quote(self, request: Request) -> Quote:
        """The most that the request can use."""
        return super().quote(self._refused.fit(request))

    async def learn(self) -> None:
        """Find out what a server of one's own says of itself and of the model; nothing of a provider of the cloud."""
        await self._connection.learn()

    @abstractmethod
    async def write(self, request: Request) -> dict[str, object]:
        """The body of a request; fields that hold None are left out."""
        ...

    @abstractmethod
    def reader(self, speech: AnswerStream) -> "Reader[Any]":
        """What reads the answer."""
        ...

    def headers(self, body: Mapping[str, object]) -> Mapping[str, str]:
        """The headers of a request with that body, beside those of every one."""
        return {}

    def settings(self, wanted: Settings) -> dict[str, object]:
        """The settings that are set and sent, but for the cap on tokens, as this wire calls them."""
        settings: dict[str, object] = {}
        for setting in Settings.__slots__:
            value: object = getattr(wanted, setting)
            if setting != "max_tokens" and setting not in self._drops and value not in (None, ()):
                settings[self.field(setting)] = list(wanted.stop) if setting == "stop" else value
        return settings

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer one request; see ``models.base.Model``."""
        speech, request = AnswerStream(self._name, recorder), self._refused.fit(request)
        try:
            body = await self._body(request)
            if request.tools and not self._tools:
                raise Refused(f"{self._name} does not support tools", kind="request")
            async with self._connection.open(self.path, _to_json(body), self.headers(body)) as answer:
                if not 200 <= answer.status < 300:
                    raise await self._fault(answer, body)
                end = await self._listen(answer, speech)
        except Unreached as error:
            link = self._connection
            raise provider_errors.connection_error(self._name, link.url, error, link.key) from error
        if end.served and (facts := self._connection.facts) and facts.alone:
            # A server of one model gives it the name of its file, whatever it is asked for.
            end = replace(end, served=self._name.model)
        return final_answer(self._name, request, speech, end)

    async def close(self) -> None:
        """Give the connections back."""
        await self._connection.close()

    async def write_whole(self, request: Request) -> dict[str, object]:
        """The body of a request whose answer comes as a whole, as in a batch."""
        body = await self._body(self._refused.fit(request))
        return {key: value for key, value in body.items() if key not in self.parts.streamed}

    def read_whole(self, request: Request, recorder: Recorder, raw: bytes) -> Called:
        """The answer that came as a whole.

        Raises:
            ModelError: it is none, or has no words.
        """
        speech = AnswerStream(self._name, recorder)
        reader = self.reader(speech)
        reader.take(reader.decode(raw))
        return final_answer(self._name, request, speech, reader.close(whole=True))

    async def _body(self, request: Request) -> dict[str, object]:
        written = (await self.write(request)).items()
        return {key: value for key, value in written if value is not None and key not in self._refused.fields}

    async def _listen(self, answer: HttpAnswer, speech: AnswerStream) -> End:
        """Read an answer to its end, though the body may stay open behind that."""
        link, clock = self._connection, asyncio.get_running_loop().time
        body, reader = BoundedBody(answer, self._name.provider.name, link.url), self.reader(speech)
        began, waits = clock(), 0.0
        link.streams += 1
        try:
            async with asyncio.timeout(None) as tail:
                while data := await body.read():
                    reader.feed(data)
                    if speech.repeats:
                        reader.done = True
                        break
                    wait = LINGER_SECONDS if reader.done else TAIL_SECONDS if reader.finish else 0.0
                    if wait != waits:
                        waits = wait
                        tail.reschedule(clock() + wait)
                    # Bytes gather for a while, unless all have come.
                    crowd = min(CROWD_SECONDS, STREAM_SECONDS * link.streams)
                    seconds = max(crowd, PIECE_SECONDS if speech.watched else LAZY_SECONDS)
                    seconds = min(seconds, PAUSE_SHARE * (clock() - began))
                    if not wait and seconds >= SHORTEST_PAUSE and body.pause():
                        await asyncio.sleep(seconds)
        except TimeoutError:
            pass
        except Unreached:
            if not reader.finish:
                raise
        finally:
            link.streams -= 1
        return reader.close()

    async def _fault(self, answer: HttpAnswer, body: Mapping[str, object]) -> ModelError:
        """The error that an answer tells; a part of the request that the model refuses is left out from now on."""
        raw, status = await read_error(answer), answer.status
        told, key = self.advice(status, raw), self._connection.key
        url = self._connection.url
        error = provider_errors.answer_error(self._name, status, told, headers=answer.headers, key=key, url=url)
        return self._taken_in(error, status, raw, body)

    async def refused_whole(self, request: Request, error: ModelError, status: int, raw: bytes) -> ModelError:
        """The error of a request whose answer was to come as a whole; see ``RefusedParts.taken_in``.

        What was sent may be older than what this model has refused since, so it is written as by one that knows nothing.
        """
        sent = await type(self)(self._name, self._connection).write_whole(request)
        return self._taken_in(error, status, raw, sent, trial=False)  # each would take a batch of its own

    def _taken_in(
        self, error: ModelError, status: int, raw: bytes, body: Mapping[str, object], *, trial: bool = True
    ) -> ModelError:
        if provider_errors.refuses_tools(status, provider_errors.ToldError.read(raw).words):
            self._tools = False
            return error
        taken_in = self._refused.taken_in(error, status, raw, body, trial=trial)
        unsent = {
            *unsent_settings(self._name),
            *(name for name in Settings.__slots__ if self.field(name) in self._refused.fields),
        }
        self._drops = tuple(name for name in Settings.__slots__ if name in unsent)
        return taken_in

    def field(self, setting: str) -> str:
        """What this wire calls one of our settings."""
        return self._name.provider.extras.get(setting, setting)

    def advice(self, status: int, raw: bytes) -> bytes:
        """The body of an error, with advice where this wire has some."""
        return raw


def _to_json(body: dict[str, object]) -> bytes:
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:  # half a character, which JSON can write as an escape
        return json.dumps(body).encode()


def arguments_object(call: ToolCall) -> dict[str, object]:
    """The arguments of a call as an object, where a wire takes no other; what was none goes under a label."""
    read = read_object(call.arguments.encode("utf-8", "replace"))
    return read or ({} if call.arguments.strip() in ("", "{}") else {"not_json": call.arguments})
