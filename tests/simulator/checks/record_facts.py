"""What the stored lines of one debate say, as data for all that is checked of it."""

from dataclasses import dataclass, field

from folkmoot.core.ask import Ask, Reply
from folkmoot.core.brief import Brief, Limits
from folkmoot.core.decision import Decision
from folkmoot.core.event import Attempted, Called, Closed, Entry, Event, Failed, Opened, Replied

TryId = tuple[str, str, int]
"""The key of a question, the name of the call and the number of the try."""


@dataclass(slots=True)
class RecordFacts:
    """What a record says so far.

    Attributes:
        limits: what is checked; None where somebody has raised them, or two drivers have spent from them.
        attempts: the tries on record that have not ended, in their order.
        called: for each question its calls with an answer, by their names, in their order.
        batch: for each question the number of its batch.
        batches: how many batches of questions there are.
        newest: the questions of the newest one.
        remarks: those from outside, with the number of batches before each.
        ballots: by voter the newest ballot that was asked for, since the last decision.
    """

    debate: str
    names: tuple[str, ...] = ()
    limits: Limits | None = None
    entries: list[Entry] = field(default_factory=list[Entry])
    lines: list[str] = field(default_factory=list[str])
    asked: dict[str, Ask] = field(default_factory=dict[str, Ask])
    answered: dict[str, Replied | Failed] = field(default_factory=dict[str, "Replied | Failed"])
    attempts: dict[TryId, Attempted] = field(default_factory=dict[TryId, Attempted])
    called: dict[str, dict[str, Called]] = field(default_factory=dict[str, dict[str, Called]])
    batch: dict[str, int] = field(default_factory=dict[str, int])
    closed: Closed | None = None
    decision: Decision | None = None
    letters: int = 0
    remarks: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    batches: int = 0
    newest: list[Ask] = field(default_factory=list[Ask])
    ballots: dict[str, Ask] = field(default_factory=dict[str, Ask])

    @property
    def last(self) -> Event | None:
        """The last event; None before the first."""
        return self.entries[-1].event if self.entries else None

    @property
    def opened(self) -> Opened | None:
        """The opening; None before it."""
        event = self.entries[0].event if self.entries else None
        return event if isinstance(event, Opened) else None

    @property
    def brief(self) -> Brief | None:
        """What is debated; None before the opening."""
        return self.opened.brief if self.opened else None

    @property
    def calls(self) -> int:
        """How many calls have an answer."""
        return sum(map(len, self.called.values()))

    def batch_of(self, number: int) -> list[Ask]:
        """The questions of a batch."""
        return [self.asked[key] for key, other in self.batch.items() if other == number]

    def reply(self, key: str) -> Reply | None:
        """The stored answer to a question."""
        event = self.answered.get(key)
        return event.reply if isinstance(event, Replied) else None

    def addressees(self, ask: Ask) -> set[str]:
        """Who else may read a private field of the stored answer."""
        reply = self.reply(ask.key)
        to = {field.to for field in ask.form.fields if field.private and field.to} if ask.form else set[str]()
        return {str(reply.fields[name]) for name in to if name in reply.fields} if reply else set()
