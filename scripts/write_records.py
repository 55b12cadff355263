"""Writes the corpus of records that every later version must read: one debate of each protocol, in the current format.

Run it once for a new format version, and never again over an old one: ``python scripts/write_records.py``.
"""

import asyncio
from pathlib import Path

from folkmoot.core.brief import Brief, Participant, Settings, Source
from folkmoot.protocols.known import KNOWN, build
from folkmoot.record.store import VERSION
from folkmoot.testing.replay import Harness, SeededAgent

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "records"
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


async def write() -> None:
    """Hold and store one debate of each protocol."""
    for name in KNOWN:
        result = await Harness(brief=BRIEF, protocol=build(name, BRIEF), name=name).run(
            {participant.name: SeededAgent(3) for participant in BRIEF.participants}
        )
        path = FOLDER / f"v{VERSION}-{name}.jsonl"
        if path.exists():
            raise SystemExit(f"{path.name} exists: records of a format that has been released are never written anew")
        path.write_text("\n".join(result.lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(write())
