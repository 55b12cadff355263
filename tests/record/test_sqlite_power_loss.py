"""SQLite under a layer over the file system: power is lost after any write, a write is short or fails, a sync fails.

The layer (``recorded_writes.c``) is compiled here, preloaded into a process that writes records, and notes each write.
The notes up to any point, with what had not been synced by then kept, lost or torn, are what a disk may hold after a
loss of power.
"""

import asyncio
import random
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from moot.record.sqlite import SqliteStore
from tests.kits.left_out import need_programs

SOURCE = Path(__file__).with_name("recorded_writes.c")


@pytest.fixture(autouse=True)
def _layer_can_be_made() -> None:  # pyright: ignore[reportUnusedFunction]
    if not sys.platform.startswith("linux"):
        pytest.skip("NO LAYER: the layer over the file system is for Linux")
    need_programs("gcc", package="gcc libc6-dev")


WRITER = """
import asyncio, os, sys
from moot.record.sqlite import SqliteStore
from moot.core.errors import RecordError

async def main(folder):
    acks = os.open(folder + "/acks", os.O_RDWR | os.O_CREAT)
    store = SqliteStore.open(folder + "/records.db")
    after = 0
    for n in range(24):
        lines = [f"line {seq} " + "é" * (50 + 997 * (seq % 5)) for seq in range(after + 1, after + 4)]
        try:
            await store.append("d", lines, after=after)
        except RecordError as error:
            print(error)
            after = len(await store.read("d"))
            continue
        after += 3
        os.pwrite(acks, bytes([after]), n)
    await store.close()

asyncio.run(main(sys.argv[1]))
"""


@dataclass(frozen=True, slots=True)
class Write:
    """One noted call: ``w`` writes, ``t`` cuts, ``s`` syncs, ``u`` removes."""

    kind: str
    name: str
    offset: int
    data: bytes


def record(tmp_path: Path, **fault: str) -> tuple[list[Write], str]:
    """Write records under the layer; the notes, and what the writer said."""
    layer, folder, notes = tmp_path / "layer.so", tmp_path / "disk", tmp_path / "notes"
    folder.mkdir()
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-w", "-o", layer, SOURCE, "-ldl"], check=True)
    env = {"LD_PRELOAD": str(layer), "NOTED_IN": str(folder), "NOTES": str(notes), "PYTHONPATH": ":".join(sys.path)}
    output = subprocess.run(
        [sys.executable, "-c", WRITER, str(folder)], env=env | fault, check=True, capture_output=True, text=True
    ).stdout
    raw, place, writes = notes.read_bytes(), 0, list[Write]()
    while place < len(raw):
        kind, length = struct.unpack_from("=cI", raw, place)
        name = raw[place + 5 : place + 5 + length].decode()
        offset, size = struct.unpack_from("=QI", raw, place + 5 + length)
        begin = place + 5 + length + 12
        writes.append(Write(kind.decode(), name, offset, raw[begin : begin + size]))
        place = begin + size
    return writes, output


def after_power_loss(folder: Path, writes: Sequence[Write], chance: random.Random) -> int:
    """Make the files as a disk may hold them after those calls; returns the last entry that was acknowledged."""
    synced = {write.name: n for n, write in enumerate(writes) if write.kind == "s"}
    promised, files = 0, dict[str, bytearray]()
    for n, write in enumerate(writes):
        if write.name == "acks":
            promised = write.data[0] if write.data else promised
            continue
        if write.kind == "u":
            files.pop(write.name, None)
            continue
        data = write.data
        if n > synced.get(write.name, -1):
            data = chance.choice((data, data, data[: len(data) // 2], b""))
        content = files.setdefault(write.name, bytearray())
        if write.kind == "t":
            del content[write.offset :]
        elif data:
            content.extend(bytes(max(0, write.offset + len(data) - len(content))))
            content[write.offset : write.offset + len(data)] = data
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return promised


async def stored(path: Path) -> tuple[str, ...]:
    """The lines of the record, once the file has been found whole."""
    store = SqliteStore.open(path)
    lines = await store.read("d")
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    return lines


async def test_a_loss_of_power_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    writes, _ = record(tmp_path)
    chance = random.Random(1)
    first = next(n for n, write in enumerate(writes) if write.name == "acks")
    points = [*range(first + 1, len(writes), max(1, len(writes) // 25)), len(writes)]
    for point in points:
        folder = tmp_path / f"after-{point}"
        promised = after_power_loss(folder, writes[:point], chance)
        lines = await stored(folder / "records.db")
        assert len(lines) >= promised > 0
        assert len(lines) % 3 == 0
        assert [line.split(" ")[1] for line in lines] == [str(n) for n in range(1, len(lines) + 1)]
    assert {write.kind for write in writes} >= {"w", "s"}


@pytest.mark.parametrize(("fault", "place"), [("eio", "40"), ("short", "41"), ("short", "60"), ("sync", "44")])
async def test_a_write_that_fails_loses_nothing_that_was_acknowledged(fault: str, place: str, tmp_path: Path) -> None:
    writes, output = await asyncio.to_thread(record, tmp_path, BREAK=fault, BREAK_AT=place)
    promised = max(write.data[0] for write in writes if write.name == "acks" and write.data)
    lines = await stored(tmp_path / "disk" / "records.db")
    assert "records.db" in output
    assert len(lines) >= promised
    assert [line.split(" ")[1] for line in lines] == [str(n) for n in range(1, len(lines) + 1)]
