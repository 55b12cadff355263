"""One truth each: there is one cleaner of texts, one table of the keys of a brief, and one guard of requests."""

import ast
import re
from collections.abc import Iterator

import pytest

from moot.core.text import bare, clean
from tests.house.source import Source, parse, read_all

CLEANER = "core/text.py"
GUARD = "app/serve/request_guard.py"
KEYS = "app/brief/schema.py"

_WRITTEN = re.compile(r"\\u(?:00ad|034f|061c|200[b-f]|202[a-e]|206[0-9a-f]|feff)|\\U000e0", re.IGNORECASE)
"""Invisible characters as a raw text writes them for ``re``."""

_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""The classes of Unicode by which a cleaner chooses."""


def package() -> list[Source]:
    """The files of the package."""
    return [source for source in read_all() if source.module]


def texts(source: Source) -> Iterator[tuple[int, str]]:
    """Every text in a file that is no docstring, with its line."""
    yield from texts_of(source.tree)


def texts_of(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The same of a part of a file."""
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value


def cleans(text: str) -> bool:
    """Whether a text names invisible characters, or a class of characters that a cleaner takes out."""
    unseen = any(127 < ord(letter) < 0xFFFF and not bare(letter) for letter in text)
    return unseen or text in _CATEGORIES or bool(_WRITTEN.search(text))


def checks_requests(text: str) -> bool:
    """Whether a text names a header by which foreign pages are told, or is that of a token."""
    return text.lower() in ("origin", "sec-fetch-site", "authorization")


@pytest.mark.parametrize("line", ['x = "[\\u200b-\\u200f]"', 'x = r"[\\u200b\\ufeff]"', 'x = category(y) == "Cf"'])
def test_a_second_cleaner_is_seen(line: str) -> None:
    assert any(cleans(text) for _, text in texts(parse(line, "a.py")))


def test_there_is_one_cleaner() -> None:
    """``core.text`` says which characters nobody sees; whoever needs it asks there."""
    found = [
        f"{source.path}:{line}"
        for source in package()
        if not source.path.endswith(CLEANER) and "/testing/" not in source.path
        for line, text in texts(source)
        if cleans(text)
    ]
    assert found == []
    assert clean("a\u200b\U000e0041\x1b") == "a"


def test_there_is_one_guard_of_requests() -> None:
    """Hosts, foreign pages and tokens are checked in one place, for the API and for MCP."""
    hosts = ("src/moot/web/", "src/moot/mcp/", "src/moot/app/serve/")
    sources = [source for source in package() if source.path.startswith(hosts) and not source.path.endswith(GUARD)]
    found = [f"{s.path}:{line}" for s in sources for line, text in texts(s) if checks_requests(text)]
    codes = [place for place in found if not place.startswith(("src/moot/web/problems.py", "src/moot/app/serve/"))]
    assert codes == []
    assert not [source.path for source in sources if "Buckets(" in source.text]
    assert [source.path for source in sources if "RequestGuard(" in source.text] == [
        "src/moot/mcp/http_guard.py",
        "src/moot/web/guard.py",
    ]


def test_there_is_one_table_of_keys() -> None:
    """The reader, the pages and the JSON Schema take the keys of a brief from one table."""
    assert [source.path for source in package() if "Key(name=" in source.text.replace("Key(\n", "Key(")] == [
        f"src/moot/{KEYS}"
    ]


def test_what_the_api_and_the_tools_answer_alike_is_said_once() -> None:
    """No answer has a type of the same name in both; a field with a meaning in words is not written twice."""
    models: dict[str, set[str]] = {"web": set(), "mcp": set()}
    words: dict[str, set[str]] = {"web": set(), "mcp": set()}
    shared: dict[str, set[str]] = {"web": set(), "mcp": set()}
    for source in package():
        if source.part not in models or not source.path.endswith(("schemas.py", "tool_results.py")):
            continue
        for node in source.tree.body:
            if isinstance(node, ast.ClassDef):
                models[source.part].add(node.name)
                words[source.part] |= {text for _, text in texts_of(node) if text.count(" ") > 3}
            elif isinstance(node, ast.ImportFrom) and node.module == "moot.app.serve.answer_types":
                shared[source.part] |= {name.name for name in node.names}
    assert models["web"] & models["mcp"] == set()
    assert words["web"] & words["mcp"] == set()
    assert shared["web"] & shared["mcp"] >= {"BegunDebate", "DebateRow", "DebateState", "FormField", "WaitedPerson"}
