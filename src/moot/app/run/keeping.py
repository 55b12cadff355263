"""What a hall keeps of a debate while it is held. This file owns the words for who holds it."""

import asyncio
from dataclasses import dataclass, field

from moot.app.run.holding import ByLetter
from moot.core.errors import MootError
from moot.engine.driver import Stop

HERE = "here"
"""Who holds a debate: this process."""

QUEUED = "queue"
"""Who holds a debate: nobody yet, it stands in a queue."""

ELSEWHERE = "elsewhere"
"""Who holds a debate: another process, as far as can be told from a record that grows."""


class Full(MootError):
    """The hall holds as many debates as it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """What is known of a debate beside its record.

    Attributes:
        by: who holds it now: ``HERE``, ``QUEUED``, ``ELSEWHERE``, or the name of a worker; "" for nobody.
        casting: the debate in which its participants are being made; "" where none is.
        error: why it ended otherwise than by its record, when it was last held; None where it did not.
    """

    by: str = ""
    casting: str = ""
    error: MootError | None = None

    @property
    def sure(self) -> bool:
        """Whether it is held, and not only by the looks of its record."""
        return self.by not in ("", ELSEWHERE)


@dataclass(slots=True, eq=False)
class Held:
    """A debate that the hall holds.

    Attributes:
        owner: who had it held; "" for whoever is at the machine.
        casting: the debate in which its participants are being made; "" where none is.
        pays: the same, from then on until it is held no longer; "" where they had been made before.
        stop: the request to pause it.
        begun: set when its first entry, or that of its casting, is durable, or nothing will come of it.
        over: set when it is held no longer.
    """

    owner: str = ""
    casting: str = ""
    pays: str = ""
    stop: Stop = field(default_factory=Stop)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    letterbox: ByLetter = field(default_factory=ByLetter)
    task: "asyncio.Task[None] | None" = None
