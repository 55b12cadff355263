"""A provider that counts tokens oddly costs no answer: every wire, over real connections."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from folkmoot.core.event import Entry
from folkmoot.models.pool import Pool
from folkmoot.record.store import decode, encode
from folkmoot.testing import wire_formats
from folkmoot.testing.wire_formats import Body, Dialect, Plan
from folkmoot.testing.wires import Wires
from tests.models.models_kit import HASTY, Notebook, ask, environment

pytestmark = [
    pytest.mark.filterwarnings("ignore:Failed to extract usage"),
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
]

MODELS = ["ollama:tiny", "openai:gpt-4o-mini", "groq:llama-3.3-70b-versatile", "anthropic:claude-haiku-5-5"]
IN, OUT = 111_111, 222_222
ODD = {
    "a fraction": "2.5",
    "negative": "-7",
    "huge": "1" + "0" * 400,
    "beyond 64 bits": str(2**70),
    "an exponent": "1e999",
    "not a number": "NaN",
    "infinite": "-Infinity",
    "a text": '"many"',
    "digits in a text": '"12"',
    "true": "true",
    "nothing": "null",
    "a list": "[1, 2]",
    "an object": '{"tokens": 12}',
    "nested": "[" * 50 + "]" * 50,
}


def counting(dialect: Dialect, odd: str) -> Dialect:
    """The wire with something else in the place of every number of tokens."""

    def frames(plan: Plan, body: Body) -> tuple[list[bytes], bytes]:
        pieces, end = dialect.frames(plan, body)
        *changed, last = [_changed(piece, odd) for piece in (*pieces, end)]
        assert (changed, last) != (pieces, end), "nothing was counted oddly"
        return changed, last

    return replace(dialect, frames=frames)


def _changed(piece: bytes, odd: str) -> bytes:
    for number in (IN, OUT, IN + OUT):
        piece = piece.replace(b":%d" % number, b":" + odd.encode())
    return piece


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("odd", ODD)
async def test_an_odd_number_of_tokens_costs_no_answer(name: str, odd: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wires: Mapping[str, Dialect] = {
        path: counting(dialect, ODD[odd]) for path, dialect in wire_formats.DIALECTS.items()
    }
    monkeypatch.setattr(wire_formats, "DIALECTS", wires)
    async with Wires(script=lambda call: Plan(text="Build it.", usage=(IN, OUT, 0))).serve() as server:
        pool = Pool(env=environment(server.url), retry=HASTY)
        notebook = Notebook()
        called = await pool.model(name).complete(ask(), notebook)
        await pool.close()
    assert called.text == "Build it."
    assert len(notebook.calls) == 1, "it was not asked again"
    usage = called.usage
    assert not {usage.input_tokens, usage.output_tokens} & {IN, OUT}, "that was counted oddly"
    assert all(type(count) is int and 0 <= count < 2**53 for count in (usage.input_tokens, usage.output_tokens))
    line = encode(Entry(seq=1, at=0.0, event=replace(called, key="/debate/x#1"), prev=""))
    assert decode(line).event == replace(called, key="/debate/x#1")
    assert json.loads(line)
