"""What is said before a debate begins about settings that do little, or of which nobody knows how much they cost."""

import re

import pytest

from folkmoot.app.brief.reader import read_brief
from folkmoot.app.plan.checks import NOTHING, QUOTING
from folkmoot.app.run.prepare import LimitOverrides, Overrides, prepare
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import BriefError
from folkmoot.models.pool import Pool
from folkmoot.testing.store_checks import InMemoryStore

PEOPLE = "\n\n## Ada\nrole: x\n{ada}\n## Bo\nrole: y\n{bo}\n## Cy\nrole: z\n"


def write(header: str, ada: str = "", bo: str = "") -> str:
    return f"---\n{header}\n---\n# Tea?" + PEOPLE.replace("{ada}", ada).replace("{bo}", bo)


async def notes(text: str, overrides: Overrides | None = None) -> str:
    """All notes on a brief, a line each."""
    workspace = Workspace(InMemoryStore(), pool=Pool(env={}))
    try:
        ready = await prepare(
            workspace, read_brief(text, name="b.md"), overrides or Overrides(models=("builtin:quotes",))
        )
    finally:
        await workspace.close()
    return "\n".join(ready.notes)


# fmt: off
IDLE: list[tuple[str, int | None, str]] = [
    ("debate_format: bp_style\ndebate_end_condition: no_new_arguments", None,
     "bp_style has 1 round, which no_new_arguments cannot end earlier."),
    ("debate_format: bp_style\nrounds: 3", None, "bp_style has 1 round, of eight speeches, and the number"),
    ("debate_format: round_robin\nrounds: 1\ndebate_end_condition: no_new_arguments", None,
     "round_robin has 1 round, which no_new_arguments cannot end earlier."),
    ("mediator_type: active", 0, "There are no rounds, so the moderator never speaks as active; use "),
    ("protocol: council\nmediator_type: judge\nmediator_frequency: midpoint", 0, "never speaks as judge"),
    ("protocol: arena\nmediator_type: reflector", 0, "never speaks as reflector"),
    ("revision: yes\nevolution: yes", 0, "There are no rounds, so there will be no revision and no evolution."),
    ("debate_format: round_robin\nrounds: 3\nmediator_type: active\nmediator_frequency: midpoint\n"
     "debate_end_condition: consensus_reached", None,
     "The moderator speaks as active after round 2; if the rounds end earlier, it never speaks."),
    ("mediator_type: silent\nmediator_frequency: midpoint", None, "the kind silent speaks at the end; mediator_freq"),
    ("mediator_type: silent\nmediator_frequency: every_round", None, "the kind silent speaks at the end; mediator_fre"),
    ("mediator_type: consensus\nmediator_frequency: every_round", None, "the kind consensus speaks at the end"),
    ("mediator_type: consensus\nsummary_style: critical", None, "summary_style critical has no effect"),
    ("debate_format: bp_style\nmediator_type: judge\nsummary_style: critical", None, "summary_style critical has"),
    ("protocol: panel\nmediator_type: active\nsummary_style: critical", None, "summary_style critical has no effect"),
    ("debate_format: round_robin\nturn_mode: priority_order", None,
     "turn_mode priority_order has no effect: all debaters have the same priority; give each a priority."),
    ("language: Russian", None, "All debaters speak Russian, so nothing is translated."),
    ("debate_format: bp_style\ncontext_strategy: summarize_past", None,
     "There will be no summary: one is made every 2 rounds, and there is at most 1 round."),
    ("protocol: panel\nquorum: 5", None,
     "quorum: 5 has no effect: at most 3 models speak at the same time, so the debate waits for all."),
    ("protocol: panel\nquorum: 3", None, "quorum: 3 has no effect: at most 3 models"),
    ("protocol: board\nquorum: 2", None, "In board here the debate waits for everybody, so quorum has no effect."),
    ("protocol: findings\nquorum: 2", None, "In findings here the debate waits for everybody, so quorum has no effect."),
    ("protocol: panel\ninterruptions: yes", None, "In panel there is no turn to interrupt, so interruptions"),
]
BUSY: list[tuple[str, int | None]] = [
    ("debate_format: bp_style\ndebate_end_condition: rounds_exhausted\nrounds: 1", None),
    ("debate_format: round_robin\nrounds: 2\ndebate_end_condition: no_new_arguments", None),
    ("mediator_type: active\nmediator_frequency: final", 0),
    ("protocol: arena\nrounds: 1\ndebate_end_condition: [lead_decided]", None),
    ("debate_format: round_robin\nmediator_type: active\nmediator_frequency: midpoint", None),
    ("mediator_type: silent", 0),
    ("protocol: panel\nquorum: 2", None),
    ("mediator_type: silent\nmediator_frequency: final", None),
    ("mediator_type: consensus", None),
    ("debate_format: round_robin\nsummarize_every: 2\nrounds: 2\ncontext_strategy: summarize_past", None),
    ("debate_format: round_robin\ninterruptions: yes\nrevision: yes\nevolution: yes", None),
]
# fmt: on


@pytest.mark.parametrize(("header", "rounds", "note"), IDLE)
async def test_a_setting_that_may_do_nothing_is_named(header: str, rounds: int | None, note: str) -> None:
    assert note in await notes(write(header), Overrides(models=("builtin:quotes",), rounds=rounds))


@pytest.mark.parametrize(("header", "rounds"), BUSY)
async def test_nothing_is_said_of_settings_that_do_something(header: str, rounds: int | None) -> None:
    text = await notes(write(header), Overrides(models=("builtin:quotes",), rounds=rounds))
    assert text == f"{QUOTING}\n{NOTHING}"


BLIND = "would hear no speech: bp_style is summed up only after all its speeches; leave out context_scope: summary_only"
# fmt: off
BLINDED: list[tuple[str, str, str]] = [
    (write("debate_format: bp_style\ncontext_scope: summary_only"), "", "b.md:3: Ada, Bo, Cy "),
    (write("debate_format: bp_style", bo="context_scope: summary_only\n"), "", "b.md:2: Bo "),
    (write("context_scope: summary_only"), "bp_style", "b.md:2: Ada, Bo, Cy "),
]
# fmt: on


@pytest.mark.parametrize(("text", "protocol", "who"), BLINDED)
async def test_nobody_speaks_in_parliament_without_hearing_a_speech(text: str, protocol: str, who: str) -> None:
    with pytest.raises(BriefError) as caught:
        await notes(text, Overrides(models=("builtin:quotes",), protocol=protocol))
    assert str(caught.value) == f"{who}{BLIND}"


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (
            write("protocol: panel", ada="search: {method: mcts}"),
            "Ada does not search for arguments: builtin:quotes is",
        ),
        (write("protocol: panel", bo="priority: 2"), "The priority of Bo has no effect: it needs turn_mode: prior"),
        (write("debate_format: round_robin\nturn_mode: priority_order", bo="priority: 2"), ""),
        (
            write("protocol: panel", bo="weight: 0.5"),
            "The weight of Bo has no effect: it needs strategy: weighted.",
        ),
        (write("protocol: council\nstrategy: weighted", bo="weight: 0.5"), ""),
        (
            write(
                "debate_format: round_robin\nmediator_type: judge\nsummary_style: critical\nconsensus_strategy: vote"
            ),
            "summary_style critical has no effect: nobody writes a summary at the end.",
        ),
        (write("debate_format: round_robin\nmediator_type: judge\nsummary_style: critical"), ""),
    ],
)
async def test_what_a_participant_cannot_use_is_said(text: str, note: str) -> None:
    words = await notes(text)
    assert note in words
    assert note or "changes nothing" not in words


async def test_a_moderator_has_no_arguments_to_search_for() -> None:
    text = write("debate_format: round_robin\nuse_mediator: true") + "\n## Mediator\nsearch: {method: mcts}\n"
    words = await notes(text, Overrides(models=("ollama:tiny",)))
    assert "Mediator moderates and so has no arguments to search for; search has no effect." in words


LONG = "debate_format: open_fight\nrounds: 8\npersona_count: 5\nlive_scoring: yes\ninterruptions: yes"


async def test_a_debate_that_may_reach_its_limit_of_asks_is_told_how_to_lift_it() -> None:
    text = f"---\n{LONG}\n---\n# Tea?"
    words = await notes(text)
    match_ = re.search(r"need (\d+) questions and pauses after 500. To allow them all: --max-questions (\d+)\.", words)
    assert match_
    most = int(match_[1])
    assert int(match_[2]) == most
    assert "pauses after" not in await notes(
        text, Overrides(models=("builtin:quotes",), caps=LimitOverrides(asks=most))
    )
    wish = Overrides(models=("builtin:quotes",), caps=LimitOverrides(asks=most - 1))
    assert f"pauses after {most - 1}." in await notes(text, wish)


async def test_what_the_tokens_leave_out_is_said_where_somebody_can_look_something_up() -> None:
    text = write("protocol: panel", ada="tool_usage: [scorer]\n")
    words = await notes(text, Overrides(models=("ollama:tiny",)))
    left_out = "The most includes 8 results of 16,384"
    assert left_out in words
    assert "leave out" not in await notes(text)
    assert "leave out" not in await notes(write("protocol: panel"), Overrides(models=("ollama:tiny",)))


async def test_who_has_nothing_to_quote_is_told_before_the_debate() -> None:
    assert NOTHING in await notes("# Shall we move?\n")
    assert NOTHING not in await notes("# Shall we move?\n\nWe are eight.\n")


@pytest.mark.parametrize(
    ("ada", "note"),
    [
        ("hide: [critique, round 1]\n", "Ada hides critique, which panel never has here; that has no effect."),
        ("hide: [draft, Bo]\n", ""),
        ("language: German\n", ""),
    ],
)
async def test_what_a_participant_hides_or_speaks_in_vain(ada: str, note: str) -> None:
    text = await notes(write("protocol: panel\nrounds: 1", ada=ada))
    assert note in text
    assert ("has no effect" in text or "translated" in text) == bool(note)


COPIES = "among copies of one model a debate has gained nothing."
FAMILY = "they are likely to err alike."
MEMORY = "where all judge from memory, a debate has helped least."


@pytest.mark.parametrize(
    ("models", "header", "words"),
    [
        (("ollama:qwen3:8b",), "", f"All 3 debaters are ollama:qwen3:8b: {COPIES}"),
        (("ollama:qwen3:8b", "ollama:qwen2.5"), "", f"All 3 debaters are of one family of models: {FAMILY}"),
        (("ollama:qwen3:8b", "ollama:llama3.2"), "", f"Nobody gets a document: {MEMORY}"),
        (("ollama:qwen3:8b", "ollama:llama3.2"), "context: Tea is warm.", ""),
        (("ollama:qwen3:8b",), "protocol: council", ""),
        (("builtin:quotes",), "", ""),
    ],
)
async def test_what_makes_a_debate_worth_little_is_said_before_it_begins(
    models: tuple[str, ...], header: str, words: str
) -> None:
    lines = await notes(write(header), Overrides(models=models))
    assert words in lines
    for other in (COPIES, FAMILY, MEMORY):
        assert (other in lines) is (words.endswith(other) or (other == MEMORY and words.endswith(FAMILY)))
