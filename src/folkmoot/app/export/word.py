"""The memo of a debate as a Word document, to be edited before a meeting; it isn't cut to one page."""

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from folkmoot.app.export.paper import memo_of
from folkmoot.app.export.reports import ReadRecord
from folkmoot.core.errors import BriefError
from folkmoot.core.packages import missing_library
from folkmoot.core.text import clean_data
from folkmoot.report.memo_page import Point

if TYPE_CHECKING:
    from docx.document import Document


def memo_in_word(record: ReadRecord) -> bytes:
    """The memo as a .docx file, with Word's own styles for titles, headings, lists and tables.

    Raises:
        BriefError: python-docx is not installed.
    """
    try:
        from docx import Document
    except ImportError as error:
        raise BriefError(missing_library("A Word document", "word"), code="no_library") from error
    memo, page = clean_data(memo_of(record)), Document()
    page.core_properties.title = memo.topic
    page.add_heading(memo.topic, 0)
    page.add_paragraph(f"Decision memo, {memo.date}. {memo.kicker}:")
    page.add_heading(memo.headline, 1)
    if memo.text:
        page.add_paragraph(memo.text)
    _table(page, "Votes", ("Answer", "Votes", "By"), [(row.answer, row.votes, row.by) for row in memo.votes])
    for column in memo.columns:
        _list(page, column.title, column.points)
    figures = [(row.answer, row.words, row.where) for row in memo.figures]
    _table(page, "Figures from the documents", ("For", "What was said", "Where"), figures)
    if memo.unfound:
        page.add_paragraph(memo.unfound)
    _list(page, "What would change it", memo.change)
    _list(page, "How sure is it?", [Point(words=words) for words in memo.sure])
    _list(page, "Read with care", [Point(words=words) for words in memo.cautions])
    _list(page, memo.steps_title, memo.steps)
    for name, words in (("Sources", memo.sources), ("Who", memo.who), ("Cost", memo.cost)):
        if words:
            page.add_paragraph().add_run(f"{name}: ").bold = True
            page.paragraphs[-1].add_run(words)
    page.add_paragraph(" · ".join(memo.small), style="Caption")
    file = BytesIO()
    page.save(file)
    return file.getvalue()


def _list(page: "Document", title: str, points: Sequence[Point]) -> None:
    if not points:
        return
    page.add_heading(title, 2)
    for point in points:
        paragraph = page.add_paragraph(" ".join(filter(None, (point.command, point.words))), style="List Bullet")
        if point.tail:
            paragraph.add_run(f" ({point.tail})").italic = True


def _table(page: "Document", title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    if not rows:
        return
    page.add_heading(title, 2)
    table = page.add_table(rows=1, cols=len(heads), style="Light List Accent 1")
    for cells, texts in ((table.rows[0].cells, heads), *((table.add_row().cells, row) for row in rows)):
        for cell, text in zip(cells, texts, strict=True):
            cell.text = text
