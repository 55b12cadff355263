"""``folkmoot eval new``: an evaluation from nothing, by a few questions; it ends with one page to forward."""

import csv
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
import rich_click

from folkmoot.cli.commands.measure import RunOptions, run_setup, say_faults
from folkmoot.cli.options import DONE, USAGE, FloatRange, run_command, store_option
from folkmoot.core.brief import COST
from folkmoot.core.text import counted, slug

if TYPE_CHECKING:
    from folkmoot.app.questions.data_sets import DataSet

QUESTIONS, DOLLARS = 30, 2.0
"""How many questions and US dollars a first evaluation takes: some ten minutes of one's time."""

HEADS = ("input", "options", "truth")


@rich_click.command(name="new")
@click.argument("decided", required=False, metavar="[DECIDED]")
@click.option("--questions", type=click.Path(path_type=Path), metavar="FILE", help="Questions with known answers.")
@click.option("-m", "--model", multiple=True, metavar="MODEL", help="The model that answers. Can be repeated.")
@click.option("--budget", type=FloatRange(*COST), metavar="USD", help="US dollars for all of it; 0 for no limit.")
@click.option("-n", "--most", type=click.IntRange(2), default=QUESTIONS, show_default=True, help="Questions to put.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask before calls that cost money.")
@store_option
def new(
    decided: str | None,
    questions: Path | None,
    model: tuple[str, ...],
    budget: float | None,
    most: int,
    yes: bool,
    store: Path | str | None,
) -> int:
    """Ask what an evaluation needs, say what it costs, run it, and write one page to forward.

    DECIDED is what you decide, such as "Which supplier?". What is not given as an option is asked for. To resume, repeat
    the command with the same answers: what is on record is not asked again.
    """
    name = slug(decided or click.prompt("What is decided? A few words"), 40)
    if questions is None:
        typed = click.prompt(
            "A file of questions with known answers; empty to type them", default="", show_default=False
        )
        questions = Path(typed) if typed else _type_questions(Path(f"{name}.csv"), most)
    data = _read(questions)
    if data is None:
        return USAGE
    models = model or tuple(
        click.prompt("Who answers? Models, parted by blanks; three different ones are best").split()
    )
    dollars = (
        click.prompt("At most how many US dollars? 0 for no limit", DOLLARS, type=float) if budget is None else budget
    )
    return run_command(_evaluate(name, data, models, dollars, most, yes=yes, store=store))


def _read(questions: Path) -> "DataSet | None":
    """The questions of a file; None, and what is wrong, where there are none."""
    from folkmoot.app.questions.data_sets import FaultyData, read_data_set

    try:
        return read_data_set(questions)
    except FaultyData as error:
        say_faults(error.faults)
        return None


def _type_questions(path: Path, most: int) -> Path:
    """Ask for questions, and write each into a table as soon as it is complete; one that is there is continued."""
    with path.open("a+", encoding="utf-8", newline="") as file:
        file.seek(0)
        rows = sum(1 for _ in csv.reader(file))
        table = csv.writer(file)
        if not rows:
            table.writerow(HEADS)
        for number in range(max(rows, 1), most + 1):
            text = click.prompt(f"Question {number} of {most}; empty to end", default="", show_default=False)
            if not text:
                break
            options = click.prompt("  Its options, parted by |; empty for none", default="", show_default=False)
            allowed = [option.strip() for option in options.split("|") if option.strip()]
            truth = click.prompt("  The right answer", type=click.Choice(allowed) if allowed else None)
            table.writerow((text, options, truth))
            file.flush()
    click.echo(f"questions: {path}")
    return path


async def _evaluate(
    name: str,
    data: "DataSet",
    models: tuple[str, ...],
    dollars: float,
    most: int,
    *,
    yes: bool,
    store: Path | str | None,
) -> int:
    from folkmoot.app.evaluation.blocks import shuffled
    from folkmoot.app.evaluation.folder import SCORES_FILE, read_result
    from folkmoot.app.evaluation.setup import plain_setup
    from folkmoot.app.results.files import write_file
    from folkmoot.app.results.scoreboard import measure

    some = data.only(question.id for question in shuffled(data.questions, 0)[:most])
    if len(some.questions) < (many := len(data.questions)):
        click.echo(f"{counted(len(some.questions), 'question')} drawn of {many}; --most {many} takes all")
    folder = Path(f"{name}-eval")
    setup = replace(plain_setup(Path(name), models, name=name), budget=dollars or None)
    options = RunOptions(
        parallel=None,
        force=True,  # what so few questions can show stands in the plan, and on the page
        yes=yes,
        dry_run=False,
        store=store,
        half_price=False,
        or_live=False,
        wait=True,
    )
    code = await run_setup(setup, some, folder, options)
    if not (folder / SCORES_FILE).exists():
        return code
    board = measure(read_result(folder))
    for line in board.verdicts:
        click.echo(line.sentence)
    click.echo(f"one page to forward: {write_file(board, 'html', folder)}")
    return code or DONE
