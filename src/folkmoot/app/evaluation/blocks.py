"""What a question becomes on record: briefs without the truth, first answers that arms share, and the debates of arms.

First answers are debates of one phase, ``draft``: each participant answers alone. A debate whose own first prompts are
those very prompts begins with a copy of these answers, so it is charged for them, and they are paid once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import cast

from folkmoot.agents.prompt import compose
from folkmoot.app.brief.reader import read_brief, read_settings
from folkmoot.app.brief.types import LEARNED
from folkmoot.app.evaluation.questions import Question
from folkmoot.app.evaluation.responses import SHARED
from folkmoot.app.evaluation.setup import RETHINK, Arm, Setup
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.prepare import Overrides, plan_alone
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.agent import context_of
from folkmoot.core.ask import Ask
from folkmoot.core.brief import BUILTIN, Brief, Limits, Settings, View
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Asked, Attempted, Called, Entry, Erred, Event, Failed, Replied
from folkmoot.core.transcript import Transcript
from folkmoot.models.base import Traits
from folkmoot.phases.base import Sequence as Steps
from folkmoot.phases.base import State, enter, is_batch
from folkmoot.phases.speak import Everyone, revision
from folkmoot.phases.speak import draft as draft_form
from folkmoot.protocols.known import DEFAULT
from folkmoot.protocols.measured.forecast import first_form
from folkmoot.record.store import chain_lines, digest, encode

RULES: Mapping[str, str] = {
    "number": "Begin every answer with the number alone, with its unit if it has one.",
    "probability": "Give every answer as a probability from 0 to 1 that the answer is yes.",
    "text": "Give every answer in as few words as possible.",
}
"""What is said to everybody about answers without options, so that they can be compared."""

FIRST = "Answer the question on your own, from what you know and from the background."
AGAIN = (
    "Look at your own answer above once more. Keep it unless you find a reason to change it; nobody else's answer is "
    "shown to you. Then answer again."
)
PROBABILITY = first_form("probability")
"""A first answer where a probability is asked for."""


def shuffled(questions: Sequence[Question], seed: int) -> list[Question]:
    """The questions in the seeded random order in which they are worked on."""
    order = list(questions)
    Random(f"{seed}:order").shuffle(order)
    return order


def brief_of(question: Question, setup: Setup, models: Sequence[str] = (), *, epoch: int = 1, rounds: int = 0) -> Brief:
    """The brief of a question. It is made of the question alone, so it cannot hold the truth.

    ``models`` answer in turn, () for those of the evaluation; in this repeat (``epoch``, from 1) there were so many
    ``rounds`` of first answers.
    """
    options = list(question.options)  # shuffled, for all arms alike
    Random(f"{setup.seed}:{question.id}:options").shuffle(options)
    return Brief(
        topic=question.input,
        background=question.documents,
        options=tuple(options),
        rules=RULES.get(question.kind, ""),
        # each round has a seed of its own for the models' sampling, so that all are independent
        participants=setup.participants(models or setup.models, rounds * setup.epochs + epoch),
        seed=setup.seed_of(epoch),
    )


def _alone(brief: Brief, question: Question) -> Everyone:
    """The phase in which all answer alone; it is that of the default debate, but for probabilities."""
    form = PROBABILITY if question.kind == "probability" else draft_form(brief.options)
    return Everyone(act="draft", task=FIRST, form=form, view=View(last=0))


def drafts_plan(brief: Brief, question: Question) -> Plan:
    """The debate in which all answer alone."""
    return Plan(brief=brief, name=DEFAULT, protocol=Steps(parts=(_alone(brief, question),)))


async def arm_plan(workspace: Workspace, arm: Arm, brief: Brief, question: Question) -> Plan:
    """The debate of an arm.

    Raises:
        BriefError: a setting or a model that cannot be.
    """
    if arm.kind == RETHINK:  # answers alone, and once more, each before its own answer only
        form = PROBABILITY if question.kind == "probability" else revision(brief.options)
        again = Everyone(act="revise", task=AGAIN, form=form, view=View(mine=True, own=True))
        return Plan(brief=brief, name=DEFAULT, protocol=Steps(parts=(_alone(brief, question), again)))
    parsed = read_brief("# Question?\n", settings=read_settings(arm.settings, where=f"arm {arm.name}"))
    if parsed.given.get("recall"):
        raise BriefError(f"arm {arm.name}: leave out recall, which would carry answers from one question to another")
    if parsed.given.get("threshold") == LEARNED:
        why = "learned from past debates it could have seen these questions, and it would move while they run"
        raise BriefError(f"arm {arm.name}: name the threshold as a number, so that the plan fixes it: {why}")
    parsed = replace(parsed, brief=brief, vacant=0)
    models = (arm.judge,) if arm.judge else ()
    wanted = Overrides(models=models, protocol=arm.kind, rounds=arm.rounds, strategy=arm.strategy, seed=brief.seed)
    plan = await plan_alone(workspace, parsed, wanted, workspace.config or Config())
    settings = brief.participants[0].settings  # moderator and helpers have the debaters' temperature, seed and length
    everybody = [
        replace(who, settings=settings) if who.settings == Settings() and not who.seat.startswith(BUILTIN) else who
        for who in plan.brief.participants
    ]
    return replace(plan, brief=replace(plan.brief, participants=tuple(everybody)))


def id_of(prefix: str, plan: Plan) -> str:
    """The id of a debate: it follows from all that is asked, limits left out."""
    opened = replace(plan, brief=replace(plan.brief, limits=Limits())).opened()
    return f"{prefix}-{digest(encode(Entry(seq=1, at=0.0, event=opened, prev='')))[:12]}"


def _first_asks(plan: Plan) -> tuple[tuple[Event, ...], tuple[Ask, ...], Transcript]:
    """What a debate notes before it asks anything, its first questions, and the transcript so far."""
    opened = plan.opened()
    transcript, noted = Transcript(), list[Event]([opened])
    transcript.apply(opened)
    for step in enter(plan.protocol, State(brief=plan.brief, transcript=transcript)):
        if is_batch(step):
            return tuple(noted), tuple(step), transcript
        transcript.apply(cast(Event, step))
        noted.append(cast(Event, step))
    return tuple(noted), (), transcript


def shares_drafts(plan: Plan, drafts: Plan) -> bool:
    """Whether all first questions of a debate are those of the first answers, to the letter and to the same models."""

    def prompts(plan: Plan) -> dict[str, object]:
        """All that the answer to a first ask depends on, by who is asked."""
        _, asks, transcript = _first_asks(plan)
        sent: dict[str, object] = {}
        for ask in asks:
            context = context_of(plan.brief, transcript, ask)
            me = context.me
            asked = (compose(ask, context, Traits()), ask.form)
            sent[ask.to] = (asked, me.seat, me.settings, me.tools, me.search, me.fallback)
        return sent

    own, shared = prompts(plan), prompts(drafts)
    return bool(own) and own.items() <= shared.items()


def copied_lines(plan: Plan, drafts: Sequence[Entry]) -> list[str]:
    """The beginning of a debate whose first answers are on record already (``drafts``), as lines to store."""
    opening, asks, _ = _first_asks(replace(plan, chosen=(*plan.chosen, SHARED)))
    keys = {ask.to: ask.key for ask in asks}
    new = {
        entry.event.ask.key: keys[entry.event.ask.to]
        for entry in drafts
        if isinstance(entry.event, Asked) and entry.event.ask.to in keys
    }
    at = drafts[0].at
    entries = [Entry(seq=1, at=at, event=event) for event in (*opening, *(Asked(ask=ask) for ask in asks))]
    for entry in drafts:
        event = entry.event
        if isinstance(event, Attempted | Called | Erred | Replied | Failed) and event.key in new:
            entries.append(replace(entry, event=replace(event, key=new[event.key])))
    return chain_lines(entries)
