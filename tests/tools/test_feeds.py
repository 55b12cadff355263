"""Feeds: RSS and Atom are read, markup goes, bombs and strangers' documents are refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.errors import ToolError
from folkmoot.core.roles import News
from folkmoot.testing.small_web import Answer, Web, serve_pages
from folkmoot.tools.feeds import LONGEST, MOST_NEWS, Feeds, parse
from folkmoot.tools.fetch import MOST_BYTES, Fetcher

RSS = """<?xml version="1.0" encoding="ISO-8859-1"?>
<rss version="2.0" xmlns:media="http://x.example/m"><channel><title>Town news</title><link>http://t.example/</link>
<item><title>Buses &amp; trams</title><link>http://t.example/1</link><pubDate>Sat, 21 Nov 2026</pubDate>
<media:title>another</media:title><description><![CDATA[<p>Forty <b>electric</b> buses,
caf\xe9 &lt;b&gt;]]></description><guid>1</guid></item>
<item><description>no title</description></item>
<item><title><em>Second</em> &lt;i&gt;news&lt;/i&gt;</title></item>
</channel></rss>""".encode("latin-1")

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title><updated>2026-01-01</updated>
<entry><title type="html">First</title><link rel="self" href="http://b.example/self"/><link href="http://b.example/1"/>
<link href="http://b.example/2"/><updated>2026-02-03</updated><published>2026-02-01</published>
<content type="html">&lt;script&gt;x&lt;/script&gt; words</content><summary>sum</summary>
<author><name>A</name><title>not this</title></author></entry></feed>"""

RDF = """<rdf:RDF xmlns:rdf="r"><channel><title>x</title></channel><item><title>One</title></item></rdf:RDF>"""


def test_rss_is_read() -> None:
    assert parse(RSS) == (
        News(
            title="Buses & trams",
            text="Forty electric buses, café <b>",
            link="http://t.example/1",
            when="Sat, 21 Nov 2026",
        ),
        News(title="Second news"),
    )


def test_atom_and_rdf_are_read() -> None:
    assert parse(ATOM.encode()) == (News(title="First", text="x words", link="http://b.example/1", when="2026-02-03"),)
    assert parse(RDF.encode()) == (News(title="One"),)


BOMB = """<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<rss><channel><item><title>&b;</title></item></channel></rss>"""
ELSEWHERE = """<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss><item><title>&x;</title></item></rss>"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, "document type"),
        (ELSEWHERE, "document type"),
        ("<!DOCTYPE rss><rss/>", "document type"),
        ("<html><body><p>Hello</p></body></html>", "neither RSS nor Atom"),
        ("<rss><item>", "not a feed: line 1"),
        ("", "not a feed"),
        ("<rss><item><title>&nbsp;</title></item></rss>", "not a feed"),
        ("<a>" * 10_000, "not a feed"),
    ],
)
def test_what_is_no_feed_is_refused(text: str, message: str) -> None:
    with pytest.raises(ToolError, match=message):
        parse(text.encode())


def test_long_texts_and_feeds_are_cut() -> None:
    items = f"<item><title>{'x' * 3 * LONGEST}</title></item>" * (MOST_NEWS + 5)
    results = parse(f"<rss>{items}</rss>".encode())
    assert len(results) == MOST_NEWS
    assert {len(news.title) for news in results} == {LONGEST}


@given(st.text(max_size=300))
def test_any_text_is_a_feed_or_refused(text: str) -> None:
    for data in (text, f"<rss><item><title>{text}</title></item></rss>"):
        try:
            items = parse(data.encode("utf-8", "replace"))
        except ToolError:
            continue
        assert all("\n" not in news.title and news.title for news in items)


async def test_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "town.xml").write_bytes(RSS)
    (tmp_path / "large.xml").write_bytes(b" " * (MOST_BYTES + 1))
    feeds = Feeds({name: str(tmp_path / f"{name}.xml") for name in ("town", "large", "gone")})
    assert [news.title for news in await feeds.news("town")] == ["Buses & trams", "Second news"]
    for name, text in (("large", "larger than 2 MiB"), ("gone", "No such file"), ("other", "no such feed")):
        with pytest.raises(ToolError, match=text):
            await feeds.news(name)


async def test_addresses_go_through_the_guarded_fetch() -> None:
    pages = {"/": Answer(body=ATOM.encode(), kind="application/atom+xml")}
    async with Web(serve_pages(pages)).serve() as web:
        places = {"b": f"{web.url}/"}
        news = await Feeds(places, Fetcher(trusted=[web.authority])).news("b")
        assert [item.title for item in news] == ["First"]
        with pytest.raises(ToolError, match="refused"):
            await Feeds(places).news("b")
