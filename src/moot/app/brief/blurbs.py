"""What protocols are for, in a line each. This file owns which line of a protocol tells that: its first one."""

from moot.app.brief.offers import PROTOCOLS
from moot.protocols.known import DEFAULT, KNOWN

__all__ = ["DEFAULT", "blurbs"]


def blurbs() -> dict[str, str]:
    """What each protocol that a brief may name does, by its name."""
    return {name: (KNOWN[name].__doc__ or "").partition("\n")[0] for name in PROTOCOLS}
