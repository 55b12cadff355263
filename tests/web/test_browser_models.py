"""The page of models in a real browser: presets and models are tested, and say in one sentence what happened."""

from dataclasses import replace

import pytest
from playwright.async_api import expect

from folkmoot.app.brief.presets import Preset
from folkmoot.testing.wires import Wires
from tests.web.browser import NARROW, WIDE, Scheme, Slow, Stage

pytestmark = pytest.mark.asyncio(loop_scope="session")

WINDOWS: tuple[tuple[int, Scheme], ...] = ((WIDE, "light"), (NARROW, "dark"))


async def test_a_preset_is_tested_model_by_model(stage: Stage) -> None:
    slow = Slow(lambda request: "Hello")
    slow.go()
    names = (stage.lend(slow), "builtin:quotes", "guest:nobody")
    runner = stage.site.runner
    before = runner.config
    runner.config = replace(before, presets={"three": Preset(name="three", models=names)})
    try:
        async with stage.visit(width=NARROW, reduced_motion=True) as visit:
            page = await visit.go("/models")
            row = page.locator(".cards li").filter(has_text="three")
            await row.get_by_role("button", name="Test").click()
            sentences = row.get_by_role("status").locator("p")
            await expect(sentences).to_have_count(3)
            await expect(sentences.nth(0)).to_contain_text("✓ guest:")
            await expect(sentences.nth(0)).to_contain_text("It answered in")
            await expect(sentences.nth(1)).to_contain_text("no language model")
            await expect(sentences.nth(2)).to_have_text(
                "✗ guest:nobody: It belongs to a program, and only that program can ask it."
            )
            for width, scheme in WINDOWS:
                await visit.fit(width, scheme)
                assert await page.evaluate("document.documentElement.scrollWidth") <= width
                assert await visit.eye() == []
    finally:
        runner.config = before


async def test_an_own_endpoint_with_a_key_has_one_card_and_no_invented_price(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Wires(models=("own", "own")).serve() as wires, stage.visit() as visit:
        monkeypatch.setenv("FOLKMOOT_BASE_URL", f"{wires.url}/v1")
        monkeypatch.setenv("FOLKMOOT_API_KEY", "sk-not-a-key")
        page = await visit.go("/models")
        card = page.locator(".cards li").filter(has_text="compatible")
        await expect(card).to_have_count(1)
        await card.get_by_role("button", name="Test").click()
        await expect(card.get_by_role("status")).to_contain_text("✓ compatible:own")
        page = await visit.go("/new")
        await expect(page.locator("#about-model")).to_have_text("connected; price unknown")
        monkeypatch.setenv("FOLKMOOT_BASE_URL", "http://127.0.0.1:9/v1")
        page = await visit.go("/models")
        await expect(card).to_contain_text("Test a model by its name.")
        await expect(card.get_by_label("Model of compatible")).to_be_visible()
