"""The candidates of one question, ready to be found in folded text.

Remarks: what the words behind a name, up to the end of its sentence, make of a statement.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from folkmoot.answers import retraction
from folkmoot.answers.plain_text import Spoken, key
from folkmoot.answers.words import everyday, formulas, phrases


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidates of one question, ready to be found in folded text."""

    keys: dict[str, str]
    doubled: frozenset[str]
    pattern: re.Pattern[str]
    lasts: dict[str, str]
    bare: re.Pattern[str]

    @classmethod
    def of(cls, names: Sequence[str]) -> "Candidates":
        """The candidates with these names; names that fold to the same text are ambiguous."""
        return _known_candidates(tuple(names))

    @classmethod
    def compiled(cls, names: Sequence[str]) -> "Candidates":
        """The same, made anew."""
        keys: dict[str, str] = {}
        doubled: set[str] = set()
        for name in names:
            if (folded := key(name)) in keys:
                doubled.add(folded)
            keys.setdefault(folded, name)
        longest = sorted((item for item in keys if item), key=len, reverse=True)
        patterns = (r"[ \t]+".join(re.escape(word) for word in text.split()) for text in longest)
        lasts = _last_words(keys)
        bare = "|".join(re.escape(last) for last in sorted(lasts, key=len, reverse=True)) or r"(?!)"
        return cls(
            keys,
            frozenset(doubled),
            re.compile("|".join(patterns) or r"(?!)"),
            lasts,
            re.compile(
                rf"(?<![^\W\u2e80-\uffff])(?<![\d'][.,'])(?<!')(?:{bare})(?![^\W\u2e80-\uffff])(?!'(?!s\b)\w)(?!\.\d)"
            ),
        )

    def key_at(self, text: str, start: int) -> tuple[str, int]:
        """The longest candidate's key that stands at that place as a whole word, and where it ends; "" for none."""
        match = self.pattern.match(text, start)
        if not match or not _is_whole_word(text, match.end()):
            return "", start
        return " ".join(match[0].split()), match.end()

    def key_before(self, text: str, end: int) -> tuple[str, int]:
        """The longest candidate's key that ends at that place as a whole word, and where it begins; "" for none."""
        stop = len(text[:end].rstrip(_CLOSERS)) if end else 0
        polite = _HONORIFIC.search(text, max(0, stop - 12), stop)
        for place in (stop, len(text[: polite.start()].rstrip(_CLOSERS)) if polite else stop):
            for name in sorted(filter(None, self.keys), key=len, reverse=True):
                start = place - len(name)
                if (
                    start >= 0
                    and text.startswith(name, start)
                    and not (start and _is_joined_to_letter(text[start - 1], name))
                ):
                    return name, start
        return "", stop

    def full_key(self, word: str) -> str:
        """The candidate's key that a whole name or its bare last word stands for; "" for none."""
        return word if word in self.keys else self.lasts.get(word, "")

    def rivals(self, text: str, own: str) -> list[tuple[int, int]]:
        """Where other candidates are named in a text, also by the bare last word of ``Proposal B``, in order."""
        places = self.others(text, own)
        for match in self.bare.finditer(text):
            inside = any(start <= match.start() < end for start, end in places)
            article = match[0] in ("a", "i") and _ARTICLE.match(text, match.end())
            spelled = self.pattern.match(text, max(0, match.end() - len(self.lasts[match[0]])))
            if self.lasts[match[0]] != own and not inside and not article and not spelled:
                places.append(match.span())
        return sorted(places)

    def marked(self, text: str, mark: str) -> str:
        """The text with a mark in place of each candidate's name."""

        def replaced(match: re.Match[str]) -> str:
            before = text[max(0, match.start() - 1) : match.start()]
            whole = _is_whole_word(text, match.end()) and not (before and _is_joined_to_letter(before, match[0]))
            return mark if whole else match[0]

        return self.pattern.sub(replaced, text)

    def others(self, text: str, own: str) -> list[tuple[int, int]]:
        """Where other candidates are named in a text; names of one letter only where they are listed."""
        places: list[tuple[int, int]] = []
        for match in self.pattern.finditer(text):
            before, name = text[max(0, match.start() - 12) : match.start()], match[0]
            whole = _is_whole_word(text, match.end()) and not (before and _is_joined_to_letter(before[-1], name))
            listed = len(name) > 1 or re.search(
                r"(?:\b(?:and|or|und|oder|et|ou|y|o|e|en|of|not|than|over)\s|[,/&+|])\W*$", before
            )
            closed = len(name) > 1 or re.match(r"\W*(?:$|[.,;)\]]|and\b|or\b)", text[match.end() : match.end() + 12])
            if whole and name != own and listed and closed:
                places.append(match.span())
        return places


_HONORIFICS = r"さん|さま|様|氏|先生|くん|君|\s?님|\s?씨|\s(?:जी|hanım|bey)"
_HONORIFIC = re.compile(rf"(?:{_HONORIFICS})$")
"""What people add to a name out of politeness."""

_CLOSERS = " \t\"'`“”„«»‹›」』])}>*~"


def _is_joined_to_letter(before: str, name: str) -> bool:
    """Whether a letter before a name makes it part of a longer word."""
    return (before.isalnum() or before in "_-.@#") and before < "\u2e80" and name[0] < "\u2e80"


_ARTICLE = re.compile(r"[ \t]+(?!(?:and|or|then|instead|if|is|was|wins|over)\b)\w")
"""What follows the word "a" or "i" where it is no name."""


@lru_cache(maxsize=256)
def _known_candidates(names: tuple[str, ...]) -> Candidates:
    """The candidates of a form, which are looked for in each answer in it."""
    return Candidates.compiled(names)


def _last_words(keys: Sequence[str] | dict[str, str]) -> dict[str, str]:
    """The last words of names that differ only in them ("proposal a", "proposal b"), with their names."""
    ends: dict[str, list[str]] = {}
    for item in keys:
        stem, _, last = item.rpartition(" ")
        if stem:
            ends.setdefault(stem, []).append(last)
    return {
        last: f"{stem} {last}" for stem, value in ends.items() if len(value) > 1 for last in value if last not in keys
    }


_ENDING = re.compile(r"'(?:s|y?[aeıiuü]|n[ıiuü]n|[dt][ae]n|d[ıiuü]r)(?!\w)")
"""An ending that an apostrophe parts from a name, in English and Turkish."""


def _is_whole_word(text: str, end: int) -> bool:
    """Whether a word that ends there is not part of a longer one (``Agent1`` in ``Agent10``, ``Agent1-b``)."""
    following = text[end : end + 2]
    if not following or text[end - 1] > "\u2e7f" or following[0] > "\u2e7f":
        return True
    if following[0].isalnum() or following[0] in "_-+#@\u2010\u2011":
        return False
    return not (following[0] in ".'" and following[1:].isalnum()) or _ENDING.match(text, end) is not None


@dataclass(frozen=True, slots=True)
class Stated:
    """A statement's value among the candidates: says whether a sentence names it, or another one.

    Attributes:
        candidates: the candidates.
        key: the folded name of the stated one; "" where none is.
        author: the folded name of the author, who may sign; "" where unknown.
        spoken: the words of the debate; None where unknown.
    """

    candidates: Candidates
    key: str
    author: str = ""
    spoken: Spoken | None = None

    def own(self, text: str) -> bool:
        """Whether a sentence names the stated value."""
        return any(" ".join(match[0].split()) == self.key for match in self.candidates.pattern.finditer(text))

    def other(self, text: str) -> bool:
        """Whether a sentence names another candidate than the stated one and the author."""
        places = self.candidates.rivals(text, self.key)
        return any(self.candidates.full_key(" ".join(text[start:end].split())) != self.author for start, end in places)

    def marked(self, text: str, mark: str) -> str:
        """A sentence with a mark in place of candidates' names."""
        return self.candidates.marked(text, mark)

    def length(self, text: str) -> int:
        """How many words of a sentence are names."""
        return sum(len(match[0].split()) for match in self.candidates.pattern.finditer(text))


# ---- remarks --------------------------------------------------------------------------------------------------------

CLOSERS = " \t\"'`“”„«»‹›」』])}>*~"
_AGAINST = frozenset("❌✖✗✘❎👎🚫⛔🤔🤷❓❔🙃😜😉🤡☐")
_ENDINGS = (
    CLOSERS
    + "\n([{<.,;:!。！।؟，、；：…=_|#\u2010\u2011\u2012\u2013\u2014-👍✅✔✓☑🎉🗳"
    + unicodedata.lookup("VARIATION SELECTOR-16")
)
_JOINED = re.compile(
    r"[/&+|=\\>]|(?:or|oder|ou|o|или|as well as|plus)\b"
    r"|(?:and|und|et|y|e|en|i|и)\s+(?!not\b|its\b|his\b|her\b|their\b|i\b|nicht\b|would\b|raison\b|vista\b"
    r"|razón\b|virtud\b)"
)


_COPULA = re.compile(
    rf"(?:{_HONORIFICS})?(?:です|でございます|である|だ|になります|にします|に|を(?:支持します|選びます)|입니다|이에요|예요|이다"
    r"|에게|에|으로|로"
    r"|的(?:提案|方案|建议|建議|计划|計劃)|一票|吧|'?(?:d[ıiuü]r|y?[ae] gid(?:iyor|ecek)|y?[aeıi]"
    r"|n[ıi]n|[dt][ae]n yana))(?=[\W_]|$)"
)
"""What may stand at the end of a name in a language that binds endings to it."""
_GAP = re.compile(r"[\s*`\"'»”」』]*(?:[,;:(\[，；：（、。،؛]|[\u2013\u2014-]+(?=\s|\u2014|[^\x00-\x7f]))")
_PARTS = re.compile(r"\s*[,;:،؛()\[\]，；：（）、]\s*|\s[\u2013\u2014-]+\s|\u2014+")
_STRANGE = re.compile(
    r"\b(?:examples?|sic|quot\w+|sarcas\w*|parody|hypothetical\w*|placeholder|dream\w*|ideal(?:ly)? \w*world"
    r"|perfect world"
    r"|in an? (?:\w+ )?world|in (?:theory|principle)|(?:second|third|first) (?:choice|preference)|ranked|backup|back-up"
    r"|sorry|mean|meant|signed|signature|said (?:no|agent)|for now|for the moment|would have|not really|or not)\b"
)
_LOOSE = re.compile(rf"(?<![\w'])'s?(?: {phrases.GOODS.pattern})?|<\|\w{{1,30}}\|?>?|</\w{{0,20}}>?|\bplease(?=\W*$)")


def _is_picture(sign: str) -> bool:
    """Whether a sign is a picture, or joins and varies pictures."""
    return unicodedata.category(sign) in ("So", "Mn") or unicodedata.name(sign, "") == "ZERO WIDTH JOINER"


def is_emoji(sign: str) -> bool:
    """Whether a sign is a picture that says nothing against a statement."""
    return sign > "\u2000" and sign not in _AGAINST and _is_picture(sign)


def tail_fault(candidates: Candidates, name: str, tail: str) -> str:
    """What the words after a name make of the statement; "" where it stands.

    Args:
        candidates: the candidates.
        name: the folded name.
        tail: the words from the name to the end of the sentence.
    """
    rest = tail.lstrip('*`"»”])}> ')
    shown = rest.lstrip("".join(sign for sign in {*rest} if is_emoji(sign)) + " ")
    rest = shown if shown[:1] in ("(", "[") or phrases.REASONS.match(shown) else rest
    if (emphasis := everyday.EMPHASIS.match(rest)) and not re.match(r"[ \t]*\w", rest[emphasis.end() :]):
        rest = rest[emphasis.end() :]
    if possessive := re.match(r"'s(?=\W*$)|'s?\s+(?=\w)", rest):
        goods = phrases.GOODS.match(rest, possessive.end())
        if not goods and possessive.end() < len(rest.rstrip(_ENDINGS)):
            return "unknown_name"
        rest = rest[goods.end() if goods else possessive.end() :]
    elif ending := _COPULA.match(rest):
        rest = rest[ending.end() :]
    gap = _GAP.match(rest)
    bare = rest.strip(CLOSERS)
    if not bare:
        return ""
    if "?" in bare or "؟" in bare:
        return "conditional"
    if _JOINED.match(bare):
        return "ambiguous"
    if reason := retraction.begins("REASON", bare.lstrip(" ,;:(\u2013\u2014-，；：（、،؛")):
        return _reason_fault(reason)
    granted = bare.lstrip(" ,;:(\u2013\u2014-，；：（、،؛")
    if retraction.is_concession(granted) and not retraction.begins("BOUND", granted):
        return _reason_fault(retraction.without("CONCEDE", granted))
    if re.match(r"\w", bare) and not phrases.TAILS.match(bare):
        return "unknown_name"
    if phrases.REASONS.match(bare):
        return _reason_fault(bare)
    return _remark_fault(candidates, name, bare, apart=gap is not None)


def _reason_fault(reason: str) -> str:
    """What speaks against a statement within the reason that is given for it; other candidates may be named there."""
    bound = phrases.BOUND.search(reason) or formulas.PROVISOS.search(reason)
    return "conditional" if bound or retraction.turned(reason) else ""


def _remark_fault(candidates: Candidates, name: str, rest: str, *, apart: bool) -> str:
    """What a remark that gives no express reason makes of a statement.

    Args:
        candidates: the candidates.
        name: the folded name.
        rest: the remark.
        apart: whether a mark (a dash, a comma, a bracket) sets it apart from the name.
    """
    for start, end in reversed(_joined_rivals(rest, candidates.rivals(rest, name))):
        begin = max(0, start - 30)
        compared = phrases.SPARED.search(rest[begin:start])
        if compared:
            rest = rest[: begin + compared.start()] + rest[end:]
        elif not (apart and _is_concession(rest, start, end)):
            return "ambiguous"
    plain = "".join(" " if is_emoji(sign) else sign for sign in _LOOSE.sub("", rest)).strip(_ENDINGS)
    if not plain:
        return ""
    known = phrases.HARMLESS.match(plain) is not None or says_harmless(plain)
    if apart and (known or retraction.size(plain) >= (3 if plain.isascii() else 2)):
        return _far_remark_fault(name, rest, plain)
    if phrases.HEDGES.search(rest):
        return "conditional"
    if phrases.DENIED.search(rest):
        return "negated"
    if not known or formulas.UNDONE.search(plain):
        return "ambiguous"
    return _far_remark_fault(name, rest, plain)


_AND = "(?:and|or|nor|und|oder|noch|et|ou|ni|y|o|e|и|или|i|lub|ani|和|及|と|や|와|과|و|أو|और|या|ve|veya)"
_LIST = re.compile(rf"(?:'s)?\s*(?:[,、，،]\s*)?(?:{_AND}\s*)?")
_OPENING = re.compile(
    rf"(?:^|[,;:،؛，；：、\u2013\u2014-])\s*(?:(?:{_AND}|but|while|whereas|aber|mais|pero|mas|ma|но|а|ale|ama)\s+)?"
    r"(?:(?:o|a|el|la|le|il|der|die|das|the)\s+)?$"
)


_DENIED_FIRST = re.compile(r"(?:لم|لا|لن)\s+\w+\s")
"""How a sentence begins that denies something of whom it then names."""


def _joined_rivals(text: str, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The places of rivals in order, those that a list joins ("Ben and Cleo") as one."""
    joined: list[tuple[int, int]] = []
    for start, end in places:
        if joined and start > joined[-1][1] and _LIST.fullmatch(text, joined[-1][1], start):
            start = joined.pop()[0]
        joined.append((start, end))
    return joined


def says_harmless(text: str) -> bool:
    """Whether a remark begins as harmless ones do, in any language."""
    return bool(retraction.begins("REASON", text)) or retraction.says("ASIDE", text) or retraction.is_all("MERIT", text)


def _is_concession(rest: str, start: int, end: int) -> bool:
    """Whether the part of a remark that names another candidate only grants it something, or says what is wrong."""
    part = _PARTS.split(rest[end:])[0]
    whole = _PARTS.split(rest[:start])[-1] + rest[start:end] + part
    if retraction.is_concession(whole.strip()):
        return True
    opens = not rest[:start].strip(_ENDINGS) or _PARTS.search(rest[max(0, start - 4) : start]) is not None
    opens = opens or _OPENING.search(rest[:start]) is not None
    if retraction.says("ASIDE", whole) and not retraction.says("SELF", whole):
        return True
    denied = _DENIED_FIRST.match(whole.strip(_ENDINGS)) is not None
    return (opens and retraction.lesser(part)) or (denied and retraction.lesser(whole))


def _far_remark_fault(name: str, rest: str, plain: str) -> str:
    """What the parts of a longer remark make of a statement."""
    if formulas.PROVISOS.search(retraction.EVEN_IF.sub("", rest)) or retraction.turned(plain):
        return "conditional"
    if _STRANGE.search(rest) or formulas.UNDONE.search(plain[:60]):
        return "ambiguous"
    for part in _PARTS.split(plain):
        if retraction.size(part) <= 3 and phrases.DENIED.search(part):
            return "negated"
    return "ambiguous" if len(name) > 1 and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", rest) else ""
