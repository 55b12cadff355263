"""Shapes in which models lay answers out: tables, one line for all, tags, decorated labels, marks of chat templates.

Each shape is written anew as lines that begin with a label, so that one reader decides what counts. A shape that is
not plain is left as it is.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache

from folkmoot.answers.json_answer import last_members_as_lines
from folkmoot.answers.plain_text import fold, key, without_frame
from folkmoot.answers.words import phrases, ruling_words, vote_labels
from folkmoot.core.ask import Field
from folkmoot.core.text import bare

_LABEL_MARK = r"\*{0,2}[ \t]*(?:[:：=]|[-\u2013\u2014]+(?=[ \t]))"

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
MOST_PARTS = 5
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
    r"(?:\b(?:this|these|those|follows|following|below|so|thus|(?:this|that|these|next|last|same|his|her|their)"
    r" (?:words|line|form|template))|[:,(\"'])\s*[.…]?$"
)


def without_marks(text: str, fields: Sequence[Field] = ()) -> str:
    """The text without marks of a chat template: what stands behind the one that ends it is nobody's answer.

    A mark that stands in a choice of the form is a word of it.
    """
    rest = _START.sub("", text, count=1)
    words = "\n".join(choice for field in fields for choice in field.choices).casefold()
    if end_mark := next((mark for mark in _END.finditer(rest) if mark[0].casefold() not in words), None):
        rest = rest[: end_mark.start()] if rest[: end_mark.start()].strip() else rest[end_mark.end() :]
    for _ in range(MOST_PARTS):
        place = rest.rfind("</")
        lost = _LOST.fullmatch(rest[place:].strip()) if place >= 0 else None
        if lost is None or f"<{lost['name']}" in rest or lost[0].casefold() in words:
            break
        rest = rest[:place]
    return rest


def undecorated(row: str) -> str:
    """The line with its label plain: without emoji before or behind it, and without brackets around it."""
    row = bare(row)
    lead = _LEAD.fullmatch(row)
    if not lead:
        return row
    rest = _without_ornaments(lead["rest"])
    if rest and (bracketed := _BRACKETED.fullmatch(rest)):
        rest = f"{bracketed['name']}{bracketed['mark'] or ':'}{bracketed['rest']}"
    if trailed := _TRAILED.match(rest):
        plain = not _REFUSING & set(trailed["ornament"])
        rest = trailed["name"] + rest[trailed.end() :] if plain and _is_ornament(trailed["ornament"]) else rest
    return f"{lead['lead']}{lead['open']}{rest}"


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
    numbers = any(field.kind == "number" for field in fields)
    for row in text.split("\n"):
        rows += _split(names, row, text, numbers=numbers)
    return "\n".join(rows)


@lru_cache(maxsize=256)
def _labels(names: tuple[str, ...]) -> re.Pattern[str]:
    """Where a label of these names may stand in a row."""
    labels = "|".join(re.escape(name) for name in names)
    return re.compile(rf"(?<![\w-])(?:\*\*)?(?P<name>{labels})(?={_LABEL_MARK})")


def _split(names: Sequence[str], row: str, text: str, *, numbers: bool) -> Iterator[str]:
    """A row, or its parts where it begins with a label and goes on with later ones, each of which stands there once.

    A sentence ends before each label, or the row holds the whole form and the form has numbers.
    """
    labels_found = list(_labels(tuple(names)).finditer(row))
    if len(labels_found) < 2:
        return iter([row])
    head = undecorated(row).lstrip(" \t*_#-+•0123456789.)")
    if not head.startswith(labels_found[0]["name"]):
        return iter([row])
    order = [names.index(label["name"]) for label in labels_found]
    if order != sorted(set(order)):
        return iter([row])
    if any(len(re.findall(rf"(?<![\w-]){label['name']}(?={_LABEL_MARK})", text)) > 1 for label in labels_found):
        return iter([row])
    cuts = [label.start() for label in labels_found[1:]]
    parts = [row[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(row)], strict=True)]
    whole = numbers and len(order) == len(names)
    bold = [whole or row.startswith("**", cut) for cut in cuts]
    if not all(_is_closed(part, marked=mark) for part, mark in zip(parts, bold, strict=False)):
        return iter([row])
    return (part.rstrip(" \t|;/\u2013\u2014-") for part in parts)


def _is_closed(part: str, *, marked: bool) -> bool:
    """Whether words before a label end there, or the label is marked, and nothing points to it as somebody else's."""
    words = part.rstrip()
    ended = marked or re.search(r"(?:[.!?…。।|;/\u2013\u2014]|\s-)\W*$", words[-9:])
    if not ended or len(re.findall(r"[\"“”«»]", words)) % 2:
        return False
    folded = fold(words).rstrip(" |;/.*_-\u2013\u2014")
    clause = re.split(r"[.!?;,]\s", folded[-200:])[-1]
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
    lines = _fields_in_rows(by_key, cells) or _fields_in_columns(by_key, cells)
    return "\n".join([*rows[:head], *lines, *rows[stop:]]) if lines else ""


def ballot_as_lines(fields: Sequence[Field], text: str) -> str:
    """A ballot with its labels on lines of their own: out of an object, a table, a box of LaTeX, before an arrow …"""
    if text.rstrip(" \t\n`~").endswith("}"):
        text = last_members_as_lines(text)
    names = {key(field.name) for field in fields}
    choices = {key(choice) for field in fields for choice in field.choices}
    text = _with_ticked_choice(choices, _without_boxes(_without_end_mark(without_frame(text))))
    if "|" in text:
        text = _table_as_lines(names, choices, text)
    rows = text.split("\n")
    for number, row in enumerate(rows):
        if arrow := _ARROW.fullmatch(row):
            rows[number] = f"{arrow[1]}{arrow[2]}: {arrow[3]}" if _names_vote(names, arrow[2]) else row
            continue
        heading = _HEADING.fullmatch(row)
        underlined = number + 1 < len(rows) and _UNDERLINE.fullmatch(rows[number + 1]) is not None
        marked = heading is not None and bool(heading[1] or heading[2] or underlined)
        if (
            heading
            and marked
            and _names_vote(names, heading[3])
            and key(_next_words(rows, number + underlined)[1]) in choices
        ):
            rows[number] = f"{heading[3]}:"
            if underlined:
                rows[number + 1] = ""
        elif row.rstrip(" \t*_").endswith((":", "：")) and _names_vote(names, row):
            _unquote(rows, number)
    return "\n".join(rows)


_BOX = re.compile(r"\$?\\boxed\{(?:\\(?:text(?:bf|it|rm)?|mathrm|mathbf)\{)?([^{}\n]{1,120})\}{1,2}\$?")
_ARROW = re.compile(
    r"([\W_]{0,6}?)(?:【)?([^\W\d_][\w ]{0,30}?)(?:[ \t]*[-=]{1,3}>|[ \t]+[-\u2013\u2014](?=[ \t])|】)[ \t]*(\S.*)"
)
_HEADING = re.compile(
    r"[ \t]{0,3}(#{1,6}[ \t]+)?(?:\d{1,2}[.)][ \t]+)?(\*\*|__|【)?([^\W\d_][\w ]{0,30}?)(?:\*\*|__|】)?[ \t#]*"
)
_UNDERLINE = re.compile(r"[ \t]*(?:={3,}|-{3,})[ \t]*")
_END_MARK = "[/INST]"
_compiled = cache(re.compile)


def _names_vote(names: Set[str], words: str) -> bool:
    """Whether words are the label of a vote: the form's own, or one that authors write in its place."""
    label = key(words)
    spelled = f"{label}:"
    return label in names or any(
        match.end() == len(label)
        for needle, pattern in vote_labels.LABELS
        if needle in label and (match := _compiled(pattern).match(spelled))
    )


def _without_end_mark(text: str) -> str:
    """The text without the mark of a chat template at its end."""
    words = text.rstrip()
    return words.removesuffix(_END_MARK).rstrip() if words.endswith(_END_MARK) else text


def _without_boxes(text: str) -> str:
    """The text without LaTeX's boxes; a box that stands alone on a line is the final answer."""
    if "\\boxed" not in text:
        return text
    rows = [
        f"Final answer: {box[1]}" if (box := _BOX.fullmatch(row.strip(" *.$"))) and ":" not in box[1] else row
        for row in text.split("\n")
    ]
    return "\n".join(_BOX.sub(r"\1", row) for row in rows)


_TICK = re.compile(
    r"(?:\[(?P<in>[xX✓✔]|[ \t]?)\]|(?P<on>[☑✅✔✓])|(?P<off>[☐□⬜◯○]))\ufe0f?[ \t]*"
    r"(?P<name>[^\n\[\]☑✅✔✓☐□⬜◯○]{1,120})"
)
"""A box, ticked or not, and what stands beside it."""


def _with_ticked_choice(choices: Set[str], text: str) -> str:
    """The text where it ticks one of several boxes beside choices, without the boxes that it leaves empty."""
    boxes = [box for box in _TICK.finditer(text) if key(box["name"]) in choices]
    ticked = [box for box in boxes if box["on"] or (box["in"] or "").strip()]
    if len(boxes) < 2 or len(ticked) != 1 or len({key(box["name"]) for box in boxes}) < len(boxes):
        return text
    for box in reversed(boxes):
        start = text.rfind("\n", 0, box.start()) + 1
        lead = "" if text[start : box.start()].strip(" \t-*+•") else text[start : box.start()]
        words = box["name"] if box is ticked[0] else ""
        text = text[: box.start() - len(lead)] + words + text[box.end() :]
    return text


def _unquote(rows: list[str], number: int) -> None:
    """Take the mark of a block quotation from the one line below the label of a vote."""
    at, below = _next_words(rows, number)
    if below.lstrip().startswith(">") and not "".join(rows[at + 1 : at + 2]).strip():
        rows[at] = below.lstrip(" \t>")


def _next_words(rows: Sequence[str], number: int) -> tuple[int, str]:
    """The next line with words within two lines, and its place; -1 and "" where there is none."""
    for at in range(number + 1, min(number + 3, len(rows))):
        if rows[at].strip():
            return at, rows[at]
    return -1, ""


def _table_as_lines(names: Set[str], choices: Set[str], text: str) -> str:
    """A text that is one table with the vote and nothing else but a heading, as labelled lines; any other as it is."""
    rows = text.strip().split("\n")
    while rows and (not rows[0].strip() or rows[0].startswith("#")):
        del rows[0]
    if len(rows) < 2 or not all(row.strip().startswith("|") for row in rows):
        return text
    cells = [_cells(row) for row in rows if not _is_divider(row)]
    alone = [key(cell) in choices for row in cells for cell in row].count(True) == 1
    if len(cells) == 2 and len(cells[0]) == len(cells[1]) and alone:
        columns = [list(pair) for pair in zip(*cells, strict=True)]
        cells = (
            columns if any(_names_vote(names, _name(one)) and key(two) in choices for one, two in columns) else cells
        )
    one = sum(_names_vote(names, _name(row[0])) for row in cells) == 1
    if not one or sum(map(_is_divider, rows)) != 1 or any(len(row) != 2 for row in cells):
        return text
    return "\n\n".join(f"{name}:\n{value}" for name, value in cells if name)


def _is_divider(row: str) -> bool:
    return _DIVIDER.fullmatch(row.strip()) is not None


def _cells(row: str) -> list[str]:
    inside = row.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inside)]


def _fields_in_rows(by_key: Mapping[str, str], cells: Sequence[Sequence[str]]) -> list[str]:
    """A field in each row: its name and its value."""
    named = [(by_key[_name(row[0])], row[1]) for row in cells if len(row) == 2 and _name(row[0]) in by_key]
    good = len(named) > 1 and len(dict(named)) == len(named)
    return [f"{name}: {value}" for name, value in named] if good else []


def _fields_in_columns(by_key: Mapping[str, str], cells: Sequence[Sequence[str]]) -> list[str]:
    """A field in each column: names in the head, values in the only row."""
    names = [by_key.get(_name(cell), "") for cell in cells[0]]
    known = [name for name in names if name]
    if len(cells) != 2 or len(known) < 2 or len(set(known)) < len(known) or len(cells[1]) != len(names):
        return []
    return [f"{name}: {value}" for name, value in zip(names, cells[1], strict=True) if name]


def _name(cell: str) -> str:
    return key(undecorated(cell).replace("*", "").rstrip(":： "))


# ---- labels in other languages --------------------------------------------------------------------------------------


def _spellings(words: Sequence[str]) -> str:
    """A pattern for these words, the longest first, with and without their accents."""
    plain = (re.sub(r"[\u0300-\u036f]", "", unicodedata.normalize("NFD", word)) for word in words)
    both = {*words, *(unicodedata.normalize("NFC", word) for word in plain)}
    return "|".join(sorted(both, key=lambda word: (-len(word), word)))


_SIGN = r"[^\w\s\"'`<>|{}]{0,4}[ \t]{0,2}"
_LED = (
    r"^[ \t]{0,12}(?:#{1,6}[ \t]{1,8}|[-*+•][ \t]{1,8}|\d{1,2}[.)][ \t]{1,8})?"
    rf"{_SIGN}(?:\*\*|__|\[)?{_SIGN}"
)
_HEADED = r"^[ \t]{0,12}(?:#{1,6}[ \t]{1,8}|\*\*|__)[^\w\n]{0,4}"
_PAUSE = r"[-\u2013\u2014]+[ \t]"
_EDGE = (
    r"(?:\*\*|__|\])?[ \t]{0,3}[^\w\s:：=|<>\[\](){}\"'`.,;!?*_-]{0,3}[ \t]{0,3}(?:\*\*|__|\])?[ \t]{0,3}"
    rf"(?:[:：=→]|{_PAUSE})|\][ \t]"
)


def _label_pattern(words: str) -> re.Pattern[str]:
    """Where such a word is a label: at a line's start, alone as a heading, in an object, a tag, a table's cell."""
    return re.compile(
        rf"(?P<line>{_LED})(?:{words})(?={_EDGE})"
        rf"|(?P<head>{_HEADED})(?:{words})(?=[ \t]{{0,3}}(?:\*\*|__)?[ \t]{{0,12}}$)"
        rf"|(?P<key>\")(?:{words})(?=\"[ \t]{{0,8}}:)|(?P<tag></?)(?:{words})(?=>)"
        rf"|(?P<cell>\|[ \t]{{0,40}}(?:\*\*)?[^\w\n|]{{0,3}})(?:{words})(?=[ \t]{{0,40}}(?:\*\*)?[ \t]{{0,40}}\|)",
        re.IGNORECASE | re.MULTILINE,
    )


def _inline_label_pattern(words: Sequence[str]) -> re.Pattern[str]:
    """Where such a word in capitals is a label behind other words of its line."""
    capitals = _spellings([word.upper() for word in words])
    return re.compile(rf"(?<=[ \t*])(?:{capitals})(?=\*{{0,2}}[ \t]*(?:[:：=]|{_PAUSE}))")


def _statuses(words: Sequence[str]) -> re.Pattern[str]:
    """Where such a word is the status, with nothing behind it."""
    mark = r"(?P<mark>[^\w\n]{1,12}|[^\w\n]{0,12}\n\s{0,6}[^\w\n]{0,4})"
    end = r"[^\w\n,;:?\u2013\u2014-]{0,12}(?:$|[|;<\"]|[ \t*|;/\u2013\u2014-]*(?:SUMMARY|DECISION)\b)"
    return re.compile(rf"(?<=STATUS){mark}(?:{_spellings(words)})(?={end})", re.IGNORECASE | re.MULTILINE)


_WORDS_OF: Mapping[str, Sequence[str]] = {name: words.split("|") for name, words in ruling_words.LABELS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Translations:
    """What is looked for, by the names of the labels: theirs, translated ones, and statuses."""

    english: Mapping[str, re.Pattern[str]]
    places: Mapping[str, re.Pattern[str]]
    beside: Mapping[str, re.Pattern[str]]
    statuses: Mapping[str, Sequence[tuple[str, re.Pattern[str]]]]


@cache  # here for start-up time: few debates have a moderator who rules
def _translations() -> _Translations:
    parted = [(status, words.split("|")) for status, words in ruling_words.STATUSES.items()]
    # "決定" is a label as well: it can be a status only once the labels are known.
    plain = [(status, [word for word in words if word not in _WORDS_OF["DECISION"]]) for status, words in parted]
    early, late = ([(status, _statuses(words)) for status, words in item] for item in (plain, parted))
    return _Translations(
        english={name: _label_pattern(name) for name in _WORDS_OF},
        places={name: _label_pattern(_spellings(words)) for name, words in _WORDS_OF.items()},
        beside={name: _inline_label_pattern(words) for name, words in _WORDS_OF.items()},
        statuses={"STATUS": early, "SUMMARY": early, "DECISION": late},
    )


@cache
def _draft_label(name: str) -> re.Pattern[str]:
    return _label_pattern(_spellings(vote_labels.DRAFT_LABELS[name].split("|")))


def without_copied_form(instructions: str, text: str) -> str:
    """The text without lines that only repeat how it should look, slots and all; the whole where nothing else is left.

    Args:
        instructions: what the prompt says about the form.
        text: the answer.
    """
    copied = _slots(instructions)
    if not any(slot in text for slot in ("[", " or ", "exactly this form")):
        return text
    rows = text.split("\n")
    own = [row for row in rows if key(row) not in copied]
    return "\n".join(own) if len(own) < len(rows) and any(map(key, own)) else text


@lru_cache(maxsize=256)
def _slots(instructions: str) -> frozenset[str]:
    """The lines of a form's instructions that an answer may repeat, as they are compared."""
    slots = [row for row in instructions.split("\n") if "[" in row or row.endswith(":")]
    return frozenset([*map(key, slots), *(key(re.sub(r"[\[\]]", "", row)) for row in slots if " or " in row)])


def in_english(fields: Sequence[Field], text: str) -> str:
    """The text of a ruling or an answer with the labels and the status that its author translated, as in the form.

    A label that stands there in English as well is left as it is: the words may be anybody's. A status is translated
    only where nothing follows it. What counts is decided by the one reader, as everywhere.
    """
    names = {field.name for field in fields}
    folded = text.casefold()
    for name in (name for name in vote_labels.DRAFT_LABELS if name in names and name.casefold() not in folded):
        text = _draft_label(name).sub(lambda label_match, name=name: f"{_text_before(label_match)}{name}", text)
    if not {*_WORDS_OF} <= names:
        return text
    known = _translations()
    for name, statuses in known.statuses.items():
        if known.english[name].search(text) is None:
            text = known.places[name].sub(lambda label_match, name=name: f"{_text_before(label_match)}{name}", text)
            text = known.beside[name].sub(name, text)
        for status, value in statuses:
            text = _with_status(text, status, value)
    return text


_STATUS = re.compile("(?=(STATUS))", re.IGNORECASE)
"""Where the word stands behind which a status is looked for; to find it first takes a third of the time."""


def _with_status(text: str, status: str, value: re.Pattern[str]) -> str:
    pieces: list[str] = []
    place = 0
    for label in _STATUS.finditer(text):
        match = value.match(text, label.end(1)) if label.end(1) >= place else None
        if match:
            pieces += [text[place : match.start()], match["mark"], status]
            place = match.end()
    return "".join((*pieces, text[place:])) if pieces else text


def _text_before(label_match: re.Match[str]) -> str:
    """What stands before a label and is kept."""
    return next(part for part in label_match.groupdict().values() if part is not None)


_ENVELOPE = re.compile(r"\s*<(?P<name>[A-Za-z][\w-]{0,40})>(?P<inside>.*)</(?P=name)>\s*", re.DOTALL)


def from_envelope(text: str) -> str:
    """What stands in the one tag around the whole text; the text where there is none."""
    envelope = _ENVELOPE.fullmatch(text)
    return envelope["inside"] if envelope and f"<{envelope['name']}>" not in envelope["inside"] else text


_POINTING = re.compile(r"\b(?:was|is|were|are|reads|says|said|wrote|writes|with|this|words|line)$")


def is_announced(above: str, *, first: bool) -> bool:
    """Whether the line above gives what follows to somebody else ("Bear wrote:")."""
    folded = fold(above).strip()
    last = re.split(r"[.!?]\s+", folded)[-1]
    if not folded or phrases.INTRO.fullmatch(last) or ruling_words.OWN_LEAD.fullmatch(last):
        return False
    if folded.endswith(":") and len(folded.split()) <= 3 and not phrases.OPENERS.match(folded):
        return True
    closed = re.search(r"[.!?;)\"»。]$", folded) or not (first or _POINTING.search(folded))
    if not folded.endswith(":") and closed:
        return False
    return phrases.REPORTS.search(folded) is not None or phrases.DOUBTS.search(folded) is not None
