"""Briefs: what is to be debated, by whom, within which limits. This file owns these values and reads no files."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from moot.core.errors import BriefError

Duty: TypeAlias = Literal["debater", "moderator", "juror", "aide"]
"""What somebody does at the table: argue, lead it, hear it and vote, or measure and look up without taking part."""

LIKENESS = "likeness:"
"""How the seat of an aide begins that measures how alike texts are; its embedding model follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Which of the visible turns a participant is shown, and how. It chooses; what may be seen at all is elsewhere.

    Attributes:
        last: only the newest so many turns of the log; None for all, 0 for none.
        own: whether the participant's own turns are rendered as its own words (assistant messages).
        hide: acts or participants whose turns are left out.
        summary: whether the newest summary stands for everything before it.
        summary_only: whether nothing but the newest summary is shown.
        mine: only one's own turns, those that answer them or are about them, and the moderator's.
        clip: at most so many characters of a turn, with a visible mark where it was cut; None for all.
        anonymous: whether authors are replaced by letters.
        numbered: whether each turn stands under its mark (``T3``), so that others can say what they answer.
    """

    last: int | None = None
    own: bool = False
    hide: tuple[str, ...] = ()
    summary: bool = False
    summary_only: bool = False
    mine: bool = False
    clip: int | None = None
    anonymous: bool = False
    numbered: bool = False

    def narrowed(self, other: "View | None") -> "View":
        """What both views show: the smaller window, everything hidden that one of them hides."""
        if other is None:
            return self
        return View(
            last=_least(self.last, other.last),
            own=self.own or other.own,
            hide=tuple(dict.fromkeys((*self.hide, *other.hide))),
            summary=self.summary or other.summary,
            summary_only=self.summary_only or other.summary_only,
            mine=self.mine or other.mine,
            clip=_least(self.clip, other.clip),
            anonymous=self.anonymous or other.anonymous,
            numbered=self.numbered or other.numbered,
        )


def _least(one: int | None, other: int | None) -> int | None:
    return min((each for each in (one, other) if each is not None), default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a model is asked; None and () leave it to the model.

    Attributes:
        temperature: 0 to 2.
        top_p: 0 to 1.
        top_k: draw from so many likeliest tokens, from 1.
        min_p: least probability of a token, as a share of the likeliest one's, 0 to 1.
        presence_penalty: -2 to 2.
        frequency_penalty: -2 to 2.
        repeat_penalty: above 1 punishes repetition (Ollama and its kin), 0 to 2.
        seed: of the model's own chance.
        max_tokens: the greatest length of one answer.
        stop: texts at which the answer ends.
        num_ctx: tokens of context that a local server sets aside.
        keep_alive: how long a local server keeps the model in memory: ``10m``, ``-1`` for ever, ``0`` not at all.
    """

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    repeat_penalty: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    num_ctx: int | None = None
    keep_alive: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """How a participant looks for its next argument before it speaks.

    Attributes:
        method: ``mcts``, Monte Carlo tree search.
        simulations: how often the tree is walked down and judged, from 1 to 64.
        depth: how many replies are imagined behind a candidate, from 1 to 4.
    """

    method: Literal["mcts"] = "mcts"
    simulations: int = 16
    depth: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """Somebody who has a place at the table, as data.

    Attributes:
        name: unique among the participants.
        role: a few words: the office or stance ("Cautious risk analyst").
        persona: the layer of instructions that is this participant's own.
        seat: who answers: ``provider:model``, ``builtin:quotes``, ``human``, ``guest:name`` for one of a program.
        duty: whether this participant debates, moderates, only votes, or is an aide, whom nobody is told of.
        weight: vote weight, finite and from 0; None where none was given.
        priority: who has more speaks earlier where the order goes by priority.
        language: what it speaks ("German"); "" for the language of the topic.
        view: narrows every view of its asks; None leaves them as the protocol made them.
        hide: turns that it must never see: a participant's name, an act, ``round 2``, ``Ada round 2`` or
            ``critique round 2``.
        settings: how its model is asked.
        tools: names of the tools it may use.
        search: how it looks for its next argument; None: it just answers.
        deadline: seconds, from when the question is put, that a person has for an answer; None: as long as it takes.
        stand_in: the seat that answers in a person's place when the deadline has passed; "" for nobody: the turn is
            missing then.
        fallback: the models that are asked in turn while the participant's own cannot be reached.
    """

    name: str
    role: str = ""
    persona: str = ""
    seat: str = ""
    duty: Duty = "debater"
    weight: float | None = None
    priority: float = 0.0
    language: str = ""
    view: View | None = None
    hide: tuple[str, ...] = ()
    settings: Settings = Settings()
    tools: tuple[str, ...] = ()
    search: Search | None = None
    deadline: float | None = None
    stand_in: str = ""
    fallback: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a debate may use; None means no limit of that kind.

    Attributes:
        asks: questions put to participants.
        tokens: input and output tokens of all calls.
        cost: US dollars of all calls; needs a known price for every model.
        turn_seconds: time for one answer, repairs and retries included.
        total_seconds: time for the whole debate while it runs.
        parallel: answers in the making at once.
    """

    asks: int | None = 500
    tokens: int | None = None
    cost: float | None = None
    turn_seconds: float = 120.0
    total_seconds: float | None = None
    parallel: int = 16

    def __post_init__(self) -> None:
        for name in ("asks", "tokens", "cost", "turn_seconds", "total_seconds", "parallel"):
            value: float | None = getattr(self, name)
            if value is not None and not 0 <= value < float("inf"):
                raise BriefError(f"the limit {name} is {value}; it must be a number from 0", code="out_of_range")
        if self.parallel < 1:
            raise BriefError("the limit parallel is 0; at least one answer must be in the making", code="out_of_range")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A text that the participants may draw on.

    Attributes:
        name: how it is cited ("brief.md", "cost-study.md").
        text: its words.
        line: the line of the file at which the text begins, counted from 1.
    """

    name: str
    text: str
    line: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What is to be debated.

    Attributes:
        topic: the question or proposition, one paragraph.
        background: the texts that all participants are given.
        library: the texts that only the tool ``rag`` searches; they stand in no prompt.
        rules: the instructions that all participants share.
        participants: everybody at the table, in order of speaking.
        options: the closed set of answers, where there is one ("yes", "no").
        limits: what the debate may use.
        seed: what all chance is drawn from.
    """

    topic: str
    background: tuple[Source, ...] = ()
    library: tuple[Source, ...] = ()
    rules: str = ""
    participants: tuple[Participant, ...] = ()
    options: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    seed: int = 0

    def participant(self, name: str) -> Participant:
        """The participant of that name; KeyError where there is none."""
        for each in self.participants:
            if each.name == name:
                return each
        raise KeyError(name)

    def names(self, duty: Duty) -> tuple[str, ...]:
        """The names of all who have that duty, in order of speaking."""
        return tuple(each.name for each in self.participants if each.duty == duty)
