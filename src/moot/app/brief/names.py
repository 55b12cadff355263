"""Names of participants. This file owns which names there can be, and when two of them look alike.

A name stands in prompts, ballots, logs, pages and files, and a vote is read by it. So it must not be mistaken for
another one, for an abstention, for a role of a conversation or for markup. The skeleton follows the idea of Unicode's
technical standard 39 (section 4), cut down to the look-alikes of Latin letters that are common.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import chain, count

from moot.core.errors import BriefError
from moot.core.letters import flat, leads_away
from moot.core.text import clean

MOST = 40
"""The greatest length of a name."""

_ABSTENTIONS = ("abstain", "abstains", "abstained", "abstention", "abstentions", "novote", "undecided", "nodecision")
_NOBODIES = ("none", "noone", "nobody", "nil", "null", "neither", "nothing", "unknown", "undefined", "anonymous", "tie")
_EVERYBODIES = ("all", "any", "anyone", "anybody", "both", "either", "everyone", "everybody", "each", "other", "others")
_ROLES = ("system", "user", "assistant", "developer", "tool", "function", "human", "participant", "debater", "winner")
_PERSONS = ("you", "me", "myself", "self", "yourself", "them", "they", "vote", "draw")
RESERVED = frozenset((*_ABSTENTIONS, *_NOBODIES, *_EVERYBODIES, *_ROLES, *_PERSONS))
"""Skeletons of words that are no names, because a ballot or a conversation gives them another meaning."""

_MARK = re.compile(r"t\d+|(?:proposal|critique|participant|round|turn) ?(?:[a-z]{1,2}|\d+)|.* round \d+")
"""What turns, proposals, hidden authors and masks are called: a name like that could be taken for one of them."""

_ACTS = frozenset({
    *("open", "draft", "propose", "argue", "question", "answer", "interrupt", "revise", "critique", "close"),
    *("guide", "inform", "moderate", "summarize", "synthesize", "remind", "verdict"),
})  # fmt: skip
"""Acts by which a mask can name turns."""

_MODERATORS = frozenset({"moderator", "mediator", "timekeeper"})
_CHAIRS = _MODERATORS | {"judge", "chair", "chairman", "chairwoman", "chairperson"}
_MARKS = " .'-_()&"
_TWINS = (
    "AАΑ BВΒ CСϹ EЕΕ GԌ HНΗ IІΙ JЈͿ KКΚ MМΜ NΝ OОΟ PРΡ QԚ SЅ TТΤ WԜ XХΧ YҮΥ ZΖ "
    "aаɑα cсϲ dԁ eе gɡԍ hһ iіɩıι jј kκ lӏǀ1 nոη oоօοσ0 pрρ qԛգ sѕ uսυ vν wԝ xхχ yуүγ zᴢ"
)
"""Each Latin letter, followed by the letters and digits of other kinds that look like it."""

_LOOKS = str.maketrans({twin: group[0] for group in _TWINS.split() for twin in group[1:]})


def skeleton(name: str) -> str:
    """What a name looks like: letters and digits alone, without case, width, invisible characters and foreign twins.

    Two names with the same skeleton can be mistaken for each other.
    """
    plain = unicodedata.normalize("NFKD", clean(name)).translate(_LOOKS).casefold()
    return "".join(each for each in plain if each.isalnum() or unicodedata.combining(each))


def check_name(text: str, *, line: int = 0) -> str:
    """The name as it is kept: composed, blanks single, the typographic apostrophe made plain.

    Raises:
        BriefError: it is no name; code ``bad_name``, or ``unsafe_path`` for a path that leads out of a folder.
    """
    name = unicodedata.normalize("NFC", clean(text)).replace("\u2019", "'").strip()
    if wrong := _fault(name):
        shown = name if len(name) <= MOST else name[:MOST] + "…"
        found = f"{shown!r} cannot be a name: {wrong}; a name has 1 to {MOST} letters, digits, blanks and . ' - _ ( ) &"
        code = "unsafe_path" if leads_away(name) else "bad_name"
        raise BriefError(found, line=line, code=code)
    return flat(name)


def _fault(name: str) -> str:
    if not name:
        return "it is empty"
    if len(name) > MOST:
        return f"it has {len(name)} characters"
    for each in name:
        if each not in _MARKS and unicodedata.category(each)[0] not in "LM" and unicodedata.category(each) != "Nd":
            return f"{each!r} is not allowed"
    bare = skeleton(name)
    if not any(each.isalnum() for each in bare):
        return "it has no letter and no digit"
    plain = flat(name).casefold()
    taken = bare in RESERVED or plain in _ACTS or _MARK.fullmatch(plain)
    return "the word has another meaning in a debate" if taken else ""


def free_name(names: Sequence[str], taken: Iterable[str]) -> str:
    """The first of these names that looks like none that is taken; else the first with a number behind it, from 2."""
    there = {skeleton(each) for each in taken}
    numbered = (f"{names[0]} {n}" for n in count(2))
    return next(name for name in chain(names, numbered) if skeleton(name) not in there)


def moderates(name: str, *, surely: bool = False) -> bool:
    """Whether somebody of that name leads unless told otherwise: Moderator, Mediator, TimeKeeper, Judge, Chair.

    Args:
        name: the name.
        surely: count only Moderator, Mediator and TimeKeeper, which are never names of debaters.
    """
    return skeleton(name) in (_MODERATORS if surely else _CHAIRS)
