"""Retraction: whether the words after a vote, an answer or a score take it back, turn from it, postpone it or bind it.

There is one notion for all readers. A text is cut into sentences, and each is looked at by itself. Right behind a
statement (``near``) every sentence may speak about it. In the words of another field (``far``) most sentences speak
about the matter, so only those count that say so themselves.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from moot.answers import cues, formulas, phrases

ABBREVIATED_END = "".join(rf"(?<![^a-z]{title}\.)" for title in ("dr", "prof", "mr", "ms", "mrs", "st"))
"""What must not stand before the blank that ends a sentence."""

SHORT = 90
"""The most characters of a short sentence."""

Rivals = Callable[[str], bool]
"""Says whether a sentence names another value."""

_SENTENCES = re.compile(
    rf"(?<=[.!?…]){ABBREVIATED_END}\s+|(?<=[.!?…])(?=[^\x00-\x7f])|[。！？।؟\n]\s*|\s[\u2013\u2014-]{{1,3}}\s|[()\[\]]|\u2014\u2014"
)
_PARTS = re.compile(r"\s*[,;:،；，、]\s*")
_MARKS = re.compile(
    r"[\s>#+*•\u2013\u2014=\"'`«»“”„(\[{|~_-]*(?:\d{1,2}[.)]\s+)?"
    r"(?:(?:p\. ?s\.?|ps|n\. ?b\.?|note|edit|update|notiz|nota|remarque|примечание|uwaga|注|追記|추신|ملاحظة|नोट|not)\s*[:.]\s*)?"
    r"(?:(?:oh|ah|well|but|and|so|aber|und|mais|et|pero|mas|ma|но|ale|但|不过|でも|しかし|하지만|그런데|لكن|लेकिन|पर|ama|fakat)"
    r"[\s,.!…]+)?"
)
_WIDE = re.compile(r"[\u3400-\u9fff]{2}|[\u3040-\u30ff]{4}|[\uac00-\ud7a3]{4}")
_CLAUSE = re.compile(r"[,、，،;]")
_PLAIN_IF = re.compile(
    r"\W*(?:but |and |aber |mais |pero |mas |ma |но |ale |但是?|لكن |लेकिन |ama )?"
    r"(?:if|when|wenn|falls|si|se|если|jeśli|jeżeli|gdy|如果|要是|もし|만약|إذا|اذا|अगर|यदि|eğer)(?!\w)"
)


def taken_back(words: str, rivals: Rivals | None = None, *, near: bool = True) -> bool:
    """Whether a statement does not stand as it was made, after what follows it.

    Args:
        words: the folded words behind it, without quotations.
        rivals: says whether a sentence names another value; None where there is no closed choice.
        near: whether the words follow it at once, and not in another field.
    """
    if near and phrases.TAKEN_BACK.search("\n" + words):
        return True
    return any(
        _against(sentence, rivals) if near else _against_far(sentence, rivals) for sentence in _sentences(words)
    )


def turned(remark: str, rivals: Rivals | None = None) -> bool:
    """Whether a remark on a statement's own line speaks against it, in any of its parts."""
    parts = [part for sentence in _sentences(remark) for part in _PARTS.split(sentence.text)]
    return any(_against(Sentence.of(part), rivals, part=True) for part in parts if part.strip())


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence without the marks before it, and how many words it has."""

    text: str
    size: int

    @property
    def even(self) -> str:
        """Its words without commas, which may stand or not ("but only, if …")."""
        return _CLAUSE.sub("", self.text)

    @classmethod
    def of(cls, text: str) -> "Sentence":
        """The sentence of these words."""
        marks = _MARKS.match(text)
        bare = text[marks.end() if marks else 0 :].strip()
        return cls(bare, size(bare))


def _sentences(words: str) -> Iterator[Sentence]:
    return (Sentence.of(text) for text in _SENTENCES.split(words) if text and text.strip())


def size(text: str) -> int:
    """How many words a text has; two Chinese signs, or four Japanese or Korean ones, count as one more."""
    return len(text.split()) + len(_WIDE.findall(text))


def begins(table: str, text: str) -> str:
    """The text where it begins with a cue of a table; "" where not."""
    return text if text and says(table, text, begins=True) else ""


def says(table: str, text: str, *, begins: bool = False) -> bool:
    """Whether a text holds a cue of a table, or begins with one."""
    for letters, pattern in cues.patterns(table):
        if (letters is None or letters.search(text)) and (pattern.match(text) if begins else pattern.search(text)):
            return True
    return False


def _against(sentence: Sentence, rivals: Rivals | None, *, part: bool = False) -> bool:
    """Whether a sentence right behind a statement speaks against it."""
    text = sentence.even
    if says("BACK", text) or says("TURN", sentence.text, begins=True):
        return True
    if sentence.size <= 12 and (says("LATER", text) or says("UNSURE", text)):
        return True
    if says("BOUND", text, begins=True) and not (_PLAIN_IF.match(text) and _CLAUSE.search(sentence.text)):
        return True
    return _prefers(sentence, rivals) or (not part and old(sentence))


def _against_far(sentence: Sentence, rivals: Rivals | None) -> bool:
    """Whether a sentence of another field says that the statement does not stand."""
    text = sentence.text
    if says("BACK", sentence.even) or (sentence.size <= 12 and says("LATER", sentence.even)):
        return True
    named = rivals is not None and rivals(text)
    return (named or sentence.size <= 4) and sentence.size <= 16 and says("TURN", text, begins=True)


def _prefers(sentence: Sentence, rivals: Rivals | None) -> bool:
    """Whether a sentence puts another value in the place of the stated one."""
    if rivals is None or not rivals(sentence.text) or says("ASIDE", sentence.text) or phrases.ASIDE.search(sentence.text):
        return False
    return sentence.size <= 4 or (sentence.size <= 25 and says("PREFER", sentence.text))


def old(sentence: Sentence) -> bool:
    """Whether a short sentence takes a statement back in one of many further languages."""
    text = sentence.text
    return 0 < len(text) <= SHORT and (
        formulas.UNDONE.search(text) is not None
        or formulas.FRAGMENT.search(text) is not None
        or (formulas.OWN_VOTE.search(text) is not None and not formulas.SETTLING.search(text))
    )
