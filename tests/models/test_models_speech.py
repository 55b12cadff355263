"""Pieces of an answer: any cut gives the same words; thinking and halves of characters do not get through."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.ask import Usage
from folkmoot.core.brief import Settings
from folkmoot.core.errors import Refused, Unreadable
from folkmoot.models.names import parse
from folkmoot.models.prices import MAX_TOKENS, count_tokens
from folkmoot.models.stream import MOST, AnswerStream, End, final_answer, repair_surrogates
from tests.models.models_kit import Notebook, ask

NAME = parse("ollama:tiny")


def say(*pieces: str) -> tuple[str, list[str]]:
    """The words and the deltas of an answer in pieces."""
    notebook = Notebook()
    speech = AnswerStream(NAME, notebook)
    for piece in pieces:
        speech.hear(piece)
    return speech.text, notebook.deltas


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hello", "hello"),
        ("", ""),
        ("<think>a b</think>\n\nhello", "hello"),
        ("\n <thinking>a</thinking> hello", "hello"),
        ("<think>a</think><think>b</think>hello", "hello"),
        ("<think>never closed", ""),
        ("<think></think>", ""),
        ("<thin", "<thin"),
        ("<thing> is a tag", "<thing> is a tag"),
        ("she wrote <think>so</think>", "she wrote <think>so</think>"),
        ("<think>a</thinking> b</think>c", "c"),
        ("  two", "two"),
    ],
)
def test_thinking_at_the_beginning_is_left_out(text: str, words: str) -> None:
    whole, _ = say(text)
    letters, deltas = say(*text)
    assert whole == letters == words
    assert "".join(deltas) in (words, words[: -len("<thin")])


@given(st.text(alphabet="<>/think a\n", max_size=60), st.lists(st.integers(0, 60)))
def test_any_cut_gives_the_same_words(text: str, cuts: list[int]) -> None:
    marks = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[start:end] for start, end in pairwise(marks)]
    assert say(*pieces)[0] == say(text)[0]


def test_thinking_is_a_sign_of_life_without_words() -> None:
    notebook = Notebook()
    speech = AnswerStream(NAME, notebook)
    speech.think()
    for piece in ("<think>", "aaa", "bbb</think>", " words"):
        speech.hear(piece)
    assert speech.text == "words"
    assert notebook.deltas == ["", "", "", "", "words"]


def test_an_answer_without_end_is_cut_off() -> None:
    speech = AnswerStream(NAME, Notebook())
    speech.hear("x" * MOST)
    with pytest.raises(Unreadable, match="more than") as caught:
        speech.hear("x")
    assert (caught.value.kind, caught.value.again) == ("garbled", False)


@given(st.text(alphabet=st.characters(), max_size=20) | st.text(alphabet="a\ud83d\ude00\x00\x07\r\n", max_size=20))
def test_every_text_is_mended(text: str) -> None:
    mended = repair_surrogates(text)
    assert mended.encode().decode() == mended
    assert "\x00" not in mended
    assert repair_surrogates(mended) == mended


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("a\ud83d", "a\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("a\x00b", "ab"),
        ("a\r\nb", "a\nb"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
    ],
)
def test_halves_are_joined_or_replaced(text: str, mended: str) -> None:
    assert repair_surrogates(text) == mended


def answer_stream(text: str) -> AnswerStream:
    """A speech of one piece."""
    speech = AnswerStream(NAME, Notebook())
    speech.hear(text)
    return speech


@pytest.mark.parametrize("finish", ["stop", "length", "filter"])
def test_an_answer_tells_why_it_ended(finish: str) -> None:
    usage = Usage(input_tokens=9, output_tokens=4, cached_tokens=3)
    called = final_answer(NAME, ask(), answer_stream("yes"), End(usage=usage, served="tiny-2", finish=finish))
    assert (called.text, called.finish, called.served, called.model) == ("yes", finish, "tiny-2", "ollama:tiny")
    assert called.usage == usage
    assert (called.key, called.call) == ("", "answer")


@pytest.mark.parametrize(
    ("usage", "input_tokens", "given_", "cached"),
    [
        (Usage(), None, MAX_TOKENS, 0),
        (Usage(input_tokens=-4, output_tokens=-1, cached_tokens=-2), None, MAX_TOKENS, 0),
        (Usage(input_tokens=9), 9, MAX_TOKENS, 0),
        (Usage(output_tokens=4), None, 4, 0),
        (Usage(input_tokens=9, output_tokens=4, cached_tokens=30), 9, 4, 9),
    ],
)
def test_what_is_not_counted_is_booked_as_reserved(
    usage: Usage, input_tokens: int | None, given_: int, cached: int
) -> None:
    booked = final_answer(NAME, ask(), answer_stream("yes"), End(usage=usage, finish="stop")).usage
    assert booked.input_tokens == (input_tokens or count_tokens(ask().messages))
    assert (booked.output_tokens, booked.cached_tokens) == (given_, cached)
    assert booked.estimated == (input_tokens is None or given_ == MAX_TOKENS)


@pytest.mark.parametrize("text", ["", " \n", "<think>only this", "\x00"])
def test_no_words_are_no_answer(text: str) -> None:
    with pytest.raises(Unreadable) as caught:
        final_answer(NAME, ask(), answer_stream(text), End(finish="stop"))
    thought = "think" in text
    assert (caught.value.kind, caught.value.again) == ("empty", not thought)
    assert ("max_tokens" in str(caught.value), "thought" in str(caught.value)) == (False, thought)
    with pytest.raises(Unreadable, match=r"64 tokens.*; allow more with max_tokens"):
        final_answer(NAME, ask(settings=Settings(max_tokens=64)), answer_stream(text), End(finish="length"))
    with pytest.raises(Refused, match="withheld") as refused:
        final_answer(NAME, ask(), answer_stream(text), End(finish="filter"))
    assert refused.value.kind == "refused"
