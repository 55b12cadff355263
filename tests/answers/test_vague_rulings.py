"""Rulings that name nothing: a saying, an observation, a template, words that fit any debate, a stranger to it."""

import pytest

from folkmoot.answers.layout import read, repair_question
from folkmoot.answers.rulings import is_vague
from folkmoot.core.ask import Field, Form
from folkmoot.phases.speak import SETTLEMENT
from folkmoot.reading import read_ruling

DEBATE = (
    "Shall the village close its outdoor pool?",
    "The outdoor pool costs the village 40,000 a year. The pump is old, the tiles are cracked, and the roof of the "
    "changing room leaks whenever it rains. Few families come on weekdays. The school has its own hall with a basin.",
    "The pool is where children learn to swim. A trial summer with volunteers at the counter would show what it earns. "
    "The sports club offers to pay for a new pump if the village keeps the water warm until September.",
)
"""A topic and two statements."""


@pytest.mark.parametrize(
    "words",
    [
        "Swings and roundabouts, really.",
        "Time will tell.",
        "Both perspectives offer valuable insights.",
        "Consensus achieved!",
        "Jacke wie Hose.",
        "Chacun campe sur ses positions.",
        "Tanto monta, monta tanto.",
        "Ognuno resta della propria idea.",
        "Время покажет.",
        "各有千秋。",
        "五分五分です。",
        "막상막하입니다.",
        "الله أعلم.",
        "समय ही बताएगा।",
        "Göreceğiz bakalım.",
        "Both sides are right. Time will tell.",
        "Time will tell. Until then the pool opens for one trial summer.",
    ],
)
def test_what_names_nothing_is_asked_about(words: str) -> None:
    ruling = read_ruling(f"SUMMARY: Both spoke.\nSTATUS: SETTLED\nDECISION: {words}")
    assert (ruling.status, ruling.decision) == ("SETTLED", None)


@pytest.mark.parametrize(
    "words",
    [
        "Yes.",
        "No.",
        "Leave things as they are.",
        "The second option.",
        "Do nothing this year.",
        "Es bleibt beim alten Namen.",
        "Both clinics open on Sundays.",
        "Everyone pays the same fare.",
        "The debate club gets the hall.",
        "维持现状。",
        "現状維持。",
        "第二个方案。",
    ],
)
def test_what_names_an_act_is_a_decision(words: str) -> None:
    ruling = read_ruling(f"SUMMARY: Both spoke.\nSTATUS: SETTLED\nDECISION: {words}")
    assert ruling.decision == words


def test_long_words_are_never_vague() -> None:
    assert is_vague("Time will tell.")
    assert not is_vague("Time will tell " * 20)


def _decision(words: str, debate: tuple[str, ...] = DEBATE) -> object:
    text = f"SUMMARY: Both spoke.\nSTATUS: SETTLED\nDECISION: {words}"
    return read(SETTLEMENT, text, debate=debate).fields.get("DECISION")


@pytest.mark.parametrize(
    "words",
    ["A storm, tea.", "Ein Hut im Wind.", "靴に虹。", "دخان بلا نار."],
)
def test_words_that_name_no_act_are_asked_about_whether_or_not_the_debate_is_known(words: str) -> None:
    assert _decision(words, ()) is None
    assert _decision(words) is None


@pytest.mark.parametrize(
    "words",
    [
        "Whatever makes the neighbours happy.",
        "The best argument wins.",
        "Give me a week with the spreadsheets.",
        "Above my pay grade. The steering committee will have to pick one.",
        "Lorem ipsum.",
        "Me ne lavo le mani.",
        "Mir ist heute nicht nach Richten.",
        "公说公有理,婆说婆有理。",
        "痛み分けです。",
        "Hayırlısı neyse o olsun.",
    ],
)
def test_a_sentence_that_does_not_show_that_it_decides_is_no_decision(words: str) -> None:
    assert _decision(words, ()) is None


@pytest.mark.parametrize(
    ("lead", "stands"),
    [
        ("Here is my review.", True),
        ("As the moderator, I read all arguments. My review:", True),
        ("Voici ma synthèse.", True),
        ("以下是我的总结。", True),
        ("(draft, not for release until legal has looked at it)", False),
        ("Otto dictated this.", False),
        ("Under embargo until Friday.", False),
        ("これは下書きです。", False),
    ],
)
def test_only_what_leads_up_to_a_ruling_may_stand_above_it(lead: str, *, stands: bool) -> None:
    text = f"{lead}\n\nSUMMARY: Both spoke.\nSTATUS: SETTLED\nDECISION: Sell the ferry."
    assert ("DECISION" in read(SETTLEMENT, text).fields) == stands


def test_a_summary_may_call_the_ruling_a_draft() -> None:
    text = "SUMMARY: This is a draft of the ruling.\nSTATUS: SETTLED\nDECISION: Sell the ferry."
    assert "DECISION" not in read(SETTLEMENT, text).fields


def test_words_in_small_letters_before_a_colon_are_nobodys_turn() -> None:
    text = "SUMMARY: Both spoke.\nSTATUS: SETTLED\nDECISION: Sell the ferry.\n\nChair here: nothing has been decided."
    assert "DECISION" not in read(SETTLEMENT, text).fields


@pytest.mark.parametrize(
    "words",
    [
        "Keep the pool for one trial summer.",
        "Closing it is the better way.",
        "Yes.",
        "At most 30,000.",
        "Postpone.\nThe money goes to the library, the theatre and a bus to the indoor baths of the next town instead.",
    ],
)
def test_a_decision_about_the_matter_is_read_in_its_debate(words: str) -> None:
    assert _decision(words) == words


def test_a_debate_of_few_words_is_compared_with_nothing() -> None:
    assert _decision("Sell the ferry.", ("Shall we?", "Yes.", "No.")) == "Sell the ferry."


def test_in_a_script_without_blanks_two_signs_are_compared() -> None:
    debate = (
        "村里是否关闭露天泳池？",
        "露天泳池每年花费四万元，水泵老旧，瓷砖破裂，更衣室屋顶漏雨，平日来的家庭很少。" * 3,
    )
    assert _decision("泳池再开一个夏天。", debate) == "泳池再开一个夏天。"
    assert _decision("塞翁失马焉知非福。", debate) is None


def test_the_question_says_what_is_missing() -> None:
    form = Form(name="verdict", fields=(Field(name="SUMMARY"), Field(name="VERDICT")))
    reading = read(form, "SUMMARY: Both spoke.\nVERDICT: A storm in a teacup.", debate=DEBATE)
    assert reading.unread == ("VERDICT: vague",)
    assert "say in words of the question what is decided" in repair_question(form, reading)


@pytest.mark.parametrize(
    "words",
    [
        "(to be filled in after the break)",
        "(wird nachgetragen)",
        "(à compléter)",
        "(por completar)",
        "(a completar)",
        "(da compilare)",
        "(будет дополнено)",
        "(do uzupełnienia)",
        "(待补)",
        "(後で記入)",
        "(추후 기재)",
        "(يستكمل لاحقا)",
        "(बाद में भरा जाएगा)",
        "(sonra doldurulacak)",
        "${decision_text}",
        "{{ decision }}",
        "{decision}",
        "%(decision)s",
        "My train is late, back in ten.",
        "My crystal ball is at the repair shop.",
        "Non so che pesci pigliare.",
        "전화가 왔어요.",
    ],
)
def test_stage_directions_templates_and_the_authors_own_affairs_are_no_decision(words: str) -> None:
    ruling = read_ruling(f"SUMMARY: Both sides spoke twice.\nSTATUS: SETTLED\nDECISION: {words}")
    assert ruling.decision is None


@pytest.mark.parametrize(
    "words",
    [
        "1. Roll out to 5 % of users.\n2. Watch errors for a week.\n3. Roll out to all.",
        "Tempo 30 im ganzen Ortskern.",
        "Pay 5 euros (children 2).",
        "A ban on the sale of fireworks.",
    ],
)
def test_lists_and_nominal_acts_are_decisions(words: str) -> None:
    ruling = read_ruling(f"SUMMARY: Both sides spoke twice.\nSTATUS: SETTLED\nDECISION: {words}")
    assert ruling.decision == words


@pytest.mark.parametrize("below", ["Example taken from the handbook.", "generated by the demo button"])
def test_a_note_below_a_ruled_line_that_calls_it_a_sham_counts(below: str) -> None:
    ruling = read_ruling(f"SUMMARY: Both spoke.\nSTATUS: SETTLED\nDECISION: Sell the boat.\n\n---\n{below}")
    assert (ruling.status, ruling.decision) == (None, None)
