"""Generates docs/reference and words of the web app from the code, llms.txt from the index, and plug-ins from the skills.

``--check`` only lists what is out of date.

PAGES maps each page to its function; a new page is one function and one line there. In docs/phases/*.md only the
diagrams between their marks are written. The picture of docs/performance.md is drawn out of the figures beside it.
"""

import ast
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import click

import doc_performance
import doc_phases
from doc_doors import doors, read_project
from doc_extensions import extensions_page
from doc_http import requests_page, values_page
from doc_llms import llms_text
from doc_pages import describe_fields, meanings, page, paragraph, table
from doc_protocols import protocols_page
from doc_settings import settings_page
from folkmoot.app.brief import json_schema, types
from folkmoot.app.serve.admission import LONGEST_FILE_NAME, MOST_REQUEST, MOST_SENT
from folkmoot.core import event
from folkmoot.core.decision import NO_DECISION
from folkmoot.core.labels import RULES

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "reference"
PHASES = ROOT / "docs" / "phases"
FIGURES = ROOT / "docs" / "pictures" / "wires.json"
RULE_WORDS = ROOT / "frontend" / "src" / "rules.json"
ENDINGS = ROOT / "frontend" / "src" / "endings.json"
FILE_LIMITS = ROOT / "frontend" / "src" / "limits.json"
CORE = ROOT / "src" / "folkmoot" / "core"


# ---- events and values -----------------------------------------------------------------------------------------------


def events_page() -> str:
    """All events and the values in them, from the dataclasses of core."""
    names = {
        "Made by the play": [kind.__name__ for kind in event.PLAY_EVENTS],
        "From outside": [kind.__name__ for kind in event.WORLD_EVENTS],
        "Around every event": ["Entry"],
        "Beside a record": [kind.__name__ for kind in event.SIDE_EVENTS],
        "Around every event beside a record": ["SideEntry"],
        "Live, never stored": ["Delta"],
    }
    inner = ("brief", "ask", "decision")
    return page(
        "Events",
        "A record is a list of entries; each holds one event. Kinds and field names never change their meaning.",
        *(part for title, group in names.items() for part in [f"## {title}", *describe_classes("event", group)]),
        "## The values in them",
        *(part for module in inner for part in describe_classes(module)),
        "## Kinds of value",
        table(("name", "is one of"), [row for module in (*inner, "event") for row in aliases(module)]),
    )


def describe_classes(module: str, only: Sequence[str] = ()) -> Iterator[str]:
    """A section for each dataclass of a core module, in the order given or that of the file."""
    classes = {node.name: node for node in syntax(module) if isinstance(node, ast.ClassDef)}
    for name in only or classes:
        words, _, tail = (ast.get_docstring(classes[name]) or "").partition("\nAttributes:\n")
        yield f"### {name}\n\n{words.strip()}"
        if rows := list(describe_fields(classes[name], meanings(tail))):
            used = [n for n in range(4) if any(row[n] for row in rows)]
            head = ("field", "type", "default", "meaning")
            yield table([head[n] for n in used], [[row[n] for n in used] for row in rows])


def aliases(module: str) -> Iterator[tuple[str, str]]:
    """A row for each type alias of a core module."""
    for node in syntax(module):
        if isinstance(node, ast.AnnAssign) and node.value and ast.unparse(node.annotation) == "TypeAlias":
            yield f"`{ast.unparse(node.target)}`", f"`{ast.unparse(node.value)}`"


def syntax(module: str) -> list[ast.stmt]:
    """The statements of a core module."""
    return ast.parse((CORE / f"{module}.py").read_text("utf-8")).body


# ---- command line, keys, names ---------------------------------------------------------------------------------------


def cli_page() -> str:
    """Every command with its options, from the command line itself."""
    command = import_module("folkmoot.cli.main").main
    assert isinstance(command, click.Command)
    return page("Command line", "Every command answers `--help`.", *describe_command(command, "folkmoot", None))


def describe_command(command: click.Command, name: str, above: click.Context | None) -> Iterator[str]:
    """A section for a command and for each beneath it."""
    context = click.Context(command, info_name=name, parent=above)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"## {context.command_path}\n\n{paragraph(command.help)}\n\n```text\n{usage}\n```"
    records = [record for param in command.get_params(context) if (record := param.get_help_record(context))]
    yield table(("option", "meaning"), [(f"`{names}`", words) for names, words in records if words])
    if command.epilog:
        yield paragraph(command.epilog)
    if isinstance(command, click.Group):
        for subcommand_name in command.list_commands(context):
            if (subcommand := command.get_command(context, subcommand_name)) and not subcommand.hidden:
                yield from describe_command(subcommand, subcommand_name, context)


def keys_page() -> str:
    """The keys of a brief, from the tables that the reader of briefs uses."""
    groups = {
        "In the header": types.HEADER,
        "In the table of limits": types.LIMITS,
        "Of a participant": types.PARTICIPANT,
    }
    head = ("key", "what it holds", "meaning", "example")
    return page(
        "Keys of a brief",
        "Every setting that a brief may hold. A key that is not here is an error that names its line.",
        *(part for title, group in groups.items() for part in [f"## {title}", table(head, [*map(key_row, group)])]),
    )


def key_row(key: types.Key) -> tuple[str, str, str, str]:
    """A key's row: its names, what it holds, what it means, how it is written."""
    names = [f"`{name.removeprefix('limits.')}`" for name in (key.name, *key.aliases)]
    others = [name for name in dict.fromkeys(names) if name != names[0]]
    also = f" (also {', '.join(others)})" if others else ""
    return f"{names[0]}{also}", holds(key), key.help, f"`{key.name.removeprefix('limits.')}: {key.example}`"


FORMS: Mapping[object, str] = {
    bool: "yes or no",
    int: "a whole number",
    float: "a number",
    types.LimitKeys: "a table of the keys below",
    types.SearchKeys: "a table of the keys below",
    types.Options: "a table of options",
    types.NamedOptions: "a table of options for each name",
    "participants": "a list of names, or of tables",
    "background": "a file name",
    "library": "a file name",
    "name": "a name",
    "prose": "text, or a list of lines",
    "model": "`provider:name`",
    "term": "a length of time",
    "span": "a length of time",
    "letters": "a text kept to the letter",
}
"""What a key holds in words, by its name, the form of its text, or its type."""


def holds(key: types.Key) -> str:
    """What a key holds, with its limits."""
    words = FORMS.get(key.name) or FORMS.get(key.form) or FORMS.get(key.type, "one line of text")
    if key.choices and key.type not in (int, float):
        words = ", ".join(f"`{choice}`" for choice in key.choices)
        words = f"yes, no, or a list of {words}" if key.name == "tool_usage" else f"one of {words}"
    if key.type in (int, float):
        return " or ".join((f"{words} from {key.low:,g} to {key.high:,.12g}", *(f"`{word}`" for word in key.choices)))
    if key.is_list and key.high:
        many = f"{words}, or a list of them" if key.low == 1 else "a list of texts"
        return f"{words if key.name == 'participants' else many}; {key.low:g} to {key.high:g} entries"
    return f"{words}; at most {key.high:,.0f} characters" if key.high else words


PACKAGES: Mapping[str, str] = {
    "folkmoot": "Run debates, resume them and read their records.",
    "folkmoot.council": "A debate step with your own agents.",
    "folkmoot.pattern": "A debate with a moderator, debates in groups, map and reduce, writer and reviewer.",
    "folkmoot.board": "A board of members comes to a verdict.",
    "folkmoot.arena": "Parts of the arena for programs that run debates of their own.",
    "folkmoot.reading": "What a debate books from a text, and why not.",
}
"""The public packages, each with a page of its own."""


def names_page() -> str:
    """The public names, from ``__all__`` of the packages."""
    return page(
        "Python API",
        "These names are public, and so are those of [`folkmoot.inspect`](python/inspect.md) and "
        "[`folkmoot.testing`](python/testing.md). Everything else may change. The page of a package has signatures, fields "
        "and examples.",
        *(
            part
            for name, words in PACKAGES.items()
            for part in (
                f"## {name}",
                f"{words} [Signatures and examples](python/{name.rpartition('.')[2]}.md)",
                names_table(name),
            )
        ),
        "## folkmoot.ext",
        "What extensions import: [how to write one](../how-to/extend-folkmoot.md), [all fields](extensions.md).",
        names_table("folkmoot.ext"),
    )


def names_table(module: str) -> str:
    """The names that a module lists, each with the first line of what it says of itself."""
    home = import_module(module)
    docs = {name: _what_it_is(getattr(home, name)) for name in home.__all__}
    rows = [(f"`{name}`", words.partition("\n")[0].replace("``", "`")) for name, words in docs.items()]
    return table(("name", "what it is"), rows)


def _what_it_is(value: object) -> str:
    """What a value says of itself; a table says nothing, and shows its names."""
    return (
        f"By name: {', '.join(cast('Mapping[str, object]', value))}."
        if isinstance(value, Mapping)
        else paragraph(value.__doc__)
    )


@cache
def described() -> Mapping[str, Any]:
    """The HTTP API, as it is described at ``/api/v1/openapi.json``."""
    return import_module("folkmoot.web.app").describe(import_module("folkmoot.web.app").routes())


def api_description() -> str:
    """The description of the HTTP API."""
    return json.dumps(described(), ensure_ascii=False, indent=1) + "\n"


def rule_words() -> str:
    """The words for rules, for the web app."""
    return json.dumps(dict(RULES), ensure_ascii=False, indent=2) + "\n"


def endings() -> str:
    """What the web app knows the end of a debate by, as JSON."""
    return json.dumps({"undecided": NO_DECISION}, indent=2) + "\n"


def file_limits() -> str:
    """How much may be sent with a brief, for the form of the web app."""
    limits = {"files": MOST_SENT, "name": LONGEST_FILE_NAME, "request": MOST_REQUEST}
    return json.dumps(limits, indent=2) + "\n"


def brief_schema() -> str:
    """The keys of a brief as JSON Schema, from the same tables."""
    return json.dumps(json_schema.whole_schema(), ensure_ascii=False, indent=1) + "\n"


PAGES: Mapping[str, Callable[[], str]] = {
    "brief.schema.json": brief_schema,
    "brief-keys.md": keys_page,
    "cli.md": cli_page,
    "events.md": events_page,
    "extensions.md": extensions_page,
    "http-api.md": lambda: requests_page(described()),
    "http-values.md": lambda: values_page(described()),
    "names.md": names_page,
    "openapi.json": api_description,
    "protocols.md": protocols_page,
    "settings.md": settings_page,
}


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or with ``--check`` compare them; 1 where one differs."""
    stale: list[str] = []
    pages = {FOLDER / name: make() for name, make in PAGES.items()}
    pages |= {RULE_WORDS: rule_words(), ENDINGS: endings(), FILE_LIMITS: file_limits()}
    pages |= {path: doc_phases.renew(path.read_text("utf-8")) for path in sorted(PHASES.glob("*.md"))}
    pages[ROOT / "llms.txt"] = llms_text(ROOT)
    pages |= {ROOT / path: text for path, text in doors(ROOT, read_project(ROOT)).items()}
    pages[FIGURES.with_suffix(".svg")] = doc_performance.picture(FIGURES)
    for path, text in pages.items():
        if "--check" not in arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        elif not path.is_file() or path.read_text("utf-8") != text:
            stale.append(path.relative_to(ROOT).as_posix())
    if stale:
        print(f"Not what the code says: {', '.join(stale)}. Run make docs.", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
