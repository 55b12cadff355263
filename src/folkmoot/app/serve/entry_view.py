"""What an entry says, as values that a screen shows; ``view_model`` makes them."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from folkmoot.analysis.decision_grounds import DecisionGrounds
from folkmoot.core.ask import Value
from folkmoot.core.brief import Limits
from folkmoot.report.conclusion import DecisionView
from folkmoot.report.gaps import Gap
from folkmoot.report.metrics import Sums
from folkmoot.report.turn_text import Choice, Speech, Spoken


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonView:
    """Who takes part: a name, what for, who answers (``seat``), and whether that is a person."""

    name: str
    role: str
    duty: str
    seat: str
    human: bool
    weight: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedView:
    """What is debated, by whom and how; ``rounds`` is the most, ``sources`` are names."""

    topic: str
    protocol: str
    rounds: int
    options: tuple[str, ...]
    participants: tuple[PersonView, ...]
    sources: tuple[str, ...]
    limits: Limits
    chosen: tuple[str, ...]
    forked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkView:
    """Which turn another one answers: its mark, whose it is, and how (``ATTACK``)."""

    target: str
    by: str
    relation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionView:
    """The position in a turn, and whether it differs from the one that its speaker took before."""

    answer: str
    confidence: Value | None
    changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    """A turn as its reader may read it.

    Attributes:
        spoken: who, what, on what, and in which state.
        mark: what others call it: ``T3``.
        act: what it is, in words: ``proposal``.
        round: the round, from 1; 0 outside rounds.
        human: whether a person answers, or has answered.
        alone: whether no other participant may see it.
        labels: the fields that the answer is asked for, each as it is written and in words: ``("CLAIM", "Claim")``.
        speech: what it says, in parts.
        link: which turn it answers; None if it names none, or one that the reader may not see.
        position: the position that it takes, if any.
        ballot: what it votes for; None for what is no ballot.
        model: who was asked for the answer: a model, or ``human``; "" without an answer.
        unread: what could not be read.
        notes: remarks on the answer.
        cut: whether something of it is hidden from its reader.
        error: the kind of the failure, if there is no answer.
        tokens: all tokens that it used.
        cost: US dollars that it used; None if a price is not known.
        estimated: whether tokens and cost are estimates, because the provider did not count the tokens of every call.
    """

    spoken: Spoken
    mark: str
    act: str
    round: int
    human: bool
    alone: bool = False
    labels: tuple[tuple[str, str], ...] = ()
    speech: Speech = field(default_factory=Speech)
    link: LinkView | None = None
    position: PositionView | None = None
    ballot: Choice | None = None
    model: str = ""
    unread: tuple[Gap, ...] = ()
    notes: tuple[str, ...] = ()
    cut: bool = False
    error: str = ""
    tokens: int = 0
    cost: float | None = 0.0
    estimated: bool = False

    @property
    def answered_by(self) -> str:
        """Who answered: ``in person``, or the model, and another one that says it answered in its place."""
        if not self.model or self.human:
            return "in person" if self.model else ""
        served = self.spoken.served
        return f"{self.model} (answered by {served})" if served and served not in self.model else self.model

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader should know of the answer beside its words."""
        remarks = [*(gap.remark for gap in self.unread), *(note.replace("_", " ") for note in self.notes)]
        remarks += ["private text not shown"] if self.cut else []
        return tuple(remarks)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallView:
    """A try of a call inside a question, or its result.

    Attributes:
        call: which of the question's calls.
        by: who is asked.
        n: which try, from 1; 0 of a result.
        model: the model that is called.
        tool: the tool that is used; "" for a call of a model.
        doing: what the participant does now, in words; "" where it just answers.
        tokens: tokens reserved or used.
        cost: US dollars reserved or used; None if the price is not known.
        estimated: whether tokens and cost are estimates: always before the answer.
        seconds: how long it took.
        finish: why the answer ended.
        sources: what a tool found.
        error: the kind of the failure.
    """

    call: str
    by: str
    n: int = 0
    model: str = ""
    tool: str = ""
    doing: str = ""
    tokens: int = 0
    cost: float | None = 0.0
    estimated: bool = False
    seconds: float = 0.0
    finish: str = ""
    sources: tuple[str, ...] = ()
    error: str = ""


Kind: TypeAlias = Literal[
    "opened",
    "entered",
    "asked",
    "halted",
    "ruled",
    "closed",
    "attempted",
    "called",
    "erred",
    "replied",
    "failed",
    "interjected",
    "paused",
    "resumed",
    "hidden",
]
"""The kind of an entry; see ``HIDDEN`` for the last one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryView:
    """What one entry says.

    Attributes:
        seq: its number.
        at: its time, in seconds since 1970.
        kind: the kind of its event; ``hidden`` where the reader may not know of it.
        name: its documented name; "" for none.
        line: what happened, as a part of a sentence: ``paused: asked to``; "" where the other attributes say it all.
        key: the question that it is about; "" for none.
        opened: what is debated, at the opening.
        turn: the turn that was asked, answered, missed or came from outside.
        call: the call, or its result.
        decision: the decision that was made.
        warnings: what could not be read, and what makes it weaker than it looks, one sentence each.
        grounds: what it rests on, where the reader may see every turn.
        findings: of a review the chapter on its findings in Markdown, where the reader may see every turn.
        path: the phase that begins or ends early; ``phase`` is that in words, ``round`` its number or 0.
        status: why it is paused, or how it ended.
        reason: why, in words; "" where there is nothing to explain.
        by: who resumed it.
        sums: the debate in numbers; None where they are as before.
    """

    seq: int
    at: float
    kind: Kind
    name: str = ""
    line: str = ""
    key: str = ""
    opened: OpenedView | None = None
    turn: TurnView | None = None
    call: CallView | None = None
    decision: DecisionView | None = None
    warnings: tuple[str, ...] = ()
    grounds: DecisionGrounds = field(default_factory=DecisionGrounds)
    findings: str = ""
    path: str = ""
    phase: str = ""
    round: int = 0
    status: str = ""
    reason: str = ""
    by: str = ""
    sums: Sums | None = None
