"""Prepare a debate: a brief and the caller's wishes become a plan with an estimate; nothing is sent to any model.

The choices about the protocol are checked against what it allows. A model is what the caller names, else what the brief
names, else what the user has set, else the first chat model of a server on this machine, else ``builtin:quotes``, which
is not a language model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal, cast, get_args

from folkmoot.app.brief.default_participants import TIMEKEEPER, default_moderator, respondents
from folkmoot.app.brief.names import free_name
from folkmoot.app.brief.participants import needs_moderator
from folkmoot.app.brief.reader import ParsedBrief, with_preset
from folkmoot.app.brief.types import LEARNED, PROTOCOLS
from folkmoot.app.brief.types import STRATEGIES as STRATEGY_NAMES
from folkmoot.app.plan.assignment import assign, first_chat_model, has_model, live_models, similarity_helper
from folkmoot.app.plan.checks import (
    LEFT_OUT,
    check_brief,
    check_prices,
    check_sight,
    ignored_settings,
    leave_out_unseeing,
    notes_on,
    notes_on_quoting,
)
from folkmoot.app.plan.estimate import Costing, estimate
from folkmoot.app.plan.settings import Config, load_config
from folkmoot.app.plan.toolbox import MODERATOR_TOOLS, can_use, check_tools, tool_notes
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.ask import Value
from folkmoot.core.brief import CLOCK, HUMAN, QUOTES, Brief, Limits, Participant, Settings
from folkmoot.core.errors import BriefError, ProtocolError
from folkmoot.core.event import extension_options
from folkmoot.core.extensions import PROTOCOL, RULE, check_named_options
from folkmoot.core.roles import RETRIEVER, VOTE_WEIGHER, VoteWeights, retriever
from folkmoot.core.text import clean_data, listed, unknown_word
from folkmoot.models.base import Model
from folkmoot.models.pool import Pool
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
    Memory,
    SummaryStyle,
    TurnMode,
    When,
    counting_rule,
)
from folkmoot.policy.pairing import Topology
from folkmoot.protocols.compose import ENDED
from folkmoot.protocols.grouped import LEAST
from folkmoot.protocols.known import ALONE, DECIDED_BY, DEFAULT, FORMATS, FORMATS_DECIDED_BY, GATED, VOTES, build

NEARBY_SECONDS = 600.0
"""Seconds for an answer of a server of one's own, where nobody says how many: a laptop writes a few words a second."""

MOST_IN_ONE_GROUP = 10
"""The most debaters of a brief who all hear each other; more overwhelm any reader, and what they read grows squared."""

MOST_FINAL = 16_384
"""The greatest length of a final answer in tokens that a caller may ask for; no model takes much more."""

# The names of helpers: each gets the first one that no participant has.
RETRIEVER_TITLES = ("Retriever", "Archivist", "Keeper of Memory")
WRITER_TITLES = ("Writer", "Final writer", "Writer of the answer")
WEIGHER_TITLES = ("Vote weigher", "Weigher of votes", "Keeper of Weights")

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
        memory=recall_settings(parsed, overrides),
        vote_weights=vote_weights(parsed, overrides, strategy),
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


def choice_error(
    parsed: ParsedBrief, overrides: Overrides, about: str, problem: str, *, code: str = "bad_enum"
) -> BriefError:
    """The error for a choice that does not fit, with its line in the brief, if it comes from there."""
    structural = about in ("protocol", "rounds", "strategy", "topology")
    if (structural and getattr(overrides, about) not in ("", None)) or not parsed.lines:  # it comes from the caller
        return BriefError(problem, code=code, about=about)
    names = (about, *(("persona_count",) if about == "participants" else ()), "protocol")
    line = next((parsed.lines[name] for name in names if name in parsed.lines), 0)
    return BriefError(problem, where=parsed.where, line=line, code=code, about=about)


def recall_settings(parsed: ParsedBrief, overrides: Overrides) -> Memory | None:
    """The memory settings of a brief; None if it has none.

    Raises:
        BriefError: settings of recall without it, or a retriever with ``recall: no``.
    """
    settings, seated = parsed.given, retriever(parsed.brief)
    if not settings.get("recall", bool(seated)):
        for name in ("history_limit", "research"):
            if name in settings:
                raise choice_error(parsed, overrides, name, f"{name} needs recall: yes", code="inconsistent")
        if seated:
            problem = f"recall is no, but {seated} is a retriever"
            raise choice_error(parsed, overrides, "recall", problem, code="inconsistent")
        return None
    history = cast("int", settings.get("history_limit", Memory().history))
    return Memory(history=history, tools=cast("tuple[str, ...]", settings.get("research", ())))


def vote_weights(parsed: ParsedBrief, overrides: Overrides, strategy: str) -> VoteWeights | None:
    """The method of vote weights: as the brief says, else its stated weights, else measured weights.

    A strategy without weights ignores it. Then the result is what the brief says, or None.

    Raises:
        BriefError: the brief asks for measured weights, but states the weight of a participant.
    """
    stated = [participant.name for participant in parsed.brief.participants if participant.weight is not None]
    kind = cast("VoteWeights | None", parsed.given.get("vote_weights"))
    if strategy != "weighted":
        return kind
    if kind is None:
        return "stated" if stated else "log_odds"
    if stated and kind != "stated":
        problem = f"vote_weights is {kind}, but {stated[0]} has a weight: leave out one of the two"
        raise choice_error(parsed, overrides, "vote_weights", problem, code="inconsistent")
    return kind


def with_moderator(parsed: ParsedBrief, overrides: Overrides) -> Brief:
    """The brief with the built-in moderator, if the protocol or the strategy needs one; a timekeeper for a board alone.

    Raises:
        BriefError: somebody else keeps the time, or the brief wants no moderator where one is needed.
    """
    protocol, brief = protocol_of(parsed, overrides), parsed.brief
    if protocol != "board":
        for person in brief.participants:
            if person.seat == CLOCK and person.name != TIMEKEEPER.name:
                problem = f"{person.name}: {CLOCK} only keeps the time of a board, not of {protocol}"
                raise BriefError(problem, code="bad_enum")
        brief = replace(brief, participants=tuple(person for person in brief.participants if person.seat != CLOCK))
    need = needs_moderator(protocol, overrides.strategy or parsed.strategy)
    if not need or brief.names("moderator"):
        return brief
    if parsed.given.get("moderator") is False:
        raise choice_error(parsed, overrides, "moderator", f"moderator is no, but {need}")
    moderator = replace(default_moderator(protocol), language=str(parsed.given.get("language", "")))
    return replace(brief, participants=(*brief.participants, moderator))


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
        parsed: the brief as it was read, with its preset.
        overrides: what the caller wants instead.
        config: the user's settings.
    """

    plan: Plan
    costing: Costing
    drops: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()
    generator: str = ""
    parsed: ParsedBrief
    overrides: Overrides
    config: Config


async def prepare(
    workspace: Workspace, parsed: ParsedBrief, overrides: Overrides, config: Config | None = None
) -> PreparedDebate:
    """Assign agents, build the protocol and estimate what it would use. Nothing is sent to any model.

    MCP servers whose tools the brief names are started, to see whether they are what their owner has pinned.

    Raises:
        BriefError: a seat, tool or wish that cannot be, a protocol that cannot be played with these participants, or
            a limit on cost with a model whose price is unknown.
    """
    preparation = Preparation(workspace, parsed, overrides, config or workspace.config or load_config())
    plan, live = await preparation.plan(), preparation.live
    await workspace.pool.learn()
    costing = costing_of(workspace.pool, plan.brief, plan.protocol, live)
    check_prices(plan.brief, costing)
    notes = [*preparation.notes, *notes_on(plan.brief, plan.name, preparation.choices, costing)]
    notes += [f"{words}." for words in plan.chosen if LEFT_OUT in words]
    notes += [*notes_on_quoting(plan.brief), *check_sight(plan.brief, live)]
    if generator := preparation.generator:
        notes.append(f"Participants will be generated by {generator}; until then the estimate uses the built-in ones.")
    notes += await tool_notes(plan.brief, preparation.config)
    notes += [f"It uses {package} for {listed(package.used_for)}." for package in plan.opened().packages]
    return PreparedDebate(
        plan=plan,
        costing=costing,
        drops=ignored_settings(plan.brief, live),
        notes=tuple(notes),
        generator=generator,
        parsed=preparation.parsed,
        overrides=overrides,
        config=preparation.config,
    )


async def plan_alone(workspace: Workspace, parsed: ParsedBrief, overrides: Overrides, config: Config) -> Plan:
    """The plan of a debate that sets no limits, without the estimate, which takes longer than the rest.

    Raises:
        BriefError: as of ``prepare``.
    """
    plan = await Preparation(workspace, parsed, overrides, config).plan()
    await tool_notes(plan.brief, config)  # which raises where a tool cannot be had
    return plan


def costing_of(pool: Pool, brief: Brief, protocol: Phase, live: Mapping[str, Model]) -> Costing:
    """What a debate costs, with the models that stand in for people.

    Args:
        pool: the models.
        brief: the brief with agents assigned.
        protocol: the phase tree.
        live: the models by participant.
    """
    stand_ins = {
        participant.name: pool.model(participant.stand_in)
        for participant in brief.participants
        if participant.seat == HUMAN and participant.stand_in not in ("", QUOTES, CLOCK, HUMAN)
    }
    return estimate(brief, protocol, live, stand_ins)


class Preparation:
    """A brief on its way to a plan. Each step settles what nobody said, or refuses what cannot be.

    Attributes:
        parsed: the brief as it was read, with its preset.
        people: who takes part; each step adds to them or changes them.
        choices: what is chosen about the protocol; known after ``plan``, as all that follows.
        live: the models by participant.
        models: the models for those without one of their own.
        generator: the model that generates the participants; "" where they are known.
        notes: what the owner should know of all that.
    """

    choices: Choices
    live: dict[str, Model]
    models: tuple[str, ...]
    generator: str

    def __init__(self, workspace: Workspace, parsed: ParsedBrief, overrides: Overrides, config: Config) -> None:
        self.workspace, self.overrides, self.config = workspace, overrides, config
        self.parsed = with_preset(parsed, config.presets, protocol=overrides.protocol)
        if not parsed.lines:  # a program may put anything into a brief
            self.parsed = replace(self.parsed, brief=workspace.store_agents(self.parsed.brief))
        self.protocol = protocol_of(self.parsed, overrides)
        self.people = list(self.parsed.brief.participants)
        self.notes = list(self.parsed.notes)
        self._pool = workspace.pool.with_options(extension_options(self.parsed.settings))

    async def plan(self) -> Plan:
        """Take all steps.

        Raises:
            BriefError: as of ``prepare``.
        """
        parsed = self.parsed
        try:
            self._answer_alone()
            self.people = list(with_moderator(replace(parsed, brief=self._brief()), self.overrides).participants)
            memory = recall_settings(parsed, self.overrides)
            self._add_retriever(memory)
            self._add_writer()
            await self._choose_models()
            self.people = list(assign(self._brief(), self.models).participants)
            self._add_fallbacks()
            self._find_models()
            left_out = self._leave_out_unseeing()
            self._give_moderator_tools()
            self.choices = await self._choose()
            self._add_measures()
            return self._build(left_out)
        except ProtocolError as error:
            raise choice_error(parsed, self.overrides, error.about, str(error)) from error

    def _brief(self) -> Brief:
        return replace(self.parsed.brief, participants=tuple(self.people))

    def _answer_alone(self) -> None:
        """Neutral debaters where nobody reads another's answer, and the brief describes no debater.

        A debater with a stance is made for a debate. One answers, or one for each model that the caller names.
        """
        parsed, debating = self.parsed, self.parsed.brief.names("debater")
        if self.protocol not in ALONE or len(debating) != parsed.vacant or "persona_count" in parsed.given:
            return
        count = max(1, len(self.overrides.models or parsed.models)) if self.protocol != "single" else 1
        first = parsed.brief.participant(debating[0])
        alone = [replace(person, language=first.language, view=first.view) for person in respondents(count)]
        self.people = [*alone, *(person for person in self.people if person.name not in debating)]
        self.parsed = replace(parsed, brief=self._brief(), vacant=0)

    def _add_helper(self, titles: Sequence[str], role: str, seat: str) -> None:
        name = free_name(titles, (person.name for person in self.people))
        self.people.append(Participant(name=name, role=role, seat=seat, duty="aide"))

    def _add_retriever(self, memory: Memory | None) -> None:
        """A memory retriever with its tools, if the brief asks for memory; it may describe one itself."""
        if memory is None:
            return
        if not retriever(self._brief()):
            self._add_helper(RETRIEVER_TITLES, "Recalls earlier debates", RETRIEVER)
        seated = retriever(self._brief())
        self.people = [replace(who, tools=memory.tools) if who.name == seated else who for who in self.people]

    def _add_writer(self) -> None:
        """A helper that writes the final answer, if the caller wants one."""
        if final := self.overrides.final:
            self._add_helper(WRITER_TITLES, "Writes the final answer", final.model)
            settings = Settings(max_tokens=min(final.tokens, MOST_FINAL)) if final.tokens else Settings()
            self.people[-1] = replace(self.people[-1], settings=settings)

    async def _choose_models(self) -> None:
        """The models for those without one of their own, and the one that generates the participants."""
        parsed, config = self.parsed, self.config
        self.models = tuple(self.overrides.models or parsed.models)
        if not self.models and not all(person.seat for person in self.people):
            if config.model:
                self.models = (config.model,)
                origin = dict(config.origin).get("model", "the settings")
                self.notes.append(f"The model is {config.model}, from {origin}.")
            elif first := await first_chat_model():
                self.models = (first,)
                self.notes.append(
                    f"The model is {first}, the first model of Ollama on this machine; choose others with -m."
                )
        self.models = self.models or (QUOTES,)
        # Small models name poor participants, and take a minute for it.
        built_in = parsed.built_in(self.overrides.cast, usual=self.workspace.pool.is_nearby(self.models[0]))
        generates = parsed.vacant and not built_in and self.models[0] not in (QUOTES, HUMAN)
        self.generator = self.models[0] if generates else ""

    def _add_fallbacks(self) -> None:
        """The owner's fallbacks for every participant that has a model and names none.

        A program of the owner's that this caller may not start is left out: the caller has not asked for it.
        """
        backing = [name for name in self.config.fallback if self.workspace.pool.starts(name)]
        self.people = [
            replace(person, fallback=tuple(name for name in backing if name != person.seat))
            if has_model(person) and not person.fallback
            else person
            for person in self.people
        ]

    def _find_models(self) -> None:
        """The models, once; an agent that cannot answer is refused, with its line where the brief names it."""
        try:
            self.live = live_models(self._brief(), self._pool)
        except BriefError as error:
            raise self._located(error, seats=True) from error

    def _located(self, error: BriefError, *, seats: bool = False) -> BriefError:
        """An error about a participant with its line in the brief; for ``seats`` where its agent stands there too."""
        parsed = self.parsed
        own = {person.name for person in parsed.brief.participants if person.seat or not seats}
        if error.line or error.about not in own:
            return error
        line = parsed.lines.get(f"## {error.about}", 0)
        return BriefError(error.found, where=parsed.where, line=line, code=error.code)

    def _leave_out_unseeing(self) -> tuple[str, ...]:
        """Leave out who does not see the brief's pictures, where it says so; returns why, for each."""
        if self.parsed.given.get("unseeing") != "skip":
            return ()
        brief, left_out = leave_out_unseeing(self._brief(), self.live)
        self.people = list(brief.participants)
        if left_out:
            self.live = live_models(brief, self._pool)  # a fallback may be left out as well
        return left_out

    def _give_moderator_tools(self) -> None:
        """Tools for the moderator, as far as they can be had, if it is a tool agent and the brief names none."""
        if self.parsed.given.get("mediator_type") != "toolagent":
            return
        brief = self._brief()
        for n, person in enumerate(self.people):
            if person.duty == "moderator" and "tool_usage" not in self.parsed.own.get(person.name, {}):
                tools = tuple(name for name in MODERATOR_TOOLS if can_use(person, name, brief, self.config))
                self.people[n] = replace(person, tools=tools)

    async def _choose(self) -> Choices:
        """The choices, with the threshold that past debates teach, if the brief asks for it."""
        choices = make_choices(self.parsed, self.overrides)
        if self.parsed.given.get("threshold") != LEARNED:
            return choices
        from folkmoot.app.plan.gate_threshold import learn_threshold  # here for start-up time

        threshold, grounds = await learn_threshold(self.workspace.store, self.parsed.brief.topic)
        self.notes.append(grounds)
        return replace(choices, threshold=threshold)

    def _add_measures(self) -> None:
        """The helpers that measure how alike proposals are, and what votes weigh."""
        if helper := similarity_helper(self._limited(), self.choices.until, self.config):
            self.people.append(helper)
        if self.choices.measured:
            self._add_helper(WEIGHER_TITLES, "Weighs votes by earlier debates", VOTE_WEIGHER)

    def _limited(self) -> Brief:
        """The brief with the caller's seed and limits."""
        brief, overrides = self.parsed.brief, self.overrides
        limits = overrides.caps.on(brief.limits)
        # More time for each answer where nobody says how much, and a server of one's own answers.
        said = "limits.turn_seconds" in self.parsed.given or overrides.caps.turn_seconds is not None
        if not said and limits.turn_seconds == Limits().turn_seconds:
            nearby = any(self.workspace.pool.is_nearby(person.seat) for person in self.people if person.seat)
            limits = replace(limits, turn_seconds=NEARBY_SECONDS) if nearby else limits
        seed = brief.seed if overrides.seed is None else overrides.seed
        return replace(brief, participants=tuple(self.people), seed=seed, limits=limits)

    def _build(self, left_out: Sequence[str]) -> Plan:
        """The plan, with the checks that need the whole brief."""
        parsed, overrides, choices = self.parsed, self.overrides, self.choices
        brief = clean_data(self._limited())
        check_brief(brief)
        tree = build(self.protocol, brief, choices)
        if choices.other_options:
            check_named_options(choices.other_options)
        try:
            check_tools(brief, self.config)
        except BriefError as error:
            raise self._located(error) from error
        caller = {"rounds": overrides.rounds, "strategy": overrides.strategy, "topology": overrides.topology}
        # A learned threshold stands as its number: whoever runs the brief again gets the same debate.
        caller |= {"protocol": self.protocol, "threshold": choices.threshold}
        return Plan(
            brief=brief,
            name=self.protocol,
            protocol=tree,
            settings=parsed.settings | {name: value for name, value in caller.items() if value not in ("", None)},
            chosen=(*choices.in_words(), *left_out, *filter(None, (parsed.cast,))),
            place=parsed.place,
            unseated=parsed.unseated,
        )
