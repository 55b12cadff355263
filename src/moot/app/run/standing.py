"""Whether a debate stands still. This file owns how that is told from its record, its letters and its people alone."""

import asyncio

from moot.app.plan.assignment import is_person
from moot.app.run.people import waiting
from moot.app.run.workspace import Desk
from moot.core.errors import RecordError
from moot.core.event import Replied
from moot.core.transcript import Transcript, Turn, fold
from moot.record.mailbox import Letters

QUIET = 2.0
"""Seconds after which an answer by letter that nobody has taken in shows that nobody holds the debate: whoever holds
it, in this process or in another one, looks for letters several times in that time."""

LOOKS = 10
"""How often the record is looked at in that time."""


async def waits_only(desk: Desk, debate: str) -> bool:
    """Whether a debate that is held has nothing to do: all that is asked is asked of people, who have not answered."""
    try:
        asked = _unanswered(fold(await desk.entries(debate)))
        return bool(asked) and len(await waiting(desk, debate)) == len(asked)
    except RecordError:  # it is not on record yet, or whoever holds it meets the same
        return False


async def stands_still(desk: Desk, debate: str) -> bool:
    """Whether a debate that is not held here stands still because a person had to answer.

    It was put down then; or whoever held it is gone without a word, so that nobody takes an answer in.

    Raises:
        RecordError: there is no such debate, or its record or letters are damaged.
    """
    transcript = fold(await desk.entries(debate))
    if transcript.closed:
        return False
    if transcript.paused:
        return transcript.paused.kind == "waiting"
    asked = _unanswered(transcript)
    letters = await Letters(desk.store, debate, clock=desk.clock).read()
    written = {each.event.key for each in letters if isinstance(each.event, Replied)}
    if not _are_for_people(transcript, asked) or not any(turn.key in written for turn in asked):
        return False
    return not await _moves(desk, debate)


async def _moves(desk: Desk, debate: str) -> bool:
    """Whether anything is added to a record that somebody else may hold."""
    last = await desk.count_entries(debate)
    for _ in range(LOOKS):
        await asyncio.sleep(QUIET / LOOKS)
        if await desk.store.read(debate, after=last, limit=1):
            return True
    return False


def _unanswered(transcript: Transcript) -> list[Turn]:
    return [turn for turn in transcript.all() if turn.ask and not transcript.answered(turn.key)]


def _are_for_people(transcript: Transcript, asked: list[Turn]) -> bool:
    brief = transcript.brief
    return brief is not None and all(is_person(brief.participant(turn.by)) for turn in asked)
