"""What a program wrote to a disk, call by call, and what the disk may hold after power was lost at any of these calls.

The layer (``recorded_writes.c``) is compiled, preloaded into the program, and notes each call. ``Disk`` carries the
calls out again. What was not synced by the end may be kept, lost, torn at the borders of sectors, or be something else,
each write by itself; a file that was created or removed may be there or not. A sync that lies says that it has synced,
and has not.
"""

import os
import random
import struct
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

SOURCE = Path(__file__).with_name("recorded_writes.c")

ACKS = "acks"
"""The file in which a program notes what was acknowledged: a number. It is no part of the disk."""


@dataclass(frozen=True, slots=True)
class Write:
    """One noted call: ``w`` writes, ``t`` cuts, ``s`` syncs, ``c`` creates, ``m`` makes a folder, ``u`` removes."""

    kind: str
    name: str
    offset: int
    data: bytes


def compile_layer(folder: Path) -> Path:
    """The layer, ready to be preloaded."""
    layer = folder / "layer.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-w", "-o", layer, SOURCE, "-ldl"], check=True)
    return layer


FORKS = """
import os, sys, traceback
from importlib import import_module
from pathlib import Path

def run_forked(here, **environment):
    Path(here, "disk").mkdir(parents=True)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.dup2(os.open(here / "said", os.O_WRONLY | os.O_CREAT), 1)
            os.environ.update(environment)
            run(f"{here}/disk")
            sys.stdout.flush()
            Path(here, "modules").write_text("\\n".join(sys.modules))
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1]

folder, *faults = sys.argv[1:]
if len(faults) > 2:
    here = Path(folder, "before")
    if run_forked(here):
        sys.exit("it failed without a fault")
    for name in Path(here, "modules").read_text().split():
        import_module(name)
for number, each in enumerate(faults):
    here, (fault, place) = Path(folder, str(number)), each.split(":")
    if run_forked(here, NOTED_IN=f"{here}/disk", NOTES=f"{here}/notes", BREAK=fault, BREAK_AT=place):
        sys.exit(f"it failed with {fault} at {place}")
"""
"""Behind a program: runs it in a process of its own for each fault, after one that says what all of them import."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a program did.

    Attributes:
        disk: its folder.
        writes: its calls.
        said: its output.
    """

    disk: Path
    writes: Sequence[Write]
    said: str

    @property
    def promised(self) -> int:
        """The last number that it has noted as acknowledged."""
        acks = [write.data for write in self.writes if (write.kind, write.name) == ("w", ACKS)]
        return int.from_bytes(acks[-1], "little") if acks else 0


def record(folder: Path, program: str, layer: Path, faults: Sequence[tuple[str, int]] = (("", 0),)) -> list[Run]:
    """Run a program under the layer, once for each fault.

    Args:
        folder: a new folder.
        program: Python that defines ``run(folder)``.
        layer: see ``compile_layer``.
        faults: what happens at which write; see the layer.
    """
    env = {"LD_PRELOAD": str(layer), "PYTHONPATH": ":".join(sys.path), "HOME": str(folder)}
    command = [sys.executable, "-c", program + FORKS, str(folder), *(f"{fault}:{place}" for fault, place in faults)]
    ran = subprocess.run(command, env=env, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return [_read(folder / str(number)) for number in range(len(faults))]


def _read(folder: Path) -> Run:
    raw, place, writes = (folder / "notes").read_bytes(), 0, list[Write]()
    while place < len(raw):
        kind, length = struct.unpack_from("=cI", raw, place)
        name = raw[place + 5 : place + 5 + length].decode()
        offset, size = struct.unpack_from("=QI", raw, place + 5 + length)
        begin = place + 5 + length + 12
        writes.append(Write(kind.decode(), name, offset, raw[begin : begin + size]))
        place = begin + size
    return Run(disk=folder / "disk", writes=writes, said=(folder / "said").read_text("utf-8"))


@dataclass(slots=True, eq=False)
class _File:
    """What was written to a file: what is safe, and what is not yet."""

    is_folder: bool = False
    safe: bytearray = field(default_factory=bytearray)
    pending: list[Write] = field(default_factory=list[Write])

    def sync(self) -> None:
        for write in self.pending:
            _apply(self.safe, write)
        self.pending = []


def _apply(content: bytearray, write: Write) -> None:
    if write.kind == "t":
        del content[write.offset :]
        content.extend(bytes(write.offset - len(content)))
        return
    content.extend(bytes(max(0, write.offset + len(write.data) - len(content))))
    content[write.offset : write.offset + len(write.data)] = write.data


class Disk:
    """A disk on which calls are carried out.

    Args:
        lying: the syncs that do nothing and say that they have, counted from 0.

    Attributes:
        promised: the last number that the program has noted as acknowledged.
    """

    def __init__(self, lying: Sequence[int] = ()) -> None:
        self.promised, self._lying, self._syncs = 0, frozenset(lying), -1
        self._files: dict[str, list[_File | None]] = {}  # what a name may stand for; the last is what it stands for

    def do(self, write: Write) -> None:
        """Carry out one call."""
        if write.name == ACKS:
            if write.kind == "w":
                self.promised = int.from_bytes(write.data, "little")
        elif write.kind == "s":
            self._syncs += 1
            if self._syncs not in self._lying:
                self._sync(write.name)
        elif write.kind in "cm":
            self._files.setdefault(write.name, [None]).append(_File(is_folder=write.kind == "m"))
        elif write.kind == "u":
            self._files[write.name].append(None)
        else:
            file = self._files[write.name][-1]
            assert file is not None
            file.pending.append(write)

    def _sync(self, name: str) -> None:
        links = self._files.get(name, [])
        if links and links[-1]:
            links[-1].sync()
        for other, meanings in self._files.items():  # the entries of a folder are its content
            if os.path.dirname(other) == name and other:
                del meanings[:-1]

    def lose_power(self, folder: Path, chance: random.Random, sector: int) -> None:
        """Make the files that may be left.

        Args:
            folder: where; it is made.
            chance: says what became of that which was not synced.
            sector: how many bytes the disk writes as a whole.
        """
        folder.mkdir(parents=True)
        for name in sorted(self._files):  # a folder comes before what is in it
            meanings = self._files[name]
            file = chance.choice((*meanings, meanings[-1], meanings[-1]))
            path = folder / name
            if file is None or not path.parent.is_dir():
                continue
            if file.is_folder:
                path.mkdir()
            else:
                path.write_bytes(_torn(file, chance, sector))


def _torn(file: _File, chance: random.Random, sector: int) -> bytes:
    content = bytearray(file.safe)
    for write in file.pending:
        fate = chance.choice(("kept", "kept", "lost", "begun", "torn"))
        if fate == "kept" or (write.kind == "t" and fate == "begun"):
            _apply(content, write)
        elif write.kind == "w" and fate == "begun":
            _apply(content, Write("w", write.name, write.offset, write.data[: chance.randrange(len(write.data) + 1)]))
        elif write.kind == "w" and fate == "torn":
            for piece in _sectors(write, sector):
                match chance.choice(("kept", "lost", "spoiled")):
                    case "kept":
                        _apply(content, piece)
                    case "spoiled":
                        _apply(content, Write("w", piece.name, piece.offset, chance.randbytes(len(piece.data))))
                    case _:
                        pass
    return bytes(content)


def _sectors(write: Write, sector: int) -> list[Write]:
    """A write in the pieces that lie in one sector each."""
    pieces, at = list[Write](), write.offset
    end = write.offset + len(write.data)
    while at < end:
        until = min(end, (at // sector + 1) * sector)
        pieces.append(Write("w", write.name, at, write.data[at - write.offset : until - write.offset]))
        at = until
    return pieces
