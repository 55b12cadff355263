"""What ends a panel or an arena early. This file owns which condition of a brief stops its rounds or its vote.

Rounds: ``consensus_reached``, ``answers_unchanged``, ``stalled``, ``confidence_reached`` and ``majority_certain`` read
answers; with a moderator its judgement counts too, and alone says that nothing new was claimed. Votes: with
``lead_decided`` and ``majority_certain`` voters are asked one after the other, until the rest need not be asked. Every
reason says how many calls were saved.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from moot.core.brief import Brief
from moot.core.errors import ProtocolError
from moot.phases import base
from moot.phases.choices import Choices, Condition
from moot.phases.liken import Liken, instrument
from moot.phases.phases_base import Phase
from moot.phases.verdict import FAIR
from moot.phases.vote import Vote
from moot.policy.convergence import Stalled
from moot.policy.early_stop import Certain, Early, Lead
from moot.policy.rules import PLURALITY
from moot.policy.stops import Ahead, Alike, AnyOf, Confident, Saving, Stop, Unchanged
from moot.protocols.gauge import JUDGED, gauge

ABOUT = "debate_end_condition"

ENDED = ("panel", "arena")
"""The protocols whose rounds and votes these conditions can end."""

OPEN: tuple[Condition, ...] = ("consensus_reached", "no_new_arguments", "rounds_exhausted")
"""The conditions of the debate formats, which other protocols are not refused either."""

OF_VOTES: Mapping[str, Early] = {"lead_decided": Lead(), "majority_certain": Certain()}
"""What ends a vote before all have voted."""


def check(protocol: str, choices: Choices) -> None:
    """Refuse conditions that a protocol does not know.

    Raises:
        ProtocolError: there is one.
    """
    if protocol not in ENDED and (strange := [each for each in choices.until if each not in OPEN]):
        found = f"{protocol} takes no {strange[0]}: that goes with {' and '.join(ENDED)}"
        raise ProtocolError(found, about=ABOUT)


def rounds(
    parts: Sequence[Phase], brief: Brief, choices: Choices, *, acts: tuple[str, ...], usual: Stop, size: tuple[int, int]
) -> base.Rounds:
    """The rounds with what ends them early: the conditions of the brief, else what is usual.

    Args:
        parts: what happens in a round.
        brief: who takes part.
        choices: what the brief chose.
        acts: the acts that hold answers.
        usual: what ends the rounds where the brief names nothing.
        size: the greatest number of rounds, and the calls of one.

    Raises:
        ProtocolError: only a moderator can say that nothing new was claimed, and there is none.
    """
    judged = _judged(brief, choices)
    measure = instrument(brief) if "stalled" in choices.until else ""
    each = (
        *parts,
        *((gauge(brief, FAIR),) if judged else ()),
        *((Liken(who=measure, acts=acts),) if measure else ()),
    )
    stop = AnyOf(stops=(*_chosen(choices, acts), *judged)) if choices.until else usual
    most, calls = size
    return base.Rounds(
        each=each[0] if len(each) == 1 else base.Sequence(parts=each),
        most=most,
        until=Saving(stop=stop, most=most, calls=calls + len(each) - len(parts)),
    )


def _chosen(choices: Choices, acts: tuple[str, ...]) -> tuple[Stop, ...]:
    stops: Mapping[str, Stop] = {
        "consensus_reached": Alike(acts=acts),
        "answers_unchanged": Unchanged(acts=acts),
        "stalled": Stalled(acts=acts),
        "confidence_reached": Confident(acts=acts),
        "majority_certain": Ahead(acts=acts),
    }
    return tuple(stops[name] for name in choices.until if name in stops)


def _judged(brief: Brief, choices: Choices) -> tuple[Stop, ...]:
    """What the moderator's judgement ends, where there is one."""
    if brief.names("moderator"):
        return tuple(stop for name, stop in JUDGED.items() if name in choices.until)
    if "no_new_arguments" in choices.until:
        raise ProtocolError("no_new_arguments needs a moderator here, who judges what is new", about=ABOUT)
    return ()


def early(deciding: Phase, choices: Choices) -> Phase:
    """What decides, with what ends it before all have voted.

    Raises:
        ProtocolError: it is no vote, or one by a rule to which the condition does not fit.
    """
    chosen = tuple(each for name, each in OF_VOTES.items() if name in choices.until)
    vote = deciding if isinstance(deciding, Vote) else None
    if "lead_decided" in choices.until and vote is None:
        found = "lead_decided goes with a vote for one of several proposals; here answers are counted or ranked"
        raise ProtocolError(found, about=ABOUT)
    if "majority_certain" in choices.until and getattr(getattr(deciding, "rule", None), "name", "") != PLURALITY.name:
        raise ProtocolError("majority_certain goes with strategy: majority, by which most votes win", about=ABOUT)
    return replace(vote, early=chosen) if vote and chosen else deciding
