"""Writes the records that the tests read: some debates, and what a real server stores beside records.

From the first release on, a file of a released format is never written anew, because every later version must read it.
Until then, run it again after a change of what is recorded: ``PYTHONPATH=src:. python scripts/write_records.py``.
"""

import asyncio
import json
import sqlite3
import tempfile
from dataclasses import replace
from pathlib import Path

import httpx2

from folkmoot.app.export.learned import add_note
from folkmoot.app.run.access import note_allowance, rename
from folkmoot.app.serve.spending import Reservations
from folkmoot.core.brief import Brief, Limits, Participant, Settings, Source
from folkmoot.core.event import Batched, Gathered
from folkmoot.protocols.known import build
from folkmoot.record.mailbox import SideStream
from folkmoot.record.store import VERSION
from folkmoot.testing.replay import Harness, SeededAgent
from tests.paths import TESTS
from tests.web.web_kit import ADA, API, QUOTES, SERVING, Web, opened

PROTOCOLS = ("arena", "council", "moderated", "panel", "round_robin")
BRIEF = Brief(
    topic="Tea or coffee? – “naïve” \U0001f375",
    background=(Source(name="facts.md", text="Tea is warm.\nCoffee too.", line=3),),
    rules="Be brief.",
    participants=(
        Participant(name="Ann", role="for", seat="oracle", weight=0.9, settings=Settings(temperature=0.2, seed=1)),
        Participant(name="Bob", persona="Against.", seat="oracle"),
        Participant(name="Cy", seat="oracle"),
        Participant(name="Chair", seat="oracle", duty="moderator"),
    ),
    seed=7,
)


async def write_debates(folder: Path) -> None:
    """Hold and store one debate of each of these protocols."""
    for name in PROTOCOLS:
        result = await Harness(brief=BRIEF, protocol=build(name, BRIEF), name=name).run(
            {participant.name: SeededAgent(3) for participant in BRIEF.participants}
        )
        (folder / f"v{VERSION}-{name}.jsonl").write_text("\n".join(result.lines) + "\n", encoding="utf-8")


async def _post(client: httpx2.AsyncClient, path: str, body: object = None, **headers: str) -> dict[str, object]:
    response = await client.post(f"{API}{path}", json=body, headers=headers)
    assert response.is_success, response.text
    return response.json() if response.content else {}


async def _fill(web: Web) -> None:
    """Have a program with a token and the person at the machine do all that is stored beside a record."""
    begun = await _post(
        web.ann,
        "/debates",
        {"brief": ADA, "models": ["builtin:quotes"], "limits": {"cost": 0.5}},
        **{"Idempotency-Key": "tea-1"},
    )
    debate = str(begun["id"])
    await web.asked(web.ann, debate)
    shares = [
        await _post(web.ann, f"/debates/{debate}/shares", body)
        for body in ({"right": "view"}, {"right": "join", "who": "Ada"}, {"right": "join"})
    ]
    response = await web.ann.delete(f"{API}/debates/{debate}/shares", params={"id": str(shares[2]["id"])})
    assert response.is_success, response.text
    for _ in range(2):
        body = {"by": "Ann", "words": "Think of the cups."}
        await _post(web.ann, f"/debates/{debate}/interjections", body, **{"Idempotency-Key": "remark-1"})
    await _post(web.ann, f"/debates/{debate}/stop", {"now": True})
    await web.site.runner.wait(debate)
    await _post(web.ann, f"/debates/{debate}/resume", {"limits": {"asks": 40, "cost": 0.4}})
    await web.asked(web.ann, debate)
    await _post(web.ann, f"/debates/{debate}/stop", {"now": True})
    await web.site.runner.wait(debate)
    ended = await web.ended(web.me, brief=QUOTES)
    await _post(web.me, f"/debates/{ended}/resolve", {"answer": "Tea", "force": True})
    workspace = web.site.workspace
    await add_note(workspace, ended, "domain", "hot drinks")
    await add_note(workspace, ended, "forget")
    # Only workers and debates with a price write these.
    await note_allowance(workspace, debate, Limits(asks=50, cost=0.4))
    reservations = Reservations(workspace.store, workspace.clock)
    await reservations.make("ben", debate, 0.25, 3)
    await reservations.make("ben", ended, 0.5, 0)
    await reservations.drop("ben", ended)
    await rename(workspace, ended, "Breakfast")
    batches = SideStream(workspace.store, "@", "jobs", clock=workspace.clock)
    await batches.post(Gathered(job="j1", model="openai:gpt-5.4-mini", items=("m1", "m2")))
    await batches.post(Batched(job="j1", state="sent", handle="batch_1"))


async def _serve(folder: Path) -> None:
    async with opened(folder, real=True, serving=replace(SERVING, daily=5.0)) as web:
        await _fill(web)


def write_side_events(path: Path) -> None:
    """Write the rows of a store that a server has filled, as lines of JSON."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_serve(Path(folder)))
        with sqlite3.connect(Path(folder) / "folkmoot.sqlite") as link:
            rows = link.execute("SELECT debate, seq, text FROM folkmoot_line ORDER BY id").fetchall()
        link.close()
    lines = [json.dumps({"debate": debate, "seq": seq, "text": text}, ensure_ascii=False) for debate, seq, text in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(write_debates(TESTS / "records"))
    write_side_events(TESTS / "record" / "data" / f"side-events-v{VERSION}.jsonl")
