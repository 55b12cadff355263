"""Custom agents of other programs as models: what all kinds share, and plain functions.

Such an agent may use its own tools and several models, or none. What that uses is not known in advance, so a quote is a
guess and the price is unknown.
"""

import contextvars
import inspect
from abc import abstractmethod
from asyncio import wrap_future
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from threading import Thread
from typing import TypeAlias, cast

from folkmoot.core.agent import Recorder
from folkmoot.core.ask import Usage
from folkmoot.core.brief import Settings
from folkmoot.core.errors import Unreadable
from folkmoot.core.event import Called
from folkmoot.core.json_values import read_object
from folkmoot.core.text import named
from folkmoot.models.adapter import Adapter
from folkmoot.models.base import Message, Request, Traits
from folkmoot.models.http_port import Unreached
from folkmoot.models.names import ModelName, Provider, unsent_settings
from folkmoot.models.prices import count_tokens
from folkmoot.models.provider_errors import answer_error, connection_error, malformed_error, translated_errors
from folkmoot.models.stream import AnswerStream, End, final_answer, repair_surrogates
from folkmoot.models.transport import ProviderConnection

Agent: TypeAlias = Callable[[str], object]
"""An agent that is a function: a prompt in; words out, or what can be awaited for them."""

UNKNOWN = Usage(cost=None)
"""What a call used of which nobody says anything."""

_GUEST = Provider(name="guest")


class CustomAgent(Adapter):
    """A model that is an agent of somebody else's program.

    Args:
        name: what stands behind ``guest:``.
        traits: what the agent takes.
        drops: the settings that it does not take.
    """

    def __init__(self, name: str, traits: Traits, drops: tuple[str, ...]) -> None:
        super().__init__(ModelName(provider=_GUEST, model=name), traits, drops)

    @abstractmethod
    async def _ask(self, request: Request, recorder: Recorder) -> tuple[str, End]:
        """The agent's words and what it says about them; pieces of them go to ``say`` as they come."""
        ...

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer one request; see ``models.base.Model``. Whatever the agent raises becomes a ModelError."""
        with translated_errors(self.name):
            words, end = await self._ask(request, recorder)
        text = repair_surrogates(words)
        if not text.strip():
            raise Unreadable(f"{self.name} gave no words", kind="empty", again=True)
        return Called(
            key="",
            call=request.call,
            text=text,
            model=self.name,
            served=named(end.served),
            usage=_usage_or_estimate(end.usage.cleaned(), request, text),
            finish=named(end.finish),
        )

    def _whole_answer(self, words: object, recorder: Recorder) -> str:
        """The words of an agent that says all of them at once, without its thinking.

        Raises:
            Unreadable: they are none.
        """
        text = text_of(words)
        if text is None:
            raise Unreadable(
                f"{self.name} gave an object of type {type(words).__name__}; an agent must return a str",
                kind="garbled",
            )
        speech = AnswerStream(self._name, recorder)
        speech.hear(text)
        return speech.text


DEPTH = 6
"""How deep the text may stand within what an agent gives."""

HOLDERS = ("content", "text", "message", "output")
"""The keys and attributes under which messages and results of agents hold their text, in the order of looking."""


def text_of(value: object, depth: int = DEPTH) -> str | None:
    """The text of what an agent gives: a text, a message, a list of contents, or an object with one of these in it.

    Contents that are not text, such as thoughts and uses of tools, are left out. None where there is no text at all.
    """
    if isinstance(value, str):
        return value
    if depth == 0 or value is None or isinstance(value, bytes | type):
        return None
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, object]", value)
        return next((text for name in HOLDERS if (text := text_of(mapping.get(name), depth - 1)) is not None), None)
    if isinstance(value, list | tuple):
        parts = [text_of(part, depth - 1) for part in cast("Sequence[object]", value)]
        texts = [text for text in parts if text is not None]
        return "\n".join(texts) if texts else None
    values = (getattr(value, name, None) for name in HOLDERS)
    return next((text for value in values if (text := text_of(value, depth - 1)) is not None), None)


class FunctionAgent(CustomAgent):
    """An agent that is a function of one text, async or plain; it gives a text, or what holds one (see ``text_of``).

    A plain one runs in a thread of its own, so that it keeps nobody waiting; see ``apart``.

    Args:
        name: what stands behind ``guest:``.
        agent: the function. It is given all messages as one text.
    """

    def __init__(self, name: str, agent: Agent) -> None:
        super().__init__(name, Traits(alternate=False, tools=False, pictures=False), tuple(Settings.__slots__))
        self._agent = agent
        self._plain = not any(map(inspect.iscoroutinefunction, (agent, getattr(agent, "__call__", None))))  # noqa: B004

    async def _ask(self, request: Request, recorder: Recorder) -> tuple[str, End]:
        prompt = write(request.messages)
        answer = await apart(self._agent, prompt) if self._plain else self._agent(prompt)
        if inspect.isawaitable(answer):
            answer = await answer
        return self._whole_answer(answer, recorder), End(usage=UNKNOWN)


def write(messages: Sequence[Message]) -> str:
    """Messages as one text, in their order; what the agent has said itself is marked as its own."""
    return "\n\n".join(
        _own_message(message.text) if message.role == "assistant" else message.text for message in messages
    )


def _own_message(text: str) -> str:
    return "\n".join(["You have said:", *(f"  {line}" for line in text.splitlines())])


async def apart(function: Agent, text: str) -> object:
    """What a plain function gives, called in a thread of its own.

    Nobody can end a thread from outside. One for which nobody waits any more runs on by itself, at most until the
    program ends: it does not keep it from ending.
    """
    future: Future[object] = Future()
    future.set_running_or_notify_cancel()

    def call() -> None:
        try:
            future.set_result(function(text))
        except StopIteration as error:  # Passed on as it is, it would be waited for in vain.
            stopped = RuntimeError("StopIteration")
            stopped.__cause__ = error
            future.set_exception(stopped)
        except BaseException as error:  # noqa: BLE001  # it is raised again where it is awaited
            future.set_exception(error)

    Thread(target=contextvars.copy_context().run, args=(call,), daemon=True).start()
    return await wrap_future(future)


def _usage_or_estimate(usage: Usage, request: Request, text: str) -> Usage:
    """The usage, estimated where nobody says what it was."""
    input_tokens, output_tokens = usage.input_tokens, usage.output_tokens
    return Usage(
        input_tokens=input_tokens or count_tokens(request.messages),
        output_tokens=output_tokens or count_tokens([Message(role="assistant", text=text)]),
        cached_tokens=usage.cached_tokens,
        cost=usage.cost,
        estimated=usage.estimated or not input_tokens or not output_tokens,
    )


class ProviderModel(Adapter):
    """A model of a provider with a wire of its own: an adapter has to write nothing but ``answer``.

    Args:
        name: which model.
        link: the way to the provider: its address, its key, its connections.

    Attributes:
        takes: the names of Settings that ``answer`` sends. Of all others the user is told that they are not sent.
    """

    takes: tuple[str, ...] = ("max_tokens",)

    def __init__(self, name: ModelName, link: ProviderConnection) -> None:
        unsent = unsent_settings(name)
        drops = tuple(setting for setting in Settings.__slots__ if setting not in self.takes or setting in unsent)
        super().__init__(name, Traits(tools=False, alternate=name.provider.alternate, pictures=False), drops)
        self.model, self.link = name, link

    @abstractmethod
    async def answer(self, request: Request, speech: AnswerStream) -> End:
        """Answer one request.

        Args:
            request: what is asked; ``ext.as_text`` makes one text of its messages, ``ext.answer_cap`` says how many
                tokens the answer may have.
            speech: hears the pieces of the answer as they come: ``speech.hear(piece)``.

        Returns:
            What the provider says when the answer has ended: its counts of tokens and why it ended (``stop``).

        Raises:
            ModelError: there is no answer; anything else that is raised becomes one.
        """
        ...

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer one request; see ``models.base.Model``."""
        speech = AnswerStream(self.model, recorder)
        end = await self.answer(request, speech)
        return final_answer(self.model, request, speech, end)

    async def close(self) -> None:
        """Give the connections back."""
        await self.link.close()

    async def post(self, path: str, body: Mapping[str, object]) -> Mapping[str, object]:
        """Send JSON to a path under the provider's address; the JSON object that comes back.

        Raises:
            ModelError: the provider cannot be reached, refuses, or sends something else.
        """
        try:
            answer = await self.link.post(path, body)
        except Unreached as error:
            raise connection_error(self.model, self.link.url, error, self.link.key) from error
        if answer.status != 200:
            key, url = self.link.key, self.link.url
            raise answer_error(self.model, answer.status, answer.body, headers=answer.headers, key=key, url=url)
        if not (value := read_object(answer.body)):
            raise malformed_error(self.model, answer.body.decode("utf-8", "replace"), self.link.key)
        return value
