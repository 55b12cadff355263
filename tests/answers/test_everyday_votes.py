"""Votes as people say them in conversation, in many languages; and what only sounds like one."""

from itertools import product

import pytest

from folkmoot.reading import read_vote

PEOPLE = ("Ada", "Ben", "Cleo")

VOTES = (
    "Yeah im going with Ada",
    "gotta be Ada for me",
    "It's gotta be Ada",
    "my pick's Ada",
    "Ada gets my vote, no contest",
    "Ada for me",
    "Ada all the way!!",
    "Honestly, Ada it is.",
    "Ada is who I'm voting for.",
    "omg ok so voting Ada 💯",
    "I give my voice to Ada",
    "Yeah, Ada, hands down. The plan was tested.",
    "Bueno, yo elijo Ada.",
    "So it's Ada for me then",
    "ich nehm Ada, meine stimme hat sie",
    "Für mich Ada, eindeutig.",
    "Pour moi c'est Ada, sans hésiter.",
    "Y'a pas photo : je vote pour Ada.",
    "Fico com Ada, é nela que eu voto.",
    "fechado com Ada, pode anotar meu voto aí",
    "Io dico Ada.",
    "Я за Ada.",
    "Мой голос — за Ada, потому что цифры сходятся.",
    "Stawiam na Ada.",
    "Ada推しです。",
    "저는 Ada요!",
    "أنا مع Ada.",
    "मैं Ada के साथ हूँ।",
    "Tercihim Ada.",
    "🏆 Winner: Ada 🏆",
)


@pytest.mark.parametrize("text", VOTES)
def test_an_everyday_vote_is_read(text: str) -> None:
    assert read_vote(text, PEOPLE).choice == "Ada"


@pytest.mark.parametrize(
    ("text", "behind"),
    list(
        product(
            ("Going with Ada", "my pick's Ada", "Ada for me", "I'll take Ada"),
            (
                ", but only if the price holds.",
                "? Not sure.",
                ". No, wait, Ben.",
                "... kidding!",
                ", or maybe Ben",
                ". Scratch that.",
                ". Ben is better though.",
                ", ben is better though",
            ),
        )
    ),
)
def test_what_takes_an_everyday_vote_back_leaves_none(text: str, behind: str) -> None:
    assert read_vote(text + behind, PEOPLE).choice is None


@pytest.mark.parametrize(
    "text",
    [
        "I take Ada's point.",
        "I say Ada lied.",
        "It has to be Ada who pays.",
        "I'm with Ada on the costs.",
        "I'm going with Ada to the station.",
        "I'd say Ada is the strongest.",
        "I was going with Ada.",
        "I'd go with Ada.",
        "not Ada for me",
        "He says: gotta be Ada.",
        "If pushed, gotta be Ada",
        "Ada is my pick for worst speaker.",
        "Ada for me. Ben for me.",
        "Well, Ada?",
        "Shall I vote for Ben? Ada. It could be either.",
        "Ada.\n\nBen.",
        'My friend texted "gotta be Ada".',
        "Going with Ben would be a mistake.",
        "No elijo Ada.",
        "I'm for Ada only here.",
        "This year I'm with whoever Ada backs.",
        "Vote Ada, says the poster.",
        "No vote from me. Gotta be Ada, though.",
        "I have no vote here, but my pick's Ada.",
        "I'm recused. My pick's Ada.",
        "My bet? Going with Ada.",
        "Gotta be Ada... for the wooden spoon",
        "🤣 I'm going with Ada",
        "🤣 I vote for Ada",
        "I vote for Ada, as the parrot would say.",
        "Ada's my pick for second place.",
        "Jestem za Ada, ale głosu nie oddaję.",
        "Going with Ada, but I do not vote.",
        "Look, Ada. I like you.",
        "Ada, please. Answer the question first.",
        "Who should leave? Ada. She never prepared.",
        "Ada, easily the weakest of the three.",
        "For a joke I vote for Ada.",
        "For now I vote for Ada.",
        "Zum Spaß stimme ich für Ada.",
        "Para la broma voto por Ada.",
        "Для примера голосую за Ada.",
        "Pour l'exemple, je vote pour Ada.",
        "For my brother I vote for Ada.",
    ],
)
def test_what_only_sounds_like_an_everyday_vote_is_none(text: str) -> None:
    assert read_vote(text, PEOPLE).choice is None


def test_who_denies_a_vote_is_asked_about_everyday_words() -> None:
    assert read_vote("There is no vote today. Gotta be Ada.", PEOPLE).choice is None
    assert read_vote("The vote is close. Gotta be Ada.", PEOPLE).choice == "Ada"


def test_two_candidates_of_one_spelling_are_not_told_apart() -> None:
    assert read_vote("Going with ada", ("Ada", "ADA", "Ben")).choice is None


def test_a_vote_in_its_form_counts_and_not_everyday_words_beside_it() -> None:
    assert read_vote("Ben for me? No.\n\nI vote for: Ada", PEOPLE).choice == "Ada"


def test_a_wide_exclamation_mark_ends_a_sentence() -> None:
    assert read_vote("我选小李！小张上学期当过了，小王说自己太忙。", ("小张", "小李", "小王")).choice == "小李"


def test_the_sentence_ends_where_another_candidate_is_spoken_of() -> None:
    assert read_vote("Gotta be Ada, Ben was all over the place.", PEOPLE).choice == "Ada"
    assert read_vote("Gotta be Ada, Ben deserves it more.", PEOPLE).choice is None


@pytest.mark.parametrize(
    "behind",
    [
        "That's my vote.",
        "That's where my vote goes.",
        "Das ist meine Stimme.",
        "Mi voto es suyo.",
        "It isn't perfect.",
        "Sorry for the short answer, the battery is low.",
        "皆さん、お疲れさまでした。",
        "Bravo à l'équipe adverse pour sa courtoisie.",
        "I don't think I need to say more than that.",
        "If the budget falls, I'd vote for Ben.",
    ],
)
def test_a_remark_that_takes_nothing_back_leaves_the_vote(behind: str) -> None:
    assert read_vote(f"I vote for: Ada\n\n{behind}", PEOPLE).choice == "Ada"


@pytest.mark.parametrize(
    "behind",
    [
        "That's my vote for now.",
        "That's my vote, I think.",
        "That is not my vote.",
        "Sorry, wrong line.",
        "Ben is better though.",
        "That's my vote if the price holds.",
        "As in the poll, this counts for nothing.",
        "It's my answer to a different question.",
        "I found this line on the desk.",
        "My view has moved since.",
        "Ben won me over in the end.",
        "Let me say more: I was bribed.",
        "Halten Sie mich nicht daran fest.",
        "Nageln Sie mich nicht darauf fest.",
        "For the wooden spoon, that is.",
    ],
)
def test_a_remark_that_sounds_alike_and_doubts_the_vote_leaves_none(behind: str) -> None:
    assert read_vote(f"I vote for: Ada\n\n{behind}", PEOPLE).choice is None


@pytest.mark.parametrize("lead", ["Let me be upfront: ", "This year ", "🗳️ 👏 ", "No contest: "])
def test_words_that_lead_up_to_a_vote_leave_it(lead: str) -> None:
    assert read_vote(f"{lead}I vote for Ada.", PEOPLE).choice == "Ada"


@pytest.mark.parametrize("lead", ["Para nada ", "❌ ", "Per niente ", "Ben, who is for it: "])
def test_words_that_deny_a_vote_leave_none(lead: str) -> None:
    assert read_vote(f"{lead}voto por Ada.", PEOPLE).choice is None
