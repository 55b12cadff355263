"""Money that is reserved. This file owns where that stands, and in which order it was reserved.

It stands beside the records, in a stream of letters ``@OWNER/till`` of the same store: their numbers are one order for
all processes. So whoever reserves writes first, and then looks at what was reserved before.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass

from moot.core.event import Interjected
from moot.record.mailbox import Letters
from moot.record.store import Store

_PROMISE, _DROP = "promise", "drop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What was reserved for a debate.

    Attributes:
        amount: the most US dollars that it may use, with what it had used before.
        entries: how many entries its record had.
        at: when, in seconds since 1970.
        number: its place among all promises of its owner.
        own: whether it was made by this process.
    """

    amount: float
    entries: int
    at: float
    number: int
    own: bool


class Promises:
    """What is reserved for the debates of all owners.

    Args:
        store: where it stands for all processes; None where it is this one's alone.
        clock: seconds since 1970.
    """

    def __init__(self, store: Store | None, clock: Callable[[], float]) -> None:
        self._store, self._clock = store, clock
        self._streams: dict[str, Letters] = {}
        self._own: dict[str, dict[str, Promise]] = {}
        self._made = 0

    async def make(self, owner: str, debate: str, amount: float, entries: int) -> Promise:
        """Reserve money for a debate, in the place of what was reserved for it before.

        Raises:
            RecordError: the store cannot be written.
        """
        self._made += 1
        number = self._made
        if self._store:
            told = {"debate": debate, "amount": amount, "entries": entries}
            number = await self._letters(owner, self._store).post(Interjected(by=_PROMISE, text=json.dumps(told)))
        made = Promise(amount=amount, entries=entries, at=self._clock(), number=number, own=True)
        self._own.setdefault(owner, {})[debate] = made
        return made

    async def drop(self, owner: str, debate: str) -> None:
        """Take back what was reserved for a debate.

        Raises:
            RecordError: the store cannot be written.
        """
        self._own.get(owner, {}).pop(debate, None)
        if self._store:
            await self._letters(owner, self._store).post(Interjected(by=_DROP, text=debate))

    async def of(self, owner: str, before: int | None = None) -> dict[str, Promise]:
        """What is reserved for the debates of an owner, by debate.

        Args:
            owner: whose they are.
            before: only what was reserved before the promise of that number; None for all.

        Raises:
            RecordError: the store cannot be read.
        """
        own = self._own.get(owner, {})
        if self._store is None:
            return {debate: each for debate, each in own.items() if before is None or each.number < before}
        found: dict[str, Promise] = {}
        numbers = {each.number for each in own.values()}
        for entry in (await self._letters(owner, self._store).read())[: None if before is None else before - 1]:
            match entry.event:
                case Interjected(by=by, text=text) if by == _PROMISE:
                    told = json.loads(text)
                    found[str(told["debate"])] = Promise(
                        amount=float(told["amount"]),
                        entries=int(told["entries"]),
                        at=entry.at,
                        number=entry.seq,
                        own=entry.seq in numbers,
                    )
                case Interjected(by=by, text=text) if by == _DROP:
                    found.pop(text, None)
                case _:
                    pass
        return found

    def _letters(self, owner: str, store: Store) -> Letters:
        if owner not in self._streams:
            self._streams[owner] = Letters(store, f"@{owner}/till", clock=self._clock)
        return self._streams[owner]
