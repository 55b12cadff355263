"""What is said while a question stands open. This file owns what a person has not read in the question itself."""

from moot.app.run.workspace import Desk
from moot.core.event import Asked, Interjected
from moot.record.mailbox import Letters


class Meanwhile:
    """What people say from outside, as it comes.

    Args:
        letters: the letters to the debate.
        heard: the number of the newest letter that is known already.
    """

    def __init__(self, letters: Letters, heard: int) -> None:
        self._letters, self._heard = letters, heard

    @classmethod
    async def of(cls, desk: Desk, debate: str, key: str = "") -> "Meanwhile":
        """What is said since that ask was put; without a key, what is not on record yet.

        Raises:
            RecordError: there is no such debate, or its record is damaged.
        """
        heard = 0
        for entry in await desk.entries(debate):
            match entry.event:
                case Interjected(letter=letter):
                    heard = max(heard, letter)
                case Asked(ask=ask) if ask.key == key:
                    break
                case _:
                    pass
        return cls(Letters(desk.store, debate, clock=desk.clock), heard)

    async def more(self) -> tuple[Interjected, ...]:
        """What has come since the last look.

        Raises:
            RecordError: the letters are damaged or cannot be read.
        """
        new = await self._letters.read(self._heard)
        self._heard += len(new)
        return tuple(each.event for each in new if isinstance(each.event, Interjected))
