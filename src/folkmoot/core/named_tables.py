"""Tables of settings that have names, such as ``[acp.claude]``: check their shape, their names and their keys."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from folkmoot.core.errors import BriefError


@dataclass(frozen=True, slots=True)
class NameRule:
    """Which names tables may have.

    Attributes:
        pattern: what a whole name matches.
        characters: the characters of it, in words.
    """

    pattern: re.Pattern[str]
    characters: str


ANY_CASE = NameRule(re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}"), "letters, digits, - and _")
LOWER_CASE = NameRule(re.compile(r"[a-z0-9][a-z0-9-]{0,31}"), "small letters, digits and -")
LOWER_CASE_OR_UNDERSCORE = NameRule(re.compile(r"[a-z0-9][a-z0-9_-]{0,31}"), "small letters, digits, - and _")


def named_tables(
    kind: str, value: object, where: str, *, example: str, rule: NameRule | None = None
) -> Mapping[str, Mapping[str, object]]:
    """The tables of a kind by their names.

    Args:
        kind: the name of the table that holds them.
        value: what stands there.
        where: the file, for errors.
        example: a name, for errors.
        rule: which names they may have; None for any.

    Raises:
        BriefError: it is no table of tables, or a name cannot be.
    """
    tables = cast("dict[str, object]", value) if isinstance(value, dict) else {"": value}
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise BriefError(f"{kind} must be a table of tables: [{kind}.{name[:60] or example}]", where=where)
        if rule:
            check_table_name(kind, name, where, rule)
    return cast("Mapping[str, Mapping[str, object]]", tables)


def check_table_name(kind: str, name: str, where: str, rule: NameRule) -> None:
    """Check a name.

    Raises:
        BriefError: it cannot be.
    """
    if not rule.pattern.fullmatch(name):
        raise BriefError(f"{kind}.{name[:60]} needs a name of 1 to 32 {rule.characters}", where=where)


def check_table_keys(place: str, table: Iterable[str], known: Iterable[str], where: str) -> None:
    """Check that a table has no unknown key.

    Raises:
        BriefError: it has one.
    """
    allowed = tuple(known)
    if unknown := [key for key in table if key not in allowed]:
        raise BriefError(f"{place} has no setting {unknown[0][:60]!r}; there are {', '.join(allowed)}", where=where)
