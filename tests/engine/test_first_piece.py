"""Which piece of a try is its first one."""

from folkmoot.core.ask import Ask
from folkmoot.core.brief import Brief
from folkmoot.core.event import Asked, Called, Signal
from folkmoot.engine.calls import Budget, CallRecorder
from folkmoot.models.base import Request
from folkmoot.record.ledger import Ledger
from folkmoot.testing.scripted import ScriptedModel
from folkmoot.testing.store_checks import InMemoryStore


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
