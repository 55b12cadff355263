"""Every command of the page of the HTTP API is understood by a server, in the order of the page."""

import asyncio
import os
import re
from pathlib import Path

import pytest

from tests.kits.left_out import need_programs
from tests.paths import ROOT
from tests.web.web_kit import ANN, opened

PAGE = (ROOT / "docs/reference/http-api.md").read_text("utf-8")
REQUESTS = re.findall(r"^### (.+)\n\n`(\w+) (\S+)`", PAGE, re.MULTILINE)
COMMANDS = re.findall(r"^```sh example\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
OTHERWISE = {
    "Answer ask": 409,
    "Interject": 409,
    "Make share": 422,
    "Get ratings": 403,
    "Get calibration": 403,
    "Search memory": 403,
    "List evaluations": 403,
    "Get evaluation": 403,
    "Check model": 403,
    "Revoke share": 404,
}
"""Requests that are refused here: the debate is over, nobody in it is a person, and only the owner may see the memory
and test models."""


def test_each_request_has_one_command() -> None:
    assert len(REQUESTS) == len(COMMANDS) > 30
    for (_, method, path), command in zip(REQUESTS, COMMANDS, strict=True):
        place = (
            re.escape(path)
            .replace(r"\{debate\}", r"\$ID")
            .replace(r"\{form\}", r"\w+")
            .replace(r"\{evaluation\}", r"\w+")
        )
        assert re.search(rf'"\$FOLKMOOT{place}[?"]', command), command
        assert ("-X" in command) == (method in ("DELETE", "PATCH") or (method == "POST" and "-d" not in command))


@pytest.mark.parametrize("name", ["http-api", "http-values"])
def test_each_link_to_a_value_has_its_section(name: str) -> None:
    values = (ROOT / "docs/reference/http-values.md").read_text("utf-8")
    sections = {title.lower() for title in re.findall(r"^## (.+)$", values, re.MULTILINE)}
    links = set(re.findall(r"\(http-values\.md#([^)]+)\)", (ROOT / f"docs/reference/{name}.md").read_text("utf-8")))
    assert links
    assert links <= sections


async def test_a_server_understands_every_command(tmp_path: Path) -> None:
    need_programs("curl", package="curl")
    order = sorted(
        zip(REQUESTS, COMMANDS, strict=True), key=lambda row: (row[0][1] == "DELETE", row[0][2].endswith("{debate}"))
    )
    async with opened(tmp_path, real=True) as web:
        env = {"PATH": os.environ["PATH"], "FOLKMOOT": web.base, "TOKEN": ANN, "HOME": str(tmp_path)}
        start = next(command for (title, _, _), command in order if title == "Begin debate")
        env["ID"] = re.findall(r'"id":"([^"]+)"', await run(start, env))[0]
        await web.site.runner.wait(env["ID"])
        for (title, _, _), command in order:
            body = await run(command.replace("curl -sS --fail-with-body", "curl -sS -w '\n%{http_code}'"), env)
            status = int(body.rpartition("\n")[2])
            assert (status if status > 299 else None) == OTHERWISE.get(title), f"{title}: {body}"


async def run(command: str, env: dict[str, str]) -> str:
    """What a command of the shell writes."""
    process = await asyncio.create_subprocess_exec("sh", "-c", command, env=env, stdout=asyncio.subprocess.PIPE)
    async with asyncio.timeout(120):
        written, _ = await process.communicate()
    return written.decode()
