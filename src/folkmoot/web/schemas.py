"""Types of the requests and answers of the HTTP API, with their descriptions for OpenAPI."""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from folkmoot.app.run.access import LONGEST_NAME
from folkmoot.app.serve.admission import LONGEST_FILE_NAME, MOST_SENT
from folkmoot.app.serve.answer_types import (
    ESTIMATED,
    FIELDS,
    AcceptedAnswer,
    BegunDebate,
    DebateRow,
    DebateState,
    FormField,
    WaitedPerson,
)
from folkmoot.core.brief import ASKS, COST, MODELS, ROUNDS, SEED, TOKENS, TOTAL_SECONDS, TURN_SECONDS
from folkmoot.core.decision import StoredStatus
from folkmoot.report.conclusion import DecisionView

BRIEF = "# Should we build or buy our billing system?\n\nWe are eight people, and we bill 300 customers."
MOST = 1024 * 1024
Words = Annotated[str, Field(max_length=100_000)]
Name = Annotated[str, Field(max_length=200)]

Data: TypeAlias = dict[str, object]
"""Plain data, as the command line prints it."""


class RequestBody(BaseModel):
    """A request body; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Limits(RequestBody):
    """The limits of a debate."""

    asks: Annotated[int, Field(ge=ASKS.low, le=ASKS.high)] | None = Field(
        default=None, description="Questions to participants."
    )
    tokens: Annotated[int, Field(ge=TOKENS.low, le=TOKENS.high)] | None = Field(
        default=None, description="Tokens of the whole debate."
    )
    cost: Annotated[float, Field(ge=COST.low, le=COST.high)] | None = Field(
        default=None, description="US dollars for the whole debate."
    )
    turn_seconds: Annotated[float, Field(ge=TURN_SECONDS.low, le=TURN_SECONDS.high)] | None = Field(
        default=None, description="Seconds for one answer."
    )
    total_seconds: Annotated[float, Field(ge=TOTAL_SECONDS.low, le=TOTAL_SECONDS.high)] | None = Field(
        default=None, description="Seconds for the whole debate."
    )


class SentFile(RequestBody):
    """A document for all participants: text, Markdown, CSV, a picture (PNG, JPEG, WebP, GIF) or a PDF."""

    name: str = Field(
        max_length=LONGEST_FILE_NAME, description="The name by which it is cited.", examples=["chart.png"]
    )
    data: str = Field(description="Its bytes in base64.")


class PlanRequest(RequestBody):
    """A planned debate: its brief, and settings that replace those of the brief."""

    brief: Annotated[str, Field(max_length=MOST)] | dict[str, JsonValue] = Field(
        description="Markdown as in a file, or the keys of its header as JSON.", examples=[BRIEF]
    )
    models: list[Name] = Field(
        default=[], max_length=MODELS, description="`provider:name`, assigned in turn.", examples=[["builtin:quotes"]]
    )
    preset: str = Field(
        default="", max_length=32, description="A named set of settings that fills in what the brief leaves open."
    )
    seed: Annotated[int, Field(ge=SEED.low, le=SEED.high)] | None = Field(default=None, description="Random seed.")
    limits: Limits | None = None
    files: list[SentFile] = Field(
        default=[],
        max_length=MOST_SENT,
        description="Documents for all participants, 20 MB together with the brief.",
    )
    participants: Literal["", "builtin", "new"] = Field(
        default="",
        description="If the brief names no participants: use built-in ones, or generate new ones.",
    )


class NewDebate(PlanRequest):
    """A debate to start."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"brief": BRIEF, "models": ["builtin:quotes"], "participants": "builtin"}]}
    )
    start: bool = Field(default=True, description="Whether it starts at once; else `resume` starts it.")


class StartedDebate(BegunDebate):
    """A debate that was started."""

    casting: str = Field(default="", description="The debate in which its participants are generated first.")
    runs: bool = Field(default=True, description="Whether it runs now or is queued.")


class AwaitedPerson(WaitedPerson):
    """A person whom a debate waits for."""

    since: float


class DebateNumbers(BaseModel):
    """A debate in numbers."""

    asked: int = 0
    done: int = 0
    missing: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = Field(default=None, description="US dollars; null if a price is not known.")
    estimated: bool = Field(default=False, description=ESTIMATED)


class NextAction(BaseModel):
    """What to do next: a command, what it does, and the request that does the same."""

    command: str
    words: str
    action: str = Field(
        default="",
        description="The action of the API that does the same: resume, again or recount; empty for none.",
    )
    body: dict[str, JsonValue] = Field(default={}, description="The body of that request.")


class State(DebateState):
    """The state of a debate."""

    status: StoredStatus
    kind: str = Field(default="", description="With `paused`: limit, stopped, unavailable, waiting or batch.")
    at: float = 0.0
    entries: int = 0
    forked: str = ""
    name: str = Field(default="", description="What its owner calls it since; empty for its topic.")
    sums: DebateNumbers = DebateNumbers()
    decision: DecisionView | None = None
    warnings: list[str] = Field(
        default=[], description="What makes the decision weaker than it looks, and which documents have changed since."
    )
    stale: str = Field(
        default="", description="Which documents have changed since, and what to do; empty if none is known to have."
    )
    ways: list[NextAction] = Field(
        default=[], description="What to do next with a debate that is paused, stopped, failed or undecided."
    )
    waits_for: list[AwaitedPerson] = Field(default=[])
    holder: str = Field(
        default="", description="Where it runs: `here`, `queue` (not yet), `elsewhere`, or the name of a worker."
    )
    silent: float | None = Field(
        default=None,
        description="Seconds since its last entry, where only another machine could say whether it still runs.",
    )
    casting: str = ""
    error: str = Field(default="", description="The error that ended its last run here, or why answers are missing.")
    right: Literal["view", "join", "own"] = "view"
    who: str = Field(default="", description="The participant for whom the user of this link answers.")


class ShortDecision(BaseModel):
    """A short form of a decision."""

    winner: str = ""
    text: str = ""
    strength: str = ""
    share: float | None = None
    votes: list[int] = Field(
        default=[],
        description="For each participant the place of the answer it voted for, from 0; -1 where it voted for none.",
    )


class ListedDebate(DebateRow):
    """A debate in a list."""

    status: StoredStatus
    at: float
    forked: str
    name: str = Field(default="", description="What its owner calls it since; empty for its topic.")
    participants: list[str]
    models: list[str] = Field(
        default=[],
        description="The models of its participants, and others that answered for them, in alphabetical order.",
    )
    decision: ShortDecision | None
    tokens: int
    cost: float | None = Field(description="US dollars; null where a price is not known.")
    estimated: bool = Field(description=ESTIMATED)
    seconds: float
    waits_for: list[str] = Field(default=[], description="The people who still have to answer.")
    runs: bool = False
    holder: str = ""


class ListedGroup(BaseModel):
    """An evaluation, a batch or the generated participants in a list: one row for all of its debates."""

    id: str = Field(description="What to ask for as `group` to list its debates.")
    kind: Literal["evaluation", "batch", "participants"]
    name: str
    debates: int = Field(description="How many of its debates match the filters.")
    open: int = Field(description="How many of those have not ended.")
    at: float = Field(description="When the newest of those began, in seconds since 1970.")
    done: int = Field(default=0, description="Of an evaluation: the questions all arms have answered, with repeats.")
    planned: int = Field(default=0, description="Of an evaluation: how many there will be; 0 where that is not known.")
    cost: float | None = Field(default=None, description="Of an evaluation: US dollars so far, where known.")
    scoreboard: str = Field(default="", description="Of an evaluation: the id of its scoreboard, if there is one.")


class DebateList(BaseModel):
    """A page of a list of debates."""

    debates: list[ListedDebate]
    groups: list[ListedGroup] = Field(
        default=[],
        description="On the first page: evaluations, batches and generated participants, whose debates are left out.",
    )
    next: str | None = Field(description="The value of `after` for the next page; null on the last page.")


class StopDebate(RequestBody):
    """How to stop a debate."""

    now: bool = Field(default=False, description="Stop at once; else after the answers in progress.")


class ResumeDebate(RequestBody):
    """How to resume a debate."""

    limits: Limits | None = Field(default=None, description="New limits, counted from the start of the debate.")


class RunAgain(RequestBody):
    """What is different when the brief of a debate is run again."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"seed": 7}]})
    models: list[Name] = Field(default=[], max_length=MODELS, description="`provider:name`, assigned in turn.")
    protocol: Name = Field(default="", description="Another protocol.")
    rounds: Annotated[int, Field(ge=ROUNDS.low, le=ROUNDS.high)] | None = Field(
        default=None, description="Maximum number of rounds."
    )
    strategy: Name = Field(default="", description="Another way to decide.")
    seed: Annotated[int, Field(ge=SEED.low, le=SEED.high)] | None = Field(default=None, description="Random seed.")
    limits: Limits | None = None


class DeletedDebate(BaseModel):
    """A debate that was deleted."""

    id: str
    entries: int = Field(description="Entries of its record.")
    learned: bool = Field(description="Whether something had been learned from it.")
    forks: list[str] = Field(description="The debates that were forked from it, which stay.")


class DeleteDebates(RequestBody):
    """Which debates to delete."""

    debates: Annotated[list[Annotated[str, Field(max_length=200)]], Field(min_length=1, max_length=100)] = Field(
        description="Their ids."
    )


class RefusedDebate(BaseModel):
    """A debate that could not be deleted."""

    id: str
    reason: str


class DeletedDebates(BaseModel):
    """What was deleted, and what was not."""

    deleted: list[DeletedDebate] = Field(description="Those that are gone, in the order of the request.")
    refused: list[RefusedDebate] = Field(description="Those that stay.")


class VerifiedRecord(BaseModel):
    """Whether a record is intact."""

    intact: bool
    entries: int
    head: str = Field(description="The hash of the last line.")
    problem: str = Field(default="", description="What is wrong, or how far it was checked.")


class ReplacementAnswer(RequestBody):
    """An answer that replaces one of the debate."""

    turn: Name = Field(description="The number or the key of the turn.", examples=["T3"])
    words: Words = ""
    fields: dict[str, JsonValue] | None = None


class ForkDebate(RequestBody):
    """Where a debate is forked, and what is changed."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"at": 5, "start": False}]})
    at: Annotated[int, Field(ge=1, le=10**9)] | None = Field(default=None, description="The last entry to keep.")
    answer: ReplacementAnswer | None = None
    models: dict[str, Name] = Field(default={}, description="New models, by participant; under '' for all others.")
    brief: Annotated[str, Field(max_length=MOST)] | dict[str, JsonValue] | None = None
    start: bool = True


class RenameDebate(RequestBody):
    """What to call a debate in lists and on its page."""

    name: Annotated[str, Field(max_length=LONGEST_NAME)] = Field(
        examples=["Billing, second try"], description="The name; empty for the topic."
    )


class ResolveDebate(RequestBody):
    """The right answer of a debate."""

    answer: Annotated[str, Field(min_length=1, max_length=500)] = Field(examples=["Buy"])
    force: bool = Field(
        default=False,
        description="Whether an answer that is none of the options is recorded.",
    )


class AskField(FormField):
    """A field of a form."""

    help: str
    low: float | None
    high: float | None
    abstain: bool
    private: bool


class TurnForPerson(BaseModel):
    """A turn as it is shown to a person."""

    name: str
    act: str
    mark: str
    text: str
    html: str
    fields: list[tuple[str, str]]


class OpenAsk(BaseModel):
    """An open question to a person."""

    key: str
    mark: str
    who: str
    role: str
    act: str
    round: int
    task: str
    about: list[TurnForPerson] = Field(description="What the question is about.")
    news: list[TurnForPerson] = Field(description="What was said since the person's last turn.")
    meanwhile: list[tuple[str, str]] = Field(description="Messages of viewers since the question was asked.")
    fields: list[AskField] = Field(description=FIELDS)
    since: float
    left: float | None


class OpenAsks(BaseModel):
    """The open questions to people."""

    asks: list[OpenAsk]


class AnswerQuestion(RequestBody):
    """A person's answer."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"who": "Ada", "words": "Buy it."}]})
    who: Name = Field(default="", description="Whose answer this is; optional if only one person has to answer.")
    key: Annotated[str, Field(max_length=1000)] = Field(default="", description="The key of the question.")
    words: Words = ""
    fields: dict[str, JsonValue] | None = None


class SavedAnswer(AcceptedAnswer):
    """An answer that was accepted."""

    key: str
    text: str
    fields: Data


class SendMessage(RequestBody):
    """A message of a viewer."""

    by: Name = Field(examples=["Viewer"])
    words: Annotated[str, Field(min_length=1, max_length=100_000)]
    to: Annotated[str, Field(pattern=r"^(T\d{1,6})?$")] = Field(
        default="", examples=["T3"], description="The mark of the turn that it replies to; empty for none."
    )


class SavedMessage(BaseModel):
    """A message that was accepted."""

    number: int = Field(description="The number of the message.")


class NewShare(RequestBody):
    """A share link to create."""

    right: Literal["view", "join"] = "view"
    who: Name = Field(default="", description="With `join`: the participant for whom the user of the link answers.")
    until: Annotated[float, Field(ge=0, le=1e11)] | None = Field(default=None, description="Seconds since 1970.")


class ShareRow(BaseModel):
    """A share link to a debate."""

    id: str
    right: Literal["view", "join"]
    who: str
    at: float
    until: float | None
    revoked: bool


class ShareWithSecret(ShareRow):
    """A new share link with its secret, which is shown only once."""

    link: str
    token: str


class ShareRows(BaseModel):
    """The share links to a debate."""

    shares: list[ShareRow]
