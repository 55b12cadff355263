"""Answers as one JSON object: alone, in a code fence, or with words around it.

Beyond JSON, what can mean only one thing is allowed: comments, trailing commas, raw line breaks in strings, Python's
notation. What can't is refused: a doubled key, a broken object, two objects that say different things.
"""

import ast
import json
import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import TypeAlias, cast

from folkmoot.answers.own_words import QUOTE, any_of, are_foreign, elements_in
from folkmoot.answers.text import fold, key
from folkmoot.answers.values import Fault, FieldValues, Known, read_items, read_value
from folkmoot.core.ask import Field, Form, Value

Table: TypeAlias = dict[str, object]

_DOUBLED = object()
"""What stands in an object in place of the value of a key that is there twice."""

_LENIENT = re.compile(r'("(?:[^"\\]|\\.)*+")|//[^\n]*+|/\*(?:[^*]|\*(?!/)){0,2000}+\*/|,(?=\s{0,99}[}\]])', re.S)
_BACKSLASH = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\')
_OPENS = re.compile(
    r"""<!--|\{(?=\s{0,99}(?:\}|(?:"(?:[^"\\\n]|\\.){0,200}+"|'[^'\n]{0,200}+'|[“„”][^“”\n]{0,200}+[“”]|\w{1,60}+)\s{0,9}:))"""
)
"""A comment, or a bracket that begins an object and no formula or placeholder."""


def begins_with_object(text: str) -> bool:
    """Whether a text begins with an object, alone or in a code fence."""
    return re.match(r"\s*(?:```\w*\s*)?\{", text) is not None


def _pairs(pairs: list[tuple[str, object]]) -> Table:
    table: Table = {}
    for name, value in pairs:
        table[key(name)] = _DOUBLED if key(name) in table else value
    return table


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_pairs, parse_constant=float)


def objects_in(text: str, others: Sequence[str] = (), *, foreign: bool = False) -> list[Table]:
    """The JSON objects on the outer level of a text, their names folded; none from a quotation, a comment or a turn.

    Where one is broken there are none, since what stands inside it may be somebody's words. ``foreign``: somebody else's
    ones, too.
    """
    text = re.sub(r"^[ \t]*(?:[-*+] )?>.*$", "", text, flags=re.M)
    for plain in (text, _LENIENT.sub(_plain, text), _LENIENT.sub(_plain, text.translate(_STRAIGHT))):
        if (found := _decoded(plain)) is not None:
            text = plain
            break
    else:
        start, end = text.find("{"), text.rfind("}") + 1
        try:  # Python's notation: single quotes, True
            value = _DECODER.decode(json.dumps(ast.literal_eval(text[start:end]))) if "'" in text else None
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return []
        found = [(cast("Table", value), start, end)] if isinstance(value, dict) else []
    strange = are_foreign(text, [(start, end) for _, start, end in found], others)
    elements = list(elements_in(text)) if "/" in text else []
    names = any_of(tuple(others))
    tables: list[Table] = []
    for (table, start, end), anothers in zip(found, strange, strict=True):
        around = bisect_right(elements, (start, 0))
        paragraph = text[max(0, start - 300) : start].rpartition("\n\n")[2]
        after = text[end : end + 300].partition("\n")[0]
        # "Ann asked for {…}. I decline."
        told = re.search(r"\w", after) and names.search(fold(paragraph.rpartition("\n")[2]))
        told = told or len(QUOTE.findall(paragraph)) % 2
        if foreign or not (anothers or told or (around and elements[around - 1][1] >= end)):
            tables.append(table)
    return tables


_STRAIGHT = str.maketrans("“”„", '"""')


def _plain(part: re.Match[str]) -> str:
    """A string as JSON allows it, each backslash that begins nothing as one; no comment, no comma too many."""
    return _BACKSLASH.sub(lambda sign: sign[0] if len(sign[0]) > 1 else "\\\\", part[1]) if part[1] else ""


def _decoded(text: str) -> list[tuple[Table, int, int]] | None:
    """The objects in a text, and where each begins and ends; None where one is broken."""
    found: list[tuple[Table, int, int]] = []
    place = 0
    for mark in _OPENS.finditer(text):
        if mark.start() < place:
            continue
        if mark[0] == "<!--":
            end = text.find("-->", mark.end())
            place = end + 3 if end >= 0 else len(text)
            continue
        try:
            value, place = _DECODER.raw_decode(text, mark.start())
        except (ValueError, RecursionError):
            return None
        found.append((cast("Table", value), mark.start(), place))
    return found


def read_json(form: Form, text: str, known: Known) -> FieldValues:
    """Read a form from the one object in a text that has its fields.

    Keys beside these are ignored, but under ``form.under`` each has to be one of them.
    """
    where, values = form.under or form.name, FieldValues()
    there = objects_in(text, known.others)
    tables = [table for table in there if _has_fields(form, table)]
    if not there or any(table != tables[0] for table in tables):
        others = not there and objects_in(text, known.others, foreign=True)
        values.note(where, "ambiguous" if there else "quoted_only" if others else "malformed")
        return values
    members = tables[0] if tables else {}
    if form.under and key(form.under) in members:
        inner = members[key(form.under)]
        if not isinstance(inner, dict):
            values.note(where, "duplicate_key" if inner is _DOUBLED else "wrong_type")
            return values
        members = cast("Table", inner)
        if strange := sorted(set(members) - {key(item.name) for item in form.fields}):
            values.note(where, "unknown_candidate", ", ".join(strange))
    for item in form.fields:
        value = _member(item, members, known)
        missing = form.under and isinstance(value, Fault) and value.reason == "missing"
        values.add(item, Fault("missing_candidate") if missing else value)
    return FieldValues(unread=values.unread) if form.under and values.unread else values


def words_of_object(form: Form, text: str) -> str | None:
    """What the one object that a whole text is says beside the fields of a form; None where it is none, or says more."""
    if not begins_with_object(text) or text.rstrip().rstrip("`").rstrip()[-1:] != "}":
        return None
    tables = [table for table in objects_in(text) if _has_fields(form, table)]
    names = {key(item.name) for item in form.fields}
    said = [value for name, value in tables[0].items() if name not in names] if len(tables) == 1 else [None]
    if not all(isinstance(value, str) for value in said):
        return None
    texts = map(str.strip, cast("list[str]", said))
    return "\n\n".join(text for text in texts if text[:1] + text[-1:] != "[]")  # those are slots that stayed unfilled


def _has_fields(form: Form, table: Table) -> bool:
    wanted = {key(item.name) for item in form.fields}
    return (key(form.under) in table or wanted <= set(table)) if form.under else not wanted.isdisjoint(table)


def _member(item: Field, members: Table, known: Known) -> Value | Fault:
    name = key(item.name)
    value = members.get(name)
    if value is None or value is _DOUBLED:
        return Fault("duplicate_key" if value else "empty" if name in members else "missing")
    if isinstance(value, list):
        rows = cast("list[object]", value)
        if item.kind == "list":
            texts = tuple(str(row) for row in rows if isinstance(row, str | int | float))
            return read_items(item, texts) if len(texts) == len(rows) else Fault("wrong_type")
        value = rows[0] if len(rows) == 1 else None  # ["Bo"] can mean only one thing
    if isinstance(value, bool):
        return value if item.kind == "flag" else Fault("wrong_type", str(value))
    if isinstance(value, str) or (isinstance(value, int | float) and item.kind in ("text", "choice", "number")):
        return read_value(item, str(value), known)
    return Fault("wrong_type")
