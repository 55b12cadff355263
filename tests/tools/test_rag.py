"""The tool rag: how documents are cut, searched and cited."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.agents.toolkit import ToolUse
from folkmoot.core.brief import Source
from folkmoot.core.errors import ToolError
from folkmoot.testing.conformance import Journal
from folkmoot.tools.documents import MOST, Extract, cut
from folkmoot.tools.rag import LONGEST_QUERY, PASSAGES, Rag, fuse
from tests.kits.clock import within
from tests.kits.tools import CONTEXT
from tests.paths import EXAMPLES


def tool_use(journal: Journal | None = None) -> ToolUse:
    return ToolUse(context=CONTEXT, say=journal or Journal(), name="tool-1")


def documents(*names: str) -> tuple[Source, ...]:
    paths = [EXAMPLES / name for name in names]
    return tuple(Source(name=path.name, text=path.read_text("utf-8")) for path in paths)


# ---- extracts -------------------------------------------------------------------------------------------------------

STUDY = """# The study

Short words.

| year | cost |
|------|------|
| 2024 | 5    |

## Risks

```
risk = 0.5
```

The end."""


def test_nothing_is_left_out_and_headings_are_kept() -> None:
    extracts = cut([Source(name="study.md", text=STUDY, line=10)])
    assert [(extract.heading, extract.place) for extract in extracts] == [
        ("The study", "study.md:12"),
        ("Risks", "study.md:20"),
    ]
    assert "| 2024 | 5    |" in extracts[0].text
    assert extracts[1].text == "```\nrisk = 0.5\n```\n\nThe end."


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("study.md", "study.md:3"),
        ("costs.pdf, page 3", "costs.pdf, page 3"),
        ("page.html", "page.html"),
        ("page.HTM", "page.HTM"),
        ("costs.pdf, page x", "costs.pdf, page x:3"),
    ],
)
def test_places_are_cited_as_a_reader_finds_them(name: str, place: str) -> None:
    assert Extract(source=name, line=3, text="x").place == place


def test_paragraphs_are_kept_whole_where_they_are_long_enough() -> None:
    long = "word " * 100
    extracts = cut([Source(name="a.md", text=f"{long}\n\n{long}\n\n\nlast")])
    assert [extract.line for extract in extracts] == [1, 3, 6]
    rows = "\n".join(f"Row {n} is a sentence\nof two lines, ends and all." for n in range(40))
    extracts = cut([Source(name="a.md", text=rows)])
    assert all(extract.text.startswith("Row ") and extract.text.endswith("all.") for extract in extracts)
    assert max(len(extract.text) for extract in extracts) < 1.3 * min(len(extract.text) for extract in extracts)
    assert cut([Source(name="a.md", text="\n\n# Only a heading\n\n")]) == ()


def test_long_rows_are_cut_at_sentences_and_words() -> None:
    row = "This is a sentence. " * 60 + "x" * 1500 + " and " * 300
    extracts = cut([Source(name="a.md", text=f"first\n{row}")])
    assert all(len(extract.text) <= MOST for extract in extracts)
    assert [extract.line for extract in extracts] == [1] + [2] * (len(extracts) - 1)
    assert "".join("".join(extract.text.split()) for extract in extracts) == "".join(f"first{row}".split())


@given(st.text(alphabet="ab .#\n|", max_size=3000))
def test_no_word_is_lost_or_made(text: str) -> None:
    words = "".join("".join(extract.text.split()) for extract in cut([Source(name="a.md", text=text)]))
    body = "\n".join(row for row in text.split("\n") if not re.match(r" {0,3}#{1,6}\s", row))
    assert words == "".join(body.split())


@pytest.mark.parametrize(
    ("row", "heading"), [("# Costs #", "Costs"), ("## # ##", ""), ("### C# and F# ##\t", "C# and F"), ("# ", "")]
)
def test_headings_lose_their_marks(row: str, heading: str) -> None:
    assert [extract.heading for extract in cut([Source(name="a.md", text=f"# Before\n{row}\nx")])] == [heading]


MANY = 64 * 1024
WORST = {
    "marks": "# " + "#" * MANY + "x",
    "marks apart": "# " + " #" * (MANY // 2) + "x",
    "blanks behind a mark": "#" + " " * MANY + "x",
    "empty rows": "a" + "\n" * MANY,
    "rows and empty rows": "a\n\n" * (MANY // 3),
    "short rows": "a\n" * (MANY // 2),
    "stops": "." * MANY,
    "stops and quotes": '!"' * (MANY // 2),
    "quotes": "!" + '"' * MANY,
    "one word": "a" * MANY,
}


@pytest.mark.parametrize("text", WORST.values(), ids=WORST)
def test_no_document_takes_long_to_cut(text: str) -> None:
    with within(0.3):
        cut([Source(name="a.md", text=text)])


def test_no_name_takes_long_to_cite() -> None:
    with within(0.1):
        assert Extract(source=", page " + "1" * MANY + "x", line=1, text="x").place.endswith("x:1")


def test_empty_rows_in_a_row_are_one() -> None:
    (extract,) = cut([Source(name="a.md", text="a\n\n \n\nb")])
    assert (extract.text, extract.line) == ("a\n\nb", 1)


# ---- the tool -------------------------------------------------------------------------------------------------------

QUESTIONS = [
    ("build-or-buy/options.md", "how much usage is never invoiced", "1.9 per cent of billable usage is never invoiced"),
    (
        "build-or-buy/options.md",
        "how many engineers does it take to build",
        "The platform team has nine engineers",
    ),
    ("build-or-buy/options.md", "when is the vendor live", "The vendor can be live after four months"),
    ("hiring-board/interviews.md", "salary the candidate asks", "asks for a salary of $285,000"),
    ("hiring-board/interviews.md", "what do references say", "A former superior of the candidate"),
    ("hiring-board/role.md", "requirements of the role", "The role requires at least eight years"),
    ("investment/memo.md", "customer concentration", "The three largest customers pay 46 per cent"),
    ("investment/memo.md", "burn rate and runway", "The startup burns $410,000 a month"),
    ("investment/memo.md", "background of the founders", "The two founders worked for eight years"),
    ("architecture-review/incidents.md", "who is on call at night", "The on-call engineers of the checkout team"),
    ("architecture-review/design.md", "slow chekouts on sale days", "row locks cause 60 per cent"),
]


@pytest.mark.parametrize(("name", "query", "passage"), QUESTIONS)
async def test_sensible_questions_find_the_right_passage_first(name: str, query: str, passage: str) -> None:
    folder = name.split("/")[0]
    rag = Rag(documents(*(f"{folder}/{path.name}" for path in sorted((EXAMPLES / folder).glob("*.md")))))
    result = await rag.use({"query": query}, tool_use())
    assert passage in " ".join(result.text.split("\n\n[")[0].split())
    assert result.sources[0].startswith(f"{name.split('/')[1]}:")
    assert result.text.startswith(f"[{result.sources[0]}] (")


@pytest.mark.parametrize(("wanted", "count"), [(1, 1), (3, 3), (99, PASSAGES), (-5, 1), ("many", 4), (None, 4)])
async def test_there_are_as_many_passages_as_asked_for(wanted: object, count: int) -> None:
    rag = Rag(documents("build-or-buy/options.md"))
    arguments = {"query": "vendor costs"} | ({} if wanted is None else {"passages": wanted})
    result = await rag.use(arguments, tool_use())
    assert len(result.sources) == len(set(result.sources)) == count


@pytest.mark.parametrize("query", ["", "   ", "the of and", "x" * (LONGEST_QUERY + 1)])
async def test_queries_that_ask_nothing(query: str) -> None:
    with pytest.raises(ToolError, match="in a few words, at most 300 characters"):
        await Rag(documents("build-or-buy/options.md")).use({"query": query}, tool_use())


async def test_documents_may_say_nothing() -> None:
    with pytest.raises(ToolError, match="say nothing about that"):
        await Rag(documents("build-or-buy/options.md")).use({"query": "xylophone zqzq"}, tool_use())


async def test_words_of_other_scripts_and_odd_signs_are_found() -> None:
    rag = Rag(
        [
            Source(name="a.md", text="四日間の週は最善の方法である"),
            Source(name="b.md", text="Nobody doesn't like O'Brien"),
        ]
    )
    assert (await rag.use({"query": "週 方法"}, tool_use())).sources == ("a.md:1",)
    assert (await rag.use({"query": 'O\'Brien "OR" NEAR(x) *'}, tool_use())).sources == ("b.md:1",)


def test_fusion_by_reciprocal_ranks() -> None:
    assert fuse([[1, 2], [0, 2]]) == [2, 0, 1]  # 1/62 + 1/62 before 1/61 and 1/61
    assert fuse([[0, 1], []]) == [0, 1]
    assert fuse([]) == []
