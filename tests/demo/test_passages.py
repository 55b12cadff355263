"""What of a document can be quoted, and on which line it stands."""

import pytest

from folkmoot.core.brief import Source
from folkmoot.core.text import sentences
from folkmoot.demo.material import Passage, read_passages


def passages_of(text: str, *, line: int = 1) -> list[tuple[int, str]]:
    return [(passage.line, passage.text) for passage in read_passages([Source(name="a.md", text=text, line=line)])]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One two three. Four five six.", 2),
        ("Dr. Lee met Prof. Ames today. It went well indeed.", 2),
        ("See e.g. The Times of today.", 1),
        ("It grew by 1.9 per cent. 4 others did not.", 2),
        ("See No. 5 of the list. Is it so? No. The rest is not.", 4),
        ("It began on Jan. 5 of the year.", 1),
        ("J. Smith of the U.S. Senate said so. All agreed.", 2),
        ("Then I. All the others went.", 2),
        ("He said (so it seems). Then he left.", 2),
        ('"It is so!" Then he left… Nobody knew. "Why?"', 4),
        ("Really?! Yes. no, not a new one", 2),
        ("版本很好。我们应该建造新仓库。", 2),
        ("Version 2.0.1 of example.org is out. Good.", 2),
        ("", 0),
        (" . Then", 2),
    ],
)
def test_sentences(text: str, count: int) -> None:
    pieces = list(sentences(text))
    assert len(pieces) == count
    assert all(text[offset:].startswith(piece) for offset, piece in pieces)
    assert "".join("".join(piece for _, piece in pieces).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "passages"),
    [
        (
            "The first sentence\nruns on. The second\none too.\n",
            [(1, "The first sentence runs on."), (2, "The second one too.")],
        ),
        ("# The first heading\n\nThe text is here.", [(3, "The text is here.")]),
        ("The title of it\n====\nThe text is here.", [(3, "The text is here.")]),
        ("The title of it\n---\n\nThe text is here.\n\n---\n* * *\n___", [(4, "The text is here.")]),
        (
            "- The first item is.\n- [x] The second item\n  goes on.\n",
            [(1, "The first item is."), (2, "The second item goes on.")],
        ),
        ("1. The first item is.\n2) The second item is.\n", [(1, "The first item is."), (2, "The second item is.")]),
        ("It grew by\n5. The rest is silence.", [(1, "It grew by 5."), (2, "The rest is silence.")]),
        ("We list these:\n1. The first one is.", [(1, "We list these:"), (2, "The first one is.")]),
        (
            "- An item of it\n\n    with a second part.\n\nAfter it comes text.",
            [(1, "An item of it"), (3, "with a second part."), (5, "After it comes text.")],
        ),
        ("| a b c | d e f |\n|---|---|\n| g h i | j k l |\n\nAfter the table here.", [(5, "After the table here.")]),
        ("a b c | d e f\n--- | ---\ng h i | j k l\n\nAfter the table here.", [(5, "After the table here.")]),
        ("```\nthe code is here\n```\nAfter the code here.\n~~~py\nmore code is here\n", [(4, "After the code here.")]),
        ("````\nthe code is here\n```\nstill the code here\n````\nAfter the code here.", [(6, "After the code here.")]),
        (
            "Before the code here.\n\n    x = the code here\n\nAfter the code here.",
            [(1, "Before the code here."), (5, "After the code here.")],
        ),
        ("   The whole text is\n   indented a little.", [(1, "The whole text is indented a little.")]),
        ("\tThe whole text is\n\tindented a lot.", [(1, "The whole text is indented a lot.")]),
        ("> A note is quoted.\nIt goes on here.\n\nThe text is here.", [(4, "The text is here.")]),
        ("<!-- a comment is here\nand goes on -->\nThe text is here. <!-- b -->", [(3, "The text is here.")]),
        ("<!-- a comment is here -->\nThe text is here.", [(2, "The text is here.")]),
        (
            "<div class='a'>\nThe text is here.\n</div>\n![a b c](d.png)\n[1]: https://a.example d",
            [(2, "The text is here.")],
        ),
        ("---\ntitle: a b c\n---\nThe text is here.", [(4, "The text is here.")]),
        ("---\ntitle: a b c\nThe text is here.", [(2, "title: a b c The text is here.")]),
        ("Too short. This one is not.", [(1, "This one is not.")]),
        ("我们应该建造新的仓库。", [(1, "我们应该建造新的仓库。")]),
        ("A\ttab and\r\nan odd\x07 line end.", [(1, "A tab and an odd line end.")]),
        ("", []),
    ],
)
def test_only_running_text_is_quoted(text: str, passages: list[tuple[int, str]]) -> None:
    assert passages_of(text) == passages


def test_lines_are_counted_from_where_the_text_begins() -> None:
    assert passages_of("\nThe text is here.", line=40) == [(41, "The text is here.")]


def test_headings_and_sources_go_along() -> None:
    texts = ("## On cost ##\nThe cost is low.\n#\nNothing is known yet.", "Costs\n-----\nThe cost is high.")
    sources = [Source(name=f"{n}.md", text=text) for n, text in enumerate(texts)]
    assert read_passages(sources) == (
        Passage(source="0.md", line=2, text="The cost is low.", heading="On cost"),
        Passage(source="0.md", line=4, text="Nothing is known yet.", heading=""),
        Passage(source="1.md", line=3, text="The cost is high.", heading="Costs"),
    )
