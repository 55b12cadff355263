"""Phase trees as data, and what cannot be played."""

import json

import pytest

from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import ProtocolError
from folkmoot.core.transcript import Transcript
from folkmoot.phases.base import State
from folkmoot.phases.revise import RECONSIDER, Revise
from folkmoot.phases.vote import labels
from folkmoot.protocols.known import KNOWN, Choices, build
from folkmoot.protocols.socratic import Examination, answer_form
from folkmoot.protocols.spec import dump, load
from tests.kits.players import ANN, BOB, CHAIR, CY


@pytest.mark.parametrize("name", KNOWN)
def test_a_protocol_survives_as_data(name: str) -> None:
    tree = build(name, Brief(topic="?", participants=(ANN, BOB, CY, CHAIR)))
    data = dump(tree)
    assert load(json.loads(json.dumps(data))) == tree


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "None is not a part"),
        ({"is": "Nothing"}, "'Nothing' is not a part of a protocol; a package that offers it may not be installed"),
        ({"is": "Rounds"}, "Rounds in a protocol: .*each"),
        ({"is": "Everyone", "act": "a", "task": "b", "colour": 1}, "colour"),
        ({"is": "View"}, "a protocol is a phase, not View"),
        ({"is": "Sequence", "parts": []}, "at least one phase"),
        ({"is": "Rounds", "each": {"is": "Adopt"}, "most": 101}, "101 is not a number from 0 to 100"),
    ],
)
def test_bad_data_is_no_protocol(data: dict[str, object], message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        load(data)


def test_only_known_parts_can_be_stored() -> None:
    with pytest.raises(ProtocolError, match=r"Participant of .* cannot be in a protocol: no package offers its module"):
        dump(ANN)


@pytest.mark.parametrize(
    ("name", "people", "choices", "message"),
    [
        ("duel", (ANN, BOB), Choices(), "no protocol is called 'duel'; there are panel, council"),
        ("panel", (ANN,), Choices(), "at least 2 debaters, not 1"),  # D1
        ("panel", (), Choices(), "at least 2 debaters, not 0"),
        ("moderated", (ANN, BOB), Choices(), "moderated needs one moderator, not 0"),
        (
            "council",
            (ANN, BOB),
            Choices(strategy="bogus"),
            "no strategy is called 'bogus' here; there are majority",
        ),  # K23
        ("council", (ANN, BOB), Choices(strategy="moderator"), "needs one moderator, not 0"),  # K23
        ("panel", (ANN, BOB), Choices(rounds=4), "panel has at most 3 rounds, not 4"),
        ("moderated", (ANN, BOB, CHAIR), Choices(rounds=0), "moderated needs at least 1 round, not 0"),  # A17
        ("round_robin", (ANN, BOB, CHAIR), Choices(rounds=0), "round_robin needs at least 1 round, not 0"),
    ],
)
def test_what_cannot_be_played_is_refused(
    name: str, people: tuple[Participant, ...], choices: Choices, message: str
) -> None:
    with pytest.raises(ProtocolError, match=message):
        build(name, Brief(topic="?", participants=people), choices)


def test_the_table_counts_rounds_and_draws_chance_by_place() -> None:
    table = State(brief=Brief(topic="?", seed=1), transcript=Transcript())
    assert table.round == 0
    assert table.at("round-2").at("argue").round == 2
    assert table.chance().random() == table.chance().random()
    assert table.chance().random() != table.at("x").chance().random()
    assert table.chance("a").random() != table.chance("b").random()


def test_letters_go_on_behind_z() -> None:
    assert labels(28)[25:] == ("Proposal Z", "Proposal AA", "Proposal AB")


def test_what_participants_are_told_stands_in_the_record_even_where_it_is_usual() -> None:
    assert dump(Revise())["offer"] == RECONSIDER
    usual = dump(Examination(by="Ann", who=("Bob",), form=answer_form(())))
    assert {"question", "task", "reply"} <= usual.keys()
    assert "name" not in usual
