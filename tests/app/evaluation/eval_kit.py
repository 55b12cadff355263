"""What the tests of evaluations share: questions, a model whose answers follow from prompt and seed, a run."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from folkmoot.app.evaluation.plan import prepare_evaluation
from folkmoot.app.evaluation.questions import DataSet, Key, Question
from folkmoot.app.evaluation.run import EvalRun
from folkmoot.app.evaluation.setup import Arm, Setup, plain_setup, read_arms
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.ask import Usage
from folkmoot.core.event import Called
from folkmoot.models.base import Request
from folkmoot.testing.scripted import ScriptedModel
from folkmoot.testing.store_checks import InMemoryStore

OPTIONS = ("alpha", "beta", "gamma")
PRICE = 0.001


def chance(*parts: object) -> float:
    """A number from 0 to 1 that follows from the parts."""
    return int(hashlib.sha256(repr(parts).encode()).hexdigest()[:8], 16) / 16**8


def answer(prompt: str, seed: int | None, name: str) -> str:
    """An answer in the form that the prompt asks for: alpha more often than the others, alone and after others."""
    draw = chance(prompt, seed, name)
    choice = OPTIONS[0] if draw < 0.55 else OPTIONS[1] if draw < 0.8 else OPTIONS[2]
    words = "so it seems " * (1 + int(8 * chance(draw)))
    likelihood = f"PROBABILITY: {draw:.2f}\n" if "PROBABILITY" in prompt else ""
    return f"ANSWER: {choice}\n{likelihood}ARGUMENT: {words}"


class Priced(ScriptedModel):
    """A model with a price for each token, whose answers follow from prompt and seed.

    Attributes:
        log: where every request is noted, byte for byte.
        before: is called before each answer.
        fault: what it fails with; None to answer.
        say: what it says to a prompt; None for the usual.
    """

    def __init__(self, name: str) -> None:
        super().__init__(self._answer, name=f"guest:{name}")
        self.log: list[str] = []
        self.before: Callable[[], None] = lambda: None
        self.fault: Exception | None = None
        self.say: Callable[[str], str] | None = None

    def _answer(self, request: Request) -> str:
        prompt = "\n".join(message.text for message in request.messages)
        return self.say(prompt) if self.say else answer(prompt, request.settings.seed, self.name)

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer; the pool puts the call on record."""
        self.log.append(repr((self.name, request.messages, request.settings, request.call)))
        self.before()
        if self.fault:
            raise self.fault
        called = await self._send(request, recorder)
        used = called.usage
        cost = PRICE * (used.input_tokens + 4 * used.output_tokens)
        return replace(called, usage=Usage(input_tokens=used.input_tokens, output_tokens=used.output_tokens, cost=cost))

    def quote(self, request: Request) -> Quote:
        """At most 200 words of an answer."""
        words = sum(len(message.text.split()) for message in request.messages)
        return Quote(model=self.name, tokens=words + 200, cost=PRICE * (words + 800), prompt=words)


def questions(n: int, *, truth: str = "alpha") -> DataSet:
    """Questions with three options, two to a group."""
    return DataSet(
        questions=tuple(
            Question(id=f"q{i}", input=f"Which way on day {i}?", kind="option", options=OPTIONS, group=f"g{i // 2}")
            for i in range(n)
        ),
        keys=tuple(Key(id=f"q{i}", truth=truth) for i in range(n)),
    )


def workspace_of(*names: str, store: InMemoryStore | None = None) -> tuple[Workspace, dict[str, Priced]]:
    """A workspace in memory with these models."""
    workspace, models = Workspace(store or InMemoryStore(), config=Config()), {name: Priced(name) for name in names}
    for name, model in models.items():
        workspace.pool.add_agent(name, model)
    return workspace, models


def arms_of(*tables: Mapping[str, object], models: Sequence[str]) -> tuple[Arm, ...]:
    """The arms of these tables of a file."""
    return read_arms([msgspec.convert(table, Arm) for table in tables], models)


def setup_of(folder: Path, *names: str, arms: Sequence[Arm] = ()) -> Setup:
    """The usual evaluation of these models, or one with these arms."""
    setup = plain_setup(folder / "check.jsonl", [f"guest:{name}" for name in names], seed=7)
    return replace(setup, arm=tuple(arms)) if arms else setup


async def run_of(workspace: Workspace, setup: Setup, data: DataSet, folder: Path) -> EvalRun:
    """A run that has begun and has called nobody yet."""
    prepared = await prepare_evaluation(workspace, setup, data)
    run = EvalRun(workspace=workspace, prepared=prepared, folder=folder)
    await run.begin()
    return run
