"""One truth each: there is one cleaner of texts, one table of the keys of a brief, and one guard of requests."""

import ast
import re
from collections.abc import Iterator

import pytest

from folkmoot.core.event import EVENTS
from folkmoot.core.text import bare, clean
from tests.house.source import ROOT, Source, dotted, nodes, parse, read_all

CLEANER = "core/text.py"
GUARD = "app/serve/request_guard.py"
KEYS = "app/brief/schema.py"

_WRITTEN = re.compile(r"\\u(?:00ad|034f|061c|200[b-f]|202[a-e]|206[0-9a-f]|feff)|\\U000e0", re.IGNORECASE)
"""Invisible characters as a raw text writes them for ``re``."""

_CONTROLS = re.compile(r"(?:[\x00-\x1f]|\\x[01][0-9a-f])-(?:[\x01-\x1f\x80-\x9f]|\\x[0189][0-9a-f])", re.IGNORECASE)
"""A range of control characters, as it is or as a raw text writes it; all of ASCII is none."""

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
        for node in nodes(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in nodes(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value


def cleans(text: str) -> bool:
    """Whether a text names invisible characters, or a class of characters that a cleaner takes out."""
    unseen = any(127 < ord(letter) < 0xFFFF and not bare(letter) for letter in text)
    return unseen or text in _CATEGORIES or bool(_WRITTEN.search(text) or _CONTROLS.search(text))


def cleaners(source: Source) -> Iterator[str]:
    """Where a file chooses invisible or control characters: by a text, a class, a code point or ``isprintable``."""
    yield from (f"{source.path}:{line}" for line, text in texts(source) if cleans(text))
    for node in nodes(source.tree):
        match node:
            case ast.Attribute(attr="isprintable" | "iscntrl"):
                yield f"{source.path}:{node.lineno}"
            case ast.Compare(left=left, comparators=[ast.Constant(value=value)]) if (
                is_call(left, "ord") and isinstance(value, int) and value in (31, 32, 127, 128, 159, 160)
            ) or (value == "C" and any(is_call(part, "category") for part in ast.walk(left))):
                yield f"{source.path}:{node.lineno}"
            case ast.Constant(value=int(number)) if 0x2000 < number < 0xE1000 and not bare(chr(number)):
                if number not in (0xFFFE, 0xFFFF):  # the greatest numbers of two bytes
                    yield f"{source.path}:{node.lineno}"
            case _:
                pass


def is_call(node: ast.AST, name: str) -> bool:
    """Whether a function of that name is called."""
    return isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] == name


def checks_requests(text: str) -> bool:
    """Whether a text names a header by which foreign pages are told, or is that of a token."""
    return text.lower() in ("origin", "sec-fetch-site", "authorization")


@pytest.mark.parametrize(
    "line",
    [
        'x = "[\\u200b-\\u200f]"',
        'x = r"[\\u200b\\ufeff]"',
        'x = category(y) == "Cf"',
        'x = unicodedata.category(y)[0] == "C"',
        'x = re.sub(r"[\\x00-\\x08\\x0b-\\x1f]", "", y)',
        'x = re.sub("[\\x00-\\x1f\\x7f-\\x9f]", "", y)',
        'x = "".join(letter for letter in y if letter.isprintable())',
        'x = "".join(filter(str.isprintable, y))',
        'x = "".join(letter for letter in y if ord(letter) >= 32)',
        "x = y.replace(chr(0x200B), '')",
        "x = y.translate({0xFEFF: None})",
    ],
)
def test_a_second_cleaner_is_seen(line: str) -> None:
    assert len(list(cleaners(parse(line, "a.py")))) == 1


@pytest.mark.parametrize("line", ['x = r"[^\\x00-\\x7f]"', "x = ord(y) - 32", "x = 8192", 'x = "a\\tb"'])
def test_what_cleans_nothing_is_no_cleaner(line: str) -> None:
    assert list(cleaners(parse(line, "a.py"))) == []


@pytest.mark.source
def test_there_is_one_cleaner() -> None:
    """``core.text`` says which characters nobody sees; whoever needs it asks there."""
    sources = [source for source in package() if not source.path.endswith(CLEANER) and "/testing/" not in source.path]
    assert [place for source in sources for place in cleaners(source)] == []
    assert clean("a\u200b\U000e0041\x1b") == "a"


@pytest.mark.source
def test_there_is_one_guard_of_requests() -> None:
    """Hosts, foreign pages and tokens are checked in one place, for the API and for MCP."""
    hosts = ("src/folkmoot/web/", "src/folkmoot/mcp/", "src/folkmoot/app/serve/")
    sources = [source for source in package() if source.path.startswith(hosts) and not source.path.endswith(GUARD)]
    lines = [f"{s.path}:{line}" for s in sources for line, text in texts(s) if checks_requests(text)]
    codes = [
        place for place in lines if not place.startswith(("src/folkmoot/web/problems.py", "src/folkmoot/app/serve/"))
    ]
    assert codes == []
    assert not [source.path for source in sources if "Buckets(" in source.text]
    assert [source.path for source in sources if "RequestGuard(" in source.text] == [
        "src/folkmoot/mcp/http_guard.py",
        "src/folkmoot/web/guard.py",
    ]


@pytest.mark.source
def test_there_is_one_table_of_keys() -> None:
    """The reader, the pages and the JSON Schema take the keys of a brief from one table."""
    assert [source.path for source in package() if "Key(name=" in source.text.replace("Key(\n", "Key(")] == [
        f"src/folkmoot/{KEYS}"
    ]


@pytest.mark.source
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
            elif isinstance(node, ast.ImportFrom) and node.module == "folkmoot.app.serve.answer_types":
                shared[source.part] |= {name.name for name in node.names}
    assert models["web"] & models["mcp"] == set()
    assert words["web"] & words["mcp"] == set()
    assert shared["web"] & shared["mcp"] >= {"BegunDebate", "DebateRow", "DebateState", "FormField", "WaitedPerson"}


SCREENS = ("cli", "web", "mcp")
EVENT_NAMES = frozenset(event.__name__ for event in EVENTS)


def reads_events(tree: ast.AST) -> Iterator[int]:
    """The lines in which a part of a file asks of which kind an event is."""
    for node in nodes(tree):
        if isinstance(node, ast.MatchClass) and dotted(node.cls).rpartition(".")[2] in EVENT_NAMES:
            yield node.cls.lineno
        elif isinstance(node, ast.Call) and dotted(node.func) == "isinstance" and len(node.args) == 2:
            kinds = {dotted(kind).rpartition(".")[2] for kind in ast.walk(node.args[1]) if isinstance(kind, ast.expr)}
            if kinds & EVENT_NAMES:
                yield node.lineno


@pytest.mark.parametrize(
    "text",
    [
        "match event:\n    case Replied(key=key):\n        print(key)\n",
        "match event:\n    case Asked() | event.Failed(key=key):\n        print(key)\n",
        "if isinstance(event, Replied):\n    pass\n",
        "if isinstance(entry.event, str | Closed | Paused):\n    pass\n",
        "if isinstance(entry.event, (str, event.Erred)):\n    pass\n",
    ],
)
def test_a_second_reader_of_events_is_seen(text: str) -> None:
    assert list(reads_events(parse(text, "a.py").tree))
    assert not list(reads_events(parse("if isinstance(item, Delta):\n    pass\n", "a.py").tree))


@pytest.mark.source
def test_screens_take_what_an_entry_says_from_one_place() -> None:
    """``app.serve.view_model`` reads events for the terminal, the pages and the tools; they only render its views."""
    lines = [
        f"{source.path}:{line}" for source in package() if source.part in SCREENS for line in reads_events(source.tree)
    ]
    assert lines == []


BLANK = re.compile(r"(?:\d|\}) %(?=[^a-z0-9 (%]|$| [a-z])")
QUOTED = re.compile(r"`+[^`]*`+")
"""What a reader of texts takes, which may have a blank."""


@pytest.mark.parametrize(
    ("line", "otherwise"),
    [
        ("at 95 %.", True),
        ("of 95 % intervals", True),
        ('f"{n} %"', True),
        ("``30 %``", False),
        ("95%", False),
        ("7 % x)", True),
        ("n % 2", False),
    ],
)
def test_a_share_that_is_written_otherwise_is_seen(line: str, otherwise: bool) -> None:
    assert bool(BLANK.search(QUOTED.sub("", line))) == otherwise


@pytest.mark.source
def test_a_share_is_written_in_one_way() -> None:
    """``63%``, as ``core.text.percent`` writes it: in the package, on pages and in documents."""
    files = [ROOT / "README.md"]
    for folder, ends in (
        ("src/folkmoot", "*.py"),
        ("frontend/src", "*.svelte"),
        ("frontend/src", "*.ts"),
        ("docs", "*.md"),
    ):
        files += sorted((ROOT / folder).rglob(ends))
    assert [
        f"{path.relative_to(ROOT)}:{number}"
        for path in files
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if BLANK.search(QUOTED.sub("", line))
    ] == []
