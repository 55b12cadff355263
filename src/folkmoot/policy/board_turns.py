"""Board meetings: who speaks next, and the verdicts in words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from folkmoot.core.brief import Participant
from folkmoot.core.decision import Decision
from folkmoot.core.roles import (
    Standing,
    standings,  # where a meeting stands belongs with who speaks next in it
)
from folkmoot.core.text import clip
from folkmoot.core.transcript import Turn, read_field
from folkmoot.policy.rounds import FloorView

SPEAKING_TO = "SpeakingTo"
"""The field that names whom a message speaks to."""

EAGER = 10
"""The weight of a member without messages; each own message lowers it by 1, to at least 1."""

FAVOUR = 3
"""The factor for the weight of a member who was spoken to: among four who are as quiet it answers in half of the cases.

If it always answered, two would talk to each other while the rest listen; without the factor, questions stay open.
"""

REASON = 300
"""The most characters of a reason in a recommendation; the whole of it stands in the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietFirst:
    """Drawn by chance: quiet members and those who were addressed are likelier; nobody speaks twice in a row.

    The weight is ``max(1, 10 - messages)``. Who has withdrawn or is absent has no weight. The last speaker has none
    either, unless nobody else is left.
    """

    def next(self, turns: Sequence[Turn], people: Sequence[Participant], floor: FloorView) -> str:
        """Who speaks next; see Turns."""
        weights = speaking_weights(turns, [participant.name for participant in people], floor.states)
        for _ in turns:  # the chance of a floor is the same for each turn: one draw on for each
            floor.chance.random()
        return floor.chance.choices(list(weights), list(weights.values()))[0] if weights else ""


def speaking_weights(
    turns: Sequence[Turn], names: Sequence[str], known: Mapping[str, Standing] | None = None
) -> dict[str, int]:
    """The weight of each who may speak next.

    Args:
        turns: the turns so far, answered or not, oldest first.
        names: the members.
        known: where each of them stands after these turns; None to work it out.
    """
    states = standings(names, turns) if known is None else known
    present = [name for name in names if not states[name].withdrawn and not states[name].absent]
    last = next((turn.by for turn in reversed(turns) if turn.by in names), "")
    free = [name for name in present if name != last] or present
    spoken = next((turn for turn in reversed(turns) if turn.by in names and turn.reply), None)
    addressed = read_field(spoken, SPEAKING_TO) if spoken else None
    return {name: max(1, EAGER - states[name].messages) * (FAVOUR if name == addressed else 1) for name in free}


def recommendation(decision: Decision, states: Mapping[str, Standing]) -> str:
    """What a board recommends, in words: each verdict with its members and reasons, changes, who left, who is missing.

    Args:
        decision: the decision as the rule made it.
        states: the state of each member.
    """
    lines = [_headline(decision)]
    for verdict in decision.tally:
        holders = [standing for standing in states.values() if _choice(decision, standing.name) == verdict]
        lines += [f"- {verdict}: {_names(holders)}"] if holders else []
        lines += [
            f"  - {standing.name}: {clip(' '.join(standing.reasoning.split()), REASON)}"
            for standing in _with_reasons(holders)
        ]
    lines += [f"- changed: {_course(standing)}" for standing in states.values() if standing.changed]
    left = [f"{standing.name} ({standing.withdrawn})" for standing in states.values() if standing.withdrawn]
    lines += [f"- withdrew: {', '.join(left)}"] if left else []
    silent = [standing for standing in states.values() if not standing.verdict]
    lines += [f"- without a verdict: {_names(silent)}"] if silent else []
    absent = [standing for standing in states.values() if standing.absent]
    lines += [f"- absent: {_names(absent)}"] if absent else []
    return "\n".join(lines)


def _headline(decision: Decision) -> str:
    cast = [f"{name} {votes:g}" for name, votes in decision.tally.items() if votes]
    if decision.status == "decided":
        split = f" It is split: {', '.join(cast)}." if len(cast) > 1 else ""
        return f"The board recommends {decision.winner}.{split}"
    if decision.status == "tie":
        return f"The board is split and recommends nothing: {', '.join(cast)}."
    return f"The board recommends nothing: {decision.how}."


def _choice(decision: Decision, name: str) -> str:
    return next((ballot.choice for ballot in decision.ballots if ballot.voter == name), "")


def _with_reasons(states: Iterable[Standing]) -> list[Standing]:
    return [standing for standing in states if standing.reasoning.strip()]


def _course(state: Standing) -> str:
    return f"{state.name}, " + " -> ".join(
        f"{given_verdict.verdict} ({given_verdict.mark})" for given_verdict in state.history
    )


def _names(states: Iterable[Standing]) -> str:
    return ", ".join(standing.name for standing in states)
