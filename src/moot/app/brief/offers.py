"""The words that a key of a brief may hold. This file owns which of them are offered, and what they are called here.

What the phases define is taken from them; the rest is the specification's.
"""

from typing import get_args

from moot.core.brief import Search
from moot.core.weights import VoteWeights
from moot.phases.choices import Condition, MediatorKind, SummaryStyle, TurnMode, When
from moot.policy.pairing import Topology

FORMATS = ("round_robin", "socratic", "bp_style", "fishbowl", "chain_of_thought", "open_fight")
"""The documented values of ``debate_format``."""

PROTOCOLS = ("panel", "council", "moderated", "grouped", "arena", "chaired", "board", *FORMATS)
"""The protocols that a brief may name."""

STRATEGIES = ("majority", "weighted", "consensus", "moderator")
"""Ways to decide a council."""

RULES = ("plurality", "absolute", "supermajority", "unanimous")
"""Further rules by which votes are counted."""

RANKINGS = ("borda", "approval", "copeland", "schulze", "instant_runoff")
"""Rules by which a panel, a council or an arena counts rankings of the answers."""

JUDGES = ("judge",)
"""Ways to decide an arena by its moderator, who is asked in both orders."""

ENDINGS = ("agent_closing", "mediator_summary", "vote", "vote_based", "ranked_reasons", "no_consensus")
"""The documented values of ``consensus_strategy``."""

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

SCOPES = ("full_log", "last_n_turns", "summary_only", "persona_scoped")
"""What each participant sees."""

WAYS = ("append_all", "rolling_window", "summarize_past", "persona_masking")
"""How the log is kept short: the values of ``context_strategy``."""

LOGS = ("full_markdown", "summary_only", "json_log", "verbose", "visual_tree")
"""How the result is written."""

TOOLS = ("search", "rag", "summarizer", "scorer")
"""The tools that a participant may be given by name; ``mcp:NAME`` is a server's."""

FINDERS = ("search", "rag")
"""The tools with which a librarian looks up the topic."""
