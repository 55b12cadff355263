"""The moderated debate of the pattern's document. This file owns what its arguments and its state keys mean here."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, cast

from moot.core.brief import Brief, Limits
from moot.core.errors import MootError
from moot.core.transcript import Transcript, read_field
from moot.desk.cast import MODERATOR
from moot.desk.outcome import Outcome
from moot.desk.patterns import plan_moderated
from moot.pattern.face import MOST_ROUNDS, Face, Result, block, whole, words
from moot.pattern.people import Debater, debaters_of, described

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable


class Argument(TypedDict):
    """One entry of ``debate_history``; ``round`` counts from 0."""

    name: str
    role: str
    argument: str
    round: int


class DebateState(TypedDict):
    """The documented state of a moderated debate."""

    topic: str
    debaters: list[dict[str, str]]
    current_round: int
    max_rounds: int
    debate_history: list[Argument]
    moderator_summary: str
    final_decision: str
    is_settled: bool


class DebateResult(Result):
    """What came of a moderated debate: exactly the keys of ``DebateState``.

    ``current_round`` is the number of rounds that were held. ``final_decision`` is the moderator's, and "" where it
    never settled the matter: then ``moderator_summary`` says how far the debate has come. Whoever failed to answer has
    no entry in ``debate_history``; ``warnings`` names it.
    """


class DebatePattern(Face[DebateResult]):
    """Debaters argue in rounds, all at once; after each round a moderator sums up and settles the matter, or goes on.

    Args:
        model: a model of OpenAI's by its name, or ``provider:name`` (``ollama:llama3.2``).
        llm: a LangChain chat model, or any agent that can be seated; it goes before ``model``.
        max_rounds: the greatest number of rounds, from 1 to 100.
        store: the file of the record; None for the owner's.
        limits: what one debate may use; None for the usual limits.

    Raises:
        BriefError: an argument that cannot be used.
    """

    protocol = "moderated"

    def __init__(
        self,
        model: str = "gpt-4o-mini",
        llm: object = None,
        max_rounds: int = 3,
        *,
        store: Path | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(model, llm, store, limits)
        self.max_rounds = whole("max_rounds", max_rounds, 1, MOST_ROUNDS)

    def run(self, topic: str, debaters: Sequence[Debater]) -> DebateResult:
        """Hold a debate to its end; see ``arun``.

        Raises:
            MootError: an event loop is running: await ``arun`` there.
        """
        return block(self.arun(topic, debaters), "DebatePattern.arun")

    async def arun(self, topic: str, debaters: Sequence[Debater]) -> DebateResult:
        """Hold a debate to its end.

        Args:
            topic: the question or proposition.
            debaters: two or more, each a mapping with ``name``, ``role`` and ``system_prompt``, or a ``Participant``.

        Raises:
            BriefError: an argument or a model that cannot be used; nothing was asked.
            ProtocolError: fewer than two debaters; nothing was asked.
            LimitReached: a limit stands in the way; Unavailable: nobody can be reached; Waiting: a person has to
                answer first. What was answered is kept, and ``resume`` goes on.
        """
        brief = Brief(
            topic=words("topic", topic),
            participants=debaters_of(debaters, beside=(MODERATOR.name,)),
            limits=self.limits or Limits(),
        )
        rounds = self.max_rounds
        return self._read(
            await self._hold(brief, lambda desk, brief, seat: plan_moderated(desk, brief, seat, rounds=rounds))
        )

    def as_langgraph_node(self) -> "Runnable[Any, dict[str, object]]":
        """A node for a LangGraph graph whose state has ``topic`` and ``debaters``; ``invoke`` and ``ainvoke`` take it.

        Where the state has ``max_rounds``, that goes before the pattern's. The node gives the other keys of the
        documented state back; ``debate_history`` fits a list that is joined by ``operator.add``. A state may leave
        keys out that it does not want.

        Raises:
            MootError: LangGraph is not installed.
        """
        try:
            from langchain_core.runnables import RunnableLambda  # here because it comes with an extra
        except ImportError as error:
            raise MootError("as_langgraph_node needs LangGraph: pip install 'moot[langgraph]'") from error

        async def adebate(state: Mapping[str, object]) -> dict[str, object]:
            return _update(await self._for(state).arun(*_asked(state)))

        def debate(state: Mapping[str, object]) -> dict[str, object]:
            return _update(self._for(state).run(*_asked(state)))

        return RunnableLambda(debate, adebate, name="debate")

    def _for(self, state: Mapping[str, object]) -> "DebatePattern":
        """The pattern with the number of rounds that a state asks for."""
        rounds = state.get("max_rounds")
        if rounds is None:
            return self
        most = whole("max_rounds", rounds, 1, MOST_ROUNDS)
        return DebatePattern(self.model, self.llm, most, store=self.store, limits=self.limits)

    def _read(self, outcome: Outcome) -> DebateResult:
        transcript = outcome.transcript
        reviews = [turn for turn in transcript.all() if turn.act == "moderate"]
        settled = bool(reviews) and read_field(reviews[-1], "STATUS") == "SETTLED"
        people = transcript.brief.participants if transcript.brief else ()
        state: DebateState = {
            "topic": outcome.topic,
            "debaters": described([each for each in people if each.duty == "debater"]),
            "current_round": max((turn.round for turn in transcript.all()), default=0),
            "max_rounds": self.max_rounds,
            "debate_history": history(transcript),
            "moderator_summary": _summary(transcript),
            "final_decision": outcome.decision.text if outcome.decision else "",
            "is_settled": settled,
        }
        return DebateResult(state, outcome)


def history(transcript: Transcript) -> list[Argument]:
    """The arguments in the order of asking, rounds counted from 0."""
    people = transcript.brief.participants if transcript.brief else ()
    roles = {each.name: each.role for each in people}
    return [
        {"name": turn.by, "role": roles[turn.by], "argument": turn.text, "round": turn.round - 1}
        for turn in transcript.turns("argue")
    ]


def _summary(transcript: Transcript) -> str:
    """What the moderator said last of where the debate stands; its whole words where it kept to no form."""
    reviews = transcript.turns("moderate")
    if not reviews:
        return ""
    summary = read_field(reviews[-1], "SUMMARY")
    return reviews[-1].text if summary is None else str(summary)


def _asked(state: Mapping[str, object]) -> tuple[str, Sequence[Debater]]:
    """What a graph's state wants debated; what is wrong with it is said where it is used."""
    return cast("str", state.get("topic")), cast("Sequence[Debater]", state.get("debaters"))


def _update(result: DebateResult) -> dict[str, object]:
    """What a graph's state takes over: plain values, without what it has given."""
    return {key: value for key, value in result.items() if key not in ("topic", "debaters", "max_rounds")}
