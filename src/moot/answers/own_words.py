"""Candidates in a voter's own words, as labels: a bare letter, a translated label, a proposal's exact words.

Where a ballot has labels ("Proposal A"), voters write "A has my vote", "Vorschlag A", or the proposal itself. Such
words are replaced by the label; then the strict reader reads the text as it reads any other. Whoever abstains in a
word names none of them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from moot.answers import retraction
from moot.answers.candidates import Candidates
from moot.answers.plain_text import key
from moot.answers.words import phrases, vote_labels
from moot.core.text import late_pattern

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
    first, *rest = [part.strip(" \t*_\"'`#") for part in _ENDED.split(words)]
    if first not in candidates.keys or not any(rest):
        return None
    own = (part for part in rest if not candidates.rivals(part, first))
    listed = any(part in candidates.keys and part != first for part in rest)
    if listed or any(_ROW.match(part) or phrases.LESSER.search(part) for part in own):
        return None
    return first, words.find(first) + len(first) + 1


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
