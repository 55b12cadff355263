"""The artefact of a review: files with numbered lines, frozen as the texts that reviewers read and checks are made on.

Each file is one document of the brief. Its text has a head of ``name: value`` lines, an empty line, and a row for each
line: the number, a mark, ``|``, the line. No line of a file can be taken for a head or a row of its own. A sign that
nobody sees, or that turns the direction of writing, stands as its code point, ``<U+202E>``: what is reviewed must not
look like something else.

    path: src/pager.py
    change: changed
    lines: 2
    sha256: 5d41…

     1  |def pages(total):
       -|    return total
     2 +|    return total // 10
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias, cast

from folkmoot.core.brief import Brief, Source
from folkmoot.core.text import clean, code_point, counted, with_code_points

Mark: TypeAlias = Literal[" ", "+", "-"]
"""What a row is: unchanged, added or changed, removed."""

CHANGES = ("added", "changed", "renamed", "removed", "whole")
"""What happened to a file; ``whole`` where no change is reviewed but the file itself."""

HEAD = "artefact"
"""The name of the document that says what is reviewed."""

AUTHOR = "author's words"
"""The name of the document with the author's words on a change; where it is in the library, no reviewer reads it."""

GAP = "..."
"""The row that stands for lines that are left out."""

_CODE_POINT = re.compile(r"<U\+([0-9A-F]{4,6})>")
_ROW = re.compile(r" *(\d*) ([ +-])\|(.*)")
_HARD = re.compile(r"[\n\t\\]")
_NAME = re.compile(r"([a-z0-9 ]+): (.*)")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a file: its mark, its number in the new text (0 for a removed line), and its words."""

    mark: Mark
    number: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedFile:
    """One file of an artefact.

    Attributes:
        path: its path; of a document its name.
        change: what happened to it, one of ``CHANGES``.
        rows: its lines, as far as they are shown.
        total: the number of lines of the new text.
        sha256: the hash of the new bytes; "" where they are not at hand.
        was: its earlier path, if it was renamed.
        note: what is left out, in words; "" for nothing.
    """

    path: str
    change: str
    rows: tuple[Row, ...]
    total: int
    sha256: str = ""
    was: str = ""
    note: str = ""

    def lines(self) -> dict[int, str]:
        """The lines of the new text that are shown, by number."""
        return {row.number: row.text for row in self.rows if row.mark != "-"}

    def touched(self) -> frozenset[int]:
        """The lines of the new text that the change touches: added or changed ones, and those beside removed ones."""
        if self.change == "whole":
            return frozenset(self.lines())
        edges = [index for index, (left, right) in enumerate(pairwise(self.rows), start=1) if left.mark != right.mark]
        runs = [self.rows[start:stop] for start, stop in pairwise([0, *edges, len(self.rows)])]
        beside: set[int] = set()
        for before, run, behind in zip([(), *runs], runs, [*runs[1:], ()], strict=False):
            if run and run[0].mark == "-" and not any(row.mark == "+" for row in (*before[-1:], *behind[:1])):
                beside.update(row.number for row in (*before[-1:], *behind[:1]))
        return frozenset(beside | {row.number for row in self.rows if row.mark == "+"})

    def source(self) -> Source:
        """The file as a document of a brief."""
        head = {"path": self.path, "change": self.change, "was": self.was, "lines": str(self.total)}
        head |= {"sha256": self.sha256, "left out": self.note}
        names = [f"{name}: {clean(value)}" for name, value in head.items() if value]
        text = "\n".join(names) + "\n\n" + "\n".join(_rows(self.rows))
        return Source(name=self.path, text=text, sha256="" if self.change == "removed" else self.sha256)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unseen:
    """A line under review that holds signs which nobody sees.

    Attributes:
        path: its file.
        line: its number in the new text; of a removed line, that of the line behind it, or of the last one.
        mark: what the row is.
        signs: each of them once, by code point and name: ``U+200B ZERO WIDTH SPACE``.
    """

    path: str
    line: int
    mark: Mark
    signs: tuple[str, ...]

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}{' (removed)' if self.mark == '-' else ''}"
        return f"{place} has invisible characters: {', '.join(self.signs)}"


def _unseen_in(file: ReviewedFile) -> Iterator[Unseen]:
    """The lines of a file that are under review and hold such signs."""
    behind = 1
    for row in file.rows:
        behind = behind if row.mark == "-" else row.number + 1
        if (row.mark != " " or file.change == "whole") and (signs := _signs(row.text)):
            line = row.number or max(1, min(behind, file.total))
            yield Unseen(path=file.path, line=line, mark=row.mark, signs=signs)


def _signs(text: str) -> tuple[str, ...]:
    letters = (chr(int(match[1], 16)) for match in _CODE_POINT.finditer(text))
    named = (
        f"{code_point(letter)[1:-1]} {unicodedata.name(letter, '')}".rstrip() for letter in letters if letter != "<"
    )
    return tuple(dict.fromkeys(named))


def _rows(rows: Sequence[Row]) -> Iterator[str]:
    last = 0
    width = len(str(max((row.number for row in rows), default=0)))
    for row in rows:
        if row.mark != "-":
            if row.number > last + 1:
                yield GAP
            last = row.number
        yield f"{row.number or '':>{width}} {row.mark}|{row.text}"


def numbered(text: str, mark: Mark = " ") -> tuple[Row, ...]:
    """The lines of a text as rows, numbered from 1."""
    return tuple(Row(mark, number, line) for number, line in enumerate(split_lines(text), start=1))


def split_lines(text: str) -> list[str]:
    """The lines of a text as every tool counts them: each ends in a line feed, and a return before that is no part."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [with_code_points(line.removesuffix("\r")) for line in lines]


def whole_file(path: str, text: str, sha256: str = "") -> ReviewedFile:
    """A file that is reviewed as it is."""
    rows = numbered(text)
    return ReviewedFile(path=normal(path), change="whole", rows=rows, total=len(rows), sha256=sha256 or digest(text))


def digest(text: str) -> str:
    """The hash of a text's bytes."""
    return digest_bytes(text.encode("utf-8", "surrogatepass"))


def digest_bytes(data: bytes) -> str:
    """The hash of bytes."""
    return hashlib.sha256(data).hexdigest()


def normal(path: str) -> str:
    """A path in the one form in which paths are compared."""
    return unicodedata.normalize("NFC", path)


def shown_path(path: str) -> str:
    """A path as reviewers and records have it: bytes that no text can hold are written as ``\\xe9``."""
    if clean(path) == path and not _HARD.search(path):
        return path
    return "".join(
        letter if clean(letter) == letter and not _HARD.match(letter) else _escaped(letter) for letter in path
    )


def real_path(path: str) -> str:
    """The path of a file that is shown as this one."""
    data = re.sub(rb"\\x([0-9a-f]{2})", lambda match: bytes([int(match[1], 16)]), path.encode())
    return data.decode("utf-8", "surrogateescape")


def _escaped(letter: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in letter.encode("utf-8", "surrogateescape"))


def read_file(source: Source) -> ReviewedFile:
    """The file that a document is; a document that is no file of an artefact is reviewed as it is."""
    head, gap, body = source.text.partition("\n\n")
    values = _facts(head)
    rows = tuple(_read_rows(body.split("\n") if body else ()))
    frozen = gap and values.get("path") == source.name and values.get("change") in CHANGES
    if not frozen or not values.get("lines", "").isdecimal():
        return whole_file(source.name, source.text)
    return ReviewedFile(
        path=source.name,
        change=values["change"],
        rows=rows,
        total=int(values["lines"]),
        sha256=values.get("sha256", ""),
        was=values.get("was", ""),
        note=values.get("left out", ""),
    )


def _facts(text: str) -> dict[str, str]:
    """The values of the lines ``name: value``, by their names."""
    return {match[1]: match[2] for line in text.split("\n") if (match := _NAME.fullmatch(line))}


def _read_rows(lines: Iterable[str]) -> Iterator[Row]:
    for line in lines:
        if match := _ROW.fullmatch(line):
            yield Row(cast(Mark, match[2]), int(match[1] or 0), match[3])


@dataclass(frozen=True, slots=True, kw_only=True)
class Artefact:
    """What is reviewed.

    Attributes:
        files: its files, in order.
        facts: what is known of it: ``kind`` (diff, files, plan), ``base``, ``head``, ``url``, ``left out``.
    """

    files: tuple[ReviewedFile, ...]
    facts: Mapping[str, str]

    def file(self, path: str) -> ReviewedFile | None:
        """The file of that path; None if there is none."""
        return next((file for file in self.files if file.path == normal(path)), None)

    @property
    def sha256(self) -> str:
        """The hash of all that is reviewed: every path with the text that the reviewers read."""
        return digest("\n".join(f"{file.path}\n{digest(file.source().text)}" for file in self.files))

    @property
    def unseen(self) -> tuple[Unseen, ...]:
        """The lines under review that hold signs which nobody sees."""
        return tuple(line for file in self.files for line in _unseen_in(file))

    def sources(self) -> tuple[Source, ...]:
        """The artefact as documents of a brief: what it is, then its files."""
        facts = {**self.facts, "files": str(len(self.files)), "sha256": self.sha256}
        if self.unseen:
            facts["unseen signs"] = "<U+202E> and the like mark invisible characters in the lines"
        head = Source(
            name=HEAD, text="\n".join(f"{name}: {' '.join(clean(fact).split())}" for name, fact in facts.items())
        )
        return (head, *(file.source() for file in self.files))


MOST_NAMED = 20
"""The most lines that are named in words; data has all."""


def unseen_in_words(artefact: Artefact) -> list[str]:
    """What has invisible characters, a sentence for each line."""
    lines = artefact.unseen
    more = counted(len(lines) - MOST_NAMED, "more line")
    rest = [f"invisible characters are in {more}"] if len(lines) > MOST_NAMED else []
    return [*map(str, lines[:MOST_NAMED]), *rest]


def artefact_of(brief: Brief) -> Artefact:
    """The artefact of a brief: what its documents are."""
    facts: dict[str, str] = {}
    files: list[ReviewedFile] = []
    for source in brief.background:
        if source.name == HEAD:
            facts = _facts(source.text)
        elif source.name != AUTHOR:
            files.append(read_file(source))
    return Artefact(files=tuple(files), facts=facts)


def author_words(brief: Brief) -> str:
    """What the author says of the change; "" for nothing."""
    return next((source.text for source in brief.library if source.name == AUTHOR), "")
