"""Before the debate: what memory, feeds and tools say. This file owns who is asked for it, and who is shown it first.

Memory is outside the play, so a librarian is asked for it: what was recalled is an answer on record, with its origins,
and a resumed debate reads no memory again. It is a turn like any other: quoted words of somebody, laid into the log,
never part of a task or of the instructions.
"""

from dataclasses import dataclass, replace

from moot.core.ask import Ask
from moot.core.brief import Brief, View
from moot.core.errors import ProtocolError
from moot.core.form import Field, Form
from moot.core.recall import FEEDS, HISTORY, LIBRARIAN, ORIGINS, PATTERNS, PULSE, RECALL, RESEARCH
from moot.phases.choices import Memory
from moot.phases.phases_base import Phase, Play, Sequence, Table, is_batch

TASK = "Recall what earlier debates on like topics came to, and which critiques changed an answer there."


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The librarian is asked what is known from before.

    Attributes:
        who: the librarian's name.
        history: the most outcomes of earlier debates, from 0.
        patterns: the most critiques that changed an answer, from 0.
        feeds: the owner's feeds that are read.
        tools: the tools with which the librarian looks for what bears on the topic.
        task: what to do.
        name: what it is called in paths.
    """

    who: str
    history: int = 5
    patterns: int = 3
    feeds: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    task: str = TASK
    name: str = RECALL

    def play(self, table: Table) -> Play:
        """Ask, once."""
        fields = (
            Field(name=HISTORY, kind="list", high=self.history, required=False),
            Field(name=PATTERNS, kind="list", high=self.patterns, required=False),
            *(_news(self.feeds) if self.feeds else ()),
            *((Field(name=RESEARCH, kind="list", required=False),) if self.tools else ()),
            Field(name=ORIGINS, kind="list", required=False),
        )
        form = Form(name=RECALL, fields=fields)
        yield [Ask(key=table.key(1), to=self.who, act=RECALL, task=self.task, form=form, view=View(last=0))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Informed:
    """A phase whose first questions come with what was recalled, also where the debate's log stays hidden from it.

    Attributes:
        each: the phase.
    """

    each: Phase

    @property
    def name(self) -> str:
        """What it is called in paths: as the phase."""
        return self.each.name

    def play(self, table: Table) -> Play:
        """Play the phase."""
        for step in self.each.play(table):
            if is_batch(step) and not _begun(table):
                # Nothing else stands in the log yet, so nobody is shown more than that.
                yield [replace(ask, view=replace(ask.view, last=None)) for ask in step]
            else:
                yield step


def _news(feeds: tuple[str, ...]) -> tuple[Field, ...]:
    """Which feeds were read, and their news."""
    return (
        Field(name=FEEDS, kind="list", choices=feeds, required=False),
        Field(name=PULSE, kind="list", required=False),
    )


def _begun(table: Table) -> bool:
    """Whether the log holds an answer to anything else; what is for its author alone stands in none."""
    said = [turn for turn in table.transcript.all() if turn.ask and turn.ask.audience != (turn.by,)]
    return any(turn.act != RECALL for turn in said)


def with_recall(tree: Phase, brief: Brief, memory: Memory | None) -> Phase:
    """The tree with the librarian asked first of all, where memory was chosen.

    Raises:
        ProtocolError: there is no librarian.
    """
    if memory is None:
        return tree
    who = librarian(brief)
    if not who:
        raise ProtocolError("recall needs a librarian at the table", about="recall")
    recall = Recall(who=who, history=memory.history, feeds=memory.feeds, tools=memory.tools)
    parts = tree.parts if isinstance(tree, Sequence) else (tree,)
    made = (recall, Informed(each=parts[0]), *parts[1:])
    return replace(tree, parts=made) if isinstance(tree, Sequence) else Sequence(parts=made)


def librarian(brief: Brief) -> str:
    """The name of the one who recalls; "" where there is none."""
    return next((each.name for each in brief.participants if each.seat == LIBRARIAN), "")
