"""``folkmoot fork`` and ``folkmoot diff`` as a user types them."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import Result

from folkmoot.core.event import Opened
from folkmoot.record.store import decode
from tests.cli.commands import BRIEF, QUOTES, folkmoot, only_id, served

QUIET = ("--quiet", "--no-report")
WORDS = "ANSWER: build\nCONFIDENCE: 1\nARGUMENT: We know our own prices."


def ids(folder: Path) -> list[str]:
    """All debates, the newest first."""
    return [item["debate"] for item in json.loads(folkmoot(folder, "list", "--json").output)]


def opening(folder: Path, debate: str = "last") -> Opened:
    event = decode(folkmoot(folder, "show", debate, "--json").stdout.splitlines()[0]).event
    assert isinstance(event, Opened)
    return event


@pytest.fixture(scope="module")
def debated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Where a debate was held, and its id."""
    folder = tmp_path_factory.mktemp("parent")
    ran = folkmoot(folder, "run", str(BRIEF), *QUOTES, "--no-report")
    assert ran.exit_code == 0
    return folder, only_id(ran)


@pytest.fixture
def parent(tmp_path: Path, debated: tuple[Path, str]) -> str:
    """The id of a debate that was held; each test has a copy of the store of its own."""
    shutil.copytree(debated[0], tmp_path, dirs_exist_ok=True)
    return debated[1]


def test_a_fork_goes_on_to_the_same_end_and_every_view_names_its_parent(tmp_path: Path, parent: str) -> None:
    forked = folkmoot(tmp_path, "fork", parent, "--at", "9", "-o", str(tmp_path / "out"))
    assert forked.exit_code == 0, forked.output
    text = " ".join(forked.output.split())
    assert f"2 answers kept, 2 questions asked again, forked from {parent} at entry 9." in text
    assert "decided" in text
    (report,) = (tmp_path / "out").iterdir()
    assert f"**Origin:** forked from {parent} at entry 9" in report.read_text("utf-8")
    assert f"forked from {parent} at entry 9" in " ".join(folkmoot(tmp_path, "show", "last").output.split())
    child, old = json.loads(folkmoot(tmp_path, "list", "--json").output)
    assert (child["forked"], old["forked"], old["debate"]) == (f"{parent}@9", "", parent)
    for width in ("90", "200"):
        assert f"forked from {parent} at entry 9" in " ".join(folkmoot(tmp_path, "list", COLUMNS=width).output.split())
    assert "intact" in folkmoot(tmp_path, "verify", "last").output
    assert "All answers are the same: 8 answers." in folkmoot(tmp_path, "diff", parent, "last").output
    data = json.loads(folkmoot(tmp_path, "diff", "last", "--json").output)
    assert (data["one"]["debate"], data["other"]["debate"]) == (parent, child["debate"])
    assert (data["parting"]["one"], data["other"]["forked"]) == (None, f"{parent}@9")


def test_a_fork_can_wait_and_is_taken_up(tmp_path: Path, parent: str) -> None:
    result = folkmoot(tmp_path, "fork", "last", "--at", "9", "--no-run")
    (child,) = result.stdout.split()
    assert f"run it with: folkmoot resume {child}" in result.stderr
    assert ids(tmp_path) == [child, parent]
    assert "ends with entry" in folkmoot(tmp_path, "diff", parent, child).output
    capped = folkmoot(tmp_path, "resume", child, "--max-questions", "4", *QUIET)
    assert capped.exit_code == 4
    assert folkmoot(tmp_path, "resume", child, *QUIET).exit_code == 0
    again = folkmoot(tmp_path, "fork", child, "--at", "9", "--max-questions", "4", *QUIET)
    assert again.exit_code == 4
    assert f"**Origin:** forked from {child} at entry 9" in folkmoot(tmp_path, "report", "last").output


def test_an_answer_is_given_otherwise(tmp_path: Path, parent: str) -> None:
    numbered = folkmoot(tmp_path, "show", parent, "--numbers").output
    assert "· T1, entry 8" in numbered
    assert "entry" not in folkmoot(tmp_path, "show", parent).output.split("drafts")[1].split("Answer")[0]
    forked = folkmoot(tmp_path, "fork", parent, "--turn", "T1", "--answer", WORDS, *QUIET)
    assert forked.exit_code == 0, forked.output
    assert opening(tmp_path).forked == f"{parent}@11"
    shown = folkmoot(tmp_path, "show", "last").output
    assert "given by hand in a fork" in shown
    assert "We know our own prices." in shown
    text = " ".join(folkmoot(tmp_path, "diff", parent, "last").output.split())
    assert "They have no answers in common. They diverge here: A entry 8 · T1 Finance draft: " in text
    assert "B entry 8 · T1 Finance draft: " in text


def test_other_models_answer_from_there_on(tmp_path: Path, parent: str) -> None:
    with served() as wires:
        models = ("-m", "Finance=ollama:tiny", "-m", "builtin:quotes")
        forked = folkmoot(tmp_path, "fork", parent, "--at", "11", *models, *QUIET, OLLAMA_HOST=wires.url)
        assert forked.exit_code == 0, forked.output
        assert {call.body["model"] for call in wires.calls} == {"tiny"}
    seats = {participant.name: participant.seat for participant in opening(tmp_path).brief.participants}
    assert (seats["Finance"], seats["Platform"]) == ("ollama:tiny", "builtin:quotes")
    text = " ".join(folkmoot(tmp_path, "diff", parent, "last").output.split())
    assert "The first 4 answers are the same. Then they diverge:" in text
    assert "Finance: model A builtin:quotes B ollama:tiny" in text


def test_another_brief_holds_from_there_on(tmp_path: Path, parent: str) -> None:
    other = tmp_path / "other.md"
    (tmp_path / "build-or-buy").mkdir()
    (tmp_path / "build-or-buy" / "options.md").write_text("Rent is cheap.", "utf-8")
    changed = BRIEF.read_text("utf-8").replace("# Should we build", "# Must we build")
    other.write_text(changed, "utf-8")
    forked = folkmoot(tmp_path, "fork", parent, "--at", "11", "--brief", str(other), *QUIET)
    assert forked.exit_code == 0, forked.output
    assert opening(tmp_path).brief.topic.startswith("Must we build")
    typed = folkmoot(tmp_path, "fork", parent, "--at", "2", "--brief", "-", "--no-run", stdin="Tea or coffee?")
    assert typed.exit_code == 0, typed.output
    assert opening(tmp_path).brief.topic == "Tea or coffee?"
    late = folkmoot(tmp_path, "fork", parent, "--at", "20", "--brief", "-", stdin="Tea or coffee?")
    assert late.exit_code == 2
    assert f"with this change the debate differs from entry 4 of {parent}" in late.stderr
    assert "fork it at entry 3 or earlier" in late.stderr


MISTAKES: list[tuple[tuple[str, ...], str]] = [
    (("fork", "nobody", "--at", "3"), "there is no debate 'nobody'"),
    (("fork", "last", "--at", "0"), "can be forked at entry 1 to"),
    (("fork", "last", "--at", "999"), "not 999; with entry"),
    (("fork", "last"), "Say where: --at ENTRY, or --turn T7 with --answer"),
    (("fork", "last", "--turn", "T1"), "--turn and --answer go together"),
    (("fork", "last", "--at", "3", "--answer", "x"), "--turn and --answer go together"),
    (("fork", "last", "--at", "3", "--turn", "T1", "--answer", "x"), "Say where: --at"),
    (("fork", "last", "--turn", "T99", "--answer", "x"), "has no turn 'T99'; its turns are T1 to T8"),
    (("fork", "last", "--turn", "T1", "--answer", "CONFIDENCE: 2"), "T1 (Finance): the answer must say"),
    (("fork", "last", "--at", "3", "-m", "Eve=ollama:x"), "nobody is called 'Eve'; the participants are Finance,"),
    (("fork", "last", "--at", "3", "-m", "Finance=llama"), "'llama'"),
    (("fork", "last", "--at", "3", "-m", "ollama:x", "-m", "ollama:y"), "--model is given twice for all"),
    (("fork", "last", "--at", "3", "--brief", "nothing.md"), "nothing.md: there is no such file"),
    (("diff", "last"), "is not a fork; name the debate to compare it with"),
    (("diff", "last", "nobody"), "there is no debate 'nobody'"),
]


@pytest.mark.parametrize(("words", "message"), MISTAKES)
def test_a_mistake_is_one_sentence_and_leaves_nothing_behind(
    words: tuple[str, ...], message: str, tmp_path: Path, parent: str
) -> None:
    ran: Result = folkmoot(tmp_path, *words)
    assert ran.exit_code in (1, 2)
    assert message in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    assert ids(tmp_path) == [parent]


def test_settings_hold_in_the_place_of_those_of_another_brief(tmp_path: Path, parent: str) -> None:
    alone = folkmoot(tmp_path, "fork", parent, "--at", "2", "--set", "seed=7", "--no-run")
    assert alone.exit_code == 2
    assert "--set needs --brief FILE" in alone.output
    typed = ("fork", parent, "--at", "2", "--brief", "-", "--set", "seed=7", "--no-run")
    assert folkmoot(tmp_path, *typed, stdin="Tea or coffee?").exit_code == 0
    assert opening(tmp_path).brief.seed == 7
