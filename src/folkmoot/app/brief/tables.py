"""Read tables of ``folkmoot.toml`` as dataclasses: msgspec checks them against the types of their fields."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, cast, get_args, get_origin

from msgspec import Meta, ValidationError, convert

from folkmoot.core.brief import Bound, Whole
from folkmoot.core.errors import BriefError
from folkmoot.core.text import unknown_word

T = TypeVar("T")

Text: TypeAlias = Annotated[str, Meta(pattern=r"^[^\0]+$")]
"""An entry of a list of texts."""

Texts: TypeAlias = Annotated[tuple[Text, ...], Meta(min_length=1)]
"""A list of texts; a command is never one text, so that no shell has to take it apart."""

ANY_CASE = (r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}", "letters, digits, - and _")
LOWER_CASE = (r"[a-z0-9][a-z0-9-]{0,31}", "small letters, digits and -")
LOWER_CASE_OR_UNDERSCORE = (r"[a-z0-9][a-z0-9_-]{0,31}", "small letters, digits, - and _")
"""Which names tables may have: a pattern, and its characters in words."""


def within(bound: Whole | Bound) -> Meta:
    """The bounds of a number."""
    return Meta(ge=bound.low, le=bound.high)


def named_tables(
    kind: str, value: object, where: str, *, example: str, rule: tuple[str, str] = ANY_CASE
) -> Mapping[str, Mapping[str, object]]:
    """The tables of a kind by their names, such as ``[acp.claude]``.

    Args:
        kind: the name of the table that holds them.
        value: what stands there.
        where: the file, for errors.
        example: a name, for errors.
        rule: which names they may have.

    Raises:
        BriefError: it is no table of tables, or a name cannot be.
    """
    tables = cast("dict[str, object]", value) if isinstance(value, dict) else {"": value}
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise BriefError(f"{kind} must be a table of tables: [{kind}.{name[:60] or example}]", where=where)
        check_name_of(kind, name, where, rule)
    return cast("Mapping[str, Mapping[str, object]]", tables)


def check_name_of(kind: str, name: str, where: str, rule: tuple[str, str] = ANY_CASE) -> None:
    """Check the name of a table, or one in it.

    Raises:
        BriefError: it cannot be.
    """
    if not re.fullmatch(rule[0], name):
        raise BriefError(f"{kind}.{name[:60]} needs a name of 1 to 32 {rule[1]}", where=where)


def read_table(kind: type[T], place: str, value: object, where: str, **fixed: object) -> T:
    """A table as a dataclass.

    Args:
        kind: the dataclass.
        place: the name of the table.
        value: what stands there.
        where: the file, for errors.
        fixed: fields that the table cannot set.

    Raises:
        BriefError: an unknown name, a missing one, or a value that cannot be.
    """
    if not isinstance(value, dict):
        raise BriefError(f"{place} must be a table: [{place}]", where=where)
    table, types = cast("dict[str, object]", value), kind.__annotations__
    known = [name for name in types if name not in fixed]
    if unknown := [name for name in table if name not in known]:
        problem = f"{place} has no setting {unknown[0][:60]!r}; {unknown_word(unknown[0][:60], known)}"
        raise BriefError(problem, where=where, code="unknown_key")
    try:
        return convert({**table, **fixed}, kind, dec_hook=_folder)
    except ValidationError as error:
        problem = str(error)
    if missing := re.search("missing required field `(.+)`", problem):
        raise BriefError(f"{place} needs a {missing[1]}", where=where, code="missing_key")
    if at := re.search(r"\$\.(\w+)", problem):
        read_setting(types[at[1]], f"{place}.{at[1]}", table[at[1]], where)
    raise BriefError(f"{place}{problem.removesuffix(' - at `$`')}", where=where)  # what joins several, of __post_init__


def read_setting(kind: Any, name: str, value: object, where: str) -> Any:
    """One setting as its type asks for it; the value is not repeated, which may be a secret.

    Raises:
        BriefError: it cannot be that.
    """
    try:
        return convert(value, kind, dec_hook=_folder)
    except ValidationError as error:
        if isinstance(value, dict) and (inner := get_args(kind)) and len(inner) == 2:
            for key, item in cast("dict[str, object]", value).items():
                read_setting(inner[1], f"{name}.{key[:60]}", item, where)
        code = "bad_enum" if "enum" in str(error) else ""
        raise BriefError(f"{name} must be {_wanted(kind)}", where=where, code=code) from error


def _folder(kind: type, value: object) -> Path:
    """The path of a folder, for msgspec, which knows none."""
    if not isinstance(value, str) or not (folder := Path(value).expanduser()).is_absolute():
        raise ValueError
    return folder


def _wanted(kind: Any) -> str:
    """What a setting must be, in words: the title of its type, else what the type says."""
    origin, arguments = get_origin(kind), get_args(kind)
    bounds = next((part for part in arguments if isinstance(part, Meta)), Meta())
    if bounds.title:
        return bounds.title
    if origin is Annotated and bounds.ge is not None:
        return f"{_wanted(arguments[0])} from {bounds.ge:,g} to {bounds.le:,.12g}"
    if origin is Literal:
        return f"one of {', '.join(word for word in arguments if word)}"
    if origin is Mapping:
        return "a table of names"
    if origin is tuple:
        inside = _wanted(arguments[0])
        return 'a list of texts: ["one", "another"]' if inside == "a text in quotes" else inside
    words = {str: "a text in quotes", bool: "true or false", int: "a whole number", float: "a number"}
    words |= {Path: 'the whole path of a folder, such as "~/project"'}
    return words.get(kind) or _wanted(arguments[0])
