"""What may decide a debate that nobody won: commands, for every host to tell."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace

from moot.app.brief.default_participants import default_moderator
from moot.app.plan.pretend import parts
from moot.core.brief import Brief
from moot.core.errors import MootError
from moot.core.event import Opened
from moot.core.transcript import Transcript
from moot.phases.base import Rounds
from moot.phases.choices import Choices
from moot.protocols.known import KNOWN, TIMED, build
from moot.protocols.spec import load_opened

JUDGED = "moderated"
"""The protocol by which a moderator decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep:
    """What may decide a debate that nobody won.

    Attributes:
        command: the command.
        words: what it does, in a few words.
    """

    command: str
    words: str


def next_steps(opened: Opened, debate: str, transcript: Transcript) -> Iterator[NextStep]:
    """What may decide a debate that ended in a tie or without a decision; nothing for any other.

    Args:
        opened: how it began.
        debate: its id.
        transcript: what was said, and how it ended.
    """
    if transcript.closed is None or transcript.closed.status not in ("tie", "no_decision"):
        return
    decision = transcript.decision
    if decision and any(ballot.state == "cast" for ballot in decision.ballots):
        yield NextStep(command=f"moot recount {debate}", words="the same votes under other rules")
    if opened.name not in KNOWN:
        return
    if rounds := _more_rounds(opened):
        yield NextStep(command=f"moot again {debate} --rounds {rounds}", words="with more rounds")
    moderators = opened.brief.names("moderator")
    if opened.name in TIMED or len(moderators) > 1:
        return
    if opened.name != JUDGED:
        yield NextStep(command=f"moot again {debate} --protocol {JUDGED}", words="a moderator decides")
    seat = shlex.quote(f"{(*moderators, default_moderator(JUDGED).name)[0]}=human")
    yield NextStep(command=f"moot again {debate} --protocol {JUDGED} -m {seat}", words="a person decides")


def _more_rounds(opened: Opened) -> int:
    """One round more than the debate had at most; 0 where its protocol takes no more."""
    try:
        most = next((part.most for part in parts(load_opened(opened)) if isinstance(part, Rounds)), None)
        if most is None or opened.name in TIMED:
            return 0
        build(opened.name, without_aides(opened.brief), Choices(rounds=most + 1))
    except MootError:
        return 0
    return most + 1


def without_aides(brief: Brief) -> Brief:
    """The brief without those who only help: a protocol that needs them adds them."""
    return replace(brief, participants=tuple(who for who in brief.participants if who.duty != "aide"))
