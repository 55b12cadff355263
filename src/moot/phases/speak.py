"""Phases in which participants speak. This file owns who is asked what, in which batch."""

from collections.abc import Sequence
from dataclasses import dataclass

from moot.core.ask import Ask
from moot.core.brief import View
from moot.core.errors import ProtocolError
from moot.core.event import Halted
from moot.core.form import Form
from moot.phases.forms import linked
from moot.phases.phases_base import ROOT, Play, Table
from moot.policy.pairing import Pairs
from moot.policy.showing import Showing
from moot.policy.turns import Hearing, InTurn, Turns


@dataclass(frozen=True, slots=True, kw_only=True)
class Everyone:
    """All are asked the same at once; nobody sees another's answer before all are in.

    Attributes:
        act: what the answers are.
        task: what to do; ``{round}`` stands for the number of the round.
        who: names of those who are asked; empty for all debaters.
        form: the fields that an answer must have.
        show: the turns that are laid before each.
        view: which turns of the log go along.
        needs: how many must answer; with fewer the whole debate halts.
        private: whether each answer is for its author alone; it stands in no log.
    """

    act: str
    task: str
    who: tuple[str, ...] = ()
    form: Form | None = None
    show: tuple[Showing, ...] = ()
    view: View = View()
    needs: int = 0
    private: bool = False

    @property
    def name(self) -> str:
        """What it is called in paths: the act."""
        return self.act

    def play(self, table: Table) -> Play:
        """Ask all, once."""
        asks = [self._ask(table, n, name) for n, name in enumerate(roster(table, self.who), start=1)]
        yield asks
        answered = sum(table.transcript.get(ask.key).reply is not None for ask in asks)
        if answered < self.needs:
            yield Halted(path=ROOT, reason=f"{answered} of {len(asks)} answered, {self.needs} are needed to go on")

    def _ask(self, table: Table, n: int, name: str) -> Ask:
        return Ask(
            key=table.key(n),
            to=name,
            act=self.act,
            task=self.task.replace("{round}", str(table.round)),
            form=linked(self.form, table, name, self.view),
            about=lay(self.show, table, name),
            audience=(name,) if self.private else hearers(table, name, self.view),
            view=self.view,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Critique:
    """Each criticises the newest turn of those it is paired with.

    Attributes:
        of: the acts that are criticised.
        pairs: who criticises whom.
        task: what to do.
        form: the fields that a critique must have.
        view: which turns of the log go along.
        name: what it is called in paths and records.
    """

    of: tuple[str, ...]
    pairs: Pairs
    task: str
    form: Form | None = None
    view: View = View(last=0, anonymous=True)
    name: str = "critique"

    def play(self, table: Table) -> Play:
        """Ask all critics at once."""
        newest = {turn.by: turn for turn in table.transcript.latest(*self.of)}
        names = [name for name in roster(table, ()) if name in newest]
        drawn = self.pairs.draw(names, round=table.round, chance=table.chance("pairs"))
        pairs = [(critic, author) for critic, author in drawn if table.transcript.sees(critic, newest[author])]
        if pairs:
            yield [
                Ask(
                    key=table.key(n),
                    to=critic,
                    act=self.name,
                    task=self.task,
                    form=self.form,
                    about=(newest[author].key,),
                    view=self.view,
                )
                for n, (critic, author) in enumerate(pairs, start=1)
            ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """One speaks after the other; each hears all who spoke before.

    Attributes:
        act: what the turns are.
        task: what to do; ``{round}`` stands for the number of the round.
        turns: who speaks next.
        who: names of those who may speak; empty for all debaters.
        form: the fields that a turn must have.
        view: which turns of the log go along.
        name: what it is called in paths.
    """

    act: str
    task: str
    turns: Turns = InTurn()
    who: tuple[str, ...] = ()
    form: Form | None = None
    view: View = View()
    name: str = "floor"

    def play(self, table: Table) -> Play:
        """Give the floor to one after the other."""
        people = [table.brief.participant(name) for name in roster(table, self.who)]
        keys: list[str] = []
        while True:
            said = [table.transcript.get(key) for key in keys]
            hearing = Hearing(round=table.round, transcript=table.transcript, chance=table.chance("order"))
            name = self.turns.next(said, people, hearing)
            if not name:
                break
            keys.append(table.key(len(keys) + 1))
            yield [
                Ask(
                    key=keys[-1],
                    to=name,
                    act=self.act,
                    task=self.task.replace("{round}", str(table.round)),
                    form=linked(self.form, table, name, self.view),
                    view=self.view,
                )
            ]
        if not any(table.transcript.get(key).reply for key in keys):
            yield Halted(path=ROOT, reason=f"none of {len(keys)} answered")


def hearers(table: Table, name: str, view: View) -> tuple[str, ...]:
    """Who may hear what somebody says; () for all.

    A moderator sums up what it was shown. Where some of that is hidden from somebody, its words are for those alone who
    may see all of it: a mask would be none if the moderator told what is behind it.
    """
    brief, transcript = table.brief, table.transcript
    if brief.participant(name).duty == "debater" or not any(each.hide for each in brief.participants):
        return ()
    shown = transcript.look(view.narrowed(brief.participant(name).view), name)
    told = [each.name for each in brief.participants if all(transcript.sees(each.name, turn) for turn in shown)]
    return () if len(told) == len(brief.participants) else tuple(told)


def roster(table: Table, who: tuple[str, ...]) -> tuple[str, ...]:
    """Those who are meant: the names given, or all debaters."""
    return who or table.brief.names("debater")


def lay(show: Sequence[Showing], table: Table, name: str) -> tuple[str, ...]:
    """The keys of all turns that are laid before a participant."""
    keys = [key for each in show for key in each.keys(table.transcript, name, table.chance(name))]
    return tuple(dict.fromkeys(keys))


def check_names(names: Sequence[str]) -> None:
    """Refuse a table at which nobody can debate.

    Raises:
        ProtocolError: fewer than two debaters.
    """
    if len(names) < 2:
        raise ProtocolError(f"a debate needs at least 2 debaters, not {len(names)}", about="participants")
