"""Reflection: one agent writes, one reviews; arguments and keys of the result."""

from typing import TypedDict

from folkmoot.app.plan.settings import StorePlace
from folkmoot.app.program.program_calls import number, whole, words
from folkmoot.app.program.program_plans import most_rounds, plan_reflection, reviewed_texts, threshold_of
from folkmoot.app.run.api import run_blocking
from folkmoot.app.run.outcome import Outcome
from folkmoot.core.brief import ROUNDS, Brief, Limits
from folkmoot.core.event import Opened
from folkmoot.pattern.pattern_base import PatternBase, Result


class Draft(TypedDict):
    """One entry of ``history``; ``round`` counts from 0, ``score`` is None where none could be read."""

    round: int
    draft: str
    score: float | None
    feedback: str


class ReflectionState(TypedDict):
    """The keys of a reflection's result."""

    task: str
    final: str
    score: float | None
    is_accepted: bool
    current_round: int
    max_rounds: int
    threshold: float
    history: list[Draft]


class ReflectionResult(Result[ReflectionState]):
    """The outcome of a reflection: exactly the keys of ``ReflectionState``.

    ``final`` is the text with the highest ``score``, whether it was accepted or not; of equal ones the newest, without
    any score the newest of all.
    """


class ReflectionPattern(PatternBase[ReflectionResult]):
    """A writer writes, a reviewer gives feedback and a score; the writer writes anew until the score is high enough.

    Args:
        model: a model of OpenAI's by its name, or ``provider:name``.
        llm: a LangChain chat model, or any agent that can be seated; it goes before ``model``.
        max_rounds: the greatest number of rounds, from 1 to 20; a round is a text and its review.
        threshold: the score, 0 to 10, at which a text is accepted.
        store: the record's file, its database's address, or an open store; None for the owner's.
        limits: what one run may use; None for the usual limits.

    Raises:
        BriefError: an argument that cannot be used.
    """

    protocol = "reflection"

    def __init__(
        self,
        model: str = "gpt-4o-mini",
        llm: object = None,
        max_rounds: int = 3,
        threshold: float = 8.0,
        *,
        store: StorePlace | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(model, llm, store, limits)
        self.max_rounds = whole("max_rounds", max_rounds, 1, ROUNDS.high)
        self.threshold = number("threshold", threshold, 0, 10)

    def run(self, task: str) -> ReflectionResult:
        """Write and review to the end; see ``arun``.

        Raises:
            FolkmootError: an event loop is running: await ``arun`` there.
        """
        return run_blocking(self.arun(task), "ReflectionPattern.arun")

    async def arun(self, task: str) -> ReflectionResult:
        """Write and review to the end.

        Args:
            task: what shall be written.

        Raises:
            BriefError: an argument or a model that cannot be used; nothing was asked.
            LimitReached: a limit stands in the way. What was answered is kept, and ``resume`` goes on.
            ModelError: the writer never answered.
        """
        brief = Brief(topic=words("task", task), limits=self.limits or Limits())
        return await self._run(
            brief,
            lambda workspace, brief, seat: plan_reflection(
                workspace, brief, seat, rounds=self.max_rounds, threshold=self.threshold
            ),
        )

    def _read(self, outcome: Outcome, opened: Opened) -> ReflectionResult:
        drafts = reviewed_texts(outcome.transcript)
        final = outcome.decision.text if outcome.decision else ""
        scores = [draft.score for draft in drafts if draft.score is not None]
        state: ReflectionState = {
            "task": outcome.topic,
            "final": final,
            "score": max(scores, default=None),
            "is_accepted": outcome.status == "decided",
            "current_round": max((turn.round for turn in outcome.transcript.all()), default=0),
            "max_rounds": most_rounds(opened),
            "threshold": threshold_of(opened),
            "history": [
                {"round": draft.round - 1, "draft": draft.text, "score": draft.score, "feedback": draft.feedback}
                for draft in drafts
            ],
        }
        return ReflectionResult(state, outcome)
