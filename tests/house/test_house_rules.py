"""Each house rule catches what it says, and lets through what it should: tables of short sources."""

import json
import subprocess
import sys

import pytest

from tests.house import documented, imports, lists, purity, size, state, words
from tests.house.source import ROOT, Source, parse

PLAY = "src/folkmoot/phases/new.py"
LONG = "def f():\n" + "    pass\n" * 40


def lines(source: str, path: str = PLAY) -> Source:
    return parse(source, path)


@pytest.mark.parametrize(
    ("text", "path", "count"),
    [
        ("x = 1\n" * 500, PLAY, 0),
        ("x = 1\n" * 501, PLAY, 1),
        ("x = 1\n" * 500, "tests/test_new.py", 0),
        ("x = 1\n" * 501, "tests/test_new.py", 1),
        ("# house: long because it is one table\n" + "x = 1\n" * 500, PLAY, 0),
        ("# house: long because\n" + "x = 1\n" * 500, PLAY, 1),
    ],
)
def test_lines_per_file(text: str, path: str, count: int) -> None:
    assert len(list(size.check_files(lines(text, path)))) == count


def test_modules_per_folder_and_names_that_stand_twice() -> None:
    def breaches(*paths: str) -> list[str]:
        return [
            str(breach)
            for breach in size.check_folders([parse("x = 1\n", f"src/folkmoot/{path}.py") for path in paths])
        ]

    few = [f"core/{name}" for name in "abcdefghijklmno"]
    assert breaches(*few, "core/__init__", "policy/base", "phases/base") == []
    assert breaches(*few, "core/p") == ["src/folkmoot/core:1: 16 modules, 15 allowed"]
    assert breaches("core/text", "report/text") == [
        "src/folkmoot/report/text.py:1: text is the name of src/folkmoot/core/text.py too"
    ]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (LONG, 1),
        (LONG.replace("    pass\n", "", 1), 0),
        (LONG.replace("():", "():  # house: long because one match"), 0),
        ("@a\n@b\n" + LONG.replace("    pass\n", "", 1), 0),
        ("async " + LONG, 1),
        ("def f(a, b, c, d, e, g): ...", 0),
        ("def f(a, /, b, *c, d, e, g, **h): ...", 1),
        ("class A:\n    def f(self, a, b, c, d, e, g): ...", 0),
        ("def f(a, b, c, d, e, g, h):  # house: wide because the wire says so\n    ...", 0),
    ],
)
def test_lines_and_parameters_per_function(text: str, count: int) -> None:
    assert len(list(size.check_functions(lines(text)))) == count


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


def test_tables_of_test_cases_are_left_alone() -> None:
    assert list(state.check_globals(lines("CASES = [1, 2]", "tests/test_new.py"))) == []


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


@pytest.mark.parametrize(
    ("texts", "count"),
    [
        ({"src/folkmoot/engine/driver.py": "try: f()\nexcept Exception: g()"}, 0),
        ({"src/folkmoot/engine/driver.py": "try: f()\nexcept Exception: g()\ntry: f()\nexcept: g()"}, 1),
        (
            {
                "src/folkmoot/cli/a.py": "try: f()\nexcept BaseException: g()",
                "src/folkmoot/web/b.py": "try: f()\nexcept: g()",
            },
            1,
        ),
        ({"src/folkmoot/models/a.py": "try: f()\nexcept (ValueError, Exception): g()"}, 1),
        ({"src/folkmoot/models/a.py": "try: f()\nexcept BaseException:\n    g()\n    raise"}, 0),
        ({"src/folkmoot/models/a.py": "try: f()\nexcept Exception as e:\n    raise A from e"}, 1),
        (
            {
                "src/folkmoot/models/a.py": "try: f()\nexcept Exception:  # house: broad because it is a plug-in\n    g()"
            },
            0,
        ),
        ({"src/folkmoot/models/a.py": "try: f()\nexcept (ValueError, KeyError): g()"}, 0),
        ({"tests/test_a.py": "try: f()\nexcept Exception: g()"}, 0),
    ],
)
def test_broad_excepts(texts: dict[str, str], count: int) -> None:
    assert len(list(state.check_excepts([parse(text, path) for path, text in texts.items()]))) == count


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


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("# TO" + "DO: later", 1),
        ("raise NotImplemented" + "Error", 1),
        ("todo = method()", 0),
    ],
)
def test_unfinished(text: str, count: int) -> None:
    assert len(list(words.check_unfinished(lines(text)))) == count
    assert list(words.check_unfinished(lines(text, "tests/test_a.py"))) == []


def test_docstrings_and_names() -> None:
    assert list(words.check_docstring(lines(""))) == []
    assert list(words.check_docstring(lines('"""Owns it."""\nx = 1'))) == []
    assert len(list(words.check_docstring(lines("x = 1")))) == 1
    assert len(list(words.check_docstring(lines('"""Notes. This file ' + 'owns them."""\nx = 1')))) == 1
    bad = "class TaskManager: ...\nclass BaseSeat: ...\nclass ISeat: ...\nclass Seat: ...\nclass Baseline: ..."
    assert [breach.line for breach in words.check_names(lines(bad))] == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("found = 1", 1),
        ("def f(told): ...", 1),
        ("def f(*, told=1): ...", 1),
        ("async def held(): ...", 1),
        ("x = [each for each in y]", 1),
        ("x = lambda each: 1", 1),
        ("with f() as made: ...", 1),
        ("if (said := f()): ...", 1),
        ("match f():\n    case A(x=seen):\n        ...", 1),
        ("try:\n    ...\nexcept A as caught:\n    ...", 0),
        ("class A:\n    def f(self):\n        kept = 1", 1),
        ("class A:\n    def told(self, said): ...", 1),
        ("class A:\n    held: int\n    asked = 0\n    def told(self): ...", 0),
        ("founded = a.found", 0),
    ],
)
def test_variables_say_what_they_hold(text: str, count: int) -> None:
    assert len(list(words.check_variables(lines(text)))) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("see /wo" + "rk/main", 1),
        ("see framework/work/a, a/home/b, /home", 0),
        ("--index" + "-url https://example.org", 1),
        ('"resolved": ' + '"https://example.org/a.tgz"', 1),
        ("the C" + "EO said so", 1),
        ("a session of the debating club", 0),
    ],
)
def test_foreign_words(text: str, count: int) -> None:
    assert len(list(words.check_foreign("a.md", text))) == count


@pytest.mark.parametrize(
    ("path", "text", "code"),
    [
        ("src/folkmoot/engine/new.py", "import asyncio\n\nasyncio.gather(a())\n", "TID251"),
        ("src/folkmoot/engine/new.py", "from asyncio import as_completed\n", "TID251"),
        ("src/folkmoot/engine/new.py", "import asyncio\n\nasyncio.create_task(a())\n", "TID251"),
        ("src/folkmoot/engine/new.py", "import pickle\n", "TID251"),
        ("tests/test_new.py", "from unittest.mock import patch\n", "TID251"),
        ("src/folkmoot/core/new.py", "from . import brief\n", "TID252"),
        ("src/folkmoot/app/run/new.py", 'print("a")\n', "T201"),
        ("src/folkmoot/app/run/new.py", "try:\n    f()\nexcept Exception:\n    pass\n", "BLE001"),
        ("src/folkmoot/app/run/new.py", 'eval("1")\n', "S307"),
        ("src/folkmoot/app/run/new.py", 'exec("1")\n', "S102"),
        ("src/folkmoot/app/run/new.py", "class A:\n    x = 1\n", "D101"),
    ],
)
def test_ruff_is_told_the_rest(path: str, text: str, code: str) -> None:
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--no-cache",
        "--output-format=json",
        f"--stdin-filename={path}",
        "-",
    ]
    ran = subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True, check=False)
    assert code in {item["code"] for item in json.loads(ran.stdout)}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("X = ('panel', 'council', 'arena')", 1),
        ("X = ('panel', 'council')", 0),
        ("X = {'borda': 1, 'approval': 2, 'schulze': 3}", 1),
        ("X: Literal['md', 'json', 'pdf']", 1),
        ("f(['full_markdown', 'json_log', 'verbose'])", 1),
        ("X = {'vote', 'vote_based', 'ranked_reasons'}  # house: names because a document has these", 0),
        ("X = ('search', 'rag', 'scorer', 'x')", 1),
        ("X = ('openai', 'google', 'groq')", 1),
        ("X = provider.wire == 'ollama'", 1),
        ("X = 'ollama' != provider.wire.name", 1),
        ("X = provider.wire is ANTHROPIC", 0),
        ("X = provider.name == 'ollama'", 0),
        ("X = provider.wire.name in ('ollama', 'anthropic')", 1),
        ("match provider.wire.name:\n    case 'ollama':\n        pass", 1),
        ("X = Wire(name='openai'), Wire(name='ollama')", 0),
        ("X = 'openai anthropic ollama'.split()", 1),
        ("f('borda', 'approval', 'schulze')", 1),
        ("X = dict(borda=1, approval=2, schulze=3)", 1),
        ("match name:\n    case 'vote' | 'vote_based' | 'no_consensus':\n        pass", 1),
        ("match name:\n    case 'md':\n        a()\n    case 'json':\n        b()\n    case 'pdf':\n        c()", 1),
        ("X = name == 'panel' or name == 'council' or 'arena' == name", 1),
        ("X = name == 'panel' or name == 'council'", 0),
        ("X = 'ring, star, sparse'.split(', ')", 1),
        ("X = 'A ring, a star or a sparse topology.'", 0),
        ("X = ['protocol', 'phase', 'rule']", 1),
    ],
)
def test_a_list_of_names_stands_once(text: str, count: int) -> None:
    assert len(list(lists.check_lists(lines(text)))) == count
    assert not list(lists.check_lists(lines(text, "tests/test_new.py")))


def test_the_list_itself_may_stand_in_its_file() -> None:
    assert not list(lists.check_lists(lines("X = ('panel', 'council', 'arena')", "src/folkmoot/protocols/known.py")))


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
