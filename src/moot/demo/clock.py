"""The built-in timekeeper of a board. This file owns what it says: the first paragraph of its task, word for word.

It asks no model and knows nothing but its task, so it can manage the process and judge nothing.
"""

from moot.core.agent import Say, Scene
from moot.core.ask import Ask, Reply

CLOCK = "builtin:clock"
"""The seat that only keeps the time of a board."""


class Clock:
    """The seat of whoever is played by ``builtin:clock``."""

    async def answer(self, ask: Ask, scene: Scene, say: Say) -> Reply:
        """Say where the time stands; see ``core.agent.Seat``. No model is called."""
        text = ask.task.partition("\n\n")[0]
        say.delta(text)
        return Reply(text=text, asked=CLOCK, served=CLOCK)
