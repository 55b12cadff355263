"""Who owns a debate, as side events beside its record: the least that must be known before it runs.

It stands apart from the links to a debate (``access``), because a workspace asks it of every debate that it runs.
"""

from dataclasses import dataclass

from folkmoot.app.run.record_reader import RecordReader
from folkmoot.core.event import Claimed
from folkmoot.record.mailbox import SideStream

AT_HAND = "@stdio"
"""The ending of the owner's name of a client over standard input; names of tokens cannot have it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The owner of a debate.

    Attributes:
        owner: the name of the token by which it was made; "" for the person at the machine.
        request: the hash of what was asked for, where it was asked for under a key; "" for none.
    """

    owner: str = ""
    request: str = ""

    @property
    def at_hand(self) -> bool:
        """Whether the debate was started on this machine, by a person or by a program over standard input."""
        return not self.owner or self.owner.endswith(AT_HAND)


def access_stream(records: RecordReader, debate: str) -> SideStream:
    """The side events about who may do what with a debate."""
    return SideStream(records.store, debate, "access", clock=records.clock)


async def claimed(records: RecordReader, debate: str) -> Claim:
    """The owner of a debate; a debate that nobody claimed belongs to the local user."""
    for entry in await access_stream(records, debate).read():
        if isinstance(entry.event, Claimed):
            return Claim(owner=entry.event.owner, request=entry.event.request)
    return Claim()
