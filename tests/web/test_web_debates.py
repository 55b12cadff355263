"""The API of debates as a whole: begin, check, list, state, stop, resume, fork, resolve."""

import asyncio
import json
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.plan.settings import load_config
from folkmoot.app.serve.brief_view import request_body
from folkmoot.core.errors import FolkmootError
from tests.council.agents import own_place
from tests.web.web_kit import ADA, API, BEN, QUOTES, SERVING, Slow, names, opened


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    own_place(tmp_path, monkeypatch)
    return tmp_path


async def test_a_debate_begins_from_markdown_and_ends(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        me = web.me
        response = await me.post(f"{API}/debates", json={"brief": QUOTES, "models": ["builtin:quotes"]})
        debate = response.json()["id"]
        assert response.status_code == 201
        assert response.headers["location"] == f"{API}/debates/{debate}"
        await web.site.runner.wait(debate)
        state = (await me.get(f"{API}/debates/{debate}")).json()
    assert (state["status"], state["runs"], state["right"], state["topic"]) == (
        "decided",
        False,
        "own",
        "Tea or coffee?",
    )
    assert state["sums"]["asked"] == state["sums"]["done"] > 2
    assert state["decision"]["status"] == "decided"


async def test_the_same_settings_as_json(tmp_path: Path) -> None:
    brief = {
        "topic": "Tea: or \u2028 coffee? \U0001f375",
        "rounds": 1,
        "protocol": "panel",
        "participants": [{"name": "Ann", "model": "builtin:quotes"}, {"name": "Bob", "model": "builtin:quotes"}],
        "context": "Tea is\ncalm.",
    }
    async with opened(tmp_path) as web:
        response = await web.me.post(f"{API}/check", json={"brief": brief})
        assert response.status_code == 200, response.text
        plan = response.json()
    assert [participant["name"] for participant in plan["participants"]] == ["Ann", "Bob"]
    assert plan["topic"].startswith("Tea: or")
    assert plan["topic"].endswith("\U0001f375")
    assert plan["calls"]["least"] == 0
    assert plan["asks"]["least"] >= 2


BAD = [
    ("", "missing_topic"),
    ("---\nprotocol: nonsense\n---\n# Tea?", "bad_enum"),
    ("---\nbackground: [/etc/passwd]\n---\n# Tea?", "unsafe_path"),
    ("---\nlibrary: notes.md\n---\n# Tea?", "unsafe_path"),
    ("# Tea?\n\n## Ann (acp:claude)\nrole: x\n\n## Bob (builtin:quotes)\nrole: x\n", "not_here"),
    ("---\nmodel: acp:claude\n---\n# Tea?", "not_here"),
    ("# Tea?\n\n## Ann (builtin:quotes)\ntool_usage: [mcp:files]\n\n## Bob (builtin:quotes)\nrole: x\n", "not_here"),
    ("---\nbase_url: http://evil\n---\n# Tea?", "unknown_key"),
    ({"topic": "Tea?", "background": ["/etc/passwd"]}, "unsafe_path"),
    ({"topic": "Tea?", "library": "x.md"}, "unsafe_path"),
    ({"topic": "Tea?", "api_key": "x"}, "unknown_key"),
    ({"topic": "Tea?", "limits": {"cost": -1}}, "out_of_range"),
    ("# Tea?\n\n## Ann (http://evil:1/x)\nrole: x\n\n## Bob\nrole: y", None),
]


@pytest.mark.parametrize(("brief", "code"), BAD)
@pytest.mark.parametrize("route", ["debates", "check"])
async def test_a_brief_from_elsewhere_reads_and_names_nothing_of_the_machine(
    tmp_path: Path, brief: object, code: str | None, route: str
) -> None:
    async with opened(tmp_path) as web:
        response = await web.me.post(f"{API}/{route}", json={"brief": brief})
        assert response.status_code == 422, response.text
        problem = response.json()
        assert problem["code"] == code or code is None
        assert response.headers["content-type"] == "application/problem+json"
        assert "root:" not in response.text
        assert not web.site.runner.running
        assert not (await web.me.get(f"{API}/debates")).json()["debates"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"brief": 3},
        {"brief": QUOTES, "extra": 1},
        {"brief": QUOTES, "seed": -1},
        {"brief": QUOTES, "participants": "other"},
        {"brief": QUOTES, "limits": {"cost": -1}},
        {"brief": QUOTES, "models": ["nobody:x"]},
        [],
    ],
)
async def test_bodies_that_cannot_be_are_told_without_what_was_sent(tmp_path: Path, body: object) -> None:
    async with opened(tmp_path) as web:
        response = await web.me.post(f"{API}/debates", json=body)
    assert response.status_code == 422
    assert set(response.json()) == {"type", "title", "status", "detail", "code"}


async def test_a_body_that_is_no_json_or_no_text(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        for content in (b"{", b'{"brief": "\xff"}', b""):
            response = await web.me.post(
                f"{API}/debates", content=content, headers={"Content-Type": "application/json"}
            )
            assert response.status_code in (400, 422), response.text
            assert response.headers["content-type"] == "application/problem+json"


async def test_a_token_of_others_sees_nothing_of_memory(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        for brief in ("---\nrecall: yes\n---\n# Tea?", f"{ADA}\n## Keeper (retriever)\n"):
            response = await web.ann.post(f"{API}/check", json={"brief": brief})
            assert (response.status_code, response.json()["code"]) == (422, "not_here")
        for route in ("ratings", "calibration", "memory?q=tea"):
            assert (await web.ann.get(f"{API}/{route}")).status_code == 403


async def test_a_key_counts_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        ann, key = web.ann, {"Idempotency-Key": "once"}
        body = {"brief": QUOTES, "models": ["builtin:quotes"], "participants": "builtin"}
        one, two = [await ann.post(f"{API}/debates", json=body, headers=key) for _ in range(2)]
        assert one.status_code == two.status_code == 201
        debate = one.json()["id"]
        assert debate == two.json()["id"]
        await web.site.runner.wait(debate)
        again = await ann.post(f"{API}/debates", json=body, headers=key)
        assert again.json() == {"id": debate, "casting": "", "runs": False}
        other = await ann.post(f"{API}/debates", json={**body, "seed": 7}, headers=key)
        assert (other.status_code, other.json()["code"]) == (409, "record")
        his = await web.ben.post(f"{API}/debates", json={**body, "seed": 7}, headers=key)
        assert his.status_code == 201
        assert his.json()["id"] != debate
        assert len((await ann.get(f"{API}/debates")).json()["debates"]) == 1


async def test_the_same_request_twice_at_once_is_one_debate(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        me = web.me
        body = {"brief": QUOTES, "models": ["builtin:quotes"], "participants": "builtin"}
        async with asyncio.TaskGroup() as group:
            posts = [
                group.create_task(me.post(f"{API}/debates", json=body, headers={"Idempotency-Key": "k"}))
                for _ in range(4)
            ]
        assert len({post.result().json()["id"] for post in posts}) == 1
        assert {post.result().status_code for post in posts} == {201}


async def test_the_same_fork_asked_for_at_once_is_one_debate(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        ann, key = web.ann, {"Idempotency-Key": "f"}
        debate = await web.ended(ann)

        async def ask(at: int) -> tuple[int, str]:
            body = {"at": at, "start": at == 2}
            came = await ann.post(f"{API}/debates/{debate}/fork", json=body, headers=key)
            return came.status_code, str(came.json().get("id", came.json().get("code")))

        async with asyncio.TaskGroup() as group:
            posts = [group.create_task(ask(2)) for _ in range(4)]
        (came,) = {post.result() for post in posts}
        assert came[0] == 201
        assert await ask(3) == (409, "record")
        assert (await ann.get(f"{API}/debates/{came[1]}")).json()["right"] == "own"
        await web.site.runner.wait(came[1])
        laid = {"brief": QUOTES, "models": ["builtin:quotes"], "participants": "builtin", "start": False}
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(ann.post(f"{API}/debates", json=laid, headers={"Idempotency-Key": "l"}))
                for _ in range(4)
            ]
        assert {task.result().status_code for task in tasks} == {201}
        assert len({task.result().json()["id"] for task in tasks}) == 1


async def test_a_debate_that_is_only_laid_down_begins_by_resume(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        me = web.me
        debate = await web.begin(me, start=False)
        state = (await me.get(f"{API}/debates/{debate}")).json()
        assert (state["status"], state["runs"], state["entries"]) == ("open", False, 1)
        response = await me.post(f"{API}/debates/{debate}/resume", json={})
        assert response.status_code == 200
        await web.site.runner.wait(debate)
        assert (await me.get(f"{API}/debates/{debate}")).json()["status"] == "decided"
        over = await me.post(f"{API}/debates/{debate}/resume", json={})
        assert (over.status_code, over.json()["status"]) == (200, "decided")


async def test_a_list_is_searched_filtered_and_paged(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        me = web.me
        debates = [
            await web.ended(me, brief=f"# Is {word} good?\n\nIt is.") for word in ("tea", "milk", "tea and milk")
        ]
        left = await web.begin(me, start=False)
        rows = (await me.get(f"{API}/debates")).json()["debates"]
        assert names(rows) == [left, *debates[::-1]]
        assert rows[1]["participants"]
        assert rows[1]["decision"]["strength"] is not None
        assert [(row["models"], row["cost"]) for row in rows] == [(["builtin:quotes"], 0.0)] * 4
        assert names((await me.get(f"{API}/debates?q=TEA good")).json()["debates"]) == [debates[2], debates[0]]
        begun = rows[0]["at"]
        for filters, wanted in (
            ("status=open", [left]),
            ("protocol=panel", [left, *debates[::-1]]),
            ("protocol=council", []),
            ("model=QUOTES", [left, *debates[::-1]]),
            ("model=other", []),
            (f"until={begun}", debates[::-1]),
            (f"since={begun}&model=quotes", [left]),
        ):
            assert names((await me.get(f"{API}/debates?{filters}")).json()["debates"]) == wanted, filters
        first = (await me.get(f"{API}/debates?limit=2")).json()
        second = (await me.get(f"{API}/debates?limit=2&after={first['next']}")).json()
        assert names(first["debates"]) + names(second["debates"]) == [left, *debates[::-1]]
        assert second["next"] is None
        assert (await me.get(f"{API}/debates?after=nobody")).status_code == 422
        assert (await me.get(f"{API}/debates?limit=0")).status_code == 422
        assert (await web.ann.get(f"{API}/debates")).json()["debates"] == []


async def test_several_are_deleted_and_one_that_runs_is_refused(tmp_path: Path) -> None:
    slow = Slow()
    async with opened(tmp_path, models={"slow": slow}) as web:
        me, ended = web.me, [await web.ended(web.me) for _ in range(2)]
        running = await web.begin(me, models=["guest:slow"])
        await slow.asked.wait()
        body = {"debates": [*ended, running, "nobody", ended[0]]}
        assert (await web.ann.post(f"{API}/debates/delete", json=body)).json()["deleted"] == []
        gone = (await me.post(f"{API}/debates/delete", json=body)).json()
        assert (names(gone["deleted"]), names(gone["refused"])) == (ended, [running, "nobody"])
        assert names((await me.get(f"{API}/debates")).json()["debates"]) == [running]
        assert (await me.post(f"{API}/debates/delete", json={"debates": []})).status_code == 422
        web.site.runner.stop(running, now=True)


async def test_stop_at_once_and_resume(tmp_path: Path) -> None:
    slow = Slow()
    async with opened(tmp_path, models={"slow": slow}) as web:
        me = web.me
        debate = await web.begin(me, models=["guest:slow"])
        await slow.asked.wait()
        state = (await me.get(f"{API}/debates/{debate}")).json()
        assert (state["status"], state["runs"]) == ("open", True)
        assert (await me.post(f"{API}/debates/{debate}/stop", json={"now": True})).status_code == 200
        came = await web.site.runner.wait(debate)
        assert (came.status, came.kind) == ("paused", "stopped")
        state = (await me.get(f"{API}/debates/{debate}")).json()
        assert (state["status"], state["kind"]) == ("paused", "stopped")
        slow.go.set()
        assert (await me.post(f"{API}/debates/{debate}/resume", json={"limits": {"asks": 400}})).status_code == 200
        assert (await web.site.runner.wait(debate)).status == "decided"
        stopped = await me.post(f"{API}/debates/{debate}/stop", json={})
        assert stopped.json()["status"] == "decided", "who stops what is over changes nothing"


async def test_a_full_hall_refuses_clearly(tmp_path: Path) -> None:
    slow = Slow()
    async with opened(tmp_path, models={"slow": slow}, serving=SERVING) as web:
        web.site.runner.most = 1
        me = web.me
        debate = await web.begin(me, models=["guest:slow"])
        response = await me.post(f"{API}/debates", json={"brief": QUOTES, "models": ["builtin:quotes"]})
        assert (response.status_code, response.json()["code"]) == (429, "full")
        assert response.headers["retry-after"]
        web.site.runner.stop(debate, now=True)


async def test_fork_at_an_entry_and_with_another_answer(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        me = web.me
        debate = await web.ended(me)
        url = f"{API}/debates/{debate}/fork"
        answer = await me.post(url, json={"at": 2})
        assert answer.status_code == 201
        fork = answer.json()["id"]
        await web.site.runner.wait(fork)
        assert (await me.get(f"{API}/debates/{fork}")).json()["forked"] == f"{debate}@2"
        second = await me.post(url, json={"answer": {"turn": "T1", "words": "Milk!"}, "start": False})
        assert second.status_code == 201, second.text
        assert (await me.post(url, json={})).json()["code"] == "missing_key"
        assert (await me.post(url, json={"at": 999})).json()["code"] == "out_of_range"
        assert (await me.post(url, json={"at": 2, "brief": {"topic": "x", "library": "y"}})).status_code == 422
        key = {"Idempotency-Key": "f"}
        one, two = [await me.post(url, json={"at": 3, "start": False}, headers=key) for _ in range(2)]
        assert one.json()["id"] == two.json()["id"]
        assert (await me.post(url, json={"at": 2}, headers=key)).status_code == 409
        assert (await me.get(f"{API}/compare?a={fork}")).status_code == 200
        assert (await me.get(f"{API}/compare?a={debate}&b={fork}")).status_code == 200
        assert (await me.get(f"{API}/compare?a={debate}")).status_code == 422
        assert (await me.get(f"{API}/compare?a=")).status_code == 422
        assert (await me.get(f"{API}/compare?a=nobody-1&b={fork}")).status_code == 404


async def test_resolve_says_what_was_right(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        me = web.me
        debate, running = await web.ended(me), await web.begin(me, start=False)
        assert (await me.post(f"{API}/debates/{debate}/resolve", json={"answer": "Tea"})).status_code == 200
        assert (await me.post(f"{API}/debates/{running}/resolve", json={"answer": "Tea"})).status_code == 409
        assert (await me.post(f"{API}/debates/{debate}/resolve", json={"answer": ""})).status_code == 422
        assert (await me.get(f"{API}/memory?q=tea")).json()[0]["debate"] == debate
        assert (await me.get(f"{API}/ratings")).json() == []
        assert (await me.get(f"{API}/calibration")).json() == {}


async def test_participants_are_made_before_a_debate_is_on_record(tmp_path: Path) -> None:
    slow = Slow("{")
    async with opened(tmp_path, models={"slow": slow}) as web:
        me = web.me
        response = await me.post(f"{API}/debates", json={"brief": QUOTES, "models": ["guest:slow"]})
        debate, casting = response.json()["id"], response.json()["casting"]
        assert response.status_code == 201
        assert casting.startswith("cast-")
        state = (await me.get(f"{API}/debates/{debate}")).json()
        assert (state["status"], state["casting"], state["runs"]) == ("casting", casting, True)
        assert (await me.post(f"{API}/debates/{debate}/resume", json={})).status_code == 409
        assert (await me.get(f"{API}/debates/{debate}/report.md")).status_code == 409
        assert (await me.get(f"{API}/debates/{debate}/asks")).json() == {"asks": []}
        web.site.runner.stop(debate)
        web.site.runner.stop(debate, now=True)
        with pytest.raises(FolkmootError, match="stopped while its participants were generated; start it again"):
            await web.site.runner.wait(debate)
        refused = await me.post(f"{API}/debates", json={"brief": QUOTES, "models": ["guest:slow"], "start": False})
        assert (refused.status_code, refused.json()["code"]) == (422, "inconsistent")


async def test_what_is_served_is_told_without_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789abcdef")
    async with opened(tmp_path) as web:
        me = web.me
        answers = [await me.get(f"{API}/{name}") for name in ("info", "models", "protocols", "openapi.json")]
        assert [answer.status_code for answer in answers] == [200] * 4
        assert "openai" in answers[1].json()["keys"]
        assert not any("canary" in answer.text for answer in answers)
        assert "panel" in answers[2].json()["protocols"]
        assert (await web.ben.get(f"{API}/info")).json()["name"] == "ben"
        assert BEN not in json.dumps((await web.ben.get(f"{API}/info")).json())


async def test_a_person_is_waited_for(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        me = web.me
        debate = await web.begin(me, ADA)
        await web.asked(me, debate)
        state = (await me.get(f"{API}/debates/{debate}")).json()
        assert state["waits_for"][0]["name"] == "Ada"
        assert state["runs"]


async def test_a_preset_fills_in_a_request_and_is_there_for_its_tokens_only(tmp_path: Path) -> None:
    text = "[presets.calm]\nmodels = ['builtin:quotes']\nprotocol = 'gate'\ncost = 0.5\nwho = ['ann']\n"
    (tmp_path / "folkmoot.toml").write_text(text)
    presets = load_config(tmp_path).presets
    async with opened(tmp_path) as web:
        web.site.runner.config = replace(web.site.runner.config, presets=presets)
        web.site.workspace.config = web.site.runner.config
        body = {"brief": QUOTES, "preset": "calm"}
        plan = (await web.ann.post(f"{API}/check", json=body)).json()
        in_the_brief = await web.ann.post(f"{API}/check", json={"brief": {"topic": "Tea?", "preset": "calm"}})
        refused = await web.ben.post(f"{API}/check", json=body)
        above = await web.ann.post(f"{API}/check", json={**body, "limits": {"cost": 0.25}})
        begun = await web.begin(web.ann, preset="calm", models=[])
        other = await web.ann.post(f"{API}/debates", json=body, headers={"Idempotency-Key": "k"})
        same_key = await web.ann.post(f"{API}/debates", json={"brief": QUOTES}, headers={"Idempotency-Key": "k"})
        await web.site.runner.wait(begun)
        await web.site.runner.wait(other.json()["id"])
        state = (await web.ann.get(f"{API}/debates/{begun}")).json()
    assert (plan["protocol"], state["protocol"], in_the_brief.json()["protocol"]) == ("gate", "gate", "gate")
    assert above.status_code == 200
    assert (refused.status_code, refused.json()["code"]) == (422, "bad_enum")
    assert refused.json()["detail"].startswith("there is no preset 'calm'")
    assert same_key.status_code == 409, "a request with another preset is another request"


ROLES = """---
protocol: round_robin
rounds: 1
seed: 3
limits: {cost: 2}
---
# Tea or coffee?

Tea is *calm*.

## Rules

Be short.

## Options

- Tea
- Coffee

## Ada (builtin:quotes)
role: Host

You like tea.

## Ben (builtin:quotes)

You like coffee.
"""


async def test_a_brief_is_shown_run_again_and_deleted(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        me, debate = web.me, await web.ended(web.me, brief=ROLES)
        brief = (await me.get(f"{API}/debates/{debate}/brief")).json()
        assert re.fullmatch(r'<p data-line="\d+">Tea is <em>calm</em>\.</p>\n', brief["background"][0]["html"])
        assert (brief["rounds"], brief["messages"]) == (1, 0)
        assert (brief["rules"]["html"], brief["options"]) == ("<p>Be short.</p>\n", ["Tea", "Coffee"])
        assert [(who["name"], who["role"], who["persona"]["html"]) for who in brief["participants"]] == [
            ("Ada", "Host", "<p>You like tea.</p>\n"),
            ("Ben", "You like coffee", "<p>You like coffee.</p>\n"),
        ]
        assert brief["limits"] == {"cost": 2.0}
        for text in (
            "protocol: ",
            "rounds: 1",
            "seed: 3",
            "  cost: 2.0",
            "## Rules",
            "- Coffee",
            "### Ada",
            "You like",
        ):
            assert text in brief["markdown"]
        edited = await web.ended(me, brief=brief["markdown"])
        answer = await me.post(f"{API}/debates/{debate}/again", json={"rounds": 2}, headers={"Idempotency-Key": "k"})
        again = answer.json()["id"]
        assert (
            await me.post(f"{API}/debates/{debate}/again", json={"rounds": 2}, headers={"Idempotency-Key": "k"})
        ).json()["id"] == again
        await web.site.runner.wait(again)
        protocols = [(await me.get(f"{API}/debates/{name}/brief")).json()["protocol"] for name in (edited, again)]
        assert protocols == ["round_robin", "round_robin"]
        assert (await me.get(f"{API}/debates/{debate}/verify")).json()["intact"]
        assert (await me.get(f"{API}/debates/{debate}/map")).status_code == 200
        gone = await me.delete(f"{API}/debates/{debate}")
        assert (gone.json()["id"], gone.json()["forks"]) == (debate, [])
        assert (await me.get(f"{API}/debates/{debate}")).status_code == 404
        assert (await me.get(f"{API}/debates/{again}")).status_code == 200


async def test_a_token_runs_again_within_its_limits_and_a_link_reads_no_persona(tmp_path: Path) -> None:
    slow = Slow()
    async with opened(tmp_path, models={"slow": slow}) as web:
        debate = await web.ended(web.ann, brief=ROLES)
        again = (await web.ann.post(f"{API}/debates/{debate}/again", json={})).json()["id"]
        await web.site.runner.wait(again)
        assert [row["id"] for row in (await web.ann.get(f"{API}/debates")).json()["debates"]] == [again, debate]
        link = (await web.ann.post(f"{API}/debates/{debate}/shares", json={"right": "view"})).json()
        brief = (await web.client(token=link["token"]).get(f"{API}/debates/{debate}/brief")).json()
        assert (brief["markdown"], {who["persona"]["html"] + who["model"] for who in brief["participants"]}) == (
            "",
            {""},
        )
        running = await web.begin(web.ann, models=["guest:slow"])
        assert (await web.ann.delete(f"{API}/debates/{running}")).status_code == 409
        await web.ann.post(f"{API}/debates/{running}/stop", json={"now": True})
        await web.site.runner.wait(running)
        state = (await web.ann.get(f"{API}/debates/{running}")).json()
        assert [way["action"] for way in state["ways"]] == ["resume"]


async def test_a_paused_debate_says_what_to_do_as_a_command_and_as_a_request(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        debate = await web.ended(web.me, brief=QUOTES.replace("# Tea", "---\nlimits: {asks: 1}\n---\n# Tea"))
        state = (await web.me.get(f"{API}/debates/{debate}")).json()
        assert state["status"] == "paused"
        (way,) = state["ways"]
        assert way["command"] == f"folkmoot resume {debate} --max-questions 2"
        assert (way["action"], way["body"]) == ("resume", {"limits": {"asks": 2}})
        assert (await web.me.post(f"{API}/debates/{debate}/{way['action']}", json=way["body"])).status_code == 200


def test_a_command_as_a_request() -> None:
    assert request_body("folkmoot again x --protocol moderated") == ("again", {"protocol": "moderated"})
    assert request_body("folkmoot again x --rounds 6") == ("again", {"rounds": 6})
    assert request_body("folkmoot resume x --budget 0.5") == ("resume", {"limits": {"cost": 0.5}})
    assert request_body("folkmoot show --recount x") == ("recount", {})
    assert request_body("folkmoot again x --protocol moderated -m Moderator=human") is None
    assert request_body("folkmoot models") is None


async def test_a_bare_question_that_the_built_in_agent_answers_leads_to_a_language_model(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        debate = await web.ended(web.me, brief="# Tea or coffee?\n")
        response = await web.me.get(f"{API}/debates/{debate}")
        assert response.status_code == 200
        assert "folkmoot models" in [way["command"] for way in response.json()["ways"]]


async def test_a_damaged_record_is_told(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        debate = await web.ended(web.me)
        assert (await web.me.get(f"{API}/debates/{debate}/verify")).json()["problem"] == ""
        with closing(sqlite3.connect(tmp_path / "folkmoot.sqlite")) as file, file:
            file.execute("update folkmoot_line set text = replace(text, 'calm', 'wild') where debate = ?", (debate,))
        answer = (await web.me.get(f"{API}/debates/{debate}/verify")).json()
        assert (answer["intact"], answer["head"]) == (False, "")
        assert "hash" in answer["problem"] or "entry" in answer["problem"]
