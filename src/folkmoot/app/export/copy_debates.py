"""Copy debates from one record store to another, with what is stored beside each record.

Only checked lines are copied, and lines in the target are never changed. So a copy that was interrupted is completed by
repeating it, and copying twice is copying once.
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from folkmoot.core.errors import RecordError
from folkmoot.record.mailbox import check, streams_beside
from folkmoot.record.store import Store

PIECE = 500
"""Lines that are appended at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """The outcome of one debate.

    Attributes:
        debate: its id.
        new: how many lines were written, those of its messages among them.
        there: how many lines stood in the target before.
        fault: why it was not copied, or not to its end, in a sentence; "" where all of it is in the target.
    """

    debate: str
    new: int = 0
    there: int = 0
    fault: str = ""


async def copy_debates(source: Store, target: Store, names: Sequence[str] = ()) -> AsyncGenerator[Copied]:
    """Copy debates with all their messages, in the order in which they began.

    Hashes are checked before and after. A debate that cannot be copied is reported, and the others are copied.

    Args:
        source: where the debates are.
        target: where they are to be as well.
        names: their ids; empty for all.

    Raises:
        RecordError: one of the stores cannot be used.
    """
    wanted = names or await _all_names(source)
    for name in wanted[:1]:  # a store that cannot be used is told of once, not for each debate
        await source.read(name, limit=1)
        await target.read(name, limit=1)
    for name in wanted:
        yield await _copy(source, target, name)


async def _all_names(source: Store) -> Sequence[str]:
    """All debates, and the owners for whom something is reserved (``@ann``), the earliest first."""
    streams = [info.debate for info in reversed(await source.debates())]
    return tuple(dict.fromkeys(stream.partition("/")[0] for stream in streams))


async def _copy(source: Store, target: Store, name: str) -> Copied:
    new = present = 0
    try:
        read_streams = {stream: await source.read(stream) for stream in (name, *streams_beside(name))}
        streams = {stream: lines for stream, lines in read_streams.items() if lines}
        if not streams:
            raise RecordError("it is not in the store that is copied from")
        for stream, lines in streams.items():
            check(stream, lines)  # all of them before the first line is copied
        for stream, lines in streams.items():
            had = await target.read(stream)
            if had[: len(lines)] != lines[: len(had)]:
                raise RecordError("the other store already has a different debate with this id")
            present += len(had)
            new += await _write(target, stream, lines, len(had))
    except RecordError as error:
        return Copied(debate=name, new=new, there=present, fault=str(error))
    return Copied(debate=name, new=new, there=present)


async def _write(target: Store, stream: str, lines: Sequence[str], had: int) -> int:
    """Append what is missing and check the result; returns the number of lines written."""
    for start in range(had, len(lines), PIECE):
        await target.append(stream, lines[start : start + PIECE], after=start)
    copied = await target.read(stream)
    check(stream, copied)
    if copied[: len(lines)] != lines:
        raise RecordError("the copy differs from what was written")
    return max(0, len(lines) - had)
