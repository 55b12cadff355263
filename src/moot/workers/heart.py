"""A worker's heart: it renews leases in a thread of its own, so that no busy event loop can starve it.

This file owns when leases are renewed and what a worker is told of them. Where the database does not answer, the heart
tries again with every beat; the leases run out by themselves meanwhile, here and there.
"""

import threading
from collections.abc import Callable, Mapping

import psycopg
from psycopg import sql
from sqlalchemy.exc import SQLAlchemyError

from moot.workers.fence import Fence
from moot.workers.leases import Leases
from moot.workers.queue_tables import plain
from moot.workers.workers_jobs import STOPS

Beaten = Mapping[str, tuple[int, str]]
"""For each debate whose lease was renewed the epoch, and whether it is to be stopped."""


class Heart:
    """Renews the leases of one worker until it is stopped.

    Args:
        leases: the leases.
        worker: the worker's name.
        seconds: how long a lease lasts; it is renewed three times in that time.
        fence: where renewed leases let their debates be written.
        told: told after each beat what was renewed, in the heart's thread.
    """

    def __init__(
        self, leases: Leases, worker: str, seconds: float, fence: Fence, told: Callable[[Beaten], None]
    ) -> None:
        self._leases, self._worker, self._seconds, self._fence, self._told = leases, worker, seconds, fence, told
        self._address = plain(leases.engine.url.render_as_string(hide_password=False))
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"heart of {worker}", daemon=True)

    def start(self) -> None:
        """Begin to beat."""
        self._thread.start()

    def stop(self) -> None:
        """Beat no longer."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(self._seconds)

    def _run(self) -> None:
        while not self._over.is_set():
            try:
                with psycopg.connect(self._address, autocommit=True, connect_timeout=5) as ear:
                    ear.execute(sql.SQL("listen {}").format(sql.Identifier(STOPS)))
                    while not self._over.is_set():
                        self._beat()
                        self._wait(ear)
            except (psycopg.Error, SQLAlchemyError):
                self._over.wait(self._seconds / 6)

    def _beat(self) -> None:
        began = self._fence.now()
        renewed = self._leases.beat(self._worker, self._fence.held, self._seconds)
        self._fence.extend(renewed, began + self._seconds)
        self._told(renewed)

    def _wait(self, ear: "psycopg.Connection[tuple[object, ...]]") -> None:
        """Wait for the next beat; it comes at once where a debate is to be stopped."""
        beat = self._fence.now() + self._seconds / 3
        while not self._over.is_set() and (left := beat - self._fence.now()) > 0:
            if list(ear.notifies(timeout=min(left, 0.2), stop_after=1)):
                return
