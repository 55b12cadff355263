"""Answers in labelled lines: one formula (``I vote for: Ann``), or sections (``ANSWER: …``, ``ARGUMENT: …``).

A label begins a line of the author's own. What it says in another field, or around a label, never unreads it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile

from folkmoot.answers.own_words import own_rows
from folkmoot.answers.text import fold, key
from folkmoot.answers.values import STRUCK, Fault, FieldValues, Known, names_one, read_value, the_same
from folkmoot.core.ask import ABSTAIN, Field, Form, Value

BLANK = "{}"
"""What stands in a formula's name where the choice goes, if not behind it: ``My verdict is [[{}]]``."""

_LEAD = r"[^\w\s#>|*_`\"'“„«([{<-]{0,3}\s{0,3}(?:#{1,6}[ \t]+)?(?:[-*+•][ \t]+|\d{1,2}[.)][ \t]+)?"
_MARKS = r"[*_`]{0,3}"


@lru_cache(maxsize=256)
def labels_of(fields: tuple[Field, ...], *, colon: bool = True) -> tuple[re.Pattern[str], tuple[re.Pattern[str], ...]]:
    """What finds the labels of these fields: at the beginning of a row, and those that have to be there anywhere.

    ``colon`` is whether one needs its colon, as ``I vote for Ann`` does without.
    """
    words = {item.name: r"\s+".join(map(re.escape, item.name.split())) for item in fields}
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
        if item.required
    )
    return line, wanted


def sections_in(line: re.Pattern[str], rows: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    """The label that each section in these rows begins with, what stands behind it on its row, and which row that is."""
    for number, row in enumerate(rows):
        found = line.match(row) if row else None
        # Without a colon a label is one only alone on its row, and set off.
        if not found or (
            found["alone"] is not None
            and not (found["marks"] or found["label"].isupper() or row.lstrip().startswith("#"))
        ):
            continue
        rest = found["rest"]
        if found["marks"] and rest.count(found["marks"]) % 2:
            rest = rest.replace(found["marks"], "", 1)  # "**ANSWER: rent**"
        yield key(found["label"]), rest.strip(), number


def read_sections(form: Form, text: str, known: Known) -> FieldValues:
    """Read a form laid out in sections."""
    line, wanted = labels_of(form.fields)
    rows, whole = own_rows(text, known.others, line, wanted, one_form=True)
    sections = list(sections_in(line, rows))
    values, ends = FieldValues(), [*(row for _, _, row in sections[1:]), len(rows)]
    for item in form.fields:
        inside = stands(item.name, "\n".join(rows), quoted=False)
        missing = "inside_line" if inside else "missing" if sections and not stands(item.name, text) else "no_form"
        readings: list[Value | Fault] = []
        for (label, rest, row), end in zip(sections, ends, strict=False):
            if label != key(item.name):
                continue
            is_text = item.kind == "text"
            body = "\n".join((rest, *(whole if is_text else rows)[row + 1 : end]))
            if is_text and all(part.lstrip()[:1] in ("", ">") for part in body.split("\n")):
                readings.append(Fault("quoted_only" if body.strip() else "empty", body.strip()))
            else:
                # What becomes the decision of the debate, or is counted as an answer, is one paragraph.
                decides = is_text and label in ("decision", "verdict", "answer")
                readings.append(read_value(item, _first_paragraph(body) if decides else _unruled(body), known))
        values.add(item, the_same(readings) if readings else Fault(missing))
    return values


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


def stands(label: str, text: str, *, quoted: bool = True) -> bool:
    """Whether a label stands anywhere in a text, if only as somebody else's; without ``quoted``, in no quotation marks."""
    before = r"\w" if quoted else r"\w\"'`“„«~"
    return re.search(rf"(?<![{before}]){re.escape(label)}[*_`\"]{{0,3}}\s{{0,3}}[:：=]", text, re.I) is not None


def read_line(form: Form, text: str, known: Known) -> FieldValues:
    """Read the formulas of a form: of each all rows that say it have to agree.

    Words behind the last row that says one cost one question, and nothing after that.
    """
    line, wanted = labels_of(form.fields, colon=form.strict)
    own, _ = own_rows(text, known.others, line, wanted, one_form=False)
    values = FieldValues()
    for item in form.fields:
        if BLANK in item.name:
            values.add(item, _read_blank(item, own))
            continue
        readings: list[Value | Fault] = []
        seen: dict[str, Value | Fault] = {}  # a model in a loop says the same thousands of times
        rows = list(_by_sentence(item, own, known))
        filled = [number for number, row in enumerate(rows) if re.search(r"\w", row)]
        stop = len(rows)
        for label, rest, row in reversed(list(sections_in(line, rows))):
            if label != key(item.name):
                stop = row  # what stands behind this is another field's
                continue
            place = bisect_right(filled, row)
            behind = [rows[number].strip() for number in filled[place : place + 2] if number < stop]
            raw = rest if re.search(r"\w", rest) or not behind else behind.pop(0)
            if raw not in seen:
                seen[raw] = read_value(item, raw, known)
            value = seen[raw]
            if isinstance(value, Fault):
                value = replace(value, reason="unknown_name") if value.reason == "not_allowed" else value
            elif behind and not readings and not known.final:
                value = Fault("words_behind", behind[0])
            readings.append(value)
        if item.kind == "choice" and filled:
            last = re.split(r"[.!?:][\"'”’)*_]{0,3}\s+", rows[filled[-1]].strip())[-1]
            if item.abstain and read_value(item, last) == ABSTAIN:
                readings.append(ABSTAIN)
            elif not readings and len(filled) == 1 and (known.final or not form.strict):
                name = read_value(item, rows[filled[0]], replace(known, final=False))  # nothing but a name
                readings += [] if isinstance(name, Fault) else [name]
        inside = not readings and stands(item.name, "\n".join(own), quoted=False)
        values.add(item, the_same(readings[::-1]) if readings else Fault("inside_line" if inside else "no_form"))
    return values


def _read_blank(item: Field, rows: Sequence[str]) -> Value | Fault:
    """The choice in the middle of a formula, wherever that stands in the author's own rows, but not quoted."""
    start, end = (r"\s+".join(map(re.escape, part.split())) for part in item.name.split(BLANK))
    filled = re.compile(rf"(?<![\"'`“]){start}\s?((?:(?!{start})[^\n]){{1,60}}?)\s?{end}", re.I)
    return the_same([read_value(item, words[1]) for row in rows for words in filled.finditer(row)])


def _by_sentence(item: Field, rows: Sequence[str], known: Known) -> Iterator[str]:
    """The rows, cut where a sentence begins with the formula: ``It's cheap. I vote for: Ben``.

    Behind a colon a formula counts as well, and where nobody is asked again behind a few words ("Therefore, I vote for:
    Ben"), unless one of the others is named before it: ``Cay says: I vote for …``
    """
    label = r"\s+".join(map(re.escape, item.name.split()))
    lead = r"^(?:[^\W\d]+ ){0,2}[^\W\d]+,|" if known.final else ""
    begins = re.compile(rf"(?P<mark>{lead}[.!?:])[\"'”’)*_]{{0,3}}\s++(?=[*_`]{{0,3}}{label}[*_`]{{0,3}}[:：])", re.I)
    names = [key(name) for name in known.others]
    for row in rows:
        place = 0
        for found in begins.finditer(row):
            before = re.split(r"[.!?]\s", row[place : found.end()])[-1] if found["mark"][-1] in ":," else ""
            if not names_one(fold(before).replace("'s ", " "), names):
                yield row[place : found.end()]
                place = found.end()
        yield row[place:]
