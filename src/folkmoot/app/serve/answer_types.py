"""Answer types that the HTTP API and the MCP tools share; each of both adds only what it alone has.

The API adds what pages need, the tools what a coding agent is told to do next.
"""

from typing import Literal

from pydantic import BaseModel, Field

ESTIMATED = "Whether tokens and cost are estimates, because a provider did not count the tokens of every call."
"""What a number with this mark means."""


class BegunDebate(BaseModel):
    """A debate that was started."""

    id: str = Field(description="The id of the debate.", examples=["should-we-build-or-buy-3f2a1c"])


class DebateState(BaseModel):
    """The state of a debate."""

    id: str
    topic: str = ""
    protocol: str = ""
    reason: str = Field(default="", description="Why it ended or is paused.")
    runs: bool = Field(default=False, description="Whether it runs now, anywhere, or is queued.")


class DebateRow(BaseModel):
    """A debate in a list."""

    id: str
    topic: str
    protocol: str
    reason: str
    entries: int
    stale: bool = Field(default=False, description="Whether a document is known to have changed since.")


class WaitedPerson(BaseModel):
    """A person whom a debate waits for."""

    name: str
    act: str
    key: str = Field(description="The key of the question.")
    left: float | None = Field(description="Seconds left for an answer; null without a deadline.")


FIELDS = "The fields of the answer; none for plain text."
"""What a list of these fields is."""


class FormField(BaseModel):
    """A field of an answer."""

    name: str
    kind: Literal["text", "choice", "number", "flag", "list"]
    choices: list[str]
    required: bool
    allowed: str = Field(description="The allowed values, in words.")


class AcceptedAnswer(BaseModel):
    """An answer or a message that was accepted."""

    runs: bool = Field(description="Whether the debate runs, here or on a worker, so that it continues now.")


class PlannedPerson(BaseModel):
    """A participant of a planned debate."""

    name: str
    role: str
    model: str


class PlannedDebate(BaseModel):
    """How a brief was understood, and what the debate would use."""

    topic: str
    protocol: str
    options: list[str]
    participants_made_by: str = Field(description="The model that generates the participants first; empty for none.")
    unpriced: list[str] = Field(description="Models whose price is not known.")
    notes: list[str]


class UsableModels(BaseModel):
    """The models that can be used."""

    models: list[str] = Field(description="Values for models, such as ollama:llama3.2 or builtin:quotes.")
    keys: list[str] = Field(description="The providers with an API key; any of their models can be used.")
    advice: list[str]


class PluginOption(BaseModel):
    """An option that an extension takes."""

    name: str
    takes: str = Field(description="What it takes, in words.")
    default: bool | int | float | str | list[str]
    help: str
    low: float | None = Field(description="Least number, or number of entries; null for none.")
    high: float | None = Field(description="Greatest number, or number of entries; null for none.")
    choices: list[str] = Field(description="The allowed words; empty for any.")


class PluginEntry(BaseModel):
    """What another package adds."""

    kind: str
    name: str
    package: str
    version: str
    broken: str = Field(description="Why it cannot be used; empty if it can.")
    options: list[PluginOption]


class Plugins(BaseModel):
    """What other packages add."""

    plugins: list[PluginEntry]
