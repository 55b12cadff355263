"""``moot ratings`` and ``moot calibration``. This file owns how measured models are shown."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
import rich_click

from moot.cli.codes import DONE
from moot.cli.options import finish, open_memory, store_option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from moot.app.export.learned import Standings
    from moot.learn.calibration import Calibration, Level

    Expectations = Mapping[str, Sequence[tuple[Level, float]]]

MANY = 200
"""Answers from which on the ECE means something."""

as_json = click.option("--json", "as_json", is_flag=True, help="As JSON.")


@rich_click.command()
@click.option("--domain", metavar="NAME", help="One domain; else all, each by itself.")
@click.option("--anchor", metavar="MODEL", default="", help="Measure all others from this model, which gets 1500.")
@as_json
@store_option
def ratings(domain: str | None, anchor: str, as_json: bool, store: Path | str | None) -> int:
    """Rate the models by the debates in which one of them won.

    The order is by Bradley and Terry's model, with 95 % intervals; Elo is there to look at. Seats without a language
    model are never rated.
    """
    from moot.app.export.learned import standings

    async def read() -> "tuple[Standings, ...]":
        async with open_memory(store) as desk:
            return await standings(desk, domain, anchor=anchor)

    found = finish(read())
    if as_json:
        _print([asdict(each) for each in found])
        return DONE
    if not found:
        click.echo("No debate between models has a winner among its debaters yet.")
    for each in found:
        click.echo(f"domain: {each.domain or 'none'}")
        wide = max(len(rating.name) for rating in each.ratings)
        click.echo(f"  {'model':<{wide}}  rating  95 % interval  bouts   elo")
        for rating in each.ratings:
            span = "anchor" if rating.name == anchor else f"{rating.low:.0f} to {rating.high:.0f}"
            points = each.elo[rating.name]
            click.echo(f"  {rating.name:<{wide}}  {rating.value:6.0f}  {span:>13}  {rating.games:5}  {points:4.0f}")
        if each.apart:
            click.echo(f"  {len(each.apart)} groups have never met; the order between them means nothing:")
            for group in each.apart:
                click.echo(f"    {', '.join(group)}")
    return DONE


@rich_click.command()
@as_json
@store_option
def calibration(as_json: bool, store: Path | str | None) -> int:
    """Show how far the confidence of each model can be trusted, over the debates that were resolved."""
    from moot.app.export.learned import calibration as calibrate
    from moot.app.export.learned import recalibration, weights
    from moot.learn.panels import ENOUGH

    async def read() -> "tuple[Mapping[str, Calibration], Mapping[str, float | None], Expectations]":
        async with open_memory(store) as desk:
            return await calibrate(desk), await weights(desk), await recalibration(desk)

    found, votes, expect = finish(read())
    if as_json:
        told = {name: [{**asdict(level), "expected": chance} for level, chance in expect[name]] for name in expect}
        more = {name: {"vote_weight": votes.get(name), "recalibrated": told[name]} for name in found}
        _print({name: {**asdict(each), **more[name]} for name, each in found.items()})
        return DONE
    if not found:
        click.echo("No language model's answer with a confidence is resolved yet: moot resolve DEBATE --answer …")
        return DONE
    wide = max(map(len, found))
    click.echo(f"{'model':<{wide}}    n  confidence  right  Brier   ECE  vote")
    for player, each in found.items():
        weight = votes.get(player)
        click.echo(
            f"{player:<{wide}}  {each.n:3}  {each.confidence:10.2f}  {each.accuracy:5.2f}  {each.brier.score:5.3f}"
            f"  {each.ece:4.2f}  {'-' if weight is None else f'{weight:.2f}':>4}"
        )
    if min(each.n for each in found.values()) < MANY:
        click.echo(f"The ECE of fewer than {MANY} answers is too high by chance alone.")
    if None in map(votes.get, found):
        click.echo(f"A vote has a weight of its own (-: none yet) where all voters have {ENOUGH} graded answers.")
    click.echo("Recalibrated:")
    for line in _expectations(expect, wide):
        click.echo(line)
    return DONE


def _expectations(expect: "Expectations", wide: int) -> Iterator[str]:
    """What an answer of each confidence has been worth, and what to expect of the next one."""
    for player, levels in expect.items():
        for level, chance in levels:
            right = f"{round(level.accuracy * level.n)} of {level.n} right"
            yield f"  {player:<{wide}}  says {level.confidence:.2f} ({right}): expect {chance:.2f}"


def _print(data: object) -> None:
    click.echo(json.dumps(data, ensure_ascii=False, indent=2))
