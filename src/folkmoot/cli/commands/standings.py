"""``folkmoot ratings``, ``calibration``, ``personas`` and ``relations``: statistics over all debates in the memory."""

import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import click
import rich_click

from folkmoot.cli.options import DONE, open_memory, run_command, store_option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from folkmoot.app.export.learned import DomainRatings
    from folkmoot.app.review.resolutions import Precision
    from folkmoot.app.run.workspace import Workspace
    from folkmoot.learn.calibration import Calibration, Level

    Expectations = Mapping[str, Sequence[tuple[Level, float]]]
    from folkmoot.app.export.learned import PerformanceTables, RelationTables
    from folkmoot.learn.personas import Pair, Persona, Share

MANY = 200
"""The least number of answers for a meaningful ECE (expected calibration error)."""

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@rich_click.command()
@click.option("--domain", metavar="NAME", help="One domain. Default: all, each separately.")
@click.option(
    "--anchor", metavar="MODEL", default="", help="Fix the rating of this model at 1500, as a reference for all others."
)
@as_json
@store_option
def ratings(domain: str | None, anchor: str, as_json: bool, store: Path | str | None) -> int:
    """Rate models by the debates that they won or lost.

    The order follows the Bradley-Terry model, with 95% intervals; Elo ratings are shown for comparison. Participants
    without a language model are not rated.
    """
    from folkmoot.app.export.learned import domain_ratings

    async def read() -> "tuple[DomainRatings, ...]":
        async with open_memory(store) as workspace:
            return await domain_ratings(workspace, domain, anchor=anchor)

    domains = run_command(read())
    if as_json:
        _print([asdict(domain_rating) for domain_rating in domains])
        return DONE
    if not domains:
        click.echo("No debate between models has been won by one of its debaters yet.")
    for item in domains:
        click.echo(f"domain: {item.domain or 'none'}")
        wide = max(len(rating.name) for rating in item.ratings)
        click.echo(f"  {'model':<{wide}}  rating  95% interval  games   elo")
        for rating in item.ratings:
            span = "anchor" if rating.name == anchor else f"{rating.low:.0f} to {rating.high:.0f}"
            points = item.elo[rating.name]
            click.echo(f"  {rating.name:<{wide}}  {rating.value:6.0f}  {span:>13}  {rating.games:5}  {points:4.0f}")
        if item.apart:
            click.echo(f"  {len(item.apart)} groups have never met; ratings cannot be compared between them:")
            for group in item.apart:
                click.echo(f"    {', '.join(group)}")
    return DONE


@rich_click.command()
@click.option("--reviews", is_flag=True, help="Show how often each model was right in reviews, by resolved findings.")
@as_json
@store_option
def calibration(reviews: bool, as_json: bool, store: Path | str | None) -> int:
    """Show how well the confidence of each model matches its accuracy, over all resolved debates.

    n counts the last answer of every participant that gave a confidence.
    """
    if reviews:
        return _reviews(as_json=as_json, store=store)
    from folkmoot.app.export.learned import calibration as calibrate
    from folkmoot.app.export.learned import recalibration, weights
    from folkmoot.learn.panels import ENOUGH

    async def read() -> "tuple[Mapping[str, Calibration], Mapping[str, float | None], Expectations]":
        async with open_memory(store) as workspace:
            return await calibrate(workspace), await weights(workspace), await recalibration(workspace)

    calibrations, votes, expect = run_command(read())
    if as_json:
        levels = {name: [{**asdict(level), "expected": chance} for level, chance in expect[name]] for name in expect}
        more = {name: {"vote_weight": votes.get(name), "recalibrated": levels[name]} for name in calibrations}
        _print({name: {**asdict(value), **more[name]} for name, value in calibrations.items()})
        return DONE
    if not calibrations:
        click.echo("There are no resolved answers with a confidence yet. First: folkmoot resolve DEBATE --answer …")
        return DONE
    wide = max(map(len, calibrations))
    click.echo(f"{'model':<{wide}}    n  confidence  right  Brier   ECE  vote")
    for player, item in calibrations.items():
        weight = votes.get(player)
        click.echo(
            f"{player:<{wide}}  {item.n:3}  {item.confidence:10.2f}  {item.accuracy:5.2f}  {item.brier.score:5.3f}"
            f"  {item.ece:4.2f}  {'-' if weight is None else f'{weight:.2f}':>4}"
        )
    if min(item.n for item in calibrations.values()) < MANY:
        click.echo(f"With fewer than {MANY} answers the ECE is too high by chance.")
    if None in map(votes.get, calibrations):
        click.echo(f"Votes are weighted when all voters have {ENOUGH} resolved answers (-: no weight yet).")
    click.echo("Recalibrated:")
    for line in _expectations(expect, wide):
        click.echo(line)
    return DONE


def _reviews(*, as_json: bool, store: Path | str | None) -> int:
    """Show how often models were right in reviews; a share only where enough is known."""
    from folkmoot.app.review.resolutions import ENOUGH, precisions

    async def read() -> "Sequence[Precision]":
        async with open_memory(store) as workspace:
            return await precisions(workspace)

    items = run_command(read())
    if as_json:
        _print([{**asdict(item), "interval": list(item.interval) if item.enough else None} for item in items])
        return DONE
    if not items:
        click.echo("There are no resolved findings of models yet. First: folkmoot resolve ID#F1 true")
    for item in items:
        low, high = item.interval
        share = f"{item.right / item.n:.2f} ({low:.2f} to {high:.2f})" if item.enough else f"shown from {ENOUGH} on"
        click.echo(f"{item.model}, {item.part}: {item.right} of {item.n} right, {share}")
    return DONE


def _expectations(expect: "Expectations", wide: int) -> Iterator[str]:
    """How often answers of each confidence were right, and what to expect of the next one."""
    for player, levels in expect.items():
        for level, chance in levels:
            right = f"{round(level.accuracy * level.n)} of {level.n} right"
            yield f"  {player:<{wide}}  says {level.confidence:.2f} ({right}): expect {chance:.2f}"


def _print(data: object) -> None:
    click.echo(json.dumps(data, ensure_ascii=False, indent=2))


F = TypeVar("F", "PerformanceTables", "RelationTables")

Table: TypeAlias = Sequence[Sequence[str]]
"""The rows of a table; the first is its head."""

NOTHING = "Nothing has been learned yet. First: folkmoot learn"

NAME = 40
"""Columns of a name; longer names are cut."""

personas_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@rich_click.command()
@personas_as_json
@store_option
def personas(as_json: bool, store: Path | str | None) -> int:
    """Show how participants and models performed over all debates.

    Participants are identified by name and role. "won": in how many decided debates their answer was chosen. "right":
    in how many resolved debates (folkmoot resolve) their answer was right. Both have 95% intervals.
    """
    from folkmoot.app.export.learned import personas as read_all

    def tables(people: "PerformanceTables") -> "Sequence[Table]":
        return _table("participant", people.participants), _table("model", people.models)

    return _tell(read_all, tables, as_json=as_json, store=store)


def _table(title: str, personas_listed: "Sequence[Persona]") -> "Table":
    from folkmoot.cli.display.text_layout import short

    names = [short(persona.name + (f", {persona.role}" if persona.role else ""), NAME) for persona in personas_listed]
    head = ("debates", "answers", "missing", "changed", "won", "right")
    rows = [
        (
            f"{persona.debates}",
            f"{persona.answers}",
            f"{persona.missing}",
            f"{persona.changed}",
            _share(persona.won),
            _share(persona.right),
        )
        for persona in personas_listed
    ]
    return [(title, *head), *((name, *row) for name, row in zip(names, rows, strict=True))]


@rich_click.command()
@personas_as_json
@store_option
def relations(as_json: bool, store: Path | str | None) -> int:
    """Show who agreed with whom over all debates, and who changed whose answer.

    Two participants agreed if they ended a debate with the same answer. A moved B if B changed its answer and referred
    to a turn of A, accepted a critique by A, or adopted the answer of A.
    """
    from folkmoot.app.export.learned import relations as read_all

    def tables(met: "RelationTables") -> "Sequence[Table]":
        return _pairs("participants", met.participants), _pairs("models", met.models)

    return _tell(read_all, tables, as_json=as_json, store=store)


def _tell(
    read_all: "Callable[[Workspace], Awaitable[F]]",
    tables: "Callable[[F], Sequence[Table]]",
    *,
    as_json: bool,
    store: Path | str | None,
) -> int:
    """Show statistics, as JSON or as tables."""

    async def read() -> F:
        async with open_memory(store) as workspace:
            return await read_all(workspace)

    standing = run_command(read())
    if as_json:
        click.echo(json.dumps(asdict(standing), ensure_ascii=False, indent=2))
        return DONE
    if not standing.participants:
        click.echo(NOTHING)
    for n, table in enumerate(table for table in tables(standing) if len(table) > 1):
        if n:
            click.echo()
        _print_personas(table)
    return DONE


def _pairs(title: str, pairs: "Sequence[Pair]") -> "Table":
    from folkmoot.cli.display.text_layout import short

    rows = [
        (
            f"{short(pair.one, NAME)} and {short(pair.other, NAME)}",
            f"{pair.debates}",
            _share(pair.agreed),
            f"{pair.moved_other}",
            f"{pair.moved_one}",
        )
        for pair in pairs
    ]
    return [(title, "debates", "agreed", "first moved second", "second moved first"), *rows]


def _share(share: "Share") -> str:
    """``3 of 4 (30 to 95%)``; a dash where there is nothing to count."""
    if not share.of:
        return "–"
    return f"{share.some} of {share.of} ({100 * share.low:.0f} to {100 * share.high:.0f}%)"


def _print_personas(table: "Table") -> None:
    """Print a table: names to the left, figures to the right."""
    wide = [max(map(len, column)) for column in zip(*table, strict=True)]
    for name, *cells in table:
        figures = "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, wide[1:], strict=True))
        click.echo(f"{name:<{wide[0]}}  {figures}")
