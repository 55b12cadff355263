"""The pages in Firefox: their words appear and stream, files open from a disk, and nothing goes to the console."""

from collections.abc import AsyncGenerator
from pathlib import Path

import httpx2
import pytest
import pytest_asyncio

from folkmoot.web.auth import session_cookie
from tests.web.browser import Slow, Stage, example
from tests.web.crowd import TOPIC, Crowd, brief
from tests.web.firefox import Firefox, firefox, need_firefox

pytestmark = pytest.mark.asyncio(loop_scope="session")

SAID = "ANSWER: Build\nCONFIDENCE: 0.7\nARGUMENT: What is billed by usage is what we know best, and we can wait."
TABS = {
    "map": ("Lanes are answers",),
    "votes": ("The same votes under other rules", "more than half of the votes"),
    "stances": ("led from round 4 on",),
    "trace": ("By participant",),
    "brief": ("Who takes part", "Decided by\nmost votes"),
    "analysis": ("Who moved whom", "Claims behind the decision"),
    "cost": ("Tokens and cost by round",),
    "record": ("1 to 50 of",),
}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def tab(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Firefox]:
    """A tab that the server lets in."""
    need_firefox()
    async with firefox(tmp_path_factory.mktemp("firefox")) as opened:
        await opened.let_in(session_cookie(stage.base.partition("//")[2]), secret(stage))
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def debate(stage: Stage) -> AsyncGenerator[str]:
    """A debate of 8 people over 5 rounds."""
    yield await stage.once(brief(), Crowd())


def secret(stage: Stage) -> str:
    return stage.site.auth.exchange(stage.site.auth.new_link()) or ""


async def test_every_page_shows_its_words(stage: Stage, tab: Firefox, debate: str) -> None:
    tab.errors.clear()
    await tab.go(stage.base)
    await tab.sees("Debates", TOPIC, "A trial of three months")
    await tab.go(f"{stage.base}/new")
    await tab.sees("What should they debate?", "Start the debate", "Model calls")
    await tab.go(f"{stage.base}/models")
    await tab.sees("Keys are never shown", "builtin")
    await tab.go(f"{stage.base}/d/{debate}")
    await tab.sees("5 of 8", "What would change it", "Opening statements", "T56")
    for name, words in TABS.items():
        inner = name in ("trace", "cost", "record")
        await tab.run(f"document.getElementById('tab-{'details' if inner else name}').click()")
        if inner:
            button = f"[...document.querySelectorAll('.panel .seg button')].find(b => b.textContent === '{name.capitalize()}')"
            await tab.run(f"{button}.click()")
        await tab.sees(*words)
    assert not tab.errors


async def test_words_stream_and_are_there_for_who_comes_late(stage: Stage, tab: Firefox) -> None:
    tab.errors.clear()
    slow = Slow(lambda request: SAID)
    debate = await stage.begin(example("build-or-buy"), stage.lend(slow))
    await tab.go(f"{stage.base}/d/{debate}")
    await tab.sees("is thinking")
    await stage.watched(debate)
    slow.release(20)  # of four at once, five pieces each
    await tab.sees("What is b")
    assert "we can wait" not in await tab.words()
    await tab.go(f"{stage.base}/d/{debate}")
    await tab.sees("What is b")
    slow.go()
    await tab.sees("we can wait", "decided")
    assert not tab.errors


async def test_files_open_from_a_disk(stage: Stage, tab: Firefox, debate: str, tmp_path: Path) -> None:
    tab.errors.clear()
    cookies = {session_cookie(stage.base.partition("//")[2]): secret(stage)}
    async with httpx2.AsyncClient(base_url=stage.base, cookies=cookies, timeout=60) as client:
        for form, words in (("html", "Decision memo"), ("html?replay=true", "What would change it")):
            answer = await client.get(f"/api/v1/debates/{debate}/report.{form}")
            assert answer.status_code == 200
            file = tmp_path / f"{len(words)}.html"
            file.write_bytes(answer.content)
            await tab.go(file.as_uri())
            await tab.sees(TOPIC, words, "A trial of three months")
    assert not tab.errors
