"""People over HTTP: what they are shown, how they answer, vote and speak up, and for whom a link lets them."""

import asyncio
import time
from pathlib import Path
from typing import cast

import httpx2
import pytest

from folkmoot.app.run.people import HUMAN
from folkmoot.core.event import Interjected, Replied
from tests.council.agents import own_place
from tests.web.web_kit import ADA, API, Web, opened

VOTE = f"---\nprotocol: panel\nstrategy: majority\n---\n{ADA}"
WHISPERS = "---\nprotocol: board\nrounds: 2\n---\n" + ADA


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


def filled(ask: dict[str, object]) -> dict[str, object]:
    """Something that fits in every field that is required."""
    fields: dict[str, object] = {}
    for field in cast("list[dict[str, object]]", ask["fields"]):
        choices = cast("list[str]", field["choices"])
        kinds: dict[str, object] = {"number": field["low"] or 0, "flag": True, "list": ["a point"]}
        if field["required"]:
            fields[str(field["name"])] = choices[0] if choices else kinds.get(str(field["kind"]), "Tea, I say.")
    return fields


async def answer_all(web: Web, client: httpx2.AsyncClient, debate: str) -> list[dict[str, object]]:
    """Answer every question until the debate is over; the questions."""
    put: list[dict[str, object]] = []
    ends = time.monotonic() + 120
    while debate in web.site.runner.running:
        assert time.monotonic() < ends, "the debate does not end"
        for ask in (await client.get(f"{API}/debates/{debate}/asks")).json()["asks"]:
            fields = filled(ask)
            body = {
                "who": ask["who"],
                "key": ask["key"],
                **({"fields": fields} if fields else {"words": "Tea, I say."}),
            }
            response = await client.post(f"{API}/debates/{debate}/asks/answer", json=body)
            assert response.status_code == 200, (ask, response.text)
            assert response.json()["key"] == ask["key"]
            put.append(ask)
        await asyncio.sleep(0.01)
    return put


async def test_a_person_is_shown_the_question_answers_and_votes(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        me = web.me
        debate = await web.begin(me, VOTE)
        (first,) = await web.asked(me, debate)
        assert first["who"] == "Ada"
        assert first["task"]
        assert first["fields"]
        put = await answer_all(web, me, debate)
        came = await web.site.runner.wait(debate)
        assert came.status != "paused"
        replies = [
            entry.event.reply for entry in await web.site.workspace.entries(debate) if isinstance(entry.event, Replied)
        ]
        assert sum(reply.asked == HUMAN for reply in replies) == len(put) >= 2
        votes = [ask for ask in put if ask["act"] == "vote"]
        assert votes
        assert votes[0]["about"], "the proposals are laid before the voter"
        assert (await me.get(f"{API}/debates/{debate}/asks")).json() == {"asks": []}
        late = await me.post(f"{API}/debates/{debate}/asks/answer", json={"words": "Late."})
        assert late.status_code == 409


async def test_an_answer_that_cannot_be_is_refused_and_the_question_stays(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        me = web.me
        debate = await web.begin(me, VOTE)
        (ask,) = await web.asked(me, debate)
        url = f"{API}/debates/{debate}/asks/answer"
        cases: list[tuple[dict[str, object], int]] = [
            ({"words": ""}, 422),
            ({"fields": {"nonsense": "x"}}, 422),
            ({"fields": {"CONFIDENCE": [1, 2]}}, 422),
            ({"fields": {"CONFIDENCE": 7}}, 422),
            ({"who": "Bob", "words": "Tea."}, 422),
            ({"key": "/nothing", "words": "Tea."}, 409),
            ({"words": "Tea.", "extra": 1}, 422),
        ]
        for body, status in cases:
            response = await me.post(url, json=body)
            assert response.status_code == status, (body, response.text)
        assert [waiting["key"] for waiting in await web.asked(me, debate)] == [ask["key"]]
        body = {"who": "Ada", "key": ask["key"], "fields": filled(ask)}
        async with asyncio.TaskGroup() as group:
            posts = [group.create_task(me.post(url, json=body)) for _ in range(3)]
        assert sorted(post.result().status_code for post in posts) == [200, 409, 409], "an answer counts once"


OFFICES_TRIED = (
    *("Moderator", "the Chair", "Owner", "Judge 2", "M\u043ederat0r", "C\u0131d", "A D A"),
    *("Retriever", "Vote weigher"),
    *(
        "Dr.Moderator",
        "the-moderator",
        "Mr-Judge",
        "Mr_Judge",
        "theModerator",
        "THEMODERATOR",
        "(Chair)",
        "x\u200bAdmin",
    ),
    *("Ada (finance)", "Dr.Ada", "mr-ada", "theAda", "Ben/Host", "_Cid_", "\u0391da from Rome", "Vice-Timekeeper"),
)
"""Names that suggest authority or look like another participant's."""


async def test_a_link_to_join_is_for_one_person(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        ann = web.ann
        brief = f"{ADA}\n## Cid (human)\nrole: Guest\n\nYou like milk.\n"
        debate = await web.begin(ann, brief)
        await web.asked(ann, debate)
        url = f"{API}/debates/{debate}"
        share = (await ann.post(f"{url}/shares", json={"right": "join", "who": "Cid"})).json()
        loose = (await ann.post(f"{url}/shares", json={"right": "join"})).json()
        cid, fan = web.client(token=share["token"]), web.client(token=loose["token"])
        assert (await cid.get(url)).json()["who"] == "Cid"
        asks = (await cid.get(f"{url}/asks")).json()["asks"]
        assert {ask["who"] for ask in asks} == {"Cid"}
        foreign = await cid.post(f"{url}/asks/answer", json={"who": "Ada", "words": "Tea."})
        assert foreign.status_code == 403
        nobody = await fan.post(f"{url}/asks/answer", json={"words": "Tea."})
        assert nobody.status_code == 403
        assert (await cid.post(f"{url}/asks/answer", json={"fields": filled(asks[0])})).status_code == 200
        for client, by, status in (
            (cid, "Ada", 422),
            (cid, "Cid", 201),
            (cid, "Fan", 422),
            (fan, "Cid", 422),
            (fan, "Ben", 422),
        ):
            answer = await client.post(f"{url}/interjections", json={"by": by, "words": "Think of milk."})
            assert answer.status_code == status, (by, answer.text)
        for by in ("Fan", "Adam", "Benita", "Dr. Canada", "Placid Lake"):
            words = "Milk!" if by == "Fan" else "Hm."
            assert (await fan.post(f"{url}/interjections", json={"by": by, "words": words})).status_code == 201, by
        for by in OFFICES_TRIED:
            answer = await fan.post(f"{url}/interjections", json={"by": by, "words": "Stop."})
            assert answer.status_code == 422, (by, answer.text)
        body = {"by": "Fan", "words": "Why?", "to": "T9"}
        assert (await fan.post(f"{url}/interjections", json=body)).status_code == 422, "no such turn"
        shown = (await ann.get(f"{url}/asks")).json()["asks"]
        assert ["Fan", "Milk!"] in shown[0]["meanwhile"]
        for right in ("stop", "resume", "fork", "resolve", "shares"):
            body: dict[str, object] = {"answer": "x"} if right == "resolve" else {}
            assert (await cid.post(f"{url}/{right}", json=body)).status_code == 403
        web.site.runner.stop(debate)


async def test_what_is_said_from_outside_is_heard(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        me = web.me
        debate = await web.begin(me, ADA)
        await web.asked(me, debate)
        url = f"{API}/debates/{debate}/interjections"
        assert (await me.post(url, json={"by": "Boss", "words": "Think of the price."})).json() == {"number": 1}
        for body in ({"by": "Ben", "words": "x"}, {"by": "", "words": "x"}, {"by": "Boss", "words": ""}, {"by": "x"}):
            assert (await me.post(url, json=body)).status_code == 422, body
        await answer_all(web, me, debate)
        words = [
            entry.event.text
            for entry in await web.site.workspace.entries(debate)
            if isinstance(entry.event, Interjected)
        ]
        assert words == ["Think of the price."]
        assert (await me.post(url, json={"by": "Boss", "words": "Late."})).status_code == 409


async def test_whispers_are_for_nobody_with_a_link(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        ann = web.ann
        debate = await web.begin(ann, WHISPERS)
        await web.asked(ann, debate)
        url = f"{API}/debates/{debate}"
        share = (await ann.post(f"{url}/shares", json={"right": "view"})).json()
        bob = web.client(token=share["token"])
        for route in ("map", "analysis", "report.md", "report.json", "entries?form=entries"):
            assert (await bob.get(f"{url}/{route}")).status_code == 403, route
        assert (await bob.get(f"{url}/entries")).status_code == 200
        assert (await ann.get(f"{url}/report.md")).status_code == 200
        web.site.runner.stop(debate)
