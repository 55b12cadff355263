"""``folkmoot serve`` and ``folkmoot mcp``: the web app with its HTTP API; a server for coding agents."""

import math
import webbrowser
from importlib import import_module
from typing import TypedDict, Unpack

import click

from folkmoot.cli.options import (
    DONE,
    FloatRange,
    IntRange,
    Store,
    command,
    note,
    option,
    rare,
    run_command,
    stacked,
    store_option,
    store_path,
)
from folkmoot.core.brief import SERVED

WEB, MCP = "folkmoot.web.http_server", "folkmoot.mcp.mcp_host"
"""The servers to start; named as texts, because the hosts do not import each other."""

WEB_PORT, MCP_PORT = 8323, 8324
MAX_COST = 5.0


class ServerOptions(TypedDict):
    """What both servers take."""

    port: int
    host: str
    parallel: int | None
    queue: bool


def _server_options(port: int):
    return stacked(
        option("--port", type=IntRange(0, 65535), default=port, show_default=True, metavar="N", help="0 for any free port."),
        option("--host", default="127.0.0.1", show_default=True, help="The address to listen on."),
        option("--parallel", type=IntRange(*SERVED), metavar="N", help="Debates in parallel. Default: as set, or 8."),
        option("--queue", is_flag=True, help="Let workers run the debates. Needs --store postgresql://…."),
    )  # fmt: skip


@command()
@_server_options(WEB_PORT)
@option("--lan", is_flag=True, help="Let phones and other devices in this network open the links. Not encrypted.")
@option("--open", "open_", is_flag=True, help="Open the page in the browser.")
@rare("--log-json", is_flag=True, help="Log every request and event as JSON lines on standard error.")
@store_option
def serve(lan: bool, open_: bool, log_json: bool, store: Store, **options: Unpack[ServerOptions]) -> int:
    """Serve the web app and the HTTP API, and run the debates started there.

    The printed link works once, within ten minutes; press Enter for a new one. Ctrl-C stops after the answers in
    progress, a second Ctrl-C at once; all debates can be resumed. Programs need a token, and so does a --host that
    other machines reach: see [serve.tokens] in folkmoot.toml.
    """
    from folkmoot.app.plan.settings import load_config

    def ready(link: str) -> None:
        click.echo(f"Open this link: {link}")
        if lan:
            click.echo(
                "Anybody in this network who has a link can use it, and whoever can watch the network can read along: "
                "nothing is encrypted. Make links for others on the page, under Share.",
                err=True,
            )
        if open_:
            webbrowser.open(link)

    def log(line: str) -> None:
        click.echo(line, err=True)

    web = import_module(WEB)
    wanted = web.ServerSettings(
        store=store_path(store),
        host="0.0.0.0" if lan else options["host"],  # that is what was asked for
        lan=lan,
        port=options["port"],
        most=options["parallel"],
        queue=options["queue"],
        ready=ready,
        say=note,
        log=log if log_json else None,
    )
    run_command(web.serve(wanted, load_config()))
    return DONE


def _name(ctx: click.Context, param: click.Parameter, value: str) -> str:
    if not (value.isascii() and value.replace("-", "").replace("_", "").isalnum() and len(value) <= 32):
        raise click.BadParameter("a name must have 1 to 32 letters, digits, - and _")
    return value


@command()
@option("--http", is_flag=True, help="Serve over HTTP, at /mcp. Clients need a token of [serve.tokens].")
@_server_options(MCP_PORT)
@option(
    "--max-cost",
    type=FloatRange(min=0),
    default=MAX_COST,
    show_default=True,
    metavar="USD",
    help="US dollars for all debates of the session; inf for no limit. Over HTTP: [serve] daily.",
)
@option("--client", default="agent", show_default=True, callback=_name, help="The owner of debates started here.")
@option("--all", "all_", is_flag=True, help="Let the client also read the other debates in the store.")
@store_option
def mcp(http: bool, max_cost: float, client: str, all_: bool, store: Store, **options: Unpack[ServerOptions]) -> int:
    """Serve coding agents: MCP over standard input and output, or over HTTP.

    An agent starts this command by itself: see docs/how-to/use-from-a-coding-agent.md. When the agent disconnects, its
    debates are paused after the answers in progress; they can be resumed. Debates that workers run continue.
    """
    from folkmoot.app.plan.settings import load_config

    def ready(address: str) -> None:
        note(f"the MCP server is at {address}")

    host = import_module(MCP)
    wanted = host.HostSettings(
        store=store_path(store),
        client=client,
        max_cost=None if math.isinf(max_cost) else max_cost,
        max_debates=options["parallel"],
        queue=options["queue"],
        reads_all=all_,
        host=options["host"],
        port=options["port"],
        ready=ready,
    )
    run_command((host.serve_http if http else host.serve_stdio)(wanted, load_config()))
    return DONE
