"""The memory over the API: the newest first, what one debate taught, and how it is forgotten."""

from pathlib import Path

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
