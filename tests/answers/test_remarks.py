"""Words of two or three: what they grant a candidate, and a ruling that only says that nobody has won."""

import pytest

from folkmoot.reading import read_ruling, read_vote

LABELS = ("Proposal A", "Proposal B", "Proposal C")


@pytest.mark.parametrize(
    "remark",
    [
        *("(lowest risk)", "(cheapest)", "(best value)", "(least bad)", "- lowest risk", ", the safest choice."),
        *("(geringstes Risiko)", "(le moins risqué)", "(menor riesgo)", "(menor risco)", "(minor rischio)"),
        *("(наименьший риск)", "(najmniejsze ryzyko)", "（风险最低）", "（最もリスクが低い）", "(위험이 가장 낮음)"),
        *("(الأقل مخاطرة)", "(सबसे कम जोखिम)", "(en düşük risk)"),
    ],
)
def test_a_short_merit_changes_nothing(remark: str) -> None:
    assert read_vote(f"I vote for: Proposal B {remark}", LABELS).choice == "Proposal B"


@pytest.mark.parametrize(
    "remark",
    [
        *("(my second choice)", "(for now)", "(I think)", "(sort of)", "(joke)", "(good joke)", "(best for now)"),
        *(
            "(most likely)",
            "(less preferred)",
            "(later better)",
            "(best not)",
            "(plus tard)",
            "(mais tarde)",
            "(en son)",
        ),
    ],
)
def test_a_short_remark_that_is_no_merit_is_asked_about(remark: str) -> None:
    assert read_vote(f"I vote for: Proposal B {remark}", LABELS).choice is None


@pytest.mark.parametrize(
    "words",
    [
        *("A tie.", "It's a tie.", "It is a tie between Ada and Ben.", "The vote is tied.", "We are undecided."),
        *("The debate ended in a draw.", "No one wins.", "Neither side wins.", "Split decision.", "50/50"),
        *("It's a tie. Both sides argued well.", "Both are equally good.", "The jury is split.", "The chair is split."),
        *("Gleichstand.", "Kein Sieger.", "Patt.", "Égalité.", "Match nul.", "Pas de vainqueur.", "Empate."),
        *("No hay ganador.", "Es un empate.", "Um empate.", "Sem vencedor.", "Pareggio.", "Nessun vincitore."),
        *("Ничья.", "Нет победителя.", "Brak zwycięzcy.", "平局。", "没有胜者。", "引き分けです。", "勝者なし。"),
        *(
            "무승부입니다.",
            "승자 없음.",
            "تعادل.",
            "لا فائز.",
            "बराबरी।",
            "कोई विजेता नहीं।",
            "Berabere.",
            "Kazanan yok.",
        ),
    ],
)
def test_a_tie_is_no_decision(words: str) -> None:
    assert read_ruling(f"SUMMARY: Both had points.\nSTATUS: SETTLED\nDECISION: {words}").decision is None


@pytest.mark.parametrize(
    "words",
    [
        *("Break the tie by lot.", "Tie the bonus to results.", "The tie goes to Ada.", "Draw up a plan.", "Both."),
        *("Split the company.", "Declare a tie and split the budget equally.", "Accept the draw and share the prize."),
        *(
            "It is a tie, so we split the budget between both.",
            "In case of a tie, the chair decides.",
            "Level the site.",
        ),
    ],
)
def test_a_decision_may_speak_of_a_tie(words: str) -> None:
    ruling = read_ruling(f"SUMMARY: Both had points.\nSTATUS: SETTLED\nDECISION: {words}")
    assert ruling.decision == words
