"""``folkmoot new``, ``check``, ``models``, ``doctor``, ``plugins``: write a brief, estimate a debate, see what is here."""

import json
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click
import rich_click

from folkmoot.cli.options import (
    DONE,
    ERROR,
    LimitOptions,
    OverrideOptions,
    limit_options,
    open_workspace,
    override_options,
    overrides_of,
    read_input,
    run_command,
    set_option,
    store_option,
)
from folkmoot.core.errors import BriefError

if TYPE_CHECKING:
    from folkmoot.app.export.plans import PresetRow
    from folkmoot.app.plan.settings import Config
    from folkmoot.app.run.prepare import PreparedDebate


class CheckOptions(LimitOptions, OverrideOptions):
    """The options of ``folkmoot check`` as the user typed them."""

    settings: tuple[str, ...]
    as_json: bool
    diagram: bool
    details: bool
    normalised: bool
    store: Path | str | None


@rich_click.command()
@click.argument("name", default="debate")
def new(name: str) -> int:
    """Create a new brief from a template.

    NAME is the name of the file; .md is added. An existing file is never overwritten.
    """
    from folkmoot.app.brief.writer import brief_template

    path = Path(name if name.endswith(".md") else f"{name}.md")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(brief_template())
    except FileExistsError as error:
        raise BriefError("exists already; choose another name", where=str(path)) from error
    except (OSError, ValueError) as error:
        raise click.ClickException(f"{path} cannot be written: {getattr(error, 'strerror', '') or error}") from error
    click.echo(f"{path} was written. Edit it, then: folkmoot check {path} and folkmoot run {path}")
    return DONE


@rich_click.command()
@click.argument("brief")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--diagram", is_flag=True, help="Print the phases as a Mermaid flowchart instead of the plan.")
@click.option("--details", is_flag=True, help="Print the bounds that always hold as well, far above the usual.")
@click.option(
    "--normalised", is_flag=True, help="Print the brief in the standard Markdown form, whatever form it was written in."
)
@set_option
@override_options
@limit_options
@store_option
def check(brief: str, **options: Unpack[CheckOptions]) -> int:
    """Check a brief and print the plan. Nothing is sent to any model.

    BRIEF is a file, a question in quotes, or - for standard input.
    """
    if options["as_json"] and options["diagram"]:
        raise click.UsageError("--json and --diagram cannot be given together.")
    if options["normalised"]:
        from folkmoot.app.brief.reader import normalise

        click.echo(normalise(read_input(brief, options["settings"], options["preset"])), nl=False)
        return DONE
    return run_command(_check(brief, options))


async def _check(words: str, check_options: CheckOptions) -> int:
    from folkmoot.app.run.prepare import prepare
    from folkmoot.app.run.start import find_generation

    parsed = read_input(words, check_options["settings"], check_options["preset"])
    async with open_workspace(check_options["store"], reading=True) as workspace:
        ready = await prepare(workspace, parsed, overrides_of(check_options, check_options))
        if (
            ready.generator
            and (casting := await find_generation(workspace, ready, new=check_options["participants"] == "new")).earlier
        ):
            known = f"The participants generated in {casting.debate} take part; --participants new generates others."
            ready = replace(ready, notes=(*ready.notes, known))
    if check_options["diagram"]:
        from folkmoot.app.export.plans import plan_diagram

        click.echo(plan_diagram(ready.plan), nl=False)
    elif check_options["as_json"]:
        from folkmoot.app.export.plans import plan_data

        click.echo(json.dumps({"kind": parsed.kind, **plan_data(ready)}, ensure_ascii=False, indent=2))
    else:
        _print_plan(ready, parsed.kind, details=check_options["details"])
    return DONE


def _print_plan(prepared: "PreparedDebate", kind: str, *, details: bool) -> None:
    from folkmoot.cli.display.plan_view import overview
    from folkmoot.cli.display.text_layout import console_for

    console = console_for()
    for renderable in overview(prepared, kind, details=details):
        console.print(renderable)


@rich_click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--no-call", is_flag=True, help="Only look. Otherwise a model of each local server is asked one question."
)
def models(as_json: bool, no_call: bool) -> int:
    """Show which models can be used: local servers, providers with an API key, and the built-in demo.

    Of each local server it says how many calls it answers at once, what its model holds, and how fast it answers.
    """
    from folkmoot.app.plan.assignment import find_models
    from folkmoot.app.plan.server_check import check_servers

    reach = run_command(find_models())
    checks = () if no_call else run_command(check_servers(reach))
    if as_json:
        servers = [
            {"provider": server.provider, "url": server.url, "up": server.up, "models": list(server.models)}
            for server in reach.servers
        ]
        data = {
            "servers": servers,
            "keys": dict(reach.keys),
            "missing": dict(reach.missing),
            "agents": reach.agents,
            "models": reach.models,
            "checks": [asdict(check) for check in checks],
        }
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
        return DONE
    from folkmoot.cli.display.plan_view import reachable
    from folkmoot.cli.display.text_layout import console_for

    console = console_for()
    for renderable in reachable(reach, checks):
        console.print(renderable)
    return DONE


@rich_click.command()
@click.option("--call", is_flag=True, help="Also ask each model one short question, which may cost a little.")
@click.option(
    "-m", "--model", multiple=True, metavar="PROVIDER:NAME", help="A model to ask, beside those of your settings."
)
@store_option
def doctor(call: bool, model: tuple[str, ...], store: Path | str | None) -> int:
    """Look at what Folkmoot needs: versions, settings, store, web page, port, extras, and which models answer.

    The lines contain no key and can be pasted into an issue. The exit code is 1 if something doesn't work.
    """
    from folkmoot.app.plan.doctor import examine
    from folkmoot.cli.commands.serve import WEB_PORT

    place = store or click.get_current_context().find_root().params.get("store")
    lines = run_command(examine(place, WEB_PORT, seats=model, call=call or bool(model)))
    for line in lines:
        click.echo(line)
    return ERROR if any(line.state == "fault" for line in lines) else DONE


@rich_click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@store_option
@click.pass_context
def presets(ctx: click.Context, as_json: bool, store: Path | str | None) -> int:
    """List the presets of folkmoot.toml: their models, what a usual question costs, and what to know before.

    A preset is a named set of settings: folkmoot run "…" --preset quality. To write some: folkmoot presets init.
    """
    return DONE if ctx.invoked_subcommand else run_command(_list_presets(as_json, store))


async def _list_presets(as_json: bool, store: Path | str | None) -> int:
    from folkmoot.app.plan.settings import load_config

    rows = await _rows(load_config(), store)
    if as_json:
        click.echo(json.dumps([asdict(row) for row in rows], ensure_ascii=False, indent=2))
    else:
        _print_presets(rows)
    return DONE


async def _rows(config: "Config", store: Path | str | None = None) -> "list[PresetRow]":
    """The presets of these settings, with what a usual question would cost."""
    from folkmoot.app.export.plans import preset_data

    async with open_workspace(store, reading=True) as workspace:
        workspace.config = config
        return [await preset_data(workspace, preset) for preset in config.presets.values()]


def _print_presets(rows: "Sequence[PresetRow]") -> None:
    from folkmoot.cli.display.plan_view import preset_table
    from folkmoot.cli.display.text_layout import console_for

    console = console_for()
    for renderable in preset_table(rows):
        console.print(renderable)


@presets.command()
@click.option("--yes", is_flag=True, help="Write without asking.")
def init(yes: bool) -> int:
    """Write the presets fast, quality, budget and review into your own folkmoot.toml, from the models in reach.

    They are shown first. Presets that you have are never changed.
    """
    from folkmoot.app.brief.presets import read_presets
    from folkmoot.app.export.plans import add_presets
    from folkmoot.app.plan.assignment import find_models
    from folkmoot.app.plan.settings import load_config, user_file
    from folkmoot.app.plan.starter_presets import starter_presets

    config = load_config()
    starters, existing = starter_presets(run_command(find_models())), config.presets
    if not starters:
        raise click.ClickException("no language model is in reach, so there is nothing to write; see folkmoot models")
    text = "\n".join(starter.text() for starter in starters if starter.name not in existing)
    if not text:
        click.echo(f"{', '.join(starter.name for starter in starters)} are there already; nothing was written.")
        return DONE
    new = read_presets(tomllib.loads(text)["presets"], str(user_file()))
    _print_presets(run_command(_rows(replace(config, presets=new))))
    click.echo(f"\n{text}")
    if not yes:
        click.confirm(f"Write this into {user_file()}?", abort=True, err=True)
    click.echo(f"{add_presets(text)} was written. What they cost: folkmoot presets")
    return DONE


@rich_click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def plugins(as_json: bool) -> int:
    """List what other packages add to Folkmoot: protocols, phases, rules, model providers, tools, and report formats.

    Each is imported, to see whether it can be used. The exit code is 1 if one cannot.
    """
    from folkmoot.app.export.plugins import find_plugins

    plugins_found = find_plugins()
    if as_json:
        click.echo(json.dumps([asdict(plugin) for plugin in plugins_found], ensure_ascii=False, indent=2))
    else:
        from folkmoot.cli.display.output import console_for
        from folkmoot.cli.display.plan_view import plugin_table

        console_for().print(plugin_table(plugins_found))
    return ERROR if any(plugin.broken for plugin in plugins_found) else DONE
