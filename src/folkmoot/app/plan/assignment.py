"""Assign agents to participants: model, person, function or tool; and the helpers that a brief asks for.

Helpers are the retriever (recall from memory), the vote weigher and the measure of similarity. Recall is off where a
brief does not ask for it: everybody sees what is recalled, so independent drafts would become alike, and a wrong or
planted outcome would reach the next debate.

A record names an embedding model, never a place on this machine: the user's settings say where an installed one is.
"""

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from folkmoot.agents.human import Contacts, Human
from folkmoot.agents.llm import ModelAgent
from folkmoot.agents.toolkit import Tool, Toolkit, ToolUse
from folkmoot.agents.tree_search import SearchingAgent
from folkmoot.app.plan.learning import memory_place, missing_lessons
from folkmoot.app.plan.settings import Config, load_config, user_file
from folkmoot.app.plan.toolbox import ToolProvider, no_tools
from folkmoot.core.agent import Agent, Context, Recorder
from folkmoot.core.ask import ToolCall
from folkmoot.core.brief import (
    BUILTIN,
    CLOCK,
    GUEST,
    HUMAN,
    QUOTES,
    SIMILARITY,
    Brief,
    Limits,
    Participant,
    is_person,
)
from folkmoot.core.errors import BriefError
from folkmoot.core.roles import RETRIEVER, RETRIEVER_NAME, VOTE_WEIGHER, Finding, is_final_writer
from folkmoot.core.text import flat
from folkmoot.models.base import Model
from folkmoot.models.discover import Available, find_models
from folkmoot.models.names import parse
from folkmoot.models.pool import Fallback, Pool
from folkmoot.record.store import Store

if TYPE_CHECKING:
    from folkmoot.learn.retriever import Look
    from folkmoot.tools.embeddings import SimilarityTool

__all__ = ["Available", "find_models", "first_chat_model", "is_person"]


OTHER_MODELS = re.compile(r"embed|minilm|\bbge\b|rerank|whisper|clip\b", re.IGNORECASE)
"""What the names of models that do not chat are recognised by."""


async def first_chat_model() -> str:
    """The first model of a running Ollama that can chat; "" where there is none."""
    reach = await find_models()
    models = (model for server in reach.servers if server.provider == "ollama" for model in server.models)
    return next((model for model in models if not OTHER_MODELS.search(model)), "")


LONGEST_QUERY = 200
"""Characters of the topic that a tool is asked about."""


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


STALLED = "stalled"
"""The condition that needs to know how alike proposals are."""

NAME = "Likeness"


def similarity_helper(brief: Brief, until: Sequence[str], config: Config) -> Participant | None:
    """A helper that measures how alike texts are, if one is needed and the owner has set an embedding model.

    Without one likeness is measured by words; so it is where cost is limited and nobody knows the model's price.

    Args:
        brief: the brief with agents assigned.
        until: the conditions that end its rounds.
        config: the user's settings.

    Raises:
        BriefError: the embedding model cannot be asked.
    """
    named = config.embeddings if STALLED in until else ""
    if not named:
        return None
    from folkmoot.tools.embeddings import embedder  # here for start-up time

    model = embedder(named)
    if brief.limits.cost is not None and model.quote(()).cost is None:
        return None
    names = {participant.name for participant in brief.participants}
    name = NAME if NAME not in names else f"{NAME} (measured)"
    return Participant(name=name, role="Measures how alike texts are", seat=f"{SIMILARITY}{model.name}", duty="aide")


def make_similarity_agent(seat: str, config: Config | None) -> "SimilarityTool":
    """The agent of the helper that measures similarity.

    Args:
        seat: what a record calls it: ``likeness:ollama:nomic-embed-text``.
        config: the user's settings; None to load them if they are needed.

    Raises:
        BriefError: the embedding model cannot be asked, or is an installed one that the settings do not name.
    """
    from folkmoot.tools.embeddings import KIND, SimilarityTool, embedder  # here for start-up time

    name = seat.removeprefix(SIMILARITY)
    if not name.startswith(f"{KIND}:"):
        return SimilarityTool(embedder(name))
    named = (config or load_config()).embeddings
    model = embedder(named) if named else None
    if model is None or model.name != name:
        problem = f'similarity is measured by {name}: set embeddings = "{KIND}:" and the full path of its folder'
        raise BriefError(f"{problem} in {user_file()}", code="bad_model")
    return SimilarityTool(model)


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


def has_model(participant: Participant) -> bool:
    """Whether a model answers for a participant; none does for people, helpers and the built-in agents."""
    helper = participant.duty == "aide" and not is_final_writer(participant)
    return not helper and participant.seat not in (QUOTES, CLOCK, HUMAN)


def live_models(brief: Brief, pool: Pool) -> dict[str, Model]:
    """The models by participant; people and the built-in debater have none.

    Args:
        brief: the brief with agents assigned.
        pool: the models, with the options of the debate.

    Raises:
        BriefError: a participant's seat, or a stand-in, names nothing that can answer.
    """
    live: dict[str, Model] = {}
    for participant in brief.participants:
        check_agent(participant)
        if has_model(participant):
            live[participant.name] = model_of(participant, pool)
        elif is_person(participant) and participant.stand_in:
            instead = replace(participant, seat=participant.stand_in)
            check_agent(instead)
            if has_model(instead) or is_person(instead):  # a person stands in for nobody, and no model has that name
                model_of(instead, pool)
    return live


def make_agents(
    brief: Brief,
    pool: Pool,
    give: ToolProvider = no_tools,
    *,
    store: Store | None = None,
    limits: Limits | None = None,
    contacts: Contacts | None = None,
    config: Config | None = None,
    clock: Callable[[], float] = time.time,
) -> Mapping[str, Agent]:
    """The agents of all participants.

    Args:
        brief: the brief with agents assigned.
        pool: the models.
        give: the tools of each participant.
        store: the records, beside which stands what was learned; None where nothing is recalled.
        limits: the limits in force; None for those of the brief.
        contacts: how people can be reached; None where they cannot, as long as nothing is asked.
        config: the user's settings; None to load them if a helper needs one of them.
        clock: seconds since 1970.

    Raises:
        BriefError: a participant's seat, or a stand-in, names no model that exists.
    """
    from folkmoot.demo.debater import DemoDebater, Timekeeper  # here for start-up time

    quotes, seconds = DemoDebater(), (limits or brief.limits).turn_seconds

    def agent_of(participant: Participant, tools: Sequence[Tool]) -> Agent:
        check_agent(participant)
        if participant.seat == QUOTES:
            return quotes
        if participant.seat == CLOCK:
            return Timekeeper()
        model = model_of(participant, pool)
        schemas = participant.schemas or brief.schemas or (config or load_config()).schemas
        answering = ModelAgent(model, seconds=seconds, tools=tools, schemas=schemas)
        if participant.duty == "aide":
            from folkmoot.agents.acting import ActingAgent  # here for start-up time

            return ActingAgent(answering, model, seconds=seconds)
        if participant.search:
            return SearchingAgent(answering, model, participant.search, seconds=seconds)
        return answering

    agents: dict[str, Agent] = {}
    for participant in brief.participants:
        if is_person(participant):
            check_agent(participant)
            instead = replace(participant, seat=participant.stand_in, search=None)
            stand_in = agent_of(instead, ()) if participant.stand_in else None
            agents[participant.name] = Human(contacts or Contacts(), stand_in=stand_in, seconds=seconds)
        elif participant.duty == "aide" and not is_final_writer(participant):
            agents[participant.name] = _make_helper(participant, give, store, config, clock)
        else:
            agents[participant.name] = agent_of(participant, give(participant))
    return agents


def _make_helper(
    participant: Participant,
    give: ToolProvider,
    store: Store | None,
    config: Config | None,
    clock: Callable[[], float],
) -> Agent:
    """The agent of a helper that is no model."""
    if participant.seat not in (RETRIEVER, VOTE_WEIGHER):
        return make_similarity_agent(participant.seat, config)
    place = memory_place(store) if store else None
    missing = partial(missing_lessons, store) if store else None
    if participant.seat == RETRIEVER:
        from folkmoot.learn.retriever import Retriever  # here for start-up time

        return Retriever(place=place, missing=missing, look=combined_lookup(give(participant)), clock=clock)
    from folkmoot.learn.vote_weights import VoteWeigher

    return VoteWeigher(place=place, missing=missing)


def check_agent(participant: Participant) -> None:
    """Check the name of an agent, before any key, server or registered agent is looked up.

    Raises:
        BriefError: it names nothing that can answer.
    """
    name, seat = participant.name, participant.seat
    problem = ""
    if participant.fallback and (is_person(participant) or seat.startswith(BUILTIN)):
        problem = f"fallback needs a model, not {seat}"
        problem += "; for a person, use stand_in" if is_person(participant) else ""
    elif seat == CLOCK and participant.duty != "moderator":
        problem = f"{CLOCK} keeps the time of a board and is not a member of it"
    elif not has_model(participant) or seat.startswith(GUEST):
        return
    elif seat in (RETRIEVER_NAME, RETRIEVER):
        problem = f"a retriever only recalls and never debates; name a model (provider:name) or {QUOTES}"
    elif seat.startswith(BUILTIN):
        problem = f"there is no model {seat}; the built-in one is {QUOTES}"
    else:
        try:
            parse(seat)
        except BriefError as error:
            raise BriefError(f"{name}: {error.found}", code=error.code, about=name) from error
    if problem:
        raise BriefError(f"{name}: {problem}", code="bad_enum", about=name)


def model_of(participant: Participant, pool: Pool) -> Model:
    """The model of a participant, with its fallbacks.

    Raises:
        BriefError: there is no such model.
    """
    try:
        model = pool.model(participant.seat)
        backing = [pool.model(name) for name in participant.fallback]
    except BriefError as error:
        raise BriefError(f"{participant.name}: {error.found}", code=error.code, about=participant.name) from error
    return Fallback(model, backing) if backing else model
