"""The name of a debate: its owner changes it over the API, lists show and find it, the record stays."""

from pathlib import Path

from tests.web.test_web_debates import ROLES
from tests.web.web_kit import API, opened


async def test_a_debate_is_renamed_and_its_record_stays(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        me, debate = web.me, await web.ended(web.me, brief=ROLES)
        before = await web.site.workspace.lines(debate)
        url = f"{API}/debates/{debate}"
        state = await me.patch(url, json={"name": "  Tea,\n the second  try "})
        assert (state.status_code, state.json()["name"]) == (200, "Tea, the second try")
        assert state.json()["topic"] != state.json()["name"], "the question stays"
        listed = (await me.get(f"{API}/debates", params={"q": "SECOND"})).json()["debates"]
        assert [(row["id"], row["name"]) for row in listed] == [(debate, "Tea, the second try")]
        assert await web.site.workspace.lines(debate) == before
        assert (await me.get(f"{url}/verify")).json()["intact"]
        assert (await me.patch(url, json={"name": ""})).json()["name"] == ""
        assert not (await me.get(f"{API}/debates", params={"q": "second"})).json()["debates"]
        assert (await me.patch(url, json={"name": "x" * 201})).status_code == 422
        assert (await web.ann.patch(url, json={"name": "Mine"})).status_code == 404
