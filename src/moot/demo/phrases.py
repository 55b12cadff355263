"""The words of the built-in debater that are no quotation. This file owns all of them; they claim nothing.

``{name}`` stands for a participant or the letter of a proposal, ``{cite}`` for a place (``options.md:42``), ``{n}`` and
``{m}`` for counts, ``{matter}`` for one of the matters below.
"""

import re

from moot.core.words import stem, stems
from moot.demo.passages import Passage

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
HOLD = "I hold to what I quoted:"
OVER = "From {name} I take over:"
ADDED = "I add what was left out:"
NOTED = "It was held against me:"
AGAINST_THAT = "To that the documents also say:"
SPENT = "I have nothing new to quote."
SWITCHED = "More speaks for another answer:"
LEFT_OUT = "The proposal does not quote:"
TAKEN_IN = "it names a passage that I quote now"
KEPT_OUT = "I hold to what I quoted, and to what bears more"
FULL = "The proposal quotes what the documents say on its matter, this too:"
MEND = "Quote it, and answer it."
COUNT = "{name} brought {n} passages of the documents; the one that bears most on the topic:"
COUNT_ONE = "{name} brought one passage of the documents:"
COUNT_NONE = "{name} brought no passage of the documents."
NEXT = "After that comes {name}:"
MOST = "Most of what bears on the topic was brought by {name}, above all:"
NEW = "The last round brought {n} new passages, an earlier round {m}."
VOTED = "It quotes {n} passages that bear on the matter, above all:"
VOTED_ONE = "It quotes one passage that bears on the matter:"
ASKED = "What do you say to this:"
ASKED_NOTHING = "The documents hold nothing more on this. What is the weightiest of what you quoted?"
OPEN = "Nobody has spoken yet to this:"
RANKED = "It quotes {n} passages of the documents."
REASONED = "Each passage bears on the topic by the words that they share; the one that shares most stands first."
UNTRANSLATED = "builtin:quotes is no language model and cannot translate."
QUOTED = "What was quoted so far"
FIRST_OF_ALL = "documents first"
VOTED_NONE = "None of the proposals quotes the documents; this one comes first."

PHRASES = (
    NOTHING, FIRST, FIRST_ON, MORE, MORE_ON, PRO, CON, TO_PLACE, TO, OTHER, HOLD, OVER, ADDED, NOTED, AGAINST_THAT,
    SPENT, SWITCHED, LEFT_OUT, FULL, MEND, COUNT, COUNT_ONE, COUNT_NONE, MOST, NEXT, NEW,
    VOTED, VOTED_ONE, VOTED_NONE, ASKED, ASKED_NOTHING, OPEN, RANKED, REASONED, UNTRANSLATED, QUOTED, FIRST_OF_ALL,
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


def cite(passage: Passage) -> str:
    """Where a passage stands: ``options.md:42``."""
    return f"{' '.join(passage.source.split())}:{passage.line}"


def quotation(passage: Passage, most: int = 400) -> str:
    """A passage between quotation marks, and where it stands; a longer one is cut behind a whole word, with a mark."""
    opening, closing = marks(passage.text)
    return f"{opening}{shorten(passage.text, most)}{closing} ({cite(passage)})"


def shorten(text: str, most: int) -> str:
    """At most so many characters of a text and `` …`` where it was cut."""
    if len(text) <= most:
        return text
    head = text[:most].rsplit(" ", 1)[0]
    clause = max(head.rfind(", "), head.rfind("; "))
    return f"{head[:clause] if clause > most // 2 else head} …"


def matter(passage: Passage) -> str:
    """What a passage is on; "" where that is not plain."""
    words = stems(passage.text)
    best, most = "", (0, 0)
    for name, known in MATTERS:
        places = [-place for place, word in enumerate(words) if word in known]
        if places and (len(places), places[0]) > most:
            best, most = name, (len(places), places[0])
    return best
