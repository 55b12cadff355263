"""Plans for the patterns of a program. This file owns which phases a moderated debate and its companions take."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from moot.app.brief.default_participants import MODERATOR
from moot.app.plan.pretend import parts
from moot.app.program.plans import plan_tree
from moot.app.run.held import Plan
from moot.app.run.workspace import Desk
from moot.core.brief import Brief, Participant
from moot.core.errors import ProtocolError
from moot.core.event import Opened
from moot.core.transcript import Transcript
from moot.phases.choices import Choices
from moot.phases.phases_base import Rounds
from moot.phases.phases_shares import map_reduce
from moot.phases.reflection import Reflection, review_of, score_of
from moot.protocols.grouped import REPORT, Stand, stands
from moot.protocols.groups import LEAST, Groups
from moot.protocols.known import build
from moot.protocols.spec import load

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
    """What a group told the others.

    Attributes:
        members: the names of the group.
        by: who reported.
        stands: every answer that the group held, with its count by the record and its best argument.
    """

    members: tuple[str, ...]
    by: str
    stands: tuple[Stand, ...]


async def plan_moderated(desk: Desk, brief: Brief, seat: str, *, rounds: int) -> Plan:
    """A debate that a moderator settles; the built-in one joins the debaters of the brief.

    Args:
        desk: where it will be held.
        brief: the topic and its debaters.
        seat: who answers for all who have no seat.
        rounds: the greatest number of rounds.

    Raises:
        BriefError: a seat that there cannot be.
        ProtocolError: fewer than two debaters.
    """
    brief = replace(brief, participants=(*brief.participants, MODERATOR))
    choices = Choices(rounds=rounds)
    return await plan_tree(desk, brief, "moderated", lambda brief: build("moderated", brief, choices), (seat,))


async def plan_grouped(desk: Desk, brief: Brief, seat: str, *, rounds: int) -> Plan:
    """A debate in groups that report to each other; see ``plan_moderated``.

    Raises:
        BriefError: a seat that there cannot be.
        ProtocolError: fewer than six debaters, or more than three rounds.
    """
    count = len(brief.names("debater"))
    if count < LEAST:
        found = f"a debate in groups needs at least {LEAST} debaters, not {count}; with fewer take DebatePattern"
        raise ProtocolError(found, about="participants")
    choices = Choices(rounds=rounds)
    return await plan_tree(desk, brief, "grouped", lambda brief: build("grouped", brief, choices), (seat,))


async def plan_reflection(desk: Desk, brief: Brief, seat: str, *, rounds: int, threshold: float) -> Plan:
    """A text that is written and reviewed until a review gives it so many of ten.

    Raises:
        BriefError: a seat that there cannot be.
    """
    brief = replace(brief, participants=(WRITER, REVIEWER))
    tree = Reflection(writer=WRITER.name, reviewer=REVIEWER.name, most=rounds, threshold=threshold)
    return await plan_tree(desk, brief, "reflection", lambda brief: tree, (seat,))


async def plan_map_reduce(desk: Desk, brief: Brief, seat: str, *, items: Sequence[str]) -> Plan:
    """A task that is shared out, an item to each, and put together again.

    Raises:
        BriefError: a seat that there cannot be.
    """
    mappers = [Participant(name=f"Mapper {n}") for n in range(1, len(items) + 1)]
    brief = replace(brief, participants=(*mappers, REDUCER))
    return await plan_tree(desk, brief, "map_reduce", lambda brief: map_reduce(brief, items), (seat,))


def most_rounds(opened: Opened) -> int:
    """The greatest number of rounds of a debate that has them."""
    found = (
        part.rounds if isinstance(part, Groups) else part.most
        for part in parts(load(opened.protocol))
        if isinstance(part, Rounds | Groups | Reflection)
    )
    return next(found)


def threshold_of(opened: Opened) -> float:
    """The score, 0 to 10, at which a text of a reflection is accepted."""
    return next(part.threshold for part in parts(load(opened.protocol)) if isinstance(part, Reflection))


def reviewed(transcript: Transcript) -> tuple[Reviewed, ...]:
    """The texts of a reflection, oldest first."""
    found: list[Reviewed] = []
    for text in transcript.turns("draft", "revise"):
        review = review_of(transcript, text)
        words = str(review.fields.get("FEEDBACK", review.text)) if review else ""
        score = score_of(transcript, text)
        found.append(Reviewed(round=text.round, text=text.text, score=score, feedback=words))
    return tuple(found)


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
