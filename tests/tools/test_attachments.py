"""Pictures and PDFs as documents: what they are by their bytes, and what is refused."""

import hashlib
from dataclasses import replace

import pytest

from folkmoot.core.brief import Source
from folkmoot.core.errors import BriefError
from folkmoot.tools import attachments
from folkmoot.tools.attachments import check_attachments, media_of, read_attachment
from tests.kits.pictures import gif, jpeg, picture, png, webp
from tests.report.papers import pdf


@pytest.mark.parametrize(
    ("data", "media"),
    [
        (png(30, 20), "image/png"),
        (gif(30, 20), "image/gif"),
        (jpeg(30, 20), "image/jpeg"),
        (webp(b"VP8X", 30, 20), "image/webp"),
        (webp(b"VP8L", 30, 20), "image/webp"),
        (webp(b"VP8 ", 30, 20), "image/webp"),
    ],
)
def test_a_picture_is_known_by_its_bytes_with_its_size_and_hash(data: bytes, media: str) -> None:
    source = read_attachment("named.txt", data)
    assert source.file
    assert (source.text, source.file.media, source.file.width, source.file.height) == ("", media, 30, 20)
    assert (source.file.size, source.file.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    check_attachments([source])


def test_the_words_of_a_pdf_are_read_and_one_without_words_counts_its_pages() -> None:
    words = read_attachment("costs.pdf", pdf("First page.", "", "Third page."))
    assert words.file
    assert (words.text, words.file.pages, words.file.is_picture) == ("First page.\n\nThird page.", 3, False)
    scanned = read_attachment("scan.pdf", pdf("", ""))
    assert scanned.file
    assert (scanned.text, scanned.file.pages) == ("", 2)


@pytest.mark.parametrize(
    ("data", "code", "problem"),
    [
        (b"MZ\0", "wrong_type", "'a.png' is no picture and no PDF; PNG, JPEG, WebP, GIF and PDF are taken"),
        (b"", "wrong_type", "'a.png' is empty"),
        (png()[:20], "wrong_type", "'a.png' is a broken picture: it has no size"),
        (png(0, 5), "wrong_type", "it has no size"),
        (b"\xff\xd8\xff\xe0\0\4ab\xff", "wrong_type", "it has no size"),
        (b"\xff\xd8\xff\xe0\0\4abcd", "wrong_type", "it has no size"),
        (gif(3, 0), "wrong_type", "no size"),
        (gif(8001, 5), "too_large", "has 8001 x 5 pixels; no side may have more than 8,000: scale it down"),
        (png() + b"x" * attachments.MOST_PICTURE, "too_large", "at most 5,242,880 are taken"),
        (b"%PDF-1.7 nothing", "wrong_type", "'a.png' is broken or no PDF"),
    ],
)
def test_what_is_no_whole_picture_is_refused(data: bytes, code: str, problem: str) -> None:
    with pytest.raises(BriefError) as caught:
        read_attachment("a.png", data, line=3)
    assert problem in caught.value.found
    assert (caught.value.code, caught.value.line) == (code, 3)
    assert media_of(b"RIFF\0\0\0\0WAVE") == ""


def test_a_brief_may_have_only_so_many_and_so_large_files(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BriefError, match="9 pictures and PDFs are too many; at most 8 are taken"):
        check_attachments([picture()] * 9)
    monkeypatch.setattr(attachments, "MOST_TOGETHER", 100)
    with pytest.raises(BriefError, match="the pictures and PDFs have more than 100 bytes together"):
        check_attachments([picture(), Source(name="a.md", text="x")])


@pytest.mark.parametrize("change", [{"data": "AAAA"}, {"data": "?"}, {"size": 3}, {"media": "image/gif"}])
def test_a_file_that_is_not_what_it_says_is_refused(change: dict[str, object]) -> None:
    source = picture()
    assert source.file
    with pytest.raises(BriefError, match="is not the file that its hash, size and media type name"):
        check_attachments([replace(source, file=replace(source.file, **change))])
