"""LangChain chat models as custom agents: what such a model is sent, and how its chunks are read.

The package is loaded already, because the model is an object of it.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from folkmoot.core.agent import Recorder
from folkmoot.core.ask import Usage
from folkmoot.core.brief import Settings
from folkmoot.models.base import Message, Request, Traits
from folkmoot.models.custom import CustomAgent
from folkmoot.models.finish import finish_of
from folkmoot.models.stream import AnswerStream, End

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessageChunk, BaseMessage

OTHER_NAMES: Mapping[str, tuple[str, ...]] = {"max_tokens": ("max_tokens", "max_output_tokens", "num_predict")}
"""What the packages of providers call a setting, where that is not one and the same."""

ENDS = ("finish_reason", "stop_reason", "done_reason")
"""Where they say why an answer ended."""


class ChatModel(CustomAgent):
    """A LangChain chat model.

    A participant's settings go where the model has a field of that name. They are put into a copy: what a model takes
    with a call differs from provider to provider, its fields do not.

    Args:
        name: what stands behind ``guest:``.
        model: the chat model.
    """

    def __init__(self, name: str, model: "BaseChatModel") -> None:
        fields = type(model).model_fields
        known_fields = {
            text: [name for name in OTHER_NAMES.get(text, (text,)) if name in fields] for text in Settings.__slots__
        }
        self._fields = {text: names[0] for text, names in known_fields.items() if names and text != "stop"}
        drops = tuple(text for text in Settings.__slots__ if text not in self._fields and text != "stop")
        super().__init__(name, Traits(tools=False), drops)
        self._model = model

    async def _ask(self, request: Request, recorder: Recorder) -> tuple[str, End]:
        speech, reading = AnswerStream(self._name, recorder), _ChunkDetails()
        stop = list(request.settings.stop) or None
        chunks = self._set(request.settings).astream(_messages(request.messages), stop=stop)
        async with aclosing(cast("AsyncGenerator[AIMessageChunk]", chunks)) as stream:
            async for chunk in stream:
                reading.note(chunk)
                if words := str(chunk.text):
                    speech.hear(words)
                else:
                    speech.think()
        return speech.text, reading.end()

    def _set(self, settings: Settings) -> "BaseChatModel":
        """The model with the participant's settings."""
        values = {name: getattr(settings, text) for text, name in self._fields.items()}
        update = {name: value for name, value in values.items() if value is not None}
        return self._model.model_copy(update=update) if update else self._model


class _ChunkDetails:
    """What the chunks of one answer tell beside its words; their tokens add up, the newest of the rest counts."""

    def __init__(self) -> None:
        self._usage = Usage()
        self._served, self._finish = "", ""

    def note(self, chunk: "AIMessageChunk") -> None:
        """Take note of a chunk."""
        if used := chunk.usage_metadata:
            cached = used.get("input_token_details", {}).get("cache_read", 0)
            usage = Usage(input_tokens=used["input_tokens"], output_tokens=used["output_tokens"], cached_tokens=cached)
            self._usage += usage.cleaned()
        data = cast("Mapping[str, object]", chunk.response_metadata)
        self._served = str(data.get("model_name") or data.get("model") or self._served)
        self._finish = finish_of(next((data[name] for name in ENDS if data.get(name)), "")) or self._finish

    def end(self) -> End:
        """All of it."""
        return End(usage=replace(self._usage, cost=None), served=self._served, finish=self._finish)


def _messages(messages: Sequence[Message]) -> "list[BaseMessage]":
    """The messages in the package's own types."""
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    kinds = {"system": SystemMessage, "assistant": AIMessage}
    return [kinds.get(message.role, HumanMessage)(content=_content(message)) for message in messages]


def _content(message: Message) -> "str | list[str | dict[str, object]]":
    """The words, or pictures and words; of a PDF its words."""
    if not message.files:
        return message.text
    from folkmoot.models.attached_files import data_address  # deferred: few debates have pictures

    pictures = [item.file for item in message.files if item.file.is_picture]
    words = "\n\n".join([*(item.words for item in message.files if item.words), message.text])
    parts: list[str | dict[str, object]] = [
        {"type": "image_url", "image_url": {"url": data_address(file)}} for file in pictures
    ]
    return [*parts, {"type": "text", "text": words}]
