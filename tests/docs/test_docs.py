"""Every example in the documents runs. CONTRIBUTING.md says how a block is marked; this file owns how it is run."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.paths import ROOT

DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^(?P<fence>```+)(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
SECONDS = 40


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
        """The commands `moot` and `moot-bench` of a console block, continued lines joined."""
        joined = self.text.replace("\\\n", " ")
        lines = [line[2:].strip() for line in joined.splitlines() if line.startswith(("$ moot ", "$ moot-bench "))]
        return [line.replace("moot-bench", f"{shlex.quote(sys.executable)} -m moot.bench", 1) for line in lines]


def read_blocks(text: str) -> Iterator[Block]:
    """The blocks that do something, in order."""
    for found in FENCE.finditer(text):
        words = tuple(found["info"].split())
        block = Block(words=words, text=found["body"], line=text.count("\n", 0, found.start("body")) + 1)
        if "no-run" not in words and (block.file or words[:1] in (("python",), ("console",))):
            yield block


def settle(folder: Path) -> dict[str, str]:
    """The environment of the examples: everything they write goes into the folder, no key and no server is known."""
    kept = {name: os.environ[name] for name in ("LANG", "SSL_CERT_FILE", "SYSTEMROOT") if name in os.environ}
    homes = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.defpath])
    return {**kept, **{name: str(folder / ".home") for name in homes}, "PATH": path, "PYTHONUTF8": "1", "NO_COLOR": "1"}


def run_block(block: Block, folder: Path, before: str) -> str:
    """Run a block in a folder; what went wrong, "" where nothing did. ``before`` is the Python of the blocks before."""
    if block.file:
        (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
        (folder / block.file).write_text(block.text, "utf-8")
        return ""
    if block.words[0] == "python":
        return run([sys.executable, "-W", "error", "-c", before + block.text], folder)
    return "\n".join(filter(None, (run(["sh", "-c", line], folder) for line in block.commands)))


def run(command: list[str], folder: Path) -> str:
    """Run one command; what it said where it failed."""
    ran = subprocess.run(
        command,
        cwd=folder,
        env=settle(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    return f"{command[-1]}\nended with {ran.returncode}\n{ran.stdout}{ran.stderr}" if ran.returncode else ""


def run_all(text: str, folder: Path) -> list[str]:
    """Run all blocks of a document, one after the other in one folder; a line and what went wrong for each failure."""
    failures: list[str] = []
    before = ""
    for block in read_blocks(text):
        if wrong := run_block(block, folder, before):
            failures.append(f"line {block.line}: {wrong}")
        elif block.words[:1] == ("python",) and not block.file:
            before += block.text
    return failures


@pytest.mark.system
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_examples_run(path: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    if failures := run_all(path.read_text("utf-8"), tmp_path):
        pytest.fail("\n".join(failures), pytrace=False)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_to_files(path: Path) -> None:
    text = FENCE.sub("", path.read_text("utf-8"))
    links = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", text)
    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("```python\nimport moot\n```\n", 0),
        ("```python\n1 / 0\n```\n", 1),
        ("```python no-run\n1 / 0\n```\n", 0),
        ("```python\nx = 1\n```\nand then\n```python\nassert x == 1\n```\n", 0),
        ("```text file=a/b.txt\nwords\n```\n```python\nassert open('a/b.txt').read() == 'words\\n'\n```\n", 0),
        ("```text file=a.py\nA = 2\n```\n```python\nimport a\nassert a.A == 2\n```\n", 0),
        ("```console\n$ moot no-such-command\n```\n", 1),
        ("```console\n$ moot-bench no-such-command\n```\n", 1),
        ("```console\n$ make demo\nmoot no-such-command\n```\n", 0),
        ("```console no-run\n$ moot no-such-command\n```\n", 0),
        ("````python\ns = '''\n```\n'''\nassert s == '\\n```\\n'\n````\n", 0),
    ],
)
def test_examples_that_cannot_run_are_found(text: str, count: int, tmp_path: Path) -> None:
    assert len(run_all(text, tmp_path)) == count
