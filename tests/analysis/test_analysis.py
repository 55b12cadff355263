"""What is read out of a record about the course of a debate: agreement, causes, ties, grounds, beliefs, cruxes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.analysis.agreement import agreement
from folkmoot.analysis.disagreement import Interaction, ties
from folkmoot.core.ask import Fields
from folkmoot.core.decision import Ballot
from folkmoot.core.event import TOOL, Called
from folkmoot.core.transcript import fold
from folkmoot.report.markdown import markdown
from folkmoot.report.report import report
from tests.analysis.courses import ANN, BEN, chain, decide, look, say, table, turned
from tests.report.reports import ask

# ---- agreement, flips, moments --------------------------------------------------------------------------------------


def test_agreement_over_time() -> None:
    stages = look(turned().entries).agreement.stages
    assert [(stage.name, stage.mark, dict(stage.tally.holders), round(stage.tally.share, 2)) for stage in stages] == [
        ("first answers", "T3", {"move": 1, "Stay.": 2}, 0.67),
        ("round 1", "T5", {"move": 2, "Stay.": 1}, 0.67),
        ("closing answers", "T6", {"move": 3}, 1.0),
    ]


def test_moments_are_the_turns_after_which_the_tally_changed() -> None:
    moments = look(turned().entries).agreement.moments
    assert [
        (tally_change.mark, tally_change.before.leading, tally_change.after.leading, tally_change.turned)
        for tally_change in moments
    ] == [
        ("T4", "Stay.", "move", True),
        ("T6", "move", "move", False),
    ]
    diary = say(say(table(ANN, BEN), "Ann", {"ANSWER": "a"}), "Ben", {"ANSWER": "a"})
    (moment,) = look(say(diary, "Ben", {"ANSWER": "b"}, at=2).entries).agreement.moments
    assert (moment.before.leading, moment.after.leading, moment.after.share) == ("a", "", 0.5)


def test_a_late_first_answer_is_a_moment_and_a_repeated_one_is_none() -> None:
    diary = say(say(table(), "Ann", {"ANSWER": "a"}), "Ben", {"ANSWER": "b"})
    say(say(diary, "Ann", {"ANSWER": "A."}, at=2), "Cid", {"ANSWER": "b"}, at=2)
    agreement_found = look(diary.entries).agreement
    assert agreement_found.flips == ()
    (moment,) = agreement_found.moments
    assert (moment.by, moment.mark, moment.before.leading, moment.after.leading, moment.turned) == (
        "Cid",
        "T4",
        "",
        "b",
        True,
    )
    assert (dict(moment.before.holders), dict(moment.after.holders)) == ({"a": 1, "b": 1}, {"a": 1, "b": 2})


def test_there_is_no_agreement_without_answers() -> None:
    agreement_found = look(table().entries).agreement
    assert (agreement_found.ledger, agreement_found.stages, agreement_found.flips, agreement_found.moments) == (
        (),
        (),
        (),
        (),
    )


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
    decide(diary, "move")  # a report tells what the page tells
    written = report(diary.entries, debate="yard")
    (change,) = written.changes
    assert (change.causes, change.to, change.because) == (flip.causes, flip.to, flip.because)
    unexplained = not causes and "BECAUSE" not in fields
    assert ("and the record states no reason" in markdown(written)) == unexplained


@given(
    st.lists(st.tuples(st.sampled_from(["Ann", "Ben", "Cid"]), st.sampled_from("abc"), st.integers(0, 3)), max_size=12)
)
def test_laws_of_the_course(statements: list[tuple[str, str, int]]) -> None:
    diary = table()
    for by, answer, at in statements:
        say(diary, by, {"ANSWER": answer}, at=at)
    agreement_found = agreement(fold(diary.entries))
    assert len(agreement_found.ledger) == len(statements)
    assert {flip.mark for flip in agreement_found.flips} <= {
        tally_change.mark for tally_change in agreement_found.moments
    }
    assert all(tally_change.before.holders != tally_change.after.holders for tally_change in agreement_found.moments)
    last = {by: answer for by, answer, _ in statements}
    for stage in agreement_found.stages:
        assert 0 < stage.tally.share <= 1
        assert stage.tally.leading in ("", *stage.tally.holders)
    if statements:
        assert sum(agreement_found.stages[-1].tally.holders.values()) == len(last)
        assert agreement_found.stages[-1].tally.share == max(list(last.values()).count(text) for text in "abc") / len(
            last
        )


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
    interactions = {
        (interaction.by, interaction.to): interaction for interaction in decide(diary, "Ben", *ballots).ties
    }
    assert interactions["Ben", "Ann"] == Interaction(by="Ben", to="Ann", answers=2, attacks=2, together=1)
    assert interactions["Cid", "Ann"] == Interaction(by="Cid", to="Ann", answers=1, supports=1, votes=1, apart=1)
    assert interactions["Cid", "Ben"] == Interaction(by="Cid", to="Ben", answers=2, questions=1, apart=1)
    assert interactions["Ann", "Ben"] == Interaction(by="Ann", to="Ben", moved=1, votes=1, together=1)
    assert ("Dee", "Ann") not in interactions
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
    grounds = decide(diary, "move").grounds
    assert [
        (ground.claim, ground.turns, ground.backed, ground.attacked, ground.sources, ground.supported)
        for ground in grounds
    ] == [
        ('The "yard is full." (plan.md:1)', ("T1",), (), (), ("plan.md",), True),
        ("We are rich.", ("T2",), (), ("T3",), (), False),
        ("It is new.", ("T4",), ("T5",), (), (), True),
        ("All say so.", ("T8", "T9"), (), (), (), True),
    ]
    assert [ground.standing for ground in grounds] == ["in", "out", "in", None]
    assert grounds[1].unfound == ("plan.md",)


def test_a_decision_in_words_of_its_own_falls_into_its_claims() -> None:
    diary = say(table(), "Ann", {"ANSWER": "stay", "CLAIM": "The yard is dry."})
    say(diary, "Ben", {"CLAIM": "It will flood.", "TARGET": "T1", "RELATION": "ATTACK"})
    text = (
        'We stay. The yard is dry! "Rent is due in May." (plan.md:1), "We fly." (plan.md:1)\n\n'
        "What else counts?\n- It will flood, says T2, not T9.\n- https://a.example says so"
    )
    diary.say(ask("/debate/moderate#1", "Cid", "moderate"), text)
    key = "/debate/moderate#1"
    diary.add(Called(key=key, call="tool-1", text="x", model=f"{TOOL}search", sources=("https://a.example",)))
    grounds = decide(diary, "", text=text).grounds
    assert [
        (ground.claim, ground.turns, ground.sources, ground.unfound, ground.named, ground.supported)
        for ground in grounds
    ] == [
        ("We stay.", (), (), (), (), False),
        ("The yard is dry!", ("T1",), (), (), (), True),
        ('"Rent is due in May." (plan.md:1), "We fly." (plan.md:1)', (), ("plan.md",), ("plan.md",), (), True),
        ("It will flood, says T2, not T9.", (), (), (), ("T2",), False),
        ("https://a.example says so", (), ("https://a.example",), (), (), True),
    ]
    assert (grounds[1].by, grounds[1].attacked, grounds[1].standing) == (("Ann",), ("T2",), "out")
    (bare,) = decide(say(table(), "Ann", {}, text="I move."), "", text="Nobody said this.").grounds
    assert not bare.supported


def test_a_proposal_without_fields_is_found_by_its_words() -> None:
    diary = say(table(), "Ann", {}, act="propose", at=0, text="Let us move.")
    (ground,) = decide(diary, "Ann", text="Let us move.").grounds
    assert (ground.turns, ground.claim, ground.standing) == (("T1",), "Let us move.", "in")


def test_nothing_is_grounded_without_a_decision() -> None:
    assert look(turned().entries).grounds == ()
    assert decide(turned(), "", text="").grounds == ()


@pytest.mark.parametrize(
    ("accepts", "causes"),
    [
        (("B: it is full",), ("T3",)),
        (("Critique A is right", "**B** - mended"), ("T2", "T3")),
        (("T3",), ("T3",)),
        (("A better count was made", "A-rated", "C: none", "all of them"), ()),
        ((), ()),
        ("A: no list", ()),
    ],
)
def test_an_accepted_critique_is_a_cause(accepts: tuple[str, ...] | str, causes: tuple[str, ...]) -> None:
    diary = table()
    keys = [f"/debate/{act}#{n}" for n, act in enumerate(("propose", "critique", "critique", "revise"))]
    diary.say(ask(keys[0], "Ann", "propose"), "…", {"ANSWER": "stay"})
    diary.say(ask(keys[1], "Ben", "critique", keys[0]), "Hm.").say(ask(keys[2], "Cid", "critique", keys[0]), "No.")
    revise = ask(keys[3], "Ann", "revise", *keys[:3])
    (flip,) = look(diary.say(revise, "…", {"ANSWER": "move", "ACCEPTS": accepts}).entries).agreement.flips
    assert flip.causes == causes


@pytest.mark.parametrize(("claim", "sources"), [("See https://a.example.", ("https://a.example",)), ("See it.", ())])
def test_what_a_tool_gave_counts_where_the_turn_names_it(claim: str, sources: tuple[str, ...]) -> None:
    diary = say(table(), "Ann", {"ANSWER": "move", "CLAIM": claim})
    key = fold(diary.entries).all()[0].key
    diary.add(Called(key=key, call="tool-1", text="x", model=f"{TOOL}search", sources=("https://a.example",)))
    (ground,) = decide(diary, "move").grounds
    assert ground.sources == sources


# ---- beliefs and cruxes ----------------------------------------------------------------------------------------------


def test_the_answers_on_the_map_and_the_cruxes_of_the_winner() -> None:
    beliefs = decide(chain(), "stay").beliefs
    assert beliefs.winner
    assert (beliefs.winner.answer, beliefs.winner.claims, beliefs.winner.standing) == ("stay", ("T2", "T5"), "out")
    assert {answer.answer: answer.standing for answer in beliefs.answers} == {"move": "in", "stay": "out"}
    assert [answer.strength for answer in beliefs.answers] == sorted(
        (answer.strength for answer in beliefs.answers), reverse=True
    )
    # Without Cid's photo Ben's "Empty." stands, without Ann's "From May." his "Old photo." does.
    assert [(crux.mark, crux.by, crux.standing) for crux in beliefs.cruxes] == [
        ("T3", ("Cid",), "in"),
        ("T6", ("Ann",), "in"),
    ]
    assert all(crux.strength > beliefs.winner.strength for crux in beliefs.cruxes)


def test_a_claim_for_which_nothing_else_stands_is_no_crux() -> None:
    beliefs = decide(say(table(), "Ann", {"ANSWER": "move", "CLAIM": "Full."}), "move").beliefs
    assert beliefs.winner
    assert beliefs.cruxes == ()


def test_a_draft_stands_for_itself_and_a_long_one_is_known_in_short() -> None:
    long = "We move. " * 60
    diary = say(table(), "Ann", {}, act="propose", at=0, text=long)
    say(diary, "Ben", {"ANSWER": "stay"}, act="draft", at=0)
    say(diary, "Cid", {"CLAIM": "Stay."}, at=1)
    beliefs = decide(diary, "Ann", text=long.strip()).beliefs
    assert beliefs.winner
    assert beliefs.winner.claims == ("T1",)
    assert [answer.claims for answer in beliefs.answers] == [("T1",), ("T2",)]


def test_beliefs_without_a_decision_or_without_a_claim_for_it() -> None:
    assert look(chain().entries).beliefs.winner is None
    assert decide(chain(), "burn").beliefs.winner is None


# ---- disagreement ----------------------------------------------------------------------------------------------------


def test_camps_dissent_and_what_nobody_answered() -> None:
    diary = table()
    say(diary, "Ann", {"ANSWER": "move", "CLAIM": "Full.", "ARGUMENT": "Old words."})
    say(diary, "Ben", {"ANSWER": "stay", "CLAIM": "Dear.", "TARGET": "T1", "RELATION": "ATTACK", "ARGUMENT": "Rent."})
    say(diary, "Cid", {"ANSWER": "stay", "QUESTION": "Why?", "TARGET": "T1"}, act="question")
    analysis = decide(
        diary, "stay", Ballot(voter="Ann", choice="move", reason="Space."), Ballot(voter="Ben", choice="stay")
    )
    left = analysis.disagreement
    assert [(camp.answer, camp.by, camp.argument) for camp in left.camps] == [
        ("stay", ("Ben", "Cid"), "Rent."),
        ("move", ("Ann",), "Old words."),
    ]
    assert [(ballot.voter, ballot.reason) for ballot in left.dissent] == [("Ann", "Space.")]
    assert [(point.mark, point.by, point.relation, point.target) for point in left.points] == [
        ("T2", ("Ben",), "ATTACK", "T1"),
        ("T3", ("Cid",), "QUESTION", "T1"),
    ]
