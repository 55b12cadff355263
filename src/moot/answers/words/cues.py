"""Cues: by which words of fourteen languages authors take back, turn, postpone, doubt and bind what they just said.

The rows stand in ``cues.toml``, a table for each thing that words can do, a row for each language. A row holds
alternatives for folded text with bars between blanks. A stem stands for every word that begins with it and ends in
``~``; all else is a regular expression. ``retraction`` says what the cues mean together.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain

LETTER = r"[\w\u0307\u0900-\u0963\u0966-\u097f\u064b-\u065f]"
"""A letter or a sign that belongs to one, also of Hindi, Arabic and Turkish, but for the stop of Hindi."""

NAME = "\ue000"
"""What stands in a sentence in place of a candidate's name where its other words are weighed."""

SCRIPTS: Mapping[str, str] = {
    "ru": "[а-я]",
    "zh": "[\u3400-\u9fff]",
    "ja": "[\u3041-\u30ff]",
    "ko": "[\uac00-\ud7a3]",
    "ar": "[\u0621-\u064a]",
    "hi": "[\u0900-\u097f]",
}
"""What must stand in a text for it to be searched for the cues of a language; the others are always searched."""

_UNSPACED = ("zh", "ja", "ko")


@cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    import tomllib  # here for start-up time, as the cues themselves
    from importlib.resources import files

    return tomllib.loads(files("moot.answers.words").joinpath("cues.toml").read_text("utf-8"))


def row(name: str, language: str) -> str:
    """The cues of a language in a table, as they are written."""
    return _tables()[name][language]


@cache
def patterns_of(name: str, scripts: tuple[str, ...] = ()) -> tuple[re.Pattern[str], ...]:
    """The pattern of a table for the languages that share their letters, and for each of these scripts that it has."""
    rows = _tables()[name]
    return (_shared_pattern(name), *(_own_pattern(name, language) for language in scripts if language in rows))


@cache
def _shared_pattern(name: str) -> re.Pattern[str]:
    rows = _tables()[name]
    row = "|".join(_row(row, spaced=True) for language, row in rows.items() if language not in SCRIPTS)
    return _with_word_bounds(row, "")


@cache
def _own_pattern(name: str, language: str) -> re.Pattern[str]:
    return _with_word_bounds(_row(_tables()[name][language], spaced=language not in _UNSPACED), language)


@lru_cache(maxsize=64)
def scripts_in(text: str) -> tuple[str, ...]:
    """The languages whose letters stand in a text, which is searched for the cues of many tables."""
    return tuple(language for language, letters in _letters().items() if letters.search(text))


@cache
def _letters() -> Mapping[str, re.Pattern[str]]:
    return {language: re.compile(letters) for language, letters in SCRIPTS.items()}


def _with_word_bounds(row: str, language: str) -> re.Pattern[str]:
    if language in _UNSPACED:
        return re.compile(f"(?:{row})")
    clitic = "(?:و|ف)?" if language == "ar" else ""
    return re.compile(rf"(?<!{LETTER}){clitic}(?:{row})(?!{LETTER})")


def _row(row: str, *, spaced: bool) -> str:
    """A row as one pattern: bars between blanks part the cues, and a stem takes the rest of its word."""
    return re.sub(r"\s+\|\s+", "|", " ".join(row.split())).replace("~", rf"{LETTER}*" if spaced else "")


def patterns_for(table: str, text: str) -> Sequence[re.Pattern[str]]:
    """The patterns of a table whose letters stand in a text."""
    return patterns_of(table, () if text.isascii() else scripts_in(text))


def patterns_of_any(table: str, text: str) -> Sequence[re.Pattern[str]]:
    """The patterns of a table that can match anything in a text: of any language where it is not all in ASCII."""
    return patterns_of(table, () if text.isascii() else tuple(SCRIPTS))


def is_all(table: str, text: str) -> bool:
    """Whether a text is a cue of a table and nothing else."""
    return any(pattern.fullmatch(text) for pattern in patterns_of_any(table, text))


def without(table: str, text: str) -> str:
    """A text without the cues of a table."""
    for pattern in patterns_for(table, text):
        text = pattern.sub("", text)
    return text


def says(table: str, text: str, *, begins: bool = False) -> bool:
    """Whether a text holds a cue of a table, or begins with one."""
    patterns = patterns_for(table, text)
    return any(pattern.match(text) if begins else pattern.search(text) for pattern in patterns)


def begins(table: str, text: str) -> str:
    """The text where it begins with a cue of a table; "" where not."""
    return text if text and says(table, text, begins=True) else ""


SAYING_EXTRA = 2
"""The most words beside those of a saying that leave it one."""


@cache
def _sayings() -> tuple[Sequence[int], Mapping[str, Sequence[int]]]:
    """How many words each known saying has; for each word, the numbers of the sayings that hold it."""
    from importlib.resources import files

    lines = files("moot.answers.words").joinpath("sayings.txt").read_text("utf-8").splitlines()
    sayings = [_words_of(line) for line in lines if line and not line.startswith("#")]
    holding: dict[str, list[int]] = {}
    for number, words in enumerate(sayings):
        for word in words:
            holding.setdefault(word, []).append(number)
    return tuple(map(len, sayings)), holding


@lru_cache(maxsize=64)
def is_saying(sentence: str) -> bool:
    """Whether a folded sentence is a known saying, perhaps in slightly other words ("Rome, too, wasn't built …")."""
    words = _words_of(sentence)
    sizes, holding = _sayings()
    shared = Counter(chain.from_iterable(holding.get(word, ()) for word in words))
    return any(
        (size - number) * 5 <= size and len(words) - number <= SAYING_EXTRA + size // 3
        for size, number in ((sizes[saying], number) for saying, number in shared.items())
    )


_UNSPACED_SIGN = re.compile("[\u3040-\u30ff\u3400-\u9fff]+")
_SPACED_WORD = re.compile(rf"(?:(?!{_UNSPACED_SIGN.pattern}){LETTER})+")


def _words_of(text: str) -> frozenset[str]:
    """The words of a folded text; of a script without blanks, each two signs side by side."""
    spelled = text.replace("n't", " not").replace("\u0307", "")
    pairs = (run[place : place + 2] for run in _UNSPACED_SIGN.findall(spelled) for place in range(max(1, len(run) - 1)))
    return frozenset((*_SPACED_WORD.findall(spelled), *pairs))
