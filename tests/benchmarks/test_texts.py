"""`python -m benchmarks.texts`: each case is read as a debate reads it; harmful and exact ones are counted."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from pydantic import JsonValue

from benchmarks.texts.__main__ import main

CONTINUE = "SUMMARY: Open.\nSTATUS: CONTINUE"
SETTLED = "SUMMARY: Said.\nSTATUS: SETTLED\nDECISION: **Buy**  it."


def case(kind: str, text: str, expected: Mapping[str, JsonValue], **more: JsonValue) -> Mapping[str, JsonValue]:
    return {"id": "c1", "kind": kind, "candidates": ["Ann", "Ben"], "text": text, "expected": dict(expected), **more}


def write(folder: Path, *cases: Mapping[str, JsonValue]) -> list[str]:
    """The arguments of the command for a file with these cases."""
    path = folder / "cases.jsonl"
    path.write_text("\n\n".join(json.dumps(row) for row in cases), "utf-8")
    return [str(path)]


VERDICTS: JsonValue = {"speaker": "Ann", "verdicts": ["HIRE", "NO_HIRE"]}
HIRED = "<Message><Speaker>Ann</Speaker><Verdict>HIRE</Verdict><VerdictReasoning>She can do it.</VerdictReasoning><Content>So.</Content></Message>"
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


def test_what_a_careful_reader_reads_is_exact(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(write(tmp_path, *GOOD)) == 0
    assert capsys.readouterr().out == f"harmful 0 of {len(GOOD)}, exact {len(GOOD)} of {len(GOOD)}\n"


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
    wrong: Mapping[str, JsonValue], word: str, booked: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(write(tmp_path, GOOD[0], wrong)) == int(word == "HARMFUL")
    line, count = capsys.readouterr().out.splitlines()
    expected = json.dumps(wrong["expected"], ensure_ascii=False)
    assert line == f"c1 ({wrong['kind']}): {word}: booked {booked}; expected {expected}"
    assert count == f"harmful {int(word == 'HARMFUL')} of 2, exact 1 of 2"


def line_of(kind: str, expected: object, candidates: Sequence[str] = ("A", "B")) -> str:
    data = {"id": "a", "kind": kind, "candidates": candidates, "text": "x", "expected": expected}
    return f"{json.dumps(data)}\n"


def test_a_mark_of_the_order_of_bytes_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "marked.jsonl").write_text(line_of("vote_text", {"vote": None, "reason": "none"}), "utf-8-sig")
    assert main([str(tmp_path / "marked.jsonl")]) == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", " has no case"),
        ("\n{", ":2: the line: "),
        ('{"id": "a", "kind": "song", "text": "x", "expected": {}}', ":1: kind: "),
        ('{"id": "a", "kind": "vote_text", "expected": {}}', ":1: text: "),
        (line_of("vote_text", {"vote": None}, candidates=[]), ":1: candidates: "),
        (line_of("vote_text", {}), ":1: expected: "),
        (line_of("vote_text", {"verdict": "x"}), ":1: expected: "),
        (line_of("score_json", {"any_of": [5]}), ":1: expected: "),
        (line_of("vote_text", {"vote": 5}), ":1: expected.vote: "),
        (line_of("vote_text", {"vote": "A", "ok": 5}), ":1: expected.ok: "),
        ("\ufeff\udcff", " cannot be read: "),
    ],
)
def test_a_file_that_cannot_be_read_is_named(
    text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert main([str(path)]) == 2
    error = capsys.readouterr().err
    assert f"{path}{words}" in error
    assert error.count("\n") == 1


def test_a_file_that_is_not_there_and_wrong_arguments_end_with_two(tmp_path: Path) -> None:
    assert main([str(tmp_path / "no.jsonl")]) == main([]) == 2
