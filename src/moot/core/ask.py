"""Forms: the fields that an answer must have. This file owns what a field may hold.

Tools: what a participant can look up or have done while it answers. This file owns what passes between them.
Asks and replies: one question to one participant, and what came of it. This file owns these values.

How a form is written into a prompt and read out of a text is the business of ``answers.layout``.

A tool call is part of an ask: it is on record before it is made and never made twice.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from moot.core.brief import View
from moot.core.text import clean, clean_data, named

Value: TypeAlias = str | int | float | bool | tuple[str, ...]
"""What a field may hold: text or choice, number, flag, list of texts."""

Fields: TypeAlias = Mapping[str, Value]
Kind: TypeAlias = Literal["text", "choice", "number", "flag", "list"]
Layout: TypeAlias = Literal["line", "sections", "tags", "json"]

ABSTAIN = "ABSTAIN"
"""The value of a field whose author said that he abstains."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a form.

    Attributes:
        name: its label, as it stands in the text (``STATUS``, ``Verdict``, ``I vote for``).
        kind: what it holds.
        choices: the allowed values of a ``choice``, or of each entry of a ``list`` (there () allows any); compared
            without regard to case and markup.
        required: whether an answer without it is worth one repair question.
        help: a few words for whoever fills it in.
        low: least number allowed.
        high: greatest number allowed.
        abstain: whether a ``choice`` may be answered by an abstention; a ``text`` with it takes a position, so that no
            word for nothing ("none yet") can be one, and an abstention stands only where the field is required.
        private: whether only the author, and who is named in ``to``, may read it.
        to: with ``private``, the field that names one more who may read it; "" for the author alone.
        needs: another field that has to stand beside this one. People are held to it; a model's answer is taken as it
            is.
        when: with ``needs``, the one value beside which it has to; "" for any but a flag's ``false``.
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
    """The name of the field that has to stand beside this value; "" for none."""
    return "" if value is False or field.when not in ("", value) else field.needs


def allows(field: Field, value: Value) -> bool:
    """Whether a value may stand in a field: of its kind, among its choices, within its range, and finite."""
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
    """The fields that an answer must have, and how they are laid out as text.

    Attributes:
        name: what the form is called in records and screens.
        fields: the fields, in the order in which they are asked for.
        layout: ``line`` (one formula line, such as ``I vote for: X``), ``sections`` (``LABEL: text``
            lines), ``tags`` (``<Label>text</Label>``), ``json`` (one object).
        under: with ``json``, the key of the inner object that holds the fields ("" for the object itself).
        envelope: with ``tags``, the tag around one whole message ("" for none).
        strict: with ``line``, whether the colon of the formula must stand there.
    """

    name: str
    fields: tuple[Field, ...]
    layout: Layout = "sections"
    under: str = ""
    envelope: str = ""
    strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as a model is told of it.

    Attributes:
        name: letters, digits, ``_`` and ``-``; that of a tool from a server begins with the server's name.
        help: what it does, and when to use it.
        parameters: the JSON Schema of its arguments, an object.
    """

    name: str
    help: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A model asks for a tool.

    Attributes:
        id: the provider's name for this call; unique in one answer.
        name: the tool's name.
        arguments: its arguments as JSON text, as the model wrote them.
    """

    id: str
    name: str
    arguments: str = "{}"


MOST_TOKENS = 10**9
"""Tokens for which a count is believed. A count that is larger, negative or no whole number is unknown."""

MOST_AMOUNT = 10**9
"""US dollars and seconds for which an amount is believed; one that is larger, negative or not finite is unknown."""

REPLACES = "REPLACES"
"""The field that names an own earlier turn; with one choice only where a revision of that turn is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question to one participant.

    Attributes:
        key: its place in the play: ``/debate/rounds/round-2/critique#3``; unique in a debate.
        to: the participant's name.
        act: what the answer is: ``propose``, ``argue``, ``critique``, ``revise``, ``vote``, ``moderate`` …
        task: what to do, in words for the participant.
        form: the fields that the answer must have, if any.
        about: keys of the turns laid before the participant, in the order of presentation.
        audience: who may see the answer; empty for everybody.
        view: which turns of the log go along, and how.
    """

    key: str
    to: str
    act: str
    task: str
    form: Form | None = None
    about: tuple[str, ...] = ()
    audience: tuple[str, ...] = ()
    view: View = View()

    @property
    def replaces(self) -> str:
        """The mark of the earlier turn in whose place the answer comes; "" for none. It never depends on the answer."""
        fields = self.form.fields if self.form and self.act == "revise" else ()
        return next((field.choices[0] for field in fields if field.name == REPLACES and field.choices), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What calls used: tokens in (of those, read from the provider's cache), tokens out, US dollars (None: unknown)."""

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

    def mended(self) -> "Usage":
        """The same with whole counts and a finite cost, whatever a provider or somebody's seat has put in.

        A count that cannot be is 0, and the usage is estimated then; a cost that cannot be is unknown.
        """
        counts = [_count(each) for each in (self.input_tokens, self.output_tokens, self.cached_tokens)]
        taken, given, cached = (each or 0 for each in counts)
        return Usage(
            input_tokens=taken,
            output_tokens=given,
            cached_tokens=cached,
            cost=amount(self.cost),
            estimated=bool(self.estimated) or None in counts,
        )


def amount(value: object, most: float = MOST_AMOUNT) -> float | None:
    """A number from 0 to ``most`` as it was given; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 <= value <= most else None


def _count(value: object) -> int | None:
    found = amount(value, MOST_TOKENS)
    return int(found) if found is not None and found == int(found) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Words and fields, in answer to an ask.

    Attributes:
        text: the words, without thinking blocks.
        fields: the form's fields that could be read.
        asked: the seat that was asked (``ollama:llama3.2``).
        served: the model that says it answered; "" where it says nothing.
        usage: what all calls for this answer used.
        seconds: time from the ask to the answer.
        unread: the fields that could not be read, each with its reason (``Vote: ambiguous``).
        notes: what else a reader should know (``truncated``, ``second try``).
    """

    text: str
    fields: Fields = field(default_factory=dict[str, str])
    asked: str = ""
    served: str = ""
    usage: Usage = Usage()
    seconds: float = 0.0
    unread: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def mended(self, form: Form | None) -> "Reply":
        """The same as it can be stored anywhere: texts cleaned, and no field that its form does not allow.

        A seat may be anybody's; what it fills in wrongly counts as unread.
        """
        asked = {field.name: field for field in form.fields} if form else {}
        given = {name: _mended(asked[name], value) for name, value in self.fields.items() if name in asked}
        sound = {name: value for name, value in given.items() if allows(asked[name], value)}
        odd = tuple(f"{clean(name)}: not_allowed" for name in given if name not in sound)
        return replace(
            self,
            text=clean(self.text),
            fields=sound,
            asked=named(self.asked),
            served=named(self.served),
            seconds=amount(self.seconds) or 0.0,
            usage=self.usage.mended(),
            unread=(*(clean(each) for each in self.unread), *odd),
            notes=tuple(clean(each) for each in self.notes),
        )


def _mended(field: Field, value: Value) -> Value:
    """A value, its texts cleaned; one of the choices is the ask's own words, and stays as it was asked."""
    return value if field.choices and allows(field, value) else clean_data(value)
