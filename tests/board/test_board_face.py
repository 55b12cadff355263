"""folkmoot.board: a board in a program, its presets, what it gives back; and the code that the document prints."""

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import Enum
from pathlib import Path
from random import Random
from typing import Optional

import pytest

from folkmoot.app.program.program_plans import open_workspace
from folkmoot.app.run.outcome import opening
from folkmoot.board import (
    PRESETS,
    AgentType,
    BoardMeeting,
    BoardMember,
    BoardMemberState,
    BoardResult,
    TimeKeeper,
    generate_next_speaker,
    parse_response_fields,
)
from folkmoot.core.ask import Reply
from folkmoot.core.brief import Limits, Participant
from folkmoot.core.errors import BriefError, FolkmootError, LimitReached, ProtocolError
from folkmoot.core.event import Closed, Entry, Opened
from folkmoot.core.roles import GivenVerdict
from folkmoot.core.transcript import Turn
from folkmoot.demo.material import NOTHING
from tests.council.agents import Agent, own_place
from tests.paths import SHARED

DOCUMENT = SHARED / "seeds" / "board-meeting.md"
CHEN = BoardMember(
    "Dr. Chen", "Analytical, values rigorous methodology", "Publications", "Cites figures", agent=None, weight=2.0
)
FILE = {
    "file.md": "The team of six shipped two releases last year. Costs rose by a fifth in the same time. "
    "The customers asked for shorter waiting times. Nobody has tested the new process yet."
}
RODRIGUEZ = BoardMember("Prof. Rodriguez", "Strategic, focuses on leadership potential")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return own_place(tmp_path, monkeypatch)


def say(verdict: str = "", *, withdrawn: bool = False, more: str = "", content: str = "I have read it.") -> str:
    tags = f"<Verdict>{verdict}</Verdict><VerdictReasoning>the file</VerdictReasoning>" if verdict else ""
    leaves = f"<Withdrawn>{str(withdrawn).lower()}</Withdrawn>"
    return f"<Message>\n{tags}\n{leaves}\n{more}\n<Content>{content}</Content>\n</Message>"


def board(verdicts: dict[str, list[str]]) -> Agent:
    """Members who give these verdicts in turn and withdraw with the last one; the timekeeper calls the time."""

    def speak(who: str, prompt: str, n: int) -> str:
        if who not in verdicts:
            return "Time flies."
        verdict = verdicts[who]
        return say(verdict[min(n, len(verdict)) - 1], withdrawn=n >= len(verdict))

    return Agent(
        lambda who, prompt, n: speak(next((verdict for verdict in verdicts if verdict.startswith(who)), who), prompt, n)
    )


async def test_a_meeting_gives_states_recommendation_and_split() -> None:
    agent = board({"Dr. Chen": ["NO_HIRE", "HIRE"], "Prof. Rodriguez": ["", "NO_HIRE"]})
    meeting = BoardMeeting("Hire Kim?", [CHEN, RODRIGUEZ], agent=agent, strategy="weighted", documents={"cv.md": "24."})
    result = await meeting.hold()
    assert result.states["Dr. Chen"] == BoardMemberState(
        verdict="HIRE",
        verdict_reasoning="the file",
        has_withdrawn=True,
        message_count=2,
        verdict_history=(
            GivenVerdict(
                verdict="NO_HIRE", reasoning="the file", mark=result.states["Dr. Chen"].verdict_history[0].mark
            ),
            GivenVerdict(verdict="HIRE", reasoning="the file", mark=result.states["Dr. Chen"].verdict_history[1].mark),
        ),
    )
    assert (result.verdict, result.split, result.outcome.status) == ("HIRE", True, "decided")
    assert result.recommendation.startswith("The board recommends HIRE. It is split: HIRE 2, NO_HIRE 1.")
    assert len(result.messages) == 4
    assert result.board is not None


async def test_a_verdict_in_other_clothes_is_the_same_verdict() -> None:
    agent = board({"Ann": ["Approve", "**approve.**"], "Bob": ["approve"]})
    result = await BoardMeeting("?", [BoardMember("Ann"), BoardMember("Bob")], agent=agent, verdicts=()).hold()
    assert (result.verdict, result.split, result.board and result.board.split) == ("Approve", False, False)
    assert [len(state.verdict_history) for state in result.states.values()] == [1, 1]
    assert "changed" not in result.recommendation


async def test_a_board_without_options_recommends_no_word_for_nothing() -> None:
    agent = board({"Ann": ["None yet"] * 9, "Bob": ["I abstain."] * 9})
    members = [BoardMember("Ann"), BoardMember("Bob")]
    result = await BoardMeeting("?", members, agent=agent, verdicts=(), rounds=2).hold()
    assert [state.verdict for state in result.states.values()] == [None, None]
    assert (result.verdict, result.outcome.status) == ("", "no_decision")
    decision = result.outcome.decision
    assert decision
    assert {ballot.voter: ballot.state for ballot in decision.ballots} == {"Ann": "missing", "Bob": "abstained"}


async def test_both_layers_and_the_documents_stand_in_the_prompt() -> None:
    agent = board({"Dr. Chen": ["HIRE"], "Prof. Rodriguez": ["HIRE"]})
    meeting = BoardMeeting(
        "Hire Kim?", [CHEN, RODRIGUEZ], agent=agent, rules="Be brief.", documents={"cv.md": "h-index 24"}
    )
    await meeting.hold()
    first = next(prompt for who, prompt in agent.heard if who == "Dr")
    assert "Rules for all:\nBe brief." in first
    assert "=== cv.md ===\n  h-index 24" in first
    assert (
        "You are Dr. Chen. Your role: Publications.\nPersonality: Analytical, values rigorous methodology\n"
        "Expertise: Publications\nSpeaking style: Cites figures"
    ) in first


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_a_preset_sits_and_decides(preset: str) -> None:
    ready = PRESETS[preset]
    meeting = BoardMeeting("What now?", preset=preset, agent="builtin:quotes", documents=FILE)
    result = meeting.run()
    assert tuple(result.states) == tuple(member.name for member in ready.members)
    assert result.verdict in ready.verdicts
    assert all(state.has_withdrawn for state in result.states.values())
    brief = result.outcome.transcript.brief
    assert brief is not None
    assert brief.rules == ready.rules
    assert 3 <= len(ready.members) <= 5
    assert len({member.personality for member in ready.members}) == len(ready.members)


@pytest.mark.parametrize("documents", [{}, {"cv.md": "Kim exists."}])
@pytest.mark.parametrize("verdicts", [("HIRE", "NO_HIRE"), ()])
async def test_a_board_that_can_quote_nothing_comes_to_its_end_and_says_so(
    documents: dict[str, str], verdicts: tuple[str, ...]
) -> None:
    members = [BoardMember("Ann", "Cautious"), BoardMember("Bob")]
    result = await BoardMeeting("?", members, agent="builtin:quotes", documents=documents, verdicts=verdicts).hold()
    assert all(state.has_withdrawn and state.message_count == 3 for state in result.states.values())
    # A cautious member leans one way without any evidence, and another one takes the first.
    expected = {"Ann": "NO_HIRE", "Bob": "HIRE"} if verdicts else dict.fromkeys(("Ann", "Bob"), "documents first")
    assert {name: state.verdict for name, state in result.states.items()} == expected
    assert {state.verdict_reasoning for state in result.states.values()} == {NOTHING}
    assert not any(turn.reply and turn.reply.unread for turn in result.messages)


async def test_what_was_attached_and_whispered_is_there_for_an_audit() -> None:
    def speak(who: str, prompt: str, n: int) -> str:
        table = "<Artifacts>Costs\n1 | 2</Artifacts>" if who == "Ann" else "<Cites>- A1\n- b.md</Cites>"
        aside = "<Whisper>psst</Whisper><WhisperTo>bob</WhisperTo>" if who == "Ann" else ""
        return say("HIRE", withdrawn=True, more=table + aside)

    members = [BoardMember("Ann"), BoardMember("Bob")]
    result = await BoardMeeting("Hire Kim?", members, agent=Agent(speak), seed=1).hold()
    (artifact,) = result.artifacts
    assert artifact.title == "Costs"
    assert result.board
    (whisper,) = result.board.whispers
    assert (whisper.by, whisper.to, whisper.text) == ("Ann", "Bob", "psst")
    assert ("b.md" in [words for _, _, words in result.board.unknown]) is True


async def test_a_meeting_is_streamed_with_the_result_last(place: Path) -> None:
    meeting = BoardMeeting("Hire Kim?", [BoardMember("Ann"), BoardMember("Bob")], agent="builtin:quotes", store=place)
    items = [item async for item in meeting.stream()]
    *entries, last = items
    assert isinstance(last, BoardResult)
    kinds = [type(entry.event) for entry in entries if isinstance(entry, Entry)]
    assert (kinds[0], kinds[-1], len(kinds)) == (Opened, Closed, len(entries))


async def test_members_timekeeper_and_limits_of_ones_own() -> None:
    keeper = Agent(lambda who, prompt, n: "Time flies.")
    members = [
        BoardMember("Ann", "Calm", agent=Participant(name="x", persona="You know it all.", role="Expert")),
        BoardMember("Bob", agent="builtin:quotes"),
    ]
    meeting = BoardMeeting(
        "Hire Kim?", members, timekeeper=TimeKeeper(name="Clocky", agent=keeper), agent=None, rounds=3, verdicts=[],
        documents=FILE, limits=Limits(asks=3),
    )  # fmt: skip
    with pytest.raises(LimitReached) as caught:
        await meeting.hold()
    async with open_workspace() as workspace:
        brief = opening(caught.value.debate, await workspace.entries(caught.value.debate)).brief
    ann, _, clocky = brief.participants
    assert (ann.name, ann.role, ann.persona) == ("Ann", "Expert", "You know it all.\n\nPersonality: Calm")
    assert (clocky.name, clocky.duty, clocky.seat) == ("Clocky", "moderator", "guest:Clocky")


async def test_a_renamed_timekeeper_is_the_built_in_one() -> None:
    members = [BoardMember("Ann"), BoardMember("Bob")]
    meeting = BoardMeeting("Hire?", members, timekeeper=TimeKeeper(name="Tick"), agent="builtin:quotes")
    result = await meeting.hold()
    assert result.outcome.transcript.brief
    assert result.outcome.transcript.brief.participants[-1].seat == "builtin:clock"


async def test_what_cannot_be_is_said_before_anything_is_asked() -> None:
    with pytest.raises(BriefError, match="there is no preset 'poker'; there are hiring"):
        BoardMeeting("?", preset="poker")
    with pytest.raises(BriefError, match="a board needs members, or one of the presets"):
        BoardMeeting("?")
    with pytest.raises(ProtocolError, match="at least 2 debaters, not 1"):
        await BoardMeeting("?", [BoardMember("Ann")], agent="builtin:quotes").hold()
    with pytest.raises(ProtocolError, match="no strategy is called 'dice'"):
        await BoardMeeting("?", preset="hiring", agent="builtin:quotes", strategy="dice").hold()
    with pytest.raises(BriefError, match="Ann is an object of type int"):
        await BoardMeeting("?", [BoardMember("Ann", agent=3), BoardMember("Bob")], agent="builtin:quotes").hold()
    with pytest.raises(FolkmootError, match=r"await BoardMeeting\.hold"):
        BoardMeeting("?", preset="hiring").run()


# ---- the document's code -------------------------------------------------------------------------------------------


def block(first: str) -> str:
    """The block of code that begins with these words."""
    if not DOCUMENT.exists():
        pytest.skip("the document on board meetings is not here")
    match_ = re.search(rf"```\w*\n({re.escape(first)}.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    assert match_, first
    return match_[1]


def test_the_documented_message_is_read() -> None:
    """O1: the tags stand beside the content."""
    message = block("<Message id=")
    fields = parse_response_fields(message, verdicts=("HIRE", "NO_HIRE"), speaker="Dr. Sarah Chen")
    assert fields == ("HIRE", "Strong publication record", False)
    assert parse_response_fields(message, speaker="Prof. Rodriguez") == (None, None, False)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (say("\nHIRE\n"), ("HIRE", "the file", False)),  # O3
        ("<Message><Verdict></Verdict><Content>x</Content></Message>", (None, None, False)),  # O5
        ("<Message><Withdrawn>TRUE</Withdrawn><Content>x</Content></Message>", (None, None, True)),  # O9
        ("<Message><Withdrawn>yes</Withdrawn><Content>x</Content></Message>", (None, None, False)),  # O9
        (say("N/A"), (None, "the file", False)),
        (say("", content="They wrote <Verdict>HIRE</Verdict> of it."), (None, None, False)),
    ],
)
def test_our_reading_of_a_message(message: str, expected: tuple[str | None, str | None, bool]) -> None:
    assert parse_response_fields(message, verdicts=("HIRE", "NO_HIRE")) == expected


def test_the_documented_reader_gives_the_same_for_a_plain_message() -> None:
    def between(message: str, tag: str) -> str:
        return message.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]

    names: dict[str, object] = {"extract_between_tags": between}
    exec(compile(block("def parse_response_fields"), "document", "exec"), names)
    theirs: Callable[[str], object] = names["parse_response_fields"]  # pyright: ignore[reportAssignmentType]
    for message in (say("HIRE"), say("NO_HIRE", withdrawn=True)):
        assert theirs(message) == tuple(parse_response_fields(message))


def test_the_documented_state_is_ours() -> None:
    names: dict[str, object] = {"dataclass": dataclass, "Optional": Optional, "VerdictType": str}
    exec(compile(block("@dataclass\nclass BoardMemberState"), "document", "exec"), names)
    theirs = names["BoardMemberState"]
    assert isinstance(theirs, type)
    documented = [(field.name, field.default) for field in fields(theirs)]
    assert [(field.name, field.default) for field in fields(BoardMemberState)][: len(documented)] == documented


@pytest.mark.parametrize(("agent", "words"), [(TimeKeeper(), "Facilitate meeting"), (CHEN, "Evaluate candidate")])
def test_the_documented_types_tell_members_and_timekeeper_apart(agent: BoardMember | TimeKeeper, words: str) -> None:
    names: dict[str, object] = {"Enum": Enum, "TIMEKEEPER": AgentType.TIMEKEEPER, "agent": agent}
    exec(compile(block("class AgentType(Enum)"), "document", "exec"), names)
    theirs = names["AgentType"]
    assert isinstance(theirs, type)
    assert issubclass(theirs, Enum)
    assert [(member.name, member.value) for member in theirs] == [
        (agent_type.name, agent_type.value) for agent_type in AgentType
    ]
    assert str(names["prompt"]).startswith(words)


async def test_the_documented_choice_of_a_speaker_weighs_as_ours() -> None:
    """The sketch runs against a meeting's states: the same weights, the same turns of the timekeeper."""
    drawn: list[list[int]] = []

    def choice(members: list[BoardMemberState], weights: list[int]) -> BoardMemberState:
        drawn.append(weights)
        return Random(0).choices(members, weights)[0]

    agent = board({name: [""] * 3 + ["HIRE"] for name in ("Ann", "Bob", "Cy")})
    result = await BoardMeeting("?", [BoardMember(name) for name in ("Ann", "Bob", "Cy")], agent=agent).hold()
    names: dict[str, object] = {"weighted_random_choice": choice}
    exec(compile(block("def generate_next_speaker"), "document", "exec"), names)
    theirs: Callable[[], object] = names["generate_next_speaker"]  # pyright: ignore[reportAssignmentType]
    spoken = [turn for turn in result.messages if turn.by != "TimeKeeper"]
    for n in range(1, 6):
        so_far = spoken[:n]
        counts = [sum(turn.by == name for turn in so_far) for name in ("Ann", "Bob", "Cy")]
        names |= {"message_count": n, "active_members": [BoardMemberState(message_count=number) for number in counts]}
        ours = generate_next_speaker(so_far, ("Ann", "Bob", "Cy"), seed=n)
        assert (theirs() == "timekeeper") == (ours == "timekeeper") == (n == 4)
        assert n == 4 or drawn[-1] == [10 - number for number in counts]
    assert generate_next_speaker(result.messages, ("Ann", "Bob", "Cy")) == "", "all have withdrawn"


def test_turns_that_a_program_made_count_as_messages_of_their_speaker() -> None:
    order = ["Ann"] * 10 + ["Bob", "Cy"]
    turns = [Turn(key=f"t{n}", by=by, act="argue", reply=Reply(text="So.")) for n, by in enumerate(order)]
    drawn = [generate_next_speaker(turns, ("Ann", "Bob", "Cy"), seed=seed, every=99) for seed in range(200)]
    assert set(drawn) == {"Ann", "Bob"}, "the last speaker waits"
    assert drawn.count("Bob") > 3 * drawn.count("Ann")
