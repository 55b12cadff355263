"""Text as it is compared: folded, without markup, so that ``**Proposal B.**`` is ``proposal b``. All of it is linear."""

import re
import unicodedata
from functools import lru_cache

from folkmoot.core.text import LINE_ENDS, bare, clean

LONGEST = 256 * 1024
"""The most characters of an answer with its thinking; a longer one isn't read at all."""

LIMIT = 64 * 1024
"""The most characters of an answer without it that is read in a form."""

_EDGES = " \t\n*_`~\"'“”„‘’«»‹›「」『』《》〈〉【】()[]{}<>.,;:!?。，！？：；、…✅✔✓☑"
_RAISED = (
    "\u00aa\u00b2\u00b3\u00b9\u00ba\u02b0-\u02b8\u02e0-\u02e4\u1d2c-\u1d6a\u1d78\u1d9b-\u1dbf\u2070-\u209f\u2c7c\u2c7d"
)
# A run is normalised in pieces, since the time for one piece can grow with the square of its length. Raised and
# lowered letters and digits stay as they are: a square is no two.
_RUN = re.compile(rf"[\x00-\x7f]?[^\x00-\x7f{_RAISED}]{{1,500}}")
_QUOTES = str.maketrans({**dict.fromkeys("‘’‚‛′", "'"), **dict.fromkeys("“”„‟″", '"')})
_ARTICLE = re.compile(r"\A(?:the|an?) (?=\w)")


def fold(text: str) -> str:
    """The text in Unicode's form NFKC, case folded, quotation marks straight, blanks joined, nothing unseen in it."""
    if not text.isascii():
        text = _RUN.sub(lambda run: unicodedata.normalize("NFKC", run[0]), bare(text)).translate(_QUOTES)
    return " ".join(text.casefold().split())


def key(text: str) -> str:
    """The text as names and choices are compared: folded, without markup and punctuation around it, and no article."""
    return _short_key(text) if len(text) <= 64 else _key(text)


def _key(text: str) -> str:
    folded = fold(text)
    if not folded.isascii():  # "🤖 Agent2 🤖" is a name between emoji
        plain = "".join(letter for letter in folded if unicodedata.category(letter) not in ("So", "Cf"))
        folded = plain.strip() or folded
    return _ARTICLE.sub("", folded.strip(_EDGES))


_short_key = lru_cache(maxsize=2048)(_key)


def with_plain_line_ends(text: str) -> str:
    """The text, cleaned, with every kind of line end as a newline, so that nobody hides a line."""
    return clean(LINE_ENDS.sub("\n", text))
