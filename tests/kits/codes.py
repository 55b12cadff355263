"""What was not read of an answer, as short texts: ``ANSWER: ambiguous``."""

from collections.abc import Sequence
from typing import Protocol

from folkmoot.core.unread import Unread


class Read(Protocol):
    """A reading, or a reply."""

    @property
    def unread(self) -> tuple[Unread, ...]:
        """What could not be read."""
        ...


def codes(of: Read) -> tuple[str, ...]:
    """Each field with the reason in one word."""
    return tuple(f"{unread.field}: {unread.reason}" for unread in of.unread)


def coded(texts: Sequence[str]) -> tuple[Unread, ...]:
    """The same back."""
    parted = [text.rpartition(": ") for text in texts]
    return tuple(Unread(field, reason) for field, _, reason in parted)
