"""The rule for docstrings: what stands under ``Args:`` and ``Attributes:`` exists."""

import ast
import re
from collections.abc import Iterator

from tests.house.source import Breach, Source, dotted

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def check_documented(source: Source) -> Iterator[Breach]:
    """A docstring that describes an argument or an attribute which does not exist."""
    for node in ast.walk(source.tree):
        if isinstance(node, FUNCTIONS):
            sections = {"Args": parameters(node)}
        elif isinstance(node, ast.ClassDef):
            sections = {"Args": constructor_parameters(node), "Attributes": attributes(node)}
        else:
            continue
        for section, known in sections.items():
            for name in listed(ast.get_docstring(node) or "", section):
                if known and name not in known:
                    yield source.breach(node.lineno, f"{node.name} describes {name}, which does not exist")


def listed(docstring: str, section: str) -> list[str]:
    """The names at the beginnings of the lines of a section."""
    body = re.search(rf"^{section}:\n((?: .*(?:\n|$)|\n)+)", docstring, re.MULTILINE)
    return re.findall(r"^    \*{0,2}(\w+)(?: \([^)]*\))?:", body[1], re.MULTILINE) if body else []


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The names of all parameters of a function."""
    args = node.args
    rest = [arg for arg in (args.vararg, args.kwarg) if arg]
    return {arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, *rest)}


def constructor_parameters(node: ast.ClassDef) -> set[str]:
    """What makes an object of a class: the parameters of ``__init__``, else its fields; none where a base has them."""
    for part in node.body:
        if isinstance(part, FUNCTIONS) and part.name in ("__init__", "__new__"):
            return parameters(part)
    return set() if node.bases else attributes(node)


def attributes(node: ast.ClassDef) -> set[str]:
    """The names that a class has: in its body, and what its methods assign to ``self``; none where a base has them."""
    if any(not isinstance(base, ast.Name) or base.id not in ("Protocol", "TypedDict") for base in node.bases):
        return set()
    names = {part.name for part in node.body if isinstance(part, FUNCTIONS)}
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and dotted(part.value) == "self":
            names.add(part.attr)
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            names.add(part.id)
    return names
