"""The one guard of requests over the network, by itself."""

import pytest

from folkmoot.app.run.access import hash_of
from folkmoot.app.serve.request_guard import Refusal, RequestGuard, bearer, token_name

HOST = {"host": "here:80"}


def guard(requests: int = 600) -> RequestGuard:
    """A guard of a server that is called ``here``."""
    return RequestGuard(frozenset({"here:80"}), requests, clock=lambda: 0.0)


@pytest.mark.parametrize(
    "headers",
    [
        HOST,
        {"host": "HERE:80"},
        {**HOST, "origin": "http://here:80"},
        {**HOST, "sec-fetch-site": "same-origin"},
        {**HOST, "sec-fetch-site": "none"},
        {**HOST, "cookie": "a=b"},
    ],
)
def test_requests_of_ones_own_pass(headers: dict[str, str]) -> None:
    assert guard().check_page(headers, scheme="http") is None


@pytest.mark.parametrize(
    ("headers", "code", "live"),
    [
        ({}, "host", False),
        ({"host": "elsewhere:80"}, "host", False),
        ({**HOST, "origin": "http://evil"}, "origin", False),
        ({**HOST, "origin": "https://here:80"}, "origin", False),
        ({**HOST, "origin": "null"}, "origin", False),
        ({**HOST, "sec-fetch-site": "cross-site"}, "origin", False),
        ({**HOST, "cookie": "a=b"}, "origin", True),
    ],
)
def test_what_a_foreign_page_sends_is_refused(headers: dict[str, str], code: str, live: bool) -> None:
    refusal = guard().check_page(headers, scheme="ws" if live else "http", live=live)
    assert refusal is not None
    assert (refusal.status, refusal.code, refusal.wait) == (403, code, 0)


def test_any_page_may_lead_to_a_page_and_none_may_post_to_it() -> None:
    headers = {**HOST, "sec-fetch-site": "cross-site"}
    assert guard().check_page(headers, scheme="http", page=True) is None
    assert guard().check_page({**headers, "origin": "http://evil"}, scheme="http", page=True) is not None


def test_too_many_requests_of_one_are_refused_and_others_are_not() -> None:
    checks = guard(2)
    assert [checks.check_rate("Ann") for _ in range(2)] == [None, None]
    assert checks.check_rate("Ann") == Refusal(429, "too many requests; try again later", wait=31)
    assert checks.check_rate("Bob") is None


@pytest.mark.parametrize(
    ("sent", "secret"), [("Bearer abc", "abc"), ("bearer  abc ", "abc"), ("Basic abc", ""), ("", ""), ("Bearer", "")]
)
def test_a_token_is_read_from_its_header_alone(sent: str, secret: str) -> None:
    assert bearer({"authorization": sent} if sent else {}) == secret


def test_a_token_is_known_by_its_hash() -> None:
    tokens = {"ann": hash_of("one"), "bob": hash_of("two"), "nobody": hash_of("")}
    assert [token_name(tokens, secret) for secret in ("one", "two", "three", "")] == ["ann", "bob", None, None]
