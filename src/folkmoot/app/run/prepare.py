"""Prepare a debate: a brief and the caller's wishes become a plan with an estimate; nothing is sent to any model.

The choices about the protocol are checked against what it allows. A model is what the caller names, else what the brief
names, else what the user has set, else the first chat model of a server on this machine, else ``builtin:quotes``, which
is not a language model.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal, NamedTuple, cast, get_args

from folkmoot.app.brief.default_participants import default_moderator, respondents
from folkmoot.app.brief.participants import needs_moderator
from folkmoot.app.brief.presets import KEY as PRESET
from folkmoot.app.brief.reader import ParsedBrief, with_preset
from folkmoot.app.brief.types import LEARNED, PROTOCOLS
from folkmoot.app.brief.types import STRATEGIES as STRATEGY_NAMES
from folkmoot.app.plan.assignment import (
    assign,
    calls_for,
    first_chat_model,
    make_agents,
    model_of,
    recall_settings,
    vote_weights,
    with_final_writer,
    with_learned_threshold,
    with_retriever,
    with_similarity,
    with_vote_weigher,
    without_idle_timekeeper,
)
from folkmoot.app.plan.bounds import Bounds, Totals, bounds
from folkmoot.app.plan.checks import (
    LEFT_OUT,
    check_prices,
    check_sight,
    ignored_settings,
    leave_out_unseeing,
    notes_on,
    notes_on_quoting,
)
from folkmoot.app.plan.estimate import Costing, estimate, likely_requests
from folkmoot.app.plan.settings import Config, load_config
from folkmoot.app.plan.toolbox import check_tools, tool_notes, with_moderator_tools
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.ask import Fields, Value
from folkmoot.core.brief import BUILTIN, CLOCK, HUMAN, QUOTES, Brief, Limits, Participant
from folkmoot.core.errors import BriefError, ProtocolError
from folkmoot.core.extensions import NO_OPTIONS, PROTOCOL, RULE
from folkmoot.core.roles import is_final_writer
from folkmoot.core.text import listed, unknown_word
from folkmoot.models.base import Model
from folkmoot.phases.base import Phase
from folkmoot.phases.choices import (
    AT_THE_END,
    OPEN_ORDER,
    RANKED,
    Choices,
    Condition,
    Extras,
    Final,
    Mediation,
    MediatorKind,
    SummaryStyle,
    TurnMode,
    When,
    counting_rule,
)
from folkmoot.policy.pairing import Topology
from folkmoot.protocols.compose import ENDED
from folkmoot.protocols.grouped import LEAST
from folkmoot.protocols.known import ALONE, DECIDED_BY, DEFAULT, FORMATS, FORMATS_DECIDED_BY, GATED, VOTES

NEARBY_SECONDS = 600.0
"""Seconds for an answer of a server of one's own, where nobody says how many: a laptop writes a few words a second."""

MOST_IN_ONE_GROUP = 10
"""The most debaters of a brief who all hear each other; more overwhelm any reader, and what they read grows squared."""

_VOTES_ANYWAY = frozenset({"vote", "vote_based"})
"""Words for what the other protocols do anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitOverrides:
    """Limits that a caller sets beside those of the brief; None leaves the brief's."""

    asks: int | None = None
    tokens: int | None = None
    cost: float | None = None
    turn_seconds: float | None = None
    total_seconds: float | None = None

    def on(self, limits: Limits) -> Limits:
        """The given limits, replaced by these where these are set."""
        set_here = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(limits, **{name: value for name, value in set_here.items() if value is not None})


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """Settings of a caller that replace those of the brief; empty values leave the brief's.

    Attributes:
        models: who answers for all who have no model of their own, in turn.
        protocol: how the debate goes.
        rounds: the greatest number of rounds.
        strategy: how it is decided.
        topology: who criticizes whom.
        seed: the random seed.
        cast: who takes part where the brief does not say. ``builtin``: use built-in participants; ``new``: always
            generate; "": reuse what the same model generated for the same brief, else generate.
        caps: what the debate may use.
        final: the final answer that is written after the decision; None for none.
    """

    models: tuple[str, ...] = ()
    protocol: str = ""
    rounds: int | None = None
    strategy: str = ""
    topology: str = ""
    seed: int | None = None
    cast: Literal["", "builtin", "new"] = ""
    caps: LimitOverrides = LimitOverrides()
    final: Final | None = None


def protocol_of(parsed: ParsedBrief, overrides: Overrides) -> str:
    """The name of the protocol: the caller's, else the brief's, else the default."""
    return overrides.protocol or parsed.protocol or DEFAULT


def completed(parsed: ParsedBrief, config: Config | None, protocol: str) -> ParsedBrief:
    """The brief with the preset that it names; see ``with_preset``. Settings are loaded only for such a brief."""
    if PRESET not in parsed.given:
        return parsed
    return with_preset(parsed, (config or load_config()).presets, protocol=protocol)


def make_choices(parsed: ParsedBrief, overrides: Overrides) -> Choices:
    """The choices of the brief and the caller, checked against what the protocol supports.

    Raises:
        BriefError: something that the protocol does not take, with the line of the brief on which it stands.
    """
    protocol, settings = protocol_of(parsed, overrides), parsed.given
    strategy, topology = overrides.strategy or parsed.strategy, overrides.topology or parsed.topology
    _check(protocol, strategy, topology, parsed, overrides)
    own = strategy in _VOTES_ANYWAY or protocol in ("moderated", "chaired")
    return Choices(
        rounds=parsed.rounds if overrides.rounds is None else overrides.rounds,
        strategy="" if own and protocol in DECIDED_BY else strategy,
        topology=cast(Topology, topology) if topology else None,
        hub=str(settings.get("hub", "")),
        sparsity=cast("float | None", settings.get("sparsity")),
        reminder_interval=cast("int | None", settings.get("reminder_interval")),
        deadline_interval=cast("int | None", settings.get("deadline_interval")),
        turn_mode=cast("TurnMode | None", settings.get("turn_mode")),
        until=cast("tuple[Condition, ...]", settings.get("debate_end_condition", ())),
        summarize=parsed.summarize,
        mediation=_mediation(settings),
        memory=recall_settings(parsed),
        vote_weights=vote_weights(parsed, strategy),
        language=str(settings.get("language", "")),
        threshold=_threshold(parsed, overrides),
        samples=cast("int | None", settings.get("samples")),
        forecast=cast('Literal["", "probability", "number", "quantiles"]', settings.get("forecast", "")),
        merge=bool(settings.get("merge", False)),
        final=overrides.final,
        protocol_options=parsed.options(PROTOCOL.options),
        strategy_options=parsed.options(RULE.options),
        other_options=parsed.named_options(),
        extras=Extras(**{field.name: bool(settings.get(field.name, False)) for field in fields(Extras)}),
    )


def _threshold(parsed: ParsedBrief, overrides: Overrides) -> float | None:
    """The threshold as a number; None for the default, and for one that is to be learned."""
    value, protocol = parsed.given.get("threshold"), protocol_of(parsed, overrides)
    if value == LEARNED and protocol not in GATED:
        problem = f"{protocol} does not support threshold: {LEARNED}; {listed(GATED)} do"
        raise choice_error(parsed, overrides, "threshold", problem)
    return None if value == LEARNED else cast("float | None", value)


def _check(protocol: str, strategy: str, topology: str, parsed: ParsedBrief, overrides: Overrides) -> None:
    if protocol not in PROTOCOLS:  # it is another package's, or there is none: the one who builds it knows
        return
    ends = DECIDED_BY.get(protocol, FORMATS_DECIDED_BY)
    if strategy and strategy not in ends and not _counts(strategy, ends, parsed):
        problem = f"{protocol} cannot be decided by {strategy!r}; {unknown_word(strategy, ends, 'it takes')}"
        raise choice_error(parsed, overrides, "strategy", problem)
    if topology and topology not in get_args(Topology):
        problem = f"there is no topology {topology!r}; {unknown_word(topology, get_args(Topology))}"
        raise choice_error(parsed, overrides, "topology", problem)
    for name, takers in _ONLY_PROTOCOL.items():
        if name in parsed.given and protocol not in takers:
            do = f"{listed(takers)} {'does' if len(takers) == 1 else 'do'}"
            raise choice_error(parsed, overrides, name, f"{protocol} does not support {name}; {do}")
    if topology and protocol != "arena":
        raise choice_error(parsed, overrides, "topology", f"{protocol} does not support a topology; arena does")
    for name, takers in (("debate_end_condition", (*ENDED, *FORMATS)), ("turn_mode", OPEN_ORDER)):
        if name in parsed.given and protocol not in (*takers, *FORMATS):
            problem = f"{protocol} does not support {name}: {name} works with {', '.join(takers)}"
            raise choice_error(parsed, overrides, name, problem)
    debating = len(parsed.brief.names("debater"))
    if protocol == "grouped" and debating < LEAST:
        least = f"at least {LEAST} debaters, not {debating}"
        problem = f"grouped needs {least}: list them; with fewer, use the protocol panel"
        raise choice_error(parsed, overrides, "participants", problem)
    if protocol != "grouped" and "participants" in parsed.given and debating > MOST_IN_ONE_GROUP:
        most = f"at most {MOST_IN_ONE_GROUP}; use the protocol grouped"
        problem = f"{debating} debaters are too many for {protocol}: {most}"
        raise choice_error(parsed, overrides, "participants", problem)
    people = parsed.brief.participants
    blind = [participant.name for participant in people if participant.view and participant.view.summary_only]
    if protocol in _NO_SUMMARIES and blind:
        problem = f"{', '.join(blind)} would hear {_NO_SUMMARIES[protocol]}"
        raise choice_error(parsed, overrides, "context_scope", f"{problem}; leave out context_scope: summary_only")


def _counts(strategy: str, ends: Sequence[str], parsed: ParsedBrief) -> bool:
    """Whether a strategy is a rule of another package for ballots that the protocol has."""
    rule = None if strategy in STRATEGY_NAMES else counting_rule(strategy, parsed.options(RULE.options))
    return rule is not None and (VOTES if rule.ballot == "choice" else RANKED)[0] in ends


_ONLY_PROTOCOL: Mapping[str, tuple[str, ...]] = {
    "hub": ("arena",),
    "sparsity": ("arena",),
    "reminder_interval": ("board",),
    "deadline_interval": ("board",),
    "threshold": (*GATED, "forecast"),
    "samples": ("sample",),
    "forecast": ("forecast",),
    "merge": ("select",),
}
"""The settings that these protocols take, and no other."""

_NO_SUMMARIES: Mapping[str, str] = {
    "bp_style": "no speech: bp_style is summed up only after all its speeches",
    "board": "no message: board has no rounds that could be summed up",
}
"""What those would miss who see nothing but summaries, in protocols that have none in between."""


def _mediation(settings: Mapping[str, Value]) -> Mediation | None:
    if "mediator_type" not in settings:
        return None
    kind = cast(MediatorKind, settings["mediator_type"])
    usual = Mediation(kind=kind, when="final" if kind in AT_THE_END else "every_round")
    return replace(
        usual,
        when=cast(When, settings.get("mediator_frequency", usual.when)),
        style=cast(SummaryStyle, settings.get("summary_style", usual.style)),
    )


def choice_error(parsed: ParsedBrief, overrides: Overrides, about: str, problem: str) -> BriefError:
    """The error for a choice that does not fit, with its line in the brief, if it comes from there."""
    from_caller = about in ("protocol", "rounds", "strategy", "topology") and getattr(overrides, about) not in (
        "",
        None,
    )
    if from_caller or not parsed.lines:
        return BriefError(problem, code="bad_enum", about=about)
    lines = [parsed.lines[name] for name in (about, *_NEXT.get(about, ()), "protocol") if name in parsed.lines]
    return BriefError(problem, where=parsed.where, line=lines[0] if lines else 0, code="bad_enum", about=about)


_NEXT: Mapping[str, tuple[str, ...]] = {"participants": ("persona_count",)}
"""Where to look for the line of a choice that the brief states in another way."""


NO_MODEL = (QUOTES, CLOCK, HUMAN)
"""The seats of those for whom no model answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedDebate:
    """A debate that can run.

    Attributes:
        plan: the brief with agents assigned, and the protocol.
        costing: what it would use at least and at most.
        drops: the settings that a participant's provider ignores, by the participant's name.
        notes: what the owner should know before it begins, one sentence each.
        generator: the model that generates the participants before the debate begins (``app.run.start``); "" where they
            are known. Until then the built-in ones stand in the plan.
    """

    plan: Plan
    costing: Costing
    drops: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()
    generator: str = ""


class _Planned(NamedTuple):
    """A plan, what it was made of, and notes on that."""

    plan: Plan
    choices: Choices
    live: dict[str, Model]
    notes: tuple[str, ...]
    generator: str


async def prepare(
    workspace: Workspace, parsed: ParsedBrief, overrides: Overrides, *, config: Config | None = None
) -> PreparedDebate:
    """Assign agents, build the protocol and estimate what it would use. Nothing is sent to any model.

    MCP servers whose tools the brief names are started, to see whether they are what their owner has pinned.

    Raises:
        BriefError: a seat, tool or wish that cannot be, a protocol that cannot be played with these participants, or
            a limit on cost with a model whose price is unknown.
    """
    config = config or workspace.config
    plan, choices, live, notes, generator = await _planned(workspace, parsed, overrides, config)
    await workspace.pool.learn()
    costing = costing_of(workspace, plan.brief, plan.protocol, live)
    check_prices(plan.brief, costing)
    notes += (*notes_on(plan.brief, plan.name, choices, costing), *_notes_on_seats(plan, generator, live))
    notes += await tool_notes(plan.brief, config)
    notes += tuple(f"It uses {package} for {listed(package.used_for)}." for package in plan.opened().packages)
    drops = ignored_settings(plan.brief, live)
    return PreparedDebate(plan=plan, costing=costing, drops=drops, notes=notes, generator=generator)


async def plan_alone(workspace: Workspace, parsed: ParsedBrief, overrides: Overrides, config: Config) -> Plan:
    """The plan of a debate that sets no limits, without the estimate, which takes longer than the rest.

    Raises:
        BriefError: as of ``prepare``.
    """
    plan = (await _planned(workspace, parsed, overrides, config)).plan
    await tool_notes(plan.brief, config)  # which raises where a tool cannot be had
    return plan


async def _planned(workspace: Workspace, parsed: ParsedBrief, overrides: Overrides, config: Config | None) -> _Planned:
    """Assign agents and build the protocol."""
    parsed = _answering_alone(completed(parsed, config, overrides.protocol), overrides)
    brief = with_retriever(with_moderator(parsed, overrides), recall_settings(parsed))
    brief = with_final_writer(_with_overrides(brief, overrides), overrides.final)
    models, model_notes = await _models(brief, overrides.models or parsed.models, config)
    _check_seats(workspace, parsed)
    brief = _with_fallbacks(with_moderator_tools(assign(brief, models), parsed, config), config, workspace)
    brief, left_out = _without_unseeing(workspace, brief, parsed)
    brief = _with_time(brief, parsed, overrides, workspace)
    try:
        choices, learned = await with_learned_threshold(make_choices(parsed, overrides), parsed, workspace.store)
        brief = with_vote_weigher(with_similarity(brief, choices.until, config), choices)
        stored = brief if parsed.lines else workspace.store_agents(brief)
        plan = workspace.plan_stored(stored, protocol_of(parsed, overrides), choices, models)
        chosen = (*plan.chosen, *left_out, *filter(None, (parsed.cast,)))
        settings = _resolved_settings(parsed, overrides, choices)
        plan = replace(plan, settings=settings, chosen=chosen, place=parsed.place, unseated=parsed.unseated)
    except ProtocolError as error:
        raise choice_error(parsed, overrides, error.about, str(error)) from error
    for participant in plan.brief.participants:
        _check_tools(parsed, replace(plan.brief, participants=(participant,)), config)
    # Small models name poor participants, and take a minute for it.
    built_in = parsed.built_in(overrides.cast, usual=workspace.pool.is_nearby(models[0]))
    generates = parsed.vacant and not built_in and models[0] not in (QUOTES, HUMAN)
    live, notes = live_models(workspace, plan.brief, plan.options), (*parsed.notes, *model_notes, *learned)
    return _Planned(plan, choices, live, notes, models[0] if generates else "")


def _resolved_settings(parsed: ParsedBrief, overrides: Overrides, choices: Choices) -> dict[str, Value]:
    """The settings that hold, as ``Opened.settings`` has them: the caller's, else the brief's, else its preset's."""
    caller = {"rounds": overrides.rounds, "strategy": overrides.strategy, "topology": overrides.topology}
    # A learned threshold stands as its number: whoever runs the brief again gets the same debate.
    caller |= {"protocol": protocol_of(parsed, overrides), "threshold": choices.threshold}
    return parsed.settings | {name: value for name, value in caller.items() if value not in ("", None)}


def _without_unseeing(workspace: Workspace, brief: Brief, parsed: ParsedBrief) -> tuple[Brief, tuple[str, ...]]:
    """The brief without those who do not see its pictures, where it says so, and why each is left out."""
    skips = parsed.given.get("unseeing") == "skip"
    return leave_out_unseeing(brief, live_models(workspace, brief)) if skips else (brief, ())


def _with_time(brief: Brief, parsed: ParsedBrief, overrides: Overrides, workspace: Workspace) -> Brief:
    """The brief with more time for each answer where nobody says how much, and a server of one's own answers."""
    limits = brief.limits
    said = "limits.turn_seconds" in parsed.given or overrides.caps.turn_seconds is not None
    if said or limits.turn_seconds != Limits().turn_seconds:
        return brief
    nearby = any(workspace.pool.is_nearby(who.seat) for who in brief.participants if who.seat)
    return replace(brief, limits=replace(limits, turn_seconds=NEARBY_SECONDS)) if nearby else brief


def _with_overrides(brief: Brief, overrides: Overrides) -> Brief:
    seed = brief.seed if overrides.seed is None else overrides.seed
    return replace(brief, seed=seed, limits=overrides.caps.on(brief.limits))


def costing_of(workspace: Workspace, brief: Brief, protocol: Phase, live: dict[str, Model]) -> Costing:
    """What a debate costs, with its bounds.

    Args:
        workspace: has the models that stand in for people.
        brief: the brief with agents assigned.
        protocol: the phase tree.
        live: the models by participant.
    """
    stand_ins = {
        participant.name: workspace.pool.model(participant.stand_in)
        for participant in brief.participants
        if participant.seat == HUMAN and participant.stand_in not in ("", *NO_MODEL)
    }
    costing = estimate(brief, protocol, live, work=calls_for, likely=likely_requests)
    if all(participant.seat.startswith(BUILTIN) for participant in brief.participants):
        # These always answer and cost nothing, so the two simulated runs are the bounds.
        asks, limit = costing.most.asks, brief.limits.asks
        asks = asks if limit is None else min(asks, limit)
        least = Totals(asks=min(costing.least.asks, asks))
        return replace(costing, bounds=Bounds(least=least, most=Totals(asks=asks), answer=0))
    return replace(costing, bounds=bounds(brief, protocol, live | stand_ins))


def with_moderator(parsed: ParsedBrief, overrides: Overrides) -> Brief:
    """The brief with the built-in moderator, if the caller's settings need one."""
    protocol, strategy = protocol_of(parsed, overrides), overrides.strategy or parsed.strategy
    brief = without_idle_timekeeper(parsed.brief, protocol)
    if not (need := needs_moderator(protocol, strategy)) or brief.names("moderator"):
        return brief
    if parsed.given.get("moderator") is False:
        raise choice_error(parsed, overrides, "moderator", f"moderator is no, but {need}")
    moderator = replace(default_moderator(protocol), language=str(parsed.given.get("language", "")))
    return replace(brief, participants=(*brief.participants, moderator))


def _answering_alone(parsed: ParsedBrief, overrides: Overrides) -> ParsedBrief:
    """The brief with neutral debaters where nobody reads another's answer, and the brief describes no debater.

    A debater with a stance is made for a debate. One answers, or one for each model that the caller names.
    """
    protocol, debating = protocol_of(parsed, overrides), parsed.brief.names("debater")
    if protocol not in ALONE or len(debating) != parsed.vacant or "persona_count" in parsed.given:
        return parsed
    count = max(1, len(overrides.models or parsed.models)) if protocol != "single" else 1
    first = parsed.brief.participant(debating[0])
    others = tuple(participant for participant in parsed.brief.participants if participant.name not in debating)
    alone = tuple(replace(participant, language=first.language, view=first.view) for participant in respondents(count))
    return replace(parsed, brief=replace(parsed.brief, participants=(*alone, *others)), vacant=0)


def _notes_on_seats(plan: Plan, generator: str, live: Mapping[str, Model]) -> Iterator[str]:
    brief = plan.brief
    yield from (f"{words}." for words in plan.chosen if LEFT_OUT in words)
    yield from notes_on_quoting(brief)
    yield from check_sight(brief, live)
    if generator:
        yield f"Participants will be generated by {generator}; until then the estimate uses the built-in ones."


def _with_fallbacks(brief: Brief, config: Config | None, workspace: Workspace) -> Brief:
    """The brief with the owner's fallbacks for every participant that has a model and names none.

    A program of the owner's that this caller may not start is left out: the caller has not asked for it.
    """
    people = [participant for participant in brief.participants if _has_model(participant) and not participant.fallback]
    named = (config or load_config()).fallback if people else ()
    backing = [name for name in named if workspace.pool.starts(name)]
    backed = [
        replace(participant, fallback=tuple(name for name in backing if name != participant.seat))
        if participant in people
        else participant
        for participant in brief.participants
    ]
    return replace(brief, participants=tuple(backed))


def live_models(workspace: Workspace, brief: Brief, options: Fields = NO_OPTIONS) -> dict[str, Model]:
    """The models by participant; people and the built-in debater have none.

    Args:
        workspace: has the models.
        brief: the brief with agents assigned.
        options: those of extensions, as they stand on record.
    """
    pool = workspace.pool.with_options(options)
    modelled = filter(_has_model, brief.participants)
    return {participant.name: model_of(participant, pool) for participant in modelled}


def _has_model(participant: Participant) -> bool:
    return (participant.duty != "aide" or is_final_writer(participant)) and participant.seat not in NO_MODEL


async def _models(brief: Brief, named: Sequence[str], config: Config | None) -> tuple[tuple[str, ...], list[str]]:
    if named:
        return tuple(named), []
    if all(participant.seat for participant in brief.participants):
        return (QUOTES,), []
    config = config or load_config()
    if config.model:
        origin = dict(config.origin).get("model", "the settings")
        return (config.model,), [f"The model is {config.model}, from {origin}."]
    if text := await first_chat_model():
        return (text,), [f"The model is {text}, the first model of Ollama on this machine; choose others with -m."]
    return (QUOTES,), []


def _check_seats(workspace: Workspace, parsed: ParsedBrief) -> None:
    """Refuse agents that the brief names but that cannot exist, with their line."""
    for participant in parsed.brief.participants:
        try:
            if participant.seat:
                make_agents(replace(parsed.brief, participants=(participant,)), workspace.pool)
        except BriefError as error:
            line = parsed.lines.get(f"## {participant.name}", 0)
            raise BriefError(error.found, where=parsed.where, line=line, code=error.code) from error


def _check_tools(parsed: ParsedBrief, brief: Brief, config: Config | None) -> None:
    """Refuse tools that a participant cannot have, with the participant's line."""
    try:
        check_tools(brief, config)
    except BriefError as error:
        line = parsed.lines.get(f"## {brief.participants[0].name}", 0)
        raise BriefError(error.found, where=parsed.where, line=line, code=error.code) from error
