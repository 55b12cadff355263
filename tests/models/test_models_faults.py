"""What providers' failures become: kinds, waits, and words without keys."""

import json

import pytest

from folkmoot.core.errors import ModelError, Refused, Unavailable, Unreadable
from folkmoot.models.names import Key, parse
from folkmoot.models.provider_errors import (
    LONGEST,
    ToldError,
    answer_error,
    malformed_error,
    provider_words,
    unreached_error,
)
from tests.models.models_kit import KEY

NAME = parse("groq:some-model")
NOW = 1_790_000_000.0  # Mon, 21 Sep 2026 14:13:20 GMT


@pytest.mark.parametrize(
    ("status", "detail", "kind", "of", "again"),
    [
        (401, "bad", "key", Unavailable, False),
        (403, "no", "request", Refused, False),
        (403, "Forbidden", "key", Unavailable, False),
        (402, "", "quota", Unavailable, False),
        (429, "maximum number of tokens a minute: see billing", "rate", Unavailable, True),
        (422, "prompt is too long", "too_long", Refused, False),
        (429, "slow down", "rate", Unavailable, True),
        (404, "model not found", "not_found", Unavailable, False),
        (400, "maximum context length is 8192", "too_long", Refused, False),
        (500, "input exceeds the available context size", "too_long", Refused, False),
        (413, "", "too_long", Refused, False),
        (400, "unknown field", "request", Refused, False),
        (302, "", "address", Unavailable, False),
        (405, "", "address", Unavailable, False),
        (407, "log in first", "address", Unavailable, False),
        (511, "", "address", Unavailable, False),
        (403, "<html>Access denied", "address", Unavailable, False),
        (400, "<p> is no tag of mine", "request", Refused, False),
        (502, "<html>Bad gateway", "server", Unavailable, True),
        (408, "", "server", Unavailable, True),
        (409, "", "server", Unavailable, True),
        (500, "oops", "server", Unavailable, True),
        (529, "overloaded", "server", Unavailable, True),
    ],
)
def test_statuses(status: int, detail: str, kind: str, of: type[ModelError], again: bool) -> None:
    error = answer_error(NAME, status, detail, headers={"retry-after": "4"})
    assert (type(error), error.kind, error.again) == (of, kind, again)
    assert error.retry_after == (4.0 if again else None)
    assert detail.removeprefix("<html>") in str(error) or kind == "key"
    assert "<html>" not in str(error)


def test_no_key_in_any_error() -> None:
    key = Key(KEY, "GROQ_API_KEY")
    for status in (400, 401, 402, 404, 413, 429, 500):
        error = answer_error(NAME, status, f"Incorrect key {KEY} given", key=key)
        assert KEY not in f"{error} {error!r}"
    assert "GROQ_API_KEY" in str(answer_error(NAME, 401, "", key=key))
    assert "refused the key (401)" in str(answer_error(NAME, 401, ""))


def test_other_errors() -> None:
    lost = unreached_error(NAME, "http://box", "")
    assert (lost.kind, lost.again, str(lost)) == ("connection", True, "no connection to groq at http://box")
    page = malformed_error(NAME, "<html>")
    assert isinstance(page, Unreadable)
    assert (page.kind, page.again) == ("garbled", True)
    assert str(page).endswith(": <html>")


def test_providers_words_are_one_short_line() -> None:
    assert provider_words("") == ""
    assert provider_words(" a\n\tb \x00\x1b[31m") == ": a b [31m"
    long = provider_words("x" * 1000)
    assert long == f": {'x' * LONGEST}…"


def nested(depth: int) -> str:
    """An error in an error, as text in text."""
    return json.dumps({"error": nested(depth - 1)}) if depth else '{"error": "no"}'


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"error": {"message": "no", "type": "rate_limit_error", "code": null}}', (0, "rate_limit_error", "no")),
        ({"error": {"message": "no", "code": 502, "metadata": {}}}, (502, "", "no")),
        ({"error": {"message": "no", "type": "x", "code": "insufficient_quota"}}, (0, "insufficient_quota", "no")),
        ({"type": "error", "error": {"type": "billing_error", "message": "no"}}, (0, "billing_error", "no")),
        ({"error": "no"}, (0, "", "no")),
        ('{"error": "{\\"error\\": {\\"message\\": \\"no\\"}}"}', (0, "", "no")),
        ([{"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}}], (400, "INVALID_ARGUMENT", "no")),
        ({"object": "error", "message": "no", "type": "invalid_request_error"}, (0, "invalid_request_error", "no")),
        ({"detail": "no"}, (0, "", "no")),
        ({"detail": [{"loc": ["body"], "msg": "no"}, {"msg": "never"}, "x", {"msg": 3}]}, (0, "", "no; never")),
        ({"message": 3, "code": True}, (0, "", "")),
        ("plain words", (0, "", "plain words")),
        ("3", (0, "", "3")),
        (b"\xff<html>", (0, "", "\ufffd<html>")),
        (b"", (0, "", "")),
        ([], (0, "", "")),
        (None, (0, "", "")),
        ("[" * 100_000, (0, "", "[" * 100_000)),
        (nested(10), (0, "", "")),
    ],
)
def test_what_a_provider_says_of_an_error(body: object, expected: tuple[int, str, str]) -> None:
    told = ToldError.read(body)
    assert (told.status, told.kind, told.words) == expected
