"""Learning at the desk. This file owns when a debate is learned, what its owner may add, and what is read from memory.

What was learned can be dropped and made again from the records at any time. What the owner says of a closed debate,
such as the truth once it is known, is no part of its record, which has ended, and no part of what can be dropped: it
stands beside the record in a stream of letters of its own, with the same chain of hashes, and is read whenever a debate
is learned.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from moot.core.errors import BriefError, RecordError
from moot.core.event import Closed, Interjected
from moot.core.text import clean
from moot.core.transcript import fold
from moot.desk.config import Config, load_config
from moot.desk.desk import Desk
from moot.desk.outcome import opening
from moot.learn.bouts import one_result
from moot.learn.calibration import Calibration, Forecast, measure
from moot.learn.lessons import DOMAIN, FORGET, RESOLVE, lessons, notes
from moot.learn.memory import Bout, Found, Kind
from moot.learn.panels import Marks, log_odds_weights
from moot.learn.ratings import Match, Rating, by_domain, elo, islands
from moot.learn.shelf import Item, Shelf
from moot.readers.stance import bare
from moot.record.codec import decode, digest, read
from moot.record.letters import Letters, debates

__all__ = ["Calibration", "Found", "Item", "Kind", "Rating", "Standings"]

CASTING = "casting"
"""The protocol of the debates in which participants are made: they teach nothing."""

LONGEST = 500
"""Characters of what the owner says of a debate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What came of learning from all debates.

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
class Standings:
    """The ratings of one domain: ``apart`` are groups that have never met, whose order means nothing."""

    domain: str
    ratings: tuple[Rating, ...]
    elo: Mapping[str, float]
    apart: tuple[tuple[str, ...], ...] = ()


# ---- learning ------------------------------------------------------------------------------------------------------


async def learn(desk: Desk, debate: str) -> bool:
    """Learn from a closed debate, once; again only where its owner has said something new of it.

    Returns:
        Whether anything was learned.

    Raises:
        RecordError: there is no such debate, its record is damaged, or memory cannot be written.
    """
    lines = await desk.lines(debate)
    entries = read(lines)
    if not entries:
        raise RecordError(f"there is no debate {debate!r}")
    if opening(debate, entries).name == CASTING or fold(entries).closed is None:
        return False
    said = await _letters(desk, debate).read()
    known = notes(said)
    taught = None if known.forgotten else lessons(entries, known)
    path = _path(desk)

    def keep() -> bool:
        with Shelf.open(path) as shelf:
            return shelf.add(debate, taught, head=digest(lines[-1]), notes=len(said))

    return await asyncio.to_thread(keep)


async def learn_at_end(desk: Desk, debate: str, config: Config | None = None) -> str:
    """Learn from a debate that has just ended, unless its owner has set ``learn = false``.

    Args:
        desk: the desk; nothing is learned where its records are in no file.
        debate: its id.
        config: the owner's settings; None to load them.

    Returns:
        Why nothing could be learned, in a sentence; "" where that is not so. The debate itself is not harmed by it.
    """
    if desk.shelf is None or not (config or desk.config or load_config()).learn:
        return ""
    try:
        await learn(desk, debate)
    except RecordError as error:
        return str(error)
    return ""


async def learn_all(desk: Desk, *, rebuild: bool = False) -> Learned:
    """Learn from all closed debates that have not been learned, the oldest first.

    Args:
        desk: the desk.
        rebuild: drop what was learned and learn everything again. Where that is broken off, learning once more goes on.

    Raises:
        RecordError: a record cannot be read, or memory cannot be written.
    """
    path = _path(desk)
    if rebuild:
        await asyncio.to_thread(_clear, path)
    new: list[str] = []
    damaged: list[str] = []
    known = unfinished = 0
    for spine in reversed(await debates(desk.store)):
        try:
            if not isinstance(decode(spine.last).event, Closed):
                unfinished += 1
            elif await learn(desk, spine.debate):
                new.append(spine.debate)
            else:
                known += 1
        except RecordError:
            damaged.append(spine.debate)
    return Learned(new=tuple(new), known=known, open=unfinished, damaged=tuple(damaged))


def _clear(path: Path) -> None:
    with Shelf.open(path) as shelf:
        shelf.clear()


async def note(desk: Desk, debate: str, what: Literal["resolve", "domain", "forget"], text: str = "") -> None:
    """Keep what the owner says of a closed debate, and learn from it again.

    Args:
        desk: the desk.
        debate: its id.
        what: the truth, now that it is known; the kind of question, within which models are rated; or that nothing
            shall be remembered of it.
        text: the answer that is right, or the name of the domain; of each the last one counts.

    Raises:
        BriefError: the text is missing or too long.
        RecordError: there is no such debate, it is not over, or the store cannot be written.
    """
    entries = await desk.entries(debate)
    if fold(entries).closed is None:
        raise RecordError(f"{debate} is not over; nothing can be said of its outcome yet")
    words = " ".join(clean(text).split())
    if what != FORGET and not 0 < len(words) <= LONGEST:
        meant = {RESOLVE: "answer", DOMAIN: "domain"}[what]
        raise BriefError(f"give the {meant} in 1 to {LONGEST} characters", code="out_of_range")
    await _letters(desk, debate).post(Interjected(by=what, text=words))
    await learn(desk, debate)


def _letters(desk: Desk, debate: str) -> Letters:
    return Letters(desk.store, f"{debate}/memory", clock=desk.clock)


def _path(desk: Desk) -> Path:
    if desk.shelf is None:
        raise RecordError("what is learned is kept in the file of the record, and this record is in none")
    return desk.shelf


# ---- what is read --------------------------------------------------------------------------------------------------


async def search(desk: Desk, words: str, *, kind: Kind = "outcome", most: int = 10) -> tuple[Found, ...]:
    """What memory holds on some words, best first. Looking does not count as use.

    Raises:
        RecordError: memory cannot be read.
    """
    path = _path(desk)

    def look() -> tuple[Found, ...]:
        with Shelf.open(path) as shelf:
            return shelf.search(words, kind, most=most, now=desk.clock())

    return await asyncio.to_thread(look)


async def remembered(desk: Desk, debate: str, kinds: Sequence[str]) -> Mapping[str, Sequence[Item]]:
    """What was learned from one debate, by kind; nothing where it was not learned or is forgotten.

    Raises:
        RecordError: memory cannot be read.
    """
    return await asyncio.to_thread(_bodies, _path(desk), kinds, debate)


async def standings(desk: Desk, domain: str | None = None) -> tuple[Standings, ...]:
    """The ratings of the models, within each domain or within one; "" is the domain of what nobody has named.

    Raises:
        RecordError: memory cannot be read.
    """
    items = await asyncio.to_thread(_bodies, _path(desk), ("outcome", "bout"))
    about = {item.debate: (bare(str(item.body["topic"])), str(item.body["domain"])) for item in items["outcome"]}
    bouts = [(*about[item.debate], _bout(item)) for item in items["bout"]]
    matches = [match for match in one_result(bouts) if domain in (None, match.domain)]
    return tuple(_standings(name, rated, matches) for name, rated in by_domain(matches).items())


def _standings(domain: str, rated: tuple[Rating, ...], matches: Sequence[Match]) -> Standings:
    played = [match for match in matches if match.domain == domain]
    groups = islands(played)
    return Standings(domain=domain, ratings=rated, elo=elo(played), apart=groups if len(groups) > 1 else ())


async def calibration(desk: Desk) -> Mapping[str, Calibration]:
    """How far each model's confidence can be trusted, over its last answers in debates whose truth is known.

    Raises:
        RecordError: memory cannot be read.
    """
    given: dict[str, list[Forecast]] = {}
    for player, body in await _graded(desk):
        if (confidence := body["confidence"]) is not None:
            forecast = Forecast(confidence=cast("float", confidence), right=bool(body["right"]))
            given.setdefault(player, []).append(forecast)
    measured = {player: measure(forecasts) for player, forecasts in sorted(given.items())}
    return {player: each for player, each in measured.items() if each is not None}


async def weights(desk: Desk, players: Sequence[str], *, options: int = 2) -> Mapping[str, float]:
    """The weight of each model's vote, by the share of its last answers that were right; all 1 until enough are graded.

    Raises:
        RecordError: memory cannot be read.
    """
    graded = await _graded(desk)
    right = {player: [bool(body["right"]) for name, body in graded if name == player] for player in players}
    marks = {player: Marks(right=sum(each), n=len(each)) for player, each in right.items()}
    return log_odds_weights(marks, options=options)


async def _graded(desk: Desk) -> list[tuple[str, Mapping[str, object]]]:
    items = (await asyncio.to_thread(_bodies, _path(desk), ("position",)))["position"]
    last = [item.body for item in items if item.body["last"] and item.body["right"] is not None]
    return [(str(body["player"]), body) for body in last if body["player"]]


def _bodies(path: Path, kinds: Sequence[str], debate: str = "") -> dict[str, list[Item]]:
    with Shelf.open(path) as shelf:
        return {kind: shelf.bodies(kind, debate=debate) for kind in kinds}


def _bout(item: Item) -> Bout:
    body = cast("dict[str, object]", item.body)
    one, other = cast("list[str]", body["sides"])
    return Bout(
        one=str(body["one"]),
        other=str(body["other"]),
        score=cast("float", body["score"]),
        weight=cast("float", body["weight"]),
        sides=(one, other),
    )
