"""Abstentions in running text: only the voter's own, unconditional, first-person statement is one."""

import pytest

from folkmoot.answers.layout import read
from folkmoot.core.ask import ABSTAIN
from tests.answers.answer_forms import ballot

ABSTAINED = [
    "I abstain",
    "I ABSTAIN.",
    "**I abstain from voting**",
    "I abstain from this vote because no plan is costed.",
    "I hereby abstain.",
    "I choose to abstain.",
    "I'm abstaining.",
    "I must abstain, since I wrote one of the plans.",
    "Abstain",
    "I vote for: abstain",
    "I vote for: ABSTAIN.",
    "My vote: abstain",
    "I vote for: nobody. I abstain.",
    "I vote for: none of them; I abstain from voting.",
    "None of them convinces me, so I abstain.",
    "I will not vote for Agent1. I abstain.",
    "I abstain. If I had to choose, I would vote for: Agent1.",
    "Ich enthalte mich.",
    "Ich enthalte mich der Stimme.",
    "Je m'abstiens.",
    "Je m’abstiens de voter.",
    "Me abstengo.",
    "Mi astengo.",
    "Eu me abstenho.",
    "Ik onthoud me van stemming.",
    "Wstrzymuję się od głosu.",
    "Воздерживаюсь.",
    "我弃权。",
    "我選擇棄權",
    "棄権します。",
    "저는 기권합니다.",
    "```\nI abstain\n```",
]

NONE = [
    "I will not abstain.",
    "I would abstain if I could.",
    "Nobody should abstain.",
    "I abstain?",
    "I abstain if nobody answers.",
    "Should I abstain?",
    'Agent1 wrote "I abstain".',
    "> I abstain",
    "Agent1 says I abstain",
    "I was going to abstain.",
    "I never abstain.",
    "I do not abstain.",
    "If I had no view, I abstain.",
    "To abstain is cowardly.",
    "<think>I abstain</think>",
    "I abstain from judging the style.",
    "I vote for: Agent1 or I abstain",
]


@pytest.mark.parametrize("text", ABSTAINED)
def test_a_plain_abstention_is_booked(text: str):
    assert read(ballot(), text, speaker="Agent3").fields == {"I vote for": ABSTAIN}


@pytest.mark.parametrize("text", NONE)
def test_everything_else_is_no_abstention(text: str):
    assert read(ballot(), text, speaker="Agent3").fields == {}


@pytest.mark.parametrize("text", ABSTAINED)
def test_where_abstaining_is_not_allowed_nothing_is_booked(text: str):
    reading = read(ballot(abstain=False), text, speaker="Agent3")
    assert reading.fields == {}
    assert len(reading.unread) == 1


EARLIER_AND_NOW = [
    ("Beim letzten Mal stimmte ich für Agent1. Heute enthalte ich mich.", "Jetzt stimme ich für: Agent2"),
    ("Au tour précédent j'avais voté pour Agent1 ; maintenant je m'abstiens.", "Aujourd'hui je vote pour : Agent2"),
    ("En la ronda anterior voté por Agent1; ahora me abstengo.", "Ahora voto por: Agent2"),
    ("Na rodada passada votei em Agent1; agora me abstenho.", "Hoje voto em: Agent2"),
    ("La volta scorsa ho votato per Agent1; oggi mi astengo.", "Ora voto per: Agent2"),
    ("В прошлый раз я голосовал за Agent1, теперь воздерживаюсь.", "Сейчас я голосую за: Agent2"),
    ("Poprzednio głosowałem na Agent1, teraz wstrzymuję się.", "Teraz głosuję na: Agent2"),
    ("في الجولة السابقة صوّت لـ Agent1، والآن أمتنع عن التصويت.", ""),
    ("", "Şimdi oyum: Agent2"),
    ("", "今天我投票给：Agent2"),
]


@pytest.mark.parametrize(("abstained", "voted"), EARLIER_AND_NOW)
def test_what_an_author_does_now_counts_beside_what_it_did_before(abstained: str, voted: str) -> None:
    if abstained:
        assert read(ballot(), abstained).fields == {"I vote for": ABSTAIN}
    if voted:
        assert read(ballot(), voted).fields == {"I vote for": "Agent2"}


@pytest.mark.parametrize(
    "text",
    [
        "Voto por: Agent1. Ahora me abstengo.",
        "Agent1 dijo: ahora me abstengo.",
        "Si gana Agent1, ahora me abstengo.",
        "Ich stimme für: Agent1. Jetzt enthalte ich mich.",
        "Agent1 meint, heute enthalte ich mich.",
        "Heute stimme ich für Agent1, morgen für Agent2.",
        "Je vote pour : Agent1. Maintenant je m'abstiens.",
        "Теперь я не воздерживаюсь.",
    ],
)
def test_a_word_for_now_does_not_make_a_statement_of_what_is_none(text: str) -> None:
    assert read(ballot(), text).fields == {}
