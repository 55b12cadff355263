"""Bodies of requests and answers. This file owns what the API takes and gives, as it stands in its description."""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from moot.core.decision import Decision

Status = Literal["decided", "tie", "no_decision", "failed", "paused", "open", "damaged", "casting"]

BRIEF = "# Should we build or buy our billing system?\n\nWe are eight people, and we bill 300 customers."
MOST = 1024 * 1024
Words = Annotated[str, Field(max_length=100_000)]
Name = Annotated[str, Field(max_length=200)]

Data: TypeAlias = dict[str, object]
"""Plain data, as the command line prints it."""


class Given(BaseModel):
    """What a request says; nothing else may stand there."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Limits(Given):
    """What a debate may use."""

    asks: Annotated[int, Field(ge=1, le=500)] | None = Field(default=None, description="Questions put.")
    tokens: Annotated[int, Field(ge=1, le=1_000_000_000)] | None = Field(default=None, description="Tokens of it all.")
    cost: Annotated[float, Field(ge=0, le=100_000)] | None = Field(default=None, description="US dollars of it all.")
    turn_seconds: Annotated[float, Field(ge=1, le=3600)] | None = Field(default=None, description="For one answer.")
    total_seconds: Annotated[float, Field(ge=1, le=604_800)] | None = Field(default=None, description="For it all.")


class Planned(Given):
    """A debate to be: its brief, and what is wanted otherwise."""

    brief: Annotated[str, Field(max_length=MOST)] | dict[str, JsonValue] = Field(
        description="Markdown as in a file, or the keys of its header as JSON.", examples=[BRIEF]
    )
    models: list[Name] = Field(
        default=[], max_length=50, description="`provider:name`, taken in turn.", examples=[["builtin:quotes"]]
    )
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = Field(default=None, description="What chance draws from.")
    limits: Limits | None = None
    cast: Literal["", "builtin", "new"] = Field(
        default="", description="Where the brief describes nobody: built-in participants, or newly made ones."
    )


class NewDebate(Planned):
    """A debate to begin."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"brief": BRIEF, "models": ["builtin:quotes"], "cast": "builtin"}]}
    )
    start: bool = Field(default=True, description="Whether it is held at once; else `resume` begins it.")


class Begun(BaseModel):
    """A debate that was begun."""

    id: str = Field(examples=["should-we-build-or-buy-3f2a1c"])
    casting: str = Field(default="", description="The debate in which its participants are being made first.")
    runs: bool = Field(default=True, description="Whether it is held now, or stands in the queue.")


class Waited(BaseModel):
    """Somebody who is waited for."""

    name: str
    act: str
    key: str
    since: float
    left: float | None = Field(description="Seconds left for an answer; null for any time.")


class Numbers(BaseModel):
    """A debate in numbers."""

    asked: int = 0
    done: int = 0
    missing: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = Field(default=None, description="US dollars; null where a price is unknown.")


class State(BaseModel):
    """How a debate stands."""

    id: str
    topic: str = ""
    protocol: str = ""
    status: Status
    kind: str = Field(default="", description="With `paused`, why: limit, stopped, unavailable, waiting.")
    reason: str = ""
    at: float = 0.0
    entries: int = 0
    forked: str = ""
    sums: Numbers = Numbers()
    decision: Decision | None = None
    waits_for: list[Waited] = []
    runs: bool = Field(default=False, description="Whether it is held now, by whomever, or stands in the queue.")
    holder: str = Field(default="", description="Who holds it: `here`, `queue` nobody yet, `elsewhere`, or a worker.")
    casting: str = ""
    error: str = Field(default="", description="Why it ended otherwise than by its record, when it was last held here.")
    right: Literal["view", "join", "own"] = "view"
    who: str = Field(default="", description="For whom at the table the holder of this link answers.")


class Short(BaseModel):
    """A decision in short."""

    winner: str = ""
    text: str = ""
    strength: str = ""
    share: float | None = None


class Row(BaseModel):
    """A debate in a list."""

    id: str
    topic: str
    protocol: str
    status: Status
    reason: str
    at: float
    entries: int
    forked: str
    participants: list[str]
    decision: Short | None
    tokens: int
    cost: float | None
    seconds: float
    waits_for: list[str] = Field(default=[], description="The people who have still to answer.")
    runs: bool = False
    holder: str = ""


class Listing(BaseModel):
    """A page of a list of debates."""

    debates: list[Row]
    next: str | None = Field(description="What `after` must be for the next page; null where there is none.")


class Stopping(Given):
    """How to stop."""

    now: bool = Field(default=False, description="At once; else after the answers in hand.")


class Going(Given):
    """How to go on."""

    limits: Limits | None = Field(default=None, description="What it may use from now on, all in all.")


class GivenAnswer(Given):
    """Words in the place of what was said."""

    turn: Name = Field(description="Its mark or its key.", examples=["T3"])
    words: Words = ""
    fields: dict[str, JsonValue] | None = None


class Forking(Given):
    """Where a debate is forked, and what is otherwise."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"at": 5, "start": False}]})
    at: Annotated[int, Field(ge=1, le=10**9)] | None = Field(default=None, description="The last entry that is kept.")
    answer: GivenAnswer | None = None
    models: dict[str, Name] = Field(default={}, description="Who answers from now on, by name; under '' for all.")
    brief: Annotated[str, Field(max_length=MOST)] | dict[str, JsonValue] | None = None
    start: bool = True


class Resolving(Given):
    """What has turned out to be right."""

    answer: Annotated[str, Field(min_length=1, max_length=500)] = Field(examples=["Buy"])


class AskField(BaseModel):
    """A field of a form."""

    name: str
    kind: Literal["text", "choice", "number", "flag", "list"]
    choices: list[str]
    required: bool
    help: str
    low: float | None
    high: float | None
    abstain: bool
    private: bool
    allowed: str = Field(description="What may stand there, in words.")


class Laid(BaseModel):
    """A turn as it is laid before a person."""

    name: str
    act: str
    mark: str
    text: str
    html: str
    fields: list[tuple[str, str]]


class OpenAsk(BaseModel):
    """A question to a person that is open."""

    key: str
    mark: str
    who: str
    role: str
    act: str
    round: int
    task: str
    about: list[Laid] = Field(description="What the question is about.")
    news: list[Laid] = Field(description="What was said since the person's own last turn.")
    meanwhile: list[tuple[str, str]] = Field(description="What was said from outside since the question was put.")
    fields: list[AskField] = Field(description="The fields of the answer; none: plain words.")
    since: float
    left: float | None


class OpenAsks(BaseModel):
    """The open questions to people."""

    asks: list[OpenAsk]


class Answering(Given):
    """A person's answer."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"who": "Ada", "words": "Buy it."}]})
    who: Name = Field(default="", description="Whose answer it is; may be left out where one alone is waited for.")
    key: Annotated[str, Field(max_length=1000)] = Field(default="", description="The question that is meant.")
    words: Words = ""
    fields: dict[str, JsonValue] | None = None


class Answered(BaseModel):
    """An answer that was taken."""

    key: str
    text: str
    fields: Data
    runs: bool = Field(description="Whether the debate is held, here or by a worker, so that it goes on now.")


class Saying(Given):
    """Words from outside."""

    by: Name = Field(examples=["Viewer"])
    words: Annotated[str, Field(min_length=1, max_length=100_000)]


class Said(BaseModel):
    """Words that were taken in."""

    number: int = Field(description="The number of the letter.")


class NewShare(Given):
    """A link to make."""

    right: Literal["view", "join"] = "view"
    who: Name = Field(default="", description="With `join`: the person at the table for whom its holder answers.")
    until: Annotated[float, Field(ge=0, le=1e11)] | None = Field(default=None, description="Seconds since 1970.")


class ShareRow(BaseModel):
    """A link to a debate."""

    id: str
    right: Literal["view", "join"]
    who: str
    at: float
    until: float | None
    revoked: bool


class MadeShare(ShareRow):
    """A link that was made, with its secret, which is told this once."""

    link: str
    token: str


class ShareRows(BaseModel):
    """The links to a debate."""

    shares: list[ShareRow]
