"""The Model port: one request to one language model, and its response.

No types of providers or frameworks pass through here, so that records never depend on a library.

All that a model is sent passes through a ``Message`` or a ``Request``, and most of it was written by somebody else. So
control tokens are broken here, and nowhere else; see ``core.control_tokens``.
"""

from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeAlias

from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.ask import ToolCall, ToolSpec
from folkmoot.core.brief import Attachment, Settings
from folkmoot.core.control_tokens import break_data, break_json, break_tokens
from folkmoot.core.event import Called

Speaker: TypeAlias = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedFile:
    """A picture or a PDF that goes along with a message.

    Attributes:
        name: the name of the document.
        file: the picture or PDF.
        words: the text of a PDF in its frame, for models that take no PDF; "" where it has none.
    """

    name: str
    file: Attachment
    words: str = ""

    def __post_init__(self) -> None:
        """Break control tokens."""
        object.__setattr__(self, "name", break_tokens(self.name))
        object.__setattr__(self, "words", break_tokens(self.words))


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation.

    Attributes:
        role: who says it; ``tool`` for the result of a tool.
        text: the words.
        calls: the tools that an assistant's message asks for.
        answers: the id of the call whose result a tool's message is.
        files: pictures and PDFs, which the model is sent before the words; only a user's message has some.
    """

    role: Speaker
    text: str
    calls: tuple[ToolCall, ...] = ()
    answers: str = ""
    files: tuple[AttachedFile, ...] = ()

    def __post_init__(self) -> None:
        """Break control tokens; ids too, so that a result still has that of its call."""
        object.__setattr__(self, "text", break_tokens(self.text))
        object.__setattr__(self, "answers", break_tokens(self.answers))
        object.__setattr__(self, "calls", tuple(map(_broken_call, self.calls)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request.

    Attributes:
        messages: what the model is sent, already fit for its traits.
        settings: how it is asked.
        call: which of the ask's calls it is: ``answer``, ``repair``.
        seconds: the most time that one try may take.
        tools: the tools that the model may ask for instead of answering.
        schema: the JSON Schema that the provider is asked to hold the answer to, as text; "" for none.
        thinking: whether the model may think first; where it may not, a wire that has a word for that says so.
    """

    messages: tuple[Message, ...]
    settings: Settings = Settings()
    call: str = "answer"
    seconds: float = 120.0
    tools: tuple[ToolSpec, ...] = ()
    schema: str = ""
    thinking: bool = True

    def __post_init__(self) -> None:
        """Break control tokens in what is described to the model: a server of tools may be anybody's."""
        object.__setattr__(self, "tools", tuple(map(_broken_tool, self.tools)))
        object.__setattr__(self, "schema", break_json(self.schema) if self.schema else "")


def _broken_call(call: ToolCall) -> ToolCall:
    arguments = break_json(call.arguments)
    return replace(call, id=break_tokens(call.id), name=break_tokens(call.name), arguments=arguments)


def _broken_tool(tool: ToolSpec) -> ToolSpec:
    return replace(tool, help=break_tokens(tool.help), parameters=break_data(tool.parameters))


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What a model's wire takes, known before anything is loaded or sent.

    Attributes:
        system: whether it takes system messages.
        alternate: whether user and assistant messages must alternate, beginning with the user's.
        context: tokens it can hold; 0 where unknown.
        tools: whether it can be offered tools.
        prefill: whether it goes on with a last message of its own where that breaks off.
        pictures: whether it can be sent pictures; what a provider's model sees is told by its name.
    """

    system: bool = True
    alternate: bool = True
    context: int = 0
    tools: bool = True
    prefill: bool = False
    pictures: bool = True


class Model(Protocol):
    """A language model, or a wrapper around one."""

    @property
    def name(self) -> str:
        """``provider:name``."""
        ...

    @property
    def traits(self) -> Traits:
        """What its wire takes."""
        ...

    @property
    def drops(self) -> tuple[str, ...]:
        """The names of Settings that it ignores or refuses; it may load the provider's library to find out."""
        ...

    def quote(self, request: Request) -> Quote:
        """The most that the request can use."""
        ...

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer one request, streaming pieces to ``recorder.delta``.

        Raises:
            ModelError: no usable answer; its ``kind`` and ``again`` say what to do about it.
        """
        ...

    async def close(self) -> None:
        """Give connections back."""
        ...
