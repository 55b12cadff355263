"""Read the values of a brief: what stands in a header becomes plain data, which msgspec checks against the types.

People write more than JSON has: yes and no, a choice in any spelling, one entry without brackets, a list as a text,
``provider/name``. ``_plain`` takes these; the bounds are those of ``app.brief.types``. What an option of an extension
takes is known only to the package that declares it (``core.extensions``), so such a value is read as it is written.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, cast

from msgspec import Meta, ValidationError, convert

from folkmoot.app.brief.names import skeleton
from folkmoot.app.brief.types import (
    EXTENSION_NAME,
    OPTION_NAME,
    Key,
    NamedOptions,
    Option,
    Options,
    find_key,
    get_key,
    nearest,
    nested_name,
)
from folkmoot.app.brief.yaml_header import Items, Node, Scalar, Table, as_node, is_empty
from folkmoot.core.ask import Value
from folkmoot.core.brief import HUMAN
from folkmoot.core.errors import BriefError
from folkmoot.core.roles import RETRIEVER_NAME
from folkmoot.core.text import closest, flat, leaves_folder

NOT_MODELS = (HUMAN, RETRIEVER_NAME)
"""Agents that are not models, as a brief names them."""

LONGEST_TERM = 366 * 86_400
"""The most seconds of a length of time: a year."""

_UNITS: Mapping[str, int] = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_TERM = re.compile(r"([0-9]{1,6})(s|m|h|d|w)")
_SERVER = re.compile(r"mcp:[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_MODEL = re.compile(r"([A-Za-z][A-Za-z0-9_-]{0,31})[:/](?!/)([A-Za-z0-9@~][A-Za-z0-9._:/@+~-]{0,199})")
_SECONDS = re.compile(r"(?<=\d)\s*s(?:ec(?:onds?)?)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedValue:
    """A value and its line."""

    value: Value
    line: int


def read_value(key: Key, node: Node) -> LocatedValue:
    """The value of a key.

    Raises:
        BriefError: ``wrong_type``, ``bad_enum``, ``out_of_range`` or ``too_large``.
    """
    plain = _plain(key, node)
    try:
        value = convert(plain, key.checked)
    except ValidationError as error:
        raise _refusal(key, node, plain, str(error)) from error
    if key.form == "term" and not 0 < seconds(value) <= LONGEST_TERM:
        problem = f"{label(key)} must be from 1s to {LONGEST_TERM // 86_400}d, not {value}"
        raise BriefError(problem, line=node.line, code="out_of_range")
    if key.form == "prose" and not isinstance(node, Items) and leaves_folder(value):
        problem = f"{label(key)} must be the text itself, not a path such as {value[:60]!r}; name files in background"
        raise BriefError(problem, line=node.line, code="unsafe_path")
    if key.is_list and not key.choices and key.form != "letters":
        _check_different(key, value, node.line)
    return LocatedValue(value=value, line=node.line)


def check_value(keys: Sequence[Key], name: str, value: object, *, whose: str = "") -> Value:
    """Check a value of a program as the reader checks the same value in a brief.

    Args:
        keys: the table of keys.
        name: the name of the key.
        value: the value.
        whose: the participant, for the sentence.

    Returns:
        The value as the reader reads it.

    Raises:
        BriefError: it cannot be that.
    """
    try:
        return read_value(get_key(keys, name), as_node(value)).value
    except BriefError as error:
        raise BriefError(f"{whose}{error}", code=error.code) from error


def label(key: Key) -> str:
    """The name of a key as the brief has it."""
    return key.written or key.name


def value_error(key: Key, node: Node, wanted: str) -> BriefError:
    """The error for a value that does not fit its key."""
    match node:
        case Scalar(text=text):
            shown_value = repr(text[:60])
        case Items():
            shown_value = "a list"
        case _:
            shown_value = "a table of keys"
    return BriefError(f"{label(key)} is {shown_value}; it must be {wanted}", line=node.line, code="wrong_type")


_LIMIT = re.compile(r"Expected `(?P<type>\w+)` (?:of length )?[<>]= (?P<limit>[-\d.]+)(?: - at `\$\[(?P<item>\d+)\]`)?")


def _refusal(key: Key, node: Node, plain: object, problem: str) -> BriefError:
    """What msgspec found, in words for the author of a brief."""
    limit = _LIMIT.fullmatch(problem)
    if limit is None:
        return value_error(key, node, _wanted(key))
    if limit["type"] == "array":
        entries = len(node.items) if isinstance(node, Items) else 1
        sentence = f"{label(key)} must have {key.low:g} to {key.high:g} entries, not {entries}"
    elif limit["type"] == "str":
        text = str(cast("list[object]", plain)[int(limit["item"])] if limit["item"] else plain)
        what, where = (f"{text[:60]!r}", f" in {label(key)}") if limit["item"] else (label(key), "")
        sentence = f"{what} has {len(text):,} characters; at most {int(limit['limit']):,} are allowed{where}"
        return BriefError(sentence, line=node.line, code="too_large")
    else:
        sentence = f"{label(key)} must be from {key.low:,g} to {key.high:,.12g}, not {_written(node)}"
    return BriefError(sentence, line=node.line, code="out_of_range")


def _written(node: Node) -> str:
    return node.text[:40] if isinstance(node, Scalar) else ""


def _wanted(key: Key) -> str:
    """What a key takes, in words."""
    match key.type:
        case _ if key.form == "term":
            return "a length of time such as 30s, 10m, 2h, 2d or 1w"
        case _ if key.form == "span":
            return "a length of time such as 30s, 10m or 2h, or -1 forever, or 0"
        case _ if key.form == "letters":
            return "texts of 1 to 100 characters, in quotes where spaces or special characters matter"
        case _ if key.is_list and key.choices:
            return f"{'yes, no or a list' if key.type is str else 'one or more'} of {', '.join(key.choices)}"
        case _ if key.is_list:
            return "a list: [one, two], or one line '- one' for each"
        case kind if kind is bool:
            return "yes or no (true, false, on, off), without quotes"
        case kind if kind in (int, float):
            return " or ".join(("a whole number" if kind is int else "a number", *key.choices))
        case _ if key.choices:
            return f"one of {', '.join(key.choices)}"
        case _:
            return "a text"


def _plain(key: Key, node: Node) -> object:
    """What stands there as plain data; what does not fit its key is left for msgspec, or refused here."""
    if key.name == "tool_usage" and isinstance(node, Scalar):
        return ["search", "summarizer"] if _plain_scalar(replace(key, type=bool, choices=()), node) else []
    if key.form == "prose" and isinstance(node, Items):
        return "\n".join(f"- {flat(_text(key, item))}" for item in node.items)
    if not key.is_list:
        return _plain_scalar(key, node)
    # What may have one entry may be written without brackets.
    nodes = node.items if isinstance(node, Items) else (node,) if isinstance(node, Scalar) and key.low == 1 else None
    if nodes is None:
        raise value_error(key, node, _wanted(key))
    entries = [_plain_scalar(key, item) for item in nodes]
    return entries if key.form != "letters" and not key.choices else list(dict.fromkeys(entries))


def _plain_scalar(key: Key, node: Node) -> Value:
    if not isinstance(node, Scalar):
        raise value_error(key, node, _wanted(key))
    if key.type is bool:
        if node.flag is None:
            raise value_error(key, node, _wanted(key))
        return node.flag
    if key.type in (int, float):
        return node.text if node.text in key.choices else _number(key, node)
    if key.choices:
        return _choice(key, node)
    if key.form in ("letters", "span"):
        if is_empty(node) or not node.text:
            raise value_error(key, node, _wanted(key))
        return node.text
    text = node.whole_text() if key.is_list and not is_empty(node) else _text(key, node)
    if key.form == "model":
        return parse_agent(text, line=node.line)
    if key.is_list and not text:
        raise value_error(key, node, "a list of texts")
    return text if key.form in ("name", "prose") else flat(text)


def _text(key: Key, node: Node) -> str:
    if not isinstance(node, Scalar) or is_empty(node):
        raise value_error(key, node, "a text")
    if node.is_typed:
        raise value_error(key, node, "a text; put quotes around it if it is one")
    return node.whole_text()


def _number(key: Key, node: Scalar) -> int | float:
    scalar = replace(node, text=_SECONDS.sub("", node.text)) if key.form == "seconds" else node
    value = scalar.number(whole=key.type is int)
    if value is None:
        raise value_error(key, node, _wanted(key))
    if not math.isfinite(value):  # msgspec takes nan for any number, and has no infinite whole one
        problem = f"{label(key)} must be from {key.low:,g} to {key.high:,.12g}, not {_written(node)}"
        raise BriefError(problem, line=node.line, code="out_of_range")
    return value


def _choice(key: Key, node: Scalar) -> str:
    """The choice that is meant, whatever its case, blanks and hyphens."""
    if node.text in key.choices or (key.name == "tool_usage" and _SERVER.fullmatch(node.text)):
        return node.text
    if not key.further or key.is_list:  # the names of protocols and strategies are kept to the letter
        known = {_letters(word): word for word in key.choices} | {_letters(word): key.same[word] for word in key.same}
        if word := known.get(_letters(node.text)):
            return word
    choices = (*key.choices, *(key.further() if key.further else ()))
    if node.text not in choices:
        meant = closest(node.text, choices)
        hint = f"did you mean {meant!r}? " if meant else ""
        problem = f"{label(key)} cannot be {node.text[:60]!r}; {hint}allowed are {', '.join(choices)}"
        raise BriefError(problem, line=node.line, code="bad_enum")
    return node.text


def _letters(word: str) -> str:
    return re.sub(r"[\s_-]+", "", word.casefold())


def seconds(term: str) -> int:
    """The seconds of a duration such as ``10m``; 0 if the text is no duration."""
    return int(term[:-1]) * _UNITS[term[-1]] if _TERM.fullmatch(term) else 0


def _check_different(key: Key, entries: Sequence[str], line: int) -> None:
    """Refuse a list in which a text appears twice, or one that means an abstention."""
    earlier: set[str] = set()
    for text in entries:
        if skeleton(text) in ("abstain", "abstention"):
            raise BriefError(f"{text!r} cannot be in {label(key)}: anybody may abstain", line=line, code="bad_name")
        if text.casefold() in earlier:
            raise BriefError(f"{text!r} appears twice in {label(key)}", line=line, code="duplicate_name")
        earlier.add(text.casefold())


def parse_agent(text: str, *, line: int = 0) -> str:
    """Read the name of a model or another agent, ``provider:name``; ``provider/name`` is accepted too.

    Raises:
        BriefError: it has not that shape; addresses and paths have not.
    """
    if text in NOT_MODELS:
        return text
    model_match = _MODEL.fullmatch(text)
    if not model_match or "//" in text or ".." in text:
        wanted = "provider:name, for example ollama:llama3.2, or human"
        raise BriefError(f"{text[:60]!r} is not a model; write {wanted}", line=line, code="wrong_type")
    return f"{model_match[1]}:{model_match[2]}"


def is_agent_name(text: str) -> bool:
    """Whether a text in parentheses after a name is the name of a model or another agent."""
    return text in NOT_MODELS or bool(_MODEL.fullmatch(text))


# ---- tables ----------------------------------------------------------------------------------------------------------


def match_keys(table: Table, keys: Sequence[Key], *, prefix: str = "", place: str = "header") -> list[tuple[Key, Node]]:
    """Match the entries of a table to the known keys.

    Raises:
        BriefError: an unknown key, or one key under two of its names.
    """
    located: dict[str, tuple[Scalar, Key, Node]] = {}
    for word, node in table.pairs:
        key = find_key(keys, prefix + word.text)
        if key is None:
            raise _unknown_key(keys, prefix, word, place)
        if key.name in located:
            text = f"{word.text!r} means the same as {located[key.name][0].text!r} on line {located[key.name][0].line}"
            raise BriefError(f"{text}; keep one", line=word.line, code="duplicate_key")
        located[key.name] = (word, key, node)
    return [(key, node) for _, key, node in located.values()]


def _unknown_key(keys: Sequence[Key], prefix: str, word: Scalar, place: str) -> BriefError:
    names = [key.name.removeprefix(prefix) for key in keys if key.name.startswith(prefix)]
    meant = nearest(keys, word.text, prefix=prefix)
    hint = f"did you mean {meant!r}?" if meant else f"there are {', '.join(name for name in names if '.' not in name)}"
    table, dot, inner = nested_name(keys, word.text).partition(".")
    if dot and not prefix:
        hint = f"it belongs under {table}; write {table}: {{{inner}: …}}"
    if "api_key" in word.text.casefold():
        hint = "keys of providers come from the environment, such as OPENAI_API_KEY"
    return BriefError(f"there is no key {word.text[:60]!r} in a {place}; {hint}", line=word.line, code="unknown_key")


def read_values(
    table: Table, keys: Sequence[Key], *, prefix: str = "", place: str = "header"
) -> dict[str, LocatedValue]:
    """The values of a table by the full names of their keys, such as ``limits.cost``; those without one are left out.

    Args:
        table: the table.
        keys: the keys that it may have.
        prefix: the key behind which it stands in another table, and a point.
        place: what it is called in errors.

    Raises:
        BriefError: what ``match_keys`` and ``read_value`` say, or a key both in a table inside of it and beside that.
    """
    values: dict[str, LocatedValue] = {}
    for key, node in match_keys(table, keys, prefix=prefix, place=place):
        if is_empty(node) or key.name == "participants":  # whose entries are more than values
            continue
        for name, item in read_key(key, node, keys).items():
            if name in values:
                problem = f"{name} is given twice, first on line {values[name].line}; keep one"
                raise BriefError(problem, line=item.line, code="duplicate_key")
            values[name] = item
    return values


def read_key(key: Key, node: Node, keys: Sequence[Key]) -> dict[str, LocatedValue]:
    """What stands behind a key: its value, or those of the table there, by their full names.

    Raises:
        BriefError: as of ``read_values``.
    """
    inside = [inner for inner in keys if inner.name.startswith(f"{key.name}.")]
    if not inside and key.type not in (Options, NamedOptions):
        return {key.name: read_value(key, node)}
    if not isinstance(node, Table):
        raise value_error(key, node, f"a table, such as {key.example}")
    if inside:
        return read_values(node, keys, prefix=f"{key.name}.", place=f"table of {key.name}")
    return dict(_options(key, node) if key.type == Options else _named_options(key, node))


def _named_options(key: Key, table: Table) -> Iterator[tuple[str, LocatedValue]]:
    """The options of all extensions that are named, each under its full name: ``tool_options.dice.most``."""
    for word, inner in table.pairs:
        if not re.fullmatch(EXTENSION_NAME, word.text):
            problem = f"{word.text[:60]!r} cannot be a name in {key.name}; a name has letters, digits, - and _"
            raise BriefError(problem, line=word.line, code="unknown_key")
        own = replace(key, name=f"{key.name}.{word.text}")
        if isinstance(inner, Table):
            yield from _options(own, inner)
        elif not is_empty(inner):
            raise value_error(own, inner, f"a table of its options; write {key.name}: {key.example}")


def _options(key: Key, table: Table) -> Iterator[tuple[str, LocatedValue]]:
    """The options of one extension, each under its full name: ``protocol_options.hats``."""
    for word, node in table.pairs:
        if not re.fullmatch(OPTION_NAME, word.text):
            problem = f"{word.text[:60]!r} cannot be an option in {key.name}; a name has small letters, digits and _"
            raise BriefError(problem, line=word.line, code="unknown_key")
        if not is_empty(node):
            name = f"{key.name}.{word.text}"
            yield name, LocatedValue(value=_untyped(replace(key, name=name), node), line=node.line)


_SEVERAL = Annotated[tuple[Option, ...], Meta(min_length=1, max_length=100)]


def _untyped(key: Key, node: Node) -> Value:
    """A value as it is written: a list of texts, a flag, a number, or a text."""
    if not isinstance(node, Scalar):
        several = replace(key, type=str, is_list=True, low=1, high=100, checked=_SEVERAL)
        return read_value(several, node).value
    if not node.plain:
        return flat(node.text)
    if node.flag is not None:
        return node.flag
    numbers = (node.number(whole=True), node.number(whole=False))
    number = next((number for number in numbers if number is not None and math.isfinite(number)), None)
    return flat(node.whole_text()) if number is None else number
