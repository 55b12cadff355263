"""Formulas of ballots: lists of phrases by which authors vote, abstain, or take a vote back.

All patterns are for folded text (``plain_text.fold``). Each stands behind the letters without which it cannot match, so
that a text is searched only for the languages that it may be in.
"""

from typing import TypeAlias

from folkmoot.core.text import late_pattern

Patterns: TypeAlias = tuple[tuple[str, str], ...]
"""Patterns, each behind the letters without which it cannot match; who meets them in a text compiles them."""

_WITH_LETTERS = "(?<!\\w)(?:{0})(?!\\w)"
_ADVERBS = (
    "hereby|now|therefore|thus|finally|firmly|gladly|proudly|confidently|respectfully|reluctantly|formally|officially"
    "|personally|also|still|strongly|clearly|happily"
)
_SO = (
    "accordingly|again|as before|certainly|clearly|consequently|definitely|finally|firmly|hence|however|in the end"
    "|naturally|now|of course|on balance|once again|once more|so|still|then|therefore|this time|thus|ultimately"
    "|unambiguously|without hesitation"
)
THEN = rf"(?:,? (?:{_ADVERBS}|{_SO}),?){{0,3}}"
"""English words within a vote that change nothing about it."""
_HELD_BACK = "but|however|though|yet|if|once|when|until|till|unless|after|first"
_LIKE = rf"(?:'d| would) like to(?![^.!?\n]*\b(?:{_HELD_BACK})\b|[^\n]*\b(?:unfortunately|sadly|alas|regrettably)\b)"


def spaced(needle: str, pattern: str) -> tuple[str, str]:
    """A pattern that is whole words."""
    return needle, _WITH_LETTERS.format(pattern)


def unspaced(needle: str, pattern: str) -> tuple[str, str]:
    """A pattern that may begin or end within a word."""
    return needle, pattern


PICKS: Patterns = (
    *(
        spaced(verb, rf"i (?:(?:{_ADVERBS}) )*(?:(?:will|shall|'ll) )?(?:(?:{_ADVERBS}) )*{verb}")
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
    spaced(
        "vot",
        rf"i(?: (?:{_ADVERBS}))*(?: will| shall|'ll| am|'m|{_LIKE})?(?: (?:hereby|now|therefore|finally))?"
        r"(?: cast(?:ing)? my (?:final )?vote (?:for|to)| giv(?:e|ing) my vote to| vot(?:e|ing) for)",
    ),
    spaced("vote", r"i (?:now |hereby |therefore )?(?:am |'m )?(?:chang|switch|mov)(?:e|ing) my vote to"),
    spaced(
        "vote", rf"my (?:final |own )?vote (?:(?:has to|must) go to|goes to|is for|is(?!,? (?:cast|given|{_SO})\b))"
    ),
    spaced("ballot", rf"my (?:final |own )?ballot (?:goes to|is for|is(?!,? (?:cast|given|{_SO})\b))"),
    spaced("vote for", rf"i(?:(?: hereby| therefore)? (?:choose|decided?|have decided|want|wish) to|{_LIKE}) vote for"),
    spaced("vot", WISHES),
    spaced("голос", _WISHES_RU),
    spaced("go with", r"i(?:'ll| will| shall)(?: therefore| now)? go with"),
    spaced("co", r"(?:yo )?me quedo con|(?:eu )?fico com"),
    spaced(
        "stimme",
        r"ich stimme(?: (?:daher|deshalb|also|somit|klar|nun))? für|stimme ich für"
        r"|ich gebe (?:hiermit )?meine stimme(?: an| für)?",
    ),
    spaced("stimme", r"meine (?:endgültige )?stimme (?:geht an|gilt|bekommt|erhält|ist für)"),
    spaced("votiere", r"ich votiere für|votiere ich für"),
    spaced("ich wähle", r"ich wähle"),
    spaced("je vote", r"je vote(?: donc| sans hésit(?:er|ation))? (?:pour|en faveur de)"),
    spaced("mon vote", r"mon vote (?:va à|est pour|revient à)|(?:je donne|j'accorde|je accorde) mon vote à"),
    spaced("voix", r"ma voix (?:va à|est pour|revient à)|(?:je donne|j'accorde|je accorde) ma voix à"),
    spaced(
        "voto",
        r"mi voto (?:es|va|será) (?:para|por|a)|(?:doy|otorgo) mi voto a|il mio voto (?:va ad?|è per|è a favore di)"
        r"|(?:do|assegno) il mio voto ad?|(?:o )?meu voto (?:vai|é) (?:para(?: [oa](?= \w))?|em|no|na)|(?:dou"
        r"|concedo) (?:o )?meu voto (?:ao?|à|para)",
    ),
    spaced(
        "voto",
        r"(?:(?:yo|io|eu) )?voto(?: sin dudar(?:lo)?| sem hesitar| senza esitare)?"
        r" (?:por|a favor de|per|a favore di|em|no|na)",
    ),
    spaced(
        "ballot",
        rf"i(?: (?:{_ADVERBS}))*(?: will| shall|'ll| am|'m)?(?: (?:{_ADVERBS}))*"
        r" cast(?:ing)? my (?:final )?ballot (?:for|to)",
    ),
    spaced("to vote for", r"my (?:final )?(?:decision|choice) is to vote for"),
    spaced("casting", r"(?:i am |i'm )?casting my (?:final )?(?:vote|ballot) for"),
    spaced("for", r"(?:count me in|put me down|mark me down) for"),
    spaced("going with", r"i(?: am|'m) going with"),
    spaced("i choose", r"i choose(?! (?:to|between|not|whichever|whoever)\b)"),
    spaced("stimme", r"gebe ich(?: hiermit| daher| somit)? meine stimme(?: an| für)?"),
    spaced("entscheide", r"(?:ich entscheide mich|entscheide ich mich) für"),
    spaced("wahl", r"meine wahl (?:fällt auf|ist)"),
    spaced("je choisis", r"je choisis"),
    spaced("prononce", r"je me prononce (?:pour|en faveur de)"),
    spaced("choix", r"mon choix (?:se porte sur|est)"),
    spaced("me decido", r"(?:yo )?me decido por"),
    spaced("mi voto", r"(?:emito|doy) mi voto (?:por|a favor de)|le doy mi voto a"),
    spaced("elección", r"mi elección es(?! por\b)"),
    spaced("meu voto", r"entrego (?:o )?meu voto a"),
    spaced("decido", r"(?:eu )?(?:decido-me|me decido) por"),
    spaced("escolha", r"(?:a )?minha escolha é"),
    spaced("voto é", r"(?:o )?meu voto é(?! (?:para|em|no|na|do|da|a)\b)"),
    spaced("esprimo", r"mi esprimo (?:a favore di|per)"),
    spaced("mia scelta", r"(?:la )?mia scelta è"),
    spaced("мой голос", r"мой голос(?: [\u2013\u2014-]|:) (?:за)?"),
    spaced("мой выбор", r"мой выбор [\u2013\u2014-]"),
    spaced("голос", r"(?:отдаю (?:свой|мой) голос|свой голос (?:я )?отдаю)(?: за)?"),
    spaced("głos", r"(?:swój|mój) głos oddaję na"),
    spaced("wybór", r"mój wybór (?:to|pada na)"),
    unspaced("选择", r"我选择(?![投支弃放])(?:的是)?|我的选择是"),
    unspaced("選擇", r"我選擇(?![投支棄放])(?:的是)?|我的選擇是"),
    unspaced("صوتي", r"صوتي (?:يذهب|سيذهب) (?:إلى|ل(?:صالح|ـ)?)|(?:أدلي|سأدلي) بصوتي (?:ل(?:صالح|ـ)?|إلى)"),
    unspaced("ختياري", r"اختياري هو"),
    spaced("jo", r"(?:yo )?(?:elijo|escojo)(?: a)?"),
    spaced("scelgo", r"(?:io )?scelgo"),
    spaced("escolho", r"(?:eu )?escolho"),
    spaced("wybieram", r"(?:ja )?wybieram"),
    spaced("выбираю", r"(?:я )?выбираю"),
    unspaced("ختار", r"(?<!\w)(?:أنا )?س?[أا]ختار(?!\w)"),
    unspaced("我选", r"我选(?![择票出中])"),
    unspaced("我選", r"我選(?![擇票出中])"),
    spaced("votez", r"(?:eu )?votez (?:pentru|cu)"),
    spaced("stem", r"(?:ik stem(?: daarom)?|(?:daarom|dus) stem ik) (?:op|voor)"),
    spaced("röstar", r"jag röstar (?:på|för)"),
    spaced("stemmer", r"jeg stemmer (?:på|for)"),
    spaced("äänestän", r"äänestän"),
    spaced(
        "głos",
        r"(?:ja )?(?:głosuję (?:na|za)|(?:od)?daję (?:swój |mój )?głos na)|mój głos (?:na|otrzymuje|dostaje|idzie na"
        r"|jest za|pada na)",
    ),
    spaced("hlasuj", r"hlasuj[iu] pro"),
    spaced(
        "голос",
        r"(?:я )?(?:голосую за|отдаю (?:свой |мой )?голос за|віддаю (?:свій )?голос за)|мой голос (?:за|получает"
        r"|достаётся|достается|отдан за)(?!\\w)",
    ),
    spaced("ψηφίζω", r"ψηφίζω(?: υπέρ| τον| την)?"),
    spaced("oyum", r"(?:benim )?(?:son |kesin )?oyum(?! (?:yok|bu)\b)"),
    spaced("saya", r"saya (?:memilih|memberikan suara untuk)"),
    spaced("phiếu", r"tôi bỏ phiếu cho"),
    unspaced(
        "ص",
        r"(?:أنا |إنني )?(?:س)?[أا]ص[وّ]+ت (?:ل(?:صالح|ـ)?|إلى)|(?:[أا]منح|[أا]عطي) صوتي (?:ل(?:صالح|ـ)?|إلى)"
        r"|صوتي (?:النهائي )?(?:ل(?:صالح|ـ)|إلى)",
    ),
    unspaced(
        "投",
        r"我(?:毫不(?:犹豫|猶豫)地)?(?:(?:选择|選擇|决定|決定|要|会|會|将|將)?(?:投票?(?:给|給)|投票(?:支持|选择|選擇)|投(?![票给給入]))"
        r"|的(?:最终)?投票(?:是)?)|(?:私の)?投票先?(?:は)?(?=\s*:)",
    ),
    unspaced("票", r"我(?:的?(?:这|這)?一票|的票|把(?:这|這|我的)?一?票)投?(?:给|給)"),
    unspaced("표", r"(?:나의|내|저의|제) (?:최종 )?(?:투표|표)(?:는)?(?=\s*:)"),
    unspaced("मेरा", r"मेरा (?:अंतिम )?(?:वोट|मत)(?=\s*:)"),
    unspaced("मैं", r"मैं (?:अपना )?(?:वोट|मत) (?:देता|देती) (?:हूँ|हूं)(?=\s*:)"),
    unspaced("صوتي", r"صوتي(?: النهائي)?(?=\s*:)"),
)
"""A first-person statement of a vote; the candidate's name follows it."""

AFTER = (
    unspaced(
        "投票", r"に(?:一票を)?投票(?:します|する|いたします|致します)(?!(?:つもり|予定|ところ|はず)(?:でし|だっ))"
    ),
    unspaced("票", r"に(?:私の)?(?:一票|票)を(?:入れます|投じます|入れる|投じる)"),
    unspaced("入れます", r"に入れます"),
    unspaced("です", r"(?<=[^\s])です(?=[。\n!、,;:\s(\u2014-]|$)"),
    unspaced("투표", r"(?:에게|에|께) ?(?:제 |한 )?(?:표를 |한 표를 )?투표(?:합니다|한다|하겠습니다|할게요|했습니다)"),
    unspaced("표", r"(?:에게|에) ?(?:제 |한 )?표를 (?:줍니다|던집니다|드립니다|주겠습니다)"),
    unspaced("니다", r"(?:에게|에|께) (?:갑|드립|줍)니다"),
    unspaced("en", r" (?:stimmen|votieren)(?=\s*(?:$|[.,;:!()\n\u2013\u2014-]))"),
    unspaced(
        "my ", r"[.,;!]? (?:[\u2013\u2014-] )?that(?:'s| is) my (?:final )?(?:answer|choice|decision|vote)(?=[.!;\n]|$)"
    ),
    unspaced("it is", r" it is(?=[ \t]*[.!]?[ \t]*(?:\n|$))"),
    unspaced("vote", r" (?:has|has won|has earned|gets|receives|earns|wins) my (?:full |final )?vote(?!\w)"),
    unspaced(
        "stimme",
        r" (?:bekommt|erhält|hat) meine stimme(?!\w)| meine stimme(?=\s*(?:$|[.,;:!()\n\u2013\u2014-]))",
    ),
    unspaced(
        "vo",
        r" (?:tiene|recibe|obtiene) mi voto(?!\w)| (?:ha|riceve|ottiene) il mio voto(?!\w)| (?:tem"
        r"|recebe) (?:o )?meu voto(?!\w)",
    ),
    unspaced("vo", r" (?:a|reçoit|obtient|remporte) (?:ma voix|mon vote)(?!\w)| que je vote(?=\s*(?:$|[.!;:\n]))"),
    unspaced("głos", r" (?:dostaje|otrzymuje|ma) mój głos(?!\w)"),
    unspaced("голос", r" получает мой голос(?!\w)"),
    unspaced(
        "को",
        r" को (?:(?:अपना|मेरा|एक) )?(?:वोट|मत|मतदान) (?:देता|देती|दूँगा|दूँगी|दूंगा|दूंगी|दे रहा|दे रही|करता"
        r"|करती)(?: हूँ| हूं| हू)?| को (?:जाता |मिलता )?है",
    ),
    unspaced(
        "के",
        r" के (?:पक्ष में|लिए) (?:(?:अपना )?(?:वोट|मत|मतदान) (?:देता|देती|करता|करती|दे रहा"
        r"|दे रही)(?: हूँ| हूं)|है)",
    ),
    unspaced(
        "oy",
        r"(?:'?[ny]?[aeıiuü]| için| lehine| (?:seçeneğ|öneris|aday|teklif|plan)\w{1,3})? (?:oyumu |(?:bir )?oy )"
        r"(?:veriyorum|kullanıyorum|vereceğim|kullanacağım|verdim)",
    ),
    unspaced("支持", r"を支持(?:いた)?(?:します|する)"),
    unspaced("選", r"を(?:選び(?:ます|たい(?:と思い|です))|選択(?:いた)?します|選択する|選ぶ)"),
    unspaced("投票", r"に投票すること(?:に(?:決めました|します|いたします)|を決めました)"),
    unspaced("一票", r"に一票(?:です|を入れます|を投じます|(?=[。.!\n]|$))"),
    unspaced("선택", r"(?:을|를) 선택(?:합니다|하겠습니다|했습니다|한다)"),
    unspaced("입니다", r"(?<=[^\s])입니다(?=[\n!,;:.\s(\u2014-]|$)"),
    unspaced("है", r" है(?=\s*(?:[।\n!,;:.(\u2014-]|$))"),
    unspaced("को", r" को (?:देता|देती|दे रहा|दे रही|दूँगा|दूँगी)(?: हूँ| हूं)?(?=\s*(?:[।\n!,;:.(\u2014-]|$))"),
    unspaced("चुन", r" को (?:चुनता|चुनती)(?: हूँ| हूं)?"),
    unspaced("iyorum", r"(?:'?[ny]?[ıiuü])? (?:seçiyorum|tercih ediyorum)"),
    unspaced("m", r"(?:'?[ny]?[aeıiuü]| için| lehine) (?:ver(?:iyorum|eceğim|dim)|kullan(?:ıyorum|acağım))"),
)
"""The same where the name stands before the verb, up to the particle."""

BACKINGS: Patterns = (
    spaced("i ", rf"i (?:(?:{_ADVERBS}|fully) )*(?:support|back|endorse|side with)"),
    spaced("i", rf"i{THEN} (?:go|opt|stand) (?:for|with|behind)|i{THEN} come down{THEN} (?:in favou?r|on the side) of"),
    spaced("i", r"i(?: am|'m) (?:firmly |strongly |clearly |fully )?(?:for|in favou?r of)"),
    spaced("my ", r"my (?:full )?(?:support|backing|endorsement) (?:goes to|is for)|my recommendation is"),
    spaced("unterstütz", r"ich unterstütze|meine unterstützung (?:gilt|geht an|hat|bekommt)"),
    spaced("sout", r"je soutiens|mon soutien va à"),
    spaced("apoyo", r"(?:yo )?(?<!mi )apoyo(?: a)?|mi apoyo (?:es|va) (?:para|a)"),
    spaced("apoio", r"(?:eu )?(?<!meu )apoio(?: a)?|(?:o )?meu apoio (?:é|vai) (?:para|a)"),
    spaced("o", r"(?:io )?(?:sostengo|appoggio)|il mio (?:sostegno|appoggio) va ad?"),
    spaced("поддерж", r"(?:я )?поддерживаю|моя поддержка [\u2013\u2014-]"),
    spaced("popieram", r"(?:ja )?popieram"),
    unspaced("支持", r"我支持(?![的者])"),
    unspaced("ؤيد", r"(?<!\w)(?:أنا )?[أا]ؤيد(?!\w)"),
)
"""How somebody backs a candidate whose name follows: a vote only where the answer holds no other words for one."""

BACKED: Patterns = (
    unspaced("my ", r" (?:has|has won|gets|receives|earns|wins) my (?:full )?(?:support|backing|endorsement)(?!\w)"),
    unspaced("unterst", r" (?:bekommt|erhält|hat) meine (?:volle )?unterstützung(?!\w)"),
    unspaced("soutien", r" (?:a|reçoit|obtient) mon soutien(?!\w)"),
    unspaced("apoyo", r" (?:tiene|recibe|obtiene) mi apoyo(?!\w)"),
    unspaced("apoio", r" (?:tem|recebe) (?:o )?meu apoio(?!\w)"),
    unspaced("mio", r" (?:ha|riceve|ottiene) il mio (?:sostegno|appoggio)(?!\w)"),
    unspaced("поддержку", r" получает мою поддержку(?!\w)"),
    unspaced("poparcie", r" (?:ma|dostaje|otrzymuje) moje poparcie(?!\w)"),
    unspaced("지지", r" ?(?:을|를) 지지(?:합니다|하겠습니다|한다)"),
    unspaced("समर्थन", r" का समर्थन (?:करता|करती) (?:हूँ|हूं|हू)"),
    unspaced("destek", r"(?:'?[ny]?[ıiuü])? destekliyorum| desteğimi alıyor"),
    unspaced("تأييدي", r" (?:يحظى|تحظى) بتأييدي"),
)
"""The same where the name stands before the verb."""

VAGUE = late_pattern(
    r"(?:the|der|die|das|den|el|la|los|las|les?|il|lo|os?|as?|an?|this|that|it|him|her|them"
    r"|whoever|whichever|whatever|what|my|our|any|every|all|one|yes|more"
    r"|below|here|clear|simple|easy|made|as follows|fait|hecha|feita|fatta"
    r"|elle|lui|ella|él|ela|ele|lei|sie|ihn|неё|него|nią|niego)\b"
)
"""What stands in the place of a name where a formula only speaks of a vote."""

CONTRAST = late_pattern(
    r"\b(?:but|however|though|yet|if|aber|doch|jedoch|wenn|mais|cependant|si|pero|aunque|ma|però|se|mas|porém|но|ale|lecz"
    r"|однако|если)\b"
)
"""What may turn a wish into something else."""

LIMITED = late_pattern(
    r"\b(?:on|in|only|here|so far|regarding|when it comes|bei|beim|in bezug|sur|en (?:lo|cuanto)|em relação|su|sul"
    r"|nella?|w|в|по)\b|\b(?:but|however|before|until|aber|bevor|mais|avant|pero|antes|mas|ma|prima|но|ale|ama)\b"
    r"|\b(?:vot\w*|ballots?|stimm\w*|voix|głos\w*|голос\w*|oy\w*)\b|投票|票|但|ただし|투표|하지만|صوت|لكن|वोट|लेकिन"
)
"""What may limit words of support to a part of the matter, or set them apart from a vote."""

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

_TAILS = (
    "from voting|from (?:this|the) (?:vote|ballot|decision)"
    "|(?:in|on) this (?:vote|round|ballot|decision|question|matter|one|issue)|in the vote|in this case"
    "|here|this time|today|now"
    "|because|since|as|due|for lack|and will|and do not|and don't|der stimme|bei dieser|weil|da|du vote"
    "|de voter|de votar|dal voto"
    "|por(?! (?:ahora|el momento|enquanto|ora))|per(?! (?:ora|il momento|adesso))|faute|par manque|mangels|wegen"
    "|aufgrund|z powodu|z braku|из-за|ввиду"
    "|da votação|nest[ae] (?:votação|caso)|en esta votación|in questa votazione|dans ce vote"
    "|van stemming|van de stemming|od głosu|от голосования|från|fra|hlasování|porque|parce|perché|omdat"
)
_TAIL = rf"(?=\s*(?:$|[.!;:,。、\n)\"'?]|[(\u2013\u2014-]\s)|\s+(?:{_TAILS})\b)"

ABSTENTIONS = (
    unspaced(
        "abstain",
        r"(?<!\w)i(?: (?:hereby|therefore|will|shall|must|respectfully|formally|choose to|have to|am going to"
        r"|prefer to|wish to|would (?:like to|prefer to|rather)"
        r"|have decided to|decide to|vote to))*(?: |'ll |'d (?:like to |prefer to |rather ))abstain" + _TAIL,
    ),
    unspaced("abstaining", r"(?<!\w)i(?: am|'m| will be|'ll be) abstaining" + _TAIL),
    unspaced(
        "abst",
        r"(?<!\w)(?:please )?(?:count|list|mark|note|record) me (?:down )?as (?:abstaining|an abstention)" + _TAIL,
    ),
    unspaced("enthalte", r"(?<!\w)(?:ich enthalte mich(?! nicht)|enthalte ich mich(?! nicht))" + _TAIL),
    unspaced("abst", r"(?<!\w)(?:je m'abstiens|(?:yo )?me abstengo|(?:eu )?(?:me abstenho|abstenho-me))" + _TAIL),
    unspaced("mi astengo", r"(?<!\w)(?:io )?mi astengo" + _TAIL),
    unspaced("mă abțin", r"(?<!\w)(?:eu )?mă abțin" + _TAIL),
    unspaced("onthoud", r"(?<!\w)ik onthoud (?:me|mij)" + _TAIL),
    unspaced("avstår", r"(?<!\w)(?:jag|jeg) avstår" + _TAIL),
    unspaced("afstår", r"(?<!\w)jeg afstår" + _TAIL),
    unspaced("wstrzymuję", r"(?<!\w)(?:ja )?wstrzymuję się" + _TAIL),
    unspaced("zdržuji", r"(?<!\w)zdržuji se" + _TAIL),
    unspaced("воздерживаюсь", r"(?<!\w)(?:я )?воздерживаюсь" + _TAIL),
    unspaced("утримуюсь", r"(?<!\w)(?:я )?утримуюсь" + _TAIL),
    unspaced("απέχω", r"(?<!\w)απέχω" + _TAIL),
    unspaced("çekimser", r"(?<!\w)çekimser kalıyorum" + _TAIL),
    unspaced("phiếu trắng", r"(?<!\w)tôi bỏ phiếu trắng" + _TAIL),
    unspaced("أمتنع", r"أمتنع عن التصويت"),
    unspaced("मतदान", r"मैं मतदान (?:से परहेज़|में भाग नहीं|नहीं) (?:करता|करती|लेता|लेती)(?: हूँ| हूं)?"),
    unspaced("我", r"我(?:选择|選擇|决定|決定)?(?:弃权|棄權|放弃投票|放棄投票)(?=\s*(?:$|[。.!,、\n]))"),
    unspaced(
        "棄権",
        r"(?<!\w)(?:今回は?|この(?:度|たび)は)?、?(?:私[はも])?、?(?:投票を)?棄権(?:します|いたします|する)(?=\s*(?:$|[。.!,、\n]))",
    ),
    unspaced("기권", r"(?<!\w)(?:저는|나는)? ?기권(?:합니다|한다|하겠습니다)(?=\s*(?:$|[。.!,\n]))"),
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
    | in jest | sarcas\\w+ | iron(?:y|ic|ically) | parody | prank
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
