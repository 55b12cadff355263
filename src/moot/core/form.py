"""Forms: the fields that an answer must have. This file owns what a field may hold.

How a form is written into a prompt and read out of a text is the business of ``answers.layout``.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

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
