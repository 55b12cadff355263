"""``folkmoot new``, ``check`` and ``models``: write a brief, estimate a debate, see who can answer."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from folkmoot.cli.options import (
    DONE,
    BriefOptions,
    LimitOptions,
    Store,
    brief_options,
    brief_overrides,
    command,
    echo_json,
    json_option,
    limit_options,
    open_workspace,
    option,
    read_input,
    run_command,
    store_option,
)
from folkmoot.core.errors import BriefError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from folkmoot.app.plan.assignment import Available
    from folkmoot.app.plan.server_check import ServerCheck


class CheckOptions(LimitOptions, BriefOptions):
    """The settings and limits of ``folkmoot check``."""


@command()
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


@command()
@click.argument("brief")
@option("--details", is_flag=True, help="Also show the greatest possible figures, far above the usual.")
@option("--diagram", is_flag=True, help="Print the phases as a Mermaid flowchart instead.")
@option("--normalised", is_flag=True, help="Print the brief in the standard Markdown form instead.")
@json_option
@brief_options
@limit_options
@store_option
def check(
    brief: str,
    details: bool,
    diagram: bool,
    normalised: bool,
    as_json: bool,
    store: Store,
    **options: Unpack[CheckOptions],
) -> int:
    """Check a brief and print the plan. Nothing is sent to any model.

    BRIEF is a file, a question in quotes, or - for standard input.
    """
    if as_json and diagram:
        raise click.UsageError("--json and --diagram cannot be given together.")
    parsed = read_input(brief, options["settings"], options["preset"])
    if normalised:
        from folkmoot.app.brief.reader import normalise

        click.echo(normalise(parsed), nl=False)
        return DONE
    from folkmoot.app.export.plans import plan_data, plan_diagram
    from folkmoot.app.run.prepare import prepare
    from folkmoot.app.run.start import find_generation
    from folkmoot.cli.display.plan_view import overview
    from folkmoot.cli.display.text_layout import print_all

    async def plan() -> int:
        async with open_workspace(store, reading=True) as workspace:
            ready = await prepare(workspace, parsed, brief_overrides(options, options))
            if ready.generator:
                known = await find_generation(workspace, ready, new=options["participants"] == "new")
                words = f"The participants generated in {known.debate} take part; --participants new generates others."
                ready = replace(ready, notes=(*ready.notes, words)) if known.earlier else ready
        if diagram:
            click.echo(plan_diagram(ready.plan), nl=False)
        elif as_json:
            echo_json({"kind": parsed.kind, **plan_data(ready)})
        else:
            print_all(overview(ready, parsed.kind, details=details))
        return DONE

    return run_command(plan())


@command()
@option("--no-call", is_flag=True, help="Only look. Otherwise a model of each local server is asked one question.")
@json_option
def models(no_call: bool, as_json: bool) -> int:
    """Show which models can be used: on local servers, and by API keys.

    Of each local server it says how many calls it answers at once, what its model holds, and how fast it answers.
    """
    from folkmoot.app.plan.assignment import find_models
    from folkmoot.app.plan.server_check import check_servers
    from folkmoot.cli.display.text_layout import print_all

    reach = run_command(find_models())
    checks = () if no_call else run_command(check_servers(reach))
    if as_json:
        servers = [
            {
                "provider": server.provider,
                "url": server.url,
                "up": server.up,
                "models": list(server.models),
                "trouble": server.trouble,
            }
            for server in reach.servers
        ]
        keys = {"keys": dict(reach.keys), "no_keys": reach.no_keys, "missing": dict(reach.missing)}
        echo_json(
            {
                "servers": servers,
                **keys,
                "agents": reach.agents,
                "models": reach.models,
                "checks": [asdict(check) for check in checks],
            }
        )
    else:
        print_all(_models(reach, checks))
    return DONE


def _models(reach: "Available", checks: "Sequence[ServerCheck]") -> "Iterator[RenderableType]":
    """The models that can be used now, and what was found of the servers among them."""
    from rich.text import Text

    from folkmoot.cli.display.text_layout import FAINT, WARN, Indented, joined, line
    from folkmoot.core.brief import QUOTES
    from folkmoot.core.text import counted

    for server in reach.servers:
        if server.trouble:
            yield Text(server.provider, style="bold")
            yield Indented(Text(line(server.trouble), style=WARN))
        if not server.up:
            continue
        yield Text.assemble((server.provider, "bold"), (f" at {server.url}", FAINT))
        yield from (Indented(Text(line(model))) for model in server.models or ("no models yet",))
        for check in checks:
            if check.provider == server.provider:
                context = f"{check.context:,} tokens of context" if check.context else "context not told"
                schema = "keeps to schemas of answers" if check.schema else "ignores schemas of answers"
                took = f"a short answer took {check.seconds:.1f} s ({check.speed:.0f} tokens/s)"
                rest = [Text(line(check.fault), style=WARN)] if check.fault else [schema, took]
                yield Indented(joined(f"{counted(check.slots, 'call')} at once", context, *rest))
    if reach.keys or reach.no_keys:
        yield Text("API keys", style="bold")
        yield from (Indented(joined(Text(provider), f"from {name}")) for provider, name in reach.keys)
        yield from (Indented(Text(line(words), style=WARN)) for words in reach.no_keys)
    if reach.agents:
        yield Text("Agents of your subscriptions", style="bold")
        yield from (Indented(Text(agent)) for agent in reach.agents)
    quotes = "  always available; not a language model: it only quotes the background"
    yield Text.assemble((QUOTES, "bold"), (quotes, FAINT))
    silent = [server.provider for server in reach.servers if not server.up and not server.trouble]
    for label, names in (("not running  ", silent), ("no key       ", [name for name, _ in reach.missing])):
        if names:
            yield Indented(Text(", ".join(names), style=FAINT), label, " " * len(label), FAINT)
    yield from map(Text, reach.advice)
