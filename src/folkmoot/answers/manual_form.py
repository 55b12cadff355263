"""Answers written by people: what a person may leave out that a model may not.

A person is not asked a second time by the debate: what cannot be read is refused at once, in one sentence that says
what is missing.
"""

from collections.abc import Mapping, Sequence

from folkmoot.answers.layout import Reading, read
from folkmoot.answers.text import LIMIT
from folkmoot.answers.values import Fault, allowed_values, read_choice, read_items, read_value
from folkmoot.core.ask import ABSTAIN, Field, Form, Value, allows, needed
from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean

ARGUMENT = "ARGUMENT"
"""The field that plain words are, where a form has it."""


def read_manual_answer(form: Form | None, words: str, fields: Mapping[str, Value] | None = None) -> Reading:
    """Read what a person wrote.

    Fields that are given as such go before what the words say in the form. Beyond what a model may do, a bare choice
    ("B", "yes", "abstain") does where nothing but one choice is open; and where only texts are open, plain words are
    the argument or the last of them, and the others are not asked for.

    Args:
        form: what the answer must hold; None for words alone.
        words: what the person wrote; "" where the fields say everything.
        fields: fields by name, as values or in words.

    Raises:
        BriefError: a field that there is not, a value that is not allowed, or something is missing.
    """
    words = clean(words).strip()
    if len(words) > LIMIT:
        raise BriefError(f"the answer has {len(words):,} characters; at most {LIMIT:,} are allowed", code="too_large")
    typed = _parsed_fields(form, fields or {})
    if not words and not typed:
        raise BriefError("the answer is empty; write what you have to say")
    if form is None:
        return Reading(text=words)
    required_fields = [field for field in form.fields if field.required and field.name not in typed]
    if len(required_fields) == 1 and (choice := _matching_choice(required_fields[0], words)) is not None:
        typed[required_fields[0].name], words = choice, ""
    reading = read(form, words, final=True) if words else Reading(text="")
    values = {**reading.fields, **typed}
    open_ = [field for field in required_fields if field.name not in values]
    if words and open_ and not reading.fields and all(field.kind == "text" for field in open_):
        said = next((field.name for field in open_ if field.name == ARGUMENT), open_[-1].name)
        values |= _parsed_fields(form, {said: words})
    if not _is_incomplete(form, open_, values):
        open_ = []
    odd = {unread.field for unread in reading.unread}
    wrong = [field for field in form.fields if field.name in odd and not field.required and field.name not in values]
    if lacking := [field for field in (*open_, *wrong) if field.name not in values]:
        raise BriefError(f"the answer must say {_list([_field_help(field) for field in lacking])}")
    _check_pairs(form, values)
    rows = [_row(form, field, typed[field.name]) for field in form.fields if field.name in typed]
    return Reading(text="\n\n".join(filter(None, ("\n".join(rows), words))), fields=values)


REASON = "your reason; everybody can read it"
"""What may be said beside a form without a field for words."""


def takes_reason(form: Form | None) -> bool:
    """Whether a form, such as a ballot, has no field for words: then the words of an answer are its reason."""
    return form is not None and not any(field.kind == "text" for field in form.fields)


def _parsed_fields(form: Form | None, fields: Mapping[str, Value]) -> dict[str, Value]:
    """The fields that are given as such, each as a value of its kind."""
    values: dict[str, Value] = {}
    known = form.fields if form else ()
    for name, raw in fields.items():
        field = next((field for field in known if field.name.casefold() == name.strip().casefold()), None)
        if field is None:
            there = f"there are {', '.join(field.name for field in known)}" if known else "the answer is plain words"
            raise BriefError(f"the answer has no field {clean(name)[:60]!r}; {there}", code="unknown_key")
        value = _value(field, raw)
        if isinstance(value, Fault):
            raise BriefError(
                f"{field.name} is {clean(str(raw))[:60]!r}; it must be {allowed_values(field)}", code="bad_enum"
            )
        values[field.name] = value
    return values


def _value(field: Field, raw: Value) -> Value | Fault:
    if not isinstance(raw, str):
        if isinstance(raw, tuple) and field.kind == "list":
            return read_items(field, raw)
        return raw if allows(field, raw) else Fault("wrong_type")
    text = clean(raw)
    if field.kind == "choice" and (choice := _matching_choice(field, text)) is not None:
        return choice
    return read_value(field, text)


def _matching_choice(field: Field, words: str) -> str | None:
    """The choice that the words are, in its own spelling; None where they are no choice, or the field is none."""
    value = read_choice(field, words) if field.kind == "choice" else None
    return value if isinstance(value, str) else None


def _is_incomplete(form: Form, open_: Sequence[Field], values: Mapping[str, Value]) -> bool:
    """Whether what is still open must be said: not where it is texts alone and one of the texts is there."""
    texts = [field.name for field in form.fields if field.required and field.kind == "text"]
    return any(field.kind != "text" for field in open_) or not any(name in values for name in texts)


def _check_pairs(form: Form, values: Mapping[str, Value]) -> None:
    """Refuse a value without the field that has to stand beside it."""
    by_name = {field.name: field for field in form.fields}
    for name, value in values.items():
        other = needed(by_name[name], value)
        if other in by_name and other not in values:
            beside = f"where {name} is {_told_value(value)}" if by_name[name].kind != "text" else f"with {name}"
            raise BriefError(f"{beside}, the answer must say {_field_help(by_name[other])}")


def _field_help(field: Field) -> str:
    return f"{field.name} ({allowed_values(field)})"


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _row(form: Form, field: Field, value: Value) -> str:
    """A field as it stands in the words that others read."""
    if value == ABSTAIN and form.layout == "line":
        return "I abstain from voting."
    if isinstance(value, tuple):
        return "\n".join([f"{field.name}:", *(f"- {item}" for item in value)])
    return f"{field.name}: {_told_value(value)}"


def _told_value(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
