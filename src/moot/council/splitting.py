"""One task in parts. This file owns where a task comes apart, and who gets which part.

Every piece of the task goes to one agent, in the order in which it stands there; nothing else is added or left out.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")


def pieces(task: str) -> tuple[str, ...]:
    """The items of a list in the task, else its paragraphs, else its sentences; the first kind of which there are two.

    What stands before a list belongs to no item; lines behind an item belong to it. A task of one sentence is one
    piece.
    """
    for found in (_items(task), _paragraphs(task), _sentences(task)):
        if len(found) > 1:
            return found
    return tuple(filter(None, (task.strip(),)))


def share_out(found: Sequence[str], agents: int) -> tuple[str, ...]:
    """So many parts of nearly the same number of pieces, one after the other; no more parts than pieces."""
    parts = min(agents, len(found))
    ends = [len(found) * n // parts for n in range(parts + 1)]
    return tuple("\n".join(found[start:end]) for start, end in pairwise(ends))


def _items(task: str) -> tuple[str, ...]:
    items: list[list[str]] = []
    for line in task.splitlines():
        if _ITEM.match(line):
            items.append([line.strip()])
        elif items and line.strip():
            items[-1].append(line.rstrip())
    return tuple("\n".join(item) for item in items)


def _paragraphs(task: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in re.split(r"\n\s*\n", task) if part.strip())


def _sentences(task: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in _SENTENCE.split(task) if part.strip())
