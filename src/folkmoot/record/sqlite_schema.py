"""The schema of the file of an ``SqliteStore``: its tables, and the summaries of debates.

Summaries are written with every append, and made for what was there before.
``summarized`` says up to which line, and by which fold, every debate has its summary. Where it does not say so of the
file's last line, some other program has written, or an older one: then lists are made from the lines themselves, and
whoever writes to the file makes what is missing, some debates at a time.
"""

import json
import os
import sqlite3
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from folkmoot.record.listing import ListQuery, Page, choose, sqlite_conditions
from folkmoot.record.sqlite_faults import refusal
from folkmoot.record.store import digest
from folkmoot.record.summary_fold import FOLD, OWNED, SIDE, Fold, Summary, columns, name_in, summarize

SCHEMA_VERSION = 1
"""What ``PRAGMA user_version`` says in the files that this module writes."""

APPLICATION = int.from_bytes(b"Folk", "big")
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
# For each of these debates the number of its last line, of the lines that its summary knows, and what that knows.
KNOWN = f"""
SELECT json_group_object(value, json_array(
    (SELECT coalesce(max(seq), 0) FROM line WHERE debate = value), coalesce(entries, 0), coalesce(data, '')
)) FROM json_each(?) LEFT JOIN summary ON debate = value AND fold = {FOLD}
"""
# Python hands its lock over at every row and statement, and a thread beside a busy event loop waits for it each time:
# seconds for a hundred rows. So a whole batch, page or list is one row of one statement: lines, which hold no line
# breaks, joined by them, all else as a JSON array or object. A subquery with a LIMIT keeps its order.
INSERT = "INSERT INTO line (debate, seq, text) VALUES "
SOME_LINES = "SELECT text FROM line WHERE debate = ? AND seq > ? ORDER BY seq LIMIT ?"
REMOVE_LINES = "DELETE FROM line WHERE debate IN (SELECT value FROM json_each(?))"
READ = f"SELECT group_concat(text, char(10)) FROM ({SOME_LINES})"
VERSION = "PRAGMA data_version"
KEEP = "INSERT INTO summary (began, debate, side, fold, entries, status, protocol, owner, updated, words, data) VALUES "
ROW = "((SELECT id FROM line WHERE debate = ? AND seq = 1), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
CHANGE = """
ON CONFLICT (debate) DO UPDATE SET fold = excluded.fold, entries = excluded.entries, status = excluded.status,
    protocol = excluded.protocol, owner = excluded.owner, updated = excluded.updated, words = excluded.words,
    data = excluded.data
"""
# Where its first line may be another one than that which the summary knows. It costs a page of the index by beginnings.
ANEW = f"{CHANGE.rstrip()}, began = excluded.began"
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
# Steps from one id to the next through the index, so the price grows with the debates, not with their lines.
DEBATES = """
WITH RECURSIVE name (debate) AS (
    SELECT min(debate) FROM line
    UNION ALL
    SELECT (SELECT min(debate) FROM line WHERE line.debate > name.debate) FROM name WHERE name.debate IS NOT NULL
)
SELECT json_group_array(json(spine)) FROM (
    SELECT json_array(name.debate, final.seq, opening.text, final.text) AS spine
    FROM name
    JOIN line AS opening ON opening.debate = name.debate AND opening.seq = 1
    JOIN line AS final ON final.debate = name.debate
        AND final.seq = (SELECT max(seq) FROM line WHERE line.debate = name.debate)
    ORDER BY opening.id DESC LIMIT -1
)
"""
COUNT = "SELECT coalesce(max(seq), 0) FROM line WHERE debate = ?"
HAS_MORE = "SELECT EXISTS (SELECT 1 FROM line WHERE debate = ? AND seq > ?)"
PROBLEM = "SELECT integrity_check FROM pragma_integrity_check(1)"
LAST = "SELECT (SELECT text FROM line WHERE debate = ? ORDER BY seq DESC LIMIT 1)"
PAGE = f"""
SELECT json_object(
    'stored', (SELECT count(*) FROM summary WHERE side = 0),
    'matching', (SELECT count(*) FROM summary AS s WHERE {{where}}),
    'known', (SELECT count(*) FROM summary AS s WHERE {{where}} AND debate = :after),
    'rows', (SELECT json_group_array(json_array(debate, data, owner, beside, line)) FROM (
        SELECT debate, data, (SELECT owner FROM summary WHERE debate = s.debate || '{OWNED}') AS owner,
            (SELECT data FROM summary WHERE debate = s.debate || '{OWNED}' AND words <> '') AS beside,
            (SELECT text FROM line WHERE line.debate = s.debate AND seq = s.entries) AS line
        FROM summary AS s WHERE {{where}} AND {{behind}} ORDER BY began DESC LIMIT :limit
    ))
)
"""
BEHIND = "began < (SELECT began FROM summary WHERE debate = :after)"

FEW = 16
"""Up to so many lines are written by a statement of just that size."""

MOST = 2**63 - 1
"""The greatest integer that SQLite can compare."""

MOST_KNOWN = 1000
"""The most debates whose summaries a connection keeps in mind."""

SOME = 20
"""The number of debates that are summarized in one step, where summaries are missing."""


MOVED = "it or its log was moved, replaced or deleted while it was open; put it back, or start again"


class FileLocation:
    """Where an open file of SQLite and its log lie.

    Whoever moves, replaces or deletes one of them takes away what is written from then on, and SQLite notices nothing.

    Args:
        path: the file; its log is there, too.
    """

    def __init__(self, path: Path) -> None:
        self._names = (str(path), f"{path}-wal")
        self._files = self._look()

    def check(self) -> None:
        """See that both are still where they were.

        Raises:
            sqlite3.OperationalError: one of them is not.
        """
        if self._look() != self._files:
            raise sqlite3.OperationalError(MOVED)

    def _look(self) -> list[tuple[int, int] | None]:
        return [_file_at(name) for name in self._names]


def _file_at(name: str) -> tuple[int, int] | None:
    try:
        stat = os.stat(name)
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def as_text(stored: bytes) -> str:
    """A stored text. Where bytes are no UTF-8, U+FFFD stands for them: the line is damaged, and it hides no other."""
    return stored.decode("utf-8", "replace")


@contextmanager
def transaction(connection: sqlite3.Connection, kind: str = "IMMEDIATE") -> Generator[None]:
    """All of it or nothing."""
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def has_summaries(connection: sqlite3.Connection) -> bool:
    """Whether the file has the tables of summaries."""
    return bool(connection.execute(ARE_THERE).fetchone()[0])


def is_whole(connection: sqlite3.Connection) -> bool:
    """Whether every debate has its summary."""
    return bool(connection.execute(WHOLE).fetchone()[0])


class KnownSummaries:
    """The summaries of the debates that a connection has written of late, as long as no other one writes.

    A commit for a debate that is known needs no question first. All methods are for the inside of a transaction.
    """

    def __init__(self) -> None:
        self._version, self._whole = -1, False
        self._folds: dict[str, Fold] = {}

    def forget(self) -> None:
        """Know nothing: after a transaction that failed, or wrote by another way."""
        self._folds.clear()
        self._whole = False

    def is_whole(self, connection: sqlite3.Connection) -> bool:
        """Whether every debate has its summary; what other connections may have changed is forgotten."""
        (version,) = connection.execute(VERSION).fetchone()
        if version != self._version:
            self.forget()
            self._version = version
        self._whole = self._whole or is_whole(connection)
        return self._whole

    def folds(self, connection: sqlite3.Connection, names: Iterable[str]) -> dict[str, Fold]:
        """The folds of all lines of these debates; who adds lines to the table adds them to their fold as well."""
        wanted = {name: self._folds.pop(name, None) for name in names}
        if lacking := [name for name, fold in wanted.items() if fold is None]:
            rows: dict[str, tuple[int, int, str]] = json.loads(
                connection.execute(KNOWN, (json.dumps(lacking),)).fetchone()[0]
            )
            for name, (last, entries, data) in rows.items():
                wanted[name] = Fold(name, data) if last == entries else summarize(name, lines_of(connection, name))
        folds = {name: fold for name, fold in wanted.items() if fold}
        while len(self._folds) > MOST_KNOWN:
            del self._folds[next(iter(self._folds))]
        self._folds.update(folds)
        return folds


def insert(connection: sqlite3.Connection, rows: Sequence[tuple[str, int, str]]) -> None:
    """Add lines, each with its debate and its number."""
    while rows:
        # Few sizes, so that prepared statements are used again; what one debate writes at once is one statement.
        size = len(rows) if len(rows) <= FEW else min(128, 2 ** (len(rows).bit_length() - 1))
        block, rows = rows[:size], rows[size:]
        connection.execute(INSERT + ", ".join(["(?, ?, ?)"] * size), list(chain.from_iterable(block)))


def keep(connection: sqlite3.Connection, folds: Iterable[Fold], *, whole: bool) -> None:
    """Store summaries that have grown, in the transaction that adds the lines.

    Args:
        connection: that of the transaction.
        folds: the folds of the debates, with the new lines, which stand in the table already.
        whole: whether every debate had its summary before.
    """
    _write(connection, list(folds), CHANGE if whole else ANEW)
    if whole:
        connection.execute(MARK)


def remove(connection: sqlite3.Connection, names: str) -> None:
    """Delete summaries, in the transaction that deletes the lines; ``names`` is a list in JSON."""
    connection.execute(REMOVE, (names,))


def catch_up(connection: sqlite3.Connection, after: str | None) -> str | None:
    """Summarize the next debates that lack it, in a transaction; the last one looked at, None where there is no other.

    Args:
        connection: that of the transaction.
        after: the last one that was looked at; None for the first time.
    """
    question = LACKING.format(behind="? IS NULL" if after is None else "debate > ?")
    rows: list[tuple[str, int]] = json.loads(connection.execute(question, (after, SOME)).fetchone()[0])
    _write(connection, [summarize(name, lines_of(connection, name)) for name, lacks in rows if lacks])
    return rows[-1][0] if len(rows) == SOME else None


def end(connection: sqlite3.Connection) -> int:
    """The place of the last line in the file."""
    return int(connection.execute(f"SELECT {END}").fetchone()[0])


def finish(connection: sqlite3.Connection, since: int) -> None:
    """Say that every debate has its summary: those got it that have lines behind that place, in this transaction."""
    changed: list[str] = json.loads(connection.execute(CHANGED, (since,)).fetchone()[0])
    _write(connection, [summarize(name, lines_of(connection, name)) for name in changed])
    connection.execute(ORPHANS)
    connection.execute(MARK)


def ends_with(connection: sqlite3.Connection, debate: str, head: str, beside: Mapping[str, int]) -> bool:
    """Whether the last line of a debate has that hash, and these streams beside it have no more lines than that."""
    last: str | None = connection.execute(LAST, (debate,)).fetchone()[0]
    news = (connection.execute(HAS_MORE, item).fetchone()[0] for item in beside.items())
    return last is not None and digest(last) == head and not any(news)


def lines_of(connection: sqlite3.Connection, debate: str) -> list[str]:
    """All lines of a debate."""
    text: str | None = connection.execute(LINES, (debate,)).fetchone()[0]
    return [] if text is None else text.split("\n")


def _write(connection: sqlite3.Connection, folds: Sequence[Fold], change: str = ANEW) -> None:
    rows = [(fold.stream, *columns(fold)) for fold in folds]
    while rows:
        size = min(64, 2 ** (len(rows).bit_length() - 1))  # few sizes, so that prepared statements are used again
        block, rows = rows[:size], rows[size:]
        connection.execute(f"{KEEP}{', '.join([ROW] * size)} {change}", list(chain.from_iterable(block)))


# ---- reading ---------------------------------------------------------------------------------------------------------


def names(connection: sqlite3.Connection) -> list[str]:
    """The ids of all debates, the one that began last first."""
    if has_summaries(connection) and is_whole(connection):
        return json.loads(connection.execute(NAMES).fetchone()[0])
    streams = json.loads(connection.execute(STREAMS.format(data="NULL")).fetchone()[0])
    return [name for name, _ in streams if not name.endswith(SIDE)]


def page(connection: sqlite3.Connection, query: ListQuery) -> Page:
    """See ``Listing.page``."""
    has_table = has_summaries(connection)
    if not has_table or not is_whole(connection):
        return choose(_streams(connection, has_table), query)
    condition, values = sqlite_conditions(query)
    behind = BEHIND if query.after else "TRUE"
    text = connection.execute(PAGE.format(where=condition, behind=behind), values).fetchone()[0]
    kept_columns: dict[str, Any] = json.loads(text)
    known = not query.after or bool(kept_columns["known"])
    if query.after and not known:  # an unknown place is the beginning
        return replace(page(connection, replace(query, after="")), known=False)
    return Page(
        debates=tuple(_current_summary(connection, *item) for item in kept_columns["rows"]),
        matching=kept_columns["matching"],
        stored=kept_columns["stored"],
        known=known,
    )


def _streams(connection: sqlite3.Connection, there: bool) -> Iterable[tuple[str, Fold]]:
    """All streams with facts for lists, with their summaries if they exist."""
    text = connection.execute(STREAMS.format(data=UP_TO_DATE if there else "NULL")).fetchone()[0]
    for name, data in json.loads(text):
        if name.endswith(OWNED) or not name.endswith(SIDE):
            yield name, Fold(name, data) if data else summarize(name, lines_of(connection, name))


def _current_summary(
    connection: sqlite3.Connection, debate: str, data: str, owner: str | None, beside: str | None, line: str | None
) -> Summary:
    """A summary from its row; computed again if the last line is another one."""
    fold = Fold(debate, data)
    if line is None or digest(line) != fold.head:
        fold = summarize(debate, lines_of(connection, debate))
    return replace(fold.summary(debate), owner=owner or "", name=name_in(beside))


# ---- the file --------------------------------------------------------------------------------------------------


def make_file(path: Path) -> None:
    """Create a file that only its owner can read, and its folder, if they are missing; a loss of power takes neither.

    A file that exists is neither opened nor changed. SQLite syncs the folder of its log, but none above it.
    """
    if path.exists():
        return
    missing = [folder for folder in path.parents if not folder.exists()]
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):  # another process created it first
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    for folder in (path.parent, *(new.parent for new in missing)):
        with suppress(OSError):  # Windows syncs no folder, and not every folder may be read
            _sync(folder)


def _sync(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def prepare(path: Path, connection: sqlite3.Connection, deadline: float) -> bool:
    """Prepare a connection for writing: the file is ours and can be written, has its tables, commits are synced.

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
        raise refusal(path, f"{newer}; update Folkmoot")
    return int(version)
