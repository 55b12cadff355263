"""The page of what extensions import: the fields of all values, the methods and functions, by kind of extension."""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from typing import get_args, get_type_hints

from doc_pages import describe_fields, meanings, page, paragraph, table
from folkmoot import ext
from folkmoot.report.report import Report

GROUPS: Mapping[str, str] = {
    "Options of every kind": "option takes_options",
    "Protocols": "Protocol Brief Participant Source Settings Limits View Choices Phase Sequence Rounds At After "
    "Everyone Floor Vote Count Adopt Ranking Showing ending until speech draft mediator LOG",
    "Phases": "State Play Ask Form Field Reply Unread Usage Entered Halted Ruled Transcript Turn aimed asked_names "
    "read_field wording",
    "Counting rules": "CountingRule Rule Ballot Decision Minority PLURALITY Quorum Share no_vote_reason strength "
    "tiers_by_score tiers_of unlawful",
    "Model providers": "Provider Wire ProviderModel Request Message AnswerStream End ModelName ProviderConnection "
    "Model Traits Quote Recorder Called answer_cap as_text",
    "Tools": "Tool ToolSpec ToolUse ToolResult Context",
    "Report formats": "ReportFormat ReadRecord Report bullets inline decision_chapter",
    "Words": "counted listed",
    "Errors": "FolkmootError BriefError ProtocolError ModelError Unavailable Refused Unreadable ToolError",
}
"""All names of ``folkmoot.ext`` by what they are for."""


_MODULE = re.compile(r"\b(?:collections|folkmoot)(?:\.[a-z_]+)*\.(?=[A-Z])")
"""The modules before the names of classes."""


def extensions_page() -> str:
    """All that ``folkmoot.ext`` offers, with the fields of its values and of those within a Report."""
    named = {name for names in GROUPS.values() for name in names.split()}
    if odd := named ^ {*ext.__all__}:
        raise ValueError(f"GROUPS and folkmoot.ext.__all__ differ by {', '.join(sorted(odd))}")
    return page(
        "What extensions import",
        "Everything in `folkmoot.ext`, by the kind of extension that needs it. [Extend Folkmoot](../how-to/extend-folkmoot.md) "
        "shows a whole package for each kind.",
        *(part for title, names in GROUPS.items() for part in [f"## {title}", *_group(names.split())]),
        "## What is in a Report",
        "The values of the fields of `Report`, and those within them.",
        *(part for kind in _within(Report) for part in _class(kind.__name__, kind)),
    )


def _group(names: Sequence[str]) -> Iterator[str]:
    for name in names:
        thing: object = getattr(ext, name)
        if inspect.isclass(thing):
            yield from _class(name, thing)
        elif inspect.isroutine(thing):
            yield f"### {name}\n\n```python no-run\n{name}{_signature(thing)}\n```\n\n{_words(thing.__doc__)}"
        else:
            yield f"### {name}\n\n`{_MODULE.sub('', repr(thing))}`"


def _class(name: str, kind: type[object]) -> Iterator[str]:
    words, _, tail = inspect.cleandoc(kind.__doc__ or "").partition("\nAttributes:\n")
    yield f"### {name}\n\n{_words(words)}"
    node = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    if not isinstance(node, ast.ClassDef):
        raise TypeError(f"{name} is no class in its source")
    if is_dataclass(kind) and (rows := list(describe_fields(node, meanings(tail)))):
        used = [n for n in range(4) if any(row[n] for row in rows)]
        head = ("field", "type", "default", "meaning")
        yield table([head[n] for n in used], [[_inline(row[n]) for n in used] for row in rows])
    if methods := [_method(member) for member in node.body if _is_public(member)]:
        yield table(("method", "what it does"), methods)


def _is_public(member: ast.stmt) -> bool:
    return isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and not member.name.startswith("_")


def _method(member: ast.stmt) -> tuple[str, str]:
    assert isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef)
    arguments = [name for item in (*member.args.args, *member.args.kwonlyargs) if (name := item.arg) != "self"]
    is_property = any(ast.unparse(item) == "property" for item in member.decorator_list)
    call = member.name if is_property else f"{member.name}({', '.join(arguments)})"
    awaited = "await " if isinstance(member, ast.AsyncFunctionDef) else ""
    return f"`{awaited}{call}`", _inline(" ".join((ast.get_docstring(member) or "").partition("\n\n")[0].split()))


def _signature(thing: object) -> str:
    node = ast.parse(textwrap.dedent(inspect.getsource(thing))).body[0]  # type: ignore[arg-type]
    assert isinstance(node, ast.FunctionDef)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"({ast.unparse(node.args)}){returns}"


def _words(text: str | None) -> str:
    """A docstring as Markdown; its sections become lists."""
    whole, _, tail = inspect.cleandoc(text or "").partition("\nArgs:\n")
    lines = [f"- `{name}`: {words}" for name, words in meanings(tail.partition("\n\n")[0]).items()]
    return _inline("\n\n".join(filter(None, (paragraph(whole.partition("\nRaises:\n")[0]), "\n".join(lines)))))


def _inline(text: str) -> str:
    return text.replace("``", "`")


def _within(kind: type[object]) -> list[type[object]]:
    """The dataclasses in the fields of a dataclass, and in theirs, each once, outside of ``folkmoot.ext``."""
    offered = {getattr(ext, name) for name in ext.__all__}
    queue: list[object] = list(get_type_hints(kind).values())
    matching: list[type[object]] = []
    while queue:
        item = queue.pop(0)
        queue[:0] = get_args(item)
        if inspect.isclass(item) and is_dataclass(item) and item not in offered and item not in matching:
            matching.append(item)
            queue += get_type_hints(item).values()
    return matching
