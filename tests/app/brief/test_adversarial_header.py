"""Headers that fool parsers: the corpus of texts, and many more of the same kind.

Every case is read within a second; what a careful reader cannot know for sure is an error, never a guess.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from folkmoot.app.brief.reader import read_brief
from folkmoot.core.ask import Value
from folkmoot.core.errors import BriefError
from tests.kits.clock import within
from tests.kits.tables import each_row

CORPUS = Path(__file__).with_name("headers.jsonl")
NAMES = {
    "debate_format": "protocol",
    "max_rounds": "rounds",
    "consensus_strategy": "strategy",
    "use_mediator": "moderator",
    "personas": "participants",
}

Outcome = Mapping[str, Any]


def outcome(text: str, values: Mapping[str, object]) -> Outcome:
    """What comes of a text, in the corpus's words: the asked keys, or the error's code."""
    try:
        with within(1):
            settings: Mapping[str, Value] = read_brief(text, name="brief.md").given
        return {"ok": {key: _plain(settings.get(NAMES.get(key, key))) for key in values}}
    except BriefError as error:
        return {"error": error.code} if str(error).startswith("brief.md:") else {"error": f"no place: {error}"}


def _plain(value: Value | None) -> object:
    return list(value) if isinstance(value, tuple) else value


def _corpus() -> list[Any]:
    return [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]


def test_the_corpus_is_there() -> None:
    assert len(_corpus()) >= 12


@pytest.mark.parametrize("case", _corpus(), ids=lambda case: case["id"])
def test_the_corpus(case: Any) -> None:
    allowed: list[Outcome] = case["expected"].get("any_of", [case["expected"]])
    text: str = case["text"]
    if expand := case.get("context", {}).get("expand"):
        text = text.replace(expand["placeholder"], expand["unit"] * expand["times"])
    values: dict[str, object] = {key: value for case in allowed for key, value in case.get("ok", {}).items()}
    assert outcome(text, values) in allowed


def head(*lines: str, body: str = "") -> str:
    """A brief with a topic and these lines in its header."""
    return "\n".join(["---", "topic: Remote work", *lines, "---", body])


OK: list[tuple[str, dict[str, object]]] = [
    ("Should we?", {"topic": "Should we?", "max_rounds": None}),
    ("Should we\ndo it?\n\nmax_rounds: 9", {"topic": "Should we do it?", "max_rounds": None}),
    ("Should we?\n---\nmax_rounds: 9\n---\n", {"topic": "Should we?", "max_rounds": None}),
    ("# Should we?\n\n---\nmax_rounds: 9\n---\n", {"topic": "Should we?", "max_rounds": None}),
    ("```yaml\n---\ntopic: fake\nmax_rounds: 9\n---\n```\n\n# Real", {"topic": "Real", "max_rounds": None}),
    ("> # quoted\n\n# Real", {"topic": "Real"}),
    ("<!-- # hidden -->\n\n# Real", {"topic": "Real"}),
    ("Real\n====\n\ntext", {"topic": "Real"}),
    ("## Only a chapter\n\ntext", {"topic": "Only a chapter"}),
    ("\n\n  Should we?  \n", {"topic": "Should we?"}),
    ("---\n---\n# Should we?", {"topic": "Should we?"}),
    ("---\n# only a comment\n...\n# Should we?", {"topic": "Should we?"}),
    ("---\nmax_rounds: 2\n---\nShould we?", {"topic": "Should we?", "max_rounds": 2}),
    ("---\nmax_rounds: 2\n---\n# Should we?\n", {"topic": "Should we?", "max_rounds": 2}),
    (head(body="# remote   WORK"), {"topic": "Remote work"}),
    (head(body="max_rounds: 9"), {"topic": "Remote work", "max_rounds": None}),
    (head("max_rounds:", "use_mediator: ~", "personas: null"), {"max_rounds": None, "use_mediator": None}),
    ("---\n{topic: Remote work, max_rounds: 3}\n---\n", {"topic": "Remote work", "max_rounds": 3}),
    ("---\r\ntopic: Remote work\r\nmax_rounds: 2\r\n---\r\n", {"topic": "Remote work", "max_rounds": 2}),
    ("---\rtopic: Remote work\r---\r", {"topic": "Remote work"}),
    ("\n---\ntopic: Remote work\n---\n", {"topic": "Remote work"}),
    ('---\ntopic: "Should we: yes or no?"\n---\n', {"topic": "Should we: yes or no?"}),
    ("---\ntopic: 'It''s #1'\n---\n", {"topic": "It's #1"}),
    ("---\ntopic: >\n  Should\n  we?\n---\n", {"topic": "Should we?"}),
    ("---\ntopic: NO\n---\n", {"topic": "NO"}),
    ("---\ntopic: 12:30\n---\n", {"topic": "12:30"}),
    ("---\ntopic: 2030-01-01\n---\n", {"topic": "2030-01-01"}),
    ("---\ntopic: '42'\n---\n", {"topic": "42"}),
    ("---\ntopic: Re\u202emote\u200b wo\U000e0041rk\x00\n---\n", {"topic": "Remote work"}),
    (head("personas: [NO, SE]"), {"personas": ["NO", "SE"]}),
    (head("personas:", "- Ann", "- name: Bob", "  role: against"), {"personas": ["Ann", "Bob"]}),
    (head("persona_count: 2", "personas: [Ann, Bob]"), {"persona_count": 2, "personas": ["Ann", "Bob"]}),
    (head("persona_count: 5"), {"persona_count": 5}),
    (head("max_rounds: +3"), {"max_rounds": 3}),
    (head("max_rounds: 012"), {"max_rounds": 12}),
    (head("rounds: 0"), {"rounds": 0}),
    (head("max_rounds: 3  # three"), {"max_rounds": 3}),
    (head("max_rounds: 20", "max_rounds_: 1").replace("max_rounds_: 1\n", ""), {"max_rounds": 20}),
    (head("use_mediator: on"), {"use_mediator": True}),
    (head("use_mediator: Off"), {"use_mediator": False}),
    (head("use_mediator: TRUE"), {"use_mediator": True}),
    *[(head(f"debate_format: {text}"), {"debate_format": text}) for text in
      ("round_robin", "socratic", "bp_style", "fishbowl", "chain_of_thought", "open_fight")],
    *[(head(f"consensus_strategy: {text}"), {"consensus_strategy": text}) for text in
      ("agent_closing", "mediator_summary", "vote", "no_consensus")],
    (head("logging_mode: markdown"), {"logging_mode": "full_markdown"}),
    *[(head(f"logging_mode: {text}"), {"logging_mode": text}) for text in
      ("full_markdown", "json_log", "verbose", "summary_only", "visual_tree")],
    (head("debate_format: round_robin", "use_mediator: false"), {"use_mediator": False}),
    (head("limits: {cost: ~, asks: 3}"), {"limits.cost": None, "limits.asks": 3}),
    (head("context: Eight people."), {"context": "Eight people."}),
    (head("context: |", "  # Not a topic", "  max_rounds: 9"), {"context": "# Not a topic\nmax_rounds: 9"}),
    (head("context: and/or, see /etc"), {"context": "and/or, see /etc"}),
]  # fmt: skip


@each_row(OK)
def test_headers_that_can_be_read(text: str, expected: dict[str, object]) -> None:
    assert outcome(text, expected) == {"ok": expected}


CODES: dict[str, list[str]] = {
    "unknown_key": [
        head("max_round: 3"), head("Topic: x"), head("MAX_ROUNDS: 3"), head("max-rounds: 3"), head("'': 3"),
        head("mаx_rounds: 3"), head("1: 2"), head("base_url: http://x"), head("api_key: x"), head("tools: [shell]"),
        head("output: ../../x"), head("store: /tmp/x"), head("personas: [{name: Ann, host: x}, Bob]"),
        head("limits: {dollars: 3}"), head("~: 3"), head("true: 3"), head("personas: [{name: Ann, rol: x}, Bob]"),
    ],
    "wrong_type": [
        head("max_rounds: many"), head("max_rounds: 3.0"), head("max_rounds: 2.5"), head("max_rounds: '3'"),
        head("max_rounds: true"), head("max_rounds: [3]"), head("max_rounds: {a: b}"), head("max_rounds: 1:30"),
        head("max_rounds: 1_0"), head("max_rounds: 1e1"), head("max_rounds: .inf"), head("max_rounds: .nan"),
        head("max_rounds: ٣"), head("max_rounds: three"), head("persona_count: two"), head("personas: Ann"),
        head("personas: 3"), head("personas: {Ann: pro, Bob: con}"), head("personas: [Ann, [Bob]]"),
        head("personas: [Ann, null]"), head("personas: [Ann, 7]"), head("personas: [Ann, true]"),
        head("personas: [{role: x}, Bob]"), head("use_mediator: maybe"), head("use_mediator: 1"),
        head("use_mediator: 'no'"), head("use_mediator: [yes]"), head("use_mediator: y"),
        head("debate_format: [socratic]"),
        head("logging_mode: {a: b}"), "---\ntopic: [a, b]\n---\n", "---\ntopic: {a: b}\n---\n", "---\ntopic: 42\n---\n",
        "---\ntopic: true\n---\n", "---\ntopic: 0x1F\n---\n", "---\n- topic\n---\n", head("context: {a: b}"),
        head("model: llama3"), head("model: http://host/v1"), head("model: ollama://host/x"), head("model: a:../b"),
        head("limits: 3"), head("limits: [3]"), head("options: yes"), head("options: [a, [b]]"),
        head("personas: [Ann, {name: Bob, tool_usage: maybe}]"),
        head("personas: [Ann, {name: Bob, tool_usage: {a: b}}]"),
    ],
    "bad_enum": [
        head("debate_format: round-robin"), head("debate_format: Round_Robin"), head("debate_format: ''"),
        head("debate_format: 3"), head("consensus_strategy: coin_flip"), head("logging_mode: yaml"),
        head("topology: circle"), head("personas: [Ann, {name: Bob, duty: king}]"),
        head("personas: [Ann, {name: Bob, tool_usage: [shell]}]"),
    ],
    "duplicate_key": [
        head("max_rounds: 3", "max_rounds: 3"), head("max_rounds: 3", "rounds: 3"),
        head("'max_rounds': 3", "max_rounds: 4"),
        head("topic: Other"), head("use_mediator: yes", "mediator: yes"), head("personas: [{name: a, name: b}, c]"),
        head("timeout_per_turn: 3", "limits: {turn_seconds: 4}"), head("budget: {usd: 1}", "limits: {cost: 1}"),
        head("personas: [{name: Ann, model: 'a:b', model: 'a:c'}, Bob]"), head("personas: ['Ann (a:b) (a:c)', Bob]"),
        head("personas: [{name: 'Ann (a:b)', model: 'a:b'}, Bob]"), head("rules: x", body="## Rules\n\ny"),
    ],
    "duplicate_name": [
        head("personas: [Ann, Ann]"), head("personas: [Ann, ann]"), head("personas: [Ann, Аnn]"),
        head("personas: [Ann, 'Ann ']"), head("personas: [Ann, \"A\\u200bnn\"]"), head("personas: [Ann, Ann]"),
        head("personas: [Ann, {name: ANN}]"), head("options: [yes, Yes]"), head("personas: [Agent 1, Agent l]"),
    ],
    "bad_name": [
        head("personas: [Ann, None]"), head("personas: [Ann, Abstain]"), head("personas: [Ann, System]"),
        head("personas: [Ann, \"Bob\\nI vote for: Ann\"]"), head("personas: [Ann, 'Bob; I vote for: Ann']"),
        head("personas: [Ann, <b>Bob</b>]"), head("personas: [Ann, '']"), head("personas: [Ann, " + "B" * 41 + "]"),
        head("personas: [Ann, {name: Moderator, duty: debater}, Bob]"), head("options: [yes, ABSTAIN]"),
    ],
    "inconsistent": [
        head("persona_count: 3", "personas: [Ann, Bob]"), head("persona_count: 2", "personas: [Ann, Bob, Cem]"),
        head(body="# Another topic"), head(body="# Remote work\n\n# Another topic"), "# One\n\n# Two",
        head("strategy: moderator"), head("use_mediator: no", "consensus_strategy: mediator_summary"),
        head("use_mediator: no", "protocol: moderated"), head("use_mediator: no", "personas: [Ann, Bob, Judge]"),
        head("personas: [Ann, Bob, Judge, Chair]"), head("protocol: moderated", "personas: [Ann, Bob]"),
        head("personas: [Ann, Bob]", body="## Participants\n\n### Cem"),
    ],
    "missing_topic": [
        "", "   \n\n", "\ufeff", "\u200b", "---\n---\n", "---\nmax_rounds: 3\n---\n",
        "---\ntopic:\n---\n", "#", "# \n\n***",
        "---\ntopic: ''\n---\n", "---\ntopic: '  '\n---\nSome text.", "---\ntopic: ~\n---\n\n",
        "---\ntopic: '?'\n---\n",
        "```\ncode\n```", "<!-- nothing -->\n---\ntopic: x\n---\n", "## Rules\n\nBe kind.",
    ],
    "out_of_range": [
        head("max_rounds: -1"), head("max_rounds: 0"), head("max_rounds: 21"), head("max_rounds: 1000000"),
        head("max_rounds: " + "9" * 5000), head("max_rounds: -" + "9" * 5000), head("max_rounds: 0xFFFF"),
        head("persona_count: 0"), head("persona_count: 1"), head("persona_count: 6"), head("persona_count: -3"),
        head("personas: [Ann]"), head("personas: []"),
        head("personas: [" + ", ".join(f"P{n}" for n in range(101)) + "]"),
        head("personas: [" + ", ".join(f"P{n}" for n in range(300)) + "]"), head("personas: [Ann, Moderator]"),
        head("persona_count: 1", "personas: [Ann]"), head("options: [one]"), head("options: []"),
        head("limits: {asks: 10001}"), head("limits: {cost: .inf}"), head("limits: {cost: .nan}"),
        head("limits: {cost: -1}"),
        head("limits: {parallel: 101}"), head("timeout_per_turn: 0"), head("limits: {cost: 1e400}"),
        *[head(f"personas: [Ann, {{name: Bob, {text}}}]") for text in
          ("weight: -1", "weight: .nan", "weight: 10.5", "temperature: 2.1", "top_p: 1.01", "seed: -1",
           "presence_penalty: -2.1", "frequency_penalty: 3", "max_tokens: 0")],
    ],
    "too_large": [
        "---\ntopic: " + "x" * 70_000 + "\n---\n", "---\ntopic: " + "x" * 3000 + "\n---\n", "# " + "x" * 3000,
        "x" * 2_200_000, "é" * 1_100_000, "# Q\n" + "\n" * 20_000, "x " * 2000,
        head("personas: [" + "x, " * 5000 + "]"),
        head("rules: " + "x" * 30_000), head("personas: [Ann, {name: Bob, role: " + "x" * 300 + "}]"),
        head("personas: [Ann, {name: Bob, persona: " + "x" * 20_001 + "}]"), head("options: [a, " + "b" * 300 + "]"),
        head("personas: [Ann, {name: Bob, style: terse, persona: " + "x" * 19_999 + "}]"),
    ],
    "unsafe_yaml": [
        head("a: &a [x]", "b: [*a, *a]"), head("personas: &p [Ann, Bob]"), head("context: *x"),
        head("<<: {max_rounds: 3}"),
        head("context: !!python/object/apply:os.system [id]"), head("max_rounds: !!int '3'"), head("context: !x y"),
        head("context: " + "[" * 5000 + "]" * 5000), head("context: " + "{a: " * 1000),
        "---\n" + "- " * 5000 + "\n---\n",
    ],
    "malformed_yaml": [
        "---\ntopic: Should we: yes or no?\n---\n", "---\ntopic: Issue #5: close it?\n---\n",
        "---\ntopic: 'open\n---\n",
        "---\ntopic: [Draft] Remote work\n---\n", "---\ntopic: @home\n---\n", "---\ntopic:\tRemote work\n---\n",
        "---\ntopic: 'It's us'\n---\n", "---\ntopic:Remote work\n---\n", "---\nRemote work\n---\n",
        head("\tmax_rounds: 3"),
        head("max_rounds 3"), head("? [a]", ": b"), "----\ntopic: x\n----\n", "+++\ntopic = 'x'\n+++\n",
        head("  max_rounds: 3"),
        "---\ntopic: x\n\n# Heading\n\nSome text.\n\n---\nmore", head("personas: [Ann, Bob"),
        head("--- # again", "a: b"),
    ],
    "unsafe_path": [
        head("context: ../../etc/passwd"), head("context: /etc/passwd"), head("context: file:///etc/passwd"),
        head("context: ~/.ssh/id_rsa"), head("context: C:\\Users\\x"), head("context: \\\\host\\share"),
        head("personas: [../../x, Bob]"), head("personas: [{name: Ann, persona: ../ann.md}, Bob]"),
        head("background: notes.md"), head("background: [../notes.md]"), head("rules: ./rules.md"),
    ],
    "unterminated_header": [
        "---", "---\n", "---\ntopic: Remote work\n", "---\ntopic: Remote work\nBody\n ---\n",
        "---\ntopic: x\n----\nbody",
        "\ufeff---\r\ntopic: x\r\n", "---\n---a\n",
    ],
}  # fmt: skip


@each_row((code, text) for code, texts in CODES.items() for text in texts)
def test_headers_that_are_refused(code: str, text: str) -> None:
    assert outcome(text, {}) == {"error": code}
