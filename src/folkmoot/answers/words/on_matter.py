"""On the matter: whether a sentence behind a vote is recognized as harmless, because it speaks of what is decided.

Whoever takes a vote back, puts it off or hands it over may say so in any words. Whoever gives a reason speaks of the
matter: a candidate, what it proposes, what others have missed. So a sentence is not searched for harm. It must earn its
place: words of the matter speak for it, and so do names, the third person and words of any content; what speaks of the
act of voting, of the text, its reader or its author, of an hour or of somebody who decides speaks against it.

The words stand in ``matter.toml``, with those by which ``weight`` weighs a sentence, and in ``on_matter.toml``.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from folkmoot.answers.plain_text import normal
from folkmoot.answers.words import weight
from folkmoot.answers.words.cues import NAME
from folkmoot.answers.words.remarks import Words

ENOUGH: Mapping[str, float] = {"": 0.8, "follows": 0.2, "granted": 0.85, "clearly": 0.85, "firmly": 2.8}
"""By how many points a sentence must be on the matter.

Less is enough behind a sentence on the matter, which it may go on with ("It can be undone."), more where something in
it may speak against the vote or grants another candidate something, and most where it may put another in the place of
the first.
"""

_UNSURE = 1.65
"""So many points more are needed in a language whose orders and pronouns are not known."""

_WORD = re.compile(rf"{NAME}|[\w'’-]+")
_QUESTION = re.compile("[?？؟]")
_WHY = re.compile(
    r"\W*(?:(?:and|but|so) )?(?:why|warum|wieso|pourquoi|por qu[eéê]|perché|почему|dlaczego|neden|niçin"
    r"|为什么|なぜ|왜|لماذا|क्यों)(?: \w+)?\W*"
    r"|\W*(?:(?:brief|my|short) )?(?:explanations?|justification|rationale|reason(?:s|ing)?)\W*"
    r"|\W*this (?:vote|ballot|choice) reflects (?:my|the) (?!.*\b(?:unless|until|if|but|earlier|previous|wrong)\b).*"
    r"|\W*no doubt about it\W*|\W*(?:\w+: )?as before\W*"
    r"|\W*(?:begin|start|end)(?: (?:of )?(?:ballot|vote|answer))?\W*|\W*(?:final\W+)?(?:true|yes)\W*"
)
"""A heading above reasons, or what begins and ends a form."""

_THING = re.compile(
    r"(?:\b(?!(?:of|do|said|admit|know|like|with|need)\b)([\w'-]+) |^)(?:this|that|it|them|me)(?: (?:one|line|name))?\b"
    r"(?=\W*$|[.,;!]"
    r"| (?:as|for|under|however|whichever|with a|loosely|lightly|back|down|away|off|to me|from me)\b)"
)
"""What an English sentence does something to that it does not name: the vote, or its author."""

_ORDER = re.compile(
    r"(?:^|[,;:] |\bso |\bplease |\band |\bthen )(?:hold|take|treat|keep|leave|park|file|swap|call|consider|read|count"
    r"|mark|put|hand|let|give|ask|wait|watch|mind|note|imagine|pretend|assume|regard|book|log|cross|drop|throw|tear|skip"
    r"|do not|don't|never)\b(?! (?:its|his|her|their|our)\b)"
)
"""How an English sentence tells its reader to do something."""

_SUPPOSED = re.compile(r"(?:if|should|unless|had|were|once|when|as soon as|until)\b")
"""How an English sentence begins that supposes something."""

_JUDGES = re.compile(
    r"\bi(?:'ve|'d|'m| have| had| also| still| just| do| would| did| can| could| really| don't| do not| cannot| can't)*"
    r" (?:find|found|think|thought|believed?|liked?|admit|agreed?|disagree|doubt|trust|asked|ask|read|checked|used?"
    r"|tried|learn(?:ed|t)|see|saw|hoped?|suggest|recommend|valued?|appreciated?|admire|expect|fear|worry|worried|lived?"
    r"|work(?:ed)?|know|knew|need|prefer|compared|looked|weighed|miss(?:ed)?|loved?|enjoyed|respect|understand|said|grant"
    r"|wish|care|heard|noticed|counted|rated?|judged?|suspect|side|remember|say|impressed|grateful|glad|happy)\b"
    r"|\b(?:for|told|gave|showed|convinced|persuaded|swayed|struck|impressed|reassured|won|decided|matters|mattered"
    r"|worries|worried|seems|seemed|tipped|moved) (?:it for |over |to )?(?:me|us)\b"
    r"|\bmy (?:\w+ )?(?:experience|concern|worry|reasons?|view|opinion|questions?|objection|colleagues|users|team)\b"
)
"""How an English author judges, or says what was decisive, and does nothing to the vote."""

_AUTHOR = frozenset(("i", "i'm", "i'd", "i've", "i'll", "me", "mine", "myself"))
_UNSPACED = ("zh", "ja")
_SHORTEST = 3
"""The fewest letters of a word of content."""


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """What ``on_matter.toml`` has for a language.

    Attributes:
        third: subjects that are somebody else, or something of the matter.
        thing: subjects that may be the vote itself.
        lead: what may stand before a subject; only of English.
        act: words of the text, of those who decide, and of what is not meant for good.
        plain: words without content of their own.
    """

    third: frozenset[str]
    thing: frozenset[str]
    lead: frozenset[str]
    act: Words
    plain: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Points:
    """How far a sentence is on the matter.

    Attributes:
        total: the points for it, without those against it.
        anchored: whether anything of the matter is named in it at all.
        language: in which language it was read.
        unknown: whether it is in no language that is known.
    """

    total: float
    anchored: bool
    language: str
    unknown: bool


def is_on_matter(
    text: str,
    is_spoken: Callable[[str], bool] | None = None,
    *,
    own: bool = False,
    how: str = "",
) -> bool:
    """Whether a sentence is recognized as one about what is decided.

    Args:
        text: the folded sentence, with ``NAME`` in place of candidates' names.
        is_spoken: whether an unknown word is one of the question's or the debate's; None where unknown.
        own: whether it speaks of its author.
        how: how firmly it must be so; one of the keys of ``ENOUGH``.
    """
    if _WHY.fullmatch(text) or not re.search(r"[^\W\d_]", text.replace(NAME, "")):
        return True
    if _QUESTION.search(text):
        return False
    points = _points(text, is_spoken, own=own)
    if points.unknown:
        return True
    needed = ENOUGH[how] + _UNSURE * (points.language != "en" and how in ("clearly", "firmly"))
    return points.total >= needed and (points.anchored or how == "follows")


def is_heading(text: str) -> bool:
    """Whether a folded text is a heading above reasons, or what begins and ends a form."""
    return _WHY.fullmatch(text) is not None


def speaks_of_act(text: str) -> bool:
    """Whether a folded sentence speaks of the text or of those who decide, or more than once of the vote.

    Args:
        text: the sentence, with ``NAME`` in place of candidates' names.
    """
    bare = text.replace(NAME, " ")
    weighed, language = weight.weighed(bare), weight.language_of(bare)
    acts = _acts(text, _WORD.findall(text), language, _vocabulary(language))
    return bool(weighed.other) or weighed.against > 1 or acts > 0


@lru_cache(maxsize=8)
def _points(text: str, is_spoken: Callable[[str], bool] | None, *, own: bool) -> _Points:
    bare = text.replace(NAME, " ")
    language = weight.language_of(bare)
    words = _WORD.findall(text.replace(f"{NAME}'s", NAME).replace("’", "'"))
    weighed, vocabulary = weight.weighed(bare, is_spoken), _vocabulary(language)
    heads = _heads(words, language, vocabulary)
    leads, thing = NAME in heads[:1], any(word in vocabulary.thing for word in heads)
    third = any(word in vocabulary.third for word in heads)
    if language in _UNSPACED:
        third = any(text.startswith(word) for word in vocabulary.third)
    if language == "en" and _SUPPOSED.match(text):
        third = leads = False
    names, content = text.count(NAME), _content(words, language, weighed, vocabulary)
    matter = weighed.matter + weighed.weak / 2
    favour = matter + 0.4 * content + leads + third + max(0, names - leads) / 2
    against = 1.5 * weighed.vote + weighed.other + weighed.reader + weighed.turns / 2
    against += weighed.hour * (1 if own or against else 0.5)
    against += _acts(text, words, language, vocabulary)
    against += _english(text, words, thing) if language == "en" else 0.8 * own + thing
    anchored = third or leads or matter >= max(1, (content + matter) / 4) or content + weighed.matter >= _RICH
    unknown = weighed.known * weight.MOST_UNKNOWN < weighed.words >= weight.FEWEST_WORDS and not (
        own or against or names
    )
    return _Points(favour - against, anchored, language, unknown)


_RICH = 6
"""So many words of content make a sentence that is about something, whatever they are."""


def _heads(words: list[str], language: str, vocabulary: _Vocabulary) -> list[str]:
    """The words that may be a sentence's subject."""
    if language != "en":
        return words[:2]
    lead = 0
    while lead < min(3, len(words) - 1) and (words[lead] in vocabulary.lead or words[lead].endswith("ly")):
        lead += 1
    return words[lead : lead + 1]


def _content(words: list[str], language: str, weighed: weight.Weight, vocabulary: _Vocabulary) -> int:
    """How many words have content of their own that is not known."""
    if language in _UNSPACED:
        return 0
    if not vocabulary.plain:
        return min(3, max(0, len(words) - weighed.matter - weighed.weak - weighed.against))
    parts = (part for word in words if word != NAME for part in word.split("'"))
    return sum(
        len(part) >= _SHORTEST and part not in vocabulary.plain and not weight.is_known(language, part)
        for part in parts
    )


def _acts(text: str, words: list[str], language: str, vocabulary: _Vocabulary) -> int:
    if language in _UNSPACED:
        return sum(word in text for word in vocabulary.act.whole)
    return sum(word in vocabulary.act for word in words)


def _english(text: str, words: list[str], thing: bool) -> float:
    """The points against an English sentence by its pronouns and orders."""
    judges = _JUDGES.search(text) is not None
    author = sum(word in _AUTHOR for word in words)
    things = sum(not weight.weighed(match[1] or "").matter for match in _THING.finditer(text))
    points = 1.5 * things + 1.5 * (_ORDER.search(text) is not None)
    points += 1.5 * (thing and not judges)
    if author:
        return points + (0.5 if judges else author + 0.5)
    return points + (0.3 if "my" in words and not judges else 0)


@cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files("folkmoot.answers.words").joinpath("on_matter.toml").read_text("utf-8"))


@cache
def _vocabulary(language: str) -> _Vocabulary:
    rows = {name: normal(row).casefold().split() for name, row in _tables()[language].items()}
    third, thing, lead, plain = (frozenset(rows.get(name, ())) for name in ("third", "thing", "lead", "plain"))
    act = [word.rstrip("~") + "~" for word in rows["act"]] if language == "ko" else rows["act"]
    return _Vocabulary(third, thing, lead, Words.of(act), plain)
