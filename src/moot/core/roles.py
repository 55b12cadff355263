"""Where the members of a board stand. This file owns what their messages have come to: verdicts, withdrawals, absence.

A verdict is read only from the field of a member's own message; what anybody says about it elsewhere is words.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from moot.core.form import ABSTAIN
from moot.core.matching import wording
from moot.core.transcript import Turn, read_field

VERDICT = "Verdict"
"""The field that holds a member's verdict."""

REASONING = "VerdictReasoning"
"""The field that holds the reasons for it."""

WITHDRAWN = "Withdrawn"
"""The field that says that a member leaves the meeting."""

PATIENCE = 2
"""Asks in a row without an answer after which a member counts as absent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A verdict as it was given: the verdict, the reasons given with it, the mark of the turn."""

    verdict: str
    reasoning: str
    mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where one member stands.

    Attributes:
        name: whose standing it is.
        verdict: the verdict now; "" for none.
        wording: the verdict as it is compared with others.
        reasoning: the newest reasons given for this verdict.
        history: the first verdict and every change of it, oldest first.
        abstained: whether the member was asked for a verdict and abstained.
        withdrawn: the mark of the turn in which it left; "" while it has not.
        refused: the marks of turns that would have left without any verdict, which counts as nothing.
        messages: how many messages it has sent.
        asked: how often it was asked for anything.
        silent: how often in a row it has not answered, up to now.
    """

    name: str
    verdict: str = ""
    wording: str = ""
    reasoning: str = ""
    history: tuple[Given, ...] = ()
    abstained: bool = False
    withdrawn: str = ""
    refused: tuple[str, ...] = ()
    messages: int = 0
    asked: int = 0
    silent: int = 0

    @property
    def absent(self) -> bool:
        """Whether it has failed to answer so often that nobody waits for it."""
        return self.silent >= PATIENCE

    @property
    def changed(self) -> bool:
        """Whether it has changed its verdict."""
        return len(self.history) > 1


def standing(names: Sequence[str], turns: Sequence[Turn]) -> Mapping[str, Standing]:
    """Where everybody stands after these turns.

    Args:
        names: the members, in the order of the table.
        turns: the turns so far, answered or not, oldest first; those of others and of other forms count for nothing.
    """
    states = {name: Standing(name=name) for name in names}
    for turn in turns:
        if turn.by in states and VERDICT in asked(turn):
            states[turn.by] = _after(states[turn.by], turn)
    return states


def split(states: Iterable[Standing]) -> bool:
    """Whether the verdicts given differ."""
    return len({each.wording for each in states if each.verdict}) > 1


def asked(turn: Turn) -> frozenset[str]:
    """The names of the fields that a turn was asked for."""
    form = turn.ask.form if turn.ask else None
    return frozenset(field.name for field in form.fields) if form else frozenset()


def _after(state: Standing, turn: Turn) -> Standing:
    if turn.reply is None:
        return replace(state, asked=state.asked + 1, silent=state.silent + (1 if turn.failure else 0))
    message = WITHDRAWN in asked(turn)
    state = replace(state, asked=state.asked + 1, messages=state.messages + message, silent=0)
    state = _judged(state, turn)
    if read_field(turn, WITHDRAWN) is not True or state.withdrawn:
        return state
    if not state.verdict:
        return replace(state, refused=(*state.refused, turn.mark))
    return replace(state, withdrawn=turn.mark)


def _judged(state: Standing, turn: Turn) -> Standing:
    """The standing with the verdict of a turn; without one the earlier verdict stands."""
    value, same = read_field(turn, VERDICT), wording(turn, VERDICT)
    if same is None or value == ABSTAIN:
        return replace(state, abstained=value == ABSTAIN and not state.verdict)
    verdict, reasoning = str(value), str(read_field(turn, REASONING) or "")
    if state.verdict and same == state.wording:
        return replace(state, reasoning=reasoning or state.reasoning)
    history = (*state.history, Given(verdict=verdict, reasoning=reasoning, mark=turn.mark))
    return replace(state, verdict=verdict, wording=same, reasoning=reasoning, history=history, abstained=False)
