"""Small pieces of Markdown. This file owns how lists, tables, times and dates look in a report."""

from collections.abc import Iterable, Sequence

from moot.report.markdown_text import block

LONG = 300
"""The most characters of a persona, a reason or a candidate that is mentioned in passing."""


def lead(name: str, text: str) -> str:
    """A name and what it names: in one line where it fits in one, else with the text as a block beneath."""
    body = block(text.strip())
    return f"**{name}:**\n\n{body}" if "\n" in body else f"**{name}:** {body}"


def bullets(lines: Iterable[str]) -> str:
    """A list."""
    return "\n".join(f"- {line}" for line in lines)


def table(heads: Sequence[str], lines: Sequence[Sequence[str]], *, numbers: int) -> str:
    """A table whose last so many columns are set to the right; "" without lines."""
    rule = ["---"] * (len(heads) - numbers) + ["---:"] * numbers
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, rule, *lines)) if lines else ""


def capital(text: str) -> str:
    """A text as it begins a sentence."""
    return text[:1].upper() + text[1:]


def date(moment: str) -> str:
    """A moment in ISO 8601 as a person writes it, in UTC."""
    return f"{moment[:10]} {moment[11:19]} UTC"


def time(seconds: float) -> str:
    """A span of time: ``4.2 s``, ``3 min 20 s``, ``2 h 5 min``."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
