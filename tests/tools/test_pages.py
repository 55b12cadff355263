"""Documents to text: what is taken out of HTML and PDF, and what broken or hostile ones can do."""

import json
import sys
from io import BytesIO

import pypdf
import pypdf.errors
import pytest

from folkmoot.tools import documents
from folkmoot.tools.documents import Document, Text, convert, limit, read_pdf, serve
from folkmoot.tools.html_text import read_html
from tests.kits.clock import within
from tests.report.papers import pdf

PAGE = b"""<!doctype html><html><head><title> The cost
 study </title><style>x</style></head><body><nav>menu</nav><header>Top</header>
<h1>Costs <b>now</b></h1><p>One <i>two</i>
three.</p>After<br>it<ul><li>a</li><li><p>b</p></ul><table><tr><th>Year</th><th>EUR</th></tr><tr><td>2024<td>5</table>
<pre>x
  y</pre><div><div>in</div></div>
<div style="DISPLAY : none">evil</div><div hidden>evil</div><span style="opacity:0.5">seen</span>
<span style="font-size:0px">evil</span><span style="visibility:hidden">evil</span><p aria-hidden="true">evil</p>
<!-- evil --><script>evil</script><template>evil</template><textarea>evil</textarea></body></html>"""


def test_the_words_of_a_page() -> None:
    assert read_html(PAGE) == (
        "The cost study",
        "Top\n\n# Costs now\n\nOne two three.\n\nAfter\nit\n\n- a\n- b\n\nYear | EUR\n2024 | 5\n\nx\n  y\n\nin\nseen",
    )


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<body>a<main>b</main>c", "b"),
        ("<main>a</main><main>b</main>", "a\nb"),
        ("", ""),
        ("plain words", "plain words"),
        ("a\x00b\x1ec", "ab c"),
        ("a<!-- b --!>c<!-->d<!--e", "acd"),
        ("a<![if !IE]>b<![CDATA[x]]>c", "abc"),
        ("a<script>'<!--'</script>b<style><!--</style>c<script>x", "abc"),
        ("a < b <b", "a < b <b"),
        ("<li>a<li>b", "- a\n- b"),
        ("<p>1 &lt; 2 &amp; &#x1f600;", "1 < 2 & 😀"),
        ("<div><span>a</span> <span>b</span></div>", "a b"),
    ],
)
def test_small_pages(page: str, text: str) -> None:
    assert read_html(page.encode()) == ("", text)


@pytest.mark.parametrize(
    ("data", "charset"),
    [
        ("<p>café".encode(), ""),
        ("<p>café".encode("latin-1"), ""),
        ("<p>café".encode("latin-1"), "latin-1"),
        ("<meta charset=latin-1><p>café".encode("latin-1"), ""),
        ("<meta charset=nonsense><p>café".encode(), "ascii"),
        ("\ufeff<p>café".encode(), ""),
        ("<p>café".encode(), "idna"),
        ("<p>café".encode(), "undefined"),
        ("<meta charset=punycode><p>café".encode(), ""),
        ("<meta charset=unicode_escape><p>café".encode(), "utf-7"),
    ],
)
def test_letters_of_a_page(data: bytes, charset: str) -> None:
    assert read_html(data, charset)[1] == "café"


def test_deeply_nested_pages_are_read_without_recursion() -> None:
    depth = sys.getrecursionlimit() * 3
    assert read_html(b"<div>" * depth + b"deep")[1] == "deep"


@pytest.mark.parametrize(
    "page",
    [
        "<pre>" + " " * 65_536 + "x",
        "<pre>" + "\t " * 32_768 + "x",
        "<p style='display" + " " * 65_536 + "'>x",
        "<p style='opacity:" + "0" * 65_536 + "'>x",
        "<b>x" * 3_000,
    ],
    ids=["blanks", "tabs", "style", "noughts", "nested words"],
)
def test_no_small_page_takes_long(page: str) -> None:
    with within(0.5):
        read_html(page.encode())


@pytest.mark.parametrize(
    "unit",
    ["<!--", "<!-- >", "<![CDATA[ >", "<![", "<a ", "<a b='", "<a/", "<script><!-- >", "<a b='<script'><!-- >", "</ "],
)
def test_no_large_page_of_marks_without_an_end_takes_long(unit: str) -> None:
    with within(20):  # the parser alone searches minutes for their ends
        read_html((unit * (200_000 // len(unit))).encode())


# ---- PDF ------------------------------------------------------------------------------------------------------------


def test_the_words_of_a_pdf_by_page() -> None:
    text = read_pdf(pdf("The costs are 5 EUR.", "", "Page three.", title="Costs"))
    assert text == Text(title="Costs", pages=("The costs are 5 EUR.", "", "Page three."))
    assert read_pdf(pdf("No title")).title == ""


def _locked(password: str, algorithm: str) -> bytes:
    writer = pypdf.PdfWriter(clone_from=BytesIO(pdf("secret")))
    writer.encrypt(password, algorithm=algorithm)
    sink = BytesIO()
    writer.write(sink)
    return sink.getvalue()


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"no pdf at all", "is broken or no PDF"),
        (b"", "is broken or no PDF"),
        (_locked("secret", "RC4-128"), "is encrypted"),
        (_locked("", "RC4-128"), "is encrypted"),
        (pdf(""), "has no text; scanned pages cannot be read"),
        (pdf(*["x"] * (documents.MOST_PAGES + 1)), "has 501 pages; at most 500 are read"),
    ],
)
def test_what_cannot_be_read_of_a_pdf(data: bytes, fault: str) -> None:
    pages = ("",) if fault == documents.NO_TEXT else ()  # how many there are is known of one without words
    assert read_pdf(data) == Text(pages=pages, fault=fault)


def test_a_cipher_that_is_not_installed_counts_as_encrypted(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(stream: object) -> None:
        raise pypdf.errors.DependencyError("cryptography is needed")

    monkeypatch.setattr(pypdf, "PdfReader", refuse)
    assert read_pdf(pdf("x")) == Text(fault="is encrypted")


# ---- many, in another process ---------------------------------------------------------------------------------------


def test_documents_are_converted_in_order() -> None:
    items = convert(
        [
            Document(kind="text", data=b"one\r\n"),
            Document(kind="html", data=PAGE),
            Document(kind="pdf", data=pdf("two")),
            Document(kind="text", data="café".encode("latin-1"), charset="latin-1"),
            Document(kind="text", data=b"five", charset="nonsense"),
        ],
        seconds=120,
    )
    assert [item.pages[-1][:4] for item in items] == ["one\n", "Top\n", "two", "café", "five"]
    assert items[1].title == "The cost study"
    assert convert([], seconds=1) == ()


def test_the_first_that_cannot_be_read_is_the_last() -> None:
    document, bad = Document(kind="pdf", data=pdf("one")), Document(kind="pdf", data=b"?")
    items = convert([document, bad, document], seconds=120)
    assert items == (Text(pages=("one",)), Text(fault="is broken or no PDF"))
    large = Document(kind="text", data=b"x" * (documents.MOST_TEXT + 1))
    assert convert([document, large, document], seconds=120)[1:] == (
        Text(fault="has more than 1,048,576 characters of text"),
    )


def test_a_document_that_takes_too_long_harms_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "_CHILD", "import sys, time; sys.stdin.buffer.read(); time.sleep(600)")
    items = convert([Document(kind="html", data=b"<p>slow")], seconds=1)
    assert items[-1].fault == "takes longer than 1 second to read"


def test_a_document_that_ends_the_process_harms_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys; sys.stdin.buffer.read(); raise MemoryError"
    monkeypatch.setattr(documents, "_CHILD", code)
    assert convert([Document(kind="pdf", data=pdf("x"))], seconds=120) == (Text(fault="is broken"),)


def test_the_other_process_gets_no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "HTTPS_PROXY", "FOLKMOOT_MODEL"):
        monkeypatch.setenv(name, "secret")
    code = "import json, os; print(json.dumps({'title': '', 'pages': list(os.environ), 'fault': ''}), flush=True)"
    monkeypatch.setattr(documents, "_CHILD", code)
    (text,) = convert([Document(kind="pdf", data=pdf("x"))], seconds=120)
    assert "PATH" in text.pages
    assert {page for page in text.pages if not page.startswith("LC_")} <= {*documents.ENVIRONMENT}


def test_the_other_process_writes_a_line_for_each() -> None:
    packed = b""
    for kind, data in (("html", b"<title>T</title>\n<p>a"), ("pdf", pdf("b"))):
        packed += json.dumps({"kind": kind, "charset": "", "size": len(data)}).encode() + b"\n" + data
    sink = BytesIO()
    serve(BytesIO(packed), sink)
    assert [json.loads(line) for line in sink.getvalue().splitlines()] == [
        {"title": "T", "pages": ["a"], "fault": ""},
        {"title": "", "pages": ["b"], "fault": ""},
    ]


def test_memory_is_limited() -> None:
    resource = pytest.importorskip("resource", reason="the system has no limits on memory")
    before = resource.getrlimit(resource.RLIMIT_AS)
    try:
        limit(1 << 46)
        assert resource.getrlimit(resource.RLIMIT_AS) == (1 << 46, before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
