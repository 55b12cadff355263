"""Labels of ballots ("Vote: X"), sentences of a vote ("My vote then goes to X"), and what changes nothing about one.

Each is a vote only where a candidate's name follows. All patterns are for folded text, as those of ``formulas``.
"""

from collections.abc import Mapping

from folkmoot.answers.words.formulas import THEN, Patterns, spaced, unspaced
from folkmoot.core.text import late_pattern

_MIDST = (
    rf"(?:{THEN}|, (?:all things considered|for (?:these|those|all these) reasons"
    r"|(?:after|having|considering|given) [^,.;:!?\n]{1,80}),)"
)
_FOR = "(?: (?:for|to|in favou?r of|with))?"
_DAHER = (
    "(?: (?:aus diesen gründen|also|am ende|dafür|daher|damit|dann|darum|dennoch|deshalb|deswegen|eindeutig|folglich"
    "|ganz klar|gerne?|hiermit|jetzt|klar|letztlich|mit überzeugung|nach wie vor|natürlich|nun|ohne zu zögern"
    "|ohne zögern|persönlich|schließlich|selbst|somit|trotzdem|weiterhin)){0,3}"
)
_DONC = (
    "(?:,? (?:ainsi|alors|aujourd'hui|clairement|dès lors|donc|en conséquence|finalement|par conséquent|résolument"
    "|sans hésit(?:er|ation)|toujours),?){0,3}"
    r"(?:,? (?:après|compte tenu de|vu) [^,.;:!?\n]{1,80},)?"
)
_PUES = (
    "(?:,? (?:al final|así que|claramente|de nuevo|en consecuencia|entonces|finalmente|por eso|por lo tanto|por tanto"
    "|pues|sin (?:dudarlo|duda)),?){0,3}"
    r"(?:,? (?:después de|tras|considerando) [^,.;:!?\n]{1,80},)?"
)
_POIS = (
    "(?:,? (?:ainda|assim|claramente|então|finalmente|no fim|pois|por fim|por isso|portanto"
    "|sem (?:hesitar|dúvida)),?){0,3}"
    r"(?:,? (?:depois de|após|considerando) [^,.;:!?\n]{1,80},)?"
)
_QUINDI = (
    "(?:,? (?:alla fine|chiaramente|dunque|infine|perciò|pertanto|quindi|senza (?:esitare|esitazione|dubbio)),?){0,3}"
    r"(?:,? (?:dopo|considerat[oaie]|vist[oaie]) [^,.;:!?\n]{1,80},)?"
)
_ITAK = "(?:,? (?:без колебаний|в итоге|значит|итак|однозначно|поэтому|следовательно|таким образом|теперь),?){0,3}"
_WIEC = "(?:,? (?:bez wahania|dlatego|jednak|ostatecznie|teraz|więc|w końcu|zatem|zdecydowanie),?){0,3}"

_OWN = "(?:(?:final|own|official|honest|considered|personal) ){0,3}"
_NOUN = "(?:answer|ballot|choice|conclusion|decision|finding|judge?ment|pick|position|ruling|selection|verdict|vote)"
_AL = "(?:a[dil]?|agli|all[aeo]|all'|per|a favore d(?:i|el|ella))"

STATED: Patterns = (
    spaced("vot", rf"i{THEN}(?: am|'m| must| have to| can only)?{THEN} vot(?:e|ing)(?: (?:for|in favou?r of))?"),
    spaced("vot", rf"i{THEN}(?:(?: will| shall|'ll) be voting| am going to vote|'m going to vote){_FOR}"),
    spaced("my ", rf"(?:so )?(?:that's|that is|this is|here's|here is) my {_OWN}(?:vote|choice|pick|ballot)(?=\s*:)"),
    spaced("to vote", rf"i(?:'ve|{THEN} have){THEN} (?:decided|chosen) to vote{_FOR}"),
    spaced("cast", rf"i{THEN} cast (?:a vote{_FOR}|my (?:final )?(?:ballot|vote)(?=\s*:))"),
    *(spaced(verb, rf"i{THEN}(?: am|'m){THEN} {verb}") for verb in ("choosing", "picking", "selecting")),
    spaced("vote", r"(?:please )?(?:count|enter|log|note|record|register|take|put down) my (?:final )?vote (?:as|for)"),
    spaced("vote", rf"(?:consider|count|take) (?:this|that) (?:as )?my (?:final )?vote{_FOR}"),
    spaced("me", r"you (?:can|may) (?:count me in|put me down|mark me down) for"),
    spaced(
        "my ",
        rf"my {_OWN}(?:ballot|vote){_MIDST} (?:(?:will|must|has to) go|goes|is(?: (?:cast|given))?){THEN}{_FOR}",
    ),
    spaced("my ", r"my (?:final )?(?:answer|ballot|choice|decision|vote) is (?:clear|easy|final|made|simple)(?=\s*:)"),
    spaced("my ", rf"my {_OWN}(?:answer|choice|decision|ruling|verdict){_MIDST} is{THEN}"),
    spaced("my ", rf"my {_OWN}{_NOUN}(?:{_MIDST} is{THEN})?(?=\s*[:=→])"),
    spaced("judg", r"judge?ment (?:is|must be) for(?: the)?"),
    spaced("stimm", rf"(?:ich stimme{_DAHER} (?:für|mit)|stimme ich{_DAHER} (?:für|mit)|ich stimme)"),
    spaced("stimme", rf"meine (?:endgültige )?stimme{_DAHER} (?:geht|gilt|ist|bekommt|erhält){_DAHER}(?: (?:an|für))?"),
    spaced("entscheide", rf"ich entscheide(?: mich)?{_DAHER} für|entscheide ich(?: mich)?{_DAHER} für"),
    spaced(
        "mein",
        rf"mein(?:e|e abschließende|e endgültige)? (?:antwort|entscheidung|urteil|votum|wahl){_DAHER} (?:ist|lautet)",
    ),
    spaced("vot", rf"je vot(?:e|erai){_DONC} (?:pour|en faveur de)|je vais{_DONC} voter (?:pour|en faveur de)|je vote"),
    spaced(
        "mon vote",
        rf"mon vote(?: final)?{_DONC} (?:va|ira|est|sera|revient){_DONC}(?: (?:à(?: la)?|aux?|pour|en faveur de))?",
    ),
    spaced("ma voix", rf"ma voix{_DONC} (?:va|ira|est|sera|revient){_DONC}(?: (?:à(?: la)?|aux?|pour))?"),
    spaced("ma voix", rf"je donne{_DONC} ma voix à(?: la)?"),
    spaced("ma ", rf"ma (?:décision|réponse)(?: finale)?{_DONC} est"),
    spaced("mon ", rf"mon (?:choix|verdict)(?: final)?{_DONC} est"),
    spaced("vot", rf"(?:voto|votaré){_PUES} (?:por|a favor de)|voy a votar{_PUES} (?:por|a favor de)|voto"),
    spaced("mi voto", rf"mi voto(?: final)?{_PUES} (?:es|va|irá|será){_PUES}(?: (?:para|por|al?|a favor del?))?"),
    spaced("mi ", rf"mi (?:decisión|elección|fallo|respuesta|veredicto)(?: final)?{_PUES} es"),
    spaced(
        "vot", rf"(?:voto|votarei){_POIS} (?:em|no|na|pel[ao]|por|a favor d[aeo])|vou votar{_POIS} (?:em|no|na|por)"
    ),
    spaced(
        "voto",
        rf"(?:o )?meu voto(?: final)?{_POIS} (?:é|vai|irá|será){_POIS}(?: (?:para(?: [ao])?|em|no|na|a favor de))?",
    ),
    spaced("minha", rf"(?:a )?minha (?:decisão|escolha|resposta)(?: final)?{_POIS} é"),
    spaced("meu ", rf"(?:o )?meu vered(?:icto|ito)(?: final)?{_POIS} é"),
    spaced("vot", rf"(?:voto|voterò){_QUINDI} (?:per|a favore di)"),
    spaced("voto", rf"(?:il )?mio voto(?: finale)?{_QUINDI} (?:è|va|andrà|sarà){_QUINDI}(?: {_AL})?"),
    spaced("mia ", rf"(?:la )?mia (?:decisione|risposta|scelta)(?: definitiva| finale)?{_QUINDI} è"),
    spaced("mio ", rf"(?:il )?mio verdetto(?: definitivo| finale)?{_QUINDI} è"),
    spaced("голос", rf"(?:я{_ITAK} )?(?:про)?голосую{_ITAK} за|мой голос{_ITAK},? (?:за|отдан за)"),
    spaced("мо", r"(?:мой (?:вердикт|выбор|голос|ответ)|мо[её] решение)(?: (?:такой|таково))?(?=\s*[:=\u2013\u2014])"),
    spaced("głos", rf"(?:za)?głosuję{_WIEC} (?:na|za)|mój głos{_WIEC} (?:idzie|jest|pada|trafia){_WIEC} (?:na|za|do)"),
    spaced("mo", r"moja (?:decyzja|odpowiedź)(?: (?:to|brzmi))?|moim wyborem jest"),
    unspaced(
        "我的", r"我的(?:最[终終])?(?:答案|决定|決定|结论|結論|选择|選擇|意见|意見|裁决|裁決|立场|立場)(?:是)?(?=\s*:)"
    ),
    unspaced("私の", r"私の(?:最終)?(?:意見|判断|答え|結論|立場)は?(?=\s*:)"),
    unspaced("رأيي", r"(?<!\w)رأيي(?: النهائي)?(?=\s*:)"),
    unspaced("मेरा", r"मेरा (?:अंतिम )?(?:उत्तर|जवाब|मत|फैसला|फ़ैसला)(?=\s*:)"),
    spaced("cevabım", r"(?:benim )?(?:son )?cevabım(?! (?:yok|bu)\b)"),
)
"""Sentences that say whom their author votes for, in more words than the formula has."""

LABELS: Patterns = (
    spaced("corre", r"corre(?:ction|cted|cción|ção|zione)(?=\s*:)"),
    spaced("ti", r"(?:rettifica|rectifica(?:tion|ción)|berichtigung)(?=\s*:)"),
    spaced("r", r"(?:kor(?:rektur|ekta)|poprawka|sprostowanie)(?=\s*:)"),
    spaced("е", r"(?:исправление|(?<!\w )победитель)(?=\s*:)"),
    spaced("поправка", r"поправка(?=\s*:)"),
    spaced("düzeltme", r"düzeltme(?=\s*:)"),
    spaced(
        "r",
        r"(?<!\w )(?<!s' )(?:winner|gewinner|urteil|vencedor|vincitore|verd(?:ict|etto)|vered(?:icto|ito))(?=\s*[:=→])",
    ),
    spaced("a", r"(?<!\w )(?:auswahl|gagnant|ganador)(?=\s*[:=→])"),
    spaced("c", r"(?<!\w )(?<!s' )(?:choice|pick)(?=\s*[:=→])"),
    spaced("р", r"(?<!\w )(?:выбор|вердикт)(?=\s*[:=→])"),
    unspaced("正", r"(?<!\w)(?:更|訂|修)正(?=\s*:)"),
    unspaced("정정", r"(?<!\w)정정(?=\s*:)"),
    unspaced("تصحيح", r"(?<!\w)تصحيح(?=\s*:)"),
    unspaced("投", r"(?<!\w)投票?(?:给|給)(?=\s*:)"),
    spaced("choice", r"(?:my )?(?:1st|first|top) choice(?=\s*[:=→])"),
    spaced("choice", r"my (?:1st|first|top) choice,? (?:and|therefore|so)(?: also)? my vote,? is"),
    spaced("pick", r"my (?:final )?pick(?: is\b|(?=\s*[:=→]))"),
    spaced("vote final", r"(?:mon )?vote final(?=\s*[:=→])"),
    spaced("vote for", r"(?<!i )(?:my )?vote for(?=\s*:)"),
    unspaced("票", r"我的(?:最[终終])?[选選]票(?=\s*[:=→])"),
    spaced("vote", r"(?:my )?(?:final )?vote(?=\s*[:=→])|(?:mon )vote(?=\s*[:=→])"),
    spaced("ballot", r"(?:my )?(?:final )?ballot(?=\s*[:=→])"),
    spaced("final", r"(?<!\w )(?<!s' )final(?=\s*[:=→])"),
    spaced("final", r"(?:my |the )?final (?:answer|choice|decision)(?: is\b|(?=\s*[:=→]))"),
    spaced("my choice", r"my choice(?: is\b|(?=\s*[:=→]))"),
    spaced("wahl", r"meine (?:endgültige )?wahl(?=\s*[:=→])"),
    spaced("choix", r"mon choix(?: final)?(?=\s*[:=→])"),
    spaced("elección", r"mi elección(?=\s*[:=→])"),
    spaced(
        "voto", r"(?:(?:mi|il mio|meu|o meu) |(?<!\w ))voto (?:final|finale|definitivo)(?=\s*[:=→])|voto(?=\s*[:=→])"
    ),
    spaced("esco", r"(?:a )?minha escolha(?=\s*[:=→])"),
    spaced("scelta", r"(?:la )?mia scelta(?=\s*[:=→])"),
    spaced("выбор", r"мой выбор(?=\s*[:=→])"),
    spaced("голос", r"мой (?:окончательный|итоговый) голос(?=\s*[:=→])"),
    spaced("wybór", r"mój wybór(?=\s*[:=→])"),
    spaced("głos", r"mój ostateczny głos(?=\s*[:=→])"),
    spaced("tercihim", r"(?:benim )?tercihim(?=\s*[:=→])"),
    unspaced("选择", r"我的(?:最终)?选择(?=\s*[:=→])"),
    unspaced("選択", r"私の選択(?=\s*[:=→])"),
    unspaced("最終投票", r"最終投票(?=\s*[:=→])"),
    unspaced("선택", r"(?:제|나의|저의) 선택(?=\s*[:=→])"),
    unspaced("최종", r"(?:제 |나의 )?최종 투표(?=\s*[:=→])"),
    unspaced("اختياري", r"اختياري(?=\s*[:=→])"),
    unspaced("पसंद", r"मेरी पसंद(?=\s*[:=→])"),
    spaced("stimme", r"(?:meine |ab)?stimme(?=\s*[:=→])"),
    spaced("votum", r"(?:mein )?votum(?=\s*[:=→])"),
    spaced("voix", r"ma voix(?=\s*[:=→])"),
    spaced("voto", r"(?:mi|il mio|meu|o meu) voto(?=\s*[:=→])"),
    spaced("stem", r"mijn stem(?=\s*[:=→])"),
    spaced("głos", r"mój głos(?=\s*[:=→])"),
    spaced("голос", r"(?:(?:мой|мій) )?голос(?=\s*[:=→])"),
    spaced("decision", r"my decision is\b|(?:my |(?<!\w )(?<!s' ))decision(?=\s*[:=→])"),
    spaced("entscheidung", r"(?:meine (?:endgültige )?|(?<!\w ))entscheidung(?=\s*[:=→])"),
    spaced("votum", r"lautet mein votum(?=\s*[:=→])|mein votum (?:lautet|ist|gilt|geht an|fällt auf)(?:\s*:)?"),
    spaced("décision", r"(?:ma )?décision(?: finale)?(?=\s*[:=→])"),
    spaced("bulletin", r"(?:mon )?bulletin(?=\s*[:=→])"),
    spaced("decisión", r"(?:mi |(?<!\w ))decisión(?: final)?(?=\s*[:=→])"),
    spaced("papeleta", r"(?:mi )?papeleta(?=\s*[:=→])"),
    spaced("decisão", r"(?:(?:a )?minha |(?<!\w ))decisão(?: final)?(?=\s*[:=→])"),
    spaced("decisione", r"(?:(?:la )?mia |(?<!\w ))decisione(?: finale)?(?=\s*[:=→])"),
    spaced("решение", r"(?:мо[её] |(?<!\w ))решение(?=\s*[:=→])"),
    spaced("decyzja", r"(?:moja |(?<!\w ))decyzja(?=\s*[:=→])"),
    spaced("kararım", r"(?:benim )?(?:son )?kararım(?=\s*[:=→])"),
    unspaced("我的", r"我的(?:最终)?(?:决定|決定)(?=\s*[:=→])"),
    unspaced("私の", r"私の(?:最終)?決定(?=\s*[:=→])"),
    unspaced("결정", r"(?:제|나의|저의) 결정(?=\s*[:=→])"),
    unspaced("قراري", r"قراري(?: النهائي)?(?=\s*[:=→])"),
    unspaced("मेरा", r"मेरा (?:अंतिम )?(?:निर्णय|फ़ैसला|फैसला)(?=\s*[:=→])"),
    spaced("wahl", r"wahl(?=\s*[:=→])"),
    spaced("choix", r"choix(?=\s*[:=→])"),
    spaced("elección", r"elección(?=\s*[:=→])"),
    spaced("escolha", r"escolha(?=\s*[:=→])"),
    spaced("scelta", r"scelta(?=\s*[:=→])"),
    spaced("głos", r"głos(?=\s*[:=→])"),
    spaced("oy", r"oy(?: veriyorum)?(?=\s*[:=→])"),
    spaced("oyumu", r"oyumu (?:şuna|şu adaya|şu kişiye) veriyorum(?=\s*[:=→])"),
    spaced("seçimim", r"(?:benim )?(?:son )?seçimim(?=\s*[:=→])"),
    unspaced("투표", r"(?<![\w])(?:최종 )?투표(?=\s*[:=→])"),
    unspaced("التصويت", r"(?<![\w])التصويت(?=\s*[:=→])"),
    unspaced("वोट", r"(?<![\w\u0900-\u097f])(?:अंतिम )?वोट(?=\s*[:=→])"),
    unspaced("投票", r"(?<![\w])(?:最终|最終)?投票(?=\s*[:=→])"),
    spaced("о", r"(?<!\w )ответ(?=\s*[:=→])"),
    spaced("r", r"(?<!\w )(?:réponse|respuesta|resposta)(?=\s*[:=→])"),
    spaced("ri", r"(?<!\w )risposta(?=\s*[:=→])"),
    spaced("o", r"(?<!\w )odpowiedź(?=\s*[:=→])"),
    spaced("antwort", r"(?<!\w )antwort(?=\s*[:=→])"),
    spaced("cevap", r"(?<!\w )cevap(?=\s*[:=→])"),
    unspaced("答", r"(?<!\w)(?:回答|答案|答え)(?=\s*[:=→])"),
    unspaced("답", r"(?<!\w)답변?(?=\s*[:=→])"),
    unspaced("投票先", r"(?<!\w)投票先(?=\s*[:=→])"),
    spaced("answer", r"(?:my |the )?answer(?=\s*[:=→])"),
    spaced("e", r"(?:meine )?(?:endgültige|finale|abschließende) (?:antwort|wahl|stimme|entscheidung)(?=\s*[:=→])"),
    spaced("fin", r"(?:ma |la )?réponse (?:finale|définitive)(?=\s*[:=→])"),
    spaced("fin", r"(?:mi |la )?(?:respuesta|decisión|elección) (?:final|definitiva)(?=\s*[:=→])"),
    spaced("fin", r"(?:a )?(?:minha )?(?:resposta|decisão|escolha) final(?=\s*[:=→])"),
    spaced("i", r"(?:la )?(?:mia )?(?:risposta|decisione|scelta) (?:finale|definitiva)(?=\s*[:=→])"),
    spaced("ый", r"(?:мой )?(?:окончательный|итоговый|финальный) (?:ответ|выбор|голос)(?=\s*[:=→])"),
    spaced("ostateczn", r"(?:moja |mój )?ostateczn[ay] (?:odpowiedź|decyzja|wybór|głos)(?=\s*[:=→])"),
    unspaced("最", r"(?<![\w])(?:我的)?最(?:终|終|后|後)(?:答案|决定|決定|选择|選擇|回答)(?=\s*[:=→])"),
    unspaced("最終", r"(?<![\w])(?:私の)?最終(?:的な)?(?:回答|答え|決定|選択|結論)(?=\s*[:=→])"),
    unspaced("최종", r"(?<![\w])(?:나의 |제 )?최종 (?:답변|답|결정|선택)(?=\s*[:=→])"),
    unspaced("نهائي", r"(?<![\w])(?:ال)?(?:إجابة|إجابتي|جواب|جوابي|قرار|اختيار|رد|ردي) (?:ال)?نهائية?(?=\s*[:=→])"),
    unspaced("अंतिम", r"(?:मेरा )?अंतिम (?:उत्तर|जवाब|निर्णय|फ़ैसला|चुनाव)(?=\s*[:=→])"),
    spaced("a", r"(?:benim )?(?:nihai|son|kesin) (?:cevap|cevabım|yanıt|yanıtım|karar)(?=\s*[:=→])"),
)
"""A label in front of a name; it is a vote only where a candidate's name follows."""

# ---- what stands around a vote and changes nothing about it ---------------------------------------------------------

OF_THEM = late_pattern(r"(?:her|his|their|he|she|they|(?:this|that) (?:approach|idea|option|plan|proposal))\b")
"""How an English sentence begins that goes on with whom the one before it named."""

HINDERS = late_pattern(
    r"\b(?:i|me|my|may|must|forbid\w*|prevent\w*|prohibit\w*|bar(?:s|red)?|stop(?:s|ped)?|allow\w*|permit\w*|not|cannot|can't"
    r"|conflict|deadline|rules?|law|but|however|unless|if)\b"
)
"""What may stand in the way of a vote that is said as a wish."""

FAULTS = late_pattern(
    r"[\W_]*\S{1,3}(?:'s (?:\w+ ){1,2})? ?(?:\w+ )?(?:never|did not|didn't|does not|doesn't|has not|hasn't|has no"
    r"|had no|could not|couldn't|cannot|can't|failed to|fails to|ignore[sd]?|lacks|lacked|miss(?:es|ed)"
    r"|overlook(?:s|ed)|underestimate[sd]?)\b"
)
"""How a sentence begins that says what another candidate's proposal lacks ("Ben never answered this")."""
_OWN_ACT = late_pattern(r"\b(?:i|i'm|me|my|myself|vote|ballot|but|yet)\b")


def finds_fault(text: str) -> bool:
    """Whether a folded sentence, with a mark in place of names, only says what a candidate's proposal lacks."""
    return FAULTS.match(text) is not None and not _OWN_ACT.search(text)


TITLE = late_pattern(
    r"(?:mrs?|ms|miss|mx|dr|prof(?:essor)?|herrn?|frau|mm?e?|mlle|monsieur|madame|sra?|srta|señora?|senhora?|sig(?:\.ra)?"
    r"|signora?|dott(?:\.ssa|oressa)?|pani?|pana|panią|господина?|госпож[ау]|г-н|г-жа)\b\.?[ \t]+"
)
"""What stands before a name out of politeness."""

FORCED = late_pattern(
    r"(?<!\w)(?:if|since|as) i (?:have to|must) (?:pick|choose|decide|vote)(?: (?:just |only )?(?:one|someone|somebody)"
    r"(?: of (?:them|these|the (?:two|three|four|five)))?| now)?,\s*i(?:'d| would|'ll| will)? vote for(?!\w)"
)
"""How authors lead in a choice that they were asked for, which is no condition ("If I have to pick one, I'd …")."""

_FORMAT = (
    r"(?:form(?:at)?|formato|formula|instructions?|instrucciones|requirements?|vorgaben?|consignes?|formulaire"
    r"|structure)"
)
FORMAL = late_pattern(
    r"\(?(?:(?:please )?note:? (?:that )?|hinweis: |note : |nota: )?(?:i(?:'ve| have)?|this|my|the(?: above)?|diese"
    r"|cette|ma|esta|este|mi|questa|la mia)"
    r"(?: (?:answer|antwort|ballot|message|reply|response|vote|line|réponse|respuesta|voto|risposta))?"
    r"(?: (?:strictly|exactly|fully|also|now|just|genau))?"
    r" (?:adher\w+ to|conform\w* to|compl\w+ with|follow(?:s|ed)?|match(?:es|ed)?|use[sd]?|kept to|sticks? to|stuck to"
    r"|meets|folgt|entspricht|respecte|suit|sigue|respeta|cumple con|segue|rispetta)"
    rf"(?: (?!not\b|never\b)\w+){{0,4}} {_FORMAT}"
    r"(?: (?!not\b|but\b|unless\b|if\b)\w+){0,14}[.)!]*"
    rf"|\(?(?:the|das|le|el|il|o) (?:\w+ )?{_FORMAT} (?:(?:has|have|is|was|ist|wurde|a été|ha sido)(?: been)? )?"
    r"(?:followed|kept|met|observed|respected|used|eingehalten|befolgt|respecté|suivi|respetado|rispettato)[.)!]*"
    rf"|\(?(?:my |the |this )?(?:vote|ballot|answer|response) (?:is |was )?(?:cast|given|stated|submitted|written)"
    rf" (?:in|according to|as per) (?:the |this )?(?:\w+ )?{_FORMAT}[.)!]*"
)
"""A remark on the form of an answer ("I have followed the required format")."""

ASKED_LINE = late_pattern(
    r"(?:and |so )?(?:here is |here's |now )?(?:the|my) (?:final |requested |required |vote |voting )*"
    r"(?:form|formula|line|sentence)(?: (?:that )?(?:(?:you|was|were) )?(?:asked for|requested|required|wanted))?\s*:"
)
"""What announces the line that was asked for."""

DRAFT_LABELS: Mapping[str, str] = {
    "ANSWER": "antwort|réponse|respuesta|resposta|risposta|ответ|odpowiedź|回答|答案|答え|답변|الإجابة|إجابة|उत्तर|जवाब"
    "|cevap|yanıt",
    "CONFIDENCE": "konfidenz|sicherheit|zuversicht|vertrauen|confiance|certitude|confianza|confiança|fiducia|confidenza"
    "|уверенность|pewność|置信度|信心|確信度|확신도|신뢰도|الثقة|ثقة|विश्वास|güven",
    "ARGUMENT": "begründung|argumento|argomento|argomentazione|justification|аргумент|обоснование|uzasadnienie|论据"
    "|論據|理由|論拠|근거|논거|الحجة|तर्क|argüman|gerekçe",
}
"""What models call the sections of an answer when they translate them, by the name that the form gives them."""
