"""What the agents of a council know beside the task. This file owns how much of it stands in a prompt."""

import json
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from moot.app.program.arguments import whole
from moot.core.text import clip

MARK = 40
"""The most characters of the mark that says how many are missing."""

CHARACTERS = 20_000
ENTRIES = 100
LEAST = 100
"""The fewest characters of an entry that is cut; where there is no room for that the oldest entries go."""


class Context:
    """Named entries that stand in every prompt, as much of them as there is room for.

    Args:
        initial_data: entries to begin with.
        characters: the most characters of a prompt that they take, from 100.
        entries: the most entries that are kept, from 1; beyond that the oldest goes.

    Raises:
        BriefError: a limit that cannot be.
    """

    def __init__(
        self, initial_data: Mapping[str, Any] | None = None, *, characters: int = CHARACTERS, entries: int = ENTRIES
    ) -> None:
        self._characters, self._most = whole("characters", characters, LEAST), whole("entries", entries, 1)
        self._entries: dict[str, Any] = {}
        self._dropped = 0
        for key, value in (initial_data or {}).items():
            self.add(key, value)

    def add(self, key: str, value: Any) -> None:
        """Add an entry, or give the one of that name another value and the newest place."""
        self._entries.pop(key, None)
        self._entries[key] = value
        while len(self._entries) > self._most:
            del self._entries[next(iter(self._entries))]
            self._dropped += 1

    def get(self, key: str, default: Any = None) -> Any:
        """The value of an entry as it was added, whole."""
        return self._entries.get(key, default)

    def copy(self) -> "Context":
        """Another context with the same entries and limits; what is added to one is not in the other."""
        twin = Context(self._entries, characters=self._characters, entries=self._most)
        twin._dropped = self._dropped
        return twin

    def to_prompt_context(self) -> str:
        """The entries as text, oldest first; "" where there are none. What was cut or left out is said in it.

        Short entries stand whole; long ones share the room that is left.
        """
        names, left = list(self._entries), self._dropped
        while names:
            head = f"({left} older {'entry is' if left == 1 else 'entries are'} left out)" if left else ""
            whole = [_entry(name, self._entries[name]) for name in names]
            sizes = [len(each) for each in whole]
            most = _share(sizes, self._characters - len(head) - 2 * (len(names) - (not head)))
            if most >= min(LEAST, max(sizes)) or len(names) == 1:
                return "\n\n".join(filter(None, (head, *(shorten(each, most) for each in whole))))
            names, left = names[1:], left + 1
        return ""


def shorten(text: str, most: int) -> str:
    """At most so many characters, the mark included that says how many are missing; without room for it just cut."""
    if len(text) <= most:
        return text
    return clip(text, most - MARK) if most > MARK else text[:most]


def _entry(name: str, value: Any) -> str:
    """An entry under its name; its lines are indented, so that no value can pass for another entry."""
    if not isinstance(value, str):
        value = _written(value)
    lines = value.splitlines() or [""]
    return "\n".join((f"{' '.join(str(name).split())}:", *(f"  {line}" for line in lines)))


def _written(value: Any) -> str:
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str, indent=2)
    return str(value)


def _share(sizes: Sequence[int], room: int) -> int:
    """The most characters of one entry, so that all of them fit: the short ones leave the rest to the long ones."""
    ordered = sorted(sizes)
    for n, before in enumerate(accumulate(ordered, initial=0)):
        if n == len(ordered):
            break
        share = (room - before) // (len(ordered) - n)
        if share < ordered[n]:
            return share
    return max(ordered)
