"""The moderated debate pattern: its documented arguments and state keys."""

import json
import operator
from collections.abc import AsyncGenerator, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any, TypedDict, cast

from folkmoot.app.brief.default_participants import MODERATOR
from folkmoot.app.plan.settings import StorePlace
from folkmoot.app.program.program_calls import Tell, stream, whole, words
from folkmoot.app.program.program_plans import most_rounds, plan_moderated
from folkmoot.app.run.api import run_blocking
from folkmoot.app.run.outcome import Outcome
from folkmoot.app.run.prepare import MOST_IN_ONE_GROUP
from folkmoot.core.brief import ROUNDS, Brief, Limits
from folkmoot.core.errors import FolkmootError
from folkmoot.core.event import Entry, Opened
from folkmoot.core.packages import missing_library
from folkmoot.core.text import slug
from folkmoot.core.transcript import Transcript, read_field
from folkmoot.pattern.pattern_base import Debater, PatternBase, Result, debaters_of, described

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable, RunnableConfig


class Argument(TypedDict):
    """One entry of ``debate_history``; ``round`` counts from 0."""

    name: str
    role: str
    argument: str
    round: int


class DebateState(TypedDict):
    """The state of a moderated debate; in a graph ``debate_history`` grows, and all else is replaced."""

    topic: str
    debaters: list[dict[str, str]]
    current_round: int
    max_rounds: int
    debate_history: Annotated[list[Argument], operator.add]
    moderator_summary: str
    final_decision: str
    is_settled: bool


class DebateResult(Result[DebateState]):
    """The outcome of a moderated debate: exactly the keys of ``DebateState``.

    ``current_round`` is the number of rounds that were held. ``final_decision`` is the moderator's, and "" where it
    never settled the matter: then ``moderator_summary`` says how far the debate has come. Whoever failed to answer has
    no entry in ``debate_history``; ``warnings`` names it. It also says where the moderator settled the matter without
    a decision: then the summary is the decision.
    """


class DebatePattern(PatternBase[DebateResult]):
    """Debaters argue in rounds, all at once; after each round a moderator sums up and settles the matter, or goes on.

    Args:
        model: a model of OpenAI's by its name, or ``provider:name``.
        llm: a LangChain chat model, or any agent that can be seated; it goes before ``model``.
        max_rounds: the greatest number of rounds, from 1 to 20.
        store: the record's file, its database's address, or an open store; None for the owner's.
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
        store: StorePlace | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(model, llm, store, limits)
        self.max_rounds = whole("max_rounds", max_rounds, 1, ROUNDS.high)

    def run(self, topic: str, debaters: Sequence[Debater]) -> DebateResult:
        """Run a debate to its end; see ``arun``.

        Raises:
            FolkmootError: an event loop is running: await ``arun`` there.
        """
        return run_blocking(self.arun(topic, debaters), "DebatePattern.arun")

    async def arun(self, topic: str, debaters: Sequence[Debater]) -> DebateResult:
        """Run a debate to its end.

        Args:
            topic: the question or proposition.
            debaters: two or more, each a mapping with ``name``, ``role`` and ``system_prompt``, or a ``Participant``.
                For more than 10, ``warnings`` says so, as a brief does.

        Raises:
            BriefError: an argument or a model that cannot be used; nothing was asked.
            ProtocolError: fewer than two debaters; nothing was asked.
            LimitReached: a limit stands in the way; Unavailable: nobody can be reached; Waiting: a person has to
                answer first. What was answered is kept, and ``resume`` goes on.
            ModelError: nobody answered.
        """
        return await self._debate(topic, debaters)

    def stream(self, topic: str, debaters: Sequence[Debater]) -> "AsyncGenerator[Entry | DebateResult, None]":
        """Run a debate and give each entry of its record as it comes, and the result last.

        Whoever leaves before the end stops the debate, and ``aresume`` goes on with it at once.

        Args:
            topic: as for ``arun``.
            debaters: as for ``arun``.

        Raises:
            FolkmootError: as for ``arun``.
        """

        async def work(tell: Tell[Entry | DebateResult]) -> None:
            await tell(await self._debate(topic, debaters, tell=tell))

        return stream(work)

    async def _debate(
        self,
        topic: str,
        debaters: Sequence[Debater],
        place: Sequence[str] = (),
        tell: Tell[Entry | DebateResult] | None = None,
    ) -> DebateResult:
        """Run a debate; at a place in a graph's run, the one that was held there."""
        brief = Brief(
            topic=words("topic", topic),
            participants=debaters_of(debaters, beside=(MODERATOR.name,)),
            limits=self.limits or Limits(),
        )
        rounds = self.max_rounds
        return await self._run(
            brief,
            lambda workspace, brief, seat: plan_moderated(workspace, brief, seat, rounds=rounds),
            _id(brief, place) if place else "",
            tell,
        )

    def as_langgraph_node(self) -> "Runnable[Any, dict[str, object]]":
        """A node for a LangGraph graph whose state has ``topic`` and ``debaters``; ``invoke`` and ``ainvoke`` take it.

        Where the state has ``max_rounds``, that goes before the pattern's. The node gives the other keys of the
        documented state back; ``debate_history`` fits a list that is joined by ``operator.add``. A state may leave
        keys out that it does not want.

        Where the graph has a checkpointer, ``invoke(None, config)`` after an error goes on with the same debate; where
        nobody had answered another try begins.

        Raises:
            FolkmootError: LangGraph is not installed.
        """
        try:
            from langchain_core.runnables import RunnableLambda  # here because it comes with an extra
        except ImportError as error:
            raise FolkmootError(missing_library("as_langgraph_node", "langgraph")) from error

        async def adebate(state: Mapping[str, object], config: "RunnableConfig") -> dict[str, object]:
            return _update(await self._with_rounds_of(state)._debate(*_input_of(state), _place(config)))

        def debate(state: Mapping[str, object], config: "RunnableConfig") -> dict[str, object]:
            return run_blocking(adebate(state, config), "graph.ainvoke")

        return RunnableLambda(debate, adebate, name="debate")

    def _with_rounds_of(self, state: Mapping[str, object]) -> "DebatePattern":
        """The pattern with the number of rounds that a state asks for."""
        rounds = state.get("max_rounds")
        if rounds is None:
            return self
        max_rounds = whole("max_rounds", rounds, 1, ROUNDS.high)
        return DebatePattern(self.model, self.llm, max_rounds, store=self.store, limits=self.limits)

    def _read(self, outcome: Outcome, opened: Opened) -> DebateResult:
        transcript = outcome.transcript
        reviews = [turn for turn in transcript.all() if turn.act == "moderate"]
        settled = bool(reviews) and read_field(reviews[-1], "STATUS") == "SETTLED"
        people = transcript.brief.participants if transcript.brief else ()
        decision = outcome.decision.text if outcome.decision else ""
        state: DebateState = {
            "topic": outcome.topic,
            "debaters": described([participant for participant in people if participant.duty == "debater"]),
            "current_round": max((turn.round for turn in transcript.all()), default=0),
            "max_rounds": most_rounds(opened),
            "debate_history": history(transcript),
            "moderator_summary": _summary(transcript),
            "final_decision": decision,
            "is_settled": settled,
        }
        result = DebateResult(state, outcome)
        if (n := len(state["debaters"])) > MOST_IN_ONE_GROUP:
            many = f"{n} debaters are too many for one moderator: at most {MOST_IN_ONE_GROUP}; use GroupedDebatePattern"
            result.warnings = (many, *result.warnings)
        return result


def history(transcript: Transcript) -> list[Argument]:
    """The arguments in the order of asking, rounds counted from 0."""
    people = transcript.brief.participants if transcript.brief else ()
    roles = {participant.name: participant.role for participant in people}
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


def _input_of(state: Mapping[str, object]) -> tuple[str, Sequence[Debater]]:
    """What a graph's state wants debated; what is wrong with it is said where it is used."""
    return cast("str", state.get("topic")), cast("Sequence[Debater]", state.get("debaters"))


def _place(config: "RunnableConfig") -> tuple[str, ...]:
    """Where a graph's run stands: thread, namespace of the checkpoint, step; () where no run can be resumed."""
    settings, facts = config.get("configurable", {}), config.get("metadata", {})
    thread, space = settings.get("thread_id"), settings.get("checkpoint_ns")
    return (str(thread), str(space), str(facts.get("langgraph_step"))) if thread and space else ()


def _id(brief: Brief, place: Sequence[str]) -> str:
    """The id of the debate that a graph holds there, the same whenever its node is run again."""
    people = [
        (participant.name, participant.role, participant.persona, participant.seat)
        for participant in brief.participants
    ]
    mark = sha256(json.dumps([list(place), brief.topic, people]).encode()).hexdigest()[:12]
    return f"{slug(brief.topic, 32)}-{mark}"


def _update(result: DebateResult) -> dict[str, object]:
    """What a graph's state takes over: plain values, without what it has given."""
    return {key: value for key, value in result.items() if key not in ("topic", "debaters", "max_rounds")}
