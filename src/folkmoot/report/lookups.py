"""The report's chapters on tools, sources and searches for arguments, read from the record.

A use of a tool is a call on record with its sources; its arguments are in the model's call before it. That a source was
found does not mean that a turn relies on it.

A search is on record as one call with its tree as JSON: the chosen line, and how often and how well each was judged.
Values are those for the participant, from 0 to 1.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from folkmoot.arguments.positions import ToolUsage
from folkmoot.core.event import TREE, Asked, Called, Entry
from folkmoot.core.labels import place
from folkmoot.core.text import counted, listed
from folkmoot.report.markdown_text import LONG, bullets, code, inline

_DUMPED = re.compile(r"\b(\w+): \1\((['\"])(.*?)(?:\2,?\)|$)")
"""How a library tells an error that it has wrapped: ``DNSError: DNSError('no such host')``."""

_CUT = re.compile(r" \S* ?\[…cut: \d+ more characters\]$")
"""The end of a text that was cut, with the word that was cut."""

_SHORT = 180
"""The most characters of an error; the log that holds everything has the whole of it."""

_LINK = re.compile(r"https?://[!#-;=?-Z\[\]_a-z~]+")


def tools_chapter(used: Sequence[ToolUsage]) -> list[str]:
    """The chapter in Markdown, for at least one use of a tool."""
    numbers = {
        source: n for n, source in enumerate(dict.fromkeys(source for use in used for source in use.sources), start=1)
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


def _counts(used: Sequence[ToolUsage], sources: int) -> str:
    counted = Counter(use.tool for use in used)
    text = listed([f"{inline(tool)} {_times(n)}" for tool, n in counted.items()])
    failed = sum(bool(use.fault) for use in used)
    lost = f" {failed} of {len(used)} gave no result." if failed else ""
    return f"Tools were used {_times(len(used))}: {text}. {_sources(sources)}{lost}"


def _sources(count: int) -> str:
    return f"They found {counted(count, 'source') if count else 'no sources'}."


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _turn(used: Sequence[ToolUsage], numbers: dict[str, int]) -> str:
    """What was used for one turn."""
    head = used[0]
    return f"**{head.mark} {inline(head.by)}** ({inline(place(head.key))}): {'; '.join(_usage_lines(used, numbers))}"


def _usage_lines(used: Sequence[ToolUsage], numbers: dict[str, int]) -> Iterator[str]:
    for use in used:
        sentence = f" {code(use.arguments[:LONG])}" if use.arguments.strip(" {}") else ""
        text = ", ".join(f"[{numbers[source]}]" for source in use.sources)
        found_text = f": {inline(_in_words(use.fault), _SHORT)}" if use.fault else f" found {text}" if text else ""
        yield f"{inline(use.tool)}{sentence}{found_text}"


def _in_words(fault: str) -> str:
    """A fault without what only a library's author can read, ending at a word."""
    return _CUT.sub("…", _DUMPED.sub(r"\3", " ".join(fault.split())))


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchNode:
    """A claim that was weighed, or a reply that was imagined.

    Attributes:
        id: its place in the tree: ``2.1`` is the first reply to the second claim.
        by: who says it.
        claim: what is said.
        visits: simulations that went through it.
        value: the mean value of its visits; None without any.
        chosen: whether it is on the line that was chosen.
    """

    id: str
    by: str
    claim: str
    visits: int
    value: float | None
    chosen: bool

    @property
    def depth(self) -> int:
        """The number of thoughts above it in its line: 0 for a claim."""
        return self.id.count(".")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRun:
    """One search.

    Attributes:
        key: the ask before which it was made.
        by: who searched.
        simulations: how many were made.
        asked: how many the brief asked for.
        depth: how many replies were imagined after a claim.
        stopped: why it ended early; "" if it did not.
        thoughts: the tree, each line to its end before the next.
    """

    key: str
    by: str
    simulations: int
    asked: int
    depth: int
    stopped: str
    thoughts: tuple[SearchNode, ...]


def searches(entries: Iterable[Entry]) -> tuple[SearchRun, ...]:
    """All searches of a record, in the order in which they ended; what is no tree is left out."""
    agents: dict[str, str] = {}
    runs: list[SearchRun] = []
    for entry in entries:
        match entry.event:
            case Asked(ask=ask):
                agents[ask.key] = ask.to
            case Called(model=model, key=key, text=text) if model.startswith(TREE):
                if tree := _read(key, agents.get(key, ""), text):
                    runs.append(tree)
            case _:
                pass
    return tuple(runs)


def appendix(runs: Sequence[SearchRun]) -> list[str]:
    """The searches as a chapter in Markdown, block by block, for at least one search."""
    blocks = ["## Appendix: search for arguments"]
    for search in runs:
        blocks += [
            f"### {inline(search.by)}, {place(search.key)[:1].lower()}{place(search.key)[1:]}",
            _search_summary(search),
        ]
        blocks.append("\n".join(_line(thought) for thought in search.thoughts))
    return blocks


def _search_summary(search: SearchRun) -> str:
    ended = f" It ended early: {inline(search.stopped, LONG)}." if search.stopped else ""
    replies = counted(search.depth, "reply")
    return (
        f"Monte Carlo tree search, {search.simulations} of {search.asked} simulations, {replies} deep. The line in "
        f"bold was chosen; values run from 0 to 1, for {inline(search.by)}.{ended}"
    )


def _line(thought: SearchNode) -> str:
    words = inline(f"{thought.by}: {thought.claim}" if thought.depth else thought.claim, LONG)
    shown = f"**{words}**" if thought.chosen else words
    visits = counted(thought.visits, "visit")
    judged = f"{visits}, value {thought.value:.2f}" if thought.value is not None else "not judged"
    return f"{'  ' * thought.depth}- {shown} ({judged})"


def _read(key: str, by: str, text: str) -> SearchRun | None:
    try:
        tree = cast("Mapping[str, int]", json.loads(text))
        nodes = cast("Sequence[Mapping[str, object]]", tree["nodes"])
        return SearchRun(
            key=key,
            by=by,
            simulations=int(tree["simulations"]),
            asked=int(tree["asked"]),
            depth=int(tree["depth"]),
            stopped=str(tree["stopped"]),
            thoughts=tuple(_search_node(node) for node in nodes),
        )
    except (ValueError, LookupError, TypeError):
        return None


def _search_node(node: Mapping[str, object]) -> SearchNode:
    value = node["value"]
    return SearchNode(
        id=str(node["id"]),
        by=str(node["by"]),
        claim=str(node["claim"]),
        visits=int(cast("int", node["visits"])),
        value=float(value) if isinstance(value, int | float) else None,
        chosen=node["chosen"] is True,
    )
