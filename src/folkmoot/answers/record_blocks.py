"""Records in an answer: blocks of labelled lines, one for each thing that is listed, as with the findings of a review.

A block opens with its word alone on a line and ends with END. A label that stands before quoted code in the form is none
within it. A block that is not whole is not guessed at: it is named as not readable, and the others count.
That there is nothing must be written; an empty answer says nothing.
"""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias, cast

from folkmoot.answers.json_answer import begins_with_object, objects_in
from folkmoot.answers.text import key
from folkmoot.answers.values import Fault, FieldValues, placeholder, read_value
from folkmoot.core.ask import Field, Form, Value
from folkmoot.core.unread import Unread

_Parts: TypeAlias = Mapping[str, list[str]]
"""The rows of each label of a block."""

END = "END"
"""The line that ends a block."""

CODE = "QUOTE"
"""The field whose lines are copied: blanks at their beginning count, and nothing in it is a label but the next ones."""

_DECORATION = re.compile(
    r"[ \t]*(?:#{1,6}[ \t]+|[-*+][ \t]+)?(?:\*\*|__|`)?([A-Z][A-Z ]{0,40}?)(?:[ \t]{0,3}#?\d{1,3})?[.:]?(?:\*\*|__|`)?[ \t]*"
)
_LABEL = re.compile(r"[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__|`)?([A-Za-z]+)(?:\*\*|__|`)?[ \t]*:(?:\*\*|__|`)?[ \t]?(.*)")


def read_records(form: Form, text: str) -> FieldValues:
    """Read the blocks of a form whose layout is ``records``; see ``Form.record``."""
    (whole,) = form.fields
    values, rows = FieldValues(), text.split("\n")
    starts = [place for place, row in enumerate(rows) if _is_word(row, form.under)]
    blocks: list[_Parts | None] = []
    for start, stop in pairwise([*starts, len(rows)]):  # a block reaches up to the next one's word
        ends = [place for place in range(start + 1, stop) if _is_word(rows[place], END)]
        blocks.append(_parts(form.record, rows[start + 1 : ends[-1]]) if ends else None)
    listed = _listed(whole, text) if not blocks and begins_with_object(text) else None
    blocks = blocks or listed or []
    nothing = form.most > 1 and (_says_nothing(whole, text) or listed == [])
    if not blocks or nothing or (form.most == 1 and len(blocks) > 1):
        values.add(whole, () if nothing and not blocks else Fault("ambiguous" if blocks else "no_form"))
        return values
    records: list[str] = []
    for number, parts in enumerate(blocks[: form.most], start=1):
        record = Unread("", "unclosed") if parts is None else _read_record(form, parts)
        if isinstance(record, Unread):
            values.note(f"{form.under} {number} {record.field}".rstrip(), record.reason, record.seen)
        else:
            records.append(json.dumps(record, ensure_ascii=False))
    if len(blocks) > form.most:
        values.note(whole.name, "too_many")
    if records:
        values.fields[whole.name] = tuple(records)
    return values


def _is_word(row: str, word: str) -> bool:
    match = _DECORATION.fullmatch(row)
    return match is not None and match[1] == word


def _says_nothing(whole: Field, text: str) -> bool:
    """Whether the last line says that there is nothing, and is not somebody else's."""
    rows = [row for row in text.split("\n") if row.strip() and not re.fullmatch(r"[ \t]*(?:`{3,}|~{3,})\w*[ \t]*", row)]
    announced = len(rows) > 1 and rows[-2].rstrip().endswith((":", "："))
    return bool(rows) and _is_word(rows[-1], f"NO {whole.name}") and not announced


def _listed(whole: Field, text: str) -> list[_Parts | None] | None:
    """The records that the one object in a text lists, as the rows of each label; None where it lists none."""
    lists = [value for table in objects_in(text) for name, value in table.items() if name == key(whole.name)]
    rows = cast("list[object]", lists[0]) if len(lists) == 1 and isinstance(lists[0], list) else [None]
    if not all(isinstance(row, dict) for row in rows):
        return None
    tables = cast("list[dict[str, object]]", rows)
    return [{name.upper(): [str(value)] for name, value in row.items() if value is not None} for row in tables]


def _read_record(form: Form, parts: _Parts) -> dict[str, str] | Unread:
    """The texts of a record by their labels; else the label for which there are none."""
    texts: dict[str, str] = {}
    for field in form.record:
        raw = "\n".join(parts.get(field.name, ()))
        value = read_value(field, raw) if field.name in parts else Fault("missing")
        if not isinstance(value, Fault):
            texts[field.name] = raw.strip("\n") if field.name == CODE else str(value)
        elif field.required or value.reason not in ("missing", "empty"):
            return Unread(field.name, value.reason, value.seen)
    return texts


def _parts(record: Sequence[Field], rows: Sequence[str]) -> _Parts:
    """The rows of each label. In code that is copied, none is a label but what stands behind it in the form."""
    parts: dict[str, list[str]] = {}
    last = -1
    for row in rows:
        match = _LABEL.fullmatch(row)
        copied = last >= 0 and record[last].name == CODE
        names = [field.name for field in record[last + 1 if copied else 0 :] if field.name not in parts]
        name = match[1] if match and copied else key(match[1]).upper() if match else ""
        if match and name in names:
            last = next(place for place, field in enumerate(record) if field.name == name)
            parts[name] = [match[2]]
        elif last >= 0:
            again = match and name == record[last].name and record[last].kind != "text"
            parts[record[last].name].append(match[2] if match and again else row)
    return parts


def records_template(form: Form) -> str:
    """The block with a slot in place of each value, and what stands there where there is nothing."""
    block = _block(form, {field.name: placeholder(field) for field in form.record})
    if form.most <= 1:
        return block
    several = f"Repeat the whole block for each, at most {form.most} times, the worst first."
    return f"{block}\n{several}\nIf there is none, write instead one line: NO {form.fields[0].name}"


def write_records(form: Form, fields: Mapping[str, Value]) -> str:
    """The blocks that hold these records, so that reading them gives them back."""
    records = cast("tuple[str, ...]", fields[form.fields[0].name])
    return "\n\n".join(_block(form, json.loads(record)) for record in records) or f"NO {form.fields[0].name}"


def _block(form: Form, texts: Mapping[str, str]) -> str:
    rows = [form.under]
    for name in (field.name for field in form.record if field.name in texts):
        beside = "\n" if name == CODE and "\n" in texts[name] else " "  # code of several lines begins on its own
        rows.append(f"{name}:{beside}{texts[name]}")
    return "\n".join([*rows, END])
