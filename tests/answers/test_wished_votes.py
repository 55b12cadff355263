"""Votes that are said as a wish, by a label, or as a choice: read where nothing stands in their way."""

import pytest

from folkmoot.reading import read_vote

NAMES = ("Alba", "Boreas")


@pytest.mark.parametrize(
    "text",
    [
        "I would like to vote for Alba.",
        "I'd like to vote for Alba because it is cheaper.",
        "I want to vote for Alba. Because it is cheaper.",
        "Ich möchte für Alba stimmen.",
        "Je voudrais voter pour Alba.",
        "Quisiera votar por Alba.",
        "Vorrei votare per Alba.",
        "Gostaria de votar em Alba.",
        "Я хотел бы проголосовать за Alba.",
        "I'll go with Alba.",
        "I will go with Alba because it is cheaper.",
        "I will vote for Alba. The rules are clear.",
        "Me quedo con Alba.",
        "Fico com Alba.",
        "Choice: Alba",
        "Pick: Alba",
        "**Winner:** Alba",
        "Verdict: Alba",
        "Gewinner: Alba",
        "Urteil: Alba",
        "Auswahl: Alba",
        "Gagnant : Alba",
        "Ganador: Alba",
        "Veredicto: Alba",
        "Vincitore: Alba",
        "Verdetto: Alba",
        "Vencedor: Alba",
        "Veredito: Alba",
        "Победитель: Alba",
        "Вердикт: Alba",
        "Выбор: Alba",
    ],
)
def test_a_vote_in_plain_words_is_read(text: str) -> None:
    assert read_vote(text, NAMES, voter="Voter").choice == "Alba"


@pytest.mark.parametrize(
    "text",
    [
        "I would like to vote for Alba. The rules forbid it.",
        "I would vote for Alba. The rules forbid it.",
        "I'd like to vote for Alba. Conflict of interest.",
        "I would like to vote for Alba. It is too late for that.",
        "I really would like to vote for Alba. The deadline has passed.",
        "I want to vote for Alba.\nMy mandate does not cover it.",
        "Ich möchte für Alba stimmen. Die Regeln verbieten es.",
        "Ich möchte für Alba stimmen, aber die Regeln verbieten es.",
        "Je voudrais voter pour Alba. Le règlement l'interdit.",
        "Quiero votar por Alba. Las reglas lo prohíben.",
        "Vorrei votare per Alba. Le regole lo vietano.",
        "Gostaria de votar em Alba. As regras proíbem.",
        "Хочу проголосовать за Alba. Правила запрещают.",
        "I'd go with Alba.",
        "Last round's winner: Alba",
        "Bob's pick: Alba",
        "Ich möchte für Alba sprechen.",
        "Winner: Alba\nI vote for: Boreas",
        "No quiero votar por Alba.",
    ],
)
def test_a_wish_with_an_obstacle_is_asked_about(text: str) -> None:
    assert read_vote(text, NAMES, voter="Voter").choice is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Mein Votum lautet: Alba. Boreas hat mich nicht überzeugt.", "Alba"),
        ("Ich stimme für: Alba. Boreas hat mich nie überzeugt.", "Alba"),
        ("Tout bien pesé, c'est pour Alba que je vote.", "Alba"),
        ("Ce n'est pas pour Alba que je vote.", None),
        ("Boreas dit que c'est pour Alba que je vote.", None),
        ("Ich stimme für: Alba. Alba hat mich nicht überzeugt.", None),
        ("Ich stimme für: Alba. Boreas hätte mich nicht mehr überzeugen können.", None),
        ("I vote for: Alba. No one convinced me like Boreas.", None),
        ("सबको सुनने के बाद मैं अपना वोट Alba को देता हूँ।", "Alba"),
    ],
)
def test_who_failed_to_convince_and_what_stands_first(text: str, name: str | None) -> None:
    assert read_vote(text, NAMES, voter="Voter").choice == name
