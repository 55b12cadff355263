"""Weight: whether a sentence behind a vote or a decision speaks of the matter, or of the statement and its author.

People take back, put off, bind and hand over what they have decided in any words, so no list of such words is ever
complete. What reasons and acts are made of is common: costs, risks, plans, people, things. So a sentence is weighed:
its words of the matter against those that speak of the vote, to whoever counts it, of an hour to come, of somebody
else who might decide. A sentence that has too little of the matter is asked about, whatever it says.

The words stand in ``matter.toml``. They are looked up and not searched for, so that nothing needs to be compiled.
"""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from folkmoot.answers.plain_text import normal
from folkmoot.answers.words import cues, remarks
from folkmoot.answers.words.heads import LETTER
from folkmoot.answers.words.remarks import Words

KINDS = ("vote", "other", "reader", "hour", "matter", "weak")
"""The kinds of words, the first that has a word counts."""

FEWEST_WORDS = 3
"""The fewest words of a sentence that must speak of something."""

MOST_UNKNOWN = 3
"""More than one of so many words of a sentence must be known; else it is in a language that is not."""

LONG = 6
"""The letters of a German word that may be a participle with its first syllable."""

_SCRIPTS: Mapping[str, str] = {cues.SCRIPTS[language]: language for language in ("ja", "ko", "ar", "hi", "ru", "zh")}
SPACED = ("en", "de", "fr", "es", "pt", "it", "pl", "tr")
UNSPACED = ("zh", "ja")
_UNMISTAKABLE = ("ko", "ar", "hi")
"""Languages that are known by their letters alone, so that no word of grammar needs to be listed."""

_DOING: Mapping[str, frozenset[str]] = {
    "en": frozenset(("we", "they", "he", "she", "should", "could", "would", "will", "must", "might", "still"))
}
"""Behind which words a verb is no word to the reader ("We should still ask for a quote")."""

_WORD = re.compile(f"{LETTER}+(?:-{LETTER}+)*")
_FIGURE = re.compile(r"\d|[%€$£¥₹₽]")
_RUN = re.compile("[\u3005\u3041-\u30ff\u3400-\u9fff]+")
_CLITICS = ("وال", "بال", "فال", "كال", "لل", "ال", "و", "ف", "ب", "ل", "ك", "س")


@dataclass(slots=True)
class Weight:
    """How many words of each kind a sentence has.

    Attributes:
        matter: words of the matter, figures among them.
        weak: words of any matter.
        vote: words of the vote and the text in which it stands.
        other: words of others who might decide, and of deciding.
        reader: words to whoever counts.
        hour: words of an hour to come.
        decides: whether it holds a verb of deciding.
        turns: whether it begins with a word that turns from what stands above.
        known: how many of its words are known in its language.
        words: how many words it has.
    """

    matter: int = 0
    weak: int = 0
    vote: int = 0
    other: int = 0
    reader: int = 0
    hour: int = 0
    decides: bool = False
    turns: bool = False
    known: int = 0
    words: int = 0

    @property
    def against(self) -> int:
        """How many words speak of the statement, of who decides or to the reader; where any do, also of an hour."""
        against = self.vote + self.other + self.reader
        return against + self.hour if against else 0

    @property
    def is_reason(self) -> bool:
        """Whether it is full of words of the matter."""
        return self.matter >= 2 and self.matter > self.against and not self.vote and self.matter > 2 * self.hour

    def is_no_act(self, *, own: bool) -> bool:
        """Whether nothing that could be decided is named in it.

        Args:
            own: whether it speaks of its author.
        """
        if self.matter:
            return self.matter < self.other + self.reader or (own and self.matter <= self.against and not self.decides)
        return bool(self.other or own) or (self._is_plain_talk and self.words > FEWEST_WORDS)

    def is_no_part(self, *, own: bool) -> bool:
        """Whether it adds nothing to an act that stands before it.

        Args:
            own: whether it speaks of its author.
        """
        against = self.vote + self.other + self.reader
        if own:
            return against + self.hour >= self.matter
        return against > self.matter or (not self.matter and self._is_plain_talk)

    @property
    def _is_plain_talk(self) -> bool:
        """Whether it is a sentence of known words, and none of them is of any matter."""
        return not self.weak and self.words >= FEWEST_WORDS and self.known * MOST_UNKNOWN > self.words

    def lacks_matter(self, *, own: bool, names: bool = False) -> bool:
        """Whether it has too few words of the matter to be a reason.

        Args:
            own: whether it speaks of its author.
            names: whether it names a candidate.
        """
        matter = self.matter + names
        if matter:
            return matter < self.against
        if own or self.other or self.reader or (self.vote and self.words >= FEWEST_WORDS):
            return True
        return self._is_plain_talk or bool(self.hour and self.words - self.known < MOST_UNKNOWN)


def weighed(sentence: str, is_matter: Callable[[str], bool] | None = None) -> Weight:
    """The words of a folded sentence by kind, in the language that knows most of them.

    Args:
        sentence: the sentence.
        is_matter: whether an unknown word is one of the question's or the debate's.
    """
    return _weighed_alone(sentence) if is_matter is None else _weighed(sentence, is_matter)


@lru_cache(maxsize=256)
def _weighed_alone(sentence: str) -> Weight:
    return _weighed(sentence, None)


def _weighed(sentence: str, is_matter: Callable[[str], bool] | None) -> Weight:
    sentence = sentence.replace("\u0307", "")
    language = language_of(sentence)
    if language in UNSPACED:
        weight = _weighed_signs(sentence, language)
        weight.matter += is_matter is not None and any(map(is_matter, runs_of(sentence)))
        return weight
    weight = _weighed_words(words_of(sentence), language, is_matter)
    weight.known = weight.words if language in _UNMISTAKABLE else weight.known
    return weight


def language_of(sentence: str) -> str:
    """The language of a folded sentence: by its letters, or the one that knows most of its words."""
    return language_by_letters(sentence) or _likeliest(words_of(sentence))


def needs_pronouns(sentence: str) -> bool:
    """Whether a folded sentence is in a language in which no verb alone names its author."""
    return language_of(sentence) in ("en", "de", "fr") and weighed(sentence).known > 1


def language_by_letters(sentence: str) -> str:
    """The language that is known by a sentence's letters; "" for those of Latin letters."""
    return next((language for letter, language in _SCRIPTS.items() if re.search(letter, sentence)), "")


def words_of(sentence: str) -> Sequence[str]:
    """The words of a folded sentence with blanks."""
    return [word for joined in _WORD.findall(sentence.replace("n't", " not")) for word in joined.split("'")]


def runs_of(sentence: str) -> Sequence[str]:
    """What stands together in a sentence without blanks."""
    return _RUN.findall(sentence)


def _likeliest(words: Sequence[str]) -> str:
    """Which language of Latin letters knows most of these words; the first of several."""
    counts = [sum(known) for known in zip(*map(_knowing, words), strict=True)]
    return SPACED[counts.index(max(counts))] if counts else SPACED[0]


@lru_cache(maxsize=16384)
def _knowing(word: str) -> tuple[bool, ...]:
    """Whether each language of Latin letters knows a word."""
    return tuple(_kind(language, word)[1] for language in SPACED)


def _weighed_words(words: Sequence[str], language: str, is_matter: Callable[[str], bool] | None) -> Weight:
    weight = Weight(words=len(words))
    for place, word in enumerate(words):
        kind, known, turns = _kind(language, word)
        if kind == "reader" and place and words[place - 1] in _DOING.get(language, ()):
            kind = ""
        if kind == "other" and _is_public(language, words, place):
            kind = "matter"
        if kind:
            setattr(weight, kind, getattr(weight, kind) + 1)
        elif _FIGURE.search(word) or (is_matter is not None and not known and is_matter(word)):
            weight.matter += 1
        weight.known += known
        weight.decides = weight.decides or word in remarks.vocabulary(language).decides
        weight.turns = weight.turns or (turns and place == 0)
    return weight


_OURS = frozenset(("my", "our", "mes", "nos", "mis", "nuestros", "nuestras", "meus", "minhas", "nossos", "nossas"))


def _is_public(language: str, words: Sequence[str], place: int) -> bool:
    """Whether a word names many whom a plan concerns ("the neighbours"), and not the author's own people."""
    word, vocabulary = words[place], _vocabulary(language)
    several = language in ("en", "es", "fr", "pt") and word.endswith("s") and word[:-1] in vocabulary["other"]
    return several and place > 0 and words[place - 1] not in _OURS


def _weighed_signs(sentence: str, language: str) -> Weight:
    vocabulary = _vocabulary(language)
    weight = Weight(
        words=len(re.findall(r"[\u3040-\u30ff\u3400-\u9fff]", sentence)) // 2 + len(_FIGURE.findall(sentence))
    )
    weight.decides = any(word in sentence for word in remarks.vocabulary(language).decides.whole)
    weight.turns = any(sentence.startswith(word) for word in vocabulary["turn"].whole)
    for kind in KINDS:
        pattern = _signs(language, kind)
        setattr(weight, kind, len(pattern.findall(sentence)))
        sentence = pattern.sub(" ", sentence)
    weight.matter += len(re.findall(r"[0-9]+", sentence))
    weight.known = weight.words
    return weight


@cache
def _signs(language: str, kind: str) -> re.Pattern[str]:
    return remarks.any_sign(_vocabulary(language)[kind].whole)


@lru_cache(maxsize=16384)
def _kind(language: str, word: str) -> tuple[str, bool, bool]:
    """Which kind a word is of in a language, whether it is known there, and whether it turns."""
    vocabulary = _vocabulary(language)
    forms = forms_of(language, word)
    kind = next((kind for kind in KINDS if any(form in vocabulary[kind] for form in forms)), "")
    turns = word in vocabulary["turn"].whole
    known = bool(kind) or turns or word in vocabulary["grammar"]
    return kind, known, turns


def is_known(language: str, word: str) -> bool:
    """Whether a word is listed in a language."""
    return _kind(language, word)[1]


def is_thing(language: str, word: str) -> bool:
    """Whether a word is one of the matter."""
    return _kind(language, word)[0] == "matter"


def may_be_matter(language: str, word: str) -> bool:
    """Whether a word is one of the matter, or in no list."""
    kind, known, _ = _kind(language, word)
    return kind == "matter" or not known


def things_in_signs(language: str, sentence: str) -> Sequence[str]:
    """The words of the matter in a sentence without blanks."""
    return _signs(language, "matter").findall(sentence)


def is_grammar(word: str) -> bool:
    """Whether a word belongs to the grammar of any language of Latin letters."""
    return any(word in _vocabulary(language)["grammar"] for language in SPACED)


def _is_participle(language: str, word: str) -> bool:
    return language == "de" and len(word) > LONG and word.startswith("ge")


def forms_of(language: str, word: str) -> Sequence[str]:
    """A word, and what is left of it without what its grammar puts before it."""
    return _forms(word) if language == "ar" else (word, word[2:]) if _is_participle(language, word) else (word,)


def _forms(word: str) -> Sequence[str]:
    """An Arabic word, and what is left of it without what is written together with it."""
    return (word, *(word[len(head) :] for head in _CLITICS if word.startswith(head) and len(word) >= len(head) + 2))


@cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files("folkmoot.answers.words").joinpath("matter.toml").read_text("utf-8"))


@cache
def _vocabulary(language: str) -> Mapping[str, Words]:
    rows = _tables()[language]
    return {name: Words.of(listed(rows.get(name, ""), language)) for name in ("grammar", "turn", *KINDS)}


def listed(row: str, language: str) -> list[str]:
    """The words of a row; in Korean each of them takes endings."""
    words = normal(row).casefold().replace("\u0307", "").split()
    return [word.rstrip("~") + "~" for word in words] if language == "ko" else words
