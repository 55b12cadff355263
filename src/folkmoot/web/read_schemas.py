"""Types of the answers that are read from records and from the memory, for OpenAPI.

They have the same form as the JSON of the command line. Answers are sent as text that is made once for each record, so
they are checked against these types by the tests only.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from folkmoot.analysis.analysis import Analysis, Overview
from folkmoot.app.serve.answer_types import PlannedDebate, PlannedPerson, UsableModels
from folkmoot.report.receipt import Receipt
from folkmoot.web.schemas import RequestBody

Relation = Literal["SUPPORT", "ATTACK", "REBUT", "QUESTION", "ANSWER"]


def gives(kind: object) -> dict[int | str, dict[str, object]]:
    """The answer of a route that sends prepared JSON."""
    return {200: {"description": "The answer.", "model": kind}}


# ---- the argument map ------------------------------------------------------------------------------------------------


class ClaimingTurn(BaseModel):
    """One turn that makes a claim."""

    mark: str
    key: str
    by: str
    act: str
    round: int = Field(description="0 outside rounds.")
    stance: str


class MapNode(BaseModel):
    """A claim and its acceptance."""

    mark: str = Field(description="The number of the first turn that makes it.")
    claim: str
    made: list[ClaimingTurn]
    replaced: str = Field(
        description="The claim by which its authors replaced it; empty while somebody still supports it."
    )
    by: list[str]
    stances: list[str]
    standing: Literal["in", "out", "undecided", "replaced", "question"]
    strength: float | None = Field(description="0 to 1; null for a question or a replaced claim.")


class MapEdge(BaseModel):
    """The relation of one claim to another."""

    source: str
    target: str
    relation: Relation
    turns: list[str]


class Semantics(BaseModel):
    """The semantics by which standing and strength are computed."""

    standing: str
    strength: str
    settled: bool


class Map(BaseModel):
    """The argument map at an entry."""

    debate: str
    topic: str
    at: int
    semantics: Semantics
    nodes: list[MapNode]
    edges: list[MapEdge]
    unanswered: list[MapEdge]


# ---- what is read from records ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateAnalysis(Analysis):
    """The analysis of one debate, with its findings as sentences."""

    insights: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Analyses:
    """Analyses and their totals."""

    debates: tuple[DebateAnalysis, ...]
    overview: Overview


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptBody(Receipt):
    """A decision receipt; ``folkmoot_receipt`` is the number of its format."""

    folkmoot_receipt: int


# ---- a debate to be --------------------------------------------------------------------------------------------------


class EstimateRange(BaseModel):
    """A minimum and a maximum."""

    least: int
    most: int


class Calls(EstimateRange):
    """A minimum, what is usual, and a bound with every repair and retry."""

    usual: int


class Tokens(Calls):
    """A minimum, what to expect, what they usually stay below, and a bound."""

    expected: int


class Cost(BaseModel):
    """The same in US dollars; null if a price is not known."""

    least: float | None
    expected: float | None
    usual: float | None
    most: float | None


class PlannedParticipant(PlannedPerson):
    """A participant of a planned debate."""

    duty: str
    weight: float | None
    tools: list[str]
    ignored: list[str] = Field(description="Settings that the model ignores.")


class PlanResponse(PlannedDebate):
    """How a brief was understood, and what the debate would use."""

    kind: str = Field(description="The format in which the brief was read.")
    background: list[str]
    participants: list[PlannedParticipant]
    phases: list[str]
    asks: EstimateRange
    calls: Calls
    tokens: Tokens
    expected_tokens: EstimateRange
    cost: Cost
    longest_answer: int = Field(description="The most tokens of an answer that the bounds assume.")
    repeated: float = Field(
        description="The share of the input tokens that repeats the beginning of an earlier prompt."
    )


class LearnedPart(BaseModel):
    """What was learned of one kind from a debate."""

    heading: str = Field(description="What it is, such as the outcome or critiques that changed an answer.")
    items: list[list[str]] = Field(description="The sentences of each item.")


class ForgottenDebate(BaseModel):
    """A debate of which nothing is remembered."""

    id: str


# ---- what the machine knows ------------------------------------------------------------------------------------------


class ModelServer(BaseModel):
    """A model server on this machine."""

    provider: str
    up: bool
    models: list[str]


class MissingSettings(BaseModel):
    """The settings that a provider needs."""

    provider: str
    set: str = Field(description="The environment variables.")


class ListedPreset(BaseModel):
    """A preset of the owner's settings."""

    name: str
    models: list[str]


class CheckModel(RequestBody):
    """Which model is asked whether it answers."""

    model: Annotated[str, Field(min_length=1, max_length=200)] = Field(examples=["builtin:quotes"])


class CheckedModel(BaseModel):
    """What came of asking a model."""

    model: str
    answers: bool = Field(description="Whether it answers now.")
    words: str = Field(description="What happened, in one sentence.")
    seconds: float
    cost: float | None = Field(description="US dollars; null where the price is not known.")


class OfferedModel(BaseModel):
    """A model that can be chosen now, and its price."""

    model: str
    reach: Literal["answers", "key", "built_in"] = Field(
        description="Whether a local server has it now, or only a key of its provider is set, or it is built in."
    )
    input_price: float | None = Field(description="US dollars for a million input tokens; null where it is not known.")
    output_price: float | None = Field(
        description="US dollars for a million output tokens; null where it is not known."
    )


class AvailableModels(UsableModels):
    """The models that can be used."""

    servers: list[ModelServer]
    missing: list[MissingSettings]
    presets: list[ListedPreset] = Field(default=[], description="For the person at the machine: the presets.")
    offers: list[OfferedModel] = Field(
        description="Models to choose from: of local servers, the built-in one, and some of each provider with a key."
    )


class Offers(BaseModel):
    """The values that a brief may use."""

    protocols: list[str]
    strategies: list[str]
    about: dict[str, str] = Field(default={}, description="What each built-in protocol does, in one sentence.")


class Bounds(BaseModel):
    """The owner's limits for one debate; null for none."""

    cost: float | None
    tokens: int | None
    asks: int | None


class Info(BaseModel):
    """Information about the server."""

    version: str
    build: str = Field(description="The build of the web app; empty if it is not built.")
    name: str = Field(description="The owner's name of the token; empty for the local owner.")
    machine: bool
    model: str
    held: int = Field(description="Debates that run now.")
    most: int = Field(description="Maximum number of debates in parallel.")
    learn: bool
    limits: Bounds
    daily: float | None = Field(description="US dollars per day; null for no limit.")
    used_today: float | None
