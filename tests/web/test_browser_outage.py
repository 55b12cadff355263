"""A page that follows a debate goes on by itself when its database went away and has come back."""

import asyncio
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.async_api import expect

from folkmoot.app.serve import live
from folkmoot.web.auth import session_cookie
from tests.record.pg import Postgres, running
from tests.web.browser import WAIT, Stage
from tests.web.test_web_outage import stop
from tests.web.web_kit import opened
from tests.workers.workers_kit import Turned, house, queue_at

pytestmark = [pytest.mark.alone, pytest.mark.asyncio(loop_scope="session")]


@pytest.fixture(scope="module")
def own_server() -> Generator[Postgres]:
    """A server that may be stopped."""
    with running() as server:
        yield server


async def test_a_page_outlives_an_outage_of_the_database(
    stage: Stage, own_server: Postgres, temporal: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "AWAY", 0.1)
    address, model = own_server.make(), Turned(waits=True)
    queue = queue_at(address, temporal)
    async with (
        house(address, temporal, model) as there,
        opened(tmp_path, store=address, queue=queue, models={"model": model}, real=True) as web,
        await stage.browser.new_context() as context,
    ):
        secret = web.site.auth.exchange(web.site.auth.new_link())
        assert secret
        name = session_cookie(web.base.partition("//")[2])
        await context.add_cookies([{"name": name, "value": secret, "url": web.base, "sameSite": "Strict"}])
        context.set_default_timeout(WAIT)
        debate = await there.lay("tea")
        await queue.submit(debate)
        async with there.working():
            await model.asked.wait()
            page = await context.new_page()
            await page.goto(f"{web.base}/d/{debate}?tab=record")
            await expect(page.get_by_text("is thinking")).to_have_count(2)
            await asyncio.to_thread(stop, own_server)
            try:
                await asyncio.sleep(2.0)  # an outage that lasts
            finally:
                await asyncio.to_thread(own_server.server.ensure_postgres_running)
            model.go.set()
            await there.until(debate, "done")
            count = await there.workspace.count_entries(debate)
            await expect(page.locator(".where")).to_have_text(f"{count} / {count}")
            seqs = [int(number) for number in await page.locator(".record .n").all_inner_texts()]
            assert seqs
            assert seqs == list(range(1, len(seqs) + 1))
            await expect(page.locator(".state").first).not_to_have_text("● running")
    await queue.store.close()
