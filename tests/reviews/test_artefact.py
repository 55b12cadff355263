"""The artefact: what reviewers read is what checks are made on, whatever stands in the files."""

import hashlib
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.core.brief import Brief, Source
from folkmoot.core.errors import BriefError
from folkmoot.reviews.artefact import (
    AUTHOR,
    HEAD,
    Artefact,
    artefact_of,
    author_words,
    read_file,
    split_lines,
    whole_file,
)
from folkmoot.reviews.diff_reader import MOST_OF_ALL, files_of, left_out, read_diff
from tests.kits.diffs import unified

PLAIN = st.text(alphabet="ab \t+-|:\n\r@.\\é", max_size=60)


@given(PLAIN)
def test_a_file_is_the_same_after_it_was_a_document(text: str) -> None:
    file = whole_file("notes/a.md", text)
    assert read_file(file.source()) == file
    assert list(file.lines().values()) == split_lines(text)
    assert file.total == len(split_lines(text))


@given(PLAIN, PLAIN)
@settings(max_examples=200)
def test_a_diff_with_the_new_text_gives_both_texts_back(old: str, new: str) -> None:
    old, new = old.replace("\r", ""), new.replace("\r", "")
    diff = unified("src/a.py", old, new)
    if not diff:
        return
    (file,) = files_of(read_diff(diff), lambda path: new.encode())
    assert list(file.lines().values()) == split_lines(new)
    assert [row.text for row in file.rows if row.mark != "+"] == split_lines(old)
    assert file.sha256 == (hashlib.sha256(new.encode()).hexdigest() if new else "")
    assert read_file(file.source()) == file


def test_lines_that_look_like_heads_rows_or_hunks_stay_lines() -> None:
    text = "path: other\n\n 1  |x\n@@ -1 +1 @@\n--- a/x\n+++ b/x\n"
    diff = unified("a.txt", "", text)
    (file,) = files_of(read_diff(diff), lambda path: text.encode())
    assert file.change == "added"
    assert list(file.lines().values()) == text.rstrip("\n").split("\n")
    assert read_file(file.source()) == file


def test_touched_lines_are_added_ones_and_those_beside_ones_that_are_only_removed() -> None:
    old = "".join(f"line {n}\n" for n in range(1, 9))
    new = old.replace("line 2\n", "").replace("line 6\n", "line six\n")
    (file,) = files_of(read_diff(unified("a", old, new)), lambda path: new.encode())
    assert file.touched() == {1, 2, 5}
    assert whole_file("a", "x\ny").touched() == {1, 2}


ALL_KINDS = "\n".join(
    [
        "diff --git a/gone.py b/gone.py",
        "deleted file mode 100644",
        "--- a/gone.py",
        "+++ /dev/null",
        "@@ -1,2 +0,0 @@",
        "-one",
        "-two",
        'diff --git "a/\\303\\244.txt" "b/\\303\\244.txt"',
        "new file mode 100644",
        "--- /dev/null",
        '+++ "b/\\303\\244.txt"',
        "@@ -0,0 +1 @@",
        "+x",
        "\\ No newline at end of file",
        "diff --git a/old.py b/new.py",
        "similarity index 100%",
        "rename from old.py",
        "rename to new.py",
        "diff --git a/run.sh b/run.sh",
        "old mode 100644",
        "new mode 100755",
        "diff --git a/logo.png b/logo.png",
        "Binary files a/logo.png and b/logo.png differ",
        'diff --git a/plain "b/\\303\\266"',
        "rename from plain",
        'rename to "\\303\\266"',
        "",
    ]
)


def test_files_that_are_added_removed_renamed_binary_or_without_a_newline() -> None:
    texts = {"ä.txt": b"x", "new.py": b"a\r\nb\r\n", "run.sh": b"#!", "logo.png": b"\x89PNG\0"}
    files = {file.path: file for file in files_of(read_diff(ALL_KINDS), texts.get)}
    assert {path: file.change for path, file in files.items()} == {
        "gone.py": "removed",
        "ä.txt": "added",
        "new.py": "renamed",
        "run.sh": "changed",
        "logo.png": "changed",
        "ö": "renamed",
    }
    assert files["gone.py"].lines() == {}
    assert (files["new.py"].was, files["new.py"].lines()) == ("old.py", {1: "a", 2: "b"})
    assert files["run.sh"].note == "its mode became 100755"
    assert left_out(list(files.values()))[-2:] == (
        "logo.png: the file is binary; its content is not shown",
        "ö: only the hunks of the diff are shown",
    )
    assert all(read_file(file.source()) == file for file in files.values())


def test_words_behind_the_hunks_say_nothing_of_the_file_before_them() -> None:
    message = "Binary files a/x.py and b/x.py differ\ndeleted file mode 100644\nrename to y.py\nnew mode 100755\n"
    for file in files_of(read_diff(f"{unified('x.py', 'a', 'b')}{message}{unified('z.py', 'a', 'b')}")):
        assert (file.change, file.lines(), file.note) == ("changed", {1: "b"}, "only the hunks of the diff are shown")
    assert [file.new for file in read_diff(f"{unified('x.py', 'a', 'b')}{message}")] == ["x.py"]


def test_an_empty_file_and_a_submodule_are_called_so() -> None:
    empty = "diff --git a/e.py b/e.py\nnew file mode 100644\nindex 0000000..e69de29\n"
    module = "diff --git a/sub b/sub\nindex 36..2e 160000\n--- a/sub\n+++ b/sub\n@@ -1 +1 @@\n"
    module += "-Subproject commit 36\n+Subproject commit 2e\n"
    assert left_out(files_of(read_diff(empty + module))) == (
        "e.py: the file is empty",
        "sub: it is a submodule; what changed in it is not shown",
    )


def test_without_the_new_text_the_hunks_are_shown() -> None:
    text = "--- a/x.py\n+++ b/x.py\n@@ -10,2 +10,2 @@ def f():\n same\n-old\n+new\n\nand words behind it\n"
    (file,) = files_of(read_diff(text))
    assert file.lines() == {10: "same", 11: "new"}
    assert file.source().text.endswith("\n\n...\n10  |same\n   -|old\n11 +|new")
    assert (file.sha256, file.note) == ("", "only the hunks of the diff are shown")


def test_a_missing_line_feed_at_either_end_is_no_line() -> None:
    mark = "\\ No newline at end of file\n"
    text = f"--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n same\n-old\n{mark}+new\n{mark}"
    (file,) = files_of(read_diff(text), lambda path: b"same\nnew")
    assert [(row.mark, row.text) for row in file.rows] == [(" ", "same"), ("-", "old"), ("+", "new")]


@pytest.mark.parametrize(
    ("diff", "problem"),
    [
        ("hello\n", "it is no diff"),
        ("--- a/x\n+++ b/x\n@@ -1,3 +1,2 @@\n a\n", "the diff of x is damaged"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n-b\n+c\n", "the diff of x is damaged"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n?a\n", "the diff of x is damaged"),
    ],
)
def test_what_is_no_diff_is_refused(diff: str, problem: str) -> None:
    with pytest.raises(BriefError, match=problem):
        read_diff(diff)


@pytest.mark.parametrize("new", ["a\nX\nc\n", "a\n", ""])
def test_of_a_diff_of_another_text_the_hunks_are_shown(new: str) -> None:
    (file,) = files_of(read_diff(unified("x", "a\nb\nc\n", "a\nB\nc\nd\n")), lambda path: new.encode())
    assert file.note.endswith("for the file is another now")
    assert file.lines() == {1: "a", 2: "B", 3: "c", 4: "d"}


def test_a_name_of_two_lines_cannot_write_a_head_of_its_own() -> None:
    (file,) = files_of(read_diff('--- "a/x\\nchange: whole"\n+++ "b/x\\nchange: whole"\n@@ -1 +1 @@\n-a\n+b\n'))
    assert file.path == "x\\x0achange: whole"
    assert read_file(file.source()) == file


def test_nothing_is_no_file() -> None:
    assert read_diff("") == []


def test_lock_files_generated_files_and_large_changes_are_shown_around_their_changes() -> None:
    old = "".join(f"line {n}\n" for n in range(1, 401))
    new = old.replace("line 200\n", "line two hundred\n")
    for path, text in (("web/package-lock.json", new), ("api.py", "# @generated\n" + new)):
        diff = unified(path, text.replace("two hundred", "200"), text)
        (file,) = files_of(read_diff(diff), {path: text.encode()}.get)
        assert len(file.rows) == 122
        assert "lines more than 60 lines from a change" in file.note
        assert read_file(file.source()) == file
    large = "".join(f"{random.Random(n).random()}\n" * 1 for n in range(25_000))
    (file,) = files_of(read_diff(unified("big.py", large, large + "end\n")), lambda path: (large + "end\n").encode())
    assert len(file.rows) == 61
    with pytest.raises(BriefError, match="review fewer commits"):
        files_of(read_diff(unified("new.txt", "", "x" * MOST_OF_ALL + "\n")))


def test_an_artefact_is_its_documents() -> None:
    files = (whole_file("a.md", "one\n"), whole_file("b.md", "two\n"))
    artefact = Artefact(files=files, facts={"kind": "files", "left out": "c.bin is\nbinary"})
    brief = Brief(topic="?", background=artefact.sources(), library=(Source(name=AUTHOR, text="Trust me."),))
    again = artefact_of(brief)
    assert again.files == files
    assert again.sha256 == artefact.sha256 == again.facts["sha256"]
    assert (again.facts["kind"], again.facts["left out"]) == ("files", "c.bin is binary")
    assert author_words(brief) == "Trust me."
    assert author_words(Brief(topic="?")) == ""
    assert artefact_of(replace(brief, background=(*brief.background, *brief.library))).files == files
    assert brief.background[0].name == HEAD


def test_a_document_that_is_no_file_of_an_artefact_is_reviewed_as_it_is() -> None:
    for text in (
        "plain",
        "path: x\n\nplain",
        "path: x\nchange: changed\n\n1  |a",
        "path: x\nchange: odd\nlines: 1\n\n1  |a",
    ):
        assert read_file(Source(name="x", text=text)) == whole_file("x", text)
