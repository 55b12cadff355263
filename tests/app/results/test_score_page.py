"""The page and the files of a scoreboard: plots with their numbers, one escaping, no network; and mistakes."""

import csv
import itertools
import json
import re
from dataclasses import asdict, replace
from html.parser import HTMLParser
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from folkmoot.app.evaluation.eval_files import save_result
from folkmoot.app.evaluation.scores import PlannedArm
from folkmoot.app.results.chart import Axis, Chart, axis, nice_step, places
from folkmoot.app.results.score_files import FORMS, as_parquet, flatten
from folkmoot.app.results.score_page import page
from folkmoot.app.results.score_tables import Table, pair_table, screen
from folkmoot.app.results.scoring import measure
from folkmoot.cli.commands import eval_results
from folkmoot.core.errors import BriefError
from tests.app.results.prepared import DEBATE, UNIFORM, arm, credits, plan, result, score
from tests.app.results.test_scoreboard import board_with_seats, forecasts
from tests.cli.commands import folkmoot

HOSTILE = '</style><script>alert("x")</script>&amp;\x1b[31m'


class Elements(HTMLParser):
    """What stands in a page: each element with its attributes, and whether all are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


def test_each_plot_has_a_name_and_its_numbers() -> None:
    board, _ = board_with_seats(120)
    text = page(board)
    elements = Elements(text)
    figures = re.findall(r'<figure id="([a-z-]+)"', text)
    keys = ["costs", "differences", "questions", "flips-decision", "flips-seats", "contributions", "contributions"]
    assert figures == [*keys, "gates", "liars", "growth"]
    assert elements.names.count("svg") == elements.names.count("details") == len(figures)
    assert text.count('role="img" aria-label="') == len(figures)
    assert 'id="reliability"' in page(measure(forecasts(80)))
    assert text == page(board)


def test_arms_of_equal_cost_stand_beside_each_other() -> None:
    board = measure(result(credits(40, uniform=(9, 2), adaptive=(5, 2))))
    assert len({arm.usd for arm in board.arms}) == 1
    chart = page(board).partition('<figure id="costs"')[2].partition("</figure>")[0]
    lines = [float(x) for x in re.findall(r'<line x1="([\d.]+)"[^>]*class="span', chart)]
    marks = [float(x) for x in re.findall(r'<path d="M([\d.]+) [^>]*class="mark', chart)]
    assert len(lines) == len(marks) == 3
    assert all(later - earlier >= 20 for earlier, later in itertools.pairwise(sorted(lines)))
    assert all(320 < x < 520 for x in lines), "around the tick of their cost, which is in the middle"


@pytest.mark.parametrize(
    ("questions", "up", "down", "word", "p"),
    [
        (500, 60, 20, "better", "<0.001"),
        (500, 20, 60, "worse", "<0.001"),
        (500, 20, 20, "as good", "1.000"),
        (40, 9, 5, "not known", "0.302"),
    ],
)
def test_each_line_says_in_a_word_how_the_debate_stands(questions: int, up: int, down: int, word: str, p: str) -> None:
    board = measure(result(credits(questions, uniform=(up, down), adaptive=(up, down))))
    table = pair_table(board)
    assert {row[list(table.heads).index("debate is")] for row in table.rows} == {word}
    assert word in page(board)
    assert {row[list(table.heads).index("p")] for row in table.rows} == {p}
    assert max(len(line) for line in table.lines()) <= 100


def test_a_page_needs_no_network_and_runs_no_script() -> None:
    board, _ = board_with_seats(60)
    elements = Elements(page(board))
    assert not {"script", "link", "img", "iframe", "object"} & set(elements.names)
    assert not [name for name, _ in elements.attributes if name in ("href", "src", "onclick", "style")]
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in elements.attributes
    assert "color-scheme: light dark" in page(board)


def test_texts_of_others_stay_texts(tmp_path: Path) -> None:
    """A name of an evaluation, an arm and a question with markup, which are nobody's who wrote Folkmoot."""
    rows = [replace(row, question=f"{row.question}{HOSTILE}") for row in result(credits(60, uniform=(9, 1))).scores]
    renamed = [replace(row, arm=f"{HOSTILE}{row.arm}") if row.arm == UNIFORM else row for row in rows]
    arms = [arm(DEBATE), replace(arm(UNIFORM), name=f"{HOSTILE}{UNIFORM}")]
    hostile = replace(result(credits(60, uniform=(9, 1))), plan=plan(arms, 60, name=HOSTILE), scores=tuple(renamed))
    text = page(measure(hostile))
    assert "script" not in Elements(text).names
    assert "\x1b" not in text
    assert "&lt;script&gt;" in text
    save_result(tmp_path / "run", hostile)
    card = (
        folkmoot(tmp_path, "eval", "export", "run", "--format", "huggingface"),
        tmp_path / "run/huggingface/README.md",
    )
    assert "<script>" not in card[1].read_text("utf-8").partition("# Does")[2]
    assert "\x1b" not in folkmoot(tmp_path, "eval", "show", "run", "--all").output


def test_the_terminal_has_a_hundred_columns() -> None:
    board, _ = board_with_seats(120)
    lines = list(screen(board, everything=True))
    tables = [line for line in lines if "  " in line]
    assert max(map(len, tables)) <= 100
    long = Table(key="x", title="t", heads=("a" * 90, "b" * 40), rows=[("c" * 200, "d")])
    assert [len(line) for line in long.lines()][1:] == [100, 100]


def test_each_format_has_its_files(tmp_path: Path) -> None:
    board, evaluated = board_with_seats(60)
    run = tmp_path / "run"
    save_result(run, evaluated)
    assert (*FORMS, eval_results.INSPECT) == eval_results.FORMS
    assert folkmoot(tmp_path, "eval", "export", "run", "--format", "json").output == "run/summary.json\n"
    data = json.loads((run / "summary.json").read_text("utf-8"))
    assert (data["version"], data["pairs"][0]["difference"]) == (1, board.pairs[0].difference)
    names = folkmoot(tmp_path, "eval", "export", "run", "--format", "csv", "-o", "out").output.split()
    assert names[:2] == ["out/scores.csv", "out/participants_seats.csv"]
    pairs = list(csv.DictReader((tmp_path / "out/pairs.csv").read_text("utf-8").splitlines()))
    assert float(pairs[0]["interval_low"]) == board.pairs[0].interval.low
    assert (tmp_path / "out/scores.csv").read_bytes() == (run / "scores.csv").read_bytes()


def test_a_folder_for_hugging_face_has_keys_in_a_file_of_their_own(tmp_path: Path) -> None:
    _, evaluated = board_with_seats(60)
    run = tmp_path / "run"
    save_result(run, evaluated)
    without = folkmoot(tmp_path, "eval", "export", "run", "--format", "huggingface").output.split()
    assert [Path(name).name for name in without] == ["README.md", "scores.jsonl", "participants.jsonl", "summary.json"]
    (run / "questions.jsonl").write_text('{"id": "q0000", "input": "Tea?"}\n', "utf-8")
    (run / "keys.jsonl").write_text('{"id": "q0000", "truth": "milk first"}\n', "utf-8")
    folkmoot(tmp_path, "eval", "export", "run", "--format", "huggingface")
    folder = run / "huggingface"
    card = (folder / "README.md").read_text("utf-8")
    assert "- config_name: keys\n  data_files: keys.jsonl\n" in card
    assert "| keys.jsonl | 1 |" in card
    assert "Do not train on it" in card
    assert "Prices are those of 2026-11-01" in card
    with_truth = [path.name for path in folder.iterdir() if "milk first" in path.read_text("utf-8")]
    assert with_truth == ["keys.jsonl"]
    assert len((folder / "scores.jsonl").read_text("utf-8").splitlines()) == len(evaluated.scores)


def test_parquet_without_its_library_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    save_result(tmp_path / "run", board_with_seats(60)[1])
    ran = folkmoot(tmp_path, "eval", "export", "run", "--format", "parquet")
    assert ran.exit_code == 2
    assert 'pip install "pyarrow' in ran.output
    assert "csv" in ran.output
    assert "Traceback" not in ran.output
    with pytest.raises(BriefError):
        as_parquet([{"a": 1}])


@pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow is not installed: folkmoot[parquet]")
@pytest.mark.parametrize("which", [0, 1])
def test_parquet_has_the_values_of_the_tables(tmp_path: Path, which: int) -> None:
    evaluated = (board_with_seats(60)[1], forecasts(60))[which]
    save_result(tmp_path / "run", evaluated)
    ran = folkmoot(tmp_path, "eval", "export", "run", "--format", "parquet")
    assert ran.exit_code == 0, ran.output
    files = import_module("pyarrow.parquet")
    scores = files.read_table(tmp_path / "run" / "parquet" / "scores.parquet").to_pylist()
    assert scores == [asdict(row) for row in evaluated.scores]
    board = measure(evaluated)
    arms = files.read_table(tmp_path / "run" / "parquet" / "arms.parquet").to_pylist()
    assert [(row["name"], row["score"], row["interval_low"]) for row in arms] == [
        (arm.name, arm.score, arm.interval.low) for arm in board.arms
    ]
    written = sorted(Path(line).name for line in ran.output.splitlines())
    assert written == sorted(path.name for path in (tmp_path / "run" / "parquet").iterdir())
    assert {"scores.parquet", "pairs.parquet", "by_question.parquet"} <= set(written)


def test_a_folder_without_scores_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ran = folkmoot(tmp_path, "eval", "show", "empty")
    assert ran.exit_code != 0
    assert "plan.json cannot be read" in ran.output
    assert "Traceback" not in ran.output


def test_rows_are_flattened() -> None:
    assert flatten({"a": {"b": {"c": 1}, "d": 2}, "e": (1, 2)}) == {"a_b_c": 1, "a_d": 2, "e": "[1, 2]"}


def test_axes_have_round_marks() -> None:
    assert [nice_step(rough) for rough in (0.03, 0.13, 0.2, 3, 7)] == pytest.approx([0.05, 0.2, 0.2, 5, 10])
    assert [words for _, words in Axis(label="", low=-0.05, high=0.12).ticks()] == ["-0.05", "0", "0.05", "0.1"]
    assert [words for _, words in Axis(label="", low=0.9, high=30, log=True).ticks()] == ["1", "2", "5", "10", "20"]
    assert [words for _, words in Axis(label="", low=0.5, high=900, log=True).ticks()] == ["1", "10", "100"]
    assert axis("", [3.0, 3.0]).share(3.0) == 0.5
    assert axis("", [0.0, 0.0]).high == 1.0
    assert [words for _, words in places("", ["a", "b"]).ticks()] == ["a", "b"]


def test_words_that_would_cover_words_stand_lower() -> None:
    chart = Chart(title="t", x=axis("x", [0.0, 1.0]), y=axis("y", [0.0, 1.0]))
    chart.text(0.5, 0.5, "first")
    chart.text(0.5, 0.5, "second")
    chart.text(0.95, 0.5, "third")
    heights = [shape.get("y") for shape in chart.shapes]
    assert float(heights[1] or 0) - float(heights[0] or 0) == 15
    assert [shape.get("text-anchor") for shape in chart.shapes] == ["start", "start", "end"]
    for mark in range(5):
        chart.dot(0.5, 0.5, mark=mark)
    assert len({shape.get("d") for shape in chart.shapes[3:]}) == 5


def test_the_arms_of_two_debates_can_be_told_apart_in_a_terminal() -> None:
    others = ["sample=learned gate", "adaptive=learned gate", "single:guest:a", "single:guest:b"]
    arms = [
        PlannedArm(name="panel", kind="protocol", title="panel", is_debate=True),
        PlannedArm(name="learned gate", kind="learned_gate", title="gate", is_debate=True, gates="panel"),
        *(PlannedArm(name=name, kind="sample", title=name, matches="learned gate") for name in others[:2]),
        *(PlannedArm(name=name, kind="single", title=name) for name in others[2:]),
    ]
    rows = tuple(score(arm.name, n, n % 2) for arm in arms for n in range(4))
    board = measure(replace(result({DEBATE: [1.0, 0.0]}), plan=plan(arms, 4), scores=rows))
    lines = list(screen(board))
    start = next(n for n, line in enumerate(lines) if line.startswith("learned gate minus another arm"))
    assert lines[start + 1].startswith("learned gate -  ")
    names = [line[:16].strip() for line in lines[start + 2 : start + 6]]
    assert len(set(names)) == len(names)
    assert max(map(len, lines[start : start + 6])) <= 100


def test_counts_stand_in_the_middle_of_their_cells() -> None:
    chart = Chart(title="x", x=places("", ("a", "b", "c")), y=places("", ("d",)), height=100)
    for column in range(3):
        chart.count(column, 0, 7)
        across, _ = chart.at(column, 0)
        assert float(chart.shapes[-1].get("x", "0")) == pytest.approx(across, abs=0.01)
