"""JSON answers as models write them: which object of a text is the answer, and what its members mean.

Allowed beyond JSON, because the meaning is plain: comments, trailing commas, single and curly quotes, raw line breaks
and unknown escapes in strings, Python's ``True``, ``False``, ``None``. Not allowed, because it is not plain: doubled
keys, NaN.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from folkmoot.answers import retraction
from folkmoot.answers.candidates import Candidates
from folkmoot.answers.plain_text import fold, key
from folkmoot.answers.values import Fault, FieldValues, read_items, read_value, within
from folkmoot.answers.words import formulas, phrases
from folkmoot.core.ask import Field, Form, Value

DEPTH = 20
"""The most objects and lists within each other."""

TRIES = 400
"""The most opening brackets that are tried before a text is given up."""

Json: TypeAlias = "str | bool | Number | list[Json] | Table | None"


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it was written."""

    text: str


@dataclass(slots=True)
class Table:
    """An object: its members in order, and the keys that stand there more than once."""

    members: dict[str, "Json"]
    doubled: tuple[str, ...] = ()


class Malformed(ValueError):
    """Not an object; the text says where reading stopped."""


@dataclass(frozen=True, slots=True)
class ObjectAt:
    """An object in a text, and where it begins and ends."""

    table: Table
    start: int
    end: int


_BLANKS = re.compile(r"(?:[ \t\n\r]|//[^\n]{0,2000}|/\*(?:[^*]|\*(?!/)){0,2000}\*/)*")
_COMMENT = re.compile(r"(?:^|[\s,{\[\]}\"”'\d])(?://([^\n]{1,2000})|/\*((?:[^*]|\*(?!/)){1,2000})\*/)", re.MULTILINE)
"""A comment; an address in a string (``https://…``) is none."""
_WORD = re.compile(r"[-+]?(?:\d[\d.eE+-]{0,5000}|NaN|nan|Infinity|inf)(?![\w.])|true|false|null|True|False|None")
_PLAIN: Mapping[str, bool | None] = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
}
_PIECE: Mapping[str, re.Pattern[str]] = {
    mark: re.compile(rf"[^{mark}\\]+|\\u[0-9a-fA-F]{{4}}|\\.", re.DOTALL) for mark in "\"'”"
}
_CLOSING: Mapping[str, str] = {'"': '"', "'": "'", "“": "”", "”": "”"}
"""The quotation marks in which a string may stand, with those that end it."""
_ESCAPES: Mapping[str, str] = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "/": "/",
    "\\": "\\",
    '"': '"',
    "'": "'",
}


def objects_in(text: str) -> list[ObjectAt] | None:
    """The complete objects of the outer level in a text, in order; None where the text has too many broken ones."""
    objects: list[ObjectAt] = []
    place = tries = 0
    while (start := text.find("{", place)) >= 0:
        try:
            table, end = _table(text, start + 1, 1)
            if _is_doubted(text[start:end]):
                return None
            objects.append(ObjectAt(table, start, end))
            place = end
        except Malformed:
            place, tries = start + 1, tries + 1
            if tries > TRIES:
                return None
    return objects


def _is_doubted(written: str) -> bool:
    """Whether a comment in an object says that a value is none ("// placeholder", "// or Bob?")."""
    if "//" not in written and "/*" not in written:
        return False
    comments = [fold(match[1] or match[2]).strip() for match in _COMMENT.finditer(written)]
    tables = ("BACK", "TURN", "SHAM", "UNSURE", "BOUND", "SUPPOSE")
    return any(
        "?" in comment
        or phrases.VOIDED.search(comment)
        or formulas.UNDONE.search(comment)
        or any(retraction.says(table, comment) for table in tables)
        for comment in comments
    )


def _blanks(text: str, place: int) -> int:
    match = _BLANKS.match(text, place)
    return match.end() if match else place


def _json_value(text: str, place: int, depth: int) -> tuple[Json, int]:
    mark = text[place : place + 1]
    if mark in ("{", "[") and depth >= DEPTH:
        raise Malformed(f"too deep at {place}")
    if mark == "{":
        return _table(text, place + 1, depth + 1)
    if mark == "[":
        return _row(text, place + 1, depth + 1)
    if mark in _CLOSING:
        return _string(text, place + 1, _CLOSING[mark])
    if match := _WORD.match(text, place):
        word = match[0]
        return (_PLAIN[word] if word in _PLAIN else Number(word)), match.end()
    raise Malformed(f"no value at {place}")


def _table(text: str, place: int, depth: int) -> tuple[Table, int]:
    table = Table({})
    place = _blanks(text, place)
    while text[place : place + 1] != "}":
        mark = text[place : place + 1]
        if mark not in _CLOSING:
            raise Malformed(f"no key at {place}")
        name, place = _string(text, place + 1, _CLOSING[mark])
        place = _blanks(text, place)
        if text[place : place + 1] != ":":
            raise Malformed(f"no colon at {place}")
        value, place = _json_value(text, _blanks(text, place + 1), depth)
        table.doubled += (name,) if name in table.members and name not in table.doubled else ()
        table.members[name] = value
        place = _next(text, place, "}")
    return table, place + 1


def _row(text: str, place: int, depth: int) -> tuple[list[Json], int]:
    row: list[Json] = []
    place = _blanks(text, place)
    while text[place : place + 1] != "]":
        value, place = _json_value(text, place, depth)
        row.append(value)
        place = _next(text, place, "]")
    return row, place + 1


def _next(text: str, place: int, closing: str) -> int:
    """The place after a comma, or of the closing bracket."""
    place = _blanks(text, place)
    if text[place : place + 1] == ",":
        return _blanks(text, place + 1)
    if text[place : place + 1] == closing:
        return place
    raise Malformed(f"no comma at {place}")


def _string(text: str, place: int, mark: str) -> tuple[str, int]:
    pieces: list[str] = []
    while piece := _piece(text, place, mark):
        pieces.append(_meaning(piece) if piece[0] == "\\" else piece)
        place += len(piece)
    if text[place : place + 1] != mark:
        raise Malformed(f"no end of the string at {place}")
    return _paired("".join(pieces)), place + 1


def _piece(text: str, place: int, mark: str) -> str:
    """The next characters of a string up to an escape, or one escape; "" at its end."""
    match = _PIECE[mark].match(text, place)
    return match[0] if match else ""


def _meaning(escape: str) -> str:
    """The character that an escape stands for; an unknown escape stands for itself."""
    return chr(int(escape[2:], 16)) if len(escape) == 6 else _ESCAPES.get(escape[1:], escape)


def _paired(text: str) -> str:
    """The text with escaped surrogate pairs as the characters that they stand for."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_FOREIGN = re.compile(
    r"\b(?:examples?|e\.g|templates?|schema|placeholder|wrote|writes|said|says|claims?|would|asked me|asks me|told"
    r"|wants me|tells me|instead of"
    r"|demand\w*|wants|asks|(?<!you )asked|insist\w*|(?<!you )(?<!as )(?<!the )request\w*|order(?:s|ed)|propos(?:es|ed)"
    r"|expects|hopes|begs|suggested|posted|pasted|quot\w+|never|if|draft|first|initially|not)\b[^\n]*$"
)


def read_json(form: Form, text: str) -> FieldValues:
    """Read a form laid out as one JSON object, alone, in a code fence or inside prose."""
    where = form.under or form.name
    objects = objects_in(text)
    if not objects:
        return FieldValues({}, [f"{where}: malformed"])
    placed = list(zip([0, *(item.end for item in objects)], objects, strict=False))
    holding = [item for item in placed if _has_form_fields(form, item[1].table)] or placed[:1]
    whole = [(before, item) for before, item in holding if not _is_torn(form, text, before, item)]
    if not whole:
        return FieldValues({}, [f"{where}: malformed"])
    own = [item for before, item in whole if not _is_quoted(text, before, item)]
    read = [_members(form, item.table) for item in own]
    behind = fold(text[own[-1].end :]) if own else ""
    if not own or retraction.taken_back(behind) or (form.under and _is_no_score(form, text, own[-1])):
        return FieldValues({}, [f"{where}: ambiguous"])
    if all(item.fields == read[0].fields and item.unread == read[0].unread for item in read):
        return read[0]
    between = fold(text[own[-2].end : own[-1].start])
    if phrases.FINAL.search(between) or phrases.CHANGED.search(between):
        return read[-1]
    return FieldValues({}, [f"{where}: ambiguous"])


def read_object(form: Form, text: str) -> FieldValues | None:
    """Read a form from a text that is one JSON object and nothing else; None where it is not."""
    bare = text.strip()
    objects = objects_in(bare) if bare.startswith("{") else None
    if not objects or len(objects) != 1 or objects[0].end != len(bare) or not _has_form_fields(form, objects[0].table):
        return None
    return _members(form, objects[0].table)


def members_as_lines(text: str) -> str:
    """A text that is one flat object and nothing else, as a labelled line for each member; any other as it is."""
    bare = text.strip()
    objects = objects_in(bare) if bare.startswith("{") else None
    if not objects or len(objects) != 1 or objects[0].end != len(bare) or objects[0].table.doubled:
        return text
    members = objects[0].table.members
    if _abstains(members):
        return _ABSTENTION
    members = {name: value for name, value in members.items() if key(name) not in _ABSTAINED or value is not False}
    if any(isinstance(value, Table | list) for value in members.values()):
        return text
    rows = ((" ".join(name.split()), " ".join(str(value).split())) for name, value in members.items())
    return "\n\n".join(f"{name}:\n{value}" for name, value in rows)


_ABSTENTION = "abstain"
_BEFORE_OBJECT = re.compile(r"\n?[ \t]*(?:```|~~~)\w*[ \t]*\n?\Z")


def last_members_as_lines(text: str) -> str:
    """A text that ends with one flat object that holds a vote, as ``members_as_lines``; any other as it is.

    What stands above it is kept; an object that is said to be an example, or somebody else's, is left as it is.
    """
    objects = objects_in(text)
    if not objects or len(objects) != 1 or text[objects[0].end :].strip(" \t\n`~"):
        return text
    item = objects[0]
    votes = any(key(name) in _VOTED for name in item.table.members)
    if not votes or _is_void(item.table.members) or _is_quoted(text, 0, item):
        return text
    written = text[item.start : item.end]
    lines = members_as_lines(written)
    above = _BEFORE_OBJECT.sub("", text[: item.start])
    lines = "I abstain." if lines == _ABSTENTION else lines
    return text if lines == written else f"{above}\n\n{lines}"


_RESCORED = re.compile(
    r"\b(?:add|subtract|deduct|raise|lower|increase|decrease|reduce|bump|knock|dock|round|give|make|set|change|halve"
    r"|double|addier\w*|erhöh\w*|senk\w*|zieh\w*|gib|gebt|ajout\w+|enlev\w+|retir\w+|augment\w+|baiss\w+|sum[ae]\w*"
    r"|rest[ae]\w*|quit[ae]\w*|añad\w+|suba\w*|baje\w*|aument\w+|soma\w*|retire\w*|aggiung\w+|togli\w*|прибав\w+"
    r"|добав\w+|вычт\w+|сним\w+|dodaj\w*|odejmij\w*|ekle\w*|çıkar\w*)\b|加|减|減|足|引|더하|빼|أضف|اطرح|जोड़|घटा"
)


def _is_no_score(form: Form, text: str, item: ObjectAt) -> bool:
    """Whether what stands around scores says that they are none, or nothing that belongs to scores.

    Whoever is named there is judged. All else must be a label, a courtesy, a remark on the debate, or of the matter.
    """
    from folkmoot.answers.words import beside_scores, undone  # here for start-up time: few answers are scores

    names = Candidates.of([field.name for field in form.fields])
    above = list(undone.spoken_sentences(_WITHOUT.sub("", text[: item.start])[-LONGEST_LEAD:]))
    behind = list(undone.spoken_sentences(_WITHOUT.sub("", text[item.end :])))
    rescored = any(len(row) <= retraction.SHORT and _RESCORED.search(row) and names.others(row, "") for row in behind)
    return rescored or any(
        undone.calls_it_a_draft(row) if names.others(row, "") else not beside_scores.belongs(row)
        for row in (*above[-1:], *behind)
    )


_WITHOUT = re.compile(r"```\w*|~~~\w*|<\|[\w-]+\|>|</?[a-z_]+>")
"""Marks of fences and of templates, which say nothing."""

LONGEST_LEAD = 600
"""So many characters above scores may say what they are."""


_ABSTAINED = ("abstain", "abstained", "abstention", "abstaining")
_VOTED = ("vote", "ballot", "choice", "candidate", "answer", "selection", "pick", "voted_for", "vote_for", "i vote for")


def _abstains(members: Mapping[str, Json]) -> bool:
    """Whether an object says that its author abstains, and names nobody as its vote."""
    declared = any(key(name) in _ABSTAINED and value is True for name, value in members.items())
    return declared and not any(value for name, value in members.items() if key(name) in _VOTED)


_VOIDS = (
    "void", "voided", "retracted", "withdrawn", "cancelled", "canceled", "invalid", "draft", "example", "sample",
    "test", "template", "placeholder", "provisional", "tentative", "ignore", "discard",
)  # fmt: skip
_HOLDS = ("final", "valid", "binding", "confirmed", "counts", "official", "definitive")


def _is_void(members: Mapping[str, Json]) -> bool:
    """Whether a flag beside an answer says that it does not hold (``"void": true``, ``"final": false``)."""
    return any(
        (key(name) in _VOIDS and value is True)
        or (key(name) in _HOLDS and value is False)
        or (key(name) in ("status", "state") and isinstance(value, str) and key(value) in _VOIDS)
        for name, value in members.items()
    )


def _has_form_fields(form: Form, table: Table) -> bool:
    """Whether an object has anything of the form in it."""
    names = {key(name) for name in table.members}
    wanted = {key(form_field.name) for form_field in form.fields}
    return (key(form.under) in names or wanted <= names) if form.under else bool(wanted & names)


def _is_torn(form: Form, text: str, before: int, item: ObjectAt) -> bool:
    """Whether an object without the name that it should stand under is a piece of one that is broken."""
    bare = form.under and not any(key(name) == key(form.under) for name in item.table.members)
    return bool(bare) and "{" in text[before : item.start]


def _is_quoted(text: str, before: int, item: ObjectAt) -> bool:
    """Whether an object stands in a block quotation, or behind words that give it to somebody else."""
    rows = [
        row
        for row in text[max(before, item.start - 600) : item.start].split("\n")
        if not re.match(r"\s*(?:```|~~~)", row)
    ]
    if rows and rows[-1].lstrip().startswith(">"):
        return True
    filled_rows = [row for row in rows if row.strip()]
    last = re.split(r"[.!?]\s", filled_rows[-1].strip())[-1] if filled_rows else ""
    return not last.endswith((".", "!")) and _FOREIGN.search(fold(last)) is not None


def _members(form: Form, table: Table) -> FieldValues:
    """Book the members of one object."""
    where = form.under or form.name
    if _is_void({name: value for name, value in table.members.items() if not _scores(form, name)}):
        return FieldValues({}, [f"{where}: ambiguous"])
    inner, fault = _object_with_fields(form, table)
    if fault:
        return FieldValues({}, [f"{where}: {fault}"])
    values = FieldValues()
    known: set[str] = set()
    for form_field in form.fields:
        names = [name for name in inner.members if name == form_field.name or key(name) == key(form_field.name)]
        known.update(names)
        if len(names) > 1:
            values.add(form_field, Fault("duplicate_key"))
        elif names:
            value = inner.members[names[0]]
            values.add(form_field, _value(form_field, _score_of(value) if form_field.kind == "number" else value))
        else:
            values.add(form_field, Fault("missing_candidate" if form.under else "missing"))
    if form.under:
        values.unread += [f"{name[:40]}: unknown_candidate" for name in inner.members if name not in known]
        values.fields = {} if values.unread else values.fields
    return values


def _object_with_fields(form: Form, table: Table) -> tuple[Table, str]:
    """The object that holds the fields, and what is wrong with it ("" for nothing)."""
    if not form.under:
        wanted = {key(form_field.name) for form_field in form.fields}
        return table, "duplicate_key" if any(key(name) in wanted for name in table.doubled) else ""
    if table.doubled:
        return table, "duplicate_key"
    nested = [value for name, value in table.members.items() if key(name) == key(form.under)]
    if not nested and _has_form_fields(form, table):
        remarks = (name for name, value in table.members.items() if isinstance(value, str) and not _scores(form, name))
        dropped = set(remarks)
        return Table({name: value for name, value in table.members.items() if name not in dropped}), ""
    if len(nested) != 1:
        return table, "duplicate_key" if nested else "malformed"
    inner = _by_name(nested[0]) if isinstance(nested[0], list) else nested[0]
    if not isinstance(inner, Table):
        return table, "wrong_type"
    return inner, "duplicate_key" if inner.doubled else ""


def _scores(form: Form, name: str) -> bool:
    """Whether a member is named after a field."""
    return key(name) in {key(form_field.name) for form_field in form.fields}


_NAMED, _RATED = ("name", "participant", "candidate"), ("score", "points", "rating", "value")


def _by_name(rows: Sequence[Json]) -> Table | None:
    """A list of objects with a name and a score, as one object; None where it is anything else."""
    table = Table({})
    for row in rows:
        names = [value for name, value in row.members.items() if key(name) in _NAMED] if isinstance(row, Table) else []
        if not isinstance(row, Table) or len(names) != 1 or not isinstance(names[0], str) or row.doubled:
            return None
        table.doubled += (names[0],) if names[0] in table.members else ()
        table.members[names[0]] = Table({name: value for name, value in row.members.items() if key(name) not in _NAMED})
    return table


def _score_of(value: Json) -> Json:
    """The score of an object that holds one score, and text beside it; any other value as it is."""
    if not isinstance(value, Table) or value.doubled:
        return value
    scores = [item for name, item in value.members.items() if key(name) in _RATED]
    others = [item for name, item in value.members.items() if key(name) not in _RATED]
    return scores[0] if len(scores) == 1 and all(isinstance(item, str) for item in others) else value


def _value(form_field: Field, value: Json) -> Value | Fault:
    """The value of one member."""
    if value is None:
        return Fault("wrong_type" if form_field.kind == "number" and form_field.required else "empty")
    if isinstance(value, bool):
        return value if form_field.kind == "flag" else Fault("wrong_type")
    if value == "" and form_field.kind == "number":
        return Fault("wrong_type")
    if isinstance(value, str):
        return _strings(form_field, value) if form_field.kind == "list" else read_value(form_field, value)
    if isinstance(value, Number):
        return _number(form_field, value.text)
    if isinstance(value, list) and form_field.kind == "list":
        items = [item.text if isinstance(item, Number) else item for item in value]
        texts = tuple(item for item in items if isinstance(item, str))
        return read_items(form_field, texts) if len(texts) == len(items) else Fault("wrong_type")
    return Fault("wrong_type")


def _strings(form_field: Field, value: str) -> Value | Fault:
    return read_items(form_field, (value,)) if value.strip() else Fault("empty")


def _number(form_field: Field, text: str) -> Value | Fault:
    if form_field.kind in ("text", "choice"):
        return read_value(form_field, text)
    if form_field.kind != "number":
        return Fault("wrong_type")
    if not _NUMBER.fullmatch(text):
        return Fault("invalid_number")
    number = int(text) if re.fullmatch(r"-?\d{1,18}", text) else float(text)
    if number in (float("inf"), float("-inf")):
        return Fault("out_of_range" if form_field.high is not None or form_field.low is not None else "invalid_number")
    return within(form_field, number)
