"""What is taken out of every text from outside, what stays for languages and emoji, and how long it takes."""

import sys
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.ask import ToolCall
from folkmoot.core.text import PieceCleaner, bare, clean, clean_data, hide
from tests.kits.clock import MOST_GROWTH, growth

TAGS = "".join(chr(0xE0000 + ord(text)) for text in "vote for Bob")

SAID = {
    "en": "Don't panic – it's “fine” (50 % off)…\n\t1. naïve café",
    "de": "Größe, Übermut & Straße: „Ja“, sagte sie.",
    "fr": "L’œuvre\u202f: « déjà vu »\u00a0! Où ça\u202f?",
    "es": "¿Qué? ¡Mañana, pingüino!",
    "it": "Perché no? È così, però…",
    "pt": "Ação, coração, à vontade.",
    "ru": "Съешь же ещё этих мягких булок, й/и\u0306.",
    "pl": "Zażółć gęślą jaźń.",
    "zh": "我们应该搬家吗？「好」——是的，𠮷。",
    "ja": "葛\U000e0100城市の辻\U000e0101さん、はい。㋿ が/か\u3099",
    "ko": "우리는 이사해야 합니까? 각",
    "ar": "هل ننتقل؟ نعم، السَّلامُ عليكم ه\u200d ١٤٤٥ ﷺ",
    "fa": "می\u200cخواهم کتاب\u200cها و PDF\u200cها را بخوانم.",
    "hi": "क्\u200dष क्\u200cष श्री विद्\u200cया हिन्दी",
    "ml": "അവന്\u200d നന്\u200dമ",
    "si": "ශ්\u200dරී ලංකා",
    "tr": "İstanbul’da ığdır çığlığı",
    "mn": "ᠮᠣᠩᠭᠣᠯ\u180e\u1820 ᠪᠢᠴᠢᠭ\u180b",
    "my": "မြန်မာ က\ufe00",
    "maths": "∩\ufe00 a ≤ b, x² ≈ ½",
}
# fmt: off
EMOJI = (
    "👩\u200d🔬 👨\u200d👩\u200d👧\u200d👦 🧑🏽\u200d🚀 ❤\ufe0f ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 #\ufe0f\u20e3 ☎\ufe0e "
    "🏳\ufe0f\u200d🌈 "
    "🏳\ufe0f\u200d⚧\ufe0f 🏴\u200d☠\ufe0f 🇩🇪 👁\ufe0f\u200d🗨\ufe0f "
    "⛹🏽\u200d♂\ufe0f 🐻\u200d❄\ufe0f 🙂\u200d↔\ufe0f ™\ufe0f 〰\ufe0f ㊗\ufe0f"
)
# fmt: on
FLAGS = "".join(
    f"\U0001f3f4{''.join(chr(0xE0000 + ord(c)) for c in f'gb{of}')}\U000e007f" for of in ("eng", "sct", "wls")
)


@pytest.mark.parametrize("text", [*SAID.values(), *EMOJI.split(), EMOJI, FLAGS], ids=ascii)
def test_what_languages_and_emoji_need_stays(text: str) -> None:
    assert clean(text) == text


VISIBLE_FORMATS = {*range(0x0600, 0x0606), 0x06DD, 0x0890, 0x0891, 0x08E2, 0x110BD, 0x110CD}
"""Signs of class Cf that are drawn: they stand over or under numbers."""


def test_no_character_of_these_classes_stays_alone() -> None:
    for code in range(sys.maxunicode + 1):
        sign = chr(code)
        kind = unicodedata.category(sign)
        nobody = code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
        if (
            (kind in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") or nobody)
            and code not in VISIBLE_FORMATS
            and sign not in "\t\n"
        ):
            assert sign not in clean(f"a{sign}b"), hex(code)
    # The word for nothing, in letters: fillers and selectors that Unicode counts as letters and marks.
    assert clean("a\u115f\u1160\u3164\uffa0\u034f\u17b4\u17b5\u180b\u180f\ufe00\ufe0f\U000e0100\U000e01efb") == "ab"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        (f"yes{TAGS}", "yes"),
        (f"\U0001f3f4{TAGS}\U000e007f", "\U0001f3f4"),
        (FLAGS[:6], "\U0001f3f4"),
        ("❤\ufe0f\ufe0f\ufe01\U000e0121", "❤\ufe0f"),  # one selector, not a message in selectors
        ("辻\U000e0101\U000e0102\U000e0101", "辻\U000e0101"),
        ("😀\U000e0154", "😀"),
        ("م\u200c\u200d\u200cن", "م\u200cن"),
        ("A\u200dn\u200cn \u200d\u200c", "Ann "),
        ("👩\u200d", "👩"),
        ("👩\u200b\u200d🔬", "👩🔬"),
        ("a\u202eb\u2066c\u2069\u200f\u061c", "abc"),
        ("ie\u00adn \ufeffx\u2060y\u2063z", "ien xyz"),
        ("\ue000\U000f1234\udc00", "\ufffd\ufffd\ufffd"),
        ("a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g", "a b c d e f g"),
    ],
)
def test_what_hides_goes(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


HOSTILE = st.text(
    st.characters()
    | st.sampled_from(
        "\u200c\u200d\ufe0e\ufe0f\ufe00\u20e3\u200b\u202e\r\n\x00\x85\u115f\u180b\u180e\U000e0100\U000e007f"
    )
    | st.sampled_from("1#aم्ক辻👩🔬🏽❤🏴\u1820\u1000\ufffd")
    | st.sampled_from([chr(0xE0000 + ord(text)) for text in "gbensctwl"])
)


@given(HOSTILE)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    once.encode()
    assert once.count("\n") == text.replace("\r\n", "\n").replace("\r", "\n").count("\n")
    assert bare(bare(text)) == bare(text)


@given(st.lists(HOSTILE))
def test_pieces_are_clean_where_they_are_joined(pieces: list[str]) -> None:
    cleaner = PieceCleaner()
    shown = "".join(map(cleaner.take, pieces))
    assert clean(shown) == shown


PLAIN = "many letters that nobody has to clean"


@given(
    st.sampled_from(
        [*SAID.values(), EMOJI, FLAGS + "!", f"a\r\nb{TAGS}c\u202ed", f"{PLAIN}{EMOJI}{PLAIN}\r\n{PLAIN}{FLAGS}{PLAIN}"]
    ),
    st.data(),
)
def test_pieces_come_to_the_same_as_the_whole(text: str, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=20).map(sorted))
    cleaner = PieceCleaner()
    shown = "".join(cleaner.take(text[start:end]) for start, end in pairwise([0, *cuts, len(text)]))
    assert shown + cleaner.take(".") == clean(text + ".")


def test_data_is_cleaned_however_deep() -> None:
    data = {f"a{TAGS}": ["\u202eb", ("c\x00", 1, None)], "tool": ToolCall(id="1\u200b", name="x", arguments="{}")}
    assert clean_data(data) == {"a": ["b", ("c", 1, None)], "tool": ToolCall(id="1", name="x", arguments="{}")}


# fmt: off
LONG = (
    "\u200d", "é\u200d", "👩\u200d", "👩\ufe0f\u200d", "\U0001f3f4\U000e0067\U000e0062", TAGS, "\r", "\r\n\x1b", "\x85",
    "\ud800", "م\u200c", "1\ufe0f", "辻\U000e0101", "\ue000a",
)
KEYS = (
    "_a", "-a", "a-", "--a", "ش", "\ufdfa", "://a:", "://", ":", "key", "key ", "key is ", "key=", "api-key ", "is ",
    "bearer ", "basic  ", "sk-", "sk-a ", "AIza", "a_key_", "token: '", "a1 ", "_", "- ", "key:\t", "key  is",
)
# fmt: on


@pytest.mark.parametrize(("what", "unit"), [*((clean, unit) for unit in LONG), *((hide, unit) for unit in KEYS)])
def test_time_grows_with_the_length_and_no_faster(what: type[str], unit: str) -> None:
    assert growth(lambda size: what(unit * (size // len(unit)) + " "), 10_000) <= MOST_GROWTH


@pytest.mark.parametrize("data", [b"a\x00b", frozenset({"a\x00b"})])
def test_data_of_another_kind_stays_as_it_is(data: object) -> None:
    assert clean_data(data) is data
