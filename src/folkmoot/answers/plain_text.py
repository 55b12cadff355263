"""Plain text: a text without thinking blocks, code fences, quotations and markup.

Everything here runs in time linear in the length of the text, and no text is longer than ``LONGEST`` characters.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from folkmoot.core.text import LINE_ENDS, bare, clean

LONGEST = 256 * 1024
"""The most characters of an answer with its thinking blocks; a longer one is not read at all."""

LIMIT = 64 * 1024
"""The most characters of an answer without them that is read in a form."""

_QUOTES = str.maketrans({**dict.fromkeys("‘’‚‛′", "'"), **dict.fromkeys("“”„‟″", '"')})
_EDGES = " \t\n\"'`“”„«»‹›「」『』《》〈〉【】()[]{}<>.,;:!。*_~✅✔✓☑"
_MARKS = re.compile(r"\*+|(?<!\w)_{1,2}(?!_)|(?<!_)_{1,2}(?!\w)")
_RAISED = (
    "\u00aa\u00b2\u00b3\u00b9\u00ba\u02b0-\u02b8\u02e0-\u02e4\u1d2c-\u1d6a\u1d78\u1d9b-\u1dbf\u2070-\u209f\u2c7c\u2c7d"
)
_RUN = re.compile(rf"[\x00-\x7f]?[^\x00-\x7f{_RAISED}]{{1,500}}")
"""What is normalised at once: the time for one piece can grow with the square of its length.

Raised and lowered letters and digits stay as they are: a square is no two.
"""
_VOWELS = re.compile("[\u064b-\u0652]")
"""The signs that Arabic writes above its letters, or leaves out."""
_GAP = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")

_THOUGHT_NAMES = (
    "think|thinking|thought|thoughts|reasoning|reason|analysis|scratchpad|reflection|reflect|monologue|inner_monologue|"
    "internal_monologue|antthinking|seed:think|deliberation"
)
_THOUGHT = re.compile(
    rf"<\s*(?P<a>/?)\s*(?P<name>{_THOUGHT_NAMES})\b[^<>]{{0,200}}>|\[(?P<b>/?)think(?:ing)?\]|◁(?P<c>/?)think▷"
    r"|<\|(?P<d>begin|end)_of_thought\|>",
    re.IGNORECASE,
)
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]{0,99}<\|message\|>")
_TOKEN = re.compile(r"<\|[a-z_]{1,30}\|>")

_ECHO = re.compile(r"\A\s*(?:<s>\s*)?\[INST\].{0,20000}?\[/INST\]", re.DOTALL)
_OWN_TAG = re.compile(r"\[/?(?:(?:my |final )*(?:vote|ballot|answer|output|response))\][ \t]*", re.IGNORECASE)

_NOTE = re.compile(r"[ \t]*(\[\^\w{1,9}\]|[¹²³⁴⁵⁶⁷⁸⁹†‡])(?=:|[ \t])")
_COMMENT_OPEN, _COMMENT_CLOSE = "<!--", "-->"
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_TAG = re.compile(r"<(/?)([a-zA-Z][\w:-]{0,40})(?:\s[^<>]{0,200})?>")
_SOFT = re.compile(
    "b|i|em|strong|u|span|p|div|br|hr|font|center|mark|small|big|sub|sup|h[1-6]|li|ul|ol|vote|ballot|output|response|reply"
    "|result|answer|final|final_?answer"
)
"""Elements that say nothing against the words in them."""
_BREAK = re.compile(r"<(?:br\s*/?|/p|/div|/li|/h[1-6])>", re.IGNORECASE)


def with_plain_line_ends(text: str) -> str:
    """The text, cleaned, with every kind of line end as a newline, so that nobody hides a line."""
    return clean(LINE_ENDS.sub("\n", text))


def without_gaps(text: str) -> str:
    """The text with one empty line where there were more."""
    return _GAP.sub("\n\n", text)


def normal(text: str) -> str:
    """The text in Unicode's form NFKC, without unseen characters, quotation marks straight; letters keep their case."""
    if text.isascii():
        return text
    return _RUN.sub(lambda run: unicodedata.normalize("NFKC", run[0]), bare(text)).translate(_QUOTES)


def fold(text: str) -> str:
    """The text as it is compared: normal form, case folded, without emphasis marks and backslash escapes."""
    words = normal(text).casefold()
    words = words if words.isascii() else _VOWELS.sub("", words)
    words = re.sub(r"\\([^a-z0-9\s])", r"\1", words) if "\\" in words else words
    return _MARKS.sub("", words) if "*" in words or "_" in words else words


def key(text: str) -> str:
    """The text as names and choices are compared: folded, blanks joined, no markup, quotes or brackets around it."""
    return _short_key(text) if len(text) <= _SHORT else _key(text)


_SHORT = 64
"""As long is a name or a choice, whose key is asked for again and again, and no answer."""


def _key(text: str) -> str:
    return " ".join(fold(text).split()).strip(_EDGES)


_short_key = lru_cache(maxsize=2048)(_key)


def match(choices: Iterable[str], raw: str) -> str | None:
    """The choice that the raw words name, in its own spelling; None where none, or more than one, is named."""
    allowed = tuple(choices)
    near = _spelt(allowed).get(_joined(raw)) or [choice for choice in allowed if key(choice) == key(raw) != ""]
    return near[0] if len(near) == 1 else None


def _joined(text: str) -> str:
    return " ".join(normal(text).casefold().split())


@lru_cache(maxsize=256)
def _spelt(choices: tuple[str, ...]) -> Mapping[str, Sequence[str]]:
    """The choices by their words without case; those of a form are looked up for each answer in it."""
    spelt: dict[str, list[str]] = {}
    for choice in choices:
        spelt.setdefault(_joined(choice), []).append(choice)
    return spelt


def without_thoughts(text: str, keep: Iterable[str] = ()) -> str:
    """The text without thinking blocks: closed, never closed, or opened before the text began.

    Args:
        text: an answer of a model.
        keep: names of tags that hold something else here.
    """
    if channels := list(_CHANNEL.finditer(text)):
        finals = [channel for channel in channels if channel[1].lower() == "final"]
        text = _TOKEN.sub("", text[finals[-1].end() :]) if finals else ""
    kept_names = {name.casefold() for name in keep}
    pieces: list[str] = []
    depth = start = 0
    for item in _THOUGHT.finditer(text):
        if (item["name"] or "").casefold() in kept_names or text[item.start() - 1 : item.start()] == "`":
            continue
        closing = bool(item["a"] or item["b"] or item["c"] or item["d"] == "end")
        if not closing:
            pieces += [] if depth else [text[start : item.start()]]
            depth += 1
        elif depth > 1:
            depth -= 1
        else:
            pieces = pieces if depth else []
            depth, start = 0, item.end()
    return "".join(pieces) + ("" if depth else text[start:])


def without_comments(text: str) -> str:
    """The text without HTML comments; one that never ends takes the rest with it."""
    if _COMMENT_OPEN not in text:
        return text
    pieces: list[str] = []
    for number, piece in enumerate(text.split(_COMMENT_OPEN)):
        pieces.append(piece if number == 0 else piece.partition(_COMMENT_CLOSE)[2])
    return "".join(pieces)


def without_label(text: str, speaker: str, topic: str = "", *, free: bool = False) -> str:
    """The text without a leading label of the speaker's own name (``Ann:``, ``**Ann:**``, ``[Ann]:``) or role.

    Args:
        text: an answer.
        speaker: whose it is.
        topic: the question. A name that stands in it is what the text is about ("SQLite: one file, no server.").
        free: whether the text is no form. Then a small letter goes on with the sentence that the name begins.
    """
    head, colon, rest = text.lstrip()[:200].partition(":")
    if not colon or "\n" in head or key(head) not in {"assistant", key(speaker)} - {""}:
        return text
    named = re.search(rf"(?<!\w){re.escape(key(head))}(?!\w)", fold(topic)) is not None
    if free and key(head) == key(speaker) and (named or rest.lstrip()[:1].islower()):
        return text
    rest = text.lstrip()[len(head) + 1 :]
    loose = "".join(mark for mark in ("**", "__") if head.count(mark) % 2 and rest.startswith(mark))
    return rest[len(loose) :].lstrip()


def unfence(text: str, own: Callable[[str], bool]) -> str:
    """What stands in the code fence, where the fence is the whole answer or follows one line that announces it.

    Args:
        text: an answer.
        own: says whether a line announces the author's own answer ("Here is my vote:").
    """
    rows = text.strip().split("\n")
    marks = [number for number, row in enumerate(rows) if _FENCE.match(row)]
    if not marks:
        return text
    if len(rows) == 1:
        inside = rows[0].strip("`~ \t")
        return text if rows[0].strip()[-3:] not in ("```", "~~~") or "`" in inside else inside
    before = [row for row in rows[: marks[0]] if row.strip()]
    whole = len(marks) == 1 or (len(marks) == 2 and not any(row.strip() for row in rows[marks[1] + 1 :]))
    if not whole or len(before) > 1 or (before and not own(before[0])):
        return text
    return "\n".join(rows[marks[0] + 1 : marks[1] if len(marks) == 2 else None])


_OF_FORM = re.compile(
    r"\b(?:example|e\.g|form|format|template|instruction|must|should|would|write|quote|said|says|wrote|says|code|output|print"
    r"|beispiel|vorlage|soll|schreib|exemple|modèle|ejemplo|plantilla|exemplo|modelo|esempio|modello|пример|przykład|örnek)"
    r"|例|예시|예:|مثال|उदाहरण"
)


_TICKED = re.compile(r"`[^`]+`")


def with_fenced_end(text: str) -> str:
    """The text, whose last line may stand in a fence or in marks of code, below prose that announces nothing."""
    rows = text.strip().split("\n")
    marks = [number for number, row in enumerate(rows) if _FENCE.match(row)]
    fenced = marks == [len(rows) - 3, len(rows) - 1]
    last = rows[-2] if fenced else rows[-1].strip()
    above = rows[:-3] if fenced else rows[:-1]
    if not (fenced or (not marks and _TICKED.fullmatch(last))) or not any(map(str.strip, above)):
        return text
    prose = fold("\n".join(above)).rstrip()
    return text if prose.endswith(":") or _OF_FORM.search(prose) else "\n".join([*above, last.strip("`")])


def own_part(text: str, own: Callable[[str], bool]) -> str:
    """What an author says in its own name: no comments, no footnotes, no mail that is forwarded, no frame around it."""
    text = with_fenced_end(without_frame(without_comments(text)))
    return without_forwarded(without_notes(unwrap(unfence(text, own))))


def without_frame(text: str) -> str:
    """The text without the question that is repeated above it, and without tags in brackets around the answer."""
    return _OWN_TAG.sub("", _ECHO.sub("", text))


def without_notes(text: str) -> str:
    """The text without its footnotes and their marks: a mark is one only where a line begins with it.

    The number that is set high behind a name is part of the name where no such line says what it means.
    """
    rows = text.split("\n")
    marks = {match[1] for row in rows if (match := _NOTE.match(row))}
    if not marks:
        return text
    other_rows = "\n".join(row for row in rows if not _NOTE.match(row))
    return re.sub("|".join(re.escape(mark) for mark in marks), "", other_rows)


def last_part(text: str) -> str:
    """The last ``LIMIT`` characters of a text, from the beginning of a paragraph or a line on.

    It is "" where something that began before may go on there: a code fence, a comment, a quotation.
    """
    cut = text.find("\n\n", len(text) - LIMIT)
    cut = text.find("\n", len(text) - LIMIT) if cut < 0 else cut
    head = text[: max(cut, 0)]
    fences = sum(1 for row in head.split("\n") if _FENCE.match(row))
    opened = head.count(_COMMENT_OPEN) > head.count(_COMMENT_CLOSE) or fences % 2
    tags = [tag for tag in _TAG.finditer(head) if not _SOFT.fullmatch(tag[2].lower())]
    return "" if cut < 0 or opened or sum(-1 if tag[1] else 1 for tag in tags) else text[cut:]


def unwrap(text: str) -> str:
    """The answer without quotation marks or backticks around the whole of it."""
    bare = text.strip().removesuffix(".").rstrip() if text.strip().endswith(('".', "'.", "`.", "”.")) else text.strip()
    for opening, closing in ('""', "''", "``", "“”", "‘’", "„“", "«»", "「」", "『』"):
        if len(bare) > 2 and bare[0] == opening and bare[-1] == closing:
            inside = bare[1:-1]
            return inside if opening not in inside and closing not in inside and "\n\n" not in inside else text
    return text


_SET_APART = re.compile(r"[>|]|`{3}|~{3}")
"""What stands in every text that has such lines."""


def unquoted_lines(text: str) -> str:
    """The text without code fences, block quotations and table rows; blank lines stand where they stood."""
    if not _SET_APART.search(text):
        return text
    rows: list[str] = []
    fence = ""
    for row in text.split("\n"):
        fence_match = _FENCE.match(row)
        if fence:
            rows.append("")
            fence = "" if fence_match and fence_match[1].startswith(fence) else fence
        elif fence_match:
            rows.append("")
            fence = fence_match[1]
        else:
            rows.append("" if re.match(r"[ \t]*(?:[-*+][ \t]+)?[>|]", row) else row)
    return "\n".join(rows)


_MAIL = re.compile(
    r"(?:from|to|sent|date|subject|cc|von|an|gesendet|datum|betreff|de|à|envoyé|objet|para|enviado|asunto|assunto|da|inviato"
    r"|oggetto|от|кому|дата|тема|od|do|temat|kimden|kime|konu)[ \t]*:[ \t]*\S",
    re.IGNORECASE,
)


def without_forwarded(text: str) -> str:
    """The text without a mail that is forwarded in it: what stands below three lines of a mail's head."""
    rows = text.split("\n")
    for number in range(1, len(rows) - 2):
        if all(_MAIL.match(row.strip()) for row in rows[number : number + 3]) and any(map(str.strip, rows[:number])):
            return "\n".join(rows[:number])
    return text


def without_strikes(text: str) -> str:
    """The text without what is struck through."""
    pieces = re.sub(r"\[/?(?:s|quote)\b[^\[\]\n]{0,80}\]", "~~", text, flags=re.IGNORECASE).split("~~")
    last = pieces.pop() if len(pieces) % 2 == 0 else ""
    return " ".join(pieces[::2]) + last


def elements(text: str) -> list[tuple[int, int]]:
    """Where elements stand that hold something else than the author's own words, and where emphasis tags stand."""
    tags = list(_TAG.finditer(text))
    ends: dict[str, list[int]] = {}
    for number, tag in enumerate(tags):
        if tag[1]:
            ends.setdefault(tag[2].lower(), []).append(number)
    spans: list[tuple[int, int]] = []
    number = 0
    while number < len(tags):
        tag = tags[number]
        name = tag[2].lower()
        closings = ends.get(name, [])
        after = bisect_left(closings, number)
        if _SOFT.fullmatch(name):
            spans.append(tag.span())
        elif not tag[1] and after < len(closings):
            number = closings[after]
            spans.append((tag.start(), tags[number].end()))
        number += 1
    return spans


def without_elements(text: str) -> str:
    """The text without elements that hold something else than the author's own words; emphasis tags just go."""
    if "<" not in text:
        return text
    text = _BREAK.sub("\n", text)
    pieces: list[str] = []
    place = 0
    for start, end in elements(text):
        pieces.append(text[place:start])
        place = end
    return "".join(pieces) + text[place:]


LONGEST_SPOKEN = 100_000
"""How many characters of what was said in a debate are looked at, its end and the first text."""

SHORTEST_SPOKEN = 4
"""The fewest letters of a word that is looked for in a debate."""


class Spoken:
    """The words of a debate: its question, its background, and what was said; split when a word is first asked for."""

    __slots__ = ("_stems", "_texts")

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._stems: frozenset[str] | None = None

    def __call__(self, word: str) -> bool:
        """Whether a folded word was said in some form: its first letters, in a script that parts its words."""
        if len(word) < SHORTEST_SPOKEN:
            return False
        if self._stems is None:
            words = fold("\n".join((*self._texts[:1], "\n".join(self._texts[1:])[-LONGEST_SPOKEN:])))
            self._stems = frozenset(word[:STEM] for word in re.findall(r"[^\W\d_]+", words))
        return word[:STEM] in self._stems


STEM = 5
"""By how many letters two forms of a word are taken for the same."""

_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
"""A letter of a script in which words stand side by side."""


def is_said(word: str, spoken: str) -> bool:
    """Whether a folded text holds a word in some form: its beginning, or two of its signs where there are no blanks."""
    if _UNSPACED.search(word):
        return any(word[place : place + 2] in spoken for place in range(len(word) - 1))
    stem = word.removeprefix("ال")[: 3 if len(word) < 5 else 4 if len(word) < 8 else 5]
    edge = "" if "\u0600" <= stem[0] <= "\u06ff" else r"(?<!\w)"
    return re.search(edge + re.escape(stem), spoken) is not None
