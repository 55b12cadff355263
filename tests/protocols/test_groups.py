"""Debates in groups: who sits with whom, what each hears, what goes across, what is decided."""

from collections.abc import Mapping, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.agents.prompt import compose
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import ProtocolError
from folkmoot.models.base import Traits
from folkmoot.phases.base import Sequence as InOrder
from folkmoot.policy.pairing import split_groups
from folkmoot.protocols.grouped import REPORT, Groups, stands
from folkmoot.protocols.known import Choices, build
from folkmoot.testing.replay import Harness, HeldDebate, SeededAgent
from tests.kits.players import Player, resume_everywhere

NAMES = ("Ann", "Bob", "Cy", "Dan", "Eve", "Fay", "Gil", "Hal")
YES = ("yes", "no")


def brief(n: int = 8, *, options: Sequence[str] = (), hide: Mapping[str, tuple[str, ...]] | None = None) -> Brief:
    hidden = hide or {}
    people = [Participant(name=name, hide=hidden.get(name, ())) for name in NAMES[:n]]
    chair = Participant(name="Chair", duty="moderator", hide=hidden.get("Chair", ()))
    return Brief(topic="Tea?", participants=(*people, chair), options=tuple(options), seed=3)


class Table:
    """Members who hold an answer, say why, and report; what each was asked is kept."""

    def __init__(self, parsed_brief: Brief, holds: Mapping[str, str], choices: Choices | None = None) -> None:
        self.brief, self.holds = parsed_brief, dict(holds)
        self.tree = build("grouped", parsed_brief, choices)
        self.player = Player(self.answer)
        self.fails: set[tuple[str, str]] = set()
        self.told: dict[str, Value] = {}
        self.moves: dict[str, str] = {}

    def answer(self, ask: Ask, context: Context) -> Mapping[str, Value] | None:
        place = ask.key.rpartition("/")[2].partition("#")[0]
        if (ask.to, ask.act) in self.fails or (ask.to, place) in self.fails:
            return None
        if ask.act == REPORT:
            return self.report(ask, context)
        if ask.act == "vote":
            assert ask.form
            return {"I vote for": ask.form.fields[0].choices[0]}
        if place == "reconsider":
            self.holds |= {name: answer for name, answer in self.moves.items() if name == ask.to}
        return {"ANSWER": self.holds[ask.to], "CONFIDENCE": 0.5, "ARGUMENT": f"{ask.to} knows why."}

    def report(self, ask: Ask, context: Context) -> Mapping[str, Value]:
        answers = [turn.fields["ANSWER"] for turn in context.about]
        distinct = list(dict.fromkeys(answers))
        values: dict[str, Value] = {}
        for n, answer in enumerate(distinct, start=1):
            values |= {
                f"ANSWER {n}": answer,
                f"COUNT {n}": answers.count(answer),
                f"ARGUMENT {n}": f"Because {answer}.",
            }
        return values | self.told

    async def hold(self, lines: Sequence[str] = ()) -> HeldDebate:
        place = Harness(brief=self.brief, protocol=self.tree, name="grouped")
        return await place.run({participant.name: self.player for participant in self.brief.participants}, lines)

    def asked(self, act: str) -> list[Ask]:
        return [ask for ask, _ in self.player.asked if ask.act == act]


def first_group(table: Table) -> tuple[str, ...]:
    """The members of the first group."""
    assert isinstance(table.tree, InOrder)
    drafts = table.tree.parts[0]
    assert isinstance(drafts, Groups)
    return drafts.groups[0]


SPLIT = {name: "yes" if n % 2 else "no" for n, name in enumerate(NAMES)}


# ---- who sits with whom


@given(n=st.integers(2, 60), seed=st.integers(0, 99), models=st.integers(1, 7))
def test_groups_are_small_even_and_the_same_again(n: int, seed: int, models: int) -> None:
    names = [f"P{i}" for i in range(n)]
    seats = {name: f"m{i % models}" for i, name in enumerate(names)}
    groups = split_groups(names, seats, Random(seed))
    assert groups == split_groups(names, seats, Random(seed))
    assert sorted(name for group in groups for name in group) == sorted(names)
    sizes = [len(group) for group in groups]
    assert max(sizes) - min(sizes) <= 1
    assert n < 6 or all(3 <= size <= 5 for size in sizes)
    assert all(sorted(group, key=names.index) == list(group) for group in groups)
    for model in set(seats.values()):
        sums = [sum(seats[name] == model for name in group) for group in groups]
        assert max(sums) - min(sums) <= 1, "a model is in one group more often than in another"


def test_the_seed_deals_the_groups() -> None:
    seats: dict[str, str] = dict.fromkeys(NAMES, "m")
    assert len({split_groups(NAMES, seats, Random(seed)) for seed in range(9)}) > 3


# ---- what each hears


async def test_all_groups_of_a_round_are_asked_at_once_and_hear_only_themselves() -> None:
    table = Table(brief(), SPLIT, Choices(rounds=2))
    debate = await table.hold()
    groups = [frozenset(ask.audience) for ask in table.asked("draft")]
    assert len(set(groups)) == 2
    assert all(ask.to in ask.audience for ask in table.asked("draft"))
    among = [(ask, context) for ask, context in table.player.asked if ask.act == "revise" and ask.audience]
    assert len(among) == 8, "who does not move has no second round"
    for ask, context in among:
        assert {turn.by for turn in context.about} <= set(ask.audience)
        assert context.view.anonymous
    paths = [ask.key for ask, _ in among]
    assert paths[0] == "/debate/groups/round-1/group-1#1"
    assert sum("/round-1/" in path for path in paths) == 8
    assert not debate.transcript.halts


async def test_a_group_that_agrees_debates_no_further() -> None:
    table = Table(brief(), dict.fromkeys(NAMES, "yes"))
    texts = first_group(table)
    table.holds |= {texts[0]: "no"}
    await table.hold()
    assert {ask.to for ask in table.asked("revise") if ask.audience} == set(texts)


async def test_nobody_outside_reads_a_group_before_the_exchange() -> None:
    table = Table(brief(), SPLIT)
    await table.hold()
    groups = {ask.to: ask.audience for ask in table.asked("draft")}
    for ask, context in table.player.asked:
        if ask.act == "report" or ask.key.startswith("/debate/reconsider"):
            continue
        prompt = "\n".join(message.text for message in compose(ask, context, Traits()))
        for name in NAMES:
            mine = name in groups.get(ask.to, ())
            assert mine or ask.act == "vote" or f"{name} draft /debate" not in prompt


# ---- what goes across


async def test_a_report_lists_every_answer_of_its_group_with_the_counts_of_the_record() -> None:
    table = Table(brief(), SPLIT | {"Hal": "later"})
    debate = await table.hold()
    reports = debate.transcript.turns(REPORT)
    assert len(reports) == 2
    listed: list[tuple[str, int]] = []
    for report in reports:
        members = {debate.transcript.get(key).by for key in report.about}
        assert report.by in members
        by_hand = [SPLIT[name] if name != "Hal" else "later" for name in members]
        items = stands(debate.transcript, report)
        assert {standing.answer: standing.count for standing in items} == {
            text: by_hand.count(text) for text in by_hand
        }
        assert all(standing.argument == f"Because {standing.answer}." for standing in items)
        listed += [(standing.answer, standing.count) for standing in items]
    assert ("later", 1) in listed, "what one member holds is in no report"


async def test_the_form_has_a_place_for_each_answer_and_says_which_proposals_are_the_same() -> None:
    table = Table(brief(options=YES), SPLIT)
    await table.hold()
    ask = table.asked(REPORT)[0]
    assert ask.form
    assert [field.name for field in ask.form.fields] == [
        "ANSWER 1", "COUNT 1", "ARGUMENT 1", "ANSWER 2", "COUNT 2", "ARGUMENT 2",
    ]  # fmt: skip
    assert sorted((ask.form.fields[0].choices, ask.form.fields[3].choices)) == [("no", "yes"), ("no", "yes")]
    assert "\n\nAnswer 1 is that of Proposal" in ask.task
    assert ask.task.count(" in all.") == 2
    open_ask = Table(brief(), SPLIT)
    await open_ask.hold()
    form = open_ask.asked(REPORT)[0].form
    assert form
    assert form.fields[0].kind == "text"


async def test_a_count_that_is_not_the_record_s_is_put_right() -> None:
    table = Table(brief(), dict.fromkeys(NAMES, "yes"))
    table.told = {"COUNT 1": 3}
    await table.hold()
    task = next(ask for ask in table.asked("revise") if not ask.audience).task
    assert "How many give each answer, by the record:\nProposal A: answer 1 by 4 (the report says 3)\n" in task


async def test_who_gives_no_count_and_no_argument_is_counted_all_the_same() -> None:
    table = Table(brief(), dict.fromkeys(NAMES, "yes"))
    table.report = lambda ask, context: {}  # pyright: ignore[reportAttributeAccessIssue]
    debate = await table.hold()
    (standing,) = stands(debate.transcript, debate.transcript.turns(REPORT)[0])
    assert (standing.answer, standing.count, standing.argument, standing.told) == ("yes", 4, "", None)
    assert (
        "Proposal A: an answer that it does not name by 4\n"
        in next(ask for ask in table.asked("revise") if not ask.audience).task
    )


async def test_all_read_all_reports_in_an_order_of_their_own_and_no_names() -> None:
    table = Table(brief(), SPLIT)
    debate = await table.hold()
    last = [(ask, context) for ask, context in table.player.asked if ask.key.startswith("/debate/reconsider")]
    assert [ask.to for ask, _ in last] == list(NAMES)
    assert all({turn.act for turn in context.about} == {REPORT} for _, context in last)
    assert len({ask.about for ask, _ in last}) == 2
    for ask, context in last:
        laid = compose(ask, context, Traits())[-1].text.partition(f"You are {ask.to}")[0]
        assert "[Proposal A]:" in laid
        assert not any(f"[{name}" in laid for name in NAMES)
        assert ask.audience == ()
    assert debate.transcript.decision


# ---- masks


async def test_no_mask_is_undone_by_a_report() -> None:
    table = Table(brief(hide={"Ann": ("Bob", "Cy"), "Chair": ("Ann",)}), SPLIT)
    debate = await table.hold()
    for report in debate.transcript.turns(REPORT):
        members = {debate.transcript.get(key).by for key in report.about}
        assert debate.transcript.sees("Ann", report) == (not members & {"Bob", "Cy"} or report.by == "Ann")
        assert debate.transcript.sees("Chair", report) == ("Ann" not in members)
    assert any(report.ask.audience for report in debate.transcript.turns(REPORT) if report.ask)


async def test_who_sees_no_report_is_not_asked_to_reconsider() -> None:
    table = Table(brief(hide={"Ann": tuple(name for name in NAMES if name != "Ann")}), SPLIT)
    debate = await table.hold()
    assert "Ann" not in {ask.to for ask in table.asked("revise") if not ask.audience}
    ballot = next(ask for ask in table.asked("vote") if ask.to == "Ann")
    assert [debate.transcript.get(key).by for key in ballot.about] == ["Ann"], "nor does a ballot show what is masked"


async def test_where_all_are_masked_from_each_other_nobody_is() -> None:
    everybody = {name: tuple(word for word in NAMES if word != name) for name in NAMES}
    table = Table(brief(hide=everybody), SPLIT)
    debate = await table.hold()
    addressees = {ask.to for ask in table.asked("revise") if not ask.audience}
    assert addressees == {report.by for report in debate.transcript.turns(REPORT)}, (
        "each reads the report it wrote itself"
    )


# ---- what is decided


async def test_closed_answers_are_counted() -> None:
    table = Table(brief(options=YES), SPLIT)
    table.moves = {"Ann": "yes"}
    debate = await table.hold()
    decision = debate.transcript.decision
    assert decision
    assert (decision.status, decision.winner, dict(decision.tally)) == ("decided", "yes", {"yes": 5.0, "no": 3.0})
    assert dict(decision.first) == {"yes": 4.0, "no": 4.0}
    assert table.asked("vote") == []


async def test_open_answers_are_voted_on() -> None:
    table = Table(brief(), SPLIT)
    debate = await table.hold()
    assert debate.transcript.decision
    assert debate.transcript.decision.rule == "plurality"
    assert len(table.asked("vote")) == 8
    assert all(len(ask.about) == 2 for ask in table.asked("vote"))


@pytest.mark.parametrize(("rounds", "message"), [(4, "grouped has at most 3 rounds, not 4"), (0, "")])
def test_rounds_within_groups(rounds: int, message: str) -> None:
    if message:
        with pytest.raises(ProtocolError, match=message):
            build("grouped", brief(), Choices(rounds=rounds))
    else:
        assert build("grouped", brief(), Choices(rounds=rounds))


def test_turn_modes_do_not_go_with_groups() -> None:
    with pytest.raises(ProtocolError, match="grouped has its own order"):
        build("grouped", brief(), Choices(turn_mode="random"))


# ---- failures


async def test_who_fails_is_left_out_and_counts_as_missing() -> None:
    table = Table(brief(options=YES), SPLIT)
    table.fails = {("Bob", "draft"), ("Bob", "revise")}
    debate = await table.hold()
    decision = debate.transcript.decision
    assert decision
    assert [ballot.voter for ballot in decision.ballots if ballot.state == "missing"] == ["Bob"]
    assert (
        sum(standing.count for turn in debate.transcript.turns(REPORT) for standing in stands(debate.transcript, turn))
        == 7
    )


async def test_a_report_that_fails_leaves_the_others() -> None:
    table = Table(brief(options=YES), SPLIT)
    table.fails = {(name, REPORT) for name in first_group(table)}
    debate = await table.hold()
    assert len(debate.transcript.turns(REPORT)) == 1
    assert {len(ask.about) for ask in table.asked("revise") if not ask.audience} == {1}
    assert debate.transcript.decision
    assert debate.transcript.decision.status in ("decided", "tie")


async def test_a_group_in_which_nobody_answers_is_silent() -> None:
    table = Table(brief(options=YES), SPLIT)
    silent = first_group(table)
    table.fails = {(name, "draft") for name in silent}
    debate = await table.hold()
    assert {ask.to for ask in table.asked("revise") if ask.audience}.isdisjoint(silent)
    assert len(debate.transcript.turns(REPORT)) == 1
    assert len([ask for ask in table.asked("revise") if not ask.audience]) == 8


async def test_where_nobody_answers_it_ends() -> None:
    table = Table(brief(options=YES), SPLIT)
    table.fails = {(name, "draft") for name in NAMES}
    debate = await table.hold()
    assert debate.transcript.closed
    assert debate.transcript.closed.status == "failed"
    assert debate.transcript.halted("/debate") == "0 of 8 answered, 1 is needed to go on"


async def test_who_cannot_be_read_is_in_no_report() -> None:
    table = Table(brief(), SPLIT)
    unread: dict[str, Value] = {}
    usual = table.answer

    def answer(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        return unread if ask.act in ("draft", "revise") and ask.audience else usual(ask, context)

    table.player.script = answer
    debate = await table.hold()
    assert debate.transcript.turns(REPORT) == ()
    assert [ask for ask in table.asked("revise") if not ask.audience] == []


# ---- the record


@pytest.mark.parametrize("options", [(), YES])
async def test_cut_anywhere_it_is_the_same_debate(options: tuple[str, ...]) -> None:
    parsed_brief = brief(7, options=options)
    place = Harness(brief=parsed_brief, protocol=build("grouped", parsed_brief, Choices(rounds=2)), name="grouped")
    oracle = SeededAgent()
    whole = await place.run({participant.name: oracle for participant in parsed_brief.participants})
    assert whole.transcript.closed
    await resume_everywhere(place, whole, step=3)
