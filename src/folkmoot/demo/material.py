"""Material of the built-in debater: quotable passages of documents, its fixed phrases, and a lexicon for and against.

Only running text is quoted: no headings, tables, code, block quotations, comments or front matter. A passage has the
document's own words in order, with runs of blanks and line ends folded into one blank each. All in linear time.

In phrases ``{name}`` is a participant or the letter of a proposal, ``{cite}`` a place (``options.md:42``), ``{n}`` and
``{m}`` are counts, ``{matter}`` is one of the matters below. They claim nothing.

A passage leans by the good and bad news in it: losses, failures and rising costs one way, savings, gains and falling
costs the other. A participant leans by what its name, role and persona say that it argues.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from folkmoot.core.brief import Participant, Source
from folkmoot.core.text import clean, sentences, stem, stems, word_set

LEAST = 3
"""A sentence of fewer words is no passage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One sentence of a document.

    Attributes:
        source: the document's name.
        line: the line of the document on which the sentence begins, counted from 1.
        text: its words, blanks folded.
        heading: the heading above it; "" where there is none.
    """

    source: str
    line: int
    text: str
    heading: str = ""


_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?=\s|$)")
_UNDERLINE = re.compile(r"\s{0,3}(?:=+|-+)\s*$")
_RULE = re.compile(r"\s{0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$")
_BULLET = re.compile(r"\s*(?:[-*+•‣◦–]|(\d{1,4})[.)]|[A-Za-z]\))\s+(?:\[[ xX]\]\s+)?")
_TAG = re.compile(r"\s*</?[A-Za-z][^<>]*>\s*$|\s*\[[^\]]+\]:\s|\s*!\[[^\]]*\]\([^)]*\)\s*$")
_KEY = re.compile(r"[\w-]+\s*:")


def read_passages(sources: Sequence[Source]) -> tuple[Passage, ...]:
    """All passages of the documents, in order."""
    return tuple(passage for source in sources for passage in _passages(source))


@dataclass(slots=True)
class _Scan:
    """A document as it is read, row by row."""

    source: Source
    heading: str = ""
    inside: Literal["", "list", "quote", "table", "comment"] = ""
    fence: str = ""
    rows: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    def flush(self) -> Iterator[Passage]:
        """The passages of the paragraph that ends here."""
        rows, self.rows = self.rows, []
        if not rows:
            return
        text = "\n".join(row for _, row in rows)
        counted_to = line = 0
        for offset, sentence in sentences(text):
            line += text.count("\n", counted_to, offset)
            counted_to = offset
            words = " ".join(sentence.split())
            if len(re.findall(r"[^\W_]+", words)) >= LEAST or re.search(r"[\u3040-\u9fff]{6}", words):
                yield Passage(source=self.source.name, line=rows[line][0], text=words, heading=self.heading)

    def is_hidden(self, row: str) -> bool:
        """Whether the row stands in, opens or closes a code fence or a comment."""
        if self.fence:
            if row.strip().startswith(self.fence) and not row.strip().strip(self.fence[0]):
                self.fence = ""
            return True
        if self.inside == "comment" or row.lstrip().startswith("<!--"):
            self.inside = "" if "-->" in row else "comment"
            return True
        if match := _FENCE.match(row):
            self.fence = match[1]
            return True
        return False

    def is_apart(self, row: str, below: str) -> bool:
        """Whether the row is no running text: a rule, table row, block quotation, tag or indented code."""
        if row.lstrip().startswith(">"):
            self.inside = "quote"
        elif row.lstrip().startswith("|") or _is_ruled(row) or ("|" in row and _is_ruled(below)):
            self.inside = "table"
        if self.inside in ("quote", "table") or _RULE.match(row) or _TAG.match(row):
            return True
        return row.startswith("    ") and not self.rows and self.inside != "list"

    def take(self, number: int, row: str) -> Iterator[Passage]:
        """Add a row of running text; a list item begins a paragraph of its own."""
        match = _BULLET.match(row)
        if match and (not self.rows or self.inside == "list" or match[1] in (None, "1")):
            yield from self.flush()
            self.inside, row = "list", row[match.end() :]
        self.rows.append((number, row.strip()))


def _passages(source: Source) -> Iterator[Passage]:
    rows = _without_indent(clean(source.text).split("\n"))
    scan = _Scan(source)
    for index in range(_front(rows), len(rows)):
        row = rows[index]
        if scan.is_hidden(row):
            yield from scan.flush()
        elif not row.strip():
            yield from scan.flush()
            scan.inside = "list" if scan.inside == "list" else ""
        elif scan.rows and _UNDERLINE.match(row) and scan.inside != "list":
            scan.heading = " ".join(text for _, text in scan.rows)
            scan.rows = []
        elif heading := _HEADING.match(row):
            yield from scan.flush()
            scan.heading, scan.inside = row[heading.end() :].strip().rstrip("#").rstrip(), ""
        elif scan.is_apart(row, rows[index + 1] if index + 1 < len(rows) else ""):
            yield from scan.flush()
        else:
            if scan.inside == "list" and not scan.rows and not row.startswith(" ") and not _BULLET.match(row):
                scan.inside = ""
            yield from scan.take(source.line + index, row)
    yield from scan.flush()


def _is_ruled(row: str) -> bool:
    """Whether the row is the line between a table's head and its body."""
    return "|" in row and "-" in row and not row.strip(" |:+=-\n")


def _without_indent(rows: list[str]) -> list[str]:
    """The rows with tabs as blanks, without the blanks before all of them: a text set in as a whole is no code."""
    wide = [row.expandtabs(4) for row in rows]
    margin = min((len(row) - len(row.lstrip()) for row in wide if row.strip()), default=0)
    return [row[margin:] for row in wide]


def _front(rows: list[str]) -> int:
    """The number of rows that front matter takes."""
    if len(rows) > 2 and rows[0].rstrip() == "---" and _KEY.match(rows[1]):
        for number, row in enumerate(rows[1:200], start=1):
            if row.rstrip() == "---":
                return number + 1
    return 0


NOTHING = (
    "There is no background to quote: "
    "builtin:quotes is no language model and can only say what the brief's documents say."
)
FIRST = "The documents say:"
FIRST_ON = "On {matter} the documents say:"
MORE = "They also say:"
MORE_ON = "On {matter} they say:"
PRO = "I speak for it."
CON = "I speak against it."
TO_PLACE = "To what {name} quotes ({cite}), the documents also say:"
TO = "To what {name} says, the documents say:"
OTHER = "another participant"
HOLD = "I keep what I quoted:"
OVER = "From {name} I take over:"
ADDED = "I add what was left out:"
NOTED = "Against me it was said:"
AGAINST_THAT = "To that the documents also say:"
SPENT = "I have nothing new to quote."
SWITCHED = "More speaks for another answer:"
LEFT_OUT = "The proposal does not quote:"
TAKEN_IN = "it names a passage that I quote now"
KEPT_OUT = "I keep what I quoted, and what matters more"
FULL = "The proposal quotes what the documents say on its matter, this too:"
MEND = "Quote it, and answer it."
COUNT = "{name} brought {n} passages of the documents; the one that fits the topic best:"
COUNT_ONE = "{name} brought one passage of the documents:"
COUNT_NONE = "{name} brought no passage of the documents."
NEXT = "After that comes {name}:"
MOST = "Most of what fits the topic was brought by {name}, above all:"
NEW = "The last round brought {n} new passages, an earlier round {m}."
VOTED = "It quotes {n} passages that fit the topic, above all:"
VOTED_ONE = "It quotes one passage that fits the topic:"
ASKED = "What do you say to this:"
ASKED_NOTHING = "The documents say nothing more on this. What is the weightiest of what you quoted?"
OPEN = "Nobody has spoken yet to this:"
RANKED = "It quotes {n} passages of the documents."
ABSENT = "Its speech was not given."
REASONED = "A passage fits the topic by the words they share; the one that shares most comes first."
UNTRANSLATED = "builtin:quotes is no language model and cannot translate."
QUOTED = "What was quoted so far"
FIRST_OF_ALL = "documents first"
VOTED_NONE = "None of the proposals quotes the documents; this one comes first."

PHRASES = (
    NOTHING, FIRST, FIRST_ON, MORE, MORE_ON, PRO, CON, TO_PLACE, TO, OTHER, HOLD, OVER, ADDED, NOTED, AGAINST_THAT,
    SPENT, SWITCHED, LEFT_OUT, FULL, MEND, COUNT, COUNT_ONE, COUNT_NONE, MOST, NEXT, NEW,
    VOTED, VOTED_ONE, VOTED_NONE, ASKED, ASKED_NOTHING, OPEN, RANKED, ABSENT, REASONED, UNTRANSLATED, QUOTED,
    FIRST_OF_ALL,
)  # fmt: skip
"""All of them."""


def _matter(name: str, words: str) -> tuple[str, frozenset[str]]:
    return name, frozenset(stem(word) for word in words.split())


MATTERS = (
    _matter("security and privacy", "security privacy breach encrypt key erasure subprocessor password personal"),
    _matter("audits and rules", "audit auditor audited compliance law legal regulation certificate forbid"),
    _matter("incidents", "incident outage failure lock alert repair repaired recovery rebuild"),
    _matter("staff", "attrition employee hire hired staff engineer people leader salary office"),
    _matter("customers", "customer client user patient practice survey support"),
    _matter("growth", "growth grew grow valuation sales margin retention"),
    _matter("cost", "cost price fee budget bill expensive cheaper cheap burn spending saving dollar"),
    _matter("time", "late delay delayed deadline month week schedule season overrun quarter"),
    _matter("risk", "risk loss lose threat uncertain depend churn renewal"),
    _matter("quality", "error test tested reliable reliability quality prototype accuracy"),
)
"""What a passage may be said to be on, with the words that tell so; the most words win, then the earliest."""

_PAIRS = ('""', "“”", "«»")
_BALANCED = ("“”", "«»", "「」", "『』")
_DISTURBING = re.compile(r"<[A-Za-z/!|]|&[#\w]{1,9};|◁|\[/?(?:think|s|quote)", re.IGNORECASE)


def marks(text: str) -> str:
    """The quotation marks that can stand around a text, opening and closing; "" where it cannot be quoted safely.

    A text that holds half a quotation, or tags and the like, would disturb the reading of what stands behind it.
    """
    if _DISTURBING.search(text):
        return ""
    halves = any(text.count(opening) != text.count(closing) for opening, closing in _BALANCED)
    if halves or text.count('"') % 2 or "„" in text:
        return ""
    return next((pair for pair in _PAIRS if pair[0] not in text and pair[1] not in text), "")


def place(passage: Passage) -> str:
    """Where a passage stands, in a list of places: ``options.md:42``."""
    return f"{' '.join(passage.source.split())}:{passage.line}"


def cite(passage: Passage) -> str:
    """Where a passage stands: ``options.md, line 42``."""
    return f"{' '.join(passage.source.split())}, line {passage.line}"


def quotation(passage: Passage, limit: int = 400) -> str:
    """A passage between quotation marks, and where it stands; a longer one is cut behind a whole word, with a mark."""
    opening, closing = marks(passage.text)
    return f"{opening}{shorten(passage.text, limit)}{closing} ({cite(passage)})"


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters of a text and `` …`` where it was cut."""
    if len(text) <= limit:
        return text
    head = text[:limit].rsplit(" ", 1)[0]
    clause = max(head.rfind(", "), head.rfind("; "))
    return f"{head[:clause] if clause > limit // 2 else head} …"


def matter(passage: Passage) -> str:
    """What a passage is on; "" where that is not plain."""
    words = stems(passage.text)
    best, highest = "", (0, 0)
    for name, known in MATTERS:
        places = [-index for index, word in enumerate(words) if word in known]
        if places and (len(places), places[0]) > highest:
            best, highest = name, (len(places), places[0])
    return best


def _lexicon(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


GOOD = _lexicon(
    "achieve advantage affordable available benefit best better cheap cheaper clear confidence convincing "
    "convincingly easier easy efficient fair fast faster gain good healthy helpful improve improvement "
    "opportunity praise profitable promising proven quick quicker ready reliable reliability robust safe safer "
    "satisfied satisfy save secure shorten simple simpler simply solve stable strength strong stronger succeed "
    "success successful trust useful valued welcome win winner worth"
)
"""Words of good news."""

BAD = _lexicon(
    "fear worry concern noise abuse attrition bad breach broken burden cannot complain complaint conflict corrupt "
    "costly crash critical damage danger dangerous debt decline defect delay deny depend deprive difficult "
    "disadvantage disappointed doubt error exclude expensive fail failure fault forbid forbidden fraud hard "
    "harder hardest harm harmful impossible incident injury inconsistent lack late leak leakage leave left lose "
    "loss lost miss outage overrun penalty poor postpone problem refund reject risk risky scarce shortage slow "
    "slower slowest stress stressful threat threaten too unable uncertain unfair unknown unpaid unreadable unsafe "
    "unwilling weak weaken weakness worse worsen worst wrong"
)
"""Words of bad news."""

GAIN = _lexicon("growth income margin output productivity profit quality retention revenue runway sale satisfaction")
"""What is better the more there is of it."""

BURDEN = _lexicon(
    "bill bug burn charge churn complexity contact cost dilution dropout emission expense fee liability price "
    "repair salary spending tax traffic turnover waste workload"
)
"""What is worse the more there is of it."""

UP = _lexicon("add additional double exceed extend further grew grow high higher increase raise rise rose")
DOWN = _lexicon(
    "avoid cut decrease drop eliminate fall fell fewer halve less low lower prevent reduce reduction remove "
    "shrink shrank without"
)
NOT = word_set("no not never nobody none nothing neither nor cannot hardly without")
NOBODY = word_set("no nobody none nothing")
"""The denials that may follow what they deny ("has lost nobody")."""

REACH = 4
"""So many words before and after a word are looked at for what moves it."""

LABELS = (
    _lexicon(
        "advocate affirmative believer bull bullish champion defender enthusiast favour favor hopeful optimist "
        "optimistic pro proponent proposition supporter supportive yes"
    ),
    _lexicon(
        "adversary against bear bearish cautious con contra contrarian critic critical devil disapprove doubter "
        "negative no objector opponent opposition pessimist pessimistic sceptic sceptical skeptic skeptical"
    ),
)
"""Names and roles of those who argue for, and of those who argue against."""

CREEDS = (
    _lexicon("advocate affirm approve believe champion endorse favour favor for optimistic support welcome"),
    _lexicon("against cautious criticise criticize disapprove distrust doubt object oppose reject sceptical skeptical"),
)
"""What personas say of those who argue for, and of those who argue against."""

_WISHES = _lexicon("prefer recommend")
"""What tells which option is meant, but no side."""

_PLEAS = _lexicon("argue plead speak stand vote case campaign")
"""The words behind which "for" shows a side."""

_ASSENT = _lexicon("accept agree approve fund hire invest proceed true yes for pro")
_DISSENT = _lexicon("decline deny disagree false reject against con pass stop wait")


def valence(words: Sequence[str]) -> float:
    """How good or bad the news is that these stems tell, above -1 and below 1; 0 where they tell neither."""
    total, count = 0, 0
    for index, word in enumerate(words):
        news = _valence_change(word, words[max(0, index - REACH) : index], words[index + 1 : index + 1 + REACH])
        total += news
        count += news != 0
    return total / (count + 1)


def _valence_change(word: str, before: Sequence[str], after: Sequence[str]) -> int:
    denied = any(_is_negation(text) for text in before[-3:]) or any(text in NOBODY for text in after[:2])
    if word == "could":
        return -1 if denied or after[:1] == ["not"] else 0
    base = (word in GOOD) - (word in BAD)
    kind = base or (word in GAIN) - (word in BURDEN)
    if not kind:
        return 0
    near = (*before, *after)
    if any(text in DOWN for text in near):
        move = -1
    elif any(text in UP for text in near):
        move = 1
    else:
        move = 1 if base else 0
    return -kind * move if denied and move > 0 else kind * move


def _is_negation(word: str) -> bool:
    return word in NOT or word.endswith(("n't", "n’t"))


def side(participant: Participant) -> int:
    """What a participant argues, by its name, role and persona: 1 for, -1 against, 0 neither; a moderator neither."""
    if participant.duty == "moderator":
        return 0
    counts = (
        _count(stems(participant.name), *LABELS),
        _count(stems(participant.role), *LABELS),
        _count(stems(participant.persona), *CREEDS),
    )
    first_count = next((count for count in counts if count), 0)
    return (first_count > 0) - (first_count < 0)


def argued_points(participant: Participant) -> list[tuple[int, list[str]]]:
    """What a participant argues, sentence by sentence: above 0 for what the stems name, below 0 against it."""
    word_stems = [
        stems(text) for text in (participant.role, *(sentence for _, sentence in sentences(participant.persona)))
    ]
    return [(count, words) for words in word_stems if (count := _count(words, CREEDS[0] | _WISHES, CREEDS[1]))]


def _count(words: Sequence[str], favouring: frozenset[str], opposing: frozenset[str]) -> int:
    """Favourable minus opposing words; a denial shortly before reverses a word."""
    total = 0
    for index, word in enumerate(words):
        sign = (word in favouring) - (word in opposing)
        before = words[max(0, index - 3) : index]
        if (word == "for" and not _PLEAS.intersection(before[-2:])) or (word == "advocat" and "devil" in before):
            continue
        total += -sign if any(_is_negation(text) for text in before) else sign
    return total


def polarity(option: str) -> int:
    """What an option that names no matter of its own says to the topic: 1 yes, -1 no, 0 where it names a matter."""
    words = stems(option)
    if any(_is_negation(word) for word in words):
        return -1
    return (words[0] in _ASSENT) - (words[0] in _DISSENT) if 0 < len(words) <= 2 else 0
