"""``folkmoot config``: what is set up here, and what can be: presets, plug-ins, skills, shell completion, keys."""

import tomllib
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from folkmoot.cli.options import (
    DONE,
    ERROR,
    Store,
    echo_json,
    group,
    json_option,
    open_workspace,
    option,
    run_command,
    store_option,
    yes_option,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from folkmoot.app.export.plans import PresetRow
    from folkmoot.app.export.plugins import Plugin
    from folkmoot.app.plan.settings import Config


@group()
def config() -> None:
    """Look at the installation; presets, plug-ins, skills, shell completion."""


@config.command()
@option("--call", is_flag=True, help="Also ask each model one short question, which may cost a little.")
@option("-m", "--model", multiple=True, metavar="MODEL", help="A model to ask, beside those of your settings.")
@store_option
def doctor(call: bool, model: tuple[str, ...], store: Store) -> int:
    """Look at what Folkmoot needs: versions, settings, store, web page, port, extras, and which models answer.

    The lines contain no key and can be pasted into an issue. The exit code is 1 if something doesn't work.
    """
    from folkmoot.app.plan.doctor import examine
    from folkmoot.cli.commands.serve import WEB_PORT

    own = store or click.get_current_context().find_root().params.get("store")
    lines = run_command(examine(own, WEB_PORT, seats=model, call=call or bool(model)))
    for line in lines:
        click.echo(line)
    return ERROR if any(line.state == "fault" for line in lines) else DONE


@config.command()
@option("--init", is_flag=True, help="Write the presets fast, quality, budget and review, from the models in reach.")
@yes_option
@json_option
@store_option
def presets(init: bool, yes: bool, as_json: bool, store: Store) -> int:
    """List the presets of folkmoot.toml: their models, what a usual question costs, and what to know before.

    A preset is a named set of settings: folkmoot run "…" --preset quality. Those that --init writes go into your own
    folkmoot.toml and are shown first; presets that you have are never changed.
    """
    from folkmoot.app.plan.settings import load_config
    from folkmoot.cli.display.text_layout import print_all

    known = load_config()
    if init:
        return _write_presets(known, store, yes=yes)
    rows = run_command(_rows(known, store))
    if as_json:
        echo_json([asdict(row) for row in rows])
    else:
        print_all(_preset_lines(rows))
    return DONE


def _write_presets(known: "Config", store: Store, *, yes: bool) -> int:
    from folkmoot.app.brief.presets import read_presets
    from folkmoot.app.export.plans import add_presets
    from folkmoot.app.plan.assignment import find_models
    from folkmoot.app.plan.settings import user_file
    from folkmoot.app.plan.starter_presets import starter_presets
    from folkmoot.cli.display.text_layout import print_all

    starters = starter_presets(run_command(find_models()))
    if not starters:
        raise click.ClickException("no language model is in reach, so there is nothing to write; see folkmoot models")
    text = "\n".join(starter.text() for starter in starters if starter.name not in known.presets)
    if not text:
        click.echo(f"{', '.join(starter.name for starter in starters)} are there already; nothing was written.")
        return DONE
    new = read_presets(tomllib.loads(text)["presets"], str(user_file()))
    print_all(_preset_lines(run_command(_rows(replace(known, presets=new), store))))
    click.echo(f"\n{text}")
    if not yes:
        click.confirm(f"Write this into {user_file()}?", abort=True, err=True)
    click.echo(f"{add_presets(text)} was written. What they cost: folkmoot config presets")
    return DONE


async def _rows(known: "Config", store: Store) -> "list[PresetRow]":
    """The presets of these settings, with what a usual question would cost."""
    from folkmoot.app.export.plans import preset_data

    async with open_workspace(store, reading=True) as workspace:
        workspace.config = known
        return [await preset_data(workspace, preset) for preset in known.presets.values()]


def _preset_lines(rows: "Sequence[PresetRow]") -> "Iterator[RenderableType]":
    from rich.text import Text

    from folkmoot.cli.display.text_layout import WARN, Indented, joined, line, money

    if not rows:
        yield Text("There are no presets. To write some: folkmoot config presets --init")
    for row in rows:
        models = ", ".join(map(line, dict.fromkeys(row.models)))
        yield joined(Text(line(row.name), style="bold"), line(row.protocol), models)
        cost = f"a usual question costs about {money(row.expected)}, at most {money(row.most)}"
        if row.expected is None:
            cost = "the cost is not known"
        elif row.most == 0:
            cost = "a usual question is free"
        yield from [] if row.problem else [Indented(joined(cost, line(row.where)))]
        for warning in [row.problem] if row.problem else row.warnings:
            yield Indented(Text(line(warning), style=WARN))


@config.command()
@json_option
def plugins(as_json: bool) -> int:
    """List what other packages add to Folkmoot: protocols, phases, rules, model providers, tools, and report formats.

    Each is imported, to see whether it can be used. The exit code is 1 if one cannot.
    """
    from folkmoot.app.export.plugins import find_plugins
    from folkmoot.cli.display.text_layout import print_all

    found = find_plugins()
    if as_json:
        echo_json([asdict(plugin) for plugin in found])
    else:
        print_all(_plugin_lines(found))
    return ERROR if any(plugin.broken for plugin in found) else DONE


def _plugin_lines(found: "Sequence[Plugin]") -> "Iterator[RenderableType]":
    """What other packages add: one line for each, and under it why it cannot be used."""
    from rich.text import Text

    from folkmoot.cli.display.text_layout import FAINT, WARN, Indented, joined, line

    if not found:
        yield Text("No package adds anything to Folkmoot. How to write one: docs/how-to/extend-folkmoot.md")
    for plugin in found:
        package = f"  {line(plugin.package)} {line(plugin.version)}"
        yield Text.assemble((f"{plugin.kind} ", FAINT), (line(plugin.name), "bold"), (package, FAINT))
        if plugin.broken:
            yield Indented(Text(line(plugin.broken), style=WARN))
        yield from (Indented(joined(f"{option.name}: {option.help}", option.takes)) for option in plugin.options)


@config.command()
@click.argument("action", type=click.Choice(["list", "install", "check", "remove"]))
@click.argument("names", nargs=-1, metavar="[decide review red-team]")
@option("--user", is_flag=True, help="Use your home folder, for all projects, not this one.")
@option("--claude", is_flag=True, help="Also use .claude/skills, where Claude Code looks.")
@option("--agents-md", is_flag=True, help="With install: also put a few lines about Folkmoot into AGENTS.md.")
@option("--dry-run", is_flag=True, help="With install: say what would be written, and write nothing.")
@option("--force", is_flag=True, help="Also replace or remove files that somebody has changed.")
def skill(
    action: Literal["list", "install", "check", "remove"],
    names: tuple[str, ...],
    user: bool,
    claude: bool,
    agents_md: bool,
    dry_run: bool,
    force: bool,
) -> int:
    """Install guides for coding agents: how to decide, review and red-team with Folkmoot.

    A skill is a folder with a file SKILL.md in an open format that many agents read. All skills are meant if none is
    named. check ends with 1 if one is missing, changed, or of another version.
    """
    from folkmoot.app.skills.skill_files import SKILLS, WORDS, description, install, places, put_block, remove

    if action == "list":
        for name in SKILLS:
            click.echo(f"{name}: {description(name)}")
        return DONE
    if (agents_md or dry_run) and action != "install":
        raise click.UsageError("--agents-md and --dry-run go with install.")
    if user and agents_md:
        raise click.UsageError("--agents-md is for a project; leave out --user.")
    items = list(places(Path.home() if user else Path.cwd(), names, claude=claude))
    done = ""
    if action == "install" and not dry_run:
        install(items, force=force)
        done = "installed"
    elif action == "remove":
        items = [item for item in items if item.state != "missing"]
        remove(items, force=force)
        done = "removed"
    for item in items:
        click.echo(f"folkmoot-{item.name}: {done or WORDS[item.state]}: {item.path}")
    if agents_md and not dry_run:
        guide = Path.cwd() / "AGENTS.md"
        click.echo(f"{guide}: {'written' if put_block(guide) else 'nothing to change'}")
    return ERROR if action == "check" and any(item.state != "current" for item in items) else DONE


@config.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """Print the script with which a shell completes commands, options, and the ids of debates.

    \b
    bash:  folkmoot config completion bash >> ~/.bashrc
    zsh:   folkmoot config completion zsh >> ~/.zshrc
    fish:  folkmoot config completion fish > ~/.config/fish/completions/folkmoot.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(click.get_current_context().find_root().command, {}, "folkmoot", "_FOLKMOOT_COMPLETE").source())
    return DONE


@config.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def key(file: Path) -> int:
    """Create an Ed25519 key that signs receipts in FILE, and the key that checks them in FILE.pub."""
    from folkmoot.app.export.signed_receipts import new_key

    public = new_key(file)
    click.echo(f"{file} is the private key: it signs receipts; keep it secret")
    click.echo(f"{public} is the public key: it checks receipts; you can give it to anybody")
    return DONE
