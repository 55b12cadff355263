"""Briefs without an end, reports that go into what is no file, outputs of no width and outputs that take nothing."""

import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from folkmoot.app.brief.reader import MOST_BYTES, read_stream
from folkmoot.core.errors import BriefError
from tests.cli.commands import BRIEF, QUOTES, folkmoot, settle
from tests.kits.thoroughness import some


def test_a_brief_without_an_end_is_read_no_further_than_allowed(tmp_path: Path) -> None:
    (tmp_path / "endless.md").touch()
    os.truncate(tmp_path / "endless.md", 2**40)
    refused = folkmoot(tmp_path, "check", "endless.md")
    assert (refused.exit_code, "endless.md: the brief is larger than 2,097,152 bytes" in refused.stderr) == (2, True)

    class Endless(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            assert size is not None
            assert 0 < size <= MOST_BYTES + 1
            return b"x" * size

    with pytest.raises(BriefError, match="standard input: the brief is larger"):
        read_stream(Endless())


def test_a_report_is_written_into_a_pipe_and_the_pipe_stays(tmp_path: Path) -> None:
    assert folkmoot(tmp_path, "run", str(BRIEF), *QUOTES, "--quiet", "--no-report").exit_code == 0
    pipe, texts = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: texts.append(pipe.read_text("utf-8")), daemon=True)
    reader.start()
    (tmp_path / "link.md").symlink_to(pipe)
    ran = folkmoot(tmp_path, "report", "last", "-o", "link.md")
    assert (ran.exit_code, pipe.is_fifo(), (tmp_path / "link.md").is_symlink()) == (0, True, True)
    reader.join(120)
    assert "folkmoot verify" in texts[0]


@pytest.mark.parametrize("width", some(["0", "-5", "wide", "1", "19", "10000", "9" * 5000], 3))
def test_an_output_of_unknown_width_has_80_columns_and_loses_nothing(tmp_path: Path, width: str) -> None:
    assert folkmoot(tmp_path, "run", str(BRIEF), *QUOTES, "--quiet", "--no-report").exit_code == 0
    for words in (("show", "last"), ("list",), ("--help",), ("list", "--help")):
        usual = folkmoot(tmp_path, *words, COLUMNS="80")
        assert usual.output
        assert folkmoot(tmp_path, *words, COLUMNS=width).output == usual.output


@pytest.mark.parametrize("number", ["0", "1000001", "9" * 20])
def test_a_list_says_how_many_debates_it_may_have(tmp_path: Path, number: str) -> None:
    refused = folkmoot(tmp_path, "list", "-n", number)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "must be from 1 to 1,000,000, not" in refused.stderr


@pytest.mark.system
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(
    ("output", "problem"),
    [
        (">&-", "standard output is closed; to see no output, write it to /dev/null"),
        (">/dev/full", "the output cannot be written: No space left on device"),
        ("1</dev/null", "the output cannot be written: Bad file descriptor"),
    ],
)
@pytest.mark.parametrize("buffered", ["", "1"])
def test_an_output_that_takes_nothing_is_one_sentence(tmp_path: Path, output: str, problem: str, buffered: str) -> None:
    assert folkmoot(tmp_path, "run", str(BRIEF), *QUOTES, "--quiet", "--no-report").exit_code == 0
    env = {**settle(tmp_path), "PYTHONUNBUFFERED": buffered}
    for words in ("show last",) if buffered else ("show last", "list --json", ""):
        command = ["/bin/sh", "-c", f'"$0" -m folkmoot {words} {output}', sys.executable]
        ended = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
        assert (ended.returncode, ended.stderr) == (1, f"folkmoot: {problem}\n")


@pytest.mark.parametrize(
    "words",
    [
        ("list", "--status"),
        ("run", "q.md", "--rounds"),
        ("list", "--store"),
        (),
    ],
)
@pytest.mark.parametrize("value", ["9" * 5000, "a b " * 1250], ids=["digits", "words"])
def test_a_value_of_five_thousand_characters_is_not_repeated(
    tmp_path: Path, words: tuple[str, ...], value: str
) -> None:
    refused = folkmoot(tmp_path, *words, value)
    assert refused.exit_code in (1, 2)
    assert len(refused.stderr) < 600
    assert "Traceback" not in refused.stderr
