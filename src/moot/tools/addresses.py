"""Where a fetch may go. This file owns which addresses count as public, and how an address inside another is found.

The networks are those of the IANA special-purpose registries (RFC 6890 and its successors). The table is our own, for
``ipaddress.is_global`` answers otherwise in other versions of Python and calls ``64:ff9b::a9fe:a9fe`` global.
"""

import re
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

_CLOSED_V4 = tuple(
    IPv4Network(each)
    for each in (
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
    IPv6Network(each)
    for each in (
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
