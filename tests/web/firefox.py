"""Firefox for tests, by WebDriver BiDi, which it speaks by itself: pages, what they say, and their errors.

It needs no driver program: Firefox writes the address of its WebSocket into its profile.
"""

import asyncio
import json
import shutil
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from tests.kits.left_out import leave_out

BROWSERS = ("firefox-esr", "firefox")
PATIENCE = 60.0
"""Seconds until Firefox has to be there, and words on a page."""

SETTINGS: Mapping[str, object] = {
    "app.normandy.enabled": False,
    "app.update.disabledForTesting": True,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.safebrowsing.downloads.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,",
    "toolkit.telemetry.reportingpolicy.firstRun": False,
}
"""It asks nobody but the server of the test."""


def need_firefox() -> str:
    """The program; a test is left out where there is none."""
    program = next(filter(None, map(shutil.which, BROWSERS)), "")
    if not program:
        leave_out(f"NO FIREFOX: this needs one of {', '.join(BROWSERS)}; Debian: apt install firefox-esr")
    return program


@dataclass(slots=True, kw_only=True)
class Firefox:
    """One tab of Firefox.

    Attributes:
        errors: what its pages wrote to the console as an error or a warning, and what they did not catch.
    """

    socket: ClientConnection
    tab: str = ""
    errors: list[str] = field(default_factory=list[str])
    _commands: int = 0

    async def send(self, method: str, **values: object) -> dict[str, Any]:
        """Ask Firefox for something.

        Raises:
            AssertionError: it refuses.
        """
        self._commands += 1
        await self.socket.send(json.dumps({"id": self._commands, "method": method, "params": values}))
        while True:
            answer: dict[str, Any] = json.loads(await asyncio.wait_for(self.socket.recv(), PATIENCE))
            if answer.get("method") == "log.entryAdded":
                self._hear(answer["params"])
            elif answer.get("id") == self._commands:
                assert answer["type"] == "success", f"{method}: {answer.get('message')}"
                return answer["result"]

    def _hear(self, entry: Mapping[str, Any]) -> None:
        if entry["level"] in ("error", "warn"):
            self.errors.append(str(entry["text"]))

    async def let_in(self, name: str, secret: str) -> None:
        """Give it the cookie of a session with the server."""
        value = {"type": "string", "value": secret}
        cookie = {"name": name, "value": value, "domain": "127.0.0.1", "path": "/", "sameSite": "strict"}
        await self.send("storage.setCookie", cookie=cookie)

    async def go(self, address: str) -> None:
        """Open a page."""
        await self.send("browsingContext.navigate", context=self.tab, url=address, wait="complete")

    async def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = await self.send("script.evaluate", expression=script, target={"context": self.tab}, awaitPromise=True)
        assert answer["type"] == "success", answer
        return answer["result"].get("value")

    async def words(self) -> str:
        """The text that the page shows, and all that it holds: what is out of sight may not be laid out yet."""
        return str(await self.run("document.body ? document.body.innerText + document.body.textContent : ''"))

    async def sees(self, *texts: str) -> None:
        """Wait until the page shows all these texts.

        Raises:
            AssertionError: it does not.
        """
        until = asyncio.get_running_loop().time() + PATIENCE
        while True:
            words = await self.words()  # once for all texts: it has the whole page laid out
            missing = [text for text in texts if text not in words]
            if not missing:
                return
            assert asyncio.get_running_loop().time() < until, f"{missing} is not in: {words[:2000]}"
            await asyncio.sleep(0.1)


@asynccontextmanager
async def firefox(profile: Path) -> AsyncGenerator[Firefox]:
    """Firefox with an empty profile in that folder, and one tab."""
    program = need_firefox()
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in SETTINGS.items()]
    (profile / "user.js").write_text("".join(lines), "utf-8")
    options = ("--headless", "--no-remote", "--remote-debugging-port=0", "--profile", str(profile))
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(program, *options, stdout=quiet, stderr=quiet)
    try:
        async with connect(f"{await _address(profile)}/session", max_size=None) as socket:
            tab = Firefox(socket=socket)
            await tab.send("session.new", capabilities={})
            tab.tab = (await tab.send("browsingContext.create", type="tab"))["context"]
            await tab.send("session.subscribe", events=["log.entryAdded"])
            yield tab
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


async def _address(profile: Path) -> str:
    """Where Firefox listens, as it writes it into its profile."""
    file = profile / "WebDriverBiDiServer.json"
    until = asyncio.get_running_loop().time() + PATIENCE
    while True:
        with suppress(FileNotFoundError, ValueError):
            address = json.loads(file.read_text("utf-8"))
            return f"ws://{address['ws_host']}:{address['ws_port']}"
        assert asyncio.get_running_loop().time() < until, "Firefox does not listen"
        await asyncio.sleep(0.1)
