"""The form of generated documentation pages: title, notice, tables, fields of dataclasses."""

import ast
from collections.abc import Iterator, Mapping, Sequence

NOTICE = "<!-- Made by `make docs` from the code; a change here is lost. -->"


def page(title: str, words: str, *parts: str) -> str:
    """A page with its title, a few words and its parts."""
    return "\n\n".join([f"# {title}", NOTICE, words, *parts]) + "\n"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    rows = [[cell.replace("|", r"\|") for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, ["---"] * len(head), *rows])


def paragraph(text: str | None) -> str:
    """A docstring's text without its indentation."""
    return "\n".join(line.strip() for line in (text or "").strip().splitlines())


def describe_fields(node: ast.ClassDef, meaning: Mapping[str, str]) -> Iterator[tuple[str, str, str, str]]:
    """A row for each field of a dataclass."""
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign):
            name, default = ast.unparse(statement.target), ast.unparse(statement.value) if statement.value else ""
            if default.startswith("field(default_factory="):
                default = default.removeprefix("field(default_factory=")[:-1].partition("[")[0] + "()"
            yield (
                f"`{name}`",
                f"`{ast.unparse(statement.annotation)}`",
                f"`{default}`" if default else "",
                meaning.get(name, ""),
            )


def meanings(section: str) -> dict[str, str]:
    """``{"key": "its place in the play"}`` from the lines of an Attributes section."""
    texts: dict[str, str] = {}
    name = ""
    for line in section.splitlines():
        label, colon, rest = line.strip().partition(": ")
        if colon and label.isidentifier() and line.startswith("    ") and not line.startswith("     "):
            name, texts[label] = label, rest
        elif name and line.strip():
            texts[name] += " " + line.strip()
    return texts
