"""Documents to text: HTML and PDF, from the web or beside a brief, and extracts of some sentences each for searching.

Parsing runs in a separate process with limits on time and memory: a broken or hostile document can end that process,
never the debate. Unlike the passages of ``demo.material``, which can be quoted, extracts leave nothing out: tables,
lists and code often have the figures.
"""

import json
import os
import re
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from typing import BinaryIO, Literal, TypeAlias, cast

from folkmoot.core.brief import Source
from folkmoot.core.packages import missing_module
from folkmoot.core.text import clean, counted, sentences
from folkmoot.tools.charsets import decode

Kind: TypeAlias = Literal["html", "pdf", "text"]

MOST_PAGES = 500
"""Pages of one PDF."""

MOST_TEXT = 1024 * 1024
"""Characters of one document."""

NO_TEXT = "has no text; scanned pages cannot be read"
"""The fault of a PDF whose pages are pictures: the number of its pages is known."""

MEMORY = 1024 * 1024 * 1024
"""Bytes of address space that reading may take."""

ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONHOME", "PYTHONPATH", "SYSTEMROOT", "TEMP", "TMPDIR")
"""What the other process gets of the environment: what Python itself may need, and no key."""

_CHILD = """
import sys
from folkmoot.tools import documents
documents.limit()
documents.serve(sys.stdin.buffer, sys.stdout.buffer)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document as bytes.

    Attributes:
        kind: what it is.
        data: its bytes.
        charset: the encoding that its server names; "" where none is named.
    """

    kind: Kind
    data: bytes
    charset: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A document's words.

    Attributes:
        title: its title; "" where it has none.
        pages: the text of each page; only a PDF can have more than one.
        fault: why it cannot be read, as the end of a sentence ("is encrypted"); "" where it was read.
    """

    title: str = ""
    pages: tuple[str, ...] = ()
    fault: str = ""


def convert(documents: Sequence[Document], *, seconds: float) -> tuple[Text, ...]:
    """The words of documents, in order, up to the first that cannot be read: that one is the last and says why.

    Args:
        documents: what is to be read.
        seconds: the most time for all that are not plain text.
    """
    marked = iter(_extracted_markup([document for document in documents if document.kind != "text"], seconds))
    texts: list[Text] = []
    for document in documents:
        texts.append(_plain(document) if document.kind == "text" else next(marked))
        if texts[-1].fault:
            break
    return tuple(texts)


def _plain(document: Document) -> Text:
    return _sized(Text(pages=(clean(decode(document.data, document.charset)),)))


def _extracted_markup(documents: Sequence[Document], seconds: float) -> Iterator[Text]:
    """What another process reads out of HTML and PDF, and what ended it; it is started for the first of them."""
    command = [sys.executable, "-P", "-c", _CHILD]
    env = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    fault = "is broken"
    try:
        run = subprocess.run(
            command, input=_pack(documents), env=env, capture_output=True, timeout=seconds, check=False
        )
        lines = run.stdout
    except subprocess.TimeoutExpired as error:
        lines, fault = error.stdout or b"", f"takes longer than {counted(seconds, 'second')} to read"
    for line in lines.split(b"\n")[:-1]:
        fields = cast("dict[str, str | list[str]]", json.loads(line))
        yield Text(title=str(fields["title"]), pages=tuple(fields["pages"]), fault=str(fields["fault"]))
    yield Text(fault=fault)


def _pack(documents: Sequence[Document]) -> bytes:
    """Documents as a stream: a line of JSON, then as many bytes as it says."""
    parts: list[bytes] = []
    for document in documents:
        head = {"kind": document.kind, "charset": document.charset, "size": len(document.data)}
        parts += [json.dumps(head).encode(), b"\n", document.data]
    return b"".join(parts)


# ---- in the other process -------------------------------------------------------------------------------------------


def limit(memory: int = MEMORY) -> None:
    """Limit the memory of this process to that many bytes, where the system supports it."""
    with suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, resource.getrlimit(resource.RLIMIT_AS)[1]))


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Read packed documents and write a line of JSON for each; an error that is none of ours ends the process."""
    while line := source.readline():
        head = cast("dict[str, str | int]", json.loads(line))
        data = source.read(int(head["size"]))
        try:
            text = _sized(read_html_text(data, str(head["charset"])) if head["kind"] == "html" else read_pdf(data))
        except ModuleNotFoundError as error:
            text = Text(fault=f"can't be read. {missing_module(error) or error}")
        header = {"title": text.title, "pages": text.pages, "fault": text.fault}
        sink.write(json.dumps(header).encode() + b"\n")
        sink.flush()


def read_html_text(data: bytes, charset: str = "") -> Text:
    """The words of an HTML page."""
    from folkmoot.tools.html_text import read_html  # deferred: only the process that reads HTML needs its parser

    title, text = read_html(data, charset)
    return Text(title=title, pages=(text,))


def read_pdf(data: bytes) -> Text:
    """The words of a PDF, page by page; what is drawn or scanned has none."""
    import pypdf  # deferred: only the process that reads a PDF needs it
    from pypdf.errors import DependencyError, PyPdfError

    try:
        reader = pypdf.PdfReader(BytesIO(data))
        if reader.is_encrypted:
            return Text(fault="is encrypted")
        if len(reader.pages) > MOST_PAGES:
            return Text(fault=f"has {len(reader.pages)} pages; at most {MOST_PAGES} are read")
        pages = tuple(clean(page.extract_text()).strip() for page in reader.pages)
    except DependencyError:
        return Text(fault="is encrypted")
    except PyPdfError:
        return Text(fault="is broken or no PDF")
    if not any(pages):
        return Text(pages=pages, fault=NO_TEXT)
    title = reader.metadata.title if reader.metadata else ""
    return Text(title=clean(str(title or "")).strip(), pages=pages)


def _sized(text: Text) -> Text:
    if sum(map(len, text.pages)) > MOST_TEXT:
        return Text(fault=f"has more than {MOST_TEXT:,} characters of text")
    return text


SIZE = 700
"""Characters of a usual extract."""

MOST = 1000
"""Characters of the longest."""

_EXTRACT_HEADING = re.compile(r" {0,3}#{1,6}\s+")
_STOP = re.compile(r"^\s*$|[.!?:|。！？][\"'”’)*_]*\s*$")
_UNLINED = re.compile(r", page \d+$|\.x?html?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """A piece of a document.

    Attributes:
        source: the document's name.
        line: the line on which it begins, counted from 1.
        text: its words as they stand.
        heading: the heading above it; "" if there is none.
    """

    source: str
    line: int
    text: str
    heading: str = ""

    @property
    def place(self) -> str:
        """Where it stands: ``study.md:12``; ``costs.pdf, page 3``, for lines of a PDF or of HTML are nobody's."""
        return self.source if _UNLINED.search(self.source) else f"{self.source}:{self.line}"


@dataclass(slots=True)
class _Cut:
    """A document under the knife; ``size`` is the number of letters in ``rows``."""

    source: str
    heading: str = ""
    rows: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    size: int = 0

    def take(self, number: int, row: str) -> Iterator[Extract]:
        """Add a row; an empty one ends an extract that is long enough."""
        if match := _EXTRACT_HEADING.match(row):
            yield from self.end()
            self.heading = row[match.end() :].rstrip("# \t")
        elif row.strip():
            self.rows.append((number, row))
            self.size += len(row)
        elif self.size >= SIZE // 2:
            yield from self.end()
        elif self.rows and self.rows[-1][1]:
            self.rows.append((number, ""))

    def end(self) -> Iterator[Extract]:
        """What has been gathered, in pieces of about the same size, cut behind a sentence where that can be."""
        pieces = [extract_piece for row in self.rows for extract_piece in _extract_pieces(*row)]
        total = sum(len(piece) + 1 for _, piece in pieces)
        parts = 1 if total <= MOST else round(total / SIZE)
        self.rows, self.size = [], 0
        numbered_pieces: list[tuple[int, str]] = []
        size = done = cut_count = 0
        for number, piece in pieces:
            full = (
                cut_count < parts - 1
                and done >= total * (cut_count + 0.9) / parts
                and _STOP.search(numbered_pieces[-1][1])
            )
            if numbered_pieces and (full or size + len(piece) > MOST):
                yield self._extract(numbered_pieces)
                numbered_pieces, size, cut_count = [], 0, cut_count + 1
            numbered_pieces.append((number, piece))
            size, done = size + len(piece) + 1, done + len(piece) + 1
        if any(piece.strip() for _, piece in numbered_pieces):
            yield self._extract(numbered_pieces)

    def _extract(self, numbered_pieces: Sequence[tuple[int, str]]) -> Extract:
        text = "\n".join(piece for _, piece in numbered_pieces).strip("\n")
        return Extract(source=self.source, line=numbered_pieces[0][0], text=text, heading=self.heading)


def cut(sources: Sequence[Source]) -> tuple[Extract, ...]:
    """All extracts of the documents, in order."""
    return tuple(extract for source in sources for extract in _extracts_of(source))


def _extracts_of(source: Source) -> Iterator[Extract]:
    splitter = _Cut(source.name)
    for number, row in enumerate(clean(source.text).split("\n"), start=source.line):
        yield from splitter.take(number, row)
    yield from splitter.end()


def _extract_pieces(number: int, row: str) -> Iterator[tuple[int, str]]:
    """A row; a long one in pieces, cut behind a sentence where one ends in time, else between words."""
    ends = [offset + len(sentence) for offset, sentence in sentences(row)] if len(row) > SIZE else []
    start = 0
    while len(row) - start > SIZE:
        near = bisect_right(ends, start + SIZE)
        end = ends[near - 1] if near and ends[near - 1] > start else row.rfind(" ", start + 1, start + SIZE)
        end = end if end > start else start + SIZE
        yield number, row[start:end].strip()
        start = end
    yield number, row[start:].rstrip() if start == 0 else row[start:].strip()
