"""Debates to learn from: a record made of a few words, for the tests of memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from folkmoot.core.ask import Ask, Field, Form, Reply, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.decision import Decision
from folkmoot.core.event import Asked, Closed, Entry, Event, Failed, Opened, Replied, Ruled
from folkmoot.learn.memory import Lessons, Outcome, Pattern
from folkmoot.phases.speak import ISSUES, draft
from folkmoot.protocols.arena import response
from folkmoot.record.store import digest, encode

TWO: Mapping[str, str] = {"Ann": "ollama:a", "Bob": "ollama:b"}
THREE: Mapping[str, str] = {**TWO, "Cy": "openai:c"}
"""Debaters and their seats."""

TEXTS: Mapping[str, Form] = {"propose": draft(()), "revise": response(()), "critique": ISSUES}
"""The forms of the acts, as in an arena."""


@dataclass(slots=True)
class Paper:
    """A record in the making.

    Attributes:
        people: the debaters by name, with their seats.
        topic: what is debated.
        others: who else is at the table.
    """

    people: Mapping[str, str]
    topic: str = "Should the depot buy electric buses?"
    others: tuple[Participant, ...] = ()
    events: list[Event] = field(default_factory=list[Event])

    def __post_init__(self) -> None:
        named = [Participant(name=name, role=f"the {name}", seat=seat) for name, seat in self.people.items()]
        brief = Brief(topic=self.topic, participants=(*named, *self.others))
        self.events.append(Opened(brief=brief, protocol={}, name="arena"))

    def say(self, who: str, act: str, about: Sequence[str] = (), form: Form | None = None, **fields: Value) -> str:
        """One asks, one answers; the turn's key. ``asked`` among the fields is the seat that answered."""
        key = f"/debate/{act}#{len(self.events)}"
        text = str(fields.pop("asked", self.people.get(who, "")))
        used = form or TEXTS.get(act) or Form(name=act, fields=(Field(name="TEXT"),))
        self.events.append(Asked(ask=Ask(key=key, to=who, act=act, task="Speak.", about=tuple(about), form=used)))
        self.events.append(Replied(key=key, reply=Reply(text=f"{who} on {act}", fields=fields, asked=text)))
        return key

    def fail(self, who: str, act: str) -> None:
        """One is asked and does not answer."""
        key = f"/debate/{act}#{len(self.events)}"
        self.events.append(Asked(ask=Ask(key=key, to=who, act=act, task="Speak.")))
        self.events.append(Failed(key=key, kind="timeout", reason="late"))

    def end(self, decision: Decision | None = None) -> "Paper":
        """It is decided, or not, and closed."""
        if decision:
            self.events.append(Ruled(decision=decision))
        self.events.append(Closed(status=decision.status if decision else "no_decision", reason="over"))
        return self

    def entries(self, at: float = 1000.0) -> tuple[Entry, ...]:
        """The record; each entry a second after the one before."""
        return tuple(Entry(seq=n, at=at + n, event=event) for n, event in enumerate(self.events, start=1))

    def lines(self, at: float = 1000.0) -> list[str]:
        """The same as it is stored."""
        lines: list[str] = []
        for entry in self.entries(at):
            prev = digest(lines[-1]) if lines else ""
            lines.append(encode(Entry(seq=entry.seq, at=entry.at, event=entry.event, prev=prev)))
        return lines


def taught(topic: str, text: str = "yes", *, at: float = 0.0, uses: tuple[str, ...] = (), issue: str = "") -> Lessons:
    """What a debate on a topic teaches, made up."""
    outcome = Outcome(
        topic=topic,
        protocol="panel",
        domain="",
        status="decided",
        text=text,
        how="3 of 4",
        strength="moderate",
        share=0.75,
        dissent=("Bob for no",),
        minority=("no",),
        trust="unconfirmed",
        seq=9,
    )
    patterns = (
        Pattern(
            critic="Ann",
            author="Bob",
            issue=issue,
            suggestion="count again",
            before="no",
            after="yes",
            because="",
            seq=5,
        ),
    )
    return Lessons(at=at, outcome=outcome, patterns=patterns if issue else (), uses=uses)
