"""Layouts of forms: what a prompt says about a form, and how answers in it are written, read and asked for again.

Reading never invents: what isn't plainly the author's own answer is listed in ``unread``, with the reason.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache

from folkmoot.answers.json_answer import begins_with_object, read_json, words_of_object
from folkmoot.answers.labels import BLANK, labels_of, read_line, read_sections, stands
from folkmoot.answers.own_words import own_words
from folkmoot.answers.record_blocks import read_records, records_template, write_records
from folkmoot.answers.schemas.form_schema import shown_object
from folkmoot.answers.schemas.schema_answer import read_schema_answer
from folkmoot.answers.tags import SPEAKER, has_tags, read_tags, unescape, write_tags
from folkmoot.answers.text import LIMIT, LONGEST, key, with_plain_line_ends
from folkmoot.answers.values import NO_NAMES, FieldValues, Known, Names, allowed_values, placeholder, value_text
from folkmoot.core.ask import ABSTAIN, Fields, Form, Value
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
    if form and form.layout != "json" and reading.fields:
        beside = words_of_object(form, reading.text)
        # An object is told as its author would have written it in the form; a voter's reason in it stands before that.
        with suppress(ValueError):
            return reading if beside is None else replace(reading, text=write(form, reading.fields, beside))
    return reading


def _read_as_written(form: Form | None, text: str, known: Known) -> Reading:
    fields = form.fields if form else ()
    words = text
    if len(text) <= LONGEST:
        keep = [form.envelope, *(item.name for item in fields)] if form and form.layout == "tags" else []
        choices = [choice for item in fields for choice in item.choices]
        words = own_words(with_plain_line_ends(text), known, keep, choices, labels_of(fields)[0])
    if form is None:
        return Reading(text=words)
    if len(words) > LIMIT:
        return Reading(text=words, unread=tuple(Unread(item.name, "too_large") for item in fields if item.required))
    match form.layout:
        case _ if form.schema:
            values = FieldValues()
            values.add(form.fields[0], read_schema_answer(form.schema, words))
        case "json":
            values = read_json(form, words, known)
        case "records":
            values = read_records(form, words)
        case "tags":
            values = read_tags(form, words if "<" in words else unescape(words), known)
            if not values.fields and not has_tags(form, words):
                # What is said as an object, or in rows with labels, is read as the same tags where it's a whole message.
                # Who speaks is read as it stands there: a message in somebody else's name is none of the author's.
                spoken = [replace(item, kind="text") if key(item.name) == SPEAKER else item for item in fields]
                rows = replace(form, layout="sections", envelope="", fields=tuple(spoken))
                said = _labelled(rows, words, known).fields
                whole = begins_with_object(words) and all(item.name in said for item in fields if item.required)
                values = read_tags(form, write_tags(form, said), known) if whole or len(said) > 2 else values
        case _:
            values = _labelled(form, words, known)
    unread = (
        replace(each, reason="quoted_only") if each.reason == "no_form" and stands(each.field, text) else each
        for each in values.unread
    )
    return Reading(text=clean(words), fields=values.fields, unread=tuple(unread))


def _labelled(form: Form, words: str, known: Known) -> FieldValues:
    """Read a form in labelled rows, or as one JSON object with its labels; what both say has to be the same."""
    read_rows = read_line if form.layout == "line" else read_sections
    values = read_rows(form, words, known)
    if "{" not in words:
        return values
    said = read_json(form, words, known)
    rows = read_rows(form, words, replace(known, final=True)).fields
    whole = all(item.name in said.fields for item in form.fields if item.required)
    if said.fields and (begins_with_object(words) or not rows):
        values = said
    for item in form.fields if whole or values is said else ():
        both = [fields[item.name] for fields in (rows, said.fields) if item.name in fields]
        # A text that holds the object says the same and more.
        if len(set(both)) > 1 and not (item.kind == "text" and "{" in str(both[0])):
            values.fields.pop(item.name, None)
            values.unread = [unread for unread in values.unread if unread.field != item.name]
            values.note(item.name, "ambiguous", ", ".join(map(str, both)))
    return values


@lru_cache(maxsize=256)
def form_instructions(form: Form) -> str:
    """What a prompt says about how to answer in this form."""
    if form.schema:
        rule = "Answer with JSON alone, nothing before or after it. It has to fit this JSON Schema:"
        return f"{rule}\n{form.schema}"
    rows: list[str] = []
    circles: dict[str, list[str]] = {}
    for item in form.fields:
        if item.private:
            circles.setdefault(item.to, []).append(item.name)
    if circles:
        readers = (
            f"only you{f' and the one whom {to} names' if to else ''} read {' and '.join(names)}"
            for to, names in circles.items()
        )
        rows.append(f"Who reads what: {'; '.join([*readers, 'all read the rest'])}.")
    if any(item.abstain and item.required for item in form.fields):
        # Behind a strict formula stands the document on debate steps, which has an abstention as a sentence.
        words = ABSTENTION.rstrip(".") if form.strict and form.layout == "line" else ABSTAIN
        rows.append(f'If you do not want to choose, write "{words}".')
    return "\n".join([*rows, _INTRODUCTION[form.layout], template(form)])


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
        case "json":
            return shown_object(form)
        case "records":
            return records_template(form)
        case _:
            return _body(form, {item.name: placeholder(item) for item in form.fields})


def repair_question(form: Form, reading: Reading, clear: Fields | None = None) -> str:
    """The one question that is put again: what couldn't be read, what stood in the way, and how it is said.

    Of a form in labelled rows only what is missing is asked for again. ``clear`` is what would count if nobody asked:
    small models that don't see it again choose the first of the list instead.
    """
    rows = ["I could not read this in your answer:"]
    for unread in reading.unread:
        # A field of a record is named with its block: "FINDING 2 SEVERITY".
        ends = (item for item in (*form.fields, *form.record) if f" {unread.field}".endswith(f" {item.name}"))
        item = next((item for item in ends if item.kind != "text"), None)
        rows.append(f"- {unread}.{f' It must be {allowed_values(item)}.' if item else ''}")
        if clear and unread.field in clear:
            said = labelled_rows(form, {unread.field: clear[unread.field]})
            rows.append(f'  You wrote "{said}". If that is what you mean, write just that again.')
    names = [unread.field for unread in reading.unread]
    missing = tuple(item for item in form.fields if item.name in names)
    asked = replace(form, fields=missing) if missing else form
    rows.append(form_instructions(asked if form.layout in ("line", "sections") else form))
    # Of a short list all choices are shown, so that a copy of them chooses nothing.
    for item in asked.fields if form.layout != "json" else ():
        if item.kind == "choice" and 1 < len(item.choices) <= 20:
            rows.append("That is one of these lines:")
            rows += [_body(replace(asked, envelope=""), {item.name: choice}) for choice in item.choices]
    return "\n".join(rows)


def write(form: Form, fields: Mapping[str, Value], text: str = "") -> str:
    """An answer that holds those fields, cleaned, so that reading it gives them back.

    Words that would disturb the reading are set as a block quotation, and where even that would, left out.

    Raises:
        ValueError: the fields cannot be said in this form: an unknown field, a choice that is not allowed.
    """
    wanted = clean_data(dict(fields))
    quoted = "\n".join("> " + row.replace("<", "&lt;") for row in with_plain_line_ends(text).split("\n"))
    for layout in (form.layout, "json") if form.layout == "sections" else (form.layout,):
        body = _body(replace(form, layout=layout), wanted)
        for words in dict.fromkeys((text, quoted if text else "", "")):
            answer = f"{words}\n\n{body}" if words else body
            if clean_data(_read_as_written(form, answer, Known()).fields) == wanted:
                return answer
    raise ValueError(f"{form.name}: these fields cannot be written so that they can be read: {', '.join(wanted)}.")


def _body(form: Form, fields: Mapping[str, Value]) -> str:
    """The fields as they stand in an answer."""
    match form.layout:
        case "line" | "sections":
            return labelled_rows(form, fields)
        case "tags":
            return write_tags(form, fields)
        case "records":
            return write_records(form, fields)
        case _:
            members = {item.name: fields[item.name] for item in form.fields if item.name in fields}
            return json.dumps({form.under: members} if form.under else members, ensure_ascii=False, indent=2)


def labelled_rows(form: Form, fields: Mapping[str, Value]) -> str:
    """A row for each of the fields, in the form's order; an abstention on a formula is a sentence of its own."""
    rows: list[str] = []
    for item in (item for item in form.fields if item.name in fields):
        value = value_text(item, fields[item.name])
        if form.layout == "line" and value == ABSTAIN:
            rows.append(ABSTENTION)
        elif BLANK in item.name:
            rows.append(item.name.replace(BLANK, value, 1))
        else:
            rows.append(f"{item.name}:{value}" if value.startswith("\n") else f"{item.name}: {value}")
    return "\n".join(rows)
