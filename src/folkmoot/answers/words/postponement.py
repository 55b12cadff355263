"""Postponement: whether a sentence puts a ruling off, or is a wait that ends in no act.

The words for it stand in ``cues.toml``: NOT_NOW and UNSAID are whole sentences, PUTS_OFF counts anywhere, WAITS at the
beginning of what stands in the place of a decision, TO_COME as the whole of it, OPINION is what leads up to them. A
wait up to an act is a decision unless the act is a CHOICE.
"""

import re
from collections.abc import Iterator

from folkmoot.answers import retraction
from folkmoot.answers.words import cues

_PAUSES = " ,;:،、，：…\u2013\u2014-"
_PAUSE = re.compile("[,;:،、，：\u2013\u2014]")
MOST_LEAD = 6
"""The most words of a clause that only leads up to what is ruled."""


def puts_off(sentence: str) -> bool:
    """Whether a folded sentence puts the ruling off, wherever it stands."""
    clauses = list(_clauses(sentence))
    return (
        _begins(clauses, "NOT_NOW")
        or _begins(clauses, "UNSAID")
        or any(retraction.says("PUTS_OFF", clause) for clause in clauses)
    )


def is_postponed(sentence: str) -> bool:
    """Whether a folded sentence in the place of a decision puts it off."""
    clauses = list(_clauses(sentence))
    return puts_off(sentence) or _begins(clauses, "WAITS") or retraction.says("TO_COME", sentence, begins=True)


def is_postponed_wait(act: str) -> bool:
    """Whether what is done after a wait is only the debate's own work.

    "Wait for the soil report before digging." is a decision, "Wait for the report before naming a winner." is none.
    """
    return retraction.says("CHOICE", act) or puts_off(act) or retraction.is_made_of(("UNDECIDED", "PROCESS"), act)


def _begins(clauses: list[str], table: str) -> bool:
    return any(retraction.says(table, clause, begins=True) for clause in clauses)


def _clauses(sentence: str) -> Iterator[str]:
    """A sentence, and what of it stands behind an opinion's beginning and behind a short first clause."""
    yield sentence
    yield from _behind_opinion(sentence)
    pause = _PAUSE.search(sentence)
    if pause and retraction.size(sentence[: pause.start()]) <= MOST_LEAD:
        rest = sentence[pause.end() :].lstrip(_PAUSES)
        yield rest
        yield from _behind_opinion(rest)


def _behind_opinion(clause: str) -> Iterator[str]:
    if opinion := cues.first_cue("OPINION", clause):
        yield clause[len(opinion) :].lstrip(_PAUSES)
