"""Answers written by people: what a person may leave out that a model may not.

A person is not asked a second time by the debate: what cannot be read is refused at once, in one sentence that says
what is missing.
"""

from collections.abc import Mapping

from folkmoot.answers.layout import Reading, labelled_rows, read
from folkmoot.answers.text import LIMIT
from folkmoot.answers.values import Fault, allowed_values, read_choice, read_items, read_value, value_text
from folkmoot.core.ask import Field, Form, Value, allows, needed
from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean, listed


def read_manual_answer(form: Form | None, words: str, fields: Mapping[str, Value] | None = None) -> Reading:
    """Read what a person wrote.

    Fields that are given as such go before what the words say in the form. Beyond what a model may do, a bare choice
    ("B", "yes", "abstain") does where nothing but one choice is open; and where only texts are open, plain words are
    the argument or the last of them, and the others are not asked for.

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
    required = [field for field in form.fields if field.required and field.name not in typed]
    if len(required) == 1 and required[0].kind == "choice":
        choice = read_choice(required[0], words)
        if not isinstance(choice, Fault):
            typed[required[0].name], words = choice, ""
    reading = read(form, words, final=True) if words else Reading(text="")
    values = {**reading.fields, **typed}
    open_ = [field for field in required if field.name not in values]
    if words and open_ and not reading.fields and all(field.kind == "text" for field in open_):
        said = next((field.name for field in open_ if field.name == "ARGUMENT"), open_[-1].name)
        values |= _parsed_fields(form, {said: words})
    texts = [field.name for field in form.fields if field.required and field.kind == "text"]
    if all(field.kind == "text" for field in open_) and any(name in values for name in texts):
        open_ = []  # one of the texts is enough
    odd = [field for field in form.fields if not field.required and any(field.name == u.field for u in reading.unread)]
    if lacking := [_field_help(field) for field in (*open_, *odd) if field.name not in values]:
        raise BriefError(f"the answer must say {listed(lacking)}")
    by_name = {field.name: field for field in form.fields}
    for name, value in values.items():
        other = needed(by_name[name], value)
        if other in by_name and other not in values:
            is_text = by_name[name].kind == "text"
            beside = f"with {name}" if is_text else f"where {name} is {value_text(by_name[name], value)}"
            raise BriefError(f"{beside}, the answer must say {_field_help(by_name[other])}")
    return Reading(text="\n\n".join(filter(None, (labelled_rows(form, typed), words))), fields=values)


def _parsed_fields(form: Form | None, fields: Mapping[str, Value]) -> dict[str, Value]:
    """The fields that are given as such, each as a value of its kind."""
    values: dict[str, Value] = {}
    known = form.fields if form else ()
    for name, raw in fields.items():
        field = next((field for field in known if field.name.casefold() == name.strip().casefold()), None)
        if field is None:
            there = f"there are {', '.join(field.name for field in known)}" if known else "the answer is plain words"
            raise BriefError(f"the answer has no field {clean(name)[:60]!r}; {there}", code="unknown_key")
        if isinstance(raw, str):
            value = read_value(field, clean(raw))
        elif isinstance(raw, tuple) and field.kind == "list":
            value = read_items(field, raw)
        else:
            value = raw if allows(field, raw) else Fault("wrong_type")
        if isinstance(value, Fault):
            said = f"{field.name} is {clean(str(raw))[:60]!r}"
            raise BriefError(f"{said}; it must be {allowed_values(field)}", code="bad_enum")
        values[field.name] = value
    return values


def _field_help(field: Field) -> str:
    return f"{field.name} ({allowed_values(field)})"
