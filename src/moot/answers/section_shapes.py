"""Shapes in which models lay sections out: tables, one line for all, tags, decorated labels, marks of chat templates.

Each shape is written anew as lines that begin with a label, so that one reader decides what counts. A shape that is
not plain is left as it is.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from moot.answers.plain_text import fold, key
from moot.answers.words import phrases
from moot.core.ask import Field
from moot.core.text import bare

_START = re.compile(
    r"\A\s*(?:(?:<\|?(?:im_start|start_header_id|start_of_turn|begin_of_text|start|bos|s|assistant)\|?>|\[/?INST\]"
    r"|<｜[^｜<>\n]{1,40}｜>|<\|end_header_id\|>)[ \t]*(?:assistant|model)?\s*)+"
)
_TAGS = r"<\|[a-z_]{1,40}\|>|<｜[^｜<>\n]{1,40}｜>|</?s>|<(?:eos|bos|pad|unk|end_of_turn|start_of_turn)>|\[/?INST\]"
_WORDS = r"(?:the )?(?:end|eos|eot|eof|done|stop)\b"
_END = re.compile(
    rf"{_TAGS}|(?:\[{_WORDS}[^\[\]\n]{{0,40}}\]|<{_WORDS}[^<>\n]{{0,40}}>"
    rf"|#{{1,6}}[ \t]{{0,3}}{_WORDS}[^\n]{{0,40}})(?=\s*\Z)",
    re.IGNORECASE,
)
_LOST = re.compile(r"</(?P<name>[A-Za-z][\w-]{0,40})>")
MOST = 5
"""The most closing tags of nothing at the end of a text."""
_REFUSING = frozenset("❌✗✘🚫⛔☐❎☒🔲⬜❓⁉")
_LEAD = re.compile(
    r"(?P<lead>[ \t]*(?:#{1,6}[ \t]+|[-*+•][ \t]+|\d{1,2}[.)][ \t]+)?)(?P<open>(?:\*\*|__)?)(?P<rest>.*)"
)
_BRACKETED = re.compile(r"\[(?P<name>[^\W\d_][\w /'’-]{0,58})\][ \t]*(?P<mark>[:：=]?)(?P<rest>.*)")
_TRAILED = re.compile(
    r"(?P<name>[^\W\d_][\w /'’-]{0,58}?)[ \t]{1,3}(?P<ornament>[^\w\s:：=*_|<>\[\](){}\"'`.,;!?-]{1,4})"
    r"[ \t]{0,3}(?=\*{0,2}[ \t]{0,3}(?:[:：=]|$))"
)
_DIVIDER = re.compile(r"\|?[ \t]*:?-{1,}:?[ \t]*(?:\|[ \t]*:?-{1,}:?[ \t]*)+\|?")
_POINTER = re.compile(
    r"(?:\b(?:this|these|those|follows|following|below|so|thus|words|line|form|template)|[:,(\"'])\s*[.…]?$"
)


def without_marks(text: str) -> str:
    """The text without marks of a chat template: what stands behind the one that ends it is nobody's answer."""
    rest = _START.sub("", text, count=1)
    if found := _END.search(rest):
        rest = rest[: found.start()] if rest[: found.start()].strip() else rest[found.end() :]
    for _ in range(MOST):
        place = rest.rfind("</")
        lost = _LOST.fullmatch(rest[place:].strip()) if place >= 0 else None
        if lost is None or f"<{lost['name']}" in rest:
            break
        rest = rest[:place]
    return rest


def undecorated(row: str) -> str:
    """The line with its label plain: without emoji before or behind it, and without brackets around it."""
    row = bare(row)
    found = _LEAD.fullmatch(row)
    if not found:
        return row
    rest = _without_ornaments(found["rest"])
    if rest and (bracketed := _BRACKETED.fullmatch(rest)):
        rest = f"{bracketed['name']}{bracketed['mark'] or ':'}{bracketed['rest']}"
    if trailed := _TRAILED.match(rest):
        plain = not _REFUSING & set(trailed["ornament"])
        rest = trailed["name"] + rest[trailed.end() :] if plain and _is_ornament(trailed["ornament"]) else rest
    return f"{found['lead']}{found['open']}{rest}"


def _without_ornaments(words: str) -> str:
    """The words without emoji before them; as they are where one of these crosses out."""
    place = 0
    while place < len(words) and (_is_ornament(words[place]) or (place and words[place] in " \t")):
        if words[place] in _REFUSING:
            return words
        place += 1
    return words[place:]


def _is_ornament(signs: str) -> bool:
    return all(unicodedata.category(sign) in ("So", "Sk") for sign in signs)


def as_lines(fields: Sequence[Field], text: str) -> str:
    """The text with labels that share a line with others on lines of their own."""
    names = [field.name for field in fields]
    if len(names) < 2 or any(name.upper() != name for name in names):
        return text
    rows: list[str] = []
    for row in text.split("\n"):
        rows += _split(names, row, text)
    return "\n".join(rows)


def _split(names: Sequence[str], row: str, text: str) -> Iterator[str]:
    """A row, or its parts where it begins with a label and goes on with later ones, each of which stands there once."""
    mark = r"\*{0,2}[ \t]*(?:[:：=]|[-\u2013\u2014]+(?=[ \t]))"
    labels = "|".join(re.escape(name) for name in names)
    found = list(re.finditer(rf"(?<![\w-])(?:\*\*)?(?P<name>{labels})(?={mark})", row))
    head = undecorated(row).lstrip(" \t*_#-+•0123456789.)")
    first = found[0]["name"] if found else ""
    if len(found) < 2 or not head.startswith(first):
        return iter([row])
    order = [names.index(label["name"]) for label in found]
    if order != sorted(set(order)):
        return iter([row])
    if any(len(re.findall(rf"(?<![\w-]){label['name']}(?={mark})", text)) > 1 for label in found):
        return iter([row])
    cuts = [label.start() for label in found[1:]]
    parts = [row[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(row)], strict=True)]
    bold = [row.startswith("**", cut) for cut in cuts]
    if not all(_is_closed(part, marked=mark) for part, mark in zip(parts, bold, strict=False)):
        return iter([row])
    return (part.rstrip(" \t|;/\u2013\u2014-") for part in parts)


def _is_closed(part: str, *, marked: bool) -> bool:
    """Whether words before a label end there, or the label is marked, and nothing points to it as somebody else's."""
    words = part.rstrip()
    ended = marked or re.search(r"(?:[.!?…。|;/\u2013\u2014]|\s-)\W*$", words[-9:])
    if not ended or len(re.findall(r"[\"“”«»]", words)) % 2:
        return False
    said = fold(words).rstrip(" |;/.*_-\u2013\u2014")
    clause = re.split(r"[.!?;,]\s", said[-200:])[-1]
    pointing = _POINTER.search(clause) or phrases.REPORTS.search(" ".join(clause.split()[-2:]))
    return pointing is None


def from_table(fields: Sequence[Field], text: str) -> str:
    """The text with its one table of these fields written as labelled lines; "" where there is no such table."""
    rows = text.split("\n")
    by_key = {key(field.name): field.name for field in fields}
    dividers = [number for number, row in enumerate(rows) if number and _DIVIDER.fullmatch(row.strip())]
    if len(dividers) != 1:
        return ""
    head, stop = dividers[0] - 1, dividers[0] + 1
    while stop < len(rows) and rows[stop].strip().startswith("|"):
        stop += 1
    cells = [_cells(row) for row in (rows[head], *rows[dividers[0] + 1 : stop])]
    lines = _down(by_key, cells) or _across(by_key, cells)
    return "\n".join([*rows[:head], *lines, *rows[stop:]]) if lines else ""


def _cells(row: str) -> list[str]:
    inside = row.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inside)]


def _down(by_key: Mapping[str, str], cells: Sequence[Sequence[str]]) -> list[str]:
    """A field in each row: its name and its value."""
    named = [(by_key[_name(row[0])], row[1]) for row in cells if len(row) == 2 and _name(row[0]) in by_key]
    good = len(named) > 1 and len(dict(named)) == len(named)
    return [f"{name}: {value}" for name, value in named] if good else []


def _across(by_key: Mapping[str, str], cells: Sequence[Sequence[str]]) -> list[str]:
    """A field in each column: names in the head, values in the only row."""
    names = [by_key.get(_name(cell), "") for cell in cells[0]]
    known = [name for name in names if name]
    if len(cells) != 2 or len(known) < 2 or len(set(known)) < len(known) or len(cells[1]) != len(names):
        return []
    return [f"{name}: {value}" for name, value in zip(names, cells[1], strict=True) if name]


def _name(cell: str) -> str:
    return key(undecorated(cell).replace("*", "").rstrip(":： "))


_ENVELOPE = re.compile(r"\s*<(?P<name>[A-Za-z][\w-]{0,40})>(?P<inside>.*)</(?P=name)>\s*", re.DOTALL)


def from_envelope(text: str) -> str:
    """What stands in the one tag around the whole text; the text where there is none."""
    found = _ENVELOPE.fullmatch(text)
    return found["inside"] if found and f"<{found['name']}>" not in found["inside"] else text
