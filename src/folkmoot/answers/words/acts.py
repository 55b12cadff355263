"""Acts: whether a sentence decides something, and whether a sentence above a decision gives a reason for it.

Both are shown, never assumed. A sentence decides where it names an act, a figure, or things of the matter in the form
of an order, a plan or an option. A sentence gives a reason where it speaks of the matter and neither of its author, nor
of the text, nor to its reader, nor of who else decides. What shows neither is asked about.

The words of acts stand in ``acts.toml``, the others where ``weight`` and ``remarks`` have them.
"""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise

from folkmoot.answers import retraction
from folkmoot.answers.plain_text import fold, is_said
from folkmoot.answers.words import remarks, weight
from folkmoot.answers.words.remarks import Words
from folkmoot.answers.words.weight import SPACED, UNSPACED, Weight

SHORT = 2
"""The fewest words of an order."""

BRIEF = 4
"""The most words of a sentence that names who wins, or an option, and no more."""

MUCH = 2
"""With so many words of the matter, a sentence is no remark on the debate."""

_ANSWERED = re.compile(r"\b(?:yes|no|ja|nein|oui|non|sí|sim|não|sì|да|нет|tak|nie|evet|hayır)$")
"""How a sentence ends that gives an answer ("The answer is no")."""

SPARSE = 7
"""Of so many words of a reason, one must be of the matter."""

_FIGURE = re.compile(r"\d|[%€$£¥₹₽]")
_IN_SHORT = re.compile(
    r"(?!such|so|as|here|there)\w.* it is"
    r"|(?:only |just )?(?:half|a third|a quarter|two thirds|three quarters|all|both|none)(?: of (?:it|them|that))?"
)
"""An option that is hailed ("Postgres it is"), or how much of what was asked for ("Half of it")."""
_DEPENDS = re.compile(
    r"\bdepend(?:s|ing)?\b|\bhäng(?:t|en)\b.*\bab\b|\bkommt (?:ganz )?darauf an\b|\bdépend\w*|\bdepend(?:e|en|em)\b"
    r"|\bdipend\w+"
    r"|завис[ия]т|\bzależ\w+|取决于|次第|달려 ?있|يعتمد على|तय करता|निर्भर|\bbağlı"
)
"""What decides nothing by itself ("The right answer depends on one's taste")."""
_COUNTED = re.compile(r"\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)-[a-z]{3,}")
"""A number in a compound of English ("four-day")."""
_ASKS = ("?", "？", "؟")
_FORMS: Mapping[str, re.Pattern[str]] = {
    "fr": re.compile(r"[^\W\d_]{2,}(?:er|ir|re)"),
    "es": re.compile(r"[^\W\d_]{2,}[aei]r(?:l[oae]s?)?"),
    "pt": re.compile(r"[^\W\d_]{2,}[aeio]r"),
    "it": re.compile(r"[^\W\d_]{2,}[aei]re"),
    "ru": re.compile(r"[^\W\d_]{2,}(?:ть|ти|ться)"),
    "pl": re.compile(r"[^\W\d_]{2,}(?:[aeiyąu]ć|ść|źć)"),
}
"""The infinitive with which a decision may begin, in languages that order with it."""
_OBJECT = re.compile(r"(?:the|an?|our|all|every|no|any|more|less|two|three|four|five|\w+ing|them|up|down|out)")
"""What stands behind an English verb at the beginning of an order."""


_BEFORE_NOUNS = ("the", "a", "an", "our", "his", "her", "their", "this", "that", "of", "in", "at", "on", "with", "by")
"""English words behind which a word for an act is a noun ("the repair shop")."""


def decides(sentence: str, weighed: Weight, is_matter: Callable[[str], bool], *, own: bool) -> bool:
    """Whether a folded sentence names something that is to be done, or chosen.

    Args:
        sentence: the sentence, without marks at its ends.
        weighed: its words by kind.
        is_matter: whether a word is one of the question's or the debate's.
        own: whether it speaks of its author.
    """
    if sentence.endswith(_ASKS):
        return False
    sentence = sentence.replace("\u0307", "")
    clauses = [clause for clause in _CLAUSE.split(sentence) if clause.strip()]
    if len(clauses) > 1 and any(_clause_decides(clause, is_matter) for clause in clauses[1:]):
        return True
    return _decides(sentence, weighed, is_matter, own=own)


_CLAUSE = re.compile(r"\s*[:;：；]\s*|\s[\u2013\u2014]\s")
"""What parts the clauses of a sentence, each of which may decide."""


def _clause_decides(clause: str, is_matter: Callable[[str], bool]) -> bool:
    return _decides(clause, weight.weighed(clause, is_matter), is_matter, own=retraction.speaks_of_author(clause))


def _decides(sentence: str, weighed: Weight, is_matter: Callable[[str], bool], *, own: bool) -> bool:
    languages = _languages(sentence)
    words = tuple(weight.words_of(sentence))
    if len(words) == 1 and any(words[0] in _vocabulary(language)["do"] for language in languages):
        return True
    if weighed.other + weighed.reader > weighed.matter:
        return False
    if _FIGURE.search(sentence) and not own:
        return True
    if (weighed.hour and weighed.matter and not own) or _ANSWERED.search(sentence) or _IN_SHORT.fullmatch(sentence):
        return True
    if _DEPENDS.search(sentence):
        return False
    if languages[0] in UNSPACED:
        return any(_decides_in_signs(sentence, language, is_matter, own=own) for language in languages)
    known = max(sum(_is_known(language, word) for word in words) for language in languages)
    foreign = known * 2 < len(words) and not weight.language_by_letters(sentence)
    if foreign and not own and not any(map(_is_of_room, words)):
        return True
    return any(_decides_in(words, language, is_matter, weighed, own=own) for language in languages)


def is_reason(sentence: str, weighed: Weight, *, own: bool) -> bool:
    """Whether a folded sentence above a decision gives a reason of the matter.

    Args:
        sentence: the sentence, without marks at its ends.
        weighed: its words by kind; words of the debate speak of the matter.
        own: whether it speaks of its author.
    """
    languages = _languages(sentence)
    if own or sentence.endswith(_ASKS) or any(_names_speakers(sentence, language) for language in languages):
        return False
    against = weighed.vote + weighed.other + weighed.reader + weighed.decides
    bare = not _FIGURE.search(sentence)
    points = weighed.turns or any(_points(sentence, language) for language in languages)
    least = max(1 + bool(bare and points) + weighed.hour * bare, -(-weighed.words // SPARSE))
    return weighed.matter >= least and weighed.matter > against + weighed.hour * (against > 0)


MOST_COMPARED = 12
"""The most words of a decision that is compared with the debate; a longer one speaks for itself."""

LEAST_SAID = 60
"""The fewest words of a debate with which a decision can be compared."""


def is_related(words: str, debate: Sequence[str]) -> bool:
    """Whether a decision has a word of the matter in common with the debate, or none can be expected."""
    folded = fold(words)
    if retraction.size(folded) > MOST_COMPARED or re.search(r"\d", folded):
        return True
    if retraction.says("PLAINLY", folded.strip(" \t\"'`[](){}<>*_#-\u2013\u2014"), begins=True):
        return True
    for table in ("UNDECIDED", "PROCESS", "GENERAL"):
        folded = retraction.without(table, folded)
    words_of_matter = re.findall(r"[^\W\d_]{2,}", folded)
    spoken = fold("\n".join(debate))
    if not words_of_matter or retraction.size(spoken) < LEAST_SAID:
        return True
    return any(is_said(word, spoken) for word in words_of_matter)


def shows(sentence: str) -> bool:
    """Whether a folded sentence tells that something follows ("Here is my review")."""
    languages = _languages(sentence)
    if languages[0] in UNSPACED:
        return any(_signs(language, "shows").search(sentence) for language in languages)
    return any(word in _vocabulary(language)["shows"] for language in languages for word in weight.words_of(sentence))


def _decides_in(
    words: Sequence[str], language: str, is_matter: Callable[[str], bool], weighed: Weight, *, own: bool
) -> bool:
    """Whether words decide something in a language with blanks."""
    known = _vocabulary(language)
    strangers = [word for word in words if _is_stranger(language, word)]
    things = [word for word in strangers if weight.is_thing(language, word) or is_matter(word)]
    done = [word for word in words if any(form in known["do"] for form in weight.forms_of(language, word))]
    acts = bool(done)
    chosen = weighed.decides or any("decides" in remarks.kinds_of(language, word) for word in words)
    if own or any(word in known["me"] for word in words):
        orders = words[0] in done and not any(word in known["me"] for word in words[1:2])
        return bool(things or orders) and (chosen or _does(words, done, known["me"]))
    if words[:1] and words[0] in known["light"]:
        return bool(things)
    if words[0] in known["this"] and not _leads(known, words[0]) and not (done or chosen):
        return False
    debated = any(_is_of_debate(language, word) for word in words)
    if words and len(words) <= SHORT and _leads(known, words[0]) and not debated:
        return True
    if len("".join(words)) == 1 or (len(strangers) == len(words) <= 1 + bool(things or acts)):
        return True
    named = words[-1] in strangers and all(word in strangers or weight.is_grammar(word) for word in words)
    if (named and len(words) < BRIEF) or (acts and (strangers or not debated)):
        return True
    if _leads(known, words[0]) and (things or (strangers and not debated)):
        return True
    if words[0] in known.get("if", ()) and weighed.matter and (acts or chosen):
        return True
    if strangers and (
        weighed.matter >= MUCH or _COUNTED.search(" ".join(words)) or any(word in known["option"] for word in words)
    ):
        return True
    if len(words) <= BRIEF and not debated and any(word in known["option"] for word in words):
        return True
    if (things and (chosen or len(strangers) > 1)) or any(map(is_matter, done)):
        return True
    if any(is_matter(word) and not _is_of_debate(language, word) and not weight.is_grammar(word) for word in words):
        return True
    return bool(strangers) and ((chosen and len(words) <= BRIEF) or _is_order(words, language))


def _does(words: Sequence[str], done: Sequence[str], me: Words) -> bool:
    """Whether one of the words for acts is a verb, and no noun of the author's or behind an article."""
    nouns = {*me.whole, *_BEFORE_NOUNS} - {"i", "you"}
    return any(before not in nouns and word in done for before, word in pairwise(("", *words)))


def _leads(known: Mapping[str, Words], word: str) -> bool:
    return word in known["lead"] or word in known["option"]


def _is_order(words: Sequence[str], language: str) -> bool:
    """Whether words begin with a verb as an order does."""
    if language in _FORMS:
        return _FORMS[language].fullmatch(words[0]) is not None
    known, first = _vocabulary(language), words[0]
    new = first not in known["this"] and not _is_of_debate(language, first) and not weight.is_grammar(first)
    return language == "en" and new and _OBJECT.fullmatch(words[1]) is not None


def _decides_in_signs(sentence: str, language: str, is_matter: Callable[[str], bool], *, own: bool) -> bool:
    """Whether a sentence decides something in a language without blanks."""
    rest = _of_debate(language).sub(" ", sentence)
    matter = len(weight.things_in_signs(language, rest)) + any(map(is_matter, weight.runs_of(rest)))
    acts = _signs(language, "do").search(rest) is not None
    if own:
        return acts and matter > 0
    named = _signs(language, "option").search(sentence)
    begins = _signs(language, "lead").match(sentence) is not None or (named is not None and named.start() == 0)
    chosen = named is not None and len(sentence) - len(named[0]) >= SHORT
    return acts or matter > 1 or chosen or (begins and (matter > 0 or len(sentence) <= SHORT * 2))


def _names_speakers(sentence: str, language: str) -> bool:
    """Whether a sentence names its author or its reader by a pronoun."""
    if language in UNSPACED:
        return _signs(language, "me").search(_OURS.sub(" ", sentence)) is not None
    return any(word in _vocabulary(language)["me"] for word in weight.words_of(sentence))


_OURS = re.compile("我们|我們|私たち|私達|我国")
"""The author and others, for whom a decision may be made."""


def _points(sentence: str, language: str) -> bool:
    """Whether a sentence begins with a word that points at what stands above."""
    if language in UNSPACED:
        return _signs(language, "this").match(sentence) is not None
    words = weight.words_of(sentence)
    return bool(words) and words[0] in _vocabulary(language)["this"].whole


@lru_cache(maxsize=16384)
def _is_stranger(language: str, word: str) -> bool:
    """Whether a word is none of the debate's, the room's, the vote's, nor of grammar or any matter."""
    return len(word) > 1 and not remarks.kinds_of(language, word) and weight.may_be_matter(language, word)


@lru_cache(maxsize=16384)
def _is_of_debate(language: str, word: str) -> bool:
    return "core" in remarks.kinds_of(language, word)


@lru_cache(maxsize=16384)
def _is_of_room(word: str) -> bool:
    """Whether a word is of the debate or the room in any language, or begins an order that decides nothing."""
    return any(
        word in _vocabulary(language)["light"] or remarks.kinds_of(language, word) & {"core", "scene"}
        for language in SPACED
    )


@lru_cache(maxsize=16384)
def _is_known(language: str, word: str) -> bool:
    listed = any(word in words for words in _vocabulary(language).values())
    return listed or weight.is_known(language, word) or bool(remarks.kinds_of(language, word))


def _languages(sentence: str) -> Sequence[str]:
    """The languages that know most of a sentence's words."""
    if language := weight.language_by_letters(sentence):
        return UNSPACED if language == "zh" else (language,)
    words = weight.words_of(sentence)
    counts = [sum(_is_known(language, word) for word in words) for language in SPACED]
    return [language for language, count in zip(SPACED, counts, strict=True) if count == max(counts)]


@cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files("folkmoot.answers.words").joinpath("acts.toml").read_text("utf-8"))


@cache
def _vocabulary(language: str) -> Mapping[str, Words]:
    return {name: Words.of(weight.listed(row, language)) for name, row in _tables()[language].items()}


@cache
def _signs(language: str, name: str) -> re.Pattern[str]:
    return remarks.any_sign(_vocabulary(language)[name].whole)


@cache
def _of_debate(language: str) -> re.Pattern[str]:
    """The words of the debate and of the room, of two signs or more."""
    known = remarks.vocabulary(language)
    return remarks.any_sign(word for word in (*known.core.whole, *known.scene.whole) if len(word) > 1)
