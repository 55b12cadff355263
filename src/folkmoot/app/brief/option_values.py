"""Read options of extensions: what a brief sets for protocols, rules, providers, tools and formats of packages.

What an option takes is known only to the package that declares it (``core.extensions``). Here a value is read as it is
written, with its line.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from folkmoot.app.brief.field_values import LocatedValue, add_values, texts, value_error
from folkmoot.app.brief.schema import EXTENSION_NAME, OPTION_NAME, Key
from folkmoot.app.brief.yaml_header import Node, Scalar, Table, is_empty
from folkmoot.core.ask import Value
from folkmoot.core.errors import BriefError
from folkmoot.core.text import flat

_OPTION = re.compile(OPTION_NAME)
_EXTENSION = re.compile(EXTENSION_NAME)


def read_options(key: Key, node: Node) -> dict[str, LocatedValue]:
    """The values of a table of options under their full names: ``protocol_options.hats``, ``tool_options.dice.most``.

    Raises:
        BriefError: it is no table, a name or a value cannot be, or a name stands there twice.
    """
    if not isinstance(node, Table):
        raise value_error(key, node, f"a table, such as {key.example}")
    values: dict[str, LocatedValue] = {}
    if key.kind == "options":
        for option in _read(key, node):
            add_values(values, option)
        return values
    for word, inner in node.pairs:
        if not _EXTENSION.fullmatch(word.text):
            problem = f"{word.text[:60]!r} cannot be a name in {key.name}; a name has letters, digits, - and _"
            raise BriefError(problem, line=word.line, code="unknown_key")
        own = replace(key, name=f"{key.name}.{word.text}")
        if is_empty(inner):
            continue
        if not isinstance(inner, Table):
            raise value_error(own, inner, f"a table of its options; write {key.name}: {key.example}")
        for option in _read(own, inner):
            add_values(values, option)
    return values


def _read(key: Key, table: Table) -> Iterator[dict[str, LocatedValue]]:
    """The options of one extension, each under its full name."""
    for word, value in table.pairs:
        if not _OPTION.fullmatch(word.text):
            problem = f"{word.text[:60]!r} cannot be an option in {key.name}; a name has small letters, digits and _"
            raise BriefError(problem, line=word.line, code="unknown_key")
        if not is_empty(value):
            option = replace(key, name=f"{key.name}.{word.text}", kind="texts", low=1, high=100)
            yield {option.name: LocatedValue(value=_untyped(option, value), line=value.line)}


def _untyped(key: Key, node: Node) -> Value:
    """A value as it is written: a list of texts, a flag, a number, or a text."""
    if not isinstance(node, Scalar):
        return texts(key, node)
    if not node.plain:
        return flat(node.text)
    if node.flag is not None:
        return node.flag
    numbers = (node.number(whole=True), node.number(whole=False))
    number = next((number for number in numbers if number is not None and math.isfinite(number)), None)
    return flat(node.whole_text()) if number is None else number


def nested(names: Sequence[str], node: Node) -> Node:
    """A value behind names that are separated by points when typed: ``dice.most`` as a table in a table."""
    for name in reversed(names):
        node = Table(line=node.line, pairs=((Scalar(line=node.line, text=name), node),))
    return node
