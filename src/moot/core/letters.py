"""Texts from outside: lines with invisible characters, one-line forms, and paths that lead out of a folder."""

import re

from moot.core.text import clean

_AWAY = re.compile(r"\.\.?[/\\]|[/\\]|~[/\\]|[A-Za-z]:[/\\]|file:|\S*[/\\]\.\.([/\\]|$)")


def hidden(text: str) -> tuple[int, ...]:
    """The lines, from 1, on which ``clean`` takes out or replaces characters."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return tuple(n for n, line in enumerate(lines, 1) if clean(line) != line)


def flat(text: str) -> str:
    """A text on one line: every run of blanks and line ends becomes one blank."""
    return " ".join(text.split())


def leads_away(text: str) -> bool:
    """Whether a text is nothing but a path that leads out of a folder: absolute, upwards, to a share or a home."""
    return not re.search(r"\s", text) and bool(_AWAY.match(text))
