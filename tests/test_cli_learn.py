"""``moot learn``, ``memory``, ``resolve``, ``ratings`` and ``calibration``, as they are typed."""

import asyncio
import json
from pathlib import Path

import pytest

from commands import moot
from lessons_kit import Paper
from moot.core.decision import Ballot, Decision
from moot.desk.desk import Desk
from moot.phases.forms import revision
from test_learning import paper
from test_lessons import criticised


def fill(folder: Path, missing: int | None = None, **papers: Paper) -> None:
    """Records in the file that the commands read; without the line of that number, from 0."""

    async def write() -> None:
        desk = Desk.at(folder / "moot.sqlite")
        for n, (name, made) in enumerate(papers.items()):
            lines = [line for at, line in enumerate(made.lines(1000.0 * n)) if at != missing]
            await desk.store.append(name, lines, after=0)
        await desk.close()

    asyncio.run(write())


def pattern() -> Paper:
    made = criticised(revision(()), ANSWER="Buy five", BECAUSE="Batteries have a price")
    return made.end(Decision(status="decided", winner="Bob", ballots=(Ballot(voter="Cy", choice="Bob"),)))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    fill(tmp_path, one=paper(), two=pattern(), unfinished=Paper({"Ann": "ollama:a", "Bob": "ollama:b"}))
    assert moot(tmp_path, "learn").output == "2 learned, 0 known before, 1 not over\n"
    return tmp_path


def test_learning_is_told(place: Path) -> None:
    assert moot(place, "learn").output == "0 learned, 2 known before, 1 not over\n"
    assert moot(place, "learn", "--rebuild").output == "2 learned, 0 known before, 1 not over\n"
    assert moot(place, "learn", "one", "unf").output == "one: nothing new to learn\nunfinished: nothing new to learn\n"
    assert moot(place, "learn", "one", "--domain", "law").output == "one: in the domain law\n"


def test_a_damaged_record_is_named(tmp_path: Path) -> None:
    fill(tmp_path, good=paper())
    fill(tmp_path, missing=2, bad=paper())
    ran = moot(tmp_path, "learn")
    assert ran.exit_code == 1
    assert ran.stdout == "1 learned, 0 known before, 0 not over\n"
    assert ran.stderr == "moot: bad: its record is damaged; moot verify bad says where\n"
    assert moot(tmp_path, "learn", "good").output == "good: nothing new to learn\n"
    fill(tmp_path, new=paper())
    assert moot(tmp_path, "learn", "new").output == "new: learned\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("learn", "one", "--rebuild"), "--rebuild learns from all debates; name none."),
        (("learn", "--domain", "x"), "--domain needs the debates that it is about."),
        (("resolve", "one"), "Missing option '--answer'"),
        (("memory", "search"), "Missing argument 'WORDS...'"),
    ],
)
def test_mistakes(place: Path, words: tuple[str, ...], said: str) -> None:
    ran = moot(place, *words)
    assert ran.exit_code == 2
    assert said in ran.stderr


def test_memory_is_searched(place: Path) -> None:
    found = moot(place, "memory", "search", "electric", "buses").output
    assert "one  1970-01-01" in found
    assert "  decided: Ann's way (unconfirmed)" in found
    assert "fast, 0 uses" in found
    patterns = moot(place, "memory", "search", "--patterns", "battery price").output
    assert "  Bob: The price of batteries is missing" in patterns
    assert "  Ann changed to: Buy five" in patterns
    assert moot(place, "memory", "search", "zeppelin").output == "Nothing is remembered on that.\n"
    data = json.loads(moot(place, "memory", "search", "--json", "-n", "1", "buses").output)
    assert [each["kind"] for each in data] == ["outcome"]
    assert json.loads(moot(place, "memory", "search", "--json", "zeppelin").output) == []


def test_memory_is_shown_and_forgotten(place: Path) -> None:
    shown = moot(place, "memory", "show", "one").output
    assert shown.startswith("outcome\n")
    assert "  topic: Should the depot buy electric buses?" in shown
    assert "bout\n  one: ollama:a\n  other: ollama:b\n  score: 1.0\n  sides: Ann, Bob\n" in shown
    data = json.loads(moot(place, "memory", "show", "--json", "two").output)
    assert data["pattern"][0]["critic"] == "Bob"
    assert moot(place, "memory", "forget", "one").output == "one: forgotten; its record is still there\n"
    assert moot(place, "memory", "show", "one").output == (
        "Nothing is remembered of one. Learn from it: moot learn one\n"
    )
    assert moot(place, "memory", "show", "nobody").exit_code == 1
    assert moot(place, "memory", "search", "trams").output == "Nothing is remembered on that.\n"


def test_what_was_right_calibrates(place: Path) -> None:
    assert moot(place, "calibration").output.startswith("No answer with a confidence is resolved yet")
    assert json.loads(moot(place, "calibration", "--json").output) == {}
    told = moot(place, "resolve", "one", "--answer", "Bob's way").output
    assert told == "one: the right answer is Bob's way\n"
    table = moot(place, "calibration").output.splitlines()
    assert table[0].split() == ["model", "n", "confidence", "right", "Brier", "ECE"]
    assert table[1].split() == ["ollama:a", "1", "0.80", "0.00", "0.640", "0.80"]
    assert table[3] == "The ECE of fewer than 200 answers is too high by chance alone."
    assert json.loads(moot(place, "calibration", "--json").output)["ollama:b"]["accuracy"] == 1.0
    assert moot(place, "resolve", "unfinished", "--answer", "x").stderr.startswith("moot: unfinished is not over")


def test_ratings_are_shown(place: Path) -> None:
    lines = moot(place, "ratings").output.splitlines()
    assert lines[0] == "domain: none"
    assert lines[1].split() == ["model", "rating", "95", "%", "interval", "bouts", "elo"]
    assert {line.split()[0] for line in lines[2:]} == {"ollama:a", "ollama:b", "openai:c"}
    assert moot(place, "ratings", "--domain", "law").output.startswith("No debate between models")
    assert [each["domain"] for each in json.loads(moot(place, "ratings", "--json").output)] == [""]


def test_groups_apart_are_named(tmp_path: Path) -> None:
    fill(tmp_path, one=paper(), two=paper(people={"Ann": "groq:x", "Bob": "groq:y"}))
    moot(tmp_path, "learn")
    assert moot(tmp_path, "ratings").output.endswith("2 groups have never met; the order between them means nothing.\n")


def test_control_signs_reach_no_terminal(tmp_path: Path) -> None:
    fill(tmp_path, one=paper(topic="Should we \x1b[31m buy?\nNo"))
    moot(tmp_path, "learn")
    for words in (("memory", "search", "buy"), ("memory", "show", "one")):
        assert "\x1b" not in moot(tmp_path, *words).output
