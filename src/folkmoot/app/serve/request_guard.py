"""The one guard of requests over the network: host names, foreign pages, tokens and rate limits.

The HTTP API with the web app and the MCP server over HTTP ask it before anything else. A foreign page could make the
browser of the person at the machine send requests; the headers ``Host``, ``Origin`` and ``Sec-Fetch-Site`` tell. Of a
token only its hash is known, and hashes are compared in constant time.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hmac import compare_digest
from typing import Literal, NamedTuple

from folkmoot.app.run.access import hash_of

OWN_PAGE = frozenset({"same-origin", "none"})
"""What a browser says in ``Sec-Fetch-Site`` of requests that no foreign page has made."""


class Refusal(NamedTuple):
    """Why a request is refused.

    Attributes:
        status: the status of the answer.
        sentence: why, for whoever sent it.
        code: the same in a word; "" where the status says it.
        wait: seconds after which the same request may be sent again; 0 for never.
    """

    status: int
    sentence: str
    code: Literal["", "host", "origin"] = ""
    wait: int = 0


MOST_BUCKETS = 10_000
"""The most callers whose requests are counted; the one that was silent longest is forgotten."""


@dataclass(slots=True)
class RateLimiter:
    """How many requests somebody may still make; each bucket fills up again within a minute.

    Args:
        most: requests a minute.
        clock: seconds that only go forward.
    """

    most: int
    clock: Callable[[], float] = time.monotonic
    _filled: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict[str, tuple[float, float]])

    def take(self, client: str) -> float:
        """Take one; 0, or the seconds until there is one again."""
        now = self.clock()
        left, since = self._filled.pop(client, (float(self.most), now))
        left = min(float(self.most), left + (now - since) * self.most / 60)
        wait = 0.0 if left >= 1 else (1 - left) * 60 / self.most
        self._filled[client] = (left - 1 if left >= 1 else left, now)
        if len(self._filled) > MOST_BUCKETS:
            self._filled.popitem(last=False)
        return wait


class RequestGuard:
    """Checks the requests to one server.

    Args:
        hosts: the accepted values of the header ``Host``, in lower case.
        requests: the most requests a minute of one caller.
        clock: seconds that only go forward.
    """

    def __init__(self, hosts: frozenset[str], requests: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._hosts = hosts
        self._buckets = RateLimiter(requests, clock=clock)

    def check_page(
        self,
        headers: Mapping[str, str],
        *,
        scheme: str,
        live: bool = False,
        page: bool = False,
        tokens_only: bool = False,
    ) -> Refusal | None:
        """Refuse another host name, and requests that a foreign page makes a browser send; None where all is well.

        Args:
            headers: of the request, by names in lower case.
            scheme: the scheme of its address.
            live: whether it opens a WebSocket.
            page: whether it asks for a page, to which any other page may lead.
            tokens_only: whether only tokens count there, which no other page has; then any page may ask.
        """
        host, origin = headers.get("host", "").lower(), headers.get("origin")
        if host not in self._hosts:
            problem = f"the host name {host[:80]!r} is not one of this server; its owner can set hosts under [serve]"
            return Refusal(403, problem, "host")
        if tokens_only:
            return None
        if live and origin is None and "cookie" in headers:
            return Refusal(403, "a WebSocket with a cookie needs the header Origin", "origin")
        foreign = not page and headers.get("sec-fetch-site", "none") not in OWN_PAGE
        if foreign or (origin is not None and not same_page(origin, scheme, host)):
            return Refusal(403, "requests from other pages are refused", "origin")
        return None

    def check_rate(self, client: str) -> Refusal | None:
        """Count a request of somebody, and refuse it where there were too many; None where all is well."""
        wait = self._buckets.take(client)
        return Refusal(429, "too many requests; try again later", wait=int(wait) + 1) if wait else None


def headers_for_pages(headers: Mapping[str, str], origins: Sequence[str], *, asks: bool) -> dict[str, str]:
    """The headers of an answer that let a page of another address read it, where the owner has named its address.

    Args:
        headers: of the request, by names in lower case.
        origins: the addresses of pages that may ask; ``*`` for every page.
        asks: whether its browser asks first what the page may send.
    """
    if not origins:
        return {}
    origin = headers.get("origin", "")
    allowed = "*" if "*" in origins else origin if origin.lower() in origins else ""
    if not allowed:
        return {"Vary": "Origin"}
    sendable = {"Access-Control-Allow-Methods": "GET, POST", "Access-Control-Allow-Headers": "*, Authorization"}
    return {
        "Vary": "Origin",
        "Access-Control-Allow-Origin": allowed,
        "Access-Control-Expose-Headers": "*",
        "Cross-Origin-Resource-Policy": "cross-origin",
        **({**sendable, "Access-Control-Max-Age": "600"} if asks else {}),
    }


def bearer(headers: Mapping[str, str]) -> str:
    """The token of the header ``Authorization``; "" where there is none."""
    kind, _, secret = headers.get("authorization", "").partition(" ")
    return secret.strip() if kind.lower() == "bearer" else ""


def token_name(tokens: Mapping[str, str], secret: str) -> str | None:
    """The owner's name of a token; None where it is not known. All are compared, each in constant time.

    Args:
        tokens: the hashes of the tokens by name.
        secret: the token that was sent.
    """
    mark = hash_of(secret)
    names = [name for name, text in tokens.items() if compare_digest(text, mark)]
    return names[0] if names and secret else None


def same_page(origin: str, scheme: str, host: str) -> bool:
    """Whether a page of that origin came from where a request went, by its scheme and its header ``Host``."""
    return origin.lower() == f"{'https' if scheme in ('https', 'wss') else 'http'}://{host}"
