"""Texts without the marks of Markdown, as one line of a memo shows them: lists and headings read as sentences."""

import pytest

from folkmoot.report.markdown_text import without_markdown


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I hold **what we know best**, and `so` *it* goes.", "I hold what we know best, and so it goes."),
        ("# Why\n- it is cheap\n2. it is [known](https://example.org)\n> said", "Why: it is cheap; it is known. said"),
        ("5 * 3 * 2, a_b_c, - and **", "5 * 3 * 2, a_b_c, - and **"),
        ("Two reasons:\n\n- the cost\n- the time\n\nSo I stay.", "Two reasons: the cost; the time. So I stay."),
        ("Two reasons\n1) The cost.\n2) **The time!**\nSo I stay.", "Two reasons: The cost. The time! So I stay."),
        ("- buy", "buy"),
        ("# Why\nIt is cheap.", "Why: It is cheap."),
        ("* a long item\n  over two rows\n* another", "a long item over two rows; another"),
        ("费用：\n- 很低。\n- 已知", "费用： 很低。 已知"),
        ("no list\nhere", "no list here"),
        ("", ""),
    ],
)
def test_a_line_shows_no_marks_of_markdown(text: str, words: str) -> None:
    assert " ".join(without_markdown(text).split()) == words
