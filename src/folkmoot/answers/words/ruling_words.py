"""Word lists for rulings: how a text says that nothing is decided, takes a ruling back, or ends with courtesies.

All patterns are for folded sentences (``plain_text.fold``). They are built from classes of words, so that a class that
grows grows everywhere.
"""

import re
from collections.abc import Mapping

from folkmoot.core.text import late_pattern


def _any_of(words: str) -> str:
    """One of these words, given with bars between them; blanks beside a bar and line breaks do not matter."""
    return "(?:" + "|".join(" ".join(word.split()) for word in words.split("|")) + ")"


def _one_of(*patterns: str) -> re.Pattern[str]:
    return late_pattern("|".join(f"(?:{pattern})" for pattern in patterns))


# ---- nothing is decided ----------------------------------------------------------------------------------------------

_NOUN = _any_of(
    "decisions? | verdicts? | rulings? | conclusions? | resolutions? | consensus | agreement | judge?ments? "
    "| determinations? | outcomes? | winners? | settlements? | final answer | answers? | recommendations?"
)
_YET = _any_of(
    "yet | so far | as yet | thus far | for now | for the (?:moment|time being) | at (?:this|the) (?:time|point|stage"
    "|moment) | at present | presently | currently | now | today | (?:in )?this round | reached | made | taken "
    "| given "
    "| possible | can | could | may | will | shall | has | have | had | was | is | are | were | because | since | as "
    "| until | while | due | -"
)
_MATTER = _any_of(
    "decisions? | questions? | matters? | issues? | outcome | verdict | ruling | case | vote | status | debate "
    "| points? "
    "| it | this | that | everything | all | judge?ment | topic | result | motion | dispute | proposals?"
)
_DECIDED = "(?:decid\\w+|settl\\w+|resolv\\w+|conclu\\w+|determin\\w+|agree[ds]?|ruled)"
_TALK = _any_of(
    "debat\\w+ | discuss\\w+ | deliberat\\w+ | talks? | (?:talking|arguing)(?=\\W*$) | conversation | exchange "
    "| dialogue | session | meeting"
)
_OPEN = _any_of(
    "undecided | undetermined | unresolved | unsettled | inconclusive | indeterminate | open | pending | tbd | tba "
    "| on hold | up in the air | premature | too (?:early|close|soon) | deferred | postponed | tabled | adjourned "
    "| suspended | withheld | reserved | outstanding | in progress | ongoing"
)
_STILL = _any_of("still | as yet | currently | for now | therefore | thus | so | yet | now | hence | also | again")
_WHO = _any_of("i | we | the (?:moderator|chair|panel|jury|board) | moderator | they | both | nobody | no one")

NOTHING_DECIDED = _one_of(
    # No decision yet. There is no clear winner at this point.
    rf"^(?:[\w ]{{2,30}}, ?)?(?:there (?:is|was|has been|can be) )?(?:{_STILL} )?(?:no|not an?|not any|without an?)"
    rf" (?:[\w-]+ ){{0,2}}?{_NOUN}(?: (?:on|about|regarding|as to|for) [^.]{{1,60}}?)?\s*(?:$|[,;:.(!\u2013\u2014]"
    rf"|{_YET}\b)",
    rf"^(?:(?:for|with|among) (?:us|me|now)(?: here)?,? |(?:as to|on) [\w ]{{1,40}}?,? )?(?:nothing|none|neither side)"
    rf"(?: \w+){{0,3}}? (?:{_DECIDED}|final|yet|so far)\b|^(?:none|nothing|nil|n/a"
    rf"|not applicable)\s*(?:$|[,;:.(!\u2013\u2014-])",
    # The matter has not been decided. We could not agree. It cannot be settled now.
    rf"\b(?:(?:can|could)(?: ?not|n't)|unable|(?:not|never) able|impossible|(?:have|has|had|is|are|was|were|am|did)"
    rf"(?: not|n't|n't yet)|not yet|never)(?: \w+){{0,4}}? (?:{_DECIDED}|reach\w*|come to|arrive at)\b",
    rf"\b(?:nobody|no one|neither(?: side)?)(?: \w+){{0,3}}? {_DECIDED}\b|\b(?:disagree|at an impasse|deadlock\w*"
    rf"|stalemate)\b",
    # The question remains open. Undecided. Deferred to the next round.
    rf"^(?:{_STILL} )?(?!open\b){_OPEN}(?:$|[\s,;:.(!\u2013\u2014-])",
    rf"^(?:{_STILL} )?open(?:$|\s*[,;.(!\u2013\u2014-]|\s+(?:for now|until|pending|questions?|issues?"
    rf"|points?|as yet|still"
    rf"|to (?:debate|discussion))\b)",
    rf"\b{_MATTER}(?: \w+){{0,4}}? (?:is|are|was|were|be|remains?|stays?|stands|left|kept|has been|have been)"
    rf"(?: {_STILL})? {_OPEN}\b(?! source)",
    rf"^(?:i |we |let us |let's )?(?:leave|keep|defer|postpone|table|adjourn|suspend|reserve|withhold) (?:the |this "
    rf"|our |my "
    rf"|any |all )?"
    rf"{_any_of('decision | question | matter | verdict | ruling | judge?ment | debate | vote | outcome')}\b",
    # The debate should continue. Continue. Another round is needed.
    rf"^(?:{_STILL},? )?continue\w*\W*$|\b(?:continue|resume|extend|prolong|reopen|go on|keep|carry on"
    rf"|proceed)s?(?: with)?"
    rf" (?:the |this |our |to |another |a |one more )?(?:{_TALK}|rounds?)\b",
    rf"\b{_TALK}(?: \w+){{0,4}}? (?:continue[sd]?|go(?:es)? on|ongoing|proceeds?|carry on|resumes?|not over"
    rf"|must go on)\b",
    rf"\b(?:another|one more|(?:a|the)? ?(?:further|second|third|fourth|new|next|later|additional)|more|further)"
    rf" (?:rounds?|{_TALK}|arguments?)\b.{{0,40}}\b(?:needed|required|necessary|warranted|follows?|decides?|first"
    rf"|will)\b",
    rf"\b(?:need|require|await|wait for|ask for|request|call for|want|demand|see|hear)\w* (?:\w+ ){{0,2}}"
    rf"(?:rounds?|{_TALK}|arguments?)\b",
    r"\b(?:in|until|to|after|for|by) (?:the |an? )?(?:next|another|further|second|third|later|following) (?:rounds?"
    r"|debate|session)\b",
    # Neither proposal is adopted for the moment. We shall see.
    r"^(?:neither|none)(?: \w+){0,3}? (?:is|are|was|were|has been|have been|can be|will be) (?:adopted|accepted|chosen"
    r"|selected|approved|taken|preferred)\b.{0,20}\b(?:for now|for the (?:moment|time being)|yet|so far|as yet)\b"
    r"|\b(?:we shall see|we'll see|we will see|time will tell|remains to be seen)\b",
    # I leave it to you. It is up to the two of them.
    r"^(?:i |we )?(?:leave|refer|hand|delegate|pass)(?:s|ed)? (?:it|this|that|the \w+"
    r"|\w+ \w+)? ?(?:up |back |open )?to\b"
    r"|^(?:it|this|that|the \w+) (?:is|remains|stays)(?: now)? (?:up|left) to\b",
    r"^let (?!us\b)(?:the )?(?:\w+ ){1,2}(?:decide|choose|settle|rule|determine|judge)\b",
    # Let us hear both sides once more.
    r"^(?:let us|let's|we (?:should|will|shall|must)) (?:\w+ ){0,2}?(?:hear|talk|debate|discuss|listen|wait"
    r"|continue|go on)\b.{0,40}\b(?:again|once more|further|a bit more|some more|on)\W*$",
    # It is too early to decide. Not enough evidence for a ruling.
    rf"\b(?:too (?:early|soon|close)|premature|not (?:the )?(?:right )?(?:time|ready|possible)|not enough"
    rf"|insufficient|lack\w*)\b"
    rf".{{0,60}}\b(?:decid\w*|rule|ruling|settle|conclude|{_NOUN}|call|say|judge)\b",
    r"^(?:more|further|additional) (?:\w+ )?(?:information|evidence|data|input|details?|facts|figures|time) (?:is"
    r"|are) "
    r"(?:still )?(?:needed|required|necessary)",
    # I withhold my verdict. The decision will be given later. To be decided.
    rf"\b{_WHO}(?: \w+){{0,2}}? (?:withhold|reserve|defer|postpone|decline|refrain|abstain|refuse|cannot|can't|won't"
    rf"|will not"
    r"|am not|are not|do not|don't|does not|make no|take no|give no|have no|see no)\b"
    rf".{{0,40}}\b(?:{_NOUN}|decide|rule|settle|conclude|choose|pick)\b",
    rf"\b(?:{_NOUN}|it) (?:will|shall|is|are|must|has|have|should) (?:to |only |not )?(?:be |to be |wait|follow|come"
    rf"|have to wait)"
    r"(?:\s?(?:given|made|taken|announced|reached|issued|later|deferred|postponed|until|after|next|wait))?\b(?! (?:a"
    r"|an|the) )",
    r"^to be (?:decided|determined|announced|discussed|continued|settled|resolved|confirmed)\b",
    # German
    r"\b(?:noch|bisher|derzeit|aktuell|momentan|vorerst|bislang|zurzeit) (?:\w+ ){0,2}?(?:kein\w*|nicht\w*|offen"
    r"|unentschieden|ungeklärt)\b",
    r"^(?:es (?:gibt|wurde|ist|liegt) )?(?:\w+ ){0,2}?kein\w* (?:\w+ ){0,2}?(?:entscheidung|beschluss|urteil"
    r"|einigung|ergebnis|konsens|entscheid)\b",
    r"\b(?:nicht|nichts) (?:\w+ ){0,2}?(?:entschieden|beschlossen|geklärt|einig|spruchreif|entscheiden"
    r"|entscheidbar)\b",
    r"\b(?:bleibt|ist|sind|bleiben) (?:\w+ ){0,2}?(?:offen|unentschieden|ungeklärt|vertagt)\b|^(?:unentschieden"
    r"|offen|vertagt|ausstehend)\b",
    r"\b(?:debatte|diskussion|aussprache)\b.{0,30}\b(?:weiter|fort\w*|geht weiter)\b|\b(?:weitere|noch eine"
    r"|nächste) (?:runde|debatte|diskussion)\b",
    r"\b(?:zu früh|verfrüht)\b|\bkann (?:\w+ ){0,3}(?:nicht|keine) (?:\w+ ){0,2}(?:entschieden|entscheiden"
    r"|treffen)\b|\bvertag\w+\b.{0,20}\bentscheidung\b",
    r"\bsteh(?:t|en) (?:\w+ ){0,3}aus\b|\b(?:überlass\w+|stelle) (?:ich|wir|es|das|die)\b",
    # French
    r"^(?:je |nous )?(?:vous |leur )?(?:laiss\w+|remet\w+|confi\w+) .{0,30}\b(?:soin|choix|décision"
    r"|choisir|décider|trancher)\b"
    r"|^à (?:vous|eux) de (?:décider|choisir|trancher)\b",
    r"\b(?:pas encore|aucune?|pas de|toujours pas|ni)\b.{0,30}\b(?:décision|décidé\w*|tranché\w*|verdict|consensus"
    r"|accord|conclusion|arrêté\w*)\b",
    r"\b(?:rien|ne|n')\b.{0,20}\b(?:décidé|tranché|décide|tranche|trancher|décider)\b|\b(?:reste|demeure|est"
    r"|restent) (?:\w+ ){0,2}?(?:ouvert\w*|en suspens|indécis\w*|à trancher)\b",
    r"^(?:indécis\w*|en attente|en suspens|à décider|à déterminer)\b|\b(?:débat|discussion)\b.{0,30}\b(?:continue\w*"
    r"|se poursui\w+|poursuivre)\b",
    r"\b(?:trop tôt|prématuré\w*)\b|\b(?:un|une) (?:autre|nouveau|nouvelle) (?:tour|débat|discussion|manche)\b"
    r"|\bpoursuiv\w+ (?:le|la) (?:débat|discussion)\b",
    # Spanish, Portuguese, Italian
    r"\b(?:aún|todavía|por ahora|de momento|por el momento|hasta ahora|ainda|por enquanto|até agora|ancora|per ora"
    r"|finora)\b.{0,30}"
    r"\b(?:no|não|nao|non|sin|sem|nessuna|nada|niente|nulla|ninguna|nenhuma)\b|\b(?:no|não"
    r"|non) (?:\w+ ){0,2}?(?:ainda|ancora|todavía|aún)\b",
    r"\b(?:no|não|non|sin|sem|ninguna?|nenhuma?|nessuna?|nada|niente)\b.{0,25}\b(?:decisi[oó]n|decisão|decisione"
    r"|decid\w+|decis[oa]\b|acuerdo|acordo|accordo|consens\w+"
    r"|conclus\w+|veredicto|verdetto|resuel\w+|resolvid\w+|risolt\w+)\b",
    r"\b(?:queda|sigue|permanece|está|fica|continua|resta|rimane|è|é) (?:\w+ ){0,2}?(?:abiert\w+|abert\w+|apert\w+"
    r"|pendient\w+|pendent\w+|indecis\w+|in sospeso|sin decidir|em aberto)\b",
    r"^(?:lo |la )?(?:dejo|deixo|lascio|dejamos|deixamos|lasciamo)\b.{0,40}\b(?:decis\w+|decid\w+"
    r"|elección|escolha|scelta"
    r"|ustedes|vosotros|vocês|voi)\b",
    r"^(?:indecis\w+|pendient\w+|pendent\w+|por decidir|a decidir|da decidere|in sospeso|em aberto)\b"
    r"|\b(?:demasiado pronto|muito cedo|cedo demais|troppo presto|prematur\w+)\b",
    r"\b(?:debate|discusión|discussão|discussione|dibattito)\b.{0,30}\b(?:continúa|continua|continu\w+|sigue|seguir"
    r"|prosegu\w+|prossegu\w+)\b"
    r"|\b(?:otra|outra|un'altra|nueva|nova|nuova|próxima|prossima) (?:ronda|rodada|discusión|discussão|tornata)\b",
    # Dutch, Polish, Russian, Ukrainian, Turkish
    r"\b(?:nog|vooralsnog|voorlopig) (?:\w+ ){0,2}?(?:geen|niet\w*|onbeslist|open)\b|\bgeen (?:\w+ )?(?:besluit"
    r"|beslissing|uitspraak|overeenstemming|consensus)\b|\bniets? (?:besloten|beslist)\b|^onbeslist\b"
    r"|\bdebat\b.{0,20}\bverder\b",
    r"\b(?:jeszcze|na razie|dotąd|wciąż|nadal)\b.{0,30}\b(?:nie|brak|żadn\w+)\b|\bbrak (?:\w+ )?(?:decyzji"
    r"|rozstrzygnięcia|zgody|porozumienia|konsensusu)\b|\bnie (?:\w+ ){0,2}?(?:zdecydowano|rozstrzygnięt\w+"
    r"|podjęt\w+|ustalono|ma (?:\w+ )?decyzji)\b|^nierozstrzygnięt\w+",
    r"\b(?:пока|ещё|еще|на данный момент|досі|поки|ще)\b.{0,40}\b(?:не|нет|ничего|немає|нічого)\b|\b(?:решение"
    r"|решения|рішення|вердикт\w*)\b.{0,30}\b(?:не|нет|немає|отложен\w*|відкладен\w*)\b"
    r"|\b(?:нет|немає|без|никакого)\b.{0,20}\b(?:решени\w+|рішення|согласи\w+|консенсус\w*|вердикт\w*)\b|\b(?:не"
    r"|ничего не|нічого не)\b.{0,20}\b(?:решен\w*|решил\w*|принят\w*|вирішен\w*|определен\w*)\b",
    r"\b(?:остаётся|остается|залишається)\b.{0,20}\b(?:открыт\w*|нерешённ\w*|нерешенн\w*|відкрит\w*)\b|\b(?:дебаты"
    r"|обсуждение|дискусси\w+|дебати)\b.{0,30}\b(?:продолж\w+|тривають|продовж\w+)\b|\b(?:слишком рано"
    r"|преждевременно|зарано)\b|\b(?:ещё|еще) один раунд\b",
    r"\b(?:henüz|şimdilik|hâlâ|hala)\b.{0,40}\b(?:yok|verilmedi|alınmadı|değil|karar)\b|\bkarar (?:yok|verilmedi"
    r"|alınmadı)\b|\b(?:kararsız|tartışma devam)\b",
    # Either the pilot or the launch.
    r"^either\b(?! (?:party|side|way|of|one)\b)[^,;]{1,80}\bor\b|^(?:entweder\b.{1,80}\boder|soit\b.{1,80}\bsoit"
    r"|либо\b.{1,80}\bлибо|albo\b.{1,80}\balbo|ya\b.{1,60}\bya|إما\b.{1,80}\b(?:أو|وإما)|या तो .{1,80} या)\b"
    r"|^(?:要么.{1,40}要么|要麼.{1,40}要麼)",
    # Postponed. (in a word)
    r"^(?:\S+ )?(?:vertagt|verschoben|reportée?|ajournée?|aplazad[oa]|aplaza|pospuest[oa]|adiad[oa]|rinviat[oa]"
    r"|отложен[оа]?|отклад\w+|odroczon[oea]|ertelendi|مؤجل|تأجيل|स्थगित)\W*$"
    r"|^(?:延期|推迟|推遲|持ち越し|연기(?:합니다|한다|됨|함)?)\W*$",
    # Chinese, Japanese, Korean, Arabic, Hindi
    r"(?:尚未|还没|還沒|还未|暂未|暫未|暂无|暫無|尚无|尚無|并无|並無|没有|沒有|未能|无法|無法|不能"
    r"|未)[^。，]{0,8}(?:决定|決定|定论|定論|裁决|裁決|结论|結論|共识|共識|达成|達成)|待定|未决|未決|悬而未决"
    r"|(?:继续|繼續)(?:辩论|辯論|讨论|討論)|(?:辩论|辯論|讨论|討論)[^。]{0,4}(?:继续|繼續)|为时过早|為時過早|(?:再"
    r"|下)一轮",
    r"(?:まだ|未だ|現時点|今のところ)[^。]{0,20}(?:ない|ません|未定|いない)|未定|保留(?=[とにしでさ中。\s]|\Z)"
    r"|(?:決定|結論|合意)[^。]{0,8}(?:ない|なし|ません|至らず|至っていない|出ていない|できない)"
    r"|(?:議論|討論|ディベート)[^。]{0,6}(?:続け|継続)|時期尚早",
    r"(?:아직|현재)[^.]{0,20}(?:없|않|못|미정)|미정|보류|(?:결정|결론|합의)[^.]{0,10}(?:없|않|못)|(?:토론"
    r"|논의)[^.]{0,8}(?:계속|이어)|시기상조",
    r"(?:لم|لا يوجد|ليس)[^.]{0,20}(?:قرار|يتقرر|يحسم|اتفاق)|لا قرار|(?:अभी|फिलहाल)[^।]{0,25}(?:नहीं|कोई)"
    r"|कोई (?:निर्णय|फैसला) नहीं",
)
"""A sentence in place of a decision that says that there is none, or that the debate goes on."""


DECIDING = late_pattern(
    r"\b(?:decid\w+|decision|settl\w+|determin\w+|resolv\w+|entsch(?:ei|ie)d\w+|beschl[uo]ss\w*|beschließ\w*"
    r"|festgelegt|décid\w+|décision|tranch\w+|décisi\w+|resuelv\w+|resolv\w+|resuelt\w+|defin\w+|deci[ds]\w+|stabili\w+"
    r"|реш[аеиё]\w+|определ\w+|zdecyd\w+|ustal\w+|rozstrzyg\w+|postanow\w+|karar\w*)\b"
    r"|决定|決定|裁决|裁決|定[吧。]|決め|決まり|결정|정하|정합|정해|قرار|قرر|تقرر|نحسم|يحسم|तय|निर्णय|फ़ैसला|फैसला"
    r"|\b(?:talk\w*|discuss\w*|speak|come back|return to|revisit\w*"
    r"|sprechen|reden|beraten|besprech\w+|(?:re)?parl(?:er\w+|ons)"
    r"|discut\w+|habl(?:ar\w*|amos)|falar\w*|conversar\w*|parler\w+|обсуд\w+|поговор\w+|верн[её]мся|omówi\w+|porozmawia\w+"
    r"|konuş\w+|görüş\w+|tartış\w+)\b|讨论|討論|再谈|再議|話し合|議論|논의|이야기|نناقش|نتحدث|चर्चा|बात करेंगे"
)
"""That something is decided or talked about; with words that put it off, it says that nothing is decided."""


# ---- a ruling is taken back ------------------------------------------------------------------------------------------

_RULING = _any_of(
    "decision | ruling | verdict | status | settlement | conclusion | judge?ment | statement | answer | above "
    "| that | this | it"
)
_BAD = _any_of(
    "wrong | premature | void | null | invalid | mistaken | a mistake | an error | in error | too (?:early|soon"
    "|hasty) | hasty "
    "| withdrawn | retracted | revoked | rescinded | cancell?ed | overturned | reversed | annulled | not final "
    "| not mine "
    "| no longer \\w+ | not (?:yet )?(?:settled|decided|over|final|valid|binding|meant) | unsettled | undecided "
    "| only a draft | a draft "
    "| a joke | a test | an? (?:\\w+ )?example | a placeholder | sarcas\\w+ | ironic\\w* | obsolete | to be ignored "
    "| to be withdrawn "
    "| incorrect | incomplete | still open | open again | reopened | off"
)
_UNDO = _any_of(
    "withdraw | retract | revoke | rescind | cancel | undo | reverse | overturn | annul | recant "
    "| take (?:\\w+ ){0,4}?back "
    "| chang(?:e|ed|ing) my | have changed my | reconsider | revise | correct(?! in) | misspoke | misread "
    "| overlooked | was wrong "
    "| was mistaken | was (?:too )?hasty | am no longer | am not (?:so )?sure | no longer | have second thoughts "
    "| made an? (?:mistake|error) | spoke too soon | got (?:that|this|it) wrong | meant | mean to say "
    "| need to (?:correct|revise|retract|withdraw)"
    "| must (?:correct|revise|retract|withdraw) | should (?:correct|revise|retract|withdraw) | cannot stand by "
    "| can't stand by "
    "| don't stand by | do not stand by | regret | prefer to continue | would rather | didn't mean | did not mean "
    "| jumped the gun"
)
_INTERJECTED = _any_of(
    "actually | wait | hold on | hang on | scratch (?:that|this|it) | strike (?:that|this|it) | correction "
    "| corrected | erratum "
    "| on (?:second thoughts?|reflection|further thought|reconsideration) | thinking (?:about it|it over)? ?again "
    "| come to think of it | hmm+ | oops | whoops | sorry | apologies | my apologies | my mistake | my bad | nope "
    "| no wait "
    "| never ?mind | not so fast | edit | update | revision | revised | amendment | just kidding | kidding | psych "
    "| changed my mind | then again | having said (?:all )?that | in hindsight | at second glance | one moment "
    "| moment | halt | korrektur | doch nicht | quatsch | entschuldigung | bei näherer (?:betrachtung|überlegung) "
    "| nein | berichtigung "
    "| attendez | attends | en fait | à la réflexion | réflexion faite | finalement | non | pardon | rectification "
    "| espera | espere | esperen | en realidad | corrección | pensándolo (?:bien|mejor) | rectifico | perdón "
    "| na verdade | correção | pensando (?:bem|melhor) | não | aspetta | aspettate | anzi | in realtà | correzione "
    "| ripensandoci "
    "| wacht | eigenlijk | correctie | bij nader inzien | nee | chwila | czekaj | właściwie | korekta "
    "| sprostowanie | po namyśle "
    "| подождите | погодите | стоп | нет | на самом деле | вообще-то | исправление | поправка | зачекайте | ні "
    "| hayır | düzeltme | bekleyin"
)

_DRAFT = _any_of(
    "draft | provisional | preliminary | tentative | interim | vorläufig\\w* | entwurf | provisoire | projet | ébauche "
    "| provisional | provisóri[oa] | provvisori[oa] | borrador | rascunho | bozza | предварительн\\w+ | черновик "
    "| wstępn\\w+ | roboczy | geçici | taslak | مؤقت\\w* | مسودة | अस्थायी | मसौदा"
)

TAKEN_BACK = _one_of(
    # (Draft, not final.) This is only a provisional ruling.
    rf"^\W*(?:(?:this|it|that|das|dies|ceci|esto|isto|questo|это|to|bu|هذا|यह)(?:'s| is| was| ist| est| es| é| è)? )?"
    rf"(?:(?:still|only|just|merely|for now|so far|nur|noch|an?|the|my|ein\w*|une?|uma?|una?|только|tylko|sadece) )*"
    rf"{_DRAFT}(?: {_DRAFT})?(?: (?:ruling|decision|version|text|answer|draft|only|for now|yet|status|entscheidung"
    rf"|décision|decisi[oó]n|decisão|decisione|решение|decyzja|karar|قرار|निर्णय))?"
    rf"(?:\W+not (?:yet )?(?:final|binding))?\W*$"
    r"|^\W*(?:this|the) (?:line|text|section|decision|ruling) (?:was|is|has been) (?:added|inserted|written|pasted"
    r"|injected) by\b"
    r"|\b(?:moderator|chair|i|we) (?:has|have) not (?:yet )?(?:ruled|decided)\b"
    r"|\bnot (?:yet )?(?:final|binding)\W*$|^\W*not (?:yet )?(?:final|binding|official|definitive)\b(?! only)"
    r"|^\W*(?:this|that|it|(?:the|my|this) (?:decision|ruling|verdict)) (?:stands?|holds?|counts?"
    r"|(?:is|becomes) (?:valid|final|binding)) only (?:if|once|when|after|provided|with)\b"
    r"|(?:暂定|暫定|草稿|草案|仮決定|잠정|임시)[^。.]{0,6}\W*$",
    rf"^\W*(?:but |and |so |oh |well |hm+ |um |no )*(?:[,.…\u2013\u2014-] ?)?{_INTERJECTED}(?=\s*(?:$"
    rf"|[,.:;!?…\u2013\u2014-])|\s+(?:i|we|the|this|that|it|let|my|no|not|there|one|bull|bear)\b)",
    r"^\W*(?:no|non|nein|nee|nie|não|нет|ні)\s*[,.:;!\u2013\u2014-]",
    rf"\b(?:i|we)(?:'m|'d|'ve| am| have| had| do| did| must| should| will| would| need to| want to| hereby| now"
    rf"| therefore| also| think i| have to| just)*"
    rf"(?: \w+ly)? {_UNDO}\b",
    rf"\b(?:ignore|disregard|forget|strike|discard|delete|drop|scrap|dismiss|void|undo|cancel"
    rf"|overrule)\b (?:\w+ ){{0,2}}?"
    rf"(?:{_RULING}|everything|what|all|my|the (?:line|lines|text|section|form))\b",
    rf"\b(?:{_RULING}|i said|i wrote|which)(?: (?:above|just given|as it stands|i gave|i made|here|line))*"
    rf"(?: (?:is|was|were|be|should be|must be|has been|shall be|would be|seems|looks|cannot stand|comes|came)"
    rf"|'s)(?: \w+ly)?(?: only| just| still| now| hereby)? {_BAD}\b",
    rf"\b{_RULING} (?:does not|doesn't|cannot|can't|should not|shouldn't|must not|no longer"
    rf"|will not) (?:\w+ )?(?:stands?|hold|holds|counts?|appl\w+|be (?:booked|recorded|counted|used))\b",
    r"\b(?:let me|please let me|allow me to) (?:correct|revise|reconsider|rephrase|withdraw|take|change|retract"
    r"|amend|redo)\b",
    r"\b(?:do not|don't) (?:book|record|count|use|adopt|take|rely)\b",
    r"\b(?:nothing|none of (?:this|it))(?: \w+){0,3} (?:is|counts as) (?:yet )?"
    r"(?:binding|final|decided|settled|agreed)\b",
    r"\bstatus\b.{0,20}\bcontinue\b|^\W*continue\W*$|\bnot (?:yet |really |actually )?settled\b|\bunsettled\b"
    r"|\breopen\w*\b",
    rf"\b(?:the|this|our) {_TALK}(?: \w+){{0,3}}? (?:continue[sd]?|goes on|go on|not over|is open|resumes?)\b"
    rf"|\b(?:continue|resume|reopen|prolong|extend|keep) (?:the |this |our )?{_TALK}\b"
    r"|\b(?:we|they|both) (?:\w+ ){0,2}continue\W*$|\b(?:another|one more|a (?:further|second|third)"
    r"|the next) round\b",
    r"\b(?:is|are|was|were) what [^.,]{1,40}\b(?:would|wants?|wanted|hopes?|hoped|wishes|wished|asked|told)\b.{0,30}"
    r"\b(?:me|see|hear|read)\b",
    r"\bjust kidding\b|\bonly joking\b|\b(?:/s|jk)\b|\bsarcasm\b",
    # other languages: I take it back, this does not hold, the debate goes on
    r"\b(?:nehme|ziehe|nehmen|ziehen) (?:\w+ ){0,4}zurück\b|\b(?:widerruf\w*|korrigier\w*|revidier\w*|verwerf\w*"
    r"|ändere)\b|\bhebe\b.{0,30}\bauf\b|\bdoch (?:noch )?(?:nicht|offen|keine)\b|\bgilt (?:\w+ ){0,2}nicht\b"
    r"|\bnicht (?:entschieden|geklärt|endgültig)\b|\b(?:debatte|diskussion)\b.{0,30}\b(?:weiter|fort\w*)\b"
    r"|\b(?:ungültig|verfrüht|voreilig)\b",
    r"\b(?:je|nous) (?:me |nous )?(?:retir\w+|rétract\w+|revien\w+ sur|rectifi\w+|corrig\w+|ravis\w+|annul\w+"
    r"|chang\w+ d'avis)\b|\b(?:n'est pas|pas encore|n'est plus) (?:\w+ )?(?:tranché\w*|décidé\w*|valable|réglé\w*"
    r"|définiti\w+)\b|\bprématuré\w*\b|\b(?:débat|discussion)\b.{0,20}\b(?:continue\w*|se poursui\w+)\b",
    r"\b(?:retiro|retracto|rectifico|corrijo|anulo|reconsidero|cambio de opinión|mudo de (?:opinião|ideia)|retifico"
    r"|ritiro|rettifico|mi correggo|ci ripenso|annullo|cambio idea)\b"
    r"|\bno (?:está|queda|es) (?:\w+ )?(?:decidid\w+|resuelt\w+|definitiv\w+|válid\w+)\b|\b(?:non|não) (?:è|é"
    r"|está) (?:\w+ )?(?:decis\w+|decidid\w+|definitiv\w+|valid\w+)\b|\bprematur[oa]\b|\b(?:debate"
    r"|dibattito)\b.{0,20}\b(?:contin\w+|sigue|prosegue)\b",
    r"\b(?:seguimos|sigamos|continuamos|continuemos|proseguimos|prosseguimos|continuiamo|proseguiamo)\b"
    r"|\b(?:on continue|nous continuons|poursuivons|wir (?:machen|debattieren|diskutieren|reden) weiter"
    r"|продолжаем|kontynuujemy|dalej debatujemy|devam ediyoruz|نواصل)\b",
    r"\btrek\b.{0,40}\b(?:terug|in)\b|\b(?:wycofuję|cofam|odwołuję|zmieniam zdanie|poprawiam)\b|\b(?:беру"
    r"|забираю)\b.{0,30}\b(?:назад|обратно)\b|\b(?:отзываю|отменяю|отозва\w+|передумал\w*|исправляю|пересматриваю"
    r"|скасовую|відкликаю|geri alıyorum|iptal)\b|\bне (?:окончательн\w*|решен\w*|действительн\w*|остаточн\w*)\b"
    r"|\b(?:дебаты|обсуждение)\b.{0,20}\bпродолж\w+",
    r"撤回|收回|作废|作廢|更正|改变主意|改變主意|等等|等一下|不对|不對|其实不|(?:继续|繼續)(?:辩论|辯論|讨论|討論)"
    r"|(?:辩论|辯論|讨论|討論)[^。]{0,4}(?:继续|繼續)"
    r"|尚未(?:决定|決定|解决|解決)|取り消|訂正|考え直|やはり|やっぱり|待って|(?:議論|討論)[^。]{0,6}(?:続け|継続)"
    r"|철회|취소|정정|잠깐|다시 생각|(?:토론|논의)[^.]{0,8}(?:계속)|أسحب|ألغي|تصحيح|वापस लेत|रद्द",
)
"""A sentence behind a ruling that takes it back, or says that the debate goes on after all."""


# ---- what belongs to no decision -------------------------------------------------------------------------------------

COURTESY = _one_of(
    r"^\W*(?:(?:please|and|so|also|once again|again|finally|otherwise|of course|with that),? )*(?:let me know"
    r"|feel free|(?:many |a big |my )?thank(?:s|\s?you)\b"
    r"|i hope|hope (?:this|that|it)|(?:i'?m|i am|i'd be|i would be|i will be|i'll be|i remain|always"
    r"|more than)? ?(?:happy|glad|here|available|pleased|delighted|ready) (?:to|for|if)\b"
    r"|(?:don't|do not) hesitate|if (?:you|anyone|anybody|there|any)\b.{0,80}\b(?:questions?|need|want|like|wish"
    r"|help|clarif\w*|know|concerns?|would|else)\b"
    r"|would you like|do you (?:want|need|have|agree)|shall i|should i|can i|may i|is there anything"
    r"|any (?:questions|thoughts|feedback|comments)"
    r"|(?:best|kind|warm|kindest|warmest) (?:regards|wishes)|regards|sincerely|yours (?:truly|sincerely|faithfully)"
    r"|cheers|respectfully(?: submitted)?"
    r"|(?:great|good|excellent|wonderful|fine|nice|thoughtful|productive) (?:debate|discussion|job|work|arguments"
    r"|points)|well (?:done|argued|played)"
    r"|it (?:was|has been|is) (?:a |an )?(?:pleasure|honou?r|privilege|great)|(?:this|that|which) (?:concludes"
    r"|completes|ends|closes)|(?:and )?(?:that is|that's) (?:all|it)\b"
    r"|(?:the |this |our )?(?:debate|meeting|session|discussion|case|hearing) is (?:now |hereby |thus )?(?:closed"
    r"|over|adjourned|concluded|ended|complete)|(?:meeting|court|session) adjourned"
    r"|(?:i|we) (?:thank|appreciate|look forward|congratulate|commend|applaud|trust|wish|hereby close|close"
    r"|conclude)\b|we(?:'re| are) done|congratulations|have a (?:nice|great|good)|see you|good ?bye|bye\b|take care"
    r"|good luck"
    r"|as an ai\b|as a (?:large )?language model|note: (?:i am|as an|this)|please (?:note|reach|contact|ask|do|tell"
    r"|confirm|share)|remember that i)",
    r"^\W*(?:danke|vielen dank|herzlichen dank|ich (?:danke|hoffe|stehe|bedanke|freue)|wir danken|melden sie"
    r"|lassen sie (?:es )?mich|lass(?:t)? (?:es )?mich|gern[e]?\b|bei (?:weiteren |rück)?fragen|falls (?:sie|du|ihr"
    r"|noch)|wenn (?:sie|du|ihr)\b|mit (?:freundlichen|besten)|(?:viele|beste|liebe|herzliche) grüße|möchten sie"
    r"|soll ich|(?:die )?(?:debatte|sitzung) ist (?:hiermit )?(?:beendet|geschlossen))",
    r"^\W*(?:merci|je (?:vous )?(?:remercie|reste)|j'espère|n'hésitez|faites-moi|dites-moi|cordialement"
    r"|bien (?:à vous|cordialement)|si vous|souhaitez-vous|voulez-vous|(?:le débat|la séance) est (?:clos|close"
    r"|levée))",
    r"^\W*(?:(?:muchas )?gracias|agradezco|espero que|no dud\w+|avís\w+|háganme|hágamelo|házmelo|saludos|un saludo"
    r"|atentamente|cordialmente|si (?:tiene|tienen|tienes|necesita\w*)|desea|quiere que"
    r"|(?:muito )?obrigad\w+|agradeço|me avise\w*|avise\w*|não hesite\w*|atenciosamente|se (?:você|vocês|tiver"
    r"|precisar\w*)|grazie|ringrazio|spero|fatemi|fammi|mi faccia|non esita\w+|cordiali saluti|se (?:avete|hai|ha)\b)",
    r"^\W*(?:bedankt|dank (?:u|je|jullie)|ik hoop|laat (?:het )?me|met vriendelijke|als (?:u|je)\b|dziękuj\w+|dzięki"
    r"|mam nadzieję|daj(?:cie)? mi|z poważaniem|pozdrawiam|jeśli (?:masz|macie|potrzebuj\w+)|спасибо|благодар\w+"
    r"|надеюсь|дайте (?:мне )?знать|обращайтесь|с уважением|если (?:у вас|нужн\w+|понадоб\w+|возникн\w+)|дякую"
    r"|сподіваюся|teşekkür\w*|umarım|saygılarımla)",
    r"^\W*(?:谢谢|謝謝|感谢|感謝|希望(?:这|這|对|對|能)|如有|如果(?:您|你)|请(?:告诉|随时|问)|請(?:告訴|隨時|問)"
    r"|祝|辩论(?:到此)?结束|ありがとう|ご質問|ご不明|何か|よろしく"
    r"|以上(?:です|となります)?(?=\W*$)|お疲れ|감사합니다|고맙습니다|궁금|질문이|도움이|필요하시면|شكرا|धन्यवाद)",
)
"""A sentence behind a decision that is politeness or closes the meeting."""

META = late_pattern(
    r"(?:my |the |brief |short |key |main |final |overall |full |suggested |recommended |proposed |possible "
    r"|remaining )*"
    + _any_of(
        "rationale | reasons? | reasoning | justification | explanation | why | basis | grounds | analysis "
        "| next steps? | action items? "
        "| actions? | follow[- ]?ups? | confidence(?: (?:level|score))? | certainty | notes? | remarks? | comments? "
        "| summary | open (?:questions?|points?|issues?) "
        "| questions? | dissent\\w*(?: opinion)? | minority(?: (?:view|opinion|report))? | votes? | vote count "
        "| tally | winner | status | arguments? | points? | takeaways? "
        "| sources? | references? | citations? | disclaimer | p\\.?s\\.? | postscript | timestamp | date | signed "
        "| signature | appendix | strengths? | weaknesses "
        "| considerations? | evidence | thoughts? | reflection | assessment | evaluation | observations? "
        "| acknowledge?ments? | message | word count | tokens? | source | context | background "
        "| closing(?: (?:remarks?|words|statement))? "
        "| final (?:thoughts?|words) | round | end | metadata | score | scores | begründung | gründe | erklärung "
        "| nächste schritte | hinweis | anmerkung | zuversicht | fazit "
        "| raison\\w* | justification | explication | prochaines étapes | remarque\\w* | confiance | razones? "
        "| justificación | explicación | próximos pasos | nota | confianza "
        "| motivazione | prossimi passi | fiducia | próximos passos | confiança | motivering | uzasadnienie "
        "| następne kroki | обоснование | причин\\w* | следующие шаги | примечание | уверенность "
        "| n\\.? ?b\\.? | p\\.? ?d\\.? | anmerkung | nachtrag | not | uwaga | dopisek | постскриптум | 附 | 追伸 "
        "| 추신 | ملاحظة | पुनश्च | नोट "
        "| 理由 | 原因 | 说明 | 下一步 | 后续步骤 | 置信度 | 备注 | 根拠 | 次のステップ | 備考 | 確信度 "
        "| 이유 | 근거 | 다음 단계 | 비고"
    )
)
"""A label behind a decision under which something else stands."""

PART = late_pattern(
    r"\d|\b(?:conditions?|conditional|provided|unless|except\w*|limit\w*|caps?|budget|amount|price|costs?|deadline"
    r"|due|by|when|timeline|schedule|start|duration|term"
    r"|scope|owner|who|responsible|lead|where|what|how|steps?|phases?|stages?|tranches?|parts?|options?|first|second"
    r"|third|then|finally|alternatively|otherwise|fallback|exit|trigger|milestones?"
    r"|measures?|safeguards?|requirements?|rules?|caveats?|bedingung\w*|frist|budget|conditions?|délai|condiciones"
    r"|plazo|условия|срок|条件|期限)\b"
)
"""A label behind a decision under which a part of the decision stands."""


# ---- what leads up to an answer --------------------------------------------------------------------------------------

_LEAD = """
    here | here's | is | are | below | this | that | these | following | follows | the | my | our | a | an | and | of
    | for | after | on | in | as | to | at | with | now | so | far | based | upon | i | we | i've | we've | have | has
    | reviewed | read | considered | weighed | heard | having | reviewing | considering | weighing | reading | hearing
    | all | both | each | every | sides? | arguments? | positions? | points? | claims? | evidence | debate | discussion
    | deliberation | exchange | turns? | statements? | rounds? | \\d+ | one | two | three | four | five | first | second
    | third | final | last | latest | current | overall | brief | short | formal | official | own | complete | full
    | detailed | structured | neutral | moderator | moderator's | chair | chair's | review | ruling | assessment
    | summary | verdict | decision | evaluation | report | statement | response | answer | analysis | conclusion
    | judge?ment | status | update | reply | output | result | ballot | vote | message | requested | required | asked
    | specified | given | format | form | structure | sections | labels | you | your | sure | certainly | course | okay
    | ok | absolutely | understood | thanks? | great | thoughtful | alright | right | very | well | debaters
    | participants | exactly
"""
_WORK = """
    review | ruling | assessment | summary | verdict | decision | evaluation | report | statement | response | answer
    | analysis | conclusion | judge?ment | status | update | reply | output | result | ballot | vote | message
"""
OWN_LEAD = late_pattern(rf"(?=.{{0,200}}\b{_any_of(_WORK)}\b)\W*(?:{_any_of(_LEAD)}(?![\w'])[^\w'\"]{{0,5}}){{1,30}}")
"""A line of nothing but words that lead up to the author's own answer ("Sure! Here is my review of round 2:")."""


# ---- the labels of a ruling in other languages -----------------------------------------------------------------------

LABELS: Mapping[str, str] = {
    "SUMMARY": "zusammenfassung|résumé|synthèse|resumen|síntesis|resumo|síntese|riassunto|sintesi|riepilogo|резюме"
    "|сводка|краткое изложение|podsumowanie|streszczenie|总结|摘要|概要|總結|要約|まとめ|요약|ملخص|الملخص|الخلاصة|خلاصة"
    "|सारांश|özet",
    "STATUS": "status|stand|statut|état|estado|estatus|situação|stato|статус|состояние|stan|状态|狀態|状態|ステータス"
    "|状況|상태|الحالة|حالة|स्थिति|दशा|durum",
    "DECISION": "entscheidung|beschluss|beschluß|décision|decisión|decisão|decisione|решение|decyzja|rozstrzygnięcie"
    "|决定|決定|裁决|裁決|結論|결정|القرار|قرار|निर्णय|फ़ैसला|फैसला|karar",
}
"""What models call the sections of a ruling when they translate them, by the name that the form gives them."""

STATUSES: Mapping[str, str] = {
    "SETTLED": "entschieden|geklärt|beschlossen|abgeschlossen|réglé|réglée|tranché|tranchée|décidé"
    "|décidée|résolu|résolue"
    "|resuelto|resuelta|decidido|decidida|zanjado|zanjada|acordado|acordada|concluido|concluida"
    "|resolvido|resolvida"
    "|concluído|concluída|definido|definida|encerrado|encerrada|deciso|decisa|risolto|risolta"
    "|definito|definita|concluso"
    "|conclusa|решено|урегулировано|завершено|вопрос решён|вопрос решен|rozstrzygnięte"
    "|rozstrzygnięto|rozstrzygnięty"
    "|rozstrzygnięta|ustalone|ustalono|zdecydowane|zdecydowano|已决定|已決定|已解决|已解決|已裁决|已裁決|已定|定案|決定"
    "|決定済み|解決|解決済み|決着|確定|合意|결정|결정됨|해결|해결됨|확정|확정됨|합의|합의됨|محسوم"
    "|تم الحسم|حسم|تمت التسوية"
    "|تم البت|तय|तय हो गया|निर्णीत|सुलझा|सुलझ गया|karara bağlandı|kararlaştırıldı|çözüldü|sonuçlandı",
    "CONTINUE": "weiter|fortsetzen|fortfahren|weitermachen|weiterdebattieren|continuer|poursuivre"
    "|à poursuivre|continuar"
    "|continúa|seguir|continua|prosseguir|continuare|proseguire|продолжить|продолжать|продолжается|продолжаем"
    "|kontynuować|kontynuacja|kontynuuj|dalej|继续|繼續|継続|続行|続ける|계속|계속함|계속하기|متابعة|نتابع"
    "|استمرار|مستمر"
    "|يستمر|जारी|जारी रखें|जारी रहे|devam|devam et|devam edilsin|devam ediyor",
}
"""The two statuses of a ruling in the same languages."""

LABELS_ONLY = late_pattern(
    rf"\W*(?:(?:summary|status|decision|verdict|ruling|settled|{'|'.join(LABELS.values())}|{STATUSES['SETTLED']})"
    r"(?:\W+|$))+"
)
"""Words in place of a decision that are but labels of the form, or its status."""

FILLER = late_pattern(
    r"\W*(?:lorem ipsum.*|(?:(?:asdf|qwer|sdfg|hjkl|zxcv|yxcv|jklö|йцук|фыва)\w*\W*)+"
    r"|(?:(?:foo|bar|baz|bla+h?|test(?:ing|e)?|xx+|todo|tbd|tba|n/a|etc|abc)\b\W*)+\d*|hello,? world"
    r"|(?:(?:insert|put|enter|add|write|type|your|place) ){1,2}.{0,30}\bhere"
    r"|(?:hier|ici|aquí|aqui|qui) .{0,20}(?:einfügen|eintragen|insérer|insertar|inserir|inserire)"
    r"|(?:тест|测试|テスト|테스트|اختبار|परीक्षण|deneme|prueba|prova|próba)(?: \d+)?)\W*"
)
"""What stands where something is to be written, or was typed to try the keys."""
