"""Tools for tests: one that finds, one that asks the model; and a model that asks for them."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from folkmoot.agents.toolkit import ToolResult, ToolUse
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Field, Form, ToolCall, ToolSpec
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.event import Called
from folkmoot.models.base import Request

ANN, BOB = Participant(name="Ann", role="Buyer"), Participant(name="Bob")
CONTEXT = Context(brief=Brief(topic="Tea or coffee?", participants=(ANN, BOB)), me=ANN)
ASK = Ask(key="/debate#1", to="Ann", act="argue", task="Argue.")
SCHEMA: Mapping[str, object] = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}


@dataclass(slots=True)
class Lookup:
    """A tool that finds what was asked for, and counts."""

    name: str = "search"
    answer: Callable[[str], ToolResult] = lambda q: ToolResult(
        text=f"{q} costs 2 cents", sources=(f"https://a.example/{q}",)
    )
    used: list[str] = field(default_factory=list[str])
    contexts: list[Context] = field(default_factory=list[Context])

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(name=self.name, help="Looks something up.", parameters=SCHEMA)

    async def use(self, arguments: Mapping[str, object], tool_use: ToolUse) -> ToolResult:
        self.used.append(str(arguments["q"]))
        self.contexts.append(tool_use.context)
        return self.answer(str(arguments["q"]))


@dataclass(slots=True)
class Adviser:
    """A tool that asks the participant's own model."""

    form: Form | None = None
    asks: int = 1
    seconds: float = 0.0

    spec = ToolSpec(name="summarizer", help="Sums up.", parameters={"type": "object"})

    async def use(self, arguments: Mapping[str, object], tool_use: ToolUse) -> ToolResult:
        parts: list[str] = []
        for _ in range(self.asks):
            reading = await tool_use.ask("Sum up: tea", self.form)
            parts.append(f"{reading.text} {dict(reading.fields)}")
            await asyncio.sleep(self.seconds)
        return ToolResult(text="".join(parts))


def wants(*names: str, text: str = "", arguments: str = "") -> Called:
    """A model's answer that asks for tools."""
    calls = tuple(
        ToolCall(id=f"i{n}", name=name, arguments=arguments or json.dumps({"q": f"{name}{n}"}))
        for n, name in enumerate(names, start=1)
    )
    return Called(key="", call="", text=text, model="scripted:model", finish="tools", tools=calls)


def prompt_words(request: Request) -> str:
    """All that a model was sent."""
    return "\n".join(message.text for message in request.messages)


FORM = Form(name="f", fields=(Field(name="ANSWER", kind="choice", choices=("Tea", "Coffee")),))
