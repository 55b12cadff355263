"""The Store port: where records are kept. This file owns what a store must promise.

A store is dumb and exact: it keeps lines of text in order and knows nothing of events.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from moot.core.errors import RecordError

LONGEST_LINE = 2**26
"""The most characters of a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spine:
    """What a store tells about one debate without opening it, as the spine of a book does.

    Attributes:
        debate: its id.
        entries: how many lines are stored.
        first: the first stored line.
        last: the last stored line.
    """

    debate: str
    entries: int
    first: str
    last: str


class Store(Protocol):
    """Keeps the lines of debates; the lines of each debate are numbered 1, 2, 3 … without a gap."""

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        """Add lines to a debate as ``after + 1``, ``after + 2`` …: all of them or none.

        They are durable when this returns, and nobody can read them before they are. Appends to one debate are
        taken in the order of the calls, so the next may be begun before the last has returned. A cancelled append
        may still become durable, so may one whose error came from the disk: read again before you append again.
        A read waits for it.

        Args:
            debate: the debate's id; a new id begins a new debate.
            lines: what to store; see ``check_lines``. With no lines at all nothing is stored.
            after: the number of the debate's last stored line, 0 for a new debate.

        Raises:
            RecordConflict: the debate's last line has another number; nothing was stored.
            RecordError: the lines cannot be kept as they are, or the store cannot be written.
        """
        ...

    async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
        """The lines behind number ``after``, in order, at most ``limit`` of them; () for an unknown debate.

        It waits for the appends to the debate that this process has begun, through whichever of its stores over the
        same place, also where their callers were cancelled: what comes behind a read was begun after it, or elsewhere.

        Raises:
            RecordError: the store cannot be read.
        """
        ...

    async def debates(self) -> tuple[Spine, ...]:
        """All debates, the one that began last first.

        Raises:
            RecordError: the store cannot be read.
        """
        ...

    async def close(self) -> None:
        """Finish what is being written and give everything back; closing twice does no harm.

        Whatever is asked of the store afterwards raises RecordError.
        """
        ...


@runtime_checkable
class Telling(Protocol):
    """A store that tells at once when a debate gets lines, also from other processes and machines."""

    def tell(self, told: Callable[[str], None]) -> None:
        """Have somebody told from now on, until the store is closed.

        While it cannot be known what others write nobody is told, so look again now and then all the same.

        Args:
            told: takes the debate's id, or "" where any debate may have got lines. It is called in another thread,
                must not wait, and may be told of lines that it has read.

        Raises:
            RecordError: the store has been closed.
        """
        ...


def check_lines(debate: str, lines: Sequence[str]) -> None:
    """Refuse what some store could not keep exactly; every store calls this first.

    An id or line must be valid Unicode without line breaks and without NUL, and not longer than ``LONGEST_LINE``.

    Raises:
        RecordError: with what is wrong and where.
    """
    _check_text("The id of a debate", debate)
    for line in lines:
        _check_text(f"A line of debate {debate}", line)


def _check_text(what: str, text: str) -> None:
    if len(text) > LONGEST_LINE:
        raise RecordError(f"{what} has {len(text)} characters; at most {LONGEST_LINE} can be stored.")
    for character, name in (("\n", "a line break"), ("\r", "a carriage return"), ("\0", "a NUL character")):
        if character in text:
            raise RecordError(f"{what} holds {name}, which cannot be stored.")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise RecordError(f"{what} holds half a character (a lone surrogate), which cannot be stored.") from error
