"""The keys of a brief: name, type, limits, default and meaning of each setting.

One table each for the header, a participant and the limits: the reader checks by them and the reference pages are made
from them. The words that a key allows are taken from the phases where those define them. No key can name a host, an
address, a credential, or a file outside the brief's own folder.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, TypeAlias, get_args

from folkmoot.core.brief import (
    ASKS,
    COST,
    GRACE,
    INTERVAL,
    LOGS,
    OPTIONS,
    PARALLEL,
    PARTICIPANTS,
    QUORUM,
    ROUNDS,
    SAMPLES,
    SCHEMAS,
    SEED,
    THRESHOLDS,
    TOKENS,
    TOOLS,
    TOTAL_SECONDS,
    TURN_SECONDS,
    Search,
)
from folkmoot.core.extensions import PROTOCOL, RULE, TOOL, offered, offers
from folkmoot.core.roles import VoteWeights
from folkmoot.core.text import closest
from folkmoot.phases.choices import COUNTING, DECIDERS, Condition, MediatorKind, SummaryStyle, TurnMode, When
from folkmoot.phases.endings import ENDINGS
from folkmoot.policy.pairing import Topology
from folkmoot.protocols.known import DEFAULT, FORMATS, KNOWN, names

__all__ = ["DEFAULT", "ENDINGS", "FORMATS", "LOGS", "TOOLS", "names", "protocol_summaries"]


PROTOCOLS = tuple(KNOWN)
"""The protocols that a brief may name, but those of other packages."""

STRATEGIES = (*COUNTING, *DECIDERS, *ENDINGS)
"""The ways to decide that a brief may name, but those of other packages."""

TOPOLOGIES: tuple[str, ...] = get_args(Topology)
"""Who criticises whom in an arena."""

MEDIATORS: tuple[str, ...] = get_args(MediatorKind)
FREQUENCIES: tuple[str, ...] = get_args(When)
STYLES: tuple[str, ...] = get_args(SummaryStyle)
TURN_MODES: tuple[str, ...] = get_args(TurnMode)
CONDITIONS: tuple[str, ...] = get_args(Condition)
METHODS: tuple[str, ...] = get_args(Search.__annotations__["method"])

VOTE_WEIGHTS: tuple[str, ...] = get_args(VoteWeights)
"""What votes weigh by."""

LEARNED = "learned"
"""The word for a threshold that past debates teach."""

SCOPES = ("full_log", "last_n_turns", "summary_only", "persona_scoped")
"""What each participant sees."""

WAYS = ("append_all", "rolling_window", "summarize_past", "persona_masking")
"""How the log is kept short: the values of ``context_strategy``."""

UNSEEING = ("refuse", "skip")
"""What happens to debaters whose model does not see the pictures of a brief."""

FINDERS = ("search", "rag")
"""The tools with which a retriever looks up the topic."""


def protocol_summaries() -> dict[str, str]:
    """What each protocol that a brief may name does, by its name; of other packages whose they are."""
    ours = {name: (make.__doc__ or "").partition("\n")[0] for name, make in KNOWN.items()}
    others = {offer.name: f"Of the package {offer.package} {offer.version}." for offer in offers(PROTOCOL)}
    return {**ours, **{name: words for name, words in others.items() if name not in ours}}


def strategies() -> tuple[str, ...]:
    """The ways to decide that a brief may name, those of other packages last."""
    return (*STRATEGIES, *(name for name in offered(RULE) if name not in STRATEGIES))


Kind: TypeAlias = Literal[
    "text", "name", "prose", "whole", "number", "flag", "choice", "choices", "texts", "several", "paths", "letters",
    "span", "term", "tools", "model", "models", "people", "table", "options", "named_options",
]  # fmt: skip
"""What a key holds: ``text`` one line; ``name`` a name; ``prose`` text of any length or a list of lines; ``whole`` a
whole number; ``choices`` one of the choices or a list of them; ``texts`` a list of texts; ``several`` one text or a
list; ``paths`` one file name or a list; ``letters`` one text or a list, kept to the letter; ``span`` a length of time
such as 10m, as servers of models take it; ``term`` a length of time such as 2d; ``tools`` yes, no or a list of choices;
``model`` provider:name; ``models`` one or a list of them; ``people`` a list of names or of tables with the keys of a
participant; ``table`` a table of the keys whose names begin with this one's and a point; ``options`` a table of words,
numbers, flags and lists of texts that another package declares; ``named_options`` such a table for each name."""


OPTION_NAME = "[a-z][a-z0-9_]{0,39}"
"""The pattern of the name of an option of an extension."""

EXTENSION_NAME = "[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
"""The pattern of the name of an extension."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key.

    Attributes:
        name: its documented name; that of a limit begins with ``limits.``, of a search's with ``search.``.
        kind: what it holds.
        help: what it means, in a sentence.
        aliases: other names that are read as well.
        low: the least number, or number of entries.
        high: the greatest number, number of entries, or number of characters.
        choices: the allowed words; of a number those that may stand in its place.
        example: a value as it is written in a brief.
        hints: words that people write when they mean this key; never read, only suggested.
        loose: whether case, blanks and hyphens of a choice do not matter.
        same: further words for choices, each with the choice that it means.
        further: choices beside these, which are looked up only when another word comes up.
        written: the alias by which a brief names the key; "" for its own name.
    """

    name: str
    kind: Kind
    help: str
    aliases: tuple[str, ...] = ()
    low: float = 0
    high: float = 0
    choices: tuple[str, ...] = ()
    example: str = ""
    hints: tuple[str, ...] = ()
    loose: bool = False
    same: tuple[tuple[str, str], ...] = ()
    further: Callable[[], tuple[str, ...]] | None = None
    written: str = field(default="", compare=False)


# fmt: off
HEADER: tuple[Key, ...] = (
    Key(name="topic", kind="text", high=2000, example='"Should we build or buy?"',
        help="The question or proposition; or the heading # of the body.",
        hints=("title", "question", "subject", "proposition", "motion")),
    Key(name="preset", kind="text", high=32, example="quality", hints=("presets", "profile", "template"),
        help="A named set of settings in folkmoot.toml: models, protocol, limits; it fills in what the brief leaves open."),
    Key(name="protocol", kind="choice", aliases=("debate_format",), choices=PROTOCOLS, example="panel",
        further=partial(offered, PROTOCOL), help="The protocol of the debate: who speaks when.",
        hints=("format", "type", "mode", "debate_type")),
    Key(name="rounds", kind="whole", aliases=("max_rounds",), low=ROUNDS.low, high=ROUNDS.high, example="2",
        help="Maximum number of rounds.", hints=("turns", "max_turns", "num_rounds", "round_count")),
    Key(name="persona_count", kind="whole", low=2, high=5, example="3",
        help="How many debaters; without a list of participants, this many are generated for the topic.",
        hints=("participant_count", "agent_count", "count", "num_personas")),
    Key(name="participants", kind="people", aliases=("personas",), low=PARTICIPANTS.low,
        high=PARTICIPANTS.high, example="[Ada, Bo]",
        help="Names, or tables with the keys of a participant; more than 10 debaters need the protocol grouped. With "
        "this key, other ## headings are background.",
        hints=("debaters", "agents", "people", "roles", "members")),
    Key(name="strategy", kind="choice", aliases=("consensus_strategy", "decide"), example="majority",
        choices=STRATEGIES, further=partial(offered, RULE), help="How it is decided.",
        hints=("voting_strategy", "consensus", "voting", "decision", "rule")),
    Key(name="vote_weights", kind="choice", choices=VOTE_WEIGHTS, loose=True, example="log_odds",
        hints=("weights", "weighting", "vote_weight", "learned_weights"),
        help="With strategy: weighted, how votes are weighted: the weight of each participant, or what earlier debates "
        "have measured of its model; stated where somebody has a weight, else log_odds."),
    Key(name="topology", kind="choice", choices=TOPOLOGIES, example="ring", help="In an arena, who criticizes whom."),
    Key(name="hub", kind="text", high=200, example="Ada", hints=("star_hub", "center", "centre"),
        help="With topology: star, the debater in its center; default: the first."),
    Key(name="sparsity", kind="number", low=0, high=1, example="0.5", hints=("density", "topology_sparsity"),
        help="With topology: sparse or random-graph, the probability with which a critique is left out; 0.75 for "
        "sparse, 0.5 for random-graph."),
    Key(name="reminder_interval", kind="whole", low=INTERVAL.low, high=INTERVAL.high, example="4",
        hints=("timekeeper_interval", "reminder_every", "every"),
        help="On a board, after how many messages the timekeeper speaks; default: 4."),
    Key(name="deadline_interval", kind="whole", low=INTERVAL.low, high=INTERVAL.high, example="20",
        hints=("deadline", "deadline_every", "verdict_interval"),
        help="On a board, after how many messages the timekeeper names who owes a verdict, which their next message "
        "must contain; default: 20."),
    Key(name="moderator", kind="flag", aliases=("mediator", "use_mediator"), example="yes",
        help="Whether a moderator takes part; yes adds one where the brief describes none.",
        hints=("use_moderator", "judge", "chair", "has_mediator")),
    Key(name="mediator_type", kind="choice", choices=MEDIATORS, loose=True, example="Active",
        same=(("tool_agent", "toolagent"),), hints=("moderator_type", "mediator_kind"),
        help="What the moderator does in addition to the protocol; one is added if the brief describes none."),
    Key(name="mediator_frequency", kind="choice", choices=FREQUENCIES, loose=True, example="midpoint",
        same=(("final_only", "final"),), hints=("frequency", "moderator_frequency"),
        help="After which rounds the moderator does so."),
    Key(name="summary_style", kind="choice", choices=STYLES, loose=True, example="critical",
        help="How the moderator sums up."),
    Key(name="turn_mode", kind="choice", choices=TURN_MODES, loose=True, example="random",
        help="Who speaks next, where the protocol leaves it open.", hints=("turn_order", "speaking_order")),
    Key(name="debate_end_condition", kind="choices", choices=CONDITIONS, loose=True, low=1, high=8,
        example="[consensus_reached, no_new_arguments]", hints=("end_condition", "stop_condition"),
        help="What ends the rounds early."),
    Key(name="threshold", kind="number", low=THRESHOLDS.low, high=THRESHOLDS.high, choices=(LEARNED,), example="0.3",
        help="With protocol: panel, gate or forecast, how far apart first answers may be without a debate; default: "
        "0.2. panel and gate also take one learned from resolved questions; below 100 of them it is the default.",
        hints=("gate", "spread", "gate_threshold")),
    Key(name="samples", kind="whole", low=SAMPLES.low, high=SAMPLES.high, example="9",
        help="With protocol: sample, how many independent answers are counted; default: 5.",
        hints=("sample", "draws", "num_samples", "n_samples")),
    Key(name="forecast", kind="choice", choices=("probability", "number", "quantiles"), example="number",
        help="With protocol: forecast, what is forecast; default: probability (that the answer is yes)."),
    Key(name="merge", kind="flag", example="yes", hints=("merged", "synthesis", "merge_answers"),
        help="With protocol: select, the judge then writes one answer from all, and says what it took from whom."),
    Key(name="context_scope", kind="choice", choices=SCOPES, loose=True, example="last_n_turns",
        help="What each debater sees of the debate; the moderator sees everything unless its own section differs.",
        hints=("scope", "visibility")),
    Key(name="context_turns", kind="whole", low=1, high=100, example="6",
        help="How many turns last_n_turns and rolling_window show; default: 6.", hints=("n_turns", "window")),
    Key(name="context_strategy", kind="choice", choices=WAYS, loose=True, example="summarize_past",
        help="How the debate is kept short for its debaters.", hints=("memory", "memory_strategy")),
    Key(name="summarize_every", kind="whole", low=1, high=20, example="2",
        help="With summarize_past or summary_only: after how many rounds the debate is summed up; 2, or 1.",
        hints=("summarise_every", "summary_every")),
    Key(name="language", kind="text", high=40, example="German", hints=("lang", "languages"),
        help="The language of all participants who have no language of their own."),
    Key(name="live_scoring", kind="flag", example="yes", hints=("real_time_scoring", "scoring"),
        help="Each turn is rated when it is made, by the moderator, else by the other debaters in turn."),
    Key(name="anonymous_scoring", kind="flag", example="yes", hints=("anonymous_scores",),
        help="At the end each debater scores the others, names hidden."),
    Key(name="reasoned_evaluation", kind="flag", example="yes", hints=("evaluation",),
        help="At the end the moderator, else each debater, says in words who argued how well."),
    Key(name="revision", kind="flag", example="yes", hints=("revisions", "reflective_agents"),
        help="After each round each debater may revise one earlier turn of its own."),
    Key(name="self_reflection", kind="flag", example="yes", hints=("reflection",),
        help="At the end each debater names its contradictions and changes of opinion, with the turns."),
    Key(name="evolution", kind="flag", example="yes", hints=("agent_evolution",),
        help="After each round each debater writes itself a note on its strategy, which nobody else sees."),
    Key(name="interruptions", kind="flag", example="yes", hints=("interrupt", "interruption"),
        help="After each turn the others may bid to interrupt it."),
    Key(name="recall", kind="flag", example="yes", hints=("remember", "history", "use_memory"),
        help="Before anybody speaks, a retriever recalls outcomes of earlier debates on similar topics; default no."),
    Key(name="history_limit", kind="whole", low=1, high=20, example="5", hints=("max_history",),
        help="With recall: maximum number of outcomes of earlier debates; default: 5."),
    Key(name="research", kind="choices", choices=FINDERS, loose=True, low=1, high=2, example="[rag]",
        help="With recall: the tools with which the retriever looks up the topic.", hints=("evidence",)),
    Key(name="model", kind="model", example="ollama:qwen3:8b", hints=("llm", "default_model", "models"),
        help="The model of all participants who have no model of their own."),
    Key(name="schemas", kind="choice", choices=SCHEMAS, loose=True, example="first",
        hints=("schema", "structured_output", "response_format", "json_schema"),
        help="When a model's provider is sent the form of an answer as a JSON Schema: with the first question, with "
        "the one about a form that could not be read (repair), or never (off); default: your setting, else repair."),
    Key(name="context", kind="prose", example='"A team of eight."', hints=("system_context", "situation"),
        help="Background in a few words; longer background is text under the heading."),
    Key(name="background", kind="paths", low=1, high=20, example="[study.md, costs.txt]",
        help="Files beside the brief that all participants are given: text of at most 1 MiB each, and pictures "
        "(PNG, JPEG, WebP, GIF) and PDFs for models that see.",
        hints=("sources", "files", "documents", "attachments", "path")),
    Key(name="unseeing", kind="choice", choices=UNSEEING, loose=True, example="skip",
        help="Debaters whose model is known not to see a picture of the background: refuse the brief, or skip them, "
        "which is said in the report; default: refuse."),
    Key(name="library", kind="paths", low=1, high=20, example="[papers, notes.md]",
        help="Files or folders beside the brief that only the tool rag searches; they are in no prompt.",
        hints=("rag", "knowledge", "corpus")),
    Key(name="rules", kind="prose", high=20000, example='"Keep each answer under 200 words."',
        help="Rules for all participants; or the section ## Rules.",
        hints=("instructions", "guidelines", "constraints")),
    Key(name="options", kind="texts", low=OPTIONS.low, high=OPTIONS.high, example="[build, buy, wait]",
        help="The closed set of answers; or the section ## Options.",
        hints=("choices", "answers", "candidates", "alternatives")),
    Key(name="seed", kind="whole", low=SEED.low, high=SEED.high, example="7", help="The random seed.",
        hints=("random_seed",)),
    Key(name="logging_mode", kind="choice", choices=LOGS, loose=True, same=(("markdown", "full_markdown"),),
        example="full_markdown", help="How the result is written.", hints=("log", "logging", "output", "log_mode")),
    Key(name="protocol_options", kind="options", example="{hats: [white, red]}", hints=("protocol_settings",),
        help="Options of a protocol from another package, by name."),
    Key(name="strategy_options", kind="options", example="{finalists: 2}", hints=("rule_options",),
        help="Options of a strategy from another package, by name."),
    Key(name="tool_options", kind="named_options", example="{dice: {most: 4}}", hints=("tool_settings",),
        help="Options of tools from other packages, by the tool's name."),
    Key(name="provider_options", kind="named_options", example="{say: {voice: low}}", hints=("provider_settings",),
        help="Options of model providers from other packages, by the provider's name."),
    Key(name="report_options", kind="named_options", example="{slides: {people: no}}", hints=("report_settings",),
        help="Options of report formats from other packages, by the format's name; a command can set others."),
    Key(name="limits", kind="table", aliases=("budget",), example="{tokens: 40000, cost: 0.50}",
        help="The limits of the debate, as a table.", hints=("max_cost", "max_tokens_total")),
)

LIMITS: tuple[Key, ...] = (
    Key(name="limits.asks", kind="whole", low=ASKS.low, high=ASKS.high, example="200",
        help="Maximum number of questions to participants.",
        hints=("limits.calls", "limits.requests")),
    Key(name="limits.tokens", kind="whole", low=TOKENS.low, high=TOKENS.high, example="40000",
        help="Input and output tokens of all calls.", hints=("limits.max_tokens",)),
    Key(name="limits.cost", kind="number", aliases=("limits.usd",), low=COST.low, high=COST.high, example="0.50",
        help="US dollars of all calls; needs a known price for every model.",
        hints=("limits.dollars", "limits.money", "limits.max_cost", "limits.price")),
    Key(name="limits.turn_seconds", kind="number", aliases=("timeout_per_turn", "limits.timeout_per_turn"),
        low=TURN_SECONDS.low, high=TURN_SECONDS.high, example="120",
        help="Seconds for one answer, repairs and retries included.",
        hints=("limits.timeout", "timeout", "turn_timeout")),
    Key(name="limits.total_seconds", kind="number", low=TOTAL_SECONDS.low, high=TOTAL_SECONDS.high, example="1800",
        help="Seconds for the whole debate while it runs.", hints=("limits.seconds", "limits.time")),
    Key(name="limits.parallel", kind="whole", low=PARALLEL.low, high=PARALLEL.high, example="4",
        help="Maximum number of answers in parallel.",
        hints=("limits.concurrency",)),
    Key(name="limits.quorum", kind="whole", aliases=("quorum",), low=QUORUM.low, high=QUORUM.high, example="2",
        help="How many answers are enough where debaters speak at once. Later answers are left out."),
    Key(name="limits.grace", kind="number", aliases=("grace",), low=GRACE.low, high=GRACE.high, example="20",
        help="Seconds that the others have when the quorum has answered."),
)

PARTICIPANT: tuple[Key, ...] = (
    Key(name="name", kind="name", aliases=("persona_name",), high=200, example="Ada",
        help="1 to 40 letters, digits, spaces and . ' - _ ( ) &, unlike the other names.", hints=("label", "title")),
    Key(name="role", kind="text", aliases=("role_description",), high=200, example="Cautious risk analyst",
        help="The role or stance in a few words; without it the first sentence of the persona.",
        hints=("position", "stance", "description", "perspective")),
    Key(name="model", kind="model", example="ollama:llama3.2", hints=("llm", "seat", "provider"),
        help="Who answers: provider:name, or human. Also in the heading: ## Ada (ollama:llama3.2)."),
    Key(name="fallback", kind="models", low=1, high=4, example="[openai:gpt-4o-mini]", hints=("fallbacks", "backup"),
        help="Models that are asked in turn while its own cannot be reached; each such answer is named in the report."),
    Key(name="persona", kind="prose", aliases=("system_prompt",), high=20000, example='"You know the costs."',
        help="Instructions for this participant alone; in a section, the text after the settings.",
        hints=("prompt", "instructions", "character", "bio")),
    Key(name="personality", kind="text", high=500, example="Analytical, values rigorous methodology",
        help="What the participant is like; it is added to the persona.", hints=("temperament", "traits")),
    Key(name="expertise", kind="text", high=500, example="Machine learning, 24 papers",
        help="What the participant knows best; without a role it is the role, which all are told.",
        hints=("field", "skills", "speciality")),
    Key(name="speaking_style", kind="text", high=500, example="Short questions, no small talk",
        help="How the participant talks; it is added to the persona.", hints=("voice", "speech")),
    Key(name="weight", kind="number", low=0, high=10, example="0.8",
        help="The weight of the vote, or the level of expertise.", hints=("expertise_level",)),
    Key(name="duty", kind="choice", choices=("debater", "moderator", "juror"), example="moderator",
        help="Debates, moderates, or only hears and votes; Moderator, Mediator, Judge and Chair moderate by name.",
        hints=("moderator", "mediator", "office", "judge", "jury")),
    Key(name="deadline", kind="term", example="2d", hints=("due", "time_limit", "patience"),
        help="How long the debate waits for each answer of a person: 10m, 2d. Default: no time limit."),
    Key(name="stand_in", kind="model", example="ollama:llama3.2",
        help="Who answers when a person's deadline has passed; without it, that turn is missing.",
        hints=("substitute", "replacement", "deputy")),
    Key(name="temperature", kind="number", low=0, high=2, example="0.7", help="How freely the model answers."),
    Key(name="top_p", kind="number", low=0, high=1, example="0.9",
        help="The share of likely words that the model chooses from (top-p)."),
    Key(name="presence_penalty", kind="number", low=-2, high=2, example="0.5",
        help="How much the model avoids words that it has used (presence penalty)."),
    Key(name="frequency_penalty", kind="number", low=-2, high=2, example="0.5",
        help="How much the model avoids words that it has used often (frequency penalty)."),
    Key(name="seed", kind="whole", low=SEED.low, high=SEED.high, example="7", help="The random seed of the model."),
    Key(name="max_tokens", kind="whole", low=1, high=1_000_000, example="800",
        help="Maximum length of one answer, in tokens.", hints=("tokens", "max_length")),
    Key(name="top_k", kind="whole", low=1, high=1000, example="40",
        help="The model chooses from this many of the likeliest words (top-k)."),
    Key(name="min_p", kind="number", low=0, high=1, example="0.05",
        help="The lowest probability of a word, as a share of the likeliest one's."),
    Key(name="repeat_penalty", kind="number", low=0, high=2, example="1.1",
        help="How much a local model avoids repetition; 1 is not at all."),
    Key(name="stop", kind="letters", low=1, high=8, example='["END"]', help="Texts at which the answer ends.",
        hints=("stop_sequences", "stops")),
    Key(name="num_ctx", kind="whole", low=256, high=4_194_304, example="8192",
        help="The tokens of context that a local server sets aside.", hints=("context_length", "ctx")),
    Key(name="keep_alive", kind="span", example="10m",
        help="How long a local server keeps the model in memory: 10m, -1 forever, 0 not at all."),
    Key(name="schemas", kind="choice", choices=SCHEMAS, loose=True, example="off",
        hints=("schema", "structured_output", "response_format", "json_schema"),
        help="When its provider is sent the form of an answer as a JSON Schema: first, repair or off."),
    Key(name="style", kind="text", high=200, example="bullet-point", help="How to write: formal, casual, paragraph …"),
    Key(name="tone", kind="text", high=200, example="passionate",
        help="The emotional style: passionate, sarcastic, logical, optimistic, or words of your own.",
        hints=("emotional_style", "emotion", "mood")),
    Key(name="language", kind="text", high=40, example="German", help="What the participant speaks.", hints=("lang",)),
    Key(name="priority", kind="number", low=0, high=100, example="3",
        help="With turn_mode: priority_order, a higher number speaks earlier; default: 0."),
    Key(name="hide", kind="several", low=1, high=50, example="[round 1]",
        help="Turns that the participant never sees: a name, an act such as critique, round 2, or both: Bo round 2.",
        hints=("mask", "hidden", "masked")),
    Key(name="context_scope", kind="choice", choices=SCOPES, loose=True, example="last_n_turns",
        help="What the participant sees of the debate, instead of what the header says.", hints=("scope",)),
    Key(name="context_turns", kind="whole", low=1, high=100, example="4",
        help="How many turns last_n_turns shows.", hints=("n_turns", "window")),
    Key(name="tool_usage", kind="tools", choices=TOOLS, loose=True, example="[search]",
        further=partial(offered, TOOL),
        same=(("searchtool", "search"), ("ragtool", "rag"), ("scorertool", "scorer")),
        help="The tools it may use; yes means search and summarizer, mcp:NAME a server that the owner has set.",
        hints=("tools", "tool", "allow_tools")),
    Key(name="search", kind="table", example="{method: mcts, simulations: 16, depth: 2}",
        help="How the participant looks for its next argument before it speaks: a table.", hints=("mcts",)),
    Key(name="search.method", kind="choice", choices=METHODS, loose=True, example="mcts",
        help="Monte Carlo tree search."),
    Key(name="search.simulations", kind="whole", low=1, high=64, example="16",
        help="Number of simulations."),
    Key(name="search.depth", kind="whole", low=1, high=4, example="2",
        help="Number of replies that are simulated after each candidate."),
)
# fmt: on


def find_key(keys: Sequence[Key], word: str) -> Key | None:
    """The key with that name or alias, which an error then names; None if there is none."""
    if key := next((key for key in keys if word == key.name), None):
        return key
    return next((as_written(key, word) for key in keys if word in key.aliases), None)


def as_written(key: Key, word: str) -> Key:
    """The key as one of its names writes it: an error names that, and ``max_rounds`` is at least 1."""
    return replace(key, written=word, low=1) if word == "max_rounds" else replace(key, written=word)


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
