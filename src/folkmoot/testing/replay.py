"""Cut a record anywhere, resume it and compare: whether two runs are the same debate."""

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from folkmoot.core.agent import Agent, Context, Quote, Recorder
from folkmoot.core.ask import Ask, Field, Reply, Value
from folkmoot.core.brief import Brief
from folkmoot.core.event import Called, Entry, Opened
from folkmoot.core.transcript import Transcript
from folkmoot.engine.driver import DriverOptions, debate
from folkmoot.phases.base import Phase
from folkmoot.protocols.spec import dump, load_opened
from folkmoot.record.in_memory import InMemoryStore
from folkmoot.record.ledger import Ledger
from folkmoot.record.store import read


class SeededAgent:
    """An agent whose answer to an ask depends on the ask and a seed alone, through one model call on record.

    Args:
        seed: what the answers are drawn from.
        latency: seconds before each answer, from the ask's key.

    Attributes:
        sent: the keys of the calls that were really sent.
    """

    def __init__(self, seed: int = 0, *, latency: Callable[[str], float] | None = None) -> None:
        self.seed, self.latency = seed, latency
        self.sent: list[str] = []

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        """Answer one ask; see ``core.agent.Agent``."""
        shown = "|".join((*(turn.text for turn in context.turns), *(turn.text for turn in context.about)))

        async def send() -> Called:
            self.sent.append(ask.key)
            await asyncio.sleep(self.latency(ask.key) if self.latency else 0)
            text = f"{ask.act} by {ask.to} on {_draw(self.seed, ask.key, shown) % 1000}"
            return Called(key=ask.key, call="answer", text=text, model="oracle")

        called = await recorder.call("answer", Quote(model="oracle", tokens=1), send)
        fields = {item.name: self._value(item, ask) for item in ask.form.fields} if ask.form else {}
        return Reply(text=called.text, fields=fields, asked="oracle", seconds=1.0)

    def _value(self, field: Field, ask: Ask) -> Value:
        n = _draw(self.seed, ask.key, field.name)
        return value_of(field, n, f"answer {n % 2}")


def value_of(field: Field, n: int, words: str) -> Value:
    """A value that a field takes, drawn by a number; of a text field these words."""
    match field.kind:
        case "choice":
            return field.choices[n % len(field.choices)]
        case "number":
            low, high = field.low or 0.0, 1.0 if field.high is None else field.high
            return low + (high - low) * (n % 11) / 10
        case "flag":
            return n % 2 == 0
        case "list" if field.choices:
            turned = n % len(field.choices)
            return (*field.choices[turned:], *field.choices[:turned])
        case "list":
            return tuple(f"point {number}" for number in range(n % 3))
        case "text":
            return words


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldDebate:
    """A debate that was held: its lines, its entries, what it came to."""

    lines: tuple[str, ...]
    entries: tuple[Entry, ...]
    transcript: Transcript


@dataclass(slots=True, kw_only=True)
class Harness:
    """A place to hold debates in memory, whole or cut.

    Attributes:
        brief: the brief.
        protocol: the phase tree.
        name: the protocol's name.
        hosting: makes what a host lends; a new one for each run.
        clock: seconds since 1970, as the record has them.
    """

    brief: Brief
    protocol: Phase
    name: str = "test"
    hosting: Callable[[], DriverOptions] = field(default=DriverOptions)
    clock: Callable[[], float] = field(default=lambda: 0.0)

    async def run(
        self, agents: Mapping[str, Agent] | Callable[[Ledger], Mapping[str, Agent]], lines: Sequence[str] = ()
    ) -> HeldDebate:
        """Run the debate from the end of these lines on; agents that send messages unasked are made with the ledger."""
        store = InMemoryStore()
        if lines:
            await store.append("d", lines, after=0)
        ledger = Ledger(store, "d", clock=self.clock)
        await ledger.open()
        opened = Opened(brief=self.brief, protocol=dump(self.protocol), name=self.name)
        # The tree goes through its data form, as it does on a real resume.
        tree = load_opened(opened)
        sitting = agents(ledger) if callable(agents) else agents
        await debate(opened, tree, sitting, ledger=ledger, options=self.hosting())
        stored = await store.read("d")
        return HeldDebate(lines=stored, entries=read(stored), transcript=ledger.transcript)


def essence(transcript: Transcript) -> list[object]:
    """What must be the same in two runs of one debate, however they were cut: turns, answers, decision, end."""
    turns = [
        (turn.key, turn.by, turn.ask, turn.reply and replace(turn.reply, seconds=0.0), turn.failure)
        for turn in transcript.all()
    ]
    return [*turns, tuple(transcript.entered), tuple(transcript.halts.items()), transcript.decision, transcript.closed]


def calls(entries: Sequence[Entry]) -> list[str]:
    """The keys of the asks with a finished model call on record."""
    return [entry.event.key for entry in entries if isinstance(entry.event, Called)]


def _draw(*parts: object) -> int:
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6])
