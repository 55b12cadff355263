"""``moot fork``. This file owns how a debate goes on from the middle of another one, with something changed."""

from typing import TYPE_CHECKING, Unpack

import click
import rich_click

from moot.cli.codes import DONE, MEANINGS
from moot.cli.commands.run import ResumeOptions, take_up
from moot.cli.options import (
    complete_debate,
    finish,
    limit_options,
    open_desk,
    output_options,
    read_input,
    store_option,
)

if TYPE_CHECKING:
    from moot.app.run.fork import Change


class ForkOptions(ResumeOptions):
    """All options of ``moot fork``."""

    at: int | None
    turn: str | None
    answer: str | None
    model: tuple[str, ...]
    brief: str | None
    hold: bool


@rich_click.command(epilog=MEANINGS)
@click.argument("debate", shell_complete=complete_debate)
@click.option("--at", type=int, metavar="SEQ", help="The last entry to keep: moot show ID --numbers.")
@click.option("--turn", metavar="T7", help="A turn that is answered otherwise; the fork begins there.")
@click.option("--answer", metavar="TEXT", help="What is said in that turn instead.")
@click.option(
    "-m",
    "--model",
    multiple=True,
    metavar="[NAME=]PROVIDER:NAME",
    help="Who answers from there on, for one or for all.",
)
@click.option("--brief", metavar="FILE", help="Another brief, or - for standard input.")
@click.option("--hold", is_flag=True, help="Only make the fork; go on with moot resume.")
@limit_options
@output_options
@store_option
def fork(debate: str, **given: Unpack[ForkOptions]) -> int:
    """Go on from the middle of a debate, in a new one.

    DEBATE is its id, the beginning of it, or "last"; it stays as it is. Say where with --at or --turn.
    """
    return finish(_fork(debate, given))


async def _fork(name: str, given: ForkOptions) -> int:
    from moot.app.run.fork import fork as part_from

    change = _change(given)
    async with open_desk(given["store"]) as desk:
        debate = await part_from(desk, await desk.find(name), at=given["at"], change=change)
    if not given["hold"]:
        return await take_up(debate, given)
    click.echo(debate)
    click.echo(f"moot: go on with: moot resume {debate}", err=True)
    return DONE


def _change(given: ForkOptions) -> "Change":
    """What is otherwise, for the desk."""
    from moot.app.run.fork import Answer, Change

    turn, words = given["turn"], given["answer"]
    if (turn is None) != (words is None):
        raise click.UsageError("--turn and --answer go together: which turn, and what is said in it.")
    if turn is not None and given["at"] is not None:
        raise click.UsageError("--at and --turn cannot be given together: the fork begins at that turn.")
    if turn is None and given["at"] is None:
        raise click.UsageError("Say where: --at SEQ, or --turn T7 with --answer; moot show ID --numbers shows both.")
    return Change(
        models=_models(given["model"]),
        brief=read_input(given["brief"]) if given["brief"] else None,
        answer=Answer(turn=turn, words=words) if turn is not None and words is not None else None,
    )


def _models(typed: tuple[str, ...]) -> dict[str, str]:
    """Who answers, by the participant's name; under "" for all others."""
    found: dict[str, str] = {}
    for each in typed:
        name, _, model = each.rpartition("=")
        if name.strip() in found:
            whom = name.strip() or "all"
            raise click.UsageError(f"--model is given twice for {whom}; write NAME=provider:model for one participant.")
        found[name.strip()] = model
    return found
