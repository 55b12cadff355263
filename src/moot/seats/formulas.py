"""Formulas: how people say, in the first person, that they vote or abstain. This file owns these lists.

All patterns are for folded text (``plain.fold``). Each stands behind the letters without which it cannot match, so
that a text is searched only for the languages that it may be in.
"""

import re

_WITH_LETTERS = "(?<!\\w)(?:{0})(?!\\w)"
_ADVERBS = (
    "hereby|now|therefore|thus|finally|firmly|gladly|proudly|confidently|respectfully|reluctantly|formally|officially"
    "|personally|also|still|strongly|clearly|happily"
)


def _word(needle: str, pattern: str) -> tuple[str, re.Pattern[str]]:
    return needle, re.compile(_WITH_LETTERS.format(pattern))


def _sign(needle: str, pattern: str) -> tuple[str, re.Pattern[str]]:
    return needle, re.compile(pattern)


VOTES = (
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
