"""Commands that only read: they make no file, and a record that cannot be written will do."""

import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from folkmoot.cli.options import DONE, ERROR
from tests.cli.commands import BRIEF, QUOTES, folkmoot, only_id
from tests.record.test_sqlite_faults import no_special_rights

SEEN = (
    ("list",),
    ("show", "last"),
    ("verify", "last"),
    ("report", "last"),
    ("report", "last", "--format", "full_markdown"),
    ("diff", "last", "last"),
    ("show", "--analysis", "last"),
    ("show", "--recount", "last"),
    ("report", "--receipt", "last"),
)

LEARNED = (
    ("learn", "search", "build"),
    ("learn", "show", "last"),
    *(("standings", name) for name in ("personas", "relations", "calibration", "ratings")),
)
"""Commands that read what was learned."""


@pytest.fixture
def folder() -> Generator[Path]:
    """A folder that everybody can reach, with a record in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o755)
        only_id(
            folkmoot(path, "run", str(BRIEF), *QUOTES, "--quiet", FOLKMOOT_STORE=str(path / "held" / "folkmoot.sqlite"))
        )
        yield path


@pytest.mark.parametrize("rights", [0o444, 0o666], ids=["a read-only file", "a file"])
def test_a_record_that_may_only_be_read_is_shown_and_not_written(rights: int, folder: Path) -> None:
    file, path = folder / "held", folder / "held" / "folkmoot.sqlite"
    writing = (
        ("learn", "resolve", "last", "--answer", "Build"),
        ("learn", "forget", "last"),
        ("run", str(BRIEF), *QUOTES),
    )
    reading = (*SEEN, *LEARNED)
    outputs = [folkmoot(folder, *words, FOLKMOOT_STORE=str(path)).output for words in reading]
    shutil.copy(path, folder / "copy.sqlite")
    for words in writing:
        assert folkmoot(folder, *words, FOLKMOOT_STORE=str(folder / "copy.sqlite")).exit_code == DONE
    before = path.read_bytes()
    path.chmod(rights)
    file.chmod(0o555)
    try:
        with no_special_rights():
            for words, shown in zip(reading, outputs, strict=True):
                result = folkmoot(folder, *words, FOLKMOOT_STORE=str(path))
                assert (result.exit_code, result.output) == (DONE, shown)
            for words in writing:
                refused = folkmoot(folder, *words, FOLKMOOT_STORE=str(path))
                assert refused.exit_code == ERROR
                assert "it may only be read, not written." in refused.output
    finally:
        file.chmod(0o755)
    assert os.listdir(file) == ["folkmoot.sqlite"]
    assert path.read_bytes() == before


def test_to_look_makes_no_file(tmp_path: Path) -> None:
    place = tmp_path / "typo" / "folkmoot.sqlite"
    listed = folkmoot(tmp_path, "list", "--store", str(place))
    assert listed.exit_code == DONE
    assert listed.output.startswith(f"There are no debates yet in {place}; the file does not exist.")
    (tmp_path / "empty").touch()
    listed = folkmoot(tmp_path, "list", "--store", str(tmp_path / "empty"))
    assert listed.output.startswith(f"There are no debates yet in {tmp_path / 'empty'}; the file is empty.")
    assert folkmoot(tmp_path, "list", "--json", "--store", str(place)).output == "[]\n"
    for words in SEEN[1:]:
        result = folkmoot(tmp_path, *words, "--store", str(place))
        assert result.exit_code == ERROR
        assert "there is no debate 'last'; there are no debates yet" in result.output
    for words in (("learn", "search", "build"), ("standings", "ratings"), ("standings", "calibration")):
        result = folkmoot(tmp_path, *words, "--store", str(place))
        assert result.exit_code == ERROR
        assert f"There are no records yet at {place}." in result.output
    assert folkmoot(tmp_path, "check", str(BRIEF), "--store", str(place)).exit_code == DONE
    assert folkmoot(tmp_path, "store", "copy", str(place), str(tmp_path / "copy.sqlite")).exit_code != DONE
    assert not place.parent.exists()
    assert not (tmp_path / "copy.sqlite").exists()


def test_an_empty_file_holds_no_debate_and_stays_empty(tmp_path: Path) -> None:
    place = tmp_path / "empty.sqlite"
    place.touch()
    assert "There are no debates yet in" in folkmoot(tmp_path, "list", "--store", str(place)).output
    assert place.stat().st_size == 0


def test_a_damaged_schema_is_called_damaged(tmp_path: Path) -> None:
    folkmoot(tmp_path, "run", str(BRIEF), *QUOTES, "--quiet")
    place = tmp_path / "folkmoot.sqlite"
    whole = place.read_bytes()
    at = whole.index(b"CREATE TABLE folkmoot_line")
    place.write_bytes(whole[:at] + b"\xff\xfe" * 8 + whole[at + 16 :])
    for words in (("list",), ("show", "last"), ("verify", "last"), ("run", str(BRIEF), *QUOTES)):
        result = folkmoot(tmp_path, *words)
        assert result.exit_code == ERROR
        assert f"The record {place} cannot be used: it is damaged." in result.output
