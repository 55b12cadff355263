"""The web app in a real browser, for tests: one server and one Chromium for a worker, and pages that are watched.

Server, models and browser live in one event loop, so a model says a word when a test lets it, and nothing is slept for.
"""

import asyncio
import re
import shutil
import socket
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypedDict, cast
from urllib.parse import urlsplit

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, WebError, async_playwright, expect

from folkmoot.app.plan.settings import Config
from folkmoot.app.plan.settings_tables import Serving
from folkmoot.app.run.prepare import LimitOverrides, Overrides
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.admission import Admission, DebateRequest
from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.ask import Usage
from folkmoot.core.brief import TURN_SECONDS
from folkmoot.core.event import Called
from folkmoot.models.base import Model, Request, Traits
from folkmoot.web.app import make_app, open_site
from folkmoot.web.auth import session_cookie
from folkmoot.web.pages import DIST
from folkmoot.web.site import ServerState
from tests.kits.left_out import leave_out
from tests.paths import ROOT
from tests.web.proxy import Proxy
from tests.web.web_kit import listening, until

AXE = ROOT / "frontend/node_modules/axe-core/axe.min.js"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PLAYWRIGHTS = (
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,"
    "LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,"
    "TcpPortRandomizationWin,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch"
)
"""What Playwright turns off. Chromium heeds only the last such switch, so it is said once more."""

FLAGS = (
    # The address bar nobody sees would be two pages with a process of their own in each window: half of a visit's time.
    f"--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,{PLAYWRIGHTS}",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
WIDE, NARROW = 1280, 390
TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
WAIT = 120_000
"""Milliseconds for which a condition is waited for."""

Scheme = Literal["light", "dark"]
Answer = Callable[[Request], str]


class Violation(TypedDict):
    """What axe-core found."""

    id: str
    impact: str
    nodes: list[dict[str, object]]


def height_of(width: int) -> int:
    """The height of a window: of a phone, or of a desk."""
    return 844 if width < 900 else 800


def chromium() -> str:
    """The system's browser; "" where there is none."""
    return next(filter(None, map(shutil.which, BROWSERS)), "")


def needed() -> str:
    """Why there can be no test in a browser; "" where there can be."""
    if not chromium():
        return f"NO BROWSER: the tests of the pages need one of {', '.join(BROWSERS)}; Debian: apt install chromium"
    if not (DIST / "index.html").is_file():
        return "NO PAGES: the web app is not built; build it with: make app"
    return ""


class Slow:
    """A model that says its answer piece by piece, each when it may.

    Args:
        answer: what is answered to a request.
        size: characters in a piece.

    Attributes:
        said: how many pieces it has said.
    """

    name, traits = "guest:slow", Traits()
    drops: tuple[str, ...] = ()

    def __init__(self, answer: Answer, *, size: int = 12) -> None:
        self._answer, self._size = answer, size
        self.said = 0
        self._allowed = asyncio.Semaphore(0)

    def release(self, pieces: int = 1) -> None:
        """Let it say so many pieces more."""
        for _ in range(pieces):
            self._allowed.release()

    def go(self) -> None:
        """Let it say everything, from now on."""
        self.release(100_000)

    def quote(self, request: Request) -> Quote:
        """A few tokens, free."""
        return Quote(model=self.name, tokens=200)

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer, as fast as it may."""
        text = self._answer(request)
        for start in range(0, len(text), self._size):
            await self._allowed.acquire()
            recorder.delta(text[start : start + self._size])
            self.said += 1
        usage = Usage(input_tokens=100, output_tokens=len(text.split()))
        return Called(
            key="", call=request.call, text=text, model=self.name, served=self.name, usage=usage, finish="stop"
        )

    async def close(self) -> None:
        """Nothing to give back."""


@dataclass(slots=True, kw_only=True)
class Visit:
    """Somebody's browser, watched.

    Attributes:
        context: its window, with cookies of its own.
        page: its first tab.
        base: the address of the server.
        own: hosts that may be asked.
        foreign: addresses elsewhere that were asked for.
        errors: what went wrong on its pages.
    """

    context: BrowserContext
    page: Page
    base: str
    own: frozenset[str]
    foreign: list[str] = field(default_factory=list[str])
    errors: list[str] = field(default_factory=list[str])

    def watch(self) -> None:
        """Note whatever is asked for or goes wrong, on each of its pages."""
        self.context.on("request", lambda request: self._look(request.url))
        self.context.on("console", lambda message: self._hear(message))
        self.context.on("weberror", lambda error: self._fail(error))
        self.page.on("websocket", lambda socket: self._look(socket.url))

    def _look(self, url: str) -> None:
        address = urlsplit(url)
        if address.scheme not in ("data", "blob", "file", "about") and address.netloc not in self.own:
            self.foreign.append(url)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(f"{message.text} ({message.location['url']})")

    def _fail(self, error: WebError) -> None:
        self.errors.append(str(error.error))

    async def go(self, path: str) -> Page:
        """Open a page of the app."""
        await self.page.goto(f"{self.base}{path}")
        return self.page

    async def fit(self, width: int, scheme: Scheme = "light") -> None:
        """Change the window with its page. Visit with reduced motion, so that no colour is on its way to another."""
        await self.page.set_viewport_size({"width": width, "height": height_of(width)})
        await self.page.emulate_media(color_scheme=scheme)

    async def eye(self, *rules: str) -> list[Violation]:
        """What axe-core finds serious on the page; by these rules alone, where some are named."""
        if not AXE.is_file():
            leave_out("NO AXE: axe-core is not in frontend/node_modules; fetch it with: make check")
        if not await self.page.evaluate("'axe' in window"):
            await self.page.evaluate(AXE.read_text("utf-8"))
        only = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": TAGS}
        options = {
            "resultTypes": ["violations"],
            "preload": False,
            "iframes": False,
            "selectors": False,
            "runOnly": only,
        }
        result = await self.page.evaluate("options => axe.run(document, options)", options)
        rows = cast("list[Violation]", result["violations"])
        return [row for row in rows if row["impact"] in ("serious", "critical")]


@dataclass(slots=True, kw_only=True)
class Stage:
    """A server on a real record, and a browser to look at it.

    Attributes:
        site: the server.
        base: its address.
        proxy: another way to it; its connections can be broken.
        browser: Chromium.
        documents: the folder whose files the server may compare; the record is beside it.
    """

    site: ServerState
    base: str
    proxy: Proxy
    browser: Browser
    documents: Path
    _lent: int = 0
    _held: dict[str, str] = field(default_factory=dict[str, str])

    def lend(self, model: Model) -> str:
        """Let a model take part; its name."""
        self._lent += 1
        self.site.workspace.pool.add_agent(f"m{self._lent}", model)
        return f"guest:m{self._lent}"

    async def begin(self, brief: str, *models: str, patient: bool = True) -> str:
        """Begin a debate as whoever is at the machine; its id. However slow the machine is, no turn takes too long.

        Where it is not ``patient``, the debate has the usual limits, as one that is begun in the form.
        """
        admission = Admission(runner=self.site.runner, spending=self.site.spending, serving=self.site.serving, owner="")
        limits = LimitOverrides(turn_seconds=TURN_SECONDS.high) if patient else LimitOverrides()
        overrides = Overrides(models=models or ("builtin:quotes",), cast="builtin", caps=limits)
        return await admission.begin(DebateRequest(brief=brief, overrides=overrides, start=True), "")

    async def ended(self, brief: str, *models: str) -> str:
        """Hold a debate to its end; its id."""
        debate = await self.begin(brief, *models)
        await self.site.runner.wait(debate)
        return debate

    async def once(self, brief: str, model: Model | None = None) -> str:
        """A debate to look at, held for the first test that asks and shown to all; its id. No test may change it."""
        if brief not in self._held:
            self._held[brief] = await self.ended(brief, *([self.lend(model)] if model else []))
        return self._held[brief]

    async def watched(self, debate: str) -> None:
        """Wait until a page follows a debate live."""
        groups = self.site.live.groups.values()
        await until(lambda: any(group.debate == debate and group.viewers and group.last for group in groups))
        await asyncio.sleep(0)

    @asynccontextmanager
    async def visit(
        self,
        *,
        width: int = WIDE,
        scheme: Scheme = "light",
        session: bool = True,
        reduced_motion: bool = False,
        through_proxy: bool = False,
        expected_errors: Sequence[str] = (),
    ) -> AsyncGenerator[Visit]:
        """Somebody at the pages; at the end nothing may have gone wrong, and no other host may have been asked.

        Args:
            width: of the window, in pixels.
            scheme: light or dark.
            session: whether it is whoever is at the machine.
            reduced_motion: whether the user prefers reduced motion.
            through_proxy: whether it connects through the proxy.
            expected_errors: words of errors that the test causes.
        """
        base = f"http://127.0.0.1:{self.proxy.port}" if through_proxy else self.base
        context = await self.browser.new_context(
            viewport={"width": width, "height": height_of(width)},
            color_scheme=scheme,
            reduced_motion="reduce" if reduced_motion else "no-preference",
            accept_downloads=True,
        )
        context.set_default_timeout(WAIT)
        try:
            if session:
                await self._let_in(context, base)
            new_visit = Visit(context=context, page=await context.new_page(), base=base, own=self.hosts)
            new_visit.watch()
            yield new_visit
            assert not new_visit.foreign, f"a page asked another host: {new_visit.foreign}"
            wrong = [error for error in new_visit.errors if not any(words in error for words in expected_errors)]
            assert not wrong, f"something went wrong on a page: {wrong}"
        finally:
            await context.close()

    async def _let_in(self, context: BrowserContext, base: str) -> None:
        secret = self.site.auth.exchange(self.site.auth.new_link())
        assert secret
        name = session_cookie(base.partition("//")[2])
        await context.add_cookies([{"name": name, "value": secret, "url": base, "sameSite": "Strict"}])

    @property
    def hosts(self) -> frozenset[str]:
        """Where the server is."""
        return self.site.hosts


def _bound() -> socket.socket:
    server_socket = socket.socket()
    server_socket.bind(("127.0.0.1", 0))
    return server_socket


@asynccontextmanager
async def staged(folder: Path) -> AsyncGenerator[Stage]:
    """A server over a record in that folder, and a browser."""
    documents = folder / "documents"
    documents.mkdir()
    config = replace(Config(), serve=Serving(requests=1_000_000, parallel=100, documents=documents))
    workspace = Workspace.at(folder / "folkmoot.sqlite")
    workspace.config = config
    served, proxied = _bound(), _bound()
    port = int(served.getsockname()[1])
    hosts = [f"127.0.0.1:{bound_socket.getsockname()[1]}" for bound_socket in (served, proxied)]
    async with AsyncExitStack() as stack:
        stack.push_async_callback(workspace.close)
        stack.callback(served.close)
        site = await stack.enter_async_context(open_site(workspace, config, hosts=hosts))
        await stack.enter_async_context(listening(make_app(site), served, site))
        proxy = await stack.enter_async_context(Proxy(port).serve(proxied))
        playwright = await stack.enter_async_context(async_playwright())
        browser = await playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        stack.push_async_callback(browser.close)
        yield Stage(site=site, base=f"http://{hosts[0]}", proxy=proxy, browser=browser, documents=documents)


async def hold_stage(folder: Path, ready: "asyncio.Future[Stage]", leave: asyncio.Event) -> None:
    """Hold a stage in one task from its beginning to its end, whoever uses it meanwhile."""
    try:
        async with staged(folder) as stage:
            expect.set_options(timeout=WAIT)
            ready.set_result(stage)
            await leave.wait()
            for debate in stage.site.runner.running:
                stage.site.runner.stop(debate, now=True)
    except BaseException as error:
        if not ready.done():
            ready.set_exception(error)
        raise


def example(name: str) -> str:
    """A brief of ``examples/`` as one text: a page names no files."""
    text = (ROOT / f"examples/{name}.md").read_text("utf-8")
    files = re.findall(r"^  - (.+\.md)\n", text, re.MULTILINE)
    beside = "\n".join((ROOT / "examples" / name).read_text("utf-8") for name in files)
    plain = re.sub(r"^#+ ", "", beside, flags=re.MULTILINE)
    without = re.sub(r"^background:\n(  - .+\n)+", "", text, flags=re.MULTILINE)
    return without.replace("\n## ", f"\n{plain}\n## ", 1)


def skip_without() -> None:
    """Skip, loudly, where there is no browser."""
    if why := needed():
        leave_out(why)
