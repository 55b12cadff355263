"""The settings of a brief as types: name, bounds, default and meaning of each key.

A struct each for the header, its limits, a participant and its search. The reader checks by them; the JSON Schema, the
description of the API and the reference pages are made from them. The words that a key allows are taken from the phases
where those define them. No key can name a host, an address, a credential, or a file outside the brief's own folder.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_origin

from msgspec import Meta, Struct

from folkmoot.app.brief.tables import within
from folkmoot.core.brief import (
    ASKS,
    COST,
    GRACE,
    INTERVAL,
    LONGEST_OPTION,
    OPTIONS,
    PARALLEL,
    PARTICIPANTS,
    QUORUM,
    ROUNDS,
    SAMPLES,
    SEED,
    THRESHOLDS,
    TOKENS,
    TOOLS,
    TOTAL_SECONDS,
    TURN_SECONDS,
    LogMode,
    Schemas,
)
from folkmoot.core.extensions import PROTOCOL, RULE, TOOL, offered, offers
from folkmoot.core.roles import VoteWeights
from folkmoot.core.text import closest
from folkmoot.phases.choices import COUNTING, DECIDERS, Condition, MediatorKind, SummaryStyle, TurnMode, When
from folkmoot.phases.endings import ENDINGS
from folkmoot.policy.pairing import Topology
from folkmoot.protocols.known import DEFAULT, KNOWN, names

__all__ = ["DEFAULT", "names"]  # beside what stands here: hosts may not import protocols

PROTOCOLS = tuple(KNOWN)
"""The protocols that a brief may name, but those of other packages."""

STRATEGIES = (*COUNTING, *DECIDERS, *ENDINGS)
"""The ways to decide that a brief may name, but those of other packages."""

LEARNED = "learned"
"""The word for a threshold that past debates teach."""

Scope: TypeAlias = Literal["full_log", "last_n_turns", "summary_only", "persona_scoped"]
"""What each participant sees."""

ContextStrategy: TypeAlias = Literal["append_all", "rolling_window", "summarize_past", "persona_masking"]
"""How the log is kept short."""


def protocol_summaries() -> dict[str, str]:
    """What each protocol that a brief may name does, by its name; of other packages whose they are."""
    ours = {name: (make.__doc__ or "").partition("\n")[0] for name, make in KNOWN.items()}
    others = {offer.name: f"Of the package {offer.package} {offer.version}." for offer in offers(PROTOCOL)}
    return {**ours, **{name: words for name, words in others.items() if name not in ours}}


def strategies() -> tuple[str, ...]:
    """The ways to decide that a brief may name, those of other packages last."""
    return (*STRATEGIES, *(name for name in offered(RULE) if name not in STRATEGIES))


@dataclass(frozen=True, slots=True)
class Key:
    """One key: what stands beside the type of its field, and what ``keys_of`` reads from that type.

    Attributes:
        help: what it means, in a sentence.
        example: a value as it is written in a brief.
        aliases: other names that are read as well.
        hints: words that people write when they mean this key; never read, only suggested.
        choices: the allowed words, where the type does not say them; of a number those that may stand in its place.
        further: choices beside these, which are looked up only when another word comes up.
        same: further words for choices, each with the choice that it means.
        form: what its text is: a ``name``; ``prose`` of any length, or a list of lines; a ``model``; a length of time
            for a person (``term``), for a server of models (``span``) or in ``seconds``; ``letters``, which nothing changes; "" for one line.
        name: its documented name; that of a limit begins with ``limits.``, of a search's with ``search.``.
        type: what it holds, or each of its entries.
        checked: the whole type with its bounds, as msgspec checks it.
        is_list: whether it holds a list.
        low: the least number, or number of entries.
        high: the greatest number, number of entries, or number of characters.
        written: the alias by which a brief names the key; "" for its own name.
    """

    help: str
    _: KW_ONLY
    example: str
    aliases: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    further: Callable[[], tuple[str, ...]] | None = None
    same: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    form: Literal["", "name", "prose", "model", "term", "span", "seconds", "letters"] = ""
    name: str = ""
    type: Any = None
    checked: Any = field(default=None, compare=False, repr=False)
    is_list: bool = False
    low: float = 0
    high: float = 0
    written: str = field(default="", compare=False)


Model: TypeAlias = Annotated[str, Meta(pattern=r"^\s*([A-Za-z][A-Za-z0-9_-]*[:/][^/\s].*|human|retriever)\s*$")]
"""``provider:name``, or another agent."""

Span: TypeAlias = Annotated[str, Meta(pattern=r"^(-1|0|[0-9]{1,6}(\.[0-9]{1,3})?(ms|s|m|h))$")]
"""A length of time as servers of models take it."""

Term: TypeAlias = Annotated[str, Meta(pattern="^[0-9]{1,6}[smhdw]$")]
"""A length of time."""

Stop: TypeAlias = Annotated[str, Meta(min_length=1, max_length=100)]
"""A text kept to the letter."""

Option: TypeAlias = Annotated[str, Meta(max_length=LONGEST_OPTION)]
"""An entry of a list of texts."""

OPTION_NAME = "[a-z][a-z0-9_]{0,39}"
"""The pattern of the name of an option of an extension."""

EXTENSION_NAME = "[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
"""The pattern of the name of an extension."""

Options: TypeAlias = Mapping[
    Annotated[str, Meta(pattern=f"^{OPTION_NAME}$")], bool | int | float | str | tuple[Option, ...]
]
"""The options of one extension, which another package declares."""

NamedOptions: TypeAlias = Mapping[Annotated[str, Meta(pattern=f"^{EXTENSION_NAME}$")], Options]
"""The same for each extension that is named."""


# fmt: off
class LimitKeys(Struct, kw_only=True, forbid_unknown_fields=True):
    """The limits of a debate, as a header has them."""

    asks: Annotated[int, within(ASKS), Key(
        "Maximum number of questions to participants.",
        example="200", hints=("limits.calls", "limits.requests"))] | None = None
    tokens: Annotated[int, within(TOKENS), Key(
        "Input and output tokens of all calls.",
        example="40000", hints=("limits.max_tokens",))] | None = None
    cost: Annotated[float, within(COST), Key(
        "US dollars of all calls; needs a known price for every model.",
        example="0.50", aliases=("limits.usd",),
        hints=("limits.dollars", "limits.money", "limits.max_cost", "limits.price"))] | None = None
    turn_seconds: Annotated[float, within(TURN_SECONDS), Key(
        "Seconds for one answer, repairs and retries included.",
        example="120", aliases=("timeout_per_turn", "limits.timeout_per_turn"),
        hints=("limits.timeout", "timeout", "turn_timeout"), form="seconds")] | None = None
    total_seconds: Annotated[float, within(TOTAL_SECONDS), Key(
        "Seconds for the whole debate while it runs.",
        example="1800", hints=("limits.seconds", "limits.time"), form="seconds")] | None = None
    parallel: Annotated[int, within(PARALLEL), Key(
        "Maximum number of answers in parallel.",
        example="4", hints=("limits.concurrency",))] | None = None
    quorum: Annotated[int, within(QUORUM), Key(
        "How many answers are enough where debaters speak at once. Later answers are left out.",
        example="2", aliases=("quorum",))] | None = None
    grace: Annotated[float, within(GRACE), Key(
        "Seconds that the others have when the quorum has answered.",
        example="20", aliases=("grace",), form="seconds")] | None = None


class SearchKeys(Struct, kw_only=True, forbid_unknown_fields=True):
    """How a participant looks for its next argument."""

    method: Annotated[Literal["mcts"], Key("Monte Carlo tree search.", example="mcts")] | None = None
    simulations: Annotated[int, Meta(ge=1, le=64), Key("Number of simulations.", example="16")] | None = None
    depth: Annotated[int, Meta(ge=1, le=4), Key(
        "Number of replies that are simulated after each candidate.",
        example="2")] | None = None


class ParticipantKeys(Struct, kw_only=True, forbid_unknown_fields=True):
    """The settings of a participant."""

    name: Annotated[str, Meta(max_length=200), Key(
        "1 to 40 letters, digits, spaces and . ' - _ ( ) &, unlike the other names.",
        example="Ada", aliases=("persona_name",), hints=("label", "title"), form="name")] | None = None
    role: Annotated[str, Meta(max_length=200), Key(
        "The role or stance in a few words; without it the first sentence of the persona.",
        example="Cautious risk analyst", aliases=("role_description",),
        hints=("position", "stance", "description", "perspective"))] | None = None
    model: Annotated[Model, Key(
        "Who answers: provider:name, or human. Also in the heading: ## Ada (ollama:llama3.2).",
        example="ollama:llama3.2", hints=("llm", "seat", "provider"), form="model")] | None = None
    fallback: Annotated[tuple[Model, ...], Meta(min_length=1, max_length=4), Key(
        "Models that are asked in turn while its own cannot be reached; each such answer is named in the report.",
        example="[openai:gpt-4o-mini]", hints=("fallbacks", "backup"), form="model")] | None = None
    persona: Annotated[str, Meta(max_length=20000), Key(
        "Instructions for this participant alone; in a section, the text after the settings.",
        example='"You know the costs."', aliases=("system_prompt",),
        hints=("prompt", "instructions", "character", "bio"), form="prose")] | None = None
    personality: Annotated[str, Meta(max_length=500), Key(
        "What the participant is like; it is added to the persona.",
        example="Analytical, values rigorous methodology", hints=("temperament", "traits"))] | None = None
    expertise: Annotated[str, Meta(max_length=500), Key(
        "What the participant knows best; without a role it is the role, which all are told.",
        example="Machine learning, 24 papers", hints=("field", "skills", "speciality"))] | None = None
    speaking_style: Annotated[str, Meta(max_length=500), Key(
        "How the participant talks; it is added to the persona.",
        example="Short questions, no small talk", hints=("voice", "speech"))] | None = None
    weight: Annotated[float, Meta(ge=0, le=10), Key(
        "The weight of the vote, or the level of expertise.",
        example="0.8", hints=("expertise_level",))] | None = None
    duty: Annotated[Literal["debater", "moderator", "juror"], Key(
        "Debates, moderates, or only hears and votes; Moderator, Mediator, Judge and Chair moderate by name.",
        example="moderator", hints=("moderator", "mediator", "office", "judge", "jury"))] | None = None
    deadline: Annotated[Term, Key(
        "How long the debate waits for each answer of a person: 10m, 2d. Default: no time limit.",
        example="2d", hints=("due", "time_limit", "patience"), form="term")] | None = None
    stand_in: Annotated[Model, Key(
        "Who answers when a person's deadline has passed; without it, that turn is missing.",
        example="ollama:llama3.2", hints=("substitute", "replacement", "deputy"), form="model")] | None = None
    temperature: Annotated[float, Meta(ge=0, le=2), Key("How freely the model answers.", example="0.7")] | None = None
    top_p: Annotated[float, Meta(ge=0, le=1), Key(
        "The share of likely words that the model chooses from (top-p).",
        example="0.9")] | None = None
    presence_penalty: Annotated[float, Meta(ge=-2, le=2), Key(
        "How much the model avoids words that it has used (presence penalty).",
        example="0.5")] | None = None
    frequency_penalty: Annotated[float, Meta(ge=-2, le=2), Key(
        "How much the model avoids words that it has used often (frequency penalty).",
        example="0.5")] | None = None
    seed: Annotated[int, within(SEED), Key("The random seed of the model.", example="7")] | None = None
    max_tokens: Annotated[int, Meta(ge=1, le=1_000_000), Key(
        "Maximum length of one answer, in tokens.",
        example="800", hints=("tokens", "max_length"))] | None = None
    top_k: Annotated[int, Meta(ge=1, le=1000), Key(
        "The model chooses from this many of the likeliest words (top-k).",
        example="40")] | None = None
    min_p: Annotated[float, Meta(ge=0, le=1), Key(
        "The lowest probability of a word, as a share of the likeliest one's.",
        example="0.05")] | None = None
    repeat_penalty: Annotated[float, Meta(ge=0, le=2), Key(
        "How much a local model avoids repetition; 1 is not at all.",
        example="1.1")] | None = None
    stop: Annotated[tuple[Stop, ...], Meta(min_length=1, max_length=8), Key(
        "Texts at which the answer ends.",
        example='["END"]', hints=("stop_sequences", "stops"), form="letters")] | None = None
    num_ctx: Annotated[int, Meta(ge=256, le=4_194_304), Key(
        "The tokens of context that a local server sets aside.",
        example="8192", hints=("context_length", "ctx"))] | None = None
    keep_alive: Annotated[Span, Key(
        "How long a local server keeps the model in memory: 10m, -1 forever, 0 not at all.",
        example="10m", form="span")] | None = None
    schemas: Annotated[Schemas, Key(
        "When its provider is sent the form of an answer as a JSON Schema: first, repair or off.",
        example="off", hints=("schema", "structured_output", "response_format", "json_schema"))] | None = None
    style: Annotated[str, Meta(max_length=200), Key(
        "How to write: formal, casual, paragraph …",
        example="bullet-point")] | None = None
    tone: Annotated[str, Meta(max_length=200), Key(
        "The emotional style: passionate, sarcastic, logical, optimistic, or words of your own.",
        example="passionate", hints=("emotional_style", "emotion", "mood"))] | None = None
    language: Annotated[str, Meta(max_length=40), Key(
        "What the participant speaks.",
        example="German", hints=("lang",))] | None = None
    priority: Annotated[float, Meta(ge=0, le=100), Key(
        "With turn_mode: priority_order, a higher number speaks earlier; default: 0.",
        example="3")] | None = None
    hide: Annotated[tuple[Option, ...], Meta(min_length=1, max_length=50), Key(
        "Turns that the participant never sees: a name, an act such as critique, round 2, or both: Bo round 2.",
        example="[round 1]", hints=("mask", "hidden", "masked"))] | None = None
    context_scope: Annotated[Scope, Key(
        "What the participant sees of the debate, instead of what the header says.",
        example="last_n_turns", hints=("scope",))] | None = None
    context_turns: Annotated[int, Meta(ge=1, le=100), Key(
        "How many turns last_n_turns shows.",
        example="4", hints=("n_turns", "window"))] | None = None
    tool_usage: Annotated[tuple[str, ...], Key(
        "The tools it may use; yes means search and summarizer, mcp:NAME a server that the owner has set.",
        choices=TOOLS, further=partial(offered, TOOL), example="[search]", hints=("tools", "tool", "allow_tools"),
        same={"searchtool": "search", "ragtool": "rag", "scorertool": "scorer"})] | None = None
    search: Annotated[SearchKeys, Key(
        "How the participant looks for its next argument before it speaks: a table.",
        example="{method: mcts, simulations: 16, depth: 2}", hints=("mcts",))] | None = None


class Header(Struct, kw_only=True, forbid_unknown_fields=True):
    """The header of a brief."""

    topic: Annotated[str, Meta(max_length=2000), Key(
        "The question or proposition; or the heading # of the body.",
        example='"Should we build or buy?"', hints=("title", "question", "subject", "proposition", "motion"))] | None = None
    preset: Annotated[str, Meta(max_length=32), Key(
        "A named set of settings in folkmoot.toml: models, protocol, limits; it fills in what the brief leaves open.",
        example="quality", hints=("presets", "profile", "template"))] | None = None
    protocol: Annotated[str, Key(
        "The protocol of the debate: who speaks when.",
        choices=PROTOCOLS, further=partial(offered, PROTOCOL), example="panel", aliases=("debate_format",),
        hints=("format", "type", "mode", "debate_type"))] | None = None
    rounds: Annotated[int, within(ROUNDS), Key(
        "Maximum number of rounds.",
        example="2", aliases=("max_rounds",), hints=("turns", "max_turns", "num_rounds", "round_count"))] | None = None
    persona_count: Annotated[int, Meta(ge=2, le=5), Key(
        "How many debaters; without a list of participants, this many are generated for the topic.",
        example="3", hints=("participant_count", "agent_count", "count", "num_personas"))] | None = None
    participants: Annotated[tuple[str | ParticipantKeys, ...], Meta(min_length=PARTICIPANTS.low, max_length=PARTICIPANTS.high), Key(
        "Names, or tables with the keys of a participant; more than 10 debaters need the protocol grouped. With "
        "this key, other ## headings are background.",
        example="[Ada, Bo]", aliases=("personas",), hints=("debaters", "agents", "people", "roles", "members"))] | None = None
    strategy: Annotated[str, Key(
        "How it is decided.",
        choices=STRATEGIES, further=partial(offered, RULE), example="majority", aliases=("consensus_strategy", "decide"),
        hints=("voting_strategy", "consensus", "voting", "decision", "rule"))] | None = None
    vote_weights: Annotated[VoteWeights, Key(
        "With strategy: weighted, how votes are weighted: the weight of each participant, or what earlier debates "
        "have measured of its model; stated where somebody has a weight, else log_odds.",
        example="log_odds", hints=("weights", "weighting", "vote_weight", "learned_weights"))] | None = None
    topology: Annotated[Topology, Key("In an arena, who criticizes whom.", example="ring")] | None = None
    hub: Annotated[str, Meta(max_length=200), Key(
        "With topology: star, the debater in its center; default: the first.",
        example="Ada", hints=("star_hub", "center", "centre"))] | None = None
    sparsity: Annotated[float, Meta(ge=0, le=1), Key(
        "With topology: sparse or random-graph, the probability with which a critique is left out; 0.75 for sparse, "
        "0.5 for random-graph.",
        example="0.5", hints=("density", "topology_sparsity"))] | None = None
    reminder_interval: Annotated[int, within(INTERVAL), Key(
        "On a board, after how many messages the timekeeper speaks; default: 4.",
        example="4", hints=("timekeeper_interval", "reminder_every", "every"))] | None = None
    deadline_interval: Annotated[int, within(INTERVAL), Key(
        "On a board, after how many messages the timekeeper names who owes a verdict, which their next message must "
        "contain; default: 20.",
        example="20", hints=("deadline", "deadline_every", "verdict_interval"))] | None = None
    moderator: Annotated[bool, Key(
        "Whether a moderator takes part; yes adds one where the brief describes none.",
        example="yes", aliases=("mediator", "use_mediator"), hints=("use_moderator", "judge", "chair", "has_mediator"))] | None = None
    mediator_type: Annotated[MediatorKind, Key(
        "What the moderator does in addition to the protocol; one is added if the brief describes none.",
        example="Active", hints=("moderator_type", "mediator_kind"))] | None = None
    mediator_frequency: Annotated[When, Key(
        "After which rounds the moderator does so.",
        example="midpoint", hints=("frequency", "moderator_frequency"), same={"final_only": "final"})] | None = None
    summary_style: Annotated[SummaryStyle, Key("How the moderator sums up.", example="critical")] | None = None
    turn_mode: Annotated[TurnMode, Key(
        "Who speaks next, where the protocol leaves it open.",
        example="random", hints=("turn_order", "speaking_order"))] | None = None
    debate_end_condition: Annotated[tuple[Condition, ...], Meta(min_length=1, max_length=8), Key(
        "What ends the rounds early.",
        example="[consensus_reached, no_new_arguments]", hints=("end_condition", "stop_condition"))] | None = None
    threshold: Annotated[float, within(THRESHOLDS), Key(
        "With protocol: panel, gate or forecast, how far apart first answers may be without a debate; default: 0.2. "
        "panel and gate also take one learned from resolved questions; below 100 of them it is the default.",
        example="0.3", hints=("gate", "spread", "gate_threshold"), choices=(LEARNED,))] | Literal["learned"] | None = None
    samples: Annotated[int, within(SAMPLES), Key(
        "With protocol: sample, how many independent answers are counted; default: 5.",
        example="9", hints=("sample", "draws", "num_samples", "n_samples"))] | None = None
    forecast: Annotated[Literal["probability", "number", "quantiles"], Key(
        "With protocol: forecast, what is forecast; default: probability (that the answer is yes).",
        example="number")] | None = None
    merge: Annotated[bool, Key(
        "With protocol: select, the judge then writes one answer from all, and says what it took from whom.",
        example="yes", hints=("merged", "synthesis", "merge_answers"))] | None = None
    context_scope: Annotated[Scope, Key(
        "What each debater sees of the debate; the moderator sees everything unless its own section differs.",
        example="last_n_turns", hints=("scope", "visibility"))] | None = None
    context_turns: Annotated[int, Meta(ge=1, le=100), Key(
        "How many turns last_n_turns and rolling_window show; default: 6.",
        example="6", hints=("n_turns", "window"))] | None = None
    context_strategy: Annotated[ContextStrategy, Key(
        "How the debate is kept short for its debaters.",
        example="summarize_past", hints=("memory", "memory_strategy"))] | None = None
    summarize_every: Annotated[int, Meta(ge=1, le=20), Key(
        "With summarize_past or summary_only: after how many rounds the debate is summed up; 2, or 1.",
        example="2", hints=("summarise_every", "summary_every"))] | None = None
    language: Annotated[str, Meta(max_length=40), Key(
        "The language of all participants who have no language of their own.",
        example="German", hints=("lang", "languages"))] | None = None
    live_scoring: Annotated[bool, Key(
        "Each turn is rated when it is made, by the moderator, else by the other debaters in turn.",
        example="yes", hints=("real_time_scoring", "scoring"))] | None = None
    anonymous_scoring: Annotated[bool, Key(
        "At the end each debater scores the others, names hidden.",
        example="yes", hints=("anonymous_scores",))] | None = None
    reasoned_evaluation: Annotated[bool, Key(
        "At the end the moderator, else each debater, says in words who argued how well.",
        example="yes", hints=("evaluation",))] | None = None
    revision: Annotated[bool, Key(
        "After each round each debater may revise one earlier turn of its own.",
        example="yes", hints=("revisions", "reflective_agents"))] | None = None
    self_reflection: Annotated[bool, Key(
        "At the end each debater names its contradictions and changes of opinion, with the turns.",
        example="yes", hints=("reflection",))] | None = None
    evolution: Annotated[bool, Key(
        "After each round each debater writes itself a note on its strategy, which nobody else sees.",
        example="yes", hints=("agent_evolution",))] | None = None
    interruptions: Annotated[bool, Key(
        "After each turn the others may bid to interrupt it.",
        example="yes", hints=("interrupt", "interruption"))] | None = None
    recall: Annotated[bool, Key(
        "Before anybody speaks, a retriever recalls outcomes of earlier debates on similar topics; default no.",
        example="yes", hints=("remember", "history", "use_memory"))] | None = None
    history_limit: Annotated[int, Meta(ge=1, le=20), Key(
        "With recall: maximum number of outcomes of earlier debates; default: 5.",
        example="5", hints=("max_history",))] | None = None
    research: Annotated[tuple[Literal["search", "rag"], ...], Meta(min_length=1, max_length=2), Key(
        "With recall: the tools with which the retriever looks up the topic.",
        example="[rag]", hints=("evidence",))] | None = None
    model: Annotated[Model, Key(
        "The model of all participants who have no model of their own.",
        example="ollama:qwen3:8b", hints=("llm", "default_model", "models"), form="model")] | None = None
    schemas: Annotated[Schemas, Key(
        "When a model's provider is sent the form of an answer as a JSON Schema: with the first question, with the "
        "one about a form that could not be read (repair), or never (off); default: your setting, else repair.",
        example="first", hints=("schema", "structured_output", "response_format", "json_schema"))] | None = None
    context: Annotated[str, Key(
        "Background in a few words; longer background is text under the heading.",
        example='"A team of eight."', hints=("system_context", "situation"), form="prose")] | None = None
    background: Annotated[tuple[Option, ...], Meta(min_length=1, max_length=20), Key(
        "Files beside the brief that all participants are given: text of at most 1 MiB each, and pictures (PNG, "
        "JPEG, WebP, GIF) and PDFs for models that see.",
        example="[study.md, costs.txt]", hints=("sources", "files", "documents", "attachments", "path"))] | None = None
    unseeing: Annotated[Literal["refuse", "skip"], Key(
        "Debaters whose model is known not to see a picture of the background: refuse the brief, or skip them, "
        "which is said in the report; default: refuse.",
        example="skip")] | None = None
    library: Annotated[tuple[Option, ...], Meta(min_length=1, max_length=20), Key(
        "Files or folders beside the brief that only the tool rag searches; they are in no prompt.",
        example="[papers, notes.md]", hints=("rag", "knowledge", "corpus"))] | None = None
    rules: Annotated[str, Meta(max_length=20000), Key(
        "Rules for all participants; or the section ## Rules.",
        example='"Keep each answer under 200 words."', hints=("instructions", "guidelines", "constraints"),
        form="prose")] | None = None
    options: Annotated[tuple[Option, ...], Meta(min_length=OPTIONS.low, max_length=OPTIONS.high), Key(
        "The closed set of answers; or the section ## Options.",
        example="[build, buy, wait]", hints=("choices", "answers", "candidates", "alternatives"))] | None = None
    seed: Annotated[int, within(SEED), Key("The random seed.", example="7", hints=("random_seed",))] | None = None
    logging_mode: Annotated[LogMode, Key(
        "How the result is written.",
        example="full_markdown", hints=("log", "logging", "output", "log_mode"), same={"markdown": "full_markdown"})] | None = None
    protocol_options: Annotated[Options, Key(
        "Options of a protocol from another package, by name.",
        example="{hats: [white, red]}", hints=("protocol_settings",))] | None = None
    strategy_options: Annotated[Options, Key(
        "Options of a strategy from another package, by name.",
        example="{finalists: 2}", hints=("rule_options",))] | None = None
    tool_options: Annotated[NamedOptions, Key(
        "Options of tools from other packages, by the tool's name.",
        example="{dice: {most: 4}}", hints=("tool_settings",))] | None = None
    provider_options: Annotated[NamedOptions, Key(
        "Options of model providers from other packages, by the provider's name.",
        example="{say: {voice: low}}", hints=("provider_settings",))] | None = None
    report_options: Annotated[NamedOptions, Key(
        "Options of report formats from other packages, by the format's name; a command can set others.",
        example="{slides: {people: no}}", hints=("report_settings",))] | None = None
    limits: Annotated[LimitKeys, Key(
        "The limits of the debate, as a table.",
        example="{tokens: 40000, cost: 0.50}", aliases=("budget",), hints=("max_cost", "max_tokens_total"))] | None = None


# fmt: on


def keys_of(kind: type[Struct], prefix: str = "") -> Iterator[Key]:
    """The keys of a struct, in the order of its fields."""
    for name, annotation in kind.__annotations__.items():
        inner, *beside = get_args(next(part for part in get_args(annotation) if get_origin(part) is Annotated))
        key = next(part for part in beside if isinstance(part, Key))
        bounds = next((part for part in beside if isinstance(part, Meta)), Meta())
        is_list = get_origin(inner) is tuple
        held = get_args(inner)[0] if is_list else inner
        held = get_args(held)[0] if get_origin(held) is Annotated else held
        yield replace(
            key,
            name=f"{prefix}{name}",
            type=held,
            checked=annotation,
            is_list=is_list,
            choices=key.choices or (get_args(held) if get_origin(held) is Literal else ()),
            low=bounds.ge if bounds.ge is not None else bounds.min_length or 0,
            high=bounds.le if bounds.le is not None else bounds.max_length or 0,
        )


HEADER = tuple(keys_of(Header))
LIMITS = tuple(keys_of(LimitKeys, "limits."))
PARTICIPANT = (*keys_of(ParticipantKeys), *keys_of(SearchKeys, "search."))


_MaxRounds: TypeAlias = Annotated[int, Meta(ge=1, le=ROUNDS.high)] | None


def find_key(keys: Sequence[Key], word: str) -> Key | None:
    """The key with that name or alias, which an error then names; None if there is none."""
    if key := next((key for key in keys if word == key.name), None):
        return key
    return next((as_written(key, word) for key in keys if word in key.aliases), None)


def as_written(key: Key, word: str) -> Key:
    """The key as one of its names writes it: an error names that, and ``max_rounds`` is at least 1."""
    if word == "max_rounds":
        return replace(key, written=word, low=1, checked=_MaxRounds)
    return replace(key, written=word)


def get_key(keys: Sequence[Key], name: str) -> Key:
    """The key of that name; StopIteration where there is none."""
    return next(key for key in keys if key.name == name)


def nearest(keys: Sequence[Key], word: str, *, prefix: str = "") -> str:
    """The name or alias that was probably meant, without the prefix; "" if none is similar.

    Args:
        keys: the table.
        word: what was written.
        prefix: only keys whose names begin so: ``limits.``; without it only those of the table itself.
    """
    meant: dict[str, str] = {}
    for key in keys:
        names = [name for name in (key.name, *key.aliases) if _has_prefix(name, prefix)]
        meant |= {name.removeprefix(prefix): name.removeprefix(prefix) for name in names}
        hints = [hint.removeprefix(prefix) for hint in key.hints if names and _has_prefix(hint, prefix)]
        meant |= {hint: names[0].removeprefix(prefix) for hint in hints if hint not in meant}
    return meant.get(closest(word, tuple(meant)), "")


def nested_name(keys: Sequence[Key], word: str) -> str:
    """The full name of a key that stands in a table of its own, ``limits.turn_seconds``; "" if there is no such key."""
    return next((key.name for key in keys for name in (key.name, *key.aliases) if name.endswith(f".{word}")), "")


def _has_prefix(name: str, prefix: str) -> bool:
    return name.startswith(prefix) and "." not in name.removeprefix(prefix)
