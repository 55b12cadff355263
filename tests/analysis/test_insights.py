"""What an analysis comes to: sentences, pages, sums over debates."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from folkmoot.analysis.analysis import overview
from folkmoot.analysis.review import insights, review
from folkmoot.core.decision import Ballot
from folkmoot.core.errors import RecordError
from folkmoot.core.event import Asked, Entered, Failed
from folkmoot.record.store import read
from tests.analysis.courses import chain, decide, look, say, table, turned
from tests.paths import RECORDS
from tests.report.reports import Diary, ask, hiring

LINES_OF_RECORDS = sorted((RECORDS).glob("*.jsonl"))


def test_insights_are_sentences_about_what_was_found() -> None:
    analysis = decide(turned(), "move", *(Ballot(voter=text, choice="move") for text in ("Ann", "Ben", "Cid")))
    assert (
        insights(analysis)[:6]
        == (
            "Agreement rose from 67% to 100% between the first answers and the closing answers.",
            "After T4 of Ben, “move” took the lead.",
            "Ben and Cid changed the answer: 2 changes, 1 with a stated reason.",
            "1 of 1 claims of the decision are supported by a source or another participant.",
            "Ann changed the most minds: once.",
        )[:6]
    )


def test_insights_on_cruxes_and_open_points() -> None:
    text = " ".join(insights(decide(chain(), "stay")))
    assert "The decided answer is rejected on the argument map." in text
    assert "The outcome depends on each of T3 and T6." in text
    assert "On the argument map “move” is stronger than the decided answer." in text
    assert "1 attack was not rebutted." in text
    assert "Nobody changed their answer." not in text


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        (
            (("Ann", "a", 1), ("Ben", "a", 1), ("Ben", "b", 2)),
            "Agreement fell from 100% to 50% between round 1 and round 2.",
        ),
        ((("Ann", "a", 1), ("Ben", "a", 1), ("Ben", "b", 2)), "After T3 of Ben, no answer had the lead."),
        ((("Ann", "a", 1), ("Ann", "a", 2)), "Agreement stayed at 100% between round 1 and round 2."),
        ((("Ann", "a", 1), ("Ann", "a", 2)), "Nobody changed their answer."),
        ((("Ann", "a", 1), ("Ann", "b" * 99, 2)), f"After T2 of Ann, “{'b' * 79}…” took the lead."),
        (
            (("Ann", "a", 1), ("Ann", "b", 2), ("Ann", "a", 3), ("Ann", "b", 4)),
            "Ann changed the answer: 3 changes, none with a stated reason",
        ),
    ],
)
def test_sentences(answers: Sequence[tuple[str, str, int]], sentence: str) -> None:
    diary = table()
    for by, answer, at in answers:
        say(diary, by, {"ANSWER": answer}, at=at)
    assert sentence in " ".join(insights(look(diary.entries)))


def test_sentences_on_missing_answers_false_quotations_and_those_who_moved_as_many() -> None:
    diary = table()
    say(diary, "Ann", {"ANSWER": "move", "ARGUMENT": '"Gold." (plan.md:1)'})
    say(diary, "Ben", {"ANSWER": "stay"})
    say(diary, "Ann", {"QUESTION": "Why?", "TARGET": "T2"}, act="question")
    say(diary, "Cid", {"ANSWER": "stay"})
    say(diary, "Cid", {"ANSWER": "move", "BECAUSE": "T1, T2"}, at=2)
    late = ask("/debate/rounds/round-2/argue#99", "Ann", "argue")
    diary.add(Asked(ask=late), Failed(key=late.key, kind="timeout", reason="late"))
    text = " ".join(insights(decide(diary, "move")))
    assert "The decision quotes words that are not in plan.md." in text
    assert "1 of 6 answers are missing." in text
    assert "Ann and Ben changed the most minds: once each." in text
    assert "1 question was not answered." in text


def test_one_crux_is_told_as_one() -> None:
    diary = table()
    say(diary, "Ann", {"ANSWER": "move", "CLAIM": "Full."})
    say(diary, "Ben", {"CLAIM": "Empty.", "TARGET": "T1", "RELATION": "ATTACK"})
    assert "The outcome depends on T2." in " ".join(insights(decide(diary, "move")))


def test_the_page_of_a_debate_and_of_many() -> None:
    analysis, other = decide(turned(), "move", Ballot(voter="Ann", choice="stay", reason="No.")), look(hiring())
    page = review([analysis], overview([analysis]), {"x": ["move-agreement.svg"]})
    assert page.startswith("# Move?\n\n- `x`, arena: decided: so\n")
    assert "![move agreement](move-agreement.svg)" in page
    assert "| First answers | T3 | move 1, Stay. 2 | 67% |" in page
    assert "- T4 of Ben: Stay. → move; caused by T1 of Ann: T1 shows that the yard is full" in page
    assert "- T6 of Cid: stay → \\*move\\*; cause not stated" in page
    assert "- T4 of Ben: move 1, Stay. 2 → move 2, Stay. 1 (new lead)" in page
    assert "- Ann voted for stay: No." in page
    both = review([analysis, other], overview([analysis, other]), {"": ["all-ties.svg"]})
    assert both.startswith("# 2 debates\n\n- Ended: 2 decided\n")
    assert "![all ties](all-ties.svg)" in both
    assert "# Should we hire the candidate?" in both
    full = review([decide(chain(), "stay")], overview([analysis]), {})
    assert "- T3 of Cid: without it the decided answer is accepted (strength" in full
    assert "(T2 of Ben; attacked by T3; **unsupported**)" in full


def test_camps_and_sources_on_the_page() -> None:
    diary = table()
    say(diary, "Ann", {"ANSWER": "move", "CLAIM": '"Rent is due" (plan.md:1) and "gold" (plan.md:1)'})
    say(diary, "Ben", {"ANSWER": "stay", "CLAIM": "Yes.", "TARGET": "T1", "RELATION": "SUPPORT"})
    analysis = decide(diary, "move", Ballot(voter="Ben", choice="stay"))
    page = review([analysis], overview([analysis]), {})
    assert "(T1 of Ann; backed by T2; cites plan.md; quotes words not found in plan.md)" in page
    assert "- move: Ann (50%)\n- stay: Ben (50%)" in page
    assert "- Ben voted for stay\n" in page


def test_sums_over_debates() -> None:
    analysis, other = decide(turned(), "move"), look(hiring())
    total = overview([analysis, other])
    assert (total.debates, total.statuses, total.cost) == (2, {"decided": 2}, None)
    assert (total.flips, total.stated) == (len(analysis.agreement.flips) + len(other.agreement.flips), 2)
    assert total.entries == analysis.entries + other.entries
    assert overview([analysis]).cost == 0
    twice = {(interaction.by, interaction.to): interaction for interaction in overview([other, other]).ties}
    assert twice["Ann", "Ben"].together == 2 * next(
        interaction.together for interaction in other.ties if (interaction.by, interaction.to) == ("Ann", "Ben")
    )


def test_no_analysis_without_an_opening() -> None:
    with pytest.raises(RecordError, match="does not begin with its opening"):
        look(Diary().add(Entered(path="/debate")).entries)


@pytest.mark.parametrize("path", LINES_OF_RECORDS, ids=lambda path: path.stem)
def test_old_records_can_be_analysed_at_every_entry(path: Path) -> None:
    entries = read(path.read_text("utf-8").splitlines())
    for end in range(1, len(entries) + 1):
        analysis = look(entries[:end])
        assert review([analysis], overview([analysis]), {}).endswith("\n")
