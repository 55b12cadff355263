"""From an intake and wishes to a debate that can be held. This file owns what holds where nothing is said.

A model is what the caller names, else what the brief names, else what the owner has set, else the first chat model of
a server on this machine, else ``builtin:quotes``, which is no language model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast, get_args

from moot.core.brief import Brief, Limits, Participant
from moot.core.errors import BriefError, ProtocolError
from moot.desk.cast import MODERATOR
from moot.desk.config import Config, load_config
from moot.desk.desk import Desk, Plan
from moot.desk.estimate import Costing, estimate
from moot.desk.intake import Intake
from moot.desk.look import first_chat_model
from moot.desk.seating import BUILTIN, seat
from moot.models.base import Model
from moot.phases.known import DEFAULT, KNOWN, NEEDS_MODERATOR, STRATEGIES, Choices
from moot.policy.pairs import Topology

QUOTING = f"{BUILTIN} is no language model: participants only quote the brief's background."
"""What every host says where the built-in seat takes part."""

TOPOLOGIES: tuple[str, ...] = get_args(Topology)
"""Who may criticise whom."""

_VOTES = tuple(STRATEGIES)
_ENDS: Mapping[str, tuple[str, ...]] = {
    "panel": (*_VOTES, "vote", "vote_based"),
    "council": (*_VOTES, "moderator", "vote", "vote_based"),
    "moderated": ("moderator",),
    "round_robin": ("mediator_summary",),
    "arena": (*_VOTES, "vote", "vote_based"),
}
"""The ways to decide that each protocol takes."""

_OWN = frozenset({"vote", "vote_based", "mediator_summary"})
"""Words for what a protocol does anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """Limits that a caller sets beside those of the brief; None leaves the brief's."""

    asks: int | None = None
    tokens: int | None = None
    cost: float | None = None
    turn_seconds: float | None = None
    total_seconds: float | None = None

    def on(self, limits: Limits) -> Limits:
        """Those limits with these instead, where these are set."""
        return replace(
            limits,
            asks=limits.asks if self.asks is None else self.asks,
            tokens=limits.tokens if self.tokens is None else self.tokens,
            cost=limits.cost if self.cost is None else self.cost,
            turn_seconds=limits.turn_seconds if self.turn_seconds is None else self.turn_seconds,
            total_seconds=limits.total_seconds if self.total_seconds is None else self.total_seconds,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a caller wants otherwise than the brief says; empty values leave it to the brief."""

    models: tuple[str, ...] = ()
    protocol: str = ""
    rounds: int | None = None
    strategy: str = ""
    topology: str = ""
    seed: int | None = None
    caps: Caps = Caps()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A debate that can be held.

    Attributes:
        plan: the brief with everybody seated, and the protocol.
        costing: what it would use at least and at most.
        drops: the settings that a participant's provider ignores, by the participant's name.
        notes: what the owner should know before it begins, one sentence each.
    """

    plan: Plan
    costing: Costing
    drops: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()


async def prepare(desk: Desk, intake: Intake, wishes: Wishes, *, config: Config | None = None) -> Ready:
    """Seat everybody, build the protocol and estimate what it would use. Nothing is sent to any model.

    Raises:
        BriefError: a seat or wish that there cannot be, a protocol that cannot be played with these participants, or
            a limit on cost with a model whose price is unknown.
    """
    protocol = wishes.protocol or intake.protocol or DEFAULT
    brief = intake.brief
    if protocol in NEEDS_MODERATOR and not brief.names("moderator") and not intake.protocol:
        brief = replace(brief, participants=(*brief.participants, MODERATOR))
    seed = brief.seed if wishes.seed is None else wishes.seed
    brief = replace(brief, seed=seed, limits=wishes.caps.on(brief.limits))
    models, said = await _models(brief, wishes.models or ((intake.model,) if intake.model else ()), config)
    notes = [*intake.notes, *said, *_idle(intake, brief, protocol, wishes)]
    for each in intake.brief.participants:
        _check_seat(desk, intake, each)
    try:
        plan = desk.plan(brief, protocol=protocol, choices=_choices(protocol, intake, wishes), models=models)
    except ProtocolError as error:
        raise _misfit(intake, wishes, error.about, str(error)) from error
    if any(each.seat == BUILTIN for each in plan.brief.participants):
        notes.append(QUOTING)
    live = live_models(desk, plan.brief)
    costing = estimate(plan.brief, plan.protocol, live)
    if plan.brief.limits.cost is not None and costing.most.unpriced:
        unknown = ", ".join(costing.most.unpriced)
        raise BriefError(f"a limit on cost needs known prices, and the price of {unknown} is unknown; limit the tokens")
    return Ready(plan=plan, costing=costing, drops=_drops(plan.brief, live), notes=tuple(notes))


def live_models(desk: Desk, brief: Brief) -> dict[str, Model]:
    """The models by participant; the built-in seat has none."""
    return {each.name: desk.pool.model(each.seat) for each in brief.participants if each.seat != BUILTIN}


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


def _idle(intake: Intake, brief: Brief, protocol: str, wishes: Wishes) -> list[str]:
    """What the brief asks for and this version does not do: nothing that is wished for is dropped in silence."""
    notes: list[str] = []
    if "logging_mode" in intake.given:
        notes.append("logging_mode changes nothing in this version: the whole record is kept, and a report is written.")
    if tooled := [each.name for each in brief.participants if each.tools]:
        notes.append(f"This version has no tools, so tool_usage changes nothing for {', '.join(tooled)}.")
    idle = protocol not in NEEDS_MODERATOR and "moderator" not in (wishes.strategy, intake.strategy)
    if idle and (names := brief.names("moderator")):
        notes.append(f"{protocol} asks no moderator: {names[0]} stays silent.")
    return notes


def _misfit(intake: Intake, wishes: Wishes, about: str, found: str) -> BriefError:
    """A choice that does not fit, with the line of the brief on which it stands, unless it is the caller's wish."""
    wished = about in ("protocol", "rounds", "strategy", "topology") and getattr(wishes, about) not in ("", None)
    if wished or not intake.where:
        return BriefError(found, code="bad_enum")
    line = intake.lines.get(about, intake.lines.get("protocol", 0))
    return BriefError(found, where=intake.where, line=line, code="bad_enum")


def _choices(protocol: str, intake: Intake, wishes: Wishes) -> Choices:
    """What the brief and the caller choose, checked against what the protocol takes."""
    strategy, topology = wishes.strategy or intake.strategy, wishes.topology or intake.topology
    if protocol not in KNOWN:
        found = f"this version has no protocol {protocol!r}; there are {', '.join(KNOWN)}"
        raise _misfit(intake, wishes, "protocol", found)
    if strategy and strategy not in _ENDS[protocol]:
        found = f"{protocol} cannot be decided by {strategy!r}; it takes {', '.join(_ENDS[protocol])}"
        raise _misfit(intake, wishes, "strategy", found)
    if topology and topology not in TOPOLOGIES:
        found = f"there is no topology {topology!r}; there are {', '.join(TOPOLOGIES)}"
        raise _misfit(intake, wishes, "topology", found)
    if topology and protocol != "arena":
        raise _misfit(intake, wishes, "topology", f"{protocol} takes no topology; arena does")
    return Choices(
        rounds=intake.rounds if wishes.rounds is None else wishes.rounds,
        strategy="" if strategy in _OWN or protocol in NEEDS_MODERATOR else strategy,
        topology=cast(Topology, topology) if topology else None,
    )


def _drops(brief: Brief, live: Mapping[str, Model]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for each in brief.participants:
        drops = live[each.name].traits.drops if each.name in live else ()
        given = tuple(name for name in drops if getattr(each.settings, name, None) is not None)
        if given:
            found[each.name] = given
    return found
