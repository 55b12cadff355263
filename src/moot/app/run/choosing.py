"""What a brief and its caller choose about the protocol. This file owns what each protocol takes and refuses."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Literal, cast

from moot.app.brief.offers import ENDINGS, FORMATS, PROTOCOLS, TOPOLOGIES
from moot.app.brief.reader import Intake
from moot.app.plan.recalling import memory_of
from moot.app.plan.weighing import vote_weights
from moot.core.brief import Limits, Participant
from moot.core.errors import BriefError
from moot.core.form import Value
from moot.phases.choices import (
    OPEN_ORDER,
    Choices,
    Condition,
    Extras,
    Mediation,
    MediatorKind,
    SummaryStyle,
    TurnMode,
    When,
)
from moot.policy.pairing import Topology
from moot.protocols.compose import ENDED
from moot.protocols.groups import LEAST
from moot.protocols.known import DEFAULT, RANKED, STRATEGIES

_VOTES = tuple(STRATEGIES)
_ENDS: Mapping[str, tuple[str, ...]] = {
    "panel": (*_VOTES, *RANKED, "vote", "vote_based"),
    "council": (*_VOTES, *RANKED, "moderator", "vote", "vote_based"),
    "moderated": ("moderator",),
    "grouped": (*_VOTES, "vote", "vote_based"),
    "arena": (*_VOTES, *RANKED, "judge", "vote", "vote_based"),
    "chaired": ("moderator",),
    "board": (*_VOTES, "vote", "vote_based"),
}
AT_ONE_TABLE = 10
"""The most debaters of a brief who all hear each other; more overwhelm any reader, and what they read grows squared."""

_FORMAT_ENDS = (*ENDINGS, *_VOTES)
"""The ways to decide that each protocol takes; those of the debate formats are all the same."""

_OWN = frozenset({"vote", "vote_based"})
"""Words for what the other protocols do anyway."""


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
        set_here = {each.name: getattr(self, each.name) for each in fields(self)}
        return replace(limits, **{name: value for name, value in set_here.items() if value is not None})


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a caller wants otherwise than the brief says; empty values leave it to the brief.

    Attributes:
        models: who answers for all who have no model of their own, in turn.
        protocol: how the debate goes.
        rounds: the greatest number of rounds.
        strategy: how it is decided.
        topology: who criticises whom.
        seed: what all chance is drawn from.
        cast: whom the brief does not describe is built in with ``builtin``, else made by a model: with ``new`` in any
            case anew, else only where the same model has not been asked for the same before.
        caps: what the debate may use.
    """

    models: tuple[str, ...] = ()
    protocol: str = ""
    rounds: int | None = None
    strategy: str = ""
    topology: str = ""
    seed: int | None = None
    cast: Literal["", "builtin", "new"] = ""
    caps: Caps = Caps()


def protocol_of(intake: Intake, wishes: Wishes) -> str:
    """The name of the protocol: the caller's, else the brief's, else the default."""
    return wishes.protocol or intake.protocol or DEFAULT


def choose(intake: Intake, wishes: Wishes) -> Choices:
    """What the brief and the caller choose, checked against what the protocol takes.

    Raises:
        BriefError: something that the protocol does not take, with the line of the brief on which it stands.
    """
    protocol, given = protocol_of(intake, wishes), intake.given
    strategy, topology = wishes.strategy or intake.strategy, wishes.topology or intake.topology
    _check(protocol, strategy, topology, intake, wishes)
    own = strategy in _OWN or protocol in ("moderated", "chaired")
    return Choices(
        rounds=intake.rounds if wishes.rounds is None else wishes.rounds,
        strategy="" if own and protocol in _ENDS else strategy,
        topology=cast(Topology, topology) if topology else None,
        turn_mode=cast("TurnMode | None", given.get("turn_mode")),
        until=cast("tuple[Condition, ...]", given.get("debate_end_condition", ())),
        summarize=intake.summarize,
        mediation=_mediation(given),
        memory=memory_of(intake),
        vote_weights=vote_weights(intake, strategy),
        extras=Extras(**{each.name: bool(given.get(each.name, False)) for each in fields(Extras)}),
    )


def _check(protocol: str, strategy: str, topology: str, intake: Intake, wishes: Wishes) -> None:
    if protocol not in PROTOCOLS:  # it is another package's, or there is none: the one who builds it knows
        return
    ends = _ENDS.get(protocol, _FORMAT_ENDS)
    if strategy and strategy not in ends:
        found = f"{protocol} cannot be decided by {strategy!r}; it takes {', '.join(ends)}"
        raise misfit(intake, wishes, "strategy", found)
    if topology and topology not in TOPOLOGIES:
        found = f"there is no topology {topology!r}; there are {', '.join(TOPOLOGIES)}"
        raise misfit(intake, wishes, "topology", found)
    if topology and protocol != "arena":
        raise misfit(intake, wishes, "topology", f"{protocol} takes no topology; arena does")
    for name, takers in (("debate_end_condition", (*ENDED, *FORMATS)), ("turn_mode", OPEN_ORDER)):
        if name in intake.given and protocol not in (*takers, *FORMATS):
            found = f"{protocol} takes no {name}: it has its own way; {name} goes with {', '.join(takers)}"
            raise misfit(intake, wishes, name, found)
    debating = len(intake.brief.names("debater"))
    if protocol == "grouped" and debating < LEAST:
        found = f"grouped needs at least {LEAST} debaters, not {debating}: list them; with fewer a panel does"
        raise misfit(intake, wishes, "participants", found)
    if protocol != "grouped" and "participants" in intake.given and debating > AT_ONE_TABLE:
        found = f"{debating} debaters are too many for {protocol}: at most {AT_ONE_TABLE}; take the protocol grouped"
        raise misfit(intake, wishes, "participants", found)
    blind = [each.name for each in intake.brief.participants if _summed(each)]
    if protocol in _WHOLE and blind:
        found = f"{', '.join(blind)} would hear {_WHOLE[protocol]}"
        raise misfit(intake, wishes, "context_scope", f"{found}; leave out context_scope: summary_only")


_WHOLE: Mapping[str, str] = {
    "bp_style": "no speech: bp_style is summed up only behind all its speeches",
    "board": "no message: board has no rounds that could be summed up",
}
"""What those would miss who see nothing but summaries, in protocols that have none in between."""


def _summed(who: Participant) -> bool:
    """Whether somebody sees summaries alone."""
    return who.view is not None and who.view.summary_only


def _mediation(given: Mapping[str, Value]) -> Mediation | None:
    if "mediator_type" not in given:
        return None
    usual = Mediation(kind=cast(MediatorKind, given["mediator_type"]))
    return replace(
        usual,
        when=cast(When, given.get("mediator_frequency", usual.when)),
        style=cast(SummaryStyle, given.get("summary_style", usual.style)),
    )


def misfit(intake: Intake, wishes: Wishes, about: str, found: str) -> BriefError:
    """A choice that does not fit, with the line of the brief on which it stands, unless it is the caller's wish."""
    wished = about in ("protocol", "rounds", "strategy", "topology") and getattr(wishes, about) not in ("", None)
    if wished or not intake.where:
        return BriefError(found, code="bad_enum")
    lines = [intake.lines[name] for name in (about, *_NEXT.get(about, ()), "protocol") if name in intake.lines]
    return BriefError(found, where=intake.where, line=lines[0] if lines else 0, code="bad_enum")


_NEXT: Mapping[str, tuple[str, ...]] = {"participants": ("persona_count",)}
"""Where to look for the line of a choice that the brief states in another way."""
