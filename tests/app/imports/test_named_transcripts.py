"""Transcripts with names: who is told from the text, in each style, and what is nobody's turn."""

from itertools import product

import pytest

from folkmoot.app.imports.conversations import read_transcript
from folkmoot.core.errors import BriefError

STYLES = {
    "bold": "**{name}:** {words}",
    "bold, colon behind": "**{name}**: {words}",
    "list": "- **{name}:** {words}",
    "time": "[12:03] {name}: {words}",
    "heading": "## {name}\n\n{words}",
    "plain": "{name}: {words}",
}
NAMES = [("Ada", "Ben"), ("Dr. Ada Lovelace", "B.-C. O'Neil"), ("Ада", "李明")]
WORDS = [
    ("Build it.", "Buy it.", "No."),
    ("One line.\n\nAnother one: with a colon inside.", "Note that this costs 3:1.", "```\nAda: in code\n```"),
]


@pytest.mark.parametrize(("style", "names", "words"), list(product(STYLES, NAMES, WORDS)))
def test_turns_in_each_style_are_told_apart(style: str, names: tuple[str, str], words: tuple[str, ...]) -> None:
    speakers = (names[0], names[1], names[0], names[1])
    words = (*words, "Then no.")
    if style in ("plain", "time") and "Another one: " in words[0]:
        words = (words[0].replace("Another one: ", "Another one, "), *words[1:])
    turns = [STYLES[style].format(name=name, words=text) for name, text in zip(speakers, words, strict=True)]
    conversation = read_transcript("# Build or buy?\n\nWe have 40,000.\n\n" + "\n\n".join(turns), "file.md")
    assert [(turn.by, turn.text) for (turn,) in conversation.turns] == list(zip(speakers, words, strict=True))
    if style != "heading":
        assert conversation.topic == "Build or buy?"
        assert [source.text for source in conversation.background] == ["We have 40,000."]


def test_given_names_count_even_where_each_speaks_once() -> None:
    text = "Ada: Build it.\nNote: it is cheap.\nBen: Buy it."
    conversation = read_transcript(text, "file.txt", ["ada", "Ben"])
    assert [(turn.by, turn.text) for (turn,) in conversation.turns] == [
        ("Ada", "Build it.\nNote: it is cheap."),
        ("Ben", "Buy it."),
    ]


def test_what_stands_once_is_asked_about() -> None:
    text = "Ada: Build it.\nBen: Buy it.\nNote: it is cheap.\nAda: No.\nBen: Yes."
    with pytest.raises(BriefError) as caught:
        read_transcript(text, "file.md")
    assert str(caught.value) == (
        "file.md: Note is there only once, so it may be no name. Say who speaks, such as: --names Ada,Ben,Note"
    )
    assert [turn.by for (turn,) in read_transcript(text, "file.md", ["Ada", "Ben"]).turns] == ["Ada", "Ben"] * 2


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", ()),
        ("No names here.", ()),
        ("Ada: Build.\nBen: Buy.", ()),
        ("Ada: A.\nAda: B.", ()),
        ("Ada: A.", ("Ada", "Cy")),
    ],
)
def test_where_nobody_can_be_told_the_file_is_refused(text: str, names: tuple[str, ...]) -> None:
    with pytest.raises(BriefError) as caught:
        read_transcript(text, "file.md", names)
    assert str(caught.value).startswith("file.md: ")


@pytest.mark.parametrize(
    ("opens", "within", "closes"),
    [("````", "```\nBen: no\n```", "````"), ("~~~", "```", "~~~~"), ("```", "```py", "```"), ("~~~", "~~", "~~~")],
)
def test_a_fence_is_closed_by_its_own_sign_at_least_as_long(opens: str, within: str, closes: str) -> None:
    text = f"Ada: Look:\n{opens}\n{within}\nBen: not me\n{closes}\nBen: I see.\nAda: Good.\nBen: Yes.\n"
    conversation = read_transcript(text, "talk.md")
    assert [item.by for (item,) in conversation.turns] == ["Ada", "Ben", "Ada", "Ben"]
    assert "Ben: not me" in conversation.turns[0][0].text


def test_code_within_a_line_opens_no_fence() -> None:
    conversation = read_transcript("Ada: See\n```x``` here\nBen: Yes.\nAda: So.\nBen: Good.\n", "talk.md")
    assert [item.by for (item,) in conversation.turns] == ["Ada", "Ben", "Ada", "Ben"]


def test_a_name_with_a_colon_counts_where_it_is_given() -> None:
    text = "**Dr: Ada:** Tea.\n\n**Ben:** **Note: this:** Coffee.\n\n**Dr: Ada:** Tea.\n\n**Ben:** No.\n"
    conversation = read_transcript(text, "talk.md", ("Dr: Ada", "Ben"))
    assert [item.by for (item,) in conversation.turns] == ["Dr Ada", "Ben", "Dr Ada", "Ben"]
    with pytest.raises(BriefError, match="no speakers found"):
        read_transcript(text, "talk.md")


def test_two_who_speak_once_each_have_to_be_named() -> None:
    text = "# Build or buy?\n\n**Ann:** Build.\n\n**Ben:** Buy.\n"
    with pytest.raises(BriefError, match="--names"):
        read_transcript(text, "talk.md")
    assert [item.by for (item,) in read_transcript(text, "talk.md", ["Ann", "Ben"]).turns] == ["Ann", "Ben"]
