"""Answers in labelled lines: one formula (``I vote for: Ann``), or sections (``ANSWER: …``, ``ARGUMENT: …``).

A label begins a line of the author's own. What it says in another field, or around a label, never unreads it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile

from folkmoot.answers.own_words import behind_marks, own_rows, plain_html, without_comments, without_elements
from folkmoot.answers.text import fold, key
from folkmoot.answers.values import STRUCK, Fault, FieldValues, Known, names_one, pick, read_value, the_same
from folkmoot.core.ask import ABSTAIN, Field, Form, Value

BLANK = "{}"
"""What stands in a formula's name where the choice goes: ``Output ({}) is better``."""

_LEAD = r"[^\w\s#>|*_`\"'“„«([{<-]{0,3}\s{0,3}(?:#{1,6}[ \t]+)?(?:[-*+•][ \t]+|\d{1,2}[.)][ \t]+)?"
_MARKS = r"[*_`]{0,3}"


@dataclass(frozen=True, slots=True)
class Labels:
    """What finds the labels of a form: at the beginning of a row, and those that have to be there anywhere."""

    fields: Mapping[str, Field]
    line: re.Pattern[str]
    wanted: tuple[re.Pattern[str], ...]


@lru_cache(maxsize=256)
def labels_of(fields: tuple[Field, ...], *, colon: bool = True) -> Labels:
    """The labels of these fields; ``colon``: whether one needs its colon, as ``I vote for Ann`` does without."""
    words = {item.name: r"\s+".join(map(re.escape, item.name.split())) for item in fields if BLANK not in item.name}
    names = "|".join(f"(?:{word})" for word in sorted(words.values(), key=len, reverse=True)) or "(?!)"
    beside = r"(?:[ \t]{0,3}\([^()\n]{1,40}\))?"
    bare = "" if colon else r"|(?<=[ \t])(?=\S)"
    line = re.compile(
        rf"{_LEAD}(?P<marks>{_MARKS})(?P<label>{names}){beside}{_MARKS}[ \t]*+(?:[:：=]{_MARKS}|(?P<alone>$){bare})[ \t]*+(?P<rest>.*)",
        re.I,
    )
    wanted = tuple(
        re.compile(rf"(?<!\w)(?:{words[item.name]}){beside}{_MARKS}[ \t]*+{'[:：=]' if colon else ''}", re.I)
        for item in fields
        if item.required and item.name in words
    )
    return Labels({key(item.name): item for item in fields}, line, wanted)


@dataclass(frozen=True, slots=True)
class Section:
    """A label, what stands behind it on its row, and which row that is."""

    field: Field
    rest: str
    row: int


def sections_in(labels: Labels, rows: Sequence[str]) -> Iterator[Section]:
    """The sections that begin in these rows. A label without a colon is one only alone on its row, and set off."""
    for number, row in enumerate(rows):
        found = labels.line.match(row) if row else None
        if not found:
            continue
        label = found["label"]
        if found["alone"] is not None and not (found["marks"] or label.isupper() or row.lstrip().startswith("#")):
            continue
        rest = found["rest"]
        if found["marks"] and rest.count(found["marks"]) % 2:
            rest = rest.replace(found["marks"], "", 1)  # "**ANSWER: rent**"
        yield Section(labels.fields[key(label)], rest.strip(), number)


def own_text(labels: Labels, text: str) -> str:
    """An answer from where it is its author's own form on: behind marks of templates, without comments and drafts."""
    text = plain_html(without_comments(text))
    return behind_marks(without_elements(text, labels.wanted) if "</" in text else text, labels.wanted)


# ---- sections --------------------------------------------------------------------------------------------------------


def read_sections(form: Form, text: str, known: Known) -> FieldValues:
    """Read a form laid out in sections."""
    labels = labels_of(form.fields)
    rows, whole = own_rows(own_text(labels, text), known.others, labels.line, one_form=True)
    sections = list(sections_in(labels, rows))
    values = FieldValues()
    ends = [section.row for section in sections[1:]] + [len(rows)] * bool(sections)
    for item in form.fields:
        bodies = [
            "\n".join((section.rest, *(whole if item.kind == "text" else rows)[section.row + 1 : end]))
            for section, end in zip(sections, ends, strict=True)
            if section.field.name == item.name
        ]
        missing = "missing" if sections else "quoted_only" if _stands(item, text) else "no_form"
        value = the_same([_section_value(item, body, known) for body in bodies]) if bodies else Fault(missing)
        values.add(item, value)
    return values


def _section_value(item: Field, body: str, known: Known) -> Value | Fault:
    if item.kind == "text" and all(row.lstrip()[:1] in ("", ">") for row in body.split("\n")):
        return Fault("quoted_only" if body.strip() else "empty", body.strip())
    words = _first_paragraph(body) if item.kind == "text" and key(item.name) in DECISIONS else _unruled(body)
    return read_value(item, words, known)


DECISIONS = ("decision", "verdict", "answer")
"""The fields whose words become the decision of the debate, or are counted as an answer."""


def _first_paragraph(body: str) -> str:
    """The first paragraph of a decision; a list that it announces is part of it. What follows closes the meeting."""
    body = STRUCK.sub("", _OTHER_LABEL.split(body.strip(), maxsplit=1)[0]).strip()
    first, *others = re.split(r"\n[ \t]*\n", body)
    if first.rstrip(" *_").endswith((":", "：")):
        first = "\n".join((first, *takewhile(_ITEM.match, others)))
    return _unruled(first)


_ITEM = re.compile(r"\s{0,9}(?:[-*+•]|\d{1,2}[.)])\s")
_OTHER_LABEL = re.compile(r"\n[ \t*_#]{0,9}[A-Z][A-Z _]{2,30}[*_]{0,3}:")


def _unruled(body: str) -> str:
    """The words of a section without ruled lines at its end."""
    rows = body.strip().split("\n")
    while rows and re.fullmatch(r"\s*(?:[-*_=~#─═—]{2,}\s*)?", rows[-1]):
        rows.pop()
    return "\n".join(rows)


def _stands(item: Field, text: str) -> bool:
    """Whether a label stands anywhere in a text, if only as somebody else's."""
    return re.search(rf"(?<!\w){re.escape(item.name)}[*_`]{{0,3}}\s{{0,3}}[:：=]", text, re.I) is not None


# ---- a formula -------------------------------------------------------------------------------------------------------


def read_line(form: Form, text: str, known: Known) -> FieldValues:
    """Read the formulas of a form: of each all rows that say it have to agree."""
    labels = labels_of(form.fields, colon=form.strict)
    rows, _ = own_rows(own_text(labels, text), known.others, labels.line, one_form=False)
    values = FieldValues()
    for item in form.fields:
        blank = BLANK in item.name
        values.add(item, _blank(item, rows) if blank else _formula(item, labels, rows, known, strict=form.strict))
    return values


def _formula(item: Field, labels: Labels, rows: Sequence[str], known: Known, *, strict: bool) -> Value | Fault:
    """The value of a formula. Words behind the last row that says it cost one question, and nothing after that."""
    values: list[Value | Fault] = []
    rows = _by_sentence(item, rows, known)
    filled = [number for number, row in enumerate(rows) if re.search(r"\w", row)]
    stop = len(rows)
    for section in reversed(list(sections_in(labels, rows))):
        if section.field.name != item.name:
            stop = section.row  # what stands behind this is another field's
            continue
        place = bisect_right(filled, section.row)
        behind = [rows[number].strip() for number in filled[place : place + 2] if number < stop]
        raw = section.rest if re.search(r"\w", section.rest) or not behind else behind.pop(0)
        value = read_value(item, raw, known)
        if isinstance(value, Fault):
            value = replace(value, reason="unknown_name") if value.reason == "not_allowed" else value
        elif behind and not values and not known.final:
            value = Fault("words_behind", behind[0])
        values.append(value)
    if item.kind == "choice" and filled:
        last = re.split(r"[.!?:][\"'”’)*_]{0,3}\s+", rows[filled[-1]].strip())[-1]
        if item.abstain and read_value(item, last) == ABSTAIN:
            values.append(ABSTAIN)
        elif not values and len(filled) == 1 and (known.final or not strict):
            name = read_value(item, rows[filled[0]], replace(known, final=False))  # nothing but a name
            values += [] if isinstance(name, Fault) else [name]
    if not values:
        return Fault("quoted_only" if _stands(item, "\n".join(rows)) else "no_form")
    return the_same(values[::-1])


def _by_sentence(item: Field, rows: Sequence[str], known: Known) -> list[str]:
    """The rows, cut where a sentence begins with the formula: ``It's cheap. I vote for: Ben``.

    Behind a colon a formula counts as well, and where nobody is asked again behind a few words ("Therefore, I vote for:
    Ben"), unless one of the others is named before it: ``Cay says: I vote for …``
    """
    label = r"\s+".join(map(re.escape, item.name.split()))
    lead = r"^(?:[^\W\d]+ ){0,2}[^\W\d]+,|" if known.final else ""
    begins = re.compile(rf"(?P<mark>{lead}[.!?:])[\"'”’)*_]{{0,3}}\s++(?=[*_`]{{0,3}}{label}[*_`]{{0,3}}[:：])", re.I)
    names = [key(name) for name in known.others]
    sentences: list[str] = []
    for row in rows:
        place = 0
        for found in begins.finditer(row):
            before = re.split(r"[.!?]\s", row[place : found.end()])[-1] if found["mark"][-1] in ":," else ""
            if not names_one(fold(before).replace("'s ", " "), names):
                sentences.append(row[place : found.end()])
                place = found.end()
        sentences.append(row[place:])
    return sentences


def _blank(item: Field, rows: Sequence[str]) -> Value | Fault:
    """The choice in the middle of a formula, wherever it stands in the author's own rows."""
    start, end = (r"\s+".join(map(re.escape, part.split())) for part in item.name.split(BLANK))
    inside = re.compile(rf"{start}\s?((?:(?!{start})[^\n]){{1,60}}?)\s?{end}", re.I)
    found = [pick(item.choices, words[1]) for row in rows for words in inside.finditer(row)]
    return the_same([value for value in found if not isinstance(value, Fault)] or found)
