"""Every example in the documents runs. CONTRIBUTING.md says how a block is marked.

Each command is a process of its own; the Python of a page is one program, which grows by each block.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.kits.processes import GUARD, run_module, with_imports
from tests.paths import ROOT

DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^(?P<fence>```+)(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"[|&;<>$`]")
"""What only a shell understands, in a command of these documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block that does something: the words behind its fence, its text, the line on which the text begins."""

    words: tuple[str, ...]
    text: str
    line: int

    @property
    def file(self) -> str:
        """The name under which the block is saved for those that follow; "" for none."""
        return next((word.removeprefix("file=") for word in self.words if word.startswith("file=")), "")

    @property
    def commands(self) -> list[str]:
        """The commands `folkmoot` and `python -m benchmarks.…` of a console block, continued lines joined."""
        joined = self.text.replace("\\\n", " ")
        starts = ("$ folkmoot ", "$ python -m benchmarks.")
        return [line[2:].strip() for line in joined.splitlines() if line.startswith(starts)]


def read_blocks(text: str) -> Iterator[Block]:
    """The blocks that do something, in order."""
    for match_ in FENCE.finditer(text):
        words = tuple(match_["info"].split())
        block = Block(words=words, text=match_["body"], line=text.count("\n", 0, match_.start("body")) + 1)
        if "no-run" not in words and (block.file or words[:1] in (("python",), ("console",))):
            yield block


def settle(folder: Path) -> dict[str, str]:
    """The environment of the examples: everything they write goes into the folder, no key and no server is known."""
    environment = {name: os.environ[name] for name in ("LANG", "SSL_CERT_FILE", "SYSTEMROOT") if name in os.environ}
    homes = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.defpath])
    return {
        **environment,
        **{name: str(folder / ".home") for name in homes},
        "PATH": path,
        "PYTHONUTF8": "1",
        "NO_COLOR": "1",
    }


GROW = """
import json, os, sys
for line in os.fdopen(int(sys.argv.pop())):
    exec(json.loads(line), globals())
    sys.stdout.flush()
    os.write(2, b"\\0")
"""
"""A program that runs each piece of Python that it is sent, and says so by a zero."""


class Program:
    """The Python of a page."""

    def __init__(self, folder: Path) -> None:
        theirs, ours = os.pipe()
        self._pieces = os.fdopen(ours, "w")
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", GROW, str(theirs)],
            cwd=folder,
            env=with_imports(settle(folder)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=[theirs],
        )
        os.close(theirs)

    def run(self, code: str) -> str:
        """Run a block, which knows the names of the blocks before; what went wrong, or ""."""
        said = bytearray()
        try:
            self._pieces.write(json.dumps(code) + "\n")
            self._pieces.flush()
        except BrokenPipeError:
            return tell(code, 1, "the program has ended")
        assert self._process.stderr
        while piece := self._process.stderr.read(1):
            if piece == b"\0":
                return ""
            said += piece
        return tell(code, self._process.wait(GUARD) or 1, said.decode("utf-8", "replace"))

    def end(self) -> str:
        """Let it end, as a program does after its last line; what went wrong, or ""."""
        with suppress(BrokenPipeError):
            self._pieces.close()
        said = self._process.communicate(timeout=GUARD)[1]
        return tell("the end of the program", self._process.returncode, said.decode("utf-8", "replace"))


@dataclass(slots=True)
class Runner:
    """Runs the blocks of a page in a folder, and tells what went wrong, or ""."""

    folder: Path
    program: Program | None = field(default=None, init=False)

    def run_block(self, block: Block) -> str:
        """Run a block."""
        if block.file:
            (self.folder / block.file).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / block.file).write_text(block.text, "utf-8")
            return ""
        if block.words[0] == "python":
            return self.run_python(block.text)
        return "\n".join(filter(None, map(self.run_command, block.commands)))

    def run_python(self, code: str) -> str:
        """Run a block of Python."""
        self.program = self.program or Program(self.folder)
        return self.program.run(code)

    def end(self) -> str:
        """Let the program of the page end."""
        return self.program.end() if self.program else ""

    def run_command(self, line: str) -> str:
        """Run a line."""
        if SHELL.search(line):
            return self.run(["sh", "-c", line])
        words = shlex.split(line)
        if words[0] == "python":
            return self.run([sys.executable, *words[1:]], PYTHONPATH=f"{ROOT}{os.pathsep}{ROOT / 'src'}")
        return tell(line, *run_module(words, self.folder, settle(self.folder)))

    def run(self, command: list[str], **more: str) -> str:
        """Run a program from nothing, with more in its environment."""
        ran = subprocess.run(
            command,
            cwd=self.folder,
            env={**with_imports(settle(self.folder)), **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=GUARD,
        )
        return tell(command[-1], ran.returncode, ran.stdout + ran.stderr)


def tell(text: str, code: int, output: str) -> str:
    """What a failed process said; "" for one that did not fail."""
    return f"{text}\nended with {code}\n{output}" if code else ""


def run_all(text: str, runner: Runner) -> list[str]:
    """Run all blocks of a document, one after the other in one folder; a line and what went wrong for each failure."""
    failures = [f"line {block.line}: {wrong}" for block in read_blocks(text) if (wrong := runner.run_block(block))]
    if (wrong := runner.end()) and not failures:
        failures.append(wrong)
    return failures


@pytest.mark.system
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_examples_run(path: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    if failures := run_all(path.read_text("utf-8"), Runner(tmp_path)):
        pytest.fail("\n".join(failures), pytrace=False)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_to_files(path: Path) -> None:
    text = FENCE.sub("", path.read_text("utf-8"))
    links = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", text)
    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("```python\nimport folkmoot\n```\n", 0),
        ("```python\n1 / 0\n```\n", 1),
        ("```python no-run\n1 / 0\n```\n", 0),
        ("```python\nx = 1\n```\nand then\n```python\nassert x == 1\n```\n", 0),
        ("```text file=a/b.txt\nwords\n```\n```python\nassert open('a/b.txt').read() == 'words\\n'\n```\n", 0),
        ("```text file=a.py\nA = 2\n```\n```python\nimport a\nassert a.A == 2\n```\n", 0),
        ("```console\n$ folkmoot no-such-command\n```\n", 1),
        ("```console\n$ python -m benchmarks.replays no-such-set\n```\n", 1),
        ("```console\n$ make demo\nfolkmoot no-such-command\n```\n", 0),
        ("```console no-run\n$ folkmoot no-such-command\n```\n", 0),
        ("````python\ns = '''\n```\n'''\nassert s == '\\n```\\n'\n````\n", 0),
    ],
)
def test_examples_that_cannot_run_are_found(text: str, count: int, tmp_path: Path) -> None:
    assert len(run_all(text, Runner(tmp_path))) == count


def test_a_program_that_has_ended_runs_nothing_more(tmp_path: Path) -> None:
    program = Program(tmp_path)
    assert program.run("raise SystemExit")
    assert program.run("1 / 1")
    program.end()
