"""Kill test: a real process that runs a debate on a real model server is killed with SIGKILL again and again.

The final transcript must be that of an unbroken run, and no call whose answer was on record may be sent again; the
server counts. The process is forked from one that has loaded everything, so that fifty kills take seconds.
"""

import asyncio
import hashlib
import multiprocessing
import os
import random
import re
import signal
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.event import Attempted, Called, Entry
from folkmoot.core.transcript import fold
from folkmoot.protocols.known import Choices
from folkmoot.record.store import read
from folkmoot.testing.replay import essence
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call, Wires

pytestmark = pytest.mark.system

KILLS, SEED = 50, 20
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([__name__])  # so that no child imports all anew
BRIEF = Brief(
    topic="Tea or coffee?",
    participants=tuple(Participant(name=name, seat="ollama:tiny") for name in ("Ann", "Bob", "Cy", "Di")),
)
MARK = re.compile(r"mark ([0-9a-f]{16})")


def reply(call: Call) -> Plan:
    """Words that carry a mark of the prompt, in small slow pieces."""
    mark = hashlib.sha256(call.prompt.encode()).hexdigest()[:16]
    text = f"ANSWER: answer {mark[0]}\nCONFIDENCE: 0.5\nARGUMENT: It is so, mark {mark}."
    if "I vote for" in call.prompt:
        text = f"Because of mark {mark}.\nI vote for: Proposal A"
    return Plan(text=text, pause=0.001, delay=0.004)


def drive(path: str, debate: str, url: str) -> None:
    """What the child process does: begin the debate, or take it up."""
    os.environ["OLLAMA_HOST"] = url

    async def run() -> None:
        workspace = Workspace.at(Path(path))
        plan = workspace.plan(BRIEF, protocol="panel", choices=Choices(rounds=3), models=("ollama:tiny",))
        if await workspace.lines(debate):
            await workspace.resume(debate)
        else:
            await workspace.run(plan, debate)
        await workspace.close()

    asyncio.run(run())


async def spawn(path: Path, debate: str, url: str) -> BaseProcess:
    child = FORKS.Process(target=drive, args=(str(path), debate, url))
    await asyncio.to_thread(child.start)
    return child


async def entries(path: Path, debate: str) -> tuple[Entry, ...]:
    workspace = Workspace.at(path)
    lines = await workspace.lines(debate)
    await workspace.close()
    return read(lines)


def marks(texts: list[str]) -> list[str]:
    return [mark for text in texts for mark in MARK.findall(text)]


def finished(recorded: tuple[Entry, ...]) -> list[str]:
    """The marks of the calls whose answers are on record."""
    return marks([entry.event.text for entry in recorded if isinstance(entry.event, Called)])


def sent(calls: list[Call]) -> list[str]:
    """The marks of the prompts that the server was sent."""
    return [hashlib.sha256(call.prompt.encode()).hexdigest()[:16] for call in calls]


async def killed_to_the_end(server: Wires, path: Path, debate: str, chance: random.Random, kills: int) -> int:
    """Run a debate to its end, killing whoever runs it; the number of kills that hit."""
    hit = 0
    while True:
        known, calls_before = finished(await entries(path, debate)), len(server.calls)
        child = await spawn(path, debate, server.url)
        if hit < kills:
            # The kill falls so many calls and milliseconds into what this process does.
            until = calls_before + chance.randint(0, 6)
            while len(server.calls) < until and child.is_alive():  # noqa: ASYNC110 - neither sets an event
                await asyncio.sleep(0.001)
            await asyncio.sleep(chance.random() * 0.06)
        else:
            await asyncio.to_thread(child.join)
        if child.is_alive():
            os.kill(child.pid or 0, signal.SIGKILL)
            hit += 1
        await asyncio.to_thread(child.join)
        again = set(known) & set(sent(server.calls[calls_before:]))
        assert not again, f"paid twice: {again}"
        if fold(await entries(path, debate)).closed:
            assert child.exitcode in (0, -signal.SIGKILL)
            return hit


@pytest.mark.timeout(180)
async def test_killed_fifty_times_it_is_the_same_debate_and_nothing_is_paid_twice(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    async with Wires(script=reply).serve() as server:
        whole = await spawn(tmp_path / "whole.sqlite", "whole", server.url)
        await asyncio.to_thread(whole.join)
        unbroken = fold(await entries(tmp_path / "whole.sqlite", "whole"))
        assert unbroken.closed
        assert len(server.calls) >= 12
        hits = n = 0
        while hits < KILLS:
            n += 1
            path = tmp_path / f"{n}.sqlite"
            before = len(server.calls)
            hits += await killed_to_the_end(server, path, "killed", chance, KILLS - hits)
            recorded = await entries(path, "killed")
            assert essence(fold(recorded)) == essence(unbroken)
            keys = [(e.event.key, e.event.call) for e in recorded if isinstance(e.event, Called)]
            assert len(keys) == len(set(keys))
            # Nothing hidden: whatever the server was sent is on record as a try.
            tries = sum(isinstance(entry.event, Attempted) for entry in recorded)
            assert len(server.calls) - before <= tries
    assert hits == KILLS
