"""Cues, by language: by which words authors take back, turn, postpone, doubt and bind what they have just said.

Each row holds stems or short patterns for folded text. ``retraction`` says what they mean together. A row is for one
language, so that a language is completed in one place; a stem stands for all words that begin with it where it ends
in ``~``.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import TypeAlias

Rows: TypeAlias = Mapping[str, str]

LETTER = r"[\w\u0900-\u097f\u064b-\u065f]"
"""A letter or a sign that belongs to one, also of Hindi and Arabic."""

_SCRIPTS: Mapping[str, str] = {
    "ru": "[а-я]",
    "zh": "[\u4e00-\u9fff]",
    "ja": "[\u3040-\u30ff]",
    "ko": "[\uac00-\ud7a3]",
    "ar": "[\u0621-\u064a]",
    "hi": "[\u0900-\u097f]",
}
"""What must stand in a text for it to be searched for the cues of a language; the others are always searched."""

_UNSPACED = ("zh", "ja", "ko")

_UNDO_EN = r"""
    (?:tak(?:e|ing) (?:that|it|this|all|everything|my \w+) back | withdr[ae]w~ | retract~ | revok~ | rescind~ | recant~
    | cancel~ | chang(?:e|ed|ing) (?:my|this|that|it|to|the) | switch~ (?:my|this|that|it|to|over)
    | revis(?:e|ed|ing) (?:my|this|that|it) | reconsider~ | misspoke | mistyped | misread | disown~ | disavow~ | renounce~
    | no longer (?:stand|support|back|hold|favou?r|want|vote|choose|endorse|agree)
    | did(?:n't| not) mean | was wrong | (?:made|make) an? (?:mistake|error) | backtrack~ | back out
    | (?:do not|don't|cannot|can't) (?:actually |really )?(?:stand by|endorse|mean (?:that|this|it)))
"""
_SELF_EN = r"i(?:'ve|'d|'ll|'m)?(?: (?:have|had|hereby|must|need to|want to|wish to|would like to|will|now|am|just|do|may|might|think|should|also|rather|then|therefore|actually|really|to|like))*"

BACK: Rows = {
    "en": rf"""
    {_SELF_EN} {_UNDO_EN}
    | (?:ignore|disregard|forget|discard|scrap|strike|scratch|delete|drop|void|undo|remove|erase|cross out|throw out) (?:that|this|it|the above|what i|my|all of|everything|the (?:vote|ballot|answer|line|previous|last|first))
    | (?:do not|don't|not|never|no longer) (?:to )?(?:be )?(?:count(?:ed)?|record(?:ed)?|book(?:ed)?|register(?:ed)?|tall(?:y|ied))
    | chang(?:e|ed|ing) (?:my|of) (?:mind|heart|vote|answer|ballot|choice|position|opinion)
    | never ?mind | take back (?:that|this|it|my|what) | jokes? aside | (?:just |only |was |am |i'm )(?:kidding|joking)
    | (?:is|was|were) (?:only |just |merely |meant as )?an? (?:joke|example|test|placeholder|mistake|typo|slip|error|draft|sample)(?: of the (?:form|format)| only)?(?=\W*$)
    | (?:vote|ballot|answer|choice|above|line|this|that) (?:is|was|has been|should be|must be) (?:hereby )?(?:void|withdrawn|retracted|cancelled|canceled|revoked|invalid|null|a joke|mistaken|superseded|overruled)
    | (?:vote|ballot|answer|decision|ruling|status|settlement) (?:is )?(?:withdrawn|retracted|cancelled|canceled|revoked|void|rescinded)
    """,
    "de": r"""
    nehme? (?:das|es|dies|alles|meine \w+|den \w+)[^.!?]{0,40} zurück | (?:ziehe|zieh) [^.!?]{0,40} zurück | zurückgenommen | zurückgezogen
    | (?:ich )?widerruf~ | widerrufe | anders überlegt | (?:meine )?meinung geändert | ändere (?:meine|das|es) | umentschieden
    | (?:vergesst|vergiss|vergessen sie|ignoriert|ignorieren|streicht|streichen|löscht|löschen) (?:das|es|dies|sie|bitte|alles|was|mein~)
    | nicht (?:zählen|werten|mitzählen|gelten|berücksichtigen) | gilt nicht | zählt nicht
    | (?:war|ist|sollte) (?:nur |bloß |doch |lediglich )*(?:ein )?(?:scherz|witz|spaß|beispiel|versehen|irrtum|fehler|test|platzhalter)~
    | (?:habe|hab) mich (?:geirrt|vertan|verschrieben) | stimmt (?:so )?nicht | nicht mehr (?:für|dafür|gültig) | stehe nicht (?:mehr )?(?:dazu|hinter) | mache? einen rückzieher | rückzieher
    """,
    "fr": r"""
    (?:je )?(?:retire|annule|révoque|rétracte|reprends) (?:ce|mon|ma|mes|le|la|tout) | je me rétracte | je l'annule | je le retire | je reviens sur
    | chang[eé]~ d'avis | (?:je )?change (?:mon|de) (?:vote|avis|choix|réponse) | (?:oubliez|oublie|ignorez|ignorer|effacez|rayez|supprimez) (?:ce|ça|cela|mon|ma|tout|le)
    | (?:ne pas|pas|plus) (?:\w+ )?(?:compter|compté|tenir compte|prendre en compte) | ne compt~ pas | ne vaut (?:pas|plus)
    | (?:était|est|était-ce|n'était|n'est) (?:qu'|juste |seulement )?une? (?:plaisanterie|blague|exemple|erreur|test|faute)
    | je (?:plaisante|plaisantais|rigole|blague) | (?:me suis|je m'étais) trompé~ | c'est une erreur | je ne (?:soutiens|maintiens) (?:plus|pas)
    """,
    "es": r"""
    (?:retiro|anulo|revoco|cancelo|retracto) (?:lo|mi|el|la|este|esa?|todo) | me (?:retracto|desdigo|arrepiento|equivoqué|he equivocado) | lo (?:retiro|anulo|cancelo)
    | (?:he cambiado|cambié|cambio) de (?:opinión|idea|parecer) | (?:cambio|modifico|corrijo) mi | olvídalo | olvídenlo | (?:olviden|olvida|olvidad|olvídalo|ignoren|ignora|ignorad|borren|borra|tachen) (?:lo|mi|este|esto|eso|todo|el|la)
    | no (?:\w+ )?(?:cuenten|cuente|contar|cuentes|contéis|computen|vale|tengan en cuenta) | (?:era|es|fue) (?:solo |sólo )?(?:una? )?(?:broma|ejemplo|error|equivocación|prueba)
    | estaba bromeando | ya no (?:apoyo|sostengo|mantengo|voto|defiendo) | me echo atrás
    """,
    "pt": r"""
    (?:retiro|anulo|revogo|cancelo) (?:o|meu|minha|a|este|esse|tudo) | (?:me retrato|volto atrás|me enganei|enganei-me|me arrependo|arrependo-me|me equivoquei)
    | mud(?:o|ei|ar) (?:de )?(?:ideia|opinião|meu|o meu) | (?:esqueçam|esqueça|ignorem|ignore|desconsiderem|desconsidere|apaguem|risquem) (?:o|a|meu|isso|este|esse|tudo|isto)
    | não (?:\w+ )?(?:contem|conte|contar|considerem|vale|computem) | (?:era|é|foi) (?:só |apenas )?(?:uma? )?(?:brincadeira|piada|exemplo|erro|engano|teste)
    | estava brincando | brincadeirinha | já não (?:apoio|mantenho|voto|defendo) | não apoio mais
    """,
    "it": r"""
    (?:ritiro|annullo|revoco|ritratto|cancello) (?:il|quello|ciò|la|tutto|quanto|questo) | mi (?:rimangio|ritratto|correggo|sono sbagliat~|pento) | lo (?:ritiro|annullo)
    | (?:ho cambiato|cambio) (?:idea|opinione|parere|il mio|la mia) | (?:dimenticate|dimentica|ignorate|ignora|cancellate|scordate) (?:quello|ciò|il|la|tutto|questo|quanto)
    | non (?:\w+ )?(?:contate|conteggiate|contare|conta|vale|considerate) | (?:era|è|fu) (?:solo |soltanto )?(?:un[oa]? ?'?)?(?:scherzo|esempio|errore|sbaglio|prova)
    | (?:stavo )?scherza(?:vo|ndo) | ho sbagliato | non (?:sostengo|appoggio|confermo) più | faccio marcia indietro | ci ripenso
    """,
    "ru": r"""
    (?:беру|забираю) (?:\w+ )*(?:обратно|назад) | (?:отзываю|отменяю|снимаю|аннулирую|отзову|меняю|изменяю|забираю) (?:свой|мой|этот|это|его|голос|решение|ответ|выбор)
    | передумал~ | изменил~ (?:мнение|решение|свое|своё) | (?:забудьте|забудь|игнорируйте|вычеркните|удалите|отбросьте) (?:то|что|это|мой|все|всё|о|про|сказанн~)
    | не (?:учитыва~|считат~|засчитыва~|учесть|засчитыв~|считается|считайте) | (?:это )?был[аои]? (?:лишь |только |просто )?(?:шутк~|пример~|ошибк~|описк~|тест~)
    | я (?:ошибся|ошиблась|пошутил~|шучу|погорячил~|оговорил~) | больше не (?:поддерживаю|за|голосую) | отказываюсь от
    """,
    "pl": r"""
    (?:cofam|wycofuję|odwołuję|anuluję|unieważniam|zmieniam|odwołam) (?:to|swój|mój|ten|swoje|się|głos|co|zdanie|decyzję|poprzedni~) | wycofuję się
    | (?:zmieniłem|zmieniłam|zmieniam) (?:zdanie|decyzję|głos) | (?:zapomnijcie|zapomnij|zignorujcie|zignoruj|proszę zignorować|skreślcie|pomińcie) (?:co|o|to|mój|wszystko|ten|powyższ~)
    | nie (?:licz~|uwzględnia~|brać pod uwagę|zalicza~) | (?:to )?był[ao]? (?:tylko |jedynie )?(?:żart~|przykład~|pomyłk~|błąd|test~)
    | (?:pomyliłem|pomyliłam) się | żartowa~ | żartuję | już nie (?:popieram|głosuję) | rezygnuję z
    """,
    "zh": r"""
    (?<![能以])(?:收回|撤回) | 撤销 | 撤銷 | 取消 | 作废 | 作廢 | 无效 | 無效 | 不算 | 不作数 | 不作數 | 改变(?:了)?(?:主意|想法|立场) | 改變(?:了)?(?:主意|想法|立場) | 改(?:变|變)?(?:了)?我的 | 改主意 | 反悔 | 改投 | 改为 | 改為 | 改成
    | 不要(?:计算|計算|计入|計入|算) | 别算 | 勿计 | 忘掉 | 忘了(?:我|刚|剛|它|这|那) | 忽略(?:我|刚|上|以上|这|那|它|前) | 无视 | 開玩笑 | 开玩笑 | 开个玩笑 | (?:只|仅|僅)(?:是|为|為)(?:一)?(?:个|個)?(?:例子|示例|玩笑|测试|試) | 搞错 | 搞錯 | 弄错 | 写错 | 说错 | 說錯 | 选错 | 投错 | 口误 | 不再支持
    """,
    "ja": r"""
    取り消(?:し|す|させ) | 撤回 | 無効 | 取り下げ | 忘れてください | 無視して | 数えないで | 数に入れないで | カウントしないで | (?:考え|気|意見)(?:が|を)(?:変わ|変え) | 冗談 | (?:例|サンプル)に(?:すぎ|過ぎ) | (?:例|テスト|見本)です(?:。|$) | 間違(?:え|い|っ(?!た)) | 間違い(?:です|でした) | なかったこと | (?:票|投票|答え|回答|意見|選択)を.{0,40}(?:変更|変え) | 前言
    """,
    "ko": r"""
    철회 | 취소 | 무효 | 거둬 | 거둡니다 | 거두겠 | 번복 | (?:생각|마음|의견)(?:이|을)? ?(?:바뀌|바꾸|바꿨|변) | 농담 | 장난 | (?:세지|반영하지|집계하지|계산하지) (?:말|마) | 잊어 ?(?:주|버) | 무시해 | 예시(?:일|입|였) | 예일 뿐 | 실수(?:했|였|입|로) | 잘못 (?:썼|적|말|골|눌|투표) | (?:투표|표|답|선택)(?:를|을)? ?(?:\S+ )?(?:변경|바꾸|바꿉|수정) | 변경합니다 | 바꾸겠 | 바꿉니다 | 지지하지 않
    """,
    "ar": r"""
    [أا]سحب (?:صوتي|هذا|ما|كلامي|جوابي|اقتراعي) | (?:[أا]تراجع|تراجعت) عن | [أا]لغي (?:صوتي|هذا|ما|اقتراعي) | (?:[أا]غير|غيرت|سأغير|بدلت) (?:صوتي|ر[أا]يي|جوابي|اختياري|موقفي)
    | (?:انسوا|انس|تجاهلوا|تجاهل|احذفوا|اشطبوا|[أا]همل~) (?:ما|هذا|صوتي|كل|ذلك) | (?:عدم|لا|بعدم) (?:احتساب|تحتسب~|تحسب~|تعد~|احتسب~) | كنت [أا]مزح | [أا]مزح | مزحة | مجرد (?:مثال|مزحة|اختبار|مزاح|خط[أا]) | (?:لقد )?[أا]خط[أا]ت | لم [أا]قصد | خط[أا] (?:مني|من جانبي) | باطل | لاغ | لم [أا]عد [أا](?:ؤيد|دعم)
    """,
    "hi": r"""
    वापस (?:लेता|लेती|ले|लूँ*|लिया) | रद्द | अमान्य | (?:मन|विचार|राय|मत) बदल | बदल (?:रहा|रही|दिया|लिया|ली|गया) | बदलकर | बदलता हूँ | बदलती हूँ | (?:न|मत|नहीं) (?:गिन~|माने*|गिना|जोड़*) | भूल (?:जा|जाइए|जाएँ|जाओ) | अनदेखा | मज़ाक | मजाक | (?:केवल|सिर्फ़|सिर्फ|बस) (?:एक )?(?:उदाहरण|मज़ाक|परीक्षण|नमूना) | गलती (?:हो|से|की|थी) | ग़लती (?:हो|से|की) | गलत (?:लिख|नाम|चुन) | समर्थन नहीं करता
    """,
    "tr": r"""
    geri (?:çek~|al~) | iptal | vazgeç~ | cay(?:dım|ıyorum) | (?:fikrimi|kararımı|oyumu|cevabımı|seçimimi|düşüncemi)(?: \S+){0,6} değiştir~ | fikrim değiş~ | (?:unutun|unut|yok say~|görmezden|dikkate alma~|silin) | say(?:mayın|ılmasın|mayınız|ma) | geçersiz | hükümsüz | şaka~ | (?:sadece|yalnızca|bir) (?:bir )?(?:örnek~|deneme~|şaka~) | yanıldım | yanlış (?:yaz~|oldu|seç~|söyle~) | hata (?:yaptım|ettim) | artık destekle~
    """,
}
"""What takes something back, wherever it stands in a sentence."""

TURN: Rows = {
    "en": r"""
    actually | wait(?! a (?:year|month|week)) | (?:well,? )?no(?: wait)?(?=\W*(?:$|[,.!:;\u2013\u2014]|i |it |wait)) | nope | nah | hmm+ | hm | correction | corrected | edit | update | erratum | oops | whoops | sorry | apologies | pardon | my bad | hold on | hang on | scratch | strike | rather | or rather | instead | on (?:second|further|closer) \w+ | on reflection | upon reflection | in hindsight | thinking (?:about it|again|twice|it over) | come to think | having (?:slept on|thought about|reconsidered|thought again|reflected)~ | after all,? (?:i|it|no|my)\b | then again | no,? (?:i|it|not) | make (?:that|it) | i meant | i mean | that is to say | better: | let me (?:correct|rephrase|revise|change|rethink|reconsider)~ | ps: | i (?:would |'d )?(?:now |actually |really |in fact |rather )+(?:prefer|favou?r|choose|vote|go|support|think|lean|back|pick|want|say)~ | my (?:real|actual|true|new|revised|corrected|updated) (?:vote|answer|choice|ballot|decision) | in (?:fact|truth|reality),? | truth be told | i (?:must|have to) admit | strictly speaking | no more | change (?:that|this|it|my)
    """,
    "de": r"""
    nein | doch | ach | halt | moment | stopp | korrektur | berichtigung | entschuldigung | sorry | verzeihung | pardon | eigentlich | vielmehr | besser gesagt | genauer | also doch | doch (?:lieber|besser|eher) | lieber | bei (?:näherem|genauerem|nochmaligem) | wenn ich es (?:recht|mir) | nach (?:reiflicher|nochmaliger|einigem|kurzem)? ?(?:überlegung|nachdenken)~ | (?:jetzt|nun) (?:bin|stimme|wähle|ziehe|nehme|bevorzuge) ich | ich meine? | ich meinte | in wahrheit | tatsächlich | eher | oder (?:doch|besser|lieber|eher|vielleicht) | nachtrag | änderung | stattdessen | hoppla | ups
    """,
    "fr": r"""
    non(?=\W*(?:$|[,.!:;\u2013\u2014-])) | attendez | attends | correction | rectification | erratum | pardon | désolé~ | excusez~ | oups | en fait | en réalité | plutôt | ou plutôt | finalement | à la réflexion | réflexion faite | tout (?:compte|bien) fait | tout bien considéré | après réflexion | au fond | enfin,? (?:non|plutôt) | je (?:voulais|veux) dire | disons | maintenant,? je | je préfère (?:maintenant|finalement|désormais|en fait) | mieux : | à bien y (?:penser|réfléchir) | modification | au lieu de | à vrai dire
    """,
    "es": r"""
    no(?:,|\.|$| quise| quiero decir| mejor| espera) | espera~ | esperen | un momento | corrección | corrijo | rectifico | perdón | perdonen | disculp~ | lo siento | ups | en realidad | mejor (?:dicho|no|aún|pensado)? | pensándolo (?:bien|mejor) | bien pensado | al final | más bien | o (?:más bien|mejor|sea) | quise decir | quería decir | ahora (?:prefiero|voto|apoyo|elijo|me quedo|creo) | de hecho | a decir verdad | tras reflexionar | rectificación | en cambio | en su lugar | cambio:
    """,
    "pt": r"""
    não(?:,|\.|$| quis| espera) | espera~ | esperem | um momento | peraí | correção | corrigindo | corrijo | desculp~ | perdão | ops | opa | na verdade | na realidade | ou melhor | ou antes | melhor (?:dizendo|não)? | aliás | pensando (?:bem|melhor) | afinal | no fim | no final | quis dizer | eu quis dizer | queria dizer | agora (?:prefiro|voto|apoio|escolho|fico|acho) | a bem da verdade | refletindo | retificação | em vez disso
    """,
    "it": r"""
    no(?:,|\.|$| aspett~| volevo) | aspett(?:a|ate|i) | un momento | correzione | rettifica | mi correggo | scus~ | pardon | mi dispiace | ops | anzi | in realtà | a dire il vero | piuttosto | o meglio | meglio(?:,|:| non| dire| dirla)? | ripensando~ | a ripensarci | pensandoci (?:bene|meglio) | alla fine | volevo dire | intendevo | ora (?:preferisco|voto|scelgo|sostengo|credo|sono) | adesso (?:preferisco|voto|scelgo) | di fatto | riflettendo~ | invece
    """,
    "ru": r"""
    нет | хотя | стоп | погодите | подождите | постойте | исправление | поправка | уточнение | правка | извин~ | простите | прошу прощения | ой | упс | вернее | точнее | верней | лучше | скорее | если (?:подумать|вдуматься)~ | по (?:размышлении|зрелом)~ | подумав~ | поразмыслив~ | на самом деле | в действительности | вообще-то | всё-таки | все-таки | всё же | все же | теперь | имею в виду | я имел~ в виду | то есть | а (?:лучше|точнее|вернее) | или (?:лучше|скорее|всё-таки) | вместо | если разобраться | в конце концов | или лучше
    """,
    "pl": r"""
    nie(?:,|\.|$| miałem| miałam| chwila) | czekaj~ | chwil~ | moment | zaraz | poprawka | korekta | sprostowanie | przepraszam | sorry | wybacz~ | ups | ojej | raczej | a raczej | lub raczej | właściwie | właściwie to | jednak | po (?:namyśle|zastanowieniu|przemyśleniu)~ | jak się zastanow~ | w rzeczywistości | tak naprawdę | teraz (?:wolę|głosuję|popieram|wybieram|jestem) | miałem na myśli | miałam na myśli | to znaczy | lepiej | zamiast | w sumie | a jednak | ostatecznie (?:wybieram|wolę|stawiam|jednak)
    """,
    "zh": r"""
    不[,，。对對是] | 等等 | 等一下 | 且慢 | 慢着 | 更正 | 纠正 | 修正 | 订正 | 改正 | 抱歉 | 对不起 | 不好意思 | 应该是 | 應該是 | 其实 | 其實 | 再想 | 仔细想想 | 想了想 | 想一想 | 还是 | 還是 | 或者说 | 准确地说 | 说错 | 哦[,，不] | 我(?:的意思)?是说 | 我是指 | 我现在(?:更)?(?:支持|选|投|倾向|想|认为) | 现在我(?:更)?(?:支持|选|投|倾向|觉得|认为) | 实际上 | 實際上 | 事实上 | 说实话 | 反而 | 更好的是 | 不不 | 或者不如 | 说到底
    """,
    "ja": r"""
    訂正 | 修正 | 結局 | いえ | いや | 違[いう] | やはり | やっぱり | すみません | 失礼 | 申し訳 | ごめん | 待って | ちょっと待 | よく考え | 考え直 | 再考 | 実は | 実際 | むしろ | というか | 正しくは | 正確には | 今は | 今では | やり直し | 変更 | それより | 本当は
    """,
    "ko": r"""
    정정 | 수정 | 결국 | 생각해 보면 | 아니 | 잠깐 | 잠시만 | 죄송 | 미안 | 실례 | 역시 | 다시 생각 | 생각해 보니 | 생각해보니 | 곰곰이 | 사실(?:은|상)? | 오히려 | 차라리 | 그냥 | 이제는 | 지금은 | 정확히는 | 말하자면 | 변경 | 앗 | 아차 | 그보다
    """,
    "ar": r"""
    لا(?:،|,|\.|$| بل| انتظر~) | بل | كلا | انتظر~ | لحظة | مهلا | تصحيح | تعديل | تصويب | عفوا | عذرا | آسف~ | اعتذر | أعتذر | المعذرة | في الواقع | في الحقيقة | الحقيقة | بعد (?:التفكير|إعادة|مزيد|التأمل|تفكير)~ | عند التفكير | في النهاية | بالأحرى | الأصح | أقصد | قصدت | أعني | الآن (?:أفضل|أختار|أؤيد|أصوت|أميل) | الأفضل | على العكس
    """,
    "hi": r"""
    नहीं | रुकिए | रुको | ठहरिए | सुधार | संशोधन | माफ़ | माफ | क्षमा | बल्कि | दरअसल | असल में | वास्तव में | दोबारा | फिर से सोच~ | सोचने पर | सोचकर | आखिर | अंततः | मेरा मतलब | यानी | अब (?:मैं|मुझे|मेरा) | इसके बजाय | बेहतर यह | सच कहूँ | सोचें तो | अंत में
    """,
    "tr": r"""
    hayır | yok | dur(?:un)? | bekle~ | bir dakika | düzeltme | düzeltiyorum | pardon | özür | kusura | afedersiniz | affedersiniz | daha doğrusu | doğrusu | aslında | düşününce | düşündüm de | iyi düşününce | tekrar düşün~ | sonuçta | en iyisi | yani | demek iste~ | artık | şimdi (?:ben|oyum) | onun yerine | gerçekte | hay aksi | tüh | bilakis | aksine | ya da | eninde sonunda | iyi bakınca
    """,
}
"""What turns against what was said just before, at the beginning of a sentence."""

LATER: Rows = {
    "en": r"""
    next (?:week|month|time) | ask me | yet to | (?:decide|vote|answer|commit|confirm|choose|settle|say|make up my mind)\w* (?:it |this |that |on it )?(?:later|tomorrow|afterwards|another time|next|once|after) | not (?:yet )?(?:my |a |the |yet )*(?:final|binding|definitive|official)\b | not yet | not yet | provisional~ | tentative~ | preliminary | interim | for now | for the moment | for the time being | until further notice
    | reserve (?:the|my) right | reserve (?:my )?(?:final )?(?:judge?ment|decision|vote) | (?:need|want|take|require|ask for|give me) (?:some |a (?:bit|little|while) )?(?:more )?time | undecided | (?:a|the|any) (?:final|definitive|binding|real|official) (?:vote|ballot|answer|decision|choice) (?:requires?|needs?|must|should|depends|has to|will|would|can) | (?:still|not) (?:un)?(?:sure|certain|decided|thinking|wavering|torn) | unsure | open to (?:chang|revis|reconsider|persua)\w* | (?:may|might|could|can|will|shall) (?:still |yet |well )?(?:change|revise|switch|reconsider|withdraw) | (?:wait|hold|hold off|postpone|defer|delay|pause) (?:for|until|till|on|it|this|my|with|the) | (?:final|real|actual|definitive|binding) (?:vote|answer|ballot|decision|choice|verdict) (?:will|follows|comes|is to|to) | (?:will|to) follow | stay tuned | (?:until|by) (?:tomorrow|later|then) | tomorrow | first (?:impression|thought|instinct|reaction) | last word | pending | to be (?:confirmed|continued|decided|determined) | sleep on it | come back to (?:this|it) | subject to change | revisit
    """,
    "de": r"""
    nächste (?:woche|mal) | noch einmal | später | noch (?:nicht|keine|offen|unklar|unentschlossen|unsicher|unschlüssig) | vorläufig~ | vorerst | provisorisch~ | fürs erste | bis auf weiteres | (?:brauche|benötige) (?:noch |mehr |etwas )*(?:zeit|bedenkzeit) | bedenkzeit | unentschlossen | unentschieden | unschlüssig | (?:behalte|behalten) (?:ich )?mir | folgt (?:morgen|später|noch|bald|nach) | endgültig\w* (?:\w+ )?(?:folgt|kommt|erst) | unter vorbehalt | vorbehalt~ | abwarten | warten (?:wir|auf|bis) | zwischenstand | erste[rn]? eindruck | letztes wort | nacht darüber | überlege noch | schwanke
    """,
    "fr": r"""
    semaine prochaine | redemandez~ | bouche-trou | plus tard | pas encore | provisoire~ | provisoirement | pour (?:l'instant|le moment) | en attendant | indécis~ | (?:me faut|ai besoin|besoin) (?:de |d'|d'un peu )?(?:plus de |encore du |encore de )?temps | réserve le droit | me réserve | (?:définitif|définitive|final|finale) (?:suivra|viendra|arrivera) | suivra | sous réserve | j'hésite | hésite encore | attendons | à confirmer | à revoir | première impression | dernier mot | je verrai | (?:je )?(?:déciderai|trancherai|voterai)
    """,
    "es": r"""
    semana que viene | otra vez | próxima semana | más tarde | más adelante | luego decid~ | todavía no | aún no | provisional~ | de momento | por (?:ahora|el momento) | necesito (?:más |algo de )?tiempo | indecis~ | sigo (?:dudando|indecis\w*|pensando) | me reservo | (?:llegará|vendrá|daré|seguirá|será) (?:mañana|después|luego) | decidiré | esperemos | a la espera | pendiente | sujeto a cambios | por confirmar | ya veré | primera impresión | última palabra | lo pensaré
    """,
    "pt": r"""
    próxima semana | de novo | mais tarde | mais adiante | depois (?:decido|eu) | ainda não | provisóri~ | por (?:enquanto|ora|agora) | preciso de (?:mais |algum )?tempo | indecis~ | continuo (?:indecis\w*|pensando|em dúvida) | reservo-me | me reservo | (?:virá|darei|seguirá|será|chegará) (?:amanhã|depois) | vou decidir | decidirei | aguardemos | vamos esperar | pendente | sujeito a (?:alteraç~|mudanç~) | a confirmar | vou pensar | primeira impressão | última palavra
    """,
    "it": r"""
    settimana prossima | di nuovo | più tardi | più avanti | dopo decid~ | non (?:è )?ancora | ancora (?:indecis\w*|incert\w*|da) | provvisori~ | per (?:ora|il momento|adesso) | (?:mi serve|ho bisogno di|mi occorre|voglio) (?:più |altro |ancora )?tempo | indecis~ | mi riservo | (?:arriverà|verrà|seguirà|darò|sarà) (?:domani|dopo|più) | deciderò | aspettiamo | in attesa | in sospeso | da confermare | ci penserò | vedremo | prima impressione | ultima parola
    """,
    "ru": r"""
    следующей неделе | снова | заглушк~ | позже | потом (?:решу|проголосую|отвечу) | ещё не | еще не | пока (?:не|что|это|без|только) | пока$ | предварительн~ | временн~ | нужно (?:ещё |еще )?подумать | нужно (?:\w+ )*врем~ | не (?:определился|определилась|решил|решила|окончательн~|уверен~) | оставляю за собой | оставляю право | (?:голос|решение|ответ) (?:будет|последует|дам|объявлю) | завтра | колеблюсь | сомневаюсь | подождём | подождем | решу | посмотрим | перв~ впечатлени~ | последн~ (?:мо~ )?слов~ | до поры
    """,
    "pl": r"""
    za tydzień | znowu | wypełniacz~ | później | potem (?:zdecyduję|zagłosuję) | jeszcze nie | nie jest (?:to )?(?:jeszcze )?ostateczn~ | tymczasow~ | wstępn~ | na razie | póki co | potrzebuję (?:\w+ )?czasu | waham | nie zdecydowałem | nie zdecydowałam | niezdecydowan~ | zastrzegam | (?:oddam|podam|ogłoszę|podejmę) (?:jutro|później|potem) | jutro | zdecyduję | poczekajmy | wstrzymajmy | do potwierdzenia | zastanowię się | jeszcze pomyślę | pierwsze wrażenie | ostatnie słowo
    """,
    "zh": r"""
    下周 | 下次 | 占位 | 拿定 | 以后再 | 以後再 | 之后再 | 稍后 | 稍後 | 晚点 | 回头再 | 还不是 | 還不是 | 尚未 | 还没(?:有)?(?:决定|想好|确定|定) | 還沒 | 暂定 | 暫定 | 暂时 | 暫時 | 临时 | 初步 | 需要(?:更多|一些|点|再)?(?:的)?时间 | 明天 | 未定 | 待定 | 犹豫 | 保留(?:改变|更改|修改|意见|权利) | 再(?:考虑|想想|决定|说) | 目前 | 先这样 | 不是最终 | 第一印象 | 最后的话
    """,
    "ja": r"""
    来週 | もう一度 | 仮置き | 決心 | 後で | あとで | 後日 | まだ | 仮の | 暫定 | とりあえず | 今のところ | 当面 | 時間(?:が|を)(?:必要|ください|いただ) | 明日 | 迷って | 決めかね | 未定 | 留保 | 保留 | 追って | 検討中 | 様子を見 | 第一印象 | 最後の言葉 | 一晩
    """,
    "ko": r"""
    다음 주 | 다시 물 | 자리 표시 | 나중에 | 추후 | 이따 | 아직 | 임시 | 잠정 | 일단 | 당분간 | 지금으로서는 | 시간이 (?:더 )?필요 | 내일 | 고민 | 미정 | 보류 | 유보 | 권리를 | 결정하지 못 | 정하지 못 | 망설 | 더 생각 | 검토 중 | 두고 보 | 첫인상 | 마지막 말 | 하룻밤
    """,
    "ar": r"""
    مرة أخرى | الأسبوع القادم | بديل | لاحقا | فيما بعد | بعد ذلك سأ~ | ليس نهائيا | غير نهائي | لم (?:أقرر|أحسم|أحدد|يحسم) | مؤقت~ | مبدئي~ | حاليا | في الوقت (?:الحالي|الراهن) | حتى إشعار | [أا]حتاج (?:إلى )?(?:مزيد|وقت|المزيد) | غدا | متردد~ | محتار | [أا]حتفظ بحق | بحق (?:التغيير|تغيير|التعديل) | سأقرر | سأحسم | سأصوت | لننتظر | قيد الدراسة | انطباع~ | كلمتي الأخيرة | سوف (?:أقرر|أفكر)
    """,
    "hi": r"""
    अगले हफ़्ते | फिर पूछ~ | खानापूर्ति | बाद में | अभी (?:अंतिम|तय|फ़ैसला|निर्णय|पक्का|के लिए)? ?नहीं | अभी तय | अभी अंतिम | फिलहाल | फ़िलहाल | अस्थायी | अंतरिम | (?:और|कुछ|थोड़ा) समय | समय चाहिए | कल | तय नहीं | असमंजस | दुविधा | अधिकार | सोच रहा | सोच रही | सोचूँगा | इंतज़ार(?! रहेगा) | निर्णय नहीं | फ़ैसला नहीं | प्रारंभिक | पहली राय | आखिरी शब्द
    """,
    "tr": r"""
    haftaya | yeniden sor~ | tekrar sor~ | yer tutucu | sonra (?:karar~|oy~|bildir~|söyle~) | daha sonra | henüz | şimdilik | geçici | ön oy | zaman~ (?:ihtiyacım|lazım|gerek~) | ihtiyacım | yarın | kararsız~ | hakkım~ | saklı | tereddüt~ | bekleyelim | karar ver(?:eceğim|medim|emedim) | düşüneceğim | kesin değil | kesinleşmedi | belli değil | göreceğiz | ilk izlenim~ | son sözüm
    """,
}
"""What postpones it."""

UNSURE: Rows = {
    "en": r"(?:not|never|hardly|far from|anything but) (?:at all |so |very |really |too |quite |entirely |fully )*(?:sure|certain|confident|convinced) | unsure | second thoughts? | misgivings | qualms | torn | either way | maybe | perhaps | possibly | might be | may be better | may be right | could be (?:talked|persuaded|wrong|better) | (?<!no )(?<!without )doubt(?:s|ful)? | not really | who knows | or not | convince me | ask me again | coin flip | on the fence",
    "de": "vielleicht | hin- und hergerissen | auch anders | womöglich | möglicherweise | eventuell | (?:gar |überhaupt |doch |noch )*nicht (?:ganz |so |sehr )?sicher | unsicher | zweifle | zweifel | oder (?:auch )?nicht | wer weiß",
    "fr": "peut-être | pas (?:du tout |très |vraiment |si |tout à fait )*(?:sûre?|certaine?|convaincue?)s? | sûr du tout | j'en doute | doute | qui sait | ou pas | éventuellement",
    "es": "quizás? | tal vez | acaso | a lo mejor | posiblemente | no estoy (?:nada |muy |tan |del todo |para nada )?(?:segur[oa]|convencid[oa]) | dudo | dudas | quién sabe | o no$",
    "pt": "talvez | quiçá | possivelmente | não (?:tenho|estou|sei) (?:\\w+ )?(?:certeza|segur[oa]|convencid[oa]) | não sei | duvido | dúvida | quem sabe | ou não$",
    "it": "forse | magari | può darsi | probabilmente | non (?:ne )?sono (?:affatto |molto |del tutto |così |proprio )?(?:sicur[oa]|cert[oa]|convint[oa]) | dubito | chissà | o no$",
    "ru": "может быть | (?<!\\w )может(?! \\w+ть) | возможно | наверное | пожалуй | вероятно | не (?:совсем |очень |вполне |до конца )?увер~ | совсем не увер~ | сомнева~ | кто знает | или нет",
    "pl": "może(?! \\w+[ćc](?!\\w)) | być może | chyba | możliwe | (?:wcale |zupełnie |do końca |całkiem )?nie jestem (?:\\w+ )?(?:pewien|pewna|przekonan\\w*) | nie wiem | wątpię | kto wie | albo nie",
    "zh": "也许 | 也許 | 可能 | 或许 | 或許 | 说不定 | 大概 | 不(?:太|完全|是很|怎么)?(?:确定|確定|肯定|清楚) | 完全不确定 | 没(?:有)?把握 | 不知道",
    "ja": "かもしれ | 多分 | たぶん | おそらく | もしかし | 自信が?(?:まったく|全く|あまり|ない|ありません) | 自信がありません | 確信が(?:ない|持て|ありません) | 分かりません | わかりません",
    "ko": "모르 | 모릅니다 | 아마 | 어쩌면 | (?:확신|자신)이? ?(?:전혀 )?(?:없|서지|들지) | 전혀 확신 | 아닐 수도 | 수도 있 | 글쎄",
    "ar": "ربما | لعل | قد (?:يكون|تكون|لا|أكون) | لست (?:متأكد~|واثق~|مقتنع~) | غير متأكد~ | لا أدري | لا أعرف | أشك | من يدري",
    "hi": "शायद | संभवतः | हो सकता है | (?:यकीन|भरोसा|विश्वास) नहीं | पता नहीं | पक्का नहीं | संदेह | शक है | कौन जाने",
    "tr": "belki | olabilir | muhtemelen | galiba | sanırım | emin değil~ | (?:hiç|pek|tam) emin | şüphe~ | bilmiyorum | kim bilir",
}
"""What doubts it."""

BOUND: Rows = {
    "en": "(?:but |and |though |yet |albeit |at least )*(?:only )?(?:if|unless|provided|providing|assuming|as long as|so long as|on (?:the |one )?condition~|subject to|contingent~ on|conditional~ on|pending|until|in case|except if|with the proviso|this (?:only )?(?:holds|applies|counts|stands)[^.]{0,20} (?:if|when|once|unless|until|while)|only (?:when|once|after|until|as long)|should\\b[^.,]~\\b(?:fail|pass|change)~)",
    "de": "(?:aber |jedoch |und |allerdings |wobei )*(?:nur )?(?:wenn|falls|sofern|solange|sobald|nachdem|erst (?:wenn|nach)|vorausgesetzt|unter der (?:bedingung|voraussetzung)|es sei denn|außer|vorbehaltlich|unter vorbehalt|bis (?:zur|zum|auf)|das gilt nur|dies gilt nur|mit der maßgabe|nur (?:dann|unter|bis|solange))",
    "fr": "(?:mais |et |toutefois |cependant )*(?:seulement |uniquement )?(?:si(?! (?:può|potrebbe|deve|è|sono|tratta|vede|sa|possono))|s'il~|à (?:la )?condition~|à moins|sauf|sous (?:réserve|condition)~|pourvu|tant que|une fois|dès que|lorsque|quand|dans la mesure où|en attendant|du moins)",
    "es": "(?:pero |y |aunque )*(?:solo |sólo |únicamente )?(?:si(?! (?:può|potrebbe|deve|è|sono|tratta|vede|sa|possono))|siempre (?:que|y cuando)|salvo|a menos|a no ser|con (?:la |tal )(?:condición|de que|que)|a condición|bajo la condición|mientras|una vez|en cuanto|cuando|excepto si|en caso de|sujeto a|al menos por)",
    "pt": "(?:mas |e |embora )*(?:só |somente |apenas )?(?:se(?! (?:puede|pueden|debe|trata|ve|sabe|ha|han|hizo|dice|me|le|\\w+ron))|desde que|contanto|a menos|a não ser|salvo|com a condição|sob a condição|na condição|caso|enquanto|assim que|uma vez|logo que|quando|exceto se|sujeito a|pelo menos por)",
    "it": "(?:ma |e |però )*(?:solo |soltanto )?(?:se(?! (?:puede|pueden|debe|trata|ve|sabe|ha|han|hizo|dice|me|le|\\w+ron))|purché|a (?:condizione|patto|meno)|salvo|sempre che|con la condizione|finché|una volta|appena|quando|fintanto|nel caso|eccetto se|fatta salva|almeno per)",
    "ru": "(?:но |и |однако |а )*(?:только |лишь )?(?:если|при (?:условии|том условии)|лишь бы|разве что|за исключением|кроме случая|пока|до тех пор|как только|когда|в случае|с условием|с оговоркой|по крайней мере)",
    "pl": "(?:ale |i |jednak )*(?:tylko |wyłącznie )?(?:jeśli|jeżeli|gdy|o ile|pod (?:\\w+ )?warunkiem|chyba że|dopóki|gdy tylko|kiedy|w razie|z zastrzeżeniem|przynajmniej na|z wyjątkiem|byle)",
    "zh": "(?:但是?|不过|可是|而且|当然)?(?:只有|仅当|仅在)?(?:如果|要是|假如|倘若|若|除非|前提|条件|條件|只要|在.{1,20}(?:的)?情况下|假设|等.{1,20}(?:以后|之后|后)|要.{1,20}才|至少目前|有条件)",
    "ja": "(?:ただし|但し|もし|もちろん条件|条件|.{0,40}(?:場合に限|場合のみ|という条件|を条件|なければ|ければ|すれば|するなら|たら[、,]|ればです|ならば|限り|たらです|たらの話|たらですが|ことが条件|条件付き)|少なくとも今)",
    "ko": "(?:단[,、 ]|다만|만약|만일|조건|.{0,40}(?:조건(?:입|으로|하에|부)|다면요|하면요|면 그렇|ㄴ다면|는다면|않으면|경우에만|때만|한에서|한해|는 한요?$|지 않는 한|면요?(?=\\W*$))|적어도 지금)",
    "ar": "(?:لكن |ولكن |و)?(?:فقط )?(?:إذا|اذا|إن |لو |بشرط|شريطة|إلا إذا|إلا إن|ما لم|طالما|في حال|على شرط|بافتراض|على الأقل|رهنا|فقط إذا|مشروط|هذا إن|ما دام|بعد .{1,40} فقط)",
    "hi": "(?:लेकिन |मगर |पर |और )*(?:अगर|यदि|बशर्ते|शर्त|तभी|जब तक|केवल तब|सिवाय|केवल अगर|.{1,40}के बाद ही|कम से कम)",
    "tr": "(?:ama |fakat |ancak |ve )*(?:yalnızca |sadece |tek )?(?:eğer|şayet|şartıyla|koşuluyla|.{0,60}(?:şartıyla|koşuluyla|kaydıyla|[dt]ikçe\\b|[dt]ıkça\\b|madıkça\\b|medikçe\\b|[dt][ıiuü]kt[ae]n sonra|ederse\\b|mazsa\\b|mezse\\b|sürece|ırsa\\b|irse\\b|ursa\\b|ürse\\b|arsa\\b|erse\\b|şarttır|takdirde|halinde)|en azından|meğer)",
}
"""What binds it to a condition, at the beginning of a sentence or of its part."""

ASIDE: Rows = {
    "en": "a good (?:start|plan|idea|point|effort|try) | came close | considered | regards | sincerely | cheers | best wishes | close (?:second|behind) | runner-?up | second (?:place|choice|best) | thank~ | respect~ | honou?rable | near(?:ly)? as good | (?:is|was|would be) (?:also )?(?:fine|good|ok|okay|strong) too | also (?:good|fine|strong)",
    "de": "grüße~ | (?:knapp )?dahinter | zweite[rn]? | dank~ | respekt | ebenfalls gut | auch gut",
    "fr": "cordial~ | salutations | juste derrière | de près | deuxième | en second | seconde place | merci(?! d'[aeiou]) | aussi (?:bon|bien)",
    "es": "saludo~ | atentamente | quedó (?:muy )?cerca | cerca | segund~ | gracias | también (?:es )?buen~",
    "pt": "atenciosamente | abraço~ | saudações | ficou (?:muito )?perto | perto | segund~ | obrigad~ | também (?:é )?bo[ma]",
    "it": "salut~ | cordial~ | vicino | second[oa] | grazie | anche buon~",
    "ru": "уважением | близко | втор~ | спасибо | тоже хорош~",
    "pl": "poważaniem | pozdrawiam | blisko | drug~ | dzięk~ | też dobr~",
    "zh": "也很接近 | 接近 | 第二 | 谢谢 | 也不错",
    "ja": "僅差 | 惜し | 次点 | ありがとう | も良",
    "ko": "근접 | 아깝 | 차점 | 감사(?:합|드|해) | 도 좋",
    "ar": "قريب~ | الثاني | شكرا | جيد أيضا",
    "hi": "करीब | दूसरे | धन्यवाद | भी अच्छा",
    "tr": "saygı~ | yaklaş~ | ikinci | teşekkür~ | da iyi | de iyi",
}
"""What makes a short sentence that names another candidate harmless."""


SELF: Rows = {
    "en": "(?:the )?(?:line|row) above | format | template | (?<!\\w )i | i (?:am|would|think|will|may|might|have|had|could|can|do|did|was|need|want|meant?|should|must|prefer|now|take|said|wrote|got|go|side|support|change|withdraw|retract|believe|choose|pick|see|still) | i\'m | i've | i'd | i'll | me | my | mine | myself | please | kindly | (?:this|that|the|said) (?:vote|ballot|answer|choice|pick) | (?<!\\w )(?:this|that)(?:'s| is| was| isn't| wasn't| must| should) | the above | above | honestly | frankly | to be (?:honest|fair|frank)",
    "de": "zeile | oben | format | ich | mir | mich | mein~ | bitte | dies(?:e|er|en|es)? (?:stimme|votum|wahl) | die stimme | das (?:ist|war|stimmt|gilt|hier) | obige~ | ehrlich gesagt | offen gesagt | ehrlicherweise",
    "fr": "ligne | ci-dessus | format | ceci | n'est qu'~ | je | j'~ | me | m'~ | moi | mon | ma (?:voix|décision|réponse|position|préférence|faute|conclusion|part) | (?<!al )(?<!un )mes | merci de | veuillez | prière | s'il vous plaît | ce (?:vote|bulletin|choix) | ce n'est | merci d'~ | ce n'était | ce qui précède | honnêtement | franchement | considérez | mettez",
    "es": "línea | arriba | formato | yo | es (?:solo|sólo|solamente|apenas) | me | mí | mi | mis | conmigo | por favor | est[ea] (?:voto|papeleta|elección) | es[ea] (?:voto|no) | eso | esto | lo (?:dicho|anterior) | sinceramente | francamente | \\w+(?:aré|eré|iré) | (?:preferi|vota|elegi|di|que)ría | estoy | soy | voy | sigo | considérenlo | pongan | quisiera",
    "pt": "linha | acima | formato | eu | é (?:só|apenas|somente) | me | mim | meu | minha | meus | comigo | por favor | favor | est[ea] voto | ess[ea] (?:voto|não) | isso | isto | sinceramente | francamente | \\w+(?:arei|erei|irei) | (?:preferi|vota|escolhe|di|gosta)ria | estou | sou | vou | acho | quero | considerem | coloquem",
    "it": "riga | sopra | formato | io | è (?:solo|soltanto|appena) | mi | me | mio | mia | miei | per favore | prego | quest[oa] | quel (?:voto|che) | quello | ciò | sinceramente | francamente | \\w+(?:erò|irò|erei|irei) | (?<!\\w )(?:non |ne )?sono | sto | credo | ho | vorrei | potrei | dovrei | consideratelo | mettete",
    "ru": "строк~ | выше | формат~ | просто | я | меня | мне | мной | мой | моё | мое | моя | мои | мою | моего | моем | прошу | пожалуйста | эт(?:от|ого) голос~ | это (?:не|лишь|только|пока|ещё|еще|всё|все|был~) | честно | откровенно | считайте | поставьте",
    "pl": "wiersz~ | powyżej | format~ | ja | mi | mnie | mój | moja | moje | moj~ | mam | proszę | te(?:n|go|mu) głos~ | to (?:nie|tylko|jeszcze|jednak|było?|mój|moja) | szczerze | uznajcie | wpiszcie | \\w+(?:łem|łam|łbym|łabym) | jestem | wolę",
    "zh": "一行 | 上一 | 格式 | 试试 | 我 | 请 | 請 | (?:这|這|此|该)(?:一)?票 | 这(?:只|不|其|还|仅|个(?!方案|提案|计划)|是) | 這(?:只|不|其|還|僅|個|是) | 说实话 | 老实说 | 坦白 | 刚才 | 剛才 | 上面",
    "ja": "の行 | 上の | 形式 | 試し | 私 | わたし | 僕 | この(?:一)?(?:票|投票) | これ(?:は|が) | ください | お願い | たい(?:です|と) | 正直(?!に) | 先ほど | と思い | そういう | そんな | 悩 | べきでした | 疑問",
    "ko": "줄을? | 위 | 형식\\S* | 시험해 | 저는 | 저 | 제 | 제가 | 저의 | 나는 | 내 | 이 (?:표|투표)\\w* | 이것은? | 이건 | 그런 | \\S*주세요 | \\S*주십시오 | 부탁\\S* | 솔직히 | \\S*겠습니다 | \\S*싶습니다 | \\S*같습니다 | \\S*갈립니다",
    "ar": "السطر | أعلاه | الصيغة | [أا]ردت | اسألوني | أنا | إنني | [أإ]نني | كنت | لست | لدي | عندي | (?:ل|ب|ك)?(?:صوتي|ر[أا]يي|كلمتي|قراري|اختياري|جوابي|تصويتي) | هذا (?:الصوت|ليس|مجرد|صوت|كل) | هذه (?:ليست|مجرد|هي) | اعتبروا | [أا]رجو | رجاء | من فضلكم | لطفا | ضعوا | (?<!\\S )بصراحة | س[أا]~ | قد [أا]~ | [أا](?:ظن|ريد|عتقد|فضل|ختار|نتقل|ميل|حتاج|فكر|ؤكد|قصد|رى|رغب|ود|ترك|عود)",
    "hi": "पंक्ति | ऊपर | प्रारूप | मैं | मुझे | मुझसे | मुझको | मैंने | मेरा | मेरी | मेरे | कृपया | इस (?:वोट|मत) | यह (?:केवल|सिर्फ़|सिर्फ|बस|वोट|मत|मेरा|मेरी|अभी|नहीं) | इसे | इसकी जगह | सच कहूँ | ईमानदारी | \\S+(?:ूँगा|ूँगी|ूंगा|ूंगी)",
    "tr": "satır~ | yukarı~ | biçim~ | ben | benim | bana | beni | oyum~ | lütfen | bu (?:oy~|sadece|yalnızca|son|aslında|henüz|benim|bir) | bunu | yerine | doğrusu | açıkçası | dürüst~ | (?!adım)\\w+(?:[ıiuü]yorum|acağım|eceğim|[dt][ıiuü]m|m[ıiuü]ş[ıiuü]m|rım|rim|rum|rüm|kaldım)",
}
"""What speaks of the author, of the statement itself, or asks something of whoever counts it.

These are words of closed classes: pronouns, endings of the first person, demonstratives, and "please".
"""

SAFE: Rows = {
    "en": "hope | explain | stand by | final | that(?:'s| is) (?:it|all|that) | confident | confidence | certain | sure(?! at) | stand(?:s)? | thank~ | look~ forward | happy to | glad | to add | conclud~ | convinc~ | appreciate~ | respect~ | enjoyed | good faith | close | reason~ | because | read | compared | weighed | considered | next step | regards | trust | firm~ | definitive | in summary | rests on | based on | let me know | settled | voted for | found | find | impressed~ | like[ds]? | believe | agree | remain~",
    "de": "stehe | erklär~ | endgültig~ | sicher | überzeugt | dank~ | freue | hinzuzufügen | abgeschlossen | gelesen | gefunden | verglichen | abgewogen | grund | weil | grüße~ | zuversicht~ | bleibe | steht fest | fest",
    "fr": "expliqu~ | en dire plus | définiti~ | sûre? | certaine? | convain~ | merci(?! d) | attends (?:avec|le prochain) | hâte | à ajouter | conclut | lu | trouvé~ | comparé | pesé | raison | parce | confian~ | ferme | maintiens",
    "es": "explic~ | definitiv~ | segur[oa] | convencid[oa] | gracias | espero con | añadir | agregar | conclu~ | leído | encontr~ | leí | compar~ | sopes~ | motivo | porque | confian~ | firme | mantengo",
    "pt": "explic~ | definitiv~ | certeza | segur[oa] | convencid[oa] | obrigad~ | aguardo com | acrescentar | conclu~ | li | encontr~ | compar~ | pesei | motivo | porque | confian~ | firme | mantenho",
    "it": "spieg~ | confermo(?! dopo) | definitiv~ | sicur[oa] | convint[oa] | grazie | aspetto con | aggiungere | conclus~ | letto | trovat~ | confront~ | pesato | motivo | perché | fiduci~ | ferm~ | confermo il",
    "ru": "стою | объясн~ | подтверждаю | окончательн~ | уверен~ | убежд~ | спасибо | благодар~ | жду | с нетерпением | добавить | заверш~ | прочит~ | нашёл | нашел | нашла | сравнил~ | взвесил~ | причин~ | потому | твёрдо | твердо | остаюсь",
    "pl": "podtrzymuj~ | wyjaśni~ | ostateczn~ | pewien | pewna | przekonan~ | dzięk~ | czekam na | dodania | kończę | zakończ~ | przeczyt~ | znalazł~ | porówn~ | rozważy~ | powód | ponieważ | stanowcz~ | pozostaję",
    "zh": "解释 | 最终 | 最終 | 信心 | 确信 | 肯定 | 谢谢 | 感谢 | 期待 | 到此 | 结束 | 没有别的 | 读完 | 找到 | 看了 | 比较 | 理由 | 因为 | 坚持",
    "ja": "変わりません | 説明 | 最終 | 自信 | 確信 | ありがと | 感謝 | 楽しみ | 付け加える | 終わり | 読みました | 見つか | 読んで | 比較 | 理由 | から | 以上",
    "ko": "유지\\S* | 설명\\S* | 최종 | 확신 | 자신 | 감사(?:합|드|해) | 기대 | 덧붙일 | 마칩니다 | 읽었 | 찾 | 비교 | 이유 | 때문 | 이상입니다",
    "ar": "[أا]تمسك | [أا]شرح | نهائي~ | النهائي~ | واثق~ | متأكد~ | شكرا | [أا]شكر~ | [أا]تطلع | [أا]ضيفه | ينتهي | قر[أا]ت | [أا]جد | قارنت | السبب | ل[أا]ن~ | ثقة | ثابت",
    "hi": "कायम | समझा | अंतिम | भरोसा | यकीन | विश्वास | धन्यवाद | आभार | इंतज़ार रहेगा | जोड़ना | पूरा हुआ | पढ़ी | मिला | मिली | पढ़े | तुलना | कारण | क्योंकि",
    "tr": "arkasınday~ | açıkla(?:rım|yabilirim|mak) | kesin | son | eminim | teşekkür~ | bekliyorum | ekleyecek | ibaret~ | okudum | bulamadım | buldum | karşılaştır~ | tarttım | neden~ | çünkü | güven~ | kararlıyım",
}
"""What makes such a sentence harmless, unless it is denied: that the statement is final, thanks, what was read."""

DENY: Rows = {
    "en": "not | n't | never | no longer | hardly | cannot | neither | \\w+n't",
    "de": "nicht | nie | kein~ | kaum",
    "fr": "pas | plus | jamais | n'~ | ne",
    "es": "no | nunca | tampoco",
    "pt": "não | nunca | nem",
    "it": "non | mai | né",
    "ru": "не | нет | никогда",
    "pl": "nie | nigdy",
    "zh": "不(?!过) | 没 | 沒 | 未 | 非",
    "ja": "ない | ません | なく",
    "ko": "않\\S* | 없\\S* | 못\\S* | 아닙\\S* | 아닌\\S* | 아니\\S* | 안",
    "ar": "لا | ليس~ | لست | لم | لن | غير",
    "hi": "नहीं | न | मत",
    "tr": "değil~ | yok | hiç | \\w+m[ae](?:dım|dim|m|z|zsa|zse|yorum)",
}
"""What denies."""

OWN: Rows = {
    "en": "my | mine | i | here is | as requested | in the requested | requested form",
    "de": "stimme~ | mein~ | ich | hier ist | meinerseits",
    "fr": "mon | ma | mes | je | j' | voici",
    "es": "voto | mi | mis | yo | aquí (?:está|va) | he (?:leído|decidido|votado)",
    "pt": "voto | meu | minha | meus | eu | aqui está | li",
    "it": "voto | mio | mia | miei | io | ecco | ho",
    "ru": "голосую | мой | моё | моя | мое | я | вот",
    "pl": "głosuję | mój | moja | moje | oto | ja",
    "zh": "我 | 格式 | 以下 | 之后 | 之後 | 以后 | 考虑 | 权衡 | 综上 | 最终 | 最後 | 投票$ | 决定",
    "ja": "私 | 形式 | 指定 | 決定 | 投票 | わたし | 以下 | 最終 | 結果 | 検討 | 考え | 踏まえ | 結論",
    "ko": "저 | 형식 | 결정 | 투표 | 제 | 나의 | 내 | 최종 | 다음 | 결과 | 검토 | 고려 | 결론",
    "ar": "[أا]صوت | صوتي | قراري | أنا | جوابي | هذا | اختياري | بعد | بناء | نظرا | ختاما | في الختام | النهائي",
    "hi": "वोट | मेरा | मेरी | मैं | मेरे | के बाद | विचार | अंतिम | निष्कर्ष | निर्णय",
    "tr": "oy | benim | oyum | kararım | cevabım | ben | sonra | sonunda | sonuç | değerlendir~ | son oy~",
}
"""What gives a line that ends in a colon to its author."""

OPEN: Rows = {
    "en": "all things | all in all | on balance | after | having | based on | given | considering | weighing | in conclusion | to conclude | in summary | final (?:vote|answer|decision|ballot|choice) | vote | ballot | decision",
    "de": "alles in allem | nach | auf grund | aufgrund | angesichts | abschließend | abstimmung | endgültig~ | fazit",
    "fr": "tout (?:bien|compte) | après | vu | compte tenu | en conclusion | pour conclure | conclusion | décision",
    "es": "considerándolo | en definitiva | tras | después | luego de | considerando | en conclusión | para concluir | habiendo | decisión",
    "pt": "levando | em suma | depois | após | considerando | em conclusão | para concluir | tendo | decisão",
    "it": "tutto (?:considerato|sommato) | in definitiva | dopo | considerat~ | in conclusione | per concludere | avendo | valutat~ | decisione",
    "ru": "с учётом | с учетом | в итоге | после | взвесив | рассмотрев | изучив | прочитав | учитывая | итак | в заключение | окончательн~ | решение",
    "pl": "biorąc | w sumie | po | rozważywszy | biorąc | podsumowując | na podstawie | ostateczn~ | decyzja",
}
"""How a line begins that ends in a colon and leads up to the author's own decision."""

PREFER: Rows = {
    "en": "convinc~ | want | better | best | prefer~ | deserves? | instead | rather | wins? | should (?:win|get|have|be) | gets? my | has my | goes to | superior | stronger | i (?:go|choose|pick|take) | it is$ | it has to be | then$ | too$ | convinced me | (?:my|the) (?:real|actual|true|new|right) | change~ | switch~ | to$",
    "de": "muss es | heißen | gemeint | besser~ | beste~ | bevorzug~ | lieber | verdient | vorzuziehen | überzeug~ | stattdessen | gewinnt | überlegen | wäre es | doch",
    "fr": "veux | fallait | meilleur~ | mieux | préfèr~ | mérite~ | plutôt | gagne | supérieur~ | l'emporte | ce sera | convainc~",
    "es": "quiero | debía | mejor~ | prefer~ | prefier~ | merece~ | gana~ | superior~ | quedo con | convence~ | elijo",
    "pt": "quero | devia | melhor~ | prefir~ | prefer~ | merece~ | ganha | vence | superior~ | fico com | convence~ | escolho",
    "it": "voglio | doveva | miglior~ | meglio | prefer~ | merit~ | vince | superior~ | scelgo | convin~ | la spunta",
    "ru": "должн~ | нужен | именно | лучш~ | предпоч~ | заслуж~ | достоин~ | выиг~ | сильнее | убед~ | выбираю | за",
    "pl": "miał[oa]? być | chodzi | lepsz~ | lepiej | wol~ | zasługuj~ | wygryw~ | przekon~ | wybieram | stawiam | raczej",
    "zh": "我要的 | 本来 | 换成 | 更 | 最好 | 较好 | 應該 | 应该 | 值得 | 胜 | 支持 | 选 | 才是 | 改",
    "ja": "つもり | 差し替え | 欲しい | ほうが | 方が | より良 | 良い | 優れ | ふさわしい | 支持 | にします | べき | 選び | 変更",
    "ko": "원하는 | 쓰려 | 로 바꿔 | 더 | 낫 | 나은 | 나을 | 선호 | 적합 | 지지 | 하겠습니다 | 선택 | 바꾸 | 변경",
    "ar": "[أا]ريد | كان يجب | يقنعني | [أا]فضل | [أا]حسن | يستحق~ | تستحق | [أا]ختار | [أا]رجح | [أا]نسب | الأفضل",
    "hi": "चाहिए | बदल | ठीक लगा | बेहतर | हकदार | चुनता | चुनती | पसंद | सही रहेगा | के साथ हूँ | अच्छा है | को देता",
    "tr": "olmalı~ | ikna | istediğim | değiştir~ | daha iyi~ | daha uygun~ | tercih | hak edi~ | hak ed~ | seçiyorum | diyorum | yanındayım | kazan~ | üstün",
}
"""What puts somebody before others."""

REASON: Rows = {
    "en": "because | since | as (?:it|its|they|their|the|this|that) | for (?:its|their|the|having|being) | due to | owing to | thanks to | given | which | who | whose | based on | mainly | reason~ | that is why",
    "de": "weil | da | denn | wegen | aufgrund | dank | begründung | grund | zumal | nämlich | der als | die als | das als",
    "fr": "parce qu~ | car | puisqu~ | en raison | grâce | raison | motif | vu | étant donné | du fait | pour (?:son|sa|ses|la|le|les) | dont | à cause | compte tenu | d'autant",
    "es": "porque | ya que | pues | puesto que | por (?:su|sus|el|la|los|las) | debido a | gracias a | dado que | motivo | razón | cuyo | cuya | a causa",
    "pt": "porque | já que | pois | uma vez que | visto que | devido | graças | dado que | motivo | razão | pelo | pela | pelos | pelas | por (?:sua|seu|ter|ser) | cujo | cuja",
    "it": "perché | poiché | dato che | siccome | giacché | in quanto | visto che | grazie a~ | motivo | motivazione | per (?:il|la|i|le|l'|lo|gli)~ | a causa | il cui | la cui",
    "ru": "потому | так как | поскольку | ибо | из-за | благодаря | причин~ | обоснование | ведь | чей | чья | у него | в силу",
    "pl": "ponieważ | bo | gdyż | dlatego | ze względu | dzięki | z powodu | powód | powodem | uzasadnienie | jako że | którego | której | albowiem",
    "zh": "因为 | 因為 | 由于 | 由於 | 理由 | 原因 | 鉴于",
    "ja": "なぜなら | 理由 | というのも | から",
    "ko": "왜냐하면 | 이유 | 때문 | 근거",
    "ar": "ل[أا]ن~ | بسبب | نظرا | السبب | التعليل | بفضل | كونه~ | حيث",
    "hi": "क्योंकि | कारण | वजह | इसलिए | चूँकि",
    "tr": "çünkü | zira | nedeni~ | gerekçe~ | sebebi~ | dolayı",
}
"""What opens a reason."""

_TABLES: Mapping[str, Rows] = {
    "BACK": BACK,
    "TURN": TURN,
    "LATER": LATER,
    "UNSURE": UNSURE,
    "BOUND": BOUND,
    "ASIDE": ASIDE,
    "PREFER": PREFER,
    "OWN": OWN,
    "SELF": SELF,
    "SAFE": SAFE,
    "DENY": DENY,
    "OPEN": OPEN,
    "REASON": REASON,
}


@cache
def patterns(name: str) -> tuple[tuple[re.Pattern[str] | None, re.Pattern[str]], ...]:
    """The patterns of a table by its name: the letters that a text must hold, and what is searched for."""
    rows: Rows = _TABLES[name]
    plain = "|".join(_row(row, spaced=True) for language, row in rows.items() if language not in _SCRIPTS)
    own = [
        (re.compile(_SCRIPTS[language]), _bounded(_row(row, spaced=language not in _UNSPACED), language))
        for language, row in rows.items()
        if language in _SCRIPTS
    ]
    return ((None, _bounded(plain, "")), *own)


def _bounded(row: str, language: str) -> re.Pattern[str]:
    if language in _UNSPACED:
        return re.compile(f"(?:{row})")
    clitic = "(?:و|ف)?" if language == "ar" else ""
    return re.compile(rf"(?<!{LETTER}){clitic}(?:{row})(?!{LETTER})")


def _row(row: str, *, spaced: bool) -> str:
    """A row as one pattern: bars between blanks part the cues, and a stem takes the rest of its word."""
    return re.sub(r"\s+\|\s+", "|", " ".join(row.split())).replace("~", rf"{LETTER}*" if spaced else "")
