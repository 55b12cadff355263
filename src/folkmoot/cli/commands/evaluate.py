"""``folkmoot eval``: does a debate pay?"""

from collections import Counter
from pathlib import Path

import click
import rich_click

from folkmoot.cli.commands.eval_results import export, past, show
from folkmoot.cli.commands.measure import plan_evaluation, run_evaluation, say_faults
from folkmoot.cli.options import DONE, USAGE
from folkmoot.core.text import counted

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


class FileFirst(rich_click.RichGroup):
    """A group whose command ``run`` may be left out before a file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; a file in the place of a command is one to run."""
        if args and args[0] not in self.commands and (Path(args[0]).suffix or Path(args[0]).exists()):
            args = ["run", *args]
        return super().parse_args(ctx, args)


@rich_click.group(name="eval", cls=FileFirst)
def evaluate() -> None:
    """Measure whether a debate pays: at equal cost, with intervals."""


for command in (plan_evaluation, run_evaluation, show, export, past):
    evaluate.add_command(command)


@evaluate.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
def check(file: Path) -> int:
    """Check questions with known answers, and say what is in them.

    FILE is .jsonl, .csv, .parquet, a log of Inspect (.eval, .json), a folder of briefs with answer: in the header, or
    a folder of Hugging Face. Each faulty line is one error with its number.
    """
    from folkmoot.app.questions.data_sets import FaultyData
    from folkmoot.app.questions.question_files import read_data_set

    try:
        data = read_data_set(file)
    except FaultyData as error:
        say_faults(error.faults)
        return USAGE
    kinds = Counter(question.kind for question in data.questions)
    groups = {question.group or question.id for question in data.questions}
    click.echo(f"{counted(len(data.questions), 'question')} in {counted(len(groups), 'group')}")
    for kind, count in sorted(kinds.items()):
        click.echo(f"  {kind}: {count}")
    return DONE


@evaluate.command()
@click.argument("learn", type=_FOLDER, metavar="LEARN")
@click.argument("judge", type=_FOLDER, required=False, metavar="[JUDGE]")
@click.option("--arm", default="", metavar="NAME", help="The debate of an evaluation. Default: its only one.")
def gate(learn: Path, judge: Path | None, arm: str) -> int:
    """Learn on one folder when to debate, and judge that gate on another one. No model is called.

    LEARN and JUDGE are folders of evaluations (folkmoot eval) or of past debates (folkmoot eval past -o). The gate
    debates where first answers differ by more than a threshold. Its rivals are independent answers at the same cost. No
    question may be in both folders.

    Without JUDGE, learn on those questions of an evaluation whose data says "split: learn", and judge on the others.
    """
    from folkmoot.app.results.gate_folders import gate_lines, read_resolved, split_resolved

    both = (read_resolved(learn, arm), read_resolved(judge, arm)) if judge else split_resolved(learn, arm)
    for line in gate_lines(*both):
        click.echo(line)
    return DONE
