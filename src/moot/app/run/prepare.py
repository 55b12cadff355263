"""From an intake and wishes to a debate that can be held. This file owns what holds where nothing is said.

A model is what the caller names, else what the brief names, else what the owner has set, else the first chat model of
a server on this machine, else ``builtin:quotes``, which is no language model.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from moot.agents.human import HUMAN
from moot.app.brief.default_participants import TIMEKEEPER, presider
from moot.app.brief.places import needs_moderator
from moot.app.brief.reader import Intake
from moot.app.plan.agent import equip
from moot.app.plan.assignment import BUILTIN, assign, model_of, seat, work
from moot.app.plan.checks import notes_on
from moot.app.plan.estimate import Costing, estimate
from moot.app.plan.likely import likely
from moot.app.plan.look import first_chat_model
from moot.app.plan.measuring import with_instrument
from moot.app.plan.recalling import check_feeds, memory_of, with_librarian
from moot.app.plan.settings import Config, load_config
from moot.app.plan.toolbox import check_tools, look_at_tools
from moot.app.plan.weighing import with_teller
from moot.app.run.choosing import Wishes, choose, misfit, protocol_of
from moot.app.run.held import Plan
from moot.app.run.workspace import Desk
from moot.core.brief import Brief, Participant
from moot.core.errors import BriefError, ProtocolError
from moot.demo.clock import CLOCK
from moot.models.base import Model

QUOTING = f"{BUILTIN} is no language model: participants only quote the brief's background."
"""What every host says where the built-in seat takes part."""

NOTHING = "There is no background, so there is nothing to quote: write some beneath the question, or take a model."
"""What it says besides where there is nothing to quote."""

NO_MODEL = (BUILTIN, CLOCK, HUMAN)
"""The seats of those for whom no model answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A debate that can be held.

    Attributes:
        plan: the brief with everybody seated, and the protocol.
        costing: what it would use at least and at most.
        drops: the settings that a participant's provider ignores, by the participant's name.
        notes: what the owner should know before it begins, one sentence each.
        caster: the model that makes the participants before the debate begins (``app.run.start``); "" where they are
            known. Until then the built-in ones stand in the plan.
    """

    plan: Plan
    costing: Costing
    drops: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()
    caster: str = ""


async def prepare(desk: Desk, intake: Intake, wishes: Wishes, *, config: Config | None = None) -> Ready:
    """Seat everybody, build the protocol and estimate what it would use. Nothing is sent to any model.

    MCP servers whose tools the brief names are started, to see whether they are what their owner has pinned.

    Raises:
        BriefError: a seat, tool or wish that cannot be, a protocol that cannot be played with these participants, or
            a limit on cost with a model whose price is unknown.
    """
    brief = with_librarian(_presided(intake, wishes), memory_of(intake))
    seed = brief.seed if wishes.seed is None else wishes.seed
    brief = replace(brief, seed=seed, limits=wishes.caps.on(brief.limits))
    models, said = await _models(brief, wishes.models or ((intake.model,) if intake.model else ()), config)
    for each in intake.brief.participants:
        _check_seat(desk, intake, each)
    brief = _backed(equip(assign(brief, models), intake, config or desk.config), config or desk.config)
    try:
        choices = choose(intake, wishes)
        check_feeds(choices.memory.feeds if choices.memory else (), config or desk.config)
        brief = with_teller(with_instrument(brief, choices.until, config or desk.config), choices)
        plan = desk.plan(brief, protocol=protocol_of(intake, wishes), choices=choices, models=models)
        plan = replace(plan, chosen=(*plan.chosen, *filter(None, (intake.cast,))))
    except ProtocolError as error:
        raise misfit(intake, wishes, error.about, str(error)) from error
    for each in plan.brief.participants:
        _check_tools(intake, replace(plan.brief, participants=(each,)), config or desk.config)
    casts = intake.vacant and wishes.cast != "builtin" and models[0] not in (BUILTIN, HUMAN)
    caster = models[0] if casts else ""
    live = live_models(desk, plan.brief)
    costing = estimate(plan.brief, plan.protocol, live, work=work, likely=likely)
    if plan.brief.limits.cost is not None and costing.most.unpriced:
        unknown = ", ".join(costing.most.unpriced)
        raise BriefError(f"a limit on cost needs known prices, and the price of {unknown} is unknown; limit the tokens")
    idle = notes_on(plan.brief, plan.name, choices, costing)
    notes = (*intake.notes, *said, *idle, *_standing_in(plan.brief, caster))
    notes += await look_at_tools(plan.brief, config or desk.config)
    return Ready(plan=plan, costing=costing, drops=_drops(plan.brief, live), notes=notes, caster=caster)


def _presided(intake: Intake, wishes: Wishes) -> Brief:
    """The brief with the built-in moderator, where the caller wishes for what cannot do without one."""
    protocol, strategy = protocol_of(intake, wishes), wishes.strategy or intake.strategy
    brief = _timed(intake.brief, protocol)
    need = needs_moderator(protocol, strategy)
    if not need or brief.names("moderator"):
        return brief
    if intake.given.get("moderator") is False:
        raise misfit(intake, wishes, "moderator", f"moderator is no, but {need}")
    moderator = replace(presider(protocol), language=str(intake.given.get("language", "")))
    return replace(brief, participants=(*brief.participants, moderator))


def _timed(brief: Brief, protocol: str) -> Brief:
    """The brief without the built-in timekeeper where there is no board whose time it could keep.

    Raises:
        BriefError: somebody else was given its seat.
    """
    if protocol == "board":
        return brief
    for each in brief.participants:
        if each.seat == CLOCK and each.name != TIMEKEEPER.name:
            raise BriefError(f"{each.name}: {CLOCK} only keeps the time of a board, not of {protocol}", code="bad_enum")
    return replace(brief, participants=tuple(each for each in brief.participants if each.seat != CLOCK))


def _standing_in(brief: Brief, caster: str) -> Iterator[str]:
    if any(each.seat == BUILTIN for each in brief.participants):
        yield QUOTING
        if not (brief.background or brief.library):
            yield NOTHING
    if caster:
        yield f"Participants will be made by {caster}; until then the built-in ones stand for them in the estimate."


def _backed(brief: Brief, config: Config | None) -> Brief:
    """The brief with the owner's fallbacks for everybody who has a model and names none."""
    people = [each for each in brief.participants if _has_model(each) and not each.fallback]
    backing = (config or load_config()).fallback if people else ()
    backed = [
        replace(each, fallback=tuple(name for name in backing if name != each.seat)) if each in people else each
        for each in brief.participants
    ]
    return replace(brief, participants=tuple(backed))


def live_models(desk: Desk, brief: Brief) -> dict[str, Model]:
    """The models by participant; people and the built-in seat have none."""
    return {each.name: model_of(each, desk.pool) for each in brief.participants if _has_model(each)}


def _has_model(who: Participant) -> bool:
    return who.duty != "aide" and who.seat not in NO_MODEL


async def _models(brief: Brief, named: Sequence[str], config: Config | None) -> tuple[tuple[str, ...], list[str]]:
    if named:
        return tuple(named), []
    if all(each.seat for each in brief.participants):
        return (BUILTIN,), []
    config = config or load_config()
    if config.model:
        origin = dict(config.origin).get("model", "the settings")
        return (config.model,), [f"The model is {config.model}, from {origin}."]
    if found := await first_chat_model():
        return (found,), [f"The model is {found}, the first of the Ollama on this machine; choose others with -m."]
    return (BUILTIN,), []


def _check_seat(desk: Desk, intake: Intake, who: Participant) -> None:
    """Refuse a seat that the brief itself names and that there cannot be, with its line."""
    if not who.seat:
        return
    try:
        seat(replace(intake.brief, participants=(who,)), desk.pool)
    except BriefError as error:
        line = intake.lines.get(f"## {who.name}", 0)
        raise BriefError(error.found, where=intake.where, line=line, code=error.code) from error


def _check_tools(intake: Intake, brief: Brief, config: Config | None) -> None:
    """Refuse tools that one participant cannot have, with the line of the participant."""
    try:
        check_tools(brief, config)
    except BriefError as error:
        line = intake.lines.get(f"## {brief.participants[0].name}", 0)
        raise BriefError(error.found, where=intake.where, line=line, code=error.code) from error


def _drops(brief: Brief, live: Mapping[str, Model]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for each in brief.participants:
        drops = live[each.name].traits.drops if each.name in live else ()
        given = tuple(name for name in drops if getattr(each.settings, name, None) not in (None, ()))
        if given:
            found[each.name] = given
    return found
