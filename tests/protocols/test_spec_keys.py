"""The settings of the specification: what each becomes, which contradict each other, and that all read back."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from folkmoot.app.brief.participants import ACTS
from folkmoot.app.brief.reader import normalise, read_brief
from folkmoot.app.brief.types import HEADER, PARTICIPANT
from folkmoot.app.run.prepare import Overrides, PreparedDebate, make_choices, prepare
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Participant, Search, Settings, View
from folkmoot.core.errors import BriefError
from folkmoot.phases.choices import Choices, Extras, Mediation
from folkmoot.phases.speak import SPOKEN
from tests.app.brief.test_normalise import check_round_trip
from tests.cli.commands import folkmoot, settle

QUOTES = Overrides(models=("builtin:quotes",))


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settle(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)


def brief(header: str, own: str = "", chair: str = "") -> str:
    """A brief with three debaters, settings of the first and of a moderator."""
    people = f"## Ada\nrole: pro\n{own}\n\n## Bo\nrole: contra\n\n## Cem\nrole: costs\n"
    return f"---\n{header}\n---\n# Should we?\n\n{people}" + (f"\n## Moderator\n{chair}\n" if chair else "")


# ---- what the header says ------------------------------------------------------------------------------------------

# fmt: off
CHOSEN: list[tuple[str, Choices]] = [
    ("debate_format: socratic", Choices()),
    ("debate_format: round_robin\nmax_rounds: 4", Choices(rounds=4)),
    ("debate_format: round_robin\nturn_mode: Reaction-Triggered", Choices(turn_mode="reaction_triggered")),
    ("debate_format: fishbowl\nconsensus_strategy: vote", Choices(strategy="vote")),
    ("debate_format: fishbowl\nconsensus_strategy: agent_closing", Choices(strategy="agent_closing")),
    ("debate_format: open_fight\nconsensus_strategy: supermajority", Choices(strategy="supermajority")),
    ("consensus_strategy: vote_based", Choices()),
    ("protocol: arena\ntopology: star\nhub: Bo", Choices(topology="star", hub="Bo")),
    ("protocol: arena\ntopology: random-graph\nsparsity: 0.2", Choices(topology="random-graph", sparsity=0.2)),
    ("debate_format: socratic\ndebate_end_condition: no_new_arguments", Choices(until=("no_new_arguments",))),
    ("debate_format: socratic\ndebate_end_condition: [consensus reached, rounds-exhausted, consensus_reached]",
     Choices(until=("consensus_reached", "rounds_exhausted"))),
    ("mediator_type: Silent", Choices(mediation=Mediation(kind="silent", when="final"))),
    ("mediator_type: Tool Agent\nmediator_frequency: final only",
     Choices(mediation=Mediation(kind="toolagent", when="final"))),
    ("mediator_type: JUDGE\nmediator_frequency: every round\nsummary_style: Critical",
     Choices(mediation=Mediation(kind="judge", when="every_round", style="critical"))),
    ("live_scoring: yes\ninterruptions: on", Choices(extras=Extras(live_scoring=True, interruptions=True))),
    ("anonymous_scoring: yes\nreasoned_evaluation: yes\nrevision: yes\nself_reflection: yes\nevolution: no",
     Choices(extras=Extras(anonymous_scoring=True, reasoned_evaluation=True, revision=True, self_reflection=True))),
    ("context_strategy: summarize_past", Choices(summarize=2)),
    ("context_strategy: summarize_past\nsummarize_every: 3", Choices(summarize=3)),
    ("context_scope: summary_only", Choices(summarize=1)),
    ("context_scope: summary_only\nsummarize_every: 2", Choices(summarize=2)),
    ("context_scope: summary_only\ncontext_strategy: summarize_past", Choices(summarize=2)),
    ("context_strategy: append_all", Choices()),
]
# fmt: on


@pytest.mark.parametrize(("header", "expected"), CHOSEN)
def test_what_the_header_chooses(header: str, expected: Choices) -> None:
    assert make_choices(read_brief(brief(header)), Overrides()) == expected


def test_somebody_who_sees_summaries_has_them_written() -> None:
    assert make_choices(read_brief(brief("seed: 1", "context_scope: summary_only")), Overrides()) == Choices(
        summarize=1
    )


SEEN: list[tuple[str, str, View | None]] = [
    ("context_scope: full_log", "", View(whole=True)),
    ("context_scope: last_n_turns", "", View(last=6)),
    ("context_scope: last n turns\ncontext_turns: 2", "", View(last=2)),
    ("context_scope: last_n_turns\ncontext_turns: 2", "context_turns: 3", View(last=3)),
    ("context_scope: summary_only", "", View(summary_only=True)),
    ("context_scope: persona_scoped", "", View(mine=True)),
    ("context_strategy: append_all", "", None),
    ("context_strategy: rolling_window\ncontext_turns: 4", "", View(last=4)),
    ("context_strategy: rolling_window", "context_turns: 1", View(last=1)),
    ("context_strategy: summarize_past", "", View(summary=True)),
    ("context_strategy: summarize_past\ncontext_scope: persona_scoped", "", View(summary=True, mine=True)),
    ("context_strategy: persona_masking", "hide: Bo", None),
    ("context_scope: summary_only", "context_scope: full_log", View(whole=True)),
    ("context_scope: summary_only\ncontext_strategy: summarize_past", "context_scope: last_n_turns", View(last=6)),
    ("seed: 1", "context_scope: last_n_turns\ncontext_turns: 2", View(last=2)),
]


@pytest.mark.parametrize(("header", "own", "expected"), SEEN)
def test_what_a_debater_sees(header: str, own: str, expected: View | None) -> None:
    people = read_brief(brief(header, own, "role: leads")).brief.participants
    assert people[0].view == expected
    assert people[-1].view is None


def test_the_moderator_sees_less_only_where_its_section_says_so() -> None:
    text = brief("context_scope: persona_scoped", chair="context_scope: last_n_turns")
    assert read_brief(text).brief.participants[-1].view == View(last=6)


def test_everything_that_a_participant_can_be() -> None:
    own = (
        "tone: sarcastic\nstyle: terse\nlanguage: Turkish\npriority: 3\nhide: [Bo, critique, round 2, Cem  ROUND 03]\n"
        "context_scope: last_n_turns\ntop_k: 40\nmin_p: 0.1\nrepeat_penalty: 1.1\nnum_ctx: 8192\nkeep_alive: -1\n"
        'stop: ["\\n\\n", " END"]\ntool_usage: [RAGTool, mcp:files, summarizer]\nsearch: {depth: 3}\n\nYou know.'
    )
    ada, bo, _ = read_brief(brief("language: German", own)).brief.participants
    assert ada == Participant(
        name="Ada",
        role="pro",
        persona="You know.\n\nStyle: terse\nTone: sarcastic",
        priority=3.0,
        language="Turkish",
        view=View(last=6),
        hide=("Bo", "critique", "round 2", "Cem round 3"),
        settings=Settings(
            top_k=40, min_p=0.1, repeat_penalty=1.1, num_ctx=8192, keep_alive="-1", stop=("\n\n", " END")
        ),
        tools=("rag", "mcp:files", "summarizer"),
        search=Search(depth=3),
    )
    assert (bo.language, bo.priority, bo.search, bo.persona) == ("German", 0.0, None, "")


def test_a_moderator_joins_for_the_mediator_type() -> None:
    added = read_brief("---\nmediator_type: Judge\nlanguage: French\n---\n# Q?").brief.participants[-1]
    assert (added.name, added.duty, added.tools, added.language) == ("Moderator", "moderator", (), "French")
    described = brief("mediator_type: toolagent", chair="tool_usage: [search]").replace("## Moderator", "## Chair")
    assert read_brief(described).brief.names("moderator") == ("Chair",)


@pytest.mark.parametrize("strategy", ["vote_based", "ranked_reasons", "mediator_summary"])
def test_a_judge_joins_for_the_ending_of_a_format(strategy: str) -> None:
    text = f"---\ndebate_format: socratic\nconsensus_strategy: {strategy}\n---\n# Q?"
    assert read_brief(text).brief.names("moderator") == ("Moderator",)
    assert read_brief("---\nconsensus_strategy: vote_based\n---\n# Q?").brief.names("moderator") == ()


def test_every_act_that_can_be_said_aloud_can_be_hidden() -> None:
    assert set(SPOKEN) < set(ACTS)
    assert len(set(ACTS)) == len(ACTS)


# ---- what contradicts itself ---------------------------------------------------------------------------------------

# fmt: off
MISTAKES: list[tuple[str, str, int, str, str]] = [
    ("use_mediator: no\nmediator_type: Judge", "", 3, "inconsistent",
     "mediator_type is judge, but moderator / use_mediator is no on line 2; keep one of them"),
    ("summary_style: critical", "", 2, "inconsistent",
     "summary_style needs a mediator_type: one of silent, active, judge, consensus, reflector, toolagent"),
    ("mediator_frequency: final", "", 2, "inconsistent", "mediator_frequency needs a mediator_type: one of silent"),
    ("mediator_type: loud", "", 2, "bad_enum", "mediator_type cannot be 'loud'; allowed are silent, active, judge"),
    ("mediator_type: [Silent]", "", 2, "wrong_type", "mediator_type is a list; it must be one of silent"),
    ("context_scope: summary_only\ncontext_strategy: append_all", "", 2, "inconsistent",
     "context_scope is summary_only, but context_strategy is append_all on line 3, which keeps every turn in sight; "
     "leave out one of them"),
    ("context_strategy: append_all\ncontext_scope: last_n_turns", "", 3, "inconsistent", "keeps every turn in sight"),
    ("context_scope: full_log\ncontext_strategy: rolling_window", "", 2, "inconsistent",
     "context_scope is full_log, but context_strategy is rolling_window on line 3, which shows only the newest turns"),
    ("context_scope: full_log\ncontext_strategy: summarize_past", "", 2, "inconsistent", "which shows a summary"),
    ("context_scope: summary_only\ncontext_strategy: rolling_window", "", 2, "inconsistent", "shows the newest turns"),
    ("context_strategy: persona_masking", "", 2, "inconsistent",
     "context_strategy is persona_masking, but nobody hides anything; add to a participant 'hide: [round 1]'"),
    ("context_turns: 3", "", 2, "inconsistent", "context_turns needs a window: context_scope: last_n_turns, or"),
    ("context_turns: 3\ncontext_scope: persona_scoped", "", 2, "inconsistent", "context_turns needs a window"),
    ("seed: 1", "context_turns: 3", 8, "inconsistent", "context_turns needs a window"),
    ("context_scope: last_n_turns", "context_scope: full_log\ncontext_turns: 3", 9, "inconsistent", "needs a window"),
    ("summarize_every: 2", "", 2, "inconsistent", "summarize_every needs context_strategy: summarize_past, or"),
    ("debate_end_condition: []", "", 2, "out_of_range",
     "debate_end_condition must have 1 to 8 entries"),
    ("debate_end_condition: {a: b}", "", 2, "wrong_type", "debate_end_condition is a table of keys"),
    ("debate_end_condition: boredom", "", 2, "bad_enum", "cannot be 'boredom'; allowed are consensus_reached"),
    ("persona_count: 6", "", 2, "out_of_range", "persona_count must be from 2 to 5, not 6"),
    ("persona_count: 2", "", 2, "inconsistent", "persona_count is 2, but 3 debaters are described: Ada, Bo, Cem"),
    ("live_scoring: maybe", "", 2, "wrong_type", "live_scoring is 'maybe'; it must be yes or no"),
    ("debate_format: socratic\nconsensus_strategy: ranked_reasons\nuse_mediator: no", "", 4, "inconsistent",
     "moderator is no, but the strategy ranked_reasons needs one"),
    ("consensus_strategy: mediator_summary\nuse_mediator: no", "", 3, "inconsistent", "moderator is no, but"),
    ("seed: 1", "hide: Nobody", 8, "bad_enum",
     "hide names 'Nobody', which is not known; allowed are participants (Ada, Bo, Cem), acts (open, draft"),
    ("seed: 1", "hide: [round 21]", 8, "bad_enum", "'round 1' to 'round 20', or both: 'Ada round 2'"),
    ("rounds: 2", "hide: [round 3]", 8, "bad_enum", "'round 1' to 'round 2'"),
    ("rounds: 2", "hide: [round 0]", 8, "bad_enum", "hide names 'round 0'"),
    ("rounds: 2", "hide: [Zoe round 1]", 8, "bad_enum", "hide names 'Zoe round 1'"),
    ("seed: 1", "hide: [ada]", 8, "inconsistent", "hide of Ada holds 'ada', but everybody sees their own"),
    ("seed: 1", "hide: [Ada round 2]", 8, "inconsistent", "hide of Ada holds 'Ada round 2', but everybody"),
    ("seed: 1", "hide: []", 8, "out_of_range", "hide must have 1 to 50 entries, not 0"),
    ("seed: 1", "search: mcts", 8, "wrong_type",
     "search is 'mcts'; it must be a table, such as {method: mcts, simulations: 16, depth: 2}"),
    ("seed: 1", "search: {method: dfs}", 8, "bad_enum", "search.method cannot be 'dfs'; allowed are mcts"),
    ("seed: 1", "search: {simulations: 65}", 8, "out_of_range", "search.simulations must be from 1 to 64, not 65"),
    ("seed: 1", "search: {depth: 0}", 8, "out_of_range", "search.depth must be from 1 to 4, not 0"),
    ("seed: 1", "search: {deep: 2}", 8, "unknown_key", "no key 'deep' in a table of search; there are method"),
    ("seed: 1", "search.depth: 2\nsearch: {depth: 3}", 9, "duplicate_key", "search.depth is given twice, first on"),
    ("seed: 1", "tool_usage: [hammer]", 8, "bad_enum", "cannot be 'hammer'; allowed are search, rag, summarizer"),
    ("seed: 1", "tool_usage: ['mcp:']", 8, "bad_enum", "tool_usage cannot be 'mcp:'"),
    ("seed: 1", "tool_usage: ['mcp:../x']", 8, "bad_enum", "tool_usage cannot be 'mcp:../x'"),
    ("seed: 1", "stop: []", 8, "out_of_range", "stop must have 1 to 8 entries, not 0"),
    ("seed: 1", "stop: ['']", 8, "wrong_type", "stop is ''; it must be texts of 1 to 100 characters"),
    ("seed: 1", "stop: [[a]]", 8, "wrong_type", "stop is a list; it must be texts of 1 to 100 characters"),
    ("seed: 1", "stop: {a: b}", 8, "wrong_type", "stop is a table of keys; it must be texts"),
    ("seed: 1", "keep_alive: soon", 8, "wrong_type", "keep_alive is 'soon'; it must be a length of time such as 30s"),
    ("seed: 1", "deadline: 1.5h", 8, "wrong_type", "deadline is '1.5h'; it must be a length of time such as 30s, 10m"),
    ("seed: 1", "deadline: [1h]", 8, "wrong_type", "deadline is a list; it must be a length of time"),
    ("seed: 1", "deadline: 0s", 8, "out_of_range", "deadline must be from 1s to 366d, not 0s"),
    ("seed: 1", "deadline: 367d", 8, "out_of_range", "deadline must be from 1s to 366d, not 367d"),
    ("seed: 1", "stand_in: somebody", 8, "wrong_type", "'somebody' is not a model"),
    ("seed: 1", "duty: witness", 8, "bad_enum", "duty cannot be 'witness'; allowed are debater, moderator, juror"),
    ("seed: 1", "keep_alive: [1m]", 8, "wrong_type", "keep_alive is a list; it must be a length of time"),
    ("seed: 1", "priority: -1", 8, "out_of_range", "priority must be from 0 to 100, not -1"),
    ("seed: 1", "min_p: 2", 8, "out_of_range", "min_p must be from 0 to 1, not 2"),
    ("seed: 1", "top_k: 0", 8, "out_of_range", "top_k must be from 1 to 1,000, not 0"),
    ("seed: 1", "num_ctx: 8k", 8, "wrong_type", "num_ctx is '8k'; it must be a whole number"),
    ("seed: 1", "tone: " + "x" * 201, 8, "too_large", "tone has 201 characters; at most 200 are allowed"),
    ("seed: 1", "emotional_style: x", 8, "unknown_key", "no key 'emotional_style' in a participant; did you mean 'to"),
    ("library: papers", "", 2, "unsafe_path", "a library can be named only in a brief that is a file"),
]
# fmt: on


@pytest.mark.parametrize(("header", "own", "line", "code", "sentence"), MISTAKES)
def test_a_contradiction_names_line_field_and_what_is_allowed(
    header: str, own: str, line: int, code: str, sentence: str
) -> None:
    with pytest.raises(BriefError) as caught:
        read_brief(brief(header, own), name="b.md")
    assert sentence in caught.value.found
    at = line + header.count("\n") if own else line
    assert (caught.value.line, caught.value.code) == (at, code)
    assert "\n" not in str(caught.value)


def test_a_window_of_the_moderator_needs_a_scope_of_its_own() -> None:
    with pytest.raises(BriefError, match="context_turns needs a window"):
        read_brief(brief("context_scope: last_n_turns", chair="context_turns: 3"))


# ---- what the protocol takes ---------------------------------------------------------------------------------------


async def ready(text: str, overrides: Overrides = QUOTES) -> PreparedDebate:
    workspace = Workspace.at(Path("folkmoot.sqlite"))
    try:
        return await prepare(workspace, read_brief(text, name="b.md", folder=Path()), overrides)
    finally:
        await workspace.close()


MANY = "participants: [" + ", ".join(f"P{n}" for n in range(9)) + "]"
# fmt: off
MISFITS: list[tuple[str, Overrides, str]] = [
    ("debate_format: socratic\nturn_mode: random", QUOTES, "b.md:3: socratic has its own order of speaking"),
    ("protocol: council\nturn_mode: random", QUOTES,
     "b.md:3: council does not support turn_mode: turn_mode works with round_robin"),
    ("protocol: council\ndebate_end_condition: no_new_arguments", QUOTES,
     "b.md:3: council does not support debate_end_condition: debate_end_condition works with panel, arena"),
    ("debate_end_condition: no_new_arguments", QUOTES, "b.md:2: no_new_arguments needs a moderator here"),
    ("protocol: socratic\ndebate_end_condition: stalled", QUOTES, "b.md:3: socratic does not support stalled:"),
    (f"debate_format: bp_style\n{MANY}", QUOTES, "b.md:3: "),
    ("persona_count: 2\ndebate_format: fishbowl", QUOTES, "b.md:2: fishbowl needs at least 3 debaters, not 2"),
    ("debate_format: open_fight\nconsensus_strategy: moderator\nmoderator: yes", QUOTES,
     "b.md:3: open_fight cannot be decided by 'moderator'; it takes agent_closing"),
    ("protocol: panel\nconsensus_strategy: no_consensus", QUOTES, "b.md:3: panel cannot be decided by 'no_consensus'"),
    ("debate_format: socratic\nuse_mediator: no", Overrides(models=("builtin:quotes",), strategy="ranked_reasons"),
     "b.md:3: moderator is no, but the strategy ranked_reasons needs one"),
    ("debate_format: socratic\nuse_mediator: no", Overrides(models=("builtin:quotes",), protocol="moderated"),
     "b.md:3: moderator is no, but the protocol moderated needs one"),
    ("mediator_type: consensus\nconsensus_strategy: supermajority", QUOTES,
     "b.md:3: a mediator of the kind consensus decides by consent"),
]
# fmt: on


@pytest.mark.parametrize(("header", "overrides", "sentence"), MISFITS)
async def test_what_does_not_fit_the_protocol_names_its_line(header: str, overrides: Overrides, sentence: str) -> None:
    with pytest.raises(BriefError) as caught:
        await ready(f"---\n{header}\n---\n# Tea?", overrides)
    assert str(caught.value).startswith(sentence)


async def test_a_wish_for_a_judge_is_granted() -> None:
    wish = Overrides(models=("builtin:quotes",), protocol="fishbowl", strategy="ranked_reasons")
    prepared = await ready("---\nlanguage: German\n---\n# Tea?", wish)
    assert prepared.plan.brief.participants[-1].name == "Moderator"
    assert prepared.plan.brief.participants[-1].language == "German"


MODEL = Overrides(models=("ollama:tiny",), cast="builtin")
AGENTS: list[tuple[str, Overrides, tuple[str, ...]]] = [
    ("---\nmediator_type: ToolAgent\n---\n# Tea?", MODEL, ("search", "summarizer")),
    ("---\nmediator_type: ToolAgent\n---\n# Tea?\n\nTea is cheap.", MODEL, ("search", "rag", "summarizer")),
    ("---\nmediator_type: ToolAgent\n---\n# Tea?\n\n## Moderator\ntool_usage: [scorer]", MODEL, ("scorer",)),
    ("---\nmediator_type: ToolAgent\n---\n# Tea?\n\n## Moderator\ntool_usage: no", MODEL, ()),
    ("---\nmediator_type: ToolAgent\n---\n# Tea?\n\n## Moderator\nrole: x", MODEL, ("search", "summarizer")),
    ("---\nmediator_type: Active\n---\n# Tea?", MODEL, ()),
]


@pytest.mark.parametrize(("text", "overrides", "tools"), AGENTS)
async def test_a_tool_agent_has_the_tools_that_can_be_had(
    text: str, overrides: Overrides, tools: tuple[str, ...]
) -> None:
    assert (await ready(text, overrides)).plan.brief.participants[-1].tools == tools


async def test_a_library_without_a_reader_is_told(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("Tea is cheap.", "utf-8")
    text = "---\nlibrary: notes.md\n---\n# Tea?\n\n## Ada\nrole: x\n{}\n\n## Bo\nrole: y\n"
    prepared = await ready(text.format(""))
    assert [source.text for source in prepared.plan.brief.library] == ["Tea is cheap."]
    assert "Nobody has the tool rag, so nobody reads the library." in prepared.notes
    assert "Nobody has" not in " ".join((await ready(text.format("tool_usage: [rag]"))).notes)


# ---- one internal form ---------------------------------------------------------------------------------------------

# fmt: off
ALL = [
    "recall: yes", "recall: no", "history_limit: 3",
    "research: [search, rag]", "vote_weights: log-odds", "hub: Ada", "sparsity: 0.25",
    "threshold: 0.4", "samples: 12", "forecast: number", "merge: yes", "unseeing: skip",
    "debate_format: round_robin", "max_rounds: 3", "consensus_strategy: vote_based", "use_mediator: yes",
    "mediator_type: Reflector", "mediator_frequency: midpoint", "summary_style: persuasive", "turn_mode: random",
    "context_scope: last_n_turns", "context_scope: summary_only", "context_turns: 4", "language: Zürich German",
    "context_strategy: summarize_past", "context_strategy: persona_masking", "summarize_every: 3", "revision: off",
    "debate_end_condition: [no new arguments]", "live_scoring: yes", "logging_mode: markdown", "evolution: yes",
    "anonymous_scoring: on", "reasoned_evaluation: true", "self_reflection: yes", "interruptions: no",
    "schemas: first", "schemas: off",
]
OWN = [
    "personality: calm", "expertise: law", "speaking_style: 'so: short'",
    "tone: 'a: b'", "style: terse", "language: French", "priority: 2.5", "hide: [Bo, round 2, Bo round 1, vote]",
    "context_scope: persona_scoped", "context_scope: last_n_turns", "context_turns: 2", "search: {depth: 1}",
    "search: {simulations: 3, method: MCTS}", "top_k: 4", "min_p: 0.5", "repeat_penalty: 1", 'stop: ["\\n", "#"]',
    "stop: x", "num_ctx: 512", "keep_alive: 0", "tool_usage: [mcp:a-b, scorer]", "persona: 'Style: x'", "hide: Cem",
    "max_tokens: 9", "duty: debater", "weight: 2", "model: a:b", "model: retriever", "deadline: 2d", "stand_in: a:b",
    "fallback: [a:b, c:d]", "schemas: repair",
]
# fmt: on


@limits(deadline=1000, max_examples=200)
@given(
    st.lists(st.sampled_from(ALL), unique=True, max_size=8),
    st.lists(st.sampled_from(OWN), unique=True, max_size=6),
    st.booleans(),
)
def test_every_setting_reads_back(header: list[str], own: list[str], chair: bool) -> None:
    text = brief("\n".join(header), "\n".join(own), "context_scope: last_n_turns" if chair else "")
    with suppress(BriefError):
        read_brief(text)
        check_round_trip(text)


def test_the_settings_above_are_all_there_are() -> None:
    parts = {line.split(":")[0] for line in (*ALL, *OWN)}
    older = {"topic", "persona_count", "participants", "topology", "context", "background", "library", "rules"}
    older |= {"options", "seed", "limits", "protocol_options", "strategy_options"}
    older |= {"tool_options", "provider_options", "report_options"}
    older |= {"reminder_interval", "deadline_interval", "preset"}
    names = {name for key in HEADER for name in (key.name, *key.aliases)}
    assert {key.name for key in HEADER if not {key.name, *key.aliases} & parts} == older
    settled = {"name", "role", "temperature", "top_p", "presence_penalty", "frequency_penalty", "seed"}
    own = {key.name for key in PARTICIPANT if "." not in key.name}
    assert own - parts == settled
    assert parts <= names | own


S1_MARKDOWN = """\
---
topic: Should AI be regulated?
persona_count: 3
debate_format: round_robin
max_rounds: 2
consensus_strategy: agent_closing
use_mediator: false
logging_mode: markdown
---
A law is being drafted.
"""
S1_TEXT = "Should AI be regulated?\n\nA law is being drafted.\n"


def test_s1_text_and_markdown_come_to_one_form_and_the_type_is_reported(tmp_path: Path) -> None:
    marked, plain = read_brief(S1_MARKDOWN), read_brief(S1_TEXT)
    assert (marked.kind, plain.kind) == ("markdown", "text")
    body = "# Should AI be regulated?\n\n## Background\n\nA law is being drafted.\n"
    assert normalise(plain) == body
    assert normalise(marked).split("---\n")[2] == body
    shown: dict[str, Any] = {}
    for name, text in (("marked.md", S1_MARKDOWN), ("plain.txt", S1_TEXT)):
        (tmp_path / name).write_text(text, "utf-8")
        shown[name] = folkmoot(tmp_path, "check", name, "-m", "builtin:quotes").output
    assert "input       Markdown" in shown["marked.md"]
    assert "input       plain text" in shown["plain.txt"]
    assert folkmoot(tmp_path, "check", "marked.md", "--normalised").output == normalise(marked)
