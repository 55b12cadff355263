"""Notices of turns and endings, to a real HTTP server and a real mail server on this machine."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from folkmoot.app.brief.reader import read_brief
from folkmoot.app.brief.tables import read_table
from folkmoot.app.plan.settings import Config, load_config
from folkmoot.app.plan.settings_tables import Notifying
from folkmoot.app.run import access
from folkmoot.app.run.access import share_of
from folkmoot.app.run.people import answer
from folkmoot.app.run.prepare import Overrides, prepare
from folkmoot.app.run.record_reader import waiting
from folkmoot.app.run.runner import Runner
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve import notices
from folkmoot.app.serve.notices import Notifier
from folkmoot.core.errors import BriefError, RecordError
from folkmoot.testing.store_checks import InMemoryStore
from tests.council.agents import own_place
from tests.web.web_kit import ADA, until

BASE = "http://127.0.0.1:8323"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


@asynccontextmanager
async def hooked(refuse: int = 0) -> AsyncGenerator[tuple[str, list[Any]]]:
    """A server that keeps what is posted to it; it refuses the first requests."""
    bodies: list[Any] = []
    refused = 0

    async def take(request: web.Request) -> web.Response:
        nonlocal refused
        if refused < refuse:
            refused += 1
            return web.Response(status=503)
        bodies.append(await request.json())
        return web.Response()

    app = web.Application()
    app.router.add_post("/hook", take)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    yield f"http://127.0.0.1:{port}/hook", bodies
    await runner.cleanup()


@asynccontextmanager
async def posted() -> AsyncGenerator[tuple[str, list[str]]]:
    """A mail server that takes what it is given."""
    mails: list[str] = []
    talks = 0

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal talks
        talks += 1
        writer.write(b"220 here\r\n")
        while line := (await reader.readline()).decode():
            word = line[:4].upper()
            if word == "DATA":
                writer.write(b"354 go on\r\n")
                mails.append((await reader.readuntil(b"\r\n.\r\n")).decode())
            writer.write(b"221 bye\r\n" if word == "QUIT" else b"250 yes\r\n")
            if word == "QUIT":
                break
        writer.close()
        await writer.wait_closed()
        talks -= 1

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        yield f"smtp://127.0.0.1:{server.sockets[0].getsockname()[1]}", mails
        await until(lambda: not talks)


async def debated(wanted: Notifying, say: Callable[[str], None], done: Callable[[], bool]) -> Workspace:
    """A debate in which Ada is asked and answers, with its notices, until these are done."""
    workspace = Workspace(InMemoryStore(), config=Config())
    notifier = Notifier(workspace, wanted, BASE, say)
    workspace.watchers.each.append(notifier)
    async with Runner(workspace) as runner, asyncio.TaskGroup() as group:
        sending = group.create_task(notifier.run())
        start = await prepare(workspace, read_brief(ADA), Overrides(models=("builtin:quotes",), cast="builtin"))
        await runner.begin(start, "d")
        while (await runner.running_state("d")).by:
            for turn in await waiting(workspace, "d"):
                with suppress(RecordError, BriefError):  # it was answered in the meantime
                    await answer(workspace, "d", "ANSWER: Tea\nI vote for: Proposal A", who="Ada", key=turn.key)
            await asyncio.sleep(0.01)
        await until(done)
        sending.cancel()
    return workspace


async def test_a_webhook_is_told_whose_turn_it_is_and_how_it_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "TRIES", (0.0, 0.0, 0.0))
    said = list[str]()
    async with hooked(refuse=2) as (address, bodies):
        await debated(Notifying(webhook=address), said.append, lambda: any(body["event"] == "ended" for body in bodies))
    assert next((body["event"], body["who"]) for body in bodies) == ("turn", "Ada")
    assert {body["link"] for body in bodies} == {f"{BASE}/d/d"}
    assert [body["event"] for body in bodies].count("ended") == 1
    assert not said, "it was tried again"


async def test_a_person_gets_a_mail_with_a_link_of_her_own() -> None:
    said = list[str]()
    async with posted() as (server, mails):
        wanted = Notifying(smtp=server, people={"Ada": "ada@example.org"}, mail=("all@example.org",))
        workspace = await debated(wanted, said.append, lambda: len(mails) > 1)
    own = next(mail for mail in mails if "To: ada@example.org" in mail)
    secret = own.split("?share=")[1].split()[0]
    link = await share_of(workspace, "d", secret)
    assert link
    assert (link.right, link.who) == ("join", "Ada")
    assert any("To: all@example.org" in mail and "?share=" not in mail for mail in mails)


async def test_what_cannot_be_sent_is_said_without_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "TRIES", (0.0, 0.0))
    said = list[str]()
    await debated(Notifying(webhook="http://127.0.0.1:9/secret-hook"), said.append, lambda: len(said) > 1)
    assert not any("secret-hook" in sentence for sentence in said)


async def test_what_is_wrong_with_one_notice_ends_neither_the_others_nor_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(access, "MOST_SHARES", 0)  # no further link can be made
    monkeypatch.setattr(notices, "TRIES", (0.0,))
    said = list[str]()
    async with hooked() as (address, bodies), posted() as (server, _):
        wanted = Notifying(webhook=address, smtp=server, people={"Ada": "ada@example.org"})
        await debated(wanted, said.append, lambda: any(body["event"] == "ended" for body in bodies) and bool(said))
    assert all("BriefError" in sentence for sentence in said)


@pytest.mark.parametrize("shape", ["slack", "discord"])
def test_other_services_get_their_own_shape(shape: str) -> None:
    notice = notices.Notice(event="turn", debate="d", topic="Tea?", text="Ada, it's your turn", link=f"{BASE}/d/d")
    (words,) = notices.SHAPES[shape](notice).values()
    assert json.dumps(words)
    assert f"{BASE}/d/d" in str(words)


@pytest.mark.parametrize(
    "table",
    [
        {"hook": "x"},
        {"webhook": "slack"},
        {"format": "teams"},
        {"smtp": "mail.example.org"},
        {"mail": ["a@b"]},
        {"people": "Ada"},
        "x",
    ],
)
def test_faulty_settings_are_refused(table: object) -> None:
    with pytest.raises(BriefError, match="notify"):
        read_table(Notifying, "notify", table, "folkmoot.toml")


def test_they_are_read_from_the_owners_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "config/folkmoot"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "folkmoot.toml").write_text('[notify]\nwebhook = "https://example.org/hook"\nformat = "slack"\n', "utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert load_config().notify == Notifying(webhook="https://example.org/hook", format="slack")
