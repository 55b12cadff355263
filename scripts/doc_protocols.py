"""Generates the page of the protocols: each phase tree as a drawing, and the wording of its questions."""

from collections.abc import Iterator, Mapping
from typing import cast

from doc_pages import page, paragraph, table
from folkmoot.core.brief import Brief, Participant
from folkmoot.protocols import known, spec


def protocols_page() -> str:
    """Return the page of all protocols: what each does, its phases as a tree, its questions."""
    parts: list[str] = []
    for name, make in known.KNOWN.items():
        phase = make(table_of(6 if name == "grouped" else 3), known.Choices())
        tree = "\n".join(draw(spec.dump(phase)))
        parts += [f"## {name}", paragraph(make.__doc__), f"```text\n{tree}\n```"]
        parts += [table(("act", "what is asked"), list(asks_of(phase)))]
    words = (
        "Each is a few lines over the same phases, drawn here with three debaters, `grouped` with six. "
        f"The default is `{known.DEFAULT}`."
    )
    return page("Protocols", words, *parts)


def table_of(count: int) -> Brief:
    """A brief with so many debaters and a moderator."""
    people = tuple(Participant(name=name) for name in ("Ann", "Bob", "Cay", "Dan", "Eve", "Fay")[:count])
    return Brief(topic="Tea or coffee?", participants=(*people, Participant(name="Mo", duty="moderator")))


Tree = Mapping[str, spec.Data]
INSIDE = ("parts", "each")
UNSAID = frozenset({"is", "act", "name", "task", *INSIDE})


def children(tree: Tree) -> list[Tree]:
    """The phases inside a phase."""
    trees: list[Tree] = []
    for key in INSIDE:
        inner = tree.get(key, [])
        trees += [item for item in (inner if isinstance(inner, list) else [inner]) if isinstance(item, dict)]
    return trees


def is_said(value: object) -> bool:
    """Whether a field holds what somebody is told, a sentence of more than four words, and no name or number."""
    return isinstance(value, str) and len(value.split()) > 4


def asks_of(phase: object) -> Iterator[tuple[str, str]]:
    """What a phase and all inside it say to those who are asked, each behind its act or the field that holds it."""
    for name in getattr(phase, "__dataclass_fields__", {}):
        value = cast(object, getattr(phase, name))
        if is_said(value):
            act = getattr(phase, "act", getattr(phase, "name", ""))
            yield str(act if name == "task" else name), " ".join(str(value).split())
        elif name in INSIDE:
            for inner in cast(tuple[object, ...], value) if isinstance(value, tuple) else (value,):
                yield from asks_of(inner)


def draw(tree: Tree, first: str = "", rest: str = "") -> Iterator[str]:
    """A phase tree as lines."""
    label = f"{tree['is']} {tree['act']}" if "act" in tree else str(tree["is"])
    known = {key: value for key, value in tree.items() if key not in UNSAID}
    settings = [f"{key}: {say(value)}" for key, value in known.items() if not is_said(value)]
    yield f"{first}{label}" + (f" ({', '.join(settings)})" if settings else "")
    inner = children(tree)
    for n, child in enumerate(inner, 1):
        last = n == len(inner)
        yield from draw(child, rest + ("└── " if last else "├── "), rest + ("    " if last else "│   "))


def say(value: spec.Data) -> str:
    """A field's value in a few words."""
    if isinstance(value, list):
        return " + ".join(f"({say(item)})" if isinstance(item, list) else say(item) for item in value)
    if not isinstance(value, dict):
        return str(value).lower() if isinstance(value, bool | None) else str(value) or "none"
    if value["is"] == "Form":
        return str(value["name"])
    inner = [f"{key} {say(item)}" for key, item in value.items() if key not in ("is", "name")]
    if value["is"] == "View":
        return " and ".join(inner)
    return f"{value.get('name', value['is'])}" + (f" [{', '.join(inner)}]" if inner else "")
