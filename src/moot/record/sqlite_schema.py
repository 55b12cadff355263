"""What stands in the file of an ``SqliteStore``: its tables, and the summaries of debates.

Summaries are written with every append, and made for what was there before.
``summarized`` says up to which line, and by which fold, every debate has its summary. Where it does not say so of the
file's last line, some other program has written, or an older one: then lists are made from the lines themselves, and
whoever writes to the file makes what is missing, some debates at a time.
"""

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from moot.record.listing import ListQuery, Page, choose
from moot.record.sqlite_faults import refusal
from moot.record.store import digest
from moot.record.summary_fold import FOLD, OWNED, SIDE, Fold, Summary, columns, summarize

SCHEMA_VERSION = 1
"""What ``PRAGMA user_version`` says in the files that this module writes."""

APPLICATION = int.from_bytes(b"moot", "big")
"""What ``PRAGMA application_id`` says in them."""

# ``id`` grows with every line of the file, so it tells which debate began last. Texts stand in the order of writing,
# not of debates: a commit for 200 debates then touches few pages.
SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS line (
    id INTEGER PRIMARY KEY,
    debate TEXT NOT NULL,
    seq INTEGER NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (debate, seq)
);
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {SCHEMA_VERSION};
COMMIT;
"""

STATE = """
SELECT (SELECT count(*) FROM sqlite_master), application_id, user_version
FROM pragma_application_id, pragma_user_version
"""
SUMMARIES = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS summary (
    debate TEXT PRIMARY KEY,
    began INTEGER NOT NULL,
    side INTEGER NOT NULL,
    fold INTEGER NOT NULL,
    entries INTEGER NOT NULL,
    status TEXT NOT NULL,
    protocol TEXT NOT NULL,
    owner TEXT NOT NULL,
    updated REAL NOT NULL,
    words TEXT NOT NULL,
    data TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS summary_began ON summary (began) WHERE side = 0;
CREATE INDEX IF NOT EXISTS summary_owner ON summary (owner) WHERE owner <> '';
CREATE TABLE IF NOT EXISTS summarized (one INTEGER PRIMARY KEY CHECK (one = 1), until INTEGER, fold INTEGER);
INSERT OR IGNORE INTO summarized VALUES (1, 0, {FOLD});
COMMIT;
"""
ARE_THERE = "SELECT count(*) FROM sqlite_master WHERE name = 'summarized'"
END = "(SELECT coalesce(max(id), 0) FROM line)"
WHOLE = f"SELECT until = {END} AND fold = {FOLD} FROM summarized"
MARK = f"UPDATE summarized SET until = {END}, fold = {FOLD}"
KNOWN = f"""
SELECT json_group_object(debate, json_array(entries, data)) FROM summary
WHERE debate IN (SELECT value FROM json_each(?)) AND fold = {FOLD}
"""
KEEP = "INSERT INTO summary (began, debate, side, fold, entries, status, protocol, owner, updated, words, data) VALUES "
ROW = "((SELECT id FROM line WHERE debate = ? AND seq = 1), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
CHANGE = """
ON CONFLICT (debate) DO UPDATE SET began = excluded.began, fold = excluded.fold, entries = excluded.entries,
    status = excluded.status, protocol = excluded.protocol, owner = excluded.owner, updated = excluded.updated,
    words = excluded.words, data = excluded.data
"""
REMOVE = "DELETE FROM summary WHERE debate IN (SELECT value FROM json_each(?))"
LINES = "SELECT group_concat(text, char(10)) FROM (SELECT text FROM line WHERE debate = ? ORDER BY seq LIMIT -1)"
# The next debates behind one, with the number of their lines and of the lines that their summary knows.
LACKING = f"""
WITH RECURSIVE name (debate, n) AS (
    SELECT min(debate), 1 FROM line WHERE {{behind}}
    UNION ALL
    SELECT (SELECT min(debate) FROM line WHERE line.debate > name.debate), n + 1 FROM name
    WHERE name.debate IS NOT NULL AND n < ?
)
SELECT json_group_array(json_array(name.debate, summary.debate IS NULL)) FROM name
LEFT JOIN summary ON summary.debate = name.debate AND summary.fold = {FOLD}
    AND summary.entries = (SELECT max(seq) FROM line WHERE line.debate = name.debate)
WHERE name.debate IS NOT NULL
"""
CHANGED = "SELECT json_group_array(DISTINCT debate) FROM line WHERE id > ?"
ORPHANS = "DELETE FROM summary WHERE NOT EXISTS (SELECT 1 FROM line WHERE line.debate = summary.debate)"
# The streams as they are, the one that began last first, with what their summary knows where it is up to date.
STREAMS = """
WITH RECURSIVE name (debate) AS (
    SELECT min(debate) FROM line
    UNION ALL
    SELECT (SELECT min(debate) FROM line WHERE line.debate > name.debate) FROM name WHERE name.debate IS NOT NULL
)
SELECT json_group_array(json_array(debate, data)) FROM (
    SELECT name.debate, {data} AS data FROM name JOIN line ON line.debate = name.debate AND line.seq = 1
    ORDER BY line.id DESC LIMIT -1
)
"""
UP_TO_DATE = f"""
(SELECT data FROM summary WHERE summary.debate = name.debate AND fold = {FOLD}
    AND entries = (SELECT max(seq) FROM line WHERE line.debate = name.debate))
"""
NAMES = """
SELECT json_group_array(debate) FROM (SELECT debate FROM summary WHERE side = 0 ORDER BY began DESC LIMIT -1)
"""
COUNT = "SELECT coalesce(max(seq), 0) FROM line WHERE debate = ?"
LAST = "SELECT (SELECT text FROM line WHERE debate = ? ORDER BY seq DESC LIMIT 1)"
PAGE = f"""
SELECT json_object(
    'stored', (SELECT count(*) FROM summary WHERE side = 0),
    'matching', (SELECT count(*) FROM summary AS s WHERE {{where}}),
    'known', (SELECT count(*) FROM summary AS s WHERE {{where}} AND debate = :after),
    'rows', (SELECT json_group_array(json_array(debate, data, owner, line)) FROM (
        SELECT debate, data, (SELECT owner FROM summary WHERE debate = s.debate || '{OWNED}') AS owner,
            (SELECT text FROM line WHERE line.debate = s.debate AND seq = s.entries) AS line
        FROM summary AS s WHERE {{where}} AND {{behind}} ORDER BY began DESC LIMIT :limit
    ))
)
"""
BEHIND = "began < (SELECT began FROM summary WHERE debate = :after)"

SOME = 20
"""So many debates are summarized at once where that was not done before."""


def has_summaries(connection: sqlite3.Connection) -> bool:
    """Whether the file has the tables of summaries."""
    return bool(connection.execute(ARE_THERE).fetchone()[0])


def is_whole(connection: sqlite3.Connection) -> bool:
    """Whether every debate has its summary."""
    return bool(connection.execute(WHOLE).fetchone()[0])


def keep(connection: sqlite3.Connection, new: Mapping[str, tuple[int, Sequence[str]]], *, whole: bool) -> None:
    """Take new lines into the summaries, in the transaction in which they were added.

    Args:
        connection: that of the transaction.
        new: for each debate how many lines it had, and the new ones, which stand in the table already.
        whole: whether every debate had its summary before.
    """
    known: dict[str, tuple[int, str]] = json.loads(connection.execute(KNOWN, (json.dumps(list(new)),)).fetchone()[0])
    folds: list[Fold] = []
    for debate, (had, lines) in new.items():
        count, data = known.get(debate, (0, ""))
        if count == had:
            fold = Fold(debate, data)
            for line in lines:
                fold.add(line)
        else:
            fold = summarize(debate, lines_of(connection, debate))
        folds.append(fold)
    _write(connection, folds)
    if whole:
        connection.execute(MARK)


def remove(connection: sqlite3.Connection, names: str) -> None:
    """Take summaries away, in the transaction in which the lines are taken away; ``names`` is a list in JSON."""
    connection.execute(REMOVE, (names,))


def catch_up(connection: sqlite3.Connection, after: str | None) -> str | None:
    """Summarize the next debates that lack it, in a transaction; the last one looked at, None where there is no other.

    Args:
        connection: that of the transaction.
        after: the last one that was looked at; None for the first time.
    """
    question = LACKING.format(behind="? IS NULL" if after is None else "debate > ?")
    found: list[tuple[str, int]] = json.loads(connection.execute(question, (after, SOME)).fetchone()[0])
    _write(connection, [summarize(name, lines_of(connection, name)) for name, lacks in found if lacks])
    return found[-1][0] if len(found) == SOME else None


def end(connection: sqlite3.Connection) -> int:
    """The place of the last line in the file."""
    return int(connection.execute(f"SELECT {END}").fetchone()[0])


def finish(connection: sqlite3.Connection, since: int) -> None:
    """Say that every debate has its summary: those got it that have lines behind that place, in this transaction."""
    changed: list[str] = json.loads(connection.execute(CHANGED, (since,)).fetchone()[0])
    _write(connection, [summarize(name, lines_of(connection, name)) for name in changed])
    connection.execute(ORPHANS)
    connection.execute(MARK)


def lines_of(connection: sqlite3.Connection, debate: str) -> list[str]:
    """All lines of a debate."""
    text: str | None = connection.execute(LINES, (debate,)).fetchone()[0]
    return [] if text is None else text.split("\n")


def _write(connection: sqlite3.Connection, folds: Sequence[Fold]) -> None:
    rows = [(fold.stream, *columns(fold)) for fold in folds]
    while rows:
        size = min(64, 2 ** (len(rows).bit_length() - 1))  # few sizes, so that prepared statements are used again
        some, rows = rows[:size], rows[size:]
        connection.execute(f"{KEEP}{', '.join([ROW] * size)} {CHANGE}", list(chain.from_iterable(some)))


# ---- reading ---------------------------------------------------------------------------------------------------------


def names(connection: sqlite3.Connection) -> list[str]:
    """The ids of all debates, the one that began last first."""
    if has_summaries(connection) and is_whole(connection):
        return json.loads(connection.execute(NAMES).fetchone()[0])
    streams = json.loads(connection.execute(STREAMS.format(data="NULL")).fetchone()[0])
    return [name for name, _ in streams if not name.endswith(SIDE)]


def page(connection: sqlite3.Connection, query: ListQuery) -> Page:
    """See ``Listing.page``."""
    there = has_summaries(connection)
    if not there or not is_whole(connection):
        return choose(_streams(connection, there), query)
    where, values = _conditions(query)
    behind = BEHIND if query.after else "TRUE"
    text = connection.execute(PAGE.format(where=where, behind=behind), values).fetchone()[0]
    found: dict[str, Any] = json.loads(text)
    known = not query.after or bool(found["known"])
    if query.after and not known:  # an unknown place is the beginning
        return replace(page(connection, replace(query, after="")), known=False)
    return Page(
        debates=tuple(_checked(connection, *item) for item in found["rows"]),
        matching=found["matching"],
        stored=found["stored"],
        known=known,
    )


def _streams(connection: sqlite3.Connection, there: bool) -> Iterable[tuple[str, Fold]]:
    """All streams that say anything of a debate, with their summaries, as far as these are there."""
    text = connection.execute(STREAMS.format(data=UP_TO_DATE if there else "NULL")).fetchone()[0]
    for name, data in json.loads(text):
        if name.endswith(OWNED) or not name.endswith(SIDE):
            yield name, Fold(name, data) if data else summarize(name, lines_of(connection, name))


def _checked(connection: sqlite3.Connection, debate: str, data: str, owner: str | None, line: str | None) -> Summary:
    """A summary from its row; made again where the last line is not the one that it ended with."""
    fold = Fold(debate, data)
    if line is None or digest(line) != fold.head:
        fold = summarize(debate, lines_of(connection, debate))
    return replace(fold.summary(debate), owner=owner or "")


def _conditions(query: ListQuery) -> tuple[str, dict[str, str | int | float]]:
    """What a row must be, in SQL, and the values in it."""
    limit = -1 if query.limit is None else max(0, query.limit)
    values: dict[str, str | int | float] = {
        "after": query.after,
        "limit": limit,
        "since": query.since,
        "status": query.status,
        "without": query.without,
        "prefix": query.prefix,
    }
    few = bool(query.owner or query.prefix)  # with the plus the rows are found by their ids, not in their order
    parts = ["+side = 0" if few else "side = 0"]
    if query.since > 0:
        parts.append("updated >= :since")
    if query.status:
        parts.append("status = :status")
    if query.without:
        parts.append("protocol <> :without")
    if query.prefix:
        parts.append(
            "debate BETWEEN :prefix AND :prefix || char(1114111) AND substr(debate, 1, length(:prefix)) = :prefix"
        )
    if query.owner is not None:
        values["owner"] = query.owner
        claims = f"SELECT substr(debate, 1, length(debate) - {len(OWNED)}) FROM summary"
        claimed = f"({claims} WHERE owner = :owner AND owner <> '')"
        unclaimed = f"NOT EXISTS (SELECT 1 FROM summary WHERE debate = s.debate || '{OWNED}' AND owner <> '')"
        parts.append(f"debate IN {claimed}" if query.owner else unclaimed)
    for n, word in enumerate(query.words):
        values[f"word{n}"] = word.casefold()
        parts.append(f"instr(words, :word{n}) > 0")
    return " AND ".join(parts), values


# ---- the file --------------------------------------------------------------------------------------------------


def prepare(path: Path, connection: sqlite3.Connection, deadline: float) -> bool:
    """Make a connection fit for writing: the file is ours and can be written, has its tables, commits are synced.

    Args:
        path: the file, for the words of an error.
        connection: to the file, without transactions of its own (``isolation_level=None``).
        deadline: until when (``time.monotonic``) to wait for other programs that open the file as well.

    Returns:
        Whether every debate in it has its summary.

    Raises:
        RecordError: the file is of another program or of a newer format.
        sqlite3.Error: it cannot be read or written.
    """
    version = check_format(path, connection)
    connection.execute("PRAGMA synchronous = FULL")
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:
            # SQLite does not wait here while another program makes the same change
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
    if version == SCHEMA_VERSION:
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(
                "DELETE FROM line WHERE FALSE"
            )  # fails here, not at the first append, in a read-only file
        finally:
            connection.execute("ROLLBACK")
    else:
        connection.executescript(SCHEMA)
    if not has_summaries(connection):
        connection.executescript(SUMMARIES)
    return is_whole(connection)


def check_format(path: Path, connection: sqlite3.Connection) -> int:
    """The version of the record in a file; 0 where the file is empty.

    Raises:
        RecordError: the file is of another program or of a newer format.
        sqlite3.Error: it cannot be read.
    """
    tables, application, version = connection.execute(STATE).fetchone()
    if application != APPLICATION and (tables or application or version):
        raise refusal(path, "it is a database of another program")
    if version > SCHEMA_VERSION:
        newer = f"its format is {version}, newer than this program's {SCHEMA_VERSION}"
        raise refusal(path, f"{newer}; bring the program up to date")
    return int(version)
