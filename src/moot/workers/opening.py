"""The way to the queue of a store. This file owns when there is one, and what is said where packages are missing."""

from importlib.util import find_spec

from moot.core.errors import BriefError
from moot.desk.queueing import Dispatcher

EXTRA = 'pip install "moot[workers]"'

SCHEMES = ("postgresql://", "postgres://")


def has_queue(address: str) -> bool:
    """Whether debates in that store can be held by workers."""
    return address.startswith(SCHEMES) and find_spec("dbos") is not None


def check_queue(address: str) -> None:
    """Refuse what needs a queue where there is none.

    Raises:
        BriefError: the store is a file, or the packages are missing.
    """
    if not address.startswith(SCHEMES):
        found = "a queue needs a store that many machines share: --store postgresql://user@host/database"
        raise BriefError(found, code="inconsistent")
    if find_spec("dbos") is None:
        raise BriefError(f"workers and their queue need further packages: {EXTRA}", code="missing_extra")


def open_queue(address: str) -> Dispatcher:
    """The queue of a store; nothing is connected before it is used.

    Raises:
        BriefError: the store is a file, or the packages are missing.
    """
    check_queue(address)
    from moot.workers.queue import Queue  # here, because these packages are an extra and take long to load

    return Queue(address)
