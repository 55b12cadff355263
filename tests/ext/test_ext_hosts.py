"""What packages add, over the HTTP API: formats of reports, lists of protocols and of ways to decide."""

from pathlib import Path

from folkmoot.mcp.tools import make_server
from tests.ext.ext_kit import Install
from tests.web.web_kit import opened

API = "/api/v1"


async def test_the_api_gives_the_formats_and_names_of_packages(install: Install, tmp_path: Path) -> None:
    for package in ("folkmoot_slides", "folkmoot_six_hats", "folkmoot_star"):
        install(package)
    async with opened(tmp_path) as web, web.me as me:
        debate = await web.ended(me)
        slides = await me.get(f"{API}/debates/{debate}/report.slides")
        assert slides.status_code == 200
        assert slides.headers["content-type"] == "text/plain; charset=utf-8"
        assert slides.text.count("\n---\n") == 2
        memo = await me.get(f"{API}/debates/{debate}/report.memo")
        assert "sandbox" in memo.headers["content-security-policy"]
        refused = await me.get(f"{API}/debates/{debate}/report.slide")
        assert refused.status_code == 422
        assert "there is no format 'slide'; did you mean 'slides'?" in refused.text
        offers = (await me.get(f"{API}/protocols")).json()
        assert {"panel", "open_fight", "six_hats"} <= {*offers["protocols"]}
        assert {"majority", "schulze", "judge", "vote_based", "star"} <= {*offers["strategies"]}
        install("folkmoot_slides", code="def slides(report):\n    return report.nothing\n")
        broken = await me.get(f"{API}/debates/{debate}/report.slides?replay=false")
        assert broken.status_code in (200, 422)
    listed = (await make_server().call_tool("list_protocols", {})).model_dump()["structured_content"]
    about = {protocol["name"]: protocol["about"] for protocol in listed["protocols"]}
    assert about["six_hats"] == "Of the package folkmoot-six-hats 1.0."
    assert "star" in listed["strategies"]
