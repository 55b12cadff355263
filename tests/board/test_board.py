"""The protocol board: who has the floor, when the timekeeper speaks, what escalates, how it ends and is decided."""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace

import pytest

from folkmoot.core.agent import Context
from folkmoot.core.ask import ABSTAIN, Ask, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.decision import Decision
from folkmoot.core.errors import ProtocolError
from folkmoot.core.event import Halted
from folkmoot.phases.choices import Choices, Extras, Mediation
from folkmoot.protocols.known import build
from folkmoot.testing.replay import Harness, HeldDebate, SeededAgent
from tests.kits.players import Player, resume_everywhere

OPTIONS = ("HIRE", "NO_HIRE")
CLOCK = Participant(name="TimeKeeper", duty="moderator")
Answers = Callable[[Ask, int], Mapping[str, Value] | None]
"""The fields of a member's message, from the ask and how often that member was asked before; None for a failure."""


def runner(count: int = 3, *, rounds: int = 4, options: tuple[str, ...] = OPTIONS, strategy: str = "") -> Harness:
    members = tuple(Participant(name="ABCDE"[n], weight=n + 1) for n in range(count))
    brief = Brief(topic="Hire Kim?", participants=(*members, CLOCK), options=options, seed=3)
    choices = Choices(rounds=rounds, strategy=strategy)
    return Harness(brief=brief, protocol=build("board", brief, choices), name="board")


async def play(place: Harness, answers: Answers) -> tuple[HeldDebate, Player]:
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        before = [question for question, _ in player.asked[:-1] if question.to == ask.to]
        return {} if ask.to == "TimeKeeper" else answers(ask, len(before))

    player = Player(script)
    return await place.run({participant.name: player for participant in place.brief.participants}), player


def nothing(ask: Ask, before: int) -> Mapping[str, Value]:
    return {"Content": "I think."}


def order(player: Player) -> str:
    """Who was asked, by the first letter; the last words behind a bar."""
    meeting = "".join(ask.to[0] for ask, _ in player.asked if ask.act != "verdict")
    return f"{meeting}|{''.join(ask.to for ask, _ in player.asked if ask.act == 'verdict')}"


def decision(debate: HeldDebate) -> Decision:
    assert debate.transcript.decision
    return debate.transcript.decision


def required(ask: Ask) -> list[str]:
    assert ask.form
    return [field.name for field in ask.form.fields if field.required]


# ---- the order -----------------------------------------------------------------------------------------------------


async def test_the_timekeeper_speaks_after_every_fourth_message() -> None:
    """O13: and never twice in a row; not behind the last message, for then the meeting is over."""
    _, player = await play(runner(rounds=4), nothing)
    part = order(player).split("|")[0]
    assert [n for n, who in enumerate(part) if who == "T"] == [4, 9]
    assert len(part.replace("T", "")) == 12
    assert all(text != other for text, other in zip(part.replace("T", ""), part.replace("T", "")[1:], strict=False))


async def test_failed_messages_do_not_bring_the_timekeeper_back() -> None:
    def answers(ask: Ask, before: int) -> Mapping[str, Value] | None:
        return None if before == 1 else {"Content": "I think."}

    _, player = await play(runner(rounds=6), answers)
    part = order(player).split("|")[0]
    assert "TT" not in part
    assert part.count("T") == 3  # 18 asks, 15 of them answered


@pytest.mark.parametrize("count", [2, 5])
async def test_all_have_their_say(count: int) -> None:
    _, player = await play(runner(count, rounds=8), nothing)
    part = order(player).split("|")[0].replace("T", "")
    assert len(part) == 8 * count
    assert {name for name in "ABCDE"[:count] if part.count(name) >= 5} == {*"ABCDE"[:count]}


async def test_what_a_member_is_asked() -> None:
    _, player = await play(runner(), nothing)
    ask, context = player.asked[0]
    assert ask.task.startswith("Message 1 of at most 12. You sit on this board")
    assert ask.form
    assert (ask.form.layout, ask.form.envelope) == ("tags", "Message")
    others = tuple(participant.name for participant in context.brief.participants if participant.name != ask.to)
    choices = {field.name: field.choices for field in ask.form.fields if field.kind == "choice"}
    assert choices == {"Speaker": (ask.to,), "SpeakingTo": (*others, "all"), "WhisperTo": others, "Verdict": OPTIONS}
    assert required(ask) == ["Content"]
    assert context.view.own


# ---- reminders, deadlines, escalation ------------------------------------------------------------------------------


def reminders(player: Player) -> list[str]:
    return [ask.task.split("\n")[0] for ask, _ in player.asked if ask.act == "remind"]


async def test_what_the_timekeeper_says() -> None:
    def answers(ask: Ask, before: int) -> Mapping[str, Value]:
        return {"Content": "x", **({"Verdict": "HIRE"} if ask.to != "B" else {})}

    _, player = await play(runner(rounds=14), answers)
    texts = reminders(player)
    assert texts[0] == "So far 4 of at most 42 messages. Without a verdict so far: B. The clock is ticking."
    assert texts[4] == (
        "So far 20 of at most 42 messages. Deadline: a verdict is due now from B. It must be in their next message."
    )
    assert texts[5].endswith("Without a verdict so far: B. The clock is ticking.")
    assert texts[9] == (
        "So far 40 of at most 42 messages. Deadline 2: only B may speak until each has given the verdict."
    )
    ask = next(ask for ask, _ in player.asked if ask.act == "remind")
    assert "say nothing about the topic, judge nobody" in ask.task


async def test_without_debtors_there_is_no_deadline() -> None:
    _, player = await play(runner(rounds=8), lambda ask, before: {"Content": "x", "Verdict": "HIRE"})
    done = "All who are at the table have given a verdict; who has nothing to add can withdraw."
    assert reminders(player)[-1] == f"So far 20 of at most 24 messages. {done}"


async def test_behind_a_deadline_the_next_message_must_hold_a_verdict() -> None:
    def answers(ask: Ask, before: int) -> Mapping[str, Value]:
        return {"Content": "x", **({"Verdict": "HIRE"} if "Verdict" in required(ask) else {})}

    _, player = await play(runner(4, rounds=8), answers)
    members = [ask for ask, _ in player.asked if ask.act == "argue"]
    assert not any("Verdict" in required(ask) for ask in members[:20])
    bound = [ask for ask in members[20:] if "Verdict" in required(ask)]
    assert sorted(ask.to for ask in bound) == ["A", "B", "C", "D"], "each once, then it has one"
    assert all("you owe a verdict" in ask.task for ask in bound)
    assert order(player).endswith("|")


async def test_behind_the_second_deadline_only_debtors_have_the_floor_once() -> None:
    def answers(ask: Ask, before: int) -> Mapping[str, Value] | None:
        if ask.to == "C":
            return {"Content": "x", "Verdict": "HIRE"}
        return {"Content": "x"}

    _, player = await play(runner(4, rounds=16), answers)
    members = [ask.to for ask, _ in player.asked if ask.act == "argue"]
    for start in (40, 60):
        assert sorted(members[start : start + 3]) == ["A", "B", "D"]
    assert "C" in members[43:60]
    assert order(player).endswith("|ABD")


# ---- how it ends ---------------------------------------------------------------------------------------------------


async def test_it_ends_at_once_when_all_members_have_withdrawn() -> None:
    """O11: the timekeeper does not count."""

    def answers(ask: Ask, before: int) -> Mapping[str, Value]:
        return {"Content": "x", "Verdict": "HIRE", "Withdrawn": True}

    debate, player = await play(runner(4), answers)
    assert sorted(order(player)) == sorted("ABCD|")
    assert debate.transcript.halts == {"/debate/meeting": "all members have withdrawn"}
    assert decision(debate).winner == "HIRE"
    assert decision(debate).how == "HIRE has 4 of 4"


async def test_a_withdrawal_without_a_verdict_counts_as_nothing() -> None:
    """O7."""
    debate, player = await play(runner(rounds=2), lambda ask, before: {"Content": "x", "Withdrawn": True})
    assert len(order(player).split("|")[0].replace("T", "")) == 6
    assert not debate.transcript.halts


async def test_at_the_cap_who_has_no_verdict_is_asked_once() -> None:
    def answers(ask: Ask, before: int) -> Mapping[str, Value] | None:
        if ask.act == "verdict":
            assert required(ask) == ["Verdict"]
            return {"A": {"Verdict": ABSTAIN}, "B": {"Verdict": "NO_HIRE"}, "C": {}, "D": None}[ask.to]
        return {"Content": "x", **({"Verdict": "HIRE"} if ask.to == "E" else {})}

    debate, player = await play(runner(5, rounds=2), answers)
    assert order(player).endswith("|ABCD")
    ballots = {ballot.voter: (ballot.choice, ballot.state, ballot.reason) for ballot in decision(debate).ballots}
    assert ballots == {
        "A": ("", "abstained", "no verdict"),
        "B": ("NO_HIRE", "cast", ""),
        "C": ("", "missing", "no verdict"),
        "D": ("", "missing", "no verdict"),
        "E": ("HIRE", "cast", ""),
    }
    assert decision(debate).status == "tie", "a tie stays a tie"
    assert decision(debate).how.endswith("; the meeting ended at its cap of 10 messages")


# ---- failures ------------------------------------------------------------------------------------------------------


async def test_a_member_that_keeps_failing_stalls_nothing() -> None:
    debate, player = await play(runner(4), lambda ask, before: None if ask.to == "B" else {"Content": "x"})
    part = order(player).split("|")[0]
    assert part.count("B") == 2
    assert len(part.replace("T", "")) == 16
    assert "absent: B" in decision(debate).text


async def test_who_is_left_alone_by_absent_ones_goes_on() -> None:
    def answers(ask: Ask, before: int) -> Mapping[str, Value] | None:
        return {"Content": "x", "Verdict": "HIRE"} if ask.to == "A" else None

    debate, player = await play(runner(3, rounds=4), answers)
    part = order(player).split("|")[0].replace("T", "")
    assert (part.count("A"), part.count("B"), part.count("C")) == (8, 2, 2)
    assert decision(debate).how.startswith("no quorum: 1 of 3 ballots could be read")


async def test_when_the_last_at_the_table_is_absent_it_is_over() -> None:
    def answers(ask: Ask, before: int) -> Mapping[str, Value] | None:
        return {"Content": "x", "Verdict": "HIRE", "Withdrawn": True} if ask.to != "B" else None

    debate, _ = await play(runner(3), answers)
    assert debate.transcript.halts == {"/debate/meeting": "nobody is left who could speak; absent: B"}


async def test_a_meeting_in_which_nobody_answers_fails() -> None:
    debate, player = await play(runner(2, rounds=4), lambda ask, before: None)
    assert order(player) in ("ABAB|", "BABA|")
    halted = [entry.event for entry in debate.entries if isinstance(entry.event, Halted)]
    assert halted == [Halted(path="/debate", reason="none of 4 answered")]
    assert debate.transcript.decision is None


# ---- the decision --------------------------------------------------------------------------------------------------


def verdicts(**values: str) -> Answers:
    def answers(ask: Ask, before: int) -> Mapping[str, Value]:
        return {
            "Content": "x",
            "Verdict": values[ask.to],
            "VerdictReasoning": f"{ask.to}'s reason",
            "Withdrawn": before > 0,
        }

    return answers


@pytest.mark.parametrize(
    ("strategy", "status", "winner"),
    [
        ("", "decided", "HIRE"),
        ("majority", "decided", "HIRE"),
        ("supermajority", "no_decision", ""),
        ("consensus", "no_decision", ""),
        ("unanimous", "no_decision", ""),
        ("weighted", "decided", "NO_HIRE"),
    ],
)
async def test_the_rules(strategy: str, status: str, winner: str) -> None:
    answers = verdicts(A="HIRE", B="HIRE", C="HIRE", D="NO_HIRE", E="NO_HIRE")
    debate, _ = await play(runner(5, strategy=strategy), answers)
    assert (decision(debate).status, decision(debate).winner) == (status, winner)
    assert decision(debate).tally == (
        {"HIRE": 6, "NO_HIRE": 9} if strategy == "weighted" else {"HIRE": 3, "NO_HIRE": 2}
    )


async def test_a_split_decision_keeps_the_minority_with_its_reasons() -> None:
    debate, _ = await play(runner(3), verdicts(A="HIRE", B="NO_HIRE", C="HIRE"))
    ruling = decision(debate)
    assert ruling.text.startswith(
        "The board recommends HIRE. It is split: HIRE 2, NO_HIRE 1.\n- HIRE: A, C\n  - A: A's"
    )
    assert (ruling.support, ruling.argument, ruling.dissent) == (
        ("A", "C"),
        "A's reason",
        ("B for NO_HIRE: B's reason",),
    )
    (lost,) = ruling.minority
    assert (lost.answer, lost.by, lost.argument, round(lost.share, 2)) == ("NO_HIRE", ("B",), "B's reason", 0.33)


async def test_without_options_verdicts_in_the_same_words_are_one() -> None:
    debate, _ = await play(runner(3, options=()), verdicts(A="Hire her.", B="hire  HER", C="wait"))
    assert decision(debate).tally == {"Hire her.": 2, "wait": 1}
    assert decision(debate).winner == "Hire her."


async def test_without_options_and_without_verdicts_nothing_is_decided() -> None:
    debate, player = await play(runner(2, rounds=1, options=()), nothing)
    assert required(player.asked[-1][0]) == ["Verdict"]
    assert (decision(debate).status, decision(debate).tally) == ("no_decision", {})
    assert "recommends nothing: no vote was cast by 2 voters" in decision(debate).text


# ---- artifacts -----------------------------------------------------------------------------------------------------


async def test_artifacts_are_named_to_those_who_may_cite_them() -> None:
    def answers(ask: Ask, before: int) -> Mapping[str, Value]:
        return {"Content": "x", **({"Artifacts": "# Costs\n1, 2"} if ask.to == "A" and not before else {})}

    place = runner(3, rounds=3)
    _, player = await play(place, answers)
    first = next(n for n, (ask, _) in enumerate(player.asked) if ask.to == "A")
    later = [ask for ask, _ in player.asked[first + 1 :] if ask.act == "argue"]
    assert later
    assert all(ask.task.endswith(f"\n\nArtifacts so far: A{first + 1} (A).") for ask in later)
    assert not any("Artifacts so far" in ask.task for ask, _ in player.asked[: first + 1])


# ---- resuming, refusing --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "rounds"), [(3, 2), (4, 6)])
async def test_cut_anywhere_it_is_the_same_meeting(count: int, rounds: int) -> None:
    place = runner(count, rounds=rounds)
    for seed in (1, 2):
        whole = await place.run(
            dict.fromkeys([participant.name for participant in place.brief.participants], SeededAgent(seed))
        )
        await resume_everywhere(place, whole, seed=seed, step=3)


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        (Choices(turn_mode="random"), "board has its own order of speaking"),
        (Choices(mediation=Mediation(kind="judge")), "board has a timekeeper, who manages the process only"),
        (Choices(strategy="moderator"), "no strategy is called 'moderator' here"),
        (Choices(rounds=0), "board needs at least 1 round, not 0"),
        (Choices(rounds=101), "rounds: 101 is not a number from 1 to 100"),
    ],
)
def test_what_does_not_go_with_a_board(choices: Choices, words: str) -> None:
    with pytest.raises(ProtocolError, match=words):
        build("board", runner().brief, choices)


ALL = Extras(**{field.name: True for field in fields(Extras)})


async def test_nobody_asks_the_timekeeper_to_judge() -> None:
    place = runner(3, rounds=2)
    german = replace(place.brief.participants[0], language="German")
    place.brief = replace(place.brief, participants=(german, *place.brief.participants[1:]))
    place.protocol = build("board", place.brief, Choices(rounds=2, extras=ALL))
    _, player = await play(place, nothing)
    acts = {ask.act for ask, _ in player.asked if ask.to != "TimeKeeper"}
    assert {"score", "evaluate", "reflect", "translate", "bid", "argue", "verdict"} <= acts
    assert {ask.act for ask, _ in player.asked if ask.to == "TimeKeeper"} == {"remind"}


async def test_who_has_left_neither_cuts_in_nor_is_cut_in_on() -> None:
    def answers(ask: Ask, before: int) -> Mapping[str, Value]:
        if ask.act == "argue":
            return {"Content": "x", "Verdict": "HIRE", "Withdrawn": ask.to == "A"}
        return {"URGENCY": 0}

    place = runner(3, rounds=3)
    place.protocol = build("board", place.brief, Choices(rounds=3, extras=Extras(interruptions=True)))
    debate, player = await play(place, answers)
    left = next(n for n, (ask, _) in enumerate(player.asked) if (ask.to, ask.act) == ("A", "argue"))
    bids = [ask for ask, _ in player.asked[left:] if ask.act == "bid"]
    assert bids
    assert not any(ask.to == "A" or debate.transcript.get(ask.about[0]).by == "A" for ask in bids)


def test_a_board_needs_a_timekeeper() -> None:
    with pytest.raises(ProtocolError, match="board needs one moderator, not 0"):
        build("board", Brief(topic="?", participants=runner().brief.participants[:3]))
