"""``folkmoot serve``, ``folkmoot mcp`` and ``folkmoot skill``: the web app with its HTTP API; a server and guides for agents."""

import math
import webbrowser
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click
import rich_click

from folkmoot.cli.options import DONE, ERROR, FloatRange, run_command, store_option, store_path
from folkmoot.core.brief import SERVED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from folkmoot.app.skills.skill_files import Installed

WEB_HOST = "folkmoot.web.http_server"
"""The server to start; named as a text, because the hosts do not import each other."""

WEB_PORT = 8323


class ServeOptions(TypedDict):
    """The options as the user typed them."""

    port: int
    host: str
    lan: bool
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
    help="The address to listen on. One that other machines reach needs a token.",
)
@click.option("--lan", is_flag=True, help="Let phones and other devices in this network open the links. Not encrypted.")
@click.option("--open", "open_", is_flag=True, help="Open the page in the browser.")
@click.option(
    "--parallel",
    type=click.IntRange(*SERVED),
    metavar="N",
    help="Number of debates to run in parallel. Default: as in folkmoot.toml, or 8.",
)
@click.option("--queue", is_flag=True, help="Let workers run the debates. Needs --store postgresql://….")
@click.option("--log-json", is_flag=True, help="Log every request and event as JSON lines on standard error.")
@store_option
def serve(**options: Unpack[ServeOptions]) -> int:
    """Serve the web app and the HTTP API, and run the debates that are started there, or let workers run them.

    The printed link works once, within ten minutes; press Enter for a new one. Ctrl-C stops after the answers in
    progress, a second Ctrl-C at once; all debates can be resumed. Programs need a token: see [serve.tokens] in
    folkmoot.toml.
    """
    from folkmoot.app.plan.settings import load_config

    def ready(link: str) -> None:
        click.echo(f"Open this link: {link}")
        if options["lan"]:
            click.echo(
                "Anybody in this network who has a link can use it, and whoever can watch the network can read along: "
                "nothing is encrypted. Make links for others on the page, under Share.",
                err=True,
            )
        if options["open_"]:
            webbrowser.open(link)

    def say(sentence: str) -> None:
        click.echo(f"folkmoot: {sentence}", err=True)

    def log(line: str) -> None:
        click.echo(line, err=True)

    host_module = import_module(WEB_HOST)
    wanted = host_module.ServerSettings(
        store=store_path(options["store"]),
        host="0.0.0.0" if options["lan"] else options["host"],  # that is what was asked for
        lan=options["lan"],
        port=options["port"],
        most=options["parallel"],
        queue=options["queue"],
        ready=ready,
        say=say,
        log=log if options["log_json"] else None,
    )
    run_command(host_module.serve(wanted, load_config()))
    return DONE


HOST = "folkmoot.mcp.mcp_host"
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
    type=FloatRange(min=0),
    default=MAX_COST,
    show_default=True,
    metavar="USD",
    help="US dollars for all debates of the session; inf for no limit. Over HTTP the limit is [serve] daily.",
)
@click.option(
    "--parallel",
    type=click.IntRange(*SERVED),
    metavar="N",
    help="Number of debates to run in parallel. Default: as in folkmoot.toml, or 8.",
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
    from folkmoot.app.plan.settings import load_config

    def ready(address: str) -> None:
        click.echo(f"folkmoot: the MCP server is at {address}", err=True)

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


# ---- skills -------------------------------------------------------------------------------------------------------

names_argument = click.argument("names", nargs=-1, metavar="[decide review red-team]")
user_option = click.option("--user", is_flag=True, help="Use your home folder, for all projects, not this one.")
claude_option = click.option("--claude", is_flag=True, help="Also use .claude/skills, where Claude Code looks.")
force_option = click.option("--force", is_flag=True, help="Also replace or remove files that somebody has changed.")


@rich_click.group()
def skill() -> None:
    """Install guides for coding agents: how to decide, review and red-team with Folkmoot.

    A skill is a folder with a file SKILL.md in an open format that many agents read.
    """


def _items(names: tuple[str, ...], *, user: bool, claude: bool) -> "Sequence[Installed]":
    from folkmoot.app.skills.skill_files import places

    return list(places(Path.home() if user else Path.cwd(), names, claude=claude))


def _tell(items: "Sequence[Installed]", done: str = "") -> None:
    from folkmoot.app.skills.skill_files import WORDS

    for item in items:
        click.echo(f"folkmoot-{item.name}: {done or WORDS[item.state]}: {item.path}")


@skill.command("list")
def list_() -> int:
    """List the skills and what they are for."""
    from folkmoot.app.skills.skill_files import SKILLS, description

    for name in SKILLS:
        click.echo(f"{name}: {description(name)}")
    return DONE


@skill.command("install")
@names_argument
@user_option
@claude_option
@click.option("--agents-md", is_flag=True, help="Also put a few lines about Folkmoot into AGENTS.md.")
@click.option("--dry-run", is_flag=True, help="Say what would be written, and write nothing.")
@force_option
def install_(names: tuple[str, ...], user: bool, claude: bool, agents_md: bool, dry_run: bool, force: bool) -> int:
    """Install skills into .agents/skills; all of them if none is named.

    A file that somebody has changed is never overwritten without --force.
    """
    from folkmoot.app.skills.skill_files import install, put_block

    if user and agents_md:
        raise click.UsageError("--agents-md is for a project; leave out --user.")
    items = _items(names, user=user, claude=claude)
    guide = Path.cwd() / "AGENTS.md"
    if dry_run:
        _tell(items)
        return DONE
    install(items, force=force)
    _tell(items, "installed")
    if agents_md:
        click.echo(f"{guide}: {'written' if put_block(guide) else 'nothing to change'}")
    return DONE


@skill.command("check")
@names_argument
@user_option
@claude_option
def check_(names: tuple[str, ...], user: bool, claude: bool) -> int:
    """Say which skills are installed; exit code 1 if one is missing, changed, or of another version."""
    items = _items(names, user=user, claude=claude)
    _tell(items)
    return DONE if all(item.state == "current" for item in items) else ERROR


@skill.command("remove")
@names_argument
@user_option
@claude_option
@force_option
def remove_(names: tuple[str, ...], user: bool, claude: bool, force: bool) -> int:
    """Remove skills; all of them if none is named. A file that somebody has changed stays without --force."""
    from folkmoot.app.skills.skill_files import remove

    items = [item for item in _items(names, user=user, claude=claude) if item.state != "missing"]
    remove(items, force=force)
    _tell(items, "removed")
    return DONE
