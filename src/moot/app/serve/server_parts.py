"""Where a server of ours listens. This file owns which addresses only this machine reaches, and its names.

A server that others can reach must know its callers by a token, and must know its own names: else a foreign page could
reach it through the browser of whoever sits here.
"""

import ipaddress
import socket

from moot.app.plan.serving import Serving
from moot.core.errors import BriefError

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def check_host(host: str, serving: Serving) -> None:
    """Refuse to be reached from elsewhere where nobody would need a token.

    Raises:
        BriefError: no token is set, or it is unclear by which name the machine is reached.
    """
    if is_loopback(host):
        return
    if not serving.tokens:
        found = f"{host} can be reached from other machines; set a token in [serve.tokens] of your own moot.toml first"
        raise BriefError(found, code="inconsistent")
    if is_any(host) and not serving.hosts:
        found = f"{host} stands for every address; say in [serve] hosts by which names this machine is reached"
        raise BriefError(found, code="inconsistent")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    address = _address(host)
    return host == "localhost" or (address is not None and address.is_loopback)


def is_any(host: str) -> bool:
    """Whether an address stands for all of the machine's."""
    address = _address(host)
    return address is not None and address.is_unspecified


def hosts_of(host: str, port: int, serving: Serving) -> frozenset[str]:
    """The values of the header ``Host`` that are answered, in small letters."""
    names = [*LOOPBACK] if is_loopback(host) else [host, *LOOPBACK]
    found = [f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name in names]
    more = [name for each in serving.hosts for name in (each, f"{each}:{port}")]
    return frozenset(each.lower() for each in (*found, *more))


def same_page(origin: str, scheme: str, host: str) -> bool:
    """Whether a page of that origin came from where a request went, by its scheme and its header ``Host``."""
    return origin.lower() == f"{'https' if scheme in ('https', 'wss') else 'http'}://{host}"


def listen(host: str, port: int) -> socket.socket:
    """A socket at an address; port 0 takes any.

    Raises:
        BriefError: it cannot be listened at.
    """
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind, proto)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(address)
        except BaseException:
            made.close()
            raise
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or error
        raise BriefError(f"{host}:{port} cannot be listened at: {why}; try --port 0", code="no_port") from error
    return made


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
