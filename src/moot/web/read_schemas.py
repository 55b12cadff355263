"""Answers that are read from records and from what was learned. This file owns their types in the description.

They are written as the command line prints them; most are the very values that the desk's readers give. What is read
from a record is sent as it was written once, so it is not checked against its type again, but by the tests.
"""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

from moot.analysis.analysis import Analysis, Overview
from moot.report.receipt import Receipt

Relation = Literal["SUPPORT", "ATTACK", "REBUT", "QUESTION", "ANSWER"]


def gives(kind: object) -> dict[int | str, dict[str, object]]:
    """What a route answers that sends JSON as it was written."""
    return {200: {"description": "The answer.", "model": kind}}


# ---- the argument map ------------------------------------------------------------------------------------------------


class Claimed(BaseModel):
    """One turn that makes a claim."""

    mark: str
    key: str
    by: str
    act: str
    round: int = Field(description="0 outside rounds.")
    stance: str


class MapNode(BaseModel):
    """A claim, and how it stands."""

    mark: str = Field(description="The mark of the first turn that makes it.")
    claim: str
    made: list[Claimed]
    replaced: str = Field(description="The claim that its authors put in its place; empty while somebody holds it.")
    by: list[str]
    stances: list[str]
    standing: Literal["in", "out", "undecided", "replaced", "question"]
    strength: float | None = Field(description="0 to 1; null for a question, or what was replaced.")


class MapEdge(BaseModel):
    """What one claim does to another."""

    source: str
    target: str
    relation: Relation
    turns: list[str]


class Semantics(BaseModel):
    """What standing and strength are computed by."""

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
class Analysed(Analysis):
    """What can be said of one debate, and what is worth telling of it in sentences."""

    insights: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Analyses:
    """Analyses and their sums."""

    debates: tuple[Analysed, ...]
    overview: Overview


@dataclass(frozen=True, slots=True, kw_only=True)
class Received(Receipt):
    """A decision receipt; ``moot_receipt`` is the number of its format."""

    moot_receipt: int


# ---- a debate to be --------------------------------------------------------------------------------------------------


class Span(BaseModel):
    """At least and at most."""

    least: int
    most: int


class Cost(BaseModel):
    """US dollars at least and at most; null where a price is unknown."""

    least: float | None
    most: float | None


class Seated(BaseModel):
    """Somebody who will be at the table."""

    name: str
    role: str
    duty: str
    model: str
    weight: float | None
    tools: list[str]
    ignored: list[str] = Field(description="Settings that the model does not take.")


class Understood(BaseModel):
    """What was understood of a brief, and what the debate would use."""

    kind: str = Field(description="What the brief was read as.")
    topic: str
    protocol: str
    options: list[str]
    background: list[str]
    participants: list[Seated]
    phases: list[str]
    asks: Span
    calls: Span
    tokens: Span
    expected_tokens: Span
    cost: Cost
    unpriced: list[str] = Field(description="Models whose price is not known.")
    participants_made_by: str
    repeated: float = Field(description="The share of the tokens that is sent again and again.")
    notes: list[str]


# ---- what the machine knows ------------------------------------------------------------------------------------------


class Served(BaseModel):
    """A server of models on this machine."""

    provider: str
    up: bool
    models: list[str]


class Lacking(BaseModel):
    """What must be set for a provider."""

    provider: str
    set: str = Field(description="The variables of the environment.")


class Reached(BaseModel):
    """The models in reach."""

    servers: list[Served]
    keys: list[str] = Field(description="The providers whose keys are set.")
    missing: list[Lacking]
    models: list[str]
    advice: list[str]


class Offers(BaseModel):
    """What a brief may name."""

    protocols: list[str]
    strategies: list[str]


class Bounds(BaseModel):
    """The owner's limits for one debate; null for none."""

    cost: float | None
    tokens: int | None
    asks: int | None


class Info(BaseModel):
    """What is served."""

    version: str
    build: str = Field(description="Of the page; empty where the app is not built.")
    name: str = Field(description="Whose token it is; empty for whoever is at the machine.")
    machine: bool
    model: str
    held: int = Field(description="Debates that are held now.")
    most: int = Field(description="Debates that may be held at once.")
    learn: bool
    limits: Bounds
    daily: float | None = Field(description="US dollars a day; null for no limit.")
    used_today: float | None
