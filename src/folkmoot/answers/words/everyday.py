"""Votes as people say them in conversation: somebody takes or names a candidate, without a word of voting.

"Yeah, I'm going with Ada", "gotta be Ben for me", "my pick's Cleo". They count only where an answer holds no other
statement, and only where nothing but the name, words of emphasis and a reason stands in them. All patterns are for
folded text, as those of ``formulas``.
"""

from folkmoot.answers.words.formulas import Patterns, spaced, unspaced
from folkmoot.core.text import late_pattern

_I = "(?:i'm|im|i am)"
_GO = "(?:going|goin'?|gonna go|going to go)"
_OWN = "(?:final |own |top )?(?:pick|choice|vote|ballot|winner|answer)"
_BE = "(?:(?:it )?(?:has|have|had|got) to|(?:it'?s |it )?(?:got to|gotta)) be|it(?:'s| is) (?:got to|gotta) be"

NAMED: Patterns = (
    spaced("go", rf"{_I} {_GO} (?:with|for)|{_GO} with|i go (?:with|for)|i(?:'ve| have)? gone with|i went with"),
    spaced("going to", rf"{_I} going to (?:pick|choose|back|take|say)"),
    spaced("gonna", rf"{_I} gonna (?:pick|choose|back|take|say|vote(?: for)?)"),
    *(spaced(verb, rf"(?:i(?:'ll| will)?|let me) {verb}") for verb in ("take", "pick", "choose", "say", "back")),
    spaced("vote", r"(?:i|i'll|i will) vote"),
    spaced("voting", rf"(?:{_I} )?voting(?: for)?"),
    spaced("be ", _BE),
    spaced("my ", rf"my {_OWN}(?:'s| is| goes| has to be)(?: (?:for|to|on|with))?"),
    spaced("i", rf"{_I} (?:all )?(?:with|for|on team|team)"),
    spaced("give", r"(?:i|i'll|i will|let me) give (?:it|my (?:vote|voice))? ?to"),
    spaced("find for", r"i find for(?: the)?"),
    spaced(
        "ich", r"ich (?:nehme?|sage?|wähle?|gehe? mit|bin (?:ganz klar |klar |eindeutig )?für|stimme? für|setze? auf)"
    ),
    spaced("für mich", r"für mich,?(?: (?:ist es|ist's|ist das|wird es|wird's))?"),
    spaced("prends", r"je prends"),
    spaced(
        "je ", r"je (?:dis|pars (?:sur|avec|pour)|reste sur|suis (?:pour|avec)|garde|mise sur|vais (?:prendre|avec))"
    ),
    spaced("pour moi", r"pour moi,?(?: (?:c'est|ce sera|ça sera))?"),
    spaced("moi", r"moi,? (?:c'est|je (?:vote|dis|prends|choisis)(?: pour)?)"),
    spaced("yo ", r"yo (?:digo|voy con|voy por|estoy con|apuesto por|tomo)"),
    spaced("voy", r"(?:me )?voy con"),
    spaced("para mí", r"para mí,?(?: (?:es|gana))?"),
    spaced("com", r"(?:eu )?(?:vou|fico|fecho|estou|tô) com|fechado com"),
    spaced("vou de", r"(?:eu )?vou de"),
    spaced("mim", r"(?:pra|para) mim,?(?: (?:é|dá|vai ser))?"),
    spaced("digo", r"eu digo"),
    spaced("i", r"io (?:dico|prendo|sto con|vado (?:con|per)|sono per)|(?:sto|vado) con"),
    spaced("per me", r"per me,?(?: (?:è|vince|sarà))?"),
    spaced("я", r"я за|я беру|для меня (?:это|только)"),
    spaced("беру", r"беру|ставлю на"),
    spaced("za", r"(?:ja )?(?:jestem|stoję|obstaję) za"),
    spaced("bi", r"(?:ja )?biorę"),
    spaced("na", r"(?:ja )?stawiam na"),
    spaced("dla mnie", r"dla mnie(?: (?:to|tylko|wygrywa))?"),
    spaced("m", r"(?:benim )?(?:tercihim|seçimim|oyum)(?! (?:yok|bu)\b)"),
    unspaced("我", r"(?<!\w)(?:那)?我(?:就|还是|還是|觉得|覺得)?(?:站|挺|选|選|要|判|投|押)(?![票择擇出中给給入])"),
    unspaced("أنا", r"(?<!\w)أنا مع(?!\w)"),
    unspaced("س", r"(?<!\w)(?:سأصوت (?:ل(?:صالح|ـ)?|مع)|اخترت)(?!\w)"),
)
"""How somebody says whom it takes, where the name follows."""

_END = r"(?=\s*(?:$|[.,;:!?()\n\u2013\u2014-]))"

TAKEN: Patterns = (
    *(unspaced(words, rf",? {words}{_END}") for words in ("for me", "all the way", "it is", "hands down")),
    unspaced("my ", rf"(?:'s| is) (?:clearly |definitely |still )?my {_OWN}(?!\w)"),
    unspaced("my vote", r"(?:'s| has)? got my vote(?!\w)| takes my vote(?!\w)| it is for me(?!\w)"),
    unspaced("voting", rf" is (?:who|what|the one(?: that)?) i(?:'m| am) (?:voting (?:for|on)|picking|choosing){_END}"),
    unspaced("stimme", r" (?:kriegt|bekommt|hat|kriegt von mir|bekommt von mir) (?:meine|die) stimme(?!\w)"),
    unspaced("für mich", rf" für mich{_END}"),
    unspaced("wahl", r" ist (?:ganz klar |klar |eindeutig )?meine wahl(?!\w)"),
    unspaced("moi", rf",? pour moi{_END}"),
    unspaced("vo", r" (?:a|aura|remporte|prend|gagne) (?:ma voix|mon vote)(?!\w)"),
    unspaced(
        "voto",
        r" (?:se lleva|gana|leva|ganha|fica com|si prende|vince|merece|merita) (?:mi|(?:o )?meu|il mio) voto(?!\w)",
    ),
    unspaced("para mí", rf" para mí{_END}"),
    unspaced("mim", rf" (?:pra|para) mim{_END}"),
    unspaced("per me", rf" per me{_END}|,? tutta la vita{_END}"),
    unspaced("голос", r" (?:забирает|получит|заслужил\w*) мой голос(?!\w)"),
    unspaced("выбор", rf" ?(?:[\u2013\u2014-]|это) мой выбор{_END}"),
    unspaced("głos", r" (?:zgarnia|bierze|ma u mnie) (?:mój )?głos(?!\w)"),
    unspaced("dla mnie", rf" dla mnie{_END}"),
    unspaced("yana", r"(?:'?[dt][ae]n) yana(?:yım)?(?!\w)"),
    unspaced("m", r" benim (?:tercihim|seçimim|oyum)(?!\w)"),
    unspaced("diyorum", rf" diyorum{_END}"),
    unspaced("します", r"(?:に|で)(?:します|お願いします|いきます)(?=[。.!\n、,:;(（—-]|\s|$)"),
    unspaced("推", r"(?:を|に)?推し(?:ます|です)|を推す(?=[。.!\n]|$)"),
    unspaced("がいいです", r"(?:が|の方が)いいです(?=[。.!\n]|$)"),
    unspaced("요", r"(?:이)?요(?=[!.…,:;(\n]|\s[-–—]|$)|(?:으)?로 (?:할게요|하겠습니다|갈게요|정했어요)"),
    unspaced("게요", r"(?:을|를)? ?(?:뽑|찍|고르|고를|선택할)(?:을)?게요"),
    unspaced("겠습니다", r"(?:을|를) (?:뽑|고르|택하)겠습니다"),
    unspaced("한 표", r"(?:에|에게|한테) 한 표(?:요|입니다|!|\.|\n|$)"),
    unspaced("साथ", r" के साथ (?:हूँ|हूं)(?!\w)"),
    unspaced("चुन", r" को (?:ही )?(?:चुनूँगा|चुनूँगी|चुनूंगा|चुनूंगी|चुन रहा हूँ|चुन रही हूँ)"),
    unspaced("मेर", r" (?:ही )?(?:मेरी पसंद|मेरा चुनाव) (?:है|हैं)| को (?:ही )?मेरा वोट(?! नहीं)"),
    unspaced("ختياري", r" (?:هو |هي )?(?:اختياري|خياري)(?!\w)"),
)
"""The same where the name stands first."""

OPENINGS = late_pattern(
    r"(?:(?:yeah|yep|yes|yup|ok|okay|k|so|well|right|alright|honestly|frankly|personally|imo|imho|tbh|anyway|look"
    r"|hmm+|ah|oh|omg|man|wow|and|but|then|now|for me|to me|in my book|definitely|clearly|easily|easy|simple|it's"
    r"|it is|also|puh|tja|naja|na ja|klar|dann|und|aber|ganz klar|eindeutig|für mich|bon|bah|alors|donc"
    r"|franchement|perso|et|mais|pour moi|c'est|bueno|pues|vale|mira|y|pero|para mí|bom|bem|então|olha|e|mas"
    r"|pra mim|para mim|beh|allora|dai|ma|per me|ну|так|итак|что ж|для меня|dobra|więc|dla mnie|yani|bence|valla"
    r"|şey|那|嗯|好|まあ|えっと|じゃあ"
    r"|음|글쎄|그럼|저는|나는|난|전|يعني|طيب|حسنا|तो|भई|देखिए|मैं(?: तो)?|मेरे लिए)[\s,.!:…、，-]+)++"
)
"""How people begin to speak: words before a vote that change nothing about it."""

_FIRMLY = (
    r"no contest|hands down|no question|no doubt|without a doubt|easily|easy|full stop|period|tbh|imo|imho"
    r"|honestly|for me|on (?:this|that)(?: one)?|no regrets|this time|this round|all the way|100 ?%"
    r"|any day|every time|of course|clearly|definitely|obviously|for sure|final answer|that's it"
    r"|then(?=\W*$)|ganz klar|eindeutig|klar|definitiv|ohne frage|keine frage|punkt|fertig|für mich"
    r"|diesmal|(?:il )?(?:n')?y'? ?a pas photo|sans hésiter|sans hésitation|sans (?:aucun )?regret"
    r"|évidemment|clairement|sans aucun doute|point final|pour moi|sin dudarlo|sin duda|claramente|para mí"
    r"|y punto|sem dúvida|sem hesitar|com certeza|claro|e pronto|pra mim|senza dubbio|senza esitare"
    r"|chiaramente|per me|punto|tutta la vita|без сомнений|однозначно|конечно|точка|bez wahania"
    r"|zdecydowanie|oczywiście|kropka|dla mnie|kesinlikle|tabii ki|net"
    r"|毫无疑问|一票|肯定|間違いなく|絶対|확실히|당연히|بلا شك"
    r"|بالتأكيد|बिल्कुल|निश्चित रूप से"
)
_POLITELY = "please|pls|thanks|bitte|s'il vous plaît|merci|por favor|per favore"
_BEHIND = r"(?:[\s,.!\u2013\u2014-]{{0,9}}(?:(?:(?:and|und|et|y|e|i|и) )?(?:{0}))(?!\w))++"
FIRM = late_pattern(_BEHIND.format(_FIRMLY))
"""Words of emphasis behind a vote."""

EMPHASIS = late_pattern(_BEHIND.format(f"{_FIRMLY}|{_POLITELY}"))
"""The same, and words of courtesy."""


VOTE = late_pattern(
    r"\b(?:vot\w*|ballots?|stimm\w*|voix|głos\w*|голос\w*|oy(?:um|umu|u)?|hlas\w*)\b|投票|票|투표|صوت|वोट"
)
"""A word of voting."""

VOTELESS = late_pattern(
    r"\b(?:abst[aei]\w*|astien\w*|astengo|enthalt\w*|recus\w*|as an observer|undecided|unentschlossen|ind[eé]cis\w*"
    r"|воздерж\w*|wstrzym\w*|çekimser|bets?|betting|predict\w*|my guess|wette\w*|parie\w*|apuesta\w*|aposta\w*)\b"
    r"|弃权|棄權|棄権|기권|أمتنع"
)
"""What an author says that does not vote, or that only bets on a winner."""


LONGEST = 200
"""In so many characters at the end of a sentence words of emphasis are looked for."""


def without_emphasis(text: str) -> str:
    """A folded sentence without words of emphasis at its end, and then without those by which people begin to speak.

    Without emphasis behind it, what stands behind such words is whom they speak to ("Look, Ada.").
    """
    ends = [match.start() for match in FIRM.finditer(text, max(0, len(text) - LONGEST)) if match.end() == len(text)]
    if not ends:
        return text
    opening = OPENINGS.match(text)
    return text[opening.end() if opening else 0 : ends[0]].rstrip(" ,")
