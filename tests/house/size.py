"""How big things may be. This file owns the limits on lines and parameters."""

import ast
from collections.abc import Iterator

from tests.house.source import Breach, Source

FILE_LINES, TEST_LINES, FUNCTION_LINES, PARAMETERS = 500, 500, 40, 6


def check_files(source: Source) -> Iterator[Breach]:
    """Lines per file."""
    most = TEST_LINES if source.path.startswith("tests/") else FILE_LINES
    if len(source.lines) > most and not source.lifted("long", 1):
        yield source.breach(1, f"{len(source.lines)} lines, {most} allowed")


def check_functions(source: Source) -> Iterator[Breach]:
    """Lines and parameters per function; ``self`` and ``cls`` do not count, nor do decorators."""
    for node in ast.walk(source.tree):
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
