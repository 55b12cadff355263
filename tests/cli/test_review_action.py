"""The steps of the action for pull requests, as a runner would take them, with a small GitHub."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import settle
from tests.kits.repositories import new_repository
from tests.kits.small_github import SmallGitHub, serving
from tests.paths import ROOT

pytestmark = pytest.mark.system

SAFE = "def run(names):\n    return names[0]\n"
FAULTY = "def run(names=[]):\n    return eval(names[0])\n"
STEPS = ROOT / "scripts/review_action.sh"


def runner(root: Path) -> dict[str, str]:
    """The environment of a job, with Folkmoot of this checkout in the place of an installed one."""
    inside = root / "folkmoot/bin"
    inside.mkdir(parents=True)
    for name, words in {"folkmoot": "-P -m folkmoot ", "python": ""}.items():
        (inside / name).write_text(f'#!/bin/sh\nexec {sys.executable} {words}"$@"\n', "utf-8")
        (inside / name).chmod(0o755)
    inputs = {"PULL_REQUEST": "7", "BUDGET": "1", "NEW": "true", "MODELS": "builtin:quotes\n"}
    return {**settle(root), **inputs, "RUNNER_TEMP": str(root), "GITHUB_OUTPUT": str(root / "output")}


def step(part: str, folder: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """One part of the action, in the checkout of the base."""
    return subprocess.run(
        ["bash", str(STEPS), part], cwd=folder, env={**os.environ, **env}, capture_output=True, text=True, check=False
    )


def test_one_job_reviews_and_only_the_other_one_writes(tmp_path: Path) -> None:
    base = tmp_path / "base"
    base.mkdir()
    repository = new_repository(base)
    first = repository.commit(a__py=SAFE, json__py="raise SystemExit('Python of the checkout has run')\n")
    faulty = {"a.py": FAULTY.encode()}
    diff = "\n".join(
        ["diff --git a/a.py b/a.py", "--- a/a.py", "+++ b/a.py", "@@ -1,2 +1,2 @@"]
        + [f"-{line}" for line in SAFE.splitlines()]
        + [f"+{line}" for line in FAULTY.splitlines()]
    )
    env = runner(tmp_path / "job")
    with serving(SmallGitHub(base=first, diff=f"{diff}\n", texts=faulty, login="github-actions[bot]")) as place:
        env |= place.env()
        done = step("review", base, env)
        assert done.returncode == 0, done.stderr
        assert place.written() == []
        env |= {"FAIL_ON": "high"}
        done = step("publish", base, env | {"MODELS": "", "PULL_REQUEST": ""})
        assert done.returncode == 0, done.stderr
        assert len(place.comments) == 1
        assert place.lines
        told = dict(line.split("=") for line in (tmp_path / "job/output").read_text().splitlines())
        assert told == {"code": "7", "head": place.head, "number": "7"}
        assert (tmp_path / "job/folkmoot-review/review.sarif").is_file()
        assert repository.git("status", "--short") == ""  # nothing of the pull request came into the checkout
        written = len(place.written())
        assert step("review", base, env).returncode == 0  # nothing was pushed since
        assert "nothing new" in step("publish", base, env).stdout
        assert len(place.written()) == written


def test_no_python_of_the_action_looks_into_the_checkout() -> None:
    calls = re.findall(r'python"? (\S+)', STEPS.read_text("utf-8"))
    assert len(calls) >= 3
    assert set(calls) == {"-I"}


def test_a_review_that_does_not_come_about_fails_its_job(tmp_path: Path) -> None:
    env = runner(tmp_path / "job")
    with serving(SmallGitHub(diff="")) as place:
        assert step("review", tmp_path, env | place.env("wrong")).returncode == 2
        assert step("else", tmp_path, env).returncode == 2
