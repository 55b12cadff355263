"""The measures of `benchmarks/scale.py` and `benchmarks/database.py` in small: every row holds all of its debates."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.paths import ROOT
from tests.record.pg import Postgres

BENCHMARKS = ROOT / "benchmarks"
WANTED = {"debates": 3, "parallel": 2, "seconds": 20.0, "pause": 0.01}


def load(name: str) -> ModuleType:
    spec = spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert spec
    assert spec.loader
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCALE, DATABASE = load("scale"), load("database")


@pytest.fixture
def server(postgres: Postgres) -> Any:
    return SCALE.Server(postgres.server)


def test_every_row_holds_all_its_debates(server: Any, tmp_path: Path) -> None:
    rows = SCALE.rows(WANTED, [1], server, tmp_path)
    assert [row.name for row in rows] == ["bare asyncio", "SQLite", "PostgreSQL", "1 worker", "engine's steps"]
    assert [row.done for row in rows] == [3] * 5
    assert [row.asks for row in rows] == [45] * 5
    assert all(row.wall > 3 * 0.005 for row in rows), "three rounds of calls, of which each takes half of 0.01 s"
    posts = [row.server for row in rows if row.server]
    assert len(posts) == 3
    assert all(done >= 3 and log > 0 for _, done, _, log, _ in posts), "each debate is committed"
    assert [appends >= 3 * 4 for _, _, appends, _, _ in posts] == [True, True, False], "each round's answers are"
    lines = SCALE.table(rows)
    assert [line[:14].strip() for line in lines] == ["", *[row.name for row in rows]]
    assert len({len(line) for line in lines}) == 1


def test_the_table_has_ratios_to_its_floor() -> None:
    floor = SCALE.Measured(name="floor", done=2, asks=30, wall=1.0, cpu=0.03)
    whole = SCALE.Measured(
        name="whole", done=4, asks=60, wall=4.0, cpu=0.6, server=(0.3, 30.0, 6.0, 120_000.0, 60_000.0)
    )
    assert whole.cells(floor) == (
        "whole",
        "4",
        "1.0",
        "15",
        "2.00",
        "10.000",
        "10.0",
        "5.000",
        "0.50",
        "0.10",
        "2.00",
        "1.00",
    )
    none = SCALE.Measured(name="none", done=0, asks=0, wall=0.0, cpu=0.0)
    assert none.cells(floor) == ("none", "0", *[""] * 10)


async def test_a_look_does_not_queue_debates_that_are_held(server: Any) -> None:
    lines = await DATABASE.leases(server, [300])
    assert len(lines) == 2
    assert server.ask("SELECT count(*) FROM folkmoot_job WHERE state = 'running'") == "300"
    assert server.ask("SELECT count(*) FROM folkmoot_lease WHERE worker = 'w1'") == "100"


def test_commits_are_counted(server: Any) -> None:
    SCALE.measure("", "appends", server.make(), WANTED)
    before = int(server.ask("SELECT count(*) FROM folkmoot_line"))
    assert DATABASE.commits(server, 2, 1, DATABASE.TELLING) > 10
    assert int(server.ask("SELECT count(*) FROM folkmoot_line")) > before + 10
