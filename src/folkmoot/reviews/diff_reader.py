"""Diffs: what git writes about changed files, as files of an artefact.

A diff in git's format is read strictly: a hunk whose counts are wrong is an error, not a guess. With the new texts at
hand a changed file is shown whole; else it is shown as far as the hunks go.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from folkmoot.core.errors import BriefError
from folkmoot.core.text import counted
from folkmoot.reviews.artefact import ReviewedFile, Row, digest_bytes, normal, shown_path, split_lines

LOCKS = re.compile(
    r"(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|uv\.lock"
    r"|pdm\.lock|Pipfile\.lock|Cargo\.lock|go\.sum|Gemfile\.lock|composer\.lock|flake\.lock|packages\.lock\.json"
    r"|pubspec\.lock|mix\.lock|gradle\.lockfile)$"
)
"""Files that a package manager writes."""

GENERATED = re.compile(r"@generated|\bDO NOT EDIT\b|\.min\.(?:js|css)$")
"""What the first lines, or the name, of a generated file say."""

AROUND = 60
"""The lines before and behind a change that are shown where a file is not shown whole."""

MOST_CHARACTERS = 400_000
"""The most characters of an artefact whose changed files are shown whole."""

MOST_OF_ALL = 2_000_000
"""The most characters of an artefact."""

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@.*")
_ESCAPES: Mapping[str, str] = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    '"': '"',
    "\\": "\\",
}

ReadText = Callable[[str], bytes | None]
"""The new bytes of a path; None where they are not at hand."""


@dataclass(slots=True)
class FileDiff:
    """What a diff says of one file.

    Attributes:
        old: its earlier path; "" for a new file.
        new: its path; "" for a removed file.
        binary: whether the diff shows no lines because it is binary.
        rows: the lines of its hunks; a removed one has the number of the new line behind it.
        renamed: whether the diff says that it was renamed.
        mode: what changed of the file's mode, in words; "" for nothing.
    """

    old: str = ""
    new: str = ""
    binary: bool = False
    rows: list[Row] = field(default_factory=list[Row])
    renamed: bool = False
    mode: str = ""

    @property
    def change(self) -> str:
        """What happened to the file."""
        if not self.old:
            return "added"
        return "removed" if not self.new else "renamed" if self.renamed else "changed"


def read_diff(text: str) -> list[FileDiff]:
    """The files of a diff in git's format; a diff without git's own lines will do.

    Raises:
        BriefError: it is no diff, or a hunk has other lines than its head says.
    """
    lines = text.split("\n")
    files: list[FileDiff] = []
    at = 0
    while at < len(lines):
        line = lines[at].removesuffix("\r")
        if line.startswith("diff --git "):
            old, new = _both_paths(line)
            files.append(FileDiff(old=old, new=new))
        elif line.startswith("--- ") and at + 1 < len(lines) and lines[at + 1].startswith("+++ "):
            if not files or files[-1].rows:
                files.append(FileDiff())
            files[-1].old = _path(line[4:], "a/")
            files[-1].new = _path(lines[at + 1].removesuffix("\r")[4:], "b/")
            at += 1
        elif (match := _HUNK.match(line)) and files:
            at = _read_hunk(files[-1], match, lines, at + 1)
            continue
        elif files and not files[-1].rows:  # what stands behind the hunks is a mail or a message
            _note(files[-1], line)
        at += 1
    if not files and text.strip():
        hint = "; it is coloured: give git diff --no-color" if "\x1b[" in text else ""
        raise BriefError(f"it is no diff: no line begins with 'diff --git' or '---'{hint}", code="no_diff")
    return files


def _both_paths(line: str) -> tuple[str, str]:
    """The two paths of ``diff --git a/x b/x``."""
    words = line.removeprefix("diff --git ")
    if words.startswith('"') or words.endswith('"'):
        left, _, right = words.partition('" "') if words.startswith('"') else words.rpartition(' "')
        return _path(left, "a/"), _path(right, "b/")
    half = (len(words) - 1) // 2  # the paths are the same but for a/ and b/, unless a line for a rename follows
    return _path(words[:half], "a/"), _path(words[half + 1 :], "b/")


def _path(words: str, prefix: str) -> str:
    path = words.partition("\t")[0]
    if path.startswith('"') or path.endswith('"'):
        path = _unescape(path.strip('"'))
    return "" if path == "/dev/null" else normal(path.removeprefix(prefix))


def _unescape(text: str) -> str:
    """A path as git writes it within quotation marks."""

    def byte(match: re.Match[bytes]) -> bytes:
        return bytes([int(match[1], 8)]) if match[1].isdigit() else _ESCAPES[match[1].decode()].encode()

    data = re.sub(rb'\\([0-7]{3}|[abfnrtv"\\])', byte, text.encode())
    return data.decode("utf-8", "surrogateescape")


def _note(file: FileDiff, line: str) -> None:
    """Take in a line that stands before the hunks of a file."""
    match line.split(" "):
        case ["new", "file", "mode", *_]:
            file.old = ""
        case ["deleted", "file", "mode", *_]:
            file.new = ""
        case ["rename", "from", *_]:
            file.old, file.renamed = _path(line.removeprefix("rename from "), ""), True
        case ["rename", "to", *_]:
            file.new, file.renamed = _path(line.removeprefix("rename to "), ""), True
        case ["Binary", "files", *_] | ["GIT", "binary", "patch"]:
            file.binary = True
        case ["new", "mode", mode]:
            file.mode = f"its mode became {mode}"
        case _:
            pass


def _read_hunk(file: FileDiff, match: re.Match[str], lines: Sequence[str], at: int) -> int:
    """Read the lines of a hunk; returns the place of the line behind it."""
    left, right = int(match[2] or 1), int(match[4] or 1)
    number = int(match[3]) + (right == 0)  # without new lines the head names the line before the hunk
    while left > 0 or right > 0:
        line = lines[at] if at < len(lines) else ""
        words = split_lines(line[1:] + "\n")[0]
        match line[:1]:
            case "+":
                file.rows.append(Row("+", number, words))
                right, number = right - 1, number + 1
            case "-":
                file.rows.append(Row("-", number, words))
                left -= 1
            case " " | "":
                file.rows.append(Row(" ", number, words))
                left, right, number = left - 1, right - 1, number + 1
            case "\\":
                pass
            case _:
                left = -1
        at += 1
        if left < 0 or right < 0 or at > len(lines):
            raise BriefError(f"the diff of {file.new or file.old} is damaged at its line {at}", code="no_diff")
    return at


def files_of(diffs: Sequence[FileDiff], read: ReadText = lambda path: None) -> tuple[ReviewedFile, ...]:
    """The files of an artefact: whole where there is room and the text is at hand, else the hunks.

    Args:
        diffs: what the diff says.
        read: has the new bytes of a path.
    """
    files = [_reviewed_file(diff, read(diff.new) if diff.new else b"") for diff in diffs]
    if _size(files) > MOST_CHARACTERS:
        files = [nearest(file) for file in files]
    if (size := _size(files)) > MOST_OF_ALL:
        limit_words = f"at most {MOST_OF_ALL:,} are reviewed at once: review fewer commits, or files"
        problem = f"the change has {size:,} characters; {limit_words}"
        raise BriefError(problem, code="too_large")
    return tuple(files)


def _size(files: Sequence[ReviewedFile]) -> int:
    """The characters of all rows with what stands before them."""
    return sum(len(row.text) + 8 for file in files for row in file.rows)


def left_out(files: Sequence[ReviewedFile]) -> tuple[str, ...]:
    """What the reviewers are not shown, a sentence for each file."""
    return tuple(f"{file.path}: {file.note}" for file in files if file.note)


def _reviewed_file(diff: FileDiff, data: bytes | None) -> ReviewedFile:
    path = shown_path(diff.new or diff.old)
    text = None if data is None else _text(data)
    file = ReviewedFile(
        path=path,
        change=diff.change,
        rows=_without_removed_numbers(diff.rows),
        total=max((row.number for row in diff.rows), default=0),
        sha256=digest_bytes(data) if data else "",
        was=shown_path(diff.old) if diff.renamed else "",
        note=diff.mode,
    )
    if diff.binary or (data is not None and text is None):
        return replace(file, rows=(), total=0, note="the file is binary; its content is not shown")
    if text is None:
        return replace(file, note=_why_hunks(file))
    lines = split_lines(text)
    rows = _fill(diff.rows, lines)
    if rows is None:
        return replace(file, note="only the hunks of the diff are shown, for the file is another now")
    file = replace(file, rows=_without_removed_numbers(rows), total=len(lines))
    return nearest(file) if _is_generated(file, text) else file


def _why_hunks(file: ReviewedFile) -> str:
    """Why no more is shown of a file whose new text is not at hand."""
    if file.rows and all(row.text.startswith("Subproject commit ") for row in file.rows):
        return "it is a submodule; what changed in it is not shown"
    return "only the hunks of the diff are shown" if file.rows or file.change != "added" else "the file is empty"


def _without_removed_numbers(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows; a removed line has no number in the new text."""
    return tuple(row if row.mark != "-" else Row("-", 0, row.text) for row in rows)


def _text(data: bytes) -> str | None:
    """The text of a file; None if it is binary."""
    if b"\0" in data[:8000]:
        return None
    return data.decode("utf-8", "replace")


def _fill(rows: Sequence[Row], lines: Sequence[str]) -> tuple[Row, ...] | None:
    """All lines of the new text with those that the diff removes; None where the diff is of another text."""
    filled: list[Row] = []
    place = 1
    for row in rows:
        if row.number > len(lines) + (row.mark == "-"):
            return None
        filled.extend(Row(" ", number, lines[number - 1]) for number in range(place, row.number))
        place = row.number
        if row.mark != "-":
            if lines[row.number - 1] != row.text:
                return None
            place += 1
        filled.append(row)
    return (*filled, *(Row(" ", number, lines[number - 1]) for number in range(place, len(lines) + 1)))


def _is_generated(file: ReviewedFile, text: str) -> bool:
    """Whether no person wrote the lines of a file, so that the hunks will do."""
    return bool(LOCKS.search(file.path) or GENERATED.search(file.path) or GENERATED.search(text[:500]))


def nearest(file: ReviewedFile) -> ReviewedFile:
    """The file with no more than the lines around its changes, and a note that says so."""
    near: set[int] = set()
    places = [index for index, row in enumerate(file.rows) if row.mark != " "]
    for index in places:
        near.update(range(index - AROUND, index + AROUND + 1))
    rows = tuple(row for index, row in enumerate(file.rows) if index in near)
    if len(rows) == len(file.rows):
        return file
    left_out = f"{counted(len(file.rows) - len(rows), 'line')} more than {AROUND} lines from a change"
    return replace(file, rows=rows, note="; ".join(filter(None, (file.note, left_out))))
