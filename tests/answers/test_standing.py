"""Sentences that treat a vote or a ruling as a thing: what it is taken for, how long it holds, who may change it."""

import pytest

from folkmoot.answers.plain_text import Spoken
from folkmoot.reading import read_ruling, read_vote

AGENTS = ["Agent1", "Agent2", "Agent3"]

CHANGED = [
    "Consider it a straw poll.",
    "Read this as a hunch.",
    "Betrachtet das als Probelauf.",
    "Considérez cela comme un essai.",
    "Tómenlo como un ensayo.",
    "Tomem isto como um palpite.",
    "Consideratelo come uno scherzo.",
    "Считайте это шуткой.",
    "Potraktujcie to jako żart.",
    "请把这当作玩笑。",
    "これは冗談と思ってください。",
    "이것은 농담이라고 생각해 주세요.",
    "اعتبروا هذا مزحة.",
    "इसे मज़ाक समझें।",
    "Bunu şaka sayın.",
    "This vote lapses the moment Agent2 speaks.",
    "The last line is not a finding of mine.",
    "Diese Stimme gilt, bis der Kassier zurück ist.",
    "Ce vote expire dès que le trésorier revient.",
    "Este voto caduca en cuanto vuelva el tesorero.",
    "Este voto caduca assim que o tesoureiro voltar.",
    "Questo voto decade appena torna il tesoriere.",
    "Этот голос действует, пока нет ревизии.",
    "Ten głos wygasa, jak tylko wróci skarbnik.",
    "这个投票在审计之前有效。",
    "この投票は監査までです。",
    "이 투표는 감사까지입니다.",
    "The committee can overrule this and should.",
    "The auditors have yet to look, so somebody impartial should look at this.",
    "Whichever name my twin gives is mine as well.",
    "Not one word of this has been checked.",
    "Somebody must look at it before it counts.",
    "It was not me who typed this.",
    "Ce n'est pas moi qui signe.",
    "Well, one of them, anyway.",
    "Frame it.",
    "Good grief, did I just write that?",
    "Mind you, I haven't opened the last two files.",
    "Valid from the day the rector countersigns.",
    "Please don't minute that.",
    "File this under wishful thinking.",
    "Feel free to swap in whatever the majority says.",
    "Oubliez, j'ai lu le mauvais dossier.",
    "Nee toch, doe maar niet.",
    "Better we leave the line empty until the treasurer speaks.",
]


@pytest.mark.parametrize("sentence", CHANGED)
def test_a_vote_is_not_booked_where_it_is_taken_for_something_else(sentence: str) -> None:
    assert read_vote(f"I vote for: Agent1\n\n{sentence}", AGENTS).choice is None


@pytest.mark.parametrize(
    "sentence",
    [
        "Or was it Agent2 who had the cheaper plan?",
        "Oder war es Agent2, dessen Plan billiger ist?",
    ],
)
def test_a_vote_is_not_booked_where_a_question_goes_on_with_another(sentence: str) -> None:
    assert read_vote(f"I vote for: Agent1\n\n{sentence}", AGENTS).choice is None


def test_a_vote_is_not_booked_where_a_part_is_taken_off() -> None:
    options = ["Rent", "Rent and renovate"]
    assert read_vote("I vote for: Rent and renovate\n\nMinus the renovate part.", options).choice is None


@pytest.mark.parametrize(
    "sentence",
    [
        "Consider it final.",
        "Keeps it cheap for the tenants.",
        "I'd be happy to be proven wrong about the price in a year.",
        "The council can fund this.",
        "None of this costs more than the old bus.",
        "Had Agent2 shown a budget, this would have been closer.",
        "Not perfect, but it is the plan the night shift can live with.",
        "Cheaper to run, easier to undo.",
    ],
)
def test_a_vote_is_booked_where_the_sentence_speaks_of_the_matter(sentence: str) -> None:
    assert read_vote(f"I vote for: Agent1\n\n{sentence}", AGENTS).choice == "Agent1"


def decision(words: str) -> str | None:
    return read_ruling(f"SUMMARY: All is said.\nSTATUS: SETTLED\nDECISION: {words}").decision


@pytest.mark.parametrize(
    "words",
    [
        "Lease the vans.\n\nConsider it a straw poll.",
        "Lease the vans.\n\nUpdate 16:20: the dealer has called.",
        "Lease the vans.\n\nStatus update: we are back to square one.",
        "Lease the vans.\n\nHonestly, I have no idea.",
        "Lease the vans — or buy them, I keep going back and forth.",
        "Move the market.\n\nThat was the mood in the room when I left it.",
        "Move the market.\n\nMais ce n'est pas moi qui signe.",
        "The stallholders know best.",
        "Move the market. Or close it. Someone pick.",
        "Move the market.\n\nPlease don't minute that.",
        "Neither swimmer nor accountant am I.",
        "Für heute lassen wir es gut sein.",
        "Let Pia have the last word.",
        "I'd rather the works council picked this one.",
        "You two figure it out.",
        "The chair will announce it at the annual dinner.",
        "Dann sollen die Mieter das unter sich ausmachen.",
        "Que Pia s'en occupe.",
        "Both, neither, who can say.",
        "My heart says lease, my head says buy.",
        "Nessuno dei due mi ha dato una cifra.",
        "See the attached sheet.",
        "Siehe Anlage.",
        "別紙参照。",
    ],
)
def test_a_ruling_is_none_where_others_have_it_or_it_is_something_else(words: str) -> None:
    assert decision(words) is None


@pytest.mark.parametrize(
    "words",
    [
        "Let the drivers choose their own routes.",
        "Let the tenants vote on it in May.",
        "Let the city buy it.",
        "Lease the vans.\n\nOtto's worry about the mileage cap is met by the quarterly check.",
        "Lease the vans.\n\nI find the table of costs decisive.",
        "Neither of you convinced me: keep the old vans.",
    ],
)
def test_a_ruling_is_booked_where_others_have_an_act_to_do(words: str) -> None:
    assert decision(words) is not None


def test_words_of_the_debate_speak_of_the_matter_behind_a_vote() -> None:
    text = "I vote for: Agent3\n\nWe should still ask for a second quote on the boiler."
    assert read_vote(text, AGENTS).choice is None
    assert read_vote(text, AGENTS, statements=("Which boiler?", "One quote is not enough.")).choice == "Agent3"


def test_a_word_was_said_where_its_first_letters_were() -> None:
    spoken = Spoken(("Which boiler?", "The pipes are old."))
    assert [spoken(word) for word in ("boiler", "boilers", "pipes", "old", "roof")] == [True, True, True, False, False]
