"""The page and the files of a scoreboard: a plot with its numbers, texts that stay texts, no network; and mistakes."""

import csv
import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from folkmoot.app.evaluation.folder import save_result
from folkmoot.app.evaluation.output import FORMS, Table, as_csv, as_latex, page, pair_tables, paper, screen
from folkmoot.app.evaluation.scoreboard import VERSION, measure
from folkmoot.app.evaluation.setup import Arm
from folkmoot.cli.commands import evaluate
from tests.app.evaluation.prepared import DEBATE, UNIFORM, arm, credits, plan, result, score
from tests.app.evaluation.test_scoreboard import board_with_seats
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
    assert "\x1b" not in folkmoot(tmp_path, "eval", "show", "run", "--all").output


def test_the_terminal_has_a_hundred_columns() -> None:
    board, _ = board_with_seats(120)
    lines = list(screen(board, everything=True))
    tables = [line for line in lines if "  " in line]
    assert max(map(len, tables)) <= 100
    long = Table(title="t", heads=("a" * 90, "b" * 40), rows=[("c" * 200, "d")])
    assert [len(line) for line in long.lines()][1:] == [100, 100]


def test_a_folder_without_scores_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ran = folkmoot(tmp_path, "eval", "show", "empty")
    assert ran.exit_code != 0
    assert "empty has no evaluation" in ran.output
    assert "Traceback" not in ran.output


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
    [table] = pair_tables(board)
    assert {row[list(table.heads).index("it is")] for row in table.rows} == {word}
    assert word in page(board)
    assert {row[list(table.heads).index("p")] for row in table.rows} == {p}
    assert max(len(line) for line in table.lines()) <= 100


def test_a_difference_is_drawn_where_its_figures_are() -> None:
    board = measure(result(credits(500, uniform=(60, 20), adaptive=(20, 20))))
    elements = Elements(page(board))
    drawn = [value for name, value in elements.attributes if name == "d"]
    assert drawn[1:3] == ["M0.0449 5H0.1144", "M0.08 5h0"], "the interval and its dot"
    assert drawn[5] == "M0.0 5h0", "the other difference is 0"
    assert ("width", f"{2 * board.plan.margin}") in elements.attributes
    assert len(drawn) == 3 * len(board.pairs)
    assert elements.names.count("svg") == len(board.pairs)
    assert any("+0.080 [" in value for name, value in elements.attributes if name == "aria-label")


def test_each_format_has_its_file(tmp_path: Path) -> None:
    whole = result(credits(60, uniform=(9, 1), adaptive=(5, 5)))
    save_result(tmp_path / "run", whole)
    assert tuple(FORMS) == evaluate.FORMS
    for form, (name, _) in FORMS.items():
        assert folkmoot(tmp_path, "eval", "export", "run", "--format", form, "-o", "out").output == f"out/{name}\n"
        assert (tmp_path / "out" / name).stat().st_size > 100
    data = json.loads((tmp_path / "out/summary.json").read_text("utf-8"))
    assert (data["version"], data["pairs"][0]["compared"]["mean"]) == (VERSION, measure(whole).pairs[0].compared.mean)


def test_tables_and_sentences_for_a_paper_have_the_planned_differences() -> None:
    """n, difference, interval, p, its correction, and what it cost; signs of TeX are escaped."""
    board = measure(result(credits(60, uniform=(9, 1), adaptive=(5, 5))))
    first, second = csv.DictReader(as_csv(board).splitlines())
    assert (first["n"], first["difference"], first["low"], first["high"]) == ("60", "+0.133", "+0.022", "+0.236")
    assert (first["rival"], first["cost ratio"], second["difference"]) == (UNIFORM, "1.00", "+0.000")
    sentences = list(paper(board))
    assert len(sentences) == 2
    for part in ("60 questions", "+0.133", "95% CI [+0.022, +0.236]", f"p = {first['p']}", "uncorrected", "1.00 times"):
        assert part in sentences[0]
    hostile = [arm(DEBATE), replace(arm(UNIFORM), name="a_b & c%")]
    rows = [
        replace(row, arm="a_b & c%") if row.arm == UNIFORM else row
        for row in result(credits(60, uniform=(9, 1))).scores
    ]
    text = as_latex(measure(replace(result(credits(60, uniform=(9, 1))), plan=plan(hostile, 60), scores=tuple(rows))))
    assert r"debate & a\_b \& c\% & 60 & +0.133 & [+0.022, +0.236]" in text


def test_the_arms_of_two_debates_can_be_told_apart_in_a_terminal() -> None:
    others = ["sample=learned gate", "adaptive=learned gate", "single:guest:a", "single:guest:b"]
    arms = [
        Arm(name="panel", kind="panel", title="panel"),
        Arm(name="learned gate", kind="gate", title="gate"),
        *(Arm(name=name, kind="sample", title=name, match="learned gate") for name in others[:2]),
        *(Arm(name=name, kind="single", title=name) for name in others[2:]),
    ]
    rows = tuple(score(arm.name, n, n % 2) for arm in arms for n in range(4))
    lines = list(screen(measure(replace(result({DEBATE: [1.0, 0.0]}), plan=plan(arms, 4), scores=rows))))
    start = next(n for n, line in enumerate(lines) if line.startswith("learned gate minus another arm"))
    names = [line[:26].strip() for line in lines[start + 2 : start + 6]]
    assert len(set(names)) == len(names)
    assert max(map(len, lines[start : start + 6])) <= 100
