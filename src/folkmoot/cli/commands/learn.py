"""``folkmoot learn``: learn from debates, search and forget what was learned, record the truth."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from folkmoot.cli.options import (
    DONE,
    ERROR,
    FILE,
    USAGE,
    IntRange,
    Store,
    complete_debate,
    debate_argument,
    echo_json,
    group,
    json_option,
    note,
    open_memory,
    open_workspace,
    option,
    run_command,
    store_option,
)
from folkmoot.core.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from folkmoot.app.export.learned import Resolved
    from folkmoot.learn.memory import FoundMemory
    from folkmoot.learn.memory_store import Item


@group(invoke_without_command=True)
@option("--rebuild", is_flag=True, help="Delete the memory, and learn from all records again.")
@store_option
@click.pass_context
def learn(ctx: click.Context, rebuild: bool, store: Store) -> int:
    """Learn from all finished debates that are not in the memory yet.

    Folkmoot learns from a debate when it ends, unless folkmoot.toml says learn = false. Nothing is learned twice.
    """
    from folkmoot.app.export.learned import learn_all

    async def work() -> int:
        async with open_workspace(store) as workspace:
            learned = await learn_all(workspace, rebuild=rebuild)
        click.echo(f"{len(learned.new)} learned, {learned.known} known already, {learned.open} not finished")
        for debate in learned.damaged:
            note(f"{debate}: its record is damaged; folkmoot verify {debate} shows where")
        return ERROR if learned.damaged else DONE

    if rebuild and ctx.invoked_subcommand:
        raise click.UsageError("--rebuild learns from all debates; leave out the rest.")
    return DONE if ctx.invoked_subcommand else run_command(work())


@learn.command("from")
@click.argument("debates", nargs=-1, required=True, metavar="DEBATE...", shell_complete=complete_debate)
@option("--domain", metavar="NAME", help="Only note the field that these debates are about, for ratings.")
@store_option
def from_(debates: tuple[str, ...], domain: str | None, store: Store) -> int:
    """Learn from the named debates, also from those that were forgotten."""
    from folkmoot.app.export.learned import add_note
    from folkmoot.app.export.learned import learn as learn_one

    async def work() -> int:
        async with open_workspace(store) as workspace:
            for name in debates:
                debate = await workspace.find(name)
                if domain is not None:
                    await add_note(workspace, debate, "domain", domain)
                    click.echo(f"{debate}: in the domain {domain}")
                else:
                    click.echo(
                        f"{debate}: {'learned' if await learn_one(workspace, debate) else 'nothing new to learn'}"
                    )
        return DONE

    return run_command(work())


@learn.command()
@click.argument("words", nargs=-1, required=True)
@option("--patterns", is_flag=True, help="Search critiques that changed an answer, instead of outcomes.")
@option("-n", "--limit", type=IntRange(1, 100), default=10, show_default=True, metavar="N", help="At most so many.")
@json_option
@store_option
def search(words: tuple[str, ...], patterns: bool, limit: int, as_json: bool, store: Store) -> int:
    """Find outcomes of earlier debates by words and by similarity."""
    from folkmoot.analysis.memory_lines import decided
    from folkmoot.app.export.learned import search as look
    from folkmoot.cli.display.text_layout import local_time, short

    async def read() -> "tuple[FoundMemory, ...]":
        async with open_memory(store) as workspace:
            return await look(workspace, " ".join(words), kind="pattern" if patterns else "outcome", limit=limit)

    found = run_command(read())
    if as_json:
        echo_json([asdict(item) for item in found])
        return DONE
    if not found:
        click.echo("Nothing was found in the memory.")
    for item in found:
        body = item.body
        click.echo(f"{item.debate}  {local_time(item.at)}  recalled {counted(item.uses, 'time')}")
        if item.kind == "pattern":
            click.echo(f"  {short(str(body['critic']), 60)}: {short(str(body['issue']), 200)}")
            click.echo(f"  {short(str(body['author']), 60)} changed to: {short(str(body['after']), 200)}")
        else:
            click.echo(f"  {short(str(body['topic']), 200)}\n  {decided(body)}")
    return DONE


@learn.command()
@debate_argument
@json_option
@store_option
def show(debate: str, as_json: bool, store: Store) -> int:
    """Show everything that was learned from a debate."""
    from folkmoot.analysis.memory_lines import HEADINGS, learned_lines
    from folkmoot.app.export.learned import learned_items

    async def read() -> "tuple[str, Mapping[str, Sequence[Item]]]":
        async with open_workspace(store, reading=True) as workspace:
            name = await workspace.find(debate)
            return name, await learned_items(workspace, name, tuple(HEADINGS))

    name, items = run_command(read())
    bodies = {kind: [item.body for item in some] for kind, some in items.items()}
    if as_json:
        echo_json(bodies)
        return DONE
    if not any(items.values()):
        click.echo(
            f"The memory has nothing about {name}: it was forgotten, or never learned (folkmoot learn from {name})."
        )
    for heading, parts in learned_lines(bodies):
        click.echo(heading)
        for row in (row for part in parts for row in part):
            click.echo(f"  {row}")
    return DONE


@learn.command()
@debate_argument
@store_option
def forget(debate: str, store: Store) -> int:
    """Forget permanently what was learned from a debate. Its record is not changed."""
    from folkmoot.app.export.learned import add_note

    async def work() -> int:
        async with open_workspace(store) as workspace:
            name = await workspace.find(debate)
            await add_note(workspace, name, "forget")
        click.echo(f"{name}: forgotten; its record still exists")
        return DONE

    return run_command(work())


@learn.command()
@click.argument("debate", required=False, shell_complete=complete_debate)
@click.argument("word", required=False, metavar="[true|false]")
@option("--answer", metavar="TEXT", help="The right answer.")
@option("--from", "path", type=FILE, metavar="FILE", help="Many right answers, in columns or keys debate and answer.")
@option("--force", is_flag=True, help="Record an answer even if it is not one of the options.")
@store_option
def resolve(
    debate: str | None, word: str | None, answer: str | None, path: Path | None, force: bool, store: Store
) -> int:
    """Record the right answer of a debate, once it is known.

    The last answer of each participant is then counted as right or wrong, which calibrates its confidence. Answers are
    compared like votes: by the option that they name, else by their words. So write the answer as the debaters did.
    Forecasts get their scores: write yes or no for a probability, else the number. FILE is .csv or .jsonl.

    For a finding of a review write ID#F3 true, or false. folkmoot standings calibration --reviews then shows how often
    each model was right.
    """
    from folkmoot.app.export.learned import resolve as settle
    from folkmoot.app.export.truths import FaultyTruths, Truth, read_truths, resolve_all

    if debate and "#" in debate:
        return run_command(_resolve_finding(debate, answer or word or "", store))
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
        for fault in (*error.faults, "nothing was recorded"):
            note(fault)
        return USAGE
    for name, truth, resolved in resolutions:
        _print_resolved(name, truth.answer, resolved)
    return DONE


async def _resolve_finding(name: str, truth: str, store: Store) -> int:
    """Note whether a finding of a review was true."""
    from folkmoot.app.review.resolutions import resolve_finding

    debate, _, finding = name.partition("#")
    async with open_workspace(store) as workspace:
        found = await workspace.find(debate)
        resolved = await resolve_finding(workspace, found, finding, truth)
    click.echo(f"{found}#{resolved.finding.id} ({resolved.state}) was {truth.lower()}")
    return DONE


def _print_resolved(name: str, answer: str, resolved: "Resolved") -> None:
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
