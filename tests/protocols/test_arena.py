"""The arena, case by case as its document wants it, and what ends an arena or a panel early."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from folkmoot.agents.prompt import compose
from folkmoot.app.plan.estimate import estimate
from folkmoot.core.agent import Context, Recorder
from folkmoot.core.ask import Ask, Reply, Value
from folkmoot.core.brief import Brief, Limits, Participant
from folkmoot.core.errors import ProtocolError
from folkmoot.models.base import Traits
from folkmoot.phases.base import Phase, Rounds, Sequence
from folkmoot.phases.choices import Choices, Condition
from folkmoot.phases.vote import BALLOT, Vote
from folkmoot.policy.pairing import Pairs
from folkmoot.policy.rounds import AnyOf, Saving
from folkmoot.protocols.known import build
from folkmoot.testing.replay import Harness, HeldDebate, SeededAgent
from tests.kits.clock import jumping
from tests.kits.players import ANN, BOB, CHAIR, CY, Player, Script, resume_everywhere

DI, EVE = Participant(name="Di"), Participant(name="Eve")
FIVE = (ANN, BOB, CY, DI, EVE)


def brief(*people: Participant, options: tuple[str, ...] = ()) -> Brief:
    return Brief(topic="Tea or coffee?", participants=people or (ANN, BOB, CY), options=options)


async def hold(
    script: Script, choices: Choices, *people: Participant, name: str = "arena"
) -> tuple[HeldDebate, Player]:
    parsed_brief, player = brief(*people), Player(script)
    place = Harness(brief=parsed_brief, protocol=build(name, parsed_brief, choices))
    return await place.run({participant.name: player for participant in parsed_brief.participants}), player


def ballot(ask: Ask, context: Context, author: str) -> Mapping[str, Value]:
    """A vote for the proposal of that author."""
    assert ask.form
    return {BALLOT: ask.form.fields[0].choices[[turn.by for turn in context.about].index(author)]}


def differing(ask: Ask, context: Context) -> Mapping[str, Value] | None:
    """Everybody holds something else, and votes for Ann."""
    return ballot(ask, context, "Ann") if ask.act == "vote" else {"ANSWER": f"{ask.to}'s"}


# ---- rounds


async def test_critics_name_issues_and_authors_accept_or_reject_them() -> None:
    issue: Mapping[str, Value] = {"ISSUE": "It is dear.", "SEVERITY": 7.0, "UNSOURCED": ("Tea is cheap.",)}

    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        if ask.act == "critique":
            return {**issue, "WHERE": "cheap", "SUGGESTION": "Say what it costs."}
        if ask.act == "revise":
            return {"ANSWER": f"{ask.to}'s", "ACCEPTS": ("A: the cost is in now",), "REJECTS": ("B: no cost is meant",)}
        return differing(ask, context)

    debate, player = await hold(script, Choices(rounds=1))
    critique = debate.transcript.turns("critique")[0]
    assert [critique.fields[name] for name in ("ISSUE", "SEVERITY", "UNSOURCED")] == list(issue.values())
    revised = debate.transcript.turns("revise")[0]
    assert [turn.act for turn in map(debate.transcript.get, revised.about)] == ["propose", "critique", "critique"]
    assert (revised.fields["ACCEPTS"], revised.fields["REJECTS"]) == (
        ("A: the cost is in now",),
        ("B: no cost is meant",),
    )
    assert all(ask.view.anonymous for ask, _ in player.asked if ask.act in ("critique", "revise", "vote"))
    assert debate.transcript.positions("ANSWER")["Ann"] == ("Ann's", "Ann's")


@pytest.mark.parametrize(
    ("people", "choices", "pairs", "critiques"),
    [
        ((ANN, BOB, CY), Choices(), Pairs(), 6),
        (FIVE, Choices(topology="all-to-all"), Pairs(), 20),  # R5
        (FIVE, Choices(topology="ring"), Pairs(topology="ring"), 5),
        (FIVE, Choices(topology="star", hub="Cy"), Pairs(topology="star", hub="Cy"), 8),
        (FIVE, Choices(topology="sparse", sparsity=0.0), Pairs(topology="sparse", density=1.0), 20),
        (FIVE, Choices(topology="sparse", sparsity=1.0), Pairs(topology="sparse", density=0.0), 5),
        (FIVE, Choices(topology="random-graph", sparsity=0.0), Pairs(topology="random-graph", density=1.0), 20),
        (FIVE, Choices(topology="random-graph", sparsity=1.0), Pairs(topology="random-graph", density=0.0), 5),
        (FIVE, Choices(), Pairs(topology="adaptive"), 10),
        (
            (ANN, BOB, CY, replace(DI, weight=3.0), replace(EVE, weight=1.0)),
            Choices(),
            Pairs(topology="adaptive", strongest=("Di",)),
            10,
        ),
    ],
)
async def test_who_criticises_whom(
    people: tuple[Participant, ...], choices: Choices, pairs: Pairs, critiques: int
) -> None:
    tree = build("arena", brief(*people), choices)
    assert f"{pairs!r}" in f"{tree!r}"
    debate, _ = await hold(differing, replace(choices, rounds=1), *people)
    turns = debate.transcript.turns("critique")
    assert len(turns) == critiques
    assert all(debate.transcript.get(turn.about[0]).by != turn.by for turn in turns)


@pytest.mark.parametrize(
    ("choices", "about", "message"),
    [
        (Choices(topology="ring", hub="Cy"), "hub", "hub goes with topology: star; allowed are Ann, Bob, Cy"),
        (Choices(topology="star", hub="Zoe"), "hub", "'Zoe' is not a debater; allowed are Ann, Bob, Cy"),
        (Choices(sparsity=0.5), "sparsity", "sparsity goes with topology: sparse or random-graph, not all-to-all"),
    ],
)
def test_a_hub_and_a_sparsity_have_their_topologies(choices: Choices, about: str, message: str) -> None:
    with pytest.raises(ProtocolError, match=re.escape(message)) as refused:
        build("arena", brief(ANN, BOB, CY), choices)
    assert refused.value.about == about


def test_a_report_says_around_whom_and_how_sparsely() -> None:
    assert Choices(topology="star", hub="Cy").in_words() == ("critics star around Cy",)
    assert Choices(topology="random-graph", sparsity=0.2).in_words() == ("critics random-graph, sparsity 0.2",)


async def test_a_proposer_who_fails_leaves_an_empty_place() -> None:  # D9, R13
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        return None if (ask.act, ask.to) == ("propose", "Bob") else differing(ask, context)

    debate, _ = await hold(script, Choices(rounds=1))
    assert [turn.by for turn in debate.transcript.turns("propose")] == ["Ann", "Cy"]
    assert [(turn.key, turn.text) for turn in debate.transcript.failures()] == [("/debate/propose#2", "")]
    assert {debate.transcript.get(turn.about[0]).by for turn in debate.transcript.turns("critique")} == {"Ann", "Cy"}
    assert debate.transcript.decision
    assert debate.transcript.decision.winner == "Ann's"


class Slow:
    """A seat that takes its time."""

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        await asyncio.sleep(1.0)
        raise AssertionError("nobody waits so long")


@jumping
async def test_whoever_is_too_slow_is_left_out_in_time() -> None:  # D15
    parsed_brief = replace(brief(), limits=Limits(turn_seconds=0.1))
    player = Player(differing)
    place = Harness(brief=parsed_brief, protocol=build("arena", parsed_brief, Choices(rounds=0)))
    clock = asyncio.get_running_loop().time
    began = clock()
    debate = await place.run({"Ann": player, "Bob": Slow(), "Cy": player})
    assert clock() - began < 0.9
    assert {turn.by for turn in debate.transcript.failures()} == {"Bob"}


def test_one_agent_is_no_arena() -> None:  # D1
    with pytest.raises(ProtocolError, match="at least 2 debaters, not 1"):
        build("arena", brief(ANN))


@pytest.mark.parametrize(
    ("strategy", "wishes", "status", "dissent"),
    [
        ("majority", {"Ann": "Ann", "Bob": "Bob"}, "tie", ()),  # D3
        ("absolute", {"Ann": "Ann", "Bob": "Bob"}, "tie", ()),
        ("unanimous", {"Ann": "Ann", "Bob": "Ann", "Cy": "Bob"}, "no_decision", ("Cy",)),  # D5
        ("supermajority", {"Ann": "Ann", "Bob": "Ann", "Cy": "Bob"}, "decided", ("Cy",)),
    ],
)
async def test_what_is_reached(strategy: str, wishes: dict[str, str], status: str, dissent: tuple[str, ...]) -> None:
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        values: Mapping[str, Value] = {"ANSWER": f"{ask.to}'s", "ARGUMENT": f"{ask.to} knows."}
        return ballot(ask, context, wishes[ask.to]) if ask.act == "vote" else values

    people = tuple(participant for participant in (ANN, BOB, CY) if participant.name in wishes)
    debate, _ = await hold(script, Choices(rounds=0, strategy=strategy), *people)
    decision = debate.transcript.decision
    assert decision
    assert decision.status == status
    assert decision.dissent == tuple(f"{name} for Bob's: {name} vote /debate/vote#3" for name in dissent)
    if dissent:
        (against,) = [minority for minority in decision.minority if minority.answer == "Bob's"]
        assert (against.by, against.argument) == (dissent, "Bob knows.")


# ---- what ends it early


def rounds_of(tree: Phase) -> Rounds:
    assert isinstance(tree, Sequence)
    (rounds,) = [part for part in tree.parts if isinstance(part, Rounds)]
    return rounds


@pytest.mark.parametrize("name", ["panel", "arena"])
@pytest.mark.parametrize(
    ("until", "stops"),
    [
        (("rounds_exhausted",), []),
        (("consensus_reached", "answers_unchanged"), ["Alike", "Unchanged"]),
        (("stalled", "confidence_reached", "rounds_exhausted"), ["Stalled", "Confident"]),
        (("lead_decided",), []),
    ],
)
def test_the_conditions_of_a_brief_stand_in_place_of_the_usual(
    name: str, until: tuple[Condition, ...], stops: list[str]
) -> None:
    end = rounds_of(build(name, brief(), Choices(until=until))).until
    assert isinstance(end, Saving)
    assert isinstance(end.stop, AnyOf)
    assert [type(stop).__name__ for stop in end.stop.stops] == stops


@pytest.mark.parametrize(
    ("name", "choices", "people", "message"),
    [
        ("arena", Choices(until=("no_new_arguments",)), (ANN, BOB), "no_new_arguments needs a moderator here"),
        ("arena", Choices(until=("majority_certain",)), (ANN, BOB), "majority_certain needs strategy: majority"),
        ("arena", Choices(until=("lead_decided",), strategy="borda"), (ANN, BOB, CY), "lead_decided goes with a vote"),
        (
            "council",
            Choices(until=("stalled",)),
            (ANN, BOB),
            "council does not support stalled: that works with panel and arena",
        ),
    ],
)
def test_conditions_that_do_not_fit(name: str, choices: Choices, people: tuple[Participant, ...], message: str) -> None:
    with pytest.raises(ProtocolError, match=message) as caught:
        build(name, brief(*people), choices)
    assert caught.value.about == "debate_end_condition"


@pytest.mark.parametrize(
    ("favours", "status", "how"),
    [
        (("Bob", "Bob"), "decided", "Chair chose Bob's in both orders"),
        (("Bob", "Ann"), "tie", "the judge changed with the order: Bob's in the first, Ann's in the second"),
        (("Bob", ""), "no_decision", "Chair gave no verdict in the second order"),
    ],
)
async def test_a_judge_is_asked_in_both_orders(favours: tuple[str, str], status: str, how: str) -> None:
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        if ask.act != "vote":
            return {"ANSWER": f"{ask.to}'s"}
        name = favours[int(ask.key[-1]) - 1]
        assert ask.form
        return {BALLOT: ask.form.fields[1].choices[[turn.by for turn in context.about].index(name)]} if name else {}

    people = (ANN, BOB, CY, CHAIR)
    debate, player = await hold(script, Choices(strategy="judge", rounds=1), *people)
    decision = debate.transcript.decision
    assert decision
    assert (decision.status, decision.how, decision.rule) == (status, how, "judge")
    first, second = [ask for ask, _ in player.asked if ask.act == "vote"]
    assert first.about == second.about[::-1], "the order is on record, and the other one is its mirror"
    assert (first.to, second.to) == ("Chair", "Chair")
    for ask, context in player.asked:
        if ask.act == "vote":
            shown = "\n".join(message.text for message in compose(ask, context, Traits()))
            assert "Proposal A" in shown
            # What a player says itself holds its name; nothing of ours does.
            ours = re.sub(r"\w+ \w+ /debate\S+|\w+'s", "", shown)
            assert not any(participant.name in ours for participant in (ANN, BOB, CY))
    with pytest.raises(ProtocolError, match="the strategy judge needs one moderator, not 0"):
        build("arena", brief(ANN, BOB), Choices(strategy="judge"))
    for until in ("lead_decided", "majority_certain"):
        with pytest.raises(ProtocolError, match=until):
            build("arena", brief(*people), Choices(strategy="judge", until=(until,)))


def test_where_answers_are_counted_no_vote_can_end_early() -> None:
    with pytest.raises(ProtocolError, match="here answers are counted or ranked"):
        build("panel", brief(options=("tea", "coffee")), Choices(until=("lead_decided",)))
    assert build("panel", brief(options=("tea", "coffee")), Choices(until=("majority_certain",)))


async def test_a_moderator_ends_an_arena() -> None:
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        return {"CONSENSUS": "OPEN", "NEW": "NONE"} if ask.act == "gauge" else differing(ask, context)

    debate, player = await hold(
        script, Choices(until=("no_new_arguments",), rounds=4, topology="ring"), ANN, BOB, CHAIR
    )
    (judging,) = [(ask, context) for ask, context in player.asked if ask.act == "gauge"]
    assert judging[0].view.anonymous, "a judge reads no names either"
    read_ = "\n".join(message.text for message in compose(*judging, Traits()))
    assert not re.search(r"(?m)^\W*(Ann|Bob)\b(?! propose| critique| revise)", read_)
    assert debate.transcript.halts == {
        "/debate/rounds": "Chair judges that nothing new was said; 14 of 19 calls of the rounds saved"
    }


async def test_opponents_who_only_repeat_themselves_stop_talking() -> None:  # R9
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        return {"ANSWER": f"{ask.to}'s", "ARGUMENT": f"{ask.to} knows."} if ask.act != "vote" else {}

    debate, _ = await hold(script, Choices(until=("stalled",), rounds=5), ANN, BOB)
    (reason,) = debate.transcript.halts.values()
    assert reason.startswith("stalled: everybody repeats itself")
    assert reason.endswith("by words); 16 of 20 calls of the rounds saved")


async def test_an_instrument_measures_what_the_stop_reads() -> None:
    aide = Participant(name="Likeness", seat="likeness:ollama:e", duty="aide")

    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        if ask.act == "liken":
            assert [turn.by for turn in context.about] == ["Ann", "Ann", "Bob", "Bob"]
            return {"OWN": 0.99, "BETWEEN": 0.3, "METHOD": "ollama:e"}
        return differing(ask, context)

    debate, player = await hold(script, Choices(until=("stalled",), rounds=5), ANN, BOB, aide)
    assert "0.30 alike, by ollama:e); 19 of 24 calls" in debate.transcript.halts["/debate/rounds"]
    asks = [ask for ask, _ in player.asked if ask.to == "Likeness"]
    assert [(ask.act, ask.audience) for ask in asks] == [("liken", ("Likeness",))]
    assert not any(turn.act == "liken" for _, context in player.asked for turn in context.turns)


async def test_an_instrument_waits_until_everybody_has_given_two_proposals() -> None:
    aide = Participant(name="Likeness", seat="likeness:ollama:e", duty="aide")

    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        return None if (ask.act, ask.to) == ("propose", "Bob") else differing(ask, context)

    debate, player = await hold(script, Choices(until=("stalled",), rounds=1), ANN, BOB, aide)
    assert all(ask.act != "liken" for ask, _ in player.asked)
    assert debate.transcript.closed


@pytest.mark.parametrize(
    ("until", "strategy", "votes", "reason"),
    [
        ("lead_decided", "majority", 3, "the lead of Ann's cannot be overturned; 2 of 5 calls of the vote saved"),
        ("lead_decided", "supermajority", 4, "the lead of Ann's cannot be overturned; 1 of 5 calls of the vote saved"),
        ("majority_certain", "majority", 4, "Ann's leads with a probability of 0.969; 1 of 5 calls of the vote saved"),
    ],
)
async def test_a_vote_ends_when_the_rest_need_not_be_asked(
    until: Condition, strategy: str, votes: int, reason: str
) -> None:
    choices = Choices(rounds=0, until=(until,), strategy=strategy)
    debate, player = await hold(differing, choices, *FIVE)
    assert [ask.act for ask, _ in player.asked].count("vote") == votes
    assert debate.transcript.halts == {"/debate/vote": reason}
    decision = debate.transcript.decision
    assert decision
    assert (decision.status, decision.winner, [counted_ballot.voter for counted_ballot in decision.ballots]) == (
        "decided",
        "Ann's",
        [participant.name for participant in FIVE],
    )
    left = [counted_ballot for counted_ballot in decision.ballots if counted_ballot.state == "missing"]
    assert [counted_ballot.reason for counted_ballot in left] == ["not asked: the vote was over"] * (5 - votes)
    assert decision.strength != "unanimous", "who was not asked has not agreed"


async def test_a_close_vote_goes_to_its_end() -> None:
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        mine: Mapping[str, Value] = {"ANSWER": f"{ask.to}'s"}
        return ballot(ask, context, ask.to) if ask.act == "vote" else mine

    debate, player = await hold(script, Choices(rounds=0, until=("lead_decided",), strategy="majority"))
    assert [ask.act for ask, _ in player.asked].count("vote") == 3
    assert debate.transcript.halts == {}


async def test_voters_are_asked_in_an_order_of_chance_that_is_on_record() -> None:
    _, player = await hold(differing, Choices(rounds=0, until=("lead_decided",), strategy="unanimous"), *FIVE)
    order = [ask.to for ask, _ in player.asked if ask.act == "vote"]
    assert sorted(order) == sorted(participant.name for participant in FIVE)
    assert order != [participant.name for participant in FIVE]


@pytest.mark.parametrize("until", [("stalled", "lead_decided"), ("consensus_reached", "no_new_arguments")])
async def test_an_arena_that_ends_early_can_be_cut_anywhere(until: tuple[Condition, ...]) -> None:
    parsed_brief = brief(ANN, BOB, CY, CHAIR)
    choices = Choices(until=until, rounds=2, topology="ring")
    place = Harness(brief=parsed_brief, protocol=build("arena", parsed_brief, choices))
    whole = await place.run({participant.name: SeededAgent(3) for participant in parsed_brief.participants})
    await resume_everywhere(place, whole, seed=3, step=3)


def test_a_usual_vote_asks_all_at_once() -> None:
    tree = build("arena", brief(), Choices())
    assert isinstance(tree, Sequence)
    assert isinstance(tree.parts[-1], Vote)
    assert tree.parts[-1].early == ()


@pytest.mark.parametrize(
    "until", [("stalled",), ("confidence_reached",), ("majority_certain", "lead_decided"), ("rounds_exhausted",)]
)
def test_an_estimate_counts_on_no_stop_that_nobody_can_foresee(until: tuple[Condition, ...]) -> None:
    choices = Choices(until=until, rounds=2, topology="ring", strategy="majority")
    costing = estimate(brief(*FIVE), build("arena", brief(*FIVE), choices), {})
    assert costing.most.asks == 5 + 2 * (5 + 5) + 5
    assert costing.least.asks == (25 if until == ("rounds_exhausted",) else 5)
