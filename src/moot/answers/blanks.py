"""Formulas with a blank in their midst ("Output ({}) is better"). This file owns where such a one stands filled in.

A judge is often told to end with a sentence in which the choice stands in the middle. It counts where it ends its
sentence and no other choice is joined to it ("Output (a) or Output (b) is better").
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from moot.answers import phrases
from moot.answers.plain_text import fold

BLANK = "{}"
"""What stands in a formula's name where the choice goes."""

_END = re.compile(r"[\s\"'*_`)\]]*(?:[.!。\n]|$)|[ \t\"'*_`)\]]*[.:;!]?[ \t]*\n")
_LEADS = re.compile(r"(?:^|[.:]|\bis(?: a)?(?: tie)?|\bverdict|\banswer)[\s*_]*$")
_JOINED = re.compile(r"\b(?:or|and|nor|neither|either|whether|if|not|than)\W*$")


class Filled(NamedTuple):
    """A formula that is filled in: the choice, its place, whether it stands there plainly, or surely, in brackets."""

    value: str
    start: int
    end: int
    plain: bool
    sure: bool


def fill(name: str, choice: str) -> str:
    """The formula with a choice in its blank."""
    return name.replace(BLANK, choice, 1)


def filled(name: str, choices: Sequence[str], words: str) -> Iterator[Filled]:
    """Where a formula stands in folded words with one of the choices in its blank, in order."""
    before, _, after = fold(name).partition(BLANK)
    keys = {fold(choice): choice for choice in choices}
    any_choice = "|".join(re.escape(each) for each in sorted(keys, key=len, reverse=True))
    opening = rf"(?<!\w){re.escape(before)}" if before[:1].isalnum() else re.escape(before)
    for found in re.finditer(rf"{opening}({any_choice}){re.escape(after)}", words):
        bracketed = not after[-1:].isalnum()
        ends = bracketed or _END.match(words, found.end()) is not None
        joined = _JOINED.search(words, max(0, found.start() - 12), found.start())
        line = words[words.rfind("\n", 0, found.start()) + 1 : found.start()][-200:]
        sure = bracketed and _LEADS.search(line) is not None and not phrases.REPORTS.search(line)
        yield Filled(keys[found[1]], found.start(), found.end(), ends and joined is None, sure)
