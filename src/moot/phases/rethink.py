"""What debaters make of a debate for themselves: revised turns, notes on their strategy. This file owns both.

A revision says which turn it replaces; the old turn stands where it stood, so that no earlier prompt changes. A note
on strategy is for the eyes of its author alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from moot.core.ask import REPLACES, Ask
from moot.core.form import Field, Form
from moot.core.text import clip
from moot.core.transcript import Turn, read_field
from moot.phases.endings import LOG
from moot.phases.forms import NEAREST, POSITIONS, SPOKEN, speech
from moot.phases.phases_base import Phase, Play, Table, is_batch
from moot.phases.speak import Everyone

# ---- revisions -----------------------------------------------------------------------------------------------------

# Two questions, because whoever revises nothing should not take up the others' log to say so.
RECONSIDER = (
    "Do you want to take back or improve one of your earlier turns, now that you have heard the others? Name it."
)
REVISE = "You revise your turn above. Write what shall stand in its place, in full; keep what you still hold."
CHOSEN = Form(
    name="choice", fields=(Field(name=REPLACES, kind="choice", required=False, help="the turn that you revise"),)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Revise:
    """Each debater may revise one earlier turn of its own: first it names one, unseen by others, then it revises it.

    Attributes:
        offer: the question whether to revise.
        task: the question for the revision.
        name: what it is called in paths.
    """

    offer: str = RECONSIDER
    task: str = REVISE
    name: str = "revise"

    def play(self, table: Table) -> Play:
        """Ask who wants to revise, then those who do."""
        offers = [offer for name in table.brief.names("debater") if (offer := self._offer(table, name))]
        offers = [replace(offer, key=table.key(n)) for n, offer in enumerate(offers, start=1)]
        if offers:
            yield offers
        chosen = [turn for turn in _by_mark(table, offers) if turn]
        if chosen:
            yield [self._ask(table, n, turn) for n, turn in enumerate(chosen, start=len(offers) + 1)]

    def _offer(self, table: Table, name: str) -> Ask | None:
        sight = table.transcript.look(LOG.narrowed(table.brief.participant(name).view), name)
        gone = [turn.ask.replaces for turn in table.transcript.turns(by=name) if turn.ask]
        own = [turn.mark for turn in sight if turn.by == name and turn.act in POSITIONS and turn.mark not in gone]
        if not own:
            return None
        form = replace(CHOSEN, fields=(replace(CHOSEN.fields[0], choices=tuple(own[-NEAREST:])),))
        return Ask(key="", to=name, act="reconsider", task=self.offer, form=form, audience=(name,), view=LOG)

    def _ask(self, table: Table, n: int, old: Turn) -> Ask:
        mark = Field(name=REPLACES, kind="choice", choices=(old.mark,), required=False)
        told = [field for field in speech(table.brief.options).fields if field.name not in ("TARGET", "RELATION")]
        form = Form(name="revision", fields=(mark, *told))
        key = table.key(n)
        return Ask(key=key, to=old.by, act="revise", task=self.task, form=form, about=(old.key,), view=LOG)


def _by_mark(table: Table, offers: list[Ask]) -> Iterator[Turn | None]:
    """For each offer the turn that its answer names."""
    for offer in offers:
        mark = read_field(table.transcript.get(offer.key), REPLACES)
        yield next((turn for turn in table.transcript.turns(by=offer.to) if turn.mark == mark), None)


# ---- strategy ------------------------------------------------------------------------------------------------------

STRATEGY = "strategy"
"""The act of a note to oneself."""

# Short, because it comes along with every later question.
EVOLVE = Everyone(
    act=STRATEGY,
    task=(
        "Write a note to yourself, which nobody else will see: what in your way of arguing has worked so far, what has "
        "not, and how you will go on. Three sentences at most."
    ),
    form=Form(name="note", fields=(Field(name="NOTE", help="your note to yourself"),)),
    view=LOG,
    private=True,
)
"""After a round each debater notes its strategy."""

HEEDING = (*SPOKEN, "bid", STRATEGY)
"""The acts for which one's own note matters."""

LONGEST_NOTE = 1000
"""The most characters of a note that come along with a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mindful:
    """A phase in which everybody has the newest note to itself beside the task, because it stands in no log.

    Attributes:
        each: the phase.
    """

    each: Phase

    @property
    def name(self) -> str:
        """What it is called in paths: as the phase."""
        return self.each.name

    def play(self, table: Table) -> Play:
        """Play the phase, each question with the note of whoever is asked."""
        for step in self.each.play(table):
            yield [self._heed(table, ask) for ask in step] if is_batch(step) else step

    def _heed(self, table: Table, ask: Ask) -> Ask:
        note = table.transcript.last(ask.to, STRATEGY)
        if note is None or ask.act not in HEEDING:
            return ask
        words = str(read_field(note, "NOTE") or note.text)
        lines = "\n".join(f"  {line}" for line in clip(words, LONGEST_NOTE).splitlines())
        return replace(ask, task=f"{ask.task}\n\nYour own note, which nobody else sees:\n{lines}")
