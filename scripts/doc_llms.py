"""``llms.txt``: what the project is and where its pages are, for language models, made out of docs/index.md."""

import re
from collections.abc import Iterator
from pathlib import Path

ABOUT = (
    "> Structured debates among language models, on the record: a panel argues, votes by a fixed rule and keeps every "
    "word; reviews of changes, a model behind OpenAI's interface, an MCP server, a web app."
)
USE = "For an agent that uses Folkmoot: `folkmoot config skill install` puts three guides into a project, `folkmoot mcp` is an MCP server."

_INNER = re.compile(r"\]\(([^)]+)\)")
_LINK = re.compile(r"(?:  )?- \[([^\]]+)\]\(([^)]+)\)(.*)")


def llms_text(root: Path) -> str:
    """The text, with links that begin at the root of the repository."""
    rows = [
        "# Folkmoot",
        "",
        ABOUT,
        "",
        USE,
        "",
        "## Begin",
        "",
        "- [README](README.md): install and run a first debate",
    ]
    return "\n".join([*rows, *_sections((root / "docs" / "index.md").read_text("utf-8"))]) + "\n"


def _sections(index: str) -> Iterator[str]:
    """The headings of lists in the index and their links, with paths as they are from the root."""
    heading: tuple[str, ...] = ()
    for line in index.split("\n"):
        if line.startswith("## "):
            heading = ("", line, "")
        elif match := _LINK.fullmatch(line):
            yield from heading
            heading = ()
            name, target, words = match.groups()
            path = target.removeprefix("../") if target.startswith("../") else f"docs/{target}"
            yield f"- [{name}]({path}){_INNER.sub(_from_the_root, words)}"


def _from_the_root(match: re.Match[str]) -> str:
    path = match[1]
    return f"]({path.removeprefix('../')})" if path.startswith("../") else f"](docs/{path})"
