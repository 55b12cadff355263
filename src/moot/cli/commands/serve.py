"""``moot serve`` and ``moot mcp``: start the web app with its HTTP API, and the MCP server for coding agents."""

import math
import webbrowser
from importlib import import_module
from pathlib import Path
from typing import TypedDict, Unpack

import click
import rich_click

from moot.cli.options import DONE, run_command, store_option, store_path
from moot.core.brief import SERVED

WEB_HOST = "moot.web.http_server"
"""The server to start; named as a text, because the hosts do not import each other."""

WEB_PORT = 8323


class ServeOptions(TypedDict):
    """The options as the user typed them."""

    port: int
    host: str
    open_: bool
    parallel: int | None
    queue: bool
    log_json: bool
    store: Path | str | None


@rich_click.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=WEB_PORT,
    show_default=True,
    metavar="N",
    help="The port; 0 for any free port.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on. Any address other than 127.0.0.1 needs a token.",
)
@click.option("--open", "open_", is_flag=True, help="Open the page in the browser.")
@click.option(
    "--parallel",
    type=click.IntRange(*SERVED),
    metavar="N",
    help="Number of debates to run in parallel. Default: as in moot.toml, or 8.",
)
@click.option("--queue", is_flag=True, help="Let workers run the debates. Needs --store postgresql://….")
@click.option("--log-json", is_flag=True, help="Log every request and event as JSON lines on standard error.")
@store_option
def serve(**options: Unpack[ServeOptions]) -> int:
    """Serve the web app and the HTTP API, and run the debates that are started there, or let workers run them.

    The printed link works once, within ten minutes; press Enter for a new one. Ctrl-C stops after the answers in
    progress, a second Ctrl-C at once; all debates can be resumed. Programs need a token: see [serve.tokens] in
    moot.toml.
    """
    from moot.app.plan.settings import load_config

    def ready(link: str) -> None:
        click.echo(f"Open this link: {link}")
        if options["open_"]:
            webbrowser.open(link)

    def say(sentence: str) -> None:
        click.echo(f"moot: {sentence}", err=True)

    def log(line: str) -> None:
        click.echo(line, err=True)

    host_module = import_module(WEB_HOST)
    wanted = host_module.ServerSettings(
        store=store_path(options["store"]),
        host=options["host"],
        port=options["port"],
        most=options["parallel"],
        queue=options["queue"],
        ready=ready,
        say=say,
        log=log if options["log_json"] else None,
    )
    run_command(host_module.serve(wanted, load_config()))
    return DONE


HOST = "moot.mcp.mcp_host"
"""The server to start; named as a text, because the hosts do not import each other."""

PORT = 8324
MAX_COST = 5.0


class McpOptions(TypedDict):
    """The options as the user typed them."""

    http: bool
    host: str
    port: int
    max_cost: float
    parallel: int | None
    queue: bool
    client: str
    all_: bool
    store: Path | str | None


def _name(ctx: click.Context, param: click.Parameter, value: str) -> str:
    if not (value.isascii() and value.replace("-", "").replace("_", "").isalnum() and len(value) <= 32):
        raise click.BadParameter("a name must have 1 to 32 letters, digits, - and _")
    return value


@rich_click.command()
@click.option("--http", is_flag=True, help="Serve over HTTP, at /mcp. Clients need a token of [serve.tokens].")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    metavar="N",
    help="The port; 0 for any free port.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--max-cost",
    type=click.FloatRange(min=0),
    default=MAX_COST,
    show_default=True,
    metavar="USD",
    help="US dollars for all debates of the session; inf for no limit. Over HTTP the limit is [serve] daily.",
)
@click.option(
    "--parallel",
    type=click.IntRange(*SERVED),
    metavar="N",
    help="Number of debates to run in parallel. Default: as in moot.toml, or 8.",
)
@click.option("--queue", is_flag=True, help="Let workers run the debates. Needs --store postgresql://….")
@click.option(
    "--client",
    default="agent",
    show_default=True,
    callback=_name,
    help="The owner of the debates that the client starts.",
)
@click.option("--all", "all_", is_flag=True, help="Let the client also read the other debates in the store.")
@store_option
def mcp(**options: Unpack[McpOptions]) -> int:
    """Serve coding agents: an MCP server over standard input and output, or over HTTP.

    An agent starts this command by itself: see docs/how-to/use-from-a-coding-agent.md. When the agent disconnects, its
    debates are paused after the answers in progress; they can be resumed. Debates that workers run continue.
    """
    from moot.app.plan.settings import load_config

    def ready(address: str) -> None:
        click.echo(f"moot: the MCP server is at {address}", err=True)

    host = import_module(HOST)
    wanted = host.HostSettings(
        store=store_path(options["store"]),
        client=options["client"],
        max_cost=None if math.isinf(options["max_cost"]) else options["max_cost"],
        max_debates=options["parallel"],
        queue=options["queue"],
        reads_all=options["all_"],
        host=options["host"],
        port=options["port"],
        ready=ready,
    )
    run_command((host.serve_http if options["http"] else host.serve_stdio)(wanted, load_config()))
    return DONE
