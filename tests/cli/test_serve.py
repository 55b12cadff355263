"""``folkmoot serve``: the link, the doors to other machines, Ctrl-C once and twice, and help that needs no server."""

import asyncio
import json
import signal
import socket
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.plan.settings import Config
from folkmoot.app.plan.settings_tables import Serving
from folkmoot.app.run.access import hash_of
from folkmoot.app.serve.server_parts import check_host, hosts_of
from folkmoot.core.errors import BriefError
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call
from folkmoot.web.http_server import ServerSettings, serve
from tests.app.serve.serve_kit import PATIENCE, PATIENT, running, wait_for
from tests.cli.commands import folkmoot, served
from tests.council.agents import own_place
from tests.web.web_kit import QUOTES

pytestmark = pytest.mark.system

OPEN = Config()
GUARDED = replace(OPEN, serve=Serving(tokens={"ci": hash_of("x")}))
NAMED = replace(GUARDED, serve=replace(GUARDED.serve, hosts=("folkmoot.lan",)))


def test_a_debate_is_held_and_ctrl_c_ends_the_server(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        with server.client() as me:
            body = {"brief": QUOTES, "models": ["builtin:quotes"], "participants": "builtin"}
            debate = me.post("/api/v1/debates", json=body).json()["id"]
            url = f"/api/v1/debates/{debate}/entries?follow=true"
            assert '"kind":"closed"' in me.get(url).text
        assert server.end(signal.SIGINT) == 0
        stderr = server.stderr.read()
    assert "Traceback" not in stderr
    assert "token=" not in stderr
    listed = folkmoot(tmp_path, "list", "--json")
    assert debate in listed.output


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_debate_that_waits_for_a_person_is_put_down_and_open_streams_end(
    tmp_path: Path, number: signal.Signals
) -> None:
    with running(tmp_path) as server, server.client() as me:
        brief = f"{QUOTES}\n## Ada (human)\nrole: Guest\n\n## Ben (builtin:quotes)\nrole: Host\n"
        debate = me.post("/api/v1/debates", json={"brief": brief}).json()["id"]
        rows: list[str] = []

        def read() -> None:
            with me.stream("GET", f"/api/v1/debates/{debate}/entries?follow=true") as response:
                rows.extend(response.iter_lines())

        reader = threading.Thread(target=read)
        reader.start()
        wait_for(lambda: any('"kind":"asked"' in row for row in rows))
        assert server.end(number) == 0
        reader.join(PATIENCE)
        assert "stopping after the answers in progress" in server.stderr.read()
    assert any('"kind":"paused"' in row for row in rows), "who looks on sees the pause"
    shown = folkmoot(tmp_path, "list", "--json").output
    assert '"status": "paused"' in shown


@pytest.mark.parametrize(
    ("delay", "signals", "answers"),
    [(3.0, (signal.SIGINT,), True), (600.0, (signal.SIGINT, signal.SIGINT), False)],
)
def test_ctrl_c_waits_for_the_answers_in_hand_and_twice_does_not(
    tmp_path: Path, delay: float, signals: tuple[signal.Signals, ...], answers: bool
) -> None:
    brief = f"---\nprotocol: round_robin\n---\n{QUOTES}"

    def script(call: Call) -> Plan:
        return Plan(text="ANSWER: Tea\nCLAIM: It is calm.\nARGUMENT: It is calm.", delay=delay)

    with (
        served(script) as wires,
        running(tmp_path, module=PATIENT, OLLAMA_HOST=wires.url) as server,
        server.client() as me,
    ):
        body = {"brief": brief, "models": ["ollama:tiny"], "participants": "builtin"}
        debate = me.post("/api/v1/debates", json=body).json()["id"]
        wait_for(lambda: me.get(f"/api/v1/debates/{debate}").json()["sums"]["asked"] and wires.calls)
        assert server.end(*signals) == 0, "nobody waits for the whole grace"
    text = folkmoot(tmp_path, "report", debate, "--format", "json").output
    assert ("It is calm." in text) == answers
    assert json.loads(text)["outcome"]["status"] == "paused"


def test_help_needs_no_server() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from folkmoot.cli.main import main; "
        "found = [CliRunner().invoke(main, words).output for words in (['--help'], ['serve', '--help'])]; "
        "assert 'serve' in found[0] and '--port' in found[1]; "
        "assert not {'fastapi', 'starlette', 'uvicorn'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)}, timeout=150)


# ---- addresses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "config", "message"),
    [
        ("127.0.0.1", OPEN, ""),
        ("::1", OPEN, ""),
        ("localhost", OPEN, ""),
        ("0.0.0.0", OPEN, "set a token"),
        ("::", OPEN, "set a token"),
        ("192.0.2.7", OPEN, "set a token"),
        ("folkmoot.lan", OPEN, "set a token"),
        ("192.0.2.7", GUARDED, ""),
        ("0.0.0.0", GUARDED, "the names by which"),
        ("0.0.0.0", NAMED, ""),
    ],
)
def test_other_machines_come_in_with_a_token_alone(host: str, config: Config, message: str) -> None:
    if not message:
        check_host(host, config.serve)
        return
    with pytest.raises(BriefError, match=message):
        check_host(host, config.serve)


def test_the_names_that_are_answered() -> None:
    assert hosts_of("127.0.0.1", 7, OPEN.serve) == {"127.0.0.1:7", "localhost:7", "[::1]:7"}
    assert "192.0.2.7:7" in hosts_of("192.0.2.7", 7, NAMED.serve)
    assert {"folkmoot.lan", "folkmoot.lan:7"} <= hosts_of("0.0.0.0", 7, NAMED.serve)


def test_an_open_door_is_refused_in_a_sentence(tmp_path: Path) -> None:
    result = folkmoot(tmp_path, "serve", "--host", "0.0.0.0", "--port", "0")
    assert result.exit_code == 2
    assert "set a token in [serve.tokens]" in result.output
    assert folkmoot(tmp_path, "serve", "--port", "70000").exit_code == 2


async def test_a_port_that_is_taken_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)
    with socket.socket() as blocker:
        blocker.bind(("127.0.0.1", 0))
        blocker.listen()
        port = blocker.getsockname()[1]
        wanted = ServerSettings(store=tmp_path / "m.sqlite", port=port, ready=lambda link: None, say=lambda words: None)
        with pytest.raises(BriefError, match="try --port 0"):
            await serve(wanted, OPEN)
    with pytest.raises(BriefError, match="cannot listen at"):
        await serve(replace(wanted, host="nowhere.invalid"), NAMED)


async def test_enter_and_signals_in_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)
    links: list[str] = []
    texts: list[str] = []

    def ready(link: str) -> None:
        links.append(link)
        asyncio.get_running_loop().call_later(0.1, signal.raise_signal, signal.SIGINT)

    wanted = ServerSettings(store=tmp_path / "m.sqlite", port=0, ready=ready, say=texts.append)
    async with asyncio.timeout(PATIENCE):
        await serve(wanted, OPEN)
    assert len(links) == 1
    assert texts == [], "where nothing is held nothing is waited for"
