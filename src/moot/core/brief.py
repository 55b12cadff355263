"""Briefs: what is to be debated, by whom, within which limits. This file owns these values and reads no files."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from moot.core.errors import BriefError

Duty: TypeAlias = Literal["debater", "moderator"]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Which of the visible turns a participant is shown, and how.

    Attributes:
        last: only the newest so many turns of the log; None for all, 0 for none.
        own: whether the participant's own turns are rendered as its own words (assistant messages).
        hide: acts or participants whose turns are left out.
        summary: whether only the newest summary stands for everything before it.
        clip: at most so many characters of a turn, with a visible mark where it was cut; None for all.
        anonymous: whether authors are replaced by letters.
    """

    last: int | None = None
    own: bool = False
    hide: tuple[str, ...] = ()
    summary: bool = False
    clip: int | None = None
    anonymous: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a model is asked; None leaves it to the model. Temperature 0 to 2, top_p 0 to 1, penalties -2 to 2."""

    temperature: float | None = None
    top_p: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    seed: int | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """Somebody who has a place at the table, as data.

    Attributes:
        name: unique among the participants.
        role: a few words: the office or stance ("Cautious risk analyst").
        persona: the layer of instructions that is this participant's own.
        seat: who answers: ``provider:model``, ``builtin:quotes``, ``human``.
        duty: whether this participant debates or moderates.
        weight: vote weight, finite and above 0; None where none was given.
        settings: how its model is asked.
        tools: names of the tools it may use.
    """

    name: str
    role: str = ""
    persona: str = ""
    seat: str = ""
    duty: Duty = "debater"
    weight: float | None = None
    settings: Settings = Settings()
    tools: tuple[str, ...] = ()


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
        rules: the instructions that all participants share.
        participants: everybody at the table, in order of speaking.
        options: the closed set of answers, where there is one ("yes", "no").
        limits: what the debate may use.
        seed: what all chance is drawn from.
    """

    topic: str
    background: tuple[Source, ...] = ()
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
