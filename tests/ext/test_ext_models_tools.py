"""A provider and a tool of other packages: asked, killed, resumed, found broken, found missing."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from folkmoot.app.plan.toolbox import foreign_tool
from folkmoot.core.errors import BriefError, ModelError, ToolError
from folkmoot.models.base import Message, Request
from folkmoot.models.discover import find_models
from folkmoot.testing.conformance import Journal, check_model
from tests.cli.commands import QUOTES, folkmoot, settle
from tests.ext.ext_kit import Install, remove
from tests.ext.test_ext_whole import brief, flat
from tests.models.models_kit import build

ROOT = Path(__file__).parents[2]


class Server(ThreadingHTTPServer):
    """A server of ``say``: what it was asked, and when it lets an answer go."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []
        self.voices: list[str] = []
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
        server.voices.append(body["voice"])
        if len(server.asked) > server.free:
            server.open.wait(120)
        text = str(body["text"])
        choice = "keep it" if len(server.asked) % 2 else "close it"
        words = f"ANSWER: {choice}\nCONFIDENCE: 0.7\nARGUMENT: Children learn to swim.\nCLAIM: It is used.\nREASON: so."
        if scored := re.findall(r"^(.+?): \[[^\]]*\b0 to 5\b", text, re.MULTILINE):
            words = "REASON: so.\n" + "\n".join(f"{name}: {n + 2}" for n, name in enumerate(scored))
        if "I vote for" in text:
            words = "I vote for: Proposal A"
        answer = json.dumps(
            {"said": words, "read": 50, "wrote": 9} if server.status == 200 else {"error": "no"}
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
    install("folkmoot_say")
    await check_model(lambda: build("say:parrot", env={"SAY_BASE_URL": server.url}))


async def test_errors_of_a_provider_are_model_errors(install: Install, server: Server) -> None:
    install("folkmoot_say")
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
    assert "temperature" in model.drops
    assert "max_tokens" not in model.drops
    assert not model.traits.tools
    with pytest.raises(ModelError, match="no connection to say at"):
        await asyncio.wait_for(model.complete(request, Journal()), 30)
    code = (ROOT / "tests/ext/packages/folkmoot_say/folkmoot_say.py").read_text("utf-8")
    install("folkmoot_say", code=code.replace('values["said"]', 'values["words"]'))
    server.status = 200
    model = build("say:parrot", env={"SAY_BASE_URL": server.url})
    with pytest.raises(ModelError, match=r"say:parrot failed: KeyError|KeyError"):
        await model.complete(request, Journal())
    await model.close()
    install(
        "folkmoot_say", code=code.replace("class Say(ProviderModel):", "class Say(ProviderModel):\n    answer = 1 / 0")
    )
    with pytest.raises(BriefError, match=r"'say' of the package folkmoot-say .* cannot be used: ZeroDivisionError"):
        build("say:parrot")
    install("folkmoot_say", code=code.replace('name="say",', 'name="said",', 1))
    with pytest.raises(BriefError, match="its name is 'said'"):
        build("say:parrot")
    install("folkmoot_say", code=code.replace("adapter=Say", "adapter=sum"))
    with pytest.raises(BriefError, match="say:parrot cannot be used: TypeError"):
        build("say:parrot", env={"SAY_BASE_URL": server.url})


async def test_a_provider_stands_among_those_that_are_looked_for(install: Install, server: Server) -> None:
    install("folkmoot_say")
    available = await find_models({"SAY_KEY": "sesame", "OLLAMA_HOST": "http://127.0.0.1:9"})
    assert ("say", "SAY_KEY") in available.keys


SAY_IS_MISSING = "the debate needs folkmoot-say 0.3 for its provider say; that package is not installed"
STAR_IS_MISSING = "the debate needs folkmoot-star 2.1 for its Star; that package is not installed"


def kill_a_run(folder: Path, server: Server, sites: Sequence[Path]) -> None:
    """Run the brief in a process of its own, and kill it after more than five questions."""
    paths = ":".join(map(str, (*sites, ROOT / "src")))
    env = {**os.environ, **settle(folder), "SAY_BASE_URL": server.url, "PYTHONPATH": paths}
    server.free = 5
    server.open.clear()
    command = [sys.executable, "-m", "folkmoot", "run", "b.md", "--quiet", "--no-report"]
    run = subprocess.Popen(command, cwd=folder, env=env, stderr=subprocess.DEVNULL)
    for _ in range(1200):
        if len(server.asked) > 5:
            break
        time.sleep(0.1)
    run.send_signal(signal.SIGKILL)
    run.wait(120)
    assert len(server.asked) > 5, "the server was never asked"
    server.free = 10**6
    server.open.set()


def check_without_packages(tmp_path: Path, missing: str) -> None:
    """What can be done with a debate whose packages are gone, and what is said of them."""
    assert "pool" in folkmoot(tmp_path, "report", "last").output
    slides = folkmoot(tmp_path, "report", "last", "--format", "slides")
    assert (slides.exit_code, "there is no format 'slides'" in flat(slides.output)) == (2, True), slides.output
    verified = folkmoot(tmp_path, "verify", "last")
    assert (verified.exit_code, missing in flat(verified.output)) == (1 if missing else 0, True), verified.output
    recounted = folkmoot(tmp_path, "show", "--recount", "last")
    assert (recounted.exit_code, missing in flat(recounted.output)) == (0, True), recounted.output


@pytest.mark.system
@pytest.mark.parametrize(
    ("header", "package", "missing"),
    [
        # The tree of six hats is made of Folkmoot's own parts, so its record does not need the package.
        ("protocol: six_hats\nprotocol_options: {hats: [white, black]}", "folkmoot_six_hats", ""),
        ("protocol: panel\nstrategy: star", "folkmoot_star", STAR_IS_MISSING),
    ],
    ids=["six hats", "star"],
)
def test_a_debate_of_packages_is_killed_resumed_reported_recounted_and_names_what_is_missing(
    install: Install, server: Server, tmp_path: Path, header: str, package: str, missing: str
) -> None:
    brief(tmp_path, f"{header}\nmodel: say:parrot")
    sites = {name: install(name) for name in (package, "folkmoot_say", "folkmoot_slides")}
    kill_a_run(tmp_path, server, tuple(sites.values()))
    env = {"SAY_BASE_URL": server.url}
    # Without a package the debate is listed and verified as far as can be; a resume says what is missing.
    remove(sites["folkmoot_say"])
    assert "say:parrot" in folkmoot(tmp_path, "show", "last").output or "pool" in folkmoot(tmp_path, "list").output
    unsaid = folkmoot(tmp_path, "resume", "last", **env)
    assert (unsaid.exit_code, SAY_IS_MISSING in flat(unsaid.output)) == (1, True), unsaid.output
    sites["folkmoot_say"] = install("folkmoot_say")
    remove(sites[package])
    if missing:
        stopped = folkmoot(tmp_path, "resume", "last", **env)
        assert (stopped.exit_code, missing in flat(stopped.output)) == (1, True), stopped.output
        sites[package] = install(package)
    before = len(server.asked)
    resumed = folkmoot(tmp_path, "resume", "last", "--no-report", **env)
    assert resumed.exit_code in (0, 3), resumed.output
    assert before < len(server.asked)
    assert not {*server.asked[:4]} & {*server.asked[before:]}, "an answer on record was asked for again"
    # With its packages it is reported, recounted and verified.
    page = folkmoot(tmp_path, "report", "last").output.replace("\\", "")
    assert f"uses {package.replace('_', '-')} " in page
    assert "uses folkmoot-say 0.3 for provider say" in page
    assert folkmoot(tmp_path, "report", "last", "--format", "slides").output.count("\n---\n") == 2
    counted = folkmoot(tmp_path, "show", "--recount", "last", "--json")
    assert counted.exit_code == 0, counted.output
    rules = {line["rule"] for line in json.loads(counted.output)["counts"]}
    assert ("star" in rules) == bool(missing)
    assert folkmoot(tmp_path, "verify", "last").exit_code == 0
    # Without any it is still listed and reported.
    for name in ("folkmoot_say", "folkmoot_slides", *([package] if missing else [])):
        remove(sites[name])
    check_without_packages(tmp_path, missing)


async def test_a_tool_of_another_package_is_used_and_its_errors_name_the_package(install: Install) -> None:
    install("folkmoot_dice")
    tool = foreign_tool("dice")
    assert tool.spec.name == "dice"
    result = await tool.use({"dice": 2, "sum": 7}, None)  # type: ignore[arg-type]
    assert result.text == "6 of 36 rolls"
    with pytest.raises(ToolError, match="1 to 6 dice can be counted"):
        await tool.use({"dice": 9, "sum": 7}, None)  # type: ignore[arg-type]
    with pytest.raises(ToolError, match=r"'dice' of the package folkmoot-dice .* cannot be used: ValueError"):
        await tool.use({"dice": 1, "sum": "x"}, None)  # type: ignore[arg-type]
    for code, why in (
        ("Dice = 7", "it is not a function that makes a tool"),
        ("class Dice:\n    def __init__(self):\n        raise OSError('no dice')", "OSError: no dice"),
        ("class Dice: ...", "AttributeError"),
        ("import sys\nsys.exit(3)", "SystemExit: 3"),
    ):
        install("folkmoot_dice", code=code)
        with pytest.raises(BriefError, match=f"'dice' of the package folkmoot-dice .* cannot be used: {why}"):
            foreign_tool("dice")


def test_a_brief_may_name_a_tool_of_another_package(install: Install, tmp_path: Path) -> None:
    people = "\n## Ann\nmodel: compatible:m\ntool_usage: [dice]\n\nSpeak.\n\n## Bob\nrole: no\n\nSpeak.\n"
    name = brief(tmp_path, "protocol: panel", people)
    refused = folkmoot(tmp_path, "check", name, *QUOTES, FOLKMOOT_BASE_URL="http://127.0.0.1:9")
    assert refused.exit_code == 2
    assert "cannot be 'dice'" in flat(refused.output)
    site = install("folkmoot_dice")
    checked = folkmoot(tmp_path, "check", name, *QUOTES, FOLKMOOT_BASE_URL="http://127.0.0.1:9")
    assert checked.exit_code == 0, checked.output
    assert "It uses folkmoot-dice 1.0 for tool dice." in flat(checked.output)
    remove(site)
