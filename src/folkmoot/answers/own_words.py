"""Candidates in a voter's own words, as labels: a bare letter, a translated label, a proposal's exact words.

Where a ballot has labels ("Proposal A"), voters write "A has my vote", "Vorschlag A", or the proposal itself. Such
words are replaced by the label; then the strict reader reads the text as it reads any other. Whoever abstains in a
word names none of them. Below are votes as people say them in conversation ("yeah, I'm going with Ada"): a sentence is
one where it begins with words of choosing or with a name and such words behind it, and where nothing before it or
behind it speaks against it, as ``mentions`` and ``candidates`` judge it for every other vote.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from folkmoot.answers import retraction
from folkmoot.answers.candidates import Candidates, tail_fault
from folkmoot.answers.mentions import MarkedText, Mood, mood_of_words_before, sentence_end
from folkmoot.answers.plain_text import key
from folkmoot.answers.words import everyday, formulas, phrases, vote_labels
from folkmoot.core.text import late_pattern

MOST = 2_000
"""The most characters of a proposal whose exact words are looked for."""

TITLE = 160
"""The most characters of a proposal's title."""

_STEM = "proposal"
_TRANSLATED = (
    r"the proposal|proposal|(?:den |der |dem |de[rn] )?vorschlag|(?:la )?proposition|(?:la )?propuesta"
    r"|(?:a |la )?proposta"
    r"|предложени[еюя]|propozycj[aęi]|提案|建议|建議|方案|제안|방안|(?:لل|ال)?مقترح|(?:لل|ال)?اقتراح|प्रस्ताव|öneri"
)
_EDGE, _LIMIT = r"(?<![^\W\u2e80-\uffff])", r"(?![^\W\u2e80-\uffff])"
_LETTERED = late_pattern(
    rf"(?:{_EDGE}(?i:{_TRANSLATED})[ \t]*)?{_EDGE}(?<!['’.-])([A-HJ-Z])(?![-+#]|['’](?:d|ll|m|re|t|ve)\b|\.\w){_LIMIT}"
    r"(?:[ \t]?案)?"
)
"""A capital letter that stands alone, with a word for "proposal" or without one."""

_LEADS_TO = late_pattern(
    r"(?:^|[^\w\s'’]|\n|[\u2e80-\uffff]|(?i:(?<!\w)(?:for|to|that|because|but|and|so|over|than|not|is|back|support|choose|pick|select"
    r"|für|an|unterstütze|wähle|pour|à|soutiens|choisis|por|para|apoyo|apoio|elijo|escolho|per|ad?|sostengo|appoggio|scelgo"
    r"|за|поддерживаю|выбираю|na|za|popieram|wybieram|oyum|oyumu|वोट|मत|मैं|صوتي|ل|لـ|إلى|أؤيد|أختار)))[\s*_`\"'“”„«»(\[]*$"
)
"""How the words before a name end where it is the name of what is voted for, or begins a sentence."""

_VERBS = (
    "has|gets|receives|earns|wins|bekommt|erhält|hat|a|reçoit|obtient|remporte|tiene|recibe|obtiene|ha|riceve|ottiene"
    "|tem|leva|recebe|получает|dostaje|otrzymuje|ma|को|के|का"
)
_REASONS = "because|since|as|due|weil|da|denn|parce|car|puisque|porque|ya que|perché|poiché|pois|потому|bo|ponieważ"
_CLOSERS = r"[*_`\"'”»）)\]」』]*"
_ENDS = late_pattern(
    rf"{_CLOSERS}(?:[ \t]*(?:[.!。！।]?{_CLOSERS}\s*$|[.!](?=\s)|[。！।\n])|,?[ \t]+(?:{_VERBS}|{_REASONS})(?!\w)"
    r"|(?=[\u2e80-\uffff]|'s\b))"
)
"""What follows words that stand for a whole proposal: the end, a reason, or the verb of a vote."""
_GOES_ON = late_pattern(
    rf"{_ENDS.pattern}|{_CLOSERS}[ \t]*[,;:(\u2013\u2014-]|['’][^\W\d]"
    r"|[ \t]+(?:and|or|but|over|not|wholeheartedly|with|for)(?!\w)"
)
"""The same for a letter, which more may follow."""


def with_labels(text: str, choices: Sequence[str], proposals: Mapping[str, Sequence[str]]) -> str:
    """The text with the labels of the candidates in place of the voter's own words for them.

    Args:
        text: the voter's answer.
        choices: the labels.
        proposals: the words of the candidates, by label: of each its answer, and its whole text.
    """
    letters = _by_letter(choices)
    wordings = [
        (words, choice) for choice in choices for part in proposals.get(choice, ()) for words in _wordings(part)
    ]
    names: dict[str, set[str]] = {key(choice): {*choices} for choice in choices}
    for words, choice in (*wordings, *letters.items()):
        names.setdefault(key(words), set()).add(choice)
    owners = {words: choice for words, choice in wordings if names[key(words)] == {choice}}
    clear = {letter: choice for letter, choice in letters.items() if names[key(letter)] == {choice}}
    text = _replace_words(text, owners) if owners else text
    return _replace_letters(text, clear) if clear else text


def _by_letter(choices: Sequence[str]) -> dict[str, str]:
    """The labels by their letter; empty where the candidates have names."""
    parted = [choice.rpartition(" ") for choice in choices]
    plain = all(key(stem) == _STEM and len(letter) == 1 for stem, _, letter in parted)
    return {letter: choice for choice, (_, _, letter) in zip(choices, parted, strict=True)} if plain else {}


def _wordings(text: str) -> Iterator[str]:
    """A proposal's words that stand for it: the whole, its title, its first sentence."""
    whole = text.strip()
    first = whole.split("\n", 1)[0].strip(" #*_`")
    sentence = re.split(r"(?<=[.!?])\s|(?<=[。！？])", first, maxsplit=1)[0]
    for words in (whole, first, sentence):
        bare = words.strip(" \t\n*_`\"'“”").rstrip(".。!")
        few = words is not whole and len(bare.split()) < 2 and bare.isascii()
        if bare and not few and len(bare) <= (MOST if words is whole else TITLE):
            yield bare


def _replace_words(text: str, owners: Mapping[str, str]) -> str:
    """The text with labels in place of a candidate's exact words, whatever their case, blanks and markup."""
    longest = sorted(owners, key=len, reverse=True)
    labels = {" ".join(_plain(words).split()): owners[words] for words in longest}
    pattern = re.compile(rf"{_EDGE}(?:{'|'.join(map(_loose_pattern, longest))}){_LIMIT}", re.IGNORECASE)
    return pattern.sub(
        lambda match: (
            labels.get(" ".join(_plain(match[0]).split()), match[0])
            if _LEADS_TO.search(text[max(0, match.start() - 40) : match.start()]) and _ENDS.match(text, match.end())
            else match[0]
        ),
        text,
    )


def _plain(words: str) -> str:
    return re.sub(r"[*_`\"'“”‘’„«»]", "", words).casefold()


def _loose_pattern(words: str) -> str:
    """A pattern for words with any blanks and marks between them."""
    parts = re.split(r"([\s*_`\"'“”‘’„«»]+)", words)
    gaps = (r"[\s*_`\"'“”‘’„«»]+" if re.search(r"\s", part) else r"[*_`\"'“”‘’„«»]*" for part in parts[1::2])
    bodies = [re.escape(part) for part in parts[::2]]
    return "".join(body + gap for body, gap in zip(bodies, [*gaps, ""], strict=True))


def _replace_letters(text: str, letters: Mapping[str, str]) -> str:
    """The text with labels in place of bare letters, where those can stand for nothing else."""

    def label(match: re.Match[str]) -> str:
        fits = _LEADS_TO.search(text[max(0, match.start() - 40) : match.start()]) and _GOES_ON.match(text, match.end(1))
        return letters[match[1]] if match[1] in letters and fits else match[0]

    return _LETTERED.sub(label, text)


_ENDED = re.compile(r"[.!](?=\s)|[。！।\n]")
_ROW = re.compile(r"[^\W\d_][\w ]{0,30}:")


def opening_name(words: str, candidates: Candidates) -> tuple[str, int] | None:
    """The candidate whose name is the first sentence of a folded ballot ("Bob. His plan is best."), and where it ends.

    None where it may be the heading of a judgement: where another candidate's name stands alone as well, a label
    follows, or a sentence says what the plan lacks.
    """
    answered, *rest = [part.strip(" \t*_\"'`#") for part in _ENDED.split(words)]
    first = answered if answered in candidates.keys else everyday.without_emphasis(answered)
    if first not in candidates.keys or not (any(rest) or first != answered):
        return None
    own = (part for part in rest if not candidates.rivals(part, first))
    listed = any(part in candidates.keys and part != first for part in rest)
    if listed or any(_ROW.match(part) or phrases.LESSER.search(part) for part in own):
        return None
    return first, words.find(answered) + len(answered) + 1


def without_own_name(words: str, speaker: str) -> str:
    """A folded text without its author's own name behind "I" and in "as Ada" ("I, Ada, vote …", "As Ada, I vote …")."""
    if speaker not in words:
        return words
    name = re.escape(speaker)
    words = re.sub(rf"(?<!\w)(i|ich|je|yo|eu|io),? (?:as |als )?{name},? ", r"\1 ", words)
    return re.sub(rf"(?<![^\n.!?] )(?<!\w)(?:speaking )?(?:as|als|en tant que|como|come) {name},? ", "", words)


def without_own_heading(words: str, speaker: str) -> str:
    """A folded ballot without a heading that says whose it is ("Ballot – Cleo"), where a vote stands below."""
    heading = _HEADING.match(words)
    named = heading is not None and key(heading[1]) == speaker and "vote" in words[heading.end() :]
    return words[heading.end() :] if heading and named else words


_HEADING = late_pattern(
    r"[\W_]*(?:ballot|stimmzettel|bulletin)(?: (?:by|of|von|de))?[ \t]*[:\u2013\u2014-]?[ \t]*([^\n:]{1,60})\n"
)


def is_reason(text: str, named: retraction.Named) -> bool:
    """Whether a folded sentence is clearly on the matter, and speaks of whom the statement names and of nobody else."""
    spoken = (named.own(text) or vote_labels.OF_THEM.match(text)) and not named.other(text)
    return (
        bool(spoken)
        and not vote_labels.HINDERS.search(text)
        and retraction.is_on_matter(retraction.Sentence.of(text), named, how="clearly")
    )


def abstains(words: str) -> bool:
    """Whether a folded text without a vote begins with an abstention in a word and goes on with its reason at most."""
    opening = phrases.ABSTENTION.match(words)
    behind = words[opening.end() :] if opening else ""
    return opening is not None and "?" not in behind and not retraction.taken_back_in_fields([behind])


# ---- votes in everyday words -----------------------------------------------------------------------------------------

_compiled = cache(re.compile)
_MARK = re.compile(r"[ \t]*(?::|[\u2013\u2014-](?=\s))?[ \t\"'`(\[{*«“„「]*")


def everyday_votes(
    marked: MarkedText, candidates: Candidates, speaker: str
) -> Iterator[tuple[str, Mood, str, int, int]]:
    """Each vote in everyday words: the folded name, the mood, the reason why it does not count, its start and end.

    Args:
        marked: the folded words of the answer.
        candidates: the candidates.
        speaker: the folded name of the author; "" where unknown.
    """
    words = marked.words
    if _is_voteless(words):
        return
    for needle, pattern in everyday.NAMED:
        for match in _compiled(pattern).finditer(words) if needle in words else ():
            name, end = _name_behind(candidates, words, match.end())
            if name:
                yield _weighed(marked, candidates, speaker, name, match.start(), end)
    for needle, pattern in everyday.TAKEN:
        for match in _compiled(pattern).finditer(words) if needle in words else ():
            name, start = candidates.key_before(words, match.start())
            if name:
                yield _weighed(marked, candidates, speaker, name, start, match.end())


def _is_voteless(words: str) -> bool:
    """Whether an answer says that its author does not vote, or only foretells how others will."""
    if everyday.VOTELESS.search(words):
        return True
    parts = _CLAUSE.split(words) if everyday.VOTE.search(words) else ()
    return any(everyday.VOTE.search(part) and retraction.says("DENY", part) for part in parts)


_CLAUSE = re.compile(r"[.!?;:,\n。！？।؟、，]")


def _name_behind(candidates: Candidates, words: str, place: int) -> tuple[str, int]:
    mark = _MARK.match(words, place)
    start = mark.end() if mark else place
    name, end = candidates.key_at(words, start)
    for pattern in (phrases.OF, phrases.ARTICLE):
        if not name and (before := pattern.match(words, start)):
            name, end = candidates.key_at(words, before.end())
    return name, end


def _weighed(
    marked: MarkedText, candidates: Candidates, speaker: str, name: str, start: int, end: int
) -> tuple[str, Mood, str, int, int]:
    words = marked.words
    begin = marked.sentence_start(start)
    if _OPENED.fullmatch(words, begin, start) and not marked.quoted(start):
        start = begin
    mood, reason = mood_of_words_before(marked, start, candidates, speaker)
    emphasis = everyday.EMPHASIS.match(words, end)
    stop = _end(candidates, words, emphasis.end() if emphasis else end)
    tail = words[emphasis.end() if emphasis else end : stop]
    fault = "ambiguous" if name in candidates.doubled else tail_fault(candidates, name, tail)
    if fault and mood == "plain":
        mood, reason = ("void" if fault in ("conditional", "unknown_name") else "unclear"), fault
    elif mood == "plain" and _is_limited(tail):
        mood, reason = "unclear", "ambiguous"
    return name, mood, reason, start, stop


_OPENED = late_pattern(rf"[ \t*_\"(-]*{everyday.OPENINGS.pattern}")
_COMMA = re.compile(r"[,;][ \t]+")
_OF_WHOM = re.compile(
    r"[ \t]+(?:(?:who|that|which|whose|qui|que|dont|che|cui|который|которая|który|która)(?!\w)"
    r"|for (?!(?:me|us|its|his|her|their|being|having|the)\b))"
)
"""How words begin that say of a candidate what it is chosen for or does ("Ada who pays", "Ada for second place")."""
_APART = re.compile(r"[,;:(\u2013\u2014]")


def _end(candidates: Candidates, words: str, place: int) -> int:
    """Where a vote ends: with its sentence, or at a comma behind which another candidate is spoken of."""
    stop = max(place, sentence_end(words, place))
    commas = (comma.end() for comma in _COMMA.finditer(words, place, stop))
    return next((end for end in commas if candidates.key_at(words, end)[0]), stop)


def _is_limited(tail: str) -> bool:
    """Whether words behind a name limit what is said to a part of the matter, or go on about that candidate."""
    near = _APART.split(tail)[0]
    limited = formulas.LIMITED.search(near) is not None and not phrases.REASONS.match(near)
    turned = formulas.CONTRAST.search(tail)
    against = turned is not None and any(retraction.says(table, tail[turned.end() :]) for table in ("DENY", "SELF"))
    return limited or against or _OF_WHOM.match(tail) is not None
