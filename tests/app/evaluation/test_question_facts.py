"""What the data says of questions beside what is asked: tags to look at parts, and dates to warn of contamination."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.evaluation.eval_files import facts_of, read_result, save_plan
from folkmoot.app.evaluation.eval_setup import cutoffs_of
from folkmoot.app.evaluation.scores import EvalResult, Facts
from folkmoot.app.questions.data_sets import DataSet, FaultyData, day_of, tagged
from folkmoot.app.questions.question_files import read_data_set
from folkmoot.app.results.comparisons import MOST_PARTS, is_known_by, part_lines
from folkmoot.app.results.score_files import summary
from folkmoot.app.results.score_page import page
from folkmoot.app.results.score_rows import ScoreRows, only_tagged
from folkmoot.app.results.score_tables import screen
from folkmoot.app.results.scoring import contamination_notes, measure
from folkmoot.core.errors import BriefError, RecordError
from tests.app.evaluation.eval_kit import questions, run_of, setup_of, workspace_of
from tests.cli.commands import QUOTES, folkmoot

HEADS = "id,input,options,truth,tags,known_since\n"


def tags_of(n: int) -> tuple[str, ...]:
    return ("law",) if n < 6 else ("medicine", "hard") if n < 11 else ()


def dated(n: int) -> str:
    return "2024-03" if n < 4 else "2026-01-15" if n < 9 else ""


def described(n: int) -> DataSet:
    data = questions(n)
    with_facts = tuple(
        replace(question, tags=tags_of(i), known_since=dated(i), group="") for i, question in enumerate(data.questions)
    )
    return replace(data, questions=with_facts)


async def evaluated(folder: Path, **more: object) -> EvalResult:
    workspace, _ = workspace_of("a", "b")
    setup = replace(setup_of(folder, "a", "b"), **more)  # pyright: ignore[reportArgumentType]
    run = await run_of(workspace, setup, described(12), folder)
    await run.run()
    await run.result()
    return read_result(folder)


async def test_the_scoreboard_has_a_line_for_each_tag_arm_and_rival(tmp_path: Path) -> None:
    result = await evaluated(tmp_path)
    assert result.facts["q7"] == Facts(tags=("medicine", "hard"), known_since="2026-01-15")
    board = measure(result)
    assert {line.part: line.questions for line in board.parts} == {"hard": 5, "law": 6, "medicine": 5}
    credits = {row.question: row.credit or 0.0 for row in result.scores if row.arm == "panel"}
    law = [credits[f"q{n}"] for n in range(6)]
    scores = {(line.arm, line.rival): line for line in board.parts if line.part == "law"}
    assert scores["panel", ""].value == pytest.approx(sum(law) / 6)
    rows = ScoreRows(result)
    place = [n for n, question in enumerate(rows.questions) if question in {f"q{i}" for i in range(6)}]
    assert scores["panel", "sample"].value == pytest.approx(rows.minus("panel", "sample")[place].mean())
    assert {rival for arm, rival in scores if arm == "panel"} == {"", "sample", "adaptive"}
    shown = "\n".join(screen(board, everything=True))
    assert "Parts of the questions, exploratory: share right" in shown
    assert "panel - sample" in shown
    assert "medicine" in page(board)
    assert {part["part"] for part in json.loads(summary(board))["parts"]} == {"hard", "law", "medicine"}


async def test_a_scoreboard_of_one_tag_is_exploratory(tmp_path: Path) -> None:
    whole = await evaluated(tmp_path)
    board = measure(only_tagged(whole, "law"))
    assert (board.questions, board.planned, board.plan_hash) == (6, 6, whole.plan.hash)
    assert [line.sentence for line in board.verdicts] == ["no verdict: only a part of the questions"]
    assert board.notes[0].startswith("Exploratory: only the 6 questions with the tag 'law'.")
    with pytest.raises(BriefError, match="no question has the tag 'art'; there are hard, law and medicine"):
        only_tagged(whole, "art")
    with pytest.raises(BriefError, match="no question has the tag 'law'; none has any"):
        only_tagged(replace(whole, facts={}), "law")


async def test_cut_offs_part_the_questions_and_warn(tmp_path: Path) -> None:
    result = await evaluated(tmp_path, cutoffs={"guest:a": "2025-06"})
    assert read_result(tmp_path).plan.cutoffs == {"guest:a": "2025-06"}
    board = measure(result)
    parts = {line.part: line.questions for line in board.parts}
    assert (parts["public by 2025-06"], parts["public after 2025-06"], parts["without a date"]) == (4, 5, 3)
    warning = "guest:a may have seen the answers to 4 of 9 dated questions: they were public by its cut-off, 2025-06."
    assert warning in board.notes
    assert warning in page(board)


async def test_the_hash_of_a_plan_without_cut_offs_is_the_old_one(tmp_path: Path) -> None:
    plan = (await evaluated(tmp_path)).plan
    assert replace(plan, cutoffs={"guest:a": "2025"}).hash != plan.hash
    old = json.loads((tmp_path / "plan.json").read_text("utf-8"))
    del old["plan"]["cutoffs"]
    (tmp_path / "plan.json").write_text(json.dumps(old), "utf-8")
    read = read_result(tmp_path)
    assert (read.plan.hash, read.plan_changed) == (plan.hash, False)


def test_dates_without_cut_offs_ask_for_them() -> None:
    facts = facts_of(described(12).questions)
    [note] = contamination_notes(facts, {})
    assert note.startswith("9 questions say since when the answer is public. Name the models' cut-offs (--cutoff)")
    [one] = contamination_notes({"q": Facts(known_since="2026")}, {})
    assert one.startswith("1 question says since when")
    assert list(contamination_notes(facts, {"a": "2023"})) == []
    assert list(contamination_notes({}, {})) == []


@pytest.mark.parametrize(
    ("since", "cutoff", "known"),
    [
        ("2025-06-01", "2025-06", True),
        ("2025-07-01", "2025-06", False),
        ("2025", "2025-06", True),
        ("2025-06", "2025-06-30", True),
        ("2025-12-31", "2025", True),
        ("2026", "2025", False),
    ],
)
def test_what_a_model_may_know_goes_by_the_first_day_of_the_answer(since: str, cutoff: str, known: bool) -> None:
    assert is_known_by(since, cutoff) == known


def test_dates_are_dates() -> None:
    assert [day_of(text, "x") for text in ("2026-01-31 12:30:00+00:00", "2026-02", "2026", "")] == [
        *("2026-01-31", "2026-02", "2026", ""),
    ]
    for wrong in ("2026-13", "2026-02-30", "soon", "31.01.2026", "20260131"):
        with pytest.raises(ValueError, match=r"known_since is a date such as 2026-01-31, not"):
            day_of(wrong, "known_since")


def test_only_the_parts_with_the_most_questions_are_shown(tmp_path: Path) -> None:
    data = questions(4)
    with pytest.raises(BriefError, match="there are 31 others"):
        tagged(replace(data, questions=(replace(data.questions[0], tags=tuple(f"t{n}" for n in range(31))),)), "t99")
    assert MOST_PARTS == 30
    assert cutoffs_of([("a", " 2025 ")], ["a"]) == {"a": "2025"}
    assert not (tmp_path / "plan.json").exists()


async def test_a_part_of_one_question_has_no_line(tmp_path: Path) -> None:
    result = await evaluated(tmp_path)
    facts = {"q0": Facts(tags=("alone",)), **{f"q{n}": Facts(tags=(f"t{n // 2}",)) for n in range(2, 12)}}
    assert {line.part for line in part_lines(replace(result, facts=facts))} == {f"t{n}" for n in range(1, 6)}


async def test_questions_that_were_spoiled_are_one_sentence(tmp_path: Path) -> None:
    await evaluated(tmp_path)
    (tmp_path / "questions.jsonl").write_text("{\n", "utf-8")
    with pytest.raises(RecordError, match=r"questions\.jsonl cannot be read"):
        read_result(tmp_path)
    (tmp_path / "questions.jsonl").unlink()
    assert read_result(tmp_path).facts == {}
    save_plan(tmp_path, read_result(tmp_path).plan)


def test_tags_and_cut_offs_on_the_command_line(tmp_path: Path) -> None:
    lines = [f"{n},Is {n} even?,yes|no,{'no' if n % 2 else 'yes'},{'small' if n < 6 else 'large'},2025-0{1 + n % 9}\n"
             for n in range(12)]  # fmt: skip
    (tmp_path / "q.csv").write_text(HEADS + "".join(lines), "utf-8")
    ran = folkmoot(tmp_path, "eval", "q.csv", *QUOTES, "--force", "--tag", "small", "--cutoff", f"{QUOTES[1]}=2025-03")
    assert ran.exit_code == 0, ran.output
    assert "q-small: 6 questions in 6 groups" in ran.output
    assert f"{QUOTES[1]} may have seen the answers to 3 of 6 dated questions" in ran.output
    whole = folkmoot(tmp_path, "eval", "q.csv", *QUOTES, "--force")
    assert "12 questions say since when the answer is public. Name the models' cut-offs" in whole.output
    shown = folkmoot(tmp_path, "eval", "show", "q-eval", "--tag", "large")
    assert "no verdict: only a part of the questions" in shown.output
    assert "no verdict: only a part" not in folkmoot(tmp_path, "eval", "show", "q-small-eval").output
    for options, problem in (
        (("--tag", "odd"), "no question has the tag 'odd'; there are large and small"),
        (("--cutoff", "2025"), "--cutoff '2025': write MODEL=DATE"),
        (("--cutoff", f"{QUOTES[1]}=soon"), "cut-off is a date such as 2026-01-31, not 'soon'"),
        (("--cutoff", "openai:x=2025"), "'openai:x' is none of the models of the evaluation"),
    ):
        wrong = folkmoot(tmp_path, "eval", "plan", "q.csv", *QUOTES, *options)
        assert (wrong.exit_code, problem in " ".join(wrong.output.split())) == (2, True), wrong.output


def test_a_file_says_tag_and_cut_offs(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text(HEADS + "1,One?,,1,a,2024\n2,Two?,,2,b,2026\n3,Three?,,3,a,2026\n", "utf-8")
    text = f'questions = "q.csv"\nmodels = ["{QUOTES[1]}"]\ntag = "a"\ncutoffs = {{ "{QUOTES[1]}" = "2025" }}\n'
    (tmp_path / "check.toml").write_text(text, "utf-8")
    planned = folkmoot(tmp_path, "eval", "plan", "check.toml")
    assert "check: 2 questions in 2 groups" in planned.output
    assert "to 1 of 2 dated questions: they were public by its cut-off, 2025." in planned.output
    (tmp_path / "check.toml").write_text(text.replace('"2025"', '"25"'), "utf-8")
    assert (
        "check.toml: cut-off is a date such as 2026-01-31, not '25'"
        in folkmoot(tmp_path, "eval", "plan", "check.toml").output
    )


def test_a_date_that_is_none_is_a_fault_of_its_line(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text(HEADS + "1,One?,,1,a,2024\n2,Two?,,2,b,yesterday\n", "utf-8")
    with pytest.raises(FaultyData, match=r"q\.csv:3: known_since is a date such as 2026-01-31, not 'yesterday'"):
        read_data_set(tmp_path / "q.csv")


def test_outcomes_are_read_as_other_tables_write_them(tmp_path: Path) -> None:
    words = ("1", "0", "1.0", "0.0", "Yes", "no", "TRUE", "false")
    lines = [f"{n},Will it rain on day {n}?,probability,{word}\n" for n, word in enumerate(words)]
    (tmp_path / "q.csv").write_text("id,input,kind,truth\n" + "".join(lines), "utf-8")
    assert [key.truth for key in read_data_set(tmp_path / "q.csv").keys] == ["1", "0"] * 4
    (tmp_path / "q.csv").write_text("id,input,kind,truth\n1,Will it?,probability,0.7\n", "utf-8")
    with pytest.raises(FaultyData, match=r"q\.csv:2: the truth of a probability is 0 or 1 \(no or yes\), not '0\.7'"):
        read_data_set(tmp_path / "q.csv")
    (tmp_path / "q.csv").write_text("input,truth\nHow many?,7\nHow  many?,8\n", "utf-8")
    with pytest.raises(FaultyData, match="line 2 already has this input"):
        read_data_set(tmp_path / "q.csv")
