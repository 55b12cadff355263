"""Cues: by which words of fourteen languages authors take back, turn, postpone, doubt and bind what they just said.

The rows stand in ``cues.toml``, a table for each thing that words can do, a row for each language. A row holds
alternatives for folded text with bars between blanks. A stem stands for every word that begins with it and ends in
``~``; all else is a regular expression. ``retraction`` says what the cues mean together.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import chain

from folkmoot.answers.words.heads import LETTER, alternatives, heads_of, heads_of_word

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

    return tomllib.loads(files("folkmoot.answers.words").joinpath("cues.toml").read_text("utf-8"))


def row(name: str, language: str) -> str:
    """The cues of a language in a table, as they are written."""
    return _tables()[name][language]


@cache
def patterns_of(name: str, scripts: tuple[str, ...] = ()) -> "tuple[Row | re.Pattern[str], ...]":
    """The cues of a table for the languages that share their letters, and for each of these scripts that it has."""
    rows = _tables()[name]
    return (_shared_row(name), *(_own_row(name, language) for language in scripts if language in rows))


@cache
def _shared_row(name: str) -> "Row":
    return Row(_row(row) for language, row in _tables()[name].items() if language not in SCRIPTS)


@cache
def _own_row(name: str, language: str) -> "Row | re.Pattern[str]":
    row = _row(_tables()[name][language])
    if language not in _UNSPACED:
        return Row([row], language)
    return re.compile(f"(?:{_RUN.sub(_bounded, row.replace('~', ''))})")


_RUN = re.compile(r"(\\[Sw]|\.|\])([*+])")
"""What runs on to the end of a text without blanks: from each of its signs, if it had no bound."""

LONGEST_RUN = 60
"""The most signs of such a run."""


def _bounded(run: re.Match[str]) -> str:
    return f"{run[1]}{{{'1' if run[2] == '+' else '0'},{LONGEST_RUN}}}"


@lru_cache(maxsize=64)
def scripts_in(text: str) -> tuple[str, ...]:
    """The languages whose letters stand in a text, which is searched for the cues of many tables."""
    return tuple(language for language, letters in _letters().items() if letters.search(text))


@cache
def _letters() -> Mapping[str, re.Pattern[str]]:
    return {language: re.compile(letters) for language, letters in SCRIPTS.items()}


def _row(row: str) -> str:
    """A row as one pattern: bars between blanks part the cues."""
    return re.sub(r"\s+\|\s+", "|", " ".join(row.split()))


OFTEN = 300
"""With more uses, all cues of a row are compiled as one pattern, which is faster then."""


class Row:
    """Cues that are whole words, to be used as a pattern; each is compiled when a word of a text begins as it does.

    So who reads a few texts does not wait until all are compiled. Who reads many gets one pattern of all.
    """

    def __init__(self, rows: Iterable[str], language: str = "") -> None:
        self._clitic = "(?:و|ف)?" if language == "ar" else ""
        self._cues = [cue for row in rows for cue in alternatives(row)]
        self._patterns: dict[int, re.Pattern[str]] = {}
        self._by_head: dict[str, list[int]] = {}
        for number, cue in enumerate(self._cues):
            for head in heads_of(cue):
                self._by_head.setdefault(head, []).append(number)
        self._free = self._by_head.pop("", [])
        self._uses = 0

    def match(self, text: str) -> re.Match[str] | None:
        """As ``re.match``."""
        if whole := self._whole():
            return whole.match(text)
        matches = (self._pattern(number).match(text) for number in self._beginning(text))
        return next(filter(None, matches), None)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """As ``re.fullmatch``."""
        if whole := self._whole():
            return whole.fullmatch(text)
        matches = (self._pattern(number).fullmatch(text) for number in self._beginning(text))
        return next(filter(None, matches), None)

    def search(self, text: str) -> re.Match[str] | None:
        """As ``re.search``."""
        if whole := self._whole():
            return whole.search(text)
        return next(self.finditer(text), None)

    def sub(self, by: str, text: str) -> str:
        """As ``re.sub``, where ``by`` has no references."""
        if whole := self._whole():
            return whole.sub(by, text)
        parts: list[str] = []
        end = 0
        for match in self.finditer(text):
            parts += (text[end : match.start()], by)
            end = match.end()
        return "".join((*parts, text[end:]))

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """As ``re.finditer``, where no cue is empty: one pass, also over a text of nothing but cues."""
        end = 0
        free = self._search_free(text, end)
        for place, numbers in self._places(text):
            while free and free.start() < place:
                yield free
                end = free.end()
                free = self._search_free(text, end)
            matches = (self._pattern(number).match(text, place) for number in numbers if place >= end)
            if match := next(filter(None, matches), None):
                yield match
                end = match.end()
                if free and free.start() < end:
                    free = self._search_free(text, end)
        while free:
            yield free
            free = self._search_free(text, free.end())

    def _beginning(self, text: str) -> list[int]:
        """The numbers of the cues that may stand at the beginning of a text."""
        word = _WORD.match(text)
        heads = _heads_of(word[0], bool(self._clitic)) if word else ()
        return sorted({*self._free, *chain.from_iterable(self._by_head.get(head, ()) for head in heads)})

    def _places(self, text: str) -> Sequence[tuple[int, Sequence[int]]]:
        """Where a word of a text begins as cues do, with their numbers."""
        places_of = _heads_in(text, bool(self._clitic))
        places: dict[int, set[int]] = {}
        for head in self._by_head.keys() & places_of.keys():
            for place in places_of[head]:
                places.setdefault(place, set()).update(self._by_head[head])
        return sorted((place, sorted(numbers)) for place, numbers in places.items())

    def _search_free(self, text: str, start: int) -> re.Match[str] | None:
        return self._any_free.search(text, start) if self._free else None

    def _whole(self) -> re.Pattern[str] | None:
        self._uses += 1
        return self._all if self._uses > OFTEN else None

    @cached_property
    def _all(self) -> re.Pattern[str]:
        return self._compiled("|".join(self._cues))

    @cached_property
    def _any_free(self) -> re.Pattern[str]:
        """The cues that any text may hold, as one pattern."""
        return self._compiled("|".join(self._cues[number] for number in self._free))

    def _pattern(self, number: int) -> re.Pattern[str]:
        if number not in self._patterns:
            self._patterns[number] = self._compiled(self._cues[number])
        return self._patterns[number]

    def _compiled(self, cue: str) -> re.Pattern[str]:
        return re.compile(rf"(?<!{LETTER}){self._clitic}(?:{cue.replace('~', f'{LETTER}*')})(?!{LETTER})")


@lru_cache(maxsize=128)
def _heads_in(text: str, clitic: bool) -> Mapping[str, list[int]]:
    """Where the words of a text begin, by their heads."""
    places: dict[str, list[int]] = {}
    for word in _WORD.finditer(text):
        for head in _heads_of(word[0], clitic):
            places.setdefault(head, []).append(word.start())
    return places


@lru_cache(maxsize=4096)
def _heads_of(word: str, clitic: bool) -> Sequence[str]:
    """The heads of a word; in Arabic, also of what is left of it without "and" at its beginning."""
    bare = heads_of_word(word[1:]) if clitic and word[0] in "وف" else ()
    return tuple({*heads_of_word(word), *bare})


_WORD = re.compile(f"{LETTER}+")


def patterns_for(table: str, text: str) -> "Sequence[Row | re.Pattern[str]]":
    """The patterns of a table whose letters stand in a text."""
    return patterns_of(table, () if text.isascii() else scripts_in(text))


def patterns_of_any(table: str, text: str) -> "Sequence[Row | re.Pattern[str]]":
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


def first_cue(table: str, text: str) -> str:
    """The cue of a table with which a text begins; "" where there is none."""
    matches = (pattern.match(text) for pattern in patterns_of_any(table, text))
    return next((match[0] for match in matches if match), "")


def behind(table: str, text: str) -> str:
    """What stands behind the cue of a table with which a text begins; "" where there is none."""
    cue = first_cue(table, text)
    return text[len(cue) :] if cue else ""


SAYING_EXTRA = 2
"""The most words beside those of a saying that leave it one."""


@cache
def _sayings() -> tuple[Sequence[int], Mapping[str, Sequence[int]]]:
    """How many words each known saying has; for each word, the numbers of the sayings that hold it."""
    from importlib.resources import files

    lines = files("folkmoot.answers.words").joinpath("sayings.txt").read_text("utf-8").splitlines()
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
