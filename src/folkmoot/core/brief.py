"""Briefs: the question, the participants, their settings and the limits of a debate, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias, get_args

from folkmoot.core.errors import BriefError

Duty: TypeAlias = Literal["debater", "moderator", "juror", "aide"]
"""A participant's duty: argue, moderate, only vote, or measure and look things up without taking part."""

LogMode: TypeAlias = Literal["full_markdown", "summary_only", "json_log", "verbose", "visual_tree"]
"""The kinds of logs, in which a result can be written."""

LOGS: tuple[LogMode, ...] = get_args(LogMode)

TOOLS = ("search", "rag", "summarizer", "scorer")
"""The built-in tools by name; ``mcp:NAME`` is a server's."""


class Whole(NamedTuple):
    """The least and the greatest whole number that a setting may have, wherever it is set."""

    low: int
    high: int


class Bound(NamedTuple):
    """The least and the greatest number that a setting may have, wherever it is set."""

    low: float
    high: float


# What briefs, commands, programs, the HTTP API and the MCP server can set. These bounds stand nowhere else.
ROUNDS = Whole(0, 20)
"""Rounds; a protocol that cannot do without one says so itself."""
VOTED_ROUNDS = Whole(0, 3)
"""Rounds of a protocol in which more rounds before the vote do harm."""
RECORDED_ROUNDS = 100
"""The most rounds that a phase may have in a record, whatever could be set when it was made."""
DEFAULT_ROUNDS = 3
"""The most rounds of the phase ``Rounds``, where its maker says nothing."""
DEFAULT_MESSAGES = 8
"""The most messages of each member of the phase ``Meeting``, where its maker says nothing."""
THRESHOLDS = Bound(0, 1)
"""How far apart first answers may be without a debate."""
SAMPLES = Whole(1, 100)
"""Independent answers that are counted."""
INTERVAL = Whole(1, 200)
"""Messages after which a board's timekeeper speaks."""
PARTICIPANTS = Whole(2, 100)
MODELS = 50
"""The most models that one command or request names."""
OPTIONS = Whole(2, 20)
LONGEST_OPTION = 200
"""The most characters of an option."""
SEED = Whole(0, 2**31 - 1)
ASKS = Whole(1, 10_000)
TOKENS = Whole(1, 1_000_000_000)
COST = Bound(0, 100_000)
"""US dollars."""
HAIR = 1e-9
"""By how much an amount may exceed a limit for sums of floats: this share of the limit, of one US dollar at least."""
TURN_SECONDS = Bound(0.01, 3600)
TOTAL_SECONDS = Bound(0.01, 604_800)
PARALLEL = Whole(1, 100)
"""Answers in parallel in one debate."""
QUORUM = Whole(2, 100)
"""Answers of one batch that are enough to go on."""
GRACE = Bound(0, 3600)
"""Seconds that the others have from then on."""
SERVED = Whole(1, 100)
"""Debates in parallel that one server runs."""
BATCHED = Whole(1, 1000)
"""Debates in parallel of one batch or one worker."""
LISTED = Whole(1, 1_000_000)
"""The most debates that a list may be asked for; without a number it has all."""
QUEUE_PRIORITY = Whole(1, 10)
"""Which debates of a queue are first; 1 before all others."""
AGENT_SESSIONS = Whole(1, 20)
"""How many questions an agent behind a subscription may answer at once."""
QUEUE_DELAY = Bound(0, 366 * 86_400)
"""Seconds that a debate of a queue waits before it starts."""
REPEATS = Whole(1, 1000)
"""How often a batch repeats a debate."""
LIMITS: Mapping[str, Whole | Bound] = {
    "asks": ASKS,
    "tokens": TOKENS,
    "cost": COST,
    "turn_seconds": TURN_SECONDS,
    "total_seconds": TOTAL_SECONDS,
    "parallel": PARALLEL,
    "quorum": QUORUM,
    "grace": GRACE,
}
"""The bounds of the fields of Limits; records may hold others."""


def check_bound(name: str, value: float, bound: Whole | Bound) -> None:
    """Refuse a value out of bounds.

    Raises:
        BriefError: the value is below the least or above the greatest.
    """
    if not bound.low <= value <= bound.high:
        problem = f"{name} must be from {bound.low:,g} to {bound.high:,.12g}, not {value}"
        raise BriefError(problem, code="out_of_range")


HUMAN = "human"
"""The seat of a person, and who was asked in a person's reply."""

GUEST = "guest:"
"""How the seat begins of somebody who answers from within a program."""

BUILTIN = "builtin:"
"""What stands before the names of the seats that come with Folkmoot; no language model answers for them."""

QUOTES = f"{BUILTIN}quotes"
"""The seat that quotes the background of the brief."""

CLOCK = f"{BUILTIN}clock"
"""The seat that only keeps the time of a board."""

SIMILARITY = "likeness:"
"""The prefix of a helper's ``seat`` that measures how similar texts are; its embedding model follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Which of the visible turns a participant is shown, and how. ``Transcript.sees`` says which are visible at all.

    Attributes:
        last: how many of the newest turns of the log are shown; None for all, 0 for none.
        own: whether the participant's own turns are rendered as its own words (assistant messages).
        hide: acts or participants whose turns are left out.
        summary: whether the newest summary replaces everything before it.
        summary_only: whether only the newest summary is shown.
        mine: whether only the participant's own turns are shown, those about them or in answer to them, and the
            moderator's.
        clip: the most characters shown of a turn, with a visible mark where it was cut; None for all.
        anonymous: whether authors are replaced by letters.
        numbered: whether each turn is shown with its mark (``T3``), so that others can refer to it.
        whole: whether no older turn may be left out, even where a model has no room for it.
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
    whole: bool = False

    def narrowed(self, other: "View | None") -> "View":
        """The view of what both views show: the smaller window, without what either of them hides."""
        if other is None:
            return self
        return View(
            last=_smaller_limit(self.last, other.last),
            own=self.own or other.own,
            hide=tuple(dict.fromkeys((*self.hide, *other.hide))),
            summary=self.summary or other.summary,
            summary_only=self.summary_only or other.summary_only,
            mine=self.mine or other.mine,
            clip=_smaller_limit(self.clip, other.clip),
            anonymous=self.anonymous or other.anonymous,
            numbered=self.numbered or other.numbered,
            whole=self.whole or other.whole,
        )


def _smaller_limit(left_limit: int | None, other: int | None) -> int | None:
    return min((item for item in (left_limit, other) if item is not None), default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of a model; None and () leave a setting to the model.

    Attributes:
        temperature: 0 to 2.
        top_p: 0 to 1.
        top_k: the number of likeliest tokens to sample from, from 1.
        min_p: least probability of a token, as a share of the likeliest one's, 0 to 1.
        presence_penalty: -2 to 2.
        frequency_penalty: -2 to 2.
        repeat_penalty: above 1 punishes repetition (Ollama and similar servers), 0 to 2.
        seed: the seed of the model's own sampling.
        max_tokens: the greatest length of one answer.
        stop: texts at which the answer ends.
        num_ctx: tokens of context that a local server sets aside.
        keep_alive: how long a local server keeps the model in memory: ``10m``, ``-1`` for good, ``0`` not at all.
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


Schemas: TypeAlias = Literal["first", "repair", "off"]
"""With which question a model's provider is sent the form as a JSON Schema: with the first, with the one question about
a form that was not read, or with none."""

SCHEMAS: tuple[Schemas, ...] = get_args(Schemas)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """How a participant searches for its next argument before it speaks.

    Attributes:
        method: ``mcts``, Monte Carlo tree search.
        simulations: the number of simulations, from 1 to 64.
        depth: the number of replies that are imagined after a candidate, from 1 to 4.
    """

    method: Literal["mcts"] = "mcts"
    simulations: int = 16
    depth: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """A participant of a debate, as data.

    Attributes:
        name: unique among the participants.
        role: its position or stance in a few words ("Cautious risk analyst").
        persona: instructions for this participant alone.
        seat: the agent that answers: ``provider:model``, ``builtin:quotes``, ``human``, ``guest:name``.
        duty: whether it debates, moderates, only votes, or is a helper (``aide``), which the others are not told about.
        weight: the weight of its vote, finite and from 0; None if none was given.
        priority: where speaking order goes by priority, a higher number speaks earlier.
        language: the language it speaks ("German"); "" for the language of the topic.
        view: narrows the view of each of its asks; None leaves them unchanged.
        hide: turns that it must never see: a participant's name, an act, ``round 2``, ``Ada round 2`` or
            ``critique round 2``.
        settings: the settings of its model.
        tools: names of the tools it may use.
        search: how it searches for its next argument; None for no search.
        deadline: the seconds that a person has for an answer; None for no deadline.
        stand_in: the model that answers for a person after the deadline; "" for none: the turn is then missing.
        fallback: the models to use, in this order, while the participant's own cannot be reached.
        schemas: when its provider is sent a form as a JSON Schema; "" for the brief's.
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
    schemas: Schemas | Literal[""] = ""


def is_person(participant: Participant) -> bool:
    """Whether a person answers for a participant."""
    return participant.seat == HUMAN


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a debate; None means no limit of that kind.

    Attributes:
        asks: questions to participants.
        tokens: input and output tokens of all calls.
        cost: US dollars of all calls; needs a known price for every model.
        turn_seconds: time for one answer, repairs and retries included.
        total_seconds: time for the whole debate while it runs.
        parallel: the number of answers in progress at the same time.
        quorum: so many answers of debaters who speak at the same time are enough; the others have ``grace`` seconds
            left. Ballots, rulings and people are always waited for.
        grace: those seconds.
    """

    asks: int | None = 500
    tokens: int | None = None
    cost: float | None = None
    turn_seconds: float = 120.0
    total_seconds: float | None = None
    parallel: int = 16
    quorum: int | None = None
    grace: float = 20.0

    def __post_init__(self) -> None:
        for name in LIMITS:
            value: object = getattr(self, name)
            if value is None or (type(value) is int and value > 0):  # as most are
                continue
            if not isinstance(value, int | float) or isinstance(value, bool):
                raise BriefError(f"limits.{name} is {repr(value)[:60]}; it must be a number", code="wrong_type")
            least = 1 if name == "parallel" else 0  # a record may hold other limits than can be set today
            if not least <= value < float("inf"):
                check_bound(f"limits.{name}", value, LIMITS[name])


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A picture or a PDF, as models that see are sent it.

    Attributes:
        media: its media type: ``image/png``, ``image/jpeg``, ``image/webp``, ``image/gif`` or ``application/pdf``.
        sha256: the hash of its bytes.
        size: how many bytes it has.
        width: pixels of a picture.
        height: the same.
        pages: the number of pages of a PDF.
        data: the bytes in base64.
    """

    media: str
    sha256: str
    size: int
    width: int = 0
    height: int = 0
    pages: int = 0
    data: str = field(default="", repr=False)

    @property
    def is_picture(self) -> bool:
        """Whether it is a picture and no PDF."""
        return self.media.startswith("image/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A document for the participants.

    Attributes:
        name: the name by which it is cited ("brief.md", "cost-study.md").
        text: its text; of a PDF the words of its pages, "" for a picture.
        line: the line of the file on which the text begins, counted from 1.
        file: the picture or PDF itself; None for text.
        sha256: the hash of the bytes of the text file that it was read from; "" for none.
    """

    name: str
    text: str
    line: int = 1
    file: Attachment | None = None
    sha256: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What is to be debated.

    Attributes:
        topic: the question or proposition, one paragraph.
        background: the documents that all participants are given.
        library: the documents that only the tool ``rag`` searches; no prompt contains them.
        rules: instructions for all participants.
        participants: all participants, in order of speaking.
        options: the closed set of answers, if there is one ("yes", "no").
        limits: what the debate may use.
        seed: the random seed.
        schemas: when providers are sent a form as a JSON Schema, where the participant does not say; "" for the
            owner's.
    """

    topic: str
    background: tuple[Source, ...] = ()
    library: tuple[Source, ...] = ()
    rules: str = ""
    participants: tuple[Participant, ...] = ()
    options: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    schemas: Schemas | Literal[""] = ""

    def participant(self, name: str) -> Participant:
        """The participant of that name; KeyError if there is none."""
        for participant in self.participants:
            if participant.name == name:
                return participant
        raise KeyError(name)

    def names(self, duty: Duty) -> tuple[str, ...]:
        """The names of all participants with that duty, in order of speaking."""
        return tuple(participant.name for participant in self.participants if participant.duty == duty)


def is_within(amount: float, limit: float) -> bool:
    """Whether an amount of US dollars keeps a limit. Six times $0.01 are $0.06, although their sum is a hair above."""
    return amount <= limit + HAIR * max(1.0, limit)
