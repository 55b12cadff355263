"""A phase in which work is shared out. This file owns that each participant has a task of its own."""

from dataclasses import dataclass

from moot.core.ask import Ask
from moot.core.brief import View
from moot.core.errors import ProtocolError
from moot.core.event import Halted
from moot.core.form import Form
from moot.phases.phases_base import ROOT, Play, Table
from moot.phases.speak import hearers


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Each has a task of its own, and all work at once; nobody sees another's answer before all are in.

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
            raise ProtocolError("nothing is shared out: there must be at least one task")

    @property
    def name(self) -> str:
        """What it is called in paths: the act."""
        return self.act

    def play(self, table: Table) -> Play:
        """Ask all, once."""
        asks = [
            Ask(
                key=table.key(n),
                to=name,
                act=self.act,
                task=task,
                form=self.form,
                audience=hearers(table, name, self.view),
                view=self.view,
            )
            for n, (name, task) in enumerate(self.tasks, start=1)
        ]
        yield asks
        answered = sum(table.transcript.get(ask.key).reply is not None for ask in asks)
        if answered < self.needs:
            yield Halted(path=ROOT, reason=f"{answered} of {len(asks)} answered, {self.needs} are needed to go on")
