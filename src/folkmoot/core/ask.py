"""Asks, forms, tool calls and replies: one question to one participant, the fields of its answer, and the answer.

``answers.layout`` writes forms into prompts and reads them out of texts. A tool call is part of an ask: it is recorded
before it is made, and it is never made twice.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from folkmoot.core.brief import View
from folkmoot.core.text import clean, clean_data, named
from folkmoot.core.unread import Unread

Value: TypeAlias = str | int | float | bool | tuple[str, ...]
"""What a field may hold: text or choice, number, flag, list of texts."""

Fields: TypeAlias = Mapping[str, Value]
Kind: TypeAlias = Literal["text", "choice", "number", "flag", "list"]
Layout: TypeAlias = Literal["line", "sections", "tags", "json", "records"]

ABSTAIN = "ABSTAIN"
"""The value of a field whose author abstained."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a form.

    Attributes:
        name: its label in the text (``STATUS``, ``Verdict``, ``I vote for``).
        kind: the kind of its value.
        choices: the allowed values of a ``choice``, or of each entry of a ``list`` (where () allows any); compared
            without regard to case and markup.
        required: whether a missing value is worth one repair question.
        help: a short hint for the author.
        low: the least number allowed.
        high: the greatest number allowed.
        abstain: whether a ``choice`` may be an abstention. A ``text`` with it takes a position: words for nothing
            ("none yet") are not a position, and an abstention counts only if the field is required.
        private: whether only the author, and the participant named in the field ``to``, may read it.
        to: with ``private``, the field that names the other reader; "" for the author alone.
        needs: another field that must be filled in as well. It is enforced for people; a model is asked for it once
            where ``when`` names a value, else its answer is taken as it is.
        when: with ``needs``, the only value that requires the other field; "" for any value but a flag's ``false``.
    """

    name: str
    kind: Kind = "text"
    choices: tuple[str, ...] = ()
    required: bool = True
    help: str = ""
    low: float | None = None
    high: float | None = None
    abstain: bool = False
    private: bool = False
    to: str = ""
    needs: str = ""
    when: str = ""


def needed(field: Field, value: Value) -> str:
    """The name of the field that must be filled in as well with this value; "" for none."""
    return "" if value in (False, ABSTAIN) or field.when not in ("", value) else field.needs


def allows(field: Field, value: Value) -> bool:
    """Whether a field allows a value: of its kind, among its choices, within its range, and finite."""
    match field.kind:
        case "choice":
            return value in field.choices or (field.abstain and value == ABSTAIN)
        case "number":
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                return False
            return (field.low is None or value >= field.low) and (field.high is None or value <= field.high)
        case "flag":
            return isinstance(value, bool)
        case "list":
            return isinstance(value, tuple) and (not field.choices or set(value) <= set(field.choices))
        case _:
            return isinstance(value, str)


def shown(value: Value) -> str:
    """A field's value as a person writes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return "; ".join(value)
    return value if isinstance(value, str) else f"{value:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The fields that an answer must have, and their layout as text.

    Attributes:
        name: the form's name in records and on screens.
        fields: the fields, in the order in which they are asked for.
        layout: ``line`` (one formula line, such as ``I vote for: X``), ``sections`` (``LABEL: text``
            lines), ``tags`` (``<Label>text</Label>``), ``json`` (one object), ``records`` (a block of such lines for
            each thing that is listed, or a line that says that there is none).
        under: with ``json``, the key of the inner object that holds the fields ("" for the object itself).
        envelope: with ``tags``, the tag around one whole message ("" for none).
        strict: with ``line``, whether the colon of the formula is required; with ``tags``, whether a message that says
            nothing readable is no answer, so that whoever sends only such ones counts as absent.
        record: with ``records``, the fields of one of them, in their order. The form's one field is a list, which
            holds each as a JSON object of texts.
        most: with ``records``, the greatest number of them; 1 for just one.
        schema: with ``json``, a JSON Schema as text that the whole answer has to fit; "" for none. The form's one field
            is a text, which holds the answer as JSON.
    """

    name: str
    fields: tuple[Field, ...]
    layout: Layout = "sections"
    under: str = ""
    envelope: str = ""
    strict: bool = False
    record: tuple[Field, ...] = ()
    most: int = 0
    schema: str = ""


def choices_of(form: Form | None, name: str) -> tuple[str, ...]:
    """What a field of a form allows; () where that is not a list."""
    return next((field.choices for field in form.fields if field.name == name), ()) if form else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as it is described to a model.

    Attributes:
        name: letters, digits, ``_`` and ``-``; the name of a server's tool begins with the server's name.
        help: what the tool does, and when to use it.
        parameters: the JSON Schema of its arguments, an object.
    """

    name: str
    help: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A tool call that a model requests.

    Attributes:
        id: the provider's id of this call; unique in one answer.
        name: the tool's name.
        arguments: its arguments as JSON text, as the model wrote them.
    """

    id: str
    name: str
    arguments: str = "{}"

    @property
    def is_note(self) -> bool:
        """Whether it is no request, but notes what an agent that works by itself did or asked for."""
        return self.id.startswith(NOTE)


NOTE = "acp-"
"""How the id of such a note begins."""

MOST_TOKENS = 10**9
"""The greatest plausible number of tokens. A larger or negative count, or one that is not whole, is unknown."""

MOST_AMOUNT = 10**9
"""The most plausible US dollars or seconds. An amount that is larger, negative or not finite is unknown."""

VERDICT = "Verdict"
"""The field that holds the verdict of a board's member."""

REPLACES = "REPLACES"
"""The field that names an earlier turn of the author; it has one choice only if that turn is to be revised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question to one participant.

    Attributes:
        key: its place in the play: ``/debate/rounds/round-2/critique#3``; unique in a debate.
        to: the participant's name.
        act: the kind of answer: ``propose``, ``argue``, ``critique``, ``revise``, ``vote``, ``moderate`` …
        task: what to do, in words for the participant.
        form: the fields that the answer must have, if any.
        about: the keys of the turns that the ask is about, in the order of presentation.
        audience: the participants who may see the answer; empty for all.
        view: which turns of the log are shown with it, and how.
        talk: the conversation of a caller, as JSON, which whoever answers is sent in its own messages; "" for none.
    """

    key: str
    to: str
    act: str
    task: str
    form: Form | None = None
    about: tuple[str, ...] = ()
    audience: tuple[str, ...] = ()
    view: View = View()
    talk: str = ""

    @property
    def replaces(self) -> str:
        """The mark of the earlier turn that the answer replaces; "" for none. It never depends on the answer."""
        fields = self.form.fields if self.form and self.act == "revise" else ()
        return next((field.choices[0] for field in fields if field.name == REPLACES and field.choices), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The tokens and US dollars that calls used; input tokens include cached ones, and an unknown cost is None."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = 0.0
    estimated: bool = False

    def __add__(self, other: "Usage") -> "Usage":
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            cost=cost,
            estimated=self.estimated or other.estimated,
        )

    def cleaned(self) -> "Usage":
        """The same usage with whole counts and a finite cost, whatever a provider or custom agent reported.

        An impossible count becomes 0, and the usage is then marked as estimated; an impossible cost becomes unknown.
        """
        if self._is_clean():
            return self
        counts = [_count(tokens) for tokens in (self.input_tokens, self.output_tokens, self.cached_tokens)]
        sent, received, cached = (count or 0 for count in counts)
        return Usage(
            input_tokens=sent,
            output_tokens=received,
            cached_tokens=cached,
            cost=amount(self.cost),
            estimated=bool(self.estimated) or None in counts,
        )

    def _is_clean(self) -> bool:
        """Whether nothing has to be changed, as it nearly always is."""
        sent, received, cached, cost = self.input_tokens, self.output_tokens, self.cached_tokens, self.cost
        if not type(sent) is type(received) is type(cached) is int or type(self.estimated) is not bool:
            return False
        counted = 0 <= sent <= MOST_TOKENS and 0 <= received <= MOST_TOKENS and 0 <= cached <= MOST_TOKENS
        return counted and (cost is None or (type(cost) is float and 0 <= cost <= MOST_AMOUNT))


def amount(value: object, maximum: float = MOST_AMOUNT) -> float | None:
    """The value, if it is a number from 0 to ``maximum``; else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 <= value <= maximum else None


def _count(value: object) -> int | None:
    tokens = amount(value, MOST_TOKENS)
    return int(tokens) if tokens is not None and tokens == int(tokens) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The answer to an ask: text and fields.

    Attributes:
        text: the text, without thinking blocks.
        fields: the form's fields that were readable.
        asked: the model that was asked (``ollama:llama3.2``).
        served: the model that reports to have answered; "" if none is reported.
        usage: the usage of all calls for this answer.
        seconds: the time from the ask to the answer.
        unread: the fields that were not readable, each with its reason.
        notes: further remarks for readers (``truncated``, ``second try``).
    """

    text: str
    fields: Fields = field(default_factory=dict[str, str])
    asked: str = ""
    served: str = ""
    usage: Usage = Usage()
    seconds: float = 0.0
    unread: tuple[Unread, ...] = ()
    notes: tuple[str, ...] = ()

    def cleaned(self, form: Form | None, seconds: float = 0.0) -> "Reply":
        """The same reply, fit to be stored: texts cleaned, without fields that the form does not allow.

        Agents may be custom code. A field with a value that is not allowed counts as not readable.

        Args:
            form: the form of the ask.
            seconds: the time that the answer took, where the reply does not say it.
        """
        known_fields = {field.name: field for field in form.fields} if form and self.fields else {}
        values = {
            name: _cleaned_value(known_fields[name], value)
            for name, value in self.fields.items()
            if name in known_fields
        }
        allowed = {name: value for name, value in values.items() if allows(known_fields[name], value)}
        not_allowed = tuple(
            Unread(name, "not_allowed", str(values[name])).cleaned() for name in values if name not in allowed
        )
        return Reply(
            text=clean(self.text),
            fields=allowed,
            asked=named(self.asked),
            served=named(self.served),
            seconds=amount(self.seconds or seconds) or 0.0,
            usage=self.usage.cleaned(),
            unread=(*(unread.cleaned() for unread in self.unread), *not_allowed),
            notes=tuple(clean(note) for note in self.notes),
        )


def _cleaned_value(field: Field, value: Value) -> Value:
    """The value with its texts cleaned; a choice has the ask's own wording and is not changed."""
    return value if field.choices and allows(field, value) else clean_data(value)
