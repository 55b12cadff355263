"""The commands of docs/how-to/call-the-api.md, run as they stand against a server."""

import asyncio
import json
import os
import re
from pathlib import Path

from tests.docs.test_docs import FENCE, ROOT
from tests.kits.left_out import need_programs
from tests.web.web_kit import ANN, opened

PAGE = ROOT / "docs/how-to/call-the-api.md"


def script(folder: Path) -> str:
    """All blocks of the shell, one after the other; files are written into the folder."""
    lines = ["set -e"]
    for match_ in FENCE.finditer(PAGE.read_text("utf-8")):
        words = match_["info"].split()
        if words[:1] == ["sh"]:
            lines.append(match_["body"])
        elif file := next((word.removeprefix("file=") for word in words if word.startswith("file=")), ""):
            (folder / file).write_text(match_["body"], "utf-8")
    assert len(lines) > 8
    return "\n".join(lines)


async def test_the_commands_of_the_page_do_what_it_says(tmp_path: Path) -> None:
    need_programs("curl", package="curl")
    async with opened(tmp_path, real=True) as web:
        env = {"PATH": os.environ["PATH"], "FOLKMOOT": web.base, "TOKEN": ANN, "HOME": str(tmp_path)}
        process = await asyncio.create_subprocess_exec("sh", "-c", script(tmp_path), cwd=tmp_path, env=env)
        async with asyncio.timeout(120):
            assert await process.wait() == 0
    events, rest = (
        [int(item) for item in re.findall(r"^id: (\d+)", (tmp_path / name).read_text("utf-8"), re.MULTILINE)]
        for name in ("events.txt", "rest.txt")
    )
    assert events == list(range(1, len(events) + 1))
    assert rest == events[3:]
    assert json.loads((tmp_path / "asks.json").read_text("utf-8"))["asks"][0]["who"] == "Ada"
    assert json.loads((tmp_path / "state.json").read_text("utf-8"))["status"] == "decided"
    assert json.loads((tmp_path / "problem.json").read_text("utf-8"))["status"] == 404
    assert "Tea or coffee" in (tmp_path / "report.md").read_text("utf-8")
    assert (tmp_path / "report.html").read_text("utf-8").startswith("<!doctype html>")
