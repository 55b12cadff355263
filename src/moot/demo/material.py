"""Which way words lean: for or against. This file owns the lexicon; it counts words and understands nothing.

A passage leans by the good and the bad news that it tells: losses, failures and rising costs one way, savings, gains
and falling costs the other. A participant leans by what its name, role and persona say that it argues.
"""

from collections.abc import Sequence

from moot.core.brief import Participant
from moot.core.sentences import sentences
from moot.core.words import listed, stem, stems


def _lexicon(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


GOOD = _lexicon(
    "achieve advantage affordable available benefit best better cheap cheaper clear confidence convincing "
    "convincingly easier easy efficient fair fast faster gain good healthy helpful improve improvement "
    "opportunity praise profitable promising proven quick quicker ready reliable reliability robust safe safer "
    "satisfied satisfy save secure shorten simple simpler simply solve stable strength strong stronger succeed "
    "success successful trust useful valued welcome win winner worth"
)
"""Words of good news."""

BAD = _lexicon(
    "fear worry concern noise abuse attrition bad breach broken burden cannot complain complaint conflict corrupt "
    "costly crash critical damage danger dangerous debt decline defect delay deny depend deprive difficult "
    "disadvantage disappointed doubt error exclude expensive fail failure fault forbid forbidden fraud hard "
    "harder hardest harm harmful impossible incident injury inconsistent lack late leak leakage leave left lose "
    "loss lost miss outage overrun penalty poor postpone problem refund reject risk risky scarce shortage slow "
    "slower slowest stress stressful threat threaten too unable uncertain unfair unknown unpaid unreadable unsafe "
    "unwilling weak weaken weakness worse worsen worst wrong"
)
"""Words of bad news."""

GAIN = _lexicon("growth income margin output productivity profit quality retention revenue runway sale satisfaction")
"""What is better the more there is of it."""

BURDEN = _lexicon(
    "bill bug burn charge churn complexity contact cost dilution dropout emission expense fee liability price "
    "repair salary spending tax traffic turnover waste workload"
)
"""What is worse the more there is of it."""

UP = _lexicon("add additional double exceed extend further grew grow high higher increase raise rise rose")
DOWN = _lexicon(
    "avoid cut decrease drop eliminate fall fell fewer halve less low lower prevent reduce reduction remove "
    "shrink shrank without"
)
NOT = listed("no not never nobody none nothing neither nor cannot hardly without")
NOBODY = listed("no nobody none nothing")
"""The denials that may follow what they deny ("has lost nobody")."""

REACH = 4
"""So many words before and after a word are looked at for what moves it."""

LABELS = (
    _lexicon(
        "advocate affirmative believer bull bullish champion defender enthusiast favour favor hopeful optimist "
        "optimistic pro proponent proposition supporter supportive yes"
    ),
    _lexicon(
        "adversary against bear bearish cautious con contra contrarian critic critical devil disapprove doubter "
        "negative no objector opponent opposition pessimist pessimistic sceptic sceptical skeptic skeptical"
    ),
)
"""Names and roles of those who argue for, and of those who argue against."""

CREEDS = (
    _lexicon("advocate affirm approve believe champion endorse favour favor for optimistic support welcome"),
    _lexicon("against cautious criticise criticize disapprove distrust doubt object oppose reject sceptical skeptical"),
)
"""What personas say of those who argue for, and of those who argue against."""

_WISHES = _lexicon("prefer recommend")
"""What tells which option is meant, but no side."""

_PLEAS = _lexicon("argue plead speak stand vote case campaign")
"""The words behind which "for" shows a side."""

_ASSENT = _lexicon("accept agree approve fund hire invest proceed true yes for pro")
_DISSENT = _lexicon("decline deny disagree false reject against con pass stop wait")


def valence(words: Sequence[str]) -> float:
    """How good or bad the news is that these stems tell, above -1 and below 1; 0 where they tell neither."""
    total, count = 0, 0
    for place, word in enumerate(words):
        news = _news(word, words[max(0, place - REACH) : place], words[place + 1 : place + 1 + REACH])
        total += news
        count += news != 0
    return total / (count + 1)


def _news(word: str, before: Sequence[str], after: Sequence[str]) -> int:
    denied = any(_denies(each) for each in before[-3:]) or any(each in NOBODY for each in after[:2])
    if word == "could":
        return -1 if denied or after[:1] == ["not"] else 0
    base = (word in GOOD) - (word in BAD)
    kind = base or (word in GAIN) - (word in BURDEN)
    if not kind:
        return 0
    near = (*before, *after)
    if any(each in DOWN for each in near):
        move = -1
    elif any(each in UP for each in near):
        move = 1
    else:
        move = 1 if base else 0
    return -kind * move if denied and move > 0 else kind * move


def _denies(word: str) -> bool:
    return word in NOT or word.endswith(("n't", "n’t"))


def side(who: Participant) -> int:
    """What a participant argues, by its name, role and persona: 1 for, -1 against, 0 neither; a moderator neither."""
    if who.duty == "moderator":
        return 0
    counts = (_count(stems(who.name), *LABELS), _count(stems(who.role), *LABELS), _count(stems(who.persona), *CREEDS))
    found = next((count for count in counts if count), 0)
    return (found > 0) - (found < 0)


def pleas(who: Participant) -> list[tuple[int, list[str]]]:
    """What a participant argues, sentence by sentence: above 0 for what the stems name, below 0 against it."""
    said = [stems(text) for text in (who.role, *(sentence for _, sentence in sentences(who.persona)))]
    return [(count, words) for words in said if (count := _count(words, CREEDS[0] | _WISHES, CREEDS[1]))]


def _count(words: Sequence[str], favouring: frozenset[str], opposing: frozenset[str]) -> int:
    """Words that favour less words that oppose; a denial close before turns a word round."""
    total = 0
    for place, word in enumerate(words):
        sign = (word in favouring) - (word in opposing)
        before = words[max(0, place - 3) : place]
        if (word == "for" and not _PLEAS.intersection(before[-2:])) or (word == "advocat" and "devil" in before):
            continue
        total += -sign if any(_denies(each) for each in before) else sign
    return total


def polarity(option: str) -> int:
    """What an option that names no matter of its own says to the topic: 1 yes, -1 no, 0 where it names a matter."""
    words = stems(option)
    if any(_denies(word) for word in words):
        return -1
    return (words[0] in _ASSENT) - (words[0] in _DISSENT) if 0 < len(words) <= 2 else 0
