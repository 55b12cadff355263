"""Fetching web pages safely: which addresses are public, and how a page is fetched without risk to the owner's network.

The networks are those of the IANA special-purpose registries (RFC 6890 and its successors). The table is Folkmoot's own,
because ``ipaddress.is_global`` differs between versions of Python and calls ``64:ff9b::a9fe:a9fe`` global.

One parser reads the address for the check and for the connection. A name is resolved once, every address of it must be
public, and the connection goes to the checked address. The same holds for every redirect.
"""

import asyncio
import re
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, TypeAlias

from folkmoot.core.errors import ToolError
from folkmoot.core.text import clean, clip
from folkmoot.tools.documents import Document, convert

if TYPE_CHECKING:
    from httpx2 import URL, AsyncClient, Response

_CLOSED_V4 = tuple(
    IPv4Network(item)
    for item in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared by a carrier's customers; some clouds keep their metadata there
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # the host agent of a large cloud, at a public address
        "169.254.0.0/16",  # link-local, and the metadata of clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
_OPEN_V6 = IPv6Network("2000::/3")
"""The only part of IPv6 in which public addresses are given out; all other parts are closed without being named."""

_CLOSED_V6 = tuple(
    IPv6Network(item)
    for item in (
        "2001::/23",  # protocol assignments, Teredo among them
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: an IPv4 address in disguise
        "3fff::/20",  # documentation
    )
)
_MAPPED = IPv6Network("::ffff:0:0/96")
_NAT64 = IPv6Network("64:ff9b::/96")
"""How a network without IPv4 reaches every IPv4 host; the last 32 bits are the host."""

_NUMBER = re.compile(r"[0-9]+|0[xX][0-9a-fA-F]*")
_NAME = re.compile(r"(?=.{1,253}\.?$)[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(\.[A-Za-z0-9_-]{1,63})*\.?")


def is_public(text: str) -> bool:
    """Whether an address, as a resolver writes it, belongs to the public internet; what is no address does not."""
    try:
        address = unwrap(ip_address(text))
    except ValueError:
        return False
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _CLOSED_V4)
    return address in _OPEN_V6 and not address.scope_id and not any(address in network for network in _CLOSED_V6)


def unwrap(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address that an IPv6 address stands for, where packets to it end at an IPv4 host."""
    if isinstance(address, IPv6Address) and (address in _MAPPED or address in _NAT64):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def is_host(text: str) -> bool:
    """Whether a host of a URL is a name or an address in its plain form.

    Resolvers read ``127.1``, ``0x7f.1`` and ``2130706433`` as addresses too; nobody who means well writes so.
    """
    if ":" in text:
        return _is_v6(text)
    if _NUMBER.fullmatch(text.rstrip(".").rpartition(".")[2]):
        return _is_v4(text)
    return bool(_NAME.fullmatch(text))


def _is_v4(text: str) -> bool:
    try:
        IPv4Address(text)
    except AddressValueError:
        return False
    return True


def _is_v6(text: str) -> bool:
    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    return True


MOST_BYTES = 2 * 1024 * 1024
"""Bytes of a body, unpacked."""

SECONDS = 10.0
"""Time for one fetch, names, redirects and all."""

HOPS = 5
"""Redirects that are followed."""

LONGEST_ADDRESS = 2000
PORTS = frozenset({80, 443})
"""Others belong to services that are no web pages."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PIECE = 64 * 1024
_TYPES = "text/html,application/xhtml+xml,application/pdf,text/*;q=0.9,application/json;q=0.9,application/xml;q=0.9"

Resolve: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""A host and a port to its addresses; OSError where there are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page as it was read.

    Attributes:
        address: where it was found, after all redirects.
        title: its title; "" where it has none.
        text: its words.
    """

    address: str
    title: str
    text: str


async def resolve(host: str, port: int) -> Sequence[str]:
    """The addresses that the system knows for a host."""
    getaddrinfo = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(item[4][0]) for item in getaddrinfo]


class Fetcher:
    """Fetches public pages.

    Args:
        resolve: how a name becomes addresses.
        trusted: authorities (``127.0.0.1:8080``) that may be reached although they are not public, each exactly as
            it stands in the address. There are none but in tests.
        seconds: the most time for one fetch.
    """

    def __init__(self, *, resolve: Resolve = resolve, trusted: Collection[str] = (), seconds: float = SECONDS) -> None:
        self._resolve, self._trusted, self._seconds = resolve, frozenset(trusted), seconds
        self._tls: ssl.SSLContext | None = None

    async def fetch(self, address: str) -> Page:
        """The page at an address.

        Raises:
            ToolError: it may not be fetched, there is none, it is no text, or it is too large or too slow.
        """
        import httpx2  # deferred: it takes 0.1 s to load

        url = _parse(address)
        try:
            async with asyncio.timeout(self._seconds), self._client() as client:
                final_url, document = await self._follow(client, url)
                return await _read(final_url, document)
        except TimeoutError:
            raise ToolError(f"{_address_text(address)} took longer than {self._seconds:g} seconds") from None
        except httpx2.HTTPError as error:
            reason = clip(clean(str(error)) or type(error).__name__, 200)
            raise ToolError(f"{_address_text(address)} cannot be reached: {reason}") from error

    def _client(self) -> "AsyncClient":
        import httpx2

        if self._tls is None:
            self._tls = httpx2.create_ssl_context(trust_env=False)
        # No connection is kept: one that was opened for a name must not serve another name at the same address.
        limits = httpx2.Limits(max_keepalive_connections=0)
        return httpx2.AsyncClient(
            verify=self._tls, trust_env=False, follow_redirects=False, limits=limits, timeout=None
        )

    async def _follow(self, client: "AsyncClient", url: "URL") -> tuple["URL", Document]:
        """What stands at the end of the redirects."""
        for _ in range(HOPS + 1):
            response = await self._send(client, url)
            async with aclosing(response):
                if response.status_code not in _REDIRECTS or not (target := response.headers.get("location")):
                    return url, await _read_document(url, response)
            url = _parse(target, base=url)
        raise ToolError(f"{_address_text(url)} is behind more than {HOPS} redirects")

    async def _send(self, client: "AsyncClient", url: "URL") -> "Response":
        """Ask for one address, at an address of the network that was checked."""
        import httpx2

        host, authority = url.raw_host.decode("ascii"), url.netloc.decode("ascii")
        port = url.port or {"http": 80, "https": 443}[url.scheme]
        try:
            addresses = await self._resolve(host, port)
        except (OSError, UnicodeError):
            raise ToolError(f"there is no host {host!r}") from None
        if authority not in self._trusted or not addresses:
            check_target(host, port, addresses)
        headers = {"host": authority, "accept": _TYPES, "accept-encoding": "gzip", "user-agent": "Folkmoot"}
        for place in addresses[:-1]:
            try:
                return await _ask(client, url, place, headers)
            except httpx2.ConnectError:
                continue  # the next of its addresses may be in reach
        return await _ask(client, url, addresses[-1], headers)


async def _ask(client: "AsyncClient", url: "URL", place: str, headers: Mapping[str, str]) -> "Response":
    """Put the request to one address of the network; the name stands in its headers and for its certificate."""
    pinned = url.copy_with(host=place, fragment=None)
    named = {"sni_hostname": url.raw_host.decode("ascii")}
    return await client.send(client.build_request("GET", pinned, headers=headers, extensions=named), stream=True)


def check_target(host: str, port: int, addresses: Sequence[str]) -> None:
    """Whether a host with those addresses may be reached at that port.

    Raises:
        ToolError: an address is not public, there is none, or the port is not that of a web page.
    """
    if port not in PORTS:
        raise ToolError(f"port {port} of {host} is refused: only the ports 80 and 443 are open to tools")
    if not addresses or not all(map(is_public, addresses)):
        raise ToolError(f"{host} is refused: it is not a public address")


def _parse(address: str, *, base: "URL | None" = None) -> "URL":
    """An address as a URL that may be asked for; a redirect's is joined to the address that it came from.

    Raises:
        ToolError: it is none of http or https with a plain host and without a password.
    """
    import httpx2

    try:
        url = base.join(address) if base else httpx2.URL(address)
        plain = is_host(url.raw_host.decode("ascii"))
    except (httpx2.InvalidURL, UnicodeError):
        raise ToolError(f"{_address_text(address)} is not the address of a web page") from None
    if url.scheme not in ("http", "https") or not plain or len(str(url)) > LONGEST_ADDRESS:
        raise ToolError(f"{_address_text(address)} is refused: write http:// or https:// and the plain name of a host")
    if url.userinfo:
        raise ToolError("the address is refused: it has a name or password")
    return url


async def _read_document(url: "URL", response: "Response") -> Document:
    """The body as a document."""
    if response.status_code != 200:
        raise ToolError(f"{_address_text(url)} answers with the status {response.status_code}")
    kind, _, rest = response.headers.get("content-type", "").partition(";")
    kind = kind.strip().casefold()
    charset = rest.partition("charset=")[2].partition(";")[0].strip(" \"'")
    if kind in ("text/html", "application/xhtml+xml"):
        form = "html"
    elif kind == "application/pdf":
        form = "pdf"
    elif kind.startswith("text/") or kind.partition("/")[2].rpartition("+")[2] in ("json", "xml"):
        form = "text"
    else:
        problem = f"{_address_text(url)} is of the type {clip(clean(kind), 80) or 'unknown'}"
        raise ToolError(f"{problem}; text, HTML, JSON, XML and PDF can be read")
    packed = response.headers.get("content-encoding", "").strip().casefold()
    if packed not in ("", "identity", "gzip", "x-gzip"):
        raise ToolError(f"{_address_text(url)} uses a compression that was not requested")
    data = await _collect(url, response.aiter_raw(_PIECE), packed=packed.endswith("gzip"))
    return Document(kind=form, data=data, charset=charset)


async def _collect(url: "URL", pieces: AsyncIterator[bytes], *, packed: bool) -> bytes:
    """The bytes of a body, unpacked by no more than what is kept, so that a small body cannot fill the memory."""
    unpack = zlib.decompressobj(wbits=31) if packed else None
    data = bytearray()
    async for piece in pieces:
        try:
            data += unpack.decompress(piece, MOST_BYTES + 1 - len(data)) if unpack else piece
        except zlib.error:
            raise ToolError(f"{_address_text(url)} cannot be decompressed") from None
        if len(data) > MOST_BYTES:
            raise ToolError(f"{_address_text(url)} is larger than {MOST_BYTES // 1024 // 1024} MiB")
    return bytes(data)


async def _read(url: "URL", document: Document) -> Page:
    (text,) = await asyncio.to_thread(convert, [document], seconds=SECONDS)
    if text.fault:
        raise ToolError(f"{_address_text(url)} {text.fault}")
    return Page(address=str(url.copy_with(fragment=None)), title=text.title, text="\n\n".join(text.pages))


def _address_text(address: object) -> str:
    """An address as it stands in a sentence."""
    return repr(clip(clean(str(address)), 120))
