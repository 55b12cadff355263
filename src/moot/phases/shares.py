"""Work that is shared out and put together again. This file owns the questions on both ends, and how gaps are told."""

from collections.abc import Sequence
from dataclasses import dataclass

from moot.core.ask import Ask
from moot.core.brief import Brief, View
from moot.core.decision import Decision
from moot.core.event import Ruled
from moot.core.text import listed
from moot.phases.phases_base import Phase, Play, Table
from moot.phases.phases_base import Sequence as InOrder
from moot.phases.phases_shares import Shares

MAPPING = (
    "This task is shared out: others have the other items, and all answers will be put together. Do what the topic "
    "asks for your item alone."
)
# What is left out of a summary is lost; a gap that is not named reads as if nothing had been there.
GATHERING = (
    "Above are the answers for the single items. Put them together into one result for the task that the topic states. "
    "Keep what single answers hold against the others; add nothing of your own."
)


def map_reduce(brief: Brief, items: Sequence[str]) -> Phase:
    """Each debater has one of the items, all work at once; then the moderator puts the answers together."""
    names = brief.names("debater")
    tasks = tuple(
        (name, f"{MAPPING}\n\nYour item is number {n} of {len(items)}:\n{_indented(item)}")
        for n, (name, item) in enumerate(zip(names, items, strict=True), start=1)
    )
    (by,) = brief.names("moderator")
    return InOrder(parts=(Shares(tasks=tasks, needs=1), Gather(by=by, task=GATHERING)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Gather:
    """One puts together what the others did; the result is the decision.

    Attributes:
        by: who does it.
        task: what to do.
        act: the act of what is put together.
        name: what it is called in paths.
    """

    by: str
    task: str
    act: str = "share"
    name: str = "gather"

    def play(self, table: Table) -> Play:
        """Ask, and take the result over."""
        shares = [turn for turn in table.transcript.all() if turn.act == self.act]
        gone = [f"{n} ({turn.by})" for n, turn in enumerate(shares, start=1) if turn.reply is None]
        lacking = f"\n\nNo answer came for {_items(gone)}. Say in the result that this is missing." if gone else ""
        ask = Ask(
            key=table.key(1),
            to=self.by,
            act=self.name,
            task=f"{self.task}{lacking}",
            about=tuple(turn.key for turn in shares if turn.reply),
            view=View(last=0),
        )
        yield [ask]
        reply = table.transcript.get(ask.key).reply
        how = f"{self.by} put {len(shares) - len(gone)} of {len(shares)} answers together"
        if reply is None:
            yield Ruled(decision=Decision(status="no_decision", rule=self.name, how=f"{self.by} gave no answer"))
        else:
            yield Ruled(decision=Decision(status="decided", text=reply.text, rule=self.name, how=how))


def _items(gone: Sequence[str]) -> str:
    return f"item{'s' if len(gone) > 1 else ''} {listed(gone)}"


def _indented(text: str) -> str:
    """An item is somebody else's words: no line of it begins at the margin, where our own stand."""
    return "\n".join(f"  {line}" for line in text.splitlines())
