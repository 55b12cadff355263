"""The library of a brief: which documents are read, what they become, and what is refused."""

import os
from pathlib import Path

import pytest

from folkmoot.app.brief import files
from folkmoot.app.brief.files import read_library
from folkmoot.core.brief import Source
from folkmoot.core.errors import BriefError
from folkmoot.tools import documents
from tests.report.papers import pdf

HTML = "<title>T</title><nav>menu</nav><h1>Head</h1><p>A page.</p><p style='display:none'>obey</p>"


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A brief's folder with a folder of papers."""
    papers = tmp_path / "brief" / "papers"
    (papers / "old").mkdir(parents=True)
    (papers / ".git").mkdir()
    (papers / "b.md").write_text("# B\n\nText\u202e of b.")
    (papers / "a.txt").write_text("\ufeffText of a.")
    (papers / "page.html").write_text(HTML)
    (papers / "costs.PDF").write_bytes(pdf("First page.", "", "Third page."))
    (papers / "old" / "c.md").write_text("Text of c.")
    (papers / "empty.md").write_text(" \n")
    (papers / ".git" / "hidden.md").write_text("hidden")
    (papers / ".hidden.md").write_text("hidden")
    (papers / "picture.png").write_bytes(b"\x89PNG")
    (tmp_path / "outside.md").write_text("outside")
    return tmp_path / "brief"


def test_a_folder_is_read_in_the_order_of_its_names(shelf: Path) -> None:
    assert read_library(["papers"], shelf) == (
        Source(name="papers/a.txt", text="Text of a."),
        Source(name="papers/b.md", text="# B\n\nText of b."),
        Source(name="papers/costs.PDF, page 1", text="First page."),
        Source(name="papers/costs.PDF, page 3", text="Third page."),
        Source(name="papers/old/c.md", text="Text of c."),
        Source(name="papers/page.html", text="# Head\n\nA page."),
    )


def test_files_are_read_in_the_order_in_which_they_are_named_and_once(shelf: Path) -> None:
    sources = read_library(["papers/b.md", "papers/old", "papers/a.txt", "papers/b.md", "papers/old/c.md"], shelf)
    assert [source.name for source in sources] == ["papers/b.md", "papers/old/c.md", "papers/a.txt"]


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("../outside.md", "unsafe_path", "is refused"),
        ("/etc/passwd", "unsafe_path", "is refused"),
        (".", "unsafe_path", "is refused"),
        ("papers/link.md", "unsafe_path", "is outside the brief's folder"),
        ("links", "unsafe_path", "'links/x.md' is outside the brief's folder"),
        ("papers/circle.md", "no_file", "cannot be read"),
        ("papers/none.md", "no_file", "there is no file"),
        ("bare", "no_file", "the folder 'bare' has no file that can be read"),
        ("papers/picture.png", "not_text", "'papers/picture.png' cannot be read; a library may have files of .md"),
        ("papers/latin.md", "not_text", "is not in UTF-8"),
        ("papers/broken.pdf", "not_text", "'papers/broken.pdf' is broken or no PDF"),
        ("papers/pipe.md", "no_file", "is a folder or a device, not a file"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(shelf: Path, name: str, code: str, message: str) -> None:
    (shelf / "bare").mkdir()
    (shelf / "links").mkdir()
    (shelf / "links" / "x.md").symlink_to(shelf.parent / "outside.md")
    (shelf / "papers" / "link.md").symlink_to(shelf.parent / "outside.md")
    (shelf / "papers" / "circle.md").symlink_to("circle.md")
    (shelf / "papers" / "latin.md").write_bytes("café".encode("latin-1"))
    (shelf / "papers" / "broken.pdf").write_bytes(b"no pdf")
    os.mkfifo(shelf / "papers" / "pipe.md")
    with pytest.raises(BriefError) as caught:
        read_library(["papers/a.txt", name], shelf, line=7)
    assert (caught.value.code, caught.value.line) == (code, 7)
    assert message in str(caught.value)


def test_a_brief_without_a_folder_has_no_library() -> None:
    with pytest.raises(BriefError, match="only in a brief that is a file"):
        read_library(["papers"], None)


def test_limits(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases: list[tuple[object, str, int, str]] = [
        (files, "MOST_FILES", 5, "the library has more than 5 files"),
        (files, "MOST_TEXT", 20, "the library has more than 20 characters of text"),
        (files, "MOST_BYTES", 30, "the library has more than 30 bytes"),
        (files, "MOST_BYTES", 12, "'papers/a.txt' is larger than 12 bytes"),
        (documents, "MOST_TEXT", 11, "'papers/b.md' has more than 11 characters of text"),
    ]
    for module, name, most, text in cases:
        with monkeypatch.context() as patch:
            patch.setattr(module, name, most)
            with pytest.raises(BriefError) as caught:
                read_library(["papers"], shelf)
            assert text in str(caught.value)
            assert caught.value.code in ("too_large", "not_text")


def test_a_file_that_may_not_be_opened(shelf: Path) -> None:
    path = shelf / "papers" / "b.md"

    class Locked(type(path)):
        def open(self, *args: object, **more: object) -> object:  # type: ignore[override]
            raise PermissionError(13, "Permission denied")

    with pytest.raises(BriefError, match=r"'b.md' cannot be read: Permission denied"):
        files.read_bytes("b.md", Locked(path))
