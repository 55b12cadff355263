"""How fast records are read for analysis: from the store to positions, flips, ties, grounds, beliefs and insights.

1,000 records of an arena with 5 participants, 20 proposals, critiques and revisions a round and a model call for each
answer are read and analysed one after the other; at least 20,000 entries in a second of one processor.

The baseline is the stored lines alone, parsed as JSON by Python and dropped. The limit is for processor time, which
equals wall time on an idle machine; both are printed. Run it with ``make bench`` or
``python benchmarks/analyse.py [--debates 1000]``; it exits with 1 if the limit is exceeded.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

from folkmoot.app.export.analyses import analyse_debates, write_data
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.agent import Agent, Context, Quote, Recorder
from folkmoot.core.ask import Ask, Reply, Usage
from folkmoot.core.brief import Brief, Limits, Participant
from folkmoot.core.event import Called, Entry, Opened
from folkmoot.engine.driver import debate
from folkmoot.protocols.known import build
from folkmoot.protocols.spec import dump
from folkmoot.record.ledger import Ledger
from folkmoot.record.store import Store

LEAST = 20_000
"""Entries a second."""

NAMES = ("Ann", "Ben", "Cid", "Dee", "Eve")
BRIEF = Brief(
    topic="Shall the depot move?",
    participants=tuple(Participant(name=name, seat="bench:model") for name in NAMES),
    options=("move", "stay"),
    limits=Limits(parallel=len(NAMES)),
)


class Clock:
    """Takes the time from now on: that of one processor, and that on the wall."""

    def __init__(self) -> None:
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    @property
    def cpu(self) -> float:
        """Seconds of the processor so far."""
        return time.process_time() - self._cpu

    def told(self, entries: int) -> str:
        """The rate in words."""
        wall = time.perf_counter() - self._wall
        return f"{entries / self.cpu:9,.0f} entries in a second of one processor ({entries / wall:9,.0f} on the wall)"


class Writer:
    """A seat that answers each form, by way of a call; two change their answers, and no claim comes twice."""

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        """Answer one ask."""
        answer = (
            "move" if context.me.name in NAMES[:2] or (context.me.name == "Cid" and ask.act == "revise") else "stay"
        )
        argument = f"The figures of {ask.key} say so. " + "They were counted twice by the yard. " * 8
        fields: dict[str, str | float] = {"ANSWER": answer, "CONFIDENCE": 0.7, "ARGUMENT": argument}
        if ask.act == "critique":
            fields = {"ISSUE": f"{ask.key}: {argument}", "SEVERITY": 5.0, "SUGGESTION": "Count again."}
        form = ask.form.fields if ask.form else ()
        fields = {
            form_field.name: fields.get(form_field.name) or (form_field.choices or ("word",))[0] for form_field in form
        }
        text = "\n".join(f"{name}: {value}" for name, value in fields.items())

        async def send() -> Called:
            usage = Usage(input_tokens=900, output_tokens=90, cost=0.001)
            return Called(key="", call="answer", text=text, model="bench:model", served="bench:model", usage=usage)

        called = await recorder.call("answer", Quote(model="bench:model", tokens=1000), send)
        return Reply(text=called.text, fields=fields, asked="bench:model", served="bench:model", usage=called.usage)


async def fill(store: Store, count: int) -> None:
    """Hold one debate and store its record under so many ids."""
    tree = build("arena", BRIEF)
    opened = Opened(brief=BRIEF, protocol=dump(tree), name="arena")
    ledger = Ledger(store, "d0", clock=time.time)
    await ledger.open()
    seats: dict[str, Agent] = {name: Writer() for name in NAMES}
    await debate(opened, tree, seats, ledger=ledger)
    lines = await store.read("d0")
    for n in range(1, count):
        await store.append(f"d{n}", lines, after=0)


async def measure(count: int, folder: Path) -> bool:
    """Print the rates; whether they are high enough."""
    workspace = Workspace.at(folder / "records.sqlite")
    try:
        await fill(workspace.store, count)
        clock = Clock()
        entries = 0
        for n in range(count):
            entries += len([json.loads(line) for line in await workspace.lines(f"d{n}")])
        least, floor, clock = clock.cpu, clock.told(entries), Clock()
        for n in range(count):
            entries_read: tuple[Entry, ...] = await workspace.entries(f"d{n}")
            assert len(entries_read) * count == entries
        share, read, clock = least / clock.cpu, clock.told(entries), Clock()
        analyses, _ = await analyse_debates(workspace, [f"d{n}" for n in range(count)])
        rate, both = entries / clock.cpu, clock.told(entries)
        clock = Clock()
        write_data(analyses)
        wrote = clock.told(entries)
    finally:
        await workspace.close()
    print(f"{count:,} records, {entries:,} entries, {len(analyses[0].agreement.flips)} changed answers each")
    print(f"  floor: JSON alone {floor}")
    print(f"  read only         {read}: {share:.2f} of the floor")
    print(f"  read and analysed {both}; at least {LEAST:,} are wanted")
    print(f"  written as JSON   {wrote}")
    return rate >= LEAST


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--debates", type=int, default=1000, help="how many records")
    debates: int = parser.parse_args().debates
    with tempfile.TemporaryDirectory() as name:
        within_limits = asyncio.run(measure(debates, Path(name)))
    sys.exit(0 if within_limits else 1)


if __name__ == "__main__":
    main()
