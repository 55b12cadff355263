"""One list of names for each kind that can be extended: protocols, rules, endings, report formats, logs, tools, wires.

Where names stand twice, one of the lists is forgotten when something is added. So a collection of texts, a ``Literal``
or a dictionary that repeats several names of one kind is refused outside the one file that has the list. So is a
comparison with the name of a wire: what differs between wires stands in the table of wires.
"""

import ast
from collections.abc import Iterator, Mapping

from moot.app.export.report_formats import FORMATS
from moot.core.brief import LOGS, TOOLS
from moot.models.names import PROVIDERS
from moot.phases.choices import COUNTING
from moot.phases.endings import ENDINGS
from moot.protocols.known import KNOWN
from tests.house.source import Breach, Source

LISTS: Mapping[str, tuple[str, frozenset[str]]] = {
    "protocols": ("src/moot/protocols/known.py", frozenset(KNOWN)),
    "rules": ("src/moot/phases/choices.py", frozenset(COUNTING)),
    "endings": ("src/moot/phases/endings.py", frozenset(ENDINGS)),
    "report formats": ("src/moot/app/export/report_formats.py", frozenset(FORMATS)),
    "logs": ("src/moot/core/brief.py", frozenset(LOGS)),
    "tools": ("src/moot/core/brief.py", frozenset(TOOLS)),
    "providers": ("src/moot/models/names.py", frozenset(PROVIDERS)),
}
"""The kinds: the file that has the list, and the names."""

SEVERAL = 3
"""So many names of one kind make a list."""


def check_lists(source: Source) -> Iterator[Breach]:
    """No list of names is repeated, and nobody asks for the name of a wire."""
    if not source.module:
        return
    for node in ast.walk(source.tree):
        line = getattr(node, "lineno", 0)
        words = texts(node)
        for kind, (home, names) in LISTS.items():
            again = sorted(words & names)
            if len(again) >= SEVERAL and source.path != home and not source.lifted("names", max(1, line - 1), line):
                yield source.breach(line, f"{', '.join(again)}: the names of {kind} stand in {home} alone")
        if isinstance(node, ast.Compare) and any(named_wire(part) for part in (node.left, *node.comparators)):
            others = [part for part in (node.left, *node.comparators) if isinstance(part, ast.Constant)]
            if others:
                yield source.breach(line, "ask for what differs between wires, not for the name of one")


def texts(node: ast.AST) -> frozenset[str]:
    """The texts that stand side by side in a collection, or as the keys of a dictionary."""
    match node:
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
            parts: list[ast.expr] = items
        case ast.Dict(keys=keys):
            parts = [key for key in keys if key]
        case _:
            return frozenset()
    return frozenset(item.value for item in parts if isinstance(item, ast.Constant) and isinstance(item.value, str))


def named_wire(node: ast.AST) -> bool:
    """Whether an expression is the wire of something, or its name."""
    match node:
        case ast.Attribute(value=value, attr="name"):
            return named_wire(value)
        case ast.Attribute(attr="wire") | ast.Name(id="wire"):
            return True
        case _:
            return False
