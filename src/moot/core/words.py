"""Words of a text, as they are searched. This file owns which words count, and what their stems are."""

import re


def listed(words: str) -> frozenset[str]:
    """The words of a list, separated by blanks."""
    return frozenset(words.split())


STOP = listed(
    "a about above after again all also although am an and any are around as at be because been before being below "
    "between both but by can could did do does doing done down during each either else even ever every few for from "
    "further had has have having he her here hers him his how however i if in into is it its itself just like many may "
    "me might mine more most much must my nor now of off on once one only onto or other our ours out over own per "
    "quite rather same shall she should since so some still such than that the their theirs them then there therefore "
    "these they this those though through thus to too toward towards under until up upon us very was we were what when "
    "where whether which while who whom whose why will with within would yet you your yours yourself "
    "argue argues answer answers ask care cares fear fears judge judges know knows look looks prefer review reviews "
    "say says want wants"
)
"""Words that say nothing about a matter; those from "argue" on are those with which personas are described."""

_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]|[^\W_]+(?:['’](?=[^\W_])[^\W_]+)?", re.IGNORECASE
)
_VOWEL = re.compile("[aeiouyäöüáéíóúàèìòùâêîôû]")


def stem(word: str) -> str:
    """A word in lower case without an English plural, ``-ing``, ``-ed`` or final ``-e``; never fewer than 3 letters."""
    word = word.casefold().replace("’", "'").removesuffix("'s")
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith(("sses", "xes", "zes", "ches", "shes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        head = word.removesuffix(ending)
        if head != word and len(head) >= 3 and _VOWEL.search(head) and not word.endswith("eed"):
            word = head[:-1] if head[-1] == head[-2] and head[-1] not in "lsz" else head
            break
    return word.removesuffix("e") if len(word) > 3 else word


def stems(text: str) -> list[str]:
    """All words of a text as stems, in order, stop words too; a Chinese, Japanese or Korean sign is a word."""
    return [stem(word) for word in _WORD.findall(text)]


def terms(text: str) -> list[str]:
    """The stems of a text without stop words, in order."""
    return [stem(word) for word in _WORD.findall(text) if word.casefold() not in STOP]
