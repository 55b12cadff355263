"""The names of participants: which a participant may have, and which look alike.

A name is in prompts, ballots, logs, pages and files, and votes are read by it. So it must not look like another name,
an abstention, a role of a conversation or markup. The skeleton of a name follows Unicode Technical Standard 39
(section 4), reduced to the common look-alikes of Latin letters.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, count

from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean, flat, leaves_folder

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
    """The skeleton of a name: letters and digits only, without case, width and look-alike characters.

    Two names with the same skeleton can be mistaken for each other.
    """
    return _skeleton(name) if len(name) <= MOST else _skeleton.__wrapped__(name)


@lru_cache(maxsize=1024)  # the names of a debate are compared again and again
def _skeleton(name: str) -> str:
    plain = unicodedata.normalize("NFKD", clean(name)).translate(_LOOKS).casefold()
    return "".join(text for text in plain if text.isalnum() or unicodedata.combining(text))


def check_name(text: str, *, line: int = 0) -> str:
    """The name as it is stored: composed, with single blanks and plain apostrophes.

    Raises:
        BriefError: it is no name; code ``bad_name``, or ``unsafe_path`` for a path that leads out of a folder.
    """
    name = unicodedata.normalize("NFC", clean(text)).replace("\u2019", "'").strip()
    if wrong := _fault(name):
        shown = name if len(name) <= MOST else name[:MOST] + "…"
        allowed = f"a name has 1 to {MOST} letters, digits, spaces and . ' - _ ( ) &"
        plain = flat("".join(letter if _is_letter(letter) else " " for letter in name))
        allowed += f"; write {plain!r}" if plain != name and not _fault(plain) else ""
        code = "unsafe_path" if leaves_folder(name) else "bad_name"
        raise BriefError(f"{shown!r} cannot be a name: {wrong}; {allowed}", line=line, code=code)
    return flat(name)


def _is_letter(text: str) -> bool:
    """Whether a letter, digit or mark may stand in a name."""
    return text in _MARKS or unicodedata.category(text)[0] in "LM" or unicodedata.category(text) == "Nd"


def _fault(name: str) -> str:
    if not name:
        return "it is empty"
    if len(name) > MOST:
        return f"it has {len(name)} characters"
    for text in name:
        if not _is_letter(text):
            return f"{text!r} is not allowed"
    letters = skeleton(name)
    if not any(text.isalnum() for text in letters):
        return "it has no letter and no digit"
    plain = flat(name).casefold()
    is_reserved = letters in RESERVED or plain in _ACTS or _MARK.fullmatch(plain)
    return "the word has another meaning in a debate" if is_reserved else ""


def free_name(names: Sequence[str], used: Iterable[str]) -> str:
    """The first of these names that resembles no taken one; else the first name with a number, from 2."""
    used_skeletons = {skeleton(text) for text in used}
    numbered = (f"{names[0]} {n}" for n in count(2))
    return next(name for name in chain(names, numbered) if skeleton(name) not in used_skeletons)


def is_moderator_name(name: str, *, surely: bool = False) -> bool:
    """Whether a name is that of a moderator: Moderator, Mediator, TimeKeeper, Judge, Chair.

    Args:
        name: the name.
        surely: count only Moderator, Mediator and TimeKeeper, which are never names of debaters.
    """
    return skeleton(name) in (_MODERATORS if surely else _CHAIRS)
