"""What nobody shares and nobody loses: module globals and loose tasks.

Ruff bans the rest by name (``gather``, ``wait``, ``pickle``, mocks, broad excepts): see pyproject.toml.
"""

import ast
from collections.abc import Iterator

from tests.house.source import Breach, Source, annotation, dotted, nodes

READ_ONLY = frozenset({"Mapping", "MappingProxyType", "Sequence", "Collection", "Set", "AbstractSet"})
# fmt: off
MUTABLE_CALLS = frozenset({
    "list", "dict", "set", "bytearray", "defaultdict", "deque", "Counter", "OrderedDict", "ChainMap",
    "WeakKeyDictionary", "WeakValueDictionary", "WeakSet", "Lock", "RLock", "Event", "Condition", "Semaphore",
    "BoundedSemaphore", "Queue", "SimpleQueue", "count", "cycle", "Random",
})
# fmt: on


def check_globals(source: Source) -> Iterator[Breach]:
    """No module global that somebody could change: a table is annotated Mapping, Sequence or Set, or is a tuple."""
    for node in source.tree.body:
        match node:
            case ast.Assign(value=value, targets=[ast.Name(id="__all__")]):
                continue
            case ast.Assign(value=value):
                kind = ""
            case ast.AnnAssign(value=ast.expr() as value, annotation=note):
                kind = annotation(note)
            case _:
                continue
        if is_mutable(value) and kind not in READ_ONLY and not source.may_change(node.lineno):
            yield source.breach(
                node.lineno, "a module global that can be changed: annotate it Mapping, Sequence or Set"
            )
    for node in nodes(source.tree):
        if isinstance(node, ast.Global):
            yield source.breach(node.lineno, "no module global is changed")


def is_mutable(value: ast.expr) -> bool:
    """Whether an expression makes a new thing that can be changed."""
    match value:
        case ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp() | ast.SetComp():
            return True
        case ast.Call(func=func):
            head = func.value if isinstance(func, ast.Subscript) else func
            return dotted(head).rpartition(".")[2] in MUTABLE_CALLS
        case _:
            return False


def check_tasks(source: Source) -> Iterator[Breach]:
    """A task is started by a task group alone."""
    groups = group_names(source.tree)
    for node in nodes(source.tree):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr="create_task")):
                name = dotted(owner).rpartition(".")[2]
                if name not in groups and name != "asyncio":  # ruff bans that one
                    yield source.breach(node.lineno, "a loose task: start it in an asyncio.TaskGroup")
            case _:
                pass


def group_names(tree: ast.Module) -> set[str]:
    """The names and attributes that hold a task group, as far as ``async with`` and annotations tell."""
    names: set[str] = set()
    for node in nodes(tree):
        match node:
            case ast.withitem(context_expr=ast.Call(func=func), optional_vars=ast.expr() as name):
                if dotted(func).endswith("TaskGroup"):
                    names.add(dotted(name).rpartition(".")[2])
            case ast.arg(arg=name, annotation=kind) if annotation(kind) == "TaskGroup":
                names.add(name)
            case ast.AnnAssign(target=target, annotation=kind) if annotation(kind) == "TaskGroup":
                names.add(dotted(target).rpartition(".")[2])
            case ast.Assign(targets=[target], value=ast.Call(func=func)) if dotted(func).endswith("TaskGroup"):
                names.add(dotted(target).rpartition(".")[2])
            case _:
                pass
    return names
