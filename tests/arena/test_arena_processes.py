"""An arena is the same debate in every process, whatever the seed of its hashes; sparse tables at their limits."""

import os
import subprocess
import sys
from random import Random
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.policy.pairing import Pairs, Topology
from tests.paths import ROOT

PLAY = """
import asyncio, hashlib
from folkmoot.core.brief import Brief, Participant
from folkmoot.phases.choices import Choices
from folkmoot.protocols.known import build
from folkmoot.testing.replay import Harness, SeededAgent, essence
people = tuple(Participant(name=name) for name in ("Ann", "Bob", "Cy", "Di", "Eve", "Flo"))
brief = Brief(topic="Tea?", participants=people, seed=7)
for topology in {topologies!r}:
    tree = build("arena", brief, Choices(topology=topology, rounds=2, until=("lead_decided",)))
    held = asyncio.run(Harness(brief=brief, protocol=tree).run({{each.name: SeededAgent(3) for each in people}}))
    print(topology, hashlib.sha256(repr(essence(held.transcript)).encode()).hexdigest())
"""


@pytest.mark.system
def test_every_topology_is_the_same_debate_in_every_process() -> None:  # R7
    lines = [
        subprocess.run(
            [sys.executable, "-c", PLAY.format(topologies=get_args(Topology))],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for seed in ("0", "1", "4711")
    ]
    assert lines[0] == lines[1] == lines[2]
    assert len({line.split()[1] for line in lines[0]}) == len(get_args(Topology)), "each of them is another debate"


@given(count=st.integers(2, 9), seed=st.integers(0, 99), hub=st.integers(0, 9))
def test_exact_counts(count: int, seed: int, hub: int) -> None:
    names = [f"P{n}" for n in range(count)]
    every = {(name, other) for name in names for other in names if name != other}
    ring = {(name, names[(n + 1) % count]) for n, name in enumerate(names)}

    def draw(pairs: Pairs) -> tuple[tuple[str, str], ...]:
        return pairs.draw(names, round=1, chance=Random(seed))

    assert set(draw(Pairs(topology="all-to-all"))) == every
    assert len(draw(Pairs(topology="all-to-all"))) == count * (count - 1)
    assert set(draw(Pairs(topology="ring"))) == ring
    assert set(draw(Pairs(topology="sparse", density=0.0))) == ring
    assert set(draw(Pairs(topology="sparse", density=1.0))) == every
    assert ring <= set(draw(Pairs(topology="sparse"))) <= every
    centre = f"P{hub}" if hub < count else "P0"
    assert set(draw(Pairs(topology="star", hub=f"P{hub}"))) == {pair for pair in every if centre in pair}


@pytest.mark.parametrize("topology", get_args(Topology))
def test_nobody_alone_criticises_himself(topology: Topology) -> None:
    assert Pairs(topology=topology).draw(["Ann"], round=1, chance=Random(1)) == ()
    assert Pairs(topology=topology).draw([], round=1, chance=Random(1)) == ()
