"""What is read from records over HTTP, the pages, and the limits that the owner sets."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from folkmoot.app.plan.settings import load_config, user_file
from folkmoot.app.plan.settings_tables import Serving
from folkmoot.app.run.access import claimed
from folkmoot.app.run.outcome import opening
from folkmoot.app.serve.spending import spent
from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.brief import Limits
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Asked, Called
from folkmoot.models.base import Request
from folkmoot.testing.scripted import ScriptedModel
from folkmoot.web import pages
from tests.council.agents import own_place
from tests.web.web_kit import API, QUOTES, SERVING, WORDS, Slow, Web, names, opened, until


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


BEGINS = {
    "md": b"# ",
    "json": b"{",
    "html": b"<!doctype html>",
    "pdf": b"%PDF",
    "mmd": b"flowchart",
    "argdown": b"===",
}


async def test_a_report_in_every_form(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        me = web.me
        web.site.kept.pdf_seconds = 600  # a busy machine takes long, and time is not what this is about
        debate = await web.ended(me)
        for form, begin in BEGINS.items():
            response = await me.get(f"{API}/debates/{debate}/report.{form}")
            if form == "pdf" and response.status_code == 422:
                assert response.json()["code"] == "no_library"
                continue
            assert response.status_code == 200, form
            assert response.content.startswith(begin), form
            assert f"{debate}.{form}" in response.headers["content-disposition"]
        html = await me.get(f"{API}/debates/{debate}/report.html")
        assert html.headers["content-security-policy"].startswith("sandbox")
        alive = await me.get(f"{API}/debates/{debate}/report.html?replay=true")
        assert alive.status_code in (200, 422), "where the app is built"
        assert (await me.get(f"{API}/debates/{debate}/report.docx")).status_code == 422
        log = await me.get(f"{API}/debates/{debate}/report.verbose")
        assert (log.status_code, log.json()["code"]) == (422, "bad_enum"), "logs hold what was asked in private"
        for form in ("json", "md"):
            receipt = await me.get(f"{API}/debates/{debate}/receipt?form={form}")
            assert debate in receipt.text
        assert "signature" not in json.loads((await me.get(f"{API}/debates/{debate}/receipt")).text)


async def test_map_analysis_and_recount(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        me = web.me
        debate = await web.ended(me)
        url = f"{API}/debates/{debate}"
        whole = (await me.get(f"{url}/map")).json()
        assert whole["at"] == await web.site.workspace.count_entries(debate)
        assert whole["nodes"]
        assert (await me.get(f"{url}/map?at=1")).json()["nodes"] == []
        assert (await me.get(f"{url}/map?at=9999")).status_code == 422
        assert (await me.get(f"{url}/map?at=0")).status_code == 422
        assert (await me.get(f"{url}/analysis")).json()["debates"][0]["debate"] == debate
        recount = await me.get(f"{url}/recount")
        assert recount.json()["counts"]
        empty = await web.begin(me, start=False)
        assert (await me.get(f"{API}/debates/{empty}/recount")).status_code == 422


# ---- pages -----------------------------------------------------------------------------------------------------------


async def test_without_the_built_app_a_page_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "DIST", tmp_path / "nothing")
    async with opened(tmp_path) as web:
        anybody = web.client()
        for path in ("/", "/d/x", "/compare", "/ratings", "/models"):
            page = await anybody.get(path)
            assert page.status_code == 200
            assert "not built" in page.text
        assert (await anybody.get("/favicon.ico")).status_code == 404
        assert (await web.me.get(f"{API}/info")).json()["build"] == ""
        assert (await anybody.get("/healthz")).text == "ok\n"
        assert (await anybody.get("/llms.txt")).text.startswith("# Folkmoot\n\n> Structured debates")
        assert (await anybody.get("/readyz")).text == "ready\n"
        await web.site.workspace.store.close()
        assert (await anybody.get("/readyz")).status_code == 503


async def test_the_built_app_is_served_and_nothing_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dist = tmp_path / "dist"
    (dist / "assets").mkdir(parents=True)
    (dist / "index.html").write_text("<!doctype html><title>app</title>")
    (dist / "assets" / "app-1a2b.js").write_text("1")
    (tmp_path / "secret.txt").write_text("secret")
    monkeypatch.setattr(pages, "DIST", dist)
    async with opened(tmp_path) as web:
        anybody = web.client()
        page = await anybody.get("/d/some-debate?at=7")
        assert "app" in page.text
        assert page.headers["cache-control"] == "no-cache"
        assert page.headers["content-security-policy"].startswith("default-src 'self'")
        asset = await anybody.get("/assets/app-1a2b.js")
        assert "immutable" in asset.headers["cache-control"]
        assert asset.headers["content-type"].startswith("text/javascript")
        for path in ("/../secret.txt", "/%2e%2e/secret.txt", "/assets/..%2f..%2fsecret.txt", "/assets", "/api/v2"):
            refused = await anybody.get(path)
            assert refused.status_code == 404, path
            assert "secret" not in refused.json()["code"]
        assert len((await web.me.get(f"{API}/info")).json()["build"]) == 12


async def limits_of(web: Web, debate: str) -> Limits:
    return opening(debate, await web.site.workspace.entries(debate)).brief.limits


# ---- what the owner allows -------------------------------------------------------------------------------------------


async def test_limits_above_the_owners_are_refused_and_none_are_filled_in(tmp_path: Path) -> None:
    serving = replace(SERVING, cost=1.0, tokens_per_debate=1000, max_questions=50)
    async with opened(tmp_path, serving=serving) as web:
        ann = web.ann
        body = {"brief": QUOTES, "models": ["builtin:quotes"]}
        for limits in ({"cost": 2}, {"tokens": 2000}, {"asks": 60}):
            refused = await ann.post(f"{API}/debates", json={**body, "limits": limits})
            assert (refused.status_code, refused.json()["code"]) == (422, "out_of_range"), limits
        inside = f"---\nlimits: {{cost: 5}}\n---\n{QUOTES}"
        assert (await ann.post(f"{API}/debates", json={**body, "brief": inside})).status_code == 422
        debate = await web.ended(ann)
        limits = await limits_of(web, debate)
        assert (limits.cost, limits.tokens, limits.asks) == (1.0, 1000, 50)
        again = {"limits": {"cost": 9}}
        laid = await web.begin(ann, start=False)
        assert (await ann.post(f"{API}/debates/{laid}/resume", json=again)).status_code == 422
        other = {"at": 1, "brief": inside, "start": False}
        assert (await ann.post(f"{API}/debates/{debate}/fork", json=other)).status_code == 422
        assert (await web.me.post(f"{API}/debates", json={**body, "limits": {"cost": 2}})).status_code == 201
        assert (await ann.get(f"{API}/info")).json()["limits"] == {"cost": 1.0, "tokens": 1000, "asks": 50}


class Priced(Slow):
    """A model that takes its time, and costs a cent a call."""

    def quote(self, request: Request) -> Quote:
        return replace(super().quote(request), cost=0.01)


async def test_a_days_money_is_reserved_before_a_debate_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Priced()
    serving = replace(SERVING, daily=1.0)
    async with opened(tmp_path, serving=serving, models={"slow": slow}) as web:
        ann, ben = web.ann, web.ben
        body = {"brief": QUOTES, "models": ["builtin:quotes"], "participants": "builtin"}
        dear = {**body, "limits": {"cost": 0.6}, "models": ["guest:slow"]}
        one = await ann.post(f"{API}/debates", json=dear)
        assert one.status_code == 201, one.text
        assert (await ann.get(f"{API}/info")).json()["used_today"] == 0.6
        two = await ann.post(f"{API}/debates", json=dear)
        assert (two.status_code, two.json()["code"]) == (429, "limit")
        assert (await ben.post(f"{API}/debates", json=dear)).status_code == 201, "each token has its own day"
        slow.go.set()
        for debate in web.site.runner.running:
            await web.site.runner.wait(debate)
        assert (await ann.get(f"{API}/info")).json()["used_today"] < 0.6, "what was not used is free again"
        free = await ann.post(f"{API}/debates", json=body)
        assert free.status_code == 201
        limits = await limits_of(web, free.json()["id"])
        assert limits.cost == 0.0, "its estimate's most is its limit"
        monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789abcdef")
        refused = await ann.post(f"{API}/check", json={**body, "models": ["openai:gpt-nobody"]})
        assert refused.status_code == 429
        assert "the price of openai:gpt-nobody is unknown" in refused.json()["detail"]


CAST = [
    {"name": "ABC"[n] + "da", "stance": stance, "role": f"Guest {n}", "persona": f"You have cup {n}."}
    for n, stance in enumerate(("FOR", "AGAINST", "OTHER"))
]


class Dear(ScriptedModel):
    """A model that makes participants, debates for a tenth of a dollar a call, and waits at its call of a number."""

    def __init__(self, waits: int) -> None:
        super().__init__(
            lambda request: json.dumps(CAST) if "You are Casting" in str(request) else WORDS, name="guest:dear"
        )
        self.waits, self.calls = waits, 0
        self.go, self.asked = asyncio.Event(), asyncio.Event()

    def quote(self, request: Request) -> Quote:
        return replace(super().quote(request), cost=0.1)

    async def _send(self, request: Request, recorder: Recorder) -> Called:
        self.calls += 1
        if self.calls == self.waits:
            self.asked.set()
            await self.go.wait()
        called = await super()._send(request, recorder)
        return replace(called, usage=replace(called.usage, cost=0.1))


@pytest.mark.parametrize("waits", [1, 3])
async def test_who_has_participants_made_pays_for_them_and_nobody_else_sees_it(tmp_path: Path, waits: int) -> None:
    dear = Dear(waits)
    body = {"brief": QUOTES, "models": ["guest:dear"], "limits": {"cost": 2.0}}
    async with opened(tmp_path, serving=replace(SERVING, daily=5.0), models={"dear": dear}) as web:
        ann, ben, me, workspace = web.ann, web.ben, web.me, web.site.workspace

        async def used(client: httpx2.AsyncClient) -> float:
            return round((await client.get(f"{API}/info")).json()["used_today"], 6)

        begun = await ann.post(f"{API}/debates", json=body)
        debate = begun.json()["id"]
        await dear.asked.wait()
        assert await used(ann) == 2.0, "what runs counts with its limit, in which its casting is"
        dear.go.set()
        await web.site.runner.wait(debate)
        (casting,) = [info.debate for info in await workspace.list() if info.debate.startswith("cast-")]
        paid = [spent(await workspace.entries(name)) for name in (casting, debate)]
        assert paid[0] >= 0.1
        assert await used(ann) == round(sum(paid), 6) > paid[1], "both count"
        assert await used(ben) == 0.0
        for client, status in ((ann, 200), (me, 200), (ben, 404)):
            assert (await client.get(f"{API}/debates/{casting}")).status_code == status
        assert names((await ben.get(f"{API}/debates")).json()["debates"]) == []
        again = (await ben.post(f"{API}/debates", json=body)).json()["id"]
        await web.site.runner.wait(again)
        assert [info.debate for info in await workspace.list() if info.debate.startswith("cast-")] == [casting]
        assert await used(ben) == round(spent(await workspace.entries(again)), 6), "made once, paid once"
        assert await used(ann) == round(sum(paid), 6)


async def test_a_casting_that_another_one_broke_off_is_not_taken_up_at_its_cost(tmp_path: Path) -> None:
    dear = Dear(1)
    body = {"brief": QUOTES, "models": ["guest:dear"], "limits": {"cost": 2.0}}
    async with opened(tmp_path, serving=replace(SERVING, daily=5.0), models={"dear": dear}) as web:
        workspace, runner = web.site.workspace, web.site.runner
        debate = (await web.ann.post(f"{API}/debates", json=body)).json()["id"]
        await dear.asked.wait()
        runner.stop(debate, now=True)
        await until(lambda: not runner.running)
        for client, castings in ((web.ben, 2), (web.ann, 2)):
            await runner.wait((await client.post(f"{API}/debates", json=body)).json()["id"])
            castings_found = [info.debate for info in await workspace.list() if info.debate.startswith("cast-")]
            assert len(castings_found) == castings
            assert {(await claimed(workspace, name)).owner for name in castings_found} == {"ann", "ben"}


async def test_a_debate_without_a_limit_needs_one_where_a_day_has(tmp_path: Path) -> None:
    models = {"dear": Dear(0)}
    async with opened(tmp_path, models=models) as web:
        debate = await web.begin(web.ann, models=["guest:dear"], start=False)
    async with opened(tmp_path, serving=replace(SERVING, daily=1.0), models=models) as web:
        ann = web.ann
        url = f"{API}/debates/{debate}/resume"
        assert (await ann.post(url, json={})).json()["code"] == "missing_key"
        assert (await ann.post(url, json={"limits": {"cost": 2}})).status_code == 429
        assert (await ann.post(url, json={"limits": {"cost": 0.5}})).status_code == 200
        await web.site.runner.wait(debate)


SETTINGS = [
    ("serve = 3", "serve must be a table"),
    ("[serve]\nport = 3", "no setting 'port'"),
    ("[serve]\nparallel = 0", "serve.parallel must be a whole number from 1 to 100"),
    ("[serve]\nparallel = true", "serve.parallel"),
    ("[serve]\ncost = -1", "serve.cost must be US dollars"),
    ('[serve]\ndaily = "x"', "serve.daily"),
    ("[serve]\nhosts = [3]", "serve.hosts"),
    ('[serve]\nhosts = ["http://x"]', "serve.hosts"),
    ("[serve]\ntokens = 3", "serve.tokens must be a table"),
    ('[serve.tokens]\nci = "secret-token"', "must be sha256:"),
    ('[serve.tokens]\n"a b" = "sha256:00"', "needs a name"),
]


@pytest.mark.parametrize(("text", "message"), SETTINGS)
def test_settings_that_cannot_be_are_refused_in_a_sentence(text: str, message: str) -> None:
    user_file().parent.mkdir(parents=True)
    user_file().write_text(text)
    with pytest.raises(BriefError, match=message.replace("[", ".").replace("]", ".")) as error:
        load_config()
    assert "secret-token" not in str(error.value)


def test_settings_of_the_owner_and_of_nobody_else(tmp_path: Path) -> None:
    user_file().parent.mkdir(parents=True)
    user_file().write_text(
        "[serve]\nparallel = 3\nrequests = 9\ncost = 1\ntokens_per_debate = 5\nmax_questions = 6\ndaily = 2.5\n"
        'hosts = ["Folkmoot.lan"]\n'
        f'[serve.tokens]\nci = "sha256:{"0" * 64}"\n'
    )
    serving = load_config().serve
    assert serving == Serving(
        tokens={"ci": "0" * 64},
        hosts=("folkmoot.lan",),
        parallel=3,
        requests=9,
        cost=1.0,
        tokens_per_debate=5,
        max_questions=6,
        daily=2.5,
    )
    (tmp_path / "folkmoot.toml").write_text("[serve]\nmost = 3\n")
    with pytest.raises(BriefError, match="serve can be set only in your own file"):
        load_config(tmp_path)


async def test_the_prompt_of_a_turn_and_its_raw_answer(tmp_path: Path) -> None:
    async with opened(tmp_path, models={"x": ScriptedModel(lambda request: WORDS, name="guest:x")}) as web:
        debate = await web.ended(web.me, models=["guest:x"])
        entries = await web.site.workspace.entries(debate)
        key = next(entry.event.ask.key for entry in entries if isinstance(entry.event, Asked))
        prompt = (await web.me.get(f"{API}/debates/{debate}/prompt", params={"key": key})).json()
        assert prompt["messages"][0]["role"] == "system"
        assert "Tea or coffee?" in prompt["messages"][0]["text"]
        assert {answer["text"] for answer in prompt["answers"]} == {WORDS}
        unknown = await web.me.get(f"{API}/debates/{debate}/prompt", params={"key": "nothing"})
        assert unknown.status_code == 404, unknown.text
