"""``moot worker`` and ``moot submit``. This file owns how debates are given to workers, and held by one."""

from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click
import rich_click

from moot.cli.codes import DONE, INTERRUPTED
from moot.cli.options import (
    CapOptions,
    WishOptions,
    finish,
    limit_options,
    open_stage,
    queue_at,
    read_input,
    store_option,
    store_path,
    wish_options,
    wishes_of,
)

if TYPE_CHECKING:
    from moot.app.run.holding import Start
    from moot.app.run.workspace import Desk
    from moot.workers.worker import Worker

LONGEST_NAME = 40


class WorkerOptions(TypedDict):
    """The options of ``moot worker`` as they were typed."""

    most: int
    name: str | None
    lease: float
    grace: float
    store: Path | str | None


class SubmitOptions(CapOptions, WishOptions):
    """All options of ``moot submit``."""

    priority: int
    owner: str
    after: float
    store: Path | str | None


@rich_click.command()
@click.option("--most", type=click.IntRange(1, 1000), default=8, show_default=True, help="Debates at once.")
@click.option("--name", metavar="NAME", help="What it is called; else as the machine is. Some letters are added.")
@click.option(
    "--lease",
    type=click.FloatRange(1, 600),
    default=15.0,
    show_default=True,
    metavar="S",
    help="Seconds of silence after which others take over what it holds.",
)
@click.option(
    "--grace",
    type=click.FloatRange(0, 3600),
    default=30.0,
    show_default=True,
    metavar="S",
    help="Seconds that the answers in hand have when it is asked to end.",
)
@store_option
def worker(**given: Unpack[WorkerOptions]) -> int:
    """Hold the debates of a queue, until it is asked to end.

    Start one on as many machines as you like. Ctrl-C or SIGTERM: it takes nothing new, gives back what it holds after
    the answers in hand, and ends; twice, it ends at once, and others take over when its leases have run out.
    """
    return finish(_work(given))


async def _work(given: WorkerOptions) -> int:
    from moot.app.plan.settings import load_config
    from moot.workers.opening import check_queue

    address = str(store_path(given["store"]))
    check_queue(address)
    from moot.workers.lease_runs import Wanted
    from moot.workers.worker import Worker

    async with open_stage(given["store"]) as desk:
        desk.config = load_config()
        wanted = Wanted(
            address=address,
            name=_name(given["name"]),
            most=given["most"],
            lease=given["lease"],
            grace=given["grace"],
            say=click.echo,
        )
        click.echo(f"{wanted.name}: takes up to {wanted.most} debates at once from {desk.place}")
        found = Worker(desk, wanted)
        _listen(found)
        await found.run()
        click.echo(f"{wanted.name}: gave everything back")
    return DONE


def _name(typed: str | None) -> str:
    """A name that no other worker has, also where two are called the same."""
    import re
    import secrets
    import socket

    name = (
        typed if typed is not None else re.sub(r"[^A-Za-z0-9.-]+", "-", socket.gethostname()).strip("-")[:LONGEST_NAME]
    )
    if not re.fullmatch(rf"[A-Za-z0-9_.-]{{1,{LONGEST_NAME}}}", name):
        raise click.UsageError(f"A worker's name has 1 to {LONGEST_NAME} letters, digits, dots, - and _.")
    return f"{name}-{secrets.token_hex(3)}"


def _listen(found: "Worker") -> None:
    """A first signal drains the worker, a second ends it at once; its leases run out by themselves then."""
    import asyncio
    import os
    import signal

    def press() -> None:
        if found.leaving:
            os._exit(INTERRUPTED)
        click.echo(f"{found.wanted.name}: takes nothing new; once more to end at once")
        found.drain()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, press)


@rich_click.command()
@click.argument("briefs", nargs=-1, required=True, metavar="BRIEF...")
@click.option("--priority", type=click.IntRange(1, 10), default=5, show_default=True, help="1 is first, 10 is last.")
@click.option("--owner", default="", metavar="NAME", help="Who has it held; owners take turns.")
@click.option("--after", type=click.FloatRange(0, 31_622_400), default=0.0, metavar="S", help="Seconds to wait before.")
@wish_options
@limit_options
@store_option
def submit(briefs: tuple[str, ...], **given: Unpack[SubmitOptions]) -> int:
    """Put debates on record and into the queue, for workers to hold.

    BRIEF is a file, a question in quotes, or - for standard input. Participants that must be made first are made here,
    with one call of the model. The ids are printed, a line each.
    """
    return finish(_submit(briefs, given))


async def _submit(briefs: tuple[str, ...], given: SubmitOptions) -> int:
    async with queue_at(given["store"]) as (desk, queue):
        starts = [await _start(desk, words, given) for words in briefs]  # all are checked before one is submitted
        for start in starts:
            debate = await _lay_down(desk, start)
            await queue.submit(debate, owner=given["owner"], priority=given["priority"], after=given["after"])
            click.echo(debate)
    return DONE


async def _start(desk: "Desk", words: str, given: SubmitOptions) -> "Start":
    from moot.app.plan.settings import load_config
    from moot.app.run.holding import make_start

    return await make_start(desk, read_input(words), wishes_of(given, given), load_config())


async def _lay_down(desk: "Desk", start: "Start") -> str:
    """Put one debate on record; its id."""
    from moot.app.run.holding import Lent, lay_down, people_start
    from moot.app.run.outcome import Outcome
    from moot.app.run.workspace import Stop
    from moot.core.errors import MootError

    debate = desk.new_id(start.ready.plan)
    if start.ready.caster:
        click.echo(f"moot: asking {start.ready.caster} for the participants; built-in ones: --cast builtin", err=True)
    peopled = await people_start(desk, start, debate, Lent(stop=Stop()))
    if isinstance(peopled, Outcome):
        raise MootError(f"no participants, so no debate: {peopled.reason}; submit it again ({peopled.debate})")
    await lay_down(desk, peopled, debate)
    return debate
