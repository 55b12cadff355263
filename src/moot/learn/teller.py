"""A seat that weighs votes. This file owns what is asked of memory for it, and what is answered where there is none.

It looks at the seats of the voters and at memory, never at a word of the brief or of anybody.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

from moot.core.agent import Say, Scene
from moot.core.ask import Ask, Reply
from moot.core.errors import RecordError
from moot.core.form import Value
from moot.core.text import clean
from moot.core.weights import GROUNDS, HOW, METHOD, TELLER, VoteWeights, weight_field
from moot.learn.learn_tables import Place
from moot.learn.memory_store import Shelf
from moot.learn.vote_weights import Measured, Weighing, by_elo, by_log_odds, equal, measured

ELO: VoteWeights = "elo_calibration"


@dataclass(frozen=True, slots=True, kw_only=True)
class Teller:
    """The seat that weighs votes.

    Attributes:
        shelf: the file or database with what was learned; None where there is none.
        lacks: tells what memory lacks, in a sentence; None where nobody knows.
    """

    shelf: Place | None = field(repr=False)
    lacks: Callable[[], Awaitable[str]] | None = None

    async def answer(self, ask: Ask, scene: Scene, say: Say) -> Reply:
        """Give each voter's weight and what it rests on; see ``core.agent.Seat``. No model is called.

        Where memory cannot be read all weigh 1; the answer says so, and the debate goes on.
        """
        asked = {field.name: field for field in ask.form.fields} if ask.form else {}
        seats = {each.name: each.seat for each in scene.brief.participants if weight_field(each.name) in asked}
        by_points = METHOD in asked and ELO in asked[METHOD].choices
        options = max(len(scene.brief.options), 2)
        known, notes = None, tuple[str, ...]()
        try:
            known = await asyncio.to_thread(self._look)
            notes = tuple(filter(None, [await self.lacks()])) if self.lacks else ()
        except RecordError as error:
            notes = (clean(f"memory cannot be read: {error}"),)
            found = equal(seats, notes[0])
        else:
            if known is None:
                found = equal(seats, "there is no memory of earlier debates")
            else:
                found = by_elo(seats, known) if by_points else by_log_odds(seats, known, options=options)
        if known and notes:  # who is told what votes weigh by is told this too
            found = replace(found, how=f"{found.how}; {notes[0]}")
        text = "\n".join([f"Votes weigh {found.how}.", *_lines(found)])
        say.delta(text)
        fields = {**({METHOD: asked[METHOD].choices[0]} if METHOD in asked else {}), **_fields(found)}
        return Reply(text=text, fields=fields, asked=TELLER, served=TELLER, notes=notes)

    def _look(self) -> Measured | None:
        """Runs in a thread."""
        if self.shelf is None:
            return None
        with Shelf.open(self.shelf) as shelf:
            return measured(shelf)


def _fields(found: Weighing) -> Mapping[str, Value]:
    weights = {weight_field(voter): weight for voter, weight in found.weights.items()}
    return {**weights, HOW: found.how, GROUNDS: found.grounds}


def _lines(found: Weighing) -> list[str]:
    weights = [f"- {voter}: {weight:g}" for voter, weight in found.weights.items()]
    return [*weights, *(["What that rests on:"] if found.grounds else []), *(f"- {each}" for each in found.grounds)]
