"""Scripted worlds whose figures are frozen in ``frozen/``: small evaluations of every kind, and what came of each.

A scripted model's answer follows from the question, its seed, its name and the answers it is shown, and not from the
words around them: so better prompts move no figure. ``python -m tests.app.evaluation.frozen_worlds`` writes the files.
"""

import asyncio
import hashlib
import json
import math
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from folkmoot.app.evaluation.plan import prepare_evaluation
from folkmoot.app.evaluation.questions import read_data_set
from folkmoot.app.evaluation.run import EvalRun
from folkmoot.app.evaluation.scoreboard import Scoreboard, measure
from folkmoot.app.evaluation.scores import EvalResult
from folkmoot.app.evaluation.setup import read_setup
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.ask import Usage
from folkmoot.core.event import Called
from folkmoot.evaluation.verdicts import COST_ROOM
from folkmoot.models.base import Request
from folkmoot.testing.scripted import ScriptedModel
from folkmoot.testing.store_checks import InMemoryStore

FROZEN = Path(__file__).parent / "frozen"
MODELS = ("a", "b", "c")
MARKS = ("markalpha", "markbeta", "markgamma")
"""Words by which a model knows which answers it is shown."""

Line = Mapping[str, object]


def chance(*parts: object) -> float:
    """A number from 0 to 1 that follows from the parts."""
    return int(hashlib.sha256(repr(parts).encode()).hexdigest()[:8], 16) / 16**8


class Answerer(ScriptedModel):
    """A scripted model with made-up usage.

    Args:
        name: its name.
        answers: what it can answer, the right one first.
        priced: whether its calls have a price.
        counted: whether it counts tokens.
    """

    def __init__(self, name: str, answers: Sequence[str], *, priced: bool, counted: bool) -> None:
        super().__init__(self._answer, name=f"guest:{name}")
        self._answers, self._priced, self._counted = answers, priced, counted
        self.asked = 0

    def _draw(self, request: Request) -> tuple[float, int]:
        prompt = "\n".join(message.text for message in request.messages)
        shown = tuple(prompt.count(mark) for mark in MARKS)
        day = re.search(r"day (\d+)", prompt)
        drawn = chance(day and day[1], request.settings.seed, self.name, shown)
        return drawn, sum(shown)

    def _answer(self, request: Request) -> str:
        drawn, _ = self._draw(request)
        which = 0 if drawn < 0.55 else 1 if drawn < 0.8 else 2 if drawn < 0.97 else 3
        if which == 3:
            return "I would rather not say."
        likelihood = f"PROBABILITY: {chance(drawn, 'p'):.2f}\n"
        return f"ANSWER: {self._answers[which]}\n{likelihood}ARGUMENT: {MARKS[which]}"

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer; the pool puts the call on record."""
        self.asked += 1
        called = await self._send(request, recorder)
        drawn, shown = self._draw(request)
        used = (20 + 10 * shown, 10 + int(40 * chance(drawn))) if self._counted else (0, 0)
        cost = 0.001 * (used[0] + 4 * used[1]) if self._priced else None
        return replace(called, usage=Usage(input_tokens=used[0], output_tokens=used[1], cost=cost))

    def quote(self, request: Request) -> Quote:
        """At most 100 tokens."""
        tokens = 100 if self._counted else 0
        return Quote(model=self.name, tokens=tokens, cost=0.3 if self._priced else None, prompt=tokens // 2)


def options(number: int) -> Line:
    """A question with three options, two to a group."""
    text = f"Which way on day {number}?"
    return {"id": f"q{number}", "input": text, "options": list(OPTIONS), "truth": "alpha", "group": f"g{number // 2}"}


def numbers(number: int) -> Line:
    """A question for a number with a unit and a tolerance."""
    return {"id": f"q{number}", "input": f"How far on day {number}?", "truth": "12 km", "kind": "number"} | (
        {"tolerance": "0.5"} if number % 2 else {}
    )


def texts(number: int) -> Line:
    """A question for a text with other forms that are right too."""
    return {"id": f"q{number}", "input": f"Who came on day {number}?", "truth": ["Ada Lovelace", "Ada"]}


def probabilities(number: int) -> Line:
    """A question for a probability."""
    text = f"Does it rain on day {number}?"
    return {"id": f"q{number}", "input": text, "truth": str(int(number % 3 > 0)), "kind": "probability"}


OPTIONS = ("alpha", "beta", "gamma")
USUAL = '[[arm]]\nkind = "single"\nmodel = "guest:a"\n[[arm]]\nkind = "rethink"\n[[arm]]\nkind = "panel"\n'
TWO = USUAL + '[[arm]]\nkind = "panel"\nname = "long"\nrounds = 3\n[[arm]]\nkind = "sample"\nsize = 3\n'
COUNCIL = USUAL + '[[arm]]\nkind = "council"\nrounds = 1\nstrategy = "plurality"\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """One scripted evaluation.

    Attributes:
        n: how many questions.
        line: makes one.
        arms: tables of a check.toml.
        more: further lines of it.
        answers: what models can answer.
        priced: whether calls have a price.
        counted: whether tokens are counted.
        planned: how many questions the plan names, for a look before the end; 0 for all.
    """

    n: int
    line: Callable[[int], Line] = options
    arms: str = USUAL
    more: str = ""
    answers: Sequence[str] = OPTIONS
    priced: bool = True
    counted: bool = True
    planned: int = 0


NUMBERS, NAMES = ("12 km", "about 12.3 kilometres", "9 km"), ("ada", "The Ada Lovelace", "Grace Hopper")
WORLDS: Mapping[str, World] = {
    "two_debates_20": World(n=20, arms=TWO),
    "council_unread": World(n=12, arms=COUNCIL),
    "options_200": World(n=200),
    "numbers": World(n=12, line=numbers, answers=NUMBERS),
    "texts": World(n=12, line=texts, answers=NAMES),
    "probabilities": World(n=14, line=probabilities),
    "epochs": World(n=10, more="epochs = 2"),
    "tokens": World(n=12, line=texts, answers=NAMES, priced=False),
    "calls": World(n=12, line=texts, answers=NAMES, priced=False, counted=False),
    "looks": World(n=20, more="looks = [0.5, 1.0]", planned=40),
    "looks_at_the_end": World(n=20, more="looks = [0.25, 0.5, 1.0]"),
}


async def run_world(world: World, folder: Path) -> tuple[EvalResult, int]:
    """Run a world; returns its result, and how often a model was asked."""
    models = [Answerer(name, world.answers, priced=world.priced, counted=world.counted) for name in MODELS]
    workspace = Workspace(InMemoryStore(), config=Config())
    for name, model in zip(MODELS, models, strict=True):
        workspace.pool.add_agent(name, model)
    lines = [json.dumps(world.line(number)) for number in range(world.n)]
    (folder / "questions.jsonl").write_text("\n".join(lines), "utf-8")
    names = json.dumps([f"guest:{name}" for name in MODELS])
    head = f'questions = "questions.jsonl"\nmodels = {names}\nseed = 7\n{world.more}\n'
    (folder / "check.toml").write_text(head + world.arms, "utf-8")
    setup = read_setup(folder / "check.toml")
    data = read_data_set(Path(setup.questions))
    prepared = await prepare_evaluation(workspace, setup, data)
    run = EvalRun(workspace=workspace, prepared=prepared, folder=folder / "out")
    await run.begin()
    await run.run()
    result = await run.result()
    if world.planned:
        result = replace(result, plan=replace(result.plan, planned=world.planned))
    return result, sum(model.asked for model in models)


def is_equal(cost_ratio: float) -> bool:
    """Whether two costs count as equal."""
    return abs(cost_ratio - 1) <= COST_ROOM


def figures(board: Scoreboard, asked: int) -> dict[str, object]:
    """All figures of a scoreboard that stay, as JSON."""
    return {
        "asked": asked,
        "questions": board.questions,
        "groups": board.groups,
        "currency": board.plan.currency,
        "score": board.plan.score,
        "charged_usd": board.charged_usd,
        "paid_usd": board.run.paid_usd,
        "paid_tokens": board.run.paid_tokens,
        "verdicts": {line.arm: line.verdict.word for line in board.verdicts},
        "arms": {
            arm.arm.name: [
                *(arm.score, arm.interval.low, arm.interval.high, arm.without_unread, arm.unread_right),
                *(arm.rows, *(arm.states.get(state, 0) for state in ("tied", "unread", "failed"))),
                *(arm.debated, arm.usd, arm.tokens, arm.calls),
            ]
            for arm in board.arms
        },
        "pairs": {
            f"{pair.arm} - {other.rival}": [
                *(other.n, other.mean, other.interval.low, other.interval.high, other.interval.level),
                *((pair.corrected.low, pair.corrected.high) if pair.corrected else ()),
                *(other.p, pair.adjusted, pair.won, pair.lost),
                *(other.cost_ratio if math.isfinite(other.cost_ratio) else None, is_equal(other.cost_ratio)),
                *(pair.smallest, pair.needed, pair.without_unread),
                *((pair.live.low, pair.live.high) if pair.live else ()),
            ]
            for pair, other in ((pair, pair.compared) for pair in board.pairs)
        },
        "flips": {
            f"{flip.arm}: {flip.of}": [
                *([*change.split(" to "), n] for change, n in flip.flips.counts.items()),
                *(
                    [rate.turned, rate.n, rate.interval.low, rate.interval.high]
                    for rate in (flip.flips.to_right, flip.flips.to_wrong)
                ),
                [flip.flips.questions_up, flip.flips.questions_down, flip.flips.p],
            ]
            for flip in board.flips
        },
    }


async def _freeze(names: Sequence[str]) -> None:
    FROZEN.mkdir(exist_ok=True)
    for name in names or WORLDS:
        with tempfile.TemporaryDirectory() as folder:
            result, asked = await run_world(WORLDS[name], Path(folder))
        text = json.dumps(figures(measure(result), asked), indent=1, allow_nan=False)
        (FROZEN / f"{name}.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    asyncio.run(_freeze(sys.argv[1:]))
