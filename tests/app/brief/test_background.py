"""Background files: which may be read, and how."""

import os
from pathlib import Path

import pytest

from folkmoot.app.brief.files import MOST_BACKGROUND_BYTES, check_path, read_files
from folkmoot.app.brief.reader import read_brief
from folkmoot.core.brief import Source
from folkmoot.core.errors import BriefError


def test_files_are_sources_under_their_names(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "study one.md").write_bytes("\ufeff# Study\r\nüx\u202e\n".encode())
    (tmp_path / "b.txt").write_text("b", encoding="utf-8")
    text = "---\nbackground: [data/study one.md, b.txt]\n---\n# Q\n\nwords"
    parsed = read_brief(text, name="a.md", folder=tmp_path)
    assert parsed.brief.background == (
        Source(name="a.md", text="words", line=6),
        Source(name="data/study one.md", text="# Study\nüx\n"),
        Source(name="b.txt", text="b"),
    )
    assert parsed.given["background"] == ("data/study one.md", "b.txt")
    assert read_brief("---\nbackground: b.txt\n---\n# Q", folder=tmp_path).brief.background[0].text == "b"


AWAY = [
    *("", "/", "/etc/passwd", "..", "../x", "a/../../x", "a/..", "./x", ".", "a//b", "a/", "~/x", "~root/x"),
    *("C:x", "C:/x", "C:\\x", "\\\\host\\share", "//host/share", "..\\x", "a\\b", "\\\\?\\C:\\x", "file:///x"),
    *(
        "http://x/y",
        "a\x00b",
        "a\nb",
        "a|b",
        "a*",
        "a?",
        "CON",
        "nul.txt",
        "data/COM1.md",
        "lpt9",
        "aux .txt",
        "x.",
        "x ",
    ),
    *("...", "a/ /b", "x:stream", "conin$"),
]


@pytest.mark.parametrize("name", AWAY)
def test_paths_that_lead_away(name: str) -> None:
    with pytest.raises(BriefError) as caught:
        check_path(name, line=3)
    assert (caught.value.code, caught.value.line) == ("unsafe_path", 3)


@pytest.mark.parametrize(
    "name", ["a.md", "a/b.md", "a b.md", ".hidden", "a..b", "console.md", "100%.md", "é.txt", "a~"]
)
def test_paths_that_stay(name: str) -> None:
    assert check_path(name) == name


def refusal(folder: Path | None, *names: str) -> str:
    with pytest.raises(BriefError) as caught:
        read_files(names, folder, line=2)
    assert caught.value.line == 2
    return caught.value.code


def test_what_is_no_background(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    (tmp_path / "just.txt").write_bytes(b"x" * MOST_BACKGROUND_BYTES)
    (tmp_path / "large.txt").write_bytes(b"x" * (MOST_BACKGROUND_BYTES + 1))
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path, "gone.md") == "no_file"
    assert refusal(tmp_path, "gone/gone.md") == "no_file"
    assert refusal(tmp_path, "folder") == "no_file"
    assert refusal(tmp_path, "pipe") == "no_file"
    assert refusal(tmp_path, "just.txt/x") == "no_file"
    assert refusal(tmp_path, "x" * 5000) == "no_file"
    assert refusal(tmp_path, "latin.txt") == "not_text"
    assert refusal(tmp_path, "just.txt", "large.txt") == "too_large"
    assert refusal(None, "just.txt") == "unsafe_path"


def test_links_may_not_lead_out(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "secret").write_text("s", encoding="utf-8")
    (home / "a.md").write_text("a", encoding="utf-8")
    (home / "out").symlink_to(tmp_path / "secret")
    (home / "up").symlink_to("..")
    (home / "loop").symlink_to("loop")
    (home / "in").symlink_to("a.md")
    assert refusal(home, "out") == "unsafe_path"
    assert refusal(home, "up/secret") == "unsafe_path"
    assert refusal(home, "loop") == "no_file"
    assert read_files(("in",), home) == (Source(name="in", text="a"),)
    (tmp_path / "link").symlink_to(home)
    assert read_files(("a.md",), tmp_path / "link")[0].text == "a"


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        (
            "chart.bmp",
            b"BM\xff",
            "'chart.bmp' is no text; text, Markdown, CSV, PNG, JPEG, WebP, GIF and PDF can be background",
        ),
        ("talk.mp3", b"ID3\xff", "'talk.mp3' is no text; "),
        ("plan.docx", b"PK\x03\x04\0\xff", "'plan.docx' is no text; "),
        ("chart.png", b"", "'chart.png' is empty"),
        ("plan.pdf", b"", "'plan.pdf' is empty"),
    ],
)
def test_a_file_of_another_kind_is_told_what_it_is(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BriefError) as caught:
        read_files([name], tmp_path, line=2)
    assert str(caught.value).startswith(f"line 2: {message}")


def test_text_under_the_name_of_a_picture_or_film_is_text(tmp_path: Path) -> None:
    for name in ("chart.svg", "main.ts"):
        (tmp_path / name).write_text("words")
    assert [source.text for source in read_files(["chart.svg", "main.ts"], tmp_path)] == ["words", "words"]
