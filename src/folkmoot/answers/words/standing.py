"""Standing: whether a sentence treats a statement as a thing, and says what it is, how long it holds, or whose it is.

The words for this are countless, the sentences are few. The reader is told to take the statement for something else
("Consider it a straw poll."). The statement is the subject, and the rest binds, ends or denies it ("This ruling lapses
the moment …"). Somebody else does something with it ("The committee can overrule this."). A label says that it is
overtaken ("Update 16:20: …"). In place of a decision, somebody else is to do "it", and nothing says what.

All patterns are for folded text. Each is tried only where a word of it stands in the text, so few are ever compiled.
"""

import re
from collections.abc import Sequence
from functools import cache

from folkmoot.answers.words import weight
from folkmoot.answers.words.cues import says
from folkmoot.core.text import late_pattern

_FIRM = (
    r"\b(?:final|settled|done|binding|firm|decided|adopted|closed|carried|official|agreed|definit\w+|endgültig\w*"
    r"|verbindlich\w*|beschlossen|erledigt|définiti\w+|acquis\w*|réglé\w*|cerrad\w+|fechad\w+|chius\w+|kesin\w*)\b"
    r"|окончательн|ostateczn|最终|最終|确定|確定|최종|نهائي|अंतिम"
)
"""What a statement is called that stands."""

_TAKEN_AS: Sequence[str] = (
    r"\b(?:consider|call|deem|think of|view|regard|treat|take|see|read)\s+(?:it|this|that|these|those|me|the above"
    r"|(?:my|the|that|this) (?:vote|ballot|line|ruling|decision|answer|word|words))\s+"
    r"(?:(?:as|for) (?:an?|the|no|nothing|one|my|what)\b|(?:an?|no more than|nothing (?:but|more))\b|under\b)",
    r"\b(?:file|chalk|put|write) (?:it|this|that) (?:under|down to|down as|up to|off as)\b",
    r"(?:betrachte|nehm|nimm|seh|sieh|versteh|werte|behandel|lies|lest|lese)\w*(?: sie)?"
    r" (?:das|dies|es|die zeile|mein\w* \w+)(?: \w+){0,2} (?:als|wie)\b",
    r"(?:considér|prenez|voyez|trait|lisez|regard)\w*[- ](?:le|la|cela|ceci|ça|ce \w+|mon \w+)(?: \w+)?"
    r" (?:comme|pour)\b",
    r"(?:tóm|tome|tomad|consid|véan|vean|trat)\w*(?: (?:esto|eso|mi \w+))? como\b",
    r"(?:tom|consider|vej|trat|encar)\w+(?:-n?[oa]| isto| isso| o meu \w+) como\b",
    r"(?:considerate|prendete|vedete)(?:l[oa]| questo| il mio \w+) (?:come|per)\b",
    r"(?:считайте|рассматривайте|воспринимайте|примите) (?:это|мой \w+|сказанное|мои слова)",
    r"(?:potraktuj|traktuj|uznaj|weź)\w* (?:to|mój \w+)",
    r"(?:把|将)(?:这|上面|我)[^。]{0,8}(?:当作|当成|视为|看作|看成)",
    r"(?:これ|上|この\w{1,4})[はをも][^。]{0,14}(?:と思って|とみなして|と見て|として(?:扱|受け))",
    r"(?:이것|이건|위|이 \w+)[^.]{0,12}(?:로|라고) (?:여겨|생각해|봐|보아|받아)",
    r"(?:اعتبر|خذ|عد)\w* (?:هذا|ذلك|كلامي|صوتي)",
    r"(?:इसे|मेरे \S+ को) .{1,30}(?:समझ|मान)(?:ें|िए|ना|ो)",
    r"(?:bunu|yukarıdakini|oyumu) .{1,30} (?:sayın|görün|kabul edin|olarak alın)",
)
"""How a reader is told to take a statement for something else: verbs of considering with a word for the statement."""

_BOUND: Sequence[str] = (
    r"(?:only )?(?:valid|effective|binding|gültig|valable|válid[oa]|valid[oa]|действ\w+|ważn\w+) "
    r"(?:from|until|once|when|only|if|ab|bis|wenn|erst|à partir|jusqu|desde|hasta|até|a partire|fino|с|до|od|do)\b",
    r".*\bbefore (?:it|this|that|anything) (?:counts|stands|holds|is (?:final|valid|official|counted))\b",
    r"(?:(?:this|that|the|my)(?: (?:last|above|previous|first|whole|entire))?"
    r" (?:ruling|decision|vote|ballot|verdict|line|sentence|slip|statement)(?: above)?|the above)\b"
    r"(?! (?:takes? effect|appl|start|begin)).*"
    r"\b(?:until|unless|once|as soon as|the (?:second|moment|minute|instant|day|hour)|pending|expires?|lapses?)\b",
    r"(?:the|this|that)(?: (?:last|above|previous|first))? (?:line|sentence|words?)\b.*\b(?:not|no|never|nor)\b",
    r"(?:dies\w*|die|der|das|mein\w*) (?:(?:obige|letzte)\w* )?"
    r"(?:entscheidung|beschluss|urteil|stimme|zeile|satz|votum|stimmzettel)\b.*"
    r"\b(?:bis|sobald|solange|verfällt|erlischt|es sei denn)\b",
    r"(?:cette|cet?|la|le|ma|mon) (?:décision|vote|voix|ligne|phrase|bulletin|verdict|avis)\b.*"
    r"(?:jusqu'|dès qu|tant qu|expire|caduc|sauf si|à moins)",
    r"(?:est[ea]|la|el|mi) (?:decisión|voto|línea|frase|fallo|papeleta)\b.*"
    r"(?:hasta que|en cuanto|mientras|caduca|salvo que|a menos)",
    r"(?:est[ea]|[ao]|o meu) (?:decisão|voto|linha|frase|boletim)\b.*"
    r"(?:até que|assim que|enquanto|caduca|a menos|a não ser)",
    r"(?:quest[ao]|la|il|il mio) (?:decisione|voto|riga|frase|scheda|verdetto)\b.*"
    r"(?:finché|appena|fino a quando|decade|a meno|salvo)",
    r"(?:это|этот|эта|мой|данное) (?:решение|голос|строка|бюллетень|вердикт).*"
    r"(?:пока|как только|до тех пор|истека|если)",
    r"(?:ta|ten|to|mój|moja) (?:decyzja|głos|linijka|zdanie|karta|werdykt).*(?:póki|jak tylko|wygasa|chyba że|jeśli)",
    r"(?:这个|这一|本|此|我的)(?:决定|裁决|票|投票|行).*(?:直到|之前|一旦|失效|除非)",
    r"(?:この|私の)(?:決定|裁定|票|投票|一行|行)は.*(?:まで|次第|失効|限り)",
    r"(?:이|제|나의) (?:결정|판정|표|투표|줄)[은는이].*(?:까지|즉시|순간|실효)",
    r"(?:these|those|they|the (?:scores|numbers|figures|marks|points)(?: above)?)(?:'re| are| were| come| date)\b.*"
    r"\b(?:last (?:week|round|time|month|year)|previous|earlier|old|yesterday|former)",
    r"(?:das|dies|die zahlen|die punkte) (?:sind|waren|stammen) .*"
    r"\b(?:letzte\w*|vorige\w*|alte\w*|gestern|früher\w*)\b",
    r"(?:ce sont|c'étaient|ces \w+ (?:sont|datent)) .*(?:derni[eè]r|précédent|ancien|hier)",
    r"(?:estos son|estas son|son|eran) .*(?:pasad[ao]|anterior|viej|ayer)",
)
"""A statement as the subject of a sentence that binds it to an hour, ends or denies it, or calls it an old one."""

_LEAD = r"(?:(?:so|yet|then|and|but|well|please|better|just|or)\W+)*"
_OTHERS = r"(?!(?:i|we|it|this|that|these|those|what|which|who)\b)[\w'’-]+(?: [\w'’-]+){0,5}?"
_MODAL = (
    r"(?:can|may|might|could|should|shall|must|will|would|(?:has|have|needs?|gets?|ought) to"
    r"|(?:is|are) (?:free|welcome|entitled|going) to)"
)
_END = (
    r"(?=$|[,;.!]|\s(?:and|at|on|in|when|after|before|for|between|among|instead|tomorrow|later|out|up|over|through)\b)"
)
_OVER = (
    r"(?:this|me|my (?:vote|ballot|choice|ruling|decision|answer|slip)|the (?:last|final|casting) (?:word|say|vote))"
)
_THEIRS = rf"{_OTHERS} {_MODAL} (?:still |always |also )?(?P<verb>[a-z-]+)(?: at| into| over| on)? {_OVER}{_END}"
"""Somebody else who has a say over a statement ("The committee can overrule this and should")."""

_THAT = "(?:das|es|dies|darüber|drüber)(?: unter sich| selbst)?"
_LEFT: Sequence[str] = (
    rf"(?:(?:let|have|get) {_OTHERS}|{_OTHERS} {_MODAL}|i(?:'d| would) (?:rather|sooner|prefer)(?: that| if)? {_OTHERS}"
    r"|you(?: two| both| all| guys)?(?: should| can| may| must)?)"
    rf" (?!(?:on|at|for|with|to|of|in|by|about)\b)(?P<verb>[a-z-]+) (?:it|that|this one|that one|{_OVER}){_END}",
    rf"(?:(?:der|die|das) )?[\w ]{{2,40}}(?:soll|sollen|mag|mögen|darf|dürfen) {_THAT} (?P<verb>\w+en)$",
    rf"(?:dann )?(?:soll|sollen|mag|mögen|möge) (?!ich|wir).{{2,40}} {_THAT} (?P<verb>\w+en)$",
    r"(?:que|laissons|laissez) (?!je|nous).{2,40} (?:s'en|y|en|le) (?P<verb>\w+)",
    r"que (?:lo|la|se l[oa]) (?P<verb>\w+)",
    rf"(?:the )?{_OTHERS} (?P<verb>knows?|thinks?|believes?|feels?|hopes?|doubts?|wonders?)\b[^:;,\u2013-]*$",
    r"(?:che|lasciamo che) .{2,40} (?:ci|se ne|lo) (?P<verb>\w+)",
)
"""Somebody else who is to do "it", in place of a decision that says what ("Let Pia have the last word")."""

_UNCLEAR: Sequence[str] = (
    r"(?:^|.*[,;] ?)(?:who (?:can |could |would )?(?:say|know|knows|tell)|wer weiß(?: das schon)?|qui sait|quién sabe"
    r"|quem sabe|chissà|chi lo sa|кто знает|kto wie|谁知道|誰にも?わから\w*|누가 알\w*|من يدري|कौन जाने|kim bilir)\W*$",
    r".*\b(?:heart|gut|herz|bauch|cœur|coeur|corazón|cuore|coração|сердце|serce)\b.*[,;].*"
    r"\b(?:head|wallet|brain|kopf|verstand|tête|cabeza|testa|cabeça|голова|разум|głowa|rozum)\b",
    r"(?:neither|nor|no) .*\bam i$",
    r"(?:neither|none|both|each|one) of (?:you|them|the two) [^:;,\u2013-]*\bme\b[^:;,\u2013-]*$",
    r"(?:keiner von (?:euch|beiden)|aucun des deux|ninguno de los dos|nenhum dos dois|nessuno dei due|никто из вас"
    r"|żaden z was) [^:;,]*(?:\b(?:mir|mich|me|mi|мне|меня|mnie|mi)\b|m')[^:;,]*$",
)
"""What leaves the question where it was, or tells what the two have not done, in place of a decision."""

_UPDATED = re.compile(
    r"(?:status )?(?:update|edit|correction|erratum|aktualisierung|korrektur|mise à jour|correctif|actualización"
    r"|corrección|atualização|correção|aggiornamento|correzione|обновление|исправление|aktualizacja|korekta|更新|更正|訂正"
    r"|업데이트|정정|تحديث|تصحيح|अपडेट|सुधार|güncelleme|düzeltme)(?:[ (]*\d[\d:.h]*(?: ?[ap]m| uhr)?\)?)?"
    r"\s*[:：\u2013\u2014-]"
)
"""A label before what has happened since a statement was made."""

_ASKED_OTHER = re.compile(
    r"\W*(?:or|oder|ou|o|или|albo|lub|veya|yoksa|或者|还是|それとも|아니면|أم|या)(?!\w).*[?？؟]\s*$"
)
"""A question that goes on from a statement with an alternative."""

_CLAUSE = re.compile(r"[,;:]\s|\s[\u2013\u2014-]+\s")

_WHOSE = re.compile(
    r"\b(?:which|what|who)ever\b.*\b(?:mine|my (?:vote|ballot|choice|name|answer|pick))\b"
    r"|\b(?:as|for|be) mine (?:too|as well)\b"
    r"|\bwas auch immer\b.*\b(?:auch meine?|ich auch)\b|\b(?:lo que|quien) .* también (?:es )?(?:el )?mí[oa]\b"
)
"""How an author takes over what somebody else will choose."""

_LESS = re.compile(
    r"\W*(?:minus|except(?: for)?|without|less|apart from|leaving out|ohne|außer|sans|sauf|sin|salvo|menos|senza|tranne"
    r"|sem|exceto|без|bez) (?:(?:the|den|die|das|la|le|el|il|o|a) )?[\w-]+[ -]?"
    r"(?:part|bit|half|teil|partie|parte|część)\b"
)
"""What takes a part off what was chosen."""

_INSTEAD = re.compile(
    r"\W*(?:better|besser|lieber|mieux vaut|autant|mejor|meglio|melhor|лучше|lepiej)\s+"
    r"(?:let's|let us|we |wir |not\b|nicht\b|pas\b|no\b|lo |la |le |das |es |não\b|non\b|не\b|nie\b)"
)
"""How another course is proposed in place of a statement."""

_POINTS = re.compile(
    r"(?:please )?(?:see|cf\.?|refer to|consult) (?:(?:the|my|our|your|his|her) )?(?:\w+ ){0,2}?"
    r"(?:sheet|file|document|table|annex|appendix|attachment|notes?|minutes|section|page|e?-?mail|message|link|slides?"
    r"|chart|spreadsheet|memo|letter|above|below|attached|enclosed)(?: (?:above|below|attached|enclosed|\d+))?"
    r"|(?:voir|ver) (?:(?:l'|la |le |el |o )?(?:annexe|pièce jointe|anexo|tabla|tabela|tableau|página|page)"
    r"|ci-\w+|plus (?:haut|bas)|arriba|acima|abajo|abaixo)(?: \d+)?"
    r"|(?:siehe|vgl\.?|cf\.?|véase|vedi|cfr\.?|veja|vide|см\.?|смотрите|zob\.?|patrz|bkz\.?|bakınız|انظر"
    r"|راجع)(?: [\w'.]+){1,3}|请?(?:参?见|參見|详见|参照)[^，。]{1,8}|[^、。]{1,8}を?参照(?:ください|のこと)?"
    r"|.{1,10} 참조(?:하십시오)?"
)
"""The whole of a text that only says where something stands."""


_PHRASAL = re.compile(
    r"\b(?:figure|work|fight|battle|sort|hash|talk|think|settle) (?:it|this|that) (?:out|over|through)\b"
)
"""How somebody settles a question, in verbs that stand for other acts where they stand alone."""

_NOT_ME = re.compile(
    r"\b(?:not|n't|never) (?:me\b|i\b(?! \w)|mine\b)|\bpas moi\b|\bnicht ich\b|\bno (?:soy )?yo\b|\bnão (?:sou )?eu\b"
    r"|\bnon (?:sono )?io\b|\bне (?:я|мне|мой|моё)\b|\bnie (?:ja|mnie)\b|不是我|(?:私|僕)では?(?:ない|あり)"
    r"|(?:제|내)가 아니|لست أنا|\bben değil"
)
"""How authors deny that something is theirs."""

_OWN_QUESTION = re.compile(r".*\b(?:did|was|have|had|am|could|should) i\b.*\?\W*$")
"""How authors wonder at what they have just written ("Did I just write that?")."""

_UNREAD = re.compile(r".*\bi (?:have not|haven't|had not|hadn't|have yet to)\b(?!.*\b(?:find|found|doubt|better)\b)")
"""How authors say what they have left undone ("I haven't opened the last two files.")."""

_FORBIDDEN = re.compile(
    r"(?:please )?(?:do not|don't|nobody should|no one should|never) (?:\w+ ){1,2}?(?:this|that|it|the above|me)\b"
    r"|(?:das |dies )?bitte nicht \w+en\W*$|(?:bitte )?nicht \w+en\W*$"
)
"""How the reader is told not to do something with a statement."""

_ONE_OF = re.compile(
    r"(?:(?:well|or|at least|ok|okay|anyway|maybe)\W+)*"
    r"(?:one|some|either|any|both|neither) of (?:them|these|those|the two)"
    r"(?:,? (?:anyway|anyhow|at least|or other|i guess|perhaps))?\W*$"
)
"""A fragment that takes one of several, and does not say which."""

_TOLD_TO = re.compile(
    r"(?:please |just |so |and )*(?P<verb>(?!(?:\w*(?:s|ed)|made|kept|gave|put)\b)[a-z]{3,})"
    r" (?:this|that|it|the above|my \w+)(?= |\W*$)"
)
"""An order to the reader about the statement ("Frame it.", "File this under …")."""

_DENIED = re.compile(r"\b(?:not|no|never|n't|nicht|kein\w*|pas|non|não|не|nie)\b")
_OWN = re.compile(r"\b(?:i|we|j'ai|je|ich|habe|ho|he|я|io|yo|eu)\b")
_WRONG = re.compile(
    r"\b(?:(?<!proven )(?<!proved )(?<!shown )wrong|mistaken|falsche?[nrs]?|mauvaise?s?|equivocad[oa]s?|errad[oa]s?"
    r"|sbagliat[oaie]|не т[оуе]\w*|zł[ąyeo]\w*)\b"
)
"""How authors own to an error of theirs."""

_AS_THEY = re.compile(
    r"\b(?:what|which|who)ever (?:the |my |our |your )?[\w'-]+(?: [\w'-]+)? "
    r"(?:says?|picks?|prefers?|wants?|decides?|chooses?|thinks?|likes?)\b"
)
"""How the choice is whatever somebody else's is."""

_NONE = re.compile(
    r"(?:none|nothing|little|not (?:all|one word|a word|much|any)|no part) of (?:this|that|it|the above|what i)\b"
)
"""How a statement is denied in all its parts or some."""


_AS = r"(?:as|for|in|als|für|pour|comme|para|por|como|per|come|за|как|для|на|dla|jako|na|w)"
_LOWEST = late_pattern(
    rf"\b{_AS} (?:[\w']+ ){{0,3}}?(?:worst|weakest|least (?!bad|risky|evil|cost)\w+|wooden spoon|booby prize|last place"
    r"|(?:schlecht|schwäch)este\w*|unbeliebteste\w*|schlusslicht|rote laterne|pire|plus (?:faible|mauvais)\w*"
    r"|moins convain\w+|lanterne rouge|peor|más (?:débil|flojo)|menos convincente|pior|mais frac[oa]|peggiore"
    r"|più debole|meno convincente|худш\w+|слабейш\w+|сам\w+ слаб\w+|najgorsz\w+|najsłabsz\w+)\b"
    r"|\ben (?:kötü|zayıf)\b.{0,20}\b(?:olarak|için)\b|(?:最差|最糟|最弱)[^，。]{0,6}(?:奖|是|，|的)|作为最[差糟弱]"
    r"|(?:最悪|最下位|最も弱い)[^、。]{0,8}(?:として|は|に)|(?:최악|꼴찌|가장 약한)[^.]{0,8}(?:로|으로|은|는)"
    r"|[كل]?(?:أسوأ|أضعف) |सबसे (?:बुर|ख़राब|खराब|कमज़ोर|कमजोर)\S* .{0,12}(?:के लिए|के रूप)"
)
"""A prize or a place that goes to who is last, where a vote for the best is asked for."""


_OR_SO = re.compile(
    r"\W*(?:or|oder|ou|o|или|albo|lub|veya|ya da|或者|または|또는|أو|या)\s*"
    r"(?:so|that|this|at least|das|zumindest|ça|cela|du moins|eso|esto|así|al menos|isso|assim|pelo menos|così|questo"
    r"|almeno|так|это|tak|to|öyle|这么|そう|그렇게|هكذا|ऐसा)(?!\w)"
)
"""How what was said is called into question at once ("…, or so I would write")."""


def is_or_so(remark: str) -> bool:
    """Whether a remark right behind a vote calls it into question."""
    return _OR_SO.match(remark) is not None


def is_for_last(text: str, *, begins: bool = False) -> bool:
    """Whether the words before a vote, or right behind its name, make it one for the worst.

    Args:
        text: the folded words.
        begins: whether they stand behind the name.
    """
    return (_LOWEST.match(text.lstrip(" ,(")) if begins else _LOWEST.search(text)) is not None


def is_changed(text: str, *, names: bool = False) -> bool:
    """Whether a folded sentence behind a statement says that it is something else, or another's, or not for long.

    Args:
        text: the sentence.
        names: whether it names a candidate that was not chosen.
    """
    if _NOT_ME.search(text) or _ONE_OF.match(text) or _is_about_choosing(text, names=names):
        return True
    clauses = [clause.lstrip() for clause in _CLAUSE.split(text)]
    if any(_compiled(pattern).match(text) for pattern in _BOUND):
        return True
    if any(_NONE.match(clause) and not _has_matter(clause) for clause in clauses):
        return True
    reading = next((match for pattern in _TAKEN_AS if (match := _compiled(pattern).search(text))), None)
    if reading and not _compiled(_FIRM).search(text, reading.end()) and not _has_matter(text[reading.end() :]):
        return True
    if any(_is_done_by_others(_THEIRS, clause) for clause in clauses) or _WHOSE.search(text) or _LESS.match(text):
        return True
    return bool(_INSTEAD.match(text) and weight.weighed(text).against) or bool(names and _ASKED_OTHER.match(text))


def _is_about_choosing(text: str, *, names: bool) -> bool:
    """Whether a sentence orders the reader about, owns to an error, or takes over what others choose."""
    if _OWN_QUESTION.match(text) or (not names and _UNREAD.match(text)):
        return True
    if _FORBIDDEN.match(text) and not _has_matter(text):
        return True
    order = _TOLD_TO.match(text)
    firm = order and _compiled(_FIRM).search(text, order.end())
    if order and not firm and not weight.is_grammar(order["verb"]) and not _has_matter(text):
        return True
    return _AS_THEY.search(text) is not None or (not names and _is_owned_error(text))


def _is_owned_error(text: str) -> bool:
    """Whether an author speaks of itself and then of what is wrong, and behind that denies nothing."""
    return any(_owns_error(line) for line in text.split("\n"))


def _owns_error(line: str) -> bool:
    denials = [match.start() + 1 for match in _DENIED.finditer(line)]
    own = _OWN.search(line, denials[-1] if denials else 0)
    return own is not None and _WRONG.search(line, own.end()) is not None


def is_updated(text: str) -> bool:
    """Whether a folded sentence behind a ruling begins with a label that says that something has happened since."""
    return _UPDATED.match(text) is not None


def is_left(text: str) -> bool:
    """Whether a folded sentence in place of a decision leaves it to somebody else, or only says where it stands."""
    if _POINTS.fullmatch(text) or any(_compiled(pattern).match(text) for pattern in _UNCLEAR):
        return True
    return any(_is_done_by_others(pattern, text) for pattern in _LEFT)


def _is_done_by_others(pattern: str, text: str) -> bool:
    """Whether others do something in a sentence that is no act of the matter ("The club should buy it")."""
    match = _compiled(_LEAD + pattern).match(text)
    if match is None:
        return False
    if _PHRASAL.search(text):
        return True
    return not _has_matter(match["verb"])


def _has_matter(text: str) -> bool:
    words = weight.weighed(text)
    return words.matter > words.vote


_compiled = cache(re.compile)  # when first met: most statements are followed by nothing


_SHORT_OF = re.compile(
    r".{1,80}?,? (?:but|yet|though|and yet) (?:(?:he|she|it|they|his|her|its|their)(?: \w+)? )?"
    r"(?:(?:could|did|does|do|has|have|had|can|was|were|is)(?: not|n't)|cannot|never|failed|lacks|lacked|missed|ignored"
    r"|left|ran) (?!by\b|much\b|far\b|so\b|enough\b|worse\b|\w+ly\b)"
)


def fell_short(text: str) -> bool:
    """Whether a sentence grants another one something and goes on with its fault ("Ben led, but could not answer")."""
    short = _SHORT_OF.match(text)
    return short is not None and not any(says(table, text[short.end() :]) for table in ("SELF", "UNSURE", "BACK"))
