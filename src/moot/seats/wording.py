"""Wording: how people say that they vote, abstain, doubt, quote and take back. This file owns these word lists.

All patterns are for folded text (``plain.fold``): lower case, straight quotation marks, no emphasis marks.
The lists err to one side: what is not known to be a plain statement is not booked.
"""

import re

VOTES = (
    # English
    r"i(?: (?:hereby|now|therefore|thus|finally|firmly|gladly|proudly|confidently|respectfully|reluctantly|formally"
    r"|officially|personally|also|still|strongly|clearly|happily))*"
    r"(?: will| shall|'ll| am|'m)?(?: (?:hereby|now|therefore|finally))?(?: cast(?:ing)? my (?:final )?(?:vote|ballot) (?:for|to)"
    r"| giv(?:e|ing) my vote to| vot(?:e|ing) for)",
    r"my (?:final |own )?(?:vote|ballot) (?:goes to|is for|is)",
    r"i (?:now |hereby |therefore )?(?:am |'m )?(?:chang|switch|mov)(?:e|ing) my vote to",
    # German
    r"(?:ich (?:stimme|votiere)(?: (?:daher|deshalb|also|somit|klar|nun))?|(?:stimme|votiere) ich) für",
    r"(?:ich gebe meine stimme|meine stimme geht an|meine stimme gilt|ich wähle)",
    # French, Spanish, Italian, Portuguese, Romanian
    r"je vote(?: donc)? (?:pour|en faveur de)",
    r"(?:mon vote va à|mi voto es para|mi voto va para|il mio voto va a|meu voto vai para|meu voto é para)",
    r"(?:yo )?voto (?:por|a favor de)",
    r"(?:io )?voto (?:per|a favore di)",
    r"(?:eu )?voto (?:em|no|na)",
    r"(?:eu )?votez (?:pentru|cu)",
    # Dutch, Swedish, Danish, Norwegian, Finnish
    r"(?:ik stem(?: daarom)?|(?:daarom|dus) stem ik) (?:op|voor)",
    r"(?:jag röstar|jeg stemmer|eg røystar) (?:på|för|for)",
    r"äänestän",
    # Polish, Czech, Russian, Ukrainian, Greek, Turkish
    r"(?:ja )?(?:głosuję (?:na|za)|oddaję (?:swój )?głos na)",
    r"(?:hlasuji|hlasuju) pro",
    r"(?:я )?(?:голосую за|отдаю (?:свой )?голос за|віддаю (?:свій )?голос за)",
    r"ψηφίζω(?: υπέρ| τον| την)?",
    r"(?:benim )?oyum",
    # Indonesian, Vietnamese, Arabic, Chinese, Japanese, Korean
    r"saya (?:memilih|memberikan suara untuk)",
    r"tôi bỏ phiếu cho",
    r"أصوت ل(?:صالح)?",
    r"我(?:投票(?:给|給|支持|选择|選擇)|投(?:给|給)|的票投(?:给|給)|(?:选择)?投(?:票)?(?:给|給)|支持|选择|選擇)",
    r"(?:我的投票|我的选择|私の投票|投票先|나의 투표|내 투표)(?:是|は|는)?",
)
"""A first-person statement of a vote; the candidate's name follows it."""

AFTER = (
    r"(?:私は|わたしは)?、?(?P<ja>[^\n。、!?]{1,80}?)に(?:一票を)?(?:投票(?:します|する|いたします|致します)|入れます)",
    r"(?:나는|저는|전)? ?(?P<ko>[^\n。.!?]{1,80}?)(?:에게|에) ?(?:한 표를 )?투표(?:합니다|한다|하겠습니다|할게요)",
)
"""The same where the name stands before the verb."""

ABSTENTIONS = (
    r"i(?: (?:hereby|therefore|will|shall|must|respectfully|formally|choose to|have to|am going to|have decided to|prefer to"
    r"|wish to|decide to|vote to))*(?: |'ll )abstain",
    r"i(?: am|'m) abstaining",
    r"ich enthalte mich|ich enthalte mich der stimme|enthalte ich mich",
    r"je m'abstiens|(?:yo )?me abstengo|(?:io )?mi astengo|(?:eu )?(?:me abstenho|abstenho-me)|(?:eu )?mă abțin",
    r"ik onthoud (?:me|mij)|jag avstår|jeg (?:afstår|avstår|undlader at stemme)|(?:ja )?wstrzymuję się|zdržuji se",
    r"(?:я )?воздерживаюсь|(?:я )?утримуюсь|απέχω|çekimser kalıyorum|saya abstain|tôi bỏ phiếu trắng|أمتنع عن التصويت",
    r"我(?:选择|選擇|决定|決定)?(?:弃权|棄權|放弃投票|放棄投票)|(?:私は)?(?:投票を)?棄権(?:します|いたします|する)|(?:저는|나는)? ?기권(?:합니다|한다|하겠습니다)",
)
"""A first-person statement that somebody abstains."""

ABSTAINING = (
    r"(?:\s*(?:$|[.!;,。、]|[(\u2013\u2014-]\s)|\s+(?:from (?:voting|this vote|the vote|this ballot|the ballot|this decision)"
    r"|(?:in|on) this (?:vote|round|ballot|decision|question|matter|one|issue)|in the vote|in this case|here|this time|today|now"
    r"|because|since|as|due|for lack|and will|and do not|and don't|der stimme|bei dieser|weil|da|du vote|de voter|de votar"
    r"|dal voto|da votação|van stemming|van de stemming|od głosu|от голосования|från|fra|hlasování|porque|parce|perché|omdat)\b)"
)
"""What may follow an abstention; anything else is about another matter ("I abstain from judging the style")."""

OWN_ABSTENTION = re.compile(
    r"\s*(?:to )?(?:i )?(?:abstain|abstention|enthaltung|abstenção|abstención|弃权|棄權)\b[\s.!]*$"
)
"""What stands in place of a name where somebody abstains in the formula itself."""

NOBODY = re.compile(
    r"(?:none|nobody|no one|no-one|noone|neither|nothing|niemand\w*|keine\w*|personne|nadie|nessuno|ninguém|никого|nikogo|没有)\b"
)
BLANK = re.compile(
    r"[\[<{]|_{3,}|\.\.\.|…|(?:(?:the |an? |your )?(?:agent|candidate|participant|proposal|chosen)(?:'s)? name|name|x)\b(?!\s*\w)"
)
"""Where a template was copied without filling it in."""

LEADS = re.compile(
    r"(?:(?:so|therefore|thus|hence|consequently|accordingly|finally|now|today|overall|and|but|yet|still|ok|okay|well|alright"
    r"|right|yes|anyway|here|ultimately|personally|honestly|again|also|in conclusion|to conclude|in summary|in short|in the end"
    r"|all in all|on balance|all things considered|as a result|as such|that said|with that(?: said)?|for (?:these|those|this|that"
    r"|the above)(?: two| three)? reasons?|because of (?:this|that|all this)|this is why|that is why|that's why|which is why"
    r"|having said (?:all )?that|i think|daher|deshalb|somit|also|und|aber|nun|darum|folglich|fazit|donc|ainsi|alors|et|mais|enfin"
    r"|por lo tanto|por tanto|por eso|así que|entonces|quindi|perciò|pertanto|dunque|portanto|por isso|assim|dus|daarom|dlatego"
    r"|więc|zatem|поэтому|итак|тому|因此|所以|最终|最終|最后|最後|综上|綜上|故|よって|したがって|そこで|따라서|그래서|det(?:ta)? och)"
    r"[\s,]*)+"
)
OPENERS = re.compile(
    r"(?:(?:ok|okay|so|and|well|but|now|yes|again)\s+)*(?:after|having|based|given|considering|weighing|taking|for|from|with|despite"
    r"|due|following|upon|by|since|because|on|to|as an?|nach|auf|aufgrund|angesichts|après|vu|tras|dopo|após|na|gezien|po|после)\b"
)
"""How a clause may begin that stands right before a vote without a word of its own about who says so."""

CUTS = re.compile(
    r"[,;\u2013\u2014、]|\s-\s|\b(?:and|but|so|therefore|hence|thus|which is why|that's why|that is why|this is why)\b(?= i\b|\s*$)"
)
DOUBTS = re.compile(
    r"\b(?:if|unless|were|was|would|wouldn't|could|might|should|may|suppose|supposing|imagine|assuming|assume|provided|hypothetically"
    r"|hypothetical|otherwise|else|whether|maybe|perhaps|possibly|probably|tempted|pretend|had i|once|when|whenever|until|before|case"
    r"|wenn|falls|würde|hätte|vielleicht|sonst|sofern|si|sauf|peut-être|quizás|quizá|forse|talvez|se|als|indien|misschien"
    r"|gdyby|jeśli|jeżeli|może|если|бы|возможно|якщо|hvis|om|ifall)\b|如果|假如|要是|倘若|若|也许|もし|なら|만약|then$"
)
DENIALS = re.compile(
    r"\b(?:not|never|no|cannot|neither|nor|nobody|without|hardly|refuse|decline|hesitate|reluctant|unwilling|nie|niemals|nicht"
    r"|keinesfalls|kein\w*|ne|pas|jamais|non|nunca|jamás|mai|não|niet|nooit|не|никогда|ні|nu|ikke|aldrig|aldri|inte)\b|n't\b|不|没"
)
REPORTS = re.compile(
    r"\b(?:said|says?|saying|wrote|writes?|writing|written|claims?|claimed|quot(?:e|es|ed|ing)|words|phrase|sentence|line|told|tells?"
    r"|ask(?:s|ed|ing)?|wants?|begs?|begged|urge[sd]?|demand(?:s|ed)?|instruct(?:s|ed|ion|ions)?|order(?:s|ed)|suggest(?:s|ed)?"
    r"|examples?|e\.g|instance|templates?|formats?|formula|like|such as|cop(?:y|ied|ying)|repeat(?:s|ed|ing)?|replied|answered"
    r"|end(?:s|ed|ing)|clos(?:es|ed|ing)|announce[sd]?|declare[sd]|shouted|reads|typ(?:e|es|ed|ing)|respond(?:s|ed)?|print|stat(?:es|ed)"
    r"|post(?:s|ed)|pasted|shows?|showed|imitat\w+|pretends?|thinks?|believes?|expects?|hopes?|assumes?|imagines?|wish(?:es)?|knows?"
    r"|fears?|predicts?|predicted|guess|that|who|those|why|day|moment|time|reason|way|person|first|initially|initial|originally"
    r"|previously|earlier|draft|proposal|message|text|option|round|second|third|used|sagt\w*|schrieb\w*|schreibt|meint|behauptet"
    r"|dass|dit|écrit|dice|dijo|escribió|que|ha detto|che|disse|zegt|schreef|mówi|napisał\w*|że|сказал\w*|пишет|что)\b|说|說|写|言"
)
"""What makes a vote conditional; what denies it; what says that others say it, or that it is over."""

SAID = re.compile(
    r"\b(?:said|says?|saying|wrote|writes?|writing|written|claims?|claimed|quot(?:e|es|ed|ing)|words|phrase|sentence|tells?|told"
    r"|ask(?:s|ed|ing)?|wants?|begs?|begged|urge[sd]?|demand(?:s|ed)?|instruct(?:s|ed|ion|ions)?|examples?|e\.g|for instance|templates?"
    r"|formats?|formula|like|such as|cop(?:y|ied|ying)|repeat(?:s|ed|ing)?|replied|answered|end(?:s|ed)|clos(?:es|ed)|announce[sd]?"
    r"|shouted|reads|typ(?:es?|ed|ing)|pasted|pretends?|thinks?|believes?|expects?|hopes?|assumes?|imagines?|that"
    r"|sagte|schrieb|schreibt|meint|behauptet|dass|dit|écrit|dice|dijo|escribió|que|ha detto|che|disse|zegt|schreef|napisał\w*|że"
    r"|сказал\w*|пишет|что)\b|说|說|写"
)
"""What gives the words that follow to somebody else, or makes them an example."""

PAST = re.compile(
    r"\b(?:(?:first|initial|original|earlier|previous|old|former) (?:reaction|thought|instinct|impulse|impression|vote|answer|draft|choice"
    r"|inclination|idea|preference)|initially|originally|at first|previously|earlier|formerly|last round|last time|i used to|yesterday"
    r"|zuerst|anfangs|ursprünglich|d'abord|au début|al principio|all'inizio|no início|eerst|najpierw|сначала)\b|起初|最初"
)
"""What makes a statement one of the past."""

INTRO = re.compile(
    r"(?:(?:so|and|therefore|thus|hence|ok|okay|well|now|sure|certainly|of course)[,!.]?\s+)*"
    r"(?:(?:here is|here's|here are|below is|this is|here it is|here goes|to conclude|in conclusion|for the record|again|accordingly"
    r"|therefore|formally)?,?\s*(?:(?:my|the|mein|meine|ma|mon|mi|la mia|il mio|minha|meu|mijn|mój|moja|мой|我的|最终|最終|私の)\s*)?"
    r"(?:(?:own|final|official|honest|actual|formal|considered|definitive|endgültige|finale|final|oficial|definitiva)\s+)*"
    r"(?:vote|ballot|answer|decision|conclusion|choice|verdict|reply|response|statement|result|recommendation|judge?ment|voting"
    r"|evaluation|assessment|ruling|message|summary|review|scores?|scoring|critique|form|votum|stimme|antwort|fazit|entscheidung|réponse"
    r"|choix|conclusion|respuesta|voto|decisión|risposta|decisione|resposta|decisão|stem|antwoord|głos|odpowiedź|ответ|голос|решение"
    r"|投票|答案|选择|決定|回答|final|json)?"
    r"(?:\s+(?:final|finale|definitiva|in json|as json))?(?:\s+(?:is|lautet|est|es|è|é))?(?:\s+(?:as follows|below|then|this))?)\s*[:.]?"
)
"""A line or clause that announces the author's own answer."""

FINAL = re.compile(
    r"\b(?:(?:final|definitive|revised|updated|corrected) (?:answer|vote|decision|choice|ballot|statement|verdict|word|scores?|status|version)"
    r"|(?:change|changed|changing|switch|switching|revise|revising) (?:my|to)|correction|corrected|on second thought|on reflection"
    r"|scratch that|strike that|i take (?:that|it|this) back|i (?:hereby )?(?:retract|withdraw|revoke) my|i now vote|actually|no, wait|wait"
    r"|endgültig\w*|ich ändere|réponse finale|je change|respuesta final|voto final|cambio mi|risposta finale|cambio il|resposta final"
    r"|mudo meu|окончательный|меняю)\b|最终|最終|改投"
)
"""Words that say which of two statements stands: the later one."""

TAKEN_BACK = re.compile(
    r"\b(?:on second thought|scratch that|strike that|i take (?:that|it|this) back|i (?:hereby )?(?:retract|withdraw|revoke|cancel"
    r"|rescind) (?:my|that|this|the|it)|(?:ignore|disregard|forget) (?:that|this|the|my|what|it|all|everything)"
    r"|(?:just|only|i'm|was|am) (?:kidding|joking)|kidding|(?:is|was|as) an? joke|just a joke|jk|never ?mind"
    r"|(?:don't|do not|not|should not|must not) (?:be )?count(?:ed)?(?: (?:that|this|it|my|the|as))?"
    r"|(?:not|isn't|wasn't|aren't|never|no longer) (?:from me|mine|by me|my (?:own |real |actual |final |true )?(?:vote|ballot|answer"
    r"|words?|choice|position|view|opinion|statement|message))|pasted|copied|(?:did not|didn't|never) (?:write|say|mean) (?:that|this|it)"
    r"|(?:that|this|it|above|which)(?:'s| is| was| would be) (?:only |just |merely |simply )?(?:an? )?(?:example|quote|quotation"
    r"|template|test|what|how|sarcas\w+|ironic|irony|hypothetical|placeholder|before|said|written)"
    r"|is (?:what|how) \w+|would have (?:been|said|voted)|i (?:have )?chang(?:e|ed|ing) my (?:mind|vote)|my mistake|i (?:mean|meant)"
    r"|oops|as if|not yet final|not final|to be confirmed|sarcasm|ich nehme das zurück|nein, doch|je retire|me retracto|ritiro|retiro"
    r"|war nur ein)\b|(?:^|[.!?]\s+|\n\s*)(?:actually|wait|no|nope|hmm+|correction|or (?:so|rather|maybe|not)|not|psych"
    r"|unless|only if|but only|provided|assuming|at least)\b(?=[\s,.!:-](?!other|one|doubt|matter|plan|proposal|only\b(?! if)))|/s\b"
)
"""What, after a statement, says that it does not hold, or that it holds only under a condition."""

REASONS = re.compile(
    r"[\s,;:(\u2013\u2014-]*(?:because|since|as (?:it|its|they|their|he|his|she|her|the|this|that)|for (?:its|his|her|their|the|having"
    r"|being)|due to|owing to|thanks to|on the (?:grounds|basis|strength)|based on|given|considering|whose|who|which|as\b(?! (?:my|a|an)"
    r"\b)|weil|da|denn|aufgrund|wegen|car|parce|puisque|en raison|grâce|porque|ya que|puesto|gracias|perché|poiché|pois|omdat|want|vanwege"
    r"|ponieważ|bo|gdyż|потому|так как|поскольку|fordi|eftersom|pentru că)(?!\w)|[\s,;:(]*(?:因为|因為|理由|なぜなら|왜냐하면)"
)
"""What opens a reason; within a reason other candidates may be named."""

TAILS = re.compile(
    r"(?:because|since|as|for|due|owing|thanks|on|over|based|given|considering|whose|who|which|with|in this|in the|without|rather"
    r"|instead|not|this|today|here|again|wholeheartedly|purely|mainly|primarily|simply|at|despite|even though|although|though|while|and"
    r"|but|to|it|its|nicht|weil|da|denn|und|aufgrund|wegen|car|parce|puisque|et|en raison|grâce|plutôt|pas|porque|ya|y|e|no|gracias"
    r"|por|perché|poiché|per|pois|não|omdat|want|en|niet|vanwege|ponieważ|bo|gdyż|nie|i|потому|так|и|не|поскольку|fordi|eftersom|och"
    r"|og|inte|ikke|pentru)\b|因为|因為|理由|的(?:提案|方案|建议|建議|计划|計劃)"
)
"""The first word that may follow a name; anything else makes it part of a longer, unknown name."""

HEDGES = re.compile(
    r"\b(?:if|unless|provided|assuming|as long as|once|until|when|whenever|pending|except|only after|would|could|might|should|maybe|perhaps"
    r"|possibly|probably|tentative(?:ly)?|provisional(?:ly)?|for now|for the moment|in case|in theory|second choice|second-choice|backup"
    r"|back-up|runner-up|third choice|first choice|first preference|second preference|ranked|not really|not sure|unsure|jokingly|joke|kidding|just kidding|example"
    r"|partly|partially|mostly|almost|nearly|in part|hypothetical\w*|conditional(?:ly)?|or not|wenn|falls|sofern|vielleicht|würde|bis|si|sauf"
    r"|peut-être|quizás|forse|talvez|se|indien|misschien|jeśli|если|возможно|hvis|om)\b|如果|假如|若|もし"
)
"""What makes a statement provisional or conditional."""

SPARED = re.compile(
    r"(?:\b(?:not(?: for)?|over|than|unlike|instead of|rather than|versus|vs\.?|against|nicht(?: für)?|statt|pas(?: pour)?|plutôt que|en lugar"
    r" de|no(?: por)?|non(?: per)?|não(?: em)?|niet(?: op)?|nie(?: na)?|не(?: за)?|than (?:that|those) of|better than|ahead of|beats|beat)|不是)"
    r"[\s\"'\[(]*$"
)
"""What stands before another candidate's name that is only compared with, or ruled out."""

GOODS = re.compile(
    r"(?:(?:\w+ )?(?:proposal|plan|answer|solution|approach|position|argument|draft|case|design|idea|suggestion|version|submission|option"
    r"|response|work|side|view)s?\b)"
)
"""What of a candidate's one votes for when one votes for the candidate."""

OF = re.compile(
    r"(?:the )?(?:\w+ )?(?:proposal|plan|answer|solution|approach|position|argument|draft|design|idea|suggestion|version|submission)s?"
    r" (?:of|by|from|made by) |(?:option|candidate|proposal|answer) (?=\S)"
)
NEGATED = re.compile(
    r"\bi(?:'d|'ll| would| will| do| can| could| shall)?(?:n't|not)? ?(?:(?:really|certainly|definitely|simply|absolutely|just|refuse|decline|am"
    r"|going|to|not|never|no longer|cannot|under no circumstances)\s+){0,4}(?:vote|voting) for\s*:?\s*"
)
"""An English refusal to vote for somebody whose name follows; it needs a word of ``DENIALS`` in it."""
