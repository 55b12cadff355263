"""On the matter: behind a vote, a sentence must be recognized as one about what is decided; all else is asked about."""

import tomllib
from collections.abc import Sequence
from importlib.resources import files

import pytest

from folkmoot.answers.layout import read
from folkmoot.answers.words.cues import NAME
from folkmoot.answers.words.on_matter import ENOUGH, is_on_matter
from folkmoot.core.ask import Field, Form
from folkmoot.reading import read_vote

CANDIDATES = ("Ann", "Ben", "Carl")
LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "ru", "pl", "tr", "zh", "ja", "ko", "ar", "hi")
LABELS = {"ru": "Я голосую за", "zh": "我投票给", "ja": "私の投票", "ar": "أصوت لـ", "hi": "मेरा वोट", "tr": "Oyum"}


def choice(behind: str, language: str = "en", *, statements: Sequence[str] = ()) -> str | None:
    """What is booked of a vote for Ben with these words below it."""
    text = f"{LABELS.get(language, 'I vote for')}: Ben\n\n{behind}"
    return read_vote(text, CANDIDATES, statements=statements).choice


@pytest.mark.parametrize(
    "behind",
    [
        "Ben will know what to cross out.",
        "The real envelope arrives with the courier.",
        "Not sure why I typed that name.",
        "Park it.",
        "Swap the name for whatever keeps the peace.",
        "This one was for the microphone test.",
        "What you read there is last quarter's sheet.",
        "Should Carl object, his wish is mine.",
        "The moderator may fill in whichever of the three is missing a vote.",
        "That said, the door is open till the minutes are signed.",
        "Erm, which question were we on?",
        "I keep going back and forth between the two.",
        "Rough cut, polish to follow.",
    ],
)
def test_what_is_not_recognized_is_asked_about(behind: str) -> None:
    assert choice(behind) is None


@pytest.mark.parametrize(
    "farewell", ["Bye.", "Bye!", "Good luck!", "Amen.", "Take care, everyone.", "Tschüss!", "Viel Erfolg!", "Ciao."]
)
def test_a_farewell_leaves_a_vote_as_it_is(farewell: str) -> None:
    assert choice(farewell) == "Ben"


@pytest.mark.parametrize("label", ["VOTE", "My vote", "my final vote"])
def test_the_same_name_below_another_label_repeats_it(label: str) -> None:
    fields = (Field(name="ANSWER", kind="choice", choices=("Tea", "Coffee")), Field(name="ARGUMENT"))
    form = Form(name="closing", layout="sections", fields=fields)
    text = "ANSWER: Tea\n{label}: {name}\nARGUMENT: Tea is calm."
    assert read(form, text.format(label=label, name="Tea")).fields["ANSWER"] == "Tea"
    assert "ANSWER" not in read(form, text.format(label=label, name="Coffee")).fields


@pytest.mark.parametrize(
    ("language", "behind"),
    [
        ("de", "Das Kästchen kann ruhig leer bleiben."),
        ("de", "So stand es im Entwurf meiner Vorgängerin."),
        ("it", "L'ultima parola tocca al preside."),
        ("ja", "最終的には部長に任せます。"),
        ("hi", "अंतिम फ़ैसला अध्यक्ष करेंगे।"),
        ("tr", "Son kararı müdür verecek."),
        ("ar", "القرار يعود إلى المدير."),
        ("ko", "결정은 팀장님께 맡기겠습니다."),
    ],
)
def test_so_it_is_in_other_languages(language: str, behind: str) -> None:
    assert choice(behind, language) is None


@pytest.mark.parametrize(
    "behind",
    [
        "The app runs on one machine and has one writer. Carl's is the stronger, but someone would have to patch it.",
        "Flights are worse than to Lisbon, I admit that. But the venue is free.",
        "Ann's slides were prettier. Ben's sums were right.",
        "Carl is right about the paperwork, I just don't think it outweighs the savings.",
        "My concern with Carl's idea is the insurance, which nobody has priced.",
        "I like that he admitted what he does not know.",
        "Hats off to Ann for the best talk, though her plan needs a permit we won't get before autumn.",
        "Peak load is 300 msg/s, far below the limit.",
        "Bundle size is what our users on old phones notice.",
        "The bear case (margin squeeze, lost contract) is real but priced in at this level.",
        "Why?\n\n- half the price\n- no new staff\n- can be undone by June",
        "Its cost table is complete. It can be undone.",
        "I look forward to the next round.",
        "Ben",
    ],
)
def test_reasons_concessions_and_courtesies_are_recognized(behind: str) -> None:
    assert choice(behind) == "Ben"


@pytest.mark.parametrize(
    ("language", "behind"),
    [
        ("fr", "Son plan commence par le toit. J'attends le prochain tour avec intérêt."),
        ("pt", "O plano da Ann é bonito, mas em julho a estrada fica com neblina."),
        ("zh", "他的方案先修屋顶,预算也够。Ann的设计更漂亮,但要封路两个月。"),
        ("ko", "지붕부터 고치는 계획입니다. Ann의 안은 더 멋지지만 허가가 필요합니다."),
        ("hi", "उनकी योजना छत से शुरू होती है और बजट में है।"),
        ("tr", "Planı çatıdan başlıyor ve bütçeye uyuyor."),
    ],
)
def test_they_are_recognized_in_other_languages(language: str, behind: str) -> None:
    assert choice(behind, language) == "Ben"


def test_words_of_the_debate_make_a_sentence_one_on_the_matter() -> None:
    behind = "The zither suits the vestry."
    assert choice(behind) is None
    assert choice(behind, statements=["Which zither for the vestry?"]) == "Ben"


def test_the_more_firmly_the_more_points_are_needed() -> None:
    sentence = f"{NAME} brought figures"
    assert is_on_matter(sentence)
    assert is_on_matter(sentence, how="clearly")
    assert not is_on_matter(sentence, how="firmly")
    assert not is_on_matter(f"{NAME} has figures?")
    assert ENOUGH["follows"] < ENOUGH[""] < ENOUGH["granted"] <= ENOUGH["clearly"] < ENOUGH["firmly"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_its_words(language: str) -> None:
    table = tomllib.loads(files("folkmoot.answers.words").joinpath("on_matter.toml").read_text("utf-8"))[language]
    for row in ("third", "act"):
        assert len(table[row].split()) >= 3
    for words in (row.split() for row in table.values()):
        assert len(words) == len(set(words))
