"""The pages on the arena and on events say what the code does."""

from typing import get_args

import pytest

from doc_protocols import draw, table_of
from folkmoot.phases.choices import Condition
from folkmoot.policy.pairing import Pairs, Topology
from folkmoot.protocols import known, spec
from folkmoot.report.turn_text import NAMES
from tests.paths import ROOT

PAGES = ROOT / "docs" / "how-to"
ARENA = (PAGES / "the-arena.md").read_text("utf-8")


def test_the_tree_is_that_of_the_protocol() -> None:
    tree = "\n".join(draw(spec.dump(known.build("arena", table_of(3)))))
    assert f"```text\n{tree}\n```" in ARENA


@pytest.mark.parametrize("condition", get_args(Condition))
def test_every_condition_is_explained(condition: str) -> None:
    assert f"\n| `{condition}` |" in ARENA


@pytest.mark.parametrize(
    ("topology", "label", "critiques"),
    [
        ("all-to-all", "N(N − 1)", 30),
        ("ring", "N", 6),
        ("round-robin", "N", 6),
        ("star", "2(N − 1)", 10),
        ("sparse", "from N", 6),
        ("adaptive", "2N, from N = 3", 12),
    ],
)
def test_every_topology_has_its_count(topology: Topology, label: str, critiques: int) -> None:
    assert f"\n| `{topology}` | {label} |" in ARENA
    assert Pairs(topology=topology).least(6) == critiques


@pytest.mark.parametrize("name", NAMES)
def test_every_documented_event_is_listed(name: str) -> None:
    assert f"\n| `{name}` | {NAMES[name]} |\n" in (PAGES / "read-the-record.md").read_text("utf-8")
