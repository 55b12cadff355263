"""``folkmoot config doctor``: what works, what doesn't, and that nothing secret is in the lines."""

import asyncio
import socket
from pathlib import Path

import pytest

from folkmoot.app.plan.doctor import Line, examine
from folkmoot.testing.small_web import Answer, Web
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Wires
from tests.cli.commands import NO_SERVERS, QUOTES, folkmoot

KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of whoever runs the tests."""
    for name, value in {
        "HOME": tmp_path,
        "XDG_CONFIG_HOME": tmp_path,
        "FOLKMOOT_MODEL": "",
        "FOLKMOOT_STORE": "",
    }.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.chdir(tmp_path)


def of(lines: tuple[Line, ...], subject: str) -> list[tuple[str, str]]:
    return [(line.state, line.words) for line in lines if line.subject == subject]


def test_a_command_that_finds_no_fault_says_so_by_its_exit_code_and_writes_nothing(tmp_path: Path) -> None:
    result = folkmoot(tmp_path, "config", "doctor", *QUOTES)
    assert result.exit_code == 0, result.output
    assert "builtin:quotes" in result.stdout
    assert str(tmp_path) not in result.stdout  # the home folder's name may be a person's
    assert "~/folkmoot.sqlite" in result.stdout
    assert not list(tmp_path.iterdir())


def test_records_are_counted_and_what_is_no_record_is_a_fault(tmp_path: Path) -> None:
    assert folkmoot(tmp_path, "run", "Tea or coffee?", "--quiet", *QUOTES).exit_code == 0
    assert "1 debate," in folkmoot(tmp_path, "config", "doctor").stdout
    (tmp_path / "folkmoot.sqlite").write_text("no database at all, only words, " * 50, "utf-8")
    result = folkmoot(tmp_path, "config", "doctor")
    assert result.exit_code == 1
    assert "fault store" in result.stdout
    assert "ok    page" in result.stdout or "note  page" in result.stdout  # it goes on after a fault


def test_settings_that_cannot_be_read_are_a_fault_and_not_the_end(tmp_path: Path) -> None:
    (tmp_path / "folkmoot.toml").write_text('colour = "red"\n', "utf-8")
    result = folkmoot(tmp_path, "config", "doctor")
    assert result.exit_code == 1
    assert "colour" in result.stdout
    assert "models" in result.stdout


async def test_each_model_is_asked_once_and_no_key_is_shown() -> None:
    answers = {"good": Plan(text="Hello."), "bad": Plan(status=401, error=f"Incorrect API key provided: {KEY}")}
    async with Wires(script=lambda call: answers[str(call.body["model"])]).serve() as wires:
        env = {**NO_SERVERS, "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{wires.url}/v1"}
        names = ("openai:good", "openai:bad")
        unasked = await examine(Path("a.sqlite"), 0, seats=names, env=env)
        assert not wires.calls
        lines = await examine(Path("a.sqlite"), 0, seats=names, call=True, env=env)
        assert sorted(str(call.body["model"]) for call in wires.calls) == ["bad", "good"]
    assert [state for state, _ in of(lines, "model")] == ["ok", "fault"]
    assert of(lines, "key") == of(unasked, "key") == [("ok", "openai, from OPENAI_API_KEY")]
    assert KEY not in "\n".join(map(str, lines))


async def test_what_the_environment_names_and_what_cannot_be_used_is_told() -> None:
    async with (
        Web(script=lambda visit: Answer(status=401)).serve() as refusing,
        Web(script=lambda visit: Answer(status=404)).serve() as elsewhere,
    ):
        named = {"LMSTUDIO_BASE_URL": refusing.url, "FOLKMOOT_BASE_URL": elsewhere.url, "VLLM_BASE_URL": "nowhere"}
        env = {**NO_SERVERS, **named, "OLLAMA_HOST": "", "OPENAI_API_KEY": "two words"}
        lines = await examine(Path("a.sqlite"), 0, env=env)
    states = {words.partition(":")[0]: state for state, words in of(lines, "server")}
    assert states.pop("ollama", "ok") == "ok"  # nobody named one
    assert states == {"lmstudio": "fault", "llamacpp": "note", "vllm": "fault", "compatible": "note"}
    [(state, words)] = of(lines, "key")
    assert (state, "OPENAI_API_KEY" in words) == ("fault", True)


async def test_the_address_of_a_server_elsewhere_is_not_shown() -> None:
    lines = await examine("postgresql://ada:secret@127.0.0.1.invalid:5432/x?password=hidden", 0, env=NO_SERVERS)
    [(state, words)] = of(lines, "store")
    assert state == "fault"
    assert not [word for word in ("ada", "secret", "invalid", "hidden") if word in words]


async def test_every_model_of_a_preset_is_asked() -> None:
    settings = '[presets.quick]\nmodels = ["openai:one"]\nacting = "openai:two"\nsmall = "openai:three"\n'
    Path("folkmoot.toml").write_text(settings, "utf-8")  # noqa: ASYNC240 - nobody else runs here
    async with Wires(script=lambda call: Plan(text="Hello.")).serve() as wires:
        env = {**NO_SERVERS, "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{wires.url}/v1"}
        lines = await examine(Path("a.sqlite"), 0, call=True, env=env)
    assert [state for state, _ in of(lines, "model")] == ["ok"] * 3
    assert {str(call.body["model"]) for call in wires.calls} == {"one", "two", "three"}


async def test_a_server_of_ones_own_says_its_slots_its_context_and_whether_it_holds_to_a_schema() -> None:
    async with Wires(script=lambda call: Plan(text='{"word": "zebra"}')).serve() as wires:
        lines = await examine(Path("a.sqlite"), 0, call=True, env={**NO_SERVERS, "OLLAMA_HOST": wires.url})
    [(state, words)] = [line for line in of(lines, "server") if "context" in line[1]]
    assert state == "ok"
    assert all(part in words for part in ("1 call", "context", "schema")), words


def test_a_port_in_use_and_a_folder_that_is_a_file_are_told() -> None:
    Path("file").touch()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        lines = asyncio.run(examine(Path("file/a.sqlite"), port, env=NO_SERVERS))
    assert [state for state, _ in of(lines, "port")] == ["note"]
    assert [state for state, _ in of(lines, "store")] == ["fault"]
