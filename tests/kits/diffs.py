"""Diffs as git writes them, made from two texts."""

import difflib
from collections.abc import Iterator


def unified(path: str, old: str, new: str, around: int = 3) -> str:
    """The diff of one file, "" where nothing changes; an empty text is a file that is not there."""
    rows = list(_rows(path, old, new, around))
    return "\n".join([f"diff --git a/{path} b/{path}", *_modes(old, new), *rows, ""]) if rows else ""


def _modes(old: str, new: str) -> list[str]:
    return ["new file mode 100644"] if not old else ["deleted file mode 100644"] if not new else []


def _rows(path: str, old: str, new: str, around: int) -> Iterator[str]:
    left, right = (text.split("\n") for text in (old, new))
    whole = [bool(lines[-1] == "" and lines.pop() == "") for lines in (left, right)]
    names = ("/dev/null" if not old else f"a/{path}", "/dev/null" if not new else f"b/{path}")
    yield from difflib.unified_diff(left, right, *names, n=around, lineterm="")
    if not all(whole):
        yield "\\ No newline at end of file"
