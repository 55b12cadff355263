"""Formulas of ballots: lists of phrases by which authors vote, abstain, or take a vote back.

All patterns are for folded text (``plain_text.fold``). Each stands behind the letters without which it cannot match, so
that a text is searched only for the languages that it may be in.
"""

import re
from typing import TypeAlias

Patterns: TypeAlias = tuple[tuple[str, str], ...]
"""Patterns, each behind the letters without which it cannot match; who meets them in a text compiles them."""

_WITH_LETTERS = "(?<!\\w)(?:{0})(?!\\w)"
_ADVERBS = (
    "hereby|now|therefore|thus|finally|firmly|gladly|proudly|confidently|respectfully|reluctantly|formally|officially"
    "|personally|also|still|strongly|clearly|happily"
)


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

VOTES: Patterns = (
    _word(
        "vot",
        rf"i(?: (?:{_ADVERBS}))*(?: will| shall|'ll| am|'m)?(?: (?:hereby|now|therefore|finally))?"
        r"(?: cast(?:ing)? my (?:final )?(?:vote|ballot) (?:for|to)| giv(?:e|ing) my vote to| vot(?:e|ing) for)",
    ),
    _word("vote", r"i (?:now |hereby |therefore )?(?:am |'m )?(?:chang|switch|mov)(?:e|ing) my vote to"),
    _word("vote", r"my (?:final |own )?vote (?:goes to|is for|is)"),
    _word("ballot", r"my (?:final |own )?ballot (?:goes to|is for|is)"),
    _word("stimme", r"ich stimme(?: (?:daher|deshalb|also|somit|klar|nun))? für|stimme ich für|ich gebe meine stimme"),
    _word("stimme", r"meine stimme geht an|meine stimme gilt"),
    _word("votiere", r"ich votiere für|votiere ich für"),
    _word("ich wähle", r"ich wähle"),
    _word("je vote", r"je vote(?: donc)? (?:pour|en faveur de)"),
    _word("mon vote", r"mon vote va à"),
    _word("voto", r"mi voto es para|mi voto va para|il mio voto va a|meu voto vai para|meu voto é para"),
    _word("voto", r"(?:(?:yo|io|eu) )?voto (?:por|a favor de|per|a favore di|em|no|na)"),
    _word("votez", r"(?:eu )?votez (?:pentru|cu)"),
    _word("stem", r"(?:ik stem(?: daarom)?|(?:daarom|dus) stem ik) (?:op|voor)"),
    _word("röstar", r"jag röstar (?:på|för)"),
    _word("stemmer", r"jeg stemmer (?:på|for)"),
    _word("äänestän", r"äänestän"),
    _word("głos", r"(?:ja )?(?:głosuję (?:na|za)|oddaję (?:swój )?głos na)"),
    _word("hlasuj", r"hlasuj[iu] pro"),
    _word("голос", r"(?:я )?(?:голосую за|отдаю (?:свой )?голос за|віддаю (?:свій )?голос за)"),
    _word("ψηφίζω", r"ψηφίζω(?: υπέρ| τον| την)?"),
    _word("oyum", r"(?:benim )?oyum"),
    _word("saya", r"saya (?:memilih|memberikan suara untuk)"),
    _word("phiếu", r"tôi bỏ phiếu cho"),
    _sign("أصوت", r"أصوت ل(?:صالح)?"),
    _sign(
        "投",
        r"我(?:(?:选择|選擇)?投票?(?:给|給)|投票(?:支持|选择|選擇)|的票投(?:给|給)|的投票(?:是)?)|(?:私の)?投票先?(?:は)?(?=\s*:)",
    ),
    _sign("투표", r"(?:나의|내|저의|제) 투표(?:는)?(?=\s*:)"),
)
"""A first-person statement of a vote; the candidate's name follows it."""

AFTER = (
    _sign("投票", r"に(?:一票を)?投票(?:します|する|いたします|致します)"),
    _sign("入れます", r"に(?:一票|票)を入れます"),
    _sign("투표", r"(?:에게|에) ?(?:한 표를 )?투표(?:합니다|한다|하겠습니다|할게요)"),
)
"""The same where the name stands before the verb, up to the particle."""

SUBJECT = re.compile(r"(?:私は|わたしは|나는|저는|전)[、,\s]*")
"""Who votes, where the name stands before the verb."""

LABELS = (
    _word("vote", r"(?:my )?(?:final )?vote(?=\s*:)|(?:mon )vote(?=\s*:)"),
    _word("ballot", r"(?:my )?(?:final )?ballot(?=\s*:)"),
    _word("final", r"(?:my )?final (?:answer|choice|decision)(?: is\b|(?=\s*:))"),
    _word("my choice", r"my choice(?: is\b|(?=\s*:))"),
    _word("stimme", r"meine stimme(?=\s*:)"),
    _word("votum", r"(?:mein )?votum(?=\s*:)"),
    _word("voto", r"(?:mi|il mio|meu|o meu) voto(?=\s*:)"),
    _word("stem", r"mijn stem(?=\s*:)"),
    _word("głos", r"mój głos(?=\s*:)"),
    _word("голос", r"(?:мой|мій) голос(?=\s*:)"),
)
"""A label in front of a name; it is a vote only where a candidate's name follows."""

_TAILS = (
    "from voting|from (?:this|the) (?:vote|ballot|decision)"
    "|(?:in|on) this (?:vote|round|ballot|decision|question|matter|one|issue)|in the vote|in this case"
    "|here|this time|today|now"
    "|because|since|as|due|for lack|and will|and do not|and don't|der stimme|bei dieser|weil|da|du vote"
    "|de voter|de votar|dal voto"
    "|da votação|van stemming|van de stemming|od głosu|от голосования|från|fra|hlasování|porque|parce|perché|omdat"
)
_TAIL = rf"(?=\s*(?:$|[.!;,。、\n)\"'?]|[(\u2013\u2014-]\s)|\s+(?:{_TAILS})\b)"

ABSTENTIONS = (
    _sign(
        "abstain",
        r"(?<!\w)i(?: (?:hereby|therefore|will|shall|must|respectfully|formally|choose to|have to|am going to"
        r"|prefer to|wish to"
        r"|have decided to|decide to|vote to))*(?: |'ll )abstain" + _TAIL,
    ),
    _sign("abstaining", r"(?<!\w)i(?: am|'m) abstaining" + _TAIL),
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
    _sign("我", r"我(?:选择|選擇|决定|決定)?(?:弃权|棄權|放弃投票|放棄投票)(?=\s*(?:$|[。.!,、\n]))"),
    _sign("棄権", r"(?<!\w)(?:私は)?(?:投票を)?棄権(?:します|いたします|する)(?=\s*(?:$|[。.!,、\n]))"),
    _sign("기권", r"(?<!\w)(?:저는|나는)? ?기권(?:합니다|한다|하겠습니다)(?=\s*(?:$|[。.!,\n]))"),
)
"""A first-person abstention; what follows must not tie it to another matter ("I abstain from judging the style")."""

OWN_ABSTENTION = re.compile(r"\s*(?:to )?(?:abstain|abstention|enthaltung|abstenção|abstención|弃权|棄權)[\s.!]*$")
"""What stands in place of a name where somebody abstains in the formula itself."""

NEGATED = re.compile(
    r"(?<!\w)i(?:'d|'ll| would| will| do| can| could| shall)?(?:n't|not)? ?"
    r"(?:(?:really|certainly|definitely|simply|absolutely|just|refuse|decline|am|going|to|not|never|no longer|cannot"
    r"|under no circumstances)\s+){0,4}(?:vote|voting) for\s*:?\s*"
)
"""An English refusal to vote for somebody whose name follows; it needs a word of ``wording.DENIALS`` in it."""

# ---- taking back ---------------------------------------------------------------------------------------------------

_UNDOING = """
    (?<!it )(?<!they )withdr[ae]w\\w* | retract\\w* | cancel\\w* | void(?:ed|s)? | null and void | nullif\\w*
    | invalid(?:ate\\w*)? | revok\\w+ | rescind\\w* | annul\\w* | disregard\\w* | disavow\\w* | undo | unvote
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
    | zurück\\w* | widerruf\\w* | ungültig\\w* | scherz\\w* | spass | witz | bedingung\\w* | nur wenn | vorausgesetzt
    | (?<!zum )beispiel | platzhalter | storniere\\w* | nicht ernst | es sei denn | plaisant\\w* | blague | retire\\w*
    | rétract\\w* | nul | nulle | à condition | seulement si | (?<!par )exemple | sauf si | broma\\w* | retiro
    | retracto | anul\\w* | condición | sólo si | solo si | (?<!por )ejemplo | mejor dicho | a menos que | ritiro
    | condizione | solo se | (?<!per )esempio | anzi | a meno che | purché | brincadeira | brincando | piada
    | condição | só se | (?<!por )exemplo | aliás | grap\\w* | intrek\\w* | trek | ongeldig | voorwaarde | voorbeeld
    | alleen als | tenzij | mits | skämt\\w* | skoj\\w* | tar tillbaka | trekker | trækker | spøk\\w* | spøg\\w*
    | sjov | tuller | ogiltig | ugyldig | villkor | betingelse | exempel | eksempel | żart\\w* | wycof\\w* | cofam
    | nieważn\\w* | warun\\w* | przykład | žert\\w* | vtip | stahuj\\w* | zpět | neplatn\\w* | podmínk\\w* | příklad
    | шучу | шутк\\w* | отзыва\\w* | отменя\\w* | недействител\\w* | услови\\w* | пример | назад | жартую | жарт
    | відклика\\w* | скасов\\w* | умов\\w* | glum\\w* | retrag | anulez | condiți\\w* | exemplu | vits\\w* | perun
    | peruutan | leikki\\w* | ehto\\w* | esimerkki | αστει\\w* | πλάκα | ανακαλώ | άκυρ\\w* | παράδειγμα | şaka\\w*
    | geri | iptal\\w* | geçersiz\\w* | şart\\w* | örnek | bercanda | tarik | menarik | batal\\w* | syarat | contoh
    | đùa | rút | hủy | điều kiện | ví dụ
"""
_FALSE = r"lie|lied|lying|delete|remove|submit|dictated|made me|would (?:write|say)|abstain|enthalte|gotcha|lol|haha"
_NOUNS = "vote|ballot|stimme|votum|votes?|voto|głos|голос|glas|stem|röst|oyum|ääneni|投票|투표"
_ALONE = (
    r"^\W*(?:(?:vote|ballot) )?(?:test|examples?|sample|sic|draft|void|false|untrue|ironic|not|no|non|nein|nej|nei|nee"
    r"|não|нет|ні|ne|όχι|hayır|tidak|không|لا|不|不是|いいえ|아니요|아니오)\W*$"
)
UNDONE = re.compile(
    rf"(?<!\w)(?:{'|'.join(' '.join(text.split()) for text in _UNDOING.split(' | '))})(?!\w)|(?<!\w)(?:{_FALSE})(?!\w)"
    rf"|{_ALONE}|弃权|棄權|棄権|기권"
    r"|^\W*(?:no|non|nein|nej|nei|nee|não|нет|ne|όχι|hayır|tidak|không)\s*[,.!:;\u2013\u2014]"
    r"|玩笑|撤回|撤销|撤銷|收回|取消|作废|作廢|无效|無效|前提|条件|條件|例子|不对|不對|更正|除非|冗談|取り消|無効"
    r"|ただし|^\W*いや|嘘|うそ|농담|철회|취소|무효|조건|^\W*단,|예시|^\W*아니|أمزح|مزحة|أسحب|ألغي|باطل|شرط|مثال|إلا إذا"
    r"|मज़ाक|वापस|रद्द|शर्त"
)
"""What, in a short sentence after a vote or a value, may take it back or bind it to a condition, in any language."""

OWN_VOTE = re.compile(
    rf"(?<!\w)(?:my|this|that|the|mein|meine|diese|mon|ce|mi|il mio|meu|o meu|mijn|мой|min|mój) (?:{_NOUNS})\b"
)
SETTLING = re.compile(r"\b(?:final|definitive|stands|firm|counts|sure|certain|confirm\w*|endgültig\w*)\b")
"""What makes a sentence about one's own vote harmless ("This is my final vote.")."""

PROVISOS = re.compile(
    r"(?<!\w)(?:es sei denn|falls|sofern|vorausgesetzt|solange|nur wenn|sauf si|à condition|pourvu que|tant que"
    r"|a menos que|siempre que|salvo que|con tal|s[oó]lo si|a meno che|purché|a patto|a condizione|solo se|a não ser"
    r"|desde que|contanto|tenzij|mits|op voorwaarde|если|разве что|при услови\w+|якщо|chyba że|o ile|pod warunkiem"
    r"|jeśli|pokud|pod podmínkou|dacă|med mindre|forudsat|forutsatt|såvida|förutsatt|hvis|om inte|eğer|εφόσον|εκτός αν"
    r"|αν|jos|mikäli|jika|asalkan|kecuali|nếu|trừ khi)(?!\w)|إذا|بشرط|如果|除非|前提|只要|もし|ただし|限り|면,"
)
"""What binds a vote to a condition although a reason was given first, in other languages than English."""

FRAGMENT = re.compile(
    r"^\W*(?:(?:but |and |only )?(?:if|when|once|pending|subject to|assuming|as long as|until|should|in case)"
    r"|falls|wenn|sofern|sobald|si|se|cuando|quand|als|indien|если|когда|якщо|jeśli|gdy|pokud|dacă|hvis|om|jos|eğer|αν"
    r"|jika|nếu)(?!\w)[^,]*$|^\W*(?:如果|要是|假如|もし|إذا|만약)[^,、，]*$"
)
"""A sentence that is nothing but a condition."""

CURT = re.compile(
    r"\W*(?:that's (?:it|all|my vote|final)|that is (?:it|all|final)|why"
    r"|because|reasons?|thanks?|thank you|final|done|period"
    r"|full stop|end|count|no (?:doubt|question|regrets)|it|its|he|she|they|the|great|good|strong|solid|well|best|clear"
    r"|simple|cheap\w*|easy|confidence|\W*$)(?!\w)"
)
"""How a sentence of three words or fewer may begin that follows a vote on its line."""

PREFERS = re.compile(r"\b(?:(?:too|then|though|also)\W*$|(?:better|prefer\w*|instead|rather|wins|would)\b)")
"""What puts the rival of a short sentence beside or before the candidate."""
