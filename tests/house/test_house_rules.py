"""Each house rule catches what it says, and lets through what it should: tables of short sources."""

import pytest

from tests.house import documented, imports, purity, state
from tests.house.source import Source, parse

PLAY = "src/folkmoot/phases/new.py"


def lines(source: str, path: str = PLAY) -> Source:
    return parse(source, path)


@pytest.mark.parametrize(
    "text",
    [
        "import time",
        "import os.path",
        "import random",
        "from random import shuffle",
        "from random import Random, choice",
        "def f():\n    from datetime import datetime",
        "import asyncio",
        "Random(3)",
        "hash('a')",
        "id(x)",
        "open('a')",
        "async def f():\n    return 1",
        "async def f():\n    async with a:\n        pass",
        "async def f():\n    return await g()",
        "x: Any = 1",
        "x: typing.Any = 1",
        "for x in {1, 2}: pass",
        "[x for x in set(y)]",
        "{x: 1 for x in frozenset(y)}",
        "list({1, 2})",
        "tuple(a | set(b))",
        "', '.join({'a', 'b'})",
        "next(iter({1}))",
        "max({1, 2}, key=f)",
        "[*{1, 2}]",
        "s = {1, 2}\nfor x in s: pass",
        "def f(s: frozenset[str]):\n    return [x for x in s]",
        "def f(s: 'AbstractSet[str]'):\n    return list(s)",
        "def f():\n    s: set[str] = g()\n    return tuple(s)",
        "for x in a.keys() & b.keys(): pass",
        "dict.fromkeys(set(y))",
    ],
)
def test_the_play_is_pure(text: str) -> None:
    assert list(purity.check_purity(lines(text)))
    assert not list(purity.check_purity(lines(text, "src/folkmoot/models/new.py")))


@pytest.mark.parametrize(
    "text",
    [
        "import hashlib",
        "from random import Random",
        "class Seat(Protocol):\n    async def answer(self):\n        '''Answer.'''\n        ...",
        "sorted({1, 2})",
        "any(x for x in {1, 2})",
        "{*{1}, *{2}}",
        "{x for x in {1, 2}}",
        "s = {1, 2}\nfor x in sorted(s): pass",
        "1 in {1, 2}",
        "for x in (1, 2): pass",
        "def f(s: Sequence[str]):\n    return [x for x in s]",
        "def f(x): return 1 - x",
    ],
)
def test_the_play_may_do_this(text: str) -> None:
    assert list(purity.check_purity(lines(text))) == []


def test_one_module_draws_chance_from_the_seed() -> None:
    assert list(purity.check_purity(lines("Random(3)", "src/folkmoot/phases/base.py"))) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("A = {}", 1),
        ("A = [1]", 1),
        ("A: dict[str, int] = {}", 1),
        ("A: Final = {}", 1),
        ("A = defaultdict(list)", 1),
        ("A = deque[int]()", 1),
        ("A = asyncio.Lock()", 1),
        ("def f():\n    global a\n    a = 1", 1),
        ("A: Mapping[str, int] = {}", 0),
        ("A: Final[Mapping[str, int]] = {}", 0),
        ("A: 'Sequence[str]' = ['a']", 0),
        ("A = MappingProxyType({})", 0),
        ("A = frozenset({1})", 0),
        ("A = (1, 2)", 0),
        ("__all__ = ['a']", 0),
        ("A = {}  # house: state because the plug-in interface asks for a dict", 0),
        ("A: int", 0),
    ],
)
def test_module_globals(text: str, count: int) -> None:
    assert len(list(state.check_globals(lines(text)))) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("loop.create_task(f())", 1),
        ("asyncio.get_running_loop().create_task(f())", 1),
        ("async def f():\n    async with asyncio.TaskGroup() as tasks:\n        tasks.create_task(g())", 0),
        ("async def f(tasks: asyncio.TaskGroup):\n    tasks.create_task(g())", 0),
        ("class A:\n    tasks: TaskGroup\n    def f(self):\n        self.tasks.create_task(g())", 0),
        ("async def f(self):\n    self.tasks = asyncio.TaskGroup()\n    self.tasks.create_task(g())", 0),
    ],
)
def test_loose_tasks(text: str, count: int) -> None:
    assert len(list(state.check_tasks(lines(text)))) == count


MODULES = frozenset(
    {"folkmoot.core.brief", "folkmoot.models.base", "folkmoot.phases.base", "folkmoot.app.run.workspace"}
)


@pytest.mark.parametrize(
    ("path", "text", "count"),
    [
        ("src/folkmoot/core/a.py", "from folkmoot.core.brief import Brief", 0),
        ("src/folkmoot/core/a.py", "import pydantic", 2),
        ("src/folkmoot/core/a.py", "import rich", 1),
        ("src/folkmoot/policy/a.py", "from folkmoot.phases import base", 1),
        ("src/folkmoot/phases/a.py", "if TYPE_CHECKING:\n    from folkmoot.models.base import Model", 1),
        ("src/folkmoot/phases/a.py", "def f():\n    import folkmoot.agents.llm", 1),
        ("src/folkmoot/phases/a.py", "from folkmoot.policy.rules import Rule", 0),
        ("src/folkmoot/engine/a.py", "from folkmoot.phases.base import Table", 0),
        ("src/folkmoot/engine/a.py", "from folkmoot.phases import base", 0),
        ("src/folkmoot/engine/a.py", "from folkmoot.phases import vote", 1),
        ("src/folkmoot/engine/a.py", "from ..phases.vote import Vote", 1),
        ("src/folkmoot/engine/__init__.py", "from ..phases.vote import Vote", 1),
        ("src/folkmoot/cli/a.py", "from folkmoot.app.run.workspace import Workspace", 0),
        ("src/folkmoot/cli/a.py", "from folkmoot.models.base import Model", 1),
        ("src/folkmoot/cli/a.py", "import_module('folkmoot.web.serve')", 1),
        ("src/folkmoot/cli/a.py", "from folkmoot import Workspace", 1),
        ("src/folkmoot/app/run/a.py", "from folkmoot.testing.scripted import Scripted", 1),
        ("src/folkmoot/testing/a.py", "from folkmoot.app.run.workspace import Workspace", 0),
        ("src/folkmoot/__init__.py", "from folkmoot.app.run.workspace import Workspace", 0),
        ("src/folkmoot/__init__.py", "from folkmoot.cli.main import main", 1),
        ("src/folkmoot/models/a.py", "from pydantic import BaseModel", 1),
        ("src/folkmoot/record/store.py", "from pydantic import BaseModel", 0),
        ("src/folkmoot/helpers/a.py", "x = 1", 1),
        ("tests/test_a.py", "from folkmoot.phases.base import Table", 0),
    ],
)
def test_floors(path: str, text: str, count: int) -> None:
    assert len(list(imports.check_floors(parse(text, path), MODULES))) == count


def test_circles_through_typing_only_and_deferred_imports() -> None:
    files = {
        "src/folkmoot/core/a.py": "if TYPE_CHECKING:\n    from folkmoot.core import b",
        "src/folkmoot/core/b.py": "def f():\n    import folkmoot.core.c",
        "src/folkmoot/core/c.py": "from .a import x",
        "src/folkmoot/core/d.py": "from folkmoot.core.a import x",
    }
    graph = imports.arrows([parse(text, path) for path, text in files.items()])
    assert imports.find_circles(graph) == [["folkmoot.core.a", "folkmoot.core.b", "folkmoot.core.c"]]


ARGS = '''    """Do it.

    Args:
        a: one.
            More: of it.
        b (int): two.

    Raises:
        c: never.
    """'''
FIELDS = '    """A.\n\n    Attributes:\n        a: one.\n        b: two.\n    """\n'


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (f"def f(a, b):\n{ARGS}", []),
        (f"def f(a, **b):\n{ARGS}", []),
        (f"async def f(a, *, c):\n{ARGS}", ["b"]),
        (f"def f(c):\n{ARGS}", ["a", "b"]),
        (f"class A:\n{ARGS}\n    def __init__(self, a): self.b = a", ["b"]),
        (f"class A:\n{ARGS}\n    a: int\n    b: int", []),
        (f"class A(Base):\n{ARGS}", []),
        (f"class A:\n{FIELDS}    a: int", ["b"]),
        (f"class A:\n{FIELDS}    a = 1\n    @property\n    def b(self): ...", []),
        (f"class A(Protocol):\n{FIELDS}    def __init__(self, c): self.a = c.b", ["b"]),
        (f"class A(Base):\n{FIELDS}", []),
    ],
)
def test_a_docstring_describes_what_exists(text: str, names: list[str]) -> None:
    breaches = [breach.text for breach in documented.check_documented(lines(text))]
    assert breaches == [f"{'A' if 'class' in text else 'f'} describes {name}, which does not exist" for name in names]
