"""The schema of the file of an ``SqliteStore``: its tables, and the summaries of debates.

A summary is written in the transaction that appends the lines, so every debate has one.
"""

import json
import os
import sqlite3
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path

from folkmoot.record import sql
from folkmoot.record.listing import ListQuery, Page
from folkmoot.record.sqlite_faults import refusal
from folkmoot.record.store import other_format
from folkmoot.record.summary_fold import Fold

SCHEMA_VERSION = 3
"""What ``PRAGMA user_version`` says in the files that this module writes; it reads no others."""

APPLICATION = int.from_bytes(b"Folk", "big")
"""What ``PRAGMA application_id`` says in them."""

# ``id`` grows with every line of the file, so it tells which debate began last. Texts stand in the order of writing,
# not of debates: a commit for 200 debates then touches few pages.
SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS folkmoot_line (
    id INTEGER PRIMARY KEY,
    debate TEXT NOT NULL,
    seq INTEGER NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (debate, seq)
);
{sql.schema("text")}
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {SCHEMA_VERSION};
COMMIT;
"""

STATE = """
SELECT (SELECT count(*) FROM sqlite_master), application_id, user_version
FROM pragma_application_id, pragma_user_version
"""
# For each of these debates the number of its last line, and what its summary knows.
KNOWN = """
SELECT json_group_object(value, json_array(
    (SELECT coalesce(max(seq), 0) FROM folkmoot_line WHERE debate = value), coalesce(data, '')
)) FROM json_each(?) LEFT JOIN folkmoot_summary ON debate = value
"""
# Python hands its lock over at every row and statement, and a thread beside a busy event loop waits for it each time:
# seconds for a hundred rows. So a whole batch, page or list is one row of one statement: lines, which hold no line
# breaks, joined by them, all else as a JSON array or object. A subquery with a LIMIT keeps its order.
INSERT = "INSERT INTO folkmoot_line (debate, seq, text) VALUES "
READ = f"SELECT group_concat(text, char(10)) FROM ({sql.LINES})"
REMOVE = "DELETE FROM {table} WHERE debate IN (SELECT value FROM json_each(?))"
VERSION = "PRAGMA data_version"
KEEP = f"INSERT INTO folkmoot_summary ({sql.NAMED}) VALUES "
ROW = f"((SELECT id FROM folkmoot_line WHERE debate = ? AND seq = 1){', ?' * len(sql.COLUMNS)})"
NAMES = f"SELECT json_group_array(debate) FROM ({sql.NAMES} LIMIT -1)"
# Steps from one id to the next through the index, so the price grows with the debates, not with their lines.
DEBATES = """
WITH RECURSIVE name (debate) AS (
    SELECT min(debate) FROM folkmoot_line AS line
    UNION ALL
    SELECT (SELECT min(debate) FROM folkmoot_line AS line WHERE line.debate > name.debate) FROM name WHERE name.debate IS NOT NULL
)
SELECT json_group_array(json(spine)) FROM (
    SELECT json_array(name.debate, final.seq, opening.text, final.text) AS spine
    FROM name
    JOIN folkmoot_line AS opening ON opening.debate = name.debate AND opening.seq = 1
    JOIN folkmoot_line AS final ON final.debate = name.debate
        AND final.seq = (SELECT max(seq) FROM folkmoot_line AS line WHERE line.debate = name.debate)
    ORDER BY opening.id DESC LIMIT -1
)
"""
HAS_MORE = "SELECT EXISTS (SELECT 1 FROM folkmoot_line WHERE debate = ? AND seq > ?)"
PROBLEM = "PRAGMA integrity_check(1)"

FEW = 16
"""Up to so many lines are written by a statement of just that size."""

MOST = 2**63 - 1
"""The greatest integer that SQLite can compare."""

MOST_KNOWN = 1000
"""The most debates whose summaries a connection keeps in mind."""

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


class KnownSummaries:
    """The summaries of the debates that a connection has written of late, as long as no other one writes.

    A commit for a debate that is known needs no question first. All methods are for the inside of a transaction.
    """

    def __init__(self) -> None:
        self._version = -1
        self._folds: dict[str, Fold] = {}

    def forget(self) -> None:
        """Know nothing: after a transaction that failed, or wrote by another way."""
        self._folds.clear()

    def folds(self, connection: sqlite3.Connection, names: Iterable[str]) -> dict[str, Fold]:
        """The folds of all lines of these debates; who adds lines to the table adds them to their fold as well."""
        (version,) = connection.execute(VERSION).fetchone()
        if version != self._version:  # another connection has written
            self.forget()
            self._version = version
        wanted = {name: self._folds.pop(name, None) for name in names}
        if lacking := [name for name, fold in wanted.items() if fold is None]:
            rows: dict[str, tuple[int, str]] = json.loads(
                connection.execute(KNOWN, (json.dumps(lacking),)).fetchone()[0]
            )
            for name, (last, data) in rows.items():
                wanted[name] = fold = Fold(name, data)
                if fold.entries != last:
                    raise sqlite3.DatabaseError(
                        f"another program has changed {name}; copy it with: folkmoot store copy"
                    )
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


def keep(connection: sqlite3.Connection, folds: Iterable[Fold]) -> None:
    """Store summaries that have grown, in the transaction that adds the lines, which stand in the table already."""
    rows = [(fold.stream, *sql.row(fold)) for fold in folds]
    while rows:
        size = min(64, 2 ** (len(rows).bit_length() - 1))  # few sizes, so that prepared statements are used again
        block, rows = rows[:size], rows[size:]
        connection.execute(f"{KEEP}{', '.join([ROW] * size)} {sql.CHANGE}", list(chain.from_iterable(block)))


def page(connection: sqlite3.Connection, query: ListQuery) -> Page:
    """See ``Listing.page``."""
    counts, rows, values = sql.page_questions(query, "instr")
    count = connection.execute(numbered(counts), values).fetchone()
    if query.after and not count[2]:  # an unknown place is the beginning
        return replace(page(connection, replace(query, after="")), known=False)
    together = f"SELECT json_group_array(json_array(debate, data, owner, beside)) FROM ({rows})"
    return sql.make_page(count, json.loads(connection.execute(numbered(together), values).fetchone()[0]), known=True)


def numbered(statement: str) -> str:
    """A statement of ``record.sql`` as SQLite numbers values."""
    return statement.replace("$", "?")


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


def prepare(path: Path, connection: sqlite3.Connection, deadline: float) -> None:
    """Prepare a connection for writing: the file is ours and can be written, has its tables, commits are synced.

    Args:
        path: the file, for the words of an error.
        connection: to the file, without transactions of its own (``isolation_level=None``).
        deadline: until when (``time.monotonic``) to wait for other programs that open the file as well.

    Raises:
        RecordError: the file is of another program or of another format.
        sqlite3.Error: it cannot be read or written.
    """
    has_tables = check_format(path, connection)
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
    if not has_tables:
        connection.executescript(SCHEMA)
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # fails here, not at the first append, in a read-only file
        connection.execute("DELETE FROM folkmoot_line WHERE FALSE")
    finally:
        connection.execute("ROLLBACK")


def check_format(path: Path, connection: sqlite3.Connection) -> bool:
    """Whether a file holds the tables of a record; False where it is empty.

    Raises:
        RecordError: the file is of another program or of another format.
        sqlite3.Error: it cannot be read.
    """
    tables, application, version = connection.execute(STATE).fetchone()
    if not (tables or application or version):
        return False
    if application != APPLICATION:
        raise refusal(path, "it is a database of another program")
    if version != SCHEMA_VERSION:
        raise refusal(path, other_format("its format", version, SCHEMA_VERSION))
    return True
