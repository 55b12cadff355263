"""Undone: whether a sentence above, beside or behind a ruling takes it back, or keeps it from counting.

What stands behind a ruling may take it back, put it off, or say that it was a trial or a joke. What stands above it or
in its summary may say so too. Whatever stands above a ruling must lead up to it: tell that it follows, thank, look back
at the debate, or give reasons of the matter.
"""

import re
from collections.abc import Iterator

from folkmoot.answers import retraction
from folkmoot.answers.plain_text import fold
from folkmoot.answers.words import phrases, postponement, ruling_words
from folkmoot.core.text import late_pattern

SENTENCE = re.compile(
    r"(?<=[.!?…])[\"')\]*_”’]*\s+|(?<=[。！？।])\s*(?!\Z)|\n+|(?<=\S)[ \t]+[\u2013\u2014-]{1,2}[ \t]+(?=[A-ZÀ-Ý])"
)
AROUND = " \t\"'`[](){}<>*_#-\u2013\u2014"
ENDS = " .!。！।،,;"


def sentences_of(text: str) -> list[str]:
    """The sentences of a folded text that are not blank."""
    return [sentence for sentence in SENTENCE.split(text) if sentence and sentence.strip()]


def spoken_sentences(words: str) -> Iterator[str]:
    """The folded sentences of a decision that hold a letter, without the marks around them."""
    parts = SENTENCE.split(fold(words))
    return (part.strip(AROUND) for part in parts if re.search(r"[^\W\d_]", part or ""))


LONGEST_THANKS = 14
"""The most words of a sentence that only thanks."""


def is_polite(part: str) -> bool:
    """Whether a part of a sentence only thanks, greets or wishes well."""
    return retraction.size(part) <= LONGEST_THANKS and retraction.says("THANKS", part, begins=True)


def is_harmless(sentence: str) -> bool:
    """Whether a folded sentence behind a decision is known to leave it as it is."""
    known = retraction.says("REASON", sentence, begins=True) or retraction.is_all("SAYING", sentence)
    return known or any(retraction.says(name, sentence) for name in ("SAFE", "RULING", "ASIDE")) or is_polite(sentence)


def takes_back(sentence: str) -> bool:
    """Whether a folded sentence behind a decision takes it back, says that there is none, or puts it off."""
    sentence = retraction.without("MANNER", sentence)
    if (
        _is_drill(sentence.strip(AROUND))
        or _tells_origin(sentence.strip(AROUND))
        or ruling_words.TAKEN_BACK.search(sentence.strip())
        or retraction.says("REVOKES", sentence)
    ):
        return True
    from folkmoot.answers.words import standing  # here for start-up time: only decisions in free words need it

    bare = sentence.strip(AROUND)
    if standing.is_updated(bare) or standing.is_changed(bare):
        return True
    speaks_of_ruling = retraction.says("RULING", sentence) or phrases.OWN_PAST.search(sentence) is not None
    if speaks_of_ruling and retraction.says("DENY", sentence):
        return True
    if postponement.puts_off(bare) or (retraction.size(bare) <= LONGEST_UNDONE and _is_unsure(bare)):
        return True
    if retraction.size(bare) > LONGEST_UNDONE or retraction.is_all("SAYING", bare.rstrip(ENDS)):
        return False
    return ruling_words.NOTHING_DECIDED.search(bare) is not None or retraction.says("BACK", bare)


def _is_unsure(sentence: str) -> bool:
    """Whether the author of a folded sentence is not sure, or has no answer."""
    own = retraction.speaks_of_author(sentence)
    return own and any(retraction.says(table, sentence) for table in ("UNSURE", "TO_COME"))


LONGEST_UNDONE = 10
"""The most words of a sentence behind a decision that says no more than that nothing is decided, or takes it back."""


def calls_it_a_draft(text: str) -> bool:
    """Whether a text beside a decision says that the ruling is a draft, an example or the like."""
    return any(_is_drill(bare) or _is_sham(bare) or _WISHED.search(bare) for bare in spoken_sentences(text))


def _is_sham(sentence: str) -> bool:
    """Whether a folded sentence says of a ruling that it is a draft, an example or the like."""
    short = retraction.size(sentence) <= LONGEST_DRILL
    return short and retraction.says("SHAM", sentence) and retraction.says("RULING", sentence)


def _is_drill(sentence: str) -> bool:
    """Whether a folded sentence only says that this is a trial, an exercise or a joke, or says it of a ruling."""
    if not retraction.says("DRILL", sentence):
        return False
    size = retraction.size(sentence)
    return size <= SHORT_DRILL or (size <= LONGEST_DRILL and retraction.says("RULING", sentence))


def _tells_origin(sentence: str) -> bool:
    """Whether a short folded sentence only says how a text came to stand there ("Copied from last year's minutes")."""
    return retraction.size(sentence) <= LONGEST_UNDONE and retraction.says("ORIGIN", sentence, begins=True)


def is_sham_note(sentence: str) -> bool:
    """Whether a short folded sentence below a ruled line begins as one that calls what stands above it a sham."""
    bare = sentence.strip(AROUND)
    short = retraction.size(bare) <= LONGEST_UNDONE and ":" not in bare
    return short and retraction.says("SHAM", bare, begins=True)


SHORT_DRILL = 3
"""The most words of a sentence that says nothing else ("Just a joke!")."""

_WISHED = re.compile(
    r"\b(?:lines|text|form|ruling|below|following)\b.{0,20}\bwhat .{1,30}\b(?:like|love|wants?|wished?|hopes?)\b"
)
"""How a text beside a ruling says that somebody else wishes it."""

LONGEST_DRILL = 18
"""The most words of a sentence that says it of a ruling."""


_HOLDS = ("SHAM", "DRILL", "SUPPOSE", "LATER", "UNSURE")
"""The tables of what above a ruling keeps it from counting."""


def holds(sentence: str) -> bool:
    """Whether a folded sentence above a ruling keeps it from counting."""
    return any(retraction.says(table, sentence) for table in _HOLDS) or takes_back(sentence)


def leads_up(sentence: str) -> bool:
    """Whether a folded sentence above a ruling leads up to it, thanks, looks back at the debate, or says why."""
    from folkmoot.answers.words import acts, remarks, weight  # here for start-up time: few rulings have anything above

    if is_harmless(sentence) or ruling_words.COURTESY.search(sentence):
        return True
    bare = sentence.strip(AROUND + ENDS)
    weighed, own = weight.weighed(bare), retraction.speaks_of_author(bare)
    known = acts.shows(bare) or remarks.looks_back(sentence) or phrases.OPENERS.match(bare) is not None
    return known or (acts.is_reason(bare, weighed, own=own) and not retraction.says("DENY", bare))


_WANTS = (
    r"(?:says?|wants?|argues?|prefers?|votes?|backs?|supports?|favou?rs?|suggests?|proposes?|is for|sagt|will|möchte"
    r"|meint|schlägt|dit|veut|préfère|propose|dice|quiere|prefiere|propone|diz|quer|prefere|propõe|vuole|preferisce|mówi|chce"
    r"|говорит|хочет)"
)
_HOLDER = rf"[\w'. -]{{1,40}}? {_WANTS} [^,;]+"
POSITIONS = late_pattern(rf"{_HOLDER}(?:[,;] (?:and |but |while )?{_HOLDER})+")
"""What only tells who is for what ("Ada says build, Ben says rent, Cleo says wait")."""

OPEN_POINTS = late_pattern(
    r"[\W_]*(?:(?:(?:key|main|remaining|still|what (?:is|remains)|(?:points?|questions?) that (?:are|remain)|remains?"
    r"|yet|noch|weiterhin|encore) ){0,3}"
    r"(?:open|unresolved|unanswered|outstanding|offen|unklar|unbeantwortet|ouvert|en suspens)"
    r"(?: (?:points?|questions?|issues?|items?|matters?))?"
    r"|(?:open|unresolved|remaining|outstanding) (?:points?|questions?|issues?|items?|matters?)"
    r"|(?:questions|points|issues) (?:to (?:answer|clarify|resolve|settle)|for (?:the )?next round|still open"
    r"|remaining)|offene (?:fragen|punkte)|(?:questions|points) (?:ouverte?s|en suspens)"
    r"|reste à (?:clarifier|régler|trancher)|(?:puntos|preguntas|cuestiones) (?:abiert[ao]s|pendientes)"
    r"|(?:pontos|questões|perguntas) (?:abert[ao]s|em aberto)"
    r"|(?:punti|questioni|domande) (?:apert[ie]|in sospeso)|открытые вопросы|остаётся (?:открытым|выяснить)"
    r"|(?:otwarte|nierozstrzygnięte) (?:pytania|kwestie)|açık (?:kalan )?(?:konular|noktalar|sorular)"
    r"|(?:仍|尚)?(?:未|待)(?:解决|決|决|定)的?(?:问题|問題|点)?|残る論点|未解決(?:の(?:点|論点|問題))?|남은 쟁점"
    r"|미해결 (?:사항|쟁점)"
    r"|النقاط المفتوحة|खुले प्रश्न)[\W_]*"
)
"""A heading above a list of what is still open."""
