"""Which piece of a try is its first one."""

from moot.core.ask import Ask
from moot.core.brief import Brief
from moot.core.event import Asked, Called, Signal
from moot.engine.calls import Budget, CallRecorder
from moot.models.base import Request
from moot.record.ledger import Ledger
from moot.testing.scripted import ScriptedModel
from moot.testing.store_checks import InMemoryStore


async def test_the_first_piece_of_a_try_says_so() -> None:
    ledger, shown = Ledger(InMemoryStore(), "d", clock=lambda: 1.0), list[Signal]()
    recorder = CallRecorder("k", ledger, Budget(Brief(topic="x").limits), shown.append)
    quote = ScriptedModel([]).quote(Request(call="answer", messages=()))

    async def send() -> Called:
        recorder.delta("")
        for piece in ("Te", "a"):
            recorder.delta(piece)
        return Called(key="", call="", text="Tea", model="m")

    await ledger.open()
    async with ledger.writing():
        await ledger.add(Asked(ask=Ask(key="k", to="Ann", act="answer", task="?")))
        await recorder.call("answer", quote, send)
        await recorder.call("again", quote, send)
    pieces = [(piece.text, piece.first) for piece in shown]
    assert pieces == [("Te", True), ("a", False), ("Te", True), ("a", False)]
