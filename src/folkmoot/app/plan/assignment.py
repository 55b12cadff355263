"""Assign agents to participants: model, person, function or tool; and the helpers that a brief asks for.

Helpers are the retriever (recall from memory), the vote weigher and the measure of similarity. Recall is off where a
brief does not ask for it: everybody sees what is recalled, so independent drafts would become alike, and a wrong or
planted outcome would reach the next debate.

A record names an embedding model, never a place on this machine: the user's settings say where an installed one is.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, cast

from folkmoot.agents.human import Contacts, Human
from folkmoot.agents.llm import UNAIDED, ModelAgent
from folkmoot.agents.toolkit import ROUNDS, USES, Tool, Toolkit, ToolUse
from folkmoot.agents.tree_search import SOUGHT, SearchingAgent, most_calls
from folkmoot.app.brief.default_participants import TIMEKEEPER
from folkmoot.app.brief.names import free_name
from folkmoot.app.brief.reader import ParsedBrief
from folkmoot.app.brief.types import LEARNED
from folkmoot.app.plan.learning import memory_place, missing_lessons
from folkmoot.app.plan.settings import Config, load_config, user_file
from folkmoot.app.plan.toolbox import ToolProvider, no_tools
from folkmoot.core.agent import Agent, Context, Recorder
from folkmoot.core.ask import Ask, ToolCall
from folkmoot.core.brief import (
    BUILTIN,
    CLOCK,
    HUMAN,
    QUOTES,
    SIMILARITY,
    Brief,
    Limits,
    Participant,
    Schemas,
    Settings,
    is_person,
)
from folkmoot.core.errors import BriefError
from folkmoot.core.roles import (
    RETRIEVER,
    RETRIEVER_NAME,
    VOTE_WEIGHER,
    Finding,
    VoteWeights,
    is_final_writer,
    retriever,
    vote_weigher,
)
from folkmoot.core.text import flat
from folkmoot.models.base import Model
from folkmoot.models.discover import Available, find_models
from folkmoot.models.names import parse
from folkmoot.models.pool import GUEST, Fallback, Pool
from folkmoot.phases.choices import Choices, Final, Memory
from folkmoot.record.store import Store
from folkmoot.tools.embeddings import KIND, SimilarityTool, embedder

if TYPE_CHECKING:
    from folkmoot.learn.retriever import Look

__all__ = ["Available", "find_models", "first_chat_model", "is_person"]


OTHER_MODELS = re.compile(r"embed|minilm|\bbge\b|rerank|whisper|clip\b", re.IGNORECASE)
"""What the names of models that do not chat are recognised by."""


async def first_chat_model() -> str:
    """The first model of a running Ollama that can chat; "" where there is none."""
    reach = await find_models()
    models = (model for server in reach.servers if server.provider == "ollama" for model in server.models)
    return next((model for model in models if not OTHER_MODELS.search(model)), "")


RETRIEVER_TITLES = ("Retriever", "Archivist", "Keeper of Memory")
"""The names of the retriever: it gets the first one that no participant has."""

LONGEST_QUERY = 200
"""Characters of the topic that a tool is asked about."""


def recall_settings(parsed: ParsedBrief) -> Memory | None:
    """The memory settings of a brief; None if it has none.

    Raises:
        BriefError: settings of recall without it, or a retriever with ``recall: no``.
    """
    settings, seated = parsed.given, retriever(parsed.brief)
    if not settings.get("recall", bool(seated)):
        for name in ("history_limit", "research"):
            if name in settings:
                raise _misfit(parsed, name, f"{name} needs recall: yes")
        if seated:
            raise _misfit(parsed, "recall", f"recall is no, but {seated} is a retriever")
        return None
    usual = Memory()
    return Memory(
        history=cast("int", settings.get("history_limit", usual.history)),
        tools=cast("tuple[str, ...]", settings.get("research", ())),
    )


def with_retriever(brief: Brief, memory: Memory | None) -> Brief:
    """The brief with a memory retriever and its tools, if the brief asks for memory and describes none."""
    if memory is None:
        return brief
    if seated := retriever(brief):
        people = [
            replace(participant, tools=memory.tools) if participant.name == seated else participant
            for participant in brief.participants
        ]
        return replace(brief, participants=tuple(people))
    name = free_name(RETRIEVER_TITLES, (participant.name for participant in brief.participants))
    helper = Participant(name=name, role="Recalls earlier debates", seat=RETRIEVER, duty="aide", tools=memory.tools)
    return replace(brief, participants=(*brief.participants, helper))


def retriever_agents(
    brief: Brief, store: Store, config: Config | None, clock: Callable[[], float], give: ToolProvider = no_tools
) -> Mapping[str, Agent]:
    """The agent of the memory retriever, by its name; empty if there is none.

    Args:
        brief: the brief with agents assigned.
        store: the records, beside which stands what was learned.
        config: the user's settings; None to load them.
        clock: seconds since 1970.
        give: the tools of each participant.
    """
    name = retriever(brief)
    if not name:
        return {}
    from folkmoot.learn.retriever import Retriever  # here for start-up time

    look = combined_lookup(give(brief.participant(name)))
    missing = partial(missing_lessons, store)
    return {name: Retriever(place=memory_place(store), missing=missing, look=look, clock=clock)}


def combined_lookup(tools: Sequence[Tool]) -> "Look":
    """A function that looks up a topic with each of these tools that take a query.

    A use is a call on record, as that of a debater's tool is; it is made once, and it stands in the report.
    """

    async def look(context: Context, say: Recorder) -> tuple[Finding, ...]:
        findings: list[Finding] = []
        arguments = json.dumps({"query": flat(context.brief.topic)[:LONGEST_QUERY]}, ensure_ascii=False)
        for n, tool in enumerate((tool for tool in tools if "query" in str(tool.spec.parameters)), start=1):
            call = ToolCall(id="", name=tool.spec.name, arguments=arguments)
            *_, called = await Toolkit([tool]).use(call, ToolUse(context=context, say=say, name=f"tool-{n}"))
            findings.append(Finding(tool=tool.spec.name, text=called.text, sources=called.sources))
        return tuple(findings)

    return look


def _misfit(parsed: ParsedBrief, name: str, text: str) -> BriefError:
    return BriefError(text, where=parsed.where, line=parsed.lines.get(name, 0), code="inconsistent", about=name)


KEY = "vote_weights"

WEIGHER_TITLES = ("Vote weigher", "Weigher of votes", "Keeper of Weights")
"""The names of the vote weigher: it gets the first one that no participant has."""


def vote_weights(parsed: ParsedBrief, strategy: str) -> VoteWeights | None:
    """The method of vote weights: as the brief says, else its stated weights, else measured weights.

    A strategy without weights ignores it. Then the result is what the brief says, or None.

    Raises:
        BriefError: the brief asks for measured weights, but states the weight of a participant.
    """
    stated = [participant.name for participant in parsed.brief.participants if participant.weight is not None]
    kind = cast("VoteWeights | None", parsed.given.get(KEY))
    if strategy != "weighted":
        return kind
    if kind is None:
        return "stated" if stated else "log_odds"
    if stated and kind != "stated":
        problem = f"{KEY} is {kind}, but {stated[0]} has a weight: leave out one of the two"
        raise BriefError(problem, where=parsed.where, line=parsed.lines.get(KEY, 0), code="inconsistent")
    return kind


def with_vote_weigher(brief: Brief, choices: Choices) -> Brief:
    """The brief with a vote weigher, if votes are weighted by measured performance."""
    if not choices.measured:
        return brief
    name = free_name(WEIGHER_TITLES, (participant.name for participant in brief.participants))
    vote_weigher = Participant(name=name, role="Weighs votes by earlier debates", seat=VOTE_WEIGHER, duty="aide")
    return replace(brief, participants=(*brief.participants, vote_weigher))


def weigher_agents(brief: Brief, store: Store) -> Mapping[str, Agent]:
    """The agent of the vote weigher, by its name; empty if there is none.

    Args:
        brief: the brief with agents assigned.
        store: the records, beside which stands what was learned.
    """
    name = vote_weigher(brief)
    if not name:
        return {}
    from folkmoot.learn.vote_weights import VoteWeigher  # here for start-up time

    return {name: VoteWeigher(place=memory_place(store), missing=partial(missing_lessons, store))}


MOST_FINAL = 16_384
"""The greatest length of a final answer in tokens that a caller may ask for; no model takes much more."""

WRITER_TITLES = ("Writer", "Final writer", "Writer of the answer")
"""The names of the helper that writes the final answer: it gets the first one that no participant has."""


def with_final_writer(brief: Brief, final: Final | None) -> Brief:
    """The brief with a helper that writes the final answer, if one is wanted."""
    if final is None:
        return brief
    name = free_name(WRITER_TITLES, (participant.name for participant in brief.participants))
    settings = Settings(max_tokens=min(final.tokens, MOST_FINAL)) if final.tokens else Settings()
    writer = Participant(name=name, role="Writes the final answer", seat=final.model, duty="aide", settings=settings)
    return replace(brief, participants=(*brief.participants, writer))


async def with_learned_threshold(
    choices: Choices, parsed: ParsedBrief, store: Store
) -> tuple[Choices, tuple[str, ...]]:
    """The choices with the threshold that past debates teach, if the brief asks for it, and a sentence on it."""
    if parsed.given.get("threshold") != LEARNED:
        return choices, ()
    from folkmoot.app.plan.gate_threshold import learn_threshold  # here for start-up time

    threshold, grounds = await learn_threshold(store, parsed.brief.topic)
    return replace(choices, threshold=threshold), (grounds,)


STALLED = "stalled"
"""The condition that needs to know how alike proposals are."""

NAME = "Likeness"


def with_similarity(brief: Brief, until: Sequence[str], config: Config | None) -> Brief:
    """The brief with a helper that measures similarity, if one is needed and the owner has set an embedding model.

    Without one likeness is measured by words; so it is where cost is limited and nobody knows the model's price.

    Args:
        brief: the brief with agents assigned.
        until: the conditions that end its rounds.
        config: the user's settings; None to load them if they are needed.

    Raises:
        BriefError: the embedding model cannot be asked.
    """
    named = (config or load_config()).embeddings if STALLED in until else ""
    model = embedder(named) if named else None
    if model is None or (brief.limits.cost is not None and model.quote(()).cost is None):
        return brief
    names = {participant.name for participant in brief.participants}
    name = NAME if NAME not in names else f"{NAME} (measured)"
    helper = Participant(name=name, role="Measures how alike texts are", seat=f"{SIMILARITY}{model.name}", duty="aide")
    return replace(brief, participants=(*brief.participants, helper))


def make_similarity_agent(seat: str, config: Config | None) -> SimilarityTool:
    """The agent of the helper that measures similarity.

    Args:
        seat: what a record calls it: ``likeness:ollama:nomic-embed-text``.
        config: the user's settings; None to load them if they are needed.

    Raises:
        BriefError: the embedding model cannot be asked, or is an installed one that the settings do not name.
    """
    name = seat.removeprefix(SIMILARITY)
    if not name.startswith(f"{KIND}:"):
        return SimilarityTool(embedder(name))
    named = (config or load_config()).embeddings
    model = embedder(named) if named else None
    if model is None or model.name != name:
        problem = f'similarity is measured by {name}: set embeddings = "{KIND}:" and the full path of its folder'
        raise BriefError(f"{problem} in {user_file()}", code="bad_model")
    return SimilarityTool(model)


ASKING = frozenset({"summarizer", "scorer"})
"""Tools that put a question to the participant's own model."""


def assign(brief: Brief, models: Sequence[str]) -> Brief:
    """The brief with an agent for every participant; those without a model take the given models in turn.

    Args:
        brief: the brief as it was read.
        models: default models, at least one; a moderator or a helper without one takes the first.
    """
    seated: list[Participant] = []
    assigned = 0
    for participant in brief.participants:
        if participant.seat:
            seated.append(participant)
            continue
        beside = participant.duty in ("moderator", "aide")
        model = models[0] if beside else models[assigned % len(models)]
        assigned += not beside
        seated.append(replace(participant, seat=model))
    return replace(brief, participants=tuple(seated))


def names_of_people(brief: Brief) -> frozenset[str]:
    """The names of the participants for whom a person answers."""
    return frozenset(participant.name for participant in brief.participants if is_person(participant))


def make_agents(
    brief: Brief,
    pool: Pool,
    give: ToolProvider = no_tools,
    *,
    limits: Limits | None = None,
    contacts: Contacts | None = None,
    config: Config | None = None,
) -> Mapping[str, Agent]:
    """The agents of all participants.

    Args:
        brief: the brief with agents assigned.
        pool: the models.
        give: the tools of each participant.
        limits: the limits in force; None for those of the brief.
        contacts: how people can be reached; None where they cannot, as long as nothing is asked.
        config: the user's settings; None to load them if a helper needs one of them.

    Raises:
        BriefError: a participant's seat, or a stand-in, names no model that exists.
    """
    from folkmoot.demo.debater import DemoDebater  # here for start-up time

    quotes, seconds = DemoDebater(), (limits or brief.limits).turn_seconds
    own = cache(partial(_own_schemas, config))  # looked up once, if anybody has a model
    seats: dict[str, Agent] = {}
    for participant in brief.participants:
        schemas = partial(_schemas, participant, brief, own)
        if participant.fallback and (is_person(participant) or participant.seat.startswith(BUILTIN)):
            problem = f"{participant.name}: fallback needs a model, not {participant.seat}"
            raise BriefError(
                f"{problem}{'; for a person, use stand_in' if is_person(participant) else ''}", code="bad_enum"
            )
        if is_person(participant):
            instead = replace(participant, seat=participant.stand_in, search=None)
            stand_in = (_make_agent(instead, seconds, pool, schemas) or quotes) if participant.stand_in else None
            seats[participant.name] = Human(contacts or Contacts(), stand_in=stand_in, seconds=seconds)
        else:
            seats[participant.name] = _make_agent(participant, seconds, pool, schemas, give, config) or quotes
    return seats


def _make_agent(
    participant: Participant,
    seconds: float,
    pool: Pool,
    schemas: Callable[[], Schemas],
    give: ToolProvider = no_tools,
    config: Config | None = None,
) -> Agent | None:
    """A participant's own agent; None for the built-in one, which all share. ``schemas`` is as in ``_schemas``."""
    if participant.seat == QUOTES:
        return None
    if participant.seat == CLOCK:
        return _make_timekeeper(participant)
    if participant.duty == "aide" and not is_final_writer(participant):
        return _make_helper(participant, config)
    check_agent(participant)
    try:
        model = model_of(participant, pool)
    except BriefError as error:
        raise BriefError(f"{participant.name}: {error.found}", code=error.code) from error
    answering = ModelAgent(model, seconds=seconds, tools=give(participant), schemas=schemas())
    if participant.duty == "aide":
        from folkmoot.agents.acting import ActingAgent  # here for start-up time

        return ActingAgent(answering, model, seconds=seconds)
    return SearchingAgent(answering, model, participant.search, seconds=seconds) if participant.search else answering


def _schemas(participant: Participant, brief: Brief, own: Callable[[], Schemas]) -> Schemas:
    """When a participant's provider is sent a schema: as it says itself, else the brief, else the owner."""
    return participant.schemas or brief.schemas or own()


def _own_schemas(config: Config | None) -> Schemas:
    return (config or load_config()).schemas


def _make_helper(participant: Participant, config: Config | None) -> Agent:
    """The agent of a helper; those with a memory are placeholders, in whose place the real ones are put."""
    if participant.seat == RETRIEVER:
        from folkmoot.learn.retriever import Retriever  # here for start-up time

        return Retriever(place=None)
    if participant.seat == VOTE_WEIGHER:
        from folkmoot.learn.vote_weights import VoteWeigher

        return VoteWeigher(place=None)
    return make_similarity_agent(participant.seat, config)


def check_agent(participant: Participant) -> None:
    """Check the name of an agent, before any key, server or registered agent is looked up.

    Raises:
        BriefError: it names nothing that can answer.
    """
    if participant.seat in (QUOTES, CLOCK, HUMAN) or participant.seat.startswith(GUEST):
        return
    if participant.seat in (RETRIEVER_NAME, RETRIEVER):
        problem = (
            f"{participant.name}: a retriever only recalls and never debates; name a model (provider:name) or {QUOTES}"
        )
        raise BriefError(problem, code="bad_enum")
    if participant.seat.startswith(BUILTIN):
        raise BriefError(
            f"{participant.name}: there is no model {participant.seat}; the built-in one is {QUOTES}", code="bad_enum"
        )
    try:
        parse(participant.seat)
    except BriefError as error:
        raise BriefError(f"{participant.name}: {error.found}", code=error.code) from error


def model_of(participant: Participant, pool: Pool) -> Model:
    """The model of a participant, with its fallbacks.

    Raises:
        BriefError: there is no such model.
    """
    model = pool.model(participant.seat)
    return Fallback(model, [pool.model(name) for name in participant.fallback]) if participant.fallback else model


def _make_timekeeper(participant: Participant) -> Agent:
    if participant.duty != "moderator":
        raise BriefError(
            f"{participant.name}: {CLOCK} keeps the time of a board and is not a member of it", code="bad_enum"
        )
    from folkmoot.demo.debater import Timekeeper  # here for start-up time

    return Timekeeper()


def calls_for(participant: Participant, ask: Ask) -> int:
    """The most model calls for an answer: offers of tools, the search, and the answer.

    Tools that ask the participant's own model do so once in each use.
    """
    aided = participant.tools and ask.act not in UNAIDED
    asking = USES if ASKING.intersection(participant.tools) else 0
    answer = 1 + ROUNDS + asking if aided else 1
    return answer + (most_calls(participant.search) - 1 if participant.search and ask.act in SOUGHT else 0)


def without_idle_timekeeper(brief: Brief, protocol: str) -> Brief:
    """The brief without the built-in timekeeper, if the protocol is no board.

    Raises:
        BriefError: somebody else was given its seat.
    """
    if protocol == "board":
        return brief
    for participant in brief.participants:
        if participant.seat == CLOCK and participant.name != TIMEKEEPER.name:
            raise BriefError(
                f"{participant.name}: {CLOCK} only keeps the time of a board, not of {protocol}", code="bad_enum"
            )
    return replace(
        brief, participants=tuple(participant for participant in brief.participants if participant.seat != CLOCK)
    )
