"""When an answer is right: compared as votes are, by the option that is named, else by normalised words."""

import json
from pathlib import Path

import pytest

from folkmoot.core.brief import Brief, Participant
from folkmoot.core.decision import Decision
from folkmoot.core.event import Opened
from folkmoot.learn.lessons import is_right, lessons, option_of
from folkmoot.learn.memory import Notes
from tests.app.run.test_learning import paper
from tests.cli.commands import folkmoot
from tests.cli.test_cli_learn import fill
from tests.learn.lessons_kit import TWO, Paper

HIRE = ("HIRE", "NO_HIRE")


@pytest.mark.parametrize(
    ("answer", "truth", "options", "right"),
    [
        ("Buy ten", "**buy  ten.**", (), True),
        ("1,000", "1000", (), True),
        ("18", "18.0", (), True),
        ("5", "5!", (), False),  # a factorial is another number
        ("-1", "1", (), False),
        ("Buy ten", "Buy eleven", (), False),
        ("no-hire", "no_hire", (), False),  # without options nobody says that these are one
        ("NO_HIRE", "no hire", HIRE, True),
        ("no-hire.", "No Hire", HIRE, True),
        ("HIRE", "no hire", HIRE, False),
        ("perhaps", "hire", HIRE, False),
        ("perhaps", "Perhaps.", HIRE, True),  # the truth was none of the options
        ("HIRE", "perhaps", HIRE, False),
        ("a", "A", ("a", "A"), True),  # which of the two is meant nobody can say; the words are the same
    ],
)
def test_what_is_right(answer: str, truth: str, options: tuple[str, ...], right: bool) -> None:
    assert is_right(answer, truth, options) == right


@pytest.mark.parametrize(
    ("text", "options", "named"),
    [
        ("no hire", HIRE, "NO_HIRE"),
        ("_hire_", HIRE, "HIRE"),
        ("a-b", ("a b", "a_b"), ""),
        ("a b", ("a b", "a_b"), "a b"),
        ("x", (), ""),
    ],
)
def test_which_option_is_named(text: str, options: tuple[str, ...], named: str) -> None:
    assert option_of(text, options) == named


def closed(*options: str) -> Paper:
    """Ann and Bob answer with one of these options."""
    debate_paper = Paper(TWO)
    people = (Participant(name="Ann", seat="ollama:a"), Participant(name="Bob", seat="ollama:b"))
    debate_paper.events[0] = Opened(
        brief=Brief(topic="Hire?", participants=people, options=options), protocol={}, name="panel"
    )
    return debate_paper


def test_with_options_the_option_that_is_meant_is_right_everywhere() -> None:
    debate_paper = closed(*HIRE)
    debate_paper.say("Ann", "propose", ANSWER="NO_HIRE")
    debate_paper.say("Bob", "propose", ANSWER="HIRE")
    debate_paper.end(Decision(status="decided", winner="NO_HIRE", text="NO_HIRE"))
    taught = lessons(debate_paper.entries(), Notes(truth="no hire"))
    assert [position.right for position in taught.positions] == [True, False]
    assert [performance.right for performance in taught.performances] == [True, False]
    assert taught.outcome.trust == "confirmed"


@pytest.mark.parametrize(
    ("decision", "truth", "trust"),
    [
        (Decision(status="decided", text="We buy ten, for they last."), "Buy ten", "unconfirmed"),
        (Decision(status="decided", text="Buy ten."), "buy ten", "confirmed"),
        (Decision(status="decided", winner="Ann", text="Buy ten"), "Lease", "refuted"),
        (Decision(status="decided", winner="Ann", text="Buy ten"), "ann", "confirmed"),
        (Decision(status="decided", text="lease"), "buy", "refuted"),  # it names an option
    ],
)
def test_words_of_a_moderators_own_are_not_refuted_by_other_words(decision: Decision, truth: str, trust: str) -> None:
    debate_paper = closed("lease", "buy")
    assert lessons(debate_paper.end(decision).entries(), Notes(truth=truth)).outcome.trust == trust


# ---- the command -----------------------------------------------------------------------------------------------------


def test_who_is_taken_as_right_is_told(tmp_path: Path) -> None:
    debate_paper = closed("buy", "lease")
    debate_paper.say("Ann", "propose", ANSWER="buy", CONFIDENCE=0.9)
    debate_paper.say("Bob", "propose", ANSWER="lease\x1b")
    fill(tmp_path, closed=debate_paper.end(Decision(status="decided", winner="buy", text="buy")), free=paper())
    assert folkmoot(tmp_path, "learn", "resolve", "closed", "--answer", "Buy.").output.splitlines() == [
        "closed: the right answer is Buy.",
        "  right: Ann",
        "  wrong: Bob, whose last answer was: lease",
        "  the decision is confirmed",
    ]
    refused = folkmoot(tmp_path, "learn", "resolve", "closed", "--answer", "rent")
    assert refused.exit_code == 2
    assert (
        refused.output
        == "folkmoot: 'rent' is not an option of closed; the options are buy, lease (--force records it)\n"
    )
    shown = folkmoot(tmp_path, "learn", "show", "closed", "--json").output
    assert [position["right"] for position in json.loads(shown)["position"]] == [True, False]
    assert folkmoot(tmp_path, "learn", "resolve", "closed", "--answer", "rent", "--force").output.splitlines() == [
        "closed: the right answer is rent",
        "  this is not one of the options: buy, lease",
        "  right: nobody",
        "  wrong: Ann, whose last answer was: buy",
        "  wrong: Bob, whose last answer was: lease",
        "  the decision is refuted",
    ]
    assert "  right: Bob\n  wrong: Ann, whose last answer was: Ann's way\n" in (
        folkmoot(tmp_path, "learn", "resolve", "free", "--answer", "*bob's way*").output
    )
    assert json.loads(folkmoot(tmp_path, "standings", "calibration", "--json").output)["ollama:a"]["n"] == 2


def test_where_nothing_was_decided_nothing_is_confirmed(tmp_path: Path) -> None:
    fill(tmp_path, one=closed().end())
    assert (
        folkmoot(tmp_path, "learn", "resolve", "one", "--answer", "x").output
        == "one: the right answer is x\n  right: nobody\n"
    )


def test_who_was_right_is_told_after_the_debate_was_forgotten(tmp_path: Path) -> None:
    debate_paper = closed("buy", "lease")
    debate_paper.say("Ann", "propose", ANSWER="buy", CONFIDENCE=0.9)
    debate_paper.say("Bob", "propose", ANSWER="lease")
    fill(tmp_path, one=debate_paper.end(Decision(status="decided", winner="buy", text="buy")))
    folkmoot(tmp_path, "learn", "forget", "one")
    assert folkmoot(tmp_path, "learn", "resolve", "one", "--answer", "buy").output.splitlines() == [
        "one: the right answer is buy",
        "  right: Ann",
        "  wrong: Bob, whose last answer was: lease",
        "  the decision is confirmed",
        "  this debate was forgotten: nothing is learned from it",
    ]
    assert json.loads(folkmoot(tmp_path, "standings", "calibration", "--json").stdout) == {}


# ---- many at once ----------------------------------------------------------------------------------------------------


def two(folder: Path) -> None:
    """Two debates with options, and one that is not over."""
    papers: dict[str, Paper] = {}
    for name in ("spring", "summer"):
        debate_paper = papers[name] = closed("buy", "lease")
        debate_paper.say("Ann", "propose", ANSWER="buy", CONFIDENCE=0.9)
        debate_paper.say("Bob", "propose", ANSWER="lease", CONFIDENCE=0.6)
        debate_paper.end(Decision(status="decided", winner="buy", text="buy"))
    papers["open"] = Paper(TWO)
    fill(folder, None, **papers)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "answer,debate,by\nbuy,spring,x\nlease,sum,x\n"),
        ("t.csv", "\ufeffdebate,answer\r\nspring,buy\r\nsummer,lease\r\n"),
        ("t.jsonl", '{"debate": "spring", "answer": "buy"}\n\n{"debate": "summer", "answer": "lease", "n": 1}\n'),
    ],
)
def test_many_are_resolved_from_a_file(tmp_path: Path, name: str, text: str) -> None:
    two(tmp_path)
    (tmp_path / name).write_text(text, "utf-8")
    ran = folkmoot(tmp_path, "learn", "resolve", "--from", str(tmp_path / name))
    assert ran.exit_code == 0
    assert [line for line in ran.output.splitlines() if not line.startswith("  wrong")] == [
        "spring: the right answer is buy",
        "  right: Ann",
        "  the decision is confirmed",
        "summer: the right answer is lease",
        "  right: Bob",
        "  the decision is refuted",
    ]
    assert json.loads(folkmoot(tmp_path, "standings", "calibration", "--json").output)["ollama:a"]["n"] == 2


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "t.csv",
            "debate,answer\nspring,rent\n",
            "t.csv:2: 'rent' is not an option of spring; the options are buy, lease",
        ),
        ("t.csv", "debate,answer\nspring,buy\nnobody,buy\n", "t.csv:3: "),
        ("t.csv", "debate,answer\nopen,buy\n", "t.csv:2: open is not over"),
        ("t.csv", "debate,answer\nspring,\n", "t.csv:2: there is no answer"),
        ("t.csv", "debate\nspring\n", "there is no column 'answer'; the first line must name debate and answer"),
        ("t.csv", "debate,answer\n", "the file has no answers"),
        ("t.jsonl", '{"debate": "spring", "answer": "buy"}\n[1]\n', "t.jsonl:2: this is not a JSON object"),
        ("t.jsonl", "{\n", "t.jsonl:1: this is not a JSON object"),
        ("t.csv", "\udcff", "it is not UTF-8"),
    ],
)
def test_a_file_with_a_fault_books_nothing(tmp_path: Path, name: str, text: str, words: str) -> None:
    two(tmp_path)
    (tmp_path / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    ran = folkmoot(tmp_path, "learn", "resolve", "--from", str(tmp_path / name))
    assert ran.exit_code == 2
    assert words in ran.output
    assert "Traceback" not in ran.output
    assert json.loads(folkmoot(tmp_path, "standings", "calibration", "--json").stdout) == {}


def test_what_a_file_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two(tmp_path)
    assert "cannot be read: No such file" in folkmoot(tmp_path, "learn", "resolve", "--from", "none.csv").output
    monkeypatch.setattr("folkmoot.app.export.truths.MOST_BYTES", 3)
    (tmp_path / "t.csv").write_text("debate,answer\n")
    assert "bytes are too many" in folkmoot(tmp_path, "learn", "resolve", "--from", str(tmp_path / "t.csv")).output
    for words in (("spring",), ("--answer", "buy"), ("spring", "--answer", "buy", "--from", "t.csv")):
        ran = folkmoot(tmp_path, "learn", "resolve", *words)
        assert (ran.exit_code, "Give a debate and --answer, or --from FILE." in ran.output) == (2, True)
