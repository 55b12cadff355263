"""Start a new debate: generate its participants if the brief describes none, then run it.

The one path for command line, ``folkmoot.run``, servers, batches, workers and schedules: ``prepare``, ``run_start``.

Where a language model is available it generates the participants in a debate of its own, with one participant and one
question. Unreadable, empty and double ones are dropped; built-in debaters replace them, and one who opposes is added
where nobody does. It is paid under the limits of the debate, and what it used is subtracted from them.

The id of that debate begins with a hash of all that is asked. So the same brief with the same model finds it again: its
participants are reused, or it is resumed where it has paused, and nothing is paid twice.
"""

import asyncio
import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from folkmoot.agents.human import Interface
from folkmoot.app.brief.default_participants import DEFAULT_DEBATERS
from folkmoot.app.brief.names import check_name, is_moderator_name, skeleton
from folkmoot.app.brief.reader import ParsedBrief
from folkmoot.app.run.access import Claim, claim, claimed
from folkmoot.app.run.outcome import Outcome, outcome
from folkmoot.app.run.prepare import LimitOverrides, Overrides, PreparedDebate, prepare
from folkmoot.app.run.record_reader import HELPER
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Field, Form, Reply
from folkmoot.core.brief import Brief, Limits, Participant, View
from folkmoot.core.errors import BriefError, RecordError, Waiting
from folkmoot.core.event import Entry
from folkmoot.core.extensions import PROVIDER
from folkmoot.core.text import about, clean, clip, flat
from folkmoot.core.transcript import Transcript, fold, read_field
from folkmoot.engine.calls import Budget
from folkmoot.engine.driver import StopRequest
from folkmoot.phases.base import Sequence as Steps
from folkmoot.phases.speak import Everyone
from folkmoot.phases.vote import Adopt
from folkmoot.record.listing import ListQuery
from folkmoot.record.store import chain_lines, digest, encode

ACT = "cast"
NAME = "Casting"
STANCES = ("FOR", "AGAINST", "OTHER")

MOST_ROLE = 200
MOST_PERSONA = 2000

# Models cast colleagues who agree; so the opponent is asked for by name, and what each fears as well.
TASK = (
    "Name {count} people who should debate this topic. Their perspectives must be clearly different: other interests, "
    "other knowledge, other fears. At least one of them must oppose what seems the obvious answer. Take no famous "
    "people. Give each a short given name, a stance towards the obvious answer ({stances}), a role of at most twelve "
    "words, and a persona: two to four sentences that begin with 'You' and say what this person knows, wants and fears."
)
PERSONA = "You choose who should take part in a debate. You take no side, and you do not debate yourself."
PEOPLE = Field(name="participants")
"""The list of participants, as JSON."""

OPPOSING = "Skeptic"
"""The built-in debater who opposes whatever is proposed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """The debate that generates the participants of another debate.

    Attributes:
        debate: its id.
        plan: what is asked.
        begun: whether it is on record already, to be resumed where it ends.
        earlier: whether that record has participants already, so that no model is asked and nothing is paid.
    """

    debate: str
    plan: Plan
    begun: bool = False
    earlier: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Generated:
    """The outcome of generating participants, and what it has spent, lost attempts included."""

    generation: Generation
    outcome: Outcome
    spent: Budget


def generation_plan(prepared: PreparedDebate) -> Plan:
    """The plan of the debate that generates participants: one participant, one question."""
    brief = prepared.plan.brief
    count = len(brief.names("debater"))
    language = next((participant.language for participant in brief.participants), "")
    writer = Participant(
        name=NAME, role="Chooses who takes part", persona=PERSONA, seat=prepared.generator, language=language
    )
    ask = Everyone(act=ACT, task=TASK.format(count=count, stances=", ".join(STANCES)), form=_form(), view=View(last=0))
    tree = Steps(parts=(ask, Adopt(act=ACT, field=PEOPLE.name, status="", rule="casting")))
    alone = Brief(
        topic=brief.topic,
        background=brief.background,
        options=brief.options,
        participants=(writer,),
        limits=brief.limits,
        seed=brief.seed,
    )
    options = prepared.plan.options
    own = {name: value for name, value in options.items() if name.startswith(f"{PROVIDER.options}.")}
    return Plan(brief=alone, name="casting", protocol=tree, settings=own)


async def find_generation(
    workspace: Workspace, prepared: PreparedDebate, *, new: bool = False, owner: str = ""
) -> Generation:
    """The newest generation on record that asks the same and is usable or can be resumed; else a new one.

    A generation that another process may run now, or that another owner pays for, is not used.

    Args:
        workspace: the workspace.
        prepared: the debate that the participants are for; its ``generator`` is asked.
        new: whether participants that were generated before are ignored.
        owner: who pays for what is asked now.
    """
    plan = generation_plan(prepared)
    begins = _hash(plan)
    for earlier in (await workspace.page(ListQuery(prefix=begins))).debates:
        try:
            entries = await workspace.entries(earlier.debate)
            transcript, paid = fold(entries), (await claimed(workspace, earlier.debate)).owner
        except RecordError:  # what is damaged cannot be used, and keeps nobody from a new one
            continue
        generation = Generation(debate=earlier.debate, plan=plan, begun=True)
        if transcript.closed is None:
            still = transcript.paused or workspace.clock() - entries[-1].at > plan.brief.limits.turn_seconds
            if still and paid == owner:
                return generation
        elif not new and any(_read(transcript, len(prepared.plan.brief.names("debater")), ())):
            return replace(generation, earlier=True)
    return Generation(debate=f"{begins}-{secrets.token_hex(3)}", plan=plan)


async def run_generation(workspace: Workspace, generation: Generation, *, stop: StopRequest | None = None) -> Outcome:
    """Generate the participants of a debate, or resume that where its record ends.

    Args:
        workspace: the workspace.
        generation: what ``find_generation`` returned.
        stop: set its reason to pause.
    """
    if generation.begun:
        return await workspace.resume(generation.debate, limits=generation.plan.brief.limits, stop=stop)
    return await workspace.run(generation.plan, generation.debate, stop=stop)


async def read_generation(workspace: Workspace, generation: Generation) -> Generated:
    """The outcome of generating participants, read from the record."""
    entries = await workspace.entries(generation.debate)
    spent = Budget(generation.plan.brief.limits)
    for entry in entries:
        spent.apply(entry.event)
    return Generated(generation=generation, outcome=outcome(generation.debate, fold(entries)), spent=spent)


def _hash(plan: Plan) -> str:
    """The beginning of the ids of all generations that ask the same, whatever their limits and seed."""
    unlimited = replace(plan, brief=replace(plan.brief, limits=Limits(), seed=0))
    return f"{HELPER}{digest(encode(Entry(seq=1, at=0.0, event=unlimited.opened())))[:8]}"


def with_participants(prepared: PreparedDebate, generated: Generated) -> tuple[ParsedBrief, Overrides]:
    """The brief with the generated participants, and the overrides with what is left of the limits.

    Args:
        prepared: the debate as it was prepared with the built-in participants.
        generated: the outcome of generating them.
    """
    parsed = prepared.parsed
    standing = [participant for participant in parsed.brief.participants if participant.duty == "debater"]
    others = [participant for participant in parsed.brief.participants if participant.duty != "debater"]
    generated_people = list(_read(generated.outcome.transcript, len(standing), others))
    cast = _fill(
        [person for person, _ in generated_people],
        "AGAINST" in [stance for _, stance in generated_people],
        len(standing),
        others,
    )
    people = [
        replace(default, name=person.name, role=person.role, persona=person.persona)
        for default, person in zip(standing, cast, strict=True)
    ]
    brief = replace(parsed.brief, participants=(*people, *others))
    note = _note(prepared, generated, [participant.name for participant in cast if participant in DEFAULT_DEBATERS])
    parsed = replace(parsed, brief=brief, vacant=0, cast=note.removesuffix("."), notes=(*parsed.notes, note))
    return parsed, replace(prepared.overrides, caps=_remaining_limits(prepared.plan.brief.limits, generated))


def _form() -> Form:
    """A list of objects, each of one participant."""
    texts = {name: {"type": "string"} for name in ("role", "persona")}
    stance = {"type": "string", "enum": [*STANCES]}
    person = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "stance": stance, **texts},
        "required": ["name"],
    }
    people = {"type": "array", "items": person}
    schema = {"type": "object", "properties": {PEOPLE.name: people}, "required": [PEOPLE.name]}
    return Form(name=ACT, layout="json", fields=(PEOPLE,), schema=json.dumps(schema))


def _read(transcript: Transcript, count: int, others: Sequence[Participant]) -> Iterator[tuple[Participant, str]]:
    """The generated debaters, each with its stance; names, roles and personas are distinct."""
    names = {skeleton(participant.name) for participant in others}
    for turn in transcript.turns(ACT):
        text = read_field(turn, PEOPLE.name)
        for item in json.loads(text)[PEOPLE.name][:count] if isinstance(text, str) else ():
            person = _person(*(str(item.get(name, "")) for name in ("name", "role", "persona")))
            if person is None:
                continue
            looks = {skeleton(text) for text in (person.name, person.role, person.persona)}
            if not looks & names:
                names |= looks
                yield person, str(item.get("stance", ""))


def _person(name: str, role: str, persona: str) -> Participant | None:
    """A debater with these texts; None if they do not describe one."""
    role, persona = flat(clean(role)), clean(persona).strip()
    try:
        checked = check_name(name)
    except BriefError:
        return None
    if is_moderator_name(checked) or not skeleton(role) or not skeleton(persona):
        return None
    return Participant(name=checked, role=clip(role, MOST_ROLE), persona=clip(persona, MOST_PERSONA))


def _fill(
    generated: Sequence[Participant], opposed: bool, count: int, others: Sequence[Participant]
) -> tuple[Participant, ...]:
    """The debaters: the generated ones, one who opposes, and built-in ones for the remaining places."""
    participants = list(generated[: count if opposed else count - 1])
    names = {skeleton(participant.name) for participant in (*participants, *others)}
    free = [participant for participant in DEFAULT_DEBATERS if skeleton(participant.name) not in names]
    added = free[: count - len(participants)]
    opponent = next((participant for participant in free if participant.name == OPPOSING), None)
    if opponent and not opposed and opponent not in added:
        added[-1] = opponent
    return (*participants, *added)


def _note(prepared: PreparedDebate, generated: Generated, built_in: Sequence[str]) -> str:
    debate, usage = generated.outcome.debate, generated.outcome.usage
    cost = "at an unknown price" if usage.cost is None else "free"
    cost = about(f"${usage.cost:.4f}", usage.estimated) if usage.cost else cost
    used = f"{about(f'{usage.input_tokens + usage.output_tokens} tokens', usage.estimated)}, {cost}"
    if len(built_in) == len(prepared.plan.brief.names("debater")):
        note = f"{prepared.generator} generated no usable participants in debate {debate} ({used})"
        return f"{note}: built-in ones take part."
    when = "earlier, " if generated.generation.earlier else ""
    note = f"Participants were generated by {prepared.generator} {when}in debate {debate} ({used})"
    return f"{note}; built-in: {', '.join(built_in)}." if built_in else f"{note}."


def _remaining_limits(limits: Limits, generated: Generated) -> LimitOverrides:
    """The limits minus what generating the participants used; an earlier generation is not subtracted."""
    tokens, cost = (0, 0.0) if generated.generation.earlier else (generated.spent.tokens, generated.spent.cost)
    return LimitOverrides(
        asks=limits.asks,
        tokens=None if limits.tokens is None else max(0, limits.tokens - tokens),
        cost=None if limits.cost is None else max(0.0, limits.cost - cost),
        turn_seconds=limits.turn_seconds,
        total_seconds=limits.total_seconds,
    )


class MessageInterface:
    """An interface with nobody present: people answer by message, however long that takes."""

    def __init__(self) -> None:
        self._leave = asyncio.Event()

    def leave(self) -> None:
        """Stop waiting for answers."""
        self._leave.set()

    async def ask(self, ask: Ask, context: Context) -> Reply:
        """Wait for the message, which cancels this; see ``agents.human.Interface``.

        Raises:
            Waiting: the debate is being stopped.
        """
        await self._leave.wait()
        raise Waiting


def ignore_generation(generation: Generation) -> None:
    """Nobody wants to know of it."""


async def run_start(
    workspace: Workspace,
    prepared: PreparedDebate,
    debate: str,
    *,
    stop: StopRequest | None = None,
    interface: Interface | None = None,
    generating: Callable[[Generation], None] = ignore_generation,
    begins: Callable[[PreparedDebate], None] | None = None,
) -> Outcome:
    """Run a new debate to its end, or until it pauses.

    Where the brief describes no participants, a model generates them first, in a debate of its own with the same owner.

    Args:
        workspace: where it runs.
        prepared: the debate.
        debate: its id.
        stop: set its reason to pause after the answers in progress.
        interface: asks people in place; None where they answer by message.
        generating: is called with the debate that generates the participants, before it runs.
        begins: is called with the debate and its participants, before it runs.

    Returns:
        The outcome of the debate, or of the one that generates its participants where that one has paused.
    """
    generated = await generate_participants(workspace, prepared, debate, stop=stop, generating=generating)
    if isinstance(generated, Outcome):
        return generated
    if begins:
        begins(generated)
    return await workspace.run(generated.plan, debate, stop=stop, interface=interface)


async def generate_participants(
    workspace: Workspace,
    prepared: PreparedDebate,
    debate: str,
    *,
    stop: StopRequest | None = None,
    generating: Callable[[Generation], None] = ignore_generation,
) -> PreparedDebate | Outcome:
    """Generate the participants of a debate, where its brief describes none; for the arguments see ``run_start``.

    Returns:
        The debate with its participants; the outcome of generating them where that has paused.
    """
    if not prepared.generator:
        return prepared
    owner = (await claimed(workspace, debate)).owner
    generation = await find_generation(workspace, prepared, new=prepared.overrides.cast == "new", owner=owner)
    if owner and not generation.begun:
        await claim(workspace, generation.debate, Claim(owner=owner))
    generating(generation)
    if not generation.earlier:
        paused = await run_generation(workspace, generation, stop=stop)
        if paused.status == "paused":
            return paused
    parsed, overrides = with_participants(prepared, await read_generation(workspace, generation))
    return await prepare(workspace, parsed, overrides, config=prepared.config)


async def put_on_record(workspace: Workspace, prepared: PreparedDebate, debate: str) -> None:
    """Put a new debate on record without running it; ``Workspace.resume`` runs it.

    Raises:
        BriefError: its participants are not generated yet.
        RecordConflict: there is another debate of that id.
    """
    if prepared.generator:
        missing = (
            "its participants are not generated yet; start the debate, or use built-in ones (participants: builtin)"
        )
        raise BriefError(missing, code="inconsistent")
    first = Entry(seq=1, at=workspace.clock(), event=prepared.plan.opened(), prev="")
    await workspace.store.append(debate, chain_lines([first]), after=0)
