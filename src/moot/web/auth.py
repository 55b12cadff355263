"""Passes: who somebody is, by what was sent along. This file owns sessions, tokens and the one-time link.

Sessions live as long as the process. Of every secret only its hash is kept, and hashes are compared in constant time.
"""

import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hmac import compare_digest

from moot.app.run.access import RIGHTS, Claim, Right, Share, mark_of, new_secret
from moot.web.problems import Problem

SESSION = "moot_session"
"""How the cookie of whoever is at the machine begins; what follows tells the port."""

SHARED = "moot_share"
"""How the cookie of a share link begins; what follows tells the port and the debate."""

LINK_SECONDS = 600.0
"""How long the one-time link is good."""

SESSION_SECONDS = 30 * 86_400.0

MOST_SESSIONS = 100

MOST_LINKS = 10_000
"""So many links are counted by themselves; further ones by where they are used."""

LOOK_SECONDS = 5.0
"""Seconds after which a server knows that another one has taken a link back."""

MOST_STREAMS = 2000
"""The most streams and sockets of one pass at once: a link may be for a full hall."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """Somebody with a right.

    Attributes:
        owner: under which name it owns debates; "" for whoever is at the machine.
        share: the link that it came by; None for an owner.
        cookie: whether it came as a cookie, which a browser sends by itself.
        mark: the hash of its secret, by which its requests are counted.
    """

    owner: str = ""
    share: Share | None = None
    cookie: bool = False
    mark: str = ""

    @property
    def machine(self) -> bool:
        """Whether it is whoever is at the machine, who sees everything."""
        return not self.owner and self.share is None

    @property
    def sender(self) -> str:
        """Who it is, whatever session or cookie it came by."""
        return f"link {self.share.id}" if self.share else f"owner {self.owner}"

    def right_on(self, claim: Claim) -> Right | None:
        """What it may do with a debate; None where there is no such debate for it. A link is for its debate alone."""
        if self.share:
            return self.share.right
        return "own" if self.machine or self.owner == claim.owner else None


def reaches(right: Right, needed: Right) -> bool:
    """Whether a right is at least another one."""
    return RIGHTS.index(right) >= RIGHTS.index(needed)


@dataclass(slots=True)
class Passes:
    """Whom this process knows.

    Args:
        tokens: the hashes of the tokens of programs, by name.
        clock: seconds that only go forward.
        revoked: the ids of links that were taken back.
        links: the hashes of links that have let somebody in; each is counted by itself, not by where it is used.
    """

    tokens: Mapping[str, str]
    clock: Callable[[], float] = time.monotonic
    revoked: set[str] = field(default_factory=set[str])
    links: set[str] = field(default_factory=set[str])
    _looked: dict[str, float] = field(default_factory=dict[str, float])
    _open: Counter[str] = field(default_factory=Counter[str])
    _link: tuple[str, float] | None = None
    _sessions: dict[str, float] = field(default_factory=dict[str, float])

    def new_link(self) -> str:
        """A token that is good once, for ten minutes; an older one is good no longer."""
        secret = new_secret()
        self._link = (mark_of(secret), self.clock() + LINK_SECONDS)
        return secret

    def exchange(self, secret: str) -> str | None:
        """The one-time token for a new session; None where it is good no longer."""
        if self._link is None or not compare_digest(self._link[0], mark_of(secret)) or self.clock() > self._link[1]:
            return None
        self._link = None
        session = new_secret()
        if len(self._sessions) >= MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        self._sessions[mark_of(session)] = self.clock() + SESSION_SECONDS
        return session

    def of_session(self, secret: str) -> Pass | None:
        """The pass of a session's cookie."""
        mark = mark_of(secret)
        ends = next((ends for each, ends in self._sessions.items() if compare_digest(each, mark)), None)
        return None if ends is None or self.clock() > ends else Pass(cookie=True, mark=mark)

    def of_token(self, secret: str) -> Pass | None:
        """The pass of a program's token."""
        mark = mark_of(secret)
        found = [name for name, each in self.tokens.items() if compare_digest(each, mark)]
        return Pass(owner=found[0], mark=mark) if found else None

    def meet(self, link: str) -> None:
        """A link has let somebody in."""
        if len(self.links) < MOST_LINKS:
            self.links.add(link)

    def looks_again(self, debate: str) -> bool:
        """Whether it is time to read again which links to a debate were taken back; true once in some seconds."""
        now = self.clock()
        if now - self._looked.get(debate, -LOOK_SECONDS) < LOOK_SECONDS:
            return False
        if len(self._looked) >= MOST_LINKS:
            self._looked.clear()
        self._looked[debate] = now
        return True

    @contextmanager
    def streaming(self, holder: Pass) -> Generator[None]:
        """A stream or socket of a pass, as long as the context lasts.

        Raises:
            Problem: 429 where it has as many as it may.
        """
        if self._open[holder.mark] >= MOST_STREAMS:
            detail = f"{MOST_STREAMS} streams are open with this pass, the most at once; close one"
            raise Problem(429, detail, headers={"Retry-After": "30"})
        self._open[holder.mark] += 1
        try:
            yield
        finally:
            self._open[holder.mark] -= 1
            if not self._open[holder.mark]:
                del self._open[holder.mark]


def session_cookie(host: str) -> str:
    """The name of the cookie of a session at a host, which is given as in the header ``Host``.

    A browser keeps cookies by the name of a machine, whatever the port. So that two servers on one machine do not take
    each other's place, the port stands in the name.
    """
    port = host.rpartition(":")[2]
    return f"{SESSION}_{port}" if port.isdecimal() else SESSION


def share_cookie(host: str, debate: str) -> str:
    """The name of the cookie that holds the secret of a link to a debate; see ``session_cookie``."""
    return f"{share_cookies(host)}{mark_of(debate)[:16]}"


def share_cookies(host: str) -> str:
    """How the names of these cookies begin at a host."""
    return f"{session_cookie(host).replace(SESSION, SHARED)}_"
