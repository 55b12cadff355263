"""What a turn brings that was not there before. This file owns when a claim is new and when an answer has changed.

It compares wording only, after normalising. Likeness of texts is no sign: opponents who share more and more words
still hold opposite positions. What cannot be read counts as new, for a debate that goes on too long costs little.
"""

from collections.abc import Sequence

from moot.core.matching import normalise, wording
from moot.core.transcript import Turn, read_field

CLAIM = "CLAIM"
"""The field in which a turn states its main claim."""

NONE = "none"
"""What a turn claims that adds nothing, as it is compared."""


def claim(turn: Turn) -> str | None:
    """What a turn claims, as it is compared: its field CLAIM, or the whole words where its form asks for no claim.

    Returns:
        "" where the turn says NONE; None where there is no answer or its claim could not be read.
    """
    if turn.reply is None:
        return None
    value = read_field(turn, CLAIM)
    if value is not None:
        made = normalise(value)
        return "" if made == NONE else made
    return None if asks(turn, CLAIM) else normalise(turn.text)


def asks(turn: Turn, name: str) -> bool:
    """Whether the form of a turn asks for a field of that name."""
    fields = turn.ask.form.fields if turn.ask and turn.ask.form else ()
    return any(field.name.casefold() == name.casefold() for field in fields)


def adds_nothing(turn: Turn, before: Sequence[Turn]) -> bool:
    """Whether a turn claims nothing that anybody claimed not before, and gives its author's answer of before.

    Args:
        turn: the turn.
        before: the turns of earlier rounds, oldest first.
    """
    made = claim(turn)
    known = made == "" or (made is not None and made in [claim(each) for each in before])
    return known and not _changes(turn, before)


def _changes(turn: Turn, before: Sequence[Turn]) -> bool:
    """Whether a turn gives another answer than its author's newest one; one without an answer changes none."""
    answer = wording(turn)
    held = [wording(each) for each in before if each.by == turn.by]
    given = [each for each in held if each is not None]
    return answer is not None and given[-1:] != [answer]
