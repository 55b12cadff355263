"""The form of generated documentation pages: title, notice, tables."""

from collections.abc import Sequence

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
