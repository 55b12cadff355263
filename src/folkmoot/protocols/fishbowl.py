"""The format ``fishbowl``: an inner circle talks, an outer circle listens, and one chair is free.

Opening statements are made in parallel. In each round the inner circle speaks, in the order in which its members
joined; then the outer circle bids for the free chair, and the winner speaks once. The winner stays inside, and the
member who has been inside longest leaves, so the circle keeps its size. Few speakers go deeper than a round of all;
the chair brings in what they miss. Who is inside follows from the record; it is stored nowhere else.
"""

from dataclasses import dataclass

from folkmoot.core.ask import Ask, Form
from folkmoot.core.brief import Brief, View
from folkmoot.core.errors import ProtocolError
from folkmoot.core.event import Halted
from folkmoot.core.text import listed
from folkmoot.phases.base import ROOT, Phase, Play, Rounds, Sequence, State
from folkmoot.phases.bids import ask_bids, winner
from folkmoot.phases.choices import Choices, until
from folkmoot.phases.endings import LOG, ending
from folkmoot.phases.speak import Everyone, linked, speech

OPENING = "All state a position before the inner circle begins. Say what yours is, and give your main reasons."

# Without the names inside, a speaker would answer the outer circle, which cannot answer back.
INNER = (
    "Round {round}. In the inner circle sit {inside}; the others listen. You are inside and have the floor: talk to "
    "those who sit with you. Take up what one of them said and go deeper into it, rather than repeat your position."
)
# Models seldom refuse a chance to speak, so the bid says what 0 is for.
BIDDING = (
    "Round {round}. In the inner circle sit {inside}; you listen outside. One chair inside is free for one turn: bid "
    "for it. Bid high only if those inside overlook or mistake something that matters; bid 0 if you would repeat them."
)
CHAIR = (
    "Round {round}. Your bid above won the free chair; you sit down beside {inside}. Say, in one turn, what they have "
    "overlooked or mistaken. You stay inside in the next round."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bowl:
    """One round of a fishbowl; in the tasks ``{inside}`` is replaced by the names inside, ``{round}`` by the round.

    Attributes:
        inner: the task of those inside.
        bidding: the task of those outside, who bid for the free chair.
        chair: the task of the one who takes it.
        form: the fields that a turn must have.
        view: which turns of the log go along.
        act: what the turns are.
        name: what it is called in paths.
    """

    inner: str
    bidding: str
    chair: str
    form: Form | None = None
    view: View = LOG
    act: str = "argue"
    name: str = "bowl"

    def play(self, state: State) -> Play:
        """Let those inside speak, then one of those outside."""
        inside, outside = circles(state, self.act)
        for n, name in enumerate(inside, start=1):
            yield [self._ask(state, n, name, _task_with_names(self.inner, inside))]
        task = _task_with_names(self.bidding, inside)
        bids = ask_bids(state, outside, task=task, first=len(inside) + 1, view=self.view)
        yield bids
        won = winner([state.transcript.get(bid.key) for bid in bids], state.transcript)
        slots = len(inside) + len(bids)
        if won:
            slots += 1
            yield [self._ask(state, slots, won.by, _task_with_names(self.chair, inside), about=(won.key,))]
        if not any(state.transcript.get(state.key(n)).reply for n in range(1, slots + 1)):
            yield Halted(path=ROOT, reason=f"none of {slots} answered")

    def _ask(self, state: State, n: int, name: str, task: str, about: tuple[str, ...] = ()) -> Ask:
        return Ask(
            key=state.key(n),
            to=name,
            act=self.act,
            task=task.replace("{round}", str(state.round)),
            form=linked(self.form, state, name, self.view),
            about=about,
            view=self.view,
        )


def circles(state: State, act: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Who is inside in this round, longest first, and who is outside, in the order of the brief.

    Inside sits the first half of the debaters, rounded up; at least two, and at least one stays outside. Whoever was
    asked to speak in an earlier round of this phase without sitting inside had taken the chair.
    """
    names = state.brief.names("debater")
    inside = names[: min(max(2, (len(names) + 1) // 2), len(names) - 1)]
    for path in _earlier_paths(state):
        spoke = [turn.by for turn in state.transcript.all() if turn.act == act and turn.key.startswith(f"{path}#")]
        if joined := tuple(name for name in spoke if name not in inside):
            inside = (*inside[len(joined) :], *joined)
    return inside, tuple(name for name in names if name not in inside)


def _earlier_paths(state: State) -> list[str]:
    """The paths of this phase in the rounds before."""
    head, _, tail = state.path.rpartition(f"/round-{state.round}")
    return [f"{head}/round-{n}{tail}" for n in range(1, state.round)]


def _task_with_names(task: str, inside: tuple[str, ...]) -> str:
    return task.replace("{inside}", listed(inside))


def fishbowl(brief: Brief, choices: Choices) -> Phase:
    """Positions at once; rounds of an inner circle, with a free chair for which the outer circle bids; the ending.

    Raises:
        ProtocolError: fewer than three debaters, or a choice that does not go with it.
    """
    if (count := len(brief.names("debater"))) < 3:
        raise ProtocolError(f"fishbowl needs at least 3 debaters, not {count}", about="participants")
    choices.no_turn_mode("fishbowl")
    form = speech(brief.options)
    opening = Everyone(act="open", task=OPENING, form=form, view=View(last=0), needs=1)
    bowl = Bowl(inner=INNER, bidding=BIDDING, chair=CHAIR, form=form)
    rounds = Rounds(each=bowl, most=choices.at_least_one("fishbowl", 3), until=until(choices))
    return Sequence(parts=(opening, rounds, *ending(brief, choices)))
