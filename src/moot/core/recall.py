"""What is recalled before a debate. This file owns the words that the phase, the seat and memory share."""

from dataclasses import dataclass

RECALL = "recall"
"""The act of a turn that recalls earlier debates."""

HISTORY = "HISTORY"
"""The field with past outcomes on like topics; its greatest number says how many are wanted."""

PATTERNS = "PATTERNS"
"""The field with critiques that changed an answer; its greatest number says how many are wanted."""

FEEDS = "FEEDS"
"""The field with the names of the feeds that were read; its choices are those that are wanted."""

PULSE = "PULSE"
"""The field with news of these feeds."""

RESEARCH = "RESEARCH"
"""The field with what tools found on the topic."""

ORIGINS = "ORIGINS"
"""The field with the ids of the debates from which something was recalled: their uses are counted by it."""

LIBRARIAN = "builtin:librarian"
"""The seat that recalls."""

NAMED = "librarian"
"""How briefs may name that seat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """One piece of news of a feed: its headline, the text below it, where it stands, and when, as the feed has it."""

    title: str
    text: str = ""
    link: str = ""
    when: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a tool found on the topic: its name, its words, where they come from; no source where it found nothing."""

    tool: str
    text: str
    sources: tuple[str, ...] = ()
