"""Mentions of candidates in running text: which one a statement names, and whether its author says it now and means it.

A statement is ``plain`` if nothing speaks against it. It is ``void`` if it certainly does not count: quoted, reported,
denied, conditional or over. Everything else is ``unclear`` and never counts. Texts are folded (``plain_text.fold``).
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from folkmoot.answers import retraction
from folkmoot.answers.candidates import CLOSERS, Candidates, is_emoji, tail_fault
from folkmoot.answers.plain_text import fold, key
from folkmoot.answers.words import everyday, formulas, phrases, vote_labels
from folkmoot.core.text import late_pattern

_OPENERS = " \t\"'`“”„«»‹›「『[({<*~"
ABBREVIATED = r"(?<!\bdr)(?<!\bprof)(?<!\bmr)(?<!\bms)(?<!\bmrs)(?<!\bst)(?<!\bvs)(?<!\be\.g)(?<!\bi\.e)"
"""What must not stand before a dot that ends a sentence."""

REACH = 600
"""The most characters of a sentence that are looked at."""

_END = re.compile(rf"(?=[.!?。！？।؟]){ABBREVIATED}[.!?。！？।؟]+(?=[\s\"')\]]|$)|[!?](?=[\u2e80-\uffff])|[。।\n]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """What stands where a name is expected.

    Attributes:
        name: the candidate in its own spelling; "" where none is named plainly.
        fault: why not: ``unknown_name``, ``ambiguous``, ``negated``, ``conditional``, ``template``, ``nobody``.
        end: where the sentence ends that holds it.
    """

    name: str = ""
    fault: str = ""
    end: int = 0


def sentence_end(text: str, start: int) -> int:
    """Where the sentence ends that holds that place, its last mark included."""
    match = _END.search(text, start, start + REACH)
    return match.end() if match else min(len(text), start + REACH)


def name_at(candidates: Candidates, text: str, start: int) -> Pick:
    """Read the name that a statement gives at that place, and what follows it up to the end of the sentence."""
    start = _skip(text, start)
    opened = start
    while start < len(text) and (text[start] in _OPENERS or is_emoji(text[start])):
        start += 1
    if lead := phrases.OF.match(text, start):
        start = lead.end() if candidates.key_at(text, lead.end())[0] else start
    if article := phrases.ARTICLE.match(text, start):
        inside = not candidates.key_at(text, start)[0] and candidates.key_at(text, article.end())[0]
        start = article.end() if inside else start
    name, end = _titled_key_at(candidates, text, start)
    stop = sentence_end(text, end)
    if not name:
        return Pick(fault=_why_no_candidate(text, opened, start), end=stop)
    if name in candidates.doubled:
        return Pick(fault="ambiguous", end=stop)
    tail = text[end:stop]
    fault = tail_fault(candidates, name, tail) or _listed_below(candidates, name, text, end, stop)
    return Pick(name=candidates.keys[name], fault=fault, end=stop)


def _titled_key_at(candidates: Candidates, text: str, start: int) -> tuple[str, int]:
    """As ``key_at``; a title may stand before the name, and its article may be left out."""
    name, end = candidates.key_at(text, start)
    if not name and (title := vote_labels.TITLE.match(text, start)):
        name, end = candidates.key_at(text, title.end())
    if not name:
        name, end = candidates.key_at(f"the {text[start : start + REACH]}", 0)
        end += start - len("the ")
    return name, end if name else start


def _skip(text: str, start: int) -> int:
    """Where the words begin: after blanks, and after at most one line break and list mark."""
    match = re.compile(r"[ \t]*(?:\n[ \t]*\n?[ \t]*(?:[-+]\s|\d{1,2}[.)]\s)?[ \t]*)?").match(text, start)
    return match.end() if match else start


def _why_no_candidate(text: str, opened: int, start: int) -> str:
    """Why no candidate stands there."""
    if phrases.NOBODY.match(text, start):
        return "nobody"
    if phrases.BLANK.match(text, opened) or phrases.BLANK.match(text, start):
        return "template"
    if re.compile(r"(?:not|anyone but|anybody but|everyone but|anyone except|anybody except|nicht|pas|no|non)\b").match(
        text, start
    ):
        return "negated"
    return "unknown_name"


def _listed_below(candidates: Candidates, name: str, text: str, end: int, stop: int) -> str:
    """Whether the next line names a further candidate, as in a list."""
    if text[end:stop].strip(CLOSERS + ".\n,;"):
        return ""
    row = re.compile(r"\s{0,99}(?:(?:[-+\u2013\u2014]|\d{1,2}[.)]|and|or|und|oder)\s+)?([^\n]{1,200})").match(
        text, max(end, stop - 1)
    )
    below = candidates.full_key(key(row[1])) if row else ""
    signed = row is not None and re.match(r"\s*[-\u2013\u2014]", row[0]) is not None
    return "ambiguous" if below and (below != name or signed) else ""


def choice_in(choices: Sequence[str], raw: str) -> Pick:
    """Read a choice that stands at the start of a value and may be followed by a remark ("SETTLED (finally)")."""
    candidates = Candidates.of(choices)
    text = fold(raw).strip()
    name, end = candidates.key_at(text, len(text) - len(text.lstrip(_OPENERS)))
    if not name or name in candidates.doubled:
        return Pick(fault="ambiguous" if name else "not_allowed")
    rest = text[end:].lstrip(CLOSERS)
    remark = re.match(
        r"[.!,;:(\u2013\u2014-]|(?:because|since|due|given|as (?:it|they|both|all|the|everyone))\b|$", rest
    )
    if not remark or "?" in rest or "|" in rest or "/" in rest[:3]:
        return Pick(fault="ambiguous")
    for start, stop in reversed(candidates.others(rest, name)):
        begin = max(0, start - 30)
        compared = phrases.SPARED.search(rest[begin:start])
        if not compared:
            return Pick(fault="ambiguous")
        rest = rest[: begin + compared.start()] + rest[stop:]
    hedges = phrases.BOUND if phrases.REASONS.match(rest) else phrases.HEDGES
    if (
        hedges.search(rest)
        or formulas.UNDONE.search(rest)
        or re.search(
            r"^\W*(?:not?|never|nope|false|untrue|wrong|hardly|0)\b|\b(?:but|however|actually|wait|not really)\b", rest
        )
    ):
        return Pick(fault="ambiguous")
    return Pick(name=candidates.keys[name])


Mood: TypeAlias = Literal["plain", "void", "unclear"]

WINDOW = 600
"""The most characters around a statement that are looked at; a longer sentence is unclear."""

# A run of marks is looked at from its first or second one alone, so that its length is counted once.
_BOUND = re.compile(
    rf"(?=[.!?…])(?<![.!?…]{{2}}){ABBREVIATED}[.!?…]++[\"')\]»]*+(?=\s|$)|[!?](?=[\u2e80-\uffff])|[。！？।؟]|\n"
)
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_SINGLE = re.compile(r"(?<![\w'])'(?=[\w(\[\"])|(?<=[\w.!?,)\]\"])'(?!\w)")
_BEGIN = re.compile(r"[\s>#+•=-]*(?:\(?\d{1,2}[.)]\s+)?(?:\[x\]|[☑✓✔✅➡→👉🗳])?[\s\"'`([{<]*")
_UNCHECKED = re.compile(r"[\s>+•-]*(?:\d{1,2}[.)]\s+)?(?:\[\s?\]|[☐☒❌✗✘❎])")
_POINTER = re.compile(r"(?<!\bi wrote )\b(?:this|these|follows|following|below|so|thus)\s*[.…]$")
_SUPPOSED = re.compile(
    r"\s*(?:(?:let's|let us) )?(?:if|suppose|imagine|assume|assuming|pretend|say\b|hypothetically|what if"
    r"|in that case)\b"
)


@dataclass(frozen=True, slots=True)
class MarkedText:
    """Folded words, with the places of sentence ends, empty lines and quotation marks."""

    words: str
    bounds: tuple[int, ...]
    paragraphs: tuple[int, ...]
    marks: dict[str, tuple[int, ...]]
    singles: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, words: str) -> "MarkedText":
        """These words with the places of their marks."""
        paragraphs = tuple(match.start() for match in _PARAGRAPH.finditer(words))
        places = {
            family: tuple(match.start() for match in re.finditer(f"[{family}]", words))
            for family in ('"', "«»", "`", "「」『』")
        }
        bounds = tuple(match.end() for match in _BOUND.finditer(words))
        return cls(words, bounds, paragraphs, places, tuple(_single_quoted_spans(words, paragraphs)))

    def sentence_start(self, place: int) -> int:
        """Where the sentence begins that holds the place."""
        number = bisect_right(self.bounds, place)
        return self.bounds[number - 1] if number else 0

    def quoted(self, place: int) -> bool:
        """Whether the place stands inside quotation marks, or may do so where they do not pair."""
        number = bisect_right(self.paragraphs, place)
        begin = self.paragraphs[number - 1] if number else 0
        stop = self.paragraphs[number] if number < len(self.paragraphs) else len(self.words)
        for family, places in self.marks.items():
            before = bisect_left(places, place)
            here = before - bisect_left(places, begin)
            after = bisect_left(places, stop) - before
            whole = family != "`" and before % 2 == 1
            if whole or here % 2 == 1 or after % 2 == 1:
                return True
        return any(start < place < end for start, end in self.singles)


def _single_quoted_spans(words: str, paragraphs: tuple[int, ...]) -> list[tuple[int, int]]:
    """The stretches between single quotation marks within one paragraph; apostrophes are none."""
    spans: list[tuple[int, int]] = []
    opened = -1
    for match in _SINGLE.finditer(words):
        place = match.start()
        if opened >= 0 and bisect_right(paragraphs, opened) != bisect_right(paragraphs, place):
            opened = -1
        closing = place > 0 and re.match(r"[\w.!?,)\]\"]", words[place - 1]) is not None
        if closing and opened >= 0:
            spans.append((opened, place))
            opened = -1
        elif not closing and opened < 0:
            opened = place
    return spans


def mood_of_words_before(marked: MarkedText, place: int, candidates: Candidates, speaker: str) -> tuple[Mood, str]:
    """What the words before a statement make of it, and the reason in a word.

    Args:
        marked: the words, with their marks.
        place: where the statement begins.
        candidates: the candidates.
        speaker: the folded name of the author; "" where unknown.
    """
    start = marked.sentence_start(place)
    if marked.quoted(place):
        return "void", "quoted_only"
    if place - start > WINDOW:
        return "unclear", "ambiguous"
    prefix = marked.words[start:place]
    if _UNCHECKED.match(prefix):
        return "void", "ambiguous"
    begun = _BEGIN.match(prefix)
    rest = _without_pictures(prefix[begun.end() if begun else 0 :]).rstrip(" \t\"'`([{*")
    if rest:
        from folkmoot.answers.words import standing  # here for start-up time: few votes have anything on their line

        if standing.is_for_last(rest):
            return "void", "ambiguous"
        mood = (
            _mood_of_announcement(rest, candidates, speaker)
            if rest.endswith(":")
            else _clauses(rest, candidates, speaker)
        )
        if mood[0] != "plain" or rest.endswith(":"):
            return mood
    return _mood_of_line_above(marked, start, place, candidates, speaker)


_FACE = re.compile("[\U0001f600-\U0001f64f\U0001f910-\U0001f92f\U0001f970-\U0001f97a]")
"""A picture that may say how something is meant."""


def _without_pictures(words: str) -> str:
    """Words without the pictures before them that say nothing against what follows."""
    shown = 0
    while shown < len(words) and (words[shown] == " " or (is_emoji(words[shown]) and not _FACE.match(words[shown]))):
        shown += 1
    return words[shown:]


def _mood_of_announcement(rest: str, candidates: Candidates, speaker: str) -> tuple[Mood, str]:
    """What an announcement right before the statement makes of it ("Final answer:", "Agent1:")."""
    *earlier, last = re.split(r"[,;\u2013\u2014]\s*", rest)
    label = key(last)
    if (speaker and label == speaker) or phrases.CORRECTION.fullmatch(label) or (earlier and _SO.fullmatch(label)):
        return "plain", ""
    if vote_labels.ASKED_LINE.fullmatch(rest):
        return "plain", ""
    if retraction.says("SHAM", rest):
        return "void", "quoted_only"
    without_request = retraction.without("REQUESTED", rest)
    if without_request != rest and not re.search(r"\w", without_request.strip("でにの: ")):
        return "plain", ""
    rest = without_request
    if _is_conditional(rest):
        return "void", "conditional"
    if _own_lead(rest, candidates):
        return "plain", ""
    if phrases.PAST.search(rest) or label in candidates.keys or phrases.SAID.search(rest):
        return "void", "quoted_only"
    clean = not any(phrases.REPORTS.search(item) for item in earlier)
    own = phrases.INTRO.fullmatch(last) or _is_lead(rest[:-1]) or _is_lead(last[:-1]) or _leading(last)
    return ("plain", "") if own and clean else ("unclear", "ambiguous")


_MINE = re.compile(r"\b(?:mine|my (?:own )?(?:ballot|vote|answer)) (?:reads|is|says|goes)\b")
_ASKED = re.compile(
    r"\b(?:in |using )?(?:the |your )?(?:form|format|way|shape)? ?(?:that )?(?:you |was |were "
    r"|is )?(?:asked(?: for)?|requested|required|wanted)\b"
    r"|\b(?:everything|all) (?:that )?(?:was |has been |is )?said\b|\bthat was\b"
)
"""What a lead-in says of the question and of the debate, not of somebody else's words."""


def _own_lead(rest: str, candidates: Candidates) -> bool:
    """Whether a line that ends in a colon speaks of its author, or leads up to a decision, and names nobody."""
    rest = _MINE.sub("mine", _ASKED.sub("", rest)).strip()
    if phrases.PAST.search(rest):
        return False
    if phrases.REPORTS.search(rest) or phrases.DENIALS.search(rest) or candidates.others(rest, ""):
        return False
    return retraction.says("OWN", rest) or retraction.says("OPEN", rest, begins=True)


_SO = re.compile(
    "so|therefore|thus|hence|deshalb|daher|darum|also|donc|por (?:eso|lo tanto|tanto|isso)|portanto|quindi|perciò"
    "|поэтому|dlatego|więc|因此|所以|よって|그래서|لذلك|इसलिए"
)
"""How a clause leads from reasons to the vote below it ("It does not, so:")."""
_BUT = re.compile("ma|però|aber|doch|mais|pero|mas|porém|но|а|ale|lecz|ama|fakat")
"""How a statement is joined to what its author grants before it ("Ho apprezzato tutti, ma voto per Ada")."""


_SARCASTIC = re.compile(r"\b(?:yeah|oh),? (?:right|sure)\b")
"""What stands before a vote that may be meant the other way round."""
_FOR_MATTER = re.compile(r"for (?:the|my|our|your) (\w+)")
_GROUNDS = re.compile(r"above|ballot|decision|final|following|rationale|reasons?|record|sake|same|vote")
"""What somebody may vote "for the … of": grounds and the vote itself. All else may be another matter."""


def _clauses(rest: str, candidates: Candidates, speaker: str) -> tuple[Mood, str]:
    """What the earlier clauses of the statement's own sentence make of it."""
    cuts = list(phrases.CUTS.finditer(rest))
    cut = cuts[-1] if cuts else None
    last = rest[cut.end() :].strip() if cut else rest
    before = rest[: cut.start()].strip() if cut else ""
    if _SARCASTIC.search(rest):
        return "unclear", "ambiguous"
    if _is_conditional(rest):
        return "void", "conditional"
    if ":" in rest and retraction.says("SHAM", rest.rpartition(":")[0]):
        return "void", "quoted_only"
    owner = re.fullmatch(r"(?:as |for |like )?(.+?)(?:'s)?", last or before)
    if owner and key(owner[1]) in candidates.keys and key(owner[1]) != speaker:
        return "void" if (last or before).endswith("'s") else "unclear", "quoted_only"
    if phrases.PAST.search(last or before):
        return "void", "ambiguous"
    if not last or _BUT.fullmatch(last) or _is_lead(last):
        if cut is None or cut[0].strip(" ").isalpha() or " " in cut[0].strip():
            return "plain", ""
        nearest = phrases.CUTS.split(before)[-1].strip()
        if phrases.OPENERS.match(nearest) or not phrases.SAID.search(nearest):
            return "plain", ""
        return "void", "quoted_only"
    if phrases.REASON_ENDS.search(last) and not candidates.others(last, ""):
        return "plain", ""
    if (scope := _FOR_MATTER.fullmatch(last)) and not _GROUNDS.fullmatch(scope[1]):
        return "unclear", "ambiguous"
    if phrases.OPENERS.match(last):
        strange = phrases.DENIALS.search(last) or phrases.STRANGE.search(last)
        return ("unclear", "ambiguous") if strange else ("plain", "")
    if phrases.DENIALS.search(last):
        return "void", "negated"
    return ("void", "quoted_only") if phrases.SAID.search(last) else ("unclear", "ambiguous")


def _mood_of_line_above(
    marked: MarkedText, start: int, place: int, candidates: Candidates, speaker: str
) -> tuple[Mood, str]:
    """What the sentence or line before the statement's own makes of it."""
    before = marked.words[max(0, start - WINDOW) : start]
    at_line = not before or before.endswith("\n")
    rows = before.split("\n")[:-1] if at_line else [before]
    last_row = next((row.strip() for row in reversed(rows) if row.strip()), "")
    near = bool(rows) and bool(rows[-1].strip())
    sentence = (
        re.split(r"[.!?]\s", last_row)[-1]
        if at_line
        else marked.words[marked.sentence_start(max(0, start - 1)) : start].strip()
    )
    if not at_line:
        sentence = re.split(r"[.!?…]\s", before.rstrip(" .!?…") + ".")[-1].split("\n")[-1]
    heading = last_row.startswith("#")
    reported = phrases.REPORTS.search(sentence) is not None
    supposed = _SUPPOSED.match(sentence) or retraction.says("SUPPOSE", sentence, begins=True)
    bound = supposed and (not at_line or near) and (sentence.endswith(":") or "," not in sentence)
    if bound or (at_line and _goes_on(sentence) and (supposed or phrases.DOUBTS.match(sentence))):
        return "unclear", "conditional"
    if _is_voiding(sentence) or (_POINTER.search(sentence) and reported):
        return "unclear", "quoted_only"
    if at_line and last_row.endswith(":"):
        return (
            _mood_of_announcement(
                last_row if phrases.INTRO.fullmatch(sentence) is None else sentence, candidates, speaker
            )
            if not (_leading(sentence) or _is_lead(sentence[:-1]))
            else ("plain", "")
        )
    open_line = at_line and near and not re.search(r"[.!?;)\"»。]$", last_row)
    if heading or open_line:
        label = key(last_row.lstrip("# "))
        other = any(name in label for name in candidates.keys if len(name) > 1 and name != speaker)
        short = heading or (len(label.split()) < 6 and ":" not in last_row)
        if label != speaker and (reported or phrases.DOUBTS.search(last_row) or (other and short)):
            return "unclear", "ambiguous"
    return "plain", ""


def _goes_on(sentence: str) -> bool:
    """Whether a sentence above an empty line does not end there."""
    return bool(sentence) and re.search(r"[\W_]$", sentence) is None


def _is_voiding(sentence: str) -> bool:
    """Whether a sentence says of the words below it that they do not hold."""
    return phrases.VOIDED.search(sentence) is not None or retraction.says("UNTRUE", sentence)


def _leading(sentence: str) -> bool:
    """Whether a line that ends with a colon only leads up to the statement ("After weighing everything:")."""
    strange = _is_conditional(sentence) or phrases.REPORTS.search(sentence) or phrases.DENIALS.search(sentence)
    return phrases.OPENERS.match(sentence) is not None and not strange and not retraction.says("SHAM", sentence)


def _is_lead(words: str) -> bool:
    """Whether words right before a statement change nothing about it ("So", "hiermit", "in the end")."""
    bare = words.strip(" ,、،")
    known = (
        phrases.LEADS.fullmatch(words) or everyday.EMPHASIS.fullmatch(bare) or everyday.OPENINGS.fullmatch(f"{bare} ")
    )
    return known is not None or retraction.is_all("LEAD", bare)


def _is_conditional(words: str) -> bool:
    """Whether words before a statement make it one that is only supposed, or bound to a condition."""
    return phrases.DOUBTS.search(words) is not None or retraction.says("SUPPOSE", words)


_DRAFT = late_pattern(
    r"(?!.*[:：][ \t]*[^\W_])[\W_]*(?:(?:first |rough |my )?draft|entwurf|brouillon|borrador|rascunho|bozza|черновик"
    r"|szkic|wersja robocza|草稿|下書き|초안|مسودة|मसौदा|taslak)"
    r"(?:[ \t]*$|[ \t]*[\]),:;(\u2013\u2014-]|[ \t]+(?:only|nur|seulement|solo|só|not?|vote|ballot)\b)"
)
_BELOW = late_pattern(r"\b(?:below|follows?|following|this (?:entire |whole )?(?:answer|ballot|message|text|vote))\b")
_HOLDS_NOT = late_pattern(
    r"\bonly (?:if|in case|in the case|when|once|under)\b|\bunless\b|\bin case\b|\bprovided\b|\bconditional\b"
    r"|\b(?:slip|typo|wrong name|void)\b|(?:n't| not)(?: be| to be)? (?:binding|count(?:ed)?|final|submitted|valid)\b"
)


_POINTS_UP = re.compile(r"\n[ \t]*\^+[ \t]*\w")
"""A line that points at the one above it, to say what is wrong there."""


def is_set_aside(words: str) -> bool:
    """Whether the first line of a folded answer calls it a draft, or its first paragraph says that it may not hold."""
    first, _, rest = words.lstrip().partition("\n\n")
    if _DRAFT.match(first.split("\n")[0]) or _POINTS_UP.search(words):
        return True
    sentences = re.split(r"[.!?;](?=\s)", first) if rest.strip() else []
    return any(_BELOW.search(sentence) and _HOLDS_NOT.search(sentence) for sentence in sentences)


_NOBODY = re.compile(
    r"\b(?:nobody|noone|no one|none|neither|niemand\w*|keine\w*|personne|aucun\w*|nadie|ningun\w*|ninguém|nenhum\w*"
    r"|nessun\w*|никто|никого|никому|nikt|nikogo|kimse\w*|hiçbiri\w*)\b|没人|没有人|誰も|誰にも|아무|لا أحد|किसी को नहीं"
)
"""How a vote for nobody is said."""


def form_stands_below(words: str, above: tuple[int, int], form: tuple[int, int]) -> bool:
    """Whether a vote in its form stands on a line below looser words in which nobody was recognized.

    "I choose the nurse.⏎I vote for: Nurse Petrov" is one vote. "I vote for: Zoe⏎I vote for: Ann" are two, and "I vote
    for nobody.⏎I vote for: Ann" contradicts itself.

    Args:
        words: the folded text.
        above: where the looser words begin and end.
        form: where the vote begins and ends.
    """
    loose, between = words[slice(*above)], words[above[0] : form[0]]
    apart = "\n" in between and not re.search(r"\w", words[: form[0]].rpartition("\n")[2])
    denied = retraction.says("DENY", loose) or _NOBODY.search(loose)
    return apart and ":" in words[slice(*form)] and ":" not in loose and not denied
