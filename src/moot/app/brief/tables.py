"""Tables of keys in a brief. This file owns which key a word names, and how a table of keys becomes values."""

from collections.abc import Mapping, Sequence

from moot.app.brief.field_values import Given, is_nothing, read, wrong
from moot.app.brief.key import Key
from moot.app.brief.schema import find, get, nearest
from moot.app.brief.yaml_header import Node, Scalar, Table
from moot.core.errors import BriefError


def match(table: Table, keys: Sequence[Key], *, prefix: str = "", what: str = "header") -> list[tuple[Key, Node]]:
    """The keys of a table with what stands behind them.

    Raises:
        BriefError: an unknown key, or one key under two of its names.
    """
    found: dict[str, tuple[Scalar, Key, Node]] = {}
    for word, node in table.pairs:
        key = find(keys, prefix + word.text)
        if key is None:
            raise _unknown(keys, prefix, word, what)
        if key.name in found:
            text = f"{word.text!r} means the same as {found[key.name][0].text!r} on line {found[key.name][0].line}"
            raise BriefError(f"{text}; keep one", line=word.line, code="duplicate_key")
        found[key.name] = (word, key, node)
    return [(key, node) for _, key, node in found.values()]


def _unknown(keys: Sequence[Key], prefix: str, word: Scalar, what: str) -> BriefError:
    names = [key.name.removeprefix(prefix) for key in keys if key.name.startswith(prefix)]
    names = [name for name in names if "." not in name]
    meant = nearest(keys, word.text, prefix=prefix)
    hint = f"did you mean {meant!r}?" if meant else f"there are {', '.join(names)}"
    return BriefError(f"there is no key {word.text[:60]!r} in a {what}; {hint}", line=word.line, code="unknown_key")


def read_all(table: Table, keys: Sequence[Key], *, what: str) -> dict[str, Given]:
    """The values of a table by the names of their keys; keys without a value are left out.

    Raises:
        BriefError: what ``match`` and ``read`` say, or a key both in a table inside of it and beside that.
    """
    found: dict[str, Given] = {}
    for key, node in match(table, keys, what=what):
        if is_nothing(node):
            continue
        add(found, read_table(keys, key.name, node) if key.kind == "table" else {key.name: read(key, node)})
    return found


def add(values: dict[str, Given], more: Mapping[str, Given]) -> None:
    """Add values to others.

    Raises:
        BriefError: one of them is there already.
    """
    for name, given in more.items():
        if name in values:
            found = f"{name} is given twice, first on line {values[name].line}; keep one"
            raise BriefError(found, line=given.line, code="duplicate_key")
        values[name] = given


def read_table(keys: Sequence[Key], name: str, node: Node) -> dict[str, Given]:
    """The values of a table inside of a table, under the full names of their keys: ``limits.cost``.

    Args:
        keys: the table of keys that holds both.
        name: the key behind which the table stands.
        node: what stands there.

    Raises:
        BriefError: it is no table, or what ``match`` and ``read`` say.
    """
    key = get(keys, name)
    if not isinstance(node, Table):
        raise wrong(key, node, f"a table, such as {key.example}")
    pairs = match(node, keys, prefix=f"{name}.", what=f"table of {name}")
    return {each.name: read(each, value) for each, value in pairs if not is_nothing(value)}
