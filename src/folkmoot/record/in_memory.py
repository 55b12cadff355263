"""Records in the memory of this process: nothing is on a disk, and what was said is gone with the store."""

from collections.abc import Sequence

from folkmoot.core.errors import RecordConflict, RecordError
from folkmoot.record.store import StreamInfo, check_lines


class InMemoryStore:
    """A Store without a disk, for tests, and for programs that keep nothing; nothing is learned from its debates.

    Debates can be resumed as long as it exists, and it grows with each of them: ``remove`` what is no longer wanted.

    Args:
        lines: where the lines are, by debate in the order in which the debates began. Two stores over the same
            dictionary are like two programs over the same file.
    """

    def __init__(self, lines: dict[str, list[str]] | None = None) -> None:
        self.kept: dict[str, list[str]] = {} if lines is None else lines
        self._closed = False

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        """See Store."""
        check_lines(debate, lines)
        self._check_open()
        stored = self.kept.get(debate, [])
        if len(stored) != after:
            raise RecordConflict(f"Debate {debate} has {len(stored)} entries, not {after}: somebody else has written.")
        if lines:
            self.kept.setdefault(debate, stored).extend(lines)

    async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
        """See Store."""
        self._check_open()
        first = max(0, after)
        return tuple(self.kept.get(debate, [])[first : None if limit is None else first + max(0, limit)])

    async def remove(self, debates: Sequence[str]) -> None:
        """See Removing."""
        self._check_open()
        for debate in debates:
            self.kept.pop(debate, None)

    async def debates(self) -> tuple[StreamInfo, ...]:
        """See Store."""
        self._check_open()
        return tuple(
            StreamInfo(debate=debate, entries=len(lines), first=lines[0], last=lines[-1])
            for debate, lines in reversed(self.kept.items())
        )

    async def close(self) -> None:
        """See Store."""
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise RecordError("The store in memory has been closed.")
