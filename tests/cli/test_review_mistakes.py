"""``folkmoot review`` and its kin, given what they cannot use: one sentence that says what, and what is allowed."""

from pathlib import Path

import pytest

from tests.cli.commands import QUOTES, folkmoot, only_id
from tests.kits.repositories import GitRepository, new_repository

NO_TOKEN = {"GITHUB_TOKEN": "", "GH_TOKEN": "", "GITHUB_REPOSITORY": ""}


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    place = new_repository(tmp_path)
    place.write(".gitignore", "folkmoot.sqlite*\ndata\n")
    place.commit(a__py="x = 1\n")
    place.write("a.py", "x = 2\n")
    return place


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--plan", "gone.md"), "gone.md: there is no such file"),
        (("gone.md",), "gone.md: there is no such file; to review a change, write the two commits as A..B"),
        (("a.py", ""), "the name of a file is empty"),
        (("-", "a.py"), "- reads a diff from standard input, so give nothing beside it"),
        (("data",), "data is a folder; name its files"),
        (("--pr", "x"), "'x' is no pull request; write its number or address"),
        (("--pr", "7"), "the remote origin names no repository of GitHub; write --pr OWNER/NAME#7"),
    ],
)
def test_what_cannot_be_reviewed_is_named(repository: GitRepository, words: tuple[str, ...], problem: str) -> None:
    (repository.folder / "data").mkdir(exist_ok=True)
    result = folkmoot(repository.folder, "review", *words, **NO_TOKEN)
    assert (result.exit_code, result.stderr) == (2, f"folkmoot: {problem}\n")


@pytest.mark.parametrize("option", ["--pr", "--base", "--again", "--preset", "--dispute"])
def test_an_empty_option_is_refused_and_does_not_mean_something_else(repository: GitRepository, option: str) -> None:
    result = folkmoot(repository.folder, "review", *QUOTES, option, "")
    assert result.exit_code == 2
    assert f"Invalid value for '{option}': it is empty." in result.stderr


@pytest.mark.parametrize("command", [("review",), ("batch", "Tea or coffee?"), ("eval", "run", "tasks.jsonl")])
@pytest.mark.parametrize("option", ["--no-wait", "--or-live"])
def test_what_belongs_to_batches_needs_batch(repository: GitRepository, command: tuple[str, ...], option: str) -> None:
    repository.write("tasks.jsonl", '{"question": "Tea?", "answer": "Tea"}\n')
    result = folkmoot(repository.folder, *command, *QUOTES, option)
    assert (result.exit_code, f"folkmoot: {option} goes with --batch." in result.stderr) == (2, True), result.stderr


def test_nothing_is_asked_where_the_review_could_not_be_written(repository: GitRepository) -> None:
    result = folkmoot(repository.folder, "review", *QUOTES, "-o", "nowhere/x")
    problem = "folkmoot: the review cannot be written: there is no such folder: nowhere/x\n"
    assert (result.exit_code, result.stderr) == (1, problem)
    assert "There are no debates yet" in folkmoot(repository.folder, "list").stdout


def test_an_earlier_review_is_taken_up_as_it_is_on_record(repository: GitRepository) -> None:
    debate = only_id(folkmoot(repository.folder, "review", *QUOTES))
    result = folkmoot(repository.folder, "review", "--again", debate, "--reviewers", "2", *QUOTES, "--budget", "1")
    assert result.exit_code == 2
    assert "is on record, and how. Leave out --model, --reviewers and --budget." in result.stderr
    result = folkmoot(repository.folder, "review", "--again", debate, "a.py", "--staged")
    assert "Leave out the names and --staged." in result.stderr


def test_a_change_of_no_line_is_not_reviewed(repository: GitRepository) -> None:
    repository.git("checkout", "--", "a.py")
    (repository.folder / "a.py").write_bytes(b"\0\1")
    result = folkmoot(repository.folder, "review", *QUOTES)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.splitlines() == [
        "folkmoot: no line of text has changed, so there is nothing to review",
        "folkmoot: left out: a.py: the file is binary; its content is not shown",
    ]


def test_outside_of_a_repository_the_other_ways_are_named(tmp_path: Path) -> None:
    result = folkmoot(tmp_path, "review", GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
    assert result.exit_code == 2
    assert "is in no git repository; name files, or give a diff to folkmoot review -" in result.stderr


def test_a_word_about_a_finding_names_the_finding(repository: GitRepository) -> None:
    debate = only_id(folkmoot(repository.folder, "review", *QUOTES))
    result = folkmoot(repository.folder, "learn", "resolve", debate, "true")
    assert result.exit_code == 2
    assert f"true and false are for a finding, {debate}#F1; give an answer with --answer." in result.stderr
    result = folkmoot(repository.folder, "learn", "resolve", f"{debate}#F1")
    assert (result.exit_code, result.stderr) == (2, "folkmoot: say true or false of the finding\n")


def test_a_list_of_no_batches_says_so(tmp_path: Path) -> None:
    listed = folkmoot(tmp_path, "batch", "--jobs")
    assert (listed.exit_code, listed.stderr) == (0, "folkmoot: no batch has been sent to a provider from this store\n")
    cancelled = folkmoot(tmp_path, "batch", "--cancel", "all")
    assert (cancelled.exit_code, cancelled.stderr) == (0, "folkmoot: no batch is under way\n")


@pytest.mark.parametrize("shape", ["text", "md", "json", "sarif"])
def test_a_review_is_written_over_a_review_and_over_nothing_else(repository: GitRepository, shape: str) -> None:
    refused = folkmoot(repository.folder, "review", *QUOTES, "--format", shape, "-o", "a.py")
    problem = "folkmoot: a.py: this file is not a report, so it is not overwritten; choose another name\n"
    assert (refused.exit_code, refused.stderr) == (2, problem)
    assert (repository.folder / "a.py").read_text("utf-8") == "x = 2\n"
    assert "There are no debates yet" in folkmoot(repository.folder, "list").stdout
    for _ in range(2):
        assert "written to" in folkmoot(repository.folder, "review", *QUOTES, "--format", shape, "-o", "out").stderr
