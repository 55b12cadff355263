"""``folkmoot config skill``: guides that follow the open format, commands in them that work, and files that nobody loses."""

import re
from pathlib import Path

import pytest

from folkmoot.app.skills.skill_files import BLOCK, OPEN, SKILLS, description, skill_text
from folkmoot.cli.main import COMMANDS
from folkmoot.reviews.artefact import digest
from tests.cli.commands import folkmoot

KEYS = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}


@pytest.mark.parametrize("name", SKILLS)
def test_a_skill_follows_the_format(name: str) -> None:
    head, _, body = skill_text(name).removeprefix("---\n").partition("\n---\n")
    keys = [line.partition(":")[0] for line in head.split("\n") if not line.startswith(" ")]
    assert set(keys) <= KEYS
    assert f"name: folkmoot-{name}\n" in head
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", f"folkmoot-{name}")
    assert 1 <= len(description(name)) <= 1024
    assert ": " not in description(name)  # else it would need quotation marks in YAML
    assert max(len(line) for line in head.split("\n") if line.startswith("compatibility")) <= 500
    assert len(body.split("\n")) < 120
    assert "never an" in body


@pytest.mark.parametrize("name", SKILLS)
def test_every_command_in_a_skill_is_one(tmp_path: Path, name: str) -> None:
    words = [line.split("#")[0].split() for line in skill_text(name).split("\n") if line.startswith("folkmoot ")]
    assert words
    for command in words:
        assert command[1] in COMMANDS
        options = {word for word in command if re.fullmatch(r"--?[a-z-]+", word)} - {"-"}
        shown = folkmoot(tmp_path, *command[1 : 3 if command[1] in ("learn", "store") else 2], "--help-all").stdout
        shown = shown or folkmoot(tmp_path, *command[1 : 3 if command[1] in ("learn", "store") else 2], "--help").stdout
        assert all(option in shown for option in options), command


def test_the_brief_of_each_skill_runs(tmp_path: Path) -> None:
    for name, file in (("decide", "question.md"), ("red-team", "claim.md")):
        brief = re.search(r"(?s)```markdown\n(.*?)```", skill_text(name))
        assert brief
        (tmp_path / file).write_text(brief[1])
        assert folkmoot(tmp_path, "check", file, "-m", "builtin:quotes").exit_code == 0
        result = folkmoot(tmp_path, "run", file, "-m", "builtin:quotes", "--quiet")
        assert result.exit_code == 0, result.output
    assert folkmoot(tmp_path, "report", "last", "--format", "memo").exit_code == 0


def test_skills_are_installed_checked_and_removed(tmp_path: Path) -> None:
    assert [line.partition(":")[0] for line in folkmoot(tmp_path, "config", "skill", "list").stdout.splitlines()] == [
        *SKILLS
    ]
    assert folkmoot(tmp_path, "config", "skill", "install", "--dry-run").stdout.count("not installed") == 3
    assert (folkmoot(tmp_path, "config", "skill", "check").exit_code, (tmp_path / ".agents").exists()) == (1, False)
    result = folkmoot(tmp_path, "config", "skill", "install", "--claude")
    assert (result.exit_code, result.stdout.count(": installed: ")) == (0, 6)
    assert folkmoot(tmp_path, "config", "skill", "check", "--claude").exit_code == 0
    assert (
        folkmoot(tmp_path, "config", "skill", "install", "review", "--user").exit_code == 0
    )  # the home is this folder
    assert folkmoot(tmp_path, "config", "skill", "remove", "folkmoot-decide").exit_code == 0
    assert not (tmp_path / OPEN / "folkmoot-decide").exists()
    assert (tmp_path / ".claude/skills/folkmoot-decide/SKILL.md").exists()
    result = folkmoot(tmp_path, "config", "skill", "install", "nothing")
    assert (result.exit_code, "there are decide, review, red-team" in result.stderr) == (2, True)


def test_a_changed_file_is_left_alone_and_an_older_one_is_renewed(tmp_path: Path) -> None:
    folkmoot(tmp_path, "config", "skill", "install")
    path = tmp_path / OPEN / "folkmoot-review" / "SKILL.md"
    text = path.read_text()
    path.write_bytes(text.replace("\n", "\r\n").encode())
    assert "folkmoot-review: installed: " in folkmoot(tmp_path, "config", "skill", "check").stdout
    path.write_text(text + "My own words.\n")
    before = (tmp_path / OPEN / "folkmoot-decide" / "SKILL.md").stat().st_mtime_ns
    for words in (("install",), ("remove",)):
        result = folkmoot(tmp_path, "config", "skill", *words)
        assert (result.exit_code, "somebody has changed" in result.stderr) == (2, True)
    assert path.read_text().endswith("My own words.\n")
    assert (tmp_path / OPEN / "folkmoot-decide" / "SKILL.md").stat().st_mtime_ns == before
    assert "folkmoot-review: changed by somebody" in folkmoot(tmp_path, "config", "skill", "check").stdout
    older = re.sub(r'folkmoot-sha256: "\w+"', 'folkmoot-sha256: ""', text).replace("# Review a change", "# Review")
    path.write_text(older.replace('folkmoot-sha256: ""', f'folkmoot-sha256: "{digest(older)}"'))
    assert "installed by another version" in folkmoot(tmp_path, "config", "skill", "check").stdout
    assert folkmoot(tmp_path, "config", "skill", "install").exit_code == 0
    assert path.read_text() == text
    path.write_text("mine")
    (path.parent / "notes.md").write_text("mine")
    assert folkmoot(tmp_path, "config", "skill", "remove", "--force").exit_code == 0
    assert [file.name for file in path.parent.iterdir()] == ["notes.md"]
    (tmp_path / OPEN / "folkmoot-decide").write_text("a file in the way")
    result = folkmoot(tmp_path, "config", "skill", "install")
    assert (result.exit_code, "cannot be written" in result.stderr) == (1, True), result.output
    path.mkdir()
    result = folkmoot(tmp_path, "config", "skill", "check", "review")
    assert (result.exit_code, "cannot be read: Is a directory" in result.stderr) == (1, True), result.output


def test_the_block_in_agents_md_is_the_only_thing_that_changes(tmp_path: Path) -> None:
    place = tmp_path / "AGENTS.md"
    words = ("config", "skill", "install", "--agents-md")
    assert folkmoot(tmp_path, *words).stdout.endswith("AGENTS.md: written\n")
    assert place.read_text() == BLOCK
    assert folkmoot(tmp_path, *words).stdout.endswith("AGENTS.md: nothing to change\n")
    place.write_text("# Mine\n\n" + BLOCK.replace("## Folkmoot", "## Old") + "\nBehind it")
    folkmoot(tmp_path, *words)
    assert place.read_text() == "# Mine\n\n" + BLOCK + "\nBehind it"
    place.write_text("# Mine")
    folkmoot(tmp_path, *words)
    assert place.read_text() == "# Mine\n\n" + BLOCK
    for text, code, problem in (
        (b"<!-- folkmoot:end -->", 2, "only one of the marks"),
        (b"\xff", 1, "it is not UTF-8"),
    ):
        place.write_bytes(text)
        result = folkmoot(tmp_path, *words)
        assert (result.exit_code, problem in result.stderr, place.read_bytes()) == (code, True, text)
    assert folkmoot(tmp_path, *words, "--user").exit_code == 2
