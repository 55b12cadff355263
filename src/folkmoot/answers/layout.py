"""Layout of forms as text: what a prompt says about a form, and how answers are written, read and asked for again.

It chooses among the layouts of a form, and reads ``LABEL: text`` sections itself. Reading never invents: what is not
plainly the author's own final statement is listed in ``unread``.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import TypeAlias

from folkmoot.answers import rulings
from folkmoot.answers.ballot_reader import announces, read_ballot
from folkmoot.answers.blanks import BLANK, fill
from folkmoot.answers.json_answer import members_as_lines, read_json, read_object
from folkmoot.answers.plain_text import (
    LIMIT,
    LONGEST,
    Spoken,
    elements,
    fold,
    key,
    last_part,
    unfence,
    with_plain_line_ends,
    without_comments,
    without_label,
    without_thoughts,
)
from folkmoot.answers.record_blocks import read_records, records_template, write_records
from folkmoot.answers.schemas.schema_answer import read_schema_answer, schema_instructions
from folkmoot.answers.shapes import (
    as_lines,
    ballot_as_lines,
    from_envelope,
    from_table,
    in_english,
    is_announced,
    undecorated,
    without_copied_form,
    without_marks,
)
from folkmoot.answers.tags import SPEAKER, escape, has_tags, read_tags, unescape, write_tags
from folkmoot.answers.values import (
    Fault,
    FieldValues,
    is_upheld,
    number_labels,
    placeholder,
    read_value,
    reason_in_words,
    value_text,
)
from folkmoot.answers.words import phrases
from folkmoot.core.ask import ABSTAIN, Field, Form, Value
from folkmoot.core.text import bare, clean_data

_LABEL = re.compile(
    r"[ \t]*(?P<head>#{1,6}[ \t]+)?(?:[-*+•][ \t]+|\d{1,2}[.)][ \t]+)?(?P<open>(?:\*\*|__|\*|`){0,2})"
    r"(?:\d{1,2}[.)][ \t]+)?(?P<name>[^\W\d_][\w /'’-]{0,58}?)(?:[ \t]*\([^()\n]{1,60}\))?"
    r"(?P<shut>(?:\*\*|__|\*|`){0,2})[ \t]*"
    r"(?P<mark>[:：=→]|[-=]>|[-–—]+[ \t]|$)(?P<rest>.*)"
)
_FINAL = re.compile(r"(?:my )?(?:final|updated|revised|corrected) ")
_OF_DEBATE = re.compile(
    r"^(?:current|debate|overall) | (?:by|in|of) (?:the |this )?(?:chair|debate|discussion|moderator|round)$"
)
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})")
_MARK = re.compile('["“”„«»「」『』]')
_INDENTED = re.compile(r" {0,3}\t| {4}")
_RULE = re.compile(r"[ \t]*(?:-{3,}|\*{3,}|_{3,}|={3,})[ \t]*")

FEW, MOST = 2, 50
"""The most labelled fields that make no form without tags, and the most sections of one label that are compared."""


@dataclass(slots=True)
class Section:
    """One label and the lines that belong to it.

    Attributes:
        asked: the field.
        rows: its lines, the label's own first.
        lead: what stands before the label: blanks, a bullet, a number as ``0``.
        final: whether the label says that this is the final one.
        announced: whether the line above may give it to somebody else.
    """

    asked: Field
    rows: list[str]
    lead: str
    final: bool = False
    announced: bool = False

    @property
    def raw(self) -> str:
        """Its words, without ruled lines at the end."""
        stop = len(self.rows)
        while stop and (not self.rows[stop - 1].strip() or _RULE.fullmatch(self.rows[stop - 1])):
            stop -= 1
        return "\n".join(self.rows[:stop]).strip()


@lru_cache(maxsize=128)  # a record is checked by reading its answers again, and models often answer alike
def read_sections(form: Form, text: str) -> FieldValues:
    """Read a form laid out in sections, or the same content as a table, in tags or as one JSON object."""
    text = rulings.without_open_points(in_english(form.fields, without_marks(text, form.fields)))
    if text.lstrip().startswith("{") and (values := read_object(form, text)) is not None:
        return rulings.checked_ruling(form, values)
    parts = sections_in(form.fields, lines := as_lines(form.fields, text))
    lead = lines.split("\n")[: -sum(len(part.rows) for part in parts) or None] if parts else ()
    if not parts and (values := _in_other_shape(form, text)):
        return rulings.checked_ruling(form, values)
    endings: list[rulings.Ending] = []
    for part in (item for item in parts if item.asked.kind == "choice" and rulings.is_decision(item.asked)):
        endings.append(rulings.end_of(part.raw))
        part.rows = endings[-1].words.split("\n")
    values = FieldValues()
    for form_field in form.fields:
        here = [part for part in parts if part.asked is form_field]
        value = _single_value(form_field, here) if here else Fault("missing" if parts else "no_form")
        upheld = isinstance(value, Fault) or _is_not_retracted(value, here[-1], parts)
        values.add(form_field, value if upheld else Fault("ambiguous"))
    values.drop_joined(form.fields)
    withdrawn = any(map(rulings.is_taken_back, endings)) or rulings.is_held_back(form, values, lead)
    return (rulings.withdrawn_ruling if withdrawn else rulings.checked_ruling)(form, values)


def _in_other_shape(form: Form, text: str) -> FieldValues | None:
    """What a text without labels holds in a table, in tags or in an object; None where there is nothing."""
    if lines := from_table(form.fields, text):
        return read_sections(form, lines).copy()
    tagged = read_tags(replace(form, layout="tags", envelope=""), from_envelope(text), "")
    if tagged.fields:
        return tagged
    above, brace, _ = text.partition("{")
    rows = [row for row in above.split("\n") if row.strip() and not _FENCE.match(row)]
    own = brace and not above.rpartition("\n")[2].strip() and not is_announced(rows[-1] if rows else "", first=True)
    values = read_json(form, text) if own else FieldValues()
    return values if values.fields else None


def _is_not_retracted(value: Value, part: Section, parts: Sequence[Section]) -> bool:
    """Whether nothing in the sections behind one takes its value back."""
    behind: list[str] = []
    for later in parts[parts.index(part) + 1 :]:
        if part.asked.choices and later.asked is not part.asked and later.asked.choices == part.asked.choices:
            break  # the next of several answers: what follows is about that one
        if later.asked is not part.asked:
            behind.append(later.raw)
    return is_upheld(part.asked, value, behind)


def _single_value(form_field: Field, parts: Sequence[Section]) -> Value | Fault:
    """The value of one field that stands there once, or more than once with the same words or one called final."""
    if len(parts) > MOST:
        return Fault("ambiguous")
    final = [part for part in parts if part.final]
    if final and (len(final) > 1 or final[0] is not parts[-1]):
        return Fault("ambiguous")
    standing: list[Value | Fault] = []
    for part in final or parts:
        value = read_value(form_field, part.raw, loose=True)
        taken_back = form_field.kind != "text" and phrases.TAKEN_BACK.search("\n" + fold("\n".join(part.rows[1:])))
        standing = ([] if taken_back else standing) + ([] if taken_back and len(parts) > 1 else [value])
    return standing[0] if standing and all(value == standing[0] for value in standing) else Fault("ambiguous")


def sections_in(fields: Sequence[Field], text: str) -> list[Section]:
    """The sections of a text, in order.

    A label stands at the start of a line that is no quotation, no table row, not in a code fence, not inside
    quotation marks that were opened before, and not behind a line that announces somebody else's words. Where the
    labels follow each other as the form asks for them, only the line before the first one can announce.
    """
    parts = _split_sections(fields, text, every_label=False)
    return parts if _in_order(fields, parts) else _split_sections(fields, text, every_label=True)


def _split_sections(fields: Sequence[Field], text: str, *, every_label: bool) -> list[Section]:
    """The sections of a text; if not wary, announcements within the form only are noted."""
    by_key = {key(name): item for item in fields for name in (item.name, *number_labels(item))}
    sections: list[Section] = []
    fenced = foreign = False
    above = ""
    rows = text.split("\n")
    for row, quoted in zip(rows, _quoted(rows), strict=True):
        fence = _FENCE.match(row) is not None
        label = None if fenced or fence or quoted else _label(by_key, row)
        fenced ^= fence
        announced = label is not None and is_announced(above, first=not sections)
        foreign = (foreign and phrases.INTRO.fullmatch(fold(above).strip()) is None) or (
            announced and (every_label or not sections)
        )
        if label and not foreign:
            label.announced = announced
            sections.append(label)
            above = row if label.raw else ""
        else:
            if sections:
                sections[-1].rows.append(row)
            above = "" if quoted else row if row.strip() and not fence else above
    return sections


def _in_order(fields: Sequence[Field], parts: Sequence[Section]) -> bool:
    """Whether sections are the author's own because they stand as the form asks for them.

    Each field stands there once, in the form's order, from the first one on that has to be there.
    """
    names = [form_field.name for form_field in fields]
    order = [names.index(part.asked.name) for part in parts]
    if order != sorted(set(order)) or any(form_field.required for form_field in fields[: order[0] if order else 0]):
        return False
    return all(_ends_previous_field(before, part) for before, part in pairwise(parts) if part.announced)


def _ends_previous_field(before: Section, part: Section) -> bool:
    """Whether a label only ends the field before it, whatever that one says.

    It looks as the one before does, nothing stands beside a value that is neither text nor list, and the field
    before does not end in a colon ("Bear wrote:").
    """
    beside = any("\n" in section.raw for section in (before, part) if section.asked.kind not in ("text", "list"))
    return part.lead == before.lead and not beside and not fold(before.raw).endswith(":")


def _quoted(rows: Sequence[str]) -> list[bool]:
    """For each line, whether it begins inside an element or inside quotation marks.

    An empty line ends the quotation marks that nobody closes.
    """
    counts = [len(_MARK.findall(row)) for row in rows]
    left, opened = sum(counts), False
    spans = elements("\n".join(rows))
    quoted: list[bool] = []
    place = number = 0
    for row, count in zip(rows, counts, strict=True):
        while number < len(spans) and spans[number][1] <= place:
            number += 1
        opened = opened and (bool(row.strip()) or left % 2 == 1)
        quoted.append(opened or (number < len(spans) and spans[number][0] < place))
        opened ^= count % 2 == 1
        left -= count
        place += len(row) + 1
    return quoted


def _label(by_key: dict[str, Field], row: str) -> Section | None:
    """The section that a line opens, if it opens one."""
    if not row.strip():
        return None
    match = _LABEL.fullmatch(row) or _LABEL.fullmatch(bare(row)) or _LABEL.fullmatch(undecorated(row))
    if not match or _INDENTED.match(row):
        return None
    name = key(match["name"])
    final = _FINAL.match(name)
    form_field = by_key.get(name) or by_key.get(_OF_DEBATE.sub("", name[final.end() :] if final else name))
    mark = match["mark"].strip()
    heading = bool(match["head"] or (match["open"] and match["shut"]) or match["name"].isupper())
    if form_field is None or (not heading and (not mark or (mark not in (":", "：") and form_field.kind == "text"))):
        return None
    rest = match["rest"]
    loose = match["open"] if match["open"] and not match["shut"] else ""
    rest = rest.replace(loose, "", 1) if loose else rest
    lead = re.sub(r"\d+", "0", row[: match.start("open")])
    return Section(form_field, [rest.strip()], lead, final=bool(final) and key(form_field.name) != name)


def read_lines(form: Form, text: str) -> FieldValues:
    """Read the fields of a form that are no choices from lines that begin with their label."""
    field_values = FieldValues()
    parts = sections_in(form.fields, text)
    for form_field in (item for item in form.fields if item.kind != "choice"):
        values = [read_value(form_field, part.rows[0]) for part in parts if part.asked is form_field]
        same = bool(values) and all(value == values[0] for value in values)
        field_values.add(form_field, values[0] if same else Fault("ambiguous" if values else "no_form"))
    return field_values


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


Proposals: TypeAlias = Mapping[str, Sequence[str]]
"""By choice of a ballot, the words of the proposals that it stands for."""

NO_PROPOSALS: Proposals = MappingProxyType({})


def read(
    form: Form | None,
    text: str,
    *,
    speaker: str = "",
    proposals: Proposals = NO_PROPOSALS,
    debate: Sequence[str] = (),
) -> Reading:
    """Read an answer.

    Args:
        form: what it should hold; None for words alone.
        text: the answer as it came.
        speaker: whose answer it is; "" where that is unknown.
        proposals: the words by which a ballot may name its candidates beside their labels.
        debate: the topic and what was said, with which a decision and a vote are compared; empty where unknown.
    """
    if len(text) > LONGEST:
        required = (item.name for item in (form.fields if form else ()) if item.required)
        return Reading(text=text, unread=tuple(f"{name}: too_large" for name in required))
    keep = [item.name for item in form.fields] if form and form.layout == "tags" else []
    words = without_thoughts(with_plain_line_ends(text), keep).strip()
    words = without_label(words, speaker, debate[0] if debate else "", free=form is None)
    if form is None:
        return Reading(text=words)
    checked = rulings.without_strangers
    if len(words) <= LIMIT:
        values = checked(form, _read(form, words, speaker, proposals, debate), debate)
        return Reading(text=words, fields=values.fields, unread=tuple(values.unread))
    end = last_part(words) if form.layout in ("line", "sections") else ""
    values = checked(form, _read(form, end, speaker, proposals, debate), debate) if end else FieldValues()
    lacking = [item.name for item in form.fields if item.required and item.name not in values.fields]
    known = {unread.rpartition(": ")[0] for unread in values.unread if not unread.endswith((": no_form", ": missing"))}
    own = (unread for unread in values.unread if unread.rpartition(": ")[0] in known)
    large = (f"{name}: too_large" for name in lacking if name not in known)
    return Reading(text=words, fields=values.fields, unread=(*own, *large))


def _read(form: Form, words: str, speaker: str, proposals: Proposals, debate: Sequence[str]) -> FieldValues:
    if form.layout in ("line", "sections") and not any(len(item.choices) == 1 for item in form.fields):
        words = without_copied_form(form_instructions(form), words)
    match form.layout:
        case "tags":
            return _read_tags(form, unfence(words, announces), speaker)
        case "json" if form.schema:
            values = FieldValues()
            values.add(form.fields[0], read_schema_answer(form.schema, words))
            return values
        case "json":
            return read_json(form, without_comments(words))
        case "sections":
            return read_sections(form, unfence(without_comments(words), announces)).copy()
        case "records":
            return read_records(form, words)
        case _:
            return _read_line(form, words, speaker, proposals, Spoken(debate) if debate else None)


def _read_tags(form: Form, words: str, speaker: str) -> FieldValues:
    """Read a form in tags; without any tag of it the same as rows with labels, or as one object, in its order."""
    values = read_tags(form, words := words if "<" in words else unescape(words), speaker)
    if values.fields or has_tags(form, words):
        return values
    words = re.sub(rf'\A\s*\{{\s*"{form.envelope}"\s*:\s*(\{{.*\}})\s*\}}\s*\Z', r"\1", words, flags=re.DOTALL)
    other = read_sections(replace(form, layout="sections", envelope=""), words)
    strange = any(key(unread.rpartition(": ")[0]) == SPEAKER for unread in other.unread)
    whole = len(other.fields) > FEW and not strange
    return read_tags(form, write_tags(form, other.fields), speaker) if whole else values


def _read_line(form: Form, words: str, speaker: str, proposals: Proposals, spoken: Spoken | None) -> FieldValues:
    plain = unfence(without_comments(words), announces)
    values = read_lines(form, plain)
    text = members_as_lines(plain) if plain.strip().startswith("{") else ballot_as_lines(form.fields, words)
    for item in form.fields:
        if item.kind == "choice":
            value = read_ballot(item, text, strict=form.strict, speaker=speaker, proposals=proposals, spoken=spoken)
            values.add(item, value)
    return values


@lru_cache(maxsize=256)
def form_instructions(form: Form) -> str:
    """What a prompt says about how to answer in this form."""
    if form.schema:
        return schema_instructions(form.schema)
    return "\n".join([*_notes(form), _INTRODUCTION[form.layout], template(form)])


_INTRODUCTION: Mapping[str, str] = {
    "line": "End your answer with a line in exactly this form:",
    "sections": "Answer in exactly this form, each label at the start of a line:",
    "tags": "Answer in exactly this form, no tag twice, and write nothing around it:",
    "json": "Answer with one JSON object in exactly this form:",
    "records": "Answer in exactly this form, each label at the start of a line:",
}


def template(form: Form) -> str:
    """The form with a slot in place of each value."""
    match form.layout:
        case "line":
            return "\n".join(_row(item.name, placeholder(item)) for item in form.fields)
        case "sections":
            return "\n".join(f"{item.name}: {placeholder(item)}" for item in form.fields)
        case "records":
            return records_template(form)
        case "tags":
            rows = [f"<{item.name}>{escape(placeholder(item))}</{item.name}>" for item in form.fields]
            return "\n".join([f"<{form.envelope}>", *rows, f"</{form.envelope}>"] if form.envelope else rows)
        case _:
            slots = {json.dumps(item.name, ensure_ascii=False): placeholder(item) for item in form.fields}
            rows = ", ".join(f"{name}: {slot}" for name, slot in slots.items())
            return f"{{{json.dumps(form.under)}: {{{rows}}}}}" if form.under else f"{{{rows}}}"


def _notes(form: Form) -> list[str]:
    notes = [f"{item.name}: {item.help}." for item in form.fields if item.help and item.kind != "text"]
    optional = [item.name for item in form.fields if not item.required]
    notes += [f"May be left out: {', '.join(optional)}."] if optional else []
    notes += _privacy(form)
    abstention = "I abstain from voting" if form.layout == "line" else ABSTAIN
    return notes + [
        f'Whoever does not want to choose may write "{abstention}".'
        for item in form.fields
        if item.abstain and item.required
    ]


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
    """The one question that is put again: what could not be read, why, and the form once more."""
    faults = [f"- {text.rpartition(': ')[0]}: {reason_in_words(text.rpartition(': ')[2])}." for text in reading.unread]
    return "\n".join(["I could not read this in your answer:", *faults, form_instructions(form)])


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
            if clean_data(read(form, answer).fields) == wanted:
                return answer
    raise ValueError(f"{form.name}: these fields cannot be written so that they can be read: {', '.join(wanted)}.")


def _bodies(form: Form, fields: Mapping[str, Value]) -> list[str]:
    filled_fields = [item for item in form.fields if item.name in fields]
    match form.layout:
        case "line":
            return ["\n".join(_line(item, fields[item.name]) for item in filled_fields)]
        case "sections":
            rows = [f"{item.name}: {value_text(item, fields[item.name])}" for item in filled_fields]
            return ["\n".join(rows), _object(filled_fields, fields, "")]
        case "tags":
            return [write_tags(form, fields)]
        case "records":
            return [write_records(form, fields)]
        case _:
            return [_object(filled_fields, fields, form.under)]


def _line(form_field: Field, value: Value) -> str:
    abstained = form_field.kind == "choice" and value == ABSTAIN
    return "I abstain from voting." if abstained else _row(form_field.name, value_text(form_field, value))


def _row(name: str, value: str) -> str:
    """A formula line; the value stands behind the name, or in its blank."""
    return fill(name, value) if BLANK in name else f"{name}: {value}"


def _object(filled_fields: list[Field], fields: Mapping[str, Value], under: str) -> str:
    members = {item.name: fields[item.name] for item in filled_fields}
    return json.dumps({under: members} if under else members, ensure_ascii=False, indent=2)
