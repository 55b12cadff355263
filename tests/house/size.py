"""How big things may be: lines, parameters, modules in a folder; and a module name stands once."""

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence

from tests.house.source import Breach, Source, nodes

FILE_LINES, TEST_LINES, FUNCTION_LINES, PARAMETERS, FOLDER_MODULES = 500, 500, 40, 6, 15
SAME_EVERYWHERE = frozenset({"__init__", "__main__", "base"})
"""Module names that mean the same in every folder."""


def check_files(source: Source) -> Iterator[Breach]:
    """Lines per file."""
    most = TEST_LINES if source.path.startswith("tests/") else FILE_LINES
    if len(source.lines) > most and not source.lifted("long", 1):
        yield source.breach(1, f"{len(source.lines)} lines, {most} allowed")


def check_functions(source: Source) -> Iterator[Breach]:
    """Lines and parameters per function; ``self`` and ``cls`` do not count, nor do decorators."""
    for node in nodes(source.tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        head = (node.lineno, max(node.lineno, node.body[0].lineno - 1))
        lines = (node.end_lineno or node.lineno) - node.lineno + 1
        if lines > FUNCTION_LINES and not source.lifted("long", *head):
            yield source.breach(node.lineno, f"{node.name} has {lines} lines, {FUNCTION_LINES} allowed")
        count = count_parameters(node.args)
        if count > PARAMETERS and not source.lifted("wide", *head):
            yield source.breach(node.lineno, f"{node.name} takes {count} parameters, {PARAMETERS} allowed")


def count_parameters(args: ast.arguments) -> int:
    """How many a caller can pass."""
    named = [*args.posonlyargs, *args.args]
    own = bool(named) and named[0].arg in ("self", "cls")
    return len(named) - own + len(args.kwonlyargs) + (args.vararg is not None) + (args.kwarg is not None)


def check_folders(sources: Sequence[Source]) -> Iterator[Breach]:
    """Modules per folder of the package, and each module name once in all of it."""
    folders: defaultdict[str, list[Source]] = defaultdict(list)
    names: defaultdict[str, list[Source]] = defaultdict(list)
    for source in sources:
        if source.module and "/migrations/" not in source.path:
            folder, _, name = source.path.removesuffix(".py").rpartition("/")
            folders[folder] += [source] if name != "__init__" else []
            names[name] += [source] if name not in SAME_EVERYWHERE else []
    for folder, inside in folders.items():
        if len(inside) > FOLDER_MODULES:
            yield Breach(path=folder, line=1, text=f"{len(inside)} modules, {FOLDER_MODULES} allowed")
    for name, same in names.items():
        for source in same[1:]:
            yield source.breach(1, f"{name} is the name of {same[0].path} too")
