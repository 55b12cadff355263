"""A moderator's typed judgement after each round. This file owns what it is asked, and which rounds are gauged.

Claims and answers are compared by their wording, so the same position in other words goes unseen. A moderator reads
meaning; its judgement stands in fields, never in prose, and nobody else's prompt ever holds it.
"""

from collections.abc import Mapping
from dataclasses import replace

from moot.core.brief import Brief, View
from moot.core.form import Field, Form
from moot.phases.choices import Choices, Condition
from moot.phases.endings import LOG
from moot.phases.phases_base import Phase, Rounds, Sequence
from moot.phases.speak import Everyone
from moot.phases.until import until
from moot.policy.stops import AnyOf, Settled
from moot.protocols.weave import after_rounds

GAUGE = Form(
    name="gauge",
    fields=(
        Field(name="CONSENSUS", kind="choice", choices=("REACHED", "OPEN"), help="whether all hold the same position"),
        Field(name="NEW", kind="choice", choices=("CLAIMS", "NONE"), help="what this round brought"),
        Field(name="WHY", help="the reason, in one sentence", required=False),
    ),
)
"""What a moderator gives after each round where the rounds may end early."""

# Models call politeness agreement and count new words as new points; both are named, because each ends or prolongs
# a debate wrongly.
TASK = (
    "Judge where the debate stands after round {round}. CONSENSUS is REACHED only if every debater now holds the same "
    "position; politeness and shared facts are none. NEW is NONE only if this round brought no claim, reason or "
    "evidence that was not there before; an old point in new words is not new."
)

JUDGED: Mapping[Condition, Settled] = {
    "consensus_reached": Settled(
        act="gauge", field="CONSENSUS", value="REACHED", saying="judges that consensus is reached"
    ),
    "no_new_arguments": Settled(act="gauge", field="NEW", value="NONE", saying="judges that nothing new was said"),
}
"""What the gauge must say for a condition to be met."""


def gauge(brief: Brief, view: View = LOG) -> Phase:
    """The moderator, the first where there are several, judges the round; for the stops and the record alone.

    Args:
        brief: who takes part.
        view: how the log is shown: with names, unless the protocol hides them.
    """
    by = brief.names("moderator")[:1]
    return Everyone(act="gauge", task=TASK, who=by, form=GAUGE, view=view, private=True)


def with_gauge(tree: Phase, brief: Brief, choices: Choices) -> Phase:
    """The tree with a gauge at the end of every round, where the brief chose what ends them and someone moderates.

    Rounds that end for reasons of their protocol's own are left as they are.
    """
    chosen = until(choices)
    if chosen is None or not brief.names("moderator"):
        return tree
    judged = tuple(stop for name, stop in JUDGED.items() if name in choices.until)
    stop = AnyOf(stops=(chosen, *judged))

    def ends(phase: Phase) -> Phase:
        if isinstance(phase, Sequence):
            return replace(phase, parts=tuple(ends(part) for part in phase.parts))
        if isinstance(phase, Rounds) and phase.until == chosen:
            return after_rounds(replace(phase, until=stop), gauge(brief))
        return phase

    return ends(tree)
