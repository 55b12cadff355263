"""Artifacts: documents, tables and data that turns carry. This file owns what each of them is called.

Where the members of a board stand. This file owns what their messages have come to: verdicts, withdrawals, absence.
What votes weigh by what was measured before. This file owns the words that the phase, the seat and readers share, and
how an answer is read. What is recalled before a debate. This file owns the words that the phase, the seat and memory
share.

A verdict is read only from the field of a member's own message; what anybody says about it elsewhere is words.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

from moot.core.ask import ABSTAIN
from moot.core.brief import Brief
from moot.core.matching import wording
from moot.core.text import clip
from moot.core.transcript import Transcript, Turn, read_field

ARTIFACTS = "Artifacts"
"""The field that holds what a turn attaches; the name is compared without case."""

TITLE = 80
"""Characters of a title."""


class Artifact(NamedTuple):
    """What a turn attaches.

    Attributes:
        mark: what it is called by those who cite it: ``A3`` for what turn ``T3`` carries.
        turn: the turn that carries it.
        title: its first line, without the marks of a heading or a list.
        text: the whole of it.
    """

    mark: str
    turn: Turn
    title: str
    text: str


def artifacts(turns: Iterable[Turn]) -> tuple[Artifact, ...]:
    """The artifacts of these turns, in their order; a list of several is one artifact.

    The number is the turn's. So an artifact has one mark for everybody, however many turns each of them is shown.
    """
    found: list[Artifact] = []
    for turn in turns:
        value = read_field(turn, ARTIFACTS)
        text = "\n".join(f"- {each}" for each in value) if isinstance(value, tuple) else str(value or "")
        rows = [row.strip(" \t#*_`>|-") for row in text.splitlines()]
        if text.strip():
            title = next(filter(None, rows), "")
            found.append(Artifact(f"A{turn.number}", turn, clip(title, TITLE), text))
    return tuple(found)


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


VoteWeights: TypeAlias = Literal["stated", "log_odds", "elo_calibration"]
"""What votes weigh by: what the brief states, the log-odds of measured accuracy, or Elo and calibration."""

WEIGH = "weigh"
"""The act of the turn that says what each vote weighs."""

TELLER = "builtin:teller"
"""The seat that weighs votes."""

METHOD = "METHOD"
"""The field with the name of the formula; its choice says which one is wanted."""

HOW = "HOW"
"""The field that says in a line how votes are weighed, or why all weigh the same."""

GROUNDS = "GROUNDS"
"""The field with what each weight rests on, a line for each voter."""


def weight_field(voter: str) -> str:
    """The name of the field with the weight of a voter; no other field of the form is called so."""
    return f"weight of {voter}"


def vote_weigher(brief: Brief) -> str:
    """The name of the one who weighs votes; "" where there is none."""
    return next((each.name for each in brief.participants if each.seat == TELLER), "")


def told(brief: Brief, transcript: Transcript) -> Turn | None:
    """The turn in which the teller was asked, answered or not; None where there is none."""
    who = vote_weigher(brief)
    return next((turn for turn in transcript.all() if turn.act == WEIGH and turn.by == who), None)


def given(turn: Turn) -> Mapping[str, float]:
    """What a turn that weighs votes has given: the field of each voter's weight to the weight.

    Empty where all weigh the same: there is no answer, it leaves somebody out, or nobody would weigh anything.
    """
    asked = turn.ask.form.fields if turn.ask and turn.ask.form else ()
    values = {field.name: turn.fields.get(field.name) for field in asked if field.kind == "number"}
    read = {name: float(value) for name, value in values.items() if isinstance(value, int | float)}
    return read if len(read) == len(values) and any(read.values()) else {}


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
