"""When an answer is right. This file owns how answers are compared with the truth, once that is known.

They are compared as votes are: with a closed set of options by the option that is meant, else by their normalised
words. Meaning is compared nowhere.
"""

from collections.abc import Sequence

from moot.core.matching import normalise


def is_right(answer: str, truth: str, options: Sequence[str] = ()) -> bool:
    """Whether an answer is the truth.

    Args:
        answer: what was held.
        truth: what has turned out to be right.
        options: the closed set of answers, if there was one.
    """
    meant = option_of(truth, options)
    return option_of(answer, options) == meant if meant else normalise(answer) == normalise(truth)


def option_of(text: str, options: Sequence[str]) -> str:
    """The option that a text names; "" where it names none, or more than one."""
    for plain in (normalise, _loose):
        fits = [each for each in options if plain(each) == plain(text)]
        if fits:
            return fits[0] if len(fits) == 1 else ""
    return ""


def _loose(text: str) -> str:
    """``NO_HIRE`` is also written "no hire" or "no-hire"."""
    return " ".join(normalise(text).replace("_", " ").replace("-", " ").split())
