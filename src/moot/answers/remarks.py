"""Remarks: what the words behind a name, up to the end of its sentence, make of a statement."""

import re
import unicodedata

from moot.answers import retraction
from moot.answers.candidates import Roster
from moot.answers.words import formulas, phrases

CLOSERS = " \t\"'`“”„«»‹›」』])}>*~"
_AGAINST = frozenset("❌✖✗✘❎👎🚫⛔🤔🤷❓❔🙃😜😉🤡☐")
_ENDINGS = CLOSERS + "\n([{<.,;:!。！।؟，、；：…=_|#\u2010\u2011\u2012\u2013\u2014-👍✅✔✓☑🎉🗳\ufe0f"
_JOINED = re.compile(
    r"[/&+|=\\>]|(?:or|oder|ou|o|или|as well as|plus)\b"
    r"|(?:and|und|et|y|e|en|i|и)\s+(?!not\b|its\b|his\b|her\b|their\b|i\b|nicht\b|would\b|raison\b|vista\b"
    r"|razón\b|virtud\b)"
)


_COPULA = re.compile(
    r"(?:です|でございます|である|だ|になります|にします|に|を(?:支持します|選びます)|입니다|이에요|예요|이다"
    r"|에게|에|으로|로"
    r"|的(?:提案|方案|建议|建議|计划|計劃)|吧|'?(?:d[ıiuü]r|y?[aeıi]|n[ıi]n))(?=[\W_]|$)"
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
_LOOSE = re.compile(rf"(?<![\w'])'s?(?: {phrases.GOODS.pattern})?|<\|\w{{1,30}}\|?>?|</\w{{0,20}}>?")


def is_emoji(sign: str) -> bool:
    """Whether a sign is a picture that says nothing against a statement."""
    return sign > "\u2000" and sign not in _AGAINST and (unicodedata.category(sign) == "So" or sign in "\ufe0f\u200d")


def tail_fault(roster: Roster, name: str, tail: str) -> str:
    """What the words after a name make of the statement; "" where it stands.

    Args:
        roster: the candidates.
        name: the folded name.
        tail: the words from the name to the end of the sentence.
    """
    rest = tail.lstrip('*`"»”])}> ')
    if possessive := re.match(r"'s(?=\W*$)|'s?\s+(?=\w)", rest):
        goods = phrases.GOODS.match(rest, possessive.end())
        if not goods and possessive.end() < len(rest.rstrip(_ENDINGS)):
            return "unknown_name"
        rest = rest[goods.end() if goods else possessive.end() :]
    elif ending := _COPULA.match(rest):
        rest = rest[ending.end() :]
    gap = _GAP.match(rest)
    bare = rest.strip(CLOSERS)
    if "?" in bare or "؟" in bare:
        return "conditional"
    if _JOINED.match(bare):
        return "ambiguous"
    if reason := retraction.begins("REASON", bare.lstrip(" ,;:(\u2013\u2014-，；：（、،؛")):
        return _reason_fault(reason)
    if re.match(r"\w", bare) and not phrases.TAILS.match(bare):
        return "unknown_name"
    if phrases.REASONS.match(bare):
        return _reason_fault(bare)
    return _remark_fault(roster, name, bare, apart=gap is not None)


def _reason_fault(reason: str) -> str:
    """What speaks against a statement within the reason that is given for it; other candidates may be named there."""
    bound = phrases.BOUND.search(reason) or formulas.PROVISOS.search(reason)
    return "conditional" if bound or retraction.turned(reason) else ""


def _remark_fault(roster: Roster, name: str, rest: str, *, apart: bool) -> str:
    """What a remark that gives no express reason makes of a statement.

    Args:
        roster: the candidates.
        name: the folded name.
        rest: the remark.
        apart: whether a mark (a dash, a comma, a bracket) sets it apart from the name.
    """
    for start, end in reversed(roster.rivals(rest, name)):
        begin = max(0, start - 30)
        compared = phrases.SPARED.search(rest[begin:start])
        if compared:
            rest = rest[: begin + compared.start()] + rest[end:]
        elif not (apart and _lesser(rest, start, end)):
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


def says_harmless(text: str) -> bool:
    """Whether a remark begins as harmless ones do, in any language."""
    return bool(retraction.begins("REASON", text)) or retraction.says("ASIDE", text)


def _lesser(rest: str, start: int, end: int) -> bool:
    """Whether the part of a remark that names another candidate only says what is wrong with it."""
    part = _PARTS.split(rest[end:])[0]
    opens = not rest[:start].strip(_ENDINGS) or _PARTS.search(rest[max(0, start - 4) : start]) is not None
    return opens and retraction.lesser(part)


def _far_remark_fault(name: str, rest: str, plain: str) -> str:
    """What the parts of a longer remark make of a statement."""
    if formulas.PROVISOS.search(rest) or retraction.turned(plain):
        return "conditional"
    if _STRANGE.search(rest) or formulas.UNDONE.search(plain[:60]):
        return "ambiguous"
    for part in _PARTS.split(plain):
        if retraction.size(part) <= 3 and phrases.DENIED.search(part):
            return "negated"
    return "ambiguous" if len(name) > 1 and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", rest) else ""
