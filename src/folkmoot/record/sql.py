"""The SQL that SQLite and PostgreSQL share: the table of summaries, and what lists ask of it.

Values are numbered ``$1``, ``$2``, as PostgreSQL does.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from folkmoot.core.labels import group_of
from folkmoot.record.listing import ListQuery, Page
from folkmoot.record.summary_fold import OWNED, SIDE, Fold, searched

COLUMNS: Mapping[str, str] = {
    "debate": "text",
    "about": "text",  # the debate itself, or the one beside whose record this stream is
    "side": "integer",
    "grouped": "integer",
    "entries": "bigint",
    "status": "text",
    "protocol": "text",
    "owner": "text",
    "updated": "double precision",
    "words": "text",
    "models": "text",
    "data": "text",
}
"""The columns of a summary, except its place in the list: what it can be chosen by, and everything as JSON."""

NAMED = ", ".join(["began", *COLUMNS])
CHANGE = "ON CONFLICT (debate) DO UPDATE SET " + ", ".join(
    f"{name} = excluded.{name}" for name in COLUMNS if name != "debate"
)
COUNT = "SELECT coalesce(max(seq), 0) FROM folkmoot_line WHERE debate = $1"
LAST = "SELECT text FROM folkmoot_line WHERE debate = $1 ORDER BY seq DESC LIMIT 1"
LINES = "SELECT text FROM folkmoot_line WHERE debate = $1 AND seq > $2 ORDER BY seq LIMIT $3"
NAMES = "SELECT debate FROM folkmoot_summary WHERE side = 0 ORDER BY began DESC"
ALL = 2**62
"""More than there are lines or debates."""

Value: TypeAlias = str | int | float


def schema(name: str) -> str:
    """The table of summaries; ``name`` is the type of the ids of debates, which are compared as bytes.

    ``began`` is the id of the first line, and tells which debate began last.
    """
    types = {**COLUMNS, "debate": f"{name} PRIMARY KEY", "about": name}
    return f"""
CREATE TABLE IF NOT EXISTS folkmoot_summary (
    began bigint NOT NULL, {", ".join(f"{column} {kind} NOT NULL" for column, kind in types.items())}
);
CREATE INDEX IF NOT EXISTS folkmoot_summary_began ON folkmoot_summary (began) WHERE side = 0;
CREATE INDEX IF NOT EXISTS folkmoot_summary_owner ON folkmoot_summary (owner) WHERE owner <> '';
"""


def row(fold: Fold) -> tuple[Value, ...]:
    """A summary in the order of ``COLUMNS``."""
    side, (status, topic, protocol, updated) = fold.stream.endswith(SIDE), fold.chosen_by()
    words = fold.name.casefold() if side else searched(fold.stream, topic, protocol)
    models = "\n".join(fold.models).lower()
    chosen = {
        "debate": fold.stream,
        "about": fold.stream.removesuffix(OWNED),
        "side": int(side),
        "grouped": int(bool(group_of(fold.stream))),
        "entries": fold.entries,
        "status": status,
        "protocol": protocol.replace("\0", ""),  # which PostgreSQL cannot store
        "owner": fold.owner,
        "updated": updated,
        "words": words.replace("\0", ""),
        "models": models.replace("\0", ""),
        "data": fold.text,
    }
    return tuple([chosen[name] for name in COLUMNS])


def page_questions(query: ListQuery, find: str) -> tuple[str, str, list[Value]]:
    """How many debates match, and the rows of a page, with the values of both.

    Args:
        query: what is asked.
        find: the function of the database that finds a text in another one.
    """
    values: list[Value] = [query.after]

    def value(one: Value) -> str:
        values.append(one)
        return f"${len(values)}"

    few = bool(query.owner or query.prefix)  # with a sum the rows are found by their ids, not in their order
    parts = ["s.side + 0 = 0" if few else "s.side = 0"]
    if query.since > 0:
        parts.append(f"s.updated >= {value(query.since)}")
    if query.until:
        parts.append(f"s.updated < {value(query.until)}")
    if query.status:
        parts.append(f"s.status = {value(query.status)}")
    if query.protocol:
        parts.append(f"s.protocol = {value(query.protocol)}")
    if query.without:
        parts.append(f"s.protocol <> {value(query.without)}")
    if query.model:
        parts.append(f"{find}(s.models, {value(query.model.lower())}) > 0")
    if not query.grouped:
        parts.append("s.grouped = 0")
    if query.prefix:
        parts.append(f"s.debate BETWEEN {value(query.prefix)} AND {value(query.prefix + chr(0x10FFFF))}")
    if query.owner:
        claims = "SELECT about FROM folkmoot_summary WHERE owner <> '' AND owner"
        parts.append(f"s.debate IN ({claims} = {value(query.owner)})")
    elif query.owner is not None:
        claim = f"SELECT 1 FROM folkmoot_summary WHERE debate = s.debate || '{OWNED}' AND owner <> ''"
        parts.append(f"NOT EXISTS ({claim})")
    for word in query.words:
        number = value(word.casefold())
        named = f"SELECT about FROM folkmoot_summary WHERE side = 1 AND {find}(words, {number}) > 0"
        parts.append(f"({find}(s.words, {number}) > 0 OR s.debate IN ({named}))")
    where = " AND ".join(parts)
    matching = f"SELECT count(*) FROM folkmoot_summary AS s WHERE {where}"
    counts = f"""
SELECT (SELECT count(*) FROM folkmoot_summary WHERE side = 0) AS stored, ({matching}) AS matching,
    ({matching} AND s.debate = $1) AS known
"""
    behind = "s.began < (SELECT began FROM folkmoot_summary WHERE debate = $1)" if query.after else "$1 = ''"
    rows = f"""
SELECT s.debate, s.data, c.owner, CASE WHEN c.words <> '' THEN c.data END AS beside
FROM folkmoot_summary AS s LEFT JOIN folkmoot_summary AS c ON c.debate = s.debate || '{OWNED}'
WHERE {where} AND {behind} ORDER BY s.began DESC LIMIT {ALL if query.limit is None else max(0, query.limit)}
"""
    return counts, rows, values


def make_page(counts: Sequence[int], rows: Iterable[Sequence[str | None]], *, known: bool) -> Page:
    """A page of what was answered; ``known`` is as in ``Page``."""
    summaries = [
        replace(
            Fold(debate or "", data or "").summary(debate or ""),
            owner=owner or "",
            name=Fold("", beside).name if beside else "",
        )
        for debate, data, owner, beside in rows
    ]
    stored, matching, _ = counts
    return Page(debates=tuple(summaries), matching=matching, stored=stored, known=known)
