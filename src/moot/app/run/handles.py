"""Names for debates that can be typed, and the choice of which debates a list shows.

A debate's id is words of its topic and some random characters: ``night-bus-7f3a1c``. It is found by the whole id, by
its beginning, by the beginning of its random characters (``7f3``), by ``last``, or by ``last~1``, the one before it.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from moot.app.plan.learning import CASTING
from moot.app.run.outcome import OutcomeStatus
from moot.core.errors import BriefError, RecordError
from moot.core.text import misspelt
from moot.record.listing import ListQuery

LEAST = 3
"""The fewest characters of a short id."""

SHOWN = 5
"""So many debates are named where several fit."""

ListStatus: TypeAlias = OutcomeStatus | Literal["open", "damaged"]
"""What a debate in a list can be."""

STATUSES: tuple[str, ...] = tuple(word for part in get_args(ListStatus) for word in get_args(part) or (part,))

_LAST = re.compile(r"last(?:~(\d{1,6}))?")


def tail(debate: str) -> str:
    """The random characters at the end of an id; the whole id where it has none."""
    return debate.rpartition("-")[2]


def find_debate(name: str, ids: Sequence[str]) -> str:
    """The id of the debate that somebody means.

    Args:
        name: what was typed.
        ids: those of all debates, the newest first.

    Raises:
        RecordError: none or several fit.
    """
    if name in ids:
        return name
    if back := _LAST.fullmatch(name):
        return _before(name, int(back[1] or 0), ids)
    fits = [debate for debate in ids if debate.startswith(name) or tail(debate).startswith(name)] if name else []
    if len(fits) == 1:
        return fits[0]
    if not fits:
        raise RecordError(f"there is no debate {name!r}; `moot list` shows {len(ids)}")
    more = "" if len(fits) <= SHOWN else " …"
    raise RecordError(f"{name!r} fits {len(fits)} debates: {', '.join(fits[:SHOWN])}{more}")


def _before(name: str, back: int, stored: Sequence[str]) -> str:
    """The last debate, or one so many before it; helper debates count only where there are no others."""
    ids = [debate for debate in stored if not is_helper(debate)] or stored
    if back >= len(ids):
        raise RecordError(f"there is no debate {name!r}; `moot list` shows {len(ids)}")
    return ids[back]


def is_helper(debate: str) -> bool:
    """Whether a debate is one in which participants were generated for another one, by its id."""
    return debate.startswith(HELPER)


HELPER = "cast-"
"""What the ids of those debates begin with."""


def short_ids(ids: Sequence[str], stored: Sequence[str] = ()) -> dict[str, str]:
    """For each debate the fewest characters, from LEAST, by which ``find_debate`` finds it.

    Args:
        ids: the debates.
        stored: all debates among which they are looked for; empty for these alone.
    """
    names = sorted((name, debate) for debate in stored or ids for name in {debate, tail(debate)})
    short: dict[str, str] = {}
    for debate in ids:
        end = tail(debate)
        sizes = range(min(LEAST, len(end)), len(end) + 1)
        fits = (end[:size] for size in sizes)
        short[debate] = next((name for name in fits if _alone(name, debate, names)), debate)
    return short


def _alone(beginning: str, debate: str, names: Sequence[tuple[str, str]]) -> bool:
    """Whether no other debate has a name that begins so; the names are sorted."""
    for place in range(bisect_left(names, (beginning,)), len(names)):
        name, other = names[place]
        if not name.startswith(beginning):
            break
        if other != debate:
            return False
    return True


def list_query(
    *,
    status: str = "",
    search: str = "",
    limit: int | None = None,
    helpers: bool = False,
    owner: str | None = None,
    after: str = "",
    prefix: str = "",
) -> ListQuery:  # house: wide because each is one way to choose
    """Which debates a list shows, the newest first.

    Args:
        status: only those of this status; "" for any.
        search: only those whose id, topic or protocol contains these words, in any case.
        limit: at most so many; None for all.
        helpers: whether those are shown too in which participants were generated.
        owner: only those that this owner has claimed; None for all.
        after: only those behind this debate in the list.
        prefix: only those whose id begins with this.

    Raises:
        BriefError: there is no such status, or the limit is no number from 1.
    """
    if status and status not in STATUSES:
        raise BriefError(f"status is {status!r}; {misspelt(status, STATUSES)}", code="bad_enum")
    if limit is not None and (type(limit) is not int or limit < 1):
        raise BriefError(f"limit is {limit!r}; it must be a whole number from 1", code="out_of_range")
    return ListQuery(
        status=status,
        words=tuple(search.split()),
        limit=limit,
        without="" if helpers else CASTING,
        owner=owner,
        after=after,
        prefix=prefix,
    )
