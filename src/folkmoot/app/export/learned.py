"""What was learned over all debates, for hosts: learn again, read memory, ratings and calibration, note the truth.

What was learned can be dropped and made again from the records at any time. What the owner adds to a closed debate,
such as the truth once it is known, is no part of its record, which has ended: it is stored beside the record in a
mailbox of its own, with the same chain of hashes, and is read whenever the debate is learned.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from folkmoot.app.plan.learning import (
    DebateLessons,
    learn_debate,
    owner_messages,
    put_lessons,
    read_lessons,
    store_lessons,
)
from folkmoot.app.run.outcome import opening
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import BriefError, RecordError
from folkmoot.core.event import Entry, Noted, NoteKind
from folkmoot.core.roles import EVALUATION_ID
from folkmoot.core.text import clean, clip
from folkmoot.core.transcript import fold
from folkmoot.learn.calibration import Calibration, Level, expected, measure
from folkmoot.learn.forecast_scores import Scored, scored, truth_of
from folkmoot.learn.lessons import DOMAIN, FORGET, RESOLVE, lessons, notes, option_of
from folkmoot.learn.memory import FoundMemory, Kind
from folkmoot.learn.memory_store import Item, MemoryStore
from folkmoot.learn.personas import Pair, Persona, model_pairs, models, pairs, performances
from folkmoot.learn.personas import personas as of_participants
from folkmoot.learn.personas import relations as read_relations
from folkmoot.learn.ratings import Match, Rating, by_domain, connected_groups, elo
from folkmoot.learn.tables import Place
from folkmoot.learn.vote_weights import Measured, forecasts, measured, would_weigh
from folkmoot.protocols.measured.forecast import RULE, kind_of, newest_forecasts, pooled
from folkmoot.record.listing import ListQuery
from folkmoot.record.summary_fold import Summary

LONGEST = 500
"""Characters of what the owner says of a debate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """The outcome of learning from all debates.

    Attributes:
        new: the debates that were learned now.
        known: how many closed debates had been learned before.
        open: how many debates are not over.
        damaged: the debates whose records cannot be read.
    """

    new: tuple[str, ...]
    known: int
    open: int
    damaged: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainRatings:
    """The ratings of one domain. ``apart``: groups that never met, so that their order means nothing."""

    domain: str
    ratings: tuple[Rating, ...]
    elo: Mapping[str, float]
    apart: tuple[tuple[str, ...], ...] = ()


# ---- learning ------------------------------------------------------------------------------------------------------


async def learn(workspace: Workspace, debate: str) -> bool:
    """Learn from a closed debate, once; again only where its owner has said something new of it.

    Returns:
        Whether anything was learned.

    Raises:
        RecordError: there is no such debate, its record is damaged, or memory cannot be written.
    """
    return await learn_debate(workspace.store, _place(workspace), debate)


async def learn_all(workspace: Workspace, *, rebuild: bool = False) -> Learned:
    """Learn from all closed debates that have not been learned, the oldest first.

    Args:
        workspace: the workspace.
        rebuild: learn everything again. What was learned stays until that is done, and where it is broken off.

    Raises:
        RecordError: memory cannot be written.
    """
    memory = _place(workspace)
    if not rebuild:
        return await _learn(workspace, await _stored_debates(workspace), partial(store_lessons, memory))
    with MemoryStore.open("") as anew:

        async def hold(debate: str, studied: DebateLessons) -> bool:
            return await asyncio.to_thread(put_lessons, anew, debate, studied)

        learned = await _learn(workspace, await _stored_debates(workspace), hold)
        late = await asyncio.to_thread(_replace, memory, anew)
    # What was learned meanwhile, by debates that ended or from notes, is learned again.
    missed = [stored for stored in await _stored_debates(workspace) if stored.debate in late - {*learned.damaged}]
    more = await _learn(workspace, missed, partial(store_lessons, memory))
    return replace(learned, damaged=(*learned.damaged, *more.damaged))


async def _stored_debates(workspace: Workspace) -> Sequence[Summary]:
    stored = (await workspace.page(ListQuery())).debates
    return [summary for summary in stored if not EVALUATION_ID.fullmatch(summary.debate)]


def _replace(place: Place, anew: MemoryStore) -> frozenset[str]:
    with MemoryStore.open(place) as store:
        return store.replace(anew)


async def _learn(
    workspace: Workspace, stored: Sequence[Summary], hold: Callable[[str, DebateLessons], Awaitable[bool]]
) -> Learned:
    """Learn these debates, the last of them first."""
    new: list[str] = []
    damaged: list[str] = []
    known = unfinished = 0
    for summary in reversed(stored):
        try:
            studied = await read_lessons(workspace.store, summary.debate) if summary.over else None
        except RecordError:
            damaged.append(summary.debate)
            continue
        if summary.status == "damaged":
            damaged.append(summary.debate)
        elif not summary.over:
            unfinished += 1
        elif studied and await hold(summary.debate, studied):
            new.append(summary.debate)
        else:
            known += 1
    return Learned(new=tuple(new), known=known, open=unfinished, damaged=tuple(damaged))


async def add_note(workspace: Workspace, debate: str, kind: NoteKind, text: str = "") -> None:
    """Store a note of the owner about a closed debate, and learn from the debate again.

    Args:
        workspace: the workspace.
        debate: its id.
        kind: the truth, now that it is known; the kind of question, within which models are rated; or that nothing
            shall be remembered of it.
        text: the answer that is right, or the name of the domain; of each the last one counts.

    Raises:
        BriefError: the text is missing or too long.
        RecordError: there is no such debate, it is not over, or the store cannot be written.
    """
    words = _check_note(debate, await workspace.entries(debate), kind, text)
    await owner_messages(workspace.store, debate, workspace.clock).post(Noted(what=kind, text=words))
    await learn(workspace, debate)


def _check_note(debate: str, entries: Sequence[Entry], kind: str, text: str) -> str:
    """What the owner says, in one line.

    Raises:
        BriefError: the text is missing or too long.
        RecordError: the debate is not over.
    """
    if fold(entries).closed is None:
        raise RecordError(f"{debate} is not over yet; wait until it ends")
    words = " ".join(clean(text).split())
    if kind != FORGET and not 0 < len(words) <= LONGEST:
        meant = {RESOLVE: "answer", DOMAIN: "domain"}[kind]
        raise BriefError(f"give the {meant} in 1 to {LONGEST} characters", code="out_of_range")
    return words


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """What the right answer means for a debate.

    Attributes:
        right: the participants whose last answer is taken as right.
        wrong: the others who gave one, with what they answered last.
        trust: ``confirmed`` or ``refuted`` is the decision; else nothing follows for it.
        options: the closed set of answers, where there is one and the truth is none of them.
        forgotten: whether the owner has had the debate forgotten: then nothing is learned from the truth.
        scored: where forecasts were made, the scores of each and of their mean.
    """

    right: tuple[str, ...]
    wrong: Mapping[str, str]
    trust: str
    options: tuple[str, ...]
    forgotten: bool = False
    scored: tuple[Scored, ...] = ()


async def check_truth(workspace: Workspace, debate: str, truth: str, *, anyway: bool = False) -> None:
    """Check that an answer can be recorded as the right one of a debate.

    Raises:
        BriefError: the text is missing or too long, or is none of the options of the debate.
        RecordError: there is no such debate, or it is not over.
    """
    entries = await workspace.entries(debate)
    _check_note(debate, entries, RESOLVE, truth)
    options = opening(debate, entries).brief.options
    if options and not anyway and not option_of(truth, options):
        problem = f"{clip(truth, 100)!r} is not an option of {debate}; the options are {', '.join(options)}"
        raise BriefError(f"{problem} (--force records it)", code="bad_enum")
    _forecasts(entries, truth)


MEAN = "the mean"


def _forecasts(entries: Sequence[Entry], truth: str) -> tuple[Scored, ...]:
    """The scores of the forecasts of a debate, the mean last; () where none were made.

    Raises:
        BriefError: the truth is no truth of such a forecast.
    """
    transcript = fold(entries)
    kind = kind_of(transcript)
    if kind is None or transcript.decision is None or transcript.decision.rule != RULE:
        return ()
    probability = kind == "probability"
    known = truth_of(truth, probability=probability)
    if known is None:
        needed = "yes or no" if probability else "a number"
        raise BriefError(f"the truth of this forecast is {needed}, not {clip(truth, 100)!r}", code="bad_enum")
    newest = newest_forecasts(transcript, kind)
    stated = [*newest.items(), *([(MEAN, pooled(list(newest.values())))] if newest else [])]
    return tuple(scored(forecaster, values, known, probability=probability) for forecaster, values in stated)


async def resolve(workspace: Workspace, debate: str, truth: str, *, anyway: bool = False) -> Resolved:
    """Say what was right in a closed debate; see ``note``.

    Args:
        workspace: the workspace.
        debate: its id.
        truth: the answer that is right.
        anyway: whether an answer that is none of the options is booked, which makes everybody wrong.

    Raises:
        BriefError: the text is missing or too long, or is none of the options of the debate.
        RecordError: there is no such debate, it is not over, or the store cannot be written.
    """
    await check_truth(workspace, debate, truth, anyway=anyway)
    await add_note(workspace, debate, "resolve", truth)
    entries = await workspace.entries(debate)
    known = notes(await owner_messages(workspace.store, debate, workspace.clock).read())
    # From the record and not from memory, which holds nothing of a debate that was forgotten.
    taught = lessons(entries, known)
    last = [position for position in taught.positions if position.last]
    options = opening(debate, entries).brief.options
    return Resolved(
        right=tuple(position.who for position in last if position.right),
        wrong={position.who: position.answer for position in last if not position.right},
        trust=taught.outcome.trust,
        options=() if option_of(truth, options) else options,
        forgotten=known.forgotten,
        scored=_forecasts(entries, truth),
    )


def _place(workspace: Workspace) -> Place:
    if workspace.memory_place is None:
        raise RecordError("the memory needs a store in a file or a database, and this store is neither")
    return workspace.memory_place


# ---- what is read --------------------------------------------------------------------------------------------------


async def search(
    workspace: Workspace, words: str, *, kind: Kind = "outcome", limit: int = 10
) -> tuple[FoundMemory, ...]:
    """Search the memory for some words, best first; without words, the newest first. A search does not count as use.

    Raises:
        RecordError: memory cannot be read.
    """
    memory = _place(workspace)

    def look() -> tuple[FoundMemory, ...]:
        with MemoryStore.open(memory) as store:
            if not words.strip():
                return store.newest(kind, limit=limit)
            return store.search(words, kind, limit=limit, now=workspace.clock())

    return await asyncio.to_thread(look)


async def learned_items(workspace: Workspace, debate: str, kinds: Sequence[str]) -> Mapping[str, Sequence[Item]]:
    """What was learned from one debate, or from all (""), by kind; nothing if it is not learned or was forgotten.

    Raises:
        RecordError: memory cannot be read.
    """
    return await asyncio.to_thread(_bodies, _place(workspace), kinds, debate)


async def domain_ratings(
    workspace: Workspace, domain: str | None = None, *, anchor: str = ""
) -> tuple[DomainRatings, ...]:
    """The ratings of the models, within each domain or within one.

    Args:
        workspace: the workspace.
        domain: its name; "" is the domain of what nobody has named, None stands for all.
        anchor: the model from which all others are measured; "" for the mean of all.

    Raises:
        RecordError: memory cannot be read.
        BriefError: the anchor has no match in one of these domains.
    """
    matches = [match for match in (await _measured(workspace)).matches if domain in (None, match.domain)]
    try:
        rated = by_domain(matches, anchor=anchor)
    except ValueError as error:
        raise BriefError(str(error), code="out_of_range") from error
    return tuple(_standings(name, value, matches) for name, value in rated.items())


def _standings(domain: str, rated: tuple[Rating, ...], matches: Sequence[Match]) -> DomainRatings:
    played = [match for match in matches if match.domain == domain]
    groups = connected_groups(played)
    return DomainRatings(domain=domain, ratings=rated, elo=elo(played), apart=groups if len(groups) > 1 else ())


async def calibration(workspace: Workspace) -> Mapping[str, Calibration]:
    """How well each model's confidence matches its accuracy, over its last answers in resolved debates.

    Raises:
        RecordError: memory cannot be read.
    """
    graded = forecasts((await _measured(workspace)).graded)
    calibrations = {player: measure(value) for player, value in graded.items()}
    return {player: value for player, value in calibrations.items() if value is not None}


async def recalibration(workspace: Workspace) -> Mapping[str, tuple[tuple[Level, float], ...]]:
    """For each model: the confidences that it gave, the share of right answers, and the expected accuracy.

    Raises:
        RecordError: memory cannot be read.
    """
    return {player: expected(value) for player, value in forecasts((await _measured(workspace)).graded).items()}


async def weights(workspace: Workspace) -> Mapping[str, float | None]:
    """The vote weight of each model; None for a model of which too little is known.

    By the log-odds of the share of its last answers that were right, with two answers to choose from; see
    ``learn.panels.log_odds_weights``.

    Raises:
        RecordError: memory cannot be read.
    """
    return would_weigh(await _measured(workspace))


async def _measured(workspace: Workspace) -> Measured:
    memory = _place(workspace)

    def look() -> Measured:
        with MemoryStore.open(memory) as store:
            return measured(store)

    return await asyncio.to_thread(look)


def _bodies(place: Place, kinds: Sequence[str], debate: str = "") -> dict[str, list[Item]]:
    with MemoryStore.open(place) as store:
        return {kind: store.bodies(kind, debate=debate) for kind in kinds}


@dataclass(frozen=True, slots=True, kw_only=True)
class PerformanceTables:
    """The performance of participants, by name and role, and of models."""

    participants: tuple[Persona, ...]
    models: tuple[Persona, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationTables:
    """The relations between pairs: of participants by name, and of models."""

    participants: tuple[Pair, ...]
    models: tuple[Pair, ...]


async def personas(workspace: Workspace) -> PerformanceTables:
    """How participants and models did in all debates that were learned.

    Raises:
        RecordError: memory cannot be read.
    """
    done = performances((await learned_items(workspace, "", ("performance",)))["performance"])
    return PerformanceTables(participants=of_participants(done), models=models(done))


async def relations(workspace: Workspace) -> RelationTables:
    """Who agreed with whom, and who changed whose answer, in all debates that were learned.

    Raises:
        RecordError: memory cannot be read.
    """
    met = read_relations((await learned_items(workspace, "", ("relation",)))["relation"])
    return RelationTables(participants=pairs(met), models=model_pairs(met))
