"""Divided work: each participant gets a part of the task, and the parts are combined (map-reduce).

If a part fails, the one that combines them is told which part is missing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from folkmoot.core.ask import Ask, Form
from folkmoot.core.brief import Brief, View
from folkmoot.core.decision import Decision
from folkmoot.core.errors import ProtocolError
from folkmoot.core.event import Ruled
from folkmoot.core.text import listed
from folkmoot.phases.base import Phase, Play, State
from folkmoot.phases.base import Sequence as InOrder
from folkmoot.phases.speak import readers_of, too_few_answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Each has a task of its own, and all work in parallel; nobody sees another's answer before all have answered.

    Attributes:
        tasks: who does what, as pairs of a participant's name and its task; a name may stand there more than once.
        act: what the answers are.
        form: the fields that an answer must have.
        view: which turns of the log go along.
        needs: how many must answer; with fewer the whole debate halts.
    """

    tasks: tuple[tuple[str, str], ...]
    act: str = "share"
    form: Form | None = None
    view: View = View(last=0)
    needs: int = 0

    def __post_init__(self) -> None:
        if not self.tasks:
            raise ProtocolError("there must be at least one task")

    @property
    def name(self) -> str:
        """What it is called in paths: the act."""
        return self.act

    def play(self, state: State) -> Play:
        """Ask all, once."""
        asks = [
            Ask(
                key=state.key(n),
                to=name,
                act=self.act,
                task=task,
                form=self.form,
                audience=readers_of(state, name, self.view),
                view=self.view,
            )
            for n, (name, task) in enumerate(self.tasks, start=1)
        ]
        yield asks
        answered = sum(state.transcript.get(ask.key).reply is not None for ask in asks)
        if answered < self.needs:
            yield too_few_answers(answered, len(asks), self.needs)


MAPPING = (
    "This task is shared out: others have the other items, and all answers will be put together. Do what the topic "
    "asks for your item alone."
)
# What is left out of a summary is lost; a gap that is not named reads as if nothing had been there.
GATHERING = (
    "Above are the answers for the single items. Put them together into one result for the task that the topic states. "
    "Keep where single answers contradict the others; add nothing of your own."
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

    def play(self, state: State) -> Play:
        """Ask, and take the result over."""
        shares = [turn for turn in state.transcript.all() if turn.act == self.act]
        gone = [f"{n} ({turn.by})" for n, turn in enumerate(shares, start=1) if turn.reply is None]
        lacking = f"\n\nNo answer came for {_items(gone)}. Say in the result that this is missing." if gone else ""
        ask = Ask(
            key=state.key(1),
            to=self.by,
            act=self.name,
            task=f"{self.task}{lacking}",
            about=tuple(turn.key for turn in shares if turn.reply),
            view=View(last=0),
        )
        yield [ask]
        reply = state.transcript.get(ask.key).reply
        how = f"{self.by} put {len(shares) - len(gone)} of {len(shares)} answers together"
        if reply is None:
            yield Ruled(decision=Decision(status="no_decision", rule=self.name, how=f"{self.by} gave no answer"))
        else:
            yield Ruled(decision=Decision(status="decided", text=reply.text, rule=self.name, how=how))


def _items(gone: Sequence[str]) -> str:
    return f"item{'s' if len(gone) > 1 else ''} {listed(gone)}"


def _indented(text: str) -> str:
    """An item is somebody else's words: no line of it begins at the margin, as the lines of the task do."""
    return "\n".join(f"  {line}" for line in text.splitlines())
