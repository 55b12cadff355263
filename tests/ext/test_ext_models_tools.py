"""A provider and a tool of other packages: asked, killed, resumed, found broken, found missing."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from moot.app.plan.toolbox import foreign_tool
from moot.core.errors import BriefError, ModelError, ToolError
from moot.models.base import Message, Request
from moot.models.discover import find_models
from moot.models.pool import build
from moot.testing.conformance import Journal, check_model
from tests.cli.commands import QUOTES, moot, settle
from tests.ext.ext_kit import Install, remove
from tests.ext.test_ext_whole import brief, flat

ROOT = Path(__file__).parents[2]


class Server(ThreadingHTTPServer):
    """A server of ``say``: what it was asked, and when it lets an answer go."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []
        self.open = threading.Event()
        self.open.set()
        self.free = 10**6
        self.status = 200
        self.raw = b""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    """Answers willingly whatever form it is given."""

    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Server)
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        server.asked.append(body["text"])
        if len(server.asked) > server.free:
            server.open.wait(30)
        text = str(body["text"])
        said = "ANSWER: keep it\nCONFIDENCE: 0.7\nARGUMENT: Children learn to swim.\nCLAIM: It is used.\nREASON: so."
        if "I vote for" in text:
            said = "I vote for: Proposal A"
        answer = json.dumps(
            {"said": said, "read": 50, "wrote": 9} if server.status == 200 else {"error": "no"}
        ).encode()
        answer = server.raw or answer
        self.send_response(server.status)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    """A running server."""
    server = Server()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.open.set()
    server.shutdown()
    server.server_close()


async def test_a_provider_passes_the_check_of_models(install: Install, server: Server) -> None:
    install("moot_say")
    await check_model(lambda: build("say:parrot", env={"SAY_BASE_URL": server.url}))


async def test_errors_of_a_provider_are_model_errors(install: Install, server: Server) -> None:
    install("moot_say")
    request = Request(messages=(Message(role="user", text="Tea?"),))
    server.status = 401
    model = build("say:parrot", env={"SAY_BASE_URL": server.url})
    with pytest.raises(ModelError, match="say refused the key"):
        await model.complete(request, Journal())
    server.status, server.raw = 200, b"[1, 2]"
    with pytest.raises(ModelError, match="say"):
        await model.complete(request, Journal())
    server.raw = b""
    await model.close()
    model = build("say:parrot", env={"SAY_BASE_URL": "http://127.0.0.1:9"})
    assert model.drops == ()
    assert not model.traits.tools
    with pytest.raises(ModelError, match="no connection to say at"):
        await asyncio.wait_for(model.complete(request, Journal()), 30)
    code = (ROOT / "tests/ext/packages/moot_say/moot_say.py").read_text("utf-8")
    install("moot_say", code=code.replace('told["said"]', 'told["words"]'))
    server.status = 200
    model = build("say:parrot", env={"SAY_BASE_URL": server.url})
    with pytest.raises(ModelError, match=r"say:parrot failed: KeyError|KeyError"):
        await model.complete(request, Journal())
    await model.close()
    install("moot_say", code=code.replace("class Say(ProviderModel):", "class Say(ProviderModel):\n    answer = 1 / 0"))
    with pytest.raises(BriefError, match=r"'say' of the package moot-say .* cannot be used: ZeroDivisionError"):
        build("say:parrot")
    install("moot_say", code=code.replace('name="say",', 'name="said",', 1))
    with pytest.raises(BriefError, match="its name is 'said'"):
        build("say:parrot")
    install("moot_say", code=code.replace("adapter=Say", "adapter=int"))
    with pytest.raises(BriefError, match="say:parrot cannot be used: TypeError"):
        build("say:parrot", env={"SAY_BASE_URL": server.url})


async def test_a_provider_stands_among_those_that_are_looked_for(install: Install, server: Server) -> None:
    install("moot_say")
    found = await find_models({"SAY_KEY": "sesame", "OLLAMA_HOST": "http://127.0.0.1:9"})
    assert ("say", "SAY_KEY") in found.keys


@pytest.mark.system
def test_a_debate_with_a_provider_is_killed_and_resumed(install: Install, server: Server, tmp_path: Path) -> None:
    site = install("moot_say")
    name = brief(tmp_path, "protocol: round_robin\nrounds: 1\nstrategy: vote\nmodel: say:parrot")
    env = {**os.environ, **settle(tmp_path), "SAY_BASE_URL": server.url, "PYTHONPATH": f"{site}:{ROOT / 'src'}"}
    command = [sys.executable, "-m", "moot"]
    server.free = 5
    server.open.clear()
    run = subprocess.Popen(
        [*command, "run", name, "--quiet", "--no-report"], cwd=tmp_path, env=env, stderr=subprocess.DEVNULL
    )
    for _ in range(600):
        if len(server.asked) > 5:
            break
        time.sleep(0.1)
    run.send_signal(signal.SIGKILL)
    run.wait(30)
    assert len(server.asked) > 5, "the server was never asked"
    server.free = 10**6
    server.open.set()
    # Without the package: listed and reported; a resume says what is missing.
    kept = shutil.copytree(site, tmp_path / "kept")
    remove(site)
    env["PYTHONPATH"] = f"{kept}:{ROOT / 'src'}"
    bare = {**settle(tmp_path), "SAY_BASE_URL": server.url}
    assert "round_robin" in moot(tmp_path, "list", **bare).output
    assert moot(tmp_path, "verify", "last", **bare).exit_code == 0
    missing = moot(tmp_path, "resume", "last", **bare)
    assert missing.exit_code == 1
    need = "the debate needs moot-say 0.3 for its provider say; that package is not installed"
    assert need in flat(missing.output)
    before = len(server.asked)
    again = subprocess.run(
        [*command, "resume", "last"], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60
    )
    assert again.returncode in (0, 3), again.stderr
    assert before < len(server.asked)
    assert len(server.asked) <= 4 + 4 + 4 + before - 5, "an answer on record was asked for again"
    page = moot(tmp_path, "report", "last", **bare).output.replace("\\", "")
    assert "uses moot-say 0.3 for provider say" in page
    assert moot(tmp_path, "verify", "last", **bare).exit_code == 0


async def test_a_tool_of_another_package_is_used_and_its_errors_name_the_package(install: Install) -> None:
    install("moot_dice")
    tool = foreign_tool("dice")
    assert tool.spec.name == "dice"
    found = await tool.use({"dice": 2, "sum": 7}, None)  # type: ignore[arg-type]
    assert found.text == "6 of 36 rolls"
    with pytest.raises(ToolError, match="1 to 6 dice can be counted"):
        await tool.use({"dice": 9, "sum": 7}, None)  # type: ignore[arg-type]
    with pytest.raises(ToolError, match=r"'dice' of the package moot-dice .* cannot be used: ValueError"):
        await tool.use({"dice": 1, "sum": "x"}, None)  # type: ignore[arg-type]
    for code, why in (
        ("Dice = 7", "it is not a function that makes a tool"),
        ("class Dice:\n    def __init__(self):\n        raise OSError('no dice')", "OSError: no dice"),
        ("class Dice: ...", "AttributeError"),
        ("import sys\nsys.exit(3)", "SystemExit: 3"),
    ):
        install("moot_dice", code=code)
        with pytest.raises(BriefError, match=f"'dice' of the package moot-dice .* cannot be used: {why}"):
            foreign_tool("dice")


def test_a_brief_may_name_a_tool_of_another_package(install: Install, tmp_path: Path) -> None:
    people = "\n## Ann\nmodel: compatible:m\ntool_usage: [dice]\n\nSpeak.\n\n## Bob\nrole: no\n\nSpeak.\n"
    name = brief(tmp_path, "protocol: panel", people)
    refused = moot(tmp_path, "check", name, *QUOTES, MOOT_BASE_URL="http://127.0.0.1:9")
    assert refused.exit_code == 2
    assert "cannot be 'dice'" in flat(refused.output)
    site = install("moot_dice")
    checked = moot(tmp_path, "check", name, *QUOTES, MOOT_BASE_URL="http://127.0.0.1:9")
    assert checked.exit_code == 0, checked.output
    assert "It uses moot-dice 1.0 for tool dice." in flat(checked.output)
    remove(site)
