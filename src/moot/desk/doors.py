"""Doors into the desk: from a text, a file or a brief to a debate. This file owns what holds where nothing is said.

A model is what the caller names, else what the brief names, else what the owner has set, else the first chat model of
a server on this machine, else ``builtin:quotes``, which is no language model.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, cast, get_args

from moot.core.brief import Brief, Limits
from moot.core.errors import BriefError, MootError
from moot.desk.cast import MODERATOR, debaters
from moot.desk.config import Config, default_store, load_config
from moot.desk.desk import Desk, Outcome, Plan
from moot.desk.estimate import Costing, estimate
from moot.desk.intake import Intake, read_brief
from moot.desk.look import first_chat_model
from moot.desk.seating import BUILTIN
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

_QUESTION = re.compile(r"\S\s+\S|[?？؟。！]\s*$")
"""What a question has and the name of a file has not: a blank, or a mark at its end."""

_ENDINGS = (".md", ".markdown", ".txt")


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


def read_words(words: str) -> Intake:
    """A brief from what was typed: the path of a file, or a question.

    Raises:
        BriefError: there is no such file, it cannot be read, or the brief has a mistake.
    """
    if not words.strip():
        raise BriefError("the brief is empty; name a file or put a question in quotes", code="missing_topic")
    path = Path(words)
    if _is_file(path):
        return read_file(path)
    if not _QUESTION.search(words) or words.rstrip().lower().endswith(_ENDINGS):
        hint = "" if words.lower().endswith(_ENDINGS) or "/" in words else "; put a question in quotes"
        raise BriefError(f"there is no such file{hint}", where=words, code="no_file")
    return read_brief(words, name="question", folder=Path())


def read_stream(stream: BinaryIO) -> Intake:
    """The brief in a stream, such as standard input; its files lie in the current folder.

    Raises:
        BriefError: it cannot be read, or has a mistake.
    """
    return _read(stream.read(), "standard input", Path())


def read_file(path: Path) -> Intake:
    """The brief in a file.

    Raises:
        BriefError: it cannot be read, or has a mistake.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BriefError(f"cannot be read: {error.strerror or error}", where=str(path), code="no_file") from error
    return _read(data, str(path), path.parent)


def _read(data: bytes, name: str, folder: Path) -> Intake:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BriefError("this is no text in UTF-8", where=name, code="not_text") from error
    return read_brief(text, name=name, folder=folder)


def _is_file(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False  # too long for a name of a file: it is a question


def take(brief: Brief | Path | str) -> Intake:
    """What is to be debated, from a Brief, the path of a brief, or the text of one."""
    if isinstance(brief, Path):
        return read_file(brief)
    if isinstance(brief, str):
        return read_brief(brief, folder=Path())
    people = brief.participants or debaters()
    brief = replace(brief, participants=people)
    return Intake(
        brief=brief,
        protocol="",
        rounds=None,
        strategy="",
        topology="",
        model="",
        kind="text",
        given={"topic": brief.topic},
    )


async def prepare(desk: Desk, intake: Intake, wishes: Wishes, *, config: Config | None = None) -> Ready:
    """Seat everybody, build the protocol and estimate what it would use. Nothing is sent to any model.

    Raises:
        BriefError: a seat or wish that there cannot be, or a limit on cost with a model whose price is unknown.
        ProtocolError: the protocol cannot be played with these participants.
    """
    protocol = wishes.protocol or intake.protocol or DEFAULT
    brief = intake.brief
    if protocol in NEEDS_MODERATOR and not brief.names("moderator") and not intake.protocol:
        brief = replace(brief, participants=(*brief.participants, MODERATOR))
    seed = brief.seed if wishes.seed is None else wishes.seed
    brief = replace(brief, seed=seed, limits=wishes.caps.on(brief.limits))
    models, said = await _models(brief, wishes.models or ((intake.model,) if intake.model else ()), config)
    notes = [*intake.notes, *said]
    plan = desk.plan(brief, protocol=protocol, choices=_choices(protocol, intake, wishes), models=models)
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


def _choices(protocol: str, intake: Intake, wishes: Wishes) -> Choices:
    """What the brief and the caller choose, checked against what the protocol takes."""
    if protocol not in KNOWN:
        raise BriefError(f"this version has no protocol {protocol!r}; there are {', '.join(KNOWN)}", code="bad_enum")
    strategy = wishes.strategy or intake.strategy
    if strategy and strategy not in _ENDS[protocol]:
        allowed = ", ".join(_ENDS[protocol])
        raise BriefError(f"{protocol} cannot be decided by {strategy!r}; it takes {allowed}", code="bad_enum")
    topology = wishes.topology or intake.topology
    if topology and topology not in TOPOLOGIES:
        raise BriefError(f"there is no topology {topology!r}; there are {', '.join(TOPOLOGIES)}", code="bad_enum")
    if topology and protocol != "arena":
        raise BriefError(f"{protocol} takes no topology; arena does", code="bad_enum")
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


async def debate(
    brief: Brief | Path | str,
    *,
    model: str | Sequence[str] = (),
    protocol: str = "",
    store: Path | None = None,
    limits: Limits | None = None,
) -> Outcome:
    """Hold a debate to its end, or until it pauses; ``moot.run`` is the same for programs without an event loop.

    Args:
        brief: a Brief, the path of a brief, or the text of one; a question is one, too.
        model: ``provider:name``, or several that are taken in turn; empty for the brief's or the owner's.
        protocol: its name; "" for the brief's.
        store: the file of the record; None for the owner's.
        limits: what the debate may use; None for the brief's limits.

    Raises:
        BriefError: the brief, a model or a setting that cannot be used.
        ProtocolError: the protocol cannot be played with these participants.
    """
    intake = take(brief)
    if limits is not None:
        intake = replace(intake, brief=replace(intake.brief, limits=limits))
    config = load_config()
    desk = Desk.at(store or config.store or default_store())
    try:
        models = (model,) if isinstance(model, str) and model else tuple(model)
        ready = await prepare(desk, intake, Wishes(models=models, protocol=protocol), config=config)
        return await desk.hold(ready.plan, desk.new_id(ready.plan))
    finally:
        await desk.close()


def run(
    brief: Brief | Path | str,
    *,
    model: str | Sequence[str] = (),
    protocol: str = "",
    store: Path | None = None,
    limits: Limits | None = None,
) -> Outcome:
    """Hold a debate to its end, or until it pauses; see ``moot.debate``.

    Raises:
        MootError: an event loop is running: await ``moot.debate`` there.
        BriefError: the brief, a model or a setting that cannot be used.
        ProtocolError: the protocol cannot be played with these participants.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(debate(brief, model=model, protocol=protocol, store=store, limits=limits))
    raise MootError("moot.run needs a program without a running event loop; here, await moot.debate instead")
