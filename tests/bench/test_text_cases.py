"""`folkmoot-bench texts`: each case is read as a debate reads it; harmful and exact ones are counted."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from pydantic import JsonValue

from folkmoot.bench.command import main

CONTINUE = "SUMMARY: Open.\nSTATUS: CONTINUE"
SETTLED = "SUMMARY: Said.\nSTATUS: SETTLED\nDECISION: **Buy**  it."


def case(kind: str, text: str, expected: Mapping[str, JsonValue], **more: JsonValue) -> Mapping[str, JsonValue]:
    return {"id": "c1", "kind": kind, "candidates": ["Ann", "Ben"], "text": text, "expected": dict(expected), **more}


def run(folder: Path, *cases: Mapping[str, JsonValue]) -> Result:
    """The command over a file with these cases."""
    path = folder / "cases.jsonl"
    path.write_text("\n\n".join(json.dumps(row) for row in cases), "utf-8")
    return CliRunner().invoke(main, ["texts", str(path)])


VERDICTS: JsonValue = {"speaker": "Ann", "verdicts": ["HIRE", "NO_HIRE"]}
HIRED = "<Message><Speaker>Ann</Speaker><Verdict>HIRE</Verdict><Content>So.</Content></Message>"
GOOD = (
    case("vote_text", "I vote for: Ann", {"vote": "Ann", "reason": "plain"}),
    case("vote_text", "I abstain.", {"abstain": True}),
    case("vote_text", "Ann: I vote for: Ben", {"vote": "Ben"}, context={"voter": "Ann"}),
    case("vote_text", "LL I vote for: Ann", {"vote": "Ann"}, context={"expand": {"LL": {"unit": "So. ", "times": 9}}}),
    case(
        "vote_text",
        "LL I vote for: Ann",
        {"vote": "Ann"},
        context={"expand": {"placeholder": "LL", "unit": "Well. ", "times": 9}},
    ),
    case("moderator_text", CONTINUE, {"status": "CONTINUE", "decision": None}),
    case("moderator_text", SETTLED, {"any_of": [{"status": None}, {"status": "SETTLED", "decision": "Buy `it`"}]}),
    case(
        "moderator_text",
        "SUMMARY: Said.\nSTATUS: SETTLED\nDECISION: Keep the lunch break.",
        {"status": "SETTLED", "decision": "Keep the lunch break."},
        context={"question": "Shall the lunch break be shorter?", "statements": ["It is long."]},
    ),
    case("verdict_scaffold", HIRED, {"verdict": "HIRE", "withdrawn": False}, context=VERDICTS),
    case("score_json", '{"scores": {"Ann": 7, "Ben": 8}}', {"scores": {"Ann": 7, "Ben": 8}}),
    case("score_json", '{"scores": {"Ann": 7}}', {"error": "missing_candidate"}, context={"min": 0, "max": 10}),
    case("front_matter", "# Tea?", {"ok": {"topic": "Tea?", "max_rounds": None}}),
    case(
        "front_matter",
        "---\nmax_rounds: 2\npersonas: [A, B]\n---\n# T?",
        {"ok": {"max_rounds": 2, "personas": ["A", "B"]}},
    ),
    case("front_matter", "---\nmax_round: 2\n---\n# T?", {"error": "unknown_key"}),
)  # fmt: skip


def test_what_a_careful_reader_reads_is_exact(tmp_path: Path) -> None:
    ran = run(tmp_path, *GOOD)
    assert (ran.exit_code, ran.output) == (0, f"harmful 0 of {len(GOOD)}, exact {len(GOOD)} of {len(GOOD)}\n")


@pytest.mark.parametrize(
    ("wrong", "word", "booked"),
    [
        (case("vote_text", "I vote for: Ann", {"vote": None}), "HARMFUL", '{"vote": "Ann"}'),
        (case("vote_text", "I vote for: Ann", {"vote": "Ben"}), "HARMFUL", '{"vote": "Ann"}'),
        (case("vote_text", "I abstain.", {"vote": "Ben"}), "HARMFUL", '{"abstain": true}'),
        (case("vote_text", "Ann, then.", {"vote": "Ann"}), "not exact", '{"vote": null}'),
        (
            case("moderator_text", SETTLED, {"status": "SETTLED", "decision": "Sell"}),
            "HARMFUL",
            '{"status": "SETTLED", "decision": "Buy it"}',
        ),
        (
            case("moderator_text", CONTINUE, {"status": "SETTLED", "decision": None}),
            "HARMFUL",
            '{"status": "CONTINUE", "decision": null}',
        ),
        (
            case("verdict_scaffold", HIRED, {"verdict": None, "withdrawn": False}, context=VERDICTS),
            "HARMFUL",
            '{"verdict": "HIRE", "withdrawn": false}',
        ),
        (
            case("score_json", '{"scores": {"Ann": 7, "Ben": 8}}', {"error": "malformed"}),
            "HARMFUL",
            '{"scores": {"Ann": 7, "Ben": 8}}',
        ),
        (case("score_json", "none", {"scores": {"Ann": 7}}), "not exact", '{"error": "malformed"}'),
        (case("front_matter", "# T?", {"error": "unknown_key"}), "HARMFUL", '{"ok": {"topic": "T?"}}'),
        (case("front_matter", "# T?", {"ok": {"max_rounds": 2}}), "HARMFUL", '{"ok": {"topic": "T?"}}'),
        (case("front_matter", "", {"ok": {"topic": "T?"}}), "not exact", '{"error": "missing_topic"}'),
    ],
)
def test_what_is_booked_wrongly_is_harmful_and_what_is_missed_is_not(
    wrong: Mapping[str, JsonValue], word: str, booked: str, tmp_path: Path
) -> None:
    ran = run(tmp_path, GOOD[0], wrong)
    line, count = ran.output.splitlines()
    expected = json.dumps(wrong["expected"], ensure_ascii=False)
    assert line == f"c1 ({wrong['kind']}): {word}: booked {booked}; expected {expected}"
    assert count == f"harmful {int(word == 'HARMFUL')} of 2, exact 1 of 2"
    assert ran.exit_code == int(word == "HARMFUL")


def line_of(kind: str, expected: object, candidates: Sequence[str] = ("A", "B")) -> str:
    data = {"id": "a", "kind": kind, "candidates": candidates, "text": "x", "expected": expected}
    return f"{json.dumps(data)}\n"


def test_a_mark_of_the_order_of_bytes_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "marked.jsonl").write_text(line_of("vote_text", {"vote": None, "reason": "none"}), "utf-8-sig")
    ran = CliRunner().invoke(main, ["texts", str(tmp_path / "marked.jsonl")])
    assert (ran.exit_code, ran.output) == (0, "harmful 0 of 1, exact 1 of 1\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", " has no case; each line must be a JSON object with id, kind, text and expected"),
        ("\n{", ":2: the line: Invalid JSON"),
        ('{"id": "a", "kind": "song", "text": "x", "expected": {}}', ":1: kind: Input should be 'vote_text'"),
        ('{"id": "a", "kind": "vote_text", "expected": {}}', ":1: text: Field required"),
        (line_of("vote_text", {"vote": None}, candidates=[]), ":1: candidates: a vote_text needs some"),
        (line_of("vote_text", {}), ":1: expected: a vote_text needs vote or abstain, or any_of with a list of"),
        (
            line_of("vote_text", {"verdict": "x"}),
            ":1: expected: a vote_text needs vote or abstain, or any_of with a list",
        ),
        (
            line_of("score_json", {"any_of": []}),
            ":1: expected: a score_json needs scores or error, or any_of with a list",
        ),
        (line_of("score_json", {"any_of": [5]}), ":1: expected: a score_json needs scores or error, or any_of with a"),
        (line_of("score_json", {"any_of": "A"}), ":1: expected: a score_json needs scores or error, or any_of with a"),
        (line_of("vote_text", {"vote": 5}), ":1: expected.vote: the value does not fit a vote_text"),
        (line_of("vote_text", {"vote": "A", "ok": 5}), ":1: expected.ok: it does not fit a vote_text"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(text, "utf-8")
    ran = CliRunner().invoke(main, ["texts", str(path)])
    assert ran.exit_code == 2
    assert ran.output.startswith(f"folkmoot-bench: {path}{words}")
    assert ran.output.count("\n") == 1


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    ran = CliRunner().invoke(main, ["texts", str(tmp_path / "no.jsonl")])
    assert (ran.exit_code, ran.output) == (
        2,
        f"folkmoot-bench: {tmp_path / 'no.jsonl'} cannot be read: No such file or directory\n",
    )
    (tmp_path / "bytes.jsonl").write_bytes(b"\xff\xfe")
    ran = CliRunner().invoke(main, ["texts", str(tmp_path / "bytes.jsonl")])
    assert ran.exit_code == 2
    assert "bytes.jsonl cannot be read: " in ran.output
