"""The protocols ``panel`` and ``gate``: all answer alone, and debate only where their answers differ by a threshold.

Among recorded forecasts a debate paid only where different models, with the same documents before them, did not
agree. Where they agreed, it cost calls and changed nothing.
"""

from collections.abc import Sequence
from dataclasses import replace

from moot.core.brief import Brief
from moot.phases import base
from moot.phases.base import Phase, Rounds
from moot.phases.choices import RANKED, Choices, ranks, rule_of
from moot.phases.draws import HIDDEN, Undebated, alone
from moot.phases.ranked_vote import vote
from moot.phases.speak import Everyone, revision
from moot.phases.vote import Count, Vote
from moot.policy.rounds import AnyOf, Saving, Showing, Stop, Unchanged
from moot.policy.rules import PLURALITY, Quorum
from moot.policy.spread import THRESHOLD, Close
from moot.protocols import compose
from moot.protocols.council import JURY_TASK, VOTE_TASK

AGAIN = (
    "Read the different answers above; none of them is marked as yours. Keep your answer unless a claim in them, "
    "or evidence you overlooked, gives you a reason to change it. Then answer again."
)
ACTS = ("draft", "revise")
"""The acts that hold the answers."""


def panel(brief: Brief, choices: Choices) -> Phase:
    """Alone first, with the same documents; a round of debate only where the answers differ by more than a threshold.

    How far answers differ is the share of those who do not give the most frequent one; of numbers it is the distance
    between the greatest and the least. The threshold is 0.20 unless the brief sets another; with 0 every difference is
    debated. Where no debate takes place, the decision says so. In a round all read the different answers, authors
    hidden. One round by default, at most three; then a vote, or a count of the newest answers where the brief has
    options. Where the brief says what ends the rounds and sets no threshold, that alone ends them.
    """
    return _gated_panel("panel", brief, choices, always=choices.threshold is not None or not choices.until)


def gate(brief: Brief, choices: Choices) -> Phase:
    """The protocol panel, whose threshold holds also where the brief says what ends the rounds."""
    return _gated_panel("gate", brief, choices, always=True)


def _gated_panel(name: str, brief: Brief, choices: Choices, *, always: bool) -> Phase:
    choices.no_turn_mode(name)
    size = (choices.few(name, 1), len(brief.names("debater")))
    usual = AnyOf(stops=(closeness(choices), Unchanged(acts=ACTS)))
    talk = compose.rounds((again(brief),), brief, choices, acts=ACTS, usual=usual, size=size)
    talk = gated(talk, closeness(choices)) if always else talk
    deciding = compose.early(decided(brief, choices), choices)
    return base.Sequence(parts=(alone(brief), talk, Undebated(each=deciding)))


def closeness(choices: Choices) -> Close:
    """What makes a debate needless: answers that are no further apart than the chosen threshold."""
    return Close(acts=ACTS, threshold=THRESHOLD if choices.threshold is None else choices.threshold)


def again(brief: Brief) -> Phase:
    """All answer once more, with the different answers before them, in an order drawn by chance and without names."""
    answers = Showing(acts=ACTS, distinct=True, shuffle=True)
    return Everyone(act="revise", task=AGAIN, form=revision(brief.options), show=(answers,), view=HIDDEN)


def decided(brief: Brief, choices: Choices) -> Phase:
    """A ranking where the strategy asks for one, a count of the answers where the brief has options, else a vote."""
    if ranks(choices):
        return vote(choices, brief, ACTS)
    rule = Quorum(rule=rule_of(choices, PLURALITY, after=RANKED))
    if brief.options:
        return Count(rule=rule, acts=ACTS, reasons=True)
    return Vote(rule=rule, acts=ACTS, task=VOTE_TASK, jury=JURY_TASK, reasons=True)


def gated(talk: Rounds, stop: Stop) -> Rounds:
    """The rounds, which this stop ends whatever else does."""
    saving = talk.until
    if not isinstance(saving, Saving) or stop in _stops(saving.stop):
        return talk
    return replace(talk, until=replace(saving, stop=AnyOf(stops=(stop, *_stops(saving.stop)))))


def _stops(stop: Stop) -> Sequence[Stop]:
    return stop.stops if isinstance(stop, AnyOf) else (stop,)
