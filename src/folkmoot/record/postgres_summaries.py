"""Summaries of debates in a PostgreSQL database: their table and its queries."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from folkmoot.core.labels import GROUPED
from folkmoot.record.listing import ListQuery, Page
from folkmoot.record.store import digest
from folkmoot.record.summary_fold import OWNED, Columns, Fold, Summary, columns, name_in, summarize

if TYPE_CHECKING:
    import asyncpg

    Fetch: TypeAlias = Callable[..., Awaitable[list[asyncpg.Record]]]

SCHEMA = """
CREATE TABLE folkmoot_summary (
    began bigint NOT NULL,
    debate text COLLATE "C" PRIMARY KEY,
    side integer NOT NULL,
    entries bigint NOT NULL,
    status text NOT NULL,
    protocol text NOT NULL,
    owner text NOT NULL,
    updated double precision NOT NULL,
    words text NOT NULL,
    data text NOT NULL
);
CREATE INDEX folkmoot_summary_began ON folkmoot_summary (began) WHERE side = 0;
CREATE INDEX folkmoot_summary_owner ON folkmoot_summary (owner) WHERE owner <> '';
"""
NAMED = "began, debate, side, entries, status, protocol, owner, updated, words, data"
CHANGE = """
ON CONFLICT (debate) DO UPDATE SET entries = excluded.entries, status = excluded.status,
    protocol = excluded.protocol, owner = excluded.owner, updated = excluded.updated, words = excluded.words,
    data = excluded.data
"""
ARRAYS = ("text", "integer", "bigint", "text", "text", "text", "double precision", "text", "text")
"""The types of the columns of a summary, except its place in the list."""

KNOWN = "SELECT debate, entries, data FROM folkmoot_summary WHERE debate = ANY($1::text[])"
LINES = "SELECT text FROM folkmoot_line WHERE debate = $1 AND seq <= $2 ORDER BY seq"
COUNT = "SELECT coalesce(max(seq), 0) AS entries FROM folkmoot_line WHERE debate = $1"
LAST = "SELECT text FROM folkmoot_line WHERE debate = $1 ORDER BY seq DESC LIMIT 1"
NAMES = "SELECT debate FROM folkmoot_summary WHERE side = 0 ORDER BY began DESC"
COUNTS = """
SELECT (SELECT count(*) FROM folkmoot_summary WHERE side = 0) AS stored, count(*) AS matching,
    count(*) FILTER (WHERE debate = $1) AS known
FROM folkmoot_summary AS s WHERE {where}
"""
PAGE = f"""
SELECT debate, data, entries, (SELECT owner FROM folkmoot_summary WHERE debate = s.debate || '{OWNED}') AS owner,
    (SELECT data FROM folkmoot_summary WHERE debate = s.debate || '{OWNED}' AND words <> '') AS beside,
    (SELECT text FROM folkmoot_line WHERE folkmoot_line.debate = s.debate ORDER BY seq DESC LIMIT 1) AS line
FROM folkmoot_summary AS s WHERE {{where}}
    AND ($1 = '' OR began < (SELECT began FROM folkmoot_summary WHERE debate = $1)) ORDER BY began DESC LIMIT {{limit}}
"""
ALL = 2**62
KEPT = 500
"""The number of summaries that are cached for the next append."""


def keep_statement(first: int) -> str:
    """The part of a statement that keeps summaries: of the debates in ``head`` whose rows begin at that parameter."""
    arrays = ", ".join(f"${first + n}::{kind}[]" for n, kind in enumerate(ARRAYS))
    return f"""
    INSERT INTO folkmoot_summary ({NAMED})
    SELECT CASE WHEN head.seq = 1 THEN head.id ELSE coalesce(
        (SELECT id FROM folkmoot_line WHERE folkmoot_line.debate = head.debate AND folkmoot_line.seq = 1), head.id) END, new.*
    FROM unnest({arrays}) AS new (debate, side, entries, status, protocol, owner, updated, words, data)
    JOIN head ON head.debate = new.debate
    ORDER BY new.debate COLLATE "C"
    {CHANGE}
    """


class PostgresSummaries:
    """The summaries of one database, for one store.

    Args:
        fetch: the rows of a statement.
    """

    def __init__(self, fetch: "Fetch") -> None:
        self._fetch = fetch
        self._kept: dict[str, str] = {}  # what was written last, for the next append

    async def grown(self, new: Sequence[tuple[str, int, Sequence[str]]]) -> list[Fold]:
        """The summaries of debates with new lines: of each its id, how many lines it has, and the new ones."""
        folds = {debate: Fold(debate) for debate, had, _ in new if had == 0}
        for debate, had, lines in new:
            known_head = self._kept.pop(debate, "")
            if (
                debate not in folds
                and known_head
                and (fold := Fold(debate, known_head)).entries == had
                and fold.head in lines[0]
            ):
                folds[debate] = fold
        left = {debate: had for debate, had, _ in new if debate not in folds}
        rows = await self._fetch(KNOWN, list(left)) if left else []
        folds |= {
            row["debate"]: Fold(row["debate"], row["data"]) for row in rows if row["entries"] == left[row["debate"]]
        }
        for debate, had in left.items():
            if debate not in folds:
                folds[debate] = await self._summarize(debate, had)
        for debate, _, lines in new:
            for line in lines:
                folds[debate].add(line)
        return [folds[debate] for debate, _, _ in new]

    def keep(self, folds: Mapping[str, Fold], stored: Sequence[str]) -> None:
        """Cache the summaries that were written."""
        self._kept |= {debate: folds[debate].text for debate in stored}
        while len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]

    async def _summarize(self, debate: str, entries: int = ALL) -> Fold:
        return summarize(debate, [row["text"] for row in await self._fetch(LINES, debate, entries)])

    async def names(self) -> tuple[str, ...]:
        """See Listing."""
        return tuple([row["debate"] for row in await self._fetch(NAMES)])

    async def page(self, query: ListQuery) -> Page:
        """See Listing."""
        condition, values = _conditions(query)
        counts = (await self._fetch(COUNTS.format(where=condition), query.after, *values))[0]
        known = not query.after or bool(counts["known"])
        limit = "ALL" if query.limit is None else max(0, query.limit)
        after = query.after if known else ""  # an unknown place is the beginning
        rows = await self._fetch(PAGE.format(where=condition, limit=limit), after, *values)
        return Page(
            debates=tuple([await self._current_summary(row) for row in rows]),
            matching=counts["matching"],
            stored=counts["stored"],
            known=known,
        )

    async def _current_summary(self, row: "asyncpg.Record") -> Summary:
        """A summary from its row; computed again if the last line is another one."""
        debate, fold = row["debate"], Fold(row["debate"], row["data"])
        if digest(row["line"] or "") != fold.head:
            fold = await self._summarize(debate)
        return replace(fold.summary(debate), owner=row["owner"] or "", name=name_in(row["beside"]))


def transposed(folds: Sequence[Fold]) -> list[list[str | int | float]]:
    """The columns of several summaries, each as a list."""
    rows: list[Columns] = [columns(fold) for fold in folds]
    return [[row[n] for row in rows] for n in range(len(ARRAYS))]


def _conditions(query: ListQuery) -> tuple[str, list[str | float]]:
    """What a row must be, in SQL, and the values in it; $1 is the debate behind which a page begins."""
    parts, values = ["side = 0", "$1::text IS NOT NULL"], list[str | float]()

    def take(condition: str, value: str | float) -> None:
        values.append(value)
        parts.append(condition.format(f"${len(values) + 1}"))

    if query.since > 0:
        take("updated >= {}::double precision", query.since)
    if query.until:
        take("updated < {}::double precision", query.until)
    if query.status:
        take("status = {}", query.status)
    if query.protocol:
        take("protocol = {}", query.protocol)
    if query.model:
        models = "json_array_elements(data::json -> 'models') AS model"
        take(f"EXISTS (SELECT FROM {models} WHERE strpos(lower(model::text), {{}}) > 0)", query.model.lower())
    if query.without:
        take("protocol <> {}", query.without)
    if not query.grouped:
        take("debate !~ {}", f"^(?:{GROUPED})$")
    if query.prefix:
        take("debate >= {0} AND starts_with(debate, {0})", query.prefix)
    if query.owner:
        take(
            f"debate IN (SELECT left(debate, -{len(OWNED)}) FROM folkmoot_summary WHERE owner = {{}} AND owner <> '')",
            query.owner,
        )
    elif query.owner is not None:
        claim = f"SELECT FROM folkmoot_summary WHERE debate = s.debate || '{OWNED}' AND owner <> ''"
        parts.append(f"NOT EXISTS ({claim})")
    for word in query.words:
        named = f"SELECT left(debate, -{len(OWNED)}) FROM folkmoot_summary WHERE side = 1"
        take(f"(strpos(words, {{0}}) > 0 OR debate IN ({named} AND strpos(words, {{0}}) > 0))", word.casefold())
    return " AND ".join(parts), values
