"""Layouts of forms: what a prompt says about a form, and how answers in it are written, read and asked for again.

Reading never invents: what isn't plainly the author's own answer is listed in ``unread``, with the reason.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache

from folkmoot.answers.json_answer import begins_with_object, read_json, words_of_object
from folkmoot.answers.labels import BLANK, read_line, read_sections
from folkmoot.answers.own_words import own_words, with_choices_whole
from folkmoot.answers.record_blocks import read_records, records_template, write_records
from folkmoot.answers.schemas.form_schema import shown_object
from folkmoot.answers.schemas.schema_answer import read_schema_answer, schema_instructions
from folkmoot.answers.tags import SPEAKER, has_tags, read_tags, unescape, write_tags
from folkmoot.answers.text import LIMIT, LONGEST, key, with_plain_line_ends
from folkmoot.answers.values import (
    NO_NAMES,
    NOTHING_KNOWN,
    FieldValues,
    Known,
    Names,
    allowed_values,
    placeholder,
    value_text,
)
from folkmoot.core.ask import ABSTAIN, Form, Value
from folkmoot.core.text import clean, clean_data
from folkmoot.core.unread import Unread


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was read from an answer.

    Attributes:
        text: the words: without thinking and without a leading label of the speaker's own name.
        fields: what was read; a choice in its own spelling, or ``ABSTAIN``.
        unread: what was not, and why.
    """

    text: str
    fields: Mapping[str, Value] = field(default_factory=dict[str, Value])
    unread: tuple[Unread, ...] = ()


ABSTENTION = "I abstain from voting."

SHOWN = 20
"""A list of at most so many choices is shown line by line."""


def read(
    form: Form | None,
    text: str,
    *,
    speaker: str = "",
    others: Sequence[str] = (),
    names: Names = NO_NAMES,
    final: bool = False,
) -> Reading:
    """Read an answer in a form, or as words alone; what is known beside its words is as in ``Known``."""
    reading = _read_as_written(form, text, Known(speaker, others, names, final))
    beside = words_of_object(form, reading.text) if form and form.layout != "json" and reading.fields else None
    if form is None or beside is None:
        return reading
    # An object is told as its author would have written it in the form; a voter's reason in it stands before that.
    with suppress(ValueError):
        reading = replace(reading, text=write(form, reading.fields, beside))
    return reading


def _read_as_written(form: Form | None, text: str, known: Known) -> Reading:
    fields = form.fields if form else ()
    words = text
    if len(text) <= LONGEST:
        keep = [form.envelope, *(item.name for item in fields)] if form and form.layout == "tags" else []
        choices = [choice for item in fields for choice in item.choices]
        words = own_words(with_choices_whole(with_plain_line_ends(text), choices), known.speaker, keep)
    if form is None:
        return Reading(text=words)
    if len(words) > LIMIT:
        return Reading(text=words, unread=tuple(Unread(item.name, "too_large") for item in fields if item.required))
    values = _read(form, words, known)
    return Reading(text=clean(words), fields=values.fields, unread=tuple(values.unread))


def _read(form: Form, words: str, known: Known) -> FieldValues:
    if form.schema:
        values = FieldValues()
        values.add(form.fields[0], read_schema_answer(form.schema, words))
        return values
    match form.layout:
        case "json":
            return read_json(form, words, known)
        case "records":
            return read_records(form, words)
        case "tags":
            values = read_tags(form, words if "<" in words else unescape(words), known)
            return values if values.fields or has_tags(form, words) else _untagged(form, words, known) or values
        case _:
            return _labelled(form, words, known)


def _untagged(form: Form, words: str, known: Known) -> FieldValues | None:
    """What is said as an object, or in rows with labels, read as the same tags; None where that isn't a whole message."""
    # Who speaks is read as it stands there: a message in somebody else's name is none of the author's.
    fields = [replace(item, kind="text") if key(item.name) == SPEAKER else item for item in form.fields]
    said = _labelled(replace(form, layout="sections", envelope="", fields=tuple(fields)), words, known).fields
    held = begins_with_object(words) and all(item.name in said for item in form.fields if item.required)
    return read_tags(form, write_tags(form, said), known) if held or len(said) > 2 else None


def _labelled(form: Form, words: str, known: Known) -> FieldValues:
    """Read a form in labelled rows; where there are none, as one JSON object with the labels as its keys."""
    if begins_with_object(words) and (values := read_json(form, words, known)).fields:
        return values
    values = (read_line if form.layout == "line" else read_sections)(form, words, known)
    if not values.fields and "{" in words and (other := read_json(form, words, known)).fields:
        return other
    return values


@lru_cache(maxsize=256)
def form_instructions(form: Form) -> str:
    """What a prompt says about how to answer in this form."""
    if form.schema:
        return schema_instructions(form.schema)
    return "\n".join([*_privacy(form), *_abstention(form), _INTRODUCTION[form.layout], template(form)])


_INTRODUCTION: Mapping[str, str] = {
    "line": "End your answer with a line in exactly this form:",
    "sections": "Answer in exactly this form, each label at the start of a line:",
    "tags": "Answer in exactly this form, no tag twice, and write nothing around it:",
    "json": "Answer with one JSON object, and nothing around it:",
    "records": "Answer in exactly this form, each label at the start of a line:",
}


def template(form: Form) -> str:
    """The form with a slot in place of each value."""
    match form.layout:
        case "line" | "sections":
            return "\n".join(_row(item.name, placeholder(item)) for item in form.fields)
        case "records":
            return records_template(form)
        case "tags":
            return write_tags(form, {item.name: placeholder(item) for item in form.fields})
        case _:
            return shown_object(form)


def _abstention(form: Form) -> list[str]:
    offered = any(item.abstain and item.required for item in form.fields)
    # Behind a strict formula stands the document on debate steps, which has an abstention as a sentence.
    words = ABSTENTION.rstrip(".") if form.strict and form.layout == "line" else ABSTAIN
    return [f'If you do not want to choose, write "{words}".'] if offered else []


def _privacy(form: Form) -> list[str]:
    """Who reads what, in one line; none where everybody reads everything."""
    circles: dict[str, list[str]] = {}
    for item in form.fields:
        if item.private:
            circles.setdefault(item.to, []).append(item.name)
    sentences = [
        f"only you{f' and the one whom {to} names' if to else ''} read {' and '.join(names)}"
        for to, names in circles.items()
    ]
    return [f"Who reads what: {'; '.join([*sentences, 'all read the rest'])}."] if sentences else []


def repair_question(form: Form, reading: Reading) -> str:
    """The one question that is put again: what couldn't be read, what stood in the way, and how it is said.

    Of a form in labelled rows only what is missing is asked for again: the rest has been read.
    """
    faults = [_fault(form, unread) for unread in reading.unread]
    names = [unread.field for unread in reading.unread]
    open_ = tuple(item for item in form.fields if item.name in names)
    asked = replace(form, fields=open_) if open_ else form
    again = asked if form.layout in ("line", "sections") else form
    return "\n".join(["I could not read this in your answer:", *faults, form_instructions(again), *_each_choice(asked)])


def _each_choice(form: Form) -> list[str]:
    """Each allowed row of the choices of a form. All of them stand there, so that a copy of them chooses nothing."""
    alone = replace(form, envelope="")
    rows: list[str] = []
    for item in form.fields if form.layout != "json" else ():
        if item.kind == "choice" and 1 < len(item.choices) <= SHOWN:
            rows += [
                "That is one of these lines:",
                *(_bodies(alone, {item.name: choice})[0] for choice in item.choices),
            ]
    return rows


def _fault(form: Form, unread: Unread) -> str:
    name = unread.field
    items = (item for item in (*form.fields, *form.record) if name in (item.name, f"{form.under} {item.name}"))
    item = next((item for item in items if item.kind != "text"), None)
    allowed = f" It must be {allowed_values(item)}." if item else ""
    return f"- {unread}.{allowed}"


def write(form: Form, fields: Mapping[str, Value], text: str = "") -> str:
    """An answer that holds those fields, cleaned, so that reading it gives them back.

    Words that would disturb the reading are set as a block quotation, and where even that would, left out.

    Raises:
        ValueError: the fields cannot be said in this form: an unknown field, a choice that is not allowed.
    """
    wanted = clean_data(dict(fields))
    quoted = "\n".join("> " + row.replace("<", "&lt;") for row in with_plain_line_ends(text).split("\n"))
    for body in _bodies(form, wanted):
        for words in dict.fromkeys((text, quoted if text else "", "")):
            answer = f"{words}\n\n{body}" if words else body
            if clean_data(_read_as_written(form, answer, NOTHING_KNOWN).fields) == wanted:
                return answer
    raise ValueError(f"{form.name}: these fields cannot be written so that they can be read: {', '.join(wanted)}.")


def _bodies(form: Form, fields: Mapping[str, Value]) -> list[str]:
    """The ways in which fields may be written, the usual one first."""
    members = {item.name: fields[item.name] for item in form.fields if item.name in fields}
    match form.layout:
        case "line":
            return [labelled_rows(form, fields)]
        case "sections":
            return [labelled_rows(form, fields), _object(members)]
        case "tags":
            return [write_tags(form, fields)]
        case "records":
            return [write_records(form, fields)]
        case _:
            return [_object({form.under: members} if form.under else members)]


def labelled_rows(form: Form, fields: Mapping[str, Value]) -> str:
    """A row for each of the fields, in the form's order; an abstention on a formula is a sentence of its own."""
    filled = [(item, fields[item.name]) for item in form.fields if item.name in fields]
    return "\n".join(
        ABSTENTION if form.layout == "line" and value == ABSTAIN else _row(item.name, value_text(item, value))
        for item, value in filled
    )


def _row(name: str, value: str) -> str:
    """A labelled line; the value stands behind the name, or in its blank."""
    if BLANK in name:
        return name.replace(BLANK, value, 1)
    return f"{name}:{value}" if value.startswith("\n") else f"{name}: {value}"


def _object(members: Mapping[str, object]) -> str:
    return json.dumps(members, ensure_ascii=False, indent=2)
