"""Formulas with their choice in the middle ("Output ({}) is better"), as judges are often told to end.

Such a formula counts if it ends its sentence, or gives its reason there, and no other choice is joined to it
("Output (a) or Output (b) is better").
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from folkmoot.answers import retraction
from folkmoot.answers.plain_text import fold
from folkmoot.answers.words import phrases

BLANK = "{}"
"""What stands in a formula's name where the choice goes."""

_END = re.compile(
    r"[\s\"'*_`)\]]*(?:[.!。\n]|$)|[ \t\"'*_`)\]]*[.:;!]?[ \t]*\n"
    r"|,? (?:because|since|as it|due to|for (?:several|two|three|many|the following) reasons)\b"
    r"(?![^.\n]*\b(?:if|unless)\b)"
)
_LEADS = re.compile(r"(?:^|[.:]|\bis:?(?: an?)?(?: tie)?(?:, relatively the same)?|\bverdict|\banswer)[\s*_]*$")
_OWN = re.compile(r"[\W_]*(?:(?:therefore|thus|so|hence|overall),? )?(?:my |the )?final verdict is that\b")
"""How a judge leads in its own verdict with a word that else gives it to somebody else."""
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
    any_choice = "|".join(re.escape(key) for key in sorted(keys, key=len, reverse=True))
    opening = rf"(?<!\w){re.escape(before)}" if before[:1].isalnum() else re.escape(before)
    for match in re.finditer(rf"{opening}({any_choice}){re.escape(after)}", words):
        bracketed = not after[-1:].isalnum()
        ends = bracketed or _END.match(words, match.end()) is not None
        joined = _JOINED.search(words, max(0, match.start() - 12), match.start())
        line = words[words.rfind("\n", 0, match.start()) + 1 : match.start()][-200:]
        reported = phrases.REPORTS.search(_OWN.sub("", line))
        sure = bracketed and _LEADS.search(line) is not None and not reported
        yield Filled(keys[match[1]], match.start(), match.end(), ends and joined is None, sure)


_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_AUTHOR = ("SELF", "BACK", "UNSURE")
SHORT = 4
"""The most words of a short question."""
_GOES_ON = re.compile(r"(?:instead, )?(?:it|this|they)\b")


def without_matter(name: str, choices: Sequence[str], own: str, words: str) -> str | None:
    """Words behind a verdict without the sentences that only say how the things are that were judged.

    Such a sentence begins with one of them ("Output (b) ..."), or goes on with it ("Instead, it ..."), and says nothing
    of the author. None where one of them puts another choice first, or a short question doubts the verdict.

    Args:
        name: the formula with its blank.
        choices: what can stand in the blank.
        own: the choice of the verdict.
        words: the folded words behind it.
    """
    opening = fold(name).partition(BLANK)[0]
    if not opening.strip(" ([{"):
        return words
    starts = {f"{opening}{fold(choice)}": choice for choice in choices}
    remaining: list[str] = []
    about = False
    for sentence in _SENTENCE.split(words):
        subject = next((choice for start, choice in starts.items() if sentence.startswith(start)), "")
        about = bool(subject) or (about and _GOES_ON.match(sentence) is not None)
        body = sentence.removeprefix("instead, ")
        strange = any(retraction.says(table, body) for table in _AUTHOR)
        first = subject not in ("", own) and retraction.says("PREFER", body) and not retraction.lesser(body)
        if (first and " than " not in body) or (sentence.endswith("?") and len(sentence.split()) <= SHORT):
            return None
        if not about or strange or "?" in sentence:
            remaining.append(sentence)
            about = False
    return "\n".join(remaining)
