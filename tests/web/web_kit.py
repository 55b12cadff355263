"""A server of the web app for tests: its site, clients of several people, and where it is wanted a real socket."""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar, cast

import httpx2
import uvicorn
from starlette.types import ASGIApp

from folkmoot.app.plan.settings import Config
from folkmoot.app.plan.settings_tables import Serving
from folkmoot.app.run.access import hash_of
from folkmoot.app.run.dispatcher import Dispatcher
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.server_parts import config_of
from folkmoot.core.agent import Recorder
from folkmoot.core.event import Called
from folkmoot.models.base import Model, Request
from folkmoot.testing.scripted import ScriptedModel
from folkmoot.web.app import make_app, open_site
from folkmoot.web.auth import session_cookie
from folkmoot.web.site import ServerState

T = TypeVar("T")

HOST = "127.0.0.1:8323"
API = "/api/v1"
ANN, BEN = "a" * 43, "b" * 43
"""The tokens of two programs."""

SERVING = Serving(tokens={"ann": hash_of(ANN), "ben": hash_of(BEN)}, requests=1_000_000)
QUOTES = "# Tea or coffee?\n\nTea is calm. Coffee is quick.\n"
ADA = (
    "# Tea or coffee?\n\nTea is calm.\n\n## Ada (human)\nrole: Guest\n\nYou like tea.\n\n"
    "## Ben (builtin:quotes)\nrole: Host\n\nYou like coffee.\n"
)
JSON = {"Content-Type": "application/json"}


WORDS = "ANSWER: Tea\nCONFIDENCE: 0.7\nARGUMENT: It is calm."


class Slow(ScriptedModel):
    """A model that says a piece, and waits with the rest until it may go on."""

    def __init__(self, words: str = WORDS) -> None:
        super().__init__(lambda request: words, name="guest:slow")
        self.go = asyncio.Event()
        self.asked = asyncio.Event()

    async def _send(self, request: Request, recorder: Recorder) -> Called:
        recorder.delta("It ")
        self.asked.set()
        await self.go.wait()
        return await super()._send(request, recorder)


@dataclass(slots=True, kw_only=True)
class Web:
    """A server and those who come to it."""

    site: ServerState
    base: str
    transport: httpx2.AsyncBaseTransport | None
    clients: list[httpx2.AsyncClient] = field(default_factory=list[httpx2.AsyncClient])

    def client(self, *, token: str = "", session: bool = False, **headers: str) -> httpx2.AsyncClient:
        """Somebody with a token, or at the machine, or with nothing."""
        sent_headers = {**headers}
        cookies: dict[str, str] = {}
        if token:
            sent_headers["Authorization"] = f"Bearer {token}"
        if session:
            secret = self.site.auth.exchange(self.site.auth.new_link())
            assert secret
            cookies[session_cookie(self.base)] = secret
            sent_headers.setdefault("X-Folkmoot", "1")
        client = httpx2.AsyncClient(
            transport=self.transport, base_url=self.base, headers=sent_headers, cookies=cookies, timeout=120
        )
        self.clients.append(client)
        return client

    @property
    def me(self) -> httpx2.AsyncClient:
        """Whoever is at the machine."""
        return self.client(session=True)

    @property
    def ann(self) -> httpx2.AsyncClient:
        """A program with a token."""
        return self.client(token=ANN)

    @property
    def ben(self) -> httpx2.AsyncClient:
        """Another one."""
        return self.client(token=BEN)

    async def begin(self, client: httpx2.AsyncClient, brief: object = QUOTES, **more: object) -> str:
        """Start a debate; its id."""
        body = {"brief": brief, "models": ["builtin:quotes"], "participants": "builtin", **more}
        response = await client.post(f"{API}/debates", json=body)
        assert response.status_code == 201, response.text
        return str(response.json()["id"])

    async def asked(self, client: httpx2.AsyncClient, debate: str) -> list[dict[str, object]]:
        """The open questions to people, once there are some."""

        async def look() -> list[dict[str, object]]:
            return (await client.get(f"{API}/debates/{debate}/asks")).json()["asks"]

        return await until(look)

    async def ended(self, client: httpx2.AsyncClient, **more: object) -> str:
        """Start a debate and wait for its end; its id."""
        debate = await self.begin(client, **more)
        await self.site.runner.wait(debate)
        return debate


def config(serving: Serving = SERVING) -> Config:
    return replace(Config(), serve=serving)


@asynccontextmanager
async def opened(
    folder: Path,
    *,
    serving: Serving = SERVING,
    real: bool = False,
    models: Mapping[str, Model] | None = None,
    store: str = "",
    queue: Dispatcher | None = None,
    port: int = 0,
) -> AsyncGenerator[Web]:
    """A server over a record in that folder, or that store; ``real`` on that or a free port, else without a socket."""
    workspace = Workspace.at(store or folder / "folkmoot.sqlite")
    workspace.config = config(serving)
    for name, model in (models or {}).items():
        workspace.pool.add_agent(name, model)
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind(("127.0.0.1", port))
    host = f"127.0.0.1:{bound.getsockname()[1]}" if real else HOST
    try:
        hosts = [host, host.replace("127.0.0.1", "localhost")]
        async with open_site(workspace, workspace.config, hosts=hosts, queue=queue) as site:
            app = make_app(site)
            transport = None if real else httpx2.ASGITransport(app=app)
            web = Web(site=site, base=f"http://{host}", transport=transport)
            if real:
                async with listening(app, bound, site):
                    yield web
            else:
                yield web
            for client in web.clients:
                await client.aclose()
    finally:
        bound.close()
        await workspace.close()


@asynccontextmanager
async def listening(app: ASGIApp, bound: socket.socket, site: ServerState) -> AsyncGenerator[None]:
    """A real server of the app at a socket, as long as the context lasts."""
    config = config_of(app, lifespan="off", log_level="error")
    server = uvicorn.Server(config)
    async with asyncio.TaskGroup() as group:
        serving = group.create_task(server._serve([bound]))  # pyright: ignore[reportPrivateUsage]
        await until(lambda: server.started)
        try:
            yield
        finally:
            site.live.close()
            server.should_exit = True
            await serving


async def until(look: Callable[[], T | Awaitable[T]], seconds: float = 120.0) -> T:
    """What a look gives, once it gives something."""
    async with asyncio.timeout(seconds):
        while True:
            result = look()
            if isinstance(result, Awaitable):
                result = await cast("Awaitable[T]", result)
            if result:
                return result
            await asyncio.sleep(0.01)


def events(text: str) -> list[tuple[int, str, dict[str, object]]]:
    """Server-sent events as number, name and data."""
    parsed: list[tuple[int, str, dict[str, object]]] = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line and not line.startswith(":"))
        if fields:
            parsed.append((int(fields["id"]), fields["event"], json.loads(fields["data"])))
    return parsed


def names(rows: Sequence[Mapping[str, object]]) -> list[object]:
    return [row["id"] for row in rows]
