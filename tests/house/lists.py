"""One list of names for each kind that can be extended: protocols, rules, endings, report formats, logs, tools, wires.

Where names stand twice, one of the lists is forgotten when something is added. So a collection of texts, a ``Literal``
or a dictionary that repeats several names of one kind is refused outside the one file that has the list. So is a
comparison with the name of a wire: what differs between wires stands in the table of wires.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence

from folkmoot.app.brief.schema import MEDIATORS, SCOPES, TOPOLOGIES, TURN_MODES, WAYS
from folkmoot.app.export.report_formats import FORMATS
from folkmoot.core.brief import LOGS, TOOLS
from folkmoot.core.extensions import KINDS
from folkmoot.models.names import PROVIDERS
from folkmoot.phases.choices import COUNTING
from folkmoot.phases.endings import ENDINGS
from folkmoot.protocols.known import KNOWN
from tests.house.source import Breach, Source, nodes

LISTS: Mapping[str, tuple[str, frozenset[str]]] = {
    "protocols": ("src/folkmoot/protocols/known.py", frozenset(KNOWN)),
    "rules": ("src/folkmoot/phases/choices.py", frozenset(COUNTING)),
    "endings": ("src/folkmoot/phases/endings.py", frozenset(ENDINGS)),
    "report formats": ("src/folkmoot/app/export/report_formats.py", frozenset(FORMATS) - frozenset(LOGS)),
    "logs": ("src/folkmoot/core/brief.py", frozenset(LOGS)),
    "tools": ("src/folkmoot/core/brief.py", frozenset(TOOLS)),
    "providers": ("src/folkmoot/models/names.py", frozenset(PROVIDERS)),
    "wires": ("src/folkmoot/models/names.py", frozenset(provider.wire.name for provider in PROVIDERS.values())),
    "kinds of extensions": ("src/folkmoot/core/extensions.py", frozenset(kind.name for kind in KINDS)),
    "topologies": ("src/folkmoot/policy/pairing.py", frozenset(TOPOLOGIES)),
    "kinds of mediators": ("src/folkmoot/phases/choices.py", frozenset(MEDIATORS)),
    "turn modes": ("src/folkmoot/phases/choices.py", frozenset(TURN_MODES)),
    "scopes": ("src/folkmoot/app/brief/schema.py", frozenset((*SCOPES, *WAYS))),
}
"""The kinds: the file that has the list, and the names."""

WIRES = "ask for what differs between wires, not for the name of one"

SEVERAL = 3
"""So many names of one kind make a list."""


def check_lists(source: Source) -> Iterator[Breach]:
    """No list of names is repeated, and nobody asks for the name of a wire."""
    if not source.module:
        return
    for node in nodes(source.tree):
        line = getattr(node, "lineno", 0)
        words = texts(node)
        for kind, (home, names) in LISTS.items() if len(words) >= SEVERAL else ():
            again = sorted(words & names)
            if len(again) >= SEVERAL and source.path != home and not source.lifted("names", max(1, line - 1), line):
                yield source.breach(line, f"{', '.join(again)}: the names of {kind} stand in {home} alone")
                break
        if isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
            words_there = any(texts(side) or isinstance(side, ast.Constant) for side in sides)
            if words_there and any(named_wire(side) for side in sides):
                yield source.breach(line, WIRES)
        if isinstance(node, ast.Match) and named_wire(node.subject):
            yield source.breach(line, WIRES)


def texts(node: ast.AST) -> frozenset[str]:
    """The texts that stand side by side: in a collection, as arguments, as keys, as cases, in a text that is split."""
    match node:
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
            parts: list[ast.expr] = items
        case ast.Dict(keys=keys):
            parts = [key for key in keys if key]
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(words)), attr="split")):
            return frozenset(words.replace(",", " ").split())
        case ast.Call(args=args, keywords=keywords):
            return frozenset({*constants(args), *(word.arg for word in keywords if word.arg)})
        case ast.Match(cases=cases):
            values = [part for case in cases for part in ast.walk(case.pattern) if isinstance(part, ast.MatchValue)]
            parts = [value.value for value in values]
        case ast.BoolOp(values=tests):
            parts = [side for test in tests if isinstance(test, ast.Compare) for side in (test.left, *test.comparators)]
        case _:
            return frozenset()
    return frozenset(constants(parts))


def constants(parts: Sequence[ast.expr]) -> Iterator[str]:
    """The texts among some expressions."""
    yield from (item.value for item in parts if isinstance(item, ast.Constant) and isinstance(item.value, str))


def named_wire(node: ast.AST) -> bool:
    """Whether an expression is the wire of something, or its name."""
    match node:
        case ast.Attribute(value=value, attr="name"):
            return named_wire(value)
        case ast.Attribute(attr="wire") | ast.Name(id="wire"):
            return True
        case _:
            return False
