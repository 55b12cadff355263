"""Members: answers laid out as one JSON object. This file owns which object is the answer and what its members mean."""

import re

from moot.answers import phrases
from moot.answers.mentions import undone
from moot.answers.objects import Json, Number, Spot, Table, objects_in
from moot.answers.plain_text import fold, key
from moot.answers.values import Fault, Found, read_items, read_value, within
from moot.core.form import Field, Form, Value

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_FOREIGN = re.compile(
    r"\b(?:examples?|e\.g|templates?|schema|placeholder|wrote|writes|said|says|claims?|would|asked me|asks me|told"
    r"|wants me|tells me|instead of"
    r"|demand\w*|wants|asks|asked|insist\w*|request\w*|order(?:s|ed)|propos(?:es|ed)|expects|hopes|begs"
    r"|suggested|posted|pasted|quot\w+|never|if|draft|first|initially|not)\b[^\n]*$"
)


def read_json(form: Form, text: str) -> Found:
    """Read a form laid out as one JSON object, alone, in a code fence or inside prose."""
    where = form.under or form.name
    spots = objects_in(text)
    if not spots:
        return Found({}, [f"{where}: malformed"])
    placed = list(zip([0, *(spot.end for spot in spots)], spots, strict=False))
    holding = [each for each in placed if _holds(form, each[1].table)] or placed[:1]
    own = [spot for before, spot in holding if not _foreign(text, before, spot)]
    read = [_members(form, spot.table) for spot in own]
    behind = fold(text[own[-1].end :]) if own else ""
    if not own or phrases.TAKEN_BACK.search(behind) or undone(behind):
        return Found({}, [f"{where}: ambiguous"])
    if all(each.fields == read[0].fields and each.unread == read[0].unread for each in read):
        return read[0]
    between = fold(text[own[-2].end : own[-1].start])
    if phrases.FINAL.search(between) or phrases.CHANGED.search(between):
        return read[-1]
    return Found({}, [f"{where}: ambiguous"])


def read_object(form: Form, text: str) -> Found | None:
    """Read a form from a text that is one JSON object and nothing else; None where it is not."""
    bare = text.strip()
    spots = objects_in(bare) if bare.startswith("{") else None
    if not spots or len(spots) != 1 or spots[0].end != len(bare) or not _holds(form, spots[0].table):
        return None
    return _members(form, spots[0].table)


def _holds(form: Form, table: Table) -> bool:
    """Whether an object has anything of the form in it."""
    wanted = {key(form.under)} if form.under else {key(asked.name) for asked in form.fields}
    return any(key(name) in wanted for name in table.members)


def _foreign(text: str, before: int, spot: Spot) -> bool:
    """Whether an object stands in a block quotation, or behind words that give it to somebody else."""
    rows = [
        row
        for row in text[max(before, spot.start - 600) : spot.start].split("\n")
        if not re.match(r"\s*(?:```|~~~)", row)
    ]
    if rows and rows[-1].lstrip().startswith(">"):
        return True
    said = [row for row in rows if row.strip()]
    last = re.split(r"[.!?]\s", said[-1].strip())[-1] if said else ""
    return not last.endswith((".", "!")) and _FOREIGN.search(fold(last)) is not None


def _members(form: Form, table: Table) -> Found:
    """Book the members of one object."""
    where = form.under or form.name
    inner, fault = _inner(form, table)
    if fault:
        return Found({}, [f"{where}: {fault}"])
    found = Found()
    taken: set[str] = set()
    for asked in form.fields:
        names = [name for name in inner.members if name == asked.name or key(name) == key(asked.name)]
        taken.update(names)
        if len(names) > 1:
            found.take(asked, Fault("duplicate_key"))
        elif names:
            found.take(asked, _value(asked, inner.members[names[0]]))
        else:
            found.take(asked, Fault("missing_candidate" if form.under else "missing"))
    if form.under:
        found.unread += [f"{name[:40]}: unknown_candidate" for name in inner.members if name not in taken]
        found.fields = {} if found.unread else found.fields
    return found


def _inner(form: Form, table: Table) -> tuple[Table, str]:
    """The object that holds the fields, and what is wrong with it ("" for nothing)."""
    if not form.under:
        wanted = {key(asked.name) for asked in form.fields}
        return table, "duplicate_key" if any(key(name) in wanted for name in table.doubled) else ""
    if table.doubled:
        return table, "duplicate_key"
    held = [value for name, value in table.members.items() if key(name) == key(form.under)]
    if len(held) != 1:
        return table, "duplicate_key" if held else "malformed"
    if not isinstance(held[0], Table):
        return table, "wrong_type"
    return held[0], "duplicate_key" if held[0].doubled else ""


def _value(asked: Field, value: Json) -> Value | Fault:
    """The value of one member."""
    if value is None:
        return Fault("wrong_type" if asked.kind == "number" and asked.required else "empty")
    if isinstance(value, bool):
        return value if asked.kind == "flag" else Fault("wrong_type")
    if value == "" and asked.kind == "number":
        return Fault("wrong_type")
    if isinstance(value, str):
        return _strings(asked, value) if asked.kind == "list" else read_value(asked, value)
    if isinstance(value, Number):
        return _number(asked, value.text)
    if isinstance(value, list) and asked.kind == "list":
        items = [item.text if isinstance(item, Number) else item for item in value]
        texts = tuple(item for item in items if isinstance(item, str))
        return read_items(asked, texts) if len(texts) == len(items) else Fault("wrong_type")
    return Fault("wrong_type")


def _strings(asked: Field, value: str) -> Value | Fault:
    return read_items(asked, (value,)) if value.strip() else Fault("empty")


def _number(asked: Field, text: str) -> Value | Fault:
    if asked.kind in ("text", "choice"):
        return read_value(asked, text)
    if asked.kind != "number":
        return Fault("wrong_type")
    if not _NUMBER.fullmatch(text):
        return Fault("invalid_number")
    number = int(text) if re.fullmatch(r"-?\d{1,18}", text) else float(text)
    if number in (float("inf"), float("-inf")):
        return Fault("out_of_range" if asked.high is not None or asked.low is not None else "invalid_number")
    return within(asked, number)
