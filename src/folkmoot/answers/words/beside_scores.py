"""Beside scores: whether a sentence above or behind scores leaves them as they are.

Whatever is no label, no courtesy, no remark on the debate and not of the matter may say that the scores are none, in
any words. So may whatever speaks of the scores themselves and not of what they rest on.
"""

import re

from folkmoot.answers import retraction
from folkmoot.answers.words import acts, on_matter, remarks, undone
from folkmoot.core.text import late_pattern


def belongs(sentence: str) -> bool:
    """Whether a folded sentence that names nobody who is scored may stand beside scores that hold."""
    sentence = sentence.replace("\u0307", "")
    if not re.search(r"\w", sentence) or _LABEL.fullmatch(sentence) or on_matter.is_heading(sentence):
        return True
    if _STEP.fullmatch(sentence):
        return True
    if _SCALE.search(sentence):
        return False
    if _ITSELF.search(sentence) and not _GROUNDED.search(sentence):
        return sentence.endswith(_COLONS) and acts.shows(sentence) and not undone.holds(sentence)
    if undone.is_polite(sentence):
        return True
    if undone.holds(sentence):
        return False
    if sentence.endswith(_COLONS):
        return undone.leads_up(sentence) or retraction.says("REQUESTED", sentence)
    own = retraction.speaks_of_author(sentence)
    return (
        undone.leads_up(sentence)
        or remarks.is_remark(sentence, lambda _: False)
        or on_matter.is_on_matter(sentence, own=own)
        or (retraction.size(sentence) <= LONGEST_REMARK and remarks.is_of_debate(sentence))
    )


_COLONS = (":", "：")

LONGEST_REMARK = 4
"""The most words of a remark that only names the debate or praises the two."""

_STEP = late_pattern(
    r"(?:step \d+: )?(?:(?:finally|then),? )?i (?:assigned|gave|noted|rated|scored|set|wrote down)"
    r" (?:both|my|the|them)?(?: (?:own|final))?(?: scores?)?\.?"
)
"""A step of the author's work that ends with the scores."""

_SCALE = late_pattern(
    r"\d+ ?(?:=|for|is|means|stands for|für|pour|para|per) (?:the )?(?:best|worst|good|bad|weak|strong|high|low|gut"
    r"|schlecht|bon|mauvais|mejor|peor|melhor|pior|migliore|peggiore)|\b(?:best|worst)\W+\d"
    r"|\b(?:revers|invert|umgekehrt|invers|al rev)\w*|\b(?:lower|smaller|fewer) (?:is|means) better\b"
)
"""What says that the numbers mean something else than usual."""

_ITSELF = late_pattern(
    r"\b(?:scores?|numbers?|figures?|values?|marks|form|zahlen|\w*werte|punkte|noten|formular|chiffres|notes|formulaire|números"
    r"|valores|notas|puntos|pontos|formulario|formulário|numeri|valori|voti|punteggi|modulo|числа|оценк\w+|баллы|liczby"
    r"|wartości|oceny|sayılar|puan\w*|not\w*lar\w*|count(?! for)|ignor\w+|zähl\w+|compt\w+|cuent\w+|contam|contano"
    r"|счита\w+"
    r"|учитыва\w+|licz\w+|zignor\w+|say[ıi]l\w+|dikkate|wrong|falsch\w*|mauvais\w*|equivocad\w+|errad\w+|sbagliat\w+"
    r"|zł[yae]|yanlış|previous|earlier|another|swapped|vertauscht|inversé\w*|vorig\w+|ander\w+|précédent\w*|autre|anterior\w*|otr[oa]|outr[oa]"
    r"|precedente|altr[oa]|друг\w+|прошл\w+|предыдущ\w+|poprzedni\w*|zeszł\w+|inn[yae]|geçen\w*|önceki|başka)\b"
    r"|数字|分数|评分|忽略|上周|数値|点数|採点|先週|前回|숫자|점수|값|지난|무시|أرقام|درجات|تجاهل|الماضي|السابق|अंक|पिछल|अनदेखा"
)
"""What speaks of the scores themselves, of what is to be done with them, or of others."""

_GROUNDED = late_pattern(
    r"\b(?:reflect\w*|based|because|spiegel\w*|basier\w*|weil|reflèt\w*|basé\w*|reflej\w*|basad\w*|reflet\w*|basead\w*"
    r"|riflett\w*|basat\w*|отраж\w*|основан\w*|odzwierciedl\w*|oparte|yansıt\w*|dayan\w*)\b"
    r"|反映|基于|基づ|반영|근거|تعكس|تستند|दर्शात|आधार"
)
"""What tells on what the scores rest."""

_SCORE = (
    r"(?:scores?|score sheet|scoring|ratings?|marks?|points?|evaluations?|assessments?|grades?|results?"
    r"|(?:be)?wertung(?:en)?|punkte|punktzahlen|noten|ergebnisse?|notes?|notations?|évaluations?|puntuaci(?:ón|ones)"
    r"|puntos|valoraci(?:ón|ones)|calificaci(?:ón|ones)|notas?|pontuaç(?:ão|ões)|pontos|avaliaç(?:ão|ões)|punteggi[o]?"
    r"|voti|valutazion[ei]|оценк[иа]|баллы|ocen[ya]|punkt(?:y|acja)|puan(?:lar|lama)?(?:ım)?|değerlendirme(?:m)?"
    r"|not(?:lar)?ım|评分|打分|分数|得分|採点(?:結果)?|点数|評価|スコア|점수|평가|채점(?: 결과)?|(?:ال)?درجات\w*"
    r"|(?:ال)?تقييم\w*|(?:ال)?نقاط\w*|अंक|स्कोर|मूल्यांकन)"
)
_SHOWN = (
    r"(?:here|are|is|these|this|below|my|own|the|final|overall|so|and|with|now|hier|sind|ist|das|dies|nun|meine?|die"
    r"|endgültigen?|voici|voilà|mes|ma|les|la|finales?|aquí|están|estas|son|mis|mi|las|los|aqui|estão|as|os|minhas?|meus"
    r"|finais|ecco|le|i|mie|mia|miei|finali|вот|мои|моя|итоговые|это|oto|moje|moja|końcowe|işte|benim|nihai|我的|以下是"
    r"|最终|最后的|これが|以下が|私の|最終|제|저의|나의|최종|다음은|هذه|هنا|هي|नीचे|मेरे|मेरा|ये|अंतिम|यहाँ|हैं|है|です|입니다)"
)
_HOW = r"(?:in|on|a|scale|of|from|to|out|requested|form(?:at)?|as|json|\d+)"
_LABEL = late_pattern(rf"(?:(?:{_SHOWN}|{_HOW})\W*)*(?:{_SCORE}|\d+)(?:\W*(?:{_SHOWN}|{_HOW}))*\W*")
"""The whole of a row that only says that scores follow."""
