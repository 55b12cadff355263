"""Sections: answers laid out as ``LABEL: text``. This file owns which lines are labels and what belongs to each."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from moot.answers import phrases
from moot.answers.json_answer import read_object
from moot.answers.plain_text import elements, fold, key
from moot.answers.values import Fault, Found, read_value
from moot.core.form import Field, Form, Value
from moot.core.text import bare

_LABEL = re.compile(
    r"[ \t]*(?P<head>#{1,6}[ \t]+)?(?:[-*+•][ \t]+|\d{1,2}[.)][ \t]+)?(?P<open>(?:\*\*|__|\*|`){0,2})"
    r"(?P<name>[^\W\d_][\w /'’-]{0,58}?)(?P<shut>(?:\*\*|__|\*|`){0,2})[ \t]*(?P<mark>[:：=]|[-–—]+[ \t]|$)(?P<rest>.*)"
)
_FINAL = re.compile(r"(?:my )?(?:final|updated|revised|corrected) ")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})")
_MARK = re.compile('["“”„«»「」『』]')
_POINTING = re.compile(r"\b(?:was|is|were|are|reads|says|said|wrote|writes|with|this|words|line)$")
_INDENTED = re.compile(r" {0,3}\t| {4}")
_RULE = re.compile(r"[ \t]*(?:-{3,}|\*{3,}|_{3,}|={3,})[ \t]*")

MOST = 50
"""The most sections of one label that are compared."""


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
        rows = self.rows
        while rows and (not rows[-1].strip() or _RULE.fullmatch(rows[-1])):
            rows = rows[:-1]
        return "\n".join(rows).strip()


def read_sections(form: Form, text: str) -> Found:
    """Read a form laid out in sections, or the same content as one JSON object."""
    if (found := read_object(form, text)) is not None:
        return found
    parts = sections_in(form.fields, text)
    found = Found()
    for asked in form.fields:
        here = [part for part in parts if part.asked is asked]
        found.take(asked, _one(asked, here) if here else Fault("missing" if parts else "no_form"))
    return found


def _one(asked: Field, parts: Sequence[Section]) -> Value | Fault:
    """The value of one field that stands there once, or more than once with the same words or one called final."""
    if len(parts) > MOST:
        return Fault("ambiguous")
    final = [part for part in parts if part.final]
    if final and (len(final) > 1 or final[0] is not parts[-1]):
        return Fault("ambiguous")
    standing: list[Value | Fault] = []
    for part in final or parts:
        value = read_value(asked, part.raw, loose=True)
        taken_back = asked.kind != "text" and phrases.TAKEN_BACK.search("\n" + fold("\n".join(part.rows[1:])))
        standing = ([] if taken_back else standing) + ([] if taken_back and len(parts) > 1 else [value])
    return standing[0] if standing and all(value == standing[0] for value in standing) else Fault("ambiguous")


def sections_in(fields: Sequence[Field], text: str) -> list[Section]:
    """The sections of a text, in order.

    A label stands at the start of a line that is no quotation, no table row, not in a code fence, not inside
    quotation marks that were opened before, and not behind a line that announces somebody else's words. Where the
    labels follow each other as the form asks for them, only the line before the first one can announce.
    """
    parts = _cut(fields, text, wary=False)
    return parts if _in_order(fields, parts) else _cut(fields, text, wary=True)


def _cut(fields: Sequence[Field], text: str, *, wary: bool) -> list[Section]:
    """The sections of a text; if not wary, announcements within the form only are noted."""
    by_key = {key(asked.name): asked for asked in fields}
    found: list[Section] = []
    fenced = foreign = False
    above = ""
    rows = text.split("\n")
    for row, quoted in zip(rows, _quoted(rows), strict=True):
        fence = _FENCE.match(row) is not None
        label = None if fenced or fence or quoted else _label(by_key, row)
        fenced ^= fence
        announced = label is not None and _announced(above, first=not found)
        foreign = (foreign and phrases.INTRO.fullmatch(fold(above).strip()) is None) or (
            announced and (wary or not found)
        )
        if label and not foreign:
            label.announced = announced
            found.append(label)
            above = row if label.raw else ""
        else:
            if found:
                found[-1].rows.append(row)
            above = "" if quoted else row if row.strip() and not fence else above
    return found


def _in_order(fields: Sequence[Field], parts: Sequence[Section]) -> bool:
    """Whether sections are the author's own because they stand as the form asks for them.

    Each field stands there once, in the form's order, from the first one on that has to be there.
    """
    names = [asked.name for asked in fields]
    order = [names.index(part.asked.name) for part in parts]
    if order != sorted(set(order)) or any(asked.required for asked in fields[: order[0] if order else 0]):
        return False
    return all(_follows(before, part) for before, part in pairwise(parts) if part.announced)


def _follows(before: Section, part: Section) -> bool:
    """Whether a label only ends the field before it, whatever that one says.

    It looks as the one before does, nothing stands beside a value that is neither text nor list, and the field
    before does not end in a colon ("Bear wrote:").
    """
    beside = any("\n" in each.raw for each in (before, part) if each.asked.kind not in ("text", "list"))
    return part.lead == before.lead and not beside and not fold(before.raw).endswith(":")


def _quoted(rows: Sequence[str]) -> list[bool]:
    """For each line, whether it begins inside an element or inside quotation marks.

    An empty line ends the quotation marks that nobody closes.
    """
    counts = [len(_MARK.findall(row)) for row in rows]
    left, opened = sum(counts), False
    spans = elements("\n".join(rows))
    found: list[bool] = []
    place = number = 0
    for row, count in zip(rows, counts, strict=True):
        while number < len(spans) and spans[number][1] <= place:
            number += 1
        opened = opened and (bool(row.strip()) or left % 2 == 1)
        found.append(opened or (number < len(spans) and spans[number][0] < place))
        opened ^= count % 2 == 1
        left -= count
        place += len(row) + 1
    return found


def _label(by_key: dict[str, Field], row: str) -> Section | None:
    """The section that a line opens, if it opens one."""
    found = _LABEL.fullmatch(row) or _LABEL.fullmatch(bare(row))
    if not found or _INDENTED.match(row):
        return None
    name = key(found["name"])
    final = _FINAL.match(name)
    asked = by_key.get(name) or (by_key.get(name[final.end() :]) if final else None)
    mark = found["mark"].strip()
    heading = bool(found["head"] or (found["open"] and found["shut"]))
    if asked is None or (not mark and not heading) or (mark not in ("", ":", "：") and asked.kind == "text"):
        return None
    rest = found["rest"]
    loose = found["open"] if found["open"] and not found["shut"] else ""
    if loose:
        at = rest.find(loose)
        rest = rest[:at] + rest[at + len(loose) :] if at >= 0 else rest
    lead = re.sub(r"\d+", "0", row[: found.start("open")])
    return Section(asked, [rest.strip()], lead, final=bool(final) and key(asked.name) != name)


def _announced(above: str, *, first: bool) -> bool:
    """Whether the line above gives what follows to somebody else ("Bear wrote:")."""
    said = fold(above).strip()
    if not said or phrases.INTRO.fullmatch(said):
        return False
    if said.endswith(":") and len(said.split()) <= 3 and not phrases.OPENERS.match(said):
        return True
    closed = re.search(r"[.!?;)\"»。]$", said) or not (first or _POINTING.search(said))
    if not said.endswith(":") and closed:
        return False
    return phrases.REPORTS.search(said) is not None or phrases.DOUBTS.search(said) is not None


def read_lines(form: Form, text: str) -> Found:
    """Read the fields of a form that are no choices from lines that begin with their label."""
    found = Found()
    parts = sections_in(form.fields, text)
    for asked in (each for each in form.fields if each.kind != "choice"):
        values = [read_value(asked, part.rows[0]) for part in parts if part.asked is asked]
        same = bool(values) and all(value == values[0] for value in values)
        found.take(asked, values[0] if same else Fault("ambiguous" if values else "no_form"))
    return found
