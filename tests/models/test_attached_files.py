"""Pictures and PDFs on their way to models: the parts of each wire, what models see, and how many tokens that takes."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any, cast

import pytest
from pydantic_ai.messages import BinaryContent, ModelMessage, ModelRequest, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from folkmoot.agents.prompt import compose, fit
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask
from folkmoot.core.brief import Brief, Participant, Source, View
from folkmoot.core.errors import ModelError, Refused
from folkmoot.models.attached_files import doubt_of, fault_of, picture_tokens, sees, takes_pdf
from folkmoot.models.base import Message, Request, Traits
from folkmoot.models.custom import FunctionAgent
from folkmoot.models.custom_langchain import _messages as langchain_messages  # pyright: ignore[reportPrivateUsage]
from folkmoot.models.names import parse
from folkmoot.models.prices import count_most, count_tokens, quote
from folkmoot.models.transport import ProviderConnection
from folkmoot.models.wires.library import LibraryModel
from folkmoot.tools.attachments import read_attachment
from tests.kits.pictures import picture
from tests.models.models_kit import Canned, Notebook, Page, canned, environment
from tests.report.papers import pdf

CHART = picture()
COSTS = read_attachment("costs.pdf", pdf("Rent is 900.", "Heat is 80."))
SCAN = read_attachment("scan.pdf", pdf("", ""))
WORDS = "=== costs.pdf ===\n  Rent is 900.\n  \n  Heat is 80.\n=== end of costs.pdf ==="


def sent(sources: Sequence[Source], traits: Traits | None = None) -> Request:
    """The request that asks Ada about documents."""
    ada = Participant(name="Ada")
    brief = Brief(topic="Is it right?", background=(Source(name="a.md", text="x"), *sources), participants=(ada,))
    ask = Ask(key="/draft#1", to="Ada", act="draft", task="Answer.")
    return Request(messages=compose(ask, Context(brief=brief, me=ada, view=View()), traits or Traits()))


def address(source: Source) -> str:
    assert source.file
    return f"data:{source.file.media};base64,{source.file.data}"


async def body_of(name: str, request: Request, answer: Page | None = None) -> dict[str, Any]:
    """What a provider is sent."""
    model, port = canned(name, answer or Page(b"data: [DONE]\n\n"))
    with suppress(ModelError):  # the answer has no words
        await model.complete(request, Notebook())
    return port.sent[-1]


async def test_openai_is_sent_pictures_and_pdfs_as_parts_before_the_words() -> None:
    body = await body_of("openai:gpt-5.4", sent((CHART, COSTS)))
    system, user = body["messages"]
    assert "costs.pdf" not in system["content"]
    assert "chart.png" not in system["content"]
    assert user["content"][:2] == [
        {"type": "image_url", "image_url": {"url": address(CHART)}},
        {"type": "file", "file": {"filename": "costs.pdf", "file_data": address(COSTS)}},
    ]
    (words,) = user["content"][2:]
    assert words["type"] == "text"
    assert words["text"].startswith("The documents that are attached, in this order: chart.png, costs.pdf\n\n")
    assert words["text"].endswith("Answer.")


async def test_a_server_that_takes_no_pdf_is_sent_its_words_in_a_frame() -> None:
    body = await body_of("groq:llama-4-scout", sent((CHART, COSTS)))
    picture_part, words = body["messages"][1]["content"]
    assert picture_part["type"] == "image_url"
    assert words["text"].startswith(f"{WORDS}\n\nThe documents that are attached")


async def test_anthropic_is_sent_blocks_and_may_keep_them() -> None:
    body = await body_of("anthropic:claude-sonnet-5-5", sent((CHART, COSTS)))
    image, document, words = body["messages"][0]["content"]
    assert CHART.file
    assert COSTS.file
    assert image == {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": CHART.file.data}}
    assert document == {
        "type": "document",
        "title": "costs.pdf",
        "source": {"type": "base64", "media_type": "application/pdf", "data": COSTS.file.data},
        "cache_control": {"type": "ephemeral", "ttl": "5m"},
    }
    assert words["type"] == "text"
    assert words["text"].endswith("Answer.")
    old = await body_of("anthropic:claude-2.1", sent((COSTS,)))
    assert [block["type"] for block in old["messages"][0]["content"]] == ["text"]


def shows(*able: str) -> Page:
    return Page(json.dumps({"capabilities": ["completion", *able], "model_info": {}}).encode())


def ollama(*able: str) -> tuple[Any, Canned]:
    end = b'{"message": {"content": "Yes."}, "done": true}\n'
    return canned("ollama:other", lambda url: shows(*able) if url.endswith("/api/show") else Page(end))


async def test_ollama_is_sent_pictures_beside_the_words_of_a_message() -> None:
    model, port = ollama("vision")
    await model.complete(sent((CHART, COSTS)), Notebook())
    user = port.sent[-1]["messages"][1]
    assert CHART.file
    assert user["images"] == [CHART.file.data]
    assert user["content"].startswith(WORDS)
    blind, port = ollama()
    with pytest.raises(Refused, match="ollama:other does not see pictures, as its server says"):
        await blind.complete(sent((CHART,)), Notebook())
    assert len(port.sent) == 1  # what the model can do was asked, and nothing else sent
    await blind.complete(sent((COSTS,)), Notebook())
    assert "images" not in port.sent[-1]["messages"][1]


async def test_the_library_is_given_its_own_kind_of_parts() -> None:
    received_messages: list[ModelMessage] = []

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        received_messages[:] = messages
        yield "Yes."

    name = parse("library:openai-chat:gpt-5.4")
    model = LibraryModel(name, ProviderConnection(name.provider, environment("http://127.0.0.1:9")))
    vars(model)["_library"] = FunctionModel(stream_function=answer)
    await model.complete(sent((CHART, COSTS)), Notebook())
    (part,) = cast("ModelRequest", received_messages[-1]).parts
    assert isinstance(part, UserPromptPart)
    assert CHART.file
    assert COSTS.file
    chart, costs, words = part.content
    assert isinstance(chart, BinaryContent)
    assert isinstance(costs, BinaryContent)
    assert (chart.media_type, chart.base64) == ("image/png", CHART.file.data)
    assert (costs.media_type, costs.base64) == ("application/pdf", COSTS.file.data)
    assert str(words).endswith("Answer.")


def test_a_langchain_model_is_given_pictures_and_the_words_of_pdfs() -> None:
    messages = langchain_messages(sent((CHART, COSTS)).messages)
    shown, words = cast("list[dict[str, Any]]", messages[1].content)
    assert shown == {"type": "image_url", "image_url": {"url": address(CHART)}}
    assert words["text"].startswith(WORDS)
    assert messages[0].content == sent(()).messages[0].text


async def test_a_function_of_words_gets_the_words() -> None:
    prompts: list[str] = []
    agent = FunctionAgent("mine", lambda text: prompts.append(text) or "Yes.")
    request = sent((COSTS, SCAN), agent.traits)
    assert not any(message.files for message in request.messages)
    await agent.complete(request, Notebook())
    assert WORDS in prompts[0]
    assert "scan.pdf ===" not in prompts[0]


def test_files_stay_when_messages_are_joined() -> None:
    file = sent((CHART,)).messages[1].files
    joined = fit((Message(role="user", text="a", files=file), Message(role="user", text="b", files=file)), Traits())
    assert joined == (Message(role="user", text="a\n\nb", files=(*file, *file)),)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        *((name, True) for name in ("openai:gpt-4o-mini", "openai:gpt-5.4", "openai:o3", "anthropic:claude-haiku-5-5")),
        *(
            (name, True)
            for name in ("google:gemini-3.8-flash", "ollama:gemma3:12b", "ollama:qwen2.5vl:7b", "xai:grok-4.5")
        ),
        *((name, True) for name in ("openrouter:google/gemini-3.8-flash", "library:bedrock:nova-pro", "ollama:llava")),
        *(
            (name, False)
            for name in ("openai:gpt-3.5-turbo", "openai:gpt-4", "openai:o3-mini", "deepseek:deepseek-chat")
        ),
        *((name, False) for name in ("ollama:llama3.2", "ollama:llama3.1:8b", "ollama:gemma3:1b", "ollama:qwen3:8b")),
        *(
            (name, False)
            for name in ("groq:llama-3.3-70b-versatile", "ollama:mistral", "openrouter:openai/gpt-oss-120b")
        ),
        *((name, None) for name in ("compatible:mine", "ollama:tiny", "vllm:own/model")),
    ],
)
def test_what_sees_is_told_by_the_name(name: str, known: bool | None) -> None:
    assert sees(parse(name)) is known
    fault, doubt = fault_of(name, [CHART]), doubt_of(name, [CHART])
    assert fault == ("" if known is not False else f"{name} does not see pictures such as chart.png")
    assert doubt == ("" if known is not None else f"It is not known whether {name} sees pictures.")


def test_a_pdf_needs_a_way_to_be_read() -> None:
    assert [takes_pdf(parse(name)) for name in ("openrouter:x/y", "openai:gpt-4", "library:cohere:x")] == [
        True,
        False,
        False,
    ]
    assert fault_of("groq:llama-4-scout", [COSTS]) == ""
    problem = "groq:llama-4-scout takes no PDF, and scan.pdf has no text that could be sent instead"
    assert fault_of("groq:llama-4-scout", [SCAN]) == problem
    assert fault_of("guest:mine", [SCAN]).startswith("guest:mine takes no PDF")
    assert fault_of("openai:gpt-5.4", [SCAN, CHART]) == ""
    assert fault_of("guest:mine", [CHART], pictures=False) == "guest:mine does not see pictures such as chart.png"
    assert doubt_of("guest:mine", [COSTS]) == ""
    assert doubt_of("guest:mine", [CHART])


@pytest.mark.parametrize(
    ("name", "width", "height", "tokens"),
    [
        # The providers' own examples, or their formula by hand.
        ("openai:gpt-4o", 1024, 1024, 85 + 170 * 4),
        ("openai:gpt-4o", 2048, 4096, 85 + 170 * 6),
        ("openai:gpt-4o-mini", 512, 512, 2833 + 5667),
        ("openai:gpt-5.4", 1024, 1024, 70 + 140 * 4),
        ("openai:o3", 512, 512, 75 + 150),
        ("openai:gpt-5-mini", 1024, 1024, 1659),
        ("openai:gpt-5.4-nano", 8000, 8000, 3779),
        ("anthropic:claude-sonnet-4-5", 1000, 1000, 1335),
        ("anthropic:claude-sonnet-4-5", 8000, 8000, 1600),
        ("anthropic:claude-opus-5", 2000, 1500, 4001),
        ("google:gemini-2.5-flash", 300, 300, 258),
        ("google:gemini-2.5-flash", 960, 540, 516),
        ("google:gemini-3.8-flash", 960, 540, 1120),
        ("ollama:other", 280, 560, 200 + 256),
    ],
)
def test_tokens_of_a_picture(name: str, width: int, height: int, tokens: int) -> None:
    assert picture_tokens(parse(name), width, height) == tokens


def test_pictures_and_pdfs_are_in_the_quote_and_in_the_bound() -> None:
    plain, with_picture = sent(()), sent((CHART,))
    name = parse("openai:gpt-5.4")
    more = quote(name, with_picture).prompt - quote(name, plain).prompt
    assert 350 <= more <= 420  # two tiles, and the words that name the picture
    paged = quote(name, sent((COSTS,))).prompt - quote(name, plain).prompt
    assert paged > 2 * 630
    words = quote(parse("groq:llama-4-scout"), sent((COSTS,))).prompt - quote(parse("groq:llama-4-scout"), plain).prompt
    assert words < 120
    named = count_tokens(with_picture.messages, (), "openai:gpt-5.4")
    assert named < count_tokens(with_picture.messages)  # nobody knows whom: the provider that counts most
    assert count_most(with_picture.messages) - count_most(plain.messages) >= count_tokens(
        with_picture.messages
    ) - count_tokens(plain.messages)
