"""What ends the rounds of a format before their number is full. This file owns what each condition reads.

``consensus_reached``: the newest ANSWERs of all are the same. ``no_new_arguments``: no new CLAIM and no other ANSWER in
the last round. Where a moderator is at the table its gauge counts too (``protocols.gauge``), because words can differ
where meaning does not. ``rounds_exhausted`` is what happens anyway.
"""

from moot.phases.choices import Choices
from moot.phases.forms import SPOKEN
from moot.policy.stops import Alike, AnyOf, NothingNew, Stop

ARGUING = tuple(act for act in SPOKEN if act != "close")
"""The acts that hold answers; closing statements come behind the rounds."""

CLAIMING = tuple(act for act in ARGUING if act != "question")
"""The acts that carry claims: an examiner's questions are always new, what counts is what they bring to light."""


def until(choices: Choices) -> Stop | None:
    """What ends the rounds before their number is full; None where only their number does."""
    stops: dict[str, Stop] = {
        "consensus_reached": Alike(acts=ARGUING),
        "no_new_arguments": NothingNew(acts=CLAIMING),
    }
    chosen = tuple(stop for name, stop in stops.items() if name in choices.until)
    return chosen[0] if len(chosen) == 1 else AnyOf(stops=chosen) if chosen else None
