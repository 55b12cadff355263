"""Documents to text: HTML and PDF, from the web or beside a brief. This file owns how their words are taken out.

Both are read in a process of its own with a limit on time and memory: a broken or hostile document can end that
process, never the debate.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO, Literal, TypeAlias, cast

from moot.core.text import clean

Kind: TypeAlias = Literal["html", "pdf", "text"]

MOST_PAGES = 500
"""Pages of one PDF."""

MOST_TEXT = 1024 * 1024
"""Characters of one document."""

MEMORY = 1024 * 1024 * 1024
"""Bytes of address space that reading may take."""

ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONHOME", "PYTHONPATH", "SYSTEMROOT", "TEMP", "TMPDIR")
"""What the other process gets of the environment: what Python itself may need, and no key."""

_CHILD = "import sys; from moot.seats import pages; pages.limit(); pages.serve(sys.stdin.buffer, sys.stdout.buffer)"


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
    marked = iter(_marked([each for each in documents if each.kind != "text"], seconds))
    found: list[Text] = []
    for each in documents:
        found.append(_plain(each) if each.kind == "text" else next(marked))
        if found[-1].fault:
            break
    return tuple(found)


def _plain(document: Document) -> Text:
    try:
        text = document.data.decode(document.charset or "utf-8-sig", "replace")
    except LookupError:
        text = document.data.decode("utf-8-sig", "replace")
    return _sized(Text(pages=(clean(text),)))


def _marked(documents: Sequence[Document], seconds: float) -> Iterator[Text]:
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
        lines, fault = error.stdout or b"", f"takes longer than {seconds:g} seconds to read"
    for line in lines.split(b"\n")[:-1]:
        told = cast("dict[str, str | list[str]]", json.loads(line))
        yield Text(title=str(told["title"]), pages=tuple(told["pages"]), fault=str(told["fault"]))
    yield Text(fault=fault)


def _pack(documents: Sequence[Document]) -> bytes:
    """Documents as a stream: a line of JSON, then as many bytes as it says."""
    parts: list[bytes] = []
    for each in documents:
        head = {"kind": each.kind, "charset": each.charset, "size": len(each.data)}
        parts += [json.dumps(head).encode(), b"\n", each.data]
    return b"".join(parts)


# ---- in the other process -------------------------------------------------------------------------------------------


def limit(memory: int = MEMORY) -> None:
    """Take no more memory than so many bytes, where the system can see to that."""
    with suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, resource.getrlimit(resource.RLIMIT_AS)[1]))


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Read packed documents and write a line of JSON for each; an error that is none of ours ends the process."""
    while line := source.readline():
        head = cast("dict[str, str | int]", json.loads(line))
        data = source.read(int(head["size"]))
        text = _sized(read_html_text(data, str(head["charset"])) if head["kind"] == "html" else read_pdf(data))
        told = {"title": text.title, "pages": text.pages, "fault": text.fault}
        sink.write(json.dumps(told).encode() + b"\n")
        sink.flush()


def read_html_text(data: bytes, charset: str = "") -> Text:
    """The words of an HTML page."""
    from moot.tools.markup import read_html  # deferred: only the process that reads pages needs its parser

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
        return Text(fault="holds no text; scanned pages cannot be read")
    title = reader.metadata.title if reader.metadata else ""
    return Text(title=clean(str(title or "")).strip(), pages=pages)


def _sized(text: Text) -> Text:
    if sum(map(len, text.pages)) > MOST_TEXT:
        return Text(fault=f"holds more than {MOST_TEXT:,} characters of text")
    return text
