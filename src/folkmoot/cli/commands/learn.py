"""``folkmoot learn``, ``folkmoot memory`` and ``folkmoot resolve``: learn from debates, search the memory, record the truth."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
import rich_click

from folkmoot.cli.options import (
    DONE,
    ERROR,
    USAGE,
    complete_debate,
    open_memory,
    open_workspace,
    run_command,
    store_option,
)
from folkmoot.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from folkmoot.app.export.learned import Learned, Resolved
    from folkmoot.learn.memory import FoundMemory, Kind
    from folkmoot.learn.memory_store import Item

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@rich_click.command()
@click.argument("debates", nargs=-1, metavar="[DEBATE]...", shell_complete=complete_debate)
@click.option("--rebuild", is_flag=True, help="Delete the memory, and learn from all records again.")
@click.option("--domain", metavar="NAME", help="The field that these debates are about, for ratings.")
@store_option
def learn(debates: tuple[str, ...], rebuild: bool, domain: str | None, store: Path | str | None) -> int:
    """Learn from finished debates: the named ones, or all that are not in the memory yet.

    Folkmoot learns from a debate when it ends, unless folkmoot.toml says learn = false. Nothing is learned twice.
    """
    if rebuild and debates:
        raise click.UsageError("--rebuild learns from all debates; do not name any.")
    if domain is not None and not debates:
        raise click.UsageError("--domain needs the names of debates.")
    return run_command(_learn_named(debates, domain, store) if debates else _learn_all(rebuild, store))


async def _learn_named(names: tuple[str, ...], domain: str | None, store: Path | str | None) -> int:
    from folkmoot.app.export.learned import add_note
    from folkmoot.app.export.learned import learn as learn_one

    async with open_workspace(store) as workspace:
        for name in names:
            debate = await workspace.find(name)
            if domain is not None:
                await add_note(workspace, debate, "domain", domain)
                click.echo(f"{debate}: in the domain {domain}")
            elif await learn_one(workspace, debate):
                click.echo(f"{debate}: learned")
            else:
                click.echo(f"{debate}: nothing new to learn")
    return DONE


async def _learn_all(rebuild: bool, store: Path | str | None) -> int:
    from folkmoot.app.export.learned import learn_all

    async with open_workspace(store) as workspace:
        learned: Learned = await learn_all(workspace, rebuild=rebuild)
    counts = [f"{len(learned.new)} learned", f"{learned.known} known already", f"{learned.open} not finished"]
    click.echo(", ".join(counts))
    for debate in learned.damaged:
        click.echo(f"folkmoot: {debate}: its record is damaged; folkmoot verify {debate} shows where", err=True)
    return ERROR if learned.damaged else DONE


@rich_click.group()
def memory() -> None:
    """Search, show and forget what was learned."""


@memory.command()
@click.argument("words", nargs=-1, required=True)
@click.option("--patterns", is_flag=True, help="Search critiques that changed an answer, instead of outcomes.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 100),
    default=10,
    show_default=True,
    metavar="N",
    help="Maximum number of results.",
)
@as_json
@store_option
def search(words: tuple[str, ...], patterns: bool, limit: int, as_json: bool, store: Path | str | None) -> int:
    """Find outcomes of earlier debates by words and by similarity."""
    from folkmoot.app.export.learned import search as look

    kind: Kind = "pattern" if patterns else "outcome"

    async def read() -> "tuple[FoundMemory, ...]":
        async with open_memory(store) as workspace:
            return await look(workspace, " ".join(words), kind=kind, limit=limit)

    memories = run_command(read())
    if as_json:
        _print([asdict(item) for item in memories])
    elif not memories:
        click.echo("Nothing was found in the memory.")
    for item in () if as_json else memories:
        _tell(item)
    return DONE


def _tell(found_memory: "FoundMemory") -> None:
    from folkmoot.analysis.memory_lines import decided
    from folkmoot.cli.display.text_layout import line, local_time, short

    body = found_memory.body
    click.echo(f"{found_memory.debate}  {local_time(found_memory.at)}  recalled {counted(found_memory.uses, 'time')}")
    if found_memory.kind == "pattern":
        click.echo(f"  {line(str(body['critic']))}: {short(line(str(body['issue'])), 200)}")
        click.echo(f"  {line(str(body['author']))} changed to: {short(line(str(body['after'])), 200)}")
        return
    click.echo(f"  {short(line(str(body['topic'])), 200)}")
    click.echo(f"  {decided(body)}")


@memory.command()
@click.argument("debate", shell_complete=complete_debate)
@as_json
@store_option
def show(debate: str, as_json: bool, store: Path | str | None) -> int:
    """Show everything that was learned from a debate."""
    from folkmoot.analysis.memory_lines import HEADINGS, learned_lines
    from folkmoot.app.export.learned import learned_items

    async def read() -> "tuple[str, Mapping[str, Sequence[Item]]]":
        async with open_workspace(store, reading=True) as workspace:
            name = await workspace.find(debate)
            return name, await learned_items(workspace, name, tuple(HEADINGS))

    name, items_by_kind = run_command(read())
    bodies = {kind: [item.body for item in items] for kind, items in items_by_kind.items()}
    if as_json:
        _print(bodies)
        return DONE
    if not any(items_by_kind.values()):
        click.echo(
            f"The memory has nothing about {name}: it was forgotten, or is not learned yet (folkmoot learn {name})."
        )
    for heading, parts in learned_lines(bodies):
        click.echo(heading)
        for row in (row for part in parts for row in part):
            click.echo(f"  {row}")
    return DONE


@memory.command()
@click.argument("debate", shell_complete=complete_debate)
@store_option
def forget(debate: str, store: Path | str | None) -> int:
    """Forget permanently what was learned from a debate. Its record is not changed."""
    from folkmoot.app.export.learned import add_note

    async def drop() -> str:
        async with open_workspace(store) as workspace:
            name = await workspace.find(debate)
            await add_note(workspace, name, "forget")
            return name

    click.echo(f"{run_command(drop())}: forgotten; its record still exists")
    return DONE


@rich_click.command()
@click.argument("debate", required=False, shell_complete=complete_debate)
@click.argument("word", required=False, metavar="[true|false]")
@click.option("--answer", help="The right answer.")
@click.option(
    "--from",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Many right answers: CSV with the columns debate and answer, or .jsonl with these keys on each line.",
)
@click.option("--force", is_flag=True, help="Record an answer even if it is not one of the options.")
@store_option
def resolve(
    debate: str | None, word: str | None, answer: str | None, path: Path | None, force: bool, store: Path | str | None
) -> int:
    """Record the right answer of a debate, once it is known.

    The last answer of each participant is then counted as right or wrong, which calibrates its confidence. Answers are
    compared like votes: by the option that they name, else by their words. So write the answer as the debaters did.
    Forecasts get their scores: write yes or no for a probability, else the number.

    For a finding of a review write ID#F3 true, or false. folkmoot calibration then shows how often each model was right.
    """
    if debate and "#" in debate:
        return _resolve_finding(debate, answer or word or "", store)
    from folkmoot.app.export.learned import resolve as settle
    from folkmoot.app.export.truths import FaultyTruths, Truth, read_truths, resolve_all

    if word and debate:
        raise click.UsageError(f"true and false are for a finding, {debate[:80]}#F1; give an answer with --answer.")
    if word or (path is None) == (debate is None) or (debate is None) != (answer is None):
        raise click.UsageError("Give a debate and --answer, or --from FILE.")

    async def keep() -> "tuple[tuple[str, Truth, Resolved], ...]":
        async with open_workspace(store) as workspace:
            if path is not None:
                return await resolve_all(workspace, read_truths(path), anyway=force)
            name, right = await workspace.find(debate or ""), answer or ""
            truth = Truth(debate=name, answer=right, where="")
            return ((name, truth, await settle(workspace, name, right, anyway=force)),)

    try:
        resolutions = run_command(keep())
    except FaultyTruths as error:
        for fault in error.faults:
            click.echo(f"folkmoot: {fault}", err=True)
        click.echo("folkmoot: nothing was recorded", err=True)
        return USAGE
    for name, truth, resolved in resolutions:
        _tell_resolved(name, truth.answer, resolved)
    return DONE


def _resolve_finding(name: str, truth: str, store: Path | str | None) -> int:
    """Note whether a finding of a review was true."""
    from folkmoot.app.review.resolutions import resolve_finding

    debate, _, finding = name.partition("#")

    async def keep() -> str:
        async with open_workspace(store) as workspace:
            id = await workspace.find(debate)
            came = await resolve_finding(workspace, id, finding, truth)
            return f"{id}#{came.finding.id} ({came.state}) was {truth.lower()}"

    click.echo(run_command(keep()))
    return DONE


def _tell_resolved(name: str, answer: str, resolved: "Resolved") -> None:
    from folkmoot.cli.display.text_layout import line, short

    click.echo(f"{name}: the right answer is {line(answer)}")
    if resolved.options:
        click.echo(f"  this is not one of the options: {', '.join(map(line, resolved.options))}")
    for item in resolved.scored:
        scores = ", ".join(f"{name} {value:.4g}" for name, value in item.scores)
        click.echo(f"  {line(item.who)}: {', '.join(f'{value:g}' for value in item.values)} ({scores})")
    if resolved.scored:
        return
    click.echo(f"  right: {', '.join(map(line, resolved.right)) or 'nobody'}")
    for debater, answer_left in resolved.wrong.items():
        click.echo(f"  wrong: {line(debater)}, whose last answer was: {short(answer_left, 120)}")
    if resolved.trust in ("confirmed", "refuted"):
        click.echo(f"  the decision is {resolved.trust}")
    if resolved.forgotten:
        click.echo("  this debate was forgotten: nothing is learned from it")


def _print(data: object) -> None:
    click.echo(json.dumps(data, ensure_ascii=False, indent=2))
