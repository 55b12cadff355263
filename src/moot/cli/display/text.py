"""Words on the screen. This file owns how texts of others are made safe, and how numbers and times read."""

import re
from datetime import datetime

from rich.text import Text

from moot.core.letters import flat
from moot.core.text import clean

_INLINE = re.compile(
    r"\*\*(?P<bold>[^*\n]+?)\*\*|(?<![\w*])\*(?P<italic>[^*\s][^*\n]*?)\*(?![\w*])|`(?P<code>[^`\n]+)`"
)
_HEADING = re.compile(r"#{1,6} +")
_ITEM = re.compile(r"(\s*)([-*+•]|\d{1,3}[.)])\s+")


def line(text: str) -> str:
    """A text of others on one line, without what could move the cursor or hide."""
    return flat(clean(text))


def short(text: str, most: int) -> str:
    """A text of others on one line, cut with a mark behind so many characters."""
    text = line(text)
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def prose(text: str, style: str = "") -> list[Text]:
    """Words of others, line by line, with bold, italics, code, headings and lists of Markdown made visible.

    No word is lost: marks that are not understood stay as they are.
    """
    lines = clean(text).expandtabs(4).strip("\n").split("\n")
    return [_line(each.rstrip(), style) for n, each in enumerate(lines) if each.strip() or (n and lines[n - 1].strip())]


def _line(words: str, style: str) -> Text:
    if found := _HEADING.match(words):
        return Text(words[found.end() :], style=f"{style} bold".strip())
    text = Text(style=style)
    at = 0
    for found in _INLINE.finditer(words):
        text.append(words[at : found.start()])
        kind = found.lastgroup or ""
        text.append(found[kind], style="bold cyan" if kind == "code" else kind)
        at = found.end()
    text.append(words[at:])
    return text


def hang(text: Text) -> int:
    """How far the further lines of a list's item stand in."""
    found = _ITEM.match(text.plain)
    return found.end() if found else 0


def money(dollars: float | None) -> str:
    """US dollars; ``$?`` where the price is unknown."""
    if dollars is None:
        return "$?"
    if 0 < dollars < 0.00005:
        return "<$0.0001"
    return f"${dollars:.4f}" if 0 < dollars < 0.0995 else f"${dollars:.2f}"


def amount(number: int) -> str:
    """A great number in a few signs: 940, 9.4k, 94k, 1.2M."""
    if number < 1000:
        return str(number)
    if number < 999_500:
        return f"{number / 1000:.1f}k" if number < 9950 else f"{number / 1000:.0f}k"
    return f"{number / 1e6:.1f}M"


def count(number: int, one: str, many: str = "") -> str:
    """``1 call``, ``2 calls``."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def span(seconds: float) -> str:
    """A time span: 6s, 1m 02s, 2h 05m."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    return f"{whole // 60}m {whole % 60:02}s" if whole < 3600 else f"{whole // 3600}h {whole % 3600 // 60:02}m"


def moment(at: float) -> str:
    """When it was, by the clock of the user."""
    return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M")
