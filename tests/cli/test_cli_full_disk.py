"""A record that can no longer be written: the command says how to go on, and what was stored is kept."""

from pathlib import Path

import pytest

from folkmoot.core.errors import RecordError
from folkmoot.record.sqlite import SqliteFile
from folkmoot.record.store import Append
from tests.cli.commands import EXAMPLES, QUOTES, folkmoot, only_id

BRIEF = str(EXAMPLES / "investment.md")


def full_from(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    """Let the disk be full from the first line on that holds these words."""
    write = SqliteFile._write  # pyright: ignore[reportPrivateUsage]

    def fails(file: SqliteFile, batch: list[Append]) -> list[RecordError | None]:
        if any(words in line for append in batch for line in append.lines):
            return [RecordError("The record cannot be used: the disk is full.") for _ in batch]
        return write(file, batch)

    monkeypatch.setattr(SqliteFile, "_write", fails)


def test_a_full_disk_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full_from(monkeypatch, '"kind":"closed"')
    broken = folkmoot(tmp_path, "run", BRIEF, *QUOTES)
    debate = only_id(broken)
    assert broken.exit_code == 1
    assert f"the disk is full. Mend that; then go on with: folkmoot resume {debate}" in broken.output
    monkeypatch.undo()
    resumed = folkmoot(tmp_path, "resume", debate)
    assert resumed.exit_code == 0
    assert folkmoot(tmp_path, "verify", debate).exit_code == 0


def test_where_nothing_was_stored_there_is_nothing_to_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full_from(monkeypatch, '"kind":"opened"')
    broken = folkmoot(tmp_path, "run", BRIEF, *QUOTES)
    assert broken.exit_code == 1
    assert "the disk is full." in broken.output
    assert "folkmoot resume" not in broken.output
