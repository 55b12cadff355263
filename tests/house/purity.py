"""Same record, same path: no clock, chance, order of sets or waiting in core, policy, phases and protocols."""

import ast
from collections.abc import Iterator

from tests.house.imports import PLAY
from tests.house.source import Breach, Source, annotation, dotted, nodes

# fmt: off
WORLD = frozenset({
    "asyncio", "anyio", "concurrent", "datetime", "io", "locale", "multiprocessing", "os", "pathlib", "platform",
    "queue", "sched", "secrets", "select", "signal", "socket", "subprocess", "tempfile", "threading", "time",
    "uuid",
})
# fmt: on
CALLS = frozenset({"hash", "id", "input", "open"})
SETS = frozenset({"set", "frozenset", "Set", "AbstractSet", "MutableSet"})
ORDERED = frozenset({"list", "tuple", "enumerate", "iter", "zip", "map", "filter", "sum", "min", "max", "next"})
UNORDERED = frozenset({"sorted", "set", "frozenset", "any", "all", "len"})
METHODS = frozenset({"join", "extend", "fromkeys"})
CHANCE_OWNER = "folkmoot.phases.base"


def check_purity(source: Source) -> Iterator[Breach]:
    """No clock, no chance, no identity, no waiting, no ``Any``, no order of a set."""
    if source.part not in PLAY:
        return
    for node in nodes(source.tree):
        if text := "; ".join(complaints(node, source.module)):
            yield source.breach(getattr(node, "lineno", 1), text)
    yield from check_order(source)


def complaints(node: ast.AST, module: str) -> Iterator[str]:
    """What is wrong with one node, whatever stands around it."""
    match node:
        case ast.Import(names=names):
            for name in names:
                if (top := name.name.split(".")[0]) in WORLD | {"random"}:
                    yield f"the play may not import {top}"
        case ast.ImportFrom(module=str(name), names=names):
            top = name.split(".")[0]
            if top in WORLD or (top == "random" and [alias.name for alias in names] != ["Random"]):
                yield f"the play may not import from {top}"
        case ast.Call(func=ast.Name(id=name)) if name in CALLS:
            yield f"the play may not call {name}()"
        case ast.Call(func=func) if dotted(func) == "Random" and module != CHANCE_OWNER:
            yield "only phases/base.py draws a generator from the seed"
        case ast.Await() | ast.AsyncFor() | ast.AsyncWith():
            yield "the play never awaits"
        case ast.AsyncFunctionDef() if not is_port(node):
            yield "the play never awaits"
        case ast.Name(id="Any") | ast.Attribute(attr="Any"):
            yield "no Any here"
        case _:
            pass


def is_port(node: ast.AsyncFunctionDef) -> bool:
    """Whether a function only declares what others write: a docstring and ``...``."""
    last = node.body[-1]
    return len(node.body) <= 2 and isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant)


def check_order(source: Source) -> Iterator[Breach]:
    """No place where the order of a set's members shows."""
    for scope in nodes(source.tree):
        if isinstance(scope, ast.FunctionDef | ast.Module):
            own = list(own_nodes(scope))
            names = set_names(scope, own)
            free = {part for node in own for part in without_order(node)}
            for node in own:
                for iterable in ordered_uses(node, free):
                    if is_set(iterable, names):
                        yield source.breach(iterable.lineno, "a set has no order: sort it")


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the functions inside it."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from own_nodes(child)


def without_order(node: ast.AST) -> list[ast.expr]:
    """The parts of a node whose order does not show in what it gives."""
    match node:
        case ast.Call(func=func, args=args) if dotted(func) in UNORDERED:
            return args
        case ast.Set(elts=members):
            return members
        case _:
            return []


def ordered_uses(node: ast.AST, free: set[ast.expr]) -> Iterator[ast.expr]:
    """The expressions whose order shows in what this node does."""
    match node:
        case ast.For(iter=iterable):
            yield iterable
        case ast.ListComp(generators=loops) | ast.DictComp(generators=loops):
            yield from (loop.iter for loop in loops)
        case ast.GeneratorExp(generators=loops) if node not in free:
            yield from (loop.iter for loop in loops)
        case ast.Starred(value=iterable) if node not in free:
            yield iterable
        case ast.Call(func=func, args=args) if dotted(func) in ORDERED or (
            isinstance(func, ast.Attribute) and func.attr in METHODS
        ):
            yield from args
        case _:
            pass


def set_names(scope: ast.FunctionDef | ast.Module, nodes: list[ast.AST]) -> set[str]:
    """The names that hold a set in a scope, as far as annotations and assignments tell."""
    names: set[str] = set()
    if isinstance(scope, ast.FunctionDef):
        items = [*scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs]
        names |= {arg.arg for arg in items if annotation(arg.annotation) in SETS}
    for node in nodes:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=kind) if annotation(kind) in SETS:
                names.add(name)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if is_set(value, names):
                names.add(name)
            case _:
                pass
    return names


def is_set(node: ast.expr, names: set[str]) -> bool:
    """Whether an expression is a set, as far as its own text tells."""
    match node:
        case ast.Set() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.Name(id=name):
            return name in names
        case ast.BinOp(left=left, right=right, op=ast.BitOr() | ast.BitAnd() | ast.Sub() | ast.BitXor()):
            return any(is_set(side, names) or is_keys(side) for side in (left, right))
        case _:
            return False


def is_keys(node: ast.expr) -> bool:
    """Whether an expression is ``x.keys()``, which set operators turn into a set."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "keys"
