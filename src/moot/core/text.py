"""Texts from outside. This file owns what is mended at the border, so that every text can be stored and shown."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

LONGEST_NAME = 200
"""Characters of a name that somebody else gives, such as that of the model that served an answer."""

_SURROGATES = re.compile("[\ud800-\udfff]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\x1b")
_QUOTES = re.compile("[\"'`´\u2018-\u201f\u2032\u2033\u2039\u203a\u00ab\u00bb]")
_SECRET = re.compile(
    r"""(?ix) \b(?:bearer|basic)\s+\S{6,} | \b(?:sk|pk|gsk|csk|xai|hf|ghp|pplx|xox[a-z])[-_][\w*-]{4,} | \bAIza[\w-]{8,}
    | (?<=://)[^\s/@]+:[^\s/@]+(?=@)
    | \b(?:[\w-]*[-_\s])?(?:key|token|secret|password)
      (?:['"]?\s*[:=]\s*['"]?(?!(?<=key:[ ]|ken:[ ])[a-z]{1,12}[ ]\w)|\s+is\s+(?=\S*\d))[^\s'",;&]+
    | (?=\w*\d)\w{30,}"""
)
"""What looks like a key: it is called one, begins like one, or is a very long word with a digit.

``needs a key: set KEY`` goes on with words of a sentence, which stay.
"""


def hide(text: str) -> str:
    """The text without anything that looks like a key; for errors of programs that nobody here wrote."""
    return _SECRET.sub("***", text)


def clean(text: str) -> str:
    """A text that any store and screen can hold: lone surrogates become U+FFFD, control characters go, CRLF becomes LF.

    Tabs and line ends stay. Terminal escapes lose their first character, so they are harmless words.
    """
    return _CONTROLS.sub("", _SURROGATES.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n")))


def clip(text: str, most: int | None) -> str:
    """At most so many characters, with a visible mark that says how many are missing; None keeps all."""
    if most is None or len(text) <= most:
        return text
    return f"{text[:most].rstrip()} […cut: {len(text) - most} more characters]"


def named(value: object) -> str:
    """A name that somebody else gives, clean and clipped; "" for what is no text."""
    return clip(clean(value), LONGEST_NAME) if isinstance(value, str) else ""


def texts(values: Iterable[object]) -> list[str]:
    """Those of the values that are texts."""
    return [each for each in values if isinstance(each, str)]


def stands_in(quote: str, text: str) -> bool:
    """Whether words are quoted from a text: whole words of it, in its order, without a gap.

    Blanks, case and the kind of quotation marks do not matter, nor do the marks around the quote and the stop or comma
    behind it. An empty quote stands in no text.
    """
    words = _plain(quote).lstrip("' ").rstrip("' .,;:")
    return bool(words) and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", _plain(text)) is not None


def _plain(text: str) -> str:
    return " ".join(_QUOTES.sub("'", unicodedata.normalize("NFKC", text)).casefold().split())


def words(text: str) -> list[str]:
    """The words of a text, without case and marks."""
    return re.findall(r"[^\W_]+", text.casefold())


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: ``Ann, Ben and Cid``."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def letter(n: int) -> str:
    """The n-th letter from 0: 0 is A, 25 is Z, 26 is AA."""
    return (letter(n // 26 - 1) if n >= 26 else "") + chr(ord("A") + n % 26)


def slug(text: str, most: int) -> str:
    """Lower-case ASCII words joined by hyphens, at most so many characters, never empty: safe in ids and file names."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    return "-".join(words)[:most].strip("-") or "debate"
