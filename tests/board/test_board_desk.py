"""A board from a brief: its timekeeper, its members' character, what it takes and refuses, its ready examples."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.brief.default_participants import MODERATOR, TIMEKEEPER
from folkmoot.app.brief.reader import read_brief
from folkmoot.app.plan.assignment import make_agents
from folkmoot.app.plan.estimate import estimate
from folkmoot.app.run.api import read_brief_argument
from folkmoot.app.run.prepare import Overrides, make_choices, prepare
from folkmoot.app.run.workspace import Workspace
from folkmoot.board.board_meeting import BoardMeeting
from folkmoot.board.members import PRESETS, BoardMember, TimeKeeper
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask
from folkmoot.core.brief import CLOCK, Brief, Participant
from folkmoot.core.errors import BriefError
from folkmoot.demo.debater import Timekeeper
from folkmoot.models.pool import Pool
from folkmoot.phases.choices import Choices
from folkmoot.protocols.known import build
from folkmoot.testing.store_checks import InMemoryStore
from tests.cli.commands import EXAMPLES, QUOTES, folkmoot
from tests.report.quoting import Ear

HEAD = "---\nprotocol: board\n{more}---\n# Hire Kim?\n\nKim has published 31 papers.\n\n"
PEOPLE = "## Ann\nrole: a\n\n## Bob\nrole: b\n"


def parsed(more: str = "", people: str = PEOPLE) -> Brief:
    return read_brief(HEAD.format(more=more) + people, folder=Path()).brief


@pytest.mark.parametrize(
    ("people", "keeper"),
    [
        (PEOPLE, TIMEKEEPER),
        (f"{PEOPLE}\n## Moderator\nrole: looks at the clock\n", None),
        (f"{PEOPLE}\n## TimeKeeper (ollama:llama3.2)\n", None),
        (f"{PEOPLE}\n## Chair (human)\nduty: moderator\n", None),
    ],
)
def test_the_moderator_keeps_the_time_else_a_built_in_one(people: str, keeper: Participant | None) -> None:
    brief = parsed(people=people)
    (name,) = brief.names("moderator")
    assert (brief.participant(name) == keeper) is (keeper is not None)


def test_a_board_cannot_do_without_a_timekeeper() -> None:
    with pytest.raises(BriefError, match="moderator is no, but the protocol board needs one"):
        parsed("moderator: no\n")


def test_a_timekeeper_is_no_debater() -> None:
    with pytest.raises(BriefError, match="'TimeKeeper' is a name for a moderator"):
        parsed(people=f"{PEOPLE}\n## TimeKeeper\nduty: debater\n")


async def plan(text: str | Brief, **overrides: str) -> Brief:
    ready = await prepare(
        Workspace(InMemoryStore()),
        read_brief_argument(text),
        Overrides(models=("builtin:quotes",), **overrides),  # pyright: ignore[reportArgumentType]
    )
    return ready.plan.brief


async def test_another_protocol_gets_no_timekeeper() -> None:
    text = HEAD.format(more="") + PEOPLE
    assert (await plan(text)).names("moderator") == ("TimeKeeper",)
    assert (await plan(text, protocol="panel")).names("moderator") == ()
    assert (await plan(text, protocol="moderated")).names("moderator") == (MODERATOR.name,)
    brief = Brief(topic="?", participants=(Participant(name="Ann"), Participant(name="Bob")))
    assert (await plan(brief, protocol="board")).participants[-1] == TIMEKEEPER
    other = Participant(name="Mo", duty="moderator", seat=CLOCK)
    with pytest.raises(BriefError, match="Mo: builtin:clock only keeps the time of a board, not of moderated"):
        await plan(replace(brief, participants=(*brief.participants, other)), protocol="moderated")


async def test_the_built_in_timekeeper_says_the_first_paragraph_of_its_task() -> None:
    brief = Brief(topic="?", participants=(TIMEKEEPER,))
    (clock,) = make_agents(brief, Pool()).values()
    assert isinstance(clock, Timekeeper)
    ask = Ask(key="k", to="TimeKeeper", act="remind", task="So far 4.\n\nYou keep the time.")
    reply = await clock.answer(ask, Context(brief=brief, me=TIMEKEEPER), Ear())
    assert (reply.text, reply.asked, reply.served) == ("So far 4.", CLOCK, CLOCK)


async def test_what_the_built_in_timekeeper_says_costs_no_write_of_its_own() -> None:
    appended: list[str] = []

    class Seen(InMemoryStore):
        async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
            appended.append("".join(lines))
            await super().append(debate, lines, after=after)

    async def speak(prompt: str) -> str:
        return "<Message><Verdict>HIRE</Verdict><VerdictReasoning>So.</VerdictReasoning><Content>Hire Kim.</Content></Message>"

    members = [BoardMember(name=name, agent=speak) for name in ("Ann", "Bob")]
    await BoardMeeting("Hire Kim?", members, rounds=2, timekeeper=TimeKeeper(every=2), store=Seen()).hold()
    reminded = [lines for lines in appended if '"act":"remind"' in lines]
    assert len(reminded) == 1
    assert '"to":"Ann"' in reminded[0] or '"to":"Bob"' in reminded[0], "the next question is written with it"
    assert len(appended) == 5, "four questions, each with the answers before it, and the end"


def test_the_clock_is_no_member() -> None:
    brief = Brief(topic="?", participants=(Participant(name="Ann", seat=CLOCK),))
    with pytest.raises(BriefError, match="Ann: builtin:clock keeps the time of a board and is not a member of it"):
        make_agents(brief, Pool())


def test_a_character_stands_behind_the_persona_in_a_fixed_order() -> None:
    people = (
        "## Ann\ntone: dry\nspeaking_style: short\nexpertise: Statistics. And sheep.\npersonality: calm\n\n"
        "You were there.\n\n## Bob\nexpertise: Law. And order.\n"
    )
    ann, bob, _ = parsed(people=people).participants
    assert ann.persona == (
        "You were there.\n\nPersonality: calm\nExpertise: Statistics. And sheep.\nSpeaking style: short\nTone: dry"
    )
    assert (ann.role, bob.role, bob.persona) == ("Statistics", "Law", "Expertise: Law. And order.")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("strategy: ranked_reasons\n", "board cannot be decided by 'ranked_reasons'; it takes majority"),
        ("strategy: moderator\n", "board cannot be decided by 'moderator'"),
        ("turn_mode: random\n", "board does not support turn_mode"),
        ("debate_end_condition: consensus_reached\n", "board does not support debate_end_condition"),
        ("topology: ring\n", "board does not support a topology"),
        (
            "context_scope: summary_only\n",
            "Ann, Bob would hear no message: board has no rounds that could be summed up",
        ),
    ],
)
def test_what_a_board_does_not_take_is_said(more: str, words: str) -> None:
    with pytest.raises(BriefError, match=words):
        make_choices(read_brief(HEAD.format(more=more) + PEOPLE, folder=Path()), Overrides())


@pytest.mark.parametrize(("strategy", "chosen"), [("supermajority", "supermajority"), ("vote", "")])
def test_the_strategy_of_a_board_is_kept(strategy: str, chosen: str) -> None:
    read = read_brief(HEAD.format(more=f"strategy: {strategy}\n") + PEOPLE, folder=Path())
    assert make_choices(read, Overrides()).strategy == chosen


@pytest.mark.parametrize("options", [(), ("HIRE", "NO_HIRE")])
@pytest.mark.parametrize(("count", "rounds"), [(2, 1), (3, 2), (4, 8), (5, 8), (5, 16)])
def test_the_estimate_of_a_board(count: int, rounds: int, options: tuple[str, ...]) -> None:
    people = tuple(Participant(name=f"P{n}") for n in range(count))
    brief = Brief(topic="?", participants=(*people, TIMEKEEPER), options=options)
    costing = estimate(brief, build("board", brief, Choices(rounds=rounds)), {})
    cap = count * rounds
    assert costing.most.asks == cap + (cap - 1) // 4 + count, "all messages, all reminders, all last words"
    assert costing.least.asks == count + (count - 1) // 4, "all withdraw with their first message"


# ---- the ready boards ----------------------------------------------------------------------------------------------

FILES = {
    "board-hiring.md": "hiring",
    "board-medical.md": "medical_consultation",
    "board-investment.md": "investment",
    "board-research.md": "research_review",
    "board-moderation.md": "moderation",
}


def test_every_preset_has_its_example() -> None:
    assert sorted(FILES.values()) == sorted(PRESETS)
    assert sorted(FILES) == sorted(path.name for path in EXAMPLES.glob("board-*.md"))


@pytest.mark.parametrize("name", FILES)
def test_an_example_is_the_preset_over_a_case(name: str) -> None:
    brief = read_brief_argument(EXAMPLES / name).brief
    preset = PRESETS[FILES[name]]
    assert brief.options == preset.verdicts
    assert " ".join(brief.rules.split()) == preset.rules
    personas = [participant.persona for participant in brief.participants if participant.duty == "debater"]
    assert len(personas) == len(preset.members)
    for persona, member in zip(personas, preset.members, strict=True):
        own = (
            f"Personality: {member.personality}\nExpertise: {member.expertise}\nSpeaking style: {member.speaking_style}"
        )
        assert persona.endswith(own)


def test_an_example_ends_with_a_recommendation_on_the_screen(tmp_path: Path) -> None:
    ran = folkmoot(tmp_path, "run", str(EXAMPLES / "board-moderation.md"), *QUOTES, "--no-report", "--full")
    assert ran.exit_code == 0, ran.output
    assert "· verdict: " in ran.stdout
    assert "withdraws" in ran.stdout
    assert "The board recommends " in ran.stdout
    assert "<Message>" not in ran.stdout
