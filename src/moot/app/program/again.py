"""Debates that a program takes up again. This file owns which record is that of the same debate, and tries anew."""

from collections.abc import Sequence

from moot.app.run.outcome import opening
from moot.app.run.workspace import Desk
from moot.core.brief import Participant
from moot.core.errors import BriefError
from moot.core.event import Closed, Entry, Opened
from moot.core.text import listed


def check_same(
    debate: str, entries: Sequence[Entry], name: str, people: Sequence[Participant] = (), chosen: Sequence[str] = ()
) -> Opened:
    """Check that a record is that of a debate which a program is about to go on with.

    Args:
        debate: its id.
        entries: its record.
        name: the protocol that it must have.
        people: who must have sat at its table; whoever has a duty that none of them has does not count.
        chosen: what must have been chosen about the protocol, in words; () for anything.

    Returns:
        Its opening.

    Raises:
        RecordError: the record does not begin as one.
        BriefError: it is another debate, one of other people, or one with other choices.
    """
    opened = opening(debate, entries)
    if opened.name != name:
        raise BriefError(f"{debate} is a debate of the kind {opened.name}, not {name}", code="inconsistent")
    duties = {each.duty for each in people}
    before = [each.name for each in opened.brief.participants if each.duty in duties]
    now = [each.name for each in people]
    if before != now:
        raise BriefError(f"{debate} is a debate of {listed(before)}, not of {listed(now)}", code="inconsistent")
    if chosen and opened.chosen != tuple(chosen):
        found = f"{debate} is a debate with other choices: {listed(opened.chosen)}, not {listed(chosen)}"
        raise BriefError(found, code="inconsistent")
    return opened


async def count_failed(desk: Desk, debate: str) -> int:
    """How many tries of a debate have ended without an answer."""
    failed = 0
    while await desk.count_entries(try_of(debate, failed)):
        newest = (await desk.entries(try_of(debate, failed)))[-1].event
        if not isinstance(newest, Closed) or newest.status != "failed":
            break
        failed += 1
    return failed


def try_of(debate: str, failed: int) -> str:
    """The id of the next try of a debate, so many of which have failed: the debate's own, then ``-try2`` and so on."""
    return f"{debate}-try{failed + 1}" if failed else debate
