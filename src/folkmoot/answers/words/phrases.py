"""Word lists: how people doubt, deny, quote, announce and take back what they say.

All patterns are for folded text (``plain_text.fold``): lower case, straight quotation marks, no emphasis marks.
The lists are strict: a statement that is not known to be plain does not count.
"""

from folkmoot.core.text import late_pattern


def _any_of(words: str) -> str:
    """One of these words, given with bars between them; blanks beside a bar and line breaks do not matter."""
    return "(?:" + "|".join(" ".join(word.split()) for word in words.split("|")) + ")"


# ---- what stands before a statement ----------------------------------------------------------------------------

_SAYING = """
    according | paraphras\\w+ | said | says? | saying | wrote | writes? | writing | written | claims? | claimed
    | quot(?:e|es|ed|ing) | words | phrase | sentence | tells? | told | ask(?:s|ed|ing)? | wants? | begs? | begged
    | urge[sd]? | demand(?:s|ed)? | instruct(?:s|ed|ion|ions)? | examples? | e\\.g | for instance | templates?
    | formats? | formula | like | such as | cop(?:y|ied|ying) | repeat(?:s|ed|ing)? | replied | answered
    | end(?:s|ed) | clos(?:es|ed) | announce[sd]? | shouted | reads | typ(?:es?|ed|ing) | pasted | pretends?
    | thinks? | believes? | expects? | hopes? | assumes? | imagines? | that | sagte? | schrieb | schreibt | meint
    | behauptet | dass | dit | écrit | dice | dijo | escribió | que | ha detto | che | disse | zegt | schreef
    | napisał\\w* | że | сказал\\w* | пишет | что
"""
SAID = late_pattern(rf"\b{_any_of(_SAYING)}\b|说|說|写|言")
"""What gives the words that follow to somebody else, or makes them an example."""

_TELLING = """
    line | instruct\\w* | order(?:s|ed) | suggest(?:s|ed)? | instance | ending | closing | declare[sd]
    | respond(?:s|ed)? | print | stat(?:es|ed) | post(?:s|ed) | shows? | showed | imitat\\w+ | wish(?:es)? | knows?
    | fears? | predicts? | predicted | guess | who | those | why | day | moment | time | reason | way | person
    | first | initially | initial | originally | previously | earlier | draft | proposal | message | text | option
    | round | second | third | used | test | behalf | record | parser
"""
REPORTS = late_pattern(rf"{SAID.pattern}|\b{_any_of(_TELLING)}\b")
"""The same, with words that only make it possible."""

_FORMER = "first | initial | original | earlier | previous | old | former"
_STANDS = (
    "reaction | thought | instinct | impulse | impression | vote | answer | choice | inclination | idea | preference"
)
_PAST = """
    initially | originally | at first | previously | earlier | formerly | last round | last time | i used to
    | yesterday | drafts? | zuerst | anfangs | ursprünglich | d'abord | au début | al principio | all'inizio
    | no início | eerst | najpierw | сначала
"""
PAST = late_pattern(rf"\b(?:{_any_of(_FORMER)} {_any_of(_STANDS)}|{_any_of(_PAST)})\b|起初|最初")
"""What makes a statement one of the past."""

_DOUBTS = """
    if | unless | were | would | wouldn't | could | might | should | may | suppose | supposing | imagine | assuming
    | assume | provided | hypothetical(?:ly)? | otherwise | else | whether | for example | for instance | e\\.g
    | example | maybe | perhaps | possibly | probably | tempted | pretend
    | had (?:i|it|he|she|they|the|this|that|we) | once(?! (?:more|again)\\b) | when | whenever | until | before
    | in case | in (?:that|which|such a) case | in theory | in principle | ideally | in an? (?:ideal|perfect)
    | dream\\w* | wenn | falls | würde | hätte | vielleicht | sonst | sofern | si | sauf | peut-être | quizás?
    | forse | talvez | se | als | indien | misschien | gdyby | jeśli | jeżeli | może | если | бы | возможно | якщо
    | hvis | om | ifall
"""
DOUBTS = late_pattern(rf"\b{_any_of(_DOUBTS)}\b|如果|假如|要是|倘若|若|也许|もし|なら|만약|\bthen$")
"""What makes a statement conditional or hypothetical."""

_DENIALS = """
    not | never | no | cannot | neither | nor | nobody | without | hardly | refuse | decline | hesitate | reluctant
    | unwilling | nie | niemals | nicht | keinesfalls | kein\\w* | ne | pas | jamais | non | nunca | jamás | mai
    | não | niet | nooit | не | никогда | ні | nu | ikke | aldrig | aldri | inte
"""
DENIALS = late_pattern(rf"\b{_any_of(_DENIALS)}\b|n't\b|不|没|沒")
"""What denies a statement, before it."""

_LEADS = """
    tl;dr | so | therefore | thus | hence | consequently | accordingly | finally | now | today | overall | and | but
    | yet | still | ok | okay | well | alright | right | yes | anyway | here | ultimately | personally | honestly
    | again | also | in conclusion | to conclude | in summary | in short | in the end | all in all | on balance
    | all things considered | as a result | as such | that said | with that(?: said)?
    | for (?:these|those|this|that|the above)(?: two|three)? reasons? | because of (?:this|that|all this)
    | this is why | that is why | that's why | which is why | having said (?:all )?that | i think | daher | deshalb
    | somit | also | und | aber | nun | darum | folglich | fazit | donc | ainsi | alors | et | mais | enfin
    | por lo tanto | por tanto | por eso | así que | entonces | quindi | perciò | pertanto | dunque | portanto
    | por isso | assim | dus | daarom | dlatego | więc | zatem | поэтому | итак | тому | därför | derfor | 因此 | 所以
    | 最终 | 最終 | 最后 | 最後 | 综上 | 綜上 | 故 | よって | したがって | そこで | 따라서 | 그래서
"""
LEADS = late_pattern(rf"(?:{_any_of(_LEADS)}[\s,]*)+")
_OPENERS = """
    after | having | based | given | considering | weighing | taking | from | with | despite | due | following | upon
    | for (?:me|us|(?:all )?(?:the|these|this|those|that|its|reasons)) | by | since | because | on | as an? | nach | auf
    | aufgrund | angesichts | après | vu | tras | dopo | após | na | gezien | po | после | (?:out )?of (?:the|these)
    | this year | este (?:ano|año) | cette année | dieses jahr
"""
OPENERS = late_pattern(rf"(?:(?:ok|okay|so|and|well|but|now|yes|again)\s+)*{_any_of(_OPENERS)}\b")
"""How a clause may begin that stands right before a vote and does not say that somebody else says so."""

REASON_ENDS = late_pattern(
    r"(?:\b(?:için|nedeniyle|dolayı|yüzünden|\w+s[ae] (?:da|de|bile))|(?:하여|해서|여서|어서|아서|므로|때문에"
    r"|니까)|(?:ため|ので|から)に?"
    r"|(?:के कारण|की वजह से|इसलिए|के बाद))\W*$"
)
"""How a clause ends that gives a reason, in languages where the reason stands first."""

STRANGE = late_pattern(
    r"\b(?:day|moment|time|way|person|one|people|those|who|behalf|place|name|test"
    r"|reasons?(?<!these reasons)(?<!this reason)"
    r"|that(?<!all that))\b"
)
"""Words that turn such a clause into something else ("on the day I vote for …", "on behalf of …")."""

_JOINS = "and|but|so|therefore|hence|thus|which is why|that's why|that is why|this is why"
CUTS = late_pattern(
    rf"[,;\u2013\u2014、،؛]|(?<=지만)(?=\s|$)|(?<=하며)(?=\s|$)|\s-\s|\b(?:{_JOINS})\b(?= i\b|\s*$)|\bи(?=\s*$)"
)
"""Where one clause ends and the next begins."""

# ---- announcements ---------------------------------------------------------------------------------------------

_OWNERS = (
    "my | the | mein | meine | ma | mon | mi | la mia | il mio | minha | meu | mijn | mój | moja | мой | 我的 | 私の"
)
_KINDS = """
    own | final | official | honest | actual | formal | considered | definitive | endgültige | finale | oficial
    | definitiva
"""
_WORKS = """
    vote | ballot | answer | decision | conclusion | choice | verdict | reply | response | statement | result
    | recommendation | judge?ment | voting | evaluation | assessment | ruling | message | summary | review | scores?
    | scoring | critique | correction | update | revision | votum | stimme | antwort | fazit | entscheidung
    | réponse | choix | respuesta | voto | decisión | risposta | decisione | resposta | decisão | stem | antwoord
    | głos | odpowiedź | ответ | голос | решение | 投票 | 答案 | 选择 | 決定 | 回答 | 最终答案 | 最终投票 | final | json
"""
_POINTERS = """
    hier ist | hier kommt | voici | aquí está | ecco | aqui está | here is | here's | here are | below is | this is
    | here it is | here goes | to conclude | in conclusion
    | for the record
"""
INTRO = late_pattern(
    r"i (?:now |hereby |therefore )?(?:change|switch|revise) my (?:vote|mind|answer|choice)(?: as follows)?\s*:"
    r"|(?:(?:so|and|therefore|thus|hence|ok|okay|well|now|sure|certainly|of course|again|accordingly|formally)"
    r"[,!.]?\s+)*"
    rf"(?:{_any_of(_POINTERS)}?,?\s*(?:{_any_of(_OWNERS)}\s*)?(?:{_any_of(_KINDS)}\s+)*{_any_of(_WORKS)}?"
    r"(?:\s+(?:final|finale|definitiva|in json|as json))?(?:\s+(?:is|lautet|est|es|è|é))?"
    r"(?:\s+(?:as follows|below|then|this|(?:for|to) (?:the (?:board|council|debate|table)|everyone|all|all of you"
    r"|you)|(?:im|in the|in|au|en el|nel|no) (?:\w+ )?(?:form|format|formato)))?)\s*[:.]?"
)
"""A line or clause that announces the author's own answer."""

# ---- what stands behind a name ---------------------------------------------------------------------------------

_REASONS = """
    (?:if only |precisely |simply |mainly )?because | since | if only (?:for|as)
    | as (?:it|its|they|their|he|his|she|her|the|this|that)
    | for (?:its|his|her|their|the|having|being) | due to | owing to | thanks to | on the (?:grounds|basis|strength)
    | based on | given | considering | whose | who | which | weil | da | denn | aufgrund | wegen | car | parce
    | puisque | en raison | grâce | porque | ya que | puesto | gracias | perché | poiché | pois | omdat | want
    | vanwege | ponieważ | bo | gdyż | потому | так как | поскольку | fordi | eftersom | pentru că
"""
REASONS = late_pattern(
    rf"[\s,;:(\u2013\u2014-]*{_any_of(_REASONS)}(?!\w)|[\s,;:(]*(?:因为|因為|理由|なぜなら|왜냐하면)"
)
"""What opens a reason; within a reason other candidates may be named."""

BOUND = late_pattern(
    r"\b(?:unless|only if|provided|assuming|conditional|contingent|subject to|as long as|as soon as|for now"
    r"|on (?:the )?condition)\b|,\s*(?:but )?(?:only )?if\b|\bjust kidding\b"
    r"|\b(?:or so|as) (?:\S+ ){1,3}(?:says|said|claims?|puts? it|would say)\b"
)
"""What binds a vote to a condition although a reason was given first."""

_TAILS = """
    because | since | as | for | due | owing | thanks | on | over | based | given | considering | whose | who
    | which | with | in this | in the | without | rather | instead | not | this | today | here | again
    | wholeheartedly | purely | mainly | primarily | simply | at | despite | even though | although | though | while
    | and | but | to | it | its | nicht | weil | da | denn | und | aufgrund | wegen | car | parce | puisque | et
    | en raison | grâce | plutôt | pas | porque | ya | y | e | no | gracias | por | perché | poiché | per | pois
    | não | omdat | want | en | niet | vanwege | ponieważ | bo | gdyż | nie | i | потому | так | и | не | поскольку
    | fordi | eftersom | och | og | inte | ikke | pentru
"""
TAILS = late_pattern(rf"{_any_of(_TAILS)}\b|因为|因為|理由|的(?:提案|方案|建议|建議|计划|計劃)")
"""The first word that may follow a name; anything else makes it part of a longer, unknown name."""

_HARMLESS = """
    hands down | easily | by far | by a (?:mile|long way|wide margin) | no contest
    | obviously | of course | clearly | definitely | absolutely | certainly | wholeheartedly | purely | mainly
    | primarily | simply | gladly | happily | proudly | strongly | firmly | again | today | here | now | this time
    | this round | in this (?:vote|round|ballot|debate|election|decision) | in the (?:vote|final|election)
    | with (?:full|great|high|complete|total|no|my|all|every|some|confidence|conviction|pleasure|its|his|her|their)
    | without (?:reservations?|hesitation|any|doubt|regret) | on (?:its|his|her|their|the) | despite | even though
    | although | though | while | and (?:its|his|her|their) | confidence | reason | whose | who | which | the | its?
    | it's | he | she | they | his | her | their | for (?:its|his|her|their|the|being|having|all|these|this) | and i
    | thanks? | or its |  an? (?:\\w+ )?(?:plan|proposal|answer|solution|approach|choice|idea|case)
    | 的(?:提案|方案|建议|建議|计划|計劃)
"""
HARMLESS = late_pattern(rf"{_any_of(_HARMLESS)}(?!\w)")
"""The only ways in which words may go on after a name that give no reason and compare with nobody."""

_CONDITIONS = """
    if | unless | provided | assuming | as far as | as regards | apart from | as long as | as soon as | once | until
    | when | whenever | pending | except | only after | would | could | might | should | maybe | perhaps | possibly
    | probably | tentative(?:ly)? | provisional(?:ly)? | for now | for the moment | in case | in theory
    | in principle | in a world | dream\\w* | condition\\w* | subject to | contingent | partly | partially | mostly
    | almost | nearly | in part | hypothetical\\w* | or not | not really | not sure | unsure | jok(?:e|ing|ingly)
    | kidding | wenn | falls | sofern | vielleicht | würde | bis | si | sauf | peut-être | quizás | forse | talvez
    | se | indien | misschien | jeśli | если | возможно | hvis | om
"""
CONDITIONS = late_pattern(rf"\b{_any_of(_CONDITIONS)}\b|如果|假如|若|もし|なら")
"""What makes a statement provisional or conditional, behind it."""

_HEDGES = """
    second[ -]choice | third choice | first choice | first preference | second preference | ranked | backup
    | back-up | runner-up | example | sic | quot\\w+ | said | says? | claims? | puts? it | wrote | writes | asked
    | told | wants | mean | meant | sorry | closing | signed | signature
"""
HEDGES = late_pattern(rf"{CONDITIONS.pattern}|\b{_any_of(_HEDGES)}\b")
"""The same, with words that make it somebody else's or a lesser choice."""

DENIED = late_pattern(
    r"\b(?:not|never|no one|nobody|nope|no(?=\W*$|,)|nicht|niemals|keinesfalls|nie|niet|не|non|pas|não)\b|n't\b"
)
"""What denies a statement, behind the name."""

_SPARED = """
    not(?: for)? | over | than | unlike | instead of | rather than | versus | vs\\.? | against | nicht(?: für)?
    | statt | pas(?: pour)? | plutôt que | en lugar de | no(?: por)? | non(?: per)? | não(?: em)? | niet(?: op)?
    | nie(?: na)? | не(?: за)? | than (?:that|those) of
    | als (?:der|die|das|jene[rs]?)(?: \\w+)? von | que (?:el|la|le|celui|celle) de
    | di quell[oa] di | do que [oa] d[eoa] | better than | ahead of | beats?
    | (?:narrowly|only just|just|clearly|slightly|marginally|barely|easily|by a (?:hair|nose|whisker|point)) (?:over
    |ahead of|before) | knapp vor | klar vor | de justesse devant | por poco sobre | di poco su
"""
SPARED = late_pattern(rf"(?:\b{_any_of(_SPARED)}|不是)[\s\"'\[(]*$")
"""What stands before another candidate's name that is only compared with, or ruled out."""

_GOODS = (
    "proposal|plan|answer|solution|approach|position|argument|draft|design|idea|suggestion|version|submission|case"
    "|option"
    "|response|work|side|view"
)
GOODS = late_pattern(rf"(?:\w+ )?(?:{_GOODS})s?\b")
OF = late_pattern(
    rf"(?:the )?(?:\w+ )?(?:{_GOODS})s? (?:of|by|from|made by) |(?:option|candidate|proposal|answer) (?=\S)"
    r"|(?:den |dem |die |der )?(?:vorschlag|plan|lösung) (?:von )?(?=\S)"
    r"|(?:la |le |el |il |o |a )?(?:proposition|proposta|propuesta|plan|piano|plano|projet) (?:de |d'|di |do |da )"
    r"|(?:propozycj\w+|plan) (?=\S)|(?:предложение|план) (?=\S)"
)
"""What of a candidate's one votes for when one votes for the candidate."""

ARTICLE = late_pattern(r"(?:(?:the|der|die|das|den|dem|les?|la|el|los|las|il|lo|gli|[ao]s?)\s+|l')")
"""What may stand before the name of a thing that is voted for ("I vote for the library")."""

NOBODY = late_pattern(
    r"(?:none|nobody|no one|no-one|noone|neither|nothing|niemand\w*|keine\w*|personne|nadie|nessuno|ninguém"
    r"|никого|nikogo)\b|没有"
)
BLANK = late_pattern(
    r"[\[<{]|_{3,}|\.\.\.|…"
    r"|(?:(?:the |an? |your )?(?:agent|candidate|participant|proposal|chosen)(?:'s)? name|name|x)\b(?!\s*\w)"
)
"""Where a template was copied without filling it in."""

# ---- which statement stands ------------------------------------------------------------------------------------

FINAL = late_pattern(
    r"\b(?:final|definitive) (?:answer|vote|decision|choice|ballot|statement|verdict|word|scores?|status|version)"
    r"|\b(?:endgültig\w*|réponse finale|respuesta final|voto final|risposta finale|resposta final|окончательный)\b"
    r"|最终|最終"
)
_CHANGED = """
    change of (?:heart|mind)
    | (?:revised|updated|corrected) (?:answer|vote|decision|choice|ballot|scores?|status|version)
    | (?:change|changed|changing|switch|switching|revise|revising) (?:my|to) | correction | corrected
    | on second thought | on reflection | scratch that | strike that | i take (?:that|it|this) back
    | i (?:hereby )?(?:retract|withdraw|revoke) my | i now vote | actually | no, wait | wait | ich ändere
    | je change | cambio mi | cambio il | mudo meu | меняю | korrektur | berichtigung | rectifica(?:tion|ción)
    | corrección | correção | correzione | rettifica | поправка | исправление | poprawka | korekta | sprostowanie
    | düzeltme
"""
CHANGED = late_pattern(rf"\b{_any_of(_CHANGED)}\b|改投|更正|訂正|修正|정정|تصحيح|सुधार")
"""Words that say which of two statements stands: the later one."""

CORRECTION = late_pattern(
    r"correct(?:ion|ed)|korrektur|berichtigung|rectifica(?:tion|ción)|corrección|correção|correzione|rettifica|поправка"
    r"|исправление|poprawka|korekta|sprostowanie|düzeltme|(?:更|訂|修)正|정정|تصحيح|सुधार"
)
"""A label before what takes the place of what stands above it."""

_TAKEN = """
    on second thought | scratch that | strike that | i take (?:that|it|this) back
    | i (?:hereby )?(?:retract|withdraw|revoke|cancel|rescind) (?:my|that|this|the|it)
    | (?:ignore|disregard|forget) (?:that|this|the|my|what|it|all|everything)
    | (?:just|only|i'm|was|am) (?:kidding|joking) | kidding | (?:is|was|as) an? joke | just a joke | jk
    | never ?mind | (?:don't|do not|not|should not|must not) (?:be )?count(?:ed)?(?: (?:that|this|it|my|the|as))?
    | pasted | copied | (?:was|were|is) (?:inserted|added|placed|injected|planted|put here)
    | which i (?:reject|deny|refuse|do not|don't) | (?:did not|didn't|never) (?:write|say|mean) (?:that|this|it)
    | is (?:what|how) (?!(?:we|our|you (?:need|want)|it|makes?|made|matters|counts|decide[ds]|convinced)\\b)\\w+
    | would have (?:been(?! (?:(?:my|the|a) (?:close )?(?:second|third|next|runner)|(?:a )?(?:closer|tighter))\\b)|said
    |voted)
    | i (?:have )?chang(?:e|ed|ing) my (?:mind|vote)
    | my mistake | i (?:mean|meant) | oops | as if | not yet final | not final | to be confirmed | sarcasm
    | (?:told|asked|instructed|forced|paid|made) me (?:to )?(?:say|write|put|post|paste|vote|include|add|type)
    | ich nehme das zurück | nein, doch | je retire | me retracto | ritiro | retiro | war nur ein
"""
_MINE = "vote | ballot | answer | words? | choice | position | view | opinion | statement | message"
_DISOWNED = (
    r"(?:not|isn't|wasn't|aren't|never|no longer) "
    rf"(?:from me|mine|by me|my (?:(?:own|real|actual|final|true) )?{_any_of(_MINE)})"
)
_SHAMS = """
    examples? | quotes? | quotation | template | test | what | how | sarcas\\w+ | ironic | irony | hypothetical
    | placeholder | before | said | written | false | wrong | untrue | not true
"""
_SHAM = (
    rf"(?:that|this|it|above|which)(?:'s| is| was| would be) (?:(?:only|just|merely|simply) )?(?:an? )?"
    rf"{_any_of(_SHAMS)}"
)
_STARTS = """
    actually | wait(?! a \\w) | nope | hmm+ | correction | or (?:so|rather|maybe|not) | not | psych | unless | only if
    | but only | provided | assuming | at least
"""
_TRAILING = r"(?:\.\.\.|…)\s*(?:if|unless|when|or|maybe|not|no)\b"
TAKEN_BACK = late_pattern(
    rf"\b(?:{_any_of(_TAKEN)}|{_DISOWNED}|{_SHAM})\b"
    rf"|(?:^|[.!?][ \t]+|\n[ \t]*){_any_of(_STARTS)}\b(?=[\s,.!:-](?!other|one|doubt|even close|matter|plan|proposal"
    rf"|only\b(?! if)|(?<=not )(?:\w+ )?\w+, (?:but|yet|though) (?:it|they|he|she|still|at least)\b))"
    rf"|(?<![<\w])/s\b|{_TRAILING}"
)
"""What, after a statement, says that it does not hold, or that it holds only under a condition."""

VOIDED = late_pattern(
    r"\b(?:the (?:following|next (?:line|row|sentence))|this (?:ballot|vote|answer|message|is|next)|my (?:ballot|vote)"
    r"|what follows|below)\b.*"
    r"\b(?:not|void|test|invalid|spoil\w*|joke|examples?|sample|fake|parody|sarcas\w+)\b"
    r"|n't\b(?! (?:affect|alter|change|make|touch)\b).*\bmy (?:ballot|vote)\b|\bi spoil\b"
    r"|\bit(?:'s| is| was)(?:n't| not| no)\b.{0,20}\b(?:ballot|vote)\b"
    r"|^\W*(?:todo|fixme|tbd)(?:\s*:| (?:before|until|later|after)\b)"
    r"|\b(?:replace|fill in|edit|delete|remove|overwrite) (?:this|that|the (?:next|following|line|name))\b"
)
"""What, in the sentence before a statement, says that it will not hold."""

ASIDE = late_pattern(
    r"\b(?:runner|second|third|honou?rable|thanks?|sorry|not|over|beats?|than|best|sincerely|regards|signed|close"
    r"|dear|hi|hello|count|least|weakest|worst|lowest|rejected|alternative)\b"
)
"""What makes a short sentence that ends with another name harmless ("Runner-up: Bob")."""

# ---- what stands before a name ---------------------------------------------------------------------------------

BEFORE: tuple[tuple[str, str], ...] = (
    (r" (?:stimmen|votieren)", r"(?:ich (?:möchte|will)|möchte ich)(?: gerne?)? für$"),
    (r"です", r"(?:私の|わたしの)?(?:最終的?な?)?(?:一票|投票先?|票|選択)は$"),
    (r"입니다", r"(?:제|저의|내|나의) (?:최종 )?(?:선택|투표|표)(?:은|는)$"),
    (r" है", r"(?:मेरा|मेरी) (?:अंतिम )?(?:वोट|मत|पसंद|चुनाव)$"),
    (r"に入れます", r"票(?:は|を)$"),
    (r"(?:에게|에|께) (?:갑|드립|줍)니다", r"(?:제|저의|내|나의) (?:한 )?표는$"),
    (r" को (?:दे|दूँ)\S*(?: रहा| रही)?(?: हूँ| हूं)?", r"(?:अपना|मेरा) (?:अंतिम )?(?:वोट|मत)$"),
    (r" (?:को|के).*है", r"(?:मेरा|मेरी) (?:अंतिम )?(?:वोट|मत)$"),
    (r" meine stimme", r"(?:ich gebe|gebe ich)$"),
    (r" que je vote", r"c'est pour$"),
    (r"(?!.*\boy).*(?:veriyorum|kullanıyorum|vereceğim|kullanacağım|verdim)", r"oyumu$"),
)
"""What must stand before the name, by the words behind it, where those alone say nothing of a vote."""

OWN_NEXT = late_pattern(
    r"\b(?:my (?:own|real|actual)(?: \w+)?|mine)(?: now)? (?:follows|comes|is below|stands below|reads|is)\b"
    r"|\b(?:now|here is|here's|here comes) (?:mine|my (?:own|real|actual))\b"
)
"""How an author goes on to its own ballot behind one that was a sample."""

ABSTENTION = late_pattern(
    r"\W*(?:abstain|abstaining|abstention|abstained|(?:stimm)?enthaltung|abstención|abstenção|astensione|astenut[oa]"
    r"|воздержал(?:ся|ась)|воздержание|wstrzymanie się|弃权|棄權|棄権|기권|امتناع(?: عن التصويت)?"
    r"|मतदान से (?:परहेज़|परहेज|अनुपस्थित)|çekimser)[*_\"']*\s*(?:$|[.:;,，。、；：(\n]|[\u2013\u2014-]|because\b)"
)
"""A text that begins with an abstention in a word, and what follows."""

PARTICULAR = late_pattern(
    r"\d|[%€$£¥₹₽]|\b(?:should|shall|must|may|soll|sollen|darf|doit|doivent|debe|deben|deve|devono|devem|должн\w+"
    r"|można|musi|muszą|we|wir|nous|euros?|dollars?|percent|prozent|from|until|till|monday|tuesday|wednesday"
    r"|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november"
    r"|december|week|month|year|two|three|four|five|six|ten|twelve|twenty"
    r"|zwei|drei|vier|fünf|(?<!les )deux|trois|dos|tres|due|tre|dois|três"
    r"|stunden?|hours?|tag|woche|monat|jahr|pays?|receives?|zahlt|erhält|bekommt|paie|paga)\b"
)
"""What stands in a sentence about something in particular."""

# ---- what moderators say of themselves -------------------------------------------------------------------------------

OWN_PAST = late_pattern(
    r"\b(?:i (?:never|had not|hadn't|did not|didn't|have not|haven't|should not|shouldn't)|ich (?:hätte|habe|hatte)"
    r"|(?:habe|hätte|hatte) ich|je n'(?:ai|avais|aurais)|no (?:lo )?(?:debí|debería|he|había|sopesé)"
    r"|no (?:lo )?(?:pensé|consideré|tuve)"
    r"|não (?:o )?(?:devia|deveria|ponderei|pensei|considerei|tive)|non (?:lo )?(?:ho|avrei|avevo)|я [^.]{0,20}не "
    r"|мне [^.]{0,16}не |nie (?:\w+)?(?:łem|łam|niem|nnam)|\w+(?:łem|łam|inienem|innam) )"
    r"|我(?:没|沒|不该|不該|不应|不應)"
    r"|不该|不該|(?:べきでは|考えていま|見ていま)|지 (?:않았|말았)|لم [أا]|ما كان ينبغي|मैंने|मुझे"
    r"|\wm[ae](?:dım|dim|malıydım|meliydim)\b"
)
"""How authors speak of what they have done themselves; with a denial, they regret it."""

OWN_REMARK = late_pattern(
    r"i(?:'m|'ve)? (?!(?:\w+ly |hereby |therefore |thus |now |also |do |have |am |would |will |'d )*(?:decid|rul|choos"
    r"|chose|pick|order|approv|reject|accept|den(?:y|ied)|grant|award|adopt|select|recommend|propos|suggest|advis|vot|favou?r"
    r"|support|sid(?:e|ing)|go|going|find|found|declar|conclud|endors|back|opt|settl|want|say|call|set|direct|requir"
    r"|allow|forbid|ban|permit|giv|nam|appoint|dismiss|uphold|confirm|agree|prefer|authori|instruct|buy|sell|keep|mak"
    r"|tak|put|let|ask|refus|in favou?r|for|against|convinced|persuaded|with)"
    r")\w+(?!.*\b(?:should|must|shall|will|is to|are to|ought)\b)"
)
"""How a moderator says something of itself that rules nothing ("I learned a lot today")."""

ALTERNATIVE = late_pattern(
    r"(?<=[.!?…])\s+(?:or|oder|ou|или|albo|lub|veya)\s+(?!else\b|rather\b|sonst\b)|"
    r"\s[\u2013\u2014]\s*(?:or|oder|ou|o|или|albo|lub|veya|أو|या)\s+(?!else\b|rather\b|sonst\b)|[\u2013\u2014](?:或者|または|あるいは)"
)
"""What puts another decision beside the one that stands before a dash."""

OWN_THINGS = late_pattern(
    r"\s(?:their|its|his|her)(?: own)? (?!(?:own |minds?|votes?|sides?|favou?rites?|winners?|preferences?)\b)\w+"
)
"""What belongs to those who are to choose it, so that their choice is an act."""

EARLIER = late_pattern(
    r"\b(?:scrap|ignore|forget|disregard|drop|cancel|withdraw|discard|delete|replaces?|supersedes?|instead of)"
    r" my (?:earlier|previous|prior|first|old|former|last) (?:vote|ballot|choice|preference)\b"
    r"|\bmeine (?:frühere|vorige|alte|erste) (?:stimme|wahl)\b|\bmon (?:ancien|précédent|premier) (?:vote|choix)\b"
    r"|\bmi (?:anterior|primer) (?:voto|elección)\b|\b(?:o )?meu (?:anterior|primeiro) voto\b"
    r"|\bmi[ao] (?:precedente|primo) voto\b"
)
"""A word about an earlier vote, which is no word about this one where it names another candidate."""

WISH = late_pattern(
    r"i(?: \w+){0,2}?(?:'d| would| want| wish)(?!\w)|ich (?:möchte|will)(?!\w)|möchte ich(?!\w)"
    r"|(?:je|yo|io|eu|я)?\W*(?:voudrais|souhaite|veux|quiero|quisiera|deseo|gostaria|quero|desejo|vorrei|voglio"
    r"|desidero|хочу|(?:бы )?хотела?)(?!\w)"
)
"""How authors begin what they would like, which an obstacle behind it may undo."""

LABEL = late_pattern(
    r"(?P<head>#{1,6}[ \t]+)?[^\w\s*_`#<\[({\"'“„«]{0,4}[ \t]{0,3}(?P<open>\*\*|__|)"
    r"(?P<name>[^\W\d_][\w .'’/&-]{0,40}?)"
    r"[ \t]{0,3}(?P<shut>\*\*|__|)[ \t]*(?P<mark>[:：])(?P<close>\*\*|__|)(?=\s|\*|$|[^\x00-\x7f])(?P<rest>.*)"
)
"""A row that begins with a label and its colon: a heading, bold, in capitals or plain."""

ROLES = late_pattern(
    r"(?:user|human|assistant|system|ai|model|bot|tool|parser|engine|(?:system )?note.*|moderator(?:'s)?.*"
    r"|chair(?:man|woman|person)?)"
)
"""Whose turn a label may begin in an invented conversation, and notes of a moderator."""

I_SAY = late_pattern(r"(?<!\w)i(?:'(?:m|ve|d|ll))?(?= )")
"""The author in a sentence of English."""

LESSER = late_pattern(
    r"\b(?:lacks?|lacked|miss(?:es|ed|ing)?|fail(?:s|ed)?|skip(?:s|ped)?|ignore[sd]?|too|weak\w*|without|worse"
    r"|(?:ha[sd]|have|with|offer(?:s|ed)|gives?|gave|shows?|showed|leaves?|left) (?:no|little|few|nothing)|needs?"
    r"|needed|takes|took|requires?"
    r"|slower|riskier|costs? (?:more|twice|double|three times|too|far|extra|a lot)|(?:twice|three times) as"
    r"|fehl\w+|ohne|zu|manque|sans|trop|faltan?|sin|demasiado|sem|falta|senza|manca|troppo|без|слишком|bez"
    r"|kostet (?:mehr|doppelt|das doppelte)|doppelt so|braucht mehr|coûte (?:plus|le double)|(?:deux|trois) fois plus"
    r"|(?:demande|exige|nécessite) (?:plus|davantage)|cuesta más|el doble|(?:necesita|exige|requiere) más|custa mais"
    r"|o dobro|(?:precisa de|exige|requer) mais|costa di più|il doppio|(?:richiede|serve) più|вдвое|втрое|дороже"
    r"|требует больше|(?:dwa|trzy) razy|droż\w+|wymaga więcej|za drog\w+|iki kat|(?:daha|çok) pahalı|daha (?:çok|fazla)"
    r" \w+ (?:istiyor|gerektir\w+)|zbyt)\b|太|缺|足りな|부족|بدون|बिना|两倍|兩倍|更贵|更貴|需要更多|[二2]倍|高すぎ"
    r"|もっと\w{1,8}必要|두 배|더 필요|비싸|비쌉|ضعف|أغلى|दोगुन|महँग|महंग|अधिक \S+ चाहिए"
)
"""What is wrong with somebody else's case."""

FIRST_PERSON = late_pattern(
    r"(?:(?:lo|la|me|se|ne|ci|já|ainda|ancora|non|no|não|nie|не|ещё|еще|jeszcze|talvez|forse|quizás?|może|belki) )*"
    r"(?!(?:solo|sólo|todo|tutto|nessuno|quando|cuando|como|questo|quello|esto|eso|isso|isto|otro|outro|nuevo"
    r"|novo|dopo|dentro"
    r"|primo|primero|primeiro|segundo|secondo|mismo|mesmo|tanto|mucho|muito|molto|poco|pouco|ninguno|nenhum"
    r"|ciao|motivo|also|zero|zo|euro|video|photo|ratio|scenario|portfolio|radio|auto|memo|demo|info|logo|into"
    r"|caso|quanto|cuanto|ogni|yo|io|eu|no|não|pero|però|почему|потому|поэтому|всему|tak|to|tylko|nikt|nic|dlatego)\b)"
    r"[^\W\d]{3,}(?:o|é|ò|ę|у|ю)(?!\w|'s)"
)
"""A sentence that begins with a verb in the first person, in a language that needs no pronoun."""

FAILED = late_pattern(
    r"\b(?:never|not|hardly|barely|nicht|nie|kaum|pas|jamais|no|nunca|não|non|mai|не|nie|nigdy)\b.{0,24}"
    r"\b(?:convin|persua|überzeug|convain|convenc|convinc|убед|przekon|impress)|n't .{0,20}\b(?:convin|persua)"
)
"""How somebody says that another one's case failed ("Ben's never convinced me")."""

GREATLY = late_pattern(
    r"[,;]|\b(?:only|just|more|better|nur|mehr|besser|seulement|plus|mieux|solo|sólo|más|mejor|só|mais|melhor|più|meglio"
    r"|только|больше|лучше|tylko|bardziej|lepiej)\b"
)
"""What turns a denial into praise ("Ben could not have convinced me more")."""

LATE_IF = late_pattern(
    r"(?:[^\s]+\s+){1,3}(?:if|unless|falls|sofern|wenn|si (?:le|la|les|el|los|las|se|l')|se (?:o|a|os|as|il|lo"
    r"|la|i|gli|l')"
    r"|если|jeśli|jeżeli|अगर|यदि|eğer|إذا|إن|如果)(?!\w)"
)
"""A sentence in which a condition stands after a few words ("That is, if the council agrees")."""

SUPPOSED = late_pattern(
    r"\b(?:i'd|i would) (?:then |otherwise |rather |probably )?(?:vote|have voted|choose|pick|go) (?:for|with)?"
)
"""What one would do in another case; it takes nothing back where the case is named first."""
