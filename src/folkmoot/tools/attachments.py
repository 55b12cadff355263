"""Pictures and PDFs as documents of a brief: what they are is read from their bytes, never from a name.

Their bytes go into the brief, so they are on record and a resumed debate sees the same ones. Nothing is fetched.
"""

import base64
import binascii
import hashlib
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence

from folkmoot.core.brief import Attachment, Source
from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean
from folkmoot.tools.documents import NO_TEXT, Document, convert

MOST_FILES = 8
"""Pictures and PDFs of one brief."""

MOST_PICTURE = 5 * 1024 * 1024
"""Bytes of one picture: providers take no larger one."""

MOST_PDF = 10 * 1024 * 1024
"""Bytes of one PDF."""

MOST_TOGETHER = 20 * 1024 * 1024
"""Bytes of all of them: written out they fit into one request of every provider."""

MOST_PIXELS = 8000
"""The longest side of a picture."""

SECONDS = 60.0
"""Time for reading the words of one PDF."""

PDF = "application/pdf"
KNOWN = "PNG, JPEG, WebP, GIF and PDF"


def read_attachment(name: str, data: bytes, *, line: int = 0) -> Source:
    """Read a picture or a PDF; the words of a PDF are read too, so that every model can be given those.

    Args:
        name: the name of the document.
        data: its bytes.
        line: the line of the brief that names it.

    Raises:
        BriefError: ``wrong_type`` for no bytes, and for such as are none of these kinds or are broken; ``too_large``.
    """
    media = media_of(data)
    if not data:
        raise BriefError(f"{name!r} is empty", line=line, code="wrong_type")
    if not media:
        raise BriefError(f"{name!r} is no picture and no PDF; {KNOWN} are taken", line=line, code="wrong_type")
    if len(data) > (limit := MOST_PDF if media == PDF else MOST_PICTURE):
        problem = f"{name!r} has {len(data):,} bytes; at most {limit:,} are taken"
        raise BriefError(problem, line=line, code="too_large")
    width, height = (0, 0) if media == PDF else _size_of_picture(name, data, media, line)
    pages = _pages(name, data, line) if media == PDF else ()
    file = Attachment(
        media=media,
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
        width=width,
        height=height,
        pages=len(pages),
        data=base64.b64encode(data).decode(),
    )
    return Source(name=name, text="\n\n".join(page for page in pages if page), file=file)


def check_attachments(sources: Sequence[Source]) -> None:
    """Refuse too many or too large files of one brief, and such as are not what they say.

    Raises:
        BriefError: ``too_large``, ``wrong_type``.
    """
    files = [(source.name, source.file) for source in sources if source.file]
    if len(files) > MOST_FILES:
        raise BriefError(
            f"{len(files)} pictures and PDFs are too many; at most {MOST_FILES} are taken", code="too_large"
        )
    if sum(file.size for _, file in files) > MOST_TOGETHER:
        raise BriefError(f"the pictures and PDFs have more than {MOST_TOGETHER:,} bytes together", code="too_large")
    for name, file in files:
        data = decode_base64(file.data) or b""
        is_intact = len(data) == file.size and hashlib.sha256(data).hexdigest() == file.sha256
        if not is_intact or media_of(data) != file.media:
            problem = f"{name!r} is not the file that its hash, size and media type name"
            raise BriefError(problem, code="wrong_type")


def decode_base64(text: str) -> bytes | None:
    """The bytes of strict base64; None where it is no base64."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def media_of(data: bytes) -> str:
    """The media type by the first bytes; "" for any other kind of file."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return PDF if data.startswith(b"%PDF-") else ""


def _size_of_picture(name: str, data: bytes, media: str, line: int) -> tuple[int, int]:
    try:
        width, height = _SIZES[media](data)
    except (struct.error, StopIteration, IndexError):
        width, height = 0, 0
    if not width or not height:
        raise BriefError(f"{name!r} is a broken picture: it has no size", line=line, code="wrong_type")
    if max(width, height) > MOST_PIXELS:
        problem = f"{name!r} has {width} x {height} pixels; no side may have more than {MOST_PIXELS:,}: scale it down"
        raise BriefError(problem, line=line, code="too_large")
    return width, height


def _png(data: bytes) -> tuple[int, int]:
    return struct.unpack(">II", data[16:24])


def _gif(data: bytes) -> tuple[int, int]:
    return struct.unpack("<HH", data[6:10])


def _webp(data: bytes) -> tuple[int, int]:
    match data[12:16]:
        case b"VP8X":
            return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
        case b"VP8L":
            (bits,) = struct.unpack("<I", data[21:25])
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case _:
            width, height = struct.unpack("<HH", data[26:30])
            return width & 0x3FFF, height & 0x3FFF


def _jpeg(data: bytes) -> tuple[int, int]:
    offset = next(offset for mark, offset in _segments(data) if 0xC0 <= mark <= 0xCF and mark not in (0xC4, 0xC8, 0xCC))
    height, width = struct.unpack(">HH", data[offset + 3 : offset + 7])
    return width, height


def _segments(data: bytes) -> Iterator[tuple[int, int]]:
    """The marks of a JPEG's segments, and where each begins behind its mark."""
    offset = 2
    while data[offset] == 0xFF:
        mark = data[offset + 1]
        yield mark, offset + 2
        # Fill bytes and marks that stand alone have no length.
        offset += (
            1
            if mark == 0xFF
            else 2
            if mark == 0x01 or 0xD0 <= mark <= 0xD7
            else 2 + struct.unpack(">H", data[offset + 2 : offset + 4])[0]
        )


_SIZES: Mapping[str, Callable[[bytes], tuple[int, int]]] = {
    "image/png": _png,
    "image/gif": _gif,
    "image/webp": _webp,
    "image/jpeg": _jpeg,
}


def _pages(name: str, data: bytes, line: int) -> tuple[str, ...]:
    """The words of each page; a page that is a picture has none."""
    (text,) = convert([Document(kind="pdf", data=data)], seconds=SECONDS)
    if text.fault and text.fault != NO_TEXT:
        raise BriefError(f"{name!r} {text.fault}", line=line, code="wrong_type")
    return tuple(clean(page) for page in text.pages)
