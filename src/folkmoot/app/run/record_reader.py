"""Read the records of debates: names that can be typed, entries, lists, and which people are waited for.

Nothing here can run a debate, so nothing of what runs one is loaded.

A debate's id is words of its topic and some random characters: ``night-bus-7f3a1c``. It is found by the whole id, by
its beginning, by the beginning of its random characters (``7f3``), by ``last``, or by ``last~1``, the one before it.
"""

import re
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self, get_args

from folkmoot.app.plan.settings import StorePlace, lock_place, open_store, show_where
from folkmoot.app.run.outcome import Listed, damaged, list_one, opening
from folkmoot.core.brief import LISTED, Brief, is_person
from folkmoot.core.decision import ListStatus
from folkmoot.core.errors import BriefError, RecordError
from folkmoot.core.event import Asked, Entry, Opened, Replied
from folkmoot.core.roles import GENERATION
from folkmoot.core.text import counted, unknown_word
from folkmoot.core.transcript import Transcript, Turn, fold
from folkmoot.record import listing
from folkmoot.record.ledger import NO_LINES, ReadLines, is_running, read_on
from folkmoot.record.listing import ListQuery, Page
from folkmoot.record.mailbox import Mailbox
from folkmoot.record.store import Store, count, decode, place_of
from folkmoot.record.summary_fold import Summary

__all__ = ["Summary", "place_of"]

LEAST = 3
"""The fewest characters of a short id."""

SHOWN = 5
"""So many debates are named where several fit."""

STATUSES: tuple[str, ...] = get_args(ListStatus)

_LAST = re.compile(r"last(?:~(\d{1,6}))?")


def random_part(debate: str) -> str:
    """The random characters at the end of an id; the whole id where it has none."""
    return debate.rpartition("-")[2]


def find_debate(name: str, ids: Sequence[str]) -> str:
    """The id of the debate that a name stands for.

    Args:
        name: an id, its beginning, the beginning of its random part, ``last``, or ``last~1`` and so on.
        ids: the ids of all debates, the newest first.

    Raises:
        RecordError: no debate has that name, or several have.
    """
    if name in ids:
        return name
    if back := _LAST.fullmatch(name):
        return _earlier_debate(name, int(back[1] or 0), ids)
    fits = [debate for debate in ids if debate.startswith(name) or random_part(debate).startswith(name)] if name else []
    if len(fits) == 1:
        return fits[0]
    if not fits:
        raise _unknown_debate(name, ids)
    more = "" if len(fits) <= SHOWN else " …"
    raise RecordError(f"{name!r} fits {len(fits)} debates: {', '.join(fits[:SHOWN])}{more}")


def _earlier_debate(name: str, back: int, stored: Sequence[str]) -> str:
    """The newest debate but ``back``; debates that generated participants count only if there are no others."""
    ids = [debate for debate in stored if not is_helper(debate)] or stored
    if back >= len(ids):
        raise _unknown_debate(name, ids)
    return ids[back]


def _unknown_debate(name: str, ids: Sequence[str]) -> RecordError:
    hint = f"see the {counted(len(ids), 'debate')} with: folkmoot list" if ids else "there are no debates yet"
    return RecordError(f"there is no debate {name!r}; {hint}")


def is_helper(debate: str) -> bool:
    """Whether a debate is one in which participants were generated for another one, by its id."""
    return debate.startswith(HELPER)


HELPER = "cast-"
"""What the ids of those debates begin with."""


def short_ids(ids: Sequence[str], stored: Sequence[str] = ()) -> dict[str, str]:
    """For each debate the fewest characters, from LEAST, by which ``find_debate`` finds it.

    Args:
        ids: the debates.
        stored: all debates among which they are looked for; empty for these alone.
    """
    beginnings = {random_part(debate)[:LEAST] for debate in ids}
    every = ((name, debate) for debate in stored or ids for name in (debate, random_part(debate)))
    names = sorted(pair for pair in every if pair[0][:LEAST] in beginnings)
    short: dict[str, str] = {}
    for debate in ids:
        end = random_part(debate)
        sizes = range(min(LEAST, len(end)), len(end) + 1)
        fits = (end[:size] for size in sizes)
        short[debate] = next((name for name in fits if _is_unique(name, debate, names)), debate)
    return short


def _is_unique(beginning: str, debate: str, names: Sequence[tuple[str, str]]) -> bool:
    """Whether no other debate has a name that begins so; the names are sorted."""
    for index in range(bisect_left(names, (beginning,)), len(names)):
        name, other = names[index]
        if not name.startswith(beginning):
            break
        if other != debate:
            return False
    return True


def list_query(
    *,
    status: str = "",
    search: str = "",
    limit: int | None = None,
    helpers: bool = False,
    owner: str | None = None,
    after: str = "",
    prefix: str = "",
    grouped: bool = True,
    protocol: str = "",
    model: str = "",
    since: float = 0.0,
    until: float = 0.0,
) -> ListQuery:
    """Which debates a list shows, the newest first.

    Args:
        status: only those of this status; "" for any.
        search: only those whose id, topic or protocol contains these words, in any case.
        limit: the most to return; None for all.
        helpers: whether those are shown too in which participants were generated.
        owner: only those that this owner has claimed; None for all.
        after: only those behind this debate in the list.
        prefix: only those whose id begins with this.
        grouped: whether debates of evaluations and batches are shown.
        protocol: only those of this protocol; "" for any.
        model: only those with a model whose name contains this.
        since: only those with an entry from that time on, in seconds since 1970.
        until: only those without an entry from that time on; 0 for no such time.

    Raises:
        BriefError: there is no such status, or the limit is no number from 1 to 1,000,000.
    """
    if status and status not in STATUSES:
        raise BriefError(f"status is {status!r}; {unknown_word(status, STATUSES)}", code="bad_enum")
    if limit is not None and (type(limit) is not int or not LISTED.low <= limit <= LISTED.high):
        bounds = f"from {LISTED.low} to {LISTED.high}"
        raise BriefError(f"limit is {limit!r}; it must be a whole number {bounds}", code="out_of_range")
    return ListQuery(
        status=status,
        words=tuple(search.split()),
        limit=limit,
        without="" if helpers else GENERATION,
        owner=owner,
        after=after,
        prefix=prefix,
        grouped=grouped,
        protocol=protocol,
        model=model,
        since=since,
        until=until,
    )


class RecordReader:
    """Reads the records of debates.

    Args:
        store: where the records are kept.
        clock: seconds since 1970.
    """

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.time) -> None:
        self.store, self.clock = store, clock
        self.place = ""  # where the records are kept, in words for people
        self._lent = False

    @classmethod
    def at(cls, where: StorePlace, *, reading: bool = False) -> Self:
        """One over the records in a file, which is made if it is missing, or in a database.

        Args:
            where: the place; or a store, which the caller closes.
            reading: the records are only read; see ``open_store``.

        Raises:
            RecordError: the place cannot be used; a database is asked only when it is first needed.
        """
        if not isinstance(where, Path | str):
            reader = cls(where)
            reader._lent = True
            return reader
        reader = cls(open_store(where, reading=reading))
        reader.place = show_where(where)
        return reader

    async def check_store(self) -> None:
        """Check all that keeps the records, also what no record shows, where the store can be checked.

        Raises:
            RecordError: something is damaged.
        """
        await listing.check(self.store)

    async def close(self) -> None:
        """Give the store's files and connections back, unless the caller has opened the store."""
        if not self._lent:
            await self.store.close()

    async def find(self, name: str) -> str:
        """The id of a debate from its id, the beginning of it or of its random characters, ``last`` or ``last~1``.

        Raises:
            RecordError: none or several fit.
        """
        return find_debate(name, await self.names())

    async def entries(self, debate: str) -> tuple[Entry, ...]:
        """All entries of a debate, checked.

        Raises:
            RecordError: there is no such debate, or its record is damaged.
        """
        return (await self.read_lines(debate))[1]

    async def opening(self, debate: str) -> Opened:
        """How a debate was opened, from its first entry alone.

        Raises:
            RecordError: there is no such debate, or its first entry is damaged.
        """
        return opening(debate, [decode(line) for line in await self.store.read(debate, limit=1)])

    async def read_lines(self, debate: str, known: ReadLines = NO_LINES) -> ReadLines:
        """All lines of a debate and its entries, checked.

        Args:
            debate: its id.
            known: its first lines, where they were read before.

        Raises:
            RecordError: there is no such debate, or its record is damaged.
        """
        lines = await self.store.read(debate)
        if not lines:
            raise RecordError(f"there is no debate {debate!r}")
        entries = read_on(lines, known)
        opening(debate, entries)
        return lines, entries

    async def count_entries(self, debate: str) -> int:
        """How many entries are stored; 0 where there is no such debate."""
        return await count(self.store, debate)

    async def lines(self, debate: str) -> tuple[str, ...]:
        """The stored lines of a debate, as they are."""
        return await self.store.read(debate)

    async def names(self) -> tuple[str, ...]:
        """The ids of all debates, newest first."""
        return await listing.names(self.store)

    async def page(self, query: ListQuery) -> Page:
        """A part of the list of debates, newest first; no record is read."""
        return await listing.page(self.store, query)

    async def list(self, query: ListQuery | None = None) -> tuple[Listed, ...]:
        """All debates, or those that a query asks for, newest first."""
        return tuple(map(list_one, (await self.page(query or ListQuery())).debates))

    def running_among(self, page: Iterable[Listed]) -> frozenset[str]:
        """The debates of a list that a process on this machine runs now."""
        locks = lock_place(self.store)
        unfinished = (item.debate for item in page if item.status in ("open", "paused"))
        return frozenset(debate for debate in unfinished if locks and is_running(locks, debate))

    async def stale_among(self, page: Sequence[Summary]) -> frozenset[str]:
        """The debates of a list whose documents in the folder that the program runs in have changed since."""
        folder = Path()
        if place_of(folder) not in {summary.place for summary in page if summary.place}:
            return frozenset()
        from folkmoot.app.brief.document_states import StaleDebates  # here for start-up time: few lists need it

        return await StaleDebates(folder).among(page, self.opening)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAsks:
    """How a debate stands with its people.

    Attributes:
        brief: its brief.
        entries: its record.
        transcript: the record, folded.
        mailbox: the messages to it.
        written: the asks that are answered by message.
    """

    brief: Brief
    entries: tuple[Entry, ...]
    transcript: Transcript
    mailbox: Mailbox
    written: frozenset[str]

    def unanswered(self) -> list[Turn]:
        """The asks of people without an answer on record, oldest first; none where the debate is over."""
        turns = () if self.transcript.closed else self.transcript.all()
        return [
            turn
            for turn in turns
            if turn.ask and not self.transcript.answered(turn.key) and is_person(self.brief.participant(turn.by))
        ]

    def left(self, turn: Turn, now: float) -> float | None:
        """The seconds that somebody has left for an answer; None for any time."""
        allowed = self.brief.participant(turn.by).deadline
        return None if allowed is None else self.at(turn.key) + allowed - now

    def at(self, key: str) -> float:
        """When that ask was put, in seconds since 1970."""
        return next(entry.at for entry in self.entries if isinstance(entry.event, Asked) and entry.event.ask.key == key)

    def open(self, now: float) -> list[Turn]:
        """The asks that a person can still answer."""
        return [turn for turn in self.unanswered() if turn.key not in self.written and not self.late(turn, now)]

    def late(self, turn: Turn, now: float) -> bool:
        """Whether the time for that answer is up."""
        left = self.left(turn, now)
        return left is not None and left < 0

    def pending(self) -> bool:
        """Whether an answer has come that is not on record yet."""
        return any(turn.key in self.written for turn in self.unanswered())

    def until_next(self, now: float) -> float | None:
        """The seconds after which a resume goes on: 0 where an answer has come or a time is up; None for never."""
        if self.pending():
            return 0.0
        left = [seconds for turn in self.unanswered() if (seconds := self.left(turn, now)) is not None]
        return max(0.0, min(left)) if left else None


async def read_open_asks(reader: RecordReader, debate: str) -> OpenAsks:
    """How a debate stands with its people.

    Raises:
        RecordError: there is no such debate, or its record or messages are damaged.
    """
    entries = await reader.entries(debate)
    mailbox = Mailbox(reader.store, debate, clock=reader.clock)
    written = [entry.event.key for entry in await mailbox.read() if isinstance(entry.event, Replied)]
    return OpenAsks(
        brief=opening(debate, entries).brief,
        entries=entries,
        transcript=fold(entries),
        mailbox=mailbox,
        written=frozenset(written),
    )


async def waiting(reader: RecordReader, debate: str) -> tuple[Turn, ...]:
    """The asks that wait for a person, oldest first.

    Raises:
        RecordError: there is no such debate, or its record or messages are damaged.
    """
    return tuple((await read_open_asks(reader, debate)).open(reader.clock()))


async def time_left(reader: RecordReader, debate: str) -> dict[str, float]:
    """The seconds that people have left for each ask of ``waiting``, by its key; asks without a deadline are not in it.

    Raises:
        RecordError: there is no such debate, or its record or messages are damaged.
    """
    standing, now = await read_open_asks(reader, debate), reader.clock()
    left = {turn.key: standing.left(turn, now) for turn in standing.open(now)}
    return {key: seconds for key, seconds in left.items() if seconds is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """An ask that waits for a person.

    Attributes:
        turn: the ask, without an answer.
        since: when it was put, in seconds since 1970.
        left: the seconds that are left for an answer; None for any time.
    """

    turn: Turn
    since: float
    left: float | None = None


async def list_open_asks(
    reader: RecordReader, listed: Sequence[Listed]
) -> tuple[tuple[Listed, ...], dict[str, tuple[OpenQuestion, ...]]]:
    """The debates of a list, and the asks that wait for people in those that are not over.

    A debate whose record cannot be read is damaged, and hides no other.
    """
    listing: list[Listed] = []
    asks: dict[str, tuple[OpenQuestion, ...]] = {}
    for item in listed:
        now = item
        if item.waits_for:
            try:
                asks[item.debate] = await open_asks(reader, item.debate)
            except RecordError as error:
                now = damaged(item, error)
        listing.append(now)
    return tuple(listing), asks


async def open_asks(reader: RecordReader, debate: str) -> tuple[OpenQuestion, ...]:
    """The asks that wait for a person, oldest first.

    Raises:
        RecordError: there is no such debate, or its record or messages are damaged.
    """
    turns, left = await waiting(reader, debate), await time_left(reader, debate)
    asked_at = {
        entry.event.ask.key: entry.at for entry in await reader.entries(debate) if isinstance(entry.event, Asked)
    }
    return tuple(OpenQuestion(turn=turn, since=asked_at[turn.key], left=left.get(turn.key)) for turn in turns)
