"""What other programs read of Folkmoot: plug-ins for coding agents, server.json, CITATION.cff and the owner's contact.

All of it is made out of pyproject.toml and the skills. What names the repository or the owner is written only where the
owner has filled it in there: nothing is made up.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from folkmoot.app.skills.skill_files import SKILLS, skill_text

ABOUT = "Structured debates among language models, on the record: decide, review and measure."
"""At most 100 characters: the MCP registry takes no more."""

MAKERS = "Folkmoot contributors"
MCP = {"command": "folkmoot", "args": ["mcp", "--max-cost", "2"]}
"""How an agent starts the MCP server: docs/how-to/use-from-a-coding-agent.md says the same."""

PLUGIN = Path("plugins/folkmoot")
SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
GITHUB = re.compile(r"https://github\.com/([A-Za-z0-9-]+)/([A-Za-z0-9._-]+)")
UNSET = "not set yet"
CONTACT = re.compile(r"(?<=<!-- contact -->).*?(?=<!-- /contact -->)")
NAME = re.compile(r"(?<=<!-- mcp-name: ).*?(?= -->)")


def read_project(root: Path) -> Mapping[str, Any]:
    """The table ``[project]`` of pyproject.toml."""
    return cast("Mapping[str, Any]", tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"])


def doors(root: Path, project: Mapping[str, Any]) -> dict[Path, str]:
    """The files by their paths.

    Args:
        root: the repository.
        project: the table ``[project]``.

    Raises:
        SystemExit: the repository's address is none of GitHub's.
    """
    version = str(project["version"])
    address = str(project.get("urls", {}).get("Repository", "")).rstrip("/")
    contact = next((str(person["email"]) for person in project.get("maintainers", ()) if "email" in person), UNSET)
    match = GITHUB.fullmatch(address)
    if address and not match:
        raise SystemExit(f"pyproject.toml: Repository must be https://github.com/OWNER/NAME, not {address}")
    server = f"io.github.{match[1]}/folkmoot" if match else UNSET
    link = {"repository": address} if address else {}
    about = {
        "name": "folkmoot",
        "version": version,
        "description": ABOUT,
        "author": {"name": MAKERS},
        "license": "MIT",
        **link,
    }
    files = {
        PLUGIN / ".claude-plugin/plugin.json": as_json(about),
        PLUGIN / ".codex-plugin/plugin.json": as_json(
            {
                **about,
                "skills": "./skills/",
                "mcpServers": "./.mcp.json",
                "interface": {"displayName": "Folkmoot", "shortDescription": ABOUT},
            }
        ),
        PLUGIN / ".mcp.json": as_json({"mcpServers": {"folkmoot": MCP}}),
        PLUGIN / "README.md": plugin_readme(address),
        **{PLUGIN / f"skills/folkmoot-{name}/SKILL.md": skill_text(name) for name in SKILLS},
        Path(".claude-plugin/marketplace.json"): as_json(
            {
                "name": "folkmoot",
                "owner": {"name": MAKERS},
                "plugins": [{"name": "folkmoot", "source": f"./{PLUGIN}", "description": ABOUT}],
            }
        ),
        Path(".agents/plugins/marketplace.json"): as_json(
            {
                "name": "folkmoot",
                "interface": {"displayName": "Folkmoot"},
                "plugins": [
                    {
                        "name": "folkmoot",
                        "source": {"source": "local", "path": f"./{PLUGIN}"},
                        "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
                        "category": "Productivity",
                    }
                ],
            }
        ),
        Path("CITATION.cff"): citation(version, address),
    }
    for name in ("CODE_OF_CONDUCT.md", "SECURITY.md"):
        files[Path(name)] = CONTACT.sub(lambda _: contact, (root / name).read_text("utf-8"))
    files[Path("README.md")] = NAME.sub(lambda _: server, (root / "README.md").read_text("utf-8"))
    if match:
        files[Path("server.json")] = as_json(server_json(server, address, project))
    return files


def as_json(data: object) -> str:
    """A file of JSON."""
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def plugin_readme(address: str) -> str:
    """What the plug-in needs: without the command, its server only fails to start."""
    skills = ", ".join(f"`folkmoot-{name}`" for name in SKILLS)
    where = f" from {address}" if address else ""
    return (
        f"# Folkmoot\n\n{ABOUT}\n\nThe plug-in has the skills {skills} and an MCP server. All of them call the command\n"
        f"`folkmoot`, so install it{where} first, with the extra `mcp`. `folkmoot config doctor` says what is missing.\n"
    )


def citation(version: str, address: str) -> str:
    """How to cite Folkmoot."""
    rows = ["cff-version: 1.2.0", "message: If you use Folkmoot, please cite it as below.", "type: software"]
    rows += ["title: Folkmoot", f"abstract: '{ABOUT}'", "authors:", f"  - name: {MAKERS}"]
    rows += [f"version: {version}", "license: MIT", *([f"repository-code: {address}"] if address else [])]
    return "\n".join(rows) + "\n"


def server_json(name: str, address: str, project: Mapping[str, Any]) -> dict[str, object]:
    """What the MCP registry takes; the extra that the server needs comes by uvx."""
    version = project["version"]
    package = {
        "registryType": "pypi",
        "identifier": "folkmoot",
        "version": version,
        "transport": {"type": "stdio"},
        "runtimeHint": "uvx",
        "runtimeArguments": [{"type": "named", "name": "--with", "value": "folkmoot[mcp]"}],
        "packageArguments": [{"type": "positional", "value": "mcp"}],
    }
    return {
        "$schema": SCHEMA,
        "name": name,
        "title": "Folkmoot",
        "description": ABOUT,
        "repository": {"url": address, "source": "github"},
        "version": version,
        "packages": [package],
    }
