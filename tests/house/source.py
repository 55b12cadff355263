"""Source files as the checks read them."""

import ast
import re
from dataclasses import dataclass
from functools import cache

from tests.paths import ROOT


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """One place where a rule is broken."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One Python file: its path from the root of the repository, its text, its syntax tree."""

    path: str
    text: str
    tree: ast.Module

    @property
    def module(self) -> str:
        """``folkmoot.core.brief`` for ``src/folkmoot/core/brief.py``; "" for files outside ``src``."""
        if not self.path.startswith("src/"):
            return ""
        return self.path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def part(self) -> str:
        """The folder under ``folkmoot``: ``core``, ``app.plan``, ``council``; "" for ``folkmoot`` itself and outside."""
        return part_of(self.module)

    def breach(self, line: int, text: str) -> Breach:
        """A breach in this file."""
        return Breach(path=self.path, line=line, text=text)

    def may_change(self, line: int) -> bool:
        """Whether a line says why its module global may change: ``# house: state because …``."""
        return bool(re.search(r"# house: state because \w", self.text.splitlines()[line - 1]))


def part_of(module: str) -> str:
    """``core`` for ``folkmoot.core.brief``, ``app.plan`` for ``folkmoot.app.plan.estimate``; else ""."""
    top, *rest = module.split(".")
    if top != "folkmoot" or not rest:
        return ""
    return ".".join(rest[:2]) if rest[0] == "app" else rest[0]


def parse(text: str, path: str) -> Source:
    """A source from a text, as if it stood at that path."""
    return Source(path=path, text=text, tree=ast.parse(text, path))


@cache
def read_all() -> tuple[Source, ...]:
    """All Python files of the package, in the order of their paths."""
    paths = sorted((ROOT / "src").rglob("*.py"))
    return tuple(parse(path.read_text("utf-8"), path.relative_to(ROOT).as_posix()) for path in paths)


@cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """What ``ast.walk`` goes through, which is slow, for all that ask."""
    return tuple(ast.walk(tree))


def dotted(node: ast.AST) -> str:
    """``asyncio.TaskGroup`` for such an expression; "" for anything that is not names with dots."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            return f"{left}.{attr}" if (left := dotted(value)) else ""
        case _:
            return ""


def annotation(node: ast.expr | None) -> str:
    """The outermost name, through ``Final[…]`` and quotes: ``Mapping`` for ``Final[Mapping[str, int]]``."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        node = ast.parse(node.value, mode="eval").body
    if isinstance(node, ast.Subscript):
        outer = annotation(node.value)
        return annotation(node.slice) if outer in ("Final", "ClassVar") else outer
    return dotted(node).rpartition(".")[2] if node else ""
