"""``moot serve``. This file owns how the web app and the API are begun from a terminal."""

import webbrowser
from importlib import import_module
from pathlib import Path
from typing import TypedDict, Unpack

import click
import rich_click

from moot.cli.codes import DONE
from moot.cli.options import finish, store_option, store_path

HOST = "moot.web.http_server"
"""The host that is begun; it is named as a text, since hosts do not know each other."""

PORT = 8323


class ServeOptions(TypedDict):
    """The options as they were typed."""

    port: int
    host: str
    open_: bool
    most: int | None
    queue: bool
    log_json: bool
    store: Path | str | None


@rich_click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="The port; 0 for any.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address; others than this need a token.")
@click.option("--open", "open_", is_flag=True, help="Open the page in the browser.")
@click.option("--most", type=click.IntRange(1, 100), help="Debates at once; else as your moot.toml says, or 8.")
@click.option("--queue", is_flag=True, help="Have workers hold the debates; needs --store postgresql://…")
@click.option("--log-json", is_flag=True, help="Tell what happens as JSON lines on the error output, every request.")
@store_option
def serve(**given: Unpack[ServeOptions]) -> int:
    """Serve the web app and the HTTP API, and hold the debates that are begun there, or have workers hold them.

    The link that is printed is good once, for ten minutes; Enter prints a new one. Ctrl-C stops after the answers in
    hand, twice at once; every debate can be gone on with. Programs need a token: see [serve.tokens] in your moot.toml.
    """
    from moot.app.plan.settings import load_config

    def ready(link: str) -> None:
        click.echo(f"Moot is at {link}")
        if given["open_"]:
            webbrowser.open(link)

    def say(sentence: str) -> None:
        click.echo(f"moot: {sentence}", err=True)

    def log(line: str) -> None:
        click.echo(line, err=True)

    host_module = import_module(HOST)
    wanted = host_module.Wanted(
        store=store_path(given["store"]),
        host=given["host"],
        port=given["port"],
        most=given["most"],
        queue=given["queue"],
        ready=ready,
        say=say,
        log=log if given["log_json"] else None,
    )
    finish(host_module.serve(wanted, load_config()))
    return DONE
