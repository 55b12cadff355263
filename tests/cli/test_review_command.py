"""``moot review``: from a change to a report and an exit code."""

import json
from pathlib import Path

import pytest

from tests.cli.commands import QUOTES, moot, only_id
from tests.kits.repositories import GitRepository, new_repository

FAULTY = "def run(names=[]):\n    return eval(names[0])\n"


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    place = new_repository(tmp_path)
    place.write(".gitignore", "moot.sqlite*\ndata\n")
    place.commit(a__py="def run(names):\n    return names[0]\n")
    return place


def test_a_first_review_needs_no_model(repository: GitRepository) -> None:
    repository.write("a.py", FAULTY)
    repository.write("new.py", "x")
    result = moot(repository.folder, "review", *QUOTES)
    assert result.exit_code == 7, result.output
    assert "1 file, 2 lines to review; at most 26 questions, 0 tokens, $0.00" in result.stderr
    assert "left out: 1 untracked file: new.py" in result.stderr
    assert "This is a demonstration: no model has read the change." in result.stdout
    assert "F1  survived  high security  a.py:2" in result.stdout
    assert repository.git("status", "--short") == " M a.py\n?? new.py\n"


@pytest.mark.parametrize(
    ("words", "code"), [(("--fail-on", "critical"), 0), (("--fail-on", "never"), 0), (("--fail-on", "medium"), 7)]
)
def test_the_severity_that_fails_can_be_chosen(repository: GitRepository, words: tuple[str, ...], code: int) -> None:
    repository.write("a.py", FAULTY)
    assert moot(repository.folder, "review", *QUOTES, *words).exit_code == code


def test_every_format_is_of_one_review(repository: GitRepository) -> None:
    repository.write("a.py", FAULTY)
    first = moot(repository.folder, "review", *QUOTES, "--format", "json", "--focus", "security", "-o", "out.json")
    assert (first.exit_code, first.stdout) == (7, "")
    data = json.loads((repository.folder / "out.json").read_text())
    assert (data["moot_review"], data["whole"], data["demonstration"]) == (1, True, True)
    assert data["findings"][0]["state"] == "survived"
    again = moot(repository.folder, "review", "--again", data["id"], "--format", "md")
    assert again.exit_code == 7
    assert again.stdout.startswith(f"<!-- moot-review:1 head={data['artefact']['head']} -->\n")
    sarif = json.loads(moot(repository.folder, "review", "--again", "last", "--format", "sarif").stdout)
    assert sarif["runs"][0]["results"][0]["partialFingerprints"] == {
        "primaryLocationLineHash": data["findings"][0]["fingerprint"]
    }


def test_a_plan_a_diff_and_files_are_reviewed(repository: GitRepository) -> None:
    repository.write("plan.md", "# Plan\n\nWe move on Monday.\n")
    for words in (("--plan", "plan.md"), ("plan.md",)):
        result = moot(repository.folder, "review", *QUOTES, *words)
        assert (result.exit_code, "low correctness  plan.md:1" in result.stdout) == (0, True), result.output
    diff = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+eval(a)\n"
    result = moot(repository.folder, "review", *QUOTES, "-", stdin=diff)
    assert (result.exit_code, "x.py:1" in result.stdout) == (7, True)


def test_nothing_to_review_is_no_failure(repository: GitRepository) -> None:
    repository.write("new.py", "x")
    result = moot(repository.folder, "review", *QUOTES)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.splitlines() == [
        "moot: nothing has changed, so there is nothing to review",
        "moot: left out: 1 untracked file: new.py",
    ]


def test_a_mistake_is_one_sentence(repository: GitRepository) -> None:
    result = moot(repository.folder, "review", "gone..main")
    assert (result.exit_code, result.stderr) == (2, "moot: there is no commit 'gone' here\n")
    repository.write("a.py", FAULTY)
    debate = only_id(moot(repository.folder, "run", "Tea?", *QUOTES, "--participants", "builtin"))
    result = moot(repository.folder, "review", "--again", debate)
    assert (result.exit_code, "is no review, but a debate of the protocol panel" in result.stderr) == (1, True)
    result = moot(repository.folder, "review", "--again", debate, "a.py")
    assert (result.exit_code, "what it reviews is on record" in result.stderr) == (2, True)
    result = moot(repository.folder, "review", *QUOTES, "-o", "nowhere/x")
    assert (result.exit_code, "the review cannot be written" in result.stderr) == (1, True)


def test_a_review_that_stops_at_a_limit_is_taken_up_again(repository: GitRepository) -> None:
    repository.write("a.py", FAULTY)
    result = moot(repository.folder, "review", *QUOTES, "--seconds", "0.01", "--reviewers", "5")
    if result.exit_code == 4:  # a quick machine may be done before
        assert "resume it with: moot review --again" in result.stderr
        result = moot(repository.folder, "review", "--again", "last")
    assert result.exit_code in (4, 7)
