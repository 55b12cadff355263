"""Pictures and PDFs that come with the request for a debate."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from folkmoot.app.run.outcome import opening
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.admission import MOST_SENT
from folkmoot.core.brief import Source
from folkmoot.tools.attachments import MOST_FILES
from tests.kits.pictures import png
from tests.web.web_kit import API, QUOTES, Web, opened


def sent(name: str = "chart.png", data: bytes = b"") -> dict[str, str]:
    return {"name": name, "data": base64.b64encode(data or png(640, 480)).decode()}


async def pictures_of(workspace: Workspace, debate: str) -> list[Source]:
    brief = opening(debate, await workspace.entries(debate)).brief
    return [source for source in brief.background if source.file]


async def test_a_picture_of_a_request_is_on_record(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        debate = await web.ended(web.ann, files=[sent(), sent("small.png", png())])
        pictures = await pictures_of(web.site.workspace, debate)
        files = [(source.name, source.file.sha256, source.file.width) for source in pictures if source.file]
        assert files == [
            ("chart.png", hashlib.sha256(png(640, 480)).hexdigest(), 640),
            ("small.png", hashlib.sha256(png()).hexdigest(), 2),
        ]


async def test_a_picture_may_be_larger_than_other_requests(tmp_path: Path) -> None:
    large = png() + b"x" * 1_500_000
    async with opened(tmp_path) as web:
        checked = await post(web, "check", [sent(data=large)])
        assert checked[0] == 200
        refused = await web.me.post(f"{API}/ratings", json={"data": "x" * 1_500_000})
        assert refused.status_code == 413
        assert (await post(web, "debates", [sent(data=png() + b"x" * 16_000_000)]))[0] == 413


async def post(web: Web, route: str, files: Sequence[Mapping[str, str]]) -> tuple[int, str]:
    response = await web.me.post(
        f"{API}/{route}",
        json={"brief": QUOTES, "models": ["builtin:quotes"], "participants": "builtin", "files": files},
    )
    return response.status_code, response.json().get("detail", "")


REFUSED = {
    "no picture": (
        [sent(data=b"GIF?")],
        "'chart.png' is no picture and no PDF; PNG, JPEG, WebP, GIF and PDF are taken",
    ),
    "twice": ([sent(), sent()], "there are two files with the name 'chart.png'"),
    "no base64": ([{"name": "chart.png", "data": "###"}], "the data of 'chart.png' is no base64"),
    "empty": ([{"name": "chart.png", "data": ""}], "'chart.png' is empty"),
    "no name": ([sent("")], "'' cannot be the name of a file; use at most 80 characters"),
    "lines": ([sent("a\nb.png")], "'a\\nb.png' cannot be the name of a file; use at most 80 characters"),
    "too large": ([sent(data=png(9000, 1))], "'chart.png' has 9000 x 1 pixels; no side may have more than 8,000"),
}


@pytest.mark.parametrize("case", list(REFUSED))
async def test_what_is_no_picture_is_refused_before_anything_is_on_record(case: str, tmp_path: Path) -> None:
    files, words = REFUSED[case]
    async with opened(tmp_path) as web:
        for route in ("check", "debates"):
            status, detail = await post(web, route, files)
            assert status == 422
            assert words in detail
        assert (await web.me.get(f"{API}/debates")).json()["debates"] == []


def test_a_request_may_have_as_many_files_as_a_brief() -> None:
    assert MOST_SENT == MOST_FILES
