"""The parts of a request that a model has refused: each is left out from then on, and the refused try says so.

A part is a field of the request, the size of the answer, the system role, streaming, or a keyword of a schema. Most
providers name what they refuse, in words or in fields. Where one names nothing that was sent, it is found by trial: the
request is sent again without one part after the other, as long as the provider says the same.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from folkmoot.core.errors import ModelError, Refused
from folkmoot.models.base import Message, Request
from folkmoot.models.prices import answer_cap
from folkmoot.models.provider_errors import ToldError

OF_THE_FORM = frozenset({400, 405, 415, 422, 501})
"""The statuses of refusals that may be about the form of a request. Any other may be about its text, which is not sent
again."""

BAD_GATEWAY = 502
"""The first status from which on a server has not read the request; one that fails over it may say 500."""

LEAST_CAP = 16
"""Tokens. A smaller number in a provider's words is no cap on an answer."""

LEAST_ROOM = 256
"""Tokens that must be left for an answer behind a prompt; where there are fewer, the prompt is too long."""

_SYSTEM = re.compile(
    r"(?i)\b(?:system|developer)\b['\"`]? (?:role|message|instruction|prompt)|\brole\b.{0,60}\b(?:system|developer)\b"
    r"|\broles\b"
)
_STREAM = re.compile(r"(?i)\bstream(?:ing|ed)?\b")
_ANSWER_SIZE = re.compile(r"(?i)(?:\b|_)(?:output|completion|new|generat\w+)[ _-](?:tokens?|length)")
_SCHEMA = re.compile(r"(?i)\bschema\b")
_WINDOW = re.compile(r"(?i)context|window")
_NUMBER = re.compile(r"(?<![\w.-])\d[\d,]*(?![\w-])")

_STRUCTURE = frozenset(
    {"type", "properties", "required", "items", "enum", "const", "anyOf", "additionalProperties", "$ref", "$defs"}
)
"""The keywords of a schema without which it is another one; all others only bound or explain it, and the reader checks
what comes back."""

_OF_NAMES = frozenset({"properties", "$defs", "definitions", "patternProperties"})
"""The keywords below which there are names, and a schema for each."""

_OF_DATA = frozenset({"enum", "const", "default", "examples", "required"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PartsOfWire:
    """What a wire calls the parts of its requests.

    Attributes:
        needed: the fields that no model can refuse.
        caps: the names of the cap on an answer; one must be left.
        shape: the field that has the schema.
        streamed: the fields that ask for a stream, without which the answer comes as a whole.
    """

    needed: frozenset[str] = frozenset({"model", "messages"})
    caps: frozenset[str] = frozenset({"max_tokens"})
    shape: str = ""
    streamed: frozenset[str] = frozenset({"stream", "stream_options"})


@dataclass(slots=True)
class RefusedParts:
    """What one model has refused so far.

    Attributes:
        wire: what its wire calls the parts.
        keywords: the keywords that are left out of schemas.
        fields: the fields that are left out.
        longest: the most tokens that it takes as a cap; 0 where it has refused none.
        system: whether it takes system messages.
        strict: whether it may be asked to keep to a schema strictly.
        trial: what is left out to see whether that is what it refuses; None for nothing.
        vain: the words of refusals that no trial has ended.
    """

    wire: PartsOfWire
    keywords: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    longest: int = 0
    system: bool = True
    strict: bool = True
    trial: "Trial | None" = None
    vain: frozenset[str] = frozenset()

    def fit(self, request: Request) -> Request:
        """The request without what is left out of its messages and settings."""
        if self.longest and answer_cap(request.settings) > self.longest:
            request = replace(request, settings=replace(request.settings, max_tokens=self.longest))
        return request if self.system else replace(request, messages=without_system(request.messages))

    def schema(self, text: str) -> dict[str, object]:
        """A schema without the keywords that are left out."""
        schema: dict[str, object] = json.loads(text)
        for part in list(_subschemas(schema)):
            for word in self.keywords & part.keys():
                del part[word]
        return schema

    def taken_in(
        self, error: ModelError, status: int, raw: object, body: Mapping[str, object], *, trial: bool = True
    ) -> ModelError:
        """The error of a refused request; one that asks to try again where a part will be left out from now on.

        Args:
            error: the error.
            status: its HTTP status.
            raw: what the provider says.
            body: the request that was refused.
            trial: whether what is refused may be found by trial.
        """
        judged = ("request", "too_long", "not_found", "denied")
        if error.kind not in judged and not (error.kind == "server" and status < BAD_GATEWAY):
            return error
        told = ToldError.read(raw)
        # Who blames a field of the request does not blame the length of its prompt, whatever it says of lengths.
        kind = "request" if error.kind == "too_long" and told.blamed & body.keys() - {"messages"} else error.kind
        left_out = self.learn(kind, told.words, told.blamed, body)
        change = f"{left_out} from now on" if left_out else ""
        if trial and not change and error.kind == "request" and status in OF_THE_FORM:
            change = self._try_without(told.words, body)
        return Refused(f"{error}; {change}", kind="request", again=True) if change else error

    def learn(self, error: str, words: str, blamed: Collection[object], body: Mapping[str, object]) -> str:
        """Take in a refusal.

        Args:
            error: the kind of the error that it is.
            words: the provider's words.
            blamed: the fields that the error blames, in fields of its own.
            body: the request that was refused.

        Returns:
            What will be another from now on, in words; "" where nothing will.
        """
        if self._shorten(words, blamed, body):
            return f"answers will have {self.longest:,} tokens at most"
        if error == "too_long":
            return ""
        if error == "server":
            return self._merge_system(words, body) or self._drop_fields(words, blamed, body)
        return (
            self._shorten_schema(words, body)
            or self._drop_fields(words, blamed, body)
            or self._merge_system(words, body)
            or self._stop_streaming(words, blamed, body)
        )

    def _shorten(self, words: str, blamed: Collection[object], body: Mapping[str, object]) -> bool:
        """Take the cap that the provider names, or what its window leaves for an answer."""
        cap = next((size for name in self.wire.caps if isinstance(size := body.get(name), int)), 0)
        named = any(name in blamed or names_field(words, name) for name in self.wire.caps) or _ANSWER_SIZE.search(words)
        longest = room_for_answer(words, cap) or (largest_below(words, cap) if named else 0)
        if cap and longest:
            self.longest = min(longest, self.longest or longest)
        return bool(cap and longest)

    def _shorten_schema(self, words: str, body: Mapping[str, object]) -> str:
        """Leave out the keywords that are refused; else ask less strictly."""
        shape = self.wire.shape
        if shape not in body or not (names_field(words, shape) or _SCHEMA.search(words) or "json" in words.lower()):
            return ""
        sent = body[shape]
        sent_keywords = {word for part in _subschemas(schema_in(sent)) for word in part} - _STRUCTURE
        found = {word for word in sent_keywords if re.search(rf"\b{re.escape(word)}\b", words)}
        if found:
            self.keywords |= found
            return f"{_listed(found)} will be left out of schemas"
        if _SCHEMA.search(words) and '"strict":true' in json.dumps(sent, separators=(",", ":")):
            self.strict = False
            return "schemas will not be strict"
        return ""

    def _drop_fields(self, words: str, blamed: Collection[object], body: Mapping[str, object]) -> str:
        """Leave out the fields that are refused. A schema that is at fault says nothing of the next one."""
        fields = {name for name in body if self._optional(name) and (name in blamed or names_field(words, name))}
        if _SCHEMA.search(words):
            fields.discard(self.wire.shape)
        self.fields |= fields
        return f"{_listed(fields)} will be left out" if fields else ""

    def _optional(self, name: str) -> bool:
        """Whether a request can go without a field; of the names of the cap, one must be left."""
        caps = self.wire.caps
        if name in caps - self.wire.needed:
            return len(caps) > 1 and (name in self.fields or not caps & self.fields)
        return name not in self.wire.needed and name != "stream"

    def _merge_system(self, words: str, body: Mapping[str, object]) -> str:
        if not _SYSTEM.search(words) or not _has_system(body):
            return ""
        self.system = False
        return "what the system says will go into the first message of the user"

    def _stop_streaming(self, words: str, blamed: Collection[object], body: Mapping[str, object]) -> str:
        if not self.wire.streamed & body.keys() or not ("stream" in blamed or _STREAM.search(words)):
            return ""
        self.fields |= self.wire.streamed
        return "answers will come as a whole, not in a stream"

    def _try_without(self, words: str, body: Mapping[str, object]) -> str:
        """Leave out the next part that may be what is refused, as long as the provider's words stay the same.

        Where they change, what is left out stays so, and something else is looked for. Where nothing helps, all of it
        comes back, and such a refusal is believed from then on.
        """
        # What has a digit is another one each time, such as the id of a request.
        says, trial = " ".join(word for word in words.split() if not re.search(r"\d", word)), self.trial
        at_fault = _SCHEMA.search(words) and self.wire.shape in body  # one schema, which says nothing of the next
        if at_fault or says in self.vain or any(names_field(words, name) for name in self.wire.caps):
            return ""
        if trial and trial.is_in(body):  # sent before the trial began
            return f"it is asked again without {trial.part}"
        tried, kept = (), trial.kept | trial.names if trial else frozenset[str]()
        if trial and trial.says == says:
            tried, kept = trial.tried, trial.kept
            self._bring_back(trial.names)
        fields = frozenset(filter(self._optional, body)) - self.wire.caps - {self.wire.shape}
        candidates: dict[str, frozenset[str]] = {
            "a schema": frozenset({self.wire.shape} & body.keys()),
            SYSTEM: frozenset({SYSTEM} if _has_system(body) else ()),
            "settings": fields - self.wire.streamed,
            "a stream": self.wire.streamed & body.keys(),
        }
        for part, names in candidates.items():
            if names and part not in tried:
                self.trial = Trial(says=says, part=part, names=names, tried=(*tried, part), kept=kept)
                self.system = self.system and SYSTEM not in names
                self.fields |= names - {SYSTEM}
                return f"it is asked again without {part}"
        self._bring_back(kept)
        self.trial, self.vain = None, self.vain | {says}
        return ""

    def _bring_back(self, names: frozenset[str]) -> None:
        self.fields -= names
        self.system = self.system or SYSTEM in names


SYSTEM = "system messages"
"""What a trial calls the system messages, which are no field of their own on most wires."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A part that is left out to see whether that is what is refused.

    Attributes:
        says: the provider's words.
        part: what is left out, in words.
        names: its fields.
        tried: all parts that have been left out for these words, one after the other.
        kept: the fields of earlier trials, after which the words were others.
    """

    says: str
    part: str
    names: frozenset[str]
    tried: tuple[str, ...]
    kept: frozenset[str]

    def is_in(self, body: Mapping[str, object]) -> bool:
        """Whether a request has the part."""
        return bool(self.names & body.keys()) or (SYSTEM in self.names and _has_system(body))


def _has_system(body: Mapping[str, object]) -> bool:
    messages = cast("Sequence[Mapping[str, object]]", body.get("messages", ()))
    return any(message.get("role") == "system" for message in messages)


def names_field(words: str, name: str) -> bool:
    """Whether words name a field: in quotation marks, or bare where its name is no common word of English."""
    mark = r"\b" if "_" in name or name == "temperature" else "['\"`]"
    written = re.escape(name).replace("_", "[ _]")
    return bool(name) and re.search(f"(?i){mark}{written}{mark}", words) is not None


def room_for_answer(words: str, cap: int) -> int:
    """What a window leaves behind a prompt, where the provider names both; 0 where it does not, or leaves little."""
    numbers = _numbers(words)
    if cap not in numbers or not _WINDOW.search(words):
        return 0
    others = set(numbers) - {cap}
    if prompts := [number for number in others if number + cap in others]:
        # The sum is named as well: that is what was asked for, not what there is.
        others -= {prompts[0], prompts[0] + cap}
        room = max(others or {cap}) - prompts[0]
    elif 1 <= len(others) <= 2:
        room = max(*others, cap) - min(others)
    else:
        return 0
    return room if LEAST_ROOM <= room < cap else 0


def largest_below(words: str, cap: int) -> int:
    """The largest number below a cap, which is the cap that a provider takes; 0 where there is none."""
    return max((number for number in _numbers(words) if LEAST_CAP <= number < cap), default=0)


def _numbers(words: str) -> list[int]:
    return [int(digits) for text in _NUMBER.findall(words) if len(digits := text.replace(",", "")) <= 9]


def without_system(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with what the system says at the beginning of the user's first one."""
    system = [message.text for message in messages if message.role == "system" and message.text]
    rest = [message for message in messages if message.role != "system"]
    if not system:
        return tuple(rest)
    if rest and rest[0].role == "user":
        return (replace(rest[0], text="\n\n".join([*system, rest[0].text])), *rest[1:])
    return (Message(role="user", text="\n\n".join(system)), *rest)


def _subschemas(schema: object) -> Iterator[dict[str, object]]:
    """A schema and all within it; names of properties and data are none."""
    if isinstance(schema, list):
        for item in cast("list[object]", schema):
            yield from _subschemas(item)
    elif isinstance(schema, dict):
        part = cast("dict[str, object]", schema)
        yield part
        for name, value in part.items():
            if name in _OF_NAMES and isinstance(value, dict):
                yield from _subschemas(list(cast("dict[str, object]", value).values()))
            elif name not in _OF_DATA:
                yield from _subschemas(value)


def schema_in(shape: object) -> object:
    """The schema in the field that has it, however deep it stands there."""
    while isinstance(shape, dict):
        members = cast("dict[str, object]", shape)
        inner = next((members[name] for name in ("json_schema", "format", "schema") if name in members), None)
        if not isinstance(inner, dict):
            return members
        shape = cast("object", inner)
    return shape


_STRICT = _STRUCTURE | {
    *("description", "title", "pattern", "format", "minItems", "maxItems", "minLength", "maxLength"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
"""The keywords that a strict schema may have."""


def is_strict(schema: object) -> bool:
    """Whether a schema may be asked for strictly: every object is closed, and all that it names is required."""
    if not isinstance(schema, dict) or cast("dict[str, object]", schema).get("type") != "object":
        return False
    for part in _subschemas(cast("object", schema)):
        properties, required = part.get("properties"), part.get("required")
        if part.get("type") == "object" or properties is not None:
            names = set(cast("dict[str, object]", properties)) if isinstance(properties, dict) else set[str]()
            listed = set(cast("list[str]", required)) if isinstance(required, list) else set[str]()
            if part.get("additionalProperties") is not False or listed != names:
                return False
        if not part.keys() <= _STRICT:
            return False
    return True


def _listed(names: Collection[str]) -> str:
    return " and ".join(sorted(names))
