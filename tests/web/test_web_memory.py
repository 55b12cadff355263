"""Memory and evaluations over the API: the newest first, what one debate taught, how it is forgotten; scoreboards."""

from pathlib import Path

from folkmoot.app.batch.batch_plan import make_batch, make_item
from folkmoot.app.brief.reader import read_brief
from folkmoot.app.evaluation.folder import note_folder, prefix_of, save_result
from folkmoot.app.evaluation.output import page
from folkmoot.app.evaluation.scoreboard import measure
from folkmoot.app.plan.settings import lock_place
from folkmoot.app.run.prepare import Overrides
from tests.app.evaluation.prepared import credits, result
from tests.web.web_kit import API, opened


async def test_memory_is_listed_told_and_forgotten(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        me = web.me
        first, second, running = await web.ended(me), await web.ended(me), await web.begin(me, start=False)
        newest = (await me.get(f"{API}/memory")).json()
        assert [item["debate"] for item in newest] == [second, first]
        assert (await me.get(f"{API}/memory?kind=pattern")).json() == []
        parts = (await me.get(f"{API}/debates/{first}/memory")).json()
        assert parts[0]["heading"] == "Outcome"
        assert parts[0]["items"][0][0] == newest[1]["body"]["topic"]
        assert (await web.ann.delete(f"{API}/debates/{first}/memory")).status_code == 404
        assert (await me.delete(f"{API}/debates/{running}/memory")).status_code == 409
        assert (await me.delete(f"{API}/debates/{first}/memory")).json() == {"id": first}
        assert (await me.get(f"{API}/debates/{first}/memory")).json() == []
        assert [item["debate"] for item in (await me.get(f"{API}/memory?q=tea")).json()] == [second]
        assert (await me.get(f"{API}/debates/{first}")).json()["status"] == "decided"


async def test_evaluations_are_listed_and_one_is_the_page_of_the_command(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        saved = result(credits(40, uniform=(9, 2), adaptive=(5, 2)))
        save_result(tmp_path / "runs/some-eval", saved)
        note_folder(lock_place(web.site.workspace.store), tmp_path / "runs/some-eval")
        listed = (await web.me.get(f"{API}/evaluations")).json()
        evaluation = next(item for item in listed if item["folder"] == str(tmp_path / "runs/some-eval"))
        assert (evaluation["done"], evaluation["planned"]) == (40, 40)
        answer = await web.me.get(f"{API}/evaluations/{evaluation['id']}")
        assert answer.text == page(measure(saved))
        assert answer.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
        assert (await web.me.get(f"{API}/evaluations/{'0' * 16}")).status_code == 404
        for path in ("evaluations", f"evaluations/{evaluation['id']}"):
            assert (await web.ann.get(f"{API}/{path}")).status_code == 403


async def test_the_debates_of_a_group_are_one_row_of_the_list(tmp_path: Path) -> None:
    hired = make_item(read_brief("# Whom to hire?"), Overrides(), name="hired")
    async with opened(tmp_path) as web:
        me, store = web.me, web.site.workspace.store
        plain = await web.ended(me)
        saved = result(credits(40, uniform=(9, 2), adaptive=(5, 2)))
        evaluation = prefix_of(saved.plan.name)
        lines = list(await store.read(plain))
        batch = [repeat.debate for repeat in make_batch((hired,), times=2, name="hiring")]
        for debate in (*(f"{evaluation}-{n:012x}" for n in range(3)), *batch, "cast-0123abcd-012345"):
            await store.append(debate, lines[:-1] if debate == batch[0] else lines, after=0)
        save_result(tmp_path / "runs/some-eval", saved)
        note_folder(lock_place(store), tmp_path / "runs/some-eval")
        listed = (await me.get(f"{API}/debates")).json()
        assert [item["id"] for item in listed["debates"]] == [plain]
        generated, own, row = listed["groups"]
        assert (own["kind"], own["name"], own["debates"], own["open"]) == ("batch", "hiring", 2, 1)
        assert (generated["kind"], generated["debates"], generated["open"]) == ("participants", 1, 0)
        assert (row["id"], row["name"], row["debates"]) == (evaluation, saved.plan.name, 3)
        assert (row["done"], row["planned"], row["cost"]) == (40, 40, saved.run.paid_usd)
        shown = (await me.get(f"{API}/evaluations/{row['scoreboard']}")).text
        assert saved.plan.name in shown
        within = (await me.get(f"{API}/debates?group={evaluation}&limit=2")).json()
        assert (len(within["debates"]), within["groups"]) == (2, [])
        rest = (await me.get(f"{API}/debates?group={evaluation}&after={within['next']}")).json()
        assert len(rest["debates"]) == 1
        [found] = (await me.get(f"{API}/debates?q=eval-")).json()["groups"]
        assert found["debates"] == 3, "what is asked for is looked for in groups, too"
        [found] = (await me.get(f"{API}/debates?status=open")).json()["groups"]
        assert (found["id"], found["debates"]) == (own["id"], 1)
