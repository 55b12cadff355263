"""Tools and sources, read from the record. This file owns the chapter that says what was looked up, and where.

A use of a tool is a call on record with its sources; its arguments stand in the model's call before it. That a source
was found does not say that a turn relies on it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from moot.arguments.uses import Used
from moot.core.labels import place
from moot.core.text import listed
from moot.report.markdown_text import code, inline
from moot.report.pieces import LONG, bullets

_DUMPED = re.compile(r"\b(\w+): \1\((['\"])(.*?)(?:\2,?\)|$)")
"""How a library tells an error that it has wrapped: ``DNSError: DNSError('no such host')``."""

_CUT = re.compile(r" \S* ?\[…cut: \d+ more characters\]$")
"""The end of a text that was cut, with the word that was cut."""

_SHORT = 180
"""The most characters of an error; the log that holds everything has the whole of it."""

_LINK = re.compile(r"https?://[!#-;=?-Z\[\]_a-z~]+")


def tools_chapter(used: Sequence[Used]) -> list[str]:
    """The chapter in Markdown; nothing where no tool was used."""
    if not used:
        return []
    numbers = {
        source: n for n, source in enumerate(dict.fromkeys(each for use in used for each in use.sources), start=1)
    }
    turns = dict.fromkeys(use.key for use in used)
    return [
        "## Sources and tools",
        _counts(used, len(numbers)),
        "\n".join(f"{n}. {cite(source)}" for source, n in numbers.items()),
        bullets(_turn([use for use in used if use.key == key], numbers) for key in turns),
    ]


def cite(source: str) -> str:
    """A source in Markdown: an address as a link that shows itself, anything else in plain words."""
    return f"<{source}>" if _LINK.fullmatch(source) else inline(source, LONG)


def _counts(used: Sequence[Used], sources: int) -> str:
    counted = Counter(use.tool for use in used)
    told = listed([f"{inline(tool)} {_times(n)}" for tool, n in counted.items()])
    failed = sum(bool(use.fault) for use in used)
    lost = f" {failed} of {len(used)} gave no result." if failed else ""
    return f"Tools were used {_times(len(used))}: {told}. {_sources(sources)}{lost}"


def _sources(count: int) -> str:
    return f"They found {count or 'no'} source{'' if count == 1 else 's'}."


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _turn(used: Sequence[Used], numbers: dict[str, int]) -> str:
    """What was used for one turn."""
    head = used[0]
    return f"**{head.mark} {inline(head.by)}** ({inline(place(head.key))}): {'; '.join(_uses(used, numbers))}"


def _uses(used: Sequence[Used], numbers: dict[str, int]) -> Iterator[str]:
    for use in used:
        given = f" {code(use.arguments[:LONG])}" if use.arguments.strip(" {}") else ""
        found = ", ".join(f"[{numbers[source]}]" for source in use.sources)
        told = f": {inline(_in_words(use.fault), _SHORT)}" if use.fault else f" found {found}" if found else ""
        yield f"{inline(use.tool)}{given}{told}"


def _in_words(fault: str) -> str:
    """A fault without what only a library's author can read, ending at a word."""
    return _CUT.sub("…", _DUMPED.sub(r"\3", " ".join(fault.split())))
