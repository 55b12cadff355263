"""Writes the corpus of what stands beside records that every later version must read, through a real server.

Run it once for a new format of side events, and never again over an old one:
``PYTHONPATH=. python scripts/write_side_records.py``. The file of format 1 was written while side events were still
JSON inside interjections.
"""

import asyncio
import json
import sqlite3
import tempfile
from dataclasses import replace
from pathlib import Path

import httpx2

from folkmoot.app.export.learned import add_note
from folkmoot.app.run.access import note_allowance
from folkmoot.app.serve.spending import Reservations
from folkmoot.core.brief import Limits
from folkmoot.record.store import SIDE_VERSION
from tests.web.web_kit import ADA, API, QUOTES, SERVING, Web, opened

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "record" / "data"


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
    await _post(web.me, f"/debates/{ended}/resolve", {"answer": "Tea", "anyway": True})
    workspace = web.site.workspace
    await add_note(workspace, ended, "domain", "hot drinks")
    await add_note(workspace, ended, "forget")
    # Only workers and debates with a price write these.
    await note_allowance(workspace, debate, Limits(asks=50, cost=0.4))
    reservations = Reservations(workspace.store, workspace.clock)
    await reservations.make("ben", debate, 0.25, 3)
    await reservations.make("ben", ended, 0.5, 0)
    await reservations.drop("ben", ended)


async def _serve(folder: Path) -> None:
    async with opened(folder, real=True, serving=replace(SERVING, daily=5.0)) as web:
        await _fill(web)


def write(path: Path) -> None:
    """Write the rows of the store as lines of JSON."""
    if path.exists():
        raise SystemExit(f"{path.name} exists: records of a format that has been released are never written anew")
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_serve(Path(folder)))
        with sqlite3.connect(Path(folder) / "folkmoot.sqlite") as link:
            rows = link.execute("SELECT debate, seq, text FROM line ORDER BY id").fetchall()
        link.close()
    lines = [json.dumps({"debate": debate, "seq": seq, "text": text}, ensure_ascii=False) for debate, seq, text in rows]
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(FOLDER / f"side-events-v{SIDE_VERSION}.jsonl")
