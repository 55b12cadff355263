"""Plans for council, pattern and board: a brief and a phase tree become a debate.

A Python interface knows no phase. It asks here for a plan by its purpose; each interface has its own builder.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from random import Random

from folkmoot.answers.layout import Reading, read
from folkmoot.app.brief.default_participants import MODERATOR, TIMEKEEPER
from folkmoot.app.brief.participants import character_lines, first_sentence
from folkmoot.app.plan.assignment import assign, first_chat_model, live_models
from folkmoot.app.plan.checks import check_brief
from folkmoot.app.plan.settings import StorePlace, default_store, load_config
from folkmoot.app.plan.simulation import parts
from folkmoot.app.plan.toolbox import check_tools
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.brief import CLOCK, QUOTES, Brief, Participant
from folkmoot.core.errors import ProtocolError
from folkmoot.core.event import Opened
from folkmoot.core.roles import standings
from folkmoot.core.text import clean_data
from folkmoot.core.transcript import Transcript, Turn
from folkmoot.phases.base import Phase, Rounds
from folkmoot.phases.choices import Choices
from folkmoot.phases.reflection import Reflection, review_of, score_of
from folkmoot.phases.shares import Shares, map_reduce
from folkmoot.policy.board_turns import QuietFirst
from folkmoot.policy.rounds import FloorView
from folkmoot.protocols.board import EVERY, member_form, message
from folkmoot.protocols.council import (
    VOTING,  # a face takes them from here
    debate_step,
)
from folkmoot.protocols.grouped import LEAST, REPORT, Groups, Stand, stands
from folkmoot.protocols.known import build
from folkmoot.protocols.spec import load_opened

__all__ = [
    "CLOCK",
    "VOTING",
    "next_speaker",
    "plan_board",
    "read_message",
    "with_character",
]


@asynccontextmanager
async def open_workspace(store: StorePlace | None = None) -> AsyncGenerator[Workspace, None]:
    """A workspace with the user's settings, as long as the block runs.

    Args:
        store: the record's file, its database's address, or an open store; None for the owner's.
    """
    config = load_config()
    workspace = Workspace.at(store or config.store or default_store())
    workspace.config = config
    try:
        yield workspace
    finally:
        await workspace.close()


async def usual_models(workspace: Workspace, brief: Brief) -> tuple[str, ...]:
    """The model for participants without one: the owner's, else the first on this machine, else the built-in agent."""
    if all(participant.seat for participant in brief.participants):
        return (QUOTES,)
    model = workspace.config.model if workspace.config else ""
    return (model or await first_chat_model() or QUOTES,)


async def plan_tree(
    workspace: Workspace, brief: Brief, name: str, make: Callable[[Brief], Phase], models: Sequence[str] = ()
) -> Plan:
    """Make a plan from a brief and a phase tree: assign agents, then build the tree.

    Args:
        workspace: where the debate will run; agents of the program are added to its pool before.
        brief: what is debated, and by whom.
        name: what the protocol is called in records and reports.
        make: the phase tree for the brief with agents assigned.
        models: for participants without a model, taken in turn; empty for the usual one.

    Raises:
        BriefError: an agent or a tool that does not exist.
        ProtocolError: the tree cannot be built for these participants.
    """
    brief = workspace.store_agents(brief)
    check_brief(brief)
    seated = assign(clean_data(brief), models or await usual_models(workspace, brief))
    tree = make(seated)
    live_models(seated, workspace.pool)
    check_tools(seated, workspace.config)
    return Plan(brief=seated, name=name, protocol=tree)


async def plan_council(workspace: Workspace, brief: Brief, *, voting: str, rounds: int, latest: bool) -> Plan:
    """The debate step of a council, as it is documented.

    Args:
        workspace: where it will run.
        brief: the task as its topic, the context as its background, the agents as its debaters.
        voting: how the winner is found, one of VOTING.
        rounds: the number of rounds behind the proposals.
        latest: whether the newest proposals are voted on; in the document the first do.

    Raises:
        BriefError: an agent or a tool that does not exist.
    """
    plan = await plan_tree(
        workspace,
        brief,
        "debate_step",
        lambda seated: debate_step(seated, voting=voting, rounds=rounds, latest=latest),
    )
    return replace(plan, chosen=step_choices(voting, latest=latest))


def step_choices(voting: str, *, latest: bool) -> tuple[str, ...]:
    """What was chosen about a debate step, in words; see ``plan_council``."""
    return f"decided by {voting}", f"the {'newest' if latest else 'first'} proposals are voted on"


async def plan_shares(workspace: Workspace, brief: Brief, name: str, tasks: Sequence[tuple[str, str]]) -> Plan:
    """Plan divided work: pairs of a participant's name and its task; at least one must answer.

    Raises:
        BriefError: an agent or a tool that does not exist.
        ProtocolError: there is no task.
    """
    return await plan_tree(workspace, brief, name, lambda seated: Shares(tasks=tuple(tasks), needs=1))


def with_character(participant: Participant, *, personality: str, expertise: str, speaking_style: str) -> Participant:
    """The participant with its character after its persona, as the keys of a brief with these names would add it."""
    character = character_lines({"personality": personality, "expertise": expertise, "speaking_style": speaking_style})
    persona = "\n\n".join(filter(None, (participant.persona, character)))
    return replace(participant, persona=persona, role=participant.role or first_sentence(expertise))


async def plan_board(
    workspace: Workspace, brief: Brief, *, rounds: int, strategy: str, reminder_interval: int, deadline_interval: int
) -> Plan:
    """A meeting of a board; the built-in timekeeper joins where nobody moderates. See ``Choices`` for the numbers.

    Raises:
        BriefError: an agent that does not exist.
        ProtocolError: fewer than two members, or a strategy that there is not.
    """
    choices = Choices(
        rounds=rounds, strategy=strategy, reminder_interval=reminder_interval, deadline_interval=deadline_interval
    )
    if not brief.names("moderator"):
        brief = replace(brief, participants=(*brief.participants, TIMEKEEPER))
    plan = await plan_tree(workspace, brief, "board", lambda seated: build("board", seated, choices))
    return replace(plan, chosen=choices.in_words())


def next_speaker(turns: Sequence[Turn], members: Sequence[str], *, seed: int = 0, every: int = EVERY) -> str:
    """The next speaker of a board: a member's name, ``timekeeper``, or "" if nobody is left.

    Args:
        turns: the turns so far, oldest first, the timekeeper's among them.
        members: the names of the members.
        seed: what chance is drawn from.
        every: the number of messages after which the timekeeper speaks.
    """
    own_turns = [turn for turn in turns if turn.by in members]
    replies = sum(turn.reply is not None for turn in own_turns)
    people = [Participant(name=name) for name in members]
    states = standings(members, own_turns)
    for turn in own_turns:
        if turn.ask is None and turn.reply:  # nobody asked for a turn that a program made, but it's a message
            states[turn.by] = replace(states[turn.by], messages=states[turn.by].messages + 1)
    floor = FloorView(round=0, transcript=Transcript(), chance=Random(seed), states=states)
    name = QuietFirst().next(own_turns, people, floor)
    its_time = replies and replies % every == 0 and turns[-1].by in members
    return "timekeeper" if name and its_time else name


def read_message(text: str, *, verdicts: tuple[str, ...], speaker: str = "") -> Reading:
    """Read one message of a board as it would be read in a meeting.

    Args:
        text: the message in its tags.
        verdicts: the possible verdicts; empty for any words.
        speaker: whose message it is; one in another's name is not read. "" checks nothing.
    """
    return read(member_form(message(verdicts), speaker, ()), text, speaker=speaker, final=True)


WRITER = Participant(name="Writer", role="Writes", persona="You write what the task asks for, and nothing beside it.")
REVIEWER = Participant(
    name="Reviewer",
    role="Reviews and does not write",
    persona="You judge texts by what their task asks for. You are exact: you neither flatter nor look for faults.",
    duty="moderator",
)
REDUCER = Participant(
    name="Reducer",
    role="Puts the answers together",
    persona="You put together what others found. You lose nothing that matters and add nothing.",
    duty="moderator",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """A text and its review.

    Attributes:
        round: the round in which it was written, from 1.
        text: its words.
        score: 0 to 10; None where it got none that could be read.
        feedback: the words of the review; "" where there is none.
    """

    round: int
    text: str
    score: float | None
    feedback: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupReport:
    """The report of a group to the others.

    Attributes:
        members: the names of the group.
        by: who reported.
        stands: every answer that the group held, with its count by the record and its best argument.
    """

    members: tuple[str, ...]
    by: str
    stands: tuple[Stand, ...]


async def plan_moderated(workspace: Workspace, brief: Brief, seat: str, *, rounds: int) -> Plan:
    """A debate that a moderator settles; the built-in one joins the debaters of the brief.

    Args:
        workspace: where it will run.
        brief: the topic and its debaters.
        seat: the agent of all participants who have none.
        rounds: the greatest number of rounds.

    Raises:
        BriefError: an agent that does not exist.
        ProtocolError: fewer than two debaters.
    """
    brief = replace(brief, participants=(*brief.participants, MODERATOR))
    choices = Choices(rounds=rounds)
    return await plan_tree(workspace, brief, "moderated", lambda brief: build("moderated", brief, choices), (seat,))


async def plan_grouped(workspace: Workspace, brief: Brief, seat: str, *, rounds: int) -> Plan:
    """A debate in groups that report to each other; see ``plan_moderated``.

    Raises:
        BriefError: an agent that does not exist.
        ProtocolError: fewer than six debaters, or more than three rounds.
    """
    count = len(brief.names("debater"))
    if count < LEAST:
        problem = f"a debate in groups needs at least {LEAST} debaters, not {count}; with fewer, use DebatePattern"
        raise ProtocolError(problem, about="participants")
    choices = Choices(rounds=rounds)
    return await plan_tree(workspace, brief, "grouped", lambda brief: build("grouped", brief, choices), (seat,))


async def plan_reflection(workspace: Workspace, brief: Brief, seat: str, *, rounds: int, threshold: float) -> Plan:
    """A text that is written and reviewed until a review gives it a number of ten points.

    Raises:
        BriefError: an agent that does not exist.
    """
    brief = replace(brief, participants=(WRITER, REVIEWER))
    tree = Reflection(writer=WRITER.name, reviewer=REVIEWER.name, most=rounds, threshold=threshold)
    return await plan_tree(workspace, brief, "reflection", lambda brief: tree, (seat,))


async def plan_map_reduce(workspace: Workspace, brief: Brief, seat: str, *, items: Sequence[str]) -> Plan:
    """A task whose items are divided among participants; then the answers are combined.

    Raises:
        BriefError: an agent that does not exist.
    """
    mappers = [Participant(name=f"Mapper {n}") for n in range(1, len(items) + 1)]
    brief = replace(brief, participants=(*mappers, REDUCER))
    return await plan_tree(workspace, brief, "map_reduce", lambda brief: map_reduce(brief, items), (seat,))


def most_rounds(opened: Opened) -> int:
    """The greatest number of rounds of a debate that has them."""
    rounds = (
        part.rounds if isinstance(part, Groups) else part.most
        for part in parts(load_opened(opened))
        if isinstance(part, Rounds | Groups | Reflection)
    )
    return next(rounds)


def threshold_of(opened: Opened) -> float:
    """The score, 0 to 10, at which a text of a reflection is accepted."""
    return next(part.threshold for part in parts(load_opened(opened)) if isinstance(part, Reflection))


def reviewed_texts(transcript: Transcript) -> tuple[Reviewed, ...]:
    """The texts of a reflection, oldest first."""
    texts: list[Reviewed] = []
    for text in transcript.turns("draft", "revise"):
        review = review_of(transcript, text)
        words = str(review.fields.get("FEEDBACK", review.text)) if review else ""
        score = score_of(transcript, text)
        texts.append(Reviewed(round=text.round, text=text.text, score=score, feedback=words))
    return tuple(texts)


def teams(transcript: Transcript) -> tuple[tuple[str, ...], ...]:
    """The groups of a debate in groups, in the order in which they were asked."""
    drafts = [turn.ask.audience for turn in transcript.all() if turn.ask and turn.act == "draft"]
    return tuple(dict.fromkeys(drafts))


def group_reports(transcript: Transcript) -> tuple[GroupReport, ...]:
    """What the groups told each other; a group whose report failed is missing."""
    return tuple(
        GroupReport(
            members=next(team for team in teams(transcript) if turn.by in team),
            by=turn.by,
            stands=stands(transcript, turn),
        )
        for turn in transcript.turns(REPORT)
    )
