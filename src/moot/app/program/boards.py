"""Boards for a program. This file owns how a face gets a plan, the findings, and the small rules of a meeting."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from moot.answers.layout import Reading, read
from moot.app.brief.default_participants import TIMEKEEPER
from moot.app.brief.participants import character, first_sentence
from moot.app.program.plans import plan_tree
from moot.app.run.held import Plan
from moot.app.run.workspace import Desk
from moot.core.brief import Brief, Participant
from moot.core.transcript import Transcript, Turn
from moot.demo.clock import CLOCK
from moot.phases.choices import Choices
from moot.policy.board_turns import QuietFirst
from moot.policy.turns import Hearing
from moot.protocols.board import EVERY
from moot.protocols.known import build
from moot.protocols.messages import addressed, message

__all__ = ["CLOCK", "described", "next_speaker", "plan_board", "read_message", "timed"]


def described(who: Participant, *, personality: str, expertise: str, speaking_style: str) -> Participant:
    """The participant with its character behind its persona, as a brief's keys of these names would have it."""
    said = character({"personality": personality, "expertise": expertise, "speaking_style": speaking_style})
    persona = "\n\n".join(filter(None, (who.persona, said)))
    return replace(who, persona=persona, role=who.role or first_sentence(expertise))


def timed(brief: Brief) -> Brief:
    """The brief with the built-in timekeeper, where nobody moderates."""
    return brief if brief.names("moderator") else replace(brief, participants=(*brief.participants, TIMEKEEPER))


async def plan_board(
    desk: Desk, brief: Brief, *, rounds: int = 8, strategy: str = "", models: Sequence[str] = ()
) -> Plan:
    """A meeting of a board; see ``protocols.board``.

    Args:
        desk: where it will be held; guests are lent to its pool before.
        brief: the subject, the members, the possible verdicts; the built-in timekeeper joins where nobody moderates.
        rounds: the cap: so many messages for each member.
        strategy: the rule over the verdicts; "" for the majority.
        models: for those without a seat.

    Raises:
        BriefError: a seat that there cannot be.
        ProtocolError: fewer than two members, or a strategy that there is not.
    """
    choices = Choices(rounds=rounds, strategy=strategy)
    plan = await plan_tree(desk, timed(brief), "board", lambda seated: build("board", seated, choices), models)
    return replace(plan, chosen=choices.told())


def next_speaker(turns: Sequence[Turn], members: Sequence[str], *, seed: int = 0) -> str:
    """Who speaks next on a board: a member's name, ``timekeeper`` when it is time for that, "" when nobody is left.

    Args:
        turns: the turns so far, oldest first, the timekeeper's among them.
        members: the names of the members.
        seed: what chance is drawn from.
    """
    said = [turn for turn in turns if turn.by in members]
    heard = sum(turn.reply is not None for turn in said)
    people = [Participant(name=name) for name in members]
    name = QuietFirst().next(said, people, Hearing(round=0, transcript=Transcript(), chance=Random(seed)))
    its_time = heard and heard % EVERY == 0 and turns[-1].by in members
    return "timekeeper" if name and its_time else name


def read_message(text: str, *, verdicts: tuple[str, ...], speaker: str = "") -> Reading:
    """Read one message of a board as it would be read in a meeting.

    Args:
        text: the message in its tags.
        verdicts: the possible verdicts; empty for any words.
        speaker: whose message it is; one in another's name is not read. "" checks nothing.
    """
    return read(addressed(message(verdicts), speaker, ()), text, speaker=speaker)
