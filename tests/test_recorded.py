"""`moot-bench recorded`: when a figure is reached, what is said where data are missing, and all recorded sets."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from moot.bench.figures import Figure, find, numbers
from moot.bench.main import main
from moot.bench.recorded import SETS, find_data
from moot.core.errors import MootError

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"the recorded sets are not there: {DATA}")

CELLS = """cell,topic,persuader,target,side,pre_mean,post_mean,signed_shift,start,end
c1,t,one,other,pro,-1.0,1.0,2.0,opposed,aligned
c2,t,two,other,con,-1.0,-1.0,0.0,aligned,aligned
c3,t,two,another,con,,,,,
"""
PUBLISHED = """role,rank,model,mean,median,n
persuader,1,one,2.0,2.0,1
persuader,2,two,0.0,0.0,1
target,1,other,1.0,1.0,2
"""
REFERENCE = """cells 2
transitions: {'opposed->aligned': 1, 'aligned->aligned': 1}
opposed targets that end aligned: 1.000; aligned targets that end opposed: 0.000; any sign flip: 0.500
persuader: models 2, Spearman with the published ranking 1.000, largest |difference| 0.0
target: models 2, Spearman with the published ranking 0.000, largest |difference| 0.0
"""


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["recorded", *words])


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A folder with one set of two conversations."""
    folder = tmp_path / "persuasion_shift"
    folder.mkdir()
    for name, text in {"cells.csv": CELLS, "published.csv": PUBLISHED, "reference.txt": REFERENCE}.items():
        (folder / name).write_text(text, "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("ours", "reference", "aim", "margin", "reached", "shown", "asked"),
    [
        (0.9796, "0.980", "at least", 0.0, True, "0.980", ">="),
        (0.9794, "0.980", "at least", 0.0, False, "0.979", ">="),
        (0.999, "0.980", "at least", 0.0, True, "0.999", ">="),
        (0.999, "0.980", "equal", 0.0, False, "0.999", "="),
        (0.8125, "0.812", "equal", 0.0, True, "0.812", "="),
        (0.8125, "0.813", "equal", 0.0, True, "0.812", "="),
        (0.833, "0.831", "equal", 0.002, True, "0.833", "±0.002"),
        (0.834, "0.831", "equal", 0.002, False, "0.834", "±0.002"),
        (20, "20", "equal", 0.0, True, "20", "="),
        (19, "20", "equal", 0.0, False, "19", "="),
        (0.5, "", "at least", 1.0, False, "0.500", ">="),
    ],
)
def test_when_a_figure_is_reached(  # house: wide because it is one table
    ours: float, reference: str, aim: str, margin: float, reached: bool, shown: str, asked: str
) -> None:
    figure = Figure(
        name="x", ours=ours, reference=reference, aim="at least" if aim == "at least" else "equal", margin=margin
    )
    assert (figure.reached, figure.shown, figure.asked) == (reached, shown, asked)


def test_numbers_are_read_as_they_are_printed() -> None:
    line = "n=  92 mean 0.929 Brier 0.132 AUROC None levels {0.625: 3, 1.0: 49}"
    assert numbers(line) == {"n": "92", "mean": "0.929", "Brier": "0.132"}
    assert numbers("acc=0.377 agree=0.598 acc|agree=0.299") == {"acc": "0.377", "agree": "0.598", "acc|agree": "0.299"}
    assert (find(r"games (\d+)", "games 12 rated"), find(r"games (\d+)", "none")) == ("12", "")


def test_a_set_that_is_reached(small: Path) -> None:
    ran = run("--data", str(small))
    assert ran.exit_code == 0
    lines = ran.output.splitlines()
    assert lines[-1] == "8 of 8 figures reached"
    assert lines[-2].startswith("not there, left out: elimination_votes, debate_judgments,")


def test_without_data_one_sentence_says_what_to_give(tmp_path: Path) -> None:
    for folder, words in ((tmp_path / "no", "is no folder"), (tmp_path, "holds none of the recorded sets")):
        ran = run("--data", str(folder))
        assert ran.exit_code == 2
        assert ran.output == (f"moot-bench: {folder} {words}; give the folder of {', '.join(SETS)} with --data\n")
    with pytest.raises(MootError, match="give the folder of elimination_votes"):
        find_data(None, checkout=tmp_path / "checkout")


def test_a_figure_that_is_not_reached_ends_with_one(small: Path) -> None:
    path = small / "persuasion_shift" / "reference.txt"
    path.write_text(REFERENCE.replace("any sign flip: 0.500", "any sign flip: 0.600"), "utf-8")
    ran = run("--data", str(small))
    assert ran.exit_code == 1
    assert [line.split()[-6:] for line in ran.output.splitlines() if "OUT OF REACH" in line] == [
        ["0.500", "=", "0.600", "OUT", "OF", "REACH"]
    ]


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("cells.csv", "cell,topic\nc1,t\n", "persuasion_shift cannot be read: KeyError: 'pre_mean'"),
        ("cells.csv", "pre_mean,post_mean,side\nx,1,pro\n", "persuasion_shift cannot be read: ValueError"),
        ("published.csv", None, "persuasion_shift cannot be read: FileNotFoundError"),
    ],
)
def test_a_set_that_cannot_be_read_is_named(small: Path, file: str, text: str | None, words: str) -> None:
    path = small / "persuasion_shift" / file
    path.unlink()
    if text is not None:
        path.write_text(text, "utf-8")
    ran = run("--data", str(small))
    assert ran.exit_code == 1
    assert words in ran.output


def test_a_reference_without_figures_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "panel_answers"
    folder.mkdir()
    (folder / "reference.txt").write_text("nothing\n", "utf-8")
    ran = run("--data", str(tmp_path))
    assert ran.exit_code == 1
    assert "panel_answers cannot be read: reference.txt has none of the figures" in ran.output


@needs_data
def test_all_recorded_figures_are_reached() -> None:
    ran = run("--data", str(DATA))
    lines = ran.output.splitlines()
    assert [line for line in lines if "OUT OF REACH" in line] == []
    assert ran.exit_code == 0
    assert [line.split()[0] for line in lines if line.endswith("theirs")] == list(SETS)
    reached, _, of, *_ = lines[-1].split()
    assert reached == of
    assert int(of) > 250
