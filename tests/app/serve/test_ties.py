"""A tie at every entrance: nobody is a minority, the answers are told as answers, and ways on are named."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest

import folkmoot
from tests.cli.commands import folkmoot as command
from tests.cli.test_cli_handles import TIE, tied
from tests.council.agents import own_place
from tests.mcp.mcp_kit import place as mcp_place
from tests.mcp.mcp_kit import runner_in
from tests.web.web_kit import API, opened


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return own_place(tmp_path, monkeypatch)


ANSWERS = {"Ada", "Bo", "Cy"}
DECIDED = TIE.replace("Says seats.", "Says usage.").replace("Seats pricing is known. ", "")
"""The same debate where one answer wins."""


def check_tie(decision: Mapping[str, Any]) -> None:
    """The decision as plain data is one that nobody won."""
    assert (decision["minority"], decision["winner"]) == ([], "")
    assert {name for answer in decision["answers"] for name in answer["by"]} == ANSWERS


async def test_of_a_tie_the_http_api_and_the_pages_data_name_no_minority(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        debate = (await web.me.post(f"{API}/debates", json={"brief": TIE})).json()["id"]
        await web.site.runner.wait(debate)
        state = (await web.me.get(f"{API}/debates/{debate}")).json()
        stream = (await web.me.get(f"{API}/debates/{debate}/entries", params={"form": "frames"})).text
        report = (await web.me.get(f"{API}/debates/{debate}/report.json")).text
    assert state["status"] == "tie"
    check_tie(state["decision"])
    commands = [way["command"].replace(debate, "ID") for way in state["ways"]]
    assert commands[0] == "folkmoot show --recount ID"
    assert "folkmoot again ID --protocol moderated" in commands
    ruled = [frame["decision"] for frame in map(json.loads, stream.splitlines()) if frame.get("decision")]
    assert ruled
    check_tie(ruled[-1])
    assert [bool(answer["html"]) for answer in ruled[-1]["answers"]] == [True] * len(ANSWERS), "arguments keep lists"
    check_tie(json.loads(report)["outcome"]["decision"])


async def test_of_a_tie_the_mcp_server_names_no_minority(tmp_path: Path) -> None:
    async with runner_in(tmp_path) as runner, mcp_place(runner) as here:
        memo = await here.call("run_debate", question=TIE, models=["builtin:quotes"])
        assert memo["status"] == "tie"
        check_tie(memo)
        ways = cast("list[str]", memo["ways"])
        assert ways[0] == f"folkmoot show --recount {memo['id']}: the same votes under other rules"
        assert any("--protocol moderated: a moderator decides" in way for way in ways)
        won = await here.call("run_debate", question=DECIDED, models=["builtin:quotes"])
        assert (won["status"], won["answers"], won["ways"]) == ("decided", [], [])
        assert won["minority"]


def test_of_a_tie_a_program_the_report_and_the_receipt_name_no_minority(tmp_path: Path) -> None:
    debate = tied(tmp_path)
    outcome = folkmoot.show(debate, store=tmp_path / "folkmoot.sqlite")
    data = outcome.to_dict()["decision"]
    assert data is not None
    check_tie(data)
    for text in (outcome.report(), command(tmp_path, "report", debate).stdout):
        assert "inority" not in text
        assert "**What may decide it:** `folkmoot show --recount " in text
    (as_json,) = [json.loads(command(tmp_path, "report", debate, "--format", "json").stdout)]
    check_tie(as_json["outcome"]["decision"])
    receipt = json.loads(command(tmp_path, "report", "--receipt", debate, "--format", "json").stdout)
    assert receipt["minority"] == []
    assert {name for answer in receipt["answers"] for name in answer["by"]} == ANSWERS
    assert "## Answers\n" in receipt["page"] if "page" in receipt else receipt["answers"]
    assert "to win" not in command(tmp_path, "show", "--recount", debate).stdout


def test_what_lost_against_a_winner_is_a_minority(tmp_path: Path) -> None:
    (tmp_path / "won.md").write_text(DECIDED, "utf-8")
    outcome = folkmoot.run(tmp_path / "won.md", store=tmp_path / "store")
    data = outcome.to_dict()["decision"]
    assert data is not None
    assert (outcome.status, data["answers"]) == ("decided", [])
    assert [answer["by"] for answer in data["minority"]] == [["Cy"]]


NO_MAJORITY = "Usage, seats and flat have 1 of 3 each; majority needs more than 1/2"


async def test_equal_leaders_without_a_majority_are_no_tie_at_every_entrance(tmp_path: Path) -> None:
    brief = TIE.replace("seed: 4", "seed: 4\nstrategy: absolute")
    async with opened(tmp_path) as web:
        debate = (await web.me.post(f"{API}/debates", json={"brief": brief})).json()["id"]
        await web.site.runner.wait(debate)
        state = (await web.me.get(f"{API}/debates/{debate}")).json()
        listed = (await web.me.get(f"{API}/debates")).json()["debates"][0]
        stream = (await web.me.get(f"{API}/debates/{debate}/entries", params={"form": "frames"})).text
        report = (await web.me.get(f"{API}/debates/{debate}/report.md")).text
    how = state["decision"]["how"]
    assert how.casefold() == NO_MAJORITY.casefold()
    assert (state["status"], listed["status"]) == ("no_decision", "no_decision")
    check_tie(state["decision"])
    commands = [way["command"].replace(debate, "ID") for way in state["ways"]]
    assert commands[0] == "folkmoot show --recount ID"
    assert re.fullmatch(r"folkmoot again ID --rounds \d", commands[1]), "the rule that was chosen stays"
    assert "folkmoot again ID --protocol moderated" in commands
    (warning,) = [text for text in state["warnings"] if "votes come from" in text]
    assert warning == "All 3 votes come from builtin:quotes: even copies of one model did not agree."
    assert f"**There is no decision.**\n\n**How it was decided:** {how}" in report
    assert " tie" not in stream + report


def test_a_recount_of_what_nobody_won_does_not_say_that_it_was_decided(tmp_path: Path) -> None:
    shown = command(tmp_path, "show", "--recount", tied(tmp_path)).stdout
    assert "Decided" not in shown
    assert "Counted in the debate by plurality: tie: usage, seats and flat have 1 each" in shown
