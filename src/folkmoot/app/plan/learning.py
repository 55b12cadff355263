"""Learn from a debate when it ends, and again when its owner adds something later.

It takes a store and no workspace, so that the workspace itself can call it and the debates of every host are learned.
"""

import asyncio
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from folkmoot.app.plan.settings import Config, load_config
from folkmoot.core.errors import BriefError, RecordError
from folkmoot.core.event import Closed, Entry, Opened
from folkmoot.core.roles import EVALUATION_ID, GENERATION
from folkmoot.core.transcript import Transcript
from folkmoot.learn.tables import Place
from folkmoot.record.listing import ListQuery, page
from folkmoot.record.mailbox import SideStream
from folkmoot.record.sqlite import SqliteStore
from folkmoot.record.store import Store, digest, read

if TYPE_CHECKING:
    from sqlite3 import Connection

    from folkmoot.learn.memory import Lessons
    from folkmoot.learn.memory_store import MemoryStore


def owner_messages(store: Store, debate: str, clock: Callable[[], float] = time.time) -> SideStream:
    """The owner's messages about a debate after its end."""
    return SideStream(store, debate, "memory", clock=clock)


async def learn_debate(store: Store, place: Place, debate: str) -> bool:
    """Learn from a closed debate, once; again only where its owner has said something new of it.

    Args:
        store: the records.
        place: the file or database in which what is learned is kept.
        debate: its id.

    Returns:
        Whether anything was learned.

    Raises:
        RecordError: there is no such debate, its record is damaged, or memory cannot be written.
    """
    studied = await read_lessons(store, debate)
    return studied is not None and await store_lessons(place, debate, studied)


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateLessons:
    """The lessons of a debate, and what they were computed from.

    Attributes:
        lessons: what it teaches; None where its owner has had it forgotten.
        head: the hash of the last line of its record.
        notes: how many notes of the owner were read.
    """

    lessons: "Lessons | None"
    head: str
    notes: int


async def read_lessons(store: Store, debate: str) -> DebateLessons | None:
    """Read the lessons of a debate; None if it has none, or none yet.

    Raises:
        RecordError: there is no such debate, or its record is damaged.
    """
    lines = await store.read(debate)
    entries = read(lines)
    if not entries:
        raise RecordError(f"there is no debate {debate!r}")
    return await lessons_of(store, debate, entries, digest(lines[-1]))


async def lessons_of(
    store: Store, debate: str, entries: Sequence[Entry], head: str, transcript: Transcript | None = None
) -> DebateLessons | None:
    """The lessons of a debate whose record has been read; None if it has none, or none yet.

    Args:
        store: the records, where the owner's messages stand.
        debate: its id.
        entries: its record.
        head: the hash of the last line.
        transcript: the record, folded, where there is that already.
    """
    opened = entries[0].event
    over = any(isinstance(entry.event, Closed) for entry in reversed(entries))
    if not isinstance(opened, Opened) or opened.name == GENERATION or not over or EVALUATION_ID.fullmatch(debate):
        return None
    from folkmoot.learn.lessons import lessons, notes  # here for start-up time

    messages = await owner_messages(store, debate).read()
    known = notes(messages)
    learned = None if known.forgotten else lessons(entries, known, transcript)
    return DebateLessons(lessons=learned, head=head, notes=len(messages))


async def store_lessons(place: Place, debate: str, studied: DebateLessons) -> bool:
    """Store the lessons of a debate; returns whether anything was new.

    Raises:
        RecordError: memory cannot be written.
    """

    from folkmoot.learn.memory_store import MemoryStore  # here for start-up time

    def write() -> bool:
        with MemoryStore.open(place) as open_memory_store:
            return put_lessons(open_memory_store, debate, studied)

    return await asyncio.to_thread(write)


def put_lessons(memory: "MemoryStore", debate: str, studied: DebateLessons) -> bool:
    """Put the lessons of a debate into an open memory store; returns whether anything was new."""
    return memory.add(debate, studied.lessons, head=studied.head, notes=studied.notes)


def memory_place(store: Store) -> Place | None:
    """The file or database of the memory, which is that of the records; None if the records are in neither."""
    return store.path if isinstance(store, SqliteStore) else getattr(store, "address", None)


async def missing_lessons(store: Store) -> str:
    """What the memory lacks, in a sentence; "" if all closed debates are learned, or none can be.

    Only the debates that are not learned are looked into, so it costs little.

    Raises:
        RecordError: memory or the records cannot be read.
    """
    location = memory_place(store)
    if location is None:
        return ""

    from folkmoot.learn.memory_store import MemoryStore  # here for start-up time

    def learned() -> Collection[str]:
        with MemoryStore.open(location) as memory:
            return memory.learned()

    known = await asyncio.to_thread(learned)
    stored = (await page(store, ListQuery(without=GENERATION))).debates
    missing = (summary.debate for summary in stored if summary.over and summary.debate not in known)
    n = sum(not EVALUATION_ID.fullmatch(debate) for debate in missing)
    return f"{n} closed debate{' is' if n == 1 else 's are'} not learned; run folkmoot learn" if n else ""


async def learn_at_end(
    store: Store, debate: str, config: Config | None, entries: Sequence[Entry], head: str, transcript: Transcript
) -> str:
    """Learn from a debate that has just ended, unless its owner has set ``learn = false``.

    Args:
        store: the records; where they are in no file or database, nothing is learned.
        debate: its id.
        config: the user's settings; None to load them.
        entries: its record, which need not be read again.
        head: the hash of the last line.
        transcript: the record, folded.

    Returns:
        Why nothing could be learned, in a sentence; "" where that is not so. The debate itself is not harmed by it.
    """
    try:
        place = memory_place(store)
        if place is None or not (config or load_config()).learn:
            return ""
        if (studied := await lessons_of(store, debate, entries, head, transcript)) is None:
            return ""
        if not isinstance(store, SqliteStore):
            await store_lessons(place, debate, studied)
            return ""
        from folkmoot.learn.memory_store import MemoryStore  # here for start-up time
        from folkmoot.learn.sqlite_tables import SqliteTables

        def write(connection: "Connection") -> None:
            with SqliteTables.borrowing(store.path, connection) as tables:
                put_lessons(MemoryStore(tables), debate, studied)

        await store.write(write)  # by the connection that writes the records, which is open already
    except (RecordError, BriefError) as error:
        return str(error)
    return ""
