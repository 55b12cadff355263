"""Authentication: sessions, tokens of programs, share links and the one-time login link.

Sessions survive a restart of the server: their hashes are in a file beside the records. Of every secret only its hash
is kept, and hashes are compared in constant time.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hmac import compare_digest
from pathlib import Path
from typing import cast

from folkmoot.app.run.access import RIGHTS, Claim, Right, Share, hash_of, new_secret
from folkmoot.app.serve.request_guard import token_name
from folkmoot.web.problems import Problem

SESSION = "folkmoot_session"
"""The prefix of the local owner's session cookie; the port follows."""

SHARED = "folkmoot_share"
"""The prefix of the cookie of a share link; the port and the debate follow."""

LINK_SECONDS = 600.0
"""The seconds for which the one-time link is valid."""

SESSION_SECONDS = 30 * 86_400.0

MOST_SESSIONS = 100

MOST_LINKS = 10_000
"""The most share links with rate limits of their own; further ones are counted by their address."""

LOOK_SECONDS = 5.0
"""Seconds after which a server notices that another one has revoked a link."""

MOST_STREAMS = 2000
"""The most open streams and sockets of one identity: a share link may have a large audience."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """An authenticated identity.

    Attributes:
        owner: the owner's name of its debates; "" for the local owner.
        share: the share link that was used; None for an owner.
        cookie: whether it was sent as a cookie, which a browser sends by itself.
        mark: the hash of its secret, by which its requests are counted.
    """

    owner: str = ""
    share: Share | None = None
    cookie: bool = False
    mark: str = ""

    @property
    def machine(self) -> bool:
        """Whether it is the local owner, who may see everything."""
        return not self.owner and self.share is None

    @property
    def sender(self) -> str:
        """The identity, independent of the session or cookie."""
        return f"link {self.share.id}" if self.share else f"owner {self.owner}"

    def right_on(self, claim: Claim) -> Right | None:
        """The right on a debate; None where the debate does not exist for it. A link is for its debate only."""
        if self.share:
            return self.share.right
        return "own" if self.machine or self.owner == claim.owner else None


def reaches(right: Right, needed: Right) -> bool:
    """Whether a right includes the needed one."""
    return RIGHTS.index(right) >= RIGHTS.index(needed)


@dataclass(slots=True)
class Authenticator:
    """Authenticates requests: the sessions, tokens and links that this process knows.

    Args:
        tokens: the hashes of the tokens of programs, by name.
        clock: a monotonic clock in seconds.
        revoked: the ids of revoked links.
        links: the hashes of links that were used; each has its own rate limit, independent of the address.
        sessions: the file with the hashes of sessions, and when each ends; None for no file.
    """

    tokens: Mapping[str, str]
    clock: Callable[[], float] = time.monotonic
    revoked: set[str] = field(default_factory=set[str])
    links: set[str] = field(default_factory=set[str])
    _looked: dict[str, float] = field(default_factory=dict[str, float])
    _open: Counter[str] = field(default_factory=Counter[str])
    _link: tuple[str, float] | None = None
    _sessions: dict[str, float] = field(default_factory=dict[str, float])
    sessions: Path | None = None

    def __post_init__(self) -> None:
        now, stored = self.clock(), read_sessions(self.sessions) if self.sessions else {}
        self._sessions |= {mark: now + left for mark, ends in stored.items() if (left := ends - time.time()) > 0}

    def new_link(self) -> str:
        """A new one-time token, valid for ten minutes; an older one is no longer valid."""
        secret = new_secret()
        self._link = (hash_of(secret), self.clock() + LINK_SECONDS)
        return secret

    def exchange(self, secret: str) -> str | None:
        """Exchange the one-time token for a new session; None where it is no longer valid."""
        if self._link is None or not compare_digest(self._link[0], hash_of(secret)) or self.clock() > self._link[1]:
            return None
        self._link = None
        session = new_secret()
        if len(self._sessions) >= MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        self._sessions[hash_of(session)] = self.clock() + SESSION_SECONDS
        if self.sessions:
            ahead = time.time() - self.clock()
            write_sessions(self.sessions, {mark: ends + ahead for mark, ends in self._sessions.items()})
        return session

    def of_session(self, secret: str) -> Identity | None:
        """The identity of a session cookie; None where it is not valid."""
        mark = hash_of(secret)
        ends = next((ends for text, ends in self._sessions.items() if compare_digest(text, mark)), None)
        return None if ends is None or self.clock() > ends else Identity(cookie=True, mark=mark)

    def of_token(self, secret: str) -> Identity | None:
        """The identity of a program's token; None where it is not known."""
        name = token_name(self.tokens, secret)
        return None if name is None else Identity(owner=name, mark=hash_of(secret))

    def meet(self, link: str) -> None:
        """Note that a link was used."""
        if len(self.links) < MOST_LINKS:
            self.links.add(link)

    def looks_again(self, debate: str) -> bool:
        """Whether to read again which links to a debate are revoked; true once every few seconds."""
        now = self.clock()
        if now - self._looked.get(debate, -LOOK_SECONDS) < LOOK_SECONDS:
            return False
        if len(self._looked) >= MOST_LINKS:
            self._looked.clear()
        self._looked[debate] = now
        return True

    @contextmanager
    def streaming(self, holder: Identity) -> Generator[None]:
        """Count a stream or socket of an identity for the time of the context.

        Raises:
            Problem: 429 where it has reached the maximum.
        """
        if self._open[holder.mark] >= MOST_STREAMS:
            detail = f"{MOST_STREAMS} streams are open with this login, the maximum; close one"
            raise Problem(429, detail, headers={"Retry-After": "30"})
        self._open[holder.mark] += 1
        try:
            yield
        finally:
            self._open[holder.mark] -= 1
            if not self._open[holder.mark]:
                del self._open[holder.mark]


def read_sessions(file: Path) -> dict[str, float]:
    """The hashes of sessions in a file and when each ends, in seconds since 1970; none where it cannot be read."""
    try:
        stored = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    rows = cast("dict[str, object]", stored).items() if isinstance(stored, dict) else ()
    return {mark: float(ends) for mark, ends in rows if isinstance(ends, int | float)}


def write_sessions(file: Path, sessions: Mapping[str, float]) -> None:
    """Write that file whole; only its owner may read it. Where it cannot be written, sessions end with the process."""
    new = file.with_name(f"{file.name}.new")
    with suppress(OSError):
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as written:
            json.dump(sessions, written)
        new.replace(file)


def session_cookie(host: str) -> str:
    """The name of the session cookie at a host, which is written as in the header ``Host``.

    Browsers store cookies by host name, whatever the port. The name contains the port, so that two servers on one
    machine do not overwrite each other's cookies.
    """
    port = host.rpartition(":")[2]
    return f"{SESSION}_{port}" if port.isdecimal() else SESSION


def share_cookie(host: str, debate: str) -> str:
    """The name of the cookie with the secret of a link to a debate; see ``session_cookie``."""
    return f"{share_cookies(host)}{hash_of(debate)[:16]}"


def share_cookies(host: str) -> str:
    """The prefix of the names of these cookies at a host."""
    return f"{session_cookie(host).replace(SESSION, SHARED)}_"
