"""Jurors hear the debate and vote; they neither speak nor stand for election."""

import pytest

from folkmoot.app.plan.simulation import parts
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Reply, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.transcript import Transcript, Turn
from folkmoot.phases.base import Phase, Sequence, State
from folkmoot.phases.revise import Summarize
from folkmoot.phases.speak import Everyone, draft
from folkmoot.phases.vote import BALLOT, JURY, Count, Vote
from folkmoot.policy.rules import PLURALITY, WEIGHTED
from folkmoot.protocols.known import Choices, build
from folkmoot.testing.replay import Harness, SeededAgent
from tests.kits.players import ANN, BOB, CHAIR, Player, hold, resume_everywhere, votes

JUNE = Participant(name="June", duty="juror", weight=3.0)
JACK = Participant(name="Jack", duty="juror")


def brief(*people: Participant, options: tuple[str, ...] = ()) -> Brief:
    return Brief(topic="Tea?", participants=(ANN, BOB, *people), options=options)


async def run_debate(phase: Phase, parsed_brief: Brief, wish: str, says: str = "") -> tuple[Transcript, Player]:
    """Ann and Bob answer with their names or as given and vote for their own; jurors vote for the one wished."""

    def script(ask: Ask, context: Context) -> dict[str, Value] | None:
        if ask.act != "vote":
            own = {"Ann": "yes", "Bob": "no"} if parsed_brief.options else {"Ann": "Ann's", "Bob": "Bob's"}
            return {"ANSWER": says or own.get(ask.to, "")}
        assert ask.form
        choices = ask.form.fields[0].choices
        mine = wish if ask.to not in ("Ann", "Bob") else ask.to
        if mine == "!":
            return None
        return {BALLOT: mine if mine in choices else choices[[turn.by for turn in context.about].index(mine)]}

    player = Player(script)
    done = await Harness(brief=parsed_brief, protocol=phase).run(
        {participant.name: player for participant in parsed_brief.participants}
    )
    return done.transcript, player


def debate(decide: Phase, options: tuple[str, ...] = ()) -> Phase:
    return Sequence(parts=(Everyone(act="draft", task="Answer.", form=draft(options)), decide))


async def test_jurors_vote_with_their_weight_beside_the_debaters() -> None:
    decide = Vote(rule=WEIGHTED, acts=("draft",), task="Vote.")
    transcript, player = await run_debate(debate(decide), brief(JUNE, JACK), "Bob")
    assert [ask.to for ask, _ in player.asked] == ["Ann", "Bob", "Ann", "Bob", "June", "Jack"]
    assert transcript.decision
    assert transcript.decision.tally == {"Ann's": 1.0, "Bob's": 5.0}
    assert transcript.decision.winner == "Bob's"


@pytest.mark.parametrize(("options", "wish"), [((), "Bob"), (("yes", "no"), "no")])
async def test_a_juror_s_ballot_keeps_its_reason(options: tuple[str, ...], wish: str) -> None:
    decide = Count(rule=PLURALITY, acts=("draft",))
    transcript, _ = await run_debate(debate(decide, options), brief(JUNE, JACK, options=options), wish)
    assert transcript.decision
    texts = ["June vote /debate/count#1", "Jack vote /debate/count#2"]
    assert [ballot.reason for ballot in transcript.decision.ballots] == ["", "", *texts]


async def test_a_vote_keeps_its_reasons() -> None:
    script = votes({"Ann": "Ann", "Bob": "Ann", "Cy": "Bob"})
    vote = Vote(rule=PLURALITY, acts=("propose",), task="Vote.")
    done, _ = await hold(Sequence(parts=(Everyone(act="propose", task="Propose."), vote)), script)
    assert done.transcript.decision
    assert done.transcript.decision.dissent == ("Cy for Bob: Cy vote /debate/vote#3",)
    assert all(ballot.reason for ballot in done.transcript.decision.ballots)


async def test_an_explicit_list_of_voters_has_no_jurors_in_it() -> None:
    decide = Vote(rule=PLURALITY, acts=("draft",), task="Vote.", who=("Ann",))
    _, player = await run_debate(debate(decide), brief(JUNE), "Bob")
    assert [ask.to for ask, _ in player.asked if ask.act == "vote"] == ["Ann"]


@pytest.mark.parametrize(("options", "wish"), [((), "Bob"), (("yes", "no"), "no"), (("yes", "no", "wait"), "no")])
async def test_where_answers_are_votes_jurors_get_a_ballot(options: tuple[str, ...], wish: str) -> None:
    parsed_brief = brief(JUNE, JACK, options=options)
    transcript, player = await run_debate(debate(Count(rule=WEIGHTED, acts=("draft",)), options), parsed_brief, wish)
    ballots = [(ask, context) for ask, context in player.asked if ask.act == "vote"]
    assert [(ask.to, ask.task) for ask, _ in ballots] == [("June", JURY), ("Jack", JURY)]
    form = ballots[0][0].form
    assert form
    assert form.fields[0].choices == (options or ("Proposal A", "Proposal B"))
    assert sorted(turn.by for turn in ballots[0][1].about) == ["Ann", "Bob"]
    assert transcript.decision
    assert transcript.decision.winner == ("no" if options else "Bob's")
    assert transcript.decision.tally[transcript.decision.winner] == 5.0
    assert [ballot.voter for ballot in transcript.decision.ballots] == ["Ann", "Bob", "June", "Jack"]


async def test_a_juror_without_an_answer_is_a_missing_ballot() -> None:
    transcript, _ = await run_debate(debate(Count(rule=PLURALITY, acts=("draft",))), brief(JACK), "!")
    assert transcript.decision
    assert [ballot.state for ballot in transcript.decision.ballots] == ["cast", "cast", "missing"]


async def test_a_juror_who_may_see_no_answer_has_no_ballot_unless_there_are_options() -> None:
    blind = Participant(name="Jack", duty="juror", hide=("draft",))
    transcript, player = await run_debate(debate(Count(rule=PLURALITY, acts=("draft",))), brief(blind), "Bob")
    assert transcript.decision
    assert [ballot.state for ballot in transcript.decision.ballots] == ["cast", "cast", "missing"]
    assert [ask.act for ask, _ in player.asked] == ["draft", "draft"]
    options = ("yes", "no")
    parsed_brief = brief(blind, options=options)
    transcript, player = await run_debate(debate(Count(rule=PLURALITY, acts=("draft",)), options), parsed_brief, "no")
    assert transcript.decision
    assert transcript.decision.tally == {"yes": 1.0, "no": 2.0}
    assert player.asked[-1][1].about == ()


async def test_where_all_give_one_answer_no_juror_is_asked() -> None:
    count = debate(Count(rule=PLURALITY, acts=("draft",)))
    transcript, player = await run_debate(count, brief(JUNE), "Bob", says="the same")
    assert [ask.act for ask, _ in player.asked] == ["draft", "draft"]
    assert transcript.decision
    assert len(transcript.decision.ballots) == 2


@pytest.mark.parametrize(("chairs", "writer"), [((), "Ann"), ((CHAIR,), "Chair")])
async def test_no_juror_sums_up_for_others(chairs: tuple[Participant, ...], writer: str) -> None:
    # The juror sits first, and has written no summary either.
    parsed_brief = Brief(topic="Tea?", participants=(JUNE, ANN, BOB, *chairs))
    phase = Sequence(parts=(Everyone(act="argue", task="Argue."), Summarize()))
    transcript, _ = await run_debate(phase, parsed_brief, "")
    assert [turn.by for turn in transcript.turns("summarize")] == [writer]


@pytest.mark.parametrize(
    ("protocol", "options"),
    [("panel", ("yes", "no")), ("council", ()), ("round_robin", ()), ("round_robin", ("yes", "no"))],
)
async def test_a_debate_with_jurors_can_be_cut_anywhere(protocol: str, options: tuple[str, ...]) -> None:
    parsed_brief = brief(JUNE, JACK, options=options)
    place = Harness(brief=parsed_brief, protocol=build(protocol, parsed_brief, Choices(rounds=1)))
    whole = await place.run({participant.name: SeededAgent(4) for participant in parsed_brief.participants})
    assert {turn.by for turn in whole.transcript.turns() if turn.by in ("June", "Jack")} == {"June", "Jack"}
    assert {turn.act for turn in whole.transcript.turns() if turn.by in ("June", "Jack")} == {"vote"}
    await resume_everywhere(place, whole, seed=4, step=3)


@pytest.mark.parametrize("protocol", ["panel", "council", "arena", "grouped", "round_robin"])
def test_jurors_are_not_told_of_a_proposal_of_their_own(protocol: str) -> None:
    people = tuple(Participant(name=f"P{n}", seat="x:y") for n in range(10))
    table = State(brief=Brief(topic="Tea?", participants=(*people, JUNE)), transcript=Transcript())
    votes = [part for part in parts(build(protocol, table.brief, Choices())) if isinstance(part, Vote)]
    assert votes
    turn = Turn(key="k#1", by="P0", act="propose", reply=Reply(text="Tea."))
    for vote in votes:
        own, none = (vote.ask(table, 1, name, {"P0": turn}).task for name in ("P0", "June"))
        assert ("your own" in own, "your own" in none, "or abstain" in none) == (True, False, True)
