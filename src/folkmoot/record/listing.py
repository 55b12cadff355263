"""Lists of debates: which ones a list shows, and what a store answers without reading records.

A store that can keeps a summary of each debate up to date in the transaction of every append, so that nobody has to
read records to list them. For one that cannot, the functions here read its records.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from folkmoot.core.labels import group_of
from folkmoot.record.store import Counting, Store
from folkmoot.record.summary_fold import OWNED, SIDE, Fold, Summary, searched, summarize


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuery:
    """Which debates a list shows, the newest first.

    Attributes:
        prefix: only those whose id begins with this.
        status: only those of this status; "" for any.
        protocol: only those of this protocol; "" for any.
        model: only those with a model whose name contains this, in any case.
        words: only those whose id, topic, protocol or name contains all of these, in any case.
        owner: only those that this owner has claimed; None for all.
        without: leaves out this protocol; "" for none.
        grouped: whether debates of groups are shown, such as the hundreds of an evaluation; see ``group_of``.
        since: only those with an entry from that time on, in seconds since 1970.
        until: only those without an entry from that time on; 0 for no such time.
        after: only those after this debate in the list.
        limit: the most to return; None for all.
    """

    prefix: str = ""
    status: str = ""
    protocol: str = ""
    model: str = ""
    words: tuple[str, ...] = ()
    owner: str | None = None
    without: str = ""
    grouped: bool = True
    since: float = 0.0
    until: float = 0.0
    after: str = ""
    limit: int | None = None

    def takes(self, summary: Summary) -> bool:
        """Whether the query matches a debate, at any place of the list."""
        words = f"{searched(summary.debate, summary.topic, summary.protocol)}\0{summary.name.casefold()}"
        return (
            summary.debate.startswith(self.prefix)
            and self.status in ("", summary.status)
            and self.protocol in ("", summary.protocol)
            and (not self.model or any(self.model.lower() in model.lower() for model in summary.models))
            and self.owner in (None, summary.owner)
            and (not self.without or summary.protocol != self.without)
            and (self.grouped or not group_of(summary.debate))
            and summary.updated >= self.since
            and (not self.until or summary.updated < self.until)
            and all(word.casefold() in words for word in self.words)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A part of a list of debates.

    Attributes:
        debates: the debates, the one that began last first.
        matching: how many debates match, in all parts together.
        stored: how many debates there are, whatever was asked for.
        known: whether the debate in ``ListQuery.after`` exists.
    """

    debates: tuple[Summary, ...]
    matching: int
    stored: int
    known: bool = True


@runtime_checkable
class Listing(Counting, Protocol):
    """A store that lists debates without reading whole records. Streams beside records are not listed."""

    async def last(self, debate: str) -> str | None:
        """The last line of a debate; None for an unknown one. It waits as ``Store.read`` does.

        Raises:
            RecordError: the store cannot be read.
        """
        ...

    async def names(self) -> tuple[str, ...]:
        """The ids of all debates, the newest first.

        Raises:
            RecordError: the store cannot be read.
        """
        ...

    async def page(self, query: ListQuery) -> Page:
        """The debates that a list shows: for each what ``summarize`` says of its lines, and who has claimed it.

        Raises:
            RecordError: the store cannot be read.
        """
        ...


# ---- the questions, to any store -------------------------------------------------------------------------------------


@runtime_checkable
class Checking(Protocol):
    """A store that can say whether what it keeps is whole, also what no record shows."""

    async def check(self) -> None:
        """Read everything and check it.

        Raises:
            RecordError: something is damaged, or cannot be read.
        """
        ...


async def check(store: Store) -> None:
    """Check a store, if it can be checked; see ``Checking.check``."""
    if isinstance(store, Checking):
        await store.check()


async def last(store: Store, debate: str) -> str | None:
    """See ``Listing.last``."""
    if isinstance(store, Listing):
        return await store.last(debate)
    lines = await store.read(debate)
    return lines[-1] if lines else None


async def names(store: Store) -> tuple[str, ...]:
    """See ``Listing.names``."""
    if isinstance(store, Listing):
        return await store.names()
    return tuple(info.debate for info in await store.debates() if not info.debate.endswith(SIDE))


async def page(store: Store, query: ListQuery) -> Page:
    """See ``Listing.page``."""
    if isinstance(store, Listing):
        return await store.page(query)
    streams = [info.debate for info in await store.debates()]
    folds = [(name, summarize(name, await store.read(name))) for name in streams if _has_listed_facts(name)]
    return choose(folds, query)


async def find(store: Store, debate: str) -> Summary | None:
    """The summary of one debate; None where there is no such debate."""
    first_page = await page(store, ListQuery(prefix=debate))
    return next((summary for summary in first_page.debates if summary.debate == debate), None)


def _has_listed_facts(stream: str) -> bool:
    """Whether a stream contains facts that a list shows."""
    return stream.endswith(OWNED) or not stream.endswith(SIDE)


def choose(folds: Iterable[tuple[str, "Fold"]], query: ListQuery) -> Page:
    """The debates of a list, from the summaries of all streams, the newest first."""
    known = dict(folds)
    beside = {name.removesuffix(OWNED): fold for name, fold in known.items() if name.endswith(OWNED)}
    every = [
        replace(fold.summary(name), owner=beside[name].owner, name=beside[name].name)
        if name in beside
        else fold.summary(name)
        for name, fold in known.items()
        if not name.endswith(SIDE)
    ]
    fits = [summary for summary in every if query.takes(summary)]
    places = {summary.debate: rank for rank, summary in enumerate(fits, start=1)}
    first = places.get(query.after, 0)
    end = None if query.limit is None else first + max(0, query.limit)
    return Page(
        debates=tuple(fits[first:end]),
        matching=len(fits),
        stored=len(every),
        known=not query.after or bool(first),
    )
