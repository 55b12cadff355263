"""Rulings whose labels and status the moderator translated are read as English ones are, and nothing else of them."""

from collections.abc import Mapping
from typing import NamedTuple

import pytest

from folkmoot.reading import Ruling, read_ruling
from tests.answers.ruling_grammar import CORRECTIONS, DECISIONS, LAYOUTS, SECTIONS, TURNS, UNDECIDED, laid_out


class Words(NamedTuple):
    """What a ruling is called in a language: labels, both statuses, a summary, a decision."""

    summary: str
    status: str
    decision: str
    settled: str
    continued: str
    said: str
    decided: str


LANGUAGES: Mapping[str, Words] = {
    "de": Words("ZUSAMMENFASSUNG", "STATUS", "ENTSCHEIDUNG", "ENTSCHIEDEN", "WEITER", "Viele wollen.", "Wir bauen."),
    "fr": Words("RÉSUMÉ", "STATUT", "DÉCISION", "TRANCHÉ", "CONTINUER", "Beaucoup le veulent.", "Nous construisons."),
    "es": Words("RESUMEN", "ESTADO", "DECISIÓN", "RESUELTO", "CONTINUAR", "Muchos lo quieren.", "Construimos."),
    "pt": Words("RESUMO", "SITUAÇÃO", "DECISÃO", "RESOLVIDO", "CONTINUAR", "Muitos querem.", "Vamos construir."),
    "it": Words("RIASSUNTO", "STATO", "DECISIONE", "DECISO", "CONTINUARE", "Molti lo vogliono.", "Costruiamo."),
    "ru": Words("РЕЗЮМЕ", "СТАТУС", "РЕШЕНИЕ", "РЕШЕНО", "ПРОДОЛЖИТЬ", "Многие хотят.", "Строим в мае."),
    "pl": Words("PODSUMOWANIE", "STAN", "DECYZJA", "ROZSTRZYGNIĘTE", "KONTYNUOWAĆ", "Wielu chce.", "Budujemy."),
    "zh": Words("总结", "状态", "决定", "已决定", "继续", "多数人想建。", "我们五月建。"),
    "ja": Words("要約", "状態", "決定", "決着", "継続", "多くは建てたい。", "五月に建てる。"),
    "ko": Words("요약", "상태", "결정", "결정됨", "계속", "대부분 짓고 싶어 한다.", "우리는 오월에 짓는다."),
    "ar": Words("الملخص", "الحالة", "القرار", "محسوم", "متابعة", "يريد الأغلبية البناء.", "نبني في مايو."),
    "hi": Words("सारांश", "स्थिति", "निर्णय", "तय", "जारी", "अधिकांश बनाना चाहते हैं।", "हम मई में बनाएंगे।"),
    "tr": Words("ÖZET", "DURUM", "KARAR", "KARARA BAĞLANDI", "DEVAM", "Çoğunluk istiyor.", "Mayısta inşa ediyoruz."),
}
FORMS = tuple(layout for layout in LAYOUTS if layout != "final")
"""The layouts of English rulings, but for the word "final" before a label."""


def in_language(text: str, words: Words) -> str:
    """A text with its English labels in a language, in capitals, small letters or as titles."""
    for english, label in (("SUMMARY", words.summary), ("STATUS", words.status), ("DECISION", words.decision)):
        text = text.replace(english, label).replace(english.lower(), label.lower())
        text = text.replace(f"{english.title()}:", f"{label.title()}:")
    return text


def ruling(layout: str, words: Words, status: str) -> Ruling:
    """What is read of a ruling in a language."""
    slots = {"{S}": words.said, "{T}": status, "{t}": status.lower(), "{Tt}": status.title(), "{D}": words.decided}
    text = in_language(LAYOUTS[layout], words)
    for slot, value in slots.items():
        text = text.replace(slot, value)
    return read_ruling(text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translated_ruling_is_read_in_every_layout(language: str) -> None:
    words = LANGUAGES[language]
    for status, booked in ((words.settled, "SETTLED"), (words.continued, "CONTINUE"), ("SETTLED", "SETTLED")):
        for layout in FORMS:
            result = ruling(layout, words, status)
            decision = words.decided.rstrip(".。।") if booked == "SETTLED" else None
            assert (layout, result.status, result.decision and result.decision.rstrip(".。।")) == (
                layout,
                booked,
                decision,
            )


@pytest.mark.parametrize("language", LANGUAGES)
def test_labels_without_accents_are_the_same_labels(language: str) -> None:
    plain = str.maketrans("ÉÈÇÃÓÖĞÙÀ", "EECAOOGUA")
    words = Words(*(word.translate(plain) for word in LANGUAGES[language]))
    result = ruling("plain", words, words.settled)
    assert (result.status, result.decision) == ("SETTLED", words.decided)


BELOW = (*CORRECTIONS, *SECTIONS, *TURNS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_an_english_ruling_does_not_book_a_translated_one_does_not_either(language: str) -> None:
    words = LANGUAGES[language]
    for decision in (*UNDECIDED, DECISIONS[0]):
        for below in ("", *BELOW) if decision == DECISIONS[0] else ("",):
            said_below = decision + (f"\n\n{below}" if below else "")
            text = in_language("SUMMARY: Open.\nSTATUS: SETTLED\nDECISION: ", words) + said_below
            english, result = read_ruling(laid_out("plain", "Open.", "SETTLED", said_below)), read_ruling(text)
            if english.decision is None:
                assert (text, result.decision) == (text, None)
            if english.status is None:
                assert (text, result.status) == (text, None)


@pytest.mark.parametrize(
    "text",
    [
        "ZUSAMMENFASSUNG: Offen.\nSTATUS: NICHT ENTSCHIEDEN\nENTSCHEIDUNG: Wir bauen.",
        "ZUSAMMENFASSUNG: Offen.\nSTATUS: ENTSCHIEDEN, aber erst nach einer weiteren Runde\nENTSCHEIDUNG: Wir bauen.",
        "ZUSAMMENFASSUNG: Offen.\nSTATUS: ENTSCHIEDEN?\nENTSCHEIDUNG: Wir bauen.",
        "ZUSAMMENFASSUNG: Offen.\nSTATUS: ENTSCHIEDEN oder WEITER\nENTSCHEIDUNG: Wir bauen.",
        "RESUMEN: Abierto.\nESTADO: NO RESUELTO\nDECISIÓN: Construimos.",
        "RESUMEN: Abierto.\nESTADO: RESUELTO\nESTADO: CONTINUAR\nDECISIÓN: Construimos.",
        "RESUMEN: Abierto.\nESTADO: CONTINUAR\nDECISIÓN: Construimos.",
        "> RESUMEN: Abierto.\n> ESTADO: RESUELTO\n> DECISIÓN: Construimos.",
        "```\ncode\n```\n\nBear wrote:\nRESUMEN: Abierto.\nESTADO: RESUELTO\nDECISIÓN: Construimos.",
        "RÉSUMÉ : Ours a fini par « tout est dit. STATUT : TRANCHÉ. DÉCISION : Vendre. »",
        "SUMMARY: Open.\nSTATUS: CONTINUE\n\nZUSAMMENFASSUNG: Offen.\nSTATUS: ENTSCHIEDEN\nENTSCHEIDUNG: Wir bauen.",
        "❌ ESTADO: RESUELTO\nDECISIÓN: Construimos.",
        "总结：未定。\n状态：未决定\n决定：我们五月建。",
        "РЕЗЮМЕ: Открыто.\nСТАТУС: НЕ РЕШЕНО\nРЕШЕНИЕ: Строим.",
        "ÖZET: Açık.\nDURUM: DEVAM\nKARAR: İnşa ediyoruz.",
    ],
)
def test_what_is_not_settled_in_any_language_books_no_decision(text: str) -> None:
    assert read_ruling(text).decision is None


def test_words_of_a_decision_are_kept_to_the_letter() -> None:
    decision_text = "Wir bauen. Der Stand: 12 von 20. Der Beschluss der Gruppe gilt; Status und Zusammenfassung folgen."
    result = read_ruling(f"ZUSAMMENFASSUNG: Viele wollen.\nSTATUS: ENTSCHIEDEN\nENTSCHEIDUNG: {decision_text}")
    assert (result.status, result.decision) == ("SETTLED", decision_text)
    english = f"SUMMARY: Open.\nSTATUS: SETTLED\nDECISION: {decision_text}\nEntscheidung: Nein."
    assert (read_ruling(english).decision or "").startswith("Wir bauen. Der Stand: 12 von 20.")
