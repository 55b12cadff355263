"""Changes in git: every kind of file, every way to name a change, and a repository that would start programs."""

import contextlib
import os
import sys
from pathlib import Path

import pytest

from folkmoot.app.brief.document_states import document_states
from folkmoot.app.review.git_change import Repository
from folkmoot.app.review.subject import Wanted, read_subject
from folkmoot.core.brief import Brief
from folkmoot.core.errors import BriefError
from folkmoot.reviews.artefact import artefact_of, real_path
from folkmoot.reviews.diff_reader import MOST_OF_ALL
from tests.kits.diffs import unified
from tests.kits.repositories import GitRepository, new_repository

CODE = "".join(f"line {n}\n" for n in range(1, 30))


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    place = new_repository(tmp_path / "place")
    place.commit(a__py=CODE, b__py=CODE, c__txt="one\r\ntwo\r\n", gone__py="x\n", logo__png="\x00\x01")
    return place


def test_a_branch_and_the_work_tree_are_reviewed_since_the_branch_began(repository: GitRepository) -> None:
    base = repository.git("rev-parse", "HEAD").strip()
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.git("mv", "b.py", "sub dir.py")
    repository.git("rm", "--quiet", "gone.py")
    head = repository.commit(a__py=CODE.replace("line 9\n", "line nine\n"))
    repository.write("c.txt", "one\r\n2\r\n")
    repository.write("logo.png", b"\0\2")
    repository.write("new.py", "secret")
    repository.write("ä ö.py", "not known")
    artefact = read_subject(Wanted(), repository.folder).artefact
    assert {file.path: file.change for file in artefact.files} == {
        "a.py": "changed",
        "sub dir.py": "renamed",
        "gone.py": "removed",
        "c.txt": "changed",
        "logo.png": "changed",
    }
    assert {name: artefact.facts[name] for name in ("kind", "base", "head")} == {
        "kind": "diff",
        "base": base,
        "head": head,
    }
    assert artefact.facts["untracked"] == "2 untracked files: new.py, ä ö.py"
    assert artefact.facts["left out"] == "logo.png: the file is binary; its content is not shown"
    changed = artefact.file("c.txt")
    assert changed
    assert changed.lines() == {1: "one", 2: "2"}
    assert changed.touched() == {2}
    first = artefact.file("a.py")
    assert first
    assert (first.total, first.touched()) == (29, {9})


def test_what_is_staged_and_what_a_range_changed(repository: GitRepository) -> None:
    first = repository.git("rev-parse", "HEAD").strip()
    repository.write("a.py", CODE + "staged\n")
    repository.git("add", "a.py")
    repository.write("a.py", CODE + "staged\nnot staged\n")
    (file,) = read_subject(Wanted(staged=True), repository.folder).artefact.files
    assert file.touched() == {30}
    assert file.total == 30
    repository.commit(a__py=CODE + "main\n")
    repository.git("checkout", "--quiet", "-b", "topic", first)
    repository.commit(b__py=CODE + "b\n")
    (file,) = read_subject(Wanted(names=("main...topic",)), repository.folder).artefact.files
    assert (file.path, file.touched()) == ("b.py", {30})
    (file,) = read_subject(Wanted(names=(f"{first}..",)), repository.folder).artefact.files
    assert file.path == "b.py"
    (file,) = read_subject(Wanted(base=first), repository.folder).artefact.files
    assert file.path == "b.py"
    assert Repository(repository.folder).between("topic..topic").files == ()


def test_a_link_is_its_target_and_a_file_that_is_gone_is_shown_by_its_hunks(repository: GitRepository) -> None:
    os.symlink("a.py", repository.folder / "link")
    repository.git("add", "link")
    (file,) = read_subject(Wanted(), repository.folder).artefact.files
    assert file.lines() == {1: "a.py"}
    assert Repository(repository.folder).read("", "nothing.py") is None


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names there are Unicode")
def test_names_that_no_text_can_hold_stay_apart_and_are_found_again(repository: GitRepository) -> None:
    """Of each such file the whole text is shown, its address in SARIF is right, and it is compared afterwards."""
    names = [b"caf\xe8.py", b"caf\xe9.py", b'a "b"\t\\x41.py', b"new\nline.py", "zero\u200bwidth.py".encode()]
    for number, name in enumerate(names):
        (repository.folder / os.fsdecode(name)).write_text(f"x = {number}\n" + "y = 1\n" * 30, "utf-8")
    (repository.folder / "link.py").symlink_to("a.py")
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "-m", "odd names")
    artefact = read_subject(Wanted(names=("HEAD~1..HEAD",)), repository.folder).artefact
    brief = Brief(topic="Right?", background=artefact.sources())
    assert {file.path: file.lines()[1] for file in artefact_of(brief).files} == {
        "caf\\xe8.py": "x = 0",
        "caf\\xe9.py": "x = 1",
        'a "b"\\x09\\x5cx41.py': "x = 2",
        "new\\x0aline.py": "x = 3",
        "zero\\xe2\\x80\\x8bwidth.py": "x = 4",
        "link.py": "a.py",
    }
    assert [file.note for file in artefact.files] == [""] * 6
    assert {row.state for row in document_states(brief, repository.folder)} == {"same"}
    (repository.folder / os.fsdecode(names[0])).unlink()
    (repository.folder / os.fsdecode(names[1])).write_text("x = 9\n", "utf-8")
    (repository.folder / "link.py").unlink()
    (repository.folder / "link.py").symlink_to("b.py")
    states = {row.name: row.state for row in document_states(brief, repository.folder) if row.state != "same"}
    assert states == {"caf\\xe8.py": "missing", "caf\\xe9.py": "changed", "link.py": "changed"}
    path = real_path("caf\\xe9.py")
    wanted = Wanted(names=(path,))
    assert os.fsencode(path) == names[1]
    with contextlib.chdir(repository.folder):
        assert read_subject(wanted, Path()).artefact.files[0].path == "caf\\xe9.py"


def test_a_submodule_that_moved_is_shown_by_its_commits(repository: GitRepository, tmp_path: Path) -> None:
    inner = new_repository(tmp_path / "inner")
    inner.commit(a__py="a\n")
    repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.folder), "sub")
    repository.git("commit", "--quiet", "--message", "sub")
    head = GitRepository(repository.folder / "sub").commit(a__py="b\n")
    (file,) = read_subject(Wanted(), repository.folder).artefact.files
    assert (file.path, list(file.lines().values())) == ("sub", [f"Subproject commit {head}"])


TRAP = "#!/bin/sh\ntouch {mark}\ncat\n"


def test_a_repository_starts_no_program(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "started"
    trap = tmp_path / "trap.sh"
    trap.write_text(TRAP.format(mark=mark))
    trap.chmod(0o755)
    program = str(trap)
    for hook in ("post-index-change", "post-checkout", "pre-commit", "fsmonitor-watchman"):
        place = repository.folder / ".git" / "hooks" / hook
        place.write_text(trap.read_text())
        place.chmod(0o755)
    repository.write(".gitattributes", "*.py diff=evil filter=evil\n*.txt filter=e=vil\n")
    for name in ("diff.external", "diff.evil.command", "diff.evil.textconv", "core.fsmonitor", "core.pager"):
        repository.git("config", name, program)
    for name in ("filter.evil.clean", "filter.evil.smudge", "filter.e=vil.process", "core.sshCommand", "core.askPass"):
        repository.git("config", name, program)
    repository.git("config", "filter.evil.required", "true")
    repository.git("config", "credential.helper", f"!{program}")
    repository.git("config", "alias.diff", f"!{program}")
    repository.git("config", "remote.origin.promisor", "true")
    repository.git("config", "remote.origin.url", f"ext::{program}")
    for name in ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "PAGER", "GIT_SSH", "GIT_ASKPASS", "GIT_EDITOR"):
        monkeypatch.setenv(name, program)
    repository.write("a.py", CODE + "new\n")
    repository.write("c.txt", "other\n")
    repository.git("diff")
    assert mark.exists()  # so the traps do work
    before = (repository.folder / ".git" / "index").read_bytes()
    mark.unlink()
    for wanted in (Wanted(), Wanted(staged=True), Wanted(base="HEAD"), Wanted(names=("HEAD..HEAD",))):
        read_subject(wanted, repository.folder)
    assert not mark.exists()
    assert (repository.folder / ".git" / "index").read_bytes() == before
    assert {file.path for file in read_subject(Wanted(), repository.folder).artefact.files} == {"a.py", "c.txt"}


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        (Wanted(base="--output=x"), "there is no commit '--output=x' here"),
        (Wanted(names=("nowhere..main",)), "there is no commit 'nowhere' here"),
        (Wanted(names=("a..b", "c..d")), "name one range"),
        (Wanted(names=("a.py",), staged=True), "name one thing to review"),
        (
            Wanted(names=("nothing.py",)),
            "nothing.py: there is no such file; to review a change, write the two commits as A..B",
        ),
        (Wanted(plan=Path("/")), "/ is a folder; name its files"),
        (Wanted(diff="words"), "it is no diff"),
        (Wanted(diff="\x1b[1mdiff --git a/x b/x\x1b[m\n"), "it is coloured: give git diff --no-color"),
    ],
)
def test_what_cannot_be_reviewed_is_one_sentence(repository: GitRepository, wanted: Wanted, problem: str) -> None:
    with pytest.raises(BriefError) as error:
        read_subject(wanted, repository.folder)
    assert problem in str(error.value)


def test_settings_about_how_a_diff_looks_change_nothing(repository: GitRepository) -> None:
    repository.write("a.py", CODE.replace("line 9\n", "line nine\n"))
    plain = read_subject(Wanted(), repository.folder).artefact
    for name, value in (
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("color.ui", "always"),
        ("diff.orderFile", "nowhere"),
        ("diff.relative", "true"),
    ):
        repository.git("config", name, value)
        assert read_subject(Wanted(), repository.folder).artefact == plain, name


def test_outside_a_repository_and_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    with pytest.raises(BriefError, match="is in no git repository; name files"):
        read_subject(Wanted(), tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BriefError, match="git is not installed; folkmoot review FILE"):
        read_subject(Wanted(), tmp_path)


def test_files_plans_and_diffs_need_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.md").write_text("# Plan\n")
    (tmp_path / "x.py").write_text("x = 1\n")
    (tmp_path / "b.bin").write_bytes(b"\0")
    (tmp_path / "big.txt").write_bytes(b"x" * (MOST_OF_ALL + 1))
    assert read_subject(Wanted(plan=Path("plan.md")), tmp_path).artefact.facts == {"kind": "plan"}
    artefact = read_subject(Wanted(names=("./x.py", "plan.md")), tmp_path).artefact
    assert [file.path for file in artefact.files] == ["x.py", "plan.md"]
    (file,) = read_subject(Wanted(diff=unified("q.py", "a\n", "b\n")), tmp_path).artefact.files
    assert file.note == "only the hunks of the diff are shown"
    for name, problem in (("b.bin", "b.bin is no text"), ("big.txt", "at most 2,000,000 are reviewed at once")):
        with pytest.raises(BriefError, match=problem):
            read_subject(Wanted(names=(name,)), tmp_path)
