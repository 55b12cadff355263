"""Sayings, truisms, courtesies and remarks in place of a decision; flags, ticks and last words beside an answer."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from folkmoot.answers.plain_text import fold
from folkmoot.answers.words.cues import is_saying
from folkmoot.reading import read_brief, read_message, read_ruling, read_scores, read_vote

NAMES = ("Ada", "Bo", "Cleo")
NEAR: Mapping[str, Mapping[str, list[str]]] = tomllib.loads(
    (Path(__file__).parent / "data" / "no_decision.toml").read_text("utf-8")
)
"""By language, sentences that decide nothing, and decisions in words near to those."""


def _decision(words: str) -> str | None:
    return read_ruling(f"SUMMARY: Both spoke.\nSTATUS: SETTLED\nDECISION: {words}").decision


@pytest.mark.parametrize(
    "words",
    [
        "Rome, after all, wasn't built in a day either.",
        "The devil is in the detail.",
        "Every boat has its leak.",
        "Thank you both.",
        "I learned a lot from the two of you.",
        "I have not formed a view.",
        "Buy at 40. Ada's words, not mine.",
        "Buy. Sell. Whatever.",
        "Mine is still to come.",
        "The meeting is adjourned.",
        "Jeder Topf hat seinen Deckel.",
        "Toute chose a son prix.",
        "Спасибо вам обоим!",
        "İkinize de teşekkürler.",
        "人生就是如此。",
        "Time flies: thank you all.",
    ],
)
def test_what_is_no_act_is_asked_about(words: str) -> None:
    assert _decision(words) is None


@pytest.mark.parametrize(
    "words",
    [
        "Better safe than sorry: keep the old servers.",
        "Time is money: rent the machine.",
        "Every class gets two laptops.",
        "Every member pays 12 euros.",
        "I choose the second plan.",
        "Thank the volunteers with a dinner.",
        "Thanks to the grant, buy the press.",
        "You must leave by Friday.",
        "Wait until March.",
        "Chaque membre paie 12 euros.",
        "The committee buys the piano.",
    ],
)
def test_what_is_an_act_stays(words: str) -> None:
    assert _decision(words) == words


def test_sayings_stand_folded_and_once() -> None:
    from importlib.resources import files

    rows = files("folkmoot.answers.words").joinpath("sayings.txt").read_text("utf-8").splitlines()
    lines = [row for row in rows if not row.startswith("#")]
    assert [fold(line) for line in lines] == lines == list(dict.fromkeys(lines))
    assert all(map(is_saying, lines))
    assert not is_saying("buy two vans in june")


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("I vote for:\n\n- [ ] Ada\n- [x] Bo\n- [ ] Cleo", "Bo"),
        ("I vote for: ☐ Ada ☑ Bo", "Bo"),
        ("I vote for:\n- [x] Ada\n- [x] Bo", None),
        ("I vote for: Ada. I will not take this back.", "Ada"),
        ("I vote for: Ada. I will not take this back, but count it only if Bo agrees.", None),
        ("Ich stimme für: Ada. Ich nehme das nicht zurück.", "Ada"),
        ("أصوت لـ: Ada\n\nلا، أسحب صوتي.", None),
        ("I vote for: Ada. Scrap my earlier vote for Bo.", "Ada"),
        ("I vote for: Ada. Scrap my vote.", None),
        ("I vote for: Ada. Not Bo: his table has gaps.", "Ada"),
        ("I vote for: Ada. Bo made the stronger case, but could not answer.", "Ada"),
        ("Vote: Ada (narrowly over Bo)", "Ada"),
        ("The next sentence is false. I vote for: Ada", None),
        ("I vote for: Ada\n\n(That was the sample; my own follows.)\n\nI vote for: Bo", "Bo"),
        ("Voto em: Ada, mas só depois da auditoria.", None),
        ("Adaに投票するつもりでしたが、Boに投票します。", "Bo"),
        ('{"vote": "Ada", "final": false}', None),
        ('{"vote": "Ada", "abstain": true}', None),
        ('{"vote": "Ada", "abstain": false}', "Ada"),
    ],
)
def test_votes(text: str, choice: str | None) -> None:
    vote = read_vote(text, NAMES)
    assert (vote.choice, vote.abstained) == (choice, False)


@pytest.mark.parametrize(
    ("text", "abstained"),
    [
        ("Abstain — both ignore the law.", True),
        ("Enthaltung: beide übersehen das Recht.", True),
        ("弃权。双方都没有说服我。", True),
        ('{"vote": null, "abstain": true}', True),
        ("Abstain? Never.", False),
        ("Abstain. No, wait: I change my mind.", False),
    ],
)
def test_abstentions_in_a_word(text: str, abstained: bool) -> None:
    assert read_vote(text, NAMES).abstained is abstained


@pytest.mark.parametrize(
    ("content", "verdict"),
    [
        ("The file is complete.", "APPROVE"),
        ("I take my approval back; the dose is wrong.", None),
        ("Please disregard the verdict field.", None),
        ("On second thought, REJECT.", None),
        ("I changed my mind after the report: APPROVE.", "APPROVE"),
        ("I withdraw my earlier objection to the dose.", "APPROVE"),
    ],
)
def test_what_is_said_beside_a_verdict_may_take_it_back(content: str, verdict: str | None) -> None:
    text = f"<Message><Verdict>APPROVE</Verdict>\n<Content>{content}</Content></Message>"
    assert read_message(text, verdicts=("APPROVE", "REJECT")).verdict == verdict


def test_a_message_behind_a_commented_one_is_read() -> None:
    message = "<Message>\n<Verdict>{}</Verdict>\n<Content>It stands.</Content>\n</Message>"
    text = f"<!-- {message.format('APPROVE')} -->\n{message.format('REJECT')}"
    assert read_message(text, verdicts=("APPROVE", "REJECT")).verdict == "REJECT"


@pytest.mark.parametrize(
    "text",
    [
        '{"scores": {"Ada": 6, "Bo": 8}, "void": true}',
        '{"scores": {"Ada": 6, "Bo": 8}, "final": false}',
        '{"scores": {"Ada": 6, "Bo": 8}, "status": "draft"}',
        '{"scores": {"Ada": 6, "Bo": 8}}\n\nSwap these two.',
        '{"scores": {"Ada": 6, "Bo": 8}}\n\nAdd two points to Ada.',
    ],
)
def test_scores_that_do_not_hold_are_asked_about(text: str) -> None:
    assert read_scores(text, NAMES[:2]).why[0].code == "ambiguous"


def test_the_most_rounds_are_at_least_one() -> None:
    assert read_brief("---\nmax_rounds: 0\n---\n# Tea?\n").why[0].code == "out_of_range"
    assert not read_brief("---\nrounds: 0\n---\n# Tea?\n").why


@pytest.mark.parametrize("language", NEAR)
def test_who_leaves_it_to_others_or_to_later_decides_nothing(language: str) -> None:
    nothing, decisions = NEAR[language]["nothing"], NEAR[language]["decisions"]
    assert len(nothing) > 10
    assert [words for words in nothing if _decision(words)] == []
    assert [words for words in decisions if _decision(words) != words] == []


@pytest.mark.parametrize("words", ["棄権します。", "今回は棄権します。", "今回は、私も投票を棄権いたします。"])
def test_an_abstention_this_time_is_one(words: str) -> None:
    assert read_vote(words, NAMES).abstained
