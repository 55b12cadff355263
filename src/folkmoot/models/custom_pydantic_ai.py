"""PydanticAI agents as custom agents: what such an agent is sent, and what is taken from its run.

The agent keeps its own instructions, tools, model and settings; a participant's settings are added on top. The library
is loaded already, because the agent is an object of it.
"""

from collections.abc import AsyncIterable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, cast

from folkmoot.core.agent import Recorder
from folkmoot.core.ask import Usage
from folkmoot.core.brief import Settings
from folkmoot.models.base import Request, Traits
from folkmoot.models.custom import CustomAgent
from folkmoot.models.finish import finish_of
from folkmoot.models.names import ModelName
from folkmoot.models.stream import AnswerStream, End
from folkmoot.models.wires.library import user_content, write_messages

if TYPE_CHECKING:
    from pydantic_ai.agent import AbstractAgent, AgentRunResult
    from pydantic_ai.messages import AgentStreamEvent
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.tools import RunContext

    Agent: TypeAlias = AbstractAgent[None, str]
    Result: TypeAlias = AgentRunResult[str]

TAKEN = ("temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "seed", "max_tokens")
"""Settings that the library calls as we do."""

DROPS = ("min_p", "repeat_penalty", "num_ctx", "keep_alive")
"""Settings that the library has no name for."""


class PydanticAgent(CustomAgent):
    """A PydanticAI agent.

    Args:
        name: what stands behind ``guest:``.
        agent: the agent; it gives texts and needs no dependencies.
    """

    def __init__(self, name: str, agent: "Agent") -> None:
        # A system message would be taken for the agent's own, which would then be left out.
        super().__init__(name, Traits(system=False, tools=False), DROPS)
        self._agent, self._streams = agent, True

    async def _ask(self, request: Request, recorder: Recorder) -> tuple[str, End]:
        events = _Heard(self._name, recorder)
        result = await self._run(request, events)
        # What the agent has made of its model's words counts, not what was heard of them.
        words = events.text if result.output == events.raw else self._whole_answer(result.output, recorder)
        return words, _end(result)

    async def _run(self, request: Request, events: "_Heard") -> "Result":
        from pydantic_ai.exceptions import UserError

        if self._streams:
            try:
                return await self._send(request, events)
            except (AssertionError, UserError):
                # How the library says that a model cannot stream, before anything is sent.
                if events.began:
                    raise
                self._streams = False
        return await self._send(request, None)

    async def _send(self, request: Request, events: "_Heard | None") -> "Result":
        from pydantic_ai.capabilities import ReinjectSystemPrompt

        *before, last = (
            replace(message, role="user") if message.role == "system" else message for message in request.messages
        )
        return await self._agent.run(
            user_content(self._name, last),
            message_history=write_messages(before, self._name),
            model_settings=_settings(request.settings),
            event_stream_handler=events,
            # Where there is a history the library leaves the agent's own system prompt out.
            capabilities=[ReinjectSystemPrompt()],
            infer_name=False,
        )


class _Heard:
    """What is heard of a run: the words of the newest answer of its model, shown as they come."""

    def __init__(self, name: ModelName, recorder: Recorder) -> None:
        self._name, self._say = name, recorder
        self.began, self.raw, self._speech = False, "", AnswerStream(name, recorder)

    @property
    def text(self) -> str:
        """The words without the thinking."""
        return self._speech.text

    async def __call__(self, context: "RunContext[None]", events: "AsyncIterable[AgentStreamEvent]") -> None:
        """Listen to an answer of the model, or to tools at work."""
        from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

        async for event in events:
            self.began = True
            if isinstance(event, PartStartEvent) and event.index == 0:  # another answer of the model begins
                self.raw, self._speech = "", AnswerStream(self._name, self._say)
            match event:
                case (
                    PartStartEvent(part=TextPart(content=words))
                    | PartDeltaEvent(delta=TextPartDelta(content_delta=words))
                ):
                    self.raw += words
                    self._speech.hear(words)
                case _:
                    self._speech.think()


def _settings(settings: Settings) -> "ModelSettings":
    """What the participant's settings say, in the library's names."""
    named: dict[str, object] = {item: getattr(settings, item) for item in TAKEN}
    named["stop_sequences"] = list(settings.stop) or None
    return cast("ModelSettings", {name: value for name, value in named.items() if value is not None})


def _end(result: "Result") -> End:
    """What the run used, all its calls together, and which model spoke last."""
    from pydantic_ai.messages import ModelResponse

    used, answers = (
        result.usage,
        [model_message for model_message in result.new_messages() if isinstance(model_message, ModelResponse)],
    )
    unknown = any(
        model_response.usage.cost is None for model_response in answers
    )  # What is known of the others is not the whole.
    usage = Usage(
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cached_tokens=used.cache_read_tokens,
        cost=None if unknown or used.cost is None else float(used.cost),
        estimated=used.unmeasured_requests > 0,
    )
    return End(usage=usage, served=answers[-1].model_name or "", finish=finish_of(answers[-1].finish_reason))
