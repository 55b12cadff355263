"""Read the YAML header of a brief as texts with line numbers, without types, tags or aliases.

YAML 1.2 as ruamel.yaml scans it. Nothing is built from tags and aliases are never followed. The table of keys
(``app.brief.types``) decides what a value means, so ``country: NO`` stays a text and no header can exhaust memory.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean

MOST_BYTES = 64 * 1024
MOST_DEPTH = 20
MOST_VALUES = 4000

_FENCE = re.compile(r"---[ \t]*")
_END = re.compile(r"(---|\.\.\.)[ \t]*")
_LOOSE = re.compile(r"[ \t]*(-{2,}([ \t]+#.*)?|\+{3}|;{3})[ \t]*")
_KEY = re.compile(r"[ \t]*[A-Za-z_]+([:=][ \t]|[:=]$|[ \t]+=)")
_BRACKETS = re.compile(rf"([\[{{][ \t]*){{{MOST_DEPTH + 1}}}")
_ONE_COLON = re.compile(r"[A-Za-z_]+:(?!.*:[ \t]).*")
_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
_FLAGS: Mapping[str, bool] = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_WHOLE = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_BOOLEAN = re.compile(r"true|True|TRUE|false|False|FALSE")
MOST_DIGITS = 20
"""The most characters of a whole number; a longer one is above any limit."""
_UNQUOTED = re.compile(r"((?:- )?[A-Za-z_]+: +)([@`][^\"\\]*)")
"""A value that begins with a character with which no text of YAML may: such as the name of a model, ``@cf/vendor/name``."""
_QUOTES = "put quotes around a text with a colon, a # or another YAML character in it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """One value as it is written: its text, whether without quotes, and a comment that touches its # ("#5: close")."""

    line: int
    text: str
    plain: bool = True
    comment: str = ""

    @property
    def is_typed(self) -> bool:
        """Whether YAML has a number, true or false here."""
        return self.plain and any(pattern.fullmatch(self.text) for pattern in (_WHOLE, _NUMBER, _BOOLEAN))

    @property
    def flag(self) -> bool | None:
        """Yes or no without quotes; None for any other text."""
        return _FLAGS.get(self.text.casefold()) if self.plain else None

    def number(self, *, whole: bool) -> int | float | None:
        """The number without quotes; None for any other text. A whole number with too many digits is infinite."""
        text = self.text
        if not self.plain or not (_WHOLE if whole else _NUMBER).fullmatch(text):
            return None
        if not whole:
            return float(re.sub(r"\.(?=[in])", "", text.casefold()))
        if len(text) > MOST_DIGITS:
            return -math.inf if text.startswith("-") else math.inf
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        return int(text[2:] if base != 10 else text, base)

    def whole_text(self) -> str:
        """The text without blanks around it.

        Raises:
            BriefError: a part of it was read as a comment.
        """
        if self.comment:
            problem = f"the text after the # is lost: {self.comment[:60]!r}; put quotes around the whole text"
            raise BriefError(problem, line=self.line, code="malformed_yaml")
        return self.text.strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """A list of values."""

    line: int
    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Keys with their values; no key twice."""

    line: int
    pairs: tuple[tuple[Scalar, "Node"], ...]


Node: TypeAlias = Scalar | Items | Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """A file cut in two: header (None where there is none) and body, each with the line on which it begins."""

    header: str | None
    header_line: int
    body: str
    body_line: int


def split(text: str) -> Parts:
    """Cut the header off: from a first line ``---`` to the next line ``---`` or ``...``; blank lines may stand before.

    Raises:
        BriefError: the header is never closed, is too large, or its first line is not exactly three hyphens.
    """
    lines = text.split("\n")
    first = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
    if first == len(lines) or not _FENCE.fullmatch(lines[first]):
        _check_loose(lines, first)
        return Parts(header=None, header_line=0, body=text, body_line=1)
    for n in range(first + 1, len(lines)):
        if _END.fullmatch(lines[n]):
            header = "\n".join(lines[first + 1 : n])
            if (size := len(header.encode())) > MOST_BYTES:
                problem = f"the header has {size:,} bytes; at most {MOST_BYTES:,} are allowed"
                raise BriefError(problem, line=first + 1, code="too_large")
            return Parts(header=header, header_line=first + 2, body="\n".join(lines[n + 1 :]), body_line=n + 2)
    problem = "the header is opened by --- and never closed; write --- on a line of its own after its last key"
    raise BriefError(problem, line=first + 1, code="unterminated_header")


def _check_loose(lines: list[str], first: int) -> None:
    if len(lines) > first + 1 and _LOOSE.fullmatch(lines[first]) and _KEY.match(lines[first + 1]):
        problem = f"a header is YAML between two lines of exactly three hyphens, not {lines[first].strip()[:60]!r}"
        raise BriefError(problem, line=first + 1, code="malformed_yaml")


def load(block: str, *, line: int) -> Table:
    """The keys and values of a block of YAML.

    Args:
        block: the lines, without their fences.
        line: the line of the file on which the block begins.

    Raises:
        BriefError: it is no table of keys (``malformed_yaml``, ``wrong_type``), a key appears twice
            (``duplicate_key``), or it uses what is not allowed here (``unsafe_yaml``, ``too_large``).
    """
    if match := _BRACKETS.search(block):  # the scanner is slow with these, so it never sees them
        raise _too_deep(line + block.count("\n", 0, match.start()))
    lines = block.split("\n")
    yaml: Any = YAML(typ="safe", pure=True)
    try:
        root = _Builder(lines, line, yaml.parse(block)).document()
    except MarkedYAMLError as error:
        mark: Any = getattr(error, "problem_mark", None)
        raise _malformed(str(getattr(error, "problem", "")), lines, mark.line if mark else 0, line) from error
    except (YAMLError, ValueError, ArithmeticError, AssertionError, LookupError, TypeError, AttributeError) as error:
        # The scanner lets slips of its own through ("\UFFFFFFFF", %YAML 1.19); for the user it is all the same.
        raise BriefError(f"this is not valid YAML; {_QUOTES}", line=line, code="malformed_yaml") from error
    match root:
        case None:
            return Table(line=line, pairs=())
        case Table() as table:
            return table
        case Items(line=at):
            raise BriefError("this is a list; write lines of the form key: value", line=at, code="wrong_type")
        case scalar:
            match = f"{scalar.text[:60]!r} is not a key with a value; write key: value, with a space after the colon"
            raise BriefError(match, line=scalar.line, code="malformed_yaml")


def _too_deep(line: int) -> BriefError:
    return BriefError(f"nested too deeply; at most {MOST_DEPTH} levels are allowed", line=line, code="unsafe_yaml")


def _malformed(problem: str, lines: list[str], at: int, first: int) -> BriefError:
    text = lines[min(at, len(lines) - 1)].strip()
    indented = lines[min(at, len(lines) - 1)].startswith(" ")
    if indented and ("mapping values" in problem or "block end" in problem) and _ONE_COLON.fullmatch(text):
        sentence = f"the blanks before {text[:80]!r} are wrong: keys of one table begin in the same column"
    elif "mapping values" in problem:
        sentence = f'there is a second colon in {text[:80]!r}; put quotes around it: key: "text: more text"'
    elif odd := _UNQUOTED.fullmatch(text):
        sentence = f"a text that begins with {odd[2][0]} needs quotes: write {odd[1]}{chr(34)}{odd[2]}{chr(34)}"
    elif "\t" in lines[min(at, len(lines) - 1)]:
        sentence = f"there is a tab in {text[:80]!r}; use spaces instead"
    elif "expected ':'" in problem and re.search(r":(\s|$)", text) is None:
        sentence = f"{text[:80]!r} has no key; write key: value, and put an empty line between keys and a text"
    else:
        sentence = f"{text[:80]!r} is not valid YAML ({problem}); {_QUOTES}"
    return BriefError(sentence, line=first + at, code="malformed_yaml")


class _Builder:
    """Makes nodes of the scanner's events, within the limits; ruamel.yaml's own types end here."""

    def __init__(self, lines: Sequence[str], first: int, events: Iterator[Any]) -> None:
        self.lines, self.first, self.events = lines, first, events
        self.depth = self.values = 0

    def document(self) -> Node | None:
        """The one document of a header; None where there is none."""
        root: Node | None = None
        documents = 0
        for event in self.events:
            match type(event).__name__:
                case "DocumentStartEvent":
                    documents += 1
                    line: int = self.first + event.start_mark.line
                    if event.version or event.tags:
                        raise BriefError("directives (%) are not allowed", line=line, code="unsafe_yaml")
                    if documents > 1:
                        problem = "a second YAML document begins here; one is allowed"
                        raise BriefError(problem, line=line, code="malformed_yaml")
                case "StreamStartEvent" | "StreamEndEvent" | "DocumentEndEvent":
                    pass
                case _:
                    root = self.node(event)
        return root

    def node(self, event: Any) -> Node:
        """The node that begins with an event."""
        line: int = self.first + event.start_mark.line
        kind = type(event).__name__
        if kind == "AliasEvent" or event.anchor is not None:
            raise BriefError("anchors (&) and aliases (*) are not allowed", line=line, code="unsafe_yaml")
        if event.tag is not None:
            raise BriefError("tags (!) are not allowed; write the plain value", line=line, code="unsafe_yaml")
        self.values += 1
        if self.values > MOST_VALUES:
            raise BriefError(f"too many values; at most {MOST_VALUES} are allowed", line=line, code="too_large")
        if kind == "ScalarEvent":
            plain, end = not event.style, event.end_mark
            behind = str(self.lines[end.line])[end.column :].strip() if plain else ""
            comment = behind if re.match(r"#\S", behind) else ""
            return Scalar(line=line, text=clean(event.value), plain=plain, comment=comment)
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise _too_deep(line)
        nodes: list[Node] = []
        while type(inner := next(self.events)).__name__ not in ("MappingEndEvent", "SequenceEndEvent"):
            nodes.append(self.node(inner))
        self.depth -= 1
        if kind == "SequenceStartEvent":
            return Items(line=line, items=tuple(nodes))
        return Table(line=line, pairs=_pairs(nodes))


def is_empty(node: Node) -> bool:
    """Whether a key has no value, so that it counts as not set."""
    return isinstance(node, Scalar) and node.plain and node.text in _NOTHING


def _pairs(nodes: list[Node]) -> tuple[tuple[Scalar, Node], ...]:
    """Nodes in turn as keys and values."""
    pairs: dict[str, tuple[Scalar, Node]] = {}
    for key, value in zip(nodes[::2], nodes[1::2], strict=True):
        if not isinstance(key, Scalar):
            raise BriefError("a key must be a word", line=key.line, code="malformed_yaml")
        if key.text == "<<" and key.plain:
            raise BriefError("merge keys (<<) are not allowed", line=key.line, code="unsafe_yaml")
        if key.text in pairs:
            problem = f"{key.text!r} appears twice, first on line {pairs[key.text][0].line}; keep one"
            raise BriefError(problem, line=key.line, code="duplicate_key")
        pairs[key.text] = (key, value)
    return tuple(pairs.values())


def as_node(value: object) -> Node:
    """A value as it would stand in a brief."""
    if isinstance(value, list | tuple):
        return Items(line=0, items=tuple(as_node(item) for item in cast("Sequence[object]", value)))
    if isinstance(value, str):
        return Scalar(line=0, text=value, plain=False)
    return Scalar(line=0, text=repr(value), plain=isinstance(value, int | float))
