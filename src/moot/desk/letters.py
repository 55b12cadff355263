"""Letters of texts from outside. This file owns which of them never reach a participant, a record or a screen."""

import re

from moot.core.text import clean

_LINES = re.compile("[\x85\u2028\u2029]")
_LAST = "".join(chr(plane << 16 | last) for plane in range(1, 17) for last in (0xFFFE, 0xFFFF))
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff" + _LAST + "]"
)
_JOINERS = re.compile("[\u200c\u200d\ufe0e\ufe0f]{3,}|(?<![^\x00-\x7f])[\u200c\u200d\ufe0e\ufe0f]+(?!\u20e3)")
_AWAY = re.compile(r"\.\.?[/\\]|[/\\]|~[/\\]|[A-Za-z]:[/\\]|file:|\S*[/\\]\.\.([/\\]|$)")


def tidy(text: str) -> str:
    """A text without what nobody can see.

    Beyond ``core.text.clean``: characters for the direction of writing, Unicode tags, fillers, variation selectors
    and non-characters go, line separators become blanks. Joiners and emoji selectors stay where they can mean
    something: behind a character that is not ASCII, at most two in a row. The number of lines stays.
    """
    plain = clean(text if text.isascii() else _LINES.sub(" ", text))
    return plain if plain.isascii() else _JOINERS.sub("", _HIDDEN.sub("", plain))


def hidden(text: str) -> tuple[int, ...]:
    """The lines, from 1, on which ``tidy`` takes out characters that nobody can see."""
    if text.isascii():
        return ()
    lines = _LINES.sub(" ", clean(text).removeprefix("\ufeff")).split("\n")
    return tuple(n for n, line in enumerate(lines, 1) if _HIDDEN.search(line) or _JOINERS.search(line))


def flat(text: str) -> str:
    """A text on one line: every run of blanks and line ends becomes one blank."""
    return " ".join(text.split())


def leads_away(text: str) -> bool:
    """Whether a text is nothing but a path that leads out of a folder: absolute, upwards, to a share or a home."""
    return not re.search(r"\s", text) and bool(_AWAY.match(text))
