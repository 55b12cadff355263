"""Who runs a debate on this machine: a lock for each debate, which its process loses when it ends, however that comes.

A record has one writer, and a second one is found out when it appends. By then it may have paid for answers. So whoever
runs a debate takes a lock first. All locks of one store are bytes of one file in the temporary folder of the user; the
file stays empty. Where there are no such locks (Windows, a folder that cannot be written, another machine) the record
alone decides, as before.
"""

import hashlib
import os
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from moot.core.errors import RecordConflict

_GUARD = threading.Lock()  # house: state because the locks on a file are the process's
PLACES: dict[str, "_Place"] = {}  # house: state because closing a file drops all locks that the process has on it


class _Place:
    """The lock file of one store, as this process has it open, and the debates that it runs.

    Args:
        name: of the file.
    """

    def __init__(self, name: str) -> None:
        self.process, self.debates = os.getpid(), set[str]()
        self._file = open_file(name)

    def take(self, debate: str) -> bool:
        """Take the lock of a debate; whether nobody else has it."""
        if debate in self.debates or not self._lock(debate):
            return False
        self.debates.add(debate)
        return True

    def give(self, debate: str) -> None:
        """Give the lock of a debate back."""
        self.debates.discard(debate)
        if self._file is not None:
            import fcntl  # here because Windows has none

            with suppress(OSError):
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _byte(debate))

    def _lock(self, debate: str) -> bool:
        if self._file is None:
            return True
        import fcntl  # here because Windows has none

        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _byte(debate))
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks
            return True
        return True


def open_file(name: str) -> int | None:
    """The lock file of that name, made if it is missing; None where there can be none."""
    if os.name != "posix":
        return None
    folder = Path(tempfile.gettempdir()) / f"moot-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.lstat().st_uid != os.getuid():
            return None
        return os.open(folder / f"{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None


def _byte(debate: str) -> int:
    """The place of a debate's lock in the file."""
    return int.from_bytes(hashlib.sha256(debate.encode("utf-8", "replace")).digest()[:7])


def place_of(store: str) -> _Place:
    """The lock file of a store; what a fork copies of it is of no use, for locks are not copied."""
    place = PLACES.get(store)
    if place is None or place.process != os.getpid():
        name = hashlib.sha256(store.encode("utf-8", "replace")).hexdigest()[:16]
        place = PLACES[store] = _Place(name)
    return place


@contextmanager
def running(store: str, debate: str) -> Generator[None]:
    """Run a debate: nobody else on this machine may meanwhile.

    Args:
        store: the full path of the file, or the address of the database, with the record.
        debate: its id.

    Raises:
        RecordConflict: somebody runs it; nothing was asked or paid.
    """
    with _GUARD:
        if not place_of(store).take(debate):
            told = f"{debate} is being run by another process; follow it with `moot show {debate} --follow`"
            raise RecordConflict(told)
    try:
        yield
    finally:
        with _GUARD:
            place_of(store).give(debate)


def is_running(store: str, debate: str) -> bool:
    """Whether somebody on this machine runs a debate."""
    try:
        with running(store, debate):
            return False
    except RecordConflict:
        return True
