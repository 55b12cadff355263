"""No request over the network starts a program of this machine, however it is written and wherever it stands."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client as Caller
from mcp.client.streamable_http import streamable_http_client

from folkmoot.app.brief.presets import read_presets
from folkmoot.app.plan.settings import Config
from folkmoot.app.plan.settings_tables import read_programs
from folkmoot.app.run.access import claim
from folkmoot.app.run.claims import Claim
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Entry
from folkmoot.mcp import mcp_host
from folkmoot.models.names import parse, programs_in
from folkmoot.models.pool import Pool
from folkmoot.record.store import chain_lines
from tests.mcp.mcp_kit import refusal
from tests.web.web_kit import ANN, API, QUOTES, SERVING, Web, opened, until

PLAIN = {"topic": "Tea?", "options": ["yes", "no"]}
BUILTIN = ["builtin:quotes"]
RECORDED = "acp:recorded"

Way = tuple[str, dict[str, object]]


@dataclass(frozen=True, slots=True)
class Program:
    """A harmless program of the machine that only notes that it was started."""

    folder: Path

    @property
    def mark(self) -> Path:
        return self.folder / "started"

    @property
    def started(self) -> bool:
        return self.mark.exists()

    def config(self, **more: Any) -> Config:
        """The owner's settings with this program behind two names, and presets that name it."""
        command = [sys.executable, "-c", "import pathlib, sys; pathlib.Path(sys.argv[1]).touch()", str(self.mark)]
        table = {"command": command, "cost": 0}
        presets = {
            "models": {"models": ["acp:local"], "participants": "builtin"},
            "acting": {"models": BUILTIN, "participants": "builtin", "answer": "acting", "acting": "acp/local"},
            "small": {"models": BUILTIN, "participants": "builtin", "small": "ACP:local"},
        }
        settings: dict[str, Any] = {
            "serve": SERVING,
            "acp": read_programs({"local": table, "recorded": table}, "folkmoot.toml"),
            "presets": read_presets(presets, "folkmoot.toml"),
        }
        return replace(Config(), **settings | more)


@asynccontextmanager
async def served(program: Program, **settings: Any) -> AsyncGenerator[Web]:
    """A real server whose owner has that program, and those settings."""
    config = program.config(**settings)
    async with opened(program.folder, real=True) as web:
        web.site.workspace.config = web.site.runner.config = config
        web.site.endpoint.presets = config.presets
        yield web


def new(models: object = BUILTIN, brief: object = PLAIN, **more: object) -> dict[str, object]:
    return {"brief": brief, "participants": "builtin", "models": models, **more}


def people(**first: object) -> dict[str, object]:
    return {**PLAIN, "participants": [{"name": "Ada", "role": "Costs", **first}, {"name": "Bo", "role": "Time"}]}


def ways(own: str) -> Mapping[str, Way]:
    """The ways in: the path of a request, and its body."""
    bodies: dict[str, dict[str, object]] = {
        "models": new(["acp:local"]),
        "models in capitals": new(["ACP:local"]),
        "models with a slash": new(["acp/local"]),
        "models behind a blank": new([" acp:local"]),
        "a usual program": new(["acp:claude"]),
        "the second model": new([*BUILTIN, "Acp:local/small"]),
        "the model of the brief": new([], {**PLAIN, "model": "ACP:local"}),
        "a participant": new(brief=people(model="Acp:local")),
        "a fallback": new(brief=people(model="vllm:absent", fallback=["acp:local"])),
        "a stand-in": new(brief=people(model="human", stand_in="acp/local")),
        "Markdown": new(brief="# Tea?\n\n## Ada (Acp:local)\nrole: x\n\n## Bo\nrole: y\n"),
        "a preset": new([], preset="models"),
        "the preset of a brief": new([], {**PLAIN, "preset": "models"}),
        "generated participants": {"brief": PLAIN, "models": ["acp:local"]},
        "the owner's own model": new([]),
    }
    again, fork = f"{API}/debates/{own}/again", f"{API}/debates/{own}/fork"
    return {
        **{f"start: {name}": (f"{API}/debates", body) for name, body in bodies.items()},
        **{f"check: {name}": (f"{API}/check", body) for name, body in bodies.items()},
        "hold": (f"{API}/debates", new(["acp:local"], start=False)),
        "again": (again, {"models": ["acp:local"]}),
        "again, built anew": (again, {"models": ["ACP:local"], "rounds": 2}),
        "fork": (fork, {"at": 1, "models": {"": "acp:local"}}),
        "fork of one": (fork, {"at": 1, "models": {"Pragmatist": "acp/local"}}),
        "fork, held": (fork, {"at": 1, "models": {"": "Acp:local"}, "start": False}),
        "fork with a brief": (fork, {"at": 1, "brief": {**PLAIN, "model": "ACP:local"}}),
        "fork with a fallback": (fork, {"at": 1, "brief": people(model="vllm:absent", fallback=["acp:local"])}),
    }


async def test_no_way_in_starts_a_program(tmp_path: Path) -> None:
    program = Program(tmp_path)
    async with served(program, model="acp:local") as web:
        own, accepted = await web.ended(web.ann, brief=PLAIN), list[str]()
        for name, (path, body) in ways(own).items():
            response = await web.ann.post(path, json=body)
            if (response.status_code, response.json().get("code")) != (422, "not_here"):
                accepted.append(f"{name}: {response.status_code} {response.text[:200]}")
        assert not accepted
        listed = (await web.ann.get(f"{API}/debates")).json()["debates"]
        assert [row["id"] for row in listed] == [own]
    assert not program.started


CHAT = {"messages": [{"role": "user", "content": "Tea or coffee?"}]}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("chat/completions", {"model": "folkmoot/models", **CHAT}),
        ("chat/completions", {"model": "folkmoot/acting", **CHAT}),
        ("responses", {"model": "folkmoot/models", "input": "Tea or coffee?"}),
        ("responses", {"model": "folkmoot/models", "input": "Tea or coffee?", "background": True}),
        (
            "chat/completions",
            {
                "model": "folkmoot/small",
                "messages": [{"role": "user", "content": "### Task:\nGenerate a concise, 3-5 word title"}],
            },
        ),
    ],
)
async def test_nor_does_the_name_of_a_model(tmp_path: Path, path: str, body: dict[str, object]) -> None:
    program = Program(tmp_path)
    async with served(program) as web:
        response = await web.ann.post(f"/v1/{path}", json=body)
        assert (response.status_code, response.json()["error"]["code"]) == (400, "not_here"), response.text
    assert not program.started


async def recorded(workspace: Workspace, debate: str, owner: str) -> None:
    """A debate on record in which a program answers, with that owner."""
    seats = [Participant(name=name, role="x", seat=RECORDED) for name in ("Ada", "Bo")]
    plan = workspace.plan(Brief(topic="Tea?", options=("yes", "no"), participants=tuple(seats)))
    if owner:
        await claim(workspace, debate, Claim(owner=owner))
    await workspace.store.append(debate, chain_lines([Entry(seq=1, at=0.0, event=plan.opened())]), after=0)


async def test_nor_a_record_of_a_token_that_names_one(tmp_path: Path) -> None:
    program = Program(tmp_path)
    async with served(program) as web:
        workspace = web.site.workspace
        await recorded(workspace, "hers", "ann")
        for action, body in {"resume": {}, "again": {}, "fork": {"at": 1}}.items():
            response = await web.ann.post(f"{API}/debates/hers/{action}", json=body)
            assert (response.status_code, response.json()["code"]) == (422, "not_here"), (action, response.text)
        # Whoever runs it in the end: the owner at the page, a worker, or a command.
        await web.me.post(f"{API}/debates/hers/resume", json={})
        with pytest.raises(BriefError) as raised:
            await workspace.resume("hers")
        assert raised.value.code == "not_here"
    assert not program.started


@pytest.mark.parametrize("body", [new([]), new([], preset="models"), "again", "fork", "resume"])
async def test_the_owner_keeps_the_programs_of_the_settings_and_of_earlier_debates(
    tmp_path: Path, body: dict[str, object] | str
) -> None:
    program = Program(tmp_path)
    async with served(program, model="acp:local") as web:
        await recorded(web.site.workspace, "mine", "")
        path = f"{API}/debates" if isinstance(body, dict) else f"{API}/debates/mine/{body}"
        sent = body if isinstance(body, dict) else {"at": 1} if body == "fork" else {}
        response = await web.me.post(path, json=sent)
        assert response.status_code in (200, 201), response.text
        await until(lambda: program.started)
        await web.me.post(f"{API}/debates/{response.json()['id']}/stop", json={"now": True})


async def test_but_no_request_of_the_page_names_another(tmp_path: Path) -> None:
    program = Program(tmp_path)
    async with served(program, presets={}) as web:
        own = await web.ended(web.me, brief=PLAIN)
        for name, (path, body) in ways(own).items():
            if "preset" in name or "own model" in name:  # these name nothing where nothing is set
                continue
            response = await web.me.post(path, json=body)
            assert (response.status_code, response.json().get("code")) == (422, "not_here"), (name, response.text)
    assert not program.started


async def test_a_program_among_the_owners_fallbacks_is_left_out_for_others(tmp_path: Path) -> None:
    program = Program(tmp_path)
    async with served(program, fallback=("ACP:local", "ollama:small")) as web:
        response = await web.ann.post(f"{API}/debates", json=new(["vllm:absent"], start=False))
        assert response.status_code == 201, response.text
        opening = await web.site.workspace.opening(response.json()["id"])
        assert {person.fallback for person in opening.brief.participants} == {("ollama:small",)}
    assert not program.started


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
async def test_nor_does_a_tool_of_mcp_over_http(tmp_path: Path) -> None:
    program = Program(tmp_path)
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    wanted = mcp_host.HostSettings(store=tmp_path / "folkmoot.sqlite", ready=ready.set_result)
    briefs: list[dict[str, object]] = [
        *({"question": QUOTES, "models": [name]} for name in ("acp:local", "ACP:local", "acp/local", " acp:local")),
        {"question": f"---\nmodel: ACP:local\n---\n{QUOTES}"},
        {
            "question": "# Tea?\n\n## Ada (vllm:absent)\nrole: x\nfallback: [acp:local]\n\n## Bo (builtin:quotes)\nrole: y\n"
        },
        {"question": QUOTES, "preset": "models"},
    ]
    async with asyncio.TaskGroup() as group:
        task = group.create_task(mcp_host.serve_http(wanted, program.config()))
        try:
            headers = {"Authorization": f"Bearer {ANN}", "Accept": "application/json, text/event-stream"}
            async with (
                httpx2.AsyncClient(headers=headers, timeout=120) as client,
                Caller(streamable_http_client(await ready, http_client=client)) as caller,
            ):
                for tool in ("run_debate", "start_debate", "check_brief"):
                    for arguments in briefs:
                        assert "program of this machine" in refusal(await caller.call_tool(tool, arguments))
        finally:
            os.kill(os.getpid(), signal.SIGTERM)
            await task
    assert not program.started


BLANKS = st.text(alphabet=" \t\n\u00a0\u2003", max_size=2)


@given(
    word=st.lists(st.booleans(), min_size=3, max_size=3),
    around=st.tuples(BLANKS, BLANKS, BLANKS, BLANKS),
    mark=st.sampled_from(":/"),
    model=st.sampled_from(["local", "local/small", "claude", "nobody-knows", "LOCAL"]),
)
def test_however_a_program_is_written_the_pool_of_the_network_has_none(
    word: list[bool], around: tuple[str, str, str, str], mark: str, model: str
) -> None:
    letters = "".join(letter.upper() if big else letter for letter, big in zip("acp", word, strict=True))
    text = f"{around[0]}{letters}{around[1]}{mark}{around[2]}{model}{around[3]}"
    with pytest.raises(BriefError) as raised:
        Pool().starting_only(()).model(text)
    assert raised.value.code == ("not_here" if programs_in((text,)) else "bad_model")
    assert programs_in((text,)) == (frozenset({f"acp:{model}"}) if _is_name(text) else frozenset())


def _is_name(text: str) -> bool:
    try:
        return bool(parse(text))
    except BriefError:
        return False


def test_a_pool_that_starts_few_keeps_to_it_beside_one_that_starts_all() -> None:
    pool = Pool()
    program = {"local": {"command": [sys.executable], "cost": 0}, "other": {"command": [sys.executable], "cost": 0}}
    pool.programs = lambda: read_programs(program, "folkmoot.toml")
    few = pool.starting_only({"acp:local"}).with_options({"provider_options.x.y": 1})
    assert few.model("ACP/local") is pool.model("acp:local")
    assert pool.model("acp:other").name == "acp:other"  # known to both now
    with pytest.raises(BriefError):
        few.model("acp:other")
