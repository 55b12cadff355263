"""``folkmoot standings``: ratings, calibration, and how participants did, over all debates in the memory."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, TypeVar

import click

from folkmoot.cli.options import (
    DONE,
    Store,
    echo_json,
    group,
    json_option,
    open_memory,
    option,
    run_command,
    store_option,
)

if TYPE_CHECKING:
    from folkmoot.app.export.learned import PerformanceTables, RelationTables
    from folkmoot.app.run.workspace import Workspace
    from folkmoot.learn.calibration import Calibration, Level
    from folkmoot.learn.personas import Pair, Persona, Share

MANY = 200
"""The least number of answers for a meaningful ECE (expected calibration error)."""

NAME = 40
"""Columns of a name; longer names are cut."""

Read = TypeVar("Read")


@group()
def standings() -> None:
    """Show how models and participants did over all debates that were learned from."""


def _from_memory(read: "Callable[[Workspace], Awaitable[Read]]", store: Store) -> Read:
    """What a function reads from the memory."""

    async def work() -> Read:
        async with open_memory(store) as workspace:
            return await read(workspace)

    return run_command(work())


def _print_table(*rows: Sequence[str]) -> None:
    """Print a table, the first row is its head: names to the left, figures to the right."""
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        figures = "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, wide[1:], strict=True))
        click.echo(f"{name:<{wide[0]}}  {figures}")


@standings.command()
@option("--domain", metavar="NAME", help="One domain. Default: all, each separately.")
@option("--anchor", metavar="MODEL", default="", help="Fix this model's rating at 1500, as a reference for all others.")
@json_option
@store_option
def ratings(domain: str | None, anchor: str, as_json: bool, store: Store) -> int:
    """Rate models by the debates that they won or lost.

    The order follows the Bradley-Terry model, with 95% intervals; Elo ratings are shown for comparison. Participants
    without a language model are not rated.
    """
    from folkmoot.app.export.learned import domain_ratings

    domains = _from_memory(lambda workspace: domain_ratings(workspace, domain, anchor=anchor), store)
    if as_json:
        echo_json([asdict(item) for item in domains])
        return DONE
    if not domains:
        click.echo("No debate between models has been won by one of its debaters yet.")
    for item in domains:
        click.echo(f"domain: {item.domain or 'none'}")
        rows = [("model", "rating", "95% interval", "games", "elo")]
        for rated in item.ratings:
            span = "anchor" if rated.name == anchor else f"{rated.low:.0f} to {rated.high:.0f}"
            rows.append((rated.name, f"{rated.value:.0f}", span, f"{rated.games}", f"{item.elo[rated.name]:.0f}"))
        _print_table(*rows)
        if item.apart:
            click.echo(f"{len(item.apart)} groups have never met; ratings cannot be compared between them:")
            for names in item.apart:
                click.echo(f"  {', '.join(names)}")
    return DONE


@standings.command()
@option("--reviews", is_flag=True, help="Show how often each model was right in reviews, by resolved findings.")
@json_option
@store_option
def calibration(reviews: bool, as_json: bool, store: Store) -> int:
    """Show how well the confidence of each model matches its accuracy, over all resolved debates.

    n counts the last answer of every participant that gave a confidence.
    """
    if reviews:
        return _reviews(as_json=as_json, store=store)
    from folkmoot.app.export import learned
    from folkmoot.learn.panels import ENOUGH

    async def read(
        workspace: "Workspace",
    ) -> "tuple[Mapping[str, Calibration], Mapping[str, float | None], Mapping[str, Sequence[tuple[Level, float]]]]":
        measured = await learned.calibration(workspace), await learned.weights(workspace)
        return *measured, await learned.recalibration(workspace)

    calibrations, votes, expect = _from_memory(read, store)
    if as_json:
        levels = {name: [{**asdict(level), "expected": chance} for level, chance in expect[name]] for name in expect}
        more = {name: {"vote_weight": votes.get(name), "recalibrated": levels[name]} for name in calibrations}
        echo_json({name: {**asdict(value), **more[name]} for name, value in calibrations.items()})
        return DONE
    if not calibrations:
        click.echo(
            "There are no resolved answers with a confidence yet. First: folkmoot learn resolve DEBATE --answer …"
        )
        return DONE
    rows = [("model", "n", "confidence", "right", "Brier", "ECE", "vote")]
    for name, item in calibrations.items():
        vote = "-" if (weight := votes.get(name)) is None else f"{weight:.2f}"
        sure, brier = f"{item.confidence:.2f}", f"{item.brier.score:.3f}"
        rows.append((name, f"{item.n}", sure, f"{item.accuracy:.2f}", brier, f"{item.ece:.2f}", vote))
    _print_table(*rows)
    if min(item.n for item in calibrations.values()) < MANY:
        click.echo(f"With fewer than {MANY} answers the ECE is too high by chance.")
    if None in map(votes.get, calibrations):
        click.echo(f"Votes are weighted when all voters have {ENOUGH} resolved answers (-: no weight yet).")
    click.echo("Recalibrated:")
    for name, levels in expect.items():
        for level, chance in levels:
            right = f"{round(level.accuracy * level.n)} of {level.n} right"
            click.echo(f"  {name}  says {level.confidence:.2f} ({right}): expect {chance:.2f}")
    return DONE


def _reviews(*, as_json: bool, store: Store) -> int:
    """Show how often models were right in reviews; a share only where enough is known."""
    from folkmoot.app.review.resolutions import ENOUGH, precisions

    items = _from_memory(precisions, store)
    if as_json:
        echo_json([{**asdict(item), "interval": list(item.interval) if item.enough else None} for item in items])
        return DONE
    if not items:
        click.echo("There are no resolved findings of models yet. First: folkmoot learn resolve ID#F1 true")
    for item in items:
        low, high = item.interval
        share = f"{item.right / item.n:.2f} ({low:.2f} to {high:.2f})" if item.enough else f"shown from {ENOUGH} on"
        click.echo(f"{item.model}, {item.part}: {item.right} of {item.n} right, {share}")
    return DONE


@standings.command()
@json_option
@store_option
def personas(as_json: bool, store: Store) -> int:
    """Show how participants and models performed over all debates.

    Participants are identified by name and role. "won": in how many decided debates their answer was chosen. "right":
    in how many resolved debates (folkmoot learn resolve) their answer was right. Both have 95% intervals.
    """
    from folkmoot.app.export.learned import personas as read

    def row(it: "Persona") -> Sequence[str]:
        name = _cut(f"{it.name}, {it.role}" if it.role else it.name)
        return (
            name,
            f"{it.debates}",
            f"{it.answers}",
            f"{it.missing}",
            f"{it.changed}",
            _share(it.won),
            _share(it.right),
        )

    heads = ("debates", "answers", "missing", "changed", "won", "right")
    return _print_tables(_from_memory(read, store), heads, row, as_json=as_json)


@standings.command()
@json_option
@store_option
def relations(as_json: bool, store: Store) -> int:
    """Show who agreed with whom over all debates, and who changed whose answer.

    Two participants agreed if they ended a debate with the same answer. A moved B if B changed its answer and referred
    to a turn of A, accepted a critique by A, or adopted the answer of A.
    """
    from folkmoot.app.export.learned import relations as read

    def row(it: "Pair") -> Sequence[str]:
        names = f"{_cut(it.one)} and {_cut(it.other)}"
        return names, f"{it.debates}", _share(it.agreed), f"{it.moved_other}", f"{it.moved_one}"

    heads = ("debates", "agreed", "first moved second", "second moved first")
    return _print_tables(_from_memory(read, store), heads, row, as_json=as_json)


def _print_tables(
    tables: "PerformanceTables | RelationTables",
    heads: Sequence[str],
    row: Callable[..., Sequence[str]],
    *,
    as_json: bool,
) -> int:
    """Show what is known of participants and of models, as JSON or as tables."""
    if as_json:
        echo_json(asdict(tables))
        return DONE
    if not tables.participants:
        click.echo("Nothing has been learned yet. First: folkmoot learn")
    for title, items in (("participants", tables.participants), ("models", tables.models)):
        if items:
            click.echo() if title == "models" and tables.participants else None
            _print_table((title, *heads), *map(row, items))
    return DONE


def _cut(name: str) -> str:
    from folkmoot.cli.display.text_layout import short

    return short(name, NAME)


def _share(share: "Share") -> str:
    """``3 of 4 (30 to 95%)``; a dash where there is nothing to count."""
    return f"{share.some} of {share.of} ({100 * share.low:.0f} to {100 * share.high:.0f}%)" if share.of else "–"
