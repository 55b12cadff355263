"""The candidates of one question, ready to be found in folded text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from moot.answers.plain_text import key


@dataclass(frozen=True, slots=True)
class Roster:
    """The candidates of one question, ready to be found in folded text."""

    keys: dict[str, str]
    doubled: frozenset[str]
    spot: re.Pattern[str]
    lasts: dict[str, str]
    bare: re.Pattern[str]

    @classmethod
    def of(cls, names: Sequence[str]) -> "Roster":
        """The roster of these names; names that fold to the same text are ambiguous."""
        keys: dict[str, str] = {}
        doubled: set[str] = set()
        for name in names:
            if (folded := key(name)) in keys:
                doubled.add(folded)
            keys.setdefault(folded, name)
        longest = sorted((item for item in keys if item), key=len, reverse=True)
        spots = (r"[ \t]+".join(re.escape(word) for word in text.split()) for text in longest)
        lasts = _lasts(keys)
        bare = "|".join(re.escape(last) for last in sorted(lasts, key=len, reverse=True)) or r"(?!)"
        return cls(
            keys,
            frozenset(doubled),
            re.compile("|".join(spots) or r"(?!)"),
            lasts,
            re.compile(
                rf"(?<![^\W\u2e80-\uffff])(?<![\d'][.,'])(?<!')(?:{bare})(?![^\W\u2e80-\uffff])(?!'(?!s\b)\w)(?!\.\d)"
            ),
        )

    def at(self, text: str, start: int) -> tuple[str, int]:
        """The longest candidate's key that stands at that place as a whole word, and where it ends; "" for none."""
        match = self.spot.match(text, start)
        if not match or not _whole(text, match.end()):
            return "", start
        return " ".join(match[0].split()), match.end()

    def before(self, text: str, end: int) -> tuple[str, int]:
        """The longest candidate's key that ends at that place as a whole word, and where it begins; "" for none."""
        stop = len(text[:end].rstrip(_CLOSERS)) if end else 0
        for name in sorted(filter(None, self.keys), key=len, reverse=True):
            start = stop - len(name)
            if start >= 0 and text.startswith(name, start) and not (start and _glued(text[start - 1], name)):
                return name, start
        return "", stop

    def short(self, word: str) -> str:
        """The candidate's key that a whole name or its bare last word stands for; "" for none."""
        return word if word in self.keys else self.lasts.get(word, "")

    def rivals(self, text: str, own: str) -> list[tuple[int, int]]:
        """Where other candidates are named in a text, also by the bare last word of ``Proposal B``, in order."""
        places = self.others(text, own)
        for match in self.bare.finditer(text):
            inside = any(start <= match.start() < end for start, end in places)
            article = match[0] in ("a", "i") and _ARTICLE.match(text, match.end())
            spelled = self.spot.match(text, max(0, match.end() - len(self.lasts[match[0]])))
            if self.lasts[match[0]] != own and not inside and not article and not spelled:
                places.append(match.span())
        return sorted(places)

    def others(self, text: str, own: str) -> list[tuple[int, int]]:
        """Where other candidates are named in a text; names of one letter only where they are listed."""
        places: list[tuple[int, int]] = []
        for match in self.spot.finditer(text):
            before, name = text[max(0, match.start() - 12) : match.start()], match[0]
            whole = _whole(text, match.end()) and not (before and _glued(before[-1], name))
            listed = len(name) > 1 or re.search(
                r"(?:\b(?:and|or|und|oder|et|ou|y|o|e|en|of|not|than|over)\s|[,/&+|])\W*$", before
            )
            closed = len(name) > 1 or re.match(r"\W*(?:$|[.,;)\]]|and\b|or\b)", text[match.end() : match.end() + 12])
            if whole and name != own and listed and closed:
                places.append(match.span())
        return places


_CLOSERS = " \t\"'`“”„«»‹›」』])}>*~"


def _glued(before: str, name: str) -> bool:
    """Whether a letter before a name makes it part of a longer word."""
    return (before.isalnum() or before in "_-.@#") and before < "\u2e80" and name[0] < "\u2e80"


_ARTICLE = re.compile(r"[ \t]+(?!(?:and|or|then|instead|if|is|was|wins|over)\b)\w")
"""What follows the word "a" or "i" where it is no name."""


def _lasts(keys: Sequence[str] | dict[str, str]) -> dict[str, str]:
    """The last words of names that differ only in them ("proposal a", "proposal b"), with their names."""
    ends: dict[str, list[str]] = {}
    for item in keys:
        stem, _, last = item.rpartition(" ")
        if stem:
            ends.setdefault(stem, []).append(last)
    return {
        last: f"{stem} {last}" for stem, value in ends.items() if len(value) > 1 for last in value if last not in keys
    }


def _whole(text: str, end: int) -> bool:
    """Whether a word that ends there is not part of a longer one (``Agent1`` in ``Agent10``, ``Agent1-b``)."""
    following = text[end : end + 2]
    if not following or text[end - 1] > "\u2e7f" or following[0] > "\u2e7f":
        return True
    if following[0].isalnum() or following[0] in "_-+#@\u2010\u2011":
        return False
    return not (following[0] in ".'" and following[1:].isalnum()) or re.match(r"'s\b", text[end : end + 3]) is not None


@dataclass(frozen=True, slots=True)
class Stated:
    """A statement's value among the candidates: says whether a sentence names it, or another one.

    Attributes:
        roster: the candidates.
        key: the folded name of the stated one; "" where none is.
        author: the folded name of the author, who may sign; "" where unknown.
    """

    roster: Roster
    key: str
    author: str = ""

    def own(self, text: str) -> bool:
        """Whether a sentence names the stated value."""
        return any(" ".join(match[0].split()) == self.key for match in self.roster.spot.finditer(text))

    def other(self, text: str) -> bool:
        """Whether a sentence names another candidate than the stated one and the author."""
        places = self.roster.rivals(text, self.key)
        return any(self.roster.short(" ".join(text[start:end].split())) != self.author for start, end in places)

    def length(self, text: str) -> int:
        """How many words of a sentence are names."""
        return sum(len(match[0].split()) for match in self.roster.spot.finditer(text))
