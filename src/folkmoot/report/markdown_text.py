"""Safe Markdown for any text: escaping of foreign words, and lists, tables, times and dates.

Words of models, names and topics are data. Their own Markdown stays readable, but they add no heading above level 5,
no raw HTML, no image, no link definition, no open code fence and no terminal escape.

Source of the rules: CommonMark 0.31.2 with the tables of GitHub Flavored Markdown.
"""

import re
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from folkmoot.arguments.unmarked import unmarked
from folkmoot.core.text import clean, isolated

_BLANK = re.compile(r"[^\S\n\t]")  # Renderers disagree about which of Unicode's blanks end a mark.
_SPECIAL = re.compile(r"[\\`*\[\]<|~]|(?<![^\W_])_|_(?![^\W_])|(?<!\S)#|&(?=#?\w+;)")
# What may stand in front of a line's own content: blanks, quotation marks, list markers.
_MARKERS = r"(?:[ \t]|>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))*"
_START = re.compile(_MARKERS)
_UNDERLINE = re.compile(rf"({_MARKERS})(=+|-+)[ \t]*")
_HEADING = re.compile(r"(#{1,6})(?=[ \t]|$)")
_FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})(.*)")
_FLOWING = re.compile(r"(?![#>|=~]|-+$|[-+*][ \t]|\d{1,9}[.)][ \t]).")
_LINK = re.compile(r"\]\([ \t]*(?:https?://|mailto:)", re.IGNORECASE)
_MARK = re.compile(r"[`\\<!\]]")
_ODD = re.compile(r"[`\\<!\]#~]|[=-][ \t]*$")
"""What a line must have for any part of it to be changed; most lines have none of it."""
_LEAST_LEVEL = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fence:
    mark: str
    indent: int

    @property
    def end(self) -> str:
        return " " * self.indent + self.mark

    def closed_by(self, body: str, indent: int) -> bool:
        """Whether that line ends the code; behind an indented fence any indent does, since ``block`` takes it back."""
        line = body.rstrip(" \t")
        return len(line) >= len(self.mark) and line == self.mark[0] * len(line) and (indent <= 3 or self.indent > 0)


def inline(text: str, most: int | None = None) -> str:
    """One line of Markdown that shows the words as they are, at most a number of characters."""
    words = " ".join(clean(text).split())
    if most is not None and len(words) > most:
        head = words[: most - 1]
        words = (head if words[most - 1] == " " else head.rpartition(" ")[0] or head).rstrip(" ,;:") + "…"
    return isolated(_SPECIAL.sub(r"\\\g<0>", words))


def code(text: str) -> str:
    """One line of Markdown that shows the words as code."""
    words = " ".join(clean(text).split()).replace("`", "'").replace("|", "¦")
    return f"`{words}`" if words else ""


def quoted(text: str) -> str:
    """A block of Markdown as a block quotation."""
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))


def block(text: str) -> str:
    """A block of Markdown that shows a text with its own markup, as far as that is harmless, and its own lines.

    Only a code fence with an indent of at most 3 that stands alone in its line counts as one. Such a line is a fence
    wherever it stands, so that this reader and every Markdown renderer agree about where code begins and ends.
    """
    lines: list[str] = []
    fence: _Fence | None = None
    free = False  # whether the line before may be one of a paragraph, so that two blanks keep its end
    for raw in _BLANK.sub(" ", clean(text)).strip("\n").rstrip().split("\n"):
        body = raw.strip(" \t")
        indent = len(raw[: len(raw) - len(raw.lstrip(" \t"))].expandtabs(4))
        if fence and body and indent < fence.indent:
            # Here a list item may end and its fence with it, or not: closing it makes that certain.
            lines.append(fence.end)
            fence = None
        if fence is None:
            fence = _opening_fence(body, indent)
            if free and not fence and _FLOWING.match(body):
                lines[-1] += "  "
            free = not fence and body[:1] not in ("", "#", "|")
            lines.append(f"{fence.end}{_language(body)}" if fence else _line(" " * indent + body) if body else "")
        elif fence.closed_by(body, indent):
            lines.append(fence.end)
            fence = None
        else:
            lines.append(" " * indent + body)
    return "\n".join([*lines, fence.end] if fence else lines)


def _opening_fence(body: str, indent: int) -> _Fence | None:
    match = _FENCE.fullmatch(body) if body.startswith(("`", "~")) else None
    return _Fence(mark=match[1], indent=indent) if match and indent <= 3 else None


def _language(body: str) -> str:
    match = re.match(r"[`~]+[ \t]*([\w+#.-]{1,20})", body)
    return match[1] if match else ""


def _line(line: str) -> str:
    """A line outside of code."""
    if not _ODD.search(line):
        return line
    if underline := _UNDERLINE.fullmatch(line):
        front, marks = underline[1], underline[2]
        return f"{front}***" if marks.startswith("---") else f"{front}\\{marks}"
    start = _START.match(line)
    front = start[0] if start else ""
    rest = line[len(front) :]
    if heading := _HEADING.match(rest):
        level = min(6, len(heading[1]) + _LEAST_LEVEL - 1)
        return front + "#" * level + _spans(rest[len(heading[1]) :])
    # Some renderers take ``#word`` for a heading too.
    return front + ("\\" if rest.startswith(("~~~", "#")) else "") + _spans(rest)


def _spans(text: str) -> str:
    """A line's content: code spans stay, everything else loses raw HTML, images, definitions and odd links.

    A code span that goes on in the next line, or over the border of a table's cell, is none: its mark is escaped.
    """
    out: list[str] = []
    at = 0
    while match := _MARK.search(text, at):
        size, piece = _piece(text, match.start())
        out += (text[at : match.start()], piece)
        at = match.start() + size
    return "".join([*out, text[at:]])


def _piece(text: str, at: int) -> tuple[int, str]:
    """How many characters come next as one, and what stands for them."""
    sign, pair = text[at], text[at : at + 2]
    if sign == "`":
        return _code_span(text, at)
    if sign == "\\" and len(pair) == 2 and pair[1] in string.punctuation:
        return 2, pair
    if sign == "<" and len(pair) == 2 and (pair[1].isalpha() or pair[1] in "/!?"):
        return 1, "\\<"
    if pair == "![":
        return 1, "\\!"
    if pair == "]:":
        return 2, "]\\:"
    if pair == "](" and not _LINK.match(text, at):
        return 2, "]\\("
    return 1, sign


def _code_span(text: str, at: int) -> tuple[int, str]:
    size = len(text) - at - len(text[at:].lstrip("`"))
    end = re.compile(rf"(?<!`)`{{{size}}}(?!`)").search(text, at + size)
    if end and "|" not in text[at : end.end()]:
        return end.end() - at, text[at : end.end()]
    return size, "\\`" * size


LONG = 300
"""The most characters of a persona, a reason or a candidate that is mentioned in passing."""


_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)")
_TITLE = re.compile(r"[ \t]*#{1,6}[ \t]+(?=\S)")
_SAID = re.compile(r"[ \t]*>[ \t]?")
_ENDS = (*".,:;!?…", *"。，：；！？、")
"""What ends a row, so that nothing is put there."""


def without_markdown(text: str) -> str:
    """A text without the marks of Markdown, for a line that shows none: lists and headings read as sentences.

    An item ends with a semicolon before the next one, the last one with a full stop before what follows the list. The
    row before a list and a heading end with a colon. What has an end of its own keeps it.
    """
    rows: list[str] = []
    for row in filter(str.strip, text.split("\n")):
        if rows and row[0] in " \t" and _ITEM.match(rows[-1]) and not _ITEM.match(row):
            rows[-1] += f" {row.strip()}"  # an item over several rows
        else:
            rows.append(row)
    return "\n".join(unmarked(_as_sentence(row, below)) for row, below in zip_longest(rows, rows[1:], fillvalue=""))


def _as_sentence(row: str, follows: str) -> str:
    """A row without the mark at its beginning, and with the end that the row behind it asks for."""
    title, item = _TITLE.match(row), _ITEM.match(row)
    mark = title or item or _SAID.match(row)
    words = (row[mark.end() :] if mark else row).strip()
    if not follows or not words or words.rstrip('*_`"”’)')[-1:] in _ENDS:
        return words
    if _ITEM.match(follows):
        return words + (";" if item else ":")
    if title:
        return words + ":"
    return words + "." if item else words


def lead(name: str, text: str) -> str:
    """A name and what it names: in one line where it fits in one, else with the text as a block beneath."""
    body = block(text.strip())
    return f"**{name}:**\n\n{body}" if "\n" in body else f"**{name}:** {body}"


def bullets(lines: Iterable[str]) -> str:
    """A list."""
    return "\n".join(f"- {line}" for line in lines)


def table(heads: Sequence[str], lines: Sequence[Sequence[str]], *, numbers: int) -> str:
    """A table whose last columns, ``numbers`` of them, are aligned right; "" without lines."""
    rule = ["---"] * (len(heads) - numbers) + ["---:"] * numbers
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, rule, *lines)) if lines else ""


def capital(text: str) -> str:
    """A text as it begins a sentence."""
    return text[:1].upper() + text[1:]


def date(moment: str) -> str:
    """A moment in ISO 8601 as a person writes it, in UTC."""
    return f"{moment[:10]} {moment[11:19]} UTC"
