"""What is read out of a record about the course of a debate: agreement, causes, ties, grounds, beliefs, cruxes."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.brief import Brief, Participant, Source
from moot.core.decision import Ballot, Decision
from moot.core.errors import RecordError
from moot.core.event import TOOL, Asked, Called, Closed, Entered, Entry, Failed, Opened, Ruled
from moot.core.form import Fields
from moot.core.transcript import fold
from moot.readers.agreement import agreement
from moot.readers.analysis import Analysis, analyse, overview
from moot.readers.insights import insights
from moot.readers.relations import Tie, ties
from moot.readers.review import review
from moot.record.codec import read
from reports import Diary, ask, hiring, person

RECORDS = sorted((Path(__file__).parent / "records").glob("*.jsonl"))
ANN, BEN, CID = person("Ann"), person("Ben"), person("Cid")
PLAN = Source(name="plan.md", text="The yard is full. Rent is due in May.")


def say(diary: Diary, by: str, fields: Fields, *, act: str = "argue", at: int = 1, text: str = "…") -> Diary:
    """A turn in a round; 0 is outside of rounds."""
    place = f"/debate/rounds/round-{at}/{act}" if at else f"/debate/{act}"
    return diary.say(ask(f"{place}#{len(diary.entries)}", by, act), text, fields)


def table(*people: Participant) -> Diary:
    brief = Brief(topic="Move?", participants=people or (ANN, BEN, CID), background=(PLAN,))
    return Diary().add(Opened(brief=brief, protocol={}, name="arena"))


def decide(diary: Diary, winner: str, *ballots: Ballot, text: str = "") -> Analysis:
    tally = {winner: 0.0, **{each.choice: 1.0 for each in ballots if each.choice}}
    decision = Decision(status="decided", winner=winner, text=text or winner, tally=tally, ballots=ballots)
    return look(diary.add(Ruled(decision=decision), Closed(status="decided", reason="so")).entries)


def look(entries: Sequence[Entry]) -> Analysis:
    return analyse(entries, debate="x")


# ---- agreement, flips, moments --------------------------------------------------------------------------------------


def turned() -> Diary:
    """Ann moves, Ben and Cid stay; then both come over to her."""
    diary = table()
    for by, answer in (("Ann", "move"), ("Ben", "Stay."), ("Cid", "stay")):
        say(diary, by, {"ANSWER": answer}, act="draft", at=0)
    say(diary, "Ben", {"ANSWER": "move", "BECAUSE": "T1 shows that the yard is full"}, act="revise")
    say(diary, "Cid", {"ANSWER": "stay"}, act="revise")
    say(diary, "Cid", {"ANSWER": "*move*"}, act="close", at=0)
    return diary


def test_agreement_over_time() -> None:
    stages = look(turned().entries).agreement.stages
    assert [(each.name, each.mark, dict(each.tally.holders), round(each.tally.share, 2)) for each in stages] == [
        ("first answers", "T3", {"move": 1, "Stay.": 2}, 0.67),
        ("round 1", "T5", {"move": 2, "Stay.": 1}, 0.67),
        ("closing answers", "T6", {"move": 3}, 1.0),
    ]


def test_moments_are_the_turns_after_which_the_tally_changed() -> None:
    moments = look(turned().entries).agreement.moments
    assert [(each.mark, each.before.leading, each.after.leading, each.turned) for each in moments] == [
        ("T4", "Stay.", "move", True),
        ("T6", "move", "move", False),
    ]
    diary = say(say(table(ANN, BEN), "Ann", {"ANSWER": "a"}), "Ben", {"ANSWER": "a"})
    (moment,) = look(say(diary, "Ben", {"ANSWER": "b"}, at=2).entries).agreement.moments
    assert (moment.before.leading, moment.after.leading, moment.after.share) == ("a", "", 0.5)


def test_there_is_no_agreement_without_answers() -> None:
    found = look(table().entries).agreement
    assert (found.ledger, found.stages, found.flips, found.moments) == ((), (), (), ())


@pytest.mark.parametrize(
    ("fields", "causes"),
    [
        ({"BECAUSE": "T1 and T2 say so, T99 does not"}, ("T1", "T2")),
        ({"BECAUSE": "T3 is mine"}, ()),
        ({"BECAUSE": "the yard has been full since May"}, ("T1",)),
        ({"BECAUSE": "The yard has been FULL since May."}, ("T1",)),
        ({"BECAUSE": "the yard is full"}, ()),
        ({"BECAUSE": "of it"}, ()),
        ({"BECAUSE": "rent falls due in May"}, ()),
        ({"TARGET": "T2"}, ("T2",)),
        ({"TARGET": "T3"}, ()),
        ({"BECAUSE": "I was wrong", "TARGET": "T2"}, ("T2",)),
        ({}, ()),
    ],
)
def test_a_cause_is_named_or_not_stated(fields: Fields, causes: tuple[str, ...]) -> None:
    diary = table()
    say(diary, "Ann", {"ANSWER": "move", "ARGUMENT": "The yard has been full since May, and rent falls due in May."})
    say(diary, "Ben", {"ANSWER": "stay", "ARGUMENT": "Rent falls due in May."})
    say(diary, "Cid", {"ANSWER": "stay"})
    say(diary, "Cid", {"ANSWER": "move", **fields}, at=2)
    (flip,) = look(diary.entries).agreement.flips
    assert flip.causes == causes
    assert flip.to == tuple({"T1": "Ann", "T2": "Ben"}[mark] for mark in causes)
    assert (flip.by, flip.before, flip.after) == ("Cid", "stay", "move")


@given(
    st.lists(st.tuples(st.sampled_from(["Ann", "Ben", "Cid"]), st.sampled_from("abc"), st.integers(0, 3)), max_size=12)
)
def test_laws_of_the_course(said: list[tuple[str, str, int]]) -> None:
    diary = table()
    for by, answer, at in said:
        say(diary, by, {"ANSWER": answer}, at=at)
    found = agreement(fold(diary.entries))
    assert len(found.ledger) == len(said)
    assert len(found.flips) == len(found.moments)
    last = {by: answer for by, answer, _ in said}
    for stage in found.stages:
        assert 0 < stage.tally.share <= 1
        assert stage.tally.leading in ("", *stage.tally.holders)
    if said:
        assert sum(found.stages[-1].tally.holders.values()) == len(last)
        assert found.stages[-1].tally.share == max(list(last.values()).count(each) for each in "abc") / len(last)


# ---- ties ------------------------------------------------------------------------------------------------------------


def test_who_did_what_towards_whom() -> None:
    diary = table()
    say(diary, "Ann", {"CLAIM": "Full."})
    say(diary, "Ben", {"CLAIM": "Not full.", "TARGET": "T1", "RELATION": "ATTACK", "ANSWER": "stay"})
    say(diary, "Ben", {"CLAIM": "Half full.", "TARGET": "T1", "RELATION": "REBUT"})
    say(diary, "Cid", {"CLAIM": "Quite full.", "TARGET": "T1", "RELATION": "SUPPORT"})
    say(diary, "Cid", {"QUESTION": "Since when?", "TARGET": "T2"}, act="question")
    say(diary, "Cid", {"CLAIM": "Indeed.", "TARGET": "T3"})
    say(diary, "Ann", {"CLAIM": "As I said.", "TARGET": "T1", "RELATION": "SUPPORT"})
    say(diary, "Ben", {"ANSWER": "move", "BECAUSE": "T1"})
    ballots = (Ballot(voter="Ann", choice="Ben"), Ballot(voter="Ben", choice="Ben"), Ballot(voter="Cid", choice="Ann"))
    ballots += (Ballot(voter="Dee", state="abstained"),)
    found = {(each.by, each.to): each for each in decide(diary, "Ben", *ballots).ties}
    assert found["Ben", "Ann"] == Tie(by="Ben", to="Ann", answers=2, attacks=2, together=1)
    assert found["Cid", "Ann"] == Tie(by="Cid", to="Ann", answers=1, supports=1, votes=1, apart=1)
    assert found["Cid", "Ben"] == Tie(by="Cid", to="Ben", answers=2, questions=1, apart=1)
    assert found["Ann", "Ben"] == Tie(by="Ann", to="Ben", moved=1, votes=1, together=1)
    assert ("Dee", "Ann") not in found
    assert ties(fold(table().entries), ()) == ()


# ---- grounds ---------------------------------------------------------------------------------------------------------


def test_each_claim_of_the_decision_stands_with_what_is_behind_it() -> None:
    diary = table()
    say(diary, "Ann", {"ANSWER": "move", "CLAIM": 'The "yard is full." (plan.md:1)'})
    say(diary, "Ben", {"ANSWER": "move", "CLAIM": "We are rich.", "ARGUMENT": '"Gold." (plan.md:1)'})
    say(diary, "Cid", {"ANSWER": "stay", "CLAIM": "We are poor.", "TARGET": "T2", "RELATION": "ATTACK"})
    say(diary, "Ben", {"ANSWER": "move", "CLAIM": "It is new.", "ARGUMENT": "It was built in May."})
    say(diary, "Cid", {"CLAIM": "New indeed.", "TARGET": "T4", "RELATION": "SUPPORT"})
    say(diary, "Ben", {"CLAIM": "I repeat.", "TARGET": "T2", "RELATION": "SUPPORT"})
    say(diary, "Ben", {"ANSWER": "move", "CLAIM": "NONE"})
    say(diary, "Ann", {"ANSWER": "move", "CLAIM": "NONE", "ARGUMENT": "All say so."}, act="close", at=0)
    say(diary, "Ben", {"ANSWER": "move", "ARGUMENT": "all say so"}, act="close", at=0)
    found = decide(diary, "move").grounds
    assert [(each.claim, each.turns, each.backed, each.attacked, each.sources, each.supported) for each in found] == [
        ('The "yard is full." (plan.md:1)', ("T1",), (), (), ("plan.md",), True),
        ("We are rich.", ("T2",), (), ("T3",), (), False),
        ("It is new.", ("T4",), ("T5",), (), (), True),
        ("All say so.", ("T8", "T9"), (), (), (), True),
    ]
    assert [each.standing for each in found] == ["in", "out", "in", None]
    assert found[1].unfound == ("plan.md",)


def test_a_decision_in_words_of_its_own_is_one_claim() -> None:
    said = '"Rent is due in May." (plan.md:1), "We fly." (plan.md:1)'
    (ground,) = decide(say(table(), "Ann", {"ANSWER": "stay"}), "", text=said).grounds
    assert (ground.claim, ground.sources, ground.unfound, ground.supported) == (said, ("plan.md",), ("plan.md",), True)
    (bare,) = decide(say(table(), "Ann", {}, text="I move."), "", text="Nobody said this.").grounds
    assert not bare.supported


def test_a_proposal_without_fields_is_found_by_its_words() -> None:
    diary = say(table(), "Ann", {}, act="propose", at=0, text="Let us move.")
    (ground,) = decide(diary, "Ann", text="Let us move.").grounds
    assert (ground.turns, ground.claim, ground.standing) == (("T1",), "Let us move.", "in")


def test_nothing_is_grounded_without_a_decision() -> None:
    assert look(turned().entries).grounds == ()
    assert decide(turned(), "", text="").grounds == ()


@pytest.mark.parametrize(("said", "sources"), [("See https://a.example.", ("https://a.example",)), ("See it.", ())])
def test_what_a_tool_gave_counts_where_the_turn_names_it(said: str, sources: tuple[str, ...]) -> None:
    diary = say(table(), "Ann", {"ANSWER": "move", "CLAIM": said})
    key = fold(diary.entries).all()[0].key
    diary.add(Called(key=key, call="tool-1", text="x", model=f"{TOOL}search", sources=("https://a.example",)))
    (ground,) = decide(diary, "move").grounds
    assert ground.sources == sources


# ---- beliefs and cruxes ----------------------------------------------------------------------------------------------


def chain() -> Diary:
    """T1 for move is attacked by T2, which T3 attacks; T4 for move falls to T5; T6 asks; T7 is for stay."""
    diary = table()
    say(diary, "Ann", {"ANSWER": "move", "CLAIM": "Full."})
    say(diary, "Ben", {"ANSWER": "stay", "CLAIM": "Empty.", "TARGET": "T1", "RELATION": "ATTACK"})
    say(diary, "Cid", {"ANSWER": "move", "CLAIM": "Photo.", "TARGET": "T2", "RELATION": "ATTACK"})
    say(diary, "Cid", {"CLAIM": "A good photo.", "TARGET": "T3", "RELATION": "SUPPORT"})
    say(diary, "Ben", {"ANSWER": "stay", "CLAIM": "Old photo.", "TARGET": "T3", "RELATION": "REBUT"})
    say(diary, "Ann", {"CLAIM": "From May.", "TARGET": "T5", "RELATION": "ATTACK"})
    return diary


def test_the_answers_on_the_map_and_the_cruxes_of_the_winner() -> None:
    found = decide(chain(), "stay").beliefs
    assert found.winner
    assert (found.winner.answer, found.winner.claims, found.winner.standing) == ("stay", ("T2", "T5"), "out")
    assert {each.answer: each.standing for each in found.answers} == {"move": "in", "stay": "out"}
    assert [each.strength for each in found.answers] == sorted((each.strength for each in found.answers), reverse=True)
    # Without Cid's photo Ben's "Empty." stands, without Ann's "From May." his "Old photo." does.
    assert [(each.mark, each.by, each.standing) for each in found.cruxes] == [
        ("T3", ("Cid",), "in"),
        ("T6", ("Ann",), "in"),
    ]
    assert all(each.strength > found.winner.strength for each in found.cruxes)


def test_a_claim_for_which_nothing_else_stands_is_no_crux() -> None:
    found = decide(say(table(), "Ann", {"ANSWER": "move", "CLAIM": "Full."}), "move").beliefs
    assert found.winner
    assert found.cruxes == ()


def test_a_draft_stands_for_itself_and_a_long_one_is_known_in_short() -> None:
    long = "We move. " * 60
    diary = say(table(), "Ann", {}, act="propose", at=0, text=long)
    say(diary, "Ben", {"ANSWER": "stay"}, act="draft", at=0)
    say(diary, "Cid", {"CLAIM": "Stay."}, at=1)
    found = decide(diary, "Ann", text=long.strip()).beliefs
    assert found.winner
    assert found.winner.claims == ("T1",)
    assert [each.claims for each in found.answers] == [("T1",), ("T2",)]


def test_beliefs_without_a_decision_or_without_a_claim_for_it() -> None:
    assert look(chain().entries).beliefs.winner is None
    assert decide(chain(), "burn").beliefs.winner is None


# ---- disagreement ----------------------------------------------------------------------------------------------------


def test_camps_dissent_and_what_nobody_answered() -> None:
    diary = table()
    say(diary, "Ann", {"ANSWER": "move", "CLAIM": "Full.", "ARGUMENT": "Old words."})
    say(diary, "Ben", {"ANSWER": "stay", "CLAIM": "Dear.", "TARGET": "T1", "RELATION": "ATTACK", "ARGUMENT": "Rent."})
    say(diary, "Cid", {"ANSWER": "stay", "QUESTION": "Why?", "TARGET": "T1"}, act="question")
    found = decide(
        diary, "stay", Ballot(voter="Ann", choice="move", reason="Space."), Ballot(voter="Ben", choice="stay")
    )
    left = found.disagreement
    assert [(each.answer, each.by, each.argument) for each in left.camps] == [
        ("stay", ("Ben", "Cid"), "Rent."),
        ("move", ("Ann",), "Old words."),
    ]
    assert [(each.voter, each.reason) for each in left.dissent] == [("Ann", "Space.")]
    assert [(each.mark, each.by, each.relation, each.target) for each in left.points] == [
        ("T2", ("Ben",), "ATTACK", "T1"),
        ("T3", ("Cid",), "QUESTION", "T1"),
    ]


# ---- insights, pages, sums -------------------------------------------------------------------------------------------


def test_insights_are_sentences_about_what_was_found() -> None:
    found = decide(turned(), "move", *(Ballot(voter=each, choice="move") for each in ("Ann", "Ben", "Cid")))
    assert (
        insights(found)[:6]
        == (
            "Agreement rose from 67% to 100% between the first answers and the closing answers.",
            "With T4 of Ben the lead passed to “move”.",
            "Ben and Cid changed the answer, twice in all; what caused it is stated once.",
            "1 of 1 claims of the decision have a source or another participant behind them.",
            "Ann changed most minds: once.",
        )[:6]
    )


def test_insights_on_cruxes_and_open_points() -> None:
    said = " ".join(insights(decide(chain(), "stay")))
    assert "The decided answer does not stand on the argument map." in said
    assert "The outcome turns on each of T3 and T6." in said
    assert "On the argument map “move” is stronger than the decided answer." in said
    assert "1 attack was not answered." in said
    assert "Nobody changed the answer." not in said


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        (
            (("Ann", "a", 1), ("Ben", "a", 1), ("Ben", "b", 2)),
            "Agreement fell from 100% to 50% between round 1 and round 2.",
        ),
        ((("Ann", "a", 1), ("Ben", "a", 1), ("Ben", "b", 2)), "With T3 of Ben nothing led any more."),
        ((("Ann", "a", 1), ("Ann", "a", 2)), "Agreement stayed at 100% between round 1 and round 2."),
        ((("Ann", "a", 1), ("Ann", "a", 2)), "Nobody changed the answer."),
        ((("Ann", "a", 1), ("Ann", "b" * 99, 2)), f"With T2 of Ann the lead passed to “{'b' * 79}…”."),
        (
            (("Ann", "a", 1), ("Ann", "b", 2), ("Ann", "a", 3), ("Ann", "b", 4)),
            "3 times in all; what caused it is stated never",
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
    said = " ".join(insights(decide(diary, "move")))
    assert "The decision rests on words that do not stand in plan.md." in said
    assert "1 of 6 answers are missing." in said
    assert "Ann and Ben changed most minds: once each." in said
    assert "1 question was not answered." in said


def test_one_crux_is_told_as_one() -> None:
    diary = table()
    say(diary, "Ann", {"ANSWER": "move", "CLAIM": "Full."})
    say(diary, "Ben", {"CLAIM": "Empty.", "TARGET": "T1", "RELATION": "ATTACK"})
    assert "The outcome turns on T2." in " ".join(insights(decide(diary, "move")))


def test_the_page_of_a_debate_and_of_many() -> None:
    one, other = decide(turned(), "move", Ballot(voter="Ann", choice="stay", reason="No.")), look(hiring())
    page = review([one], overview([one]), {"x": ["move-agreement.svg"]})
    assert page.startswith("# Move?\n\n- `x`, arena: decided: so\n")
    assert "![move agreement](move-agreement.svg)" in page
    assert "| First answers | T3 | move 1, Stay. 2 | 67% |" in page
    assert "- T4 of Ben: Stay. → move; caused by T1 of Ann: T1 shows that the yard is full" in page
    assert "- T6 of Cid: stay → \\*move\\*; cause not stated" in page
    assert "- T4 of Ben: move 1, Stay. 2 → move 2, Stay. 1 (another lead)" in page
    assert "- Ann voted for stay: No." in page
    both = review([one, other], overview([one, other]), {"": ["all-ties.svg"]})
    assert both.startswith("# 2 debates\n\n- Ended: 2 decided\n")
    assert "![all ties](all-ties.svg)" in both
    assert "# Should we hire the candidate?" in both
    full = review([decide(chain(), "stay")], overview([one]), {})
    assert "- T3 of Cid: without it the decided answer stands (strength" in full
    assert "(T2 of Ben; attacked by T3; **unsupported**)" in full


def test_camps_and_sources_on_the_page() -> None:
    diary = table()
    say(diary, "Ann", {"ANSWER": "move", "CLAIM": '"Rent is due" (plan.md:1) and "gold" (plan.md:1)'})
    say(diary, "Ben", {"ANSWER": "stay", "CLAIM": "Yes.", "TARGET": "T1", "RELATION": "SUPPORT"})
    found = decide(diary, "move", Ballot(voter="Ben", choice="stay"))
    page = review([found], overview([found]), {})
    assert "(T1 of Ann; backed by T2; cites plan.md; quotes words that plan.md lacks)" in page
    assert "- move: Ann (50%)\n- stay: Ben (50%)" in page
    assert "- Ben voted for stay\n" in page


def test_sums_over_debates() -> None:
    one, other = decide(turned(), "move"), look(hiring())
    total = overview([one, other])
    assert (total.debates, total.statuses, total.cost) == (2, {"decided": 2}, None)
    assert (total.flips, total.stated) == (len(one.agreement.flips) + len(other.agreement.flips), 2)
    assert total.entries == one.entries + other.entries
    assert overview([one]).cost == 0
    twice = {(each.by, each.to): each for each in overview([other, other]).ties}
    assert twice["Ann", "Ben"].together == 2 * next(
        each.together for each in other.ties if (each.by, each.to) == ("Ann", "Ben")
    )


def test_no_analysis_without_an_opening() -> None:
    with pytest.raises(RecordError, match="does not begin with its opening"):
        look(Diary().add(Entered(path="/debate")).entries)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_old_records_can_be_analysed_at_every_entry(path: Path) -> None:
    entries = read(path.read_text("utf-8").splitlines())
    for end in range(1, len(entries) + 1):
        found = look(entries[:end])
        assert review([found], overview([found]), {}).endswith("\n")
