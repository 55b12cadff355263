"""``folkmoot again --set``: the same brief once more, with changes and with everything else as it is on record."""

import json
from pathlib import Path

import pytest

from folkmoot.core.event import Opened
from folkmoot.record.store import decode
from tests.cli.commands import folkmoot, only_id

BRIEF = """---
protocol: round_robin
rounds: 2
strategy: vote
turn_mode: random
live_scoring: yes
mediator_type: Active
---
# Which supplier?

The contract ends in May. North is cheaper. South is nearer.

## Options

- North
- South

## Ada
role: Purchasing
model: builtin:quotes

You know what it costs.

## Bo
role: Production
model: builtin:quotes

You know what stands still without parts.
"""

PANEL = BRIEF.replace(
    "protocol: round_robin\nrounds: 2\nstrategy: vote\nturn_mode: random\nlive_scoring: yes\nmediator_type: Active\n",
    "protocol: panel\n",
)


def opened(folder: Path, debate: str = "last") -> Opened:
    """How a debate began."""
    event = decode(folkmoot(folder, "show", debate, "--json").stdout.splitlines()[0]).event
    assert isinstance(event, Opened)
    return event


RUNS: dict[str, tuple[str, bytes]] = {}
"""Of each brief that was run: the debate's id, and the store behind it."""


def first_run(folder: Path, text: str = BRIEF) -> str:
    """Run a brief, or take the store in which it was run before; the debate's id."""
    (folder / "brief.md").write_text(text, "utf-8")
    store = folder / "folkmoot.sqlite"
    if text not in RUNS:
        ran = folkmoot(folder, "run", "brief.md", "--plain", "--no-report")
        assert ran.exit_code == 0, ran.output
        RUNS[text] = only_id(ran), store.read_bytes()
    debate, content = RUNS[text]
    store.write_bytes(content)
    return debate


def again(folder: Path, debate: str, *options: str) -> Opened:
    """Run it once more; how the new debate began."""
    ran = folkmoot(folder, "again", debate, *options, "--plain", "--no-report")
    assert ran.exit_code == 0, ran.output
    return opened(folder, only_id(ran))


def chosen(event: Opened) -> list[str]:
    """What was chosen for a protocol, without how often the brief was debated."""
    return [text for text in event.chosen if "once more" not in text]


def test_a_setting_of_the_brief_changes_and_all_else_stays(tmp_path: Path) -> None:
    debate = first_run(tmp_path)
    before = opened(tmp_path, debate)
    settings = ("--set", "seed=9", "--set", "rules=Be brief.", "--set", "limits.asks=99", "--set", "context=It rains.")
    after = again(tmp_path, debate, *settings)
    assert after.protocol == before.protocol
    brief = after.brief
    assert (brief.seed, brief.rules, brief.limits.asks) == (9, "Be brief.", 99)
    assert [source.text for source in brief.background] == [
        "It rains.",
        *(source.text for source in before.brief.background),
    ]
    assert brief.participants == before.brief.participants


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--set", "turn_mode=priority_order"], {"turns random": "turns priority order"}),
        (["--set", "summary_style=critical", "--set", "mediator_type=Judge"], {
            "mediator active, every round, neutral": "mediator judge, every round, critical"
        }),
        (["--set", "live_scoring=no"], {"with live scoring": ""}),
        (["--rounds", "1"], {}),
    ],
)  # fmt: skip
def test_a_changed_protocol_keeps_what_else_was_chosen(
    tmp_path: Path, options: list[str], words: dict[str, str]
) -> None:
    debate = first_run(tmp_path)
    before, after = opened(tmp_path, debate), again(tmp_path, debate, *options)
    expected = [words.get(text, text) for text in chosen(before)]
    assert chosen(after) == [text for text in expected if text]
    most = 1 if "--rounds" in options else 2
    assert f'"most": {most}' in json.dumps(after.protocol)


CHOICES = [
    ("arena", "topology: star\nhub: Bo\nstrategy: supermajority", "rounds=2"),
    ("arena", "topology: random-graph\nsparsity: 0.25", "rounds=2"),
    ("board", "reminder_interval: 3\ndeadline_interval: 6", "seed=2"),
    ("round_robin", "debate_end_condition: [consensus_reached, rounds_exhausted]\nsummarize_every: 2\n"
     "context_strategy: summarize_past", "self_reflection=yes"),
    ("council", "strategy: weighted\nvote_weights: log_odds", "options=[a, b]"),
    ("council", "recall: yes\nhistory_limit: 3", "revision=yes"),
]  # fmt: skip


@pytest.mark.parametrize(("protocol", "settings", "change"), CHOICES)
def test_every_setting_stays_where_another_one_changes(
    tmp_path: Path, protocol: str, settings: str, change: str
) -> None:
    text = f"---\nprotocol: {protocol}\n{settings}\nmodel: builtin:quotes\n---\n" + BRIEF.split("---\n")[2]
    debate = first_run(tmp_path, text.split("## Options")[0] + "## Ada" + text.split("## Ada")[1])
    ran = folkmoot(tmp_path, "again", debate, "--set", change, "--plain", "--no-report")
    assert ran.exit_code == 0, ran.output
    assert "left out" not in ran.output
    before, after = opened(tmp_path, debate).settings, opened(tmp_path, only_id(ran)).settings
    assert before.items() <= after.items()


def test_settings_for_all_participants_change_them_on_record(tmp_path: Path) -> None:
    debate = first_run(tmp_path, PANEL)
    window = ("--set", "context_scope=last_n_turns", "--set", "context_turns=3")
    people = again(tmp_path, debate, *window).brief.participants
    assert [who.view and who.view.last for who in people] == [3, 3]
    people = again(tmp_path, debate, "--set", "language=German", "--set", "moderator=yes").brief.participants
    assert [who.language for who in people] == ["German"] * 3


def test_models_are_given_to_all_in_turn_and_by_name(tmp_path: Path) -> None:
    debate = first_run(tmp_path, PANEL)
    ran = folkmoot(tmp_path, "again", debate, "-m", "human", "-m", "builtin:quotes", "--no-input", "--quiet")
    assert ran.exit_code == 6, ran.output
    assert [who.seat for who in opened(tmp_path).brief.participants] == ["human", "builtin:quotes"]
    folkmoot(tmp_path, "again", debate, "-m", "Bo=human", "--set", "model=builtin:quotes", "--no-input", "--quiet")
    assert [who.seat for who in opened(tmp_path).brief.participants] == ["builtin:quotes", "human"]


def test_files_that_a_setting_names_are_read(tmp_path: Path) -> None:
    debate = first_run(tmp_path, PANEL)
    (tmp_path / "costs.txt").write_text("North costs 4.", "utf-8")
    brief = again(tmp_path, debate, "--set", "background=costs.txt", "--set", "library=[costs.txt]").brief
    assert brief.background[-1].text == "North costs 4."
    assert [source.text for source in brief.library] == ["North costs 4."]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--set", "persona_count=4"], "persona_count cannot be set here: the participants are those on record"),
        (["--set", "turn_mod=random"], "did you mean 'turn_mode'?"),
        (["--set", "seed"], "is not a setting; write KEY=VALUE"),
        (["--set", "context_turns=3"], "context_turns needs a window"),
        (["--set", "background=none.txt"], "none.txt"),
        (["--set", "protocol=council", "--set", "turn_mode=random"], "council does not support turn_mode"),
        (["--topology", "ring"], "panel does not support a topology"),
        (["-m", "Ada=human", "-m", "Ada=builtin:quotes"], "given twice for Ada"),
        (["--budget", "1", "-m", "openai:nobody-knows"], "a limit on cost needs known prices"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_leaves_no_debate(tmp_path: Path, options: list[str], words: str) -> None:
    debate = first_run(tmp_path, PANEL)
    refused = folkmoot(tmp_path, "again", debate, *options, "--plain", OPENAI_API_KEY="key")
    assert refused.exit_code == 2, refused.output
    assert words in " ".join(refused.stderr.split()).replace("│ ", "")
    assert len(json.loads(folkmoot(tmp_path, "list", "--json").stdout)) == 1
