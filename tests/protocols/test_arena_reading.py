"""How votes and answers to critiques are read in an arena."""

from collections.abc import Mapping

import pytest

from folkmoot.answers.layout import read
from folkmoot.core.ask import Field, Form, Layout, Value
from folkmoot.core.brief import Brief, Source
from folkmoot.demo.debater import DemoDebater
from folkmoot.phases.choices import Choices
from folkmoot.protocols.known import build
from folkmoot.testing.replay import Harness
from tests.kits.players import ANN, BOB, CY

CHOICE = Field(name="CHOICE", kind="choice", choices=("a", "b"))
CONFIDENCE = Field(name="CONFIDENCE", kind="number", low=0, high=1, required=False)


@pytest.mark.parametrize(
    ("layout", "text", "fields"),
    [
        ("sections", "choice: a", {"CHOICE": "a"}),  # R15
        ("sections", "**CHOICE:** a\nCONFIDENCE: 90%", {"CHOICE": "a", "CONFIDENCE": 0.9}),  # R15
        ("sections", "CHOICE: a\nCONFIDENCE: 7", {"CHOICE": "a"}),  # R15
        ("sections", "CHOICE: zzz", {}),  # D7
        ("json", 'I have thought.\n{"choice":"a","x":{"y":1}}', {"CHOICE": "a"}),  # D11
    ],
)
def test_how_votes_are_read(layout: Layout, text: str, fields: Mapping[str, Value]) -> None:
    assert read(Form(name="ballot", layout=layout, fields=(CHOICE, CONFIDENCE)), text).fields == fields


async def test_the_built_in_debater_accepts_what_it_quotes_and_rejects_the_rest() -> None:
    text = (
        "Tea is cheap.\n\nCoffee is quick.\n\nToo much coffee can cause loss of sleep.\n\nCoffee costs more than tea."
    )
    brief = Brief(topic="Tea or coffee?", participants=(ANN, BOB, CY), background=(Source(name="a.md", text=text),))
    seats = {participant.name: DemoDebater() for participant in brief.participants}
    debate = await Harness(brief=brief, protocol=build("arena", brief, Choices(rounds=1))).run(seats)
    assert all("UNSOURCED" not in turn.fields for turn in debate.transcript.turns("critique"))
    for turn in debate.transcript.turns("revise"):
        fields = [turn.fields.get(name, ()) for name in ("ACCEPTS", "REJECTS")]
        letters = sorted(str(unknown)[0] for word in fields if isinstance(word, tuple) for unknown in word)
        assert letters == ["A", "B"], "each critique is accepted or rejected, once"
