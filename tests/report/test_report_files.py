"""Reports as files: names that are safe everywhere, and files that are whole or not there."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.app.export.reports import file_name, save

ID = "01jx2"


@pytest.mark.parametrize(
    ("topic", "name"),
    [
        ("Should we hire the candidate?", "should-we-hire-the-candidate-01jx2"),
        ("../../etc/passwd", "etc-passwd-01jx2"),
        ("C:\\Windows\\..\\system32", "c-windows-system32-01jx2"),
        ("\\\\server\\share", "server-share-01jx2"),
        ("CON", "con-01jx2"),
        ("nul.txt", "nul-txt-01jx2"),
        ("COM¹", "com1-01jx2"),
        ("LPT9 ", "lpt9-01jx2"),
        ("consent", "consent-01jx2"),
        ("🎉🎉", "debate-01jx2"),
        ("日本語", "debate-01jx2"),
        ("", "debate-01jx2"),
        ("...-leading", "leading-01jx2"),
        ("two\nlines\x00\x1b[31m", "two-lines-31m-01jx2"),
        ("\u202egnp.exe", "gnp-exe-01jx2"),
        ("Über façade — naïve", "uber-facade-naive-01jx2"),
        ("a" * 5_000, "a" * 60 + "-01jx2"),
        ("word " * 1_000, "word-" * 12 + "01jx2"),
        ("x" * 58 + " y z", "x" * 58 + "-y-01jx2"),
        ("x" * 59 + " yz", "x" * 59 + "-01jx2"),
    ],
)
def test_file_names(topic: str, name: str) -> None:
    assert file_name(topic, ID) == name


@pytest.mark.parametrize(
    ("topic", "debate", "name"),
    [
        ("", "", "debate-debate"),
        ("con", "", "con-debate"),
        ("", "NUL", "debate-nul"),
        ("a", "../B:c", "a-b-c"),
        ("Hire the candidate now", "hire-the-cand-7f3a", "hire-the-cand-7f3a"),
        ("Buy", "hire-the-cand-7f3a", "buy-hire-the-cand-7f3a"),
    ],
)
def test_file_names_of_odd_ids(topic: str, debate: str, name: str) -> None:
    assert file_name(topic, debate) == name


@given(st.text(), st.text())
def test_any_file_name_is_safe(topic: str, debate: str) -> None:
    name = file_name(topic, debate)
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)+", name)
    assert len(name) <= 128


def test_save_writes_utf_8_and_replaces(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    save(path, "old")
    save(path, "Größe\r\n\ud800\n")
    assert path.read_bytes() == "Größe\r\n?\n".encode()
    assert [file.name for file in tmp_path.iterdir()] == ["report.md"]


def test_a_failed_replacement_leaves_what_was_there_and_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    path.mkdir()
    (path / "old").write_text("old")
    with pytest.raises(OSError, match=r"report\.md"):
        save(path, "new")
    assert [file.name for file in tmp_path.iterdir()] == ["report.md"]
    assert (path / "old").read_text() == "old"


def test_a_missing_folder_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        save(tmp_path / "missing" / "report.md", "new")
    assert list(tmp_path.iterdir()) == []
