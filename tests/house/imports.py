"""Who may import whom: an import goes down the floors, never up; sideways only where the table names it.

Typing-only and deferred imports count like any other. The command line names its lazy commands as texts in a table,
which is how it starts another host without knowing it.
"""

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence

from tests.house.source import Breach, Source, dotted, nodes, part_of

PLAY = frozenset({"core", "policy", "phases", "protocols"})
READING = frozenset({"core", "arguments", "reviews", "report", "analysis", "learn", "evaluation"})
"""What only reads records: values and pure functions. Every host may import it."""

ENGINE = frozenset(
    {"policy", "record", "models", "answers", "agents", "tools", "demo", "phases", "protocols", "engine"}
)
APP = frozenset(
    {"app.brief", "app.plan", "app.run", "app.program", "app.batch", "app.serve", "app.export", "app.evaluation"}
    | {
        "app.endpoint",
        "app.review",
        "app.skills",
        "app.imports",
    }
)
HOSTS = frozenset({"cli", "web", "mcp", "council", "pattern", "board"})
BELOW = READING | ENGINE | {"deadline"}

MAY_IMPORT: Mapping[str, frozenset[str]] = {
    "core": frozenset(),
    "deadline": frozenset(),
    "policy": frozenset({"core"}),
    "record": frozenset({"core"}),
    "models": frozenset({"core", "deadline"}),
    "answers": frozenset({"core"}),
    "arguments": frozenset({"core"}),
    "reviews": frozenset({"core"}),
    "phases": frozenset({"core", "policy"}),
    "agents": frozenset({"core", "deadline", "models", "answers"}),
    "report": frozenset({"core", "arguments", "reviews"}),
    "protocols": frozenset({"core", "policy", "phases", "reviews"}),
    "tools": frozenset({"core", "models", "agents"}),
    "demo": frozenset({"core", "answers", "agents", "reviews"}),
    "analysis": frozenset({"core", "arguments", "report"}),
    "learn": frozenset({"core", "arguments", "report", "record"}),  # which has its connections
    "evaluation": frozenset({"core", "learn"}),
    "engine": frozenset({"core", "deadline", "record", "phases.base"}),
    "app.brief": BELOW - {"engine"},
    "app.plan": BELOW - {"engine"} | {"app.brief"},
    "app.run": BELOW | {"app.brief", "app.plan"},
    "app.program": BELOW | {"app.brief", "app.plan", "app.run"},
    "app.serve": BELOW | {"app.brief", "app.plan", "app.run"},
    "app.endpoint": BELOW | {"app.brief", "app.plan", "app.run", "app.serve"},
    "app.imports": BELOW | {"app.brief", "app.plan", "app.run"},
    "app.skills": READING,
    "app.review": BELOW | {"app.brief", "app.plan", "app.run"},
    "app.batch": BELOW | {"app.brief", "app.plan", "app.run", "app.serve"},
    "app.export": BELOW | {"app.brief", "app.plan", "app.run", "app.serve"},
    "app.evaluation": BELOW | {"app.brief", "app.plan", "app.run", "app.serve", "app.batch", "app.export"},
    "testing": BELOW | APP,
    "workers": BELOW | APP,
    **dict.fromkeys(HOSTS, READING | APP),
    **{host: READING | APP | {"workers"} for host in ("cli", "web", "mcp")},
    "inspect": APP | {"core", "models"},
    "reading": frozenset({"core", "phases", "protocols", "answers", "app.brief"}),
    "arena": frozenset({"core", "policy", "models", "answers", "agents", "tools", "learn"}),
    "app": frozenset(),
    "ext": BELOW | APP,
    "__main__": frozenset({"cli"}),
    "": BELOW | APP,
}
"""For each part of ``folkmoot`` the parts or modules that it may import beside itself; "" is ``folkmoot/__init__.py``."""

PYDANTIC_PARTS = HOSTS | APP
PYDANTIC_MODULES = frozenset({"folkmoot.record.store"})


def imported(source: Source, modules: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Every import of a file with its line: modules of ours in full, others as they are written."""
    for node in nodes(source.tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, name.name) for name in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = resolve(source, module or "", level)
                for name in names:
                    full = f"{base}.{name.name}"
                    yield node.lineno, full if full in modules else base
            case ast.Call(func=func, args=[ast.Constant(value=str(name)), *_]) if dotted(func).endswith(
                "import_module"
            ):
                yield node.lineno, name
            case _:
                pass


def resolve(source: Source, module: str, level: int) -> str:
    """The full name behind ``from ..x import``."""
    if not level:
        return module
    package = source.module.split(".") + ([""] if source.path.endswith("__init__.py") else [])
    return ".".join([*package[:-level], *([module] if module else [])])


def arrows(sources: Sequence[Source]) -> dict[str, dict[str, int]]:
    """For each module of ours the modules of ours that it imports, with the line."""
    modules = frozenset(source.module for source in sources if source.module)
    values: dict[str, dict[str, int]] = {}
    for source in sources:
        if source.module:
            own = values.setdefault(source.module, {})
            for line, name in imported(source, modules):
                if name.split(".")[0] == "folkmoot":
                    own.setdefault(name, line)
    return values


def check_floors(source: Source, modules: frozenset[str]) -> Iterator[Breach]:
    """No arrow up or to a neighbour that the table does not name; the ground floor has the standard library alone."""
    if not source.module:
        return
    allowed = MAY_IMPORT.get(source.part)
    if allowed is None:
        yield source.breach(1, f"{source.part} is no part of the house: add it to a floor in tests/house/imports.py")
        return
    for line, name in imported(source, modules):
        top, _, rest = name.partition(".")
        part = part_of(name)
        if top == "folkmoot" and part != source.part and part not in allowed and rest not in allowed:
            yield source.breach(line, f"{source.part or 'folkmoot'} may not import {name}")
        if source.part == "core" and top not in sys.stdlib_module_names | {"folkmoot"}:
            yield source.breach(line, f"core stands on the standard library alone, not on {top}")
        if top == "pydantic" and source.part not in PYDANTIC_PARTS and source.module not in PYDANTIC_MODULES:
            yield source.breach(line, "pydantic belongs to the format of records, the application and the hosts")


def find_circles(graph: Mapping[str, Mapping[str, object]]) -> list[list[str]]:
    """The groups of modules that import each other, each sorted."""
    reach = {module: reachable(graph, module) for module in graph}
    groups = {
        tuple(sorted(other for other in reach[module] if module in reach.get(other, ())))
        for module in graph
        if module in reach[module]
    }
    return [list(group) for group in sorted(groups)]


def reachable(graph: Mapping[str, Mapping[str, object]], start: str) -> set[str]:
    """All modules that can be reached by one arrow or more."""
    visited: set[str] = set()
    ahead = list(graph.get(start, ()))
    while ahead:
        if (module := ahead.pop()) not in visited:
            visited.add(module)
            ahead.extend(graph.get(module, ()))
    return visited
