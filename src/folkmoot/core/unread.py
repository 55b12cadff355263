"""What could not be read of an answer: which field, why, and the words that stood in the way."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from folkmoot.core.text import clean, flat, shorten

LONGEST_SEEN = 80
"""The most characters that are kept of the words that stood in the way; the answer itself has them all."""

LONGEST_CHOICES = 160
"""The most characters of what is allowed that a reason tells."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A field that could not be read.

    Attributes:
        field: its name; of a form that was not found at all, the name of the form.
        reason: why, in one word such as ``ambiguous``, or as a sentence.
        seen: the words that stood in the way, clipped; "" where there were none.
    """

    field: str
    reason: str
    seen: str = ""

    def cleaned(self) -> "Unread":
        """The same, fit to be stored."""
        return Unread(clean(self.field), clean(self.reason), shorten(flat(clean(self.seen)), LONGEST_SEEN))

    @property
    def why(self) -> str:
        """The reason in plain words, with the words that stood in the way."""
        return reason_in_words(self.reason, (self.seen,))

    def __str__(self) -> str:
        """The field, and why it could not be read."""
        return f"{self.field}: {self.why}"


_WHY: Mapping[str, str] = {
    "no_form": "the answer isn't in the form",
    "missing": "it's not there",
    "empty": "nothing is written there",
    "ambiguous": "there are two different values",
    "words_behind": "there are words behind it",
    "inside_line": "it has to begin a line",
    "quoted_only": "it's only in a quotation, in code, in a thought or in somebody else's words",
    "unknown_name": "no candidate has that name",
    "not_allowed": "that's not one of the allowed values",
    "invalid_number": "that's not a number on the scale",
    "out_of_range": "the number is outside of the scale",
    "wrong_type": "that's not the kind of value that is asked for",
    "duplicate_key": "it's given twice",
    "missing_candidate": "somebody who is to be scored is missing",
    "unknown_candidate": "nobody of that name is to be scored",
    "malformed": "the form is broken",
    "unclosed": "its closing tag or line is missing",
    "inside_content": "it's inside another field; it needs a tag of its own",
    "no_reasons": "it needs its reasons beside it",
    "truncated": "the answer was cut off",
    "speaker_mismatch": "the message is in somebody else's name",
    "too_large": "the answer is too long",
    "too_many": "there are more than can be read; give the worst",
}


def reason_in_words(reason: str, seen: Iterable[str] = (), allowed: Iterable[str] = ()) -> str:
    """A reason in plain words, with the words that stood in the way, and with what could have stood there instead.

    A reason of several words is a sentence already.
    """
    why = _WHY.get(reason, reason if " " in reason else "it couldn't be read")
    words = ", ".join(f'"{each}"' for each in seen if each)
    why = f"{why}: {words}" if words else why
    choices = shorten(", ".join(allowed), LONGEST_CHOICES) if reason in ("not_allowed", "unknown_name") else ""
    return f"{why} (allowed: {choices})" if choices else why
