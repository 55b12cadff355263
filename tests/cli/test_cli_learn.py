"""``folkmoot learn``, ``memory``, ``resolve``, ``ratings`` and ``calibration``, as they are typed."""

import asyncio
import json
from pathlib import Path

import pytest

from folkmoot.app.run.workspace import Workspace
from folkmoot.core.decision import Ballot, Decision
from folkmoot.learn.lessons import lessons
from folkmoot.learn.memory import Notes
from folkmoot.learn.memory_store import MemoryStore
from folkmoot.phases.speak import revision
from tests.app.run.test_learning import paper
from tests.cli.commands import folkmoot
from tests.learn.lessons_kit import Paper
from tests.learn.test_lessons import criticised


def fill(folder: Path, missing: int | None = None, **papers: Paper) -> None:
    """Records in the file that the commands read; without the line of that number, from 0."""

    async def write() -> None:
        workspace = Workspace.at(folder / "folkmoot.sqlite")
        for n, (name, debate_paper) in enumerate(papers.items()):
            lines = [line for at, line in enumerate(debate_paper.lines(1000.0 * n)) if at != missing]
            await workspace.store.append(name, lines, after=0)
        await workspace.close()

    asyncio.run(write())


def pattern() -> Paper:
    debate_paper = criticised(revision(()), ANSWER="Buy five", BECAUSE="Batteries have a price")
    return debate_paper.end(Decision(status="decided", winner="Bob", ballots=(Ballot(voter="Cy", choice="Bob"),)))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    fill(tmp_path, one=paper(), two=pattern(), unfinished=Paper({"Ann": "ollama:a", "Bob": "ollama:b"}))
    assert folkmoot(tmp_path, "learn").output == "2 learned, 0 known already, 1 not finished\n"
    return tmp_path


def test_learning_is_told(place: Path) -> None:
    assert folkmoot(place, "learn").output == "0 learned, 2 known already, 1 not finished\n"
    assert folkmoot(place, "learn", "--rebuild").output == "2 learned, 0 known already, 1 not finished\n"
    assert (
        folkmoot(place, "learn", "from", "one", "unf").output
        == "one: nothing new to learn\nunfinished: nothing new to learn\n"
    )
    assert folkmoot(place, "learn", "from", "one", "--domain", "law").output == "one: in the domain law\n"


def test_a_damaged_record_is_named(tmp_path: Path) -> None:
    fill(tmp_path, good=paper())
    fill(tmp_path, missing=2, bad=paper())
    ran = folkmoot(tmp_path, "learn")
    assert ran.exit_code == 1
    assert ran.stdout == "1 learned, 0 known already, 0 not finished\n"
    assert ran.stderr == "folkmoot: bad: its record is damaged; folkmoot verify bad shows where\n"
    assert folkmoot(tmp_path, "learn", "from", "good").output == "good: nothing new to learn\n"
    fill(tmp_path, new=paper())
    assert folkmoot(tmp_path, "learn", "from", "new").output == "new: learned\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("learn", "--rebuild", "from", "one"), "--rebuild"),
        (("learn", "from", "--domain", "x"), "DEBATE"),
        (("learn", "resolve", "one"), "--answer"),
        (("learn", "search"), "WORDS"),
    ],
)
def test_mistakes(place: Path, words: tuple[str, ...], message: str) -> None:
    ran = folkmoot(place, *words)
    assert ran.exit_code == 2
    assert message in ran.stderr


LOOKS = [
    *(f"standings {words}" for words in ("ratings", "ratings --json", "calibration", "personas", "relations --json")),
    "learn search buses",
]


@pytest.mark.parametrize("words", LOOKS)
def test_memory_that_is_not_whole_is_told_beside_what_is_shown(place: Path, words: str) -> None:
    whole = folkmoot(place, *words.split())
    assert (whole.exit_code, whole.stderr) == (0, "")
    fill(place, three=paper(topic="Trams?"))
    part = folkmoot(place, *words.split())
    assert (part.exit_code, part.stdout) == (0, whole.stdout)
    assert part.stderr == "folkmoot: 1 closed debate is not learned; run folkmoot learn\n"
    folkmoot(place, "learn")
    assert folkmoot(place, *words.split()).stderr == ""


def test_memory_is_searched(place: Path) -> None:
    output = folkmoot(place, "learn", "search", "electric", "buses").output
    assert "one  1970-01-01" in output
    assert "  decided: Ann's way (the right answer is not known)" in output
    assert "recalled 0 times" in output
    patterns = folkmoot(place, "learn", "search", "--patterns", "battery price").output
    assert "  Bob: The price of batteries is missing" in patterns
    assert "  Ann changed to: Buy five" in patterns
    assert folkmoot(place, "learn", "search", "zeppelin").output == "Nothing was found in the memory.\n"
    data = json.loads(folkmoot(place, "learn", "search", "--json", "-n", "1", "buses").output)
    assert [row["kind"] for row in data] == ["outcome"]
    assert json.loads(folkmoot(place, "learn", "search", "--json", "zeppelin").output) == []


def test_memory_is_shown_and_forgotten(place: Path) -> None:
    shown = folkmoot(place, "learn", "show", "one").output
    assert shown.startswith("Outcome\n  Should the depot buy electric buses?\n  decided: Ann's way (the right answer")
    assert "Results between models\n  ollama:a beat ollama:b\n" in shown
    for word in ("seq", "True", "bout", "who:"):
        assert word not in shown
    data = json.loads(folkmoot(place, "learn", "show", "--json", "two").output)
    assert data["pattern"][0]["critic"] == "Bob"
    assert folkmoot(place, "learn", "forget", "one").output == "one: forgotten; its record still exists\n"
    assert folkmoot(place, "learn", "show", "one").output == (
        "The memory has nothing about one: it was forgotten, or never learned (folkmoot learn from one).\n"
    )
    assert folkmoot(place, "learn", "show", "nobody").exit_code == 1
    assert folkmoot(place, "learn", "search", "trams").output == "Nothing was found in the memory.\n"


def test_what_was_right_calibrates(place: Path) -> None:
    assert folkmoot(place, "standings", "calibration").output.startswith(
        "There are no resolved answers with a confidence yet"
    )
    assert json.loads(folkmoot(place, "standings", "calibration", "--json").output) == {}
    output = folkmoot(place, "learn", "resolve", "one", "--answer", "Bob's way").output
    assert output.startswith("one: the right answer is Bob's way\n  right: Bob\n")
    table = folkmoot(place, "standings", "calibration").output.splitlines()
    assert table[0].split() == ["model", "n", "confidence", "right", "Brier", "ECE", "vote"]
    assert table[1].split() == ["ollama:a", "1", "0.80", "0.00", "0.640", "0.80", "-"]
    assert table[3] == "With fewer than 200 answers the ECE is too high by chance."
    assert table[4] == "Votes are weighted when all voters have 20 resolved answers (-: no weight yet)."
    assert table[5:] == [
        "Recalibrated:",
        "  ollama:a  says 0.80 (0 of 1 right): expect 0.33",
        "  ollama:b  says 0.80 (1 of 1 right): expect 0.67",
    ]
    data = json.loads(folkmoot(place, "standings", "calibration", "--json").output)["ollama:b"]
    assert (data["accuracy"], data["vote_weight"]) == (1.0, None)
    assert data["recalibrated"] == [{"confidence": 0.8, "accuracy": 1.0, "n": 1, "expected": pytest.approx(2 / 3)}]
    assert folkmoot(place, "learn", "resolve", "unfinished", "--answer", "x").stderr.startswith(
        "folkmoot: unfinished is not over"
    )


def test_a_model_of_which_enough_is_known_has_a_weight(place: Path) -> None:
    with MemoryStore.open(place / "folkmoot.sqlite") as shelf:
        for n in range(20):
            debate_paper = Paper({"Ann": "ollama:a", "Bob": "ollama:b"})
            debate_paper.say("Ann", "propose", ANSWER="yes" if n < 18 else "no", CONFIDENCE=0.9)
            shelf.add(f"x{n}", lessons(debate_paper.end().entries(), Notes(truth="yes")), head=f"{n}")
    table = folkmoot(place, "standings", "calibration").output.splitlines()
    assert table[1].split() == ["ollama:a", "20", "0.90", "0.90", "0.090", "0.00", "1.85"]
    assert table[3:] == ["Recalibrated:", "  ollama:a  says 0.90 (18 of 20 right): expect 0.89"]
    data = json.loads(folkmoot(place, "standings", "calibration", "--json").output)["ollama:a"]
    assert data["vote_weight"] == pytest.approx(1.8458, abs=0.0001)


def test_ratings_are_shown(place: Path) -> None:
    lines = folkmoot(place, "standings", "ratings").output.splitlines()
    assert lines[0] == "domain: none"
    assert lines[1].split() == ["model", "rating", "95%", "interval", "games", "elo"]
    assert {line.split()[0] for line in lines[2:]} == {"ollama:a", "ollama:b", "openai:c"}
    assert folkmoot(place, "standings", "ratings", "--domain", "law").output.startswith("No debate between models")
    assert [item["domain"] for item in json.loads(folkmoot(place, "standings", "ratings", "--json").output)] == [""]


def test_groups_apart_are_named(tmp_path: Path) -> None:
    fill(tmp_path, one=paper(), two=paper(people={"Ann": "groq:x", "Bob": "groq:y"}))
    folkmoot(tmp_path, "learn")
    assert folkmoot(tmp_path, "standings", "ratings").output.splitlines()[-3:] == [
        "2 groups have never met; ratings cannot be compared between them:",
        "  groq:x, groq:y",
        "  ollama:a, ollama:b",
    ]


def test_all_are_measured_from_an_anchor(place: Path) -> None:
    rows = [
        line.split() for line in folkmoot(place, "standings", "ratings", "--anchor", "ollama:b").output.splitlines()[2:]
    ]
    assert {row[0]: row[1:3] for row in rows}["ollama:b"] == ["1500", "anchor"]
    refused = folkmoot(place, "standings", "ratings", "--anchor", "groq:z")
    assert refused.exit_code == 2
    assert refused.stderr.startswith(
        "folkmoot: groq:z has no match and cannot be the anchor; those who have: ollama:a, "
    )


def test_control_signs_reach_no_terminal(tmp_path: Path) -> None:
    fill(tmp_path, one=paper(topic="Should we \x1b[31m buy?\nNo"))
    folkmoot(tmp_path, "learn")
    for words in (("memory", "search", "buy"), ("memory", "show", "one")):
        assert "\x1b" not in folkmoot(tmp_path, *words).output
