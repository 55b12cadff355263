"""Remarks: sentences in the place of a decision that speak of the debate, its people and the meeting, and of no matter.

A decision names something of the matter: an option, an act, an amount, a date. So the words of a sentence are counted:
those of the debate and of praise (core), those of the room and the hour (scene), those of any matter whatever (plain).
What is left are strangers, and a sentence with strangers may decide something. A sentence that says what has been, or
how its author feels, may have a stranger or two and decides nothing yet; one that only tells what somebody said may
have any number.

The words stand in ``remarks.toml``. They are looked up and not searched for, so that nothing needs to be compiled.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import accumulate, pairwise

from folkmoot.answers.plain_text import normal
from folkmoot.answers.words import cues
from folkmoot.answers.words.heads import LETTER
from folkmoot.core.text import late_pattern

MOST_WORDS = 40
"""The most words of a sentence that may be a remark."""

BEFORE_SUBJECT = 3
"""Among how many words at its beginning the subject of a sentence is looked for."""

MOST_TOLD = 60
"""The most words of a sentence that may tell what somebody said."""

_SCRIPTS: Mapping[str, Sequence[str]] = {
    **{cues.SCRIPTS[language]: (language,) for language in ("ja", "ko", "ar", "hi", "ru")},
    cues.SCRIPTS["zh"]: ("zh", "ja"),
    "[a-z]": ("en", "de", "fr", "es", "pt", "it", "pl", "tr"),
}
"""In which languages a sentence is looked at that holds a letter like this; the first that is found counts.

Japanese is known by its own signs, so they are looked for before those that it has in common with Chinese.
"""

_UNSPACED = ("zh", "ja")
_RUN = re.compile("[\u3005\u3041-\u30ff\u3400-\u9fff]+|[^\\W\u3005\u3041-\u30ff\u3400-\u9fff]+")
_WORD = re.compile(f"{LETTER}+")
_SIGN = re.compile("[\u3041-\u309f]")
"""A sign of Japanese that mostly belongs to the grammar of a sentence."""
LONGEST_SIGNS = 8
_CLITICS = ("وال", "بال", "فال", "كال", "لل", "ال", "و", "ف", "ب", "ل", "ك")
_EXACTLY = re.compile(r"\d|[%€$£¥₹₽]")
"""What no remark holds: a figure or an amount."""


@dataclass(frozen=True, slots=True)
class Words:
    """Words, and stems of words.

    Attributes:
        whole: the words.
        stems: the beginnings of others.
        longest: the letters of the longest stem: of a word without end, no more is looked at.
    """

    whole: frozenset[str]
    stems: frozenset[str]
    longest: int

    @classmethod
    def of(cls, items: Sequence[str]) -> "Words":
        """These words, where ``~`` ends a stem."""
        stems = frozenset(item[:-1] for item in items if item.endswith("~"))
        whole = frozenset(item for item in items if not item.endswith("~"))
        return cls(whole, stems, max(map(len, stems), default=0))

    def __contains__(self, word: object) -> bool:
        text = str(word)
        return text in self.whole or not self.stems.isdisjoint(accumulate(text[: self.longest]))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of remarks in a language, and the patterns of their sentences, by name."""

    core: Words
    scene: Words
    plain: Words
    subject: Words
    decides: Words
    patterns: Mapping[str, re.Pattern[str]]

    def says(self, name: str, text: str) -> bool:
        """Whether a text holds what a pattern is for."""
        return self.patterns[name].search(text) is not None


@dataclass(slots=True)
class Count:
    """How many words of each kind a sentence has.

    Attributes:
        core: words of the debate, of praise and of feelings.
        scene: words of the room and the hour.
        plain: words of any matter whatever.
        strangers: all others.
        about: whether it begins with the debate, its topic or the like.
        topics: how many of its words name the debate or its topic.
        matter: how many of its words stand in the question.
        decides: whether somebody decides, agrees, wins or finds in it.
    """

    core: int = 0
    scene: int = 0
    plain: int = 0
    strangers: int = 0
    about: bool = False
    topics: int = 0
    matter: int = 0
    decides: bool = False

    @property
    def words(self) -> int:
        """How many words it has."""
        return self.core + self.scene + self.plain + self.strangers


def is_remark(sentence: str, is_matter: Callable[[str], bool]) -> bool:
    """Whether a folded sentence is a remark on the debate, or tells what was said in it.

    Args:
        sentence: a sentence, or a part of one between colons and dashes.
        is_matter: whether a word is one of the question's. Then it speaks of the matter here, and a debate about
            meetings is decided in words of meetings.
    """
    sentence = sentence.replace("\u0307", "")
    if _EXACTLY.search(sentence):
        return False
    languages = next((known for letter, known in _SCRIPTS.items() if re.search(letter, sentence)), ())
    counts = {language: counted(language, sentence, is_matter) for language in languages}
    fewest = min((count.strangers for count in counts.values()), default=0)
    most = max((count.core for count in counts.values() if count.strangers == fewest), default=0)
    likely = [
        (language, count) for language, count in counts.items() if (count.strangers, count.core) == (fewest, most)
    ]
    if any(_tells(language, sentence, count) for language, count in likely):
        return True
    return bool(likely) and all(_is_remark_in(language, sentence, count) for language, count in likely)


def looks_back(sentence: str) -> bool:
    """Whether a folded sentence is a remark on what has been."""
    languages = next((known for letter, known in _SCRIPTS.items() if re.search(letter, sentence)), ())
    past = any(vocabulary(language).says("past", sentence) for language in languages)
    return past and is_remark(sentence, lambda _: False)


def is_of_debate(sentence: str) -> bool:
    """Whether a folded sentence has a word of the debate, of praise or of a feeling."""
    languages = next((known for letter, known in _SCRIPTS.items() if re.search(letter, sentence)), ())
    return any(counted(language, sentence, lambda _: False).core > 0 for language in languages)


def _tells(language: str, sentence: str, count: Count) -> bool:
    """Whether a sentence tells what somebody said and draws no conclusion."""
    words = vocabulary(language)
    concludes = words.says("so", sentence) or words.says("ought", sentence)
    return count.words <= MOST_TOLD and not concludes and words.says("told", sentence)


_MUST = re.compile(
    r"\b(?:should|must|soll\w*|muss|müssen|doit|doivent|debe|deben|deve|devem|devono|должн\w+|powinn\w+|musi)\b"
    r"|应|必须|べき|해야|يجب|चाहिए"
)
"""What is to be done, and does not only come."""


def _is_remark_in(language: str, sentence: str, count: Count) -> bool:
    words = vocabulary(language)
    if count.words > MOST_WORDS:
        return False
    if count.about and not count.decides and not _MUST.search(sentence):
        return True
    if words.says("ought", sentence):
        return count.core > 0 and count.strangers == 0
    if not count.decides and _speaks_of_itself(words, count, sentence):
        return True
    past, own = words.says("past", sentence), words.says("self", sentence)
    cries = sentence.endswith(("!", "！")) or words.patterns["cry"].match(sentence) is not None
    if not count.core:
        return count.scene > 0 and past and count.strangers <= (count.words <= 8)
    return count.strangers <= _granted(count, past=past, own=own, cries=cries)


_ASIDE = re.compile("(?:네요|군요|구나|더군요|는군|ですね|ましたね|でしたね|ますね|よね|なあ|(?<!세)요)$")
"""How a sentence ends that shares an impression."""


def _speaks_of_itself(words: Vocabulary, count: Count, sentence: str) -> bool:
    """Whether a sentence in which nobody decides is about what its author has done or feels, or speaks to the two."""
    if words.says("role", sentence) or (not count.matter and words.says("did", sentence)):
        return True
    if _ASIDE.search(sentence.rstrip(" .!。！")):
        return True
    if words.says("courtesy", sentence) and count.strangers <= 3 and not re.search("[,;，；、،]", sentence):
        return True
    cries = words.patterns["cry"].match(sentence) is not None and sentence.endswith(("!", "！"))
    if (cries and count.strangers <= 3) or (count.scene and not count.strangers and words.says("self", sentence)):
        return True
    return words.says("you", sentence) and (count.core > 0 or words.says("self", sentence)) and count.strangers <= 3


def _granted(count: Count, *, past: bool, own: bool, cries: bool) -> int:
    """How many strangers a remark may have: more, the more it has of one."""
    if past and own and count.core >= 2:
        return max(3, count.core // 2)
    if past or own or cries:
        return max(1 if count.core == 1 else 2, count.core // 2)
    if count.topics and count.core >= 2:
        return 2
    return 1 if count.core >= 2 else 0


def counted(language: str, sentence: str, is_matter: Callable[[str], bool]) -> Count:
    """How many words of each kind a folded sentence has in a language."""
    words, count = vocabulary(language), Count()
    spelled = _signs(sentence, words) if language in _UNSPACED else _spaced(sentence)
    joined = {word for pair in pairwise(spelled) for word in pair if "_".join(pair) in words.core.whole}
    for place, word in enumerate(spelled):
        kinds, known = kinds_of(language, word), is_matter(word)
        count.matter += known
        count.decides = count.decides or "decides" in kinds
        if place < BEFORE_SUBJECT and not count.strangers and not known:
            pair = "_".join(spelled[place : place + 2])
            named = "subject" in kinds or pair in words.subject.whole
            count.about = count.about or (named and not _is_compound(language, spelled[place + 1 : place + 2]))
        count.topics += not known and "subject" in kinds
        if word in joined or "core" in kinds:
            count.core, count.plain = count.core + (not known), count.plain + known
        elif "scene" in kinds:
            count.scene, count.strangers = count.scene + (not known), count.strangers + known
        elif "plain" in kinds:
            count.plain += _SIGN.fullmatch(word) is None
        else:
            count.strangers += (len(word) + 1) // 2 if language in _UNSPACED else 1
    return count


def _is_compound(language: str, behind: Sequence[str]) -> bool:
    """Whether the word behind a subject makes another thing of it ("The debate club gets the hall")."""
    return language == "en" and any(not word.endswith(("s", "d")) and not kinds_of(language, word) for word in behind)


@lru_cache(maxsize=4096)
def kinds_of(language: str, word: str) -> frozenset[str]:
    """Which kinds of words of a language a word belongs to."""
    words = vocabulary(language)
    forms = _forms(word) if language == "ar" else (word,)
    kinds = ("core", "scene", "plain", "subject", "decides")
    member_of = {kind for kind in kinds if any(form in getattr(words, kind) for form in forms)}
    if len(word) == 1 and not word.isdigit() and (language not in _UNSPACED or _SIGN.fullmatch(word)):
        member_of.add("plain")
    return frozenset(member_of)


def _spaced(sentence: str) -> list[str]:
    return _WORD.findall(sentence.replace("n't", " not"))


def _forms(word: str) -> Sequence[str]:
    """An Arabic word, and what is left of it without what is written together with it."""
    return (word, *(word[len(head) :] for head in _CLITICS if word.startswith(head) and len(word) >= len(head) + 2))


def _signs(sentence: str, words: Vocabulary) -> list[str]:
    """The words of a sentence without blanks, the longest known ones first; what is unknown stays together."""
    return [word for run in _RUN.findall(sentence) for word in _known_signs(run, words)]


def _known_signs(run: str, words: Vocabulary) -> Iterator[str]:
    start, unknown = 0, ""
    while start < len(run):
        sizes = range(min(LONGEST_SIGNS, len(run) - start), 0, -1)
        size = next((size for size in sizes if _is_known(run[start : start + size], words)), 0)
        if size and unknown:
            yield unknown
            unknown = ""
        if size:
            yield run[start : start + size]
        else:
            unknown += run[start]
        start += size or 1
    if unknown:
        yield unknown


def _is_known(word: str, words: Vocabulary) -> bool:
    return any(word in known.whole for known in (words.core, words.scene, words.plain, words.decides)) or (
        _SIGN.fullmatch(word) is not None
    )


# ---- the vocabulary --------------------------------------------------------------------------------------------------

_PATTERNS = ("past", "did", "role", "courtesy", "self", "you", "cry", "told", "so", "ought")


@cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files("folkmoot.answers.words").joinpath("remarks.toml").read_text("utf-8"))


@cache
def vocabulary(language: str) -> Vocabulary:
    """The words and patterns of a language."""
    rows = _tables()[language]
    core, scene, around, subject, decides = (
        _listed(rows[name], language) for name in ("core", "scene", "around", "subject", "decides")
    )
    general = [word for table in ("PROCESS", "GENERAL") for word in _general(cues.row(table, language), language)]
    patterns = {name: _pattern(rows[name], spaced=language not in _UNSPACED) for name in _PATTERNS}
    plain = Words.of([*around, *general])
    return Vocabulary(Words.of(core), Words.of(scene), plain, Words.of(subject), Words.of(decides), patterns)


def _listed(row: str, language: str) -> list[str]:
    """The words of a row; in Korean each of them takes endings."""
    words = normal(row).casefold().replace("\u0307", "").split()
    return [word.rstrip("~") + "~" for word in words] if language == "ko" else words


def _pattern(row: str, *, spaced: bool) -> re.Pattern[str]:
    choice = "|".join(re.split(r"\s+\|\s+", row.strip()))
    return late_pattern(rf"(?<!{LETTER})(?:{choice})(?!{LETTER})" if spaced else choice)


def any_sign(words: Iterable[str]) -> re.Pattern[str]:
    """One of these words without blanks, the longest first."""
    return re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))))


_CLASS = re.compile(r"\[([^\]]*)\]")
_SIGNS = re.compile("[\u3005\u3041-\u30ff\u3400-\u9fff]+")
_SIMPLE = re.compile(r"([^\W\d]+)(~|\\w[*+]?|\?)?")
_OWN_LETTERS: Mapping[str, str] = {"ko": "[\uac00-\ud7a3]+", "ar": "[\u0621-\u064a]+~?"}


def _general(row: str, language: str) -> Iterator[str]:
    """The plain words of a row of cues: its single words, stems and signs, without the patterns in it."""
    if language in _UNSPACED:
        yield from (sign for signs in _CLASS.findall(row) for sign in signs if _SIGNS.fullmatch(sign))
        yield from _SIGNS.findall(_CLASS.sub("|", row))
    elif letters := _OWN_LETTERS.get(language):
        yield from (word + "~" * (language == "ko") for word in re.findall(letters, row))
    else:
        words = (_SIMPLE.fullmatch(word) for word in re.split(r"\s+\|\s+", " ".join(row.split())))
        yield from (word[1] + ("~" if word[2] and word[2] != "?" else "") for word in words if word)
