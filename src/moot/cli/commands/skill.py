"""``moot skill``: install guides for coding agents into a project or a home."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
import rich_click

from moot.cli.options import DONE, ERROR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moot.app.skills.skill_files import Installed

names_argument = click.argument("names", nargs=-1, metavar="[decide review red-team]")
user_option = click.option("--user", is_flag=True, help="In your home, for all projects, and not in this folder.")
claude_option = click.option("--claude", is_flag=True, help="Also where Claude Code looks: .claude/skills.")
force_option = click.option("--force", is_flag=True, help="Also a file that somebody has changed.")


@rich_click.group()
def skill() -> None:
    """Install guides for coding agents: how to decide, review and red-team with Moot.

    A skill is a folder with a file SKILL.md in an open format that many agents read.
    """


def _items(names: tuple[str, ...], *, user: bool, claude: bool) -> "Sequence[Installed]":
    from moot.app.skills.skill_files import places

    return list(places(Path.home() if user else Path.cwd(), names, claude=claude))


def _tell(items: "Sequence[Installed]", done: str = "") -> None:
    from moot.app.skills.skill_files import WORDS

    for item in items:
        click.echo(f"moot-{item.name}: {done or WORDS[item.state]}: {item.path}")


@skill.command("list")
def list_() -> int:
    """List the skills and what they are for."""
    from moot.app.skills.skill_files import SKILLS, description

    for name in SKILLS:
        click.echo(f"{name}: {description(name)}")
    return DONE


@skill.command("install")
@names_argument
@user_option
@claude_option
@click.option("--agents-md", is_flag=True, help="Also put a few lines about Moot into AGENTS.md.")
@click.option("--dry-run", is_flag=True, help="Only say what would be written.")
@force_option
def install_(names: tuple[str, ...], user: bool, claude: bool, agents_md: bool, dry_run: bool, force: bool) -> int:
    """Install skills into .agents/skills; all of them if none is named.

    A file that somebody has changed is never overwritten without --force.
    """
    from moot.app.skills.skill_files import install, put_block

    if user and agents_md:
        raise click.UsageError("--agents-md is for a project; leave out --user.")
    items = _items(names, user=user, claude=claude)
    place = Path.cwd() / "AGENTS.md"
    if dry_run:
        _tell(items)
        return DONE
    install(items, force=force)
    _tell(items, "installed")
    if agents_md:
        click.echo(f"{place}: {'written' if put_block(place) else 'nothing to change'}")
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
    from moot.app.skills.skill_files import remove

    items = [item for item in _items(names, user=user, claude=claude) if item.state != "missing"]
    remove(items, force=force)
    _tell(items, "removed")
    return DONE
