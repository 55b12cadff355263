"""What encoding a foreign document may name: those of the web, and nothing else that Python can decode."""

import codecs
from encodings.aliases import aliases

import pytest

from folkmoot.tools.charsets import decode, web_encoding
from folkmoot.tools.documents import Document, Text, convert

ODD = [
    *("idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "utf-7", "base64", "rot13", "zlib"),
    *("hz", "cp037", "nonsense", "", "\0", "\ud800", "é", "..", "a.b", "os", "x" * 100_000),
]


@pytest.mark.parametrize("label", ODD, ids=lambda label: repr(label[:12]))
def test_what_is_no_encoding_of_the_web_is_read_as_utf_8(label: str) -> None:
    document = Document(kind="text", data="Plain wörds: \\u0041 xn--a +AGE-".encode() + b"\xff", charset=label)
    assert convert([document], seconds=1) == (Text(pages=("Plain wörds: \\u0041 xn--a +AGE-\ufffd",)),)


@pytest.mark.parametrize(
    ("label", "data"),
    [
        ("utf-8", "é".encode()),
        (" UTF8 ", "é".encode()),
        ("latin-1", b"\xe9"),
        ("ISO-8859-15", b"\xe9"),
        ("windows-1252", b"\xe9"),
        ("macintosh", b"\x8e"),
        ("utf-16le", b"\xe9\0"),
        ("utf-16", b"\xff\xfe\xe9\0"),
        ("big5-hkscs", b"\x88\x6d"),
        ("gb18030", b"\xa8\xa6"),
    ],
)
def test_encodings_of_the_web(label: str, data: bytes) -> None:
    assert decode(data, label) == "é"


def test_every_name_that_python_knows_is_decoded_without_an_error() -> None:
    every = bytes(range(256)) * 3
    for label in {*aliases, *aliases.values()}:
        decode(every, label)
        if encoding := web_encoding(label):
            assert codecs.lookup(encoding).name
