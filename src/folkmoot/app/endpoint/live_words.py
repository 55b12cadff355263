"""The words of an acting model while it writes them: what of them can be sent at once, and what is left at the end.

They are the answer, so they may be streamed. Words of participants never are. What a try has said before it failed
cannot be taken back: then nothing more is sent until the end, and the whole answer follows on lines of its own.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from folkmoot.app.endpoint.chat_answer import CHARACTERS
from folkmoot.app.endpoint.chat_request import ChatRequest
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.event import Asked, Attempted, Delta
from folkmoot.core.roles import ACTS, DELIVER
from folkmoot.record.store import count

WORD = 60
"""So many characters before the greatest length nothing more is sent at once, for the end is cut at a word."""


@dataclass(slots=True)
class LiveWords:
    """What of an answer has been sent.

    Args:
        request: the request; where texts end the answer, nothing is sent before it is whole.
    """

    request: ChatRequest
    _heard: str = ""
    _sent: str = ""

    def take(self, piece: str) -> str:
        """What to send now that a piece has come; blanks at the end wait for what follows."""
        self._heard += piece
        most = self.request.most_tokens
        end = None if most is None else max(0, most * CHARACTERS - WORD)
        ready = "" if self.request.stop else self._heard.lstrip()[:end].rstrip()
        new, self._sent = ready[len(self._sent) :], max(ready, self._sent, key=len)
        return new

    def rest(self, answer: str) -> str:
        """What is left to send of the whole answer."""
        if answer.startswith(self._sent):
            return answer[len(self._sent) :]
        return f"\n\n{answer}"


async def final_pieces(workspace: Workspace, debate: str) -> AsyncGenerator[str]:
    """The pieces of the final answer of a debate, up to the end of the first try that says any.

    A try that had begun before anybody listened is heard from its first piece on; where that was missed, not at all.
    """
    key, fits, speaks, sent_words, begun = "", False, False, "", -1
    async with aclosing(workspace.follow(debate)) as items:
        async for item in items:
            if isinstance(item, Delta):
                if item.key == key and fits and item.text and (speaks or item.first):
                    speaks = True
                    words = item.text.removeprefix(sent_words) if item.whole else item.text
                    sent_words += words
                    yield words
                continue
            begun = await count(workspace.store, debate) if begun < 0 else begun
            match item.event:
                case Asked(ask=ask) if ask.act == DELIVER and (ask.talk or ask.form is None):
                    key = ask.key
                case Attempted(key=tried, call=call) if tried == key:
                    fits = not sent_words and call in (ACTS, "answer")
                    speaks = item.seq > begun
                case _:
                    pass
