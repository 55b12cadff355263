"""PydanticAI agents as guests, with the real library: what they are sent, heard, and what is made of their runs."""

import asyncio
from collections.abc import AsyncIterator
from decimal import Decimal

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ThinkingPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import AgentInfo, DeltaThinkingPart, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from folkmoot.agents.llm import ModelAgent
from folkmoot.app.program.program_agents import adapter, register
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask
from folkmoot.core.brief import Brief, Participant, Settings
from folkmoot.core.errors import BriefError, ModelError
from folkmoot.models.base import Message, Request, Speaker
from folkmoot.models.pool import Pool
from tests.answers.answer_forms import draft
from tests.models.models_kit import HASTY, KEY, Notebook, ask

TestModel.__test__ = False  # pytest would take it for a test


class Ear:
    """A model that notes what it is sent and answers in a row."""

    def __init__(self, *answers: ModelResponse | Exception | str) -> None:
        self.heard: list[list[tuple[str, object]]] = []
        self.settings: list[object] = []
        self.answers = list(answers)

    async def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.heard.append(
            [(type(part).__name__, getattr(part, "content", "")) for message in messages for part in message.parts]
        )
        self.settings.append((info.instructions, dict(info.model_settings or {})))
        answer = self.answers[len(self.heard) - 1]
        if isinstance(answer, Exception):
            raise answer
        return ModelResponse(parts=[TextPart(answer)]) if isinstance(answer, str) else answer


def conversation(*rows: tuple[Speaker, str], settings: Settings | None = None) -> Request:
    messages = tuple(Message(role=role, text=text) for role, text in rows)
    return Request(messages=messages, settings=settings or Settings())


async def test_the_words_come_as_they_are_made() -> None:
    pool, book = Pool(env={}, retry=HASTY), Notebook()
    agent = Agent(TestModel(custom_output_text="Yes, by all means."), instructions="You like tea.")
    assert register(pool, "ann", agent) == "guest:ann"
    called = await pool.model("guest:ann").complete(ask(), book)
    assert called.text == "Yes, by all means."
    assert book.deltas == ["Yes, ", "by ", "all ", "means."]
    assert (called.model, called.served, called.call) == ("guest:ann", "test", "answer")
    assert (called.usage.cost, called.usage.estimated) == (None, False)
    assert called.usage.input_tokens > called.usage.output_tokens > 0
    await pool.close()


async def test_the_agent_keeps_its_own_instructions() -> None:
    ear = Ear("one", "two")
    model = adapter("ann", Agent(FunctionModel(ear), system_prompt="Be Ann.", instructions="You like tea."))
    assert (model.traits.system, model.traits.tools) == (False, False)
    await model.complete(ask("Why?"), Notebook())
    await model.complete(conversation(("user", "Why?"), ("assistant", "So."), ("user", "How so?")), Notebook())
    own = ("SystemPromptPart", "Be Ann.")
    assert ear.heard[0] == [own, ("UserPromptPart", "Be brief."), ("UserPromptPart", "Why?")]
    assert ear.heard[1] == [own, ("UserPromptPart", "Why?"), ("TextPart", "So."), ("UserPromptPart", "How so?")]
    assert ear.settings == [("You like tea.", {})] * 2


async def test_the_settings_of_the_participant_come_on_top() -> None:
    ear = Ear("one")
    agent = Agent(FunctionModel(ear), model_settings={"temperature": 0.9, "top_p": 0.5})
    model = adapter("ann", agent)
    settings = Settings(temperature=0.0, seed=7, max_tokens=99, stop=("END",), num_ctx=4096)
    await model.complete(conversation(("user", "Why?"), settings=settings), Notebook())
    merged = {"temperature": 0.0, "top_p": 0.5, "seed": 7, "max_tokens": 99, "stop_sequences": ["END"]}
    assert ear.settings == [(None, merged)]
    assert model.drops == ("min_p", "repeat_penalty", "num_ctx", "keep_alive")


async def test_tools_of_the_agent_are_its_own_affair() -> None:
    agent = Agent(TestModel(custom_output_text="Found."))
    used: list[str] = []

    @agent.tool_plain
    def look(word: str) -> str:  # pyright: ignore[reportUnusedFunction]
        used.append(word)
        return "something"

    book = Notebook()
    called = await adapter("ann", agent).complete(ask(), book)
    assert (called.text, len(used), [delta for delta in book.deltas if delta]) == ("Found.", 1, ["Fou", "nd."])
    assert "" in book.deltas  # a sign that it works while the tool was at work
    assert called.tools == ()


async def test_what_the_agent_makes_of_its_models_words_counts() -> None:
    agent = Agent(TestModel(custom_output_text="yes"))

    @agent.output_validator
    def loud(text: str) -> str:  # pyright: ignore[reportUnusedFunction]
        return text.upper()

    assert (await adapter("ann", agent).complete(ask(), Notebook())).text == "YES"


async def test_thinking_is_no_word() -> None:
    async def stream(
        messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | dict[int, DeltaThinkingPart]]:
        yield {0: DeltaThinkingPart(content="Hm.")}
        yield "<think>well</think>Y"
        yield "es."

    book = Notebook()
    called = await adapter("ann", Agent(FunctionModel(stream_function=stream))).complete(ask(), book)
    assert (called.text, "".join(book.deltas)) == ("Yes.", "Yes.")


async def test_usage_price_and_the_model_that_answered_are_taken_over() -> None:
    usage = RequestUsage(input_tokens=50, output_tokens=7, cache_read_tokens=20, cost=Decimal("0.25"))
    parts = [ThinkingPart("Hm."), TextPart("Yes")]
    answer = ModelResponse(parts=parts, usage=usage, model_name="big-7", finish_reason="length")
    called = await adapter("ann", Agent(FunctionModel(Ear(answer)))).complete(ask(), Notebook())
    assert (called.text, called.served, called.finish) == ("Yes", "function:Ear:", "length")
    used = called.usage
    assert (used.input_tokens, used.output_tokens, used.cached_tokens, used.cost) == (50, 7, 20, 0.25)
    assert not used.estimated


class Silent(Model):
    """A model of somebody's own that does not know how to stream."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        return ModelResponse(parts=[TextPart("Yes.")])

    @property
    def model_name(self) -> str:
        return "silent"

    @property
    def system(self) -> str:
        return "own"


async def test_a_model_that_cannot_stream_answers_at_once() -> None:
    model, book = adapter("ann", Agent(Silent())), Notebook()
    for _ in range(2):
        called = await model.complete(ask(), book)
        assert (called.text, called.served, called.usage.estimated) == ("Yes.", "", True)
    assert book.deltas == ["Yes.", "Yes."]


def group(*errors: Exception) -> Agent[None, str]:
    ears = [FunctionModel(Ear(error)) for error in errors]
    return Agent(FallbackModel(*ears))


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, {"error": f"bad key {KEY}"}, "key"),
        (429, None, "rate"),
        (404, None, "not_found"),
        (400, {"error": "this exceeds the context length"}, "too_long"),
        (400, None, "request"),
        (503, None, "server"),
    ],
)
async def test_errors_of_providers_are_named(status: int, body: object, kind: str) -> None:
    error = ModelHTTPError(status, "big-7", body)
    for agent in (Agent(FunctionModel(Ear(error))), group(error, error)):
        with pytest.raises(ModelError) as caught:
            await adapter("ann", agent).complete(ask(), Notebook())
        assert caught.value.kind == kind
        assert KEY not in str(caught.value)
        assert "\n" not in str(caught.value)


async def test_an_answer_that_cannot_be_is_garbled() -> None:
    empty = ModelResponse(parts=[])
    with pytest.raises(ModelError) as caught:
        await adapter("ann", Agent(FunctionModel(Ear(empty, empty)))).complete(ask(), Notebook())
    assert (caught.value.kind, caught.value.again) == ("garbled", True)


async def test_a_bug_behind_the_first_words_is_not_taken_for_a_model_that_cannot_stream() -> None:
    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield "Y"
        raise AssertionError("a bug")

    with pytest.raises(ModelError, match="guest:ann raised AssertionError: a bug"):
        await adapter("ann", Agent(FunctionModel(stream_function=stream))).complete(ask(), Notebook())


async def test_a_cancellation_passes_at_once_and_time_is_limited() -> None:
    async def sleep(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        await asyncio.sleep(3600)
        raise AssertionError

    pool = Pool(env={}, retry=HASTY)
    register(pool, "ann", Agent(FunctionModel(sleep)))
    with pytest.raises(ModelError, match="guest:ann did not finish: stopped after") as caught:
        await pool.model("guest:ann").complete(ask(seconds=0.1), Notebook())
    assert caught.value.kind == "timeout"


async def test_a_form_is_read_with_one_repair() -> None:
    pool, book = Pool(env={}, retry=HASTY), Notebook()
    ear = Ear("Tea, I should say.", "ANSWER: tea\nCONFIDENCE: 0.8")
    register(pool, "ann", Agent(FunctionModel(ear)))
    ann = Participant(name="Ann")
    context = Context(brief=Brief(topic="Tea?", participants=(ann,)), me=ann)
    question = Ask(key="/debate/x#1", to="Ann", act="propose", task="Propose.", form=draft())
    reply = await ModelAgent(pool.model("guest:ann")).answer(question, context, book)
    assert (reply.fields["ANSWER"], reply.fields["CONFIDENCE"], reply.unread) == ("tea", 0.8, ())
    assert reply.notes == ("asked again for the form",)
    assert [name for name, _ in book.calls] == ["answer", "repair"]
    assert [kind for kind, _ in ear.heard[1]] == ["UserPromptPart", "TextPart", "UserPromptPart"]


class Answer(BaseModel):
    text: str


def test_an_agent_at_the_table_gives_texts() -> None:
    with pytest.raises(BriefError, match=r"^ann returns an object of type Answer; an agent must return a str$"):
        register(Pool(env={}), "ann", Agent(TestModel(), output_type=Answer))
