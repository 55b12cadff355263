"""What a closed debate teaches: its outcome, who held what, who moved whom and by which critique."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

import pytest

from folkmoot.core.ask import Field, Form, Value
from folkmoot.core.brief import Participant
from folkmoot.core.decision import Ballot, Decision, Minority
from folkmoot.core.event import Called, Entry, Noted, Opened, Released, SideEntry
from folkmoot.core.roles import ORIGINS, RETRIEVER
from folkmoot.core.transcript import fold
from folkmoot.learn.lessons import lessons, notes
from folkmoot.learn.memory import Lessons, Notes
from folkmoot.phases.speak import revision, speech
from tests.learn.lessons_kit import THREE, TWO, Paper


def won(winner: str, votes: Mapping[str, str], text: str = "", rule: str = "plurality") -> Decision:
    """A decision by these votes."""
    tally = {name: float(list(votes.values()).count(name)) for name in dict.fromkeys(votes.values())}
    ballots = tuple(Ballot(voter=voter, choice=choice) for voter, choice in votes.items())
    return Decision(status="decided", winner=winner, text=text or winner, rule=rule, tally=tally, ballots=ballots)


def teach(paper: Paper, decision: Decision | None = None, **known: str) -> Lessons:
    return lessons(paper.end(decision).entries(), Notes(**known))  # pyright: ignore[reportArgumentType]


# ---- outcome -------------------------------------------------------------------------------------------------------


def test_the_outcome_is_that_of_the_record() -> None:
    paper = Paper(TWO)
    decision = Decision(
        status="decided",
        winner="Ann",
        text="Buy ten",
        how="2 of 2",
        strength="unanimous",
        share=1.0,
        dissent=("Bob: too dear",),
        minority=(Minority(answer="Lease", by=("Bob",)),),
    )
    taught = teach(paper, decision, domain="transport")
    assert asdict(taught.outcome) == {
        "topic": "Should the depot buy electric buses?",
        "protocol": "arena",
        "domain": "transport",
        "status": "decided",
        "text": "Buy ten",
        "how": "2 of 2",
        "strength": "unanimous",
        "share": 1.0,
        "dissent": ("Bob: too dear",),
        "minority": ("Lease",),
        "trust": "unconfirmed",
        "seq": 2,
    }
    assert taught.at == 1003.0


def test_a_debate_without_a_decision_teaches_that() -> None:
    outcome = teach(Paper(TWO)).outcome
    assert (outcome.status, outcome.text, outcome.how, outcome.seq) == ("no_decision", "", "over", 2)


@pytest.mark.parametrize(
    ("seats", "truth", "trust"),
    [
        (TWO, "", "unconfirmed"),
        (TWO, "**buy ten.**", "confirmed"),
        (TWO, "Ann", "confirmed"),
        (TWO, "lease", "refuted"),
        ({"Ann": "builtin:quotes", "Bob": "builtin:quotes"}, "", "quoted"),
        ({"Ann": "builtin:quotes", "Bob": "human"}, "", "unconfirmed"),
    ],
)
def test_trust(seats: Mapping[str, str], truth: str, trust: str) -> None:
    decision = Decision(status="decided", winner="Ann", text="Buy ten")
    assert teach(Paper(seats), decision, truth=truth).outcome.trust == trust


def test_nothing_is_confirmed_where_nothing_was_decided() -> None:
    assert teach(Paper(TWO), Decision(status="tie"), truth="x").outcome.trust == "unconfirmed"


@pytest.mark.parametrize("entries", [(), Paper(TWO).entries(), Paper(TWO).end().entries()[1:]])
def test_what_is_not_closed_teaches_nothing(entries: Sequence[Entry]) -> None:
    with pytest.raises(ValueError, match="not closed"):
        lessons(entries)


def test_a_record_that_is_folded_already_is_not_folded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = Paper(TWO).end().entries()
    transcript, whole = fold(entries), lessons(entries)
    monkeypatch.setattr("folkmoot.learn.lessons.fold", None)
    assert lessons(entries, transcript=transcript) == whole


def test_of_the_owners_notes_the_last_of_each_kind_counts() -> None:
    items = [
        Noted(what="resolve", text="yes"),
        Noted(what="domain", text="law"),
        Released(debate="another"),
        Noted(what="resolve", text="no"),
    ]
    entries = [SideEntry(seq=n, at=0.0, event=event) for n, event in enumerate(items, start=1)]
    assert notes(entries) == Notes(truth="no", domain="law")
    assert notes([*entries, SideEntry(seq=5, at=0.0, event=Noted(what="forget"))]).forgotten
    assert notes([]) == Notes()


def test_debates_that_were_recalled_are_counted_as_used() -> None:
    paper = Paper(TWO, others=(Participant(name="Librarian", seat=RETRIEVER, duty="aide"),))
    form = Form(name="recall", fields=(Field(name=ORIGINS, kind="list"),))
    paper.say("Librarian", "recall", form=form, ORIGINS=("d1", "d2", "d1"))
    paper.say("Librarian", "recall", form=form)
    taught = teach(paper)
    assert taught.uses == ("d1", "d2")
    assert [performance.who for performance in taught.performances] == ["Ann", "Bob"]


# ---- positions and performance -------------------------------------------------------------------------------------


def test_who_held_what_and_whether_it_was_right() -> None:
    paper = Paper(TWO)
    paper.say("Ann", "propose", ANSWER="Buy", CONFIDENCE=0.9)
    paper.say("Bob", "propose", ANSWER="Lease", CONFIDENCE=7)
    paper.fail("Bob", "critique")
    paper.say("Bob", "revise", ANSWER="buy.", CONFIDENCE=True)
    taught = teach(paper, won("Ann", {"Ann": "Bob", "Bob": "Ann"}, "Buy"), truth="Buy")
    positions = [
        (position.who, position.answer, position.confidence, position.last, position.right)
        for position in taught.positions
    ]
    assert positions == [
        ("Ann", "Buy", 0.9, True, True),
        ("Bob", "Lease", None, False, False),
        ("Bob", "buy.", 1.0, True, True),
    ]
    assert [position.seq for position in taught.positions] == [3, 5, 9]
    did = [
        (
            performance.who,
            performance.answers,
            performance.missing,
            performance.changed,
            performance.won,
            performance.right,
        )
        for performance in taught.performances
    ]
    assert did == [("Ann", 1, 0, 0, True, True), ("Bob", 2, 1, 1, True, True)]
    assert taught.performances[0].role == "the Ann"


def test_without_truth_or_decision_nobody_was_right_or_won() -> None:
    paper = Paper(TWO)
    paper.say("Ann", "propose", ANSWER="Buy")
    taught = teach(paper)
    assert [(performance.won, performance.right) for performance in taught.performances] == [(None, None), (None, None)]
    assert taught.positions[0].right is None
    assert teach(Paper(TWO), won("Ann", {"Bob": "Ann"}), truth="x").performances[1].right is None


@pytest.mark.parametrize(
    ("seat", "answered", "player"),
    [
        ("ollama:a", "ollama:a", "ollama:a"),
        ("ollama:a", "", "ollama:a"),
        ("human", "human", "human"),
        ("builtin:quotes", "builtin:quotes", ""),
        ("ollama:a", "openai:b", "openai:b"),
    ],
)
def test_who_played(seat: str, answered: str, player: str) -> None:
    paper = Paper({"Ann": seat, "Bob": "ollama:b"})
    paper.say("Ann", "propose", ANSWER="x", asked=answered)
    assert teach(paper).performances[0].player == player


def test_two_who_answered_for_one_are_nobody() -> None:
    paper = Paper(TWO)
    paper.say("Ann", "propose", ANSWER="x")
    paper.say("Ann", "revise", ANSWER="x", asked="ollama:stand-in")
    assert [position.player for position in teach(paper).positions] == ["", ""]


@pytest.mark.parametrize(
    ("called", "players"),
    [
        ((("answer", "openai:spare"), ("tool-1", "tool:search"), ("tool-1-embed-1", "ollama:e")), ["openai:spare"] * 2),
        ((("answer", "ollama:a"), ("repair", "openai:spare")), ["", ""]),
        ((("tree", "search:mcts"),), ["ollama:a", "ollama:a"]),
        ((("answer", ""),), ["ollama:a", "ollama:a"]),
    ],
)
def test_the_model_that_was_called_has_answered(called: tuple[tuple[str, str], ...], players: list[str]) -> None:
    paper = Paper(TWO)
    key = paper.say("Ann", "propose", ANSWER="x")
    answer = paper.events.pop()
    paper.events += [Called(key=key, call=call, text="x", model=model) for call, model in called]
    paper.events.append(answer)
    taught = teach(paper, truth="x")
    assert [taught.performances[0].player, taught.positions[0].player] == players


def test_a_fallback_wins_and_loses_for_itself() -> None:
    paper = Paper(TWO)
    for who in TWO:
        key = paper.say(who, "propose", ANSWER=f"{who}'s way")
        paper.events.insert(-1, Called(key=key, call="answer", text="", model={**TWO, "Bob": "openai:spare"}[who]))
    (model_match,) = teach(paper, won("Bob", {"Ann": "Bob"})).matches
    assert (model_match.one, model_match.other) == ("openai:spare", "ollama:a")


def test_a_fork_teaches_what_it_came_to_and_nothing_twice() -> None:
    def lessons_of(forked: str) -> Lessons:
        paper = criticised(revision(()), ANSWER="Lease", BECAUSE="Batteries have a price")
        assert isinstance(paper.events[0], Opened)
        paper.events[0] = replace(paper.events[0], forked=forked)
        return teach(paper, won("Bob", {"Ann": "Bob", "Cy": "Bob"}, "Lease"), truth="Lease")

    parent, fork = lessons_of(""), lessons_of("depot-3f2a1c@7")
    assert all((parent.patterns, parent.relations, parent.performances, parent.matches))
    assert fork == Lessons(at=parent.at, outcome=parent.outcome, positions=fork.positions)
    assert [(position.who, position.answer, position.right) for position in fork.positions] == [
        (position.who, position.answer, position.right) for position in parent.positions
    ]
    assert {position.player for position in fork.positions} == {""}


# ---- who changed whose mind ----------------------------------------------------------------------------------------

ISSUE = "The price of batteries is missing"


def criticised(form: Form, **fields: Value) -> Paper:
    """Ann is criticised by Bob and Cy, then answers again."""
    paper = Paper(THREE)
    own = paper.say("Ann", "propose", ANSWER="Buy")
    paper.say("Bob", "propose", ANSWER="Lease")
    paper.say("Cy", "propose", ANSWER="Wait")
    spoken = paper.say("Bob", "critique", [own], ISSUE=ISSUE, SUGGESTION="Ask three sellers")
    other = paper.say("Cy", "critique", [own], ISSUE="Nobody has asked the drivers")
    paper.say("Ann", "revise", [own, spoken, other], form=form, **fields)
    return paper


# fmt: off
CREDIT: list[tuple[Mapping[str, Value], bool, list[str]]] = [
    ({"ANSWER": "Buy five", "ACCEPTS": ("A: counted them",)}, True, ["Bob"]),
    ({"ANSWER": "Buy five", "ACCEPTS": ("**B** – asked them",)}, True, ["Cy"]),
    ({"ANSWER": "Buy five", "ACCEPTS": ("Critique B is right", "critique a: too")}, True, ["Bob", "Cy"]),
    ({"ANSWER": "Buy five", "ACCEPTS": ("T4",)}, True, ["Bob"]),
    ({"ANSWER": "Buy five", "ACCEPTS": ("A budget is a good thing to have",)}, True, []),
    ({"ANSWER": "Buy five", "ACCEPTS": ("That the battery price is missing",)}, True, ["Bob"]),
    ({"ANSWER": "Buy five", "ACCEPTS": ("Z: nobody said so",)}, True, []),
    ({"ANSWER": "Buy five", "ACCEPTS": (), "REJECTS": ("A: no",), "BECAUSE": "batteries have a price"}, True, []),
    ({"ANSWER": "buy", "ACCEPTS": ("A: yes",)}, True, []),
    ({"ANSWER": "Buy five", "BECAUSE": "Batteries have a price"}, False, ["Bob"]),
    ({"ANSWER": "Buy five", "BECAUSE": "drivers"}, False, []),
    ({"ANSWER": "Buy five"}, False, []),
]
# fmt: on


@pytest.mark.parametrize(("fields", "asks", "credited"), CREDIT)
def test_a_critique_worked_if_it_was_accepted_and_the_answer_changed(
    fields: Mapping[str, Value], asks: bool, credited: list[str]
) -> None:
    from folkmoot.protocols.arena import response

    taught = teach(criticised(response(()) if asks else revision(()), **fields))
    assert [pattern.critic for pattern in taught.patterns] == credited
    moved = {relation.one: relation.moved_one for relation in taught.relations if relation.one == "Ann"}
    assert {relation.other for relation in taught.relations if relation.one == "Ann" and relation.moved_one} == set(
        credited
    )
    assert set(moved) == {"Ann"}


def test_a_pattern_holds_the_critique_and_both_answers() -> None:
    (pattern,) = teach(criticised(revision(()), ANSWER="Buy five", BECAUSE="Batteries have a price")).patterns
    assert (pattern.author, pattern.issue, pattern.suggestion) == ("Ann", ISSUE, "Ask three sellers")
    assert (pattern.before, pattern.after, pattern.because, pattern.seq) == (
        "Buy",
        "Buy five",
        "Batteries have a price",
        9,
    )


def test_whose_answer_is_taken_over_has_moved_the_one_who_takes_it() -> None:
    paper = Paper(THREE)
    paper.say("Ann", "propose", ANSWER="Buy")
    paper.say("Bob", "propose", ANSWER="Lease")
    paper.say("Ann", "revise", ANSWER="lease")
    relations = teach(paper).relations
    assert [
        (relation.one, relation.other, relation.agreed, relation.moved_other, relation.moved_one)
        for relation in relations
    ] == [
        ("Ann", "Bob", True, 0, 1),
        ("Ann", "Cy", None, 0, 0),
        ("Bob", "Cy", None, 0, 0),
    ]
    assert relations[0].players == ("ollama:a", "ollama:b")


def test_who_is_answered_by_name_has_moved_the_one_who_answers() -> None:
    paper = Paper(TWO)
    paper.say("Ann", "argue", form=speech(()), ANSWER="Buy", CLAIM="It is cheap", TARGET="T9")
    paper.say("Bob", "argue", form=speech(()), ANSWER="Lease", CLAIM="It is not", TARGET="T1")
    paper.say("Bob", "argue", form=speech(()), ANSWER="Rent", CLAIM="So be it", TARGET="T1")
    (relation,) = teach(paper).relations
    assert (relation.agreed, relation.moved_other, relation.moved_one) == (False, 1, 0)


def test_a_critique_without_a_form_is_remembered_by_its_words() -> None:
    paper = Paper(TWO)
    own = paper.say("Ann", "propose", ANSWER="Buy")
    bare = paper.say("Bob", "critique", [own], form=Form(name="free", fields=()))
    paper.say("Ann", "revise", [own, bare], form=revision(()), ANSWER="Wait", BECAUSE="what Bob on critique says")
    assert [pattern.issue for pattern in teach(paper).patterns] == ["Bob on critique"]


# fmt: off
FAILED: list[tuple[Mapping[str, Value], bool, list[tuple[str, bool, str]]]] = [
    ({"ANSWER": "Buy", "REJECTS": ("A: no price moves us",)}, True,
     [("Bob", True, "A: no price moves us"), ("Cy", False, "")]),
    ({"ANSWER": "Buy five", "REJECTS": ("T4: no",), "ACCEPTS": ("B: asked",)}, True, [("Bob", True, "T4: no")]),
    ({"ANSWER": "Buy", "ACCEPTS": ("A: in words",)}, True, [("Cy", False, "")]),
    ({"ANSWER": "Buy five", "ACCEPTS": ("A: yes",)}, True, []),
    ({"ANSWER": "Buy"}, False, [("Bob", False, ""), ("Cy", False, "")]),
    ({"ANSWER": "Buy five"}, False, []),
]
# fmt: on


@pytest.mark.parametrize(("fields", "asks", "failed"), FAILED)
def test_a_critique_failed_if_it_was_rejected_or_passed_over(
    fields: Mapping[str, Value], asks: bool, failed: list[tuple[str, bool, str]]
) -> None:
    from folkmoot.protocols.arena import response

    failed_patterns = teach(criticised(response(()) if asks else revision(()), **fields)).failed
    assert [
        (failed_pattern.critic, failed_pattern.rejected, failed_pattern.because) for failed_pattern in failed_patterns
    ] == failed
    assert {failed_pattern.author for failed_pattern in failed_patterns} <= {"Ann"}
    assert all(failed_pattern.answer == fields["ANSWER"] for failed_pattern in failed_patterns)
    assert [failed_pattern.issue for failed_pattern in failed_patterns if failed_pattern.critic == "Bob"] == [
        ISSUE for critic, *_ in failed if critic == "Bob"
    ]
