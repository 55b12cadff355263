"""Foreign words in Markdown: they add no heading, no raw HTML, no image and no open fence, whatever they are."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from folkmoot.core.ask import Reply
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.decision import Ballot, Decision, Minority
from folkmoot.core.event import Asked, Closed, Failed, Interjected, Opened, Replied, Ruled
from folkmoot.core.unread import Unread
from folkmoot.report.markdown import markdown
from folkmoot.report.markdown_text import block, code, inline, quoted
from folkmoot.report.report import report
from tests.report.reports import Diary, ask

# What real renderers understand, raw HTML and tables included.
RENDERER = MarkdownIt("commonmark", {"html": True}).enable("table")

PIECES = [
    *("#", "##", "######", "####### ", "=", "==", "-", "--", "---", "***", "`", "``", "```", "````", "~~~", "~~~~"),
    *("> ", ">", "- ", "* ", "+ ", "1. ", "2) ", "    ", "  ", " ", "\t", "\n", "\n\n", "\r\n", "\r", "|", "\\", "\\|"),
    *("<b>", "<script>alert(1)</script>", "<!--", "-->", "<?x", "<img src=x>", "</div>", "<https://x.y>", "<", ">"),
    *("![a](http://x/y.png)", "![", "](", ")", "[a](javascript:x)", "[a](https://x)", "[r]: /u", "[r]", "![r]", ":"),
    *(
        "word",
        "a",
        "é",
        "\u202e",
        "\u2028",
        "\x1b[31m",
        "\x00",
        "&lt;",
        "&#35;",
        "|---|---|",
        ":--",
        "_",
        "**",
        "\u00a0",
    ),
]
texts = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=24).map("".join),
    st.text(alphabet="#`~=->|<![]():\\ \n\tab1.", max_size=60),
    st.text(max_size=60),
)


def tokens(text: str) -> list[Token]:
    items: list[Token] = []
    for token in RENDERER.parse(text):
        items += [token, *(token.children or [])]
    return items


def headings(text: str) -> list[str]:
    return [token.tag for token in tokens(text) if token.type == "heading_open"]


def harmful(text: str) -> list[str]:
    bad = [token.type for token in tokens(text) if token.type in ("html_block", "html_inline", "image")]
    hrefs = [str(token.attrs["href"]) for token in tokens(text) if token.type == "link_open"]
    return bad + [href for href in hrefs if not re.match(r"(?i)https?://|mailto:", href)]


def check(text: str) -> None:
    """Nothing harmful is in it, and what comes next stands at the top again."""
    for word in (block(text), quoted(block(text))):
        page = f"{word}\n\n#### Next\n\n[r] [a]\n"
        assert [tag for tag in headings(page) if tag not in ("h5", "h6")] == ["h4"]
        assert harmful(page) == []
        assert [token.level for token in tokens(page) if token.type == "heading_open"][-1] == 0


@given(texts)
def test_any_text_is_harmless_and_ends_where_it_ends(text: str) -> None:
    check(text)


@given(texts, st.sampled_from(["> ", "- ", "- a\n  ", "1. a\n\n   ", "a\n"]))
def test_code_inside_of_lists_and_quotations_is_harmless_too(text: str, front: str) -> None:
    indent = " " * (len(front.split("\n")[-1]))
    check(front + text.replace("\n", "\n" + indent))


@given(texts)
def test_any_name_is_one_line_of_plain_words(text: str) -> None:
    for word in (
        f"#### {inline(text)} (x)",
        f"- **n:** {inline(text)}",
        f"| {inline(text)} | {code(text)} |\n| --- | --- |",
    ):
        items = tokens(word)
        assert {token.type for token in items} <= {
            *("heading_open", "heading_close", "bullet_list_open", "bullet_list_close", "list_item_open"),
            *("list_item_close", "paragraph_open", "paragraph_close", "strong_open", "strong_close", "inline", "text"),
            *("table_open", "table_close", "thead_open", "thead_close", "tr_open", "tr_close", "th_open", "th_close"),
            *("text_special", "code_inline"),
        }
        assert len([token for token in items if token.type == "th_open"]) in (0, 2)


@given(texts, texts, texts)
def test_no_text_changes_the_structure_of_a_report(words: str, name: str, topic: str) -> None:
    def page(words: str, name: str, topic: str) -> str:
        people = (Participant(name=name, role=words, persona=words, seat=name), Participant(name="B" + name))
        ballots = (Ballot(voter=name, choice=words, reason=words),)
        minority = (Minority(answer=words, by=(name,), argument=words),)
        decision = Decision(
            status="decided", winner=words, text=words, how=words, tally={words: 1}, ballots=ballots, minority=minority
        )
        asks = [ask(f"/debate/argue#{n}", name, "argue") for n in range(1, 4)]
        diary = Diary().add(Opened(brief=Brief(topic=topic, participants=people), protocol={}, name=name))
        diary.add(
            *(Asked(ask=question) for question in asks), Failed(key="/debate/argue#2", kind="broken", reason=words)
        )
        diary.add(
            Replied(
                key="/debate/argue#1",
                reply=Reply(text=words, fields={name: words}, unread=(Unread(words, words, words),)),
            )
        )
        diary.add(Interjected(by=name, text=words), Ruled(decision=decision), Closed(status="decided"))
        return markdown(report(diary.entries, debate=name, where=words))

    text, usual = page(words, name, topic), page("words", "name", "topic")
    assert [tag for tag in headings(text) if tag not in ("h5", "h6")] == headings(usual)
    assert harmful(text) == []
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# One\n## Two\n###### Six", "##### One\n###### Two\n###### Six"),
        ("#tag and C#", "\\#tag and C#"),
        ("- #######\u00a0x\u2028y", "- \\####### x y"),
        ("> - 1. # deep", "> - 1. ##### deep"),
        ("Title\n===", "Title\n\\==="),
        ("Title\n---\nmore", "Title\n***  \nmore"),
        ("Title\n- ", "Title\n\\-"),
        ("a\n--\nb", "a\n\\--  \nb"),
        ("- one\n- two", "- one\n- two"),
        ("a < b and x<y>", "a < b and x\\<y>"),
        ("<b>bold</b> <!-- x -->", "\\<b>bold\\</b> \\<!-- x -->"),
        ("`List<int>` and ``a`b``", "`List<int>` and ``a`b``"),
        ("| `a|<b>` | `<c>` |", "| \\`a|\\<b>\\` | `<c>` |"),
        ("a ` b", "a \\` b"),
        ("\\`<b>\\`", "\\`\\<b>\\`"),
        ("![x](http://evil/y.png)", "\\![x](http://evil/y.png)"),
        ("[x](javascript:y) [z](HTTPS://ok) f[0](1)", "[x]\\(javascript:y) [z](HTTPS://ok) f[0]\\(1)"),
        ("[1]: http://x", "[1]\\: http://x"),
        ("ends with \\", "ends with \\"),
        ("ends with <", "ends with <"),
        ("\\a", "\\a"),
        ("```python\n# kept <b>\n```", "```python\n# kept <b>\n```"),
        ("```python\n# open", "```python\n# open\n```"),
        ("~~~ <script>\nx\n~~~~ ", "~~~\nx\n~~~"),
        ("```js {1,2}\nx\n~~~\n``\n    ```\n```", "```js\nx\n~~~\n``\n    ```\n```"),
        ("``` a ` b", "\\`\\`\\` a \\` b"),
        ("    ```\n    x", "    \\`\\`\\`  \n    x"),
        ("- ```\n  x", "- \\`\\`\\`  \n  x"),
        ("> ~~~\n> x", "> \\~~~\n> x"),
        ("1. a\n   ```\n   # b\n\n      ```\n# c", "1. a\n   ```\n   # b\n\n   ```\n##### c"),
        ("1. a\n   ```\n   # b\n# c", "1. a\n   ```\n   # b\n   ```\n##### c"),
        ("\t# in code", "    ##### in code"),
        ("\n\n  a  \n\n", "  a"),
        ("one\ntwo \n\nthree\n- a\nb\n# c\nd", "one  \ntwo\n\nthree\n- a  \nb\n##### c\nd"),
        ("| a |\n|---|\nb\n1. c", "| a |\n|---|\nb\n1. c"),
        ("", ""),
    ],
)
def test_blocks_keep_their_markup_as_far_as_it_is_harmless(text: str, shown: str) -> None:
    assert block(text) == shown


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("Dr. O'Neil-Smith, 20% & more!", None, "Dr. O'Neil-Smith, 20% & more!"),
        ("a\n# b\n\n  c", None, "a \\# b c"),
        ("snake_case _em_ C# #1", None, "snake_case \\_em\\_ C# \\#1"),
        ("*x* `y` [z] <b> a|b ~~s~~ \\", None, "\\*x\\* \\`y\\` \\[z\\] \\<b> a\\|b \\~\\~s\\~\\~ \\\\"),
        ("&lt; &#35; a & b", None, "\\&lt; \\&#35; a & b"),
        ("evil\u202eeman", None, "evileman"),
        (
            "\u0639\u0644\u064a",
            None,
            "\u2068\u0639\u0644\u064a\u2069",
        ),  # else "(Ali; 33%)" in Arabic would read "(%33 ;Ali)"
        ("one two three", 8, "one two…"),
        ("one two", 7, "one two"),
        (" \n ", None, ""),
    ],
)
def test_one_line(text: str, most: int | None, shown: str) -> None:
    assert inline(text, most) == shown


@pytest.mark.parametrize(
    ("text", "shown"), [("a`b``c", "`a'b''c`"), ("a|b", "`a¦b`"), ("a\nb", "`a b`"), ("\x1b[1m", "`[1m`")]
)
def test_one_line_of_code(text: str, shown: str) -> None:
    assert code(text) == shown


def test_long_hostile_lines_are_read_in_time() -> None:
    lines = [
        "-" * 100_000 + "x",
        "- " * 50_000 + "x",
        "`" * 50_000,
        "".join("`" * n + "a" for n in range(300)),
        " " * 99_999,
    ]
    assert all(block(line + "\n" + line) is not None for line in lines)
