"""A ruling is booked only where its text shows that it decides; texts are as everyday as their opposites."""

import pytest

from folkmoot.reading import Ruling, read_ruling

DECISIONS = (
    "Keep the Tuesday market on the square and move the Saturday one to the park.",
    "Hire Dana.",
    "The library opens on Sundays from May.",
    "Agent2's proposal, with the cap at 40 hours.",
    "Postgres it is.",
    "No cameras in the classrooms.",
    "Both rooms get new heaters.",
    "Approve the budget as amended.",
    "The river path stays car-free.",
    "Replace the boiler; the windows can follow next year.",
    "We switch to weekly releases.",
    "Teachers may use the app, pupils may not.",
    "Lisbon.",
    "The first paragraph is struck and the rest stands.",
    "Give the grant to the choir.",
    "Reject the merger.",
    "Rollback now, hotfix tomorrow.",
    "Der Spielplatz wird saniert.",
    "Wir nehmen das Angebot von Keller & Sohn.",
    "Kein Tempolimit auf der Umgehungsstraße.",
    "Das Fest findet im Juni statt.",
    "Homeoffice an zwei Tagen, der Rest im Büro.",
    "Umzug nach Leipzig.",
    "La cantine passe au bio dès la rentrée.",
    "On garde le logo actuel.",
    "Retenir le devis de Martin.",
    "Pas de drone au-dessus du village.",
    "Le stage est rémunéré.",
    "Se aprueba el calendario de Marta.",
    "Plantar almendros en la ladera norte.",
    "La biblioteca cierra los lunes.",
    "Nos quedamos con el proveedor de Vigo.",
    "Fica aprovado o orçamento da Rita.",
    "A feira muda para o largo da estação.",
    "Contratar mais dois enfermeiros.",
    "Si rifà il tetto della palestra.",
    "Il mercato resta in piazza.",
    "Vince la proposta di Giulia.",
    "Ремонт школы начинаем летом.",
    "Оставить прежний логотип.",
    "Парковку у вокзала закрыть.",
    "Zatrudniamy panią Nowak.",
    "Zostajemy przy obecnym dostawcy.",
    "操场改建成停车场。",
    "采用李工的方案。",
    "图书馆周日开放。",
    "食堂改用有机食材。",
    "体育館を改修する。",
    "図書館は日曜も開館します。",
    "通学路に信号を設置する。",
    "도서관을 일요일에도 연다.",
    "김 대리의 안으로 한다.",
    "운동장에 나무를 심는다.",
    "تُفتح المكتبة أيام الأحد.",
    "نختار عرض شركة النور.",
    "يُنقل السوق إلى الساحة الجديدة.",
    "पुस्तकालय रविवार को भी खुलेगा।",
    "मीरा का प्रस्ताव स्वीकार किया जाता है।",
    "नया पुल बनाया जाएगा।",
    "Kütüphane pazar günleri de açık olacak.",
    "Ayşe'nin önerisi kabul edildi.",
    "Eski köprü yenilensin.",
    "The tram.",
    "Le tram.",
)

NO_DECISIONS = (
    "Let's agree to disagree and grab a coffee.",
    "You two figure it out.",
    "Honestly, flip a coin.",
    "I'm out of my depth here.",
    "Ask me again after lunch.",
    "Lorem ipsum dolor sit amet.",
    "🤷",
    "asdf asdf",
    "Hello world.",
    "TODO",
    "Insert decision here.",
    "What a day!",
    "The weather was lovely this weekend.",
    "My cat just walked over the keyboard.",
    "Roses are red, violets are blue.",
    "As an AI language model I cannot take sides.",
    "Winner winner chicken dinner.",
    "Macht das unter euch aus.",
    "Keine Ahnung, ehrlich gesagt.",
    "Wird schon schiefgehen.",
    "Entscheidet ihr.",
    "Débrouillez-vous.",
    "À vous de voir.",
    "Joyeux anniversaire, Paul !",
    "Lo que vosotros digáis.",
    "Que gane el mejor.",
    "Ni idea.",
    "Vocês que sabem.",
    "Seja o que Deus quiser.",
    "Fate voi.",
    "Boh.",
    "Разбирайтесь сами.",
    "Как карта ляжет.",
    "Róbcie, co chcecie.",
    "Jakoś to będzie.",
    "你们自己看着办吧。",
    "天气真好。",
    "お任せします。",
    "なるようになるさ。",
    "알아서들 하세요.",
    "글쎄요, 잘 모르겠네요.",
    "كما تشاؤون.",
    "الله أعلم.",
    "आप लोग खुद देख लें।",
    "राम जाने।",
    "Siz bilirsiniz.",
    "Kısmet.",
)

AROUND = "{above}SUMMARY: {summary}\nSTATUS: SETTLED\nDECISION: {words}"


def _ruling(words: str, above: str = "", summary: str = "Both sides were heard.") -> Ruling:
    return read_ruling(AROUND.format(above=above, summary=summary, words=words))


@pytest.mark.parametrize("words", DECISIONS)
def test_a_sentence_that_names_what_is_done_or_chosen_is_a_decision(words: str) -> None:
    assert _ruling(words).decision == words


@pytest.mark.parametrize("words", NO_DECISIONS)
def test_a_sentence_that_hands_the_choice_back_or_is_about_nothing_is_no_decision(words: str) -> None:
    assert _ruling(words).decision is None


@pytest.mark.parametrize(
    "words",
    [
        "This is a question of taste. The right answer will depend on your priorities.",
        "These are hard times for everyone.",
        "Ultimately the right answer will depend on one's priorities.",
        "Repair the roof? Somebody should.",
        "Above my pay grade. The committee will have to pick one.",
    ],
)
def test_a_remark_on_the_question_is_no_decision(words: str) -> None:
    assert _ruling(words).decision is None


@pytest.mark.parametrize(
    "words",
    [
        "In case of a tie, the chair decides.",
        "We want a four-day week.",
        "De boom blijft staan.",
        "Behåll bron.",
        "Pia is right: two vans are enough.",
        "Neither of you convinced me: keep the old vans.",
        "İkinci seçenek.",
        "Assumiamo la signora Kim.",
        "路面電車のほうが良い案である。",
    ],
)
def test_an_act_may_stand_in_any_clause_and_in_a_language_that_is_not_known(words: str) -> None:
    assert _ruling(words).decision == words


def test_words_of_the_question_or_the_summary_make_an_act() -> None:
    words = "The gloaming is for everyone."
    assert _ruling(words).decision is None
    assert _ruling(words, summary="The gloaming or the rain: each was tried.").decision == words
    ruling = read_ruling(AROUND.format(above="", summary="Heard.", words=words), question="The gloaming or the rain?")
    assert ruling.decision == words


@pytest.mark.parametrize(
    ("above", "summary", "behind"),
    [
        ("DRY RUN, nothing below is in force:\n", "Costs were compared.", ""),
        ("", "A dry run.", ""),
        ("", "Working version, I issue the ruling in its final form after the break.", ""),
        ("", "I took notes only; the lines below are what the cook would like to see.", ""),
        ("", "This ruling is an example for new members.", ""),
        ("", "Costs were compared.", " Just a joke!"),
        ("", "Costs were compared.", "\nBrincadeira! Sigam com os argumentos."),
        ("", "Costs were compared.", "\n\nExercise for the class: find the mistake in this fictitious ruling!"),
        ("", "Costs were compared.", "\n...is what the cook would love me to write."),
        ("", "Costs were compared.", " It's here as a reference. For us nothing has been settled."),
        ("", "Costs were compared.", "\nChair: the form is out of date, please ignore all three lines."),
    ],
)
def test_what_calls_a_ruling_a_trial_a_joke_or_a_wish_takes_it_back(above: str, summary: str, behind: str) -> None:
    words = "Move the archive to cold storage."
    assert _ruling(words).decision == words
    ruling = _ruling(words + behind, above, summary)
    assert (ruling.status, ruling.decision) == (None, None)


def test_reasons_above_a_ruling_are_no_reservation() -> None:
    above = "The roof leaks. The pump is old. The town pays half. The mayor likes neither.\n\n"
    assert _ruling("Repair the roof.", above).decision == "Repair the roof."
    assert _ruling("Repair the roof.", above + "This is a draft.\n\n").decision is None


@pytest.mark.parametrize(
    ("above", "decision"),
    [
        ("屋顶漏水，维修费用很高。", "修理屋顶。"),
        ("这个方案的费用很低，风险也小。", "修理屋顶。"),
        ("我还没有想好，先放着。", None),
        ("The roof leaks and costs 9,000 a year.", "修理屋顶。"),
        ("Well, you know me.", None),
        ("A lively exchange about the roof.", "修理屋顶。"),
    ],
)
def test_a_short_word_above_a_ruling_must_be_a_reason_of_the_matter(above: str, decision: str | None) -> None:
    assert _ruling("修理屋顶。", f"{above}\n\n").decision == decision
