"""When to stop: leads, certainty, confidence, stalled debates; each against a plain account of what it should do."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.ask import Ask, Reply, Value
from folkmoot.core.decision import Ballot
from folkmoot.core.event import Asked, Entered, Replied
from folkmoot.core.transcript import Transcript
from folkmoot.phases.helpers import LIKE
from folkmoot.policy.convergence import LIKEN, Stalled, last_steps, likeness
from folkmoot.policy.early_stop import Certain, Early, Lead, chance_ahead, incomplete_beta
from folkmoot.policy.rounds import Ahead, Alike, Confident, Saving
from folkmoot.policy.rules import MAJORITY, PLURALITY, SUPERMAJORITY, UNANIMITY, WEIGHTED, FirstProposal, Quorum, Rule

# ---- the incomplete beta function


@pytest.mark.parametrize(
    ("x", "a", "b", "value"),
    [
        # I_x(1, b) = 1 - (1 - x)^b and I_x(a, 1) = x^a (NIST DLMF 8.17.7 and 8.17.8).
        (Fraction(1, 3), 1, 4, 1 - Fraction(2, 3) ** 4),
        (Fraction(1, 3), 5, 1, Fraction(1, 3) ** 5),
        (Fraction(1, 2), 3, 3, Fraction(1, 2)),
        (Fraction(1, 4), 2, 3, Fraction(67, 256)),
        (Fraction(0), 2, 3, Fraction(0)),
        (Fraction(1), 2, 3, Fraction(1)),
    ],
)
def test_the_incomplete_beta_function(x: Fraction, a: int, b: int, value: Fraction) -> None:
    assert incomplete_beta(x, a, b) == value
    assert incomplete_beta(1 - x, b, a) == 1 - value


@pytest.mark.parametrize(
    ("leader", "second", "chance"),
    [(0, 0, 0.5), (3, 0, 0.9375), (4, 0, 0.96875), (5, 0, 0.984375), (5, 1, 0.9375), (7, 1, 0.98046875), (3, 3, 0.5)],
)
def test_how_sure_a_lead_is(leader: int, second: int, chance: float) -> None:
    assert float(chance_ahead(leader, second)) == chance


# ---- early ends of votes

NAMES = ("A", "B", "C")
RULES: tuple[Rule, ...] = (
    *(PLURALITY, WEIGHTED, MAJORITY, SUPERMAJORITY, UNANIMITY),
    *(Quorum(rule=PLURALITY), Quorum(rule=SUPERMAJORITY), FirstProposal(rule=PLURALITY)),
)


def ballots(choices: str, first: int = 0) -> list[Ballot]:
    """One ballot for each letter: a candidate, "-" for an abstention, "?" for none."""
    states = {"-": "abstained", "?": "missing"}
    return [
        Ballot(voter=f"V{n}", choice="" if choice in states else choice, state=states.get(choice, "cast"))  # pyright: ignore[reportArgumentType]
        for n, choice in enumerate(choices, start=first)
    ]


@pytest.mark.parametrize(
    ("rule", "cast", "left", "reason"),
    [
        (PLURALITY, "AA", 1, "the lead of A cannot be overturned"),
        (PLURALITY, "AA", 2, ""),
        (PLURALITY, "AAB", 1, ""),
        (PLURALITY, "AAAB", 1, "the lead of A cannot be overturned"),
        (SUPERMAJORITY, "AAAA", 2, "the lead of A cannot be overturned"),
        (SUPERMAJORITY, "AAA", 2, ""),
        (UNANIMITY, "AAA", 1, ""),
        (PLURALITY, "--", 0, ""),
        (Quorum(rule=PLURALITY), "A?", 0, ""),
        (FirstProposal(rule=PLURALITY), "AB", 0, "the lead of A cannot be overturned"),
    ],
)
def test_a_lead_that_cannot_be_overturned(rule: Rule, cast: str, left: int, reason: str) -> None:
    assert Lead().met(rule, ballots(cast), ballots("?" * left, len(cast)), NAMES) == reason


@given(rule=st.sampled_from(RULES), votes=st.text(alphabet="ABC-?", max_size=6))
def test_a_lead_gives_the_winner_that_all_votes_would(rule: Rule, votes: str) -> None:
    """For every beginning of a vote, every way to go on has the same winner where the lead is said to be safe."""
    for n in range(len(votes) + 1):
        cast, left = ballots(votes[:n]), ballots("?" * (len(votes) - n), n)
        if Lead().met(rule, cast, left, NAMES):
            ends = product("ABC-?", repeat=len(left)) if len(left) < 4 else [tuple(votes[n:])]
            assert len({rule.decide((*cast, *ballots("".join(end), n)), NAMES).winner for end in ends}) == 1


@pytest.mark.parametrize(
    ("cast", "left", "reason"),
    [
        ("AAAA", 7, "no quorum"),
        ("AAAAAA", 5, "A leads with a probability of 0.992"),
        ("AAAAAB", 5, ""),
        ("AAAA", 3, "A leads with a probability of 0.969"),
        ("AAA", 2, ""),
        ("AABB", 2, ""),
    ],
)
def test_a_lead_that_is_nearly_certain(cast: str, left: int, reason: str) -> None:
    rule = Quorum(rule=PLURALITY)
    met = Certain().met(rule, ballots(cast), ballots("?" * left, len(cast)), NAMES)
    assert met == ("" if reason == "no quorum" else reason)


@pytest.mark.parametrize("early", [Lead(), Certain()])
def test_one_candidate_alone_needs_a_winner_too(early: Early) -> None:
    assert early.met(PLURALITY, [], ballots("?"), ("A",)) == ""
    assert Certain().met(PLURALITY, ballots("AAAAAA"), [], ("A",)) == ""


# ---- ends of rounds


def transcript_of(*rounds: dict[str, dict[str, Value]], about: tuple[str, ...] = ()) -> Transcript:
    """Proposals, round by round: author to fields."""
    transcript = Transcript()
    for n, values in enumerate(rounds):
        path = f"/debate/rounds/round-{n}" if n else "/debate/propose"
        transcript.apply(Entered(path=path))
        for i, (by, fields) in enumerate(values.items(), start=1):
            key = f"{path}#{i}"
            transcript.apply(Asked(ask=Ask(key=key, to=by, act="revise" if n else "propose", task="?")))
            transcript.apply(Replied(key=key, reply=Reply(text=str(fields.get("TEXT", "…")), fields=fields)))
    return transcript


ACTS = ("propose", "revise")
FOR: dict[str, Value] = {"ANSWER": "yes", "ARGUMENT": "Taxes on carbon lower emissions, as Sweden has shown."}
AGAINST: dict[str, Value] = {"ANSWER": "no", "ARGUMENT": "Taxes on carbon hurt the poor, as France has shown."}


def test_opponents_who_repeat_themselves_have_stalled_and_not_converged() -> None:  # R9
    both = {"Ann": FOR, "Bob": AGAINST}
    transcript = transcript_of(both, both)
    assert Alike(acts=ACTS).met(transcript) == ""
    assert Stalled(acts=ACTS).met(transcript) == (
        "stalled: everybody repeats itself (each 1.00 or more like its last text, two of them 0.50 alike, by words)"
    )


@pytest.mark.parametrize(
    ("why", "first", "second"),
    [
        ("one has spoken once", {"Ann": FOR}, {"Ann": FOR, "Bob": FOR}),
        ("one answer changed", {"Ann": FOR, "Bob": AGAINST}, {"Ann": FOR, "Bob": {**AGAINST, "ANSWER": "yes"}}),
        ("one text is new", {"Ann": FOR, "Bob": AGAINST}, {"Ann": FOR, "Bob": {**AGAINST, "ARGUMENT": "Jobs."}}),
        ("nobody spoke", {}, {}),
    ],
)
def test_what_is_not_stalled(why: str, first: dict[str, dict[str, Value]], second: dict[str, dict[str, Value]]) -> None:
    assert Stalled(acts=ACTS).met(transcript_of(first, second)) == "", why


def test_what_an_instrument_measured_goes_before_words() -> None:
    changed = {**AGAINST, "ARGUMENT": "Whoever earns little pays most of a levy on fuel."}
    transcript = transcript_of({"Ann": FOR, "Bob": AGAINST}, {"Ann": FOR, "Bob": changed})
    assert Stalled(acts=ACTS).met(transcript) == ""
    about = tuple(turn.key for step in last_steps(transcript, ACTS) for turn in step)

    def measured(key: str, about: tuple[str, ...], fields: dict[str, Value]) -> None:
        transcript.apply(Asked(ask=Ask(key=key, to="Likeness", act=LIKEN, task="?", form=LIKE, about=about)))
        transcript.apply(Replied(key=key, reply=Reply(text="…", fields=fields)))

    numbers: dict[str, Value] = {"OWN": 0.95, "BETWEEN": 0.8, "METHOD": "ollama:e"}
    measured("/debate/liken#1", about[:2], numbers)
    measured("/debate/liken#2", about, {"OWN": 0.95})
    assert Stalled(acts=ACTS).met(transcript) == "", "another's measure, or half a one, is none"
    measured("/debate/liken#3", about, numbers)
    assert Stalled(acts=ACTS).met(transcript) == (
        "stalled: everybody repeats itself (each 0.95 or more like its last text, two of them 0.80 alike, by ollama:e)"
    )


def test_a_debater_alone_is_like_nobody_else() -> None:
    assert "two of them 1.00 alike" in Stalled(acts=ACTS).met(transcript_of({"Ann": FOR}, {"Ann": FOR}))


@given(one=st.text(max_size=40), other=st.text(max_size=40))
def test_likeness_is_a_share_and_the_same_both_ways(one: str, other: str) -> None:
    assert 0.0 <= likeness(one, other) <= 1.0
    assert likeness(one, other) == likeness(other, one)
    assert likeness(one, one) == 1.0


def test_likeness_of_words() -> None:
    assert likeness("tea is warm", "coffee wakes people") == 0.0
    assert likeness("", "tea") == 0.0
    assert likeness("Tea is warm.", "TEA  is warm") == 1.0


@pytest.mark.parametrize(
    ("stated", "reason"),
    [
        ((0.9, 0.95), "all 2 state a confidence of 0.9 or more"),
        ((0.9, 0.89), ""),
        ((0.99,), ""),
        ((1.0, None), ""),
    ],
)
def test_confidence(stated: tuple[float | None, ...], reason: str) -> None:
    transcript = transcript_of(
        {f"P{n}": {} if number is None else {"CONFIDENCE": number} for n, number in enumerate(stated)}
    )
    assert Confident(acts=ACTS).met(transcript) == reason


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ("xxxx", "4 of 4 give one answer, which leads with a probability of 0.969"),
        ("xxxxxxxy", "7 of 8 give one answer, which leads with a probability of 0.980"),
        ("xxxyy", ""),
        ("xxx?", ""),
        ("", ""),
    ],
)
def test_a_majority_that_is_nearly_certain(answers: str, reason: str) -> None:
    transcript = transcript_of(
        {f"P{n}": {} if answer == "?" else {"ANSWER": answer} for n, answer in enumerate(answers)}
    )
    assert Ahead(acts=ACTS).met(transcript) == reason


def test_what_was_saved_is_counted_from_the_record() -> None:
    both = {"Ann": FOR, "Bob": FOR}
    stop = Saving(stop=Alike(acts=ACTS), most=4, calls=9)
    assert stop.met(transcript_of(both)) == "all 2 give the same answer; 36 of 36 calls of the rounds saved"
    assert stop.met(transcript_of(both, both)) == "all 2 give the same answer; 6 of 8 calls of the rounds saved"
    assert stop.met(transcript_of({"Ann": FOR, "Bob": AGAINST})) == ""
