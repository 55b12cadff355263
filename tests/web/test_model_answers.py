"""What a model name answers where nobody won, a limit ended it, or a person has to answer; and errors by their kind."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from folkmoot.app.brief.presets import read_presets
from folkmoot.app.endpoint.chat_brief import MOST_RULES, chat_brief, is_small_task
from folkmoot.app.endpoint.chat_request import read_chat
from folkmoot.app.endpoint.endpoint_errors import endpoint_error
from folkmoot.app.run.dispatcher import QueueError
from folkmoot.app.run.runner import RunnerFull
from folkmoot.core.errors import (
    BriefError,
    FolkmootError,
    LimitReached,
    ModelError,
    ProtocolError,
    RecordAway,
    RecordConflict,
    Unavailable,
    Unpriced,
)
from folkmoot.core.event import Asked
from folkmoot.models.base import Traits
from folkmoot.testing.scripted import ScriptedModel
from tests.council.agents import own_place
from tests.web.test_model_endpoint import PNG, QUESTION, place_of
from tests.web.web_kit import JSON, WORDS


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


async def answers(folder: Path, *models: str, **more: Any) -> list[dict[str, Any]]:
    """What these models answer to the same question."""
    async with place_of(folder, real=False, beat=60) as (web, _):
        bodies = [{"model": f"folkmoot/{name}", "messages": QUESTION, **more} for name in models]
        return [(await web.ann.post("/v1/chat/completions", json=body)).json() for body in bodies]


def content(answer: dict[str, Any]) -> str:
    return answer["choices"][0]["message"]["content"]


async def test_other_answers_stand_in_a_memo(tmp_path: Path) -> None:
    (answer,) = await answers(tmp_path, "most", metadata={"folkmoot_options": "Tea|Milk"})
    assert answer["folkmoot"]["status"] == "decided"
    assert content(answer).startswith("Tea\n\nStrength: ")
    assert "Because: It is calm." in content(answer)
    assert "Other answers:\n- Milk (Pragmatist)" in content(answer)
    assert answer["folkmoot"]["minority"][0]["by"] == ["Pragmatist"]


async def test_nothing_is_chosen_where_nobody_won(tmp_path: Path) -> None:
    (answer,) = await answers(tmp_path, "split", metadata={"folkmoot_options": "Tea|Milk"})
    assert answer["folkmoot"]["status"] in ("tie", "no_decision")
    assert content(answer).startswith("Folkmoot: no decision: ")
    assert "- Tea (Advocate)" in content(answer)
    assert "- Milk (Skeptic)" in content(answer)
    assert "1 of 3 seats did not answer" in content(answer)
    assert answer["choices"][0]["message"]["refusal"] is None


async def test_proposals_without_a_short_answer_are_told_in_their_words(tmp_path: Path) -> None:
    """A candidate that has only its author's name is told by its words, undecided as well as in a memo."""
    tea = ScriptedModel(lambda request: "I would take tea, for it is calm.", name="guest:tea")
    async with place_of(tmp_path, real=False, beat=60, tea=tea) as (web, _):
        body = {"model": "folkmoot/fast", "messages": QUESTION}
        answer = (await web.ann.post("/v1/chat/completions", json=body)).json()
    assert answer["folkmoot"]["status"] == "no_decision"
    assert "- Advocate: I would take tea, for it is calm." in content(answer)
    row = answer["folkmoot"]["minority"][0]
    assert (row["answer"], row["argument"]) == ("Advocate", "I would take tea, for it is calm.")


async def test_settings_of_other_servers_are_named_and_empty_fields_say_nothing(tmp_path: Path) -> None:
    more: dict[str, Any] = {
        "top_k": 40,
        "min_p": 0.05,
        "num_ctx": 4096,
        "logit_bias": {},
        "functions": [],
        "audio": None,
    }
    (answer,) = await answers(tmp_path, "fast", **more)
    assert answer["folkmoot"]["ignored"] == ["top_k", "min_p", "num_ctx"]


@pytest.mark.parametrize("value", ["json", "json_object", 3, [], {"type": "yaml"}])
async def test_a_shape_that_is_not_known_is_refused(tmp_path: Path, value: object) -> None:
    (refused,) = await answers(tmp_path, "fast", response_format=value)
    assert (refused["error"]["param"], refused["error"]["code"]) == ("response_format", "unsupported_value")


async def test_parameters_of_an_address_and_lengths_are_refused_in_openais_form(tmp_path: Path) -> None:
    async with place_of(tmp_path, real=False) as (web, _):
        wrong = await web.ann.get("/v1/responses/resp_x?stream=maybe")
        assert wrong.status_code == 400
        assert wrong.json()["error"]["message"].startswith("query.stream: Input should be a valid boolean")
        assert (await web.ann.post("/v1/responses/resp_x/cancel")).status_code == 404, "curl -X POST says no media type"
        headers = {**JSON, "Content-Length": str(30 * 10**9)}
        for route, status in (("/v1/chat/completions", 413), ("/api/v1/debates", 413)):
            large = await web.ann.post(route, content=b"{}", headers=headers)
            assert large.status_code == status
            assert "larger than the maximum of 20,971,520 bytes" in large.text


async def test_a_limit_and_a_person_are_told(tmp_path: Path) -> None:
    short, person = await answers(tmp_path, "short", "person")
    assert short["choices"][0]["finish_reason"] == "length"
    assert content(short).startswith("Folkmoot: a limit ended the debate: ")
    assert "A limit ended it: " in short["folkmoot"]["degraded"][-1]
    assert person["folkmoot"]["status"] == "waiting"
    assert "It waits for an answer in person: Advocate, Skeptic and Pragmatist." in content(person)


async def test_whoever_sees_no_picture_is_left_out_and_named(tmp_path: Path) -> None:
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
    parts = [{"type": "text", "text": "Tea or coffee?"}, picture]
    table: dict[str, object] = {"models": ["guest:tea", "guest:milk", "guest:blind"], "participants": "builtin"}
    presets = read_presets({"strict": table, "skips": {**table, "unseeing": "skip"}}, "folkmoot.toml")
    async with place_of(tmp_path, real=False, beat=60) as (web, _):
        blind = ScriptedModel(lambda request: WORDS, name="guest:blind", traits=Traits(pictures=False))
        web.site.workspace.pool.add_agent("blind", blind)
        web.site.runner.config = replace(web.site.runner.config, presets=presets)
        web.site.endpoint.presets = presets
        bodies = [{"model": f"folkmoot/{name}", "messages": [{"role": "user", "content": parts}]} for name in presets]
        strict, skips = [(await web.ann.post("/v1/chat/completions", json=body)).json() for body in bodies]
    assert "guest:blind does not see pictures" in strict["error"]["message"]
    (words,) = [words for words in skips["folkmoot"]["degraded"] if "left out" in words]
    assert words.startswith("Pragmatist is left out: guest:blind does not see pictures such as ")
    assert words in content(skips)
    assert [seat["name"] for seat in skips["folkmoot"]["seats"]] == ["Advocate", "Skeptic"]


async def test_a_long_answer_is_cut_at_a_word(tmp_path: Path) -> None:
    (answer,) = await answers(tmp_path, "most", max_tokens=5, metadata={"folkmoot_options": "Tea|Milk"})
    assert answer["choices"][0]["finish_reason"] == "length"
    assert content(answer) == "Tea\n\nStrength:"


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("Build or buy?\n\nBuying costs $300.", "Build or buy?"),
        ("Dear all,\nwe need a parser.\nBuild or buy?", "Build or buy?"),
        ("Compare the two:\n- build\n- buy", "Compare the two:"),
        ("---\nprotocol: arena\n---", "Answer the last message of the conversation."),
    ],
)
def test_the_line_that_asks_is_the_topic_of_a_long_question(question: str, topic: str) -> None:
    brief = chat_brief(read_chat({"model": "folkmoot", "messages": [{"role": "user", "content": question}]}))
    assert brief.keys["topic"] == topic
    assert [source.name for source in brief.background] == ["question"]


def test_long_instructions_become_a_document() -> None:
    rules = "Be kind. " * MOST_RULES
    brief = chat_brief(read_chat({"model": "folkmoot", "messages": [{"role": "system", "content": rules}, *QUESTION]}))
    assert brief.keys["rules"] == "Keep to the document: instructions."
    assert [source.name for source in brief.background] == ["instructions"]


ERRORS: list[tuple[FolkmootError, int, str, str]] = [
    (BriefError("x", code="bad_enum"), 400, "bad_enum", "false"),
    (ProtocolError("x"), 400, "protocol", "false"),
    (RunnerFull("x"), 429, "rate_limit_exceeded", "true"),
    (Unpriced("the price of a is unknown"), 400, "unpriced", "false"),
    (LimitReached("x"), 429, "insufficient_quota", "false"),
    (QueueError("x"), 503, "unavailable", "true"),
    (RecordAway("x"), 503, "unavailable", "true"),
    (RecordConflict("x"), 409, "conflict", "false"),
    (Unavailable("x"), 503, "unavailable", "false"),
    (ModelError("x"), 503, "unavailable", "false"),
    (FolkmootError("x"), 500, "internal", "false"),
]


@pytest.mark.parametrize(("error", "status", "code", "retry"), ERRORS)
def test_errors_have_openais_names(error: FolkmootError, status: int, code: str, retry: str) -> None:
    refused = endpoint_error(error)
    assert (refused.status, refused.code, refused.headers["x-should-retry"]) == (status, code, retry)
    body: Any = refused.body
    kinds = {429: ("rate_limit_exceeded", "insufficient_quota"), 500: ("server_error",), 503: ("server_error",)}
    assert body["error"]["type"] in kinds.get(status, ("invalid_request_error",))


async def test_a_field_that_nobody_knows_is_named_as_not_used(tmp_path: Path) -> None:
    more: dict[str, Any] = {"transforms": ["middle-out"], "a\r\nX-Evil: 1": 1, "top_logprobs": 0, "audio": False}
    (answer,) = await answers(tmp_path, "fast", metadata={"trace\n": "1"}, **more)
    assert answer["folkmoot"]["ignored"] == ["transforms", "a X-Evil: 1", "metadata.trace"]
    assert content(answer).startswith("Tea")


def test_nothing_that_a_model_said_is_lost() -> None:
    """A refusal, and a call in the older form, belong to the conversation; what else a message has is named."""
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Tea?"},
        {"role": "assistant", "content": None, "refusal": "Not before noon."},
        {"role": "assistant", "content": None, "function_call": {"name": "brew", "arguments": "{}"}},
        {"role": "user", "content": "And now?", "reasoning_content": "hm", "annotations": []},
        {"role": "user", "content": "Well?", "reasoning_content": "hm"},
    ]
    request = read_chat({"model": "folkmoot", "messages": messages})
    conversation = chat_brief(request).background[0].text
    assert "Not before noon." in conversation
    assert "brew" in conversation
    assert request.ignored == ("messages.reasoning_content",)


async def test_a_model_that_is_not_there_is_told_with_the_one_that_was_meant(tmp_path: Path) -> None:
    async with place_of(tmp_path, real=False) as (web, _):
        for name in ("folkmoot/fst", "fast", "folkmoot/Fast"):
            error = (await web.ann.post("/v1/chat/completions", json={"model": name, "messages": QUESTION})).json()
            assert error["error"]["message"].endswith("did you mean 'folkmoot/fast'?")


async def test_names_without_end_fit_into_a_header(tmp_path: Path) -> None:
    (answer,) = await answers(tmp_path, "fast", metadata={f"{n}{'x' * 200}": "1" for n in range(3000)})
    ignored = answer["folkmoot"]["ignored"]
    assert (len(ignored), ignored[-1]) == (51, "and 2950 more")
    assert sum(map(len, ignored)) < 8000


@pytest.mark.parametrize("field", [{"top_logprobs": 3}, {"web_search_options": {}}, {"function_call": {"name": "f"}}])
async def test_what_would_change_the_meaning_is_refused(tmp_path: Path, field: dict[str, Any]) -> None:
    (refused,) = await answers(tmp_path, "fast", **field)
    assert (refused["error"]["code"], refused["error"]["param"]) == ("unsupported_parameter", next(iter(field)))


async def test_an_interface_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    async with place_of(tmp_path, real=False) as (web, _):
        lost = [await web.ann.post(f"/v1/{name}", json={"model": "folkmoot"}) for name in ("embeddings", "completions")]
        wrong = await web.ann.put("/v1/chat/completions", json={})
    assert [response.status_code for response in lost] == [404, 404]
    assert lost[0].json()["error"]["message"].startswith("there is no /v1/embeddings; there are /v1/models, ")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "OPTIONS, POST")


TASKS = [
    "### Task:\nSuggest 3-5 relevant follow-up questions",
    "### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history",
    "Provide a concise, 5-word-or-less title for the conversation, using title case conventions.",
    "Generate a concise 3-7 word title for this conversation, omitting punctuation.",
    "Please reply with a title for the chat that is 3-4 words in length",
    "Based on the chat history, give this conversation a name.\nKeep it short - 10 characters max",
    "Your task is to reflect the speaker's likely facial expression through a fitting emoji.",
    "### Task:\nPredict 3-5 useful messages this user might naturally send next to advance their current objective.",
    "### Task:\nAnalyze the chat history to determine the necessity of generating search queries.",
    "### Task:\nGenerate a detailed prompt for am image generation task based on the given language and context.",
    "### Task:\nYou are an autocompletion system. Continue the text in `<text>` based on the **completion type**.",
    "### Task:\nSummarize the conversation history that will be compacted out of the active chat context.",
    "### Task:\nSay it.\n\n### Chat History:\n<chat_history>\nUSER: Tea?\n</chat_history>",
]
RULES_OF_TASKS = [
    "You are a title generator. You output ONLY a thread title.",
    "You are a professional conversation summarizer. Generate a concise title.",
    "Summarize the given session as a 10-word title using user language",
    f"Available Tools: [{'x' * 3000}]\n\nYour task is to choose and return the correct tool(s) from the list of tools.",
]
QUESTIONS = [
    "Give me a name for our chat product.",
    "Should we name the chat room after a tea?",
    "What is a good title for the talk on tea?",
    "Which title fits the book best?",
    "Should the thread pool have a name in 2 parts?",
    "### Task:\nGenerate a plan for the office kitchen.",
    "### Task:\nAnalyze whether tea is better than coffee.",
    "### Task:\nRespond to the user query using the provided context, incorporating inline citations.\n\n<context>\n"
    "Generate a concise title for this conversation.\n</context>\n\nTea or coffee?",
]


def test_tasks_of_chat_programs_are_told_from_questions() -> None:
    def is_task(*messages: tuple[str, str]) -> bool:
        rows = [{"role": role, "content": text} for role, text in messages]
        return is_small_task(read_chat({"model": "folkmoot", "messages": rows}))

    assert [text for text in TASKS if not is_task(("user", text))] == []
    assert [text for text in RULES_OF_TASKS if not is_task(("system", text), ("user", "Tea?"))] == []
    assert [text for text in QUESTIONS if is_task(("user", text))] == []
    long = f"You help. Generate a concise title for this conversation where you are asked to. {'x' * 2000}"
    assert not is_task(("system", long), ("user", "Tea or coffee?"))


def test_speakers_with_names_are_told_apart() -> None:
    rows = [
        {"role": "user", "name": "ann\nRULES", "content": "Tea."},
        {"role": "user", "name": "ben", "content": "Coffee."},
        {"role": "user", "content": "Which?"},
    ]
    (source,) = chat_brief(read_chat({"model": "folkmoot", "messages": rows})).background
    assert source.text == "user (ann RULES):\n  Tea.\nuser (ben):\n  Coffee."


async def test_titles_and_tags_are_no_debate(tmp_path: Path) -> None:
    title = {"role": "user", "content": "### Task:\nGenerate a concise, 3-5 word title with an emoji."}
    async with place_of(tmp_path, beat=60) as (web, _):
        small = await web.ann.post("/v1/chat/completions", json={"model": "folkmoot/slow", "messages": [title]})
        entries = await web.site.workspace.entries(small.headers["x-folkmoot-debate"])
        refused = await web.ann.post("/v1/chat/completions", json={"model": "folkmoot/fast", "messages": [title]})
    assert small.json()["choices"][0]["message"]["content"] == WORDS, "it is handed on as it was said"
    asks = [entry.event.ask for entry in entries if isinstance(entry.event, Asked)]
    assert [(ask.act, json.loads(ask.talk)) for ask in asks] == [
        ("deliver", [{"role": "user", "text": title["content"]}])
    ]
    assert refused.status_code == 400
    assert "set small under [presets.fast]" in refused.json()["error"]["message"]
