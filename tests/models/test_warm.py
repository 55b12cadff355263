"""Providers' libraries are loaded before the time of a turn begins, and hold nobody up meanwhile."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.system

SLOW = 2.5
TURN = 2.0

HOLD = """
import asyncio, os, sys, time
from importlib.abc import MetaPathFinder

class Slowly(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == sys.argv[1]:
            time.sleep(float(sys.argv[2]))

sys.meta_path.insert(0, Slowly())

from folkmoot.core.brief import Brief, Limits, Participant
from folkmoot.core.event import Failed
from folkmoot.app.run.workspace import Workspace
from folkmoot.models.pool import Pool
from folkmoot.testing.store_checks import InMemoryStore
from folkmoot.testing.wires import Wires

async def main():
    stood, over = 0.0, False

    async def tick():
        nonlocal stood
        clock = asyncio.get_running_loop().time
        while not over:
            began = clock()
            await asyncio.sleep(0.01)
            stood = max(stood, clock() - began)

    async with Wires().serve() as wires, asyncio.TaskGroup() as group:
        env = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": wires.url + "/v1"}
        os.environ.update(env)
        desk = Workspace(InMemoryStore(), pool=Pool(env=env))
        people = tuple(Participant(name=name) for name in ("Ann", "Bob"))
        brief = Brief(topic="Tea?", participants=people, limits=Limits(turn_seconds=float(sys.argv[3])))
        group.create_task(tick())
        await desk.run(desk.plan(brief, models=(sys.argv[4],)), "d")
        over = True
        failed = [entry.event for entry in await desk.entries("d") if isinstance(entry.event, Failed)]
        print(len(wires.calls), failed, stood)
        assert sys.argv[1] in sys.modules, "it was never loaded"
        assert wires.calls and not failed
        assert stood < float(sys.argv[2]) * 0.8, f"the loop stood still for {stood:.1f} s"
        await desk.close()

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("library", "model"), [("aiohttp", "openai:gpt-4o-mini"), ("pydantic_ai", "library:openai-chat:gpt-4o-mini")]
)
def test_a_library_that_loads_slowly_costs_no_turn_and_stops_no_loop(tmp_path: Path, library: str, model: str) -> None:
    words = [sys.executable, "-c", HOLD, library, str(SLOW), str(TURN), model]
    env = {**os.environ, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    went = subprocess.run(words, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert went.returncode == 0, went.stdout + went.stderr
