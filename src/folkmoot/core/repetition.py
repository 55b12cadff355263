"""Texts that say the same again and again, as those of small models do that don't come to an end."""

import re

REPEATED = "repeated"
"""Why an answer ended that wasn't read to its end, since it said the same again and again."""

LOOKED_AT = 4000
"""How many of a text's last characters are looked at."""

_SAMPLE = 32
_NUMBER = re.compile(r"^(\s{0,9})\d{1,4}(?=[.)]\s)", re.M)


def repeats_itself(text: str, *, least: int = 1000, times: int = 4) -> bool:
    """Whether a text ends with the same words again and again, so that more of it would say nothing new.

    Without letters it isn't that: a ruled line or a row of zeros has a use. Rows that differ in their number alone
    ("7. It's closed.") are the same.

    Args:
        text: the text; its last ``LOOKED_AT`` characters count.
        least: the least number of characters that have to be a repetition.
        times: how often the same has to stand there, one after the other.

    Examples:
        >>> repeats_itself("We agree with that. " * 60), repeats_itself("We agree with that. " * 3)
        (True, False)
    """
    end = _NUMBER.sub(r"\1", text[-LOOKED_AT:])[::-1]
    if end.find(end[:_SAMPLE], 1) < 0:  # at once for nearly all texts
        return False
    # The prefix function of the text read backwards tells the shortest period, in one pass.
    shared = [0] * len(end)
    for place in range(1, len(end)):
        length = shared[place - 1]
        while length and end[place] != end[length]:
            length = shared[length - 1]
        shared[place] = length + (end[place] == end[length])
        period = place + 1 - shared[place]
        if place + 1 >= max(least, times * period) and any(map(str.isalpha, end[:period])):
            return True
    return False
