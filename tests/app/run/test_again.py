"""The settings of a debate stand on record as data, and the same brief once more is debated by them."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from folkmoot.app.brief.reader import read_brief, read_settings
from folkmoot.app.brief.types import HEADER, PROTOCOLS
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.again import start_again
from folkmoot.app.run.prepare import Overrides, PreparedDebate, prepare
from folkmoot.app.run.start import put_on_record
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.app.serve.brief_view import brief_markdown
from folkmoot.core.ask import Value
from folkmoot.core.brief import Brief, Participant, View
from folkmoot.core.errors import BriefError, FolkmootError
from folkmoot.core.event import Opened
from folkmoot.phases.base import Sequence
from folkmoot.phases.choices import Final
from folkmoot.phases.vote import Adopt
from folkmoot.protocols.spec import dump
from folkmoot.testing.store_checks import InMemoryStore

QUOTES = Overrides(models=("builtin:quotes",))

PEOPLE = """
## Ada
role: pays

You know the costs.

## Bo
role: builds

## Cem
role: asks
"""


def space() -> Workspace:
    """A workspace in memory, without any settings of an owner."""
    return Workspace(InMemoryStore(), config=Config())


def text(header: str, body: str = PEOPLE) -> str:
    """A brief with that header."""
    return f"---\n{header}\n---\n# Build or buy?\n\nBuilding takes a year.\n{body}"


async def begun(workspace: Workspace, brief: str, overrides: Overrides = QUOTES) -> Opened:
    """A debate on record, called first; how it began."""
    start = await prepare(workspace, read_brief(brief, folder=Path()), overrides, workspace.config)
    await put_on_record(workspace, start, "first")
    return start.plan.opened()


async def again(workspace: Workspace, *pairs: str, overrides: Overrides | None = None) -> PreparedDebate:
    """The same brief once more."""
    return await start_again(workspace, "first", overrides or Overrides(), settings=read_settings(pairs))


# ---- the settings that are on record --------------------------------------------------------------------------------

# fmt: off
ALL: list[tuple[str, str]] = [
    *((name, "") for name in PROTOCOLS if name not in ("findings",)),
    ("panel", "rounds: 2\nstrategy: borda\nthreshold: 0.1234567\ndebate_end_condition: [answers_unchanged, stalled]"),
    ("panel", "strategy: supermajority\nthreshold: 0"),
    ("panel", "strategy: majority\ndebate_end_condition: majority_certain"),
    ("gate", "rounds: 3\nthreshold: 1"),
    ("council", "strategy: weighted\nvote_weights: log_odds"),
    ("council", "recall: yes\nhistory_limit: 3\nresearch: [rag]"),
    ("council", "recall: yes"),
    ("moderated", "rounds: 5\nlanguage: German\nrevision: yes"),
    ("arena", "topology: star\nhub: Bo\nstrategy: supermajority"),
    ("arena", "topology: random-graph\nsparsity: 0.25\nrounds: 2"),
    ("board", "reminder_interval: 3\ndeadline_interval: 6"),
    ("round_robin", "rounds: 3\nturn_mode: priority_order\ndebate_end_condition: [consensus_reached, rounds_exhausted]\n"
     "summarize_every: 2\ncontext_strategy: summarize_past\nself_reflection: yes"),
    ("round_robin", "context_scope: last_n_turns\ncontext_turns: 3\nlive_scoring: yes\ninterruptions: yes\n"
     "evolution: yes\nanonymous_scoring: yes\nreasoned_evaluation: yes"),
    ("socratic", "strategy: ranked_reasons\nmediator_type: judge\nmediator_frequency: midpoint\nsummary_style: critical"),
    ("fishbowl", "strategy: agent_closing\ncontext_scope: summary_only"),
    ("sample", "samples: 9\nstrategy: plurality\noptions: [build, buy]"),
    ("select", "merge: yes\nmoderator: yes"),
    ("forecast", "forecast: number\nthreshold: 0.1"),
    ("forecast", "forecast: quantiles\nlogging_mode: json_log"),
]
# fmt: on


@pytest.mark.parametrize(("protocol", "header"), ALL)
async def test_the_settings_on_record_make_the_same_protocol(protocol: str, header: str) -> None:
    workspace = space()
    people = PEOPLE + "\n## Dora\nrole: a\n\n## Eve\nrole: b\n\n## Finn\nrole: c\n" if protocol == "grouped" else PEOPLE
    first = await begun(workspace, text(f"protocol: {protocol}\n{header}".strip(), people))
    assert first.settings["protocol"] == protocol
    unchanged = (await again(workspace)).plan.opened()
    rebuilt = (await again(workspace, f"protocol={protocol}")).plan.opened()
    for once_more in (unchanged, rebuilt):
        assert (once_more.protocol, once_more.settings) == (first.protocol, first.settings)
        assert set(once_more.brief.participants) == set(first.brief.participants)


@pytest.mark.parametrize(("protocol", "header"), [(name, header) for name, header in ALL if "forecast" not in name])
async def test_another_number_of_rounds_keeps_every_other_setting(protocol: str, header: str) -> None:
    workspace = space()
    people = PEOPLE + "\n## Dora\nrole: a\n\n## Eve\nrole: b\n\n## Finn\nrole: c\n" if protocol == "grouped" else PEOPLE
    first = await begun(workspace, text(f"protocol: {protocol}\n{header}".strip(), people))
    longer = (await again(workspace, overrides=Overrides(rounds=2))).plan
    assert longer.settings == {**first.settings, "rounds": 2}


async def test_what_a_caller_sets_is_on_record_and_what_the_brief_holds_is_not() -> None:
    workspace = space()
    overrides = replace(QUOTES, protocol="council", rounds=2, strategy="borda", seed=4)
    first = await begun(
        workspace, text("seed: 3\nrules: Be brief.\nlogging_mode: markdown\nlimits: {asks: 90}"), overrides
    )
    assert first.settings == {
        "protocol": "council", "rounds": 2, "strategy": "borda", "logging_mode": "full_markdown",
    }  # fmt: skip
    assert (first.log, first.brief.seed) == ("full_markdown", 4)


# ---- what was lost before -------------------------------------------------------------------------------------------

# fmt: off
LOST: list[tuple[str, str, Overrides, tuple[str, ...], Mapping[str, Value]]] = [
    ("protocol: sample\nsamples: 3\noptions: [buy, build]", "\n## Ada\nrole: pays\n", Overrides(strategy="plurality"),
     (), {"protocol": "sample", "samples": 3, "strategy": "plurality"}),
    ("protocol: forecast\nforecast: number\nthreshold: 0.1", PEOPLE, Overrides(rounds=1), (),
     {"protocol": "forecast", "forecast": "number", "threshold": 0.1, "rounds": 1}),
    ("protocol: select\nmerge: yes\nmoderator: yes", PEOPLE, Overrides(), ("language=English",),
     {"protocol": "select", "merge": True, "language": "English"}),
    ("protocol: panel\nstrategy: supermajority\nthreshold: 0.1234567", PEOPLE, Overrides(rounds=2), (),
     {"protocol": "panel", "strategy": "supermajority", "threshold": 0.1234567, "rounds": 2}),
]
# fmt: on


@pytest.mark.parametrize(("header", "people", "overrides", "pairs", "settings"), LOST)
async def test_no_setting_is_lost_once_more(
    header: str, people: str, overrides: Overrides, pairs: tuple[str, ...], settings: Mapping[str, Value]
) -> None:
    workspace = space()
    await begun(workspace, text(header, people))
    ready = await again(workspace, *pairs, overrides=overrides)
    assert ready.plan.settings == settings
    assert not any("left out" in note for note in ready.notes)
    fresh = space()
    written = "\n".join(f"{name}: {str(value).lower() if value is True else value}" for name, value in settings.items())
    more = [line for line in header.split("\n") if line.split(":")[0] in ("options", "moderator")]
    assert (await begun(fresh, text("\n".join([written, *more]), people))).protocol == dump(ready.plan.protocol)


# ---- what does not fit another protocol -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "overrides", "kept", "left_out"),
    [
        ("protocol: panel\nstrategy: borda\nthreshold: 0.3\nlanguage: German", "council",
         {"strategy": "borda", "language": "German"}, ("threshold",)),
        ("protocol: panel\nstrategy: borda\nthreshold: 0.3", "moderated", {}, ("strategy", "threshold")),
        ("protocol: round_robin\nrounds: 9\nturn_mode: random\nrevision: yes", "panel",
         {"revision": True}, ("rounds", "turn_mode")),
        ("protocol: arena\ntopology: star\nhub: Bo\nrounds: 2", "chaired", {"rounds": 2}, ("topology", "hub")),
        ("protocol: round_robin\nmediator_type: active\nsummary_style: critical", "board", {},
         ("mediator_type", "summary_style")),
        ("protocol: panel\ndebate_end_condition: [stalled]", "socratic", {}, ("debate_end_condition",)),
    ],
)  # fmt: skip
async def test_a_setting_that_does_not_fit_another_protocol_is_left_out_by_name(
    header: str, overrides: str, kept: Mapping[str, Value], left_out: tuple[str, ...]
) -> None:
    workspace = space()
    first = await begun(workspace, text(header))
    for ready in (
        await again(workspace, overrides=Overrides(protocol=overrides)),
        await again(workspace, f"protocol={overrides}"),
    ):
        assert ready.plan.settings == {"protocol": overrides, **kept}
        (note,) = (note for note in ready.notes if "left out" in note)
        assert [name for name in first.settings if f"{name}: " in note] == list(
            filter(left_out.__contains__, first.settings)
        )


async def test_what_the_caller_sets_is_never_left_out() -> None:
    workspace = space()
    await begun(workspace, text("protocol: round_robin\nturn_mode: random"))
    with pytest.raises(BriefError) as raised:
        await again(workspace, "protocol=council", "turn_mode=random")
    assert raised.value.about == "turn_mode"


async def test_recall_that_is_switched_off_takes_its_settings_and_its_helper_along() -> None:
    workspace = space()
    await begun(workspace, text("protocol: panel\nrecall: yes\nhistory_limit: 3"))
    ready = await again(workspace, "recall=no")
    assert ready.plan.settings == {"protocol": "panel", "recall": False}
    assert all(participant.duty != "aide" for participant in ready.plan.brief.participants)


async def test_a_described_retriever_stays() -> None:
    workspace = space()
    await begun(workspace, text("protocol: panel", f"{PEOPLE}\n## Keeper (retriever)\n"))
    ready = await again(workspace, overrides=Overrides(rounds=2))
    assert [who.name for who in ready.plan.brief.participants if who.duty == "aide"] == ["Keeper"]


async def test_a_new_way_to_look_replaces_the_earlier_one() -> None:
    workspace = space()
    await begun(workspace, text("protocol: round_robin\ncontext_strategy: rolling_window\ncontext_turns: 4"))
    plan = (await again(workspace, "context_turns=2")).plan
    assert [who.view and who.view.last for who in plan.brief.participants] == [2, 2, 2]
    plan = (await again(workspace, "context_scope=full_log")).plan
    assert {who.view for who in plan.brief.participants} == {View(whole=True)}
    assert plan.settings == {"protocol": "round_robin", "context_scope": "full_log"}


async def test_a_final_answer_for_a_caller_is_left_out_with_a_note() -> None:
    workspace = space()
    await begun(workspace, text("protocol: panel"), replace(QUOTES, final=Final(task="Say it in a line.")))
    assert "final" in str(dump((await again(workspace)).plan.protocol))
    ready = await again(workspace, overrides=Overrides(rounds=2))
    assert any("final answer" in note for note in ready.notes)


async def test_a_protocol_that_a_program_made_is_run_as_it_is_or_replaced_as_a_whole() -> None:
    workspace = space()
    people = tuple(Participant(name=name, seat="builtin:quotes") for name in ("Ada", "Bo"))
    tree = Sequence(parts=(Adopt(),))
    plan = Plan(brief=Brief(topic="Tea?", participants=people), name="council", protocol=tree)
    made = replace(await again_of(workspace), plan=plan)
    await put_on_record(workspace, made, "made")
    same = (await start_again(workspace, "made", Overrides(seed=2))).plan
    assert (same.protocol, same.settings, same.brief.seed) == (tree, {}, 2)
    with pytest.raises(BriefError, match="--protocol"):
        await start_again(workspace, "made", Overrides(rounds=2))
    other = (await start_again(workspace, "made", Overrides(protocol="panel", rounds=2))).plan
    assert other.settings == {"protocol": "panel", "rounds": 2}


async def again_of(workspace: Workspace) -> PreparedDebate:
    """Any debate that is prepared."""
    return await prepare(workspace, read_brief(text("seed: 1")), QUOTES, workspace.config)


async def test_the_brief_as_a_file_has_all_that_is_said_of_each_participant() -> None:
    people = """
## Ada
role: pays
model: ollama:tiny
fallback: [ollama:small]
weight: 0.5
priority: 3
language: German
temperature: 0.3
stop: ["END", "\\n"]
keep_alive: 10m
hide: [Bo, critique, round 2]
tool_usage: [search, scorer]
search: {simulations: 4, depth: 1}
context_scope: persona_scoped

You know the costs.

### Not a participant

You know the past.

## Bo
model: human
deadline: 2d
stand_in: ollama:tiny

## Moderator
model: ollama:tiny
tool_usage: no
context_scope: last_n_turns
context_turns: 9
"""
    header = (
        "protocol: round_robin\nmediator_type: toolagent\ncontext_strategy: summarize_past\nseed: 4\nlimits: {asks: 99}"
    )
    first = await begun(space(), text(header, people))
    edited = await begun(space(), brief_markdown(first))
    assert (edited.protocol, edited.settings) == (first.protocol, first.settings)
    assert edited.brief.participants == first.brief.participants
    assert (edited.brief.seed, edited.brief.limits) == (first.brief.seed, first.brief.limits)


# ---- any settings ---------------------------------------------------------------------------------------------------

_FLAGS = [key.name for key in HEADER if key.type is bool and key.name not in ("moderator", "merge", "recall")]
_CHOSEN = (
    "strategy", "topology", "turn_mode", "mediator_type", "mediator_frequency", "summary_style", "context_scope",
    "context_strategy", "vote_weights", "debate_end_condition",
)  # fmt: skip
_ONES: Mapping[str, tuple[str, ...]] = {
    **{key.name: key.choices for key in HEADER if key.name in _CHOSEN}, "language": ("German", "English"),
    "logging_mode": ("full_markdown", "json_log"), "moderator": ("yes",), "recall": ("yes",),
    "unseeing": ("skip", "refuse"), "hub": ("Bo",),
}  # fmt: skip
_NUMBERS: Mapping[str, tuple[float, ...]] = {
    "rounds": (1, 2, 3), "context_turns": (1, 7), "summarize_every": (1, 3), "threshold": (0, 0.25, 0.1234567, 1),
    "sparsity": (0.125, 1), "history_limit": (2,), "samples": (3,), "reminder_interval": (3,), "deadline_interval": (9,),
}  # fmt: skip


@st.composite
def headers(draw: st.DrawFn) -> str:
    """Any settings of a header; many of them contradict each other."""
    protocol = draw(st.sampled_from([name for name in PROTOCOLS if name not in ("findings", "grouped")]))
    names = draw(st.lists(st.sampled_from([*_FLAGS, *_ONES, *_NUMBERS]), max_size=4, unique=True))
    lines = [f"protocol: {protocol}"]
    for name in names:
        value = draw(st.sampled_from(_ONES.get(name) or _NUMBERS.get(name) or ("yes", "no")))
        lines.append(f"{name}: {value}")
    return "\n".join(lines)


OWN = ("", "context_scope: last_n_turns\ncontext_turns: 2", "context_scope: persona_scoped", "hide: [Bo, round 1]")


@limits(max_examples=60, deadline=None)
@given(header=headers(), own=st.sampled_from(OWN))
async def test_any_settings_come_out_the_same_once_more_and_as_a_file(header: str, own: str) -> None:
    workspace = space()
    brief = text(header, PEOPLE.replace("role: pays", f"role: pays\nweight: 2\n{own}".strip()))
    try:
        first = await begun(workspace, brief)
    except FolkmootError:
        return  # they contradict each other
    rebuilt = (await again(workspace, f"protocol={first.name}")).plan.opened()
    assert (rebuilt.protocol, rebuilt.settings) == (first.protocol, first.settings)
    assert set(rebuilt.brief.participants) == set(first.brief.participants)
    edited = await begun(space(), brief_markdown(first))
    assert (edited.protocol, edited.settings) == (first.protocol, first.settings)
    assert set(edited.brief.participants) == set(first.brief.participants)
