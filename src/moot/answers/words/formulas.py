"""Formulas of ballots: lists of phrases by which authors vote, abstain, or take a vote back.

All patterns are for folded text (``plain_text.fold``). Each stands behind the letters without which it cannot match, so
that a text is searched only for the languages that it may be in.
"""

from typing import TypeAlias

from moot.core.text import late_pattern

Patterns: TypeAlias = tuple[tuple[str, str], ...]
"""Patterns, each behind the letters without which it cannot match; who meets them in a text compiles them."""

_WITH_LETTERS = "(?<!\\w)(?:{0})(?!\\w)"
_ADVERBS = (
    "hereby|now|therefore|thus|finally|firmly|gladly|proudly|confidently|respectfully|reluctantly|formally|officially"
    "|personally|also|still|strongly|clearly|happily"
)
_HELD_BACK = "but|however|though|yet|if|once|when|until|till|unless|after|first"
_LIKE = rf"(?:'d| would) like to(?![^.!?\n]*\b(?:{_HELD_BACK})\b|[^\n]*\b(?:unfortunately|sadly|alas|regrettably)\b)"


def _word(needle: str, pattern: str) -> tuple[str, str]:
    return needle, _WITH_LETTERS.format(pattern)


def _sign(needle: str, pattern: str) -> tuple[str, str]:
    return needle, pattern


PICKS: Patterns = (
    *(
        _word(verb, rf"i (?:(?:{_ADVERBS}) )*(?:(?:will|shall|'ll) )?(?:(?:{_ADVERBS}) )*{verb}")
        for verb in ("pick", "select", "choose")
    ),
)
"""How somebody says which of several things it takes, where it alone decides."""

WISHES = (
    r"je (?:voudrais|souhaite|veux) voter (?:pour|en faveur de)"
    r"|(?:quiero|quisiera|deseo) votar (?:por|a favor de)|(?:gostaria de|quero|desejo) votar (?:em|no|na)"
    r"|(?:vorrei|voglio|desidero) votare (?:per|a favore di)"
)
"""How a wish to vote begins, where the candidate's name stands behind."""
_WISHES_RU = r"(?:(?:я )?хочу|я (?:бы )?хотела?(?: бы)?) (?:проголосовать|отдать (?:свой )?голос) за"

VOTES: Patterns = (
    _word(
        "vot",
        rf"i(?: (?:{_ADVERBS}))*(?: will| shall|'ll| am|'m|{_LIKE})?(?: (?:hereby|now|therefore|finally))?"
        r"(?: cast(?:ing)? my (?:final )?vote (?:for|to)| giv(?:e|ing) my vote to| vot(?:e|ing) for)",
    ),
    _word("vote", r"i (?:now |hereby |therefore )?(?:am |'m )?(?:chang|switch|mov)(?:e|ing) my vote to"),
    _word("vote", r"my (?:final |own )?vote (?:(?:has to|must) go to|goes to|is for|is)"),
    _word("ballot", r"my (?:final |own )?ballot (?:goes to|is for|is)"),
    _word("vote for", rf"i(?:(?: hereby| therefore)? (?:choose|decided?|have decided|want|wish) to|{_LIKE}) vote for"),
    _word("vot", WISHES),
    _word("голос", _WISHES_RU),
    _word("go with", r"i(?:'ll| will| shall)(?: therefore| now)? go with"),
    _word("co", r"me quedo con|fico com"),
    _word(
        "stimme",
        r"ich stimme(?: (?:daher|deshalb|also|somit|klar|nun))? für|stimme ich für"
        r"|ich gebe (?:hiermit )?meine stimme(?: an| für)?",
    ),
    _word("stimme", r"meine (?:endgültige )?stimme (?:geht an|gilt|bekommt|erhält|ist für)"),
    _word("votiere", r"ich votiere für|votiere ich für"),
    _word("ich wähle", r"ich wähle"),
    _word("je vote", r"je vote(?: donc| sans hésit(?:er|ation))? (?:pour|en faveur de)"),
    _word("mon vote", r"mon vote (?:va à|est pour|revient à)|(?:je donne|j'accorde|je accorde) mon vote à"),
    _word("voix", r"ma voix (?:va à|est pour|revient à)|(?:je donne|j'accorde|je accorde) ma voix à"),
    _word(
        "voto",
        r"mi voto (?:es|va|será) (?:para|por|a)|(?:doy|otorgo) mi voto a|il mio voto (?:va ad?|è per|è a favore di)"
        r"|(?:do|assegno) il mio voto ad?|(?:o )?meu voto (?:vai|é) (?:para(?: [oa](?= \w))?|em|no|na)|(?:dou"
        r"|concedo) (?:o )?meu voto (?:ao?|à|para)",
    ),
    _word(
        "voto",
        r"(?:(?:yo|io|eu) )?voto(?: sin dudar(?:lo)?| sem hesitar| senza esitare)?"
        r" (?:por|a favor de|per|a favore di|em|no|na)",
    ),
    _word(
        "ballot",
        rf"i(?: (?:{_ADVERBS}))*(?: will| shall|'ll| am|'m)?(?: (?:{_ADVERBS}))*"
        r" cast(?:ing)? my (?:final )?ballot (?:for|to)",
    ),
    _word("to vote for", r"my (?:final )?(?:decision|choice) is to vote for"),
    _word("casting", r"(?:i am |i'm )?casting my (?:final )?(?:vote|ballot) for"),
    _word("for", r"(?:count me in|put me down|mark me down) for"),
    _word("going with", r"i(?: am|'m) going with"),
    _word("i choose", r"i choose(?! (?:to|between|not|whichever|whoever)\b)"),
    _word("stimme", r"gebe ich(?: hiermit| daher| somit)? meine stimme(?: an| für)?"),
    _word("entscheide", r"(?:ich entscheide mich|entscheide ich mich) für"),
    _word("wahl", r"meine wahl (?:fällt auf|ist)"),
    _word("je choisis", r"je choisis"),
    _word("prononce", r"je me prononce (?:pour|en faveur de)"),
    _word("choix", r"mon choix (?:se porte sur|est)"),
    _word("me decido", r"(?:yo )?me decido por"),
    _word("mi voto", r"(?:emito|doy) mi voto (?:por|a favor de)|le doy mi voto a"),
    _word("elección", r"mi elección es(?! por\b)"),
    _word("meu voto", r"entrego (?:o )?meu voto a"),
    _word("decido", r"(?:eu )?(?:decido-me|me decido) por"),
    _word("escolha", r"(?:a )?minha escolha é"),
    _word("voto é", r"(?:o )?meu voto é(?! (?:para|em|no|na|do|da|a)\b)"),
    _word("esprimo", r"mi esprimo (?:a favore di|per)"),
    _word("mia scelta", r"(?:la )?mia scelta è"),
    _word("мой голос", r"мой голос [\u2013\u2014-] (?:за)?"),
    _word("мой выбор", r"мой выбор [\u2013\u2014-]"),
    _word("голос", r"(?:отдаю (?:свой|мой) голос|свой голос (?:я )?отдаю)(?: за)?"),
    _word("głos", r"(?:swój|mój) głos oddaję na"),
    _word("wybór", r"mój wybór (?:to|pada na)"),
    _sign("选择", r"我选择(?![投支弃放])(?:的是)?|我的选择是"),
    _sign("選擇", r"我選擇(?![投支棄放])(?:的是)?|我的選擇是"),
    _sign("صوتي", r"صوتي (?:يذهب|سيذهب) (?:إلى|ل(?:صالح|ـ)?)|(?:أدلي|سأدلي) بصوتي (?:ل(?:صالح|ـ)?|إلى)"),
    _sign("ختياري", r"اختياري هو"),
    _word("jo", r"(?:yo )?(?:elijo|escojo)(?: a)?"),
    _word("scelgo", r"(?:io )?scelgo"),
    _word("escolho", r"(?:eu )?escolho"),
    _word("wybieram", r"(?:ja )?wybieram"),
    _word("выбираю", r"(?:я )?выбираю"),
    _sign("ختار", r"(?:أنا )?[أا]ختار(?!\w)"),
    _sign("我选", r"我选(?![择票出中])"),
    _sign("我選", r"我選(?![擇票出中])"),
    _word("votez", r"(?:eu )?votez (?:pentru|cu)"),
    _word("stem", r"(?:ik stem(?: daarom)?|(?:daarom|dus) stem ik) (?:op|voor)"),
    _word("röstar", r"jag röstar (?:på|för)"),
    _word("stemmer", r"jeg stemmer (?:på|for)"),
    _word("äänestän", r"äänestän"),
    _word(
        "głos",
        r"(?:ja )?(?:głosuję (?:na|za)|(?:od)?daję (?:swój |mój )?głos na)|mój głos (?:na|otrzymuje|dostaje|idzie na"
        r"|jest za|pada na)",
    ),
    _word("hlasuj", r"hlasuj[iu] pro"),
    _word(
        "голос",
        r"(?:я )?(?:голосую за|отдаю (?:свой |мой )?голос за|віддаю (?:свій )?голос за)|мой голос (?:за|получает"
        r"|достаётся|достается|отдан за)(?!\\w)",
    ),
    _word("ψηφίζω", r"ψηφίζω(?: υπέρ| τον| την)?"),
    _word("oyum", r"(?:benim )?(?:son |kesin )?oyum(?! (?:yok|bu)\b)"),
    _word("saya", r"saya (?:memilih|memberikan suara untuk)"),
    _word("phiếu", r"tôi bỏ phiếu cho"),
    _sign(
        "ص",
        r"(?:أنا |إنني )?(?:س)?[أا]ص[وّ]+ت (?:ل(?:صالح|ـ)?|إلى)|(?:[أا]منح|[أا]عطي) صوتي (?:ل(?:صالح|ـ)?|إلى)"
        r"|صوتي (?:النهائي )?(?:ل(?:صالح|ـ)|إلى)",
    ),
    _sign(
        "投",
        r"我(?:毫不(?:犹豫|猶豫)地)?(?:(?:选择|選擇|决定|決定|要|会|會|将|將)?(?:投票?(?:给|給)|投票(?:支持|选择|選擇)|投(?![票给給入]))"
        r"|的(?:最终)?投票(?:是)?)|(?:私の)?投票先?(?:は)?(?=\s*:)",
    ),
    _sign("票", r"我(?:的?(?:这|這)?一票|的票|把(?:这|這|我的)?一?票)投?(?:给|給)"),
    _sign("표", r"(?:나의|내|저의|제) (?:최종 )?(?:투표|표)(?:는)?(?=\s*:)"),
    _sign("मेरा", r"मेरा (?:अंतिम )?(?:वोट|मत)(?=\s*:)"),
    _sign("मैं", r"मैं (?:अपना )?(?:वोट|मत) (?:देता|देती) (?:हूँ|हूं)(?=\s*:)"),
    _sign("صوتي", r"صوتي(?: النهائي)?(?=\s*:)"),
)
"""A first-person statement of a vote; the candidate's name follows it."""

AFTER = (
    _sign("投票", r"に(?:一票を)?投票(?:します|する|いたします|致します)(?!(?:つもり|予定|ところ|はず)(?:でし|だっ))"),
    _sign("票", r"に(?:私の)?(?:一票|票)を(?:入れます|投じます|入れる|投じる)"),
    _sign("入れます", r"に入れます"),
    _sign("です", r"(?<=[^\s])です(?=[。\n!、,;:\s(\u2014-]|$)"),
    _sign("투표", r"(?:에게|에|께) ?(?:제 |한 )?(?:표를 |한 표를 )?투표(?:합니다|한다|하겠습니다|할게요|했습니다)"),
    _sign("표", r"(?:에게|에) ?(?:제 |한 )?표를 (?:줍니다|던집니다|드립니다|주겠습니다)"),
    _sign("니다", r"(?:에게|에|께) (?:갑|드립|줍)니다"),
    _sign("en", r" (?:stimmen|votieren)(?=\s*(?:$|[.,;:!()\n\u2013\u2014-]))"),
    _sign("it is", r" it is(?=[ \t]*[.!]?[ \t]*(?:\n|$))"),
    _sign("vote", r" (?:has|has won|has earned|gets|receives|earns|wins) my (?:full |final )?vote(?!\w)"),
    _sign(
        "stimme",
        r" (?:bekommt|erhält|hat) meine stimme(?!\w)| meine stimme(?=\s*(?:$|[.,;:!()\n\u2013\u2014-]))",
    ),
    _sign(
        "vo",
        r" (?:tiene|recibe|obtiene) mi voto(?!\w)| (?:ha|riceve|ottiene) il mio voto(?!\w)| (?:tem"
        r"|recebe) (?:o )?meu voto(?!\w)",
    ),
    _sign("vo", r" (?:a|reçoit|obtient|remporte) (?:ma voix|mon vote)(?!\w)| que je vote(?=\s*(?:$|[.!;:\n]))"),
    _sign("głos", r" (?:dostaje|otrzymuje|ma) mój głos(?!\w)"),
    _sign("голос", r" получает мой голос(?!\w)"),
    _sign(
        "को",
        r" को (?:(?:अपना|मेरा|एक) )?(?:वोट|मत|मतदान) (?:देता|देती|दूँगा|दूँगी|दूंगा|दूंगी|दे रहा|दे रही|करता"
        r"|करती)(?: हूँ| हूं| हू)?| को (?:जाता |मिलता )?है",
    ),
    _sign(
        "के",
        r" के (?:पक्ष में|लिए) (?:(?:अपना )?(?:वोट|मत|मतदान) (?:देता|देती|करता|करती|दे रहा"
        r"|दे रही)(?: हूँ| हूं)|है)",
    ),
    _sign(
        "oy",
        r"(?:'?[ny]?[aeıiuü]| için| lehine| (?:seçeneğ|öneris|aday|teklif|plan)\w{1,3})? (?:oyumu |(?:bir )?oy )"
        r"(?:veriyorum|kullanıyorum|vereceğim|kullanacağım|verdim)",
    ),
    _sign("支持", r"を支持(?:いた)?(?:します|する)"),
    _sign("選", r"を(?:選び(?:ます|たい(?:と思い|です))|選択(?:いた)?します|選択する|選ぶ)"),
    _sign("投票", r"に投票すること(?:に(?:決めました|します|いたします)|を決めました)"),
    _sign("一票", r"に一票(?:です|を入れます|を投じます|(?=[。.!\n]|$))"),
    _sign("선택", r"(?:을|를) 선택(?:합니다|하겠습니다|했습니다|한다)"),
    _sign("입니다", r"(?<=[^\s])입니다(?=[\n!,;:.\s(\u2014-]|$)"),
    _sign("है", r" है(?=\s*(?:[।\n!,;:.(\u2014-]|$))"),
    _sign("को", r" को (?:देता|देती|दे रहा|दे रही|दूँगा|दूँगी)(?: हूँ| हूं)?(?=\s*(?:[।\n!,;:.(\u2014-]|$))"),
    _sign("चुन", r" को (?:चुनता|चुनती)(?: हूँ| हूं)?"),
    _sign("iyorum", r"(?:'?[ny]?[ıiuü])? (?:seçiyorum|tercih ediyorum)"),
    _sign("m", r"(?:'?[ny]?[aeıiuü]| için| lehine) (?:ver(?:iyorum|eceğim|dim)|kullan(?:ıyorum|acağım))"),
)
"""The same where the name stands before the verb, up to the particle."""

BACKINGS: Patterns = (
    _word("i ", rf"i (?:(?:{_ADVERBS}|fully) )*(?:support|back|endorse|side with)"),
    _word("my ", r"my (?:full )?(?:support|backing|endorsement) (?:goes to|is for)"),
    _word("unterstütz", r"ich unterstütze|meine unterstützung (?:gilt|geht an|hat|bekommt)"),
    _word("sout", r"je soutiens|mon soutien va à"),
    _word("apoyo", r"(?:yo )?(?<!mi )apoyo(?: a)?|mi apoyo (?:es|va) (?:para|a)"),
    _word("apoio", r"(?:eu )?(?<!meu )apoio(?: a)?|(?:o )?meu apoio (?:é|vai) (?:para|a)"),
    _word("o", r"(?:io )?(?:sostengo|appoggio)|il mio (?:sostegno|appoggio) va ad?"),
    _word("поддерж", r"(?:я )?поддерживаю|моя поддержка [\u2013\u2014-]"),
    _word("popieram", r"(?:ja )?popieram"),
    _sign("支持", r"我支持(?![的者])"),
    _sign("ؤيد", r"(?<!\w)(?:أنا )?[أا]ؤيد(?!\w)"),
)
"""How somebody backs a candidate whose name follows: a vote only where the answer holds no other words for one."""

BACKED: Patterns = (
    _sign("my ", r" (?:has|has won|gets|receives|earns|wins) my (?:full )?(?:support|backing|endorsement)(?!\w)"),
    _sign("unterst", r" (?:bekommt|erhält|hat) meine (?:volle )?unterstützung(?!\w)"),
    _sign("soutien", r" (?:a|reçoit|obtient) mon soutien(?!\w)"),
    _sign("apoyo", r" (?:tiene|recibe|obtiene) mi apoyo(?!\w)"),
    _sign("apoio", r" (?:tem|recebe) (?:o )?meu apoio(?!\w)"),
    _sign("mio", r" (?:ha|riceve|ottiene) il mio (?:sostegno|appoggio)(?!\w)"),
    _sign("поддержку", r" получает мою поддержку(?!\w)"),
    _sign("poparcie", r" (?:ma|dostaje|otrzymuje) moje poparcie(?!\w)"),
    _sign("지지", r" ?(?:을|를) 지지(?:합니다|하겠습니다|한다)"),
    _sign("समर्थन", r" का समर्थन (?:करता|करती) (?:हूँ|हूं|हू)"),
    _sign("destek", r"(?:'?[ny]?[ıiuü])? destekliyorum| desteğimi alıyor"),
    _sign("تأييدي", r" (?:يحظى|تحظى) بتأييدي"),
)
"""The same where the name stands before the verb."""

SUBJECT = late_pattern(
    r"(?:(?:ich (?:möchte|will)|möchte ich)(?: gerne?)? für\s*|c'est pour\s*|(?:मैं )?अपना (?:अंतिम )?(?:वोट|मत)\s*"
    r"|(?:私は|わたしは|나는|저는|난|전|मैं(?: बिना (?:किसी )?(?:हिचक|झिझक|संकोच)(?: के)?)?|ben|io|yo|eu)[、,\s]*"
    r"|(?:私の|わたしの)?(?:最終的?な?)?(?:一票|投票先?|票|選択)は[、\s]*"
    r"|(?:제|저의|내|나의) (?:한 |최종 )?(?:표는|선택은)\s*|(?:मेरा|मेरी) (?:अंतिम )?(?:वोट|मत|पसंद|चुनाव)\s*"
    r"|(?:ich gebe|gebe ich)\s*"
    r"|(?:ben )?oyumu\s*)"
)
"""Who votes, or that somebody does, where the name stands before the verb."""

SO = late_pattern(
    r"böyle|şöyle|bu şekilde|इस तरह|ऐसे|इस प्रकार|이렇게|다음과 같이|このように|こう|次のとおり|次の通り"
    r"|以下のとおり|形式で"
)
"""What stands in place of a name where a sentence only announces the vote."""

LABELS = (
    _word("corre", r"corre(?:ction|cted|cción|ção|zione)(?=\s*:)"),
    _word("ti", r"(?:rettifica|rectifica(?:tion|ción)|berichtigung)(?=\s*:)"),
    _word("r", r"(?:kor(?:rektur|ekta)|poprawka|sprostowanie)(?=\s*:)"),
    _word("е", r"(?:исправление|(?<!\w )победитель)(?=\s*:)"),
    _word("поправка", r"поправка(?=\s*:)"),
    _word("düzeltme", r"düzeltme(?=\s*:)"),
    _word(
        "r",
        r"(?<!\w )(?<!s' )(?:winner|gewinner|urteil|vencedor|vincitore|verd(?:ict|etto)|vered(?:icto|ito))(?=\s*[:=→])",
    ),
    _word("a", r"(?<!\w )(?:auswahl|gagnant|ganador)(?=\s*[:=→])"),
    _word("c", r"(?<!\w )(?<!s' )(?:choice|pick)(?=\s*[:=→])"),
    _word("р", r"(?<!\w )(?:выбор|вердикт)(?=\s*[:=→])"),
    _sign("正", r"(?<!\w)(?:更|訂|修)正(?=\s*:)"),
    _sign("정정", r"(?<!\w)정정(?=\s*:)"),
    _sign("تصحيح", r"(?<!\w)تصحيح(?=\s*:)"),
    _sign("投", r"(?<!\w)投票?(?:给|給)(?=\s*:)"),
    _word("choice", r"(?:my )?(?:1st|first|top) choice(?=\s*[:=→])"),
    _word("choice", r"my (?:1st|first|top) choice,? (?:and|therefore|so)(?: also)? my vote,? is"),
    _word("pick", r"my (?:final )?pick(?: is\b|(?=\s*[:=→]))"),
    _word("vote final", r"(?:mon )?vote final(?=\s*[:=→])"),
    _sign("票", r"我的(?:最[终終])?[选選]票(?=\s*[:=→])"),
    _word("vote", r"(?:my )?(?:final )?vote(?=\s*[:=→])|(?:mon )vote(?=\s*[:=→])"),
    _word("ballot", r"(?:my )?(?:final )?ballot(?=\s*[:=→])"),
    _word("final", r"(?:my |the )?final (?:answer|choice|decision)(?: is\b|(?=\s*[:=→]))"),
    _word("my choice", r"my choice(?: is\b|(?=\s*[:=→]))"),
    _word("wahl", r"meine (?:endgültige )?wahl(?=\s*[:=→])"),
    _word("choix", r"mon choix(?: final)?(?=\s*[:=→])"),
    _word("elección", r"mi elección(?=\s*[:=→])"),
    _word("voto", r"(?:mi|il mio|meu|o meu) voto (?:final|finale|definitivo)(?=\s*[:=→])|voto(?=\s*[:=→])"),
    _word("esco", r"(?:a )?minha escolha(?=\s*[:=→])"),
    _word("scelta", r"(?:la )?mia scelta(?=\s*[:=→])"),
    _word("выбор", r"мой выбор(?=\s*[:=→])"),
    _word("голос", r"мой (?:окончательный|итоговый) голос(?=\s*[:=→])"),
    _word("wybór", r"mój wybór(?=\s*[:=→])"),
    _word("głos", r"mój ostateczny głos(?=\s*[:=→])"),
    _word("tercihim", r"(?:benim )?tercihim(?=\s*[:=→])"),
    _sign("选择", r"我的(?:最终)?选择(?=\s*[:=→])"),
    _sign("選択", r"私の選択(?=\s*[:=→])"),
    _sign("最終投票", r"最終投票(?=\s*[:=→])"),
    _sign("선택", r"(?:제|나의|저의) 선택(?=\s*[:=→])"),
    _sign("최종", r"(?:제 |나의 )?최종 투표(?=\s*[:=→])"),
    _sign("اختياري", r"اختياري(?=\s*[:=→])"),
    _sign("पसंद", r"मेरी पसंद(?=\s*[:=→])"),
    _word("stimme", r"(?:meine |ab)?stimme(?=\s*[:=→])"),
    _word("votum", r"(?:mein )?votum(?=\s*[:=→])"),
    _word("voix", r"ma voix(?=\s*[:=→])"),
    _word("voto", r"(?:mi|il mio|meu|o meu) voto(?=\s*[:=→])"),
    _word("stem", r"mijn stem(?=\s*[:=→])"),
    _word("głos", r"mój głos(?=\s*[:=→])"),
    _word("голос", r"(?:(?:мой|мій) )?голос(?=\s*[:=→])"),
    _word("decision", r"my decision is\b|(?:my |(?<!\w )(?<!s' ))decision(?=\s*[:=→])"),
    _word("entscheidung", r"(?:meine (?:endgültige )?|(?<!\w ))entscheidung(?=\s*[:=→])"),
    _word("votum", r"lautet mein votum(?=\s*[:=→])|mein votum (?:lautet|ist|gilt|geht an|fällt auf)(?:\s*:)?"),
    _word("décision", r"(?:ma )?décision(?: finale)?(?=\s*[:=→])"),
    _word("bulletin", r"(?:mon )?bulletin(?=\s*[:=→])"),
    _word("decisión", r"(?:mi |(?<!\w ))decisión(?: final)?(?=\s*[:=→])"),
    _word("papeleta", r"(?:mi )?papeleta(?=\s*[:=→])"),
    _word("decisão", r"(?:(?:a )?minha |(?<!\w ))decisão(?: final)?(?=\s*[:=→])"),
    _word("decisione", r"(?:(?:la )?mia |(?<!\w ))decisione(?: finale)?(?=\s*[:=→])"),
    _word("решение", r"(?:мо[её] |(?<!\w ))решение(?=\s*[:=→])"),
    _word("decyzja", r"(?:moja |(?<!\w ))decyzja(?=\s*[:=→])"),
    _word("kararım", r"(?:benim )?(?:son )?kararım(?=\s*[:=→])"),
    _sign("我的", r"我的(?:最终)?(?:决定|決定)(?=\s*[:=→])"),
    _sign("私の", r"私の(?:最終)?決定(?=\s*[:=→])"),
    _sign("결정", r"(?:제|나의|저의) 결정(?=\s*[:=→])"),
    _sign("قراري", r"قراري(?: النهائي)?(?=\s*[:=→])"),
    _sign("मेरा", r"मेरा (?:अंतिम )?(?:निर्णय|फ़ैसला|फैसला)(?=\s*[:=→])"),
    _word("wahl", r"wahl(?=\s*[:=→])"),
    _word("choix", r"choix(?=\s*[:=→])"),
    _word("elección", r"elección(?=\s*[:=→])"),
    _word("escolha", r"escolha(?=\s*[:=→])"),
    _word("scelta", r"scelta(?=\s*[:=→])"),
    _word("głos", r"głos(?=\s*[:=→])"),
    _word("oy", r"oy(?: veriyorum)?(?=\s*[:=→])"),
    _word("oyumu", r"oyumu (?:şuna|şu adaya|şu kişiye) veriyorum(?=\s*[:=→])"),
    _word("seçimim", r"(?:benim )?(?:son )?seçimim(?=\s*[:=→])"),
    _sign("투표", r"(?<![\w])(?:최종 )?투표(?=\s*[:=→])"),
    _sign("التصويت", r"(?<![\w])التصويت(?=\s*[:=→])"),
    _sign("वोट", r"(?<![\w\u0900-\u097f])(?:अंतिम )?वोट(?=\s*[:=→])"),
    _sign("投票", r"(?<![\w])(?:最终|最終)?投票(?=\s*[:=→])"),
    _word("answer", r"(?:my |the )?answer(?=\s*[:=→])"),
    _word("e", r"(?:meine )?(?:endgültige|finale|abschließende) (?:antwort|wahl|stimme|entscheidung)(?=\s*[:=→])"),
    _word("fin", r"(?:ma |la )?réponse (?:finale|définitive)(?=\s*[:=→])"),
    _word("fin", r"(?:mi |la )?(?:respuesta|decisión|elección) (?:final|definitiva)(?=\s*[:=→])"),
    _word("fin", r"(?:a )?(?:minha )?(?:resposta|decisão|escolha) final(?=\s*[:=→])"),
    _word("i", r"(?:la )?(?:mia )?(?:risposta|decisione|scelta) (?:finale|definitiva)(?=\s*[:=→])"),
    _word("ый", r"(?:мой )?(?:окончательный|итоговый|финальный) (?:ответ|выбор|голос)(?=\s*[:=→])"),
    _word("ostateczn", r"(?:moja |mój )?ostateczn[ay] (?:odpowiedź|decyzja|wybór|głos)(?=\s*[:=→])"),
    _sign("最", r"(?<![\w])(?:我的)?最(?:终|終|后|後)(?:答案|决定|決定|选择|選擇|回答)(?=\s*[:=→])"),
    _sign("最終", r"(?<![\w])(?:私の)?最終(?:的な)?(?:回答|答え|決定|選択|結論)(?=\s*[:=→])"),
    _sign("최종", r"(?<![\w])(?:나의 |제 )?최종 (?:답변|답|결정|선택)(?=\s*[:=→])"),
    _sign("نهائي", r"(?<![\w])(?:ال)?(?:إجابة|إجابتي|جواب|جوابي|قرار|اختيار|رد|ردي) (?:ال)?نهائية?(?=\s*[:=→])"),
    _sign("अंतिम", r"(?:मेरा )?अंतिम (?:उत्तर|जवाब|निर्णय|फ़ैसला|चुनाव)(?=\s*[:=→])"),
    _word("a", r"(?:benim )?(?:nihai|son|kesin) (?:cevap|cevabım|yanıt|yanıtım|karar)(?=\s*[:=→])"),
)
"""A label in front of a name; it is a vote only where a candidate's name follows."""

_TAILS = (
    "from voting|from (?:this|the) (?:vote|ballot|decision)"
    "|(?:in|on) this (?:vote|round|ballot|decision|question|matter|one|issue)|in the vote|in this case"
    "|here|this time|today|now"
    "|because|since|as|due|for lack|and will|and do not|and don't|der stimme|bei dieser|weil|da|du vote"
    "|de voter|de votar|dal voto"
    "|por(?! (?:ahora|el momento|enquanto|ora))|per(?! (?:ora|il momento|adesso))|faute|par manque|mangels|wegen"
    "|aufgrund|z powodu|z braku|из-за|ввиду"
    "|da votação|van stemming|van de stemming|od głosu|от голосования|från|fra|hlasování|porque|parce|perché|omdat"
)
_TAIL = rf"(?=\s*(?:$|[.!;:,。、\n)\"'?]|[(\u2013\u2014-]\s)|\s+(?:{_TAILS})\b)"

ABSTENTIONS = (
    _sign(
        "abstain",
        r"(?<!\w)i(?: (?:hereby|therefore|will|shall|must|respectfully|formally|choose to|have to|am going to"
        r"|prefer to|wish to|would (?:like to|prefer to|rather)"
        r"|have decided to|decide to|vote to))*(?: |'ll |'d (?:like to |prefer to |rather ))abstain" + _TAIL,
    ),
    _sign("abstaining", r"(?<!\w)i(?: am|'m| will be|'ll be) abstaining" + _TAIL),
    _sign("enthalte", r"(?<!\w)(?:ich enthalte mich(?! nicht)|enthalte ich mich(?! nicht))" + _TAIL),
    _sign("abst", r"(?<!\w)(?:je m'abstiens|(?:yo )?me abstengo|(?:eu )?(?:me abstenho|abstenho-me))" + _TAIL),
    _sign("mi astengo", r"(?<!\w)(?:io )?mi astengo" + _TAIL),
    _sign("mă abțin", r"(?<!\w)(?:eu )?mă abțin" + _TAIL),
    _sign("onthoud", r"(?<!\w)ik onthoud (?:me|mij)" + _TAIL),
    _sign("avstår", r"(?<!\w)(?:jag|jeg) avstår" + _TAIL),
    _sign("afstår", r"(?<!\w)jeg afstår" + _TAIL),
    _sign("wstrzymuję", r"(?<!\w)(?:ja )?wstrzymuję się" + _TAIL),
    _sign("zdržuji", r"(?<!\w)zdržuji se" + _TAIL),
    _sign("воздерживаюсь", r"(?<!\w)(?:я )?воздерживаюсь" + _TAIL),
    _sign("утримуюсь", r"(?<!\w)(?:я )?утримуюсь" + _TAIL),
    _sign("απέχω", r"(?<!\w)απέχω" + _TAIL),
    _sign("çekimser", r"(?<!\w)çekimser kalıyorum" + _TAIL),
    _sign("phiếu trắng", r"(?<!\w)tôi bỏ phiếu trắng" + _TAIL),
    _sign("أمتنع", r"أمتنع عن التصويت"),
    _sign("मतदान", r"मैं मतदान (?:से परहेज़|में भाग नहीं|नहीं) (?:करता|करती|लेता|लेती)(?: हूँ| हूं)?"),
    _sign("我", r"我(?:选择|選擇|决定|決定)?(?:弃权|棄權|放弃投票|放棄投票)(?=\s*(?:$|[。.!,、\n]))"),
    _sign(
        "棄権",
        r"(?<!\w)(?:今回は?|この(?:度|たび)は)?、?(?:私[はも])?、?(?:投票を)?棄権(?:します|いたします|する)(?=\s*(?:$|[。.!,、\n]))",
    ),
    _sign("기권", r"(?<!\w)(?:저는|나는)? ?기권(?:합니다|한다|하겠습니다)(?=\s*(?:$|[。.!,\n]))"),
)
"""A first-person abstention; what follows must not tie it to another matter ("I abstain from judging the style")."""

OWN_ABSTENTION = late_pattern(
    r"\s*(?:to )?(?:abstain|abstention|enthaltung|abstenção|abstención|astensione|弃权|棄權|棄権|기권)[\s.!]*"
    r"(?:$|(?:[(;\u2013\u2014]|-\s|,?\s(?:because|since|as)\b)(?!.*(?:\?|\b(?:if|unless|until|or|but|maybe|perhaps)\b)))"
)
"""What stands in place of a name where somebody abstains in the formula itself."""

NEGATED = late_pattern(
    r"(?<!\w)i(?:'d|'ll| would| will| do| can| could| shall)?(?:n't|not)? ?"
    r"(?:(?:really|certainly|definitely|simply|absolutely|just|refuse|decline|am|going|to|not|never|no longer|cannot"
    r"|under no circumstances)\s+){0,4}(?:vote|voting) for\s*:?\s*"
)
"""An English refusal to vote for somebody whose name follows; it needs a word of ``wording.DENIALS`` in it."""

# ---- taking back ---------------------------------------------------------------------------------------------------

_UNDOING = """
    (?<!it )(?<!they )withdr[ae]w\\w* | retract\\w* | cancel\\w* | void(?:ed|s)? | null and void | nullif\\w*
    | invalid(?:ate\\w*)? | revok\\w+ | rescind\\w* | annul\\w* | disregard\\w* | disavow\\w* | (?<!to )undo | unvote
    | spoil\\w* | scratch (?:that|this|it) | hold on | then again | on reflection | reconsider\\w* | misspoke
    | misread | conditional\\w* | (?:my|one|the|on) conditions? | only if | only when | only once | contingent\\w*
    | unless | provided (?:that|the|it|they) | placeholder
    | (?:an?|the|form's|your|only|just|this|merely|format) (?:examples?|sample) | jok(?:e|es|ing) | kidding
    | sarcas\\w+ | iron(?:y|ic|ically) | parody | prank
    | i (?:refuse|decline|reject|disagree) | just testing | (?:i was|was) told | (?:a|just|only|this) test(?! \\w)
    | do i | i (?:do|did|will|would) not\\W*$ | i don't\\W*$
    | (?:please )?(?:change|switch|move) (?:this|that|it|my|to) | (?:can't|cannot|no longer) support
    | (?:my|a|by) mistake | wrong (?:name|line|candidate|one|button) | (?:that|this)(?:'s| is| was) wrong
    | (?:said|wrote|says|writes) (?:agent|no one|nobody) | no vote | (?:do not|don't|not) (?:count|use|record|book)
    | widerruf\\w* | ungültig\\w* | scherz\\w* | spass | witz | bedingung\\w* | nur wenn | vorausgesetzt
    | (?<!zum )beispiel | platzhalter | storniere\\w* | nicht ernst | es sei denn | plaisant\\w* | blague | retire\\w*
    | rétract\\w* | nul | nulle | à condition | seulement si | (?<!par )exemple | sauf si | broma\\w* | retiro
    | retracto | anul\\w* | condición | sólo si | solo si | (?<!por )ejemplo | mejor dicho | a menos que | ritiro
    | condizione | solo se | (?<!per )esempio | anzi | a meno che | purché | brincadeira | brincando | piada
    | condição | só se | (?<!por )exemplo | aliás | grap\\w* | intrek\\w* | trek | ongeldig | voorwaarde | voorbeeld
    | alleen als | tenzij | mits | skämt\\w* | skoj\\w* | tar tillbaka | trekker | trækker | spøk\\w* | spøg\\w*
    | sjov | tuller | ogiltig | ugyldig | villkor | betingelse | exempel | eksempel | żart\\w* | cofam
    | nieważn\\w* | warun\\w* | przykład | žert\\w* | vtip | stahuj\\w* | zpět | neplatn\\w* | podmínk\\w* | příklad
    | шучу | шутк\\w* | отзыва\\w* | отменя\\w* | недействител\\w* | услови\\w* | пример
    | (?<!путь )(?<!лет )(?<!года )назад | жартую | жарт
    | відклика\\w* | скасов\\w* | умов\\w* | glum\\w* | retrag | anulez | condiți\\w* | exemplu | vits\\w* | perun
    | peruutan | leikki\\w* | ehto\\w* | esimerkki | αστει\\w* | πλάκα | ανακαλώ | άκυρ\\w* | παράδειγμα | şaka\\w*
    | iptal\\w* | geçersiz\\w* | şart\\w* | örnek | bercanda | tarik | menarik | batal\\w* | syarat | contoh
    | đùa | rút | hủy | điều kiện | ví dụ
"""
_FALSE = r"lie|lied|lying|delete|remove|submit|dictated|made me|would (?:write|say)|abstain|enthalte|gotcha|lol|haha"
_NOUNS = "vote|ballot|stimme|votum|votes?|voto|głos|голос|glas|stem|röst|oyum|ääneni|投票|투표"
_ALONE = (
    r"^\W*(?:(?:vote|ballot) )?(?:test|examples?|sample|sic|draft|void|false|untrue|ironic|not|no|non|nein|nej|nei|nee"
    r"|não|нет|ні|ne|όχι|hayır|tidak|không|لا|不|不是|いいえ|아니요|아니오)\W*$"
)
UNDONE = late_pattern(
    rf"(?<!\w)(?:{'|'.join(' '.join(text.split()) for text in _UNDOING.split(' | '))})(?!\w)|(?<!\w)(?:{_FALSE})(?!\w)"
    rf"|{_ALONE}|弃权|棄權|棄権|기권"
    r"|^\W*(?:no|non|não|ne|όχι|không|(?:nein|nej|nei|nee|нет|hayır|tidak)(?: \w+)?)\s*[,.!:;\u2013\u2014]"
    r"|玩笑|(?<!可以)(?<!可)(?<!能)(?:撤回|撤销|撤銷)|收回|取消|作废|作廢|无效|無效|前提|条件|條件|例子|不对|不對|更正|除非|冗談|取り消|無効"
    r"|ただし|^\W*いや|嘘|うそ|농담|철회|취소|무효|조건|^\W*단,|예시|^\W*아니|أمزح|مزحة|أسحب|ألغي|باطل|شرط|مثال|إلا إذا"
    r"|मज़ाक|वापस|रद्द|शर्त"
)
"""What, in a short sentence after a vote or a value, may take it back or bind it to a condition, in any language."""

SETTLING = late_pattern(
    r"\b(?:final(?! (?:figures|numbers|data|results|report|audit))|definitive|stands|firm|counts|sure|certain"
    r"|confirm(?:s|ed)?|endgültig\w*)\b"
)
"""What makes a sentence about one's own vote harmless ("This is my final vote.")."""

PROVISOS = late_pattern(
    r"(?<!\w)(?:es sei denn|falls|sofern|vorausgesetzt|solange|nur wenn|sauf si|à condition|pourvu que|tant que"
    r"|a menos que|siempre que|salvo que|con tal|s[oó]lo si|a meno che|purché|a patto|a condizione|solo se|a não ser"
    r"|desde que|contanto|tenzij|mits|op voorwaarde|если|разве что|при услови\w+|якщо|chyba że|o ile|pod warunkiem"
    r"|jeśli|pokud|jestliže|pod podmínkou|dacă|med mindre|forudsat|forutsatt|såvida|förutsatt|hvis|om inte|eğer"
    r"|εφόσον|εκτός αν"
    r"|αν|jos|mikäli|jika|asalkan|kecuali|nếu|trừ khi)(?!\w)|إذا|بشرط|如果|除非|前提|只要|もし|ただし|限り|면,"
)
"""What binds a vote to a condition although a reason was given first, in other languages than English."""

FRAGMENT = late_pattern(
    r"^\W*(?:(?:but |and |only )?(?:if|when|once|pending|subject to|assuming|as long as|until|should|in case)"
    r"|falls|wenn|sofern|sobald|si(?! (?:può|deve|è|tratta|sa))|se(?! (?:puede|debe|trata|ve|sabe|ha))|cuando"
    r"|quand|als(?! nächst)|indien|если|когда|якщо|jeśli|gdy|pokud|dacă|hvis|om|jos|eğer|αν"
    r"|jika|nếu)(?!\w)[^,]*$|^\W*(?:如果|要是|假如|もし|إذا|만약)[^,、，]*$"
)
"""A sentence that is nothing but a condition."""

CURT = late_pattern(
    r"\W*(?:that's (?:it|all|my vote|final)|that is (?:it|all|final)|why"
    r"|because|reasons?|thanks?|thank you|final|done|period"
    r"|full stop|end|count|no (?:doubts?|questions?|regrets?|hesitation|reservations?|contest|objections?)"
    r"|it|its|he|she|they|the|great|good|strong|solid|well|best|clear"
    r"|simple|cheap\w*|easy|easily|clearly|gladly|hands|by|any|confidence|\W*$)(?!\w)"
)
"""How a sentence of three words or fewer may begin that follows a vote on its line."""

PREFERS = late_pattern(r"\b(?:(?:too|then|though|also)\W*$|(?:better|prefer\w*|instead|rather|wins|would)\b)")
"""What puts the rival of a short sentence beside or before the candidate."""
