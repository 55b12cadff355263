"""LangChain chat models as guests, with the real package: what they are sent, heard, and how they fail."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from langchain_core import exceptions as failures
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, FakeListChatModel, FakeMessagesListChatModel
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableLambda
from pydantic import PrivateAttr

from folkmoot.agents.llm import ModelAgent
from folkmoot.app.program.program_agents import adapter, register
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask
from folkmoot.core.brief import Brief, Participant, Settings
from folkmoot.core.errors import BriefError, ModelError
from folkmoot.models.base import Message, Request
from folkmoot.models.pool import Pool
from tests.answers.answer_forms import draft
from tests.models.models_kit import HASTY, KEY, Notebook, ask


class Chat(BaseChatModel):
    """A chat model that gives chunks as they stand, and notes what it is sent and with which settings."""

    chunks: list[Any]  # AIMessageChunk, Exception, or the seconds of a pause
    temperature: float | None = 0.9
    num_predict: int | None = None
    stop: list[str] | None = None
    _sent: list[tuple[list[BaseMessage], dict[str, object]]] = PrivateAttr(
        default_factory=list[tuple[list[BaseMessage], dict[str, object]]]
    )

    @property
    def sent(self) -> list[tuple[list[BaseMessage], dict[str, object]]]:
        return self._sent

    @property
    def _llm_type(self) -> str:
        return "chat"

    def _generate(self, *args: Any, **more: Any) -> ChatResult:
        raise AssertionError("it is asked for a stream")

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        values: dict[str, object] = {
            "temperature": self.temperature,
            "num_predict": self.num_predict,
            "stop": stop,
            **kwargs,
        }
        self._sent.append((messages, values))
        for chunk in self.chunks:
            if isinstance(chunk, Exception):
                raise chunk
            if isinstance(chunk, float):
                await asyncio.sleep(chunk)
                continue
            yield ChatGenerationChunk(message=chunk)


def chunks(*texts: str) -> list[object]:
    return [AIMessageChunk(content=text) for text in texts]


async def test_the_words_come_as_they_are_made() -> None:
    pool, book = Pool(env={}, retry=HASTY), Notebook()
    assert register(pool, "ann", GenericFakeChatModel(messages=iter(["Yes, by all means."]))) == "guest:ann"
    called = await pool.model("guest:ann").complete(ask(), book)
    assert called.text == "".join(book.deltas) == "Yes, by all means."
    assert len(book.deltas) > 3
    assert (called.model, called.served, called.finish) == ("guest:ann", "", "")
    assert (called.usage.cost, called.usage.estimated) == (None, True)
    assert called.usage.input_tokens > called.usage.output_tokens > 0
    await pool.close()


async def test_messages_keep_their_sides() -> None:
    chat = Chat(chunks=chunks("yes"))
    items = (
        Message(role="system", text="Be brief."),
        Message(role="user", text="Why?"),
        Message(role="assistant", text="So."),
        Message(role="user", text="How so?"),
    )
    await adapter("ann", chat).complete(Request(messages=items), Notebook())
    [(messages, values)] = chat.sent
    rows = [(message.type, message.text) for message in messages]
    assert rows == [("system", "Be brief."), ("human", "Why?"), ("ai", "So."), ("human", "How so?")]
    assert values == {"temperature": 0.9, "num_predict": None, "stop": None}


async def test_settings_go_where_the_model_has_a_field() -> None:
    chat = Chat(chunks=chunks("yes"))
    model = adapter("ann", chat)
    await model.complete(ask(settings=Settings(temperature=0.0, max_tokens=99, stop=("END",), top_k=5)), Notebook())
    assert chat.sent[0][1] == {"temperature": 0.0, "num_predict": 99, "stop": ["END"]}
    assert (chat.temperature, chat.num_predict) == (0.9, None)
    assert "top_k" in model.drops
    assert not {"temperature", "max_tokens", "stop"}.intersection(model.drops)
    assert not model.traits.tools


async def test_usage_finish_and_the_model_that_answered_are_taken_over() -> None:
    first: AIMessageChunk = AIMessageChunk(
        content=[{"type": "thinking", "thinking": "Hm."}],
        response_metadata={"model_name": "big-7"},
        usage_metadata={
            "input_tokens": 50,
            "output_tokens": 0,
            "total_tokens": 50,
            "input_token_details": {"cache_read": 20},
        },
    )
    last = AIMessageChunk(
        content="",
        response_metadata={"stop_reason": "max_tokens", "model_name": "big-7"},
        usage_metadata={"input_tokens": 0, "output_tokens": 7, "total_tokens": 7},
    )
    book = Notebook()
    chat = Chat(chunks=[first, *chunks("<think>well</think>Y", "es."), last])
    called = await adapter("ann", chat).complete(ask(), book)
    assert (called.text, called.served, called.finish) == ("Yes.", "big-7", "length")
    assert "".join(book.deltas) == "Yes."
    used = called.usage
    assert (used.input_tokens, used.output_tokens, used.cached_tokens) == (50, 7, 20)
    assert (used.cost, used.estimated) == (None, False)


async def test_a_model_that_cannot_stream_answers_at_once() -> None:
    answer = AIMessage(content="Yes.", response_metadata={"model": "small-1", "done_reason": "stop"})
    called = await adapter("ann", FakeMessagesListChatModel(responses=[answer])).complete(ask(), Notebook())
    assert (called.text, called.served, called.finish) == ("Yes.", "small-1", "stop")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (failures.ModelAuthenticationError(f"bad key {KEY}"), "key"),
        (failures.ModelPermissionDeniedError(), "key"),
        (failures.ModelInvalidRequestError(), "request"),
        (failures.ModelNotFoundError(), "not_found"),
        (failures.ModelRateLimitError(), "rate"),
        (failures.ModelAPIError(), "server"),
        (failures.ModelConnectionError(), "connection"),
        (failures.ModelTimeoutError(), "timeout"),
        (failures.ContextOverflowError(), "too_long"),
        (failures.OutputParserException("odd"), "garbled"),
        (ValueError(f"token={KEY}\nTraceback"), "broken"),
    ],
    ids=lambda exception: type(exception).__name__ if isinstance(exception, Exception) else "",
)
async def test_errors_are_named(error: Exception, kind: str) -> None:
    for before in ([], chunks("Y")):
        with pytest.raises(ModelError) as caught:
            await adapter("ann", Chat(chunks=[*before, error])).complete(ask(), Notebook())
        assert caught.value.kind == kind
        assert KEY not in str(caught.value)
        assert "\n" not in str(caught.value)


async def test_errors_of_the_fake_models_and_empty_answers() -> None:
    broken = FakeListChatModel(responses=["yes"], error_on_chunk_number=1)
    with pytest.raises(ModelError, match="guest:ann raised FakeListChatModelError"):
        await adapter("ann", broken).complete(ask(), Notebook())
    with pytest.raises(ModelError, match="guest:ann gave no words"):
        await adapter("ann", Chat(chunks=chunks("", " "))).complete(ask(), Notebook())


@pytest.mark.parametrize(
    ("pieces", "seconds", "sentence"), [([3600.0], 0.1, "did not finish"), ([*chunks("a"), 3600.0], 120, "fell silent")]
)
async def test_a_cancellation_passes_at_once_and_time_is_limited(
    pieces: list[object], seconds: float, sentence: str
) -> None:
    pool = Pool(env={}, retry=HASTY)
    register(pool, "ann", Chat(chunks=pieces))
    with pytest.raises(ModelError, match=f"guest:ann {sentence}: stopped after") as caught:
        await pool.model("guest:ann").complete(ask(seconds=seconds), Notebook())
    assert caught.value.kind == "timeout"


async def test_a_form_is_read_with_one_repair() -> None:
    pool, book = Pool(env={}, retry=HASTY), Notebook()
    register(pool, "ann", FakeListChatModel(responses=["Tea, I should say.", "ANSWER: tea\nCONFIDENCE: 0.8"]))
    ann = Participant(name="Ann")
    context = Context(brief=Brief(topic="Tea?", participants=(ann,)), me=ann)
    question = Ask(key="/debate/x#1", to="Ann", act="propose", task="Propose.", form=draft())
    reply = await ModelAgent(pool.model("guest:ann")).answer(question, context, book)
    assert (reply.fields["ANSWER"], reply.fields["CONFIDENCE"], reply.unread) == ("tea", 0.8, ())
    assert reply.notes == ("asked again for the form",)
    assert [name for name, _ in book.calls] == ["answer", "repair"]


def chains() -> Sequence[object]:
    return [FakeListChatModel(responses=["yes"]).bind(stop=["END"]), RunnableLambda(str)]


@pytest.mark.parametrize("agent", chains(), ids=lambda agent: type(agent).__name__)
def test_a_chain_is_no_chat_model(agent: object) -> None:
    with pytest.raises(BriefError, match=f"^ann is an object of type {type(agent).__name__}; an agent is a function"):
        register(Pool(env={}), "ann", agent)
