"""Bodies of requests that readers could take in different ways, and places of faults as people know them."""

from pathlib import Path

import pytest

from tests.web.web_kit import API, JSON, opened


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"brief": "Tea?", "brief": "Coffee?"}', "the body has the key 'brief' twice"),
        (b'{"brief": "Tea?", "limits": {"cost": 1, "cost": 9}}', "the body has the key 'cost' twice"),
        (b'{"brief": "Tea?", "seed": NaN}', "NaN is not a number in JSON"),
        (b'{"brief": "Tea?", "limits": {"cost": -Infinity}}', "-Infinity is not a number in JSON"),
        (b'{"brief": "Tea?", "limits": {"cost": 1e999}}', "a number in the body is too large"),
        (b'{"brief": "Tea?", "seed": ' + b"9" * 5000 + b"}", "a number in the body is too large"),
        (b'{"brief": "Tea? \\ud800"}', "a text in the body contains half a character (a lone surrogate)"),
        (b'{"brief": "Tea? \xff"}', "the body is not UTF-8"),
        (b'{"brief": ', "the body is not JSON: Expecting value at line 1, column 11"),
        (b'{"brief": ' + b"[" * 200_000, "the body is nested too deeply"),
    ],
)
async def test_a_body_says_each_thing_once(tmp_path: Path, body: bytes, message: str) -> None:
    async with opened(tmp_path) as web:
        answer = await web.ann.post(f"{API}/check", content=body, headers=JSON)
        assert (answer.status_code, answer.json()["detail"], answer.json()["code"]) == (400, message, "bad_request")


async def test_participants_are_asked_for_in_one_of_the_ways_that_there_are(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        body = {"brief": "# Tea?", "models": ["builtin:quotes"], "participants": "bultin"}
        answer = await web.ann.post(f"{API}/check", json=body)
        assert (answer.status_code, answer.json()["detail"].partition(": ")[2]) == (
            422,
            "Input should be '', 'builtin' or 'new'",
        )
        assert (await web.ann.post(f"{API}/check", json={**body, "participants": "builtin"})).status_code == 200


async def test_halves_of_a_character_that_belong_together_are_one(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        body = b'{"brief": "# Tea \\ud83c\\udf75?", "models": ["builtin:quotes"], "participants": "builtin"}'
        assert (await web.ann.post(f"{API}/check", content=body, headers=JSON)).status_code == 200


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"brief": 7}, "body.brief: Input should be a valid string, or Input should be a valid dictionary"),
        ({"brief": "Tea?", "limits": {"asks": 0}}, "limits.asks must be from 1 to 10,000, not 0"),
        ({"brief": "Tea?", "limits": {"cost": "much"}}, "limits.cost is 'much'; it must be a number"),
    ],
)
async def test_a_fault_is_named_by_its_place_alone(tmp_path: Path, body: dict[str, object], message: str) -> None:
    async with opened(tmp_path) as web:
        detail = (await web.ann.post(f"{API}/check", json=body)).json()["detail"]
        assert detail.startswith(message)
        assert "constrained" not in detail
        assert "[" not in detail
