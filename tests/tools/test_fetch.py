"""Pages of the web: which addresses may be reached, and what pages may do."""

import gzip
import tracemalloc
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.errors import ToolError
from folkmoot.testing.small_web import Answer, Web, moved, page, serve_pages
from folkmoot.tools.fetch import Fetcher, Page, check_target, is_host, is_public

PUBLIC = ("8.8.8.8", "93.184.215.14", "172.32.0.1", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8")
CLOSED = (
    *("0.0.0.0", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254", "168.63.129.16"),
    *("169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1"),
    *("198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:7f00:1", "::127.0.0.1", "::ffff:0:127.0.0.1"),
    *("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::808:808", "100::1", "2001::1", "2001:0:7f00:1::"),
    *("2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254"),
    *("fe80::1", "fe80::1%eth0", "2606:4700::1%eth0", "fec0::1", "ff02::1", "example.com", "", "127.1", "0x7f.1"),
)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("address", CLOSED)
def test_all_others_are_closed(address: str) -> None:
    assert not is_public(address)


@given(st.one_of(st.integers(0, 2**32 - 1).map(IPv4Address), st.integers(0, 2**128 - 1).map(IPv6Address)))
def test_what_is_public_here_is_so_for_the_standard_library(address: IPv4Address | IPv6Address) -> None:
    if is_public(str(address)) and not str(address).startswith("64:ff9b::"):
        inner = getattr(address, "ipv4_mapped", None) or address
        assert inner.is_global
        assert not inner.is_multicast


@pytest.mark.parametrize(
    "host", ["example.com", "example.com.", "a_b.example", "8.8.8.8", "::1", "xn--mnchen-3ya.de", "a1.b2"]
)
def test_plain_hosts(host: str) -> None:
    assert is_host(host)


ODD_HOSTS = [
    "",
    "127.1",
    "0x7f.1",
    "2130706433",
    "0177.0.0.1",
    "1.2.3.4.5",
    "127.0.0.1.",
    "a..b",
    "-a.b",
    "a b",
    "0x7f000001",
]


@pytest.mark.parametrize("host", [*ODD_HOSTS, "::g", "a" * 64, "a." * 130, "a%20b", "1::2::3"])
def test_odd_hosts(host: str) -> None:
    assert not is_host(host)


class Names:
    """A resolver that knows some names, and gives their addresses in order, one list for each time that it is asked."""

    def __init__(self, names: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self._left = {name: list(lists) for name, lists in names.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        if host not in self._left:
            raise OSError(f"no {host}")
        lists = self._left[host]
        return lists.pop(0) if len(lists) > 1 else lists[0]


ODD = (
    "http://127.1/",
    "http://0x7f.1/",
    "http://2130706433/",
    "http://0177.0.0.1/",
    "http://①②⑦.0.0.1/",
    "http://１２７.0.0.1/",
    "http://127。0。0。1/",
    "http://127.0.0.1/",
    "http://localhost/",
    "https://localhost.localdomain/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b::a9fe:a9fe]/latest/meta-data/",
    "http://[2002:7f00:1::]/",
    "http://[2001:0:7f00:1::]/",
    "http://[fec0::1]/",
    "http://[fe80::1]/",
    "http://[fe80::1%25eth0]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://0/",
    "http://user:secret@93.184.215.14/",
    "http://93.184.215.14\\@127.0.0.1/",
    "http://93.184.215.14:22/",
    "http://93.184.215.14:99999/",
    "http:///etc/passwd",
    "file:///etc/passwd",
    "ftp://93.184.215.14/",
    "javascript:alert(1)",
    "gopher://93.184.215.14/",
    "//93.184.215.14/",
    "etc/passwd",
    "",
    "http://ex ample.com/",
    "http://a\x00b/",
    "http://" + "a" * 300 + ".com/",
    "http://93.184.215.14/" + "a" * 2000,
)


@pytest.mark.parametrize("address", ODD)
async def test_odd_addresses_are_refused_before_anything_is_sent(address: str) -> None:
    names = Names({text: [[text]] for text in ("127.0.0.1", "::1", "::", "93.184.215.14", "169.254.169.254", *CLOSED)})
    names_of_the_machine = Names({"localhost": [["127.0.0.1"]], "localhost.localdomain": [["::1"]]})

    async def both(host: str, port: int) -> Sequence[str]:
        return await (names_of_the_machine if host.startswith("localhost") else names)(host, port)

    with pytest.raises(ToolError) as caught:
        await Fetcher(resolve=both, seconds=120).fetch(address)
    assert "secret" not in str(caught.value)
    assert "cannot be reached" not in str(caught.value)  # that would be an attempt
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("addresses", [["93.184.215.14", "10.0.0.1"], ["10.0.0.1", "93.184.215.14"], ["::1"], []])
async def test_one_closed_address_of_a_name_closes_it(addresses: list[str]) -> None:
    with pytest.raises(ToolError, match="is not a public address"):
        await Fetcher(resolve=Names({"two.example": [addresses]})).fetch("https://two.example/")


def test_a_target_with_public_addresses_only() -> None:
    check_target("two.example", 443, PUBLIC)
    for port, texts in ((22, PUBLIC), (443, (*PUBLIC, "10.0.0.1")), (80, ())):
        with pytest.raises(ToolError, match=r"^(port 22 of )?two.example is refused: "):
            check_target("two.example", port, texts)


async def test_the_default_reads_the_names_of_the_system_and_trusts_nobody() -> None:
    async with Web(serve_pages({"/": page("<p>inside</p>")})).serve() as web:
        for address in (web.url, f"http://localhost:{web.port}/", "http://127.0.0.1/"):
            with pytest.raises(ToolError, match=r"not a public address|only the ports"):
                await Fetcher().fetch(address)
        with pytest.raises(ToolError, match="no host"):
            await Fetcher().fetch("http://" + "a." * 100 + "example.invalid/")
    assert web.visits == []


async def test_a_name_is_resolved_once_and_the_connection_goes_to_what_was_checked() -> None:
    """A rebinding name: at first public, then an address inside. It is asked only once for each hop."""
    names = Names({"rebind.example": [["192.0.2.7"], ["127.0.0.1"]]})
    async with Web(serve_pages({"/": page("<p>inside</p>")})).serve() as web:
        with pytest.raises(ToolError, match="not a public address"):
            await Fetcher(resolve=names).fetch("http://rebind.example/")
        assert names.asked == ["rebind.example"]
        # The connection goes to the address from the resolver, whatever the system thinks of the name.
        trusted = f"pinned.example:{web.port}"
        known = Names({"pinned.example": [["127.0.0.1"], ["10.0.0.1"]]})
        fetch = await Fetcher(resolve=known, trusted=[trusted]).fetch(f"http://{trusted}/")
        assert (fetch.text, known.asked) == ("inside", ["pinned.example"])
        assert web.visits[0].headers["host"] == trusted


async def test_all_addresses_of_a_name_are_tried_before_it_counts_as_away() -> None:
    async with Web(serve_pages({"/": page("<p>here</p>")})).serve() as web:
        place = f"two.example:{web.port}"
        for texts in (["127.0.0.9", "127.0.0.1"], ["127.0.0.1", "127.0.0.9"]):
            fetcher = Fetcher(resolve=Names({"two.example": [texts]}), trusted=[place])
            assert (await fetcher.fetch(f"http://{place}/")).text == "here"
        away = ["127.0.0.9", "127.0.0.8"]
        with pytest.raises(ToolError, match="cannot be reached"):
            await Fetcher(resolve=Names({"two.example": [away]}), trusted=[place]).fetch(f"http://{place}/")
        with pytest.raises(ToolError, match="is refused"):
            await Fetcher(resolve=Names({"two.example": [[]]}), trusted=[place]).fetch(f"http://{place}/")


async def get(answer: Answer | Mapping[str, Answer], *, seconds: float = 120.0) -> Page:
    pages = {"/": answer} if isinstance(answer, Answer) else answer
    async with Web(serve_pages(pages)).serve() as web:
        return await Fetcher(trusted=[web.authority], seconds=seconds).fetch(f"{web.url}/#top")


STUDY = "<html><head><title>The study</title><style>p {}</style></head><body><nav>Menu</nav><h2>Costs</h2><p>Five.</p>"


async def test_a_page_is_read_as_text_with_its_title() -> None:
    listed_page = await get(page(STUDY))
    assert (listed_page.title, listed_page.text) == ("The study", "## Costs\n\nFive.")
    assert listed_page.address.startswith("http://127.0.0.1:")
    assert listed_page.address.endswith("/")


async def test_what_is_asked_for_gives_nothing_away() -> None:
    async with Web(serve_pages({"/": page("<p>a</p>")})).serve() as web:
        fetcher = Fetcher(trusted=[web.authority])
        for _ in range(2):
            await fetcher.fetch(web.url)
    sent = web.visits[1].headers
    assert sent["user-agent"] == "Folkmoot"
    assert sent["accept-encoding"] == "gzip"
    assert not {"cookie", "authorization", "referer"} & set(sent)


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        ("text/plain", "café".encode(), "café"),
        ('text/plain; charset="latin-1"', "café".encode("latin-1"), "café"),
        ("text/plain; charset=nonsense", "café".encode(), "café"),
        ("TEXT/CSV", b"a,b\r\n1,2", "a,b\n1,2"),
        ("application/json", b'{"a": 1}', '{"a": 1}'),
        ("application/ld+json; charset=utf-8", b"{}", "{}"),
        ("application/rss+xml", b"<rss/>", "<rss/>"),
        ("application/xml; charset=latin-1", "é".encode("latin-1"), "é"),
        ("application/xhtml+xml", b"<p>x</p>", "x"),
    ],
)
async def test_types_that_can_be_read(kind: str, body: bytes, text: str) -> None:
    assert (await get(Answer(body=body, kind=kind))).text == text


@pytest.mark.parametrize("kind", ["image/png", "application/octet-stream", "", "application/zip", "video/mp4"])
async def test_other_types_are_refused(kind: str) -> None:
    with pytest.raises(
        ToolError, match=r"of the type (unknown|[a-z]+/[a-z0-9-]+); text, HTML, JSON, XML and PDF can be read"
    ):
        await get(Answer(body=b"x", kind=kind))


@pytest.mark.parametrize("status", [204, 304, 401, 403, 404, 500])
async def test_a_status_is_told(status: int) -> None:
    with pytest.raises(ToolError, match=f"answers with the status {status}"):
        await get(Answer(status=status, body=b"" if status < 400 else b"x"))


async def test_redirects_are_followed_and_each_is_checked() -> None:
    listed_page = await get({"/": moved("/a?b=c"), "/a": moved("b#part"), "/b": page("<p>There</p>")})
    assert listed_page.text == "There"
    assert listed_page.address.endswith("/b")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("http://127.0.0.1/inside", "not a public address"),
        ("http://127.0.0.1:1/inside", "only the ports"),
        ("http://[::1]/", "not a public address"),
        ("http://2130706433/", "is refused"),
        ("http://localhost/", "not a public address"),
        ("file:///etc/passwd", "is refused"),
        ("http://a:b@127.0.0.1/", "has a name or password"),
        ("http://a:999999/", "no address of a web page|is refused|only the ports|no host"),
        ("/", "behind more than 5 redirects"),
    ],
)
async def test_a_redirect_leads_nowhere_inside(target: str, message: str) -> None:
    with pytest.raises(ToolError, match=message):
        await get(moved(target))


async def test_a_redirect_without_a_target_is_a_status() -> None:
    with pytest.raises(ToolError, match="answers with the status 302"):
        await get(Answer(status=302))


async def test_a_slow_page_ends_in_time() -> None:
    with pytest.raises(ToolError, match=r"took longer than 0\.2 seconds"):
        await get(Answer(body=b"x" * 10, pause=0.1, endless=True), seconds=0.2)


@pytest.mark.parametrize("packed", [False, True])
async def test_a_page_without_end_is_given_up(packed: bool) -> None:
    body = gzip.compress(b"x" * (64 * 1024 * 1024)) if packed else b"x" * 65536
    with pytest.raises(ToolError, match="is larger than 2 MiB"):
        await get(Answer(body=body, endless=not packed, headers={"content-encoding": "gzip"} if packed else {}))


async def test_a_bomb_takes_no_memory() -> None:
    body = gzip.compress(bytes(256 * 1024 * 1024), 1)
    tracemalloc.start()
    try:
        with pytest.raises(ToolError, match="is larger than 2 MiB"):
            await get(Answer(body=body, headers={"content-encoding": "gzip"}))
        assert tracemalloc.get_traced_memory()[1] < 16 * 1024 * 1024
    finally:
        tracemalloc.stop()


async def test_packed_pages() -> None:
    body = gzip.compress(b"<p>Packed</p>")
    assert (await get(Answer(body=body, headers={"content-encoding": "gzip"}))).text == "Packed"
    with pytest.raises(ToolError, match="cannot be decompressed"):
        await get(Answer(body=b"no gzip", headers={"content-encoding": "gzip"}))
    with pytest.raises(ToolError, match="uses a compression that was not requested"):
        await get(Answer(body=b"?", headers={"content-encoding": "br"}))


async def test_a_host_that_does_not_answer() -> None:
    async with Web(serve_pages({})).serve() as web:
        pass
    with pytest.raises(ToolError, match="cannot be reached"):
        await Fetcher(trusted=[web.authority]).fetch(web.url)


async def test_a_page_that_cannot_be_read_says_why() -> None:
    with pytest.raises(ToolError, match="is broken or no PDF"):
        await get(Answer(body=b"no pdf", kind="application/pdf"))
