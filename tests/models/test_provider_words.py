"""What providers say in words and marks: why an answer ended, what an error is about, how long to wait."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.agent import is_cut_off
from folkmoot.core.errors import ModelError, Refused, Unavailable
from folkmoot.models.finish import WHOLE, finish_of
from folkmoot.models.names import Key, parse
from folkmoot.models.provider_errors import answer_error
from folkmoot.models.waits import wait_seconds
from tests.models.frames import DONE, HEARD, lines, piece, sse
from tests.models.models_kit import KEY, Notebook, Page, ask, canned

NAME, NOW = parse("groq:some-model"), 1_790_000_000.0

# ---- why an answer ended ----------------------------------------------------------------------------------------

MARKS = {
    **dict.fromkeys(("stop", "STOP", "end_turn", "eos", "stop_sequence", "tool_calls", "function_call"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "MAX_TOKENS", "model_length"), "length"),
    **dict.fromkeys(("content_filter", "SAFETY", "sensitive", "guardrail_intervened", "refusal"), "filter"),
    "network_error": "network_error",
    "MALFORMED_FUNCTION_CALL": "malformed_function_call",
    "error": "error",
    "abort": "abort",
}


def ended(wire: str, mark: str) -> tuple[str, bytes]:
    """An answer of a wire that ends with a mark."""
    match wire:
        case "openai":
            return "groq:tiny", sse(piece({"content": "half an answ"}), piece({}, mark), "[DONE]")
        case "whole":
            message = {"role": "assistant", "content": "half an answ"}
            return "groq:tiny", json.dumps({"choices": [{"message": message, "finish_reason": mark}]}).encode()
        case "anthropic":
            words = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "half an answ"}}
            end = {"type": "message_delta", "delta": {"stop_reason": mark}, "usage": {"output_tokens": 3}}
            return "anthropic:claude-haiku-5-5", sse(words, end, {"type": "message_stop"})
        case _:
            return "ollama:tiny", lines(*HEARD, {**DONE, "done_reason": mark})


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("wire", ["openai", "whole", "anthropic", "ollama"])
async def test_only_a_mark_that_means_a_whole_answer_makes_one(wire: str, mark: str) -> None:
    name, body = ended(wire, mark)
    called = await canned(name, Page(body))[0].complete(ask(), Notebook())
    assert called.finish == MARKS[mark]
    assert is_cut_off(called) == (called.finish != "stop")


@given(st.text(min_size=1))
def test_an_unknown_mark_is_never_a_whole_answer(mark: str) -> None:
    if finish_of(mark) == "stop":
        assert mark.strip().lower().replace("-", "_") in WHOLE or any(text.isupper() for text in mark)
    assert finish_of(mark)


# ---- errors with the status of a success --------------------------------------------------------------------------

WELL = '{"choices": [], "base_resp": {"status_code": 0, "status_msg": "all is well"}}'
HALF = piece({"content": "half an answ"})
END = piece({}, "stop")
LOST = {"message": "upstream is gone", "code": 502}
TOLD: dict[str, list[object]] = {
    "an event": [HALF, {"error": LOST}, END],
    "a list": [HALF, {"errors": [LOST]}, END],
    "a text": [HALF, {"error": "upstream is gone"}, END],
    "beside the choices": [HALF, {"choices": [], "error": LOST}, END],
    "in the choice": [HALF, {"choices": [{"index": 0, "delta": {}, "error": LOST, "finish_reason": "stop"}]}],
    "in the delta": [HALF, piece({"content": "", "error": LOST}), END],
    "in the message": [HALF, {"choices": [{"message": {"error": LOST}}]}, END],
    "by its object": [HALF, {"object": "error", **LOST}, END],
    "by its type": [HALF, {"type": "error", **LOST}, END],
    "deep": [HALF, {"x_groq": {"id": "r", "error": "upstream is gone"}}, END],
    "with a capital": [HALF, {"Error": LOST}, END],
    "in fields of its own": [HALF, {"error_code": 336003, "error_msg": "upstream is gone"}, END],
    "beside its name": [HALF, {"error": "lost", "message": "upstream is gone"}, END],
    "as a detail": [HALF, {"detail": "upstream is gone", "status": 500}, END],
    "as a code": [HALF, {"code": 500, "message": "upstream is gone"}, END],
    "as a sentence": [HALF, {"id": "c", "model": "a b", "choices": [], "note": "upstream is gone"}, END],
    "as no success": [HALF, {"success": False, "message": "upstream is gone"}, END],
    "as an event that failed": [HALF, {"type": "response.failed", "response": {"reason": "upstream is gone"}}, END],
    "as a state": [HALF, {"choices": None, "base_resp": {"status_code": 1000, "status_msg": "upstream is gone"}}, END],
    "as plain words": [HALF, "upstream is gone", END],
    "as a text of JSON": [HALF, '"upstream is gone"', END],
}


@pytest.mark.parametrize("place", TOLD)
async def test_an_error_within_an_answer_is_one_wherever_it_stands(place: str) -> None:
    with pytest.raises(Unavailable, match="upstream is gone") as caught:
        await canned("groq:tiny", Page(sse(*TOLD[place])))[0].complete(ask(), Notebook())
    assert (caught.value.kind, caught.value.again) == ("server", True)


@pytest.mark.parametrize(
    "event", [{"type": "response.failed"}, {"status": 503}, {"ok": False}, {"state": "x", "code": 502}]
)
@pytest.mark.parametrize("name", ["groq:tiny", "anthropic:claude-haiku-5-5", "ollama:tiny"])
async def test_an_event_with_nothing_but_a_failure_is_an_error(name: str, event: dict[str, object]) -> None:
    body = lines(*HEARD, event, DONE) if name.startswith("ollama") else sse(event)
    with pytest.raises(Unavailable):
        await canned(name, Page(body))[0].complete(ask(), Notebook())


@pytest.mark.parametrize(
    "alive", ["null", "[]", "{}", "ping", "42", '"ping"', '{"type": "ping"}', '{"choices": []}', WELL]
)
async def test_a_sign_of_life_costs_no_words(alive: str) -> None:
    called = await canned("groq:tiny", Page(sse(alive, HALF, alive, END, "[DONE]")))[0].complete(ask(), Notebook())
    assert (called.text, called.finish) == ("half an answ", "stop")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"Insufficient credits", "quota"),
        (b"Invalid API key", "key"),
        (b"Hello there", "garbled"),
        (b"null", "garbled"),
        (b'{"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}', "quota"),
        (b'{"choices": null, "base_resp": {"status_code": 1004, "status_msg": "login fail: invalid api key"}}', "key"),
        (sse("You have no credit left: no credits"), "quota"),
        (sse({"detail": "Unauthorized"}), "key"),
    ],
)
async def test_a_body_of_other_words_is_read_for_what_it_is_about(body: bytes, kind: str) -> None:
    with pytest.raises(ModelError) as caught:
        await canned("groq:tiny", Page(body))[0].complete(ask(), Notebook())
    assert caught.value.kind == kind


@pytest.mark.parametrize(
    "data", ['{"message": "upstream is gone"}', "upstream is gone", '{"error": "upstream is gone"}']
)
async def test_an_event_that_is_called_an_error_is_one(data: str) -> None:
    body = sse(HALF) + f"event: error\ndata: {data}\n\n".encode() + sse(END)
    with pytest.raises(Unavailable, match="upstream is gone"):
        await canned("groq:tiny", Page(body))[0].complete(ask(), Notebook())


@pytest.mark.parametrize(
    "more",
    [
        {"error": None},
        {"error": {}},
        {"errors": []},
        {"error": {"code": 0, "message": ""}},
        {"error_code": 0, "error_msg": "success"},
        {"base_resp": {"status_code": 0, "status_msg": "all is well"}},
    ],
)
async def test_an_empty_error_is_none(more: dict[str, Any]) -> None:
    body = sse(piece({"content": 'the "error" is yours'}, **more), {**END, **more})
    assert (await canned("groq:tiny", Page(body))[0].complete(ask(), Notebook())).finish == "stop"


async def test_a_filter_that_fails_is_no_error_of_the_answer() -> None:
    failed = {"content_filter_results": {"error": {"code": "content_filter_error", "message": "not filtered"}}}
    body = sse({"choices": [{"delta": {"content": "yes"}, "finish_reason": "stop", **failed}]})
    assert (await canned("groq:tiny", Page(body))[0].complete(ask(), Notebook())).text == "yes"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "Insufficient credits"}, "quota"),
        ({"message": "flagged by moderation", "code": "403"}, "refused"),
        ({"message": "no", "type": "rate_limit_error"}, "rate"),
        ("oh no", "server"),
    ],
)
def test_what_an_error_within_an_answer_is_about(error: object, kind: str) -> None:
    assert answer_error(NAME, 0, {"error": error}).kind == kind


# ---- what an error is about ---------------------------------------------------------------------------------------

ABOUT: list[tuple[int, str, str]] = [
    (400, "Your credit balance is too low. Please purchase credits under Billing.", "quota"),
    (403, "Key limit exceeded (total limit). Manage it at https://example.org/settings/keys", "quota"),
    (429, "You exceeded your current quota, please check your plan and billing details.", "quota"),
    (429, "Quota exceeded, limit: 5\nPlease retry in 8s.", "rate"),
    (429, "Rate limit reached. Need more tokens? Upgrade at https://example.org/settings/billing", "rate"),
    (400, "API key not valid. Please pass a valid API key.", "key"),
    (400, "Incorrect API key provided: x***.", "key"),
    (403, "Forbidden", "key"),
    (403, "", "key"),
    (403, "Country, region, or territory not supported", "denied"),
    (400, "User location is not supported for the API use.", "denied"),
    (403, "Your account has been suspended", "denied"),
    (403, "You have insufficient permissions for this operation", "denied"),
    (403, 'This model requires moderation; your input was flagged for "violence". No credits were charged.', "refused"),
    (400, "The response was filtered due to the prompt triggering our content management policy.", "refused"),
    (400, "Input data may contain inappropriate content.", "refused"),
    (403, "Computer says no", "request"),
    (429, "Your input was flagged by moderation. Please retry in 8s.", "refused"),
    (429, "This content can't be processed: unsafe", "refused"),
    (429, "Input tokens per minute: 4,000", "rate"),
    (429, "Quota exceeded for this text model", "quota"),
    (500, "Guardrail violated", "refused"),
    (403, "You have exhausted your free allowance", "quota"),
    (429, "You have exhausted your free allowance", "quota"),
    (429, "Resource exhausted. Please try again later.", "rate"),
    (400, "some-model is not a valid model ID", "not_found"),
    (400, "Model Not Exist", "not_found"),
    (400, "The model `some-model` does not exist or you do not have access to it.", "not_found"),
    (
        404,
        "models/some-model is not found for API version v1beta, or is not supported for generateContent.",
        "not_found",
    ),
    (404, "No endpoints found for some-model.", "not_found"),
    (404, "No endpoints found matching your data policy", "not_found"),
    (404, "Not Found", "address"),
    (404, "", "address"),
    (404, "404 page not found", "address"),
    (404, "Unknown request URL: POST /chat/completions. Please check the URL for typos", "address"),
    (404, "Unexpected endpoint or method. (POST /chat/completions)", "address"),
    (400, "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens", "too_long"),
    (400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", "too_long"),
    (400, "Input is too long for requested model.", "too_long"),
    (400, "prompt is too long: 210000 tokens > 200000 maximum", "too_long"),
    (400, "too many tokens: total number of tokens in the prompt cannot exceed 4081", "too_long"),
    (422, "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens", "too_long"),
    (400, "Trying to keep the first 5000 tokens when context the overflows.", "too_long"),
    (400, "Range of input length should be [1, 30720]", "too_long"),
    (400, "total token length of input and output should be less than 8192", "too_long"),
    (400, "inputs must have less than 4096 tokens", "too_long"),
    (400, "temperature: Input should be less than or equal to 2", "request"),
    (400, "This model's maximum prompt length is 131072 but the request contains 200000 tokens.", "too_long"),
    (500, "the request exceeds the available context size, try increasing it", "too_long"),
    (400, "Unsupported value: 'temperature' does not support 0.3 with this model.", "request"),
    (400, "Developer instruction is not enabled for this model", "request"),
    (400, "Conversation roles must alternate user/assistant/user/assistant/...", "request"),
    (400, "`temperature` is deprecated for this model.", "request"),
    (400, "Unrecognized key(s) in object: 'seed'", "request"),
    (400, "invalid JSON at location 5", "request"),
    (403, "This key may not use it", "key"),
    (400, "messages.0.content: Input should be a valid string", "request"),
    (500, "oops", "server"),
]


@pytest.mark.parametrize(("status", "words", "kind"), ABOUT)
def test_what_an_error_is_about(status: int, words: str, kind: str) -> None:
    error = answer_error(NAME, status, {"error": {"message": words}})
    assert error.kind == kind
    assert " ".join(words.split()) in str(error)
    # Nobody else is asked what one has refused; credit, keys and models are no refusal of the text.
    assert isinstance(error, Refused) == (kind in ("refused", "request", "too_long"))


@pytest.mark.parametrize(
    ("name", "kind"),
    [("unsupported_country_region_territory", "denied"), ("invalid_api_key", "key"), ("model_not_found", "not_found")],
)
def test_the_name_of_an_error_is_words_too(name: str, kind: str) -> None:
    assert answer_error(NAME, 400, {"error": {"message": "no", "code": name}}).kind == kind


def test_the_words_behind_a_gateway_are_shown() -> None:
    raw = json.dumps({"error": {"message": "Your credit balance is too low"}})
    error = answer_error(NAME, 400, {"error": {"message": "Provider returned error", "metadata": {"raw": raw}}})
    assert (error.kind, "credit balance" in str(error)) == ("quota", True)


def test_an_address_without_its_version_is_doubted() -> None:
    error = answer_error(NAME, 404, {"detail": "Not Found"}, url="http://127.0.0.1:9")
    assert (error.kind, "/v1" in str(error), "GROQ_BASE_URL" in str(error)) == ("address", True, True)
    assert "/v1" not in str(answer_error(NAME, 404, b"", url="http://127.0.0.1:9/v2")).partition("9/v2")[2]


@given(st.sampled_from([400, 401, 402, 403, 404, 413, 422, 429, 500]), st.text())
def test_no_words_break_an_error_and_none_shows_the_key(status: int, words: str) -> None:
    error = answer_error(NAME, status, {"error": {"message": f"{words} {KEY}"}}, key=Key(KEY, "GROQ_API_KEY"))
    assert isinstance(error, ModelError)
    assert KEY not in str(error)


# ---- how long to wait -----------------------------------------------------------------------------------------------

WAITS: list[tuple[dict[str, str], object, str, float | None]] = [
    ({}, {"error": {"details": [{"@type": "x.RetryInfo", "retryDelay": "9.2s"}]}}, "", 9.2),
    ({}, {"error": {"retry_after_ms": 250}}, "", 0.25),
    ({}, {"error": {"metadata": {"headers": {"X-RateLimit-Reset": f"{NOW + 7:.0f}000"}}}}, "", 7.0),
    ({}, {"retry": True, "retries": "many"}, "", None),
    ({}, None, "Please try again in 9.2s.", 9.2),
    ({}, None, "Quota exceeded, limit: 5\nPlease retry in 8.5s.", 8.5),
    ({}, None, "Please try again in 7m12.5s. Need more?", 432.5),
    ({}, None, "Please retry after 9 seconds", 9.0),
    ({}, None, "try again in 120ms", 0.12),
    ({}, None, "Retry after 1 minute and 5 seconds", 65.0),
    ({}, None, "you can try 3 models", None),
    ({}, None, "retry in 5 models", None),
    ({"x-ratelimit-reset": f"{NOW + 7:.0f}"}, None, "", 7.0),
    ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s"}, None, "", 1.0),
    (
        {"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-remaining-tokens": "0"},
        None,
        "",
        360.0,
    ),
    ({"anthropic-ratelimit-tokens-reset": "2026-09-21T14:13:50Z"}, None, "", 30.0),
    ({"retry-after": "9s"}, {"retry_after": 3}, "try again in 5s", 9.0),
    ({}, None, "", None),
    ({"retry-after": "0"}, None, "", 0.0),
    ({"retry-after": "1.5"}, None, "", 1.5),
    ({"retry-after": "86400000"}, None, "", 86_400_000.0),
    ({"retry-after": "-3"}, None, "", None),
    ({"retry-after": "nan"}, None, "", None),
    ({"retry-after": "inf"}, None, "", None),
    ({"retry-after": "soon"}, None, "", None),
    ({"retry-after": "Mon, 21 Sep 2026 14:13:50 GMT"}, None, "", 30.0),
    ({"retry-after": "Mon, 21 Sep 2026 14:13:50"}, None, "", 30.0),
    ({"retry-after": "Mon, 21 Sep 2020 13:33:50 GMT"}, None, "", None),
    ({"retry-after": "Mon, 21 Sep 20260000000 13:33:50 GMT"}, None, "", None),
    ({"retry-after-ms": "250", "retry-after": "9"}, None, "", 0.25),
    ({"retry-after-ms": "-1", "retry-after": "9"}, None, "", 9.0),
    ({"retry-after-ms": "x"}, None, "", None),
    ({"ratelimit": "limit=9, remaining=0, reset=7"}, None, "", 7.0),
    ({"RateLimit": '"default";r=0;t=7'}, None, "", 7.0),
    ({"x-wait-seconds": "7"}, None, "", 7.0),
    ({}, {"wait_seconds": 7}, "", 7.0),
    ({}, {"error": {"reset_in": "7s"}}, "", 7.0),
    ({}, {"error": "Model is loading", "estimated_time": 7.5}, "", 7.5),
    ({}, {"cooldown_minutes": 2}, "", 120.0),
    ({}, {"max_retries": 3, "retry_count": 2, "estimated_tokens": 9}, "", None),
    ({}, None, "Come back in 7 seconds", 7.0),
    ({}, None, "It ran for 30 seconds", None),
]


@pytest.mark.parametrize(("headers", "body", "words", "seconds"), WAITS)
def test_a_wait_is_known_wherever_it_stands(
    headers: dict[str, str], body: object, words: str, seconds: float | None
) -> None:
    wait = wait_seconds(headers, body, words, NOW)
    assert wait == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Too fast: 7 s", 7.0),
        ("5 requests per 60 seconds", None),
        ("5 per 1m, free in 7 seconds", 7.0),
        ("5 models", None),
    ],
)
def test_who_had_too_many_requests_means_a_wait_by_any_time(words: str, seconds: float | None) -> None:
    assert answer_error(NAME, 429, words).retry_after == seconds


@given(st.text(), st.recursive(st.text() | st.floats() | st.none(), lambda inner: st.dictionaries(st.text(), inner)))
def test_no_words_and_no_body_break_the_wait(words: str, body: Any) -> None:
    wait = wait_seconds({"x-ratelimit-reset": words, "retry-after": words}, body, words, NOW)
    assert wait is None or wait >= 0


# ---- fields that nobody uses ---------------------------------------------------------------------------------------

SHAPES: dict[str, dict[str, object]] = {
    "reasoning as an object": {"reasoning": {"text": "hm"}},
    "reasoning as a list": {"reasoning": ["hm"], "reasoning_content": [{"text": "hm"}]},
    "no refusal": {"refusal": False},
    "a refusal that is none": {"refusal": "none"},
    "a refusal as an object": {"refusal": {"reason": None}},
    "calls as an object": {"tool_calls": {}},
    "a call without shape": {"tool_calls": [3, {"function": "x"}]},
    "an index as text": {"tool_calls": [{"index": "0", "function": {"name": "x", "arguments": []}}]},
    "a role in the middle": {"role": 3, "audio": {}, "annotations": [None]},
}
CONTENTS: list[object] = [
    "yes",
    {"type": "text", "text": "yes"},
    ["yes"],
    [{"type": "output_text", "text": "yes"}],
    [{"type": "markdown", "text": "yes"}],
    [{"type": "scratch", "text": "no"}, {"type": "text", "text": "yes"}],
    [{"type": "reasoning_text", "text": "no"}, {"type": "markdown", "content": "yes"}],
    [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": {"value": "yes"}}],
    {"parts": [{"text": "y"}, {"text": "es"}]},
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("content", CONTENTS, ids=str)
async def test_a_field_that_nobody_uses_never_costs_the_words(shape: str, content: object) -> None:
    for body in (
        sse(piece({"content": "", **SHAPES[shape]}), piece({"content": content, **SHAPES[shape]}), piece({}, "stop")),
        json.dumps({"choices": [{"message": {"content": content, **SHAPES[shape]}, "finish_reason": "stop"}]}).encode(),
    ):
        called = await canned("groq:tiny", Page(body))[0].complete(ask(), Notebook())
        assert (called.text, called.finish, called.tools) == ("yes", "stop", ())


@pytest.mark.parametrize("numbers", [(1, 0), (0, 1), ("1", "0"), (2, 1)], ids=str)
async def test_one_choice_is_read_from_its_beginning_to_its_end(numbers: tuple[object, object]) -> None:
    def both(delta: str, first: dict[str, object]) -> dict[str, object]:
        says = [{"index": index, delta: {"content": str(index)}, **first} for index in numbers]
        return {"choices": says}

    lowest = min(map(str, numbers))
    whole = json.dumps(both("message", {"finish_reason": "stop"})).encode()
    for body in (whole, sse(both("delta", {}), both("delta", {}), both("delta", {"finish_reason": "stop"}))):
        called = await canned("groq:tiny", Page(body))[0].complete(ask(), Notebook())
        assert set(called.text) == {lowest}


@pytest.mark.parametrize(
    ("native", "finish"), [("STOP", "stop"), ("completed", "stop"), ("abort", "abort"), (None, "stop")]
)
async def test_the_mark_behind_a_gateway_counts_too(native: object, finish: str) -> None:
    choice: dict[str, object] = {"delta": {}, "finish_reason": "stop", "native_finish_reason": native}
    end: dict[str, object] = {"choices": [choice]}
    assert (await canned("groq:tiny", Page(sse(HALF, end)))[0].complete(ask(), Notebook())).finish == finish


async def test_a_whole_message_beside_pieces_is_heard_once() -> None:
    whole = {"content": "yes"}
    pieces = sse(
        piece({"content": "yes"}), {"choices": [{"delta": {"content": ""}, "message": whole, "finish_reason": "stop"}]}
    )
    alone = sse({"choices": [{"delta": {}, "message": whole, "finish_reason": "stop"}]})
    for body in (pieces, alone):
        assert (await canned("groq:tiny", Page(body))[0].complete(ask(), Notebook())).text == "yes"


async def test_blocks_of_odd_shape_cost_no_words_either() -> None:
    start: dict[str, object] = {
        "type": "content_block_start",
        "index": "0",
        "content_block": {"type": "text", "text": None, "input": None},
    }
    words: dict[str, object] = {
        "type": "content_block_delta",
        "index": ["0"],
        "delta": {"text": "yes", "partial_json": 3},
    }
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    body = sse(start, words, end, {"type": "message_stop"})
    assert (await canned("anthropic:claude-haiku-5-5", Page(body))[0].complete(ask(), Notebook())).text == "yes"


@pytest.mark.parametrize(
    ("delta", "words"),
    [
        ({"reasoning_content": "hm"}, "thought"),
        ({"tool_calls": [{"id": "a", "function": {"name": "web_search", "arguments": "{}"}}]}, "'web_search'"),
        ({"function_call": {"name": "web_search", "arguments": "{}"}}, "'web_search'"),
    ],
)
async def test_what_came_in_place_of_words_is_named_and_not_paid_twice(delta: dict[str, object], words: str) -> None:
    body = sse(piece(delta), piece({}, "stop"))
    with pytest.raises(ModelError, match=words) as caught:
        await canned("groq:tiny", Page(body))[0].complete(ask(), Notebook())
    assert (caught.value.kind, caught.value.again) == ("empty", False)
