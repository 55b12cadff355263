"""Layout: forms as text. This file owns the doors: what a prompt says, how an answer is written, read, asked for again.

A reading never invents: what is not plainly the author's own final statement is left in ``unread``.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from moot.answers.ballot_reader import announces, read_ballot
from moot.answers.blanks import BLANK, fill
from moot.answers.json_answer import read_json
from moot.answers.plain_text import (
    LIMIT,
    LONGEST,
    lines_even,
    unfence,
    without_comments,
    without_label,
    without_thoughts,
)
from moot.answers.sections import read_lines, read_sections
from moot.answers.tags import escape, read_tags
from moot.answers.values import Found, slot
from moot.core.form import ABSTAIN, Field, Form, Value
from moot.core.text import clean_data


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was read from an answer.

    Attributes:
        text: the words: without thinking blocks and without a leading label of the speaker's own name.
        fields: what was read; a choice in its own spelling, or ``ABSTAIN``.
        unread: ``name: reason`` for each field that was not.
    """

    text: str
    fields: Mapping[str, Value] = field(default_factory=dict[str, Value])
    unread: tuple[str, ...] = ()


def read(form: Form | None, text: str, *, speaker: str = "") -> Reading:
    """Read an answer.

    Args:
        form: what it should hold; None for words alone.
        text: the answer as it came.
        speaker: whose answer it is; "" where that is unknown.
    """
    if len(text) > LONGEST:
        return Reading(text=text, unread=_too_large(form))
    keep = [each.name for each in form.fields] if form and form.layout == "tags" else []
    words = without_label(without_thoughts(lines_even(text), keep).strip(), speaker)
    if form is None:
        return Reading(text=words)
    if len(words) > LIMIT:
        return Reading(text=words, unread=_too_large(form))
    found = _read(form, words, speaker)
    return Reading(text=words, fields=found.fields, unread=tuple(found.unread))


def _too_large(form: Form | None) -> tuple[str, ...]:
    return tuple(f"{each.name}: too_large" for each in (form.fields if form else ()) if each.required)


def _read(form: Form, words: str, speaker: str) -> Found:
    match form.layout:
        case "tags":
            return read_tags(form, unfence(words, announces), speaker)
        case "json":
            return read_json(form, without_comments(words))
        case "sections":
            return read_sections(form, unfence(without_comments(words), announces))
        case _:
            return _read_line(form, words, speaker)


def _read_line(form: Form, words: str, speaker: str) -> Found:
    found = read_lines(form, unfence(without_comments(words), announces))
    for asked in form.fields:
        if asked.kind == "choice":
            found.take(asked, read_ballot(asked, words, strict=form.strict, speaker=speaker))
    return found


def instruct(form: Form) -> str:
    """What a prompt says about how to answer in this form."""
    return "\n".join([*_notes(form), _INTRODUCTION[form.layout], template(form)])


_INTRODUCTION: Mapping[str, str] = {
    "line": "End your answer with a line in exactly this form:",
    "sections": "Answer in exactly this form, each label at the start of a line:",
    "tags": "Answer in exactly this form, no tag twice, and write nothing around it:",
    "json": "Answer with one JSON object in exactly this form:",
}


def template(form: Form) -> str:
    """The form with a slot in place of each value."""
    match form.layout:
        case "line":
            return "\n".join(_row(each.name, slot(each)) for each in form.fields)
        case "sections":
            return "\n".join(f"{each.name}: {slot(each)}" for each in form.fields)
        case "tags":
            rows = [f"<{each.name}>{escape(slot(each))}</{each.name}>" for each in form.fields]
            return "\n".join([f"<{form.envelope}>", *rows, f"</{form.envelope}>"] if form.envelope else rows)
        case _:
            rows = ", ".join(f"{json.dumps(each.name, ensure_ascii=False)}: {slot(each)}" for each in form.fields)
            return f"{{{json.dumps(form.under)}: {{{rows}}}}}" if form.under else f"{{{rows}}}"


def _notes(form: Form) -> list[str]:
    notes = [f"{each.name}: {each.help}." for each in form.fields if each.help and each.kind != "text"]
    optional = [each.name for each in form.fields if not each.required]
    notes += [f"May be left out: {', '.join(optional)}."] if optional else []
    notes += _privacy(form)
    abstention = "I abstain from voting" if form.layout == "line" else ABSTAIN
    return notes + [
        f'Whoever does not want to choose may write "{abstention}".'
        for each in form.fields
        if each.abstain and each.required
    ]


def _privacy(form: Form) -> list[str]:
    """Who reads what, in one line; none where everybody reads everything."""
    circles: dict[str, list[str]] = {}
    for each in form.fields:
        if each.private:
            circles.setdefault(each.to, []).append(each.name)
    told = [
        f"only you{f' and the one whom {to} names' if to else ''} read {' and '.join(names)}"
        for to, names in circles.items()
    ]
    return [f"Who reads what: {'; '.join([*told, 'all read the rest'])}."] if told else []


def repair(form: Form, reading: Reading) -> str:
    """The one question that is put again: what could not be read, why, and the form once more."""
    faults = [
        f"- {each.rpartition(': ')[0]}: {_WHY.get(each.rpartition(': ')[2], 'it could not be read')}."
        for each in reading.unread
    ]
    return "\n".join(["I could not read this in your answer:", *faults, instruct(form)])


_WHY: Mapping[str, str] = {
    "no_form": "the answer is not in the form",
    "missing": "it is not there",
    "empty": "nothing is written there",
    "ambiguous": "it can be understood in more than one way",
    "negated": "only a refusal is there",
    "conditional": "it depends on a condition",
    "quoted_only": "it stands only in a quotation",
    "unknown_name": "no candidate has that name",
    "not_allowed": "that is not one of the allowed values",
    "invalid_number": "that is not a number on the scale",
    "out_of_range": "the number is outside of the scale",
    "wrong_type": "that is not the kind of value that is asked for",
    "duplicate_key": "it is given twice",
    "unknown_candidate": "nobody of that name is to be scored",
    "missing_candidate": "it has no score",
    "malformed": "the form is broken",
    "unclosed": "a closing tag is missing",
    "truncated": "the answer was cut off",
    "speaker_mismatch": "the message is in somebody else's name",
    "too_large": "the answer is too long",
}


def write(form: Form, fields: Mapping[str, Value], text: str = "") -> str:
    """An answer that holds those fields, cleaned, so that reading it gives them back.

    Words that would disturb the reading are set as a block quotation, and where even that would, left out.

    Raises:
        ValueError: the fields cannot be said in this form: an unknown field, a choice that is not allowed.
    """
    wanted = clean_data(dict(fields))
    quoted = "\n".join("> " + row.replace("<", "&lt;") for row in lines_even(text).split("\n"))
    for body in _bodies(form, wanted):
        for words in dict.fromkeys((text, quoted if text else "", "")):
            answer = f"{words}\n\n{body}" if words else body
            if clean_data(read(form, answer).fields) == wanted:
                return answer
    raise ValueError(f"{form.name}: these fields cannot be written so that they can be read: {', '.join(wanted)}.")


def _bodies(form: Form, fields: Mapping[str, Value]) -> list[str]:
    asked = [each for each in form.fields if each.name in fields]
    match form.layout:
        case "line":
            return ["\n".join(_line(each, fields[each.name]) for each in asked)]
        case "sections":
            rows = [f"{each.name}: {_shown(each, fields[each.name])}" for each in asked]
            return ["\n".join(rows), _object(asked, fields, "")]
        case "tags":
            return [scaffold(form, fields)]
        case _:
            return [_object(asked, fields, form.under)]


def scaffold(form: Form, fields: Mapping[str, Value], marks: Mapping[str, str] | None = None) -> str:
    """Fields as tags, in the form's order; what a text holds can neither open a tag nor close one.

    Args:
        form: the form.
        fields: what is written; a field without a value is left out.
        marks: the ids that stand on tags, by the names of those: ``{"Message": "T3"}``.
    """
    ids = {name: f' id="{mark}"' for name, mark in (marks or {}).items()}
    rows = [
        f"<{each.name}{ids.get(each.name, '')}>{escape(_shown(each, fields[each.name]))}</{each.name}>"
        for each in form.fields
        if each.name in fields
    ]
    if not form.envelope:
        return "\n".join(rows)
    return "\n".join([f"<{form.envelope}{ids.get(form.envelope, '')}>", *rows, f"</{form.envelope}>"])


def _line(asked: Field, value: Value) -> str:
    abstained = asked.kind == "choice" and value == ABSTAIN
    return "I abstain from voting." if abstained else _row(asked.name, _shown(asked, value))


def _row(name: str, value: str) -> str:
    """A formula line; the value stands behind the name, or in its blank."""
    return fill(name, value) if BLANK in name else f"{name}: {value}"


def _shown(asked: Field, value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "\n" + "\n".join(f"- {item}" for item in value)
    return repr(value) if isinstance(value, float) else str(value)


def _object(asked: list[Field], fields: Mapping[str, Value], under: str) -> str:
    members = {each.name: fields[each.name] for each in asked}
    return json.dumps({under: members} if under else members, ensure_ascii=False, indent=2)
