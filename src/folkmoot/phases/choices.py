"""The protocol settings of a brief: mediation, extras, memory, order of speaking, conditions for ending."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Literal, TypeAlias, cast

from folkmoot.core.ask import Fields, Value
from folkmoot.core.brief import VOTED_ROUNDS
from folkmoot.core.errors import ProtocolError
from folkmoot.core.extensions import PROTOCOL, RULE, check_options, find, no_options
from folkmoot.core.roles import VoteWeights
from folkmoot.phases.speak import SPOKEN
from folkmoot.policy.pairing import Topology
from folkmoot.policy.rankings import METHODS, Ranked
from folkmoot.policy.rounds import Alike, AnyOf, ByPriority, Drawn, InTurn, NothingNew, Reacting, Stop, Turns
from folkmoot.policy.rules import MAJORITY, PLURALITY, SUPERMAJORITY, UNANIMITY, WEIGHTED, CheckedRule, Quorum, Rule

MediatorKind: TypeAlias = Literal["silent", "active", "judge", "consensus", "reflector", "toolagent"]
When: TypeAlias = Literal["every_round", "midpoint", "final"]
SummaryStyle: TypeAlias = Literal["neutral", "critical", "persuasive"]
TurnMode: TypeAlias = Literal["round_robin", "random", "priority_order", "reaction_triggered"]
Condition: TypeAlias = Literal[
    "consensus_reached",
    "no_new_arguments",
    "rounds_exhausted",
    "answers_unchanged",
    "stalled",
    "confidence_reached",
    "majority_certain",
    "lead_decided",
]

AT_THE_END: tuple[MediatorKind, ...] = ("silent", "consensus")
"""The mediators who speak once, at the end, whenever they are told to."""

ORDERS: Mapping[TurnMode, Turns] = {
    "round_robin": InTurn(),
    "random": Drawn(),
    "priority_order": ByPriority(),
    "reaction_triggered": Reacting(),
}
"""The orders of speaking by the names that a brief gives them."""

OPEN_ORDER = ("round_robin",)
"""The protocols that leave it open who speaks next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mediation:
    """What the mediator does beside the protocol.

    Attributes:
        kind: ``silent`` sums up at the end; ``active`` interjects, warns and clarifies; ``judge`` scores each debater;
            ``consensus`` reconciles all views at the end; ``reflector`` asks for revisions; ``toolagent`` looks up
            what is disputed.
        when: after every round, after the middle one, or after the last.
        style: how it sums up.
    """

    kind: MediatorKind
    when: When = "every_round"
    style: SummaryStyle = "neutral"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extras:
    """What may be added to any protocol.

    Attributes:
        live_scoring: each turn is rated when it is made, by the mediator, else by the other debaters in turn.
        anonymous_scoring: at the end each debater scores the others, names hidden.
        reasoned_evaluation: at the end the mediator, else each debater, says in words who argued how well.
        revision: after each round each debater may revise one earlier turn of its own, which it names.
        self_reflection: at the end each debater names its contradictions and changes of opinion, with the turns.
        evolution: after each round each debater writes itself a note on its strategy, which nobody else sees.
        interruptions: after each turn the others may bid to interrupt it; the strongest bid gets a short turn.
    """

    live_scoring: bool = False
    anonymous_scoring: bool = False
    reasoned_evaluation: bool = False
    revision: bool = False
    self_reflection: bool = False
    evolution: bool = False
    interruptions: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What is recalled before the debate: outcomes of earlier ones, what tools find."""

    history: int = 5
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Final:
    """The final answer that somebody writes from what was decided, for whoever asked.

    Attributes:
        model: who writes it; "" for the first of the debate's models.
        schema: the JSON Schema that it has to fit, as text; "" for words.
        task: what to do beside that; "" for nothing more.
        alone: whether nothing is debated: it answers at once.
        talk: the conversation of the caller as JSON, where it is answered in its own messages; "" where it is not.
        tokens: the greatest length of the answer; 0 for the usual one.
    """

    model: str = ""
    schema: str = ""
    task: str = ""
    alone: bool = False
    talk: str = ""
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What a brief may choose about its protocol; None and "" mean the protocol's default.

    Attributes:
        rounds: the greatest number of rounds.
        strategy: how it is decided: ``majority``, ``weighted``, ``consensus``, ``moderator``, ``supermajority``; with
            a debate format how it ends: ``mediator_summary``, ``agent_closing``, ``vote``, ``vote_based``,
            ``ranked_reasons``, ``no_consensus``.
        topology: who criticizes whom.
        hub: with the topology ``star``, the debater in its center; "" for the first.
        sparsity: with ``sparse`` and ``random-graph``, the probability with which a link is left out, 0 to 1.
        reminder_interval: on a board, after how many messages the timekeeper speaks.
        deadline_interval: on a board, after how many messages it names who owes a verdict.
        turn_mode: who speaks next, where the protocol leaves it open.
        until: what ends the rounds before their number is full.
        summarize: the number of rounds after which the debate is summed up each time; 0: never.
        mediation: what the mediator does beside the protocol.
        extras: what is added to the protocol.
        memory: what is recalled first of all; None for nothing.
        vote_weights: what votes weigh by with the strategy ``weighted``: what the brief states of each participant, the
            log-odds of its measured accuracy, or Elo and calibration by the formula of the phases document; None for
            what is stated.
        language: the language of the debate, into which is translated what is said in others; "" for that of the topic.
        threshold: how far apart first answers may be without a debate, 0 to 1.
        samples: how many independent answers are counted.
        forecast: of what kind forecasts are: a probability, a number, or quantiles; "" for a probability.
        merge: whether a judge that has picked an answer writes one from all.
        final: the final answer that is written after the decision; None for none.
        protocol_options: the options of a protocol from another package, by name.
        strategy_options: the options of a rule from another package, by name.
        other_options: the options of tools, model providers and report formats from other packages, under their full
            names: ``tool_options.dice.most``.
    """

    rounds: int | None = None
    strategy: str = ""
    topology: Topology | None = None
    hub: str = ""
    sparsity: float | None = None
    reminder_interval: int | None = None
    deadline_interval: int | None = None
    turn_mode: TurnMode | None = None
    until: tuple[Condition, ...] = ()
    summarize: int = 0
    mediation: Mediation | None = None
    extras: Extras = Extras()
    memory: Memory | None = None
    vote_weights: VoteWeights | None = None
    language: str = ""
    threshold: float | None = None
    samples: int | None = None
    forecast: Literal["", "probability", "number", "quantiles"] = ""
    merge: bool = False
    final: Final | None = None
    protocol_options: Fields = field(default_factory=dict[str, Value])
    strategy_options: Fields = field(default_factory=dict[str, Value])
    other_options: Fields = field(default_factory=dict[str, Value])

    @property
    def measured(self) -> bool:
        """Whether votes weigh by what was measured in earlier debates."""
        return self.strategy == "weighted" and self.vote_weights not in (None, "stated")

    def options(self) -> dict[str, Value]:
        """All options of extensions, under their full names, as they stand on record."""
        named_options = {f"{PROTOCOL.options}.{name}": value for name, value in self.protocol_options.items()}
        named_options |= {f"{RULE.options}.{name}": value for name, value in self.strategy_options.items()}
        return {**named_options, **self.other_options}

    def in_words(self) -> tuple[str, ...]:
        """What was chosen, but the number of rounds, in words for the report."""
        facts = {"decided by": self.strategy, "critics": self._critics(), "turns": self.turn_mode or ""}
        facts["timekeeper"] = self._intervals()
        facts["until"] = " or ".join(self.until)
        facts["threshold"] = "" if self.threshold is None else f"{self.threshold:g}"
        facts["forecast of a"] = self.forecast
        facts["merge"] = "yes" if self.merge else ""
        facts["samples"] = "" if self.samples is None else str(self.samples)
        if self.mediation:
            facts["mediator"] = f"{self.mediation.kind}, {self.mediation.when}, {self.mediation.style}"
        if self.summarize:
            facts["summary"] = f"every {self.summarize} rounds" if self.summarize > 1 else "every round"
        if self.memory:
            facts["recalled"] = ", ".join((f"at most {self.memory.history} outcomes", *self.memory.tools))
        facts["votes weighed by"] = self.vote_weights if self.measured and self.vote_weights else ""
        added = [field.name for field in fields(self.extras) if getattr(self.extras, field.name)]
        facts["with"] = ", ".join(added)
        others = {" ".join(name.split(".")[1:]): value for name, value in self.other_options.items()}
        options = {**self.protocol_options, **self.strategy_options, **others}
        facts |= {name: value_in_words(value) for name, value in options.items()}
        return tuple(f"{name} {words}".replace("_", " ") for name, words in facts.items() if words)

    def _intervals(self) -> str:
        reminder = f"speaks every {self.reminder_interval} messages" if self.reminder_interval else ""
        deadline = f"deadline every {self.deadline_interval} messages" if self.deadline_interval else ""
        return ", ".join(filter(None, (reminder, deadline)))

    def _critics(self) -> str:
        hub = f" around {self.hub}" if self.hub else ""
        sparsity = "" if self.sparsity is None else f", sparsity {self.sparsity:g}"
        return f"{self.topology or ''}{hub}{sparsity}"

    def at_least_one(self, protocol: str, usual: int) -> int:
        """The number of rounds, or the usual one.

        Raises:
            ProtocolError: the number is 0.
        """
        rounds = usual if self.rounds is None else self.rounds
        if rounds < 1:
            raise ProtocolError(f"{protocol} needs at least 1 round, not {rounds}", about="rounds")
        return rounds

    def rounds_before_vote(self, protocol: str, usual: int) -> int:
        """The number of rounds, or the usual one, where more rounds before a vote do harm.

        Raises:
            ProtocolError: the number is too high.
        """
        rounds = usual if self.rounds is None else self.rounds
        if rounds > VOTED_ROUNDS.high:
            limit = f"{protocol} has at most {VOTED_ROUNDS.high} rounds"
            problem = f"{limit}, not {rounds}: more rounds before a vote do harm"
            raise ProtocolError(problem, about="rounds")
        return rounds

    def order(self) -> Turns:
        """Who speaks next; without a choice everybody in turn."""
        return ORDERS[self.turn_mode or "round_robin"]

    def no_turn_mode(self, protocol: str) -> None:
        """Refuse a choice of who speaks next, for a protocol that has an order of its own.

        Raises:
            ProtocolError: there is such a choice.
        """
        if self.turn_mode:
            formats = ", ".join(OPEN_ORDER)
            raise ProtocolError(
                f"{protocol} has its own order of speaking; turn_mode works with {formats}", about="turn_mode"
            )


def value_in_words(value: Value) -> str:
    """The value of an option in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, tuple) else str(value)


# ---- strategies and ends of rounds ----------------------------------------------------------------------------------

ARGUING = tuple(act for act in SPOKEN if act != "close")
"""The acts that hold answers; closing statements come after the rounds."""

CLAIMING = tuple(act for act in ARGUING if act != "question")
"""The acts that carry claims: an examiner's questions are always new, what counts is what they bring to light."""


def until(choices: Choices) -> Stop | None:
    """What ends the rounds before their number is full; None if only their number does."""
    stops: dict[str, Stop] = {
        "consensus_reached": Alike(acts=ARGUING),
        "no_new_arguments": NothingNew(acts=CLAIMING),
    }
    chosen = tuple(stop for name, stop in stops.items() if name in choices.until)
    return chosen[0] if len(chosen) == 1 else AnyOf(stops=chosen) if chosen else None


BallotKind: TypeAlias = Literal["choice", "ranking", "approval", "scores"]
"""What voters are asked for: one candidate, all in order, those that they could accept, or a score for each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountingRule:
    """A way to decide by ballots, under the name by which a brief chooses it.

    Attributes:
        rule: ballots to decision; a frozen dataclass, whose fields are stored with the debate.
        ballot: what voters are asked for.
        task: what they are told to do; "" for the usual words.
        most: with ``scores``, the highest score.
    """

    rule: Rule
    ballot: BallotKind = "choice"
    task: str = ""
    most: int = 5


COUNTING: Mapping[str, CountingRule] = {
    "majority": CountingRule(rule=PLURALITY),
    "weighted": CountingRule(rule=WEIGHTED),
    "consensus": CountingRule(rule=UNANIMITY),
    "plurality": CountingRule(rule=PLURALITY),
    "absolute": CountingRule(rule=MAJORITY),
    "supermajority": CountingRule(rule=SUPERMAJORITY),
    "unanimous": CountingRule(rule=UNANIMITY),
    **{
        name: CountingRule(
            rule=Quorum(rule=Ranked(method=name)), ballot="approval" if name == "approval" else "ranking"
        )
        for name in METHODS
        if name != "minimax"  # it only counts again
    },
}
"""The rules that are built in, by the words of a brief; those for rankings have the names of their methods."""

STRATEGIES: Mapping[str, Rule] = {name: rule.rule for name, rule in COUNTING.items() if rule.ballot == "choice"}
"""The rules by which a vote for one candidate is decided."""

RANKED: tuple[str, ...] = tuple(name for name in COUNTING if name not in STRATEGIES)
"""The rules for which voters rank, approve or score the answers."""

DECIDERS = ("moderator", "judge")
"""The words of a brief for a decision by the moderator, and by a judge who is asked in both orders."""


def counting_rule(strategy: str, options: Fields | None = None) -> CountingRule | None:
    """The rule of that name, built in or of another package; None where there is none.

    Raises:
        ProtocolError: several packages offer it, it cannot be loaded, or it does not take the options.
    """
    if options and strategy in (*COUNTING, *DECIDERS, ""):
        no_options(options, whose=strategy or "the default strategy", where=RULE.options)
    if not strategy or strategy in COUNTING:
        return COUNTING.get(strategy)
    if (offer := find(RULE, strategy)) is None:
        return None
    loaded = offer.load(CountingRule)
    if not is_dataclass(rule := loaded.rule):
        raise offer.broken("its rule is not a dataclass, so it cannot be stored")
    # Records name the rule, and a recount finds its options by that name.
    if (called := getattr(rule, "name", "")) != strategy:
        raise offer.broken(f"its rule is called {called!r}; a rule has the name of its entry point")
    checked = check_options(type(rule), options or {}, whose=strategy, where=RULE.options)
    return replace(
        loaded, rule=Quorum(rule=CheckedRule(rule=cast(Rule, replace(rule, **checked)), package=offer.package))
    )


def ranks(choices: Choices) -> bool:
    """Whether voters rank, approve or score the answers, rather than voting for one."""
    rule = counting_rule(choices.strategy, choices.strategy_options)
    return rule is not None and rule.ballot != "choice"


def rule_of(choices: Choices, default: Rule, *, beside: tuple[str, ...] = (), after: tuple[str, ...] = ()) -> Rule:
    """The rule by which a vote for one candidate is decided; the default where none is chosen.

    Raises:
        ProtocolError: there is no such strategy; ``beside`` and ``after`` name the other choices, for the message.
    """
    strategy = choices.strategy
    rule = counting_rule(strategy, choices.strategy_options)
    if not strategy:
        return default
    if rule is None or rule.ballot != "choice":
        strategies = ", ".join((*beside, *STRATEGIES, *after))
        raise ProtocolError(f"no strategy is called {strategy!r} here; there are {strategies}", about="strategy")
    return rule.rule
