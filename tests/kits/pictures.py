"""Small pictures of each kind, made of bytes."""

import struct
import zlib

from folkmoot.core.brief import Source
from folkmoot.tools.attachments import read_attachment


def png(width: int = 2, height: int = 1) -> bytes:
    """A whole PNG in one colour."""
    rows = b"".join(b"\0" + b"\x80\x20\x20" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def gif(width: int, height: int) -> bytes:
    """The beginning of a GIF."""
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0;"


def jpeg(width: int, height: int) -> bytes:
    """The segments of a JPEG up to its size: a stand-alone mark, a fill byte and a table come before."""
    size = struct.pack(">HBHHB", 8, 8, height, width, 1)
    return b"\xff\xd8\xff\xe0\0\4ab\xff\x01\xff\xff\xc4\0\3x\xff\xc2" + size


def webp(kind: bytes, width: int, height: int) -> bytes:
    """The beginning of a WebP of one of its three kinds."""
    match kind:
        case b"VP8X":
            rest = b"\0" * 4 + b"\0" * 4 + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
        case b"VP8L":
            rest = b"\0" * 4 + b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14)
        case _:
            rest = b"\0" * 10 + struct.pack("<HH", width, height)
    return b"RIFF\0\0\0\0WEBP" + kind + rest


def picture(name: str = "chart.png", width: int = 640, height: int = 480) -> Source:
    """A picture as a document."""
    return read_attachment(name, png(width, height))
