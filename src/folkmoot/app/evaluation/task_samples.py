"""A sample of a task of another evaluation framework as a debate: that framework's models answer, and it scores.

Each participant is a role: ``seat1``, ``seat2`` and so on, and ``judge`` is the moderator where the protocol needs one.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeAlias

from folkmoot.app.evaluation.blocks import arm_plan, brief_of
from folkmoot.app.evaluation.questions import Question
from folkmoot.app.evaluation.responses import debated_of
from folkmoot.app.evaluation.setup import Arm, Setup
from folkmoot.app.plan.settings import load_config
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.brief import GUEST
from folkmoot.core.errors import ModelError, RecordError
from folkmoot.core.event import Called, Entry
from folkmoot.core.text import slug
from folkmoot.core.transcript import fold
from folkmoot.models.base import Request, Traits
from folkmoot.record.store import Store, digest, encode
from folkmoot.report.conclusion import cautions

JUDGE = f"{GUEST}judge"

Send: TypeAlias = Callable[[str, Request], Awaitable[Called]]
"""Asks the model of a role and says which it is; ``key`` and ``call`` of what it returns are set by the record."""


class RoleModel:
    """The model of a role (``guest:`` and the role), which the other framework calls, as a model of Folkmoot."""

    traits = Traits(tools=False)
    drops: tuple[str, ...] = ()

    def __init__(self, name: str, send: Send) -> None:
        self.name, self._send = name, send

    def quote(self, request: Request) -> Quote:
        """Nothing is priced here: the other framework keeps the limits and the bill."""
        return Quote(model=self.name, tokens=sum(len(message.text) // 3 for message in request.messages))

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer one request; the pool's layers put it on record."""
        called = await self._send(role := self.name.removeprefix(GUEST), request)
        if not called.text.strip():
            raise ModelError(f"the model of {role} gave no text", kind="empty")
        return called

    async def close(self) -> None:
        """Nothing to give back."""


async def debate_sample(
    store: Store, question: Question, arm: Arm, send: Send, *, seats: int = 3, seed: int = 0, sample: str = ""
) -> dict[str, object]:
    """Debate a sample, on record. A retry asks nothing that is on record.

    Args:
        store: where its record goes.
        question: what is asked; its options keep their order.
        arm: the debate.
        send: asks the model of a role.
        seats: how many answer.
        seed: of what is drawn.
        sample: what a retry has in common with the first try, and another epoch or run has not; "" for neither.

    Returns:
        ``state``, ``answer`` ("" for none: a tie or what cannot be read is never guessed at), the ``debate``'s id,
        ``how`` it was decided, and ``warnings``: what makes the decision weaker than it looks.
    """
    workspace = Workspace(store, config=replace(load_config(), learn=False))
    models = tuple(f"{GUEST}seat{n}" for n in range(1, seats + 1))
    for name in (*models, JUDGE):
        workspace.pool.add_agent(name.removeprefix(GUEST), RoleModel(name, send))
    brief = brief_of(question, Setup(questions="", models=models, seats=seats, seed=seed))
    brief = replace(brief, options=question.options, rules="")
    plan = await arm_plan(workspace, replace(arm, judge=JUDGE), brief, question)
    debate = first = workspace.new_id(plan)
    if sample:  # the same sample with other settings, models or words is another debate
        opened = encode(Entry(seq=1, at=0.0, event=plan.opened()))
        debate = first = f"{slug(plan.brief.topic, 32)}-{digest(f'{sample} {opened}')[:12]}"
    number = 1
    while await _has_failed(workspace, debate):  # nobody answered in that one, so it has nothing to go on with
        number += 1
        debate = f"{first}-{number}"
    outcome = await workspace.run(plan, debate)  # from where it stopped, if it is on record
    came = debated_of(question, await workspace.entries(debate))
    return {
        "state": "paused" if outcome.status == "paused" else came.state,
        "answer": came.answers[0] if came.state == "answered" else "",
        "debate": debate,
        "how": outcome.decision.how if outcome.decision else outcome.reason,
        "warnings": list(cautions(outcome.transcript)),
    }


async def _has_failed(workspace: Workspace, debate: str) -> bool:
    try:
        closed = fold(await workspace.entries(debate)).closed
    except RecordError:  # there is none yet
        return False
    return closed is not None and closed.status == "failed"
