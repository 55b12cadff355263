"""Retraction: whether the words after a vote, an answer or a score take it back, turn from it, postpone it or bind it.

There is one notion for all readers. A text is cut into sentences, and each is looked at by itself. Right behind a
statement (``near``) every sentence may speak about it. In the words of another field (``far``) most sentences speak
about the matter, so only those count that say so themselves.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from folkmoot.answers.plain_text import Spoken
from folkmoot.answers.words import formulas, phrases, vote_labels
from folkmoot.answers.words.cues import NAME, Row, begins, is_all, patterns_for, patterns_of_any, says, without

if TYPE_CHECKING:
    from folkmoot.answers.words.weight import Weight

ABBREVIATED_END = "".join(rf"(?<![^a-z]{title}\.)" for title in ("dr", "prof", "mr", "ms", "mrs", "st"))
"""What must not stand before the blank that ends a sentence."""

SHORT = 90
"""The most characters of a short sentence."""


class Named(Protocol):
    """Says which values a sentence names, and what was said in the debate."""

    @property
    def spoken(self) -> Spoken | None:
        """The words of the debate; None where unknown."""
        ...

    def own(self, text: str) -> bool:
        """Whether it names the stated value."""
        ...

    def other(self, text: str) -> bool:
        """Whether it names another one."""
        ...

    def marked(self, text: str, mark: str) -> str:
        """The sentence with a mark in place of names."""
        ...

    def length(self, text: str) -> int:
        """How many words of it are names."""
        ...


_SENTENCES = re.compile(
    rf"(?<=[.!?…]){ABBREVIATED_END}\s+|(?<=[.!?…])(?=[^\x00-\x7f])|[。！？।؟\n]\s*|\s[\u2013\u2014-]{{1,3}}\s"
    rf"|[()\[\]]|\u2014\u2014"
)
_PARTS = re.compile(r"\s*[,;:،；，、]\s*")
_MARKS = re.compile(
    r"[\s>#+*•\u2013\u2014=\"'`«»“”„(\[{|~_-]*(?:\d{1,2}[.)]\s+)?"
    r"(?:(?:p\. ?s\.?|ps|n\. ?b\.?|note|edit|update|notiz|nota|remarque|примечание|uwaga|注|追記|추신|ملاحظة|नोट"
    r"|not)\s*[:.]\s*)?"
    r"(?:(?:oh|ah|well|but|and|so|aber|und|mais|et|pero|mas|ma|но|ale|但|不过|でも|しかし|하지만|그런데|لكن"
    r"|लेकिन|पर|ama|fakat)"
    r"[\s,.!…]+)?"
)
_NOTHING = re.compile(
    r"\b(?:nothing|no doubt|not? (?:more|else) to|say (?:any |much )?more|nicht hinzu|rien|tengo nada|tenho nada"
    r"|(?:altro|nulla|niente) da|нечего|nic do"
    r"|que je ne (?:le |l')?\w+ais"
    r"|find|found|gefunden|trouvé|encontr|trovat|наш[ёе]?л|znalaz|bulamad)"
    r"|没有别的|找到|付け加える|見つか|덧붙일|찾|ليس لدي ما|[أا]جد|कुछ नहीं|मिल[ाी]|ekleyecek"
)
"""What is harmless although it is denied: that there is nothing to add, and that no fault was found."""
_FRAGMENT = re.compile(r"(?:is|are|was|were)\b")  # a piece of a sentence that was cut at its brackets
_WIDE = re.compile(r"[\u3400-\u9fff]{2}|[\u3040-\u30ff]{4}|[\uac00-\ud7a3]{4}")
_SIGN = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")
_CLAUSE = re.compile(r"[,、，،;]")
EVEN_IF = re.compile(
    r"(?:even if|auch wenn|wenn auch|selbst wenn|même si|aun si|aunque|ainda que|mesmo que|mesmo se|anche se|даже если"
    r"|хотя|nawet jeśli|choć|即使|就算|たとえ|حتى لو|وإن|भले ही|her ne kadar)(?!\w)"
)
"""What grants something and binds nothing, although it holds a word of conditions."""
_PLAIN_IF = re.compile(
    r"\W*(?:but |and |aber |mais |pero |mas |ma |но |ale |但是?|لكن |लेकिन |ama )?"
    r"(?:if|when|wenn|falls|si|se|если|jeśli|jeżeli|gdy|如果|要是|もし|만약|إذا|اذا|अगर|यदि|eğer)(?!\w)"
)


def taken_back(words: str, named: Named | None = None) -> bool:
    """Whether a statement does not stand as it was made, after what follows it at once.

    Args:
        words: the folded words behind it, without quotations.
        named: which values a sentence names; None where there is no closed choice.
    """
    sentences = sentences_of(words)
    if named and sentences and _is_refusal(sentences[0].text, named):
        sentences = sentences[1:]
        words = "\n".join(sentence.text for sentence in sentences)
    if phrases.TAKEN_BACK.search("\n" + words):
        return True
    if named:
        sentences = sentences_of(_BRACKETED.sub(r"\1\3 (\2)", words))
    follows = False
    for sentence in sentences:
        if _is_against(sentence, named, follows=follows):
            return True
        follows = named is not None and is_on_matter(sentence, named)
    return False


def taken_back_in_fields(fields: Sequence[str], named: Named | None = None) -> bool:
    """Whether a statement does not stand as it was made, after what the other fields behind it say.

    Args:
        fields: the folded words of each field, without quotations. A field begins with what it is asked for, and only
            the end of the last one is the author's last word.
        named: which values a sentence names; None where there is no closed choice.
    """
    for number, words in enumerate(fields, 1):
        sentences = sentences_of(words)
        ends = number == len(fields) and len(sentences) > 1
        if any(_against_far(sentence, named, first=sentence is sentences[0]) for sentence in sentences):
            return True
        if ends and _against_last(sentences[-1], named):
            return True
    return False


def turned(remark: str, named: Named | None = None) -> bool:
    """Whether a remark on a statement's own line speaks against it, in any of its parts."""
    from folkmoot.answers.words import standing  # here for start-up time: few statements are followed by anything

    if standing.is_for_last(remark, begins=True) or standing.is_or_so(remark):
        return True
    sentences = sentences_of(remark)
    parts = [part for sentence in sentences for part in _PARTS.split(sentence.text)]
    return any(_is_of_no_matter(sentence, named) for sentence in sentences) or any(
        _is_against(Sentence.of(part), named, part=True) for part in parts if part.strip()
    )


_BRACKETED = re.compile(r"(\w[^.!?。\n()]{0,200})\(([^()\n]{1,200})\)([^.!?。\n()]{0,200}\w)")
"""Brackets within a sentence, which goes on behind them."""
_MARK = re.compile(r"\s*[,.!:;…\u2013\u2014，。！：；、،؛।-]")


def retracts_above(text: str) -> bool:
    """Whether a sentence in a later paragraph takes back what stands above, or turns against it ("Wait, …")."""
    sentence = Sentence.of(text)
    bare = sentence.text
    heads = (pattern.match(bare) for pattern in patterns_for("TURN", bare))
    if any(head is not None and _MARK.match(bare, head.end()) for head in heads):
        return True
    return sentence.size <= 12 and says("BACK", sentence.without_commas)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence without the marks before it and what only says how its author decides.

    Attributes:
        text: its words.
        size: how many words it has.
        judges: whether anything was left out that says how its author decides ("I would have preferred …").
    """

    text: str
    size: int
    judges: bool = False

    @property
    def without_commas(self) -> str:
        """Its words without commas, which may stand or not ("but only, if …")."""
        return _CLAUSE.sub("", self.text)

    @classmethod
    def of(cls, text: str) -> "Sentence":
        """The sentence of these words."""
        left = without("MANNER", text)
        marks = _MARKS.match(left)
        bare = left[marks.end() if marks else 0 :].strip()
        return cls(bare, size(bare), left != text)


@lru_cache(maxsize=64)
def sentences_of(words: str) -> Sequence[Sentence]:
    """The sentences of a text; those of a field are looked at for each field before it."""
    return tuple(Sentence.of(text) for text in _SENTENCES.split("\n" + words) if text and text.strip())


def is_made_of(tables: Sequence[str], text: str) -> bool:
    """Whether a text has no word beside the cues that one language has in these tables, the first before the others."""
    return strangers(tables, text) == 0


def strangers(tables: Sequence[str], text: str) -> int:
    """How many words a text has beside the cues of these tables, in the language that knows most of them."""
    by_table = (patterns_of_any(table, text) for table in tables)
    return min(_strangers(patterns, text) for patterns in zip(*by_table, strict=True))


def _strangers(patterns: Sequence[Row | re.Pattern[str]], text: str) -> int:
    for pattern in patterns:
        text = pattern.sub("\u2026", text)
    signs = len(_SIGN.findall(text))
    return len(re.findall(r"[^\W_]+", _SIGN.sub(" ", text))) + (signs + 1) // 2


def size(text: str) -> int:
    """How many words a text has; two Chinese signs, or four Japanese or Korean ones, count as one more."""
    return len(text.split()) + len(_WIDE.findall(text))


def _is_against(sentence: Sentence, named: Named | None, *, part: bool = False, follows: bool = False) -> bool:
    """Whether a sentence right behind a statement speaks against it.

    What speaks of the author or of the statement itself counts against it, unless it is known to be harmless.
    """
    text = sentence.without_commas
    if _leaves_alone(sentence.text, text, named):
        return False
    if (rest := without("FIRM", sentence.text)) != sentence.text:
        turning = _CONTRASTED.search(rest) or formulas.UNDONE.search(rest)
        return turning is not None or says("BACK", rest) or says("UNSURE", rest)
    if phrases.EARLIER.search(text) and named and named.other(text) and not named.own(text):
        return False
    if says("THEIRS", text, begins=True) and not says("SELF", text) and not (named and named.other(text)):
        return sentence.size <= 12 and says("PUTS_OFF", text)
    if says("BACK", text) or says("REVOKES", sentence.text) or says("TURN", sentence.text, begins=True):
        return True
    if _own_failed(text, named):
        return True
    if _PLAIN_IF.match(text) and _CLAUSE.search(sentence.text) and phrases.SUPPOSED.search(text):
        return False
    if sentence.size <= 12 and (says("UNSURE", text) or _postpones(text)):
        return True
    if not part and sentence.size <= 4 and _is_sham(text):
        return True
    if _is_conditional(sentence) or _is_exclamation(sentence, named) or _prefers(sentence, named):
        return True
    if part:
        return False
    if is_changed(sentence.text, named):
        return True
    if named is None:
        return retracts_elsewhere(sentence) or about_itself(sentence, named) or _is_of_no_matter(sentence, named)
    if retracts_elsewhere(sentence):
        return not is_on_matter(sentence, named, how="firmly")
    if about_itself(sentence, named):
        return not is_on_matter(sentence, named, how="clearly")
    how = "follows" if follows or sentence.judges else ""
    return not (_is_harmless(text, named) or is_on_matter(sentence, named, how=how))


def _leaves_alone(whole: str, text: str, named: Named | None) -> bool:
    """Whether a sentence is on the form, says that this is the vote, or finds a rival's fault."""
    rival = named if named and named.other(text) and not named.own(text) else None
    faulted = rival is not None and vote_labels.finds_fault(rival.marked(text, NAME))
    return faulted or _states_vote(whole) or vote_labels.FORMAL.fullmatch(whole) is not None


def _states_vote(text: str) -> bool:
    """Whether a folded sentence only says that its author has voted so ("That's my vote.")."""
    return is_all("STATED", text.rstrip(" .!。！।"))


def _is_harmless(text: str, named: Named) -> bool:
    """Whether a sentence is a reason, a courtesy or another remark that is known to leave a statement as it is."""
    from folkmoot.answers.words import on_matter  # here for start-up time: few statements are followed by anything

    if any(says(table, text, begins=True) for table in ("REASON", "THANKS")) or is_all("MERIT", text):
        return True
    if not (says("SAFE", text) or says("ASIDE", text) or formulas.SETTLING.search(text)):
        return False
    return not on_matter.speaks_of_act(named.marked(text, NAME))


_REPEATED = re.compile(rf"(?:to repeat|again|once more)?\W*(?:i vote for|(?:my |final )*(?:vote|answer))\W*{NAME}\W*")


def is_on_matter(sentence: Sentence, named: Named, *, how: str = "") -> bool:
    """Whether a sentence is recognized as one on the matter."""
    from folkmoot.answers.words import on_matter  # here for start-up time: few statements are followed by anything

    text = sentence.text
    marked = named.marked(text, NAME)
    if not named.other(text) and (
        _REPEATED.fullmatch(marked) or (named.own(text) and size(text) == named.length(text))
    ):
        return True
    return on_matter.is_on_matter(marked, named.spoken, own=speaks_of_author(text), how=how)


def _is_sham(text: str) -> bool:
    """Whether a few words say that something is only supposed or not meant."""
    return (says("SUPPOSE", text) or says("SHAM", text)) and not says("THANKS", text, begins=True)


def is_changed(text: str, named: Named | None = None) -> bool:
    """Whether a folded sentence says that a statement is something else, somebody else's, or not for long."""
    from folkmoot.answers.words import standing  # here for start-up time: few statements are followed by anything

    names = named is not None and named.other(text) and not named.own(text)
    return standing.is_for_last(text, begins=True) or standing.is_changed(text, names=names)


_CONTRASTED = re.compile(
    r"\b(?:but|yet|however|(?<!even )though|although|unless|(?<!even )if|aber|doch|jedoch"
    r"|es sei denn|wenn|falls|mais|sauf|si|pero|salvo"
    r"|mas|porém|ma|però|se|но|однако|если|ale|jednak|jeśli|ama|fakat|eğer)\b"
    r"|但|不过|除非|如果|しかし|ただし|でも|지만|그러나|단,|لكن|إلا|إذا|लेकिन|मगर|अगर"
)
"""What binds a promise not to change a statement, or turns from it."""


def _postpones(text: str) -> bool:
    """Whether words put a statement off, and are no courtesy ("I look forward to the next round")."""
    return (_is_postponed(text) or says("PUTS_OFF", text)) and not says("THANKS", text, begins=True)


def _is_postponed(text: str) -> bool:
    """Whether words postpone a statement, or say "not now" or "forget it" and nothing else."""
    return says("LATER", text) or says("NOT_NOW", text, begins=True) or says("UNSAID", text, begins=True)


def _is_conditional(sentence: Sentence) -> bool:
    """Whether a sentence is a condition, and no sentence that only begins with one."""
    text = sentence.without_commas
    if (granted := EVEN_IF.match(text)) and not says("BOUND", text[granted.end() :].lstrip(), begins=True):
        return False
    if says("BOUND", text, begins=True):
        return not (_PLAIN_IF.match(text) and _CLAUSE.search(sentence.text))
    return phrases.LATE_IF.match(text) is not None and not says("SAFE", text) and not says("ASIDE", text)


def _is_exclamation(sentence: Sentence, named: Named | None) -> bool:
    """Whether a sentence is a short exclamation that is not known to be harmless ("Oops, wrong name!")."""
    text = sentence.text
    if (
        not text.endswith("!")
        or sentence.size > 4
        or _FRAGMENT.match(text)
        or len(text) < 3
        or (named is not None and named.own(text))
        or is_all("THANKS", text.rstrip("! "))
    ):
        return False
    return not (says("SAFE", text) or says("ASIDE", text) or says("REASON", text, begins=True))


def speaks_of_author(text: str) -> bool:
    """Whether a folded sentence speaks of its author or of the statement itself."""
    from folkmoot.answers.words import weight  # here for start-up time: few statements are followed by anything

    return says("SELF", text) or (phrases.FIRST_PERSON.match(text) is not None and not weight.needs_pronouns(text))


def about_itself(sentence: Sentence, named: Named | None) -> bool:
    """Whether a sentence speaks of the author or of the statement, and is not known to be harmless."""
    text = sentence.text
    if not speaks_of_author(text) or (named is not None and named.own(text) and not named.other(text)):
        return False
    harmless = (
        says("SAFE", text) or says("ASIDE", text) or formulas.SETTLING.search(text) or says("REASON", text, begins=True)
    )
    if not harmless and _weight(text, named).is_reason:
        return False
    other = named is not None and named.other(text)
    failed = other and (phrases.FAILED.search(text) or says("REASON", text, begins=True))
    return not harmless or (says("DENY", text) and not _NOTHING.search(text) and not failed)


def _weight(text: str, named: Named | None) -> "Weight":
    """The words of a text by what they speak of."""
    from folkmoot.answers.words import weight  # here for start-up time: few statements are followed by anything

    return weight.weighed(text, named.spoken if named else None)


def _is_of_no_matter(sentence: Sentence, named: Named | None) -> bool:
    """Whether a sentence neither speaks of the matter nor is known to be harmless, whatever else it says."""
    text = sentence.text
    known = (says(table, text, begins=True) for table in ("REASON", "THANKS"))
    if not _LETTER.search(text) or _states_vote(text) or any(known):
        return False
    names = named is not None and (named.own(text) or named.other(text))
    weight = _weight(text, named)
    if not weight.lacks_matter(own=speaks_of_author(text), names=names):
        return False
    harmless = says("SAFE", text) or says("ASIDE", text) or is_all("MERIT", text) or formulas.SETTLING.search(text)
    return not harmless or bool(weight.other) or weight.against > 1


def _against_far(sentence: Sentence, named: Named | None, *, first: bool) -> bool:
    """Whether a sentence of another field says that the statement does not stand."""
    text = sentence.text
    if says("BACK", sentence.without_commas):
        return True
    if not first and sentence.size <= 12 and _is_postponed(sentence.without_commas):
        return True
    other = named is not None and named.other(text)
    short = sentence.size <= 4 and not first
    return (other or short) and sentence.size <= 16 and says("TURN", text, begins=True)


def _against_last(sentence: Sentence, named: Named | None) -> bool:
    """Whether the last sentence of all takes a statement in another field back, or binds it."""
    if sentence.size > 12:
        return False
    unsure = says("UNSURE", sentence.without_commas) or _is_exclamation(sentence, named)
    return unsure or _is_conditional(sentence) or _prefers(sentence, named) or about_itself(sentence, named)


_LETTER = re.compile(r"[^\W\d_]")


def _failed(text: str, named: Named) -> bool:
    """Whether a sentence says no more than that another one did not convince ("Ben has not convinced me")."""
    match = phrases.FAILED.search(text)
    if match is None or named.own(text) or phrases.GREATLY.search(text):
        return False
    return size(text[: match.start()]) <= 4 and named.other(text[: match.start()])


def _own_failed(text: str, named: Named | None) -> bool:
    """Whether a sentence says that the stated one did not convince."""
    failed = phrases.FAILED.search(text)
    return (
        failed is not None
        and named is not None
        and named.own(text[: failed.start()])
        and not phrases.GREATLY.search(text)
    )


def _prefers(sentence: Sentence, named: Named | None) -> bool:
    """Whether a sentence puts another value in the place of the stated one."""
    from folkmoot.answers.words import standing  # here for start-up time: few statements are followed by anything

    text = sentence.text
    if named is None or not named.other(text) or says("ASIDE", text) or _failed(text, named):
        return False
    if phrases.ASIDE.search(text) and not says("PREFER", text):
        return False
    if says("REASON", text, begins=True):
        return False
    if lesser(text) or is_concession(text) or _is_refusal(text, named) or standing.fell_short(text):
        return False
    contrast = _CONTRASTED.search(text, 1)
    if contrast and re.search(r"\w", text[contrast.end() :]) and not named.other(text[contrast.start() :]):
        return not is_on_matter(sentence, named, how="granted")
    turns = says("PREFER", text) or says("SELF", text)
    short = sentence.size - named.length(text)
    if short > 4 and not (sentence.size <= 25 and turns):
        return False
    how = "firmly" if turns or (short <= 3 and not _OWNER.search(named.marked(text, NAME))) else "clearly"
    return not is_on_matter(sentence, named, how=how)


_OWNER = re.compile(rf"{NAME}(?:'s|의|の|的)\s*(?!{phrases.GOODS.pattern})\w")
"""How something is named that belongs to a candidate and is not its whole proposal ("Ann's slides")."""


_REFUSED = re.compile(
    r"(?:and |und |et |y |e |и |i )?(?:not|nicht|pas|no|não|non|не|nie|niet)(?: (?:for|für|pour|por|em|per|за|na|op))? "
)
_APART = re.compile(r"[,;:(](?=\s|$)|[\u2013\u2014]|\s-\s")


def _is_refusal(text: str, named: Named) -> bool:
    """Whether a sentence begins with "not" and another's name alone ("Not Ben: his table has gaps")."""
    refused = _REFUSED.match(text)
    clause = _APART.split(text[refused.end() :])[0] if refused else ""
    alone = bool(clause) and named.other(clause) and size(clause) == named.length(clause)
    return alone and not named.own(text) and not says("TURN", text, begins=True) and "?" not in text


def lesser(text: str) -> bool:
    """Whether a text that names another value only says what is wrong with it."""
    wrong = says("DENY", text) or phrases.LESSER.search(text) is not None
    return wrong and not says("PREFER", text) and not says("TURN", text, begins=True) and not says("SELF", text)


_TURNING = ("PREFER", "SELF", "UNSURE", "BACK")
"""What must not stand in a concession."""


def is_concession(text: str) -> bool:
    """Whether a text only grants somebody else something ("even though Ben argued well")."""
    rest = without("MANNER", without("CONCEDE", text))
    return bool(begins("CONCEDE", text)) and not any(says(table, rest) for table in _TURNING)


def retracts_elsewhere(sentence: Sentence) -> bool:
    """Whether a short sentence takes a statement back in one of many further languages."""
    text = sentence.text
    return 0 < len(text) <= SHORT and (
        formulas.UNDONE.search(text) is not None or formulas.FRAGMENT.search(text) is not None
    )
