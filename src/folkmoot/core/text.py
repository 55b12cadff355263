"""Text cleaning, words and sentences: removal of invisible characters, stemming, splitting, BM25 ranking, plurals.

``clean`` defines what no text may contain. Every answer, brief, document, message and tool result passes it on its way
in. Readers apply it again, because records may be older than it.

``Index`` ranks texts against a query by Okapi BM25 over stemmed words (Robertson and Zaragoza, "The Probabilistic
Relevance Framework: BM25 and Beyond", 2009), with the inverse document frequency ``ln(1 + (N - n + 0.5) / (n + 0.5))``,
which is never negative. ``sentences`` does not split after "Dr.", "e.g.", an initial or "no. 5".
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from math import floor, log
from typing import TypeVar, cast

T = TypeVar("T")


class _LatePattern:
    """See ``late_pattern``."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    def __getattr__(self, name: str) -> object:
        compiled = re.compile(self.pattern)
        vars(self).update({method: getattr(compiled, method) for method in _METHODS})
        return getattr(compiled, name)


_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub")


def late_pattern(pattern: str) -> re.Pattern[str]:
    """As ``re.compile``, but compiled when it is first used: a command needs few of the many large patterns.

    From then on it costs as much as any other.
    """
    return cast("re.Pattern[str]", _LatePattern(pattern))


LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""Every mark of a line's end but the newline itself."""

_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Class Cc (C0 and C1), without tab, newline and carriage return."""

_LONE = re.compile("[\ud800-\udfff\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd]")
"""Class Cs (surrogates) and class Co (private use): characters without a defined meaning."""

_UNSEEN = (
    "\u00ad\u034f\u061c\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
) + "".join(chr(plane << 16 | last) for plane in range(1, 17) for last in (0xFFFE, 0xFFFF))
"""Invisible characters.

Unicode's Default_Ignorable_Code_Point: soft hyphen, fillers, zero-width signs, joiners, controls of direction,
variation selectors, tags. Also the invisible ones of class Cf (annotations, layout of notes, of shorthand and of
hieroglyphs) and the non-characters.
"""

_RUN = re.compile(f"[{_UNSEEN}]+")

_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2934\u2935\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
"""Characters that may be emoji."""

_JOINED = (
    "\u0620-\u06ff\u0710-\u077f\u07c0-\u07ff\u0840-\u0dff\u0f00-\u109f\u1780-\u17b3\u17b6-\u17ff\u1820-\u18aa"
    "\u1b00-\u1bff\ua840-\ua8ff\ua980-\ua9df\uaa60-\uaa7f\uabc0-\uabff\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc"
    "\U00010d00-\U00010d3f\U00011000-\U00011fff\U0001e900-\U0001e95f"
)
"""Letters and marks of the scripts in which joiners change how a word is written: Arabic, Syriac, those of India …"""

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

_FLAG = "|".join("".join(chr(0xE0000 + ord(text)) for text in region) for region in ("gbeng", "gbsct", "gbwls"))

_KEPT = late_pattern(
    f"(?<=[{_EMOJI}])(?:\ufe0f?\u200d(?=[{_EMOJI}])|[\ufe0e\ufe0f])"  # a family, a red heart
    "|(?<=[0-9#*])\ufe0f(?=\u20e3)"  # a keycap
    f"|(?<=\U0001f3f4)(?:{_FLAG})\U000e007f"  # England, Scotland, Wales
    f"|(?<=[{_HAN}])[\ufe00-\ufe02\U000e0100-\U000e012f]"  # the form of a letter in a name
    "|(?<=[\u1000-\u109f\u2200-\u22ff\u2a00-\u2aff\u3001\u3002\uff01-\uff60])[\ufe00\ufe01]"
    "|(?<=[\u1820-\u18aa])(?:[\u180b-\u180d\u180f]|\u180e(?=[\u1820-\u18aa]))"  # Mongolian
    f"|(?<=[{_JOINED}])\u200d|(?<=[0-9A-Za-z{_JOINED}])\u200c(?=[{_UNSEEN}]*+[{_JOINED}])"  # Persian, Hindi
)
"""The part of a run of invisible characters that is kept, at its beginning only: emoji and some scripts need it.

It depends only on the visible neighbours, so cleaning twice changes nothing.
"""

_OPEN = re.compile(f"(?:\r|[{_UNSEEN}]{{1,8}})\\Z")
"""The end of a piece that cannot be cleaned before the next piece is known; the longest is that of a flag."""

_CONTEXT = 8
"""The characters before a piece that may decide what is kept at its beginning."""

LONGEST_NAME = 200
"""The longest name that is taken from outside, such as that of the model that served an answer, in characters."""


_QUOTES = re.compile("[\"'`´\u2018-\u201f\u2032\u2033\u2039\u203a\u00ab\u00bb]")
_SECRET = re.compile(
    r"""(?ix) \b(?:bearer|basic)\s+\S{6,} | \b(?:sk|pk|gsk|csk|xai|hf|ghp|pplx|xox[a-z])[-_][\w*-]{4,} | \bAIza[\w-]{8,}
    | (?<=://)[^\s/@][^\s/@:]*+:[^\s/@]++(?=@)
    | (?<![\w-])(?=[\w-])(?:[\w-]*[-_\s])?(?:key|token|secret|password)
      (?:['"]?\s*[:=]\s*['"]?(?!(?<=key:[ ]|ken:[ ])[a-z]{1,12}[ ]\w)|\s+is\s+(?=\S*\d))[^\s'",;&]+
    | \b(?=\w*\d)\w{30,}"""
)
"""Text that looks like an API key: it is labelled as one, begins like one, or is a very long word with a digit.

In ``needs a key: set KEY`` the words after the colon are a sentence and are kept. Each alternative that may read far
begins where a word begins, and words do not overlap, so the time is linear in the length of the text.
"""


def hide(text: str) -> str:
    """The text without anything that looks like an API key; for error messages of other programs."""
    return _SECRET.sub("***", text)


def clean(text: str) -> str:
    """The text without invisible or unsafe characters, so that any store and screen can hold it.

    - Line ends become newlines. Vertical tab, form feed, NEL and Unicode's separators become blanks, so that the number
      of lines stays the same.
    - Control characters are removed, except tab and newline. A terminal escape loses its first character,
      which makes it harmless.
    - Lone surrogates and characters of private use become U+FFFD.
    - Invisible characters are removed: zero-width and other format characters, controls of direction, fillers,
      variation selectors, tags, non-characters. They stay where emoji and scripts need
      them: one after a visible character that takes it.

    Linear in the length of the text; cleaning twice changes nothing.
    """
    if _is_plain(text):
        return text
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _CONTROLS.sub("", LINE_ENDS.sub(" ", text))
    return text if text.isascii() else _RUN.sub(_keep, _LONE.sub("\ufffd", text))


_CHANGED = re.compile(
    f"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029{_LONE.pattern[1:-1]}]|[{_UNSEEN}]+|<(?=U\\+[0-9A-F]{{4,6}}>)"
)
"""What ``clean`` may change in a line, and what looks like the sign that stands for it."""


def with_code_points(line: str) -> str:
    """A line in which each sign that ``clean`` would remove or replace stands as its code point: ``<U+200B>``.

    Two lines that differ in such signs alone differ in what is shown too. So where a line spells ``<U+200B>`` itself,
    the code point of its ``<`` is written.
    """
    return _CHANGED.sub(lambda run: run[0] if _keep(run) == run[0] else "".join(map(code_point, run[0])), line)


def code_point(sign: str) -> str:
    """A character as ``<U+200B>``."""
    return f"<U+{ord(sign):04X}>"


def _is_plain(text: str) -> bool:
    """Whether a text is surely clean: letters of ASCII and newlines only, as most are."""
    return text.isascii() and (text.isprintable() or text.replace("\n", "").isprintable())


def _keep(run: re.Match[str]) -> str:
    match = _KEPT.match(run.string, run.start())
    return match[0] if match else ""


def clean_data(data: T) -> T:
    """The data with every text in it cleaned: in dataclasses, mappings, lists and tuples, at any depth."""
    return cast(T, _clean_data(data))


def _clean_data(data: object) -> object:
    if isinstance(data, str):
        return clean(data)
    if data is None or isinstance(data, int | float):
        return data
    if isinstance(data, Mapping):
        return {_clean_data(key): _clean_data(value) for key, value in cast("Mapping[object, object]", data).items()}
    if isinstance(data, tuple):
        return tuple(map(_clean_data, cast("tuple[object, ...]", data)))
    if isinstance(data, list):
        return list(map(_clean_data, cast("list[object]", data)))
    if known := _known_fields(type(data)):
        values = ((name, getattr(data, name), default) for name, default in known)
        changed = {
            name: cleaned
            for name, value, default in values
            if value is not default and (cleaned := _clean_data(value)) is not value
        }
        if changed and is_dataclass(data) and not isinstance(data, type):
            return replace(data, **changed)
    return data


@cache
def _known_fields(kind: type[object]) -> tuple[tuple[str, object], ...]:
    """The fields of a dataclass, each with its name and its default, which is clean; none for another type."""
    return tuple((field.name, field.default) for field in fields(kind)) if is_dataclass(kind) else ()


def bare(text: str) -> str:
    """The text without any invisible character, even where scripts need it: for comparing, not for showing."""
    return text if text.isascii() else _RUN.sub("", text)


class PieceCleaner:
    """Cleans a text that arrives in pieces, such as a streamed answer.

    Characters at the end of a piece wait for the next piece, where that decides whether they are kept.
    """

    def __init__(self) -> None:
        self._context, self._pending = "", ""

    def take(self, piece: str) -> str:
        """Add a piece; return the cleaned text that can be shown now."""
        if not self._pending and len(piece) >= _CONTEXT and _is_plain(piece):
            self._context = piece[-_CONTEXT:]
            return piece
        joined = self._pending + piece
        end = _OPEN.search(joined)
        self._pending = end[0] if end else ""
        known = len(self._context)
        cleaned = clean(self._context + joined.removesuffix(self._pending))
        run = _RUN.match(cleaned[-_CONTEXT:])
        self._context = cleaned[-_CONTEXT:][run.end() if run else 0 :]
        return cleaned[known:]


def clip(text: str, limit: int | None) -> str:
    """The text cut to ``limit`` characters, with a visible mark that says how many are missing; None keeps all."""
    if limit is None or len(text) <= limit:
        return text
    return f"{text[:limit].rstrip()} […cut: {len(text) - limit} more characters]"


def shorten(text: str, limit: int) -> str:
    """The text, cut to ``limit`` characters of which the last is "…"."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def named(value: object) -> str:
    """A name from outside, cleaned and clipped; "" for a value that is not text."""
    return clip(clean(value), LONGEST_NAME) if isinstance(value, str) else ""


def texts(values: Iterable[object]) -> list[str]:
    """The values that are texts."""
    return [value for value in values if isinstance(value, str)]


def contains_words(quote: str, text: str) -> bool:
    """Whether a text contains a quote: as whole words, in order, without a gap.

    Blanks, case and the kind of quotation marks do not matter, nor do the marks around the quote and the stop or comma
    after it. No text contains an empty quote.
    """
    words = _plain(quote).lstrip("' ").rstrip("' .,;:")
    return bool(words) and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", _plain(text)) is not None


def _plain(text: str) -> str:
    return " ".join(_QUOTES.sub("'", unicodedata.normalize("NFKC", text)).casefold().split())


def words(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation."""
    return re.findall(r"[^\W_]+", text.casefold())


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: ``Ann, Ben and Cid``."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def counted(n: float, noun: str, plural: str = "") -> str:
    """A number with its noun in singular or plural: ``1 debater``, ``2 debaters``, ``1,200 tokens``, ``0.5 seconds``.

    Args:
        n: the number; a float without a fraction is written as a whole number.
        noun: the noun in singular.
        plural: the noun in plural; without it, the singular with "s", "es" or "ies" as English spells it.
    """
    return f"{int(n) if n % 1 == 0 else n:,} {noun if n == 1 else plural or _plural(noun)}"


def about(words: str, estimated: float) -> str:
    """A number in words, marked where it is an estimate."""
    return f"about {words}" if estimated else words


def percent(share: float) -> str:
    """A share in whole per cent, halves upwards: 5 of 8 are ``63%`` on every surface."""
    return f"{floor(share * 100 + 0.5)}%"


def every(n: int, nouns: str) -> str:
    """All of two or more, at the beginning of a sentence: ``Both votes``, ``All 3 votes``."""
    return f"Both {nouns}" if n == 2 else f"All {n:,} {nouns}"


def closest(word: str, words: Sequence[str]) -> str:
    """The word most like a given one, "" where none is; compared without case, hyphens and blanks as underscores."""
    from difflib import get_close_matches  # here for start-up time: it is needed where somebody has misspelt a word

    spelt = {word.replace("-", "_"): word for word in words}
    plain = word[:80].casefold().replace("-", "_").replace(" ", "_")
    # In a word of three letters one wrong letter is a third of it: "rum" for "run".
    matches = get_close_matches(plain, list(spelt), n=1, cutoff=0.66 if len(plain) < 4 else 0.7)
    return spelt[matches[0]] if matches else ""


def unknown_word(word: str, words: Sequence[str], there: str = "there are") -> str:
    """What can be said of an unknown word: the one that was probably meant, or all that there are.

    Args:
        word: what was written.
        words: those that are known.
        there: what stands before the list of them.
    """
    meant = closest(word, words)
    return f"did you mean {meant!r}?" if meant else f"{there} {', '.join(words)}"


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "z", "ch", "sh")) else "s")


def letter(n: int) -> str:
    """The n-th letter from 0: 0 is A, 25 is Z, 26 is AA."""
    return (letter(n // 26 - 1) if n >= 26 else "") + chr(ord("A") + n % 26)


def slug(text: str, limit: int) -> str:
    """Lower-case ASCII words joined by hyphens, at most ``limit`` characters, never empty; for ids and file names."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    return "-".join(words)[:limit].strip("-") or "debate"


def word_set(words: str) -> frozenset[str]:
    """The words of a list, separated by blanks."""
    return frozenset(words.split())


STOP = word_set(
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
"""Stop words. Those from "argue" on are common in descriptions of personas."""

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]|[^\W_]+(?:['’](?=[^\W_])[^\W_]+)?")
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
    """All words of a text as stems, in order, with stop words; a Chinese, Japanese or Korean character is a word."""
    return _stems(_WORD.findall(text))


def terms(text: str) -> list[str]:
    """The stems of a text without stop words, in order."""
    return _stems([word for word in _WORD.findall(text) if word.casefold() not in STOP])


def _stems(words: Sequence[str]) -> list[str]:
    by_word = {word: stem(word) for word in dict.fromkeys(words)}
    return [by_word[word] for word in words]


_END = re.compile(r"(?<![.!?…؟।])[.!?…؟।]+[\"'”’»)\]*_]*(?=\s)|[。！？｡]+[」』”’）]*")
_TITLES = word_set("mr mrs ms dr prof st vs e.g i.e cf approx al gen rev hon capt col lt sgt ca")
_BEFORE_FIGURES = word_set(
    "no nos p pp fig figs vol sec ch art eq nr para jan feb mar apr jun jul aug sep sept oct nov dec"
)


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a paragraph, each with the offset at which it begins; blanks within them are kept."""
    start = 0
    for mark in _END.finditer(text):
        if _ends_sentence(text, mark.start(), mark.end()):
            yield from _trim(text, start, mark.end())
            start = mark.end()
    yield from _trim(text, start, len(text))


def _ends_sentence(text: str, stop: int, end: int) -> bool:
    """Whether a sentence ends with the punctuation mark between these offsets."""
    if text[stop] in "。！？｡":
        return True
    after = text[end : end + 9].lstrip()[:1]
    if after.islower():
        return False
    if text[stop:end] != ".":
        return True
    head = text[max(0, stop - 24) : stop].rsplit(None, 1)
    word = head[-1].lstrip("([\"'“‘").casefold() if head else ""
    if word in _TITLES or (word in _BEFORE_FIGURES and after.isdigit()):
        return False
    # An initial ("J. Smith") or an abbreviation ("U.S. Senate") does not end a sentence.
    return not re.fullmatch(r"(?:[a-hj-z]|(?:[a-z]\.)+[a-z])", word)


def _trim(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    piece = text[start:end]
    stripped = piece.lstrip()
    if stripped:
        yield start + len(piece) - len(stripped), stripped.rstrip()


K1 = 1.2
"""BM25's k1: how fast the weight of a repeated word levels off."""
B = 0.75
"""BM25's b: how much the length of a text lowers its score, 0 to 1."""


class Index:
    """An index of texts that scores them against queries by BM25.

    Args:
        texts: the stems of each text.
    """

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self._size = len(texts)
        mean = sum(map(len, texts)) / len(texts) if texts else 0.0
        self._postings: dict[str, list[tuple[int, float]]] = {}
        for number, text in enumerate(texts):
            norm = K1 * (1 - B + B * len(text) / mean) if mean else K1
            for term, count in Counter(text).items():
                self._postings.setdefault(term, []).append((number, count * (K1 + 1) / (count + norm)))

    def rarity(self, term: str) -> float:
        """The inverse document frequency of a stem, above 0."""
        containing = len(self._postings.get(term, ()))
        return log(1 + (self._size - containing + 0.5) / (containing + 0.5))

    def weigh(self, query: Mapping[str, float]) -> list[float]:
        """The BM25 score of each text for a query of weighted stems."""
        scores = [0.0] * self._size
        for term, weight in query.items():
            if postings := self._postings.get(term):
                rarity = weight * self.rarity(term)
                for number, impact in postings:
                    scores[number] += rarity * impact
        return scores


_AWAY = re.compile(r"\.\.?[/\\]|[/\\]|~[/\\]|[A-Za-z]:[/\\]|file:|\S*[/\\]\.\.([/\\]|$)")


def hidden(text: str) -> tuple[int, ...]:
    """The numbers of the lines, from 1, that ``clean`` changes."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return tuple(n for n, line in enumerate(lines, 1) if clean(line) != line)


def flat(text: str) -> str:
    """A text on one line: every run of blanks and line ends becomes one blank."""
    return " ".join(text.split())


def leaves_folder(text: str) -> bool:
    """Whether a text is just a path that leads out of its folder: absolute, upwards, to a share or a home directory."""
    return not re.search(r"\s", text) and bool(_AWAY.match(text))


_TO_THE_LEFT = late_pattern("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
"""A letter of a script that runs from right to left."""


def isolated(words: str) -> str:
    """Words for a sentence of ours: where any run from right to left, its brackets and numbers keep their places."""
    right = _TO_THE_LEFT.search(words)
    return f"\N{FIRST STRONG ISOLATE}{words}\N{POP DIRECTIONAL ISOLATE}" if right else words
