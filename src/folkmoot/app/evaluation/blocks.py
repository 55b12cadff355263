"""What a question becomes on record: briefs without the truth, first answers that arms share, and the debates of arms.

First answers are debates of one phase, ``draft``: each participant answers alone. A debate whose own first prompts are
those very prompts begins with a copy of these answers, so it is charged for them, and they are paid once.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import cast

from folkmoot.agents.prompt import compose
from folkmoot.app.brief.reader import read_brief, read_settings
from folkmoot.app.brief.schema import LEARNED
from folkmoot.app.evaluation.arms import Arm
from folkmoot.app.evaluation.responses import SHARED
from folkmoot.app.plan.settings import Config
from folkmoot.app.questions.data_sets import Question
from folkmoot.app.run.fork import chain_lines
from folkmoot.app.run.prepare import Overrides, plan_alone
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.agent import context_of
from folkmoot.core.ask import Ask
from folkmoot.core.brief import BUILTIN, SEED, Brief, Limits, Participant, Settings, View
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Asked, Attempted, Called, Entry, Erred, Event, Failed, Replied
from folkmoot.core.transcript import Transcript
from folkmoot.models.base import Traits
from folkmoot.phases.base import Phase, State, enter, is_batch
from folkmoot.phases.base import Sequence as Steps
from folkmoot.phases.speak import Everyone, revision
from folkmoot.phases.speak import draft as draft_form
from folkmoot.protocols.known import DEFAULT
from folkmoot.protocols.measured.forecast import first_form
from folkmoot.record.store import digest, encode

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

LEARNED_HERE = "learned from past debates it could have seen these questions, and it would move while they run"

STEP = 0x9E3779B1
"""What the seeds of two repeats lie apart; it is odd, so no two are the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Who answers in an evaluation.

    Attributes:
        models: who takes part, in turn.
        seats: how many take part.
        temperature: of all models; None leaves it to them.
        max_tokens: of one answer; None for the usual limit.
        seed: the random seed of everything.
    """

    models: tuple[str, ...]
    seats: int
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int = 0

    def participants(self, models: Sequence[str], repeat: int) -> tuple[Participant, ...]:
        """The participants of one repeat; each repeat has a seed of its own for the models' sampling."""
        settings = Settings(temperature=self.temperature, max_tokens=self.max_tokens, seed=seed_of(self.seed, repeat))
        seats = max(self.seats, len(models))
        return tuple(
            Participant(name=f"Seat {n + 1}", seat=models[n % len(models)], settings=settings) for n in range(seats)
        )


def seed_of(seed: int, repeat: int) -> int:
    """The seed of a repeat, from 1."""
    return (seed + (repeat - 1) * STEP) % (SEED.high + 1)


def repeat_of(epoch: int, rounds: int, epochs: int) -> int:
    """The number of the first answers of a repeat after so many rounds of them; no two of a question have the same."""
    return rounds * epochs + epoch


def shuffled(questions: Sequence[Question], seed: int) -> Iterator[Question]:
    """The questions in the seeded random order in which they are worked on."""
    order = list(questions)
    Random(f"{seed}:order").shuffle(order)
    yield from order


def options_of(question: Question, seed: int) -> tuple[str, ...]:
    """The options as they are shown: shuffled, for all arms alike."""
    options = list(question.options)
    Random(f"{seed}:{question.id}:options").shuffle(options)
    return tuple(options)


def brief_of(question: Question, panel: Panel, models: Sequence[str], *, epoch: int, repeat: int) -> Brief:
    """The brief of a question. It is made of the question alone, so it cannot hold the truth.

    Args:
        question: what is asked.
        panel: who answers.
        models: the models of these participants, in turn.
        epoch: the number of the repeat of the question, from 1.
        repeat: the number of the independent answer, from 1; it only changes the seed of the models' sampling.
    """
    return Brief(
        topic=question.input,
        background=question.documents,
        options=options_of(question, panel.seed),
        rules=RULES.get(question.kind, ""),
        participants=panel.participants(models, repeat),
        seed=seed_of(panel.seed, epoch),
    )


def drafting(question: Question) -> Everyone:
    """The phase in which everybody answers alone; it is that of the default debate, but for probabilities."""
    form = PROBABILITY if question.kind == "probability" else draft_form(question.options)
    return Everyone(act="draft", task=FIRST, form=form, view=View(last=0))


def rethinking(question: Question) -> Phase:
    """Answers alone, and once more, each before its own answer only."""
    form = PROBABILITY if question.kind == "probability" else revision(question.options)
    again = Everyone(act="revise", task=AGAIN, form=form, view=View(mine=True, own=True))
    return Steps(parts=(drafting(question), again))


def drafts_plan(brief: Brief, question: Question) -> Plan:
    """The debate in which all answer alone."""
    shown = replace(question, options=brief.options)
    return Plan(brief=brief, name=DEFAULT, protocol=Steps(parts=(drafting(shown),)))


async def arm_plan(workspace: Workspace, arm: Arm, brief: Brief, question: Question, config: Config) -> Plan:
    """The debate of an arm.

    Raises:
        BriefError: a setting or a model that cannot be.
    """
    if arm.kind == "rethink":
        return Plan(brief=brief, name=DEFAULT, protocol=rethinking(replace(question, options=brief.options)))
    parsed = read_brief("# Question?\n", settings=read_settings(arm.settings, where=f"arm {arm.name}"))
    if parsed.given.get("recall"):
        raise BriefError(f"arm {arm.name}: leave out recall, which would carry answers from one question to another")
    if parsed.given.get("threshold") == LEARNED:
        raise BriefError(f"arm {arm.name}: name the threshold as a number, so that the plan fixes it: {LEARNED_HERE}")
    parsed = replace(parsed, brief=brief, vacant=0)
    models = (arm.judge,) if arm.judge else ()
    wanted = Overrides(models=models, protocol=arm.protocol, rounds=arm.rounds, strategy=arm.strategy, seed=brief.seed)
    plan = await plan_alone(workspace, parsed, wanted, config)
    return replace(plan, brief=_like_debaters(plan.brief))


def _like_debaters(brief: Brief) -> Brief:
    """The brief whose moderator and helpers have the debaters' settings: temperature, seed and length of an answer."""
    settings = brief.participants[0].settings
    people = (
        replace(participant, settings=settings)
        if participant.settings == Settings() and not participant.seat.startswith(BUILTIN)
        else participant
        for participant in brief.participants
    )
    return replace(brief, participants=tuple(people))


def id_of(prefix: str, plan: Plan) -> str:
    """The id of a debate: it follows from all that is asked, limits left out."""
    opened = replace(plan, brief=replace(plan.brief, limits=Limits())).opened()
    return f"{prefix}-{digest(encode(Entry(seq=1, at=0.0, event=opened, prev='')))[:12]}"


def first_asks(plan: Plan) -> tuple[tuple[Event, ...], tuple[Ask, ...], Transcript]:
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


def sharers(plan: Plan, drafts: Plan) -> tuple[str, ...]:
    """Who is asked first in a debate as for the first answers, to the letter and as the same model."""
    (_, asks, after), (_, drawn, before) = first_asks(plan), first_asks(drafts)
    same = {ask.to: _prompt(drafts.brief, ask, before) for ask in drawn}
    return tuple(ask.to for ask in asks if _prompt(plan.brief, ask, after) == same.get(ask.to))


def shares_drafts(plan: Plan, drafts: Plan) -> bool:
    """Whether all first questions of a debate are those of the first answers."""
    shared = sharers(plan, drafts)
    return bool(shared) and len(shared) == len(first_asks(plan)[1])


def _prompt(brief: Brief, ask: Ask, transcript: Transcript) -> object:
    """All that the answer to an ask depends on."""
    context = context_of(brief, transcript, ask)
    participant = context.me
    return (
        compose(ask, context, Traits()),
        ask.form,
        participant.seat,
        participant.settings,
        participant.tools,
        participant.search,
        participant.fallback,
    )


def copied_lines(plan: Plan, drafts: Sequence[Entry], who: Sequence[str]) -> list[str]:
    """The beginning of a debate whose first answers are on record already, as lines to store.

    Args:
        plan: the debate; its first questions to these participants are those of the first answers.
        drafts: the record of the first answers.
        who: the participants whose first answers are shared.
    """
    asks = first_asks(plan)[1]
    mark = SHARED if len(who) == len(asks) else f"{SHARED}: {', '.join(who)}"
    opening = first_asks(replace(plan, chosen=(*plan.chosen, mark)))[0]
    keys = {ask.to: ask.key for ask in asks if ask.to in who}
    old = {
        entry.event.ask.key: keys[entry.event.ask.to]
        for entry in drafts
        if isinstance(entry.event, Asked) and entry.event.ask.to in keys
    }
    at = drafts[0].at
    entries = [Entry(seq=1, at=at, event=event) for event in (*opening, *(Asked(ask=ask) for ask in asks))]
    for entry in drafts:
        event = entry.event
        if isinstance(event, Attempted | Called | Erred | Replied | Failed) and event.key in old:
            entries.append(replace(entry, event=replace(event, key=old[event.key])))
    return chain_lines(entries)
