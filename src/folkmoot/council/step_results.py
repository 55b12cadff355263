"""The results of council steps under their documented keys; all of them are read from the record."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict, cast

from folkmoot.app.run.outcome import Outcome
from folkmoot.core.decision import Decision
from folkmoot.core.transcript import Transcript, Turn
from folkmoot.report.gaps import gaps

UNKNOWN_NAME = "unknown_name"
"""Why a vote was not read that names nobody who stands for election."""

UNANIMITY = "unanimity"
"""The rule of a decision on which all agree."""


class DebateStepData(TypedDict):
    """The keys of a debate step's result, typed; the last ones are there only where they apply."""

    winner: str
    proposals: dict[str, str]
    strategy: Literal["majority", "weighted", "consensus", "moderator"]
    votes: dict[str, int]
    abstentions: int
    total_votes: int
    tie: NotRequired[bool]
    tie_resolution: NotRequired[Literal["first_proposal"]]
    fallback: NotRequired[Literal["first_proposal", "majority"]]
    weighted_scores: NotRequired[dict[str, float]]
    consensus_reached: NotRequired[bool]
    invalid_votes: NotRequired[dict[str, str]]
    unparsed: NotRequired[dict[str, str]]
    failed: NotRequired[dict[str, str]]


class SharedStepData(TypedDict):
    """The keys of shared work, with their types; which of the last ones are there, depends on the step."""

    output: str
    parallel_results: NotRequired[dict[str, str]]
    agents_involved: NotRequired[list[str]]
    split_results: NotRequired[list[str | None]]
    subtasks: NotRequired[list[str]]
    num_agents: NotRequired[int]
    strategy: NotRequired[Literal["auto", "fixed"]]
    failed: NotRequired[dict[str, str]]


class StepResult(dict[str, Any]):
    """The outcome of a step: a mapping with these keys.

    Args:
        values: the keys and values.
        outcome: what came of the debate on record; None for a step without a debate.
        steps: the results of all steps of a council, in order; () for one step alone.

    Attributes:
        outcome: as above; ``outcome.decision`` says how the decision followed, ``outcome.transcript`` holds every turn.
        debate: the debate's id in the record; "" without one.
        steps: as above.
    """

    def __init__(
        self, values: Mapping[str, Any], *, outcome: Outcome | None = None, steps: tuple["StepResult", ...] = ()
    ) -> None:
        super().__init__(values)
        self.outcome, self.steps = outcome, steps
        self.debate = outcome.debate if outcome else ""

    @property
    def data(self) -> DebateStepData:
        """The same mapping of a debate step, with a type for each key, for type checkers."""
        return cast("DebateStepData", self)

    @property
    def shared(self) -> SharedStepData:
        """The same mapping of shared work, with a type for each key, for type checkers."""
        return cast("SharedStepData", self)

    @property
    def text(self) -> str:
        """The result in words: the winner, else the output."""
        return str(self.get("winner", self.get("output", "")))


def debate_result(outcome: Outcome, strategy: str) -> StepResult:
    """The result of a debate step with that voting strategy.

    Keys: ``winner``, ``proposals``, ``strategy``, ``votes``, ``abstentions``, ``total_votes``; and only where they
    apply ``tie`` with ``tie_resolution``, ``fallback``, ``weighted_scores``, ``consensus_reached``, ``invalid_votes``,
    ``unparsed`` and ``failed``.
    """
    transcript, decision = outcome.transcript, outcome.decision
    assert decision is not None  # a debate step in which somebody has made a proposal comes to a decision
    values: dict[str, Any] = {
        "winner": decision.text,
        "proposals": proposals(transcript),
        "strategy": strategy,
        **_counts(decision, transcript),
        **_fallbacks(decision, strategy),
        **missing([turn for turn in transcript.all() if turn.act in ("propose", "revise")]),
    }
    if strategy == "weighted":
        values["weighted_scores"] = dict(decision.tally)
    if strategy == "consensus":
        values["consensus_reached"] = decision.rule == UNANIMITY
    return StepResult(values, outcome=outcome)


def _counts(decision: Decision, transcript: Transcript) -> dict[str, Any]:
    """How the votes fell; whose vote could not be read is named with the reason."""
    cast = [ballot.choice for ballot in decision.ballots if ballot.state == "cast"]
    void = {ballot.voter: "no ballot" for ballot in decision.ballots if ballot.state in ("unread", "missing")}
    told = [gap for gap in gaps(transcript) if gap.ballot and gap.by in void]
    void |= {gap.by: gap.why for gap in told}
    invalid = {gap.by: gap.why for gap in told if gap.reason == UNKNOWN_NAME}
    unparsed = {name: reason for name, reason in void.items() if name not in invalid}
    return {
        "votes": {name: cast.count(name) for name in decision.tally},
        "abstentions": sum(ballot.state == "abstained" for ballot in decision.ballots),
        "total_votes": len(cast),
        **({"invalid_votes": invalid} if invalid else {}),
        **({"unparsed": unparsed} if unparsed else {}),
    }


def _fallbacks(decision: Decision, strategy: str) -> dict[str, Any]:
    """What of the document's rules for votes without a winner was applied."""
    highest = max(decision.tally.values())
    if decision.rule == UNANIMITY or decision.status != "decided":
        return {}
    if highest == 0:
        return {"fallback": "first_proposal"}
    fields: dict[str, Any] = {"fallback": "majority"} if strategy == "consensus" else {}
    if list(decision.tally.values()).count(highest) > 1:
        fields.update(tie=True, tie_resolution="first_proposal")
    return fields


def proposals(transcript: Transcript) -> dict[str, str]:
    """All proposals in the order in which they were asked for: ``Agent1``, then ``Agent1_round_0`` and so on."""
    return {
        turn.by if turn.act == "propose" else f"{turn.by}_round_{turn.round - 1}": turn.text
        for turn in transcript.turns("propose", "revise")
    }


def missing(turns: Sequence[Turn]) -> dict[str, dict[str, str]]:
    """The key ``failed``: why there is no answer, by name; nothing where all have answered."""
    failed = {turn.by: turn.failure for turn in turns if turn.failure}
    return {"failed": failed} if failed else {}
