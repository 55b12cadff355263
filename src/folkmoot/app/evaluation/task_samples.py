"""A sample of a task of another evaluation framework as a debate: that framework's models answer, and it scores.

Each participant is a role: ``seat1``, ``seat2`` and so on, and ``judge`` is the moderator where the protocol needs one.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from folkmoot.app.evaluation.arms import Arm
from folkmoot.app.evaluation.blocks import Panel, arm_plan, brief_of
from folkmoot.app.evaluation.responses import debated_of
from folkmoot.app.evaluation.scores import State
from folkmoot.app.plan.settings import default_store, load_config, open_store
from folkmoot.app.questions.data_sets import Question
from folkmoot.app.run.outcome import Outcome
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.brief import Source
from folkmoot.core.errors import ModelError, RecordError
from folkmoot.core.event import Called, Entry
from folkmoot.core.text import slug
from folkmoot.core.transcript import fold
from folkmoot.models.base import Request, Traits
from folkmoot.models.pool import GUEST
from folkmoot.record.store import Store, digest, encode
from folkmoot.report.conclusion import cautions

JUDGE = "judge"

Send: TypeAlias = Callable[[str, Request], Awaitable[Called]]
"""Asks the model of a role and says which it is; ``key`` and ``call`` of what it returns are set by the record."""

Status: TypeAlias = State | Literal["paused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Debating:
    """How samples are debated.

    Attributes:
        protocol: its name.
        seats: how many answer.
        rounds: the greatest number of rounds; None for the protocol's own.
        strategy: how it is decided; "" for the protocol's own.
        settings: further settings of a brief's header, ``KEY=VALUE``.
        seed: of what is drawn.
    """

    protocol: str = "panel"
    seats: int = 3
    rounds: int | None = None
    strategy: str = ""
    settings: tuple[str, ...] = ()
    seed: int = 0

    def arm(self) -> Arm:
        """The debate as an arm of an evaluation."""
        return Arm(
            name=self.protocol,
            kind="protocol",
            protocol=self.protocol,
            rounds=self.rounds,
            strategy=self.strategy,
            settings=self.settings,
            judge=f"{GUEST}{JUDGE}",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """What came of a sample.

    Attributes:
        state: whether there is an answer; a tie and an answer that cannot be read are none, and nothing is guessed.
        answer: in words; "" for none.
        debate: the id of the debate on record.
        how: how it was decided.
        warnings: what makes the decision weaker than it looks.
    """

    state: Status
    answer: str
    debate: str
    how: str
    warnings: tuple[str, ...]

    def as_data(self, store: str, server: str = "") -> Mapping[str, object]:
        """The values that a log of the other framework keeps, with the way to the record.

        Args:
            store: where the record is.
            server: the address of a ``folkmoot serve`` that shows it; "" for none.
        """
        link = {"link": f"{server.rstrip('/')}/d/{self.debate}"} if server else {}
        return {
            **link,
            "state": self.state,
            "answer": self.answer,
            "debate": self.debate,
            "store": store,
            "show": f"folkmoot show {self.debate} --store {store}",
            "how": self.how,
            "warnings": list(self.warnings),
        }


class RoleModel:
    """The model of a role, which the other framework calls, as a model of Folkmoot.

    Args:
        role: the role.
        send: asks its model.
    """

    traits = Traits(tools=False)
    drops: tuple[str, ...] = ()

    def __init__(self, role: str, send: Send) -> None:
        self._role, self._send = role, send

    @property
    def name(self) -> str:
        """``guest:seat1``."""
        return f"{GUEST}{self._role}"

    def quote(self, request: Request) -> Quote:
        """Nothing is priced here: the other framework keeps the limits and the bill."""
        return Quote(model=self.name, tokens=sum(len(message.text) // 3 for message in request.messages))

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer one request; the pool's layers put it on record."""
        called = await self._send(self._role, request)
        if not called.text.strip():
            raise ModelError(f"the model of {self._role} gave no text", kind="empty")
        return called

    async def close(self) -> None:
        """Nothing to give back."""


def store_of(place: Path | str | None) -> tuple[Store, str]:
    """The store of the records, and its place in words; None for the user's own.

    Raises:
        RecordError: it cannot be opened.
    """
    where = place or load_config().store or default_store()
    return open_store(where), str(where)


async def debate_sample(store: Store, question: Question, how: Debating, send: Send, sample: str = "") -> Sampled:
    """Debate a sample, on record. A retry asks nothing that is on record.

    Args:
        store: where its record goes.
        question: what is asked; its options keep their order.
        how: the debate.
        send: asks the model of a role.
        sample: what a retry has in common with the first try, and another epoch or run has not; "" for neither.

    Raises:
        BriefError: a setting that cannot be, or a question that is too long.
        ProtocolError: the protocol cannot run with these participants.
    """
    config = replace(load_config(), learn=False)
    workspace = Workspace(store, config=config)
    roles = [f"seat{n}" for n in range(1, how.seats + 1)]
    for role in (*roles, JUDGE):
        workspace.pool.add_agent(role, RoleModel(role, send))
    models = tuple(f"{GUEST}{role}" for role in roles)
    panel = Panel(models=models, seats=how.seats, seed=how.seed)
    brief = replace(brief_of(question, panel, models, epoch=1, repeat=1), options=question.options, rules="")
    plan = await arm_plan(workspace, how.arm(), brief, question, config)
    debate, outcome = await _debated(workspace, plan, sample)
    came = debated_of(question, await workspace.entries(debate)).response
    answer = came.answers[0] if came.state == "answered" else ""
    return Sampled(
        state="paused" if outcome.status == "paused" else came.state,
        answer=answer,
        debate=debate,
        how=outcome.decision.how if outcome.decision else outcome.reason,
        warnings=cautions(outcome.transcript),
    )


async def _debated(workspace: Workspace, plan: Plan, sample: str) -> tuple[str, Outcome]:
    """The debate of a sample, and its end: a new one, or the one on record, from where it stopped."""
    first = workspace.new_id(plan)
    if sample:  # the same sample with other settings, models or words is another debate
        opened = encode(Entry(seq=1, at=0.0, event=plan.opened()))
        first = f"{slug(plan.brief.topic, 32)}-{digest(f'{sample} {opened}')[:12]}"
    debate, number = first, 1
    while await _has_failed(workspace, debate):  # nobody answered in that one, so it has nothing to go on with
        number += 1
        debate = f"{first}-{number}"
    return debate, await workspace.run(plan, debate)


async def _has_failed(workspace: Workspace, debate: str) -> bool:
    try:
        closed = fold(await workspace.entries(debate)).closed
    except RecordError:  # there is none yet
        return False
    return closed is not None and closed.status == "failed"


def question_of(sample: str, text: str, options: Sequence[str], before: Mapping[str, str]) -> Question:
    """What a sample asks.

    Args:
        sample: its id.
        text: the question.
        options: the choices; empty for an open answer.
        before: what stands before the question, such as instructions, by name; everybody reads it.
    """
    documents = tuple(Source(name=name, text=words) for name, words in before.items() if words.strip())
    kind = "option" if options else "text"
    return Question(id=sample, input=text, kind=kind, options=tuple(options), documents=documents)


def completion(answer: str, options: Sequence[str]) -> str:
    """An answer as Inspect's scorers read it: ``ANSWER: B`` where there are choices."""
    return f"ANSWER: {chr(ord('A') + options.index(answer))}" if answer and options else answer
